//! Offsets and positions: what the protocol counts in lines and UTF-16 code units is counted in bytes inside.

use base::{Edit, LineCol, SourceFile, TextRange, TextSize};
use serde_json::{Value, json};

use crate::rpc::RpcError;

/// The offset of the member `position`.
pub(crate) fn offset(source: &SourceFile, params: &Value) -> Result<TextSize, RpcError> {
    let position = params.get("position").unwrap_or(&Value::Null);
    offset_of(source, position)
}

/// The offset of a position; past the end of a line, the end of the line.
pub(crate) fn offset_of(source: &SourceFile, position: &Value) -> Result<TextSize, RpcError> {
    let number = |name: &str| {
        let value = position.get(name).and_then(Value::as_u64);
        value.map(|value| u32::try_from(value).unwrap_or(u32::MAX - 1))
    };
    let (Some(line), Some(col)) = (number("line"), number("character")) else {
        return Err(RpcError::invalid_params("A position with line and character is expected."));
    };
    Ok(source.lines().offset(source.text(), LineCol { line, col }))
}

/// The range of the member `range`.
pub(crate) fn range_of(source: &SourceFile, range: &Value) -> Result<TextRange, RpcError> {
    let end = |name: &str| offset_of(source, range.get(name).unwrap_or(&Value::Null));
    let (start, end) = (end("start")?, end("end")?);
    Ok(TextRange::new(start.min(end), start.max(end)))
}

pub(crate) fn position(source: &SourceFile, offset: TextSize) -> Value {
    let LineCol { line, col } = source.position(offset);
    json!({ "line": line, "character": col })
}

pub(crate) fn range(source: &SourceFile, range: TextRange) -> Value {
    json!({ "start": position(source, range.start()), "end": position(source, range.end()) })
}

/// An edit of a text.
pub(crate) fn text_edit(source: &SourceFile, edit: &Edit) -> Value {
    json!({ "range": range(source, edit.range), "newText": edit.text })
}

pub(crate) fn markdown(text: &str) -> Value {
    json!({ "kind": "markdown", "value": text })
}

/// Adds a member to an object.
pub(crate) fn set(object: &mut Value, name: &str, member: Value) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), member);
    }
}
