//! Where the value of a parameter comes from, through modules and parameter files.

use std::collections::BTreeSet;

use base::TextSize;
use bicep_ide::FileContext;
use bicep_ide::origins::{ValueOrigin, value_origins};
use bicep_ide::rename::{SharedKind, shared_name};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::Request;
use super::hierarchy::with_file;
use crate::convert;
use crate::rpc::Answer;

/// Values of values of values: further ones are not looked for.
const MAX_DEPTH: usize = 10;

/// More values than this are not shown in a hover.
const MAX_SHOWN: usize = 5;

/// A value with the file that gives it, and where its own parts come from.
struct Origin {
    path: Utf8PathBuf,
    line: u32,
    range: Value,
    text: String,
    from: Vec<Origin>,
}

/// `sinew/valueOrigins`: the values of the parameter at a position, each with where its parts come from.
pub(super) fn value_origins_at(request: &Request) -> Answer {
    let found = request.ask_at(|context, offset| {
        let Some(parameter) = parameter_at(context, offset) else { return Ok(Value::Null) };
        let path = context.bicep.source.path();
        let origins = collect(request, path, &parameter, &mut BTreeSet::new());
        Ok(json!({ "parameter": parameter, "origins": origins.iter().map(|it| value(request, it)).collect::<Vec<_>>() }))
    })?;
    Ok(found.unwrap_or(Value::Null))
}

fn value(request: &Request, origin: &Origin) -> Value {
    json!({
        "uri": request.uri_of(&origin.path),
        "range": origin.range,
        "value": origin.text,
        "from": origin.from.iter().map(|it| value(request, it)).collect::<Vec<_>>(),
    })
}

/// What a hover says about the values of a parameter; nothing when no file gives it one.
pub(super) fn hover_text(request: &Request, context: &FileContext<'_>, offset: TextSize) -> Option<String> {
    let parameter = parameter_at(context, offset)?;
    let path = context.bicep.source.path();
    let origins = collect(request, path, &parameter, &mut BTreeSet::new());
    (!origins.is_empty()).then_some(())?;
    let mut text = "Values:  \n".to_owned();
    for origin in origins.iter().take(MAX_SHOWN) {
        let name = origin.path.file_name().unwrap_or_default();
        let link = format!("{}#L{}", request.uri_of(&origin.path), origin.line + 1);
        text.push_str(&format!("- `{}` in [{name}]({link})\n", origin.text.replace('`', "'")));
    }
    if origins.len() > MAX_SHOWN {
        text.push_str(&format!("- and {} more\n", origins.len() - MAX_SHOWN));
    }
    Some(text)
}

/// The parameter that is declared or used at an offset.
fn parameter_at(context: &FileContext<'_>, offset: TextSize) -> Option<String> {
    shared_name(context, offset).filter(|it| it.kind == SharedKind::Parameter).map(|it| it.name)
}

fn collect(
    request: &Request,
    path: &Utf8Path,
    parameter: &str,
    seen: &mut BTreeSet<(Utf8PathBuf, String)>,
) -> Vec<Origin> {
    let mut found = Vec::new();
    if seen.len() > MAX_DEPTH || !seen.insert((path.to_owned(), parameter.to_owned())) {
        return found;
    }
    for user in request.snapshot.used_by(path) {
        let values = with_file(request, &user, |context| {
            let target = context.program.file_at(path)?;
            let source = &context.bicep.source;
            let values = value_origins(context, target, parameter).into_iter();
            Some(
                values
                    .map(|it| (source.position(it.range.start()).line, convert::range(source, it.range), it))
                    .collect::<Vec<_>>(),
            )
        });
        for (line, range, ValueOrigin { text, parameters, .. }) in values.flatten().unwrap_or_default() {
            let from = parameters.iter().flat_map(|it| collect(request, &user, it, seen)).collect();
            found.push(Origin { path: user.clone(), line, range, text, from });
        }
    }
    found
}
