//! JSON, base64 and data URIs.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

use super::{Function, whole};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::value::{Kind, Value};

pub(super) const TABLE: &[Function] = &[
    whole("json", 1, 1, json),
    whole("base64", 1, 1, base64),
    whole("base64ToString", 1, 1, base64_to_string),
    whole("base64ToJson", 1, 1, base64_to_json),
    whole("dataUri", 1, 1, data_uri),
    whole("dataUriToString", 1, 1, data_uri_to_string),
];

fn json(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    match arg.kind() {
        Kind::String(text) => parse(call, text),
        // What is no text is taken for parsed already.
        _ => Ok(arg.clone()),
    }
}

fn base64(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    call.text(STANDARD.encode(call.string(args, 0)?))
}

fn base64_to_string(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    call.text(decode(call, call.string(args, 0)?)?)
}

fn base64_to_json(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    parse(call, &decode(call, call.string(args, 0)?)?)
}

fn data_uri(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    let (kind, text) = match arg.as_str() {
        Some(text) => ("text/plain", text.to_owned()),
        None => {
            let mut text = String::new();
            arg.to_minified(&mut text);
            ("application/json", text)
        }
    };
    call.text(format!("data:{kind};charset=utf-8;base64,{}", STANDARD.encode(text)))
}

fn data_uri_to_string(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let body = call.string(args, 0)?.strip_prefix("data:");
    let Some((head, data)) = body.and_then(|body| body.split_once(',')) else {
        return Err(call.invalid("the text is not a data URI"));
    };
    let encoded = head.split(';').any(|part| part.trim().eq_ignore_ascii_case("base64"));
    let text = if encoded { decode(call, data)? } else { base::percent::decode(data) };
    call.text(text)
}

fn parse(call: &Invocation<'_>, text: &str) -> Result<Value, Error> {
    // Nodes and values of the smallest items take a multiple of their text.
    call.allocate(text.len().saturating_mul(16))?;
    let parsed = json::parse(text, json::Options::lenient());
    // The service takes a text that ends too early, as long as everything in it is complete.
    let is_cut_off = parsed.diagnostics.iter().all(|problem| problem.code == NOT_CLOSED);
    match (parsed.root, parsed.diagnostics.first()) {
        (Some(root), None) => Ok(Value::from(&root)),
        (Some(root), Some(_)) if is_cut_off && !is_empty(&root) => Ok(Value::from(&root)),
        (_, Some(problem)) => Err(call.invalid(format!("the text is not JSON: {}", problem.message))),
        (None, None) => Err(call.invalid("the text is empty, not JSON")),
    }
}

/// What the reader says about a text that ends before all brackets are closed.
const NOT_CLOSED: &str = "JSON008";

fn is_empty(node: &json::Node) -> bool {
    node.as_array().is_some_and(<[json::Node]>::is_empty)
        || node.as_object().is_some_and(json::Object::is_empty)
}

fn decode(call: &Invocation<'_>, text: &str) -> Result<String, Error> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let bytes = LENIENT.decode(text.trim()).map_err(|_| call.invalid("the text is not base64"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn encodings() {
        check_all(&[
            ("base64(' Fizz ')", "\"IEZpenog\""),
            ("base64ToString('IEZpenog')", "\" Fizz \""),
            ("base64ToString('!')", "\"!invalid-argument\""),
            ("base64ToJson(base64('{\"a\": [1]}'))", r#"{"a":[1]}"#),
            ("dataUri(' Fizz ')", "\"data:text/plain;charset=utf-8;base64,IEZpenog\""),
            ("dataUriToString('data:text/plain;charset=utf-8;base64,IEZpenog')", "\" Fizz \""),
            ("dataUriToString('data:,Hello%20World')", "\"Hello World\""),
            ("dataUriToString('Hello')", "\"!invalid-argument\""),
            ("dataUriToString(dataUri(createObject('a', 1)))", "\"{\\\"a\\\":1}\""),
        ]);
    }

    #[test]
    fn json() {
        check_all(&[
            ("json('null')", "null"),
            ("json('{\"a\":1.5,\"b\":[true]}')", r#"{"a":1.5,"b":[true]}"#),
            ("json('''x''')", "\"x\""),
            ("json('')", "\"!invalid-argument\""),
            ("json('{')", "\"!invalid-argument\""),
            ("json('{\"a\": [1, 2')", r#"{"a":[1,2]}"#),
            ("json('{\"a\":')", "\"!invalid-argument\""),
            ("json('\"[utcNow()]\"')", "\"[utcNow()]\""),
        ]);
    }
}
