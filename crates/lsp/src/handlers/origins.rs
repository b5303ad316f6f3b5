//! Where the value of a parameter comes from, through modules and parameter files.

use std::collections::BTreeSet;

use base::TextSize;
use bicep_ide::FileContext;
use bicep_ide::origins::{ValueOrigin, parameters_in, value_origins};
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

/// A hover looks into so many files that use the file: a module may be used by all others.
const MAX_USERS_SHOWN: usize = 20;

/// A value with the file that gives it.
struct Origin {
    path: Utf8PathBuf,
    line: u32,
    range: Value,
    value: ValueOrigin,
}

/// `sinew/valueOrigins`: the values of the parameter at a position, each with where its parts come from.
pub(super) fn value_origins_at(request: &Request) -> Answer {
    let found = request.ask_at(|context, offset| {
        let Some(parameter) = parameter_at(context, offset) else { return Ok(Value::Null) };
        let origins =
            origins_in_depth(request, context.bicep.source.path(), &parameter, &mut BTreeSet::new());
        Ok(json!({ "parameter": parameter, "origins": origins }))
    })?;
    Ok(found.unwrap_or(Value::Null))
}

/// The values of a parameter, each with those of the parameters that it is made of.
fn origins_in_depth(
    request: &Request,
    path: &Utf8Path,
    parameter: &str,
    seen: &mut BTreeSet<(Utf8PathBuf, String)>,
) -> Vec<Value> {
    if seen.len() > MAX_DEPTH || !seen.insert((path.to_owned(), parameter.to_owned())) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for user in request.snapshot.used_by(path) {
        for origin in origins_in(request, &user, path, parameter) {
            let parts = with_file(request, &user, |context| parameters_in(context, origin.value.range));
            let parts = parts.unwrap_or_default();
            let from: Vec<Value> =
                parts.iter().flat_map(|it| origins_in_depth(request, &user, it, seen)).collect();
            found.push(json!({
                "uri": request.uri_of(&origin.path),
                "range": origin.range,
                "value": origin.value.text,
                "from": from,
            }));
        }
    }
    found
}

/// What a hover says about the values of a parameter; nothing when no file gives it one.
pub(super) fn hover_text(request: &Request, context: &FileContext<'_>, offset: TextSize) -> Option<String> {
    let parameter = parameter_at(context, offset)?;
    let path = context.bicep.source.path();
    let users = request.snapshot.used_by(path);
    let looked_at = users.iter().take(MAX_USERS_SHOWN);
    let origins: Vec<Origin> =
        looked_at.flat_map(|user| origins_in(request, user, path, &parameter)).collect();
    (!origins.is_empty()).then_some(())?;
    let mut text = "Values:  \n".to_owned();
    for origin in origins.iter().take(MAX_SHOWN) {
        let name = origin.path.file_name().unwrap_or_default();
        let link = format!("{}#L{}", request.uri_of(&origin.path), origin.line + 1);
        text.push_str(&format!("- `{}` in [{name}]({link})\n", origin.value.text.replace('`', "'")));
    }
    if users.len() > MAX_USERS_SHOWN {
        text.push_str("- and more\n");
    } else if origins.len() > MAX_SHOWN {
        text.push_str(&format!("- and {} more\n", origins.len() - MAX_SHOWN));
    }
    Some(text)
}

/// The parameter that is declared or used at an offset.
fn parameter_at(context: &FileContext<'_>, offset: TextSize) -> Option<String> {
    shared_name(context, offset).filter(|it| it.kind == SharedKind::Parameter).map(|it| it.name)
}

/// The values that a file gives to a parameter of another file.
fn origins_in(request: &Request, user: &Utf8Path, target: &Utf8Path, parameter: &str) -> Vec<Origin> {
    let compilation = request.snapshot.compilation(user);
    let program = compilation.program();
    let file = compilation.entry().and_then(|entry| program.bicep(entry));
    let Some((file, target)) = file.zip(program.file_at(target)) else { return Vec::new() };
    let origin = |value: ValueOrigin| Origin {
        path: user.to_owned(),
        line: file.source.position(value.range.start()).line,
        range: convert::range(&file.source, value.range),
        value,
    };
    value_origins(file, target, parameter).into_iter().map(origin).collect()
}
