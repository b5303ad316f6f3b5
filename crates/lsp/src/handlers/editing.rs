//! Formatting of a document, of a part of it, and of what was just typed.

use bicep_ide::formatting as layout;
use serde_json::{Value, json};

use super::Request;
use crate::convert;
use crate::rpc::Answer;

pub(super) fn formatting(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let edit = layout::format(context);
        Ok(edit.map(|edit| convert::text_edit(&context.bicep.source, &edit)).into_iter().collect::<Vec<_>>())
    })?;
    Ok(found.map_or(Value::Null, |edits| json!(edits)))
}

pub(super) fn range_formatting(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let source = &context.bicep.source;
        let range = convert::range_of(source, request.params.get("range").unwrap_or(&Value::Null))?;
        let edits = layout::format_range(context, range);
        Ok(edits.iter().map(|edit| convert::text_edit(source, edit)).collect::<Vec<_>>())
    })?;
    Ok(found.map_or(Value::Null, |edits| json!(edits)))
}

pub(super) fn on_type_formatting(request: &Request) -> Answer {
    let typed = request.params.get("ch").and_then(Value::as_str).unwrap_or_default();
    let found = request.ask_at(|context, offset| {
        let edits = layout::format_typed(context, offset, typed);
        Ok(edits.iter().map(|edit| convert::text_edit(&context.bicep.source, edit)).collect::<Vec<_>>())
    })?;
    Ok(found.map_or(Value::Null, |edits| json!(edits)))
}
