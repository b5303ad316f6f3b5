//! A setting written into `bicepconfig.json`: the text, a path of keys and a value come in; the edit goes out. Comments and
//! layout stay as they are.

use base::{Edit, TextLen, TextRange, TextSize};
use json::Node;

/// What a new configuration file says: where to read more, and nothing else yet.
const HEADER: &str = "  // See https://aka.ms/bicep/config for more information on Bicep configuration options\n  \
                      // Press CTRL+SPACE at any location to see Intellisense suggestions\n";

const INDENT: &str = "  ";

/// The path to the level of a rule.
pub fn rule_level_path(code: &str) -> [&str; 5] {
    ["analyzers", "core", "rules", code, "level"]
}

/// A configuration file with one setting.
pub fn new_config(path: &[&str], value: &str) -> String {
    let body = nested(path, value, 1);
    format!("{{\n{HEADER}{body}\n}}")
}

/// The edit that sets a value that is not there yet; `None` when it is.
pub fn insert(text: &str, path: &[&str], value: &str) -> Option<Edit> {
    let parsed = json::parse(text, json::Options::lenient());
    let Some(root) = parsed.root.as_ref().filter(|root| root.as_object().is_some()) else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let text_end = TextRange::empty(text.text_len());
        return Some(Edit { range: text_end, text: format!("{gap}{{\n{}\n}}", nested(path, value, 1)) });
    };
    let mut object = root;
    let mut rest = path;
    while let Some((key, inner)) = rest.split_first() {
        match object.get(key) {
            None => break,
            Some(found) => {
                found.as_object()?;
                object = found;
                rest = inner;
            }
        }
    }
    (!rest.is_empty()).then(|| into_object(text, object, rest, value))
}

/// Where a value stands, without its quotes; for selecting it.
pub fn find(text: &str, path: &[&str]) -> Option<TextRange> {
    let parsed = json::parse(text, json::Options::lenient());
    let node = path.iter().try_fold(parsed.root.as_ref()?, |node, key| node.get(key))?;
    let quote = TextSize::new(1);
    let range = node.range;
    node.as_str().map(|_| TextRange::new(range.start() + quote, range.end() - quote))
}

/// The edit that makes a setting the first member of an object.
fn into_object(text: &str, object: &Node, path: &[&str], value: &str) -> Edit {
    let open = object.range.start() + TextSize::new(1);
    let first = object.as_object().and_then(|object| object.members().first());
    let own = indentation(text, object.range.start());
    let (indent, end) = match first {
        Some(member) => (indentation(text, member.key_range.start()), ",".to_owned()),
        None => {
            let inside = text.get(usize::from(open)..usize::from(object.range.end())).unwrap_or_default();
            let has_line_end = inside.contains('\n');
            (format!("{own}{INDENT}"), if has_line_end { String::new() } else { format!("\n{own}") })
        }
    };
    let body = nested(path, value, 0).replace('\n', &format!("\n{indent}"));
    Edit { range: TextRange::empty(open), text: format!("\n{indent}{body}{end}") }
}

fn indentation(text: &str, at: TextSize) -> String {
    let before = text.get(..usize::from(at)).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| c.is_whitespace()).collect()
}

/// `"a": {"b": value}` on lines of their own.
fn nested(path: &[&str], value: &str, depth: usize) -> String {
    let indent = INDENT.repeat(depth);
    match path.split_first() {
        None => format!("{indent}{value}"),
        Some((key, [])) => format!("{indent}\"{key}\": {value}"),
        Some((key, rest)) => format!("{indent}\"{key}\": {{\n{}\n{indent}}}", nested(rest, value, depth + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, path: &[&str], after: Option<&str>) {
        let edited = insert(before, path, "\"off\"").map(|edit| {
            let mut text = before.to_owned();
            text.replace_range(usize::from(edit.range.start())..usize::from(edit.range.end()), &edit.text);
            text
        });
        assert_eq!(edited.as_deref(), after, "{before}");
    }

    #[test]
    fn a_setting_becomes_the_first_member_of_the_innermost_object() {
        check("", &["a", "b"], Some("{\n  \"a\": {\n    \"b\": \"off\"\n  }\n}"));
        check("{}", &["a"], Some("{\n  \"a\": \"off\"\n}"));
        check("{\n}", &["a"], Some("{\n  \"a\": \"off\"\n}"));
        check("{\n  \"b\": {}\n}", &["a"], Some("{\n  \"a\": \"off\",\n  \"b\": {}\n}"));
        check("{\n  \"b\": {}\n}", &["b"], None);
        check(
            "{\n   // why\n   \"b\": 1\n}",
            &["a"],
            Some("{\n   \"a\": \"off\",\n   // why\n   \"b\": 1\n}"),
        );
        check("// only words", &["a"], Some("// only words\n{\n  \"a\": \"off\"\n}"));
    }
}
