//! Values for parameters that nobody gave a value: made up, but of the right type and length, and always the same.

use arm::Value;
use arm::document::Node;
use smol_str::SmolStr;

/// A value for every parameter without a default, by name. A parameter of no known type gets none.
pub fn placeholders(parameters: &Node) -> Vec<(SmolStr, Value)> {
    let members = parameters.as_object().into_iter().flatten().enumerate();
    members
        .filter(|(_, member)| member.value.get_ignore_case("defaultValue").is_none())
        .filter_map(|(at, member)| Some((member.key.clone(), placeholder(&member.value, at)?)))
        .collect()
}

fn placeholder(parameter: &Node, at: usize) -> Option<Value> {
    let allowed = parameter.get_ignore_case("allowedValues").and_then(Node::as_array);
    if let Some(first) = allowed.and_then(<[Node]>::first) {
        return Some(Value::from(first));
    }
    let kind = parameter.get_ignore_case("type")?.as_str()?.to_ascii_lowercase();
    let length = |name: &str| {
        let length = parameter.get_ignore_case(name).and_then(Node::as_i64);
        length.and_then(|length| usize::try_from(length).ok())
    };
    Some(match kind.as_str() {
        "string" | "securestring" => Value::string(text(at, length("minLength"), length("maxLength"))),
        "int" => {
            Value::int(length("minValue").and_then(|least| i64::try_from(least).ok()).unwrap_or(1).max(1))
        }
        "bool" => Value::bool(true),
        "array" => Value::array(vec![Value::from("item1"), Value::from("item2")]),
        "object" | "secureobject" => Value::object([("property1", Value::from("value1"))]),
        _ => return None,
    })
}

/// Longer than this nobody asks for; the service itself takes less.
const LONGEST: usize = 4096;

/// `defaultString0`, made longer before its number or shorter as the parameter asks. The number stays.
fn text(at: usize, least: Option<usize>, most: Option<usize>) -> String {
    let number = at.to_string();
    let mut stem = String::from("defaultString");
    let wanted = least.unwrap_or_default().min(LONGEST).saturating_sub(number.len());
    while stem.len() < wanted {
        stem.push('a');
    }
    if let Some(most) = most {
        stem.truncate(most.saturating_sub(number.len()));
    }
    format!("{stem}{number}")
}
