//! From what the engine throws to a [`ScriptError`]: places in the user's text, words that name the culprit.

use std::sync::Arc;

use base::SourceFile;
use rquickjs::{Coerced, Ctx, Exception, FromJs, Value};

use super::{Shared, commonjs, modules};
use crate::messages;
use crate::paths;
use crate::script_error::{Frame, ScriptError};
use crate::session::Session;
use crate::typescript::{self, Position};

/// What an error of the engine means. Takes the pending exception.
pub(super) fn from_error(
    session: &Session,
    shared: &Shared,
    ctx: &Ctx<'_>,
    error: &rquickjs::Error,
) -> ScriptError {
    if shared.is_overrun.take() {
        let time = session.settings.limits.script.time;
        let error = ScriptError::new("Error", messages::script_overrun(time));
        // The exception of the interrupt knows where the script was.
        return match ctx.catch().into_object().and_then(Exception::from_object) {
            Some(exception) => located(session, shared, error, &exception),
            None => error,
        };
    }
    let described = match error {
        rquickjs::Error::Exception => from_value(session, shared, &ctx.catch()),
        rquickjs::Error::Allocation => out_of_memory(session),
        other => ScriptError::new("Error", other.to_string()),
    };
    // Getters of what was thrown are code of the script, too.
    if !shared.is_overrun.take() {
        return described;
    }
    ctx.catch();
    let message = messages::script_overrun(session.settings.limits.script.time);
    ScriptError { name: "Error".to_owned(), message, ..described }
}

/// What a thrown value means.
pub(super) fn from_value(session: &Session, shared: &Shared, value: &Value<'_>) -> ScriptError {
    let Some(exception) = value.clone().into_object().and_then(Exception::from_object) else {
        return thrown_value(value);
    };
    let name: String =
        exception.get::<_, Coerced<String>>("name").map_or_else(|_| "Error".to_owned(), |name| name.0);
    let message = exception.message().unwrap_or_default();
    match (name.as_str(), message.as_str()) {
        ("InternalError", "out of memory") => {
            return located(session, shared, out_of_memory(session), &exception);
        }
        ("InternalError" | "RangeError", text)
            if text.contains("stack overflow") || text.contains("call stack") =>
        {
            let mut error = located(
                session,
                shared,
                ScriptError::new("RangeError", messages::STACK_OVERFLOW),
                &exception,
            );
            error.frames.truncate(3);
            return error;
        }
        _ => {}
    }
    let mut error = located(session, shared, ScriptError::new(&name, message), &exception);
    add_causes(session, shared, &mut error, &exception);
    point_at_constructor(&mut error);
    name_the_culprit(&mut error);
    explain_cycle(session, shared, &mut error);
    error
}

/// How many causes and members of an error are shown.
const MAX_CAUSES: usize = 10;

/// What led to an error: its `cause`, the cause of that, and the members of an `AggregateError`.
fn add_causes(session: &Session, shared: &Shared, error: &mut ScriptError, exception: &Exception<'_>) {
    let mut object = exception.as_object().clone();
    for _ in 0..MAX_CAUSES {
        if let Ok(members) = object.get::<_, Vec<Value<'_>>>("errors") {
            let members = members.iter().take(MAX_CAUSES);
            error
                .notes
                .extend(members.map(|member| format!("[error] {}", one_line(session, shared, member))));
        }
        let Ok(cause) = object.get::<_, Value<'_>>("cause") else { return };
        if cause.is_undefined() {
            return;
        }
        error.notes.push(format!("[cause] {}", one_line(session, shared, &cause)));
        match cause.into_object() {
            Some(next) => object = next,
            None => return,
        }
    }
}

/// A thrown value and where it was made.
fn one_line(session: &Session, shared: &Shared, value: &Value<'_>) -> String {
    let Some(exception) = value.clone().into_object().and_then(Exception::from_object) else {
        return thrown_value(value).message;
    };
    let name = exception.get::<_, Coerced<String>>("name").map_or_else(|_| "Error".to_owned(), |name| name.0);
    let message = exception.message().unwrap_or_default();
    let mut error = located(session, shared, ScriptError::new(&name, message), &exception);
    point_at_constructor(&mut error);
    match error.frames.first() {
        Some(frame) => format!("{} ({}:{}:{})", error.headline(), frame.file, frame.line, frame.column),
        None => error.headline(),
    }
}

pub(super) fn out_of_memory(session: &Session) -> ScriptError {
    ScriptError::new("Error", messages::out_of_memory(session.settings.limits.script.memory))
}

fn thrown_value(value: &Value<'_>) -> ScriptError {
    let ctx = value.ctx();
    let text = match value.as_string().and_then(|text| text.to_string().ok()) {
        Some(text) => text,
        None => match ctx.json_stringify(value.clone()) {
            Ok(Some(json)) => json.to_string().unwrap_or_default(),
            _ => Coerced::<String>::from_js(ctx, value.clone())
                .map_or_else(|_| "a value".to_owned(), |text| text.0),
        },
    };
    ScriptError::new("", text)
}

/// The error with the places of the user's modules that it came through.
fn located(
    session: &Session,
    shared: &Shared,
    mut error: ScriptError,
    exception: &Exception<'_>,
) -> ScriptError {
    let stack = exception.stack().unwrap_or_default();
    let mut sources = shared.sources.borrow_mut();
    let frames = sources.failed_import.take().into_iter().chain(stack.lines().filter_map(parse_frame));
    for mut frame in frames {
        let Some(file) = sources.texts.get(&frame.file) else { continue };
        to_original(session, &mut frame, file);
        let shown = paths::display(&frame.file, &session.settings.folder).to_owned();
        if error.source.is_none() {
            error.source = Some(SourceFile::new(shown.as_str(), Arc::clone(file.text())));
        }
        frame.file = shown;
        error.frames.push(frame);
    }
    error
}

/// A line of a stack: `    at function (file:line:column)` or `    at file:line:column`.
fn parse_frame(line: &str) -> Option<Frame> {
    let rest = line.trim().strip_prefix("at ")?;
    let (function, place) = match rest.strip_suffix(')').and_then(|rest| rest.split_once(" (")) {
        Some((function, place)) => (function, place),
        None => ("", rest),
    };
    let (place, column) = place.rsplit_once(':')?;
    let (file, line) = place.rsplit_once(':')?;
    let function = if function == "<anonymous>" { "" } else { function };
    Some(Frame {
        function: function.to_owned(),
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

fn to_original(session: &Session, frame: &mut Frame, file: &SourceFile) {
    let position = Position { line: frame.line, column: frame.column };
    let original = if matches!(modules::suffix(&frame.file), "ts" | "mts" | "cts") {
        let options = modules::typescript_options(session, &frame.file);
        typescript::original_position(&frame.file, file.text(), &options, position)
    } else {
        let is_module = !commonjs::is_commonjs(session, &frame.file, file.text());
        typescript::position_before_lowering(file.text(), is_module, position)
    };
    if let Some(Position { line, column }) = original {
        (frame.line, frame.column) = (line, column);
    }
}

/// An error that the script made itself is placed at the last argument of its constructor; `new` is easier to find.
fn point_at_constructor(error: &mut ScriptError) {
    let (Some(frame), Some(source)) = (error.frames.first_mut(), &error.source) else { return };
    let Some(line) = source.text().lines().nth(frame.line.saturating_sub(1) as usize) else { return };
    let constructor = format!("new {}", error.name);
    let columns = line.match_indices(&constructor).map(|(at, _)| {
        let column = line.get(..at).map_or(0, |text| text.chars().count()) + 1;
        u32::try_from(column).unwrap_or(u32::MAX)
    });
    if let Some(column) = columns.filter(|column| *column <= frame.column).last() {
        frame.column = column;
    }
}

/// The engine says `not a function`; people want to know what is not.
fn name_the_culprit(error: &mut ScriptError) {
    if error.name != "TypeError" || error.message != "not a function" {
        return;
    }
    let (Some(frame), Some(source)) = (error.frames.first_mut(), &error.source) else { return };
    let Some(line) = source.text().lines().nth(frame.line.saturating_sub(1) as usize) else { return };
    if let Some((callee, column)) = callee_at(line, frame.column as usize) {
        error.message = format!("{callee} is not a function");
        frame.column = u32::try_from(column).unwrap_or(frame.column);
    }
}

/// The expression that is called at a column, and the column of its last name. Both columns count from one.
fn callee_at(line: &str, column: usize) -> Option<(String, usize)> {
    let chars: Vec<char> = line.chars().collect();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let from = column.checked_sub(1)?;
    // The position may be that of the name, of the point before it, or of the parenthesis after it.
    let mut end = from;
    while chars.get(end).copied().is_some_and(is_part) {
        end += 1;
    }
    let mut start = from.min(end);
    while start > 0 && chars.get(start - 1).copied().is_some_and(is_part) {
        start -= 1;
    }
    let callee: String = chars.get(start..end)?.iter().collect();
    let name_length = callee.rsplit('.').next()?.chars().count();
    (!callee.is_empty()).then(|| (callee, end - name_length + 1))
}

/// A binding that is used before its module ran is most often an import cycle: shows it.
fn explain_cycle(session: &Session, shared: &Shared, error: &mut ScriptError) {
    let is_uninitialised =
        error.message.contains("not initialized") || error.message.contains("before initialization");
    if error.name != "ReferenceError" || !is_uninitialised {
        return;
    }
    let sources = shared.sources.borrow();
    let Some(cycle) = find_cycle(&sources.imports) else { return };
    let shown: Vec<&str> = cycle.iter().map(|name| paths::display(name, &session.settings.folder)).collect();
    error.notes.push(format!("the modules import each other in a cycle: {}", shown.join(" -> ")));
}

fn find_cycle(imports: &[(String, String)]) -> Option<Vec<String>> {
    let mut names: Vec<&str> = Vec::new();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for (from, to) in imports {
        let [from, to] = [from, to].map(|name| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name);
                edges.push(Vec::new());
                names.len() - 1
            })
        });
        edges.get_mut(from)?.push(to);
    }
    let targets = |at: usize| edges.get(at).map(Vec::as_slice).unwrap_or_default();
    let cycle = base::graph::find_cycle(names.len(), targets)?;
    Some(cycle.into_iter().filter_map(|at| names.get(at).map(|name| (*name).to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_read() {
        let frame = parse_frame("    at <anonymous> (/w/a.js:3:5)").unwrap();
        assert_eq!(
            (frame.function.as_str(), frame.file.as_str(), frame.line, frame.column),
            ("", "/w/a.js", 3, 5)
        );
        assert_eq!(parse_frame("    at f (/w/a b.js:1:2)").unwrap().function, "f");
        assert_eq!(parse_frame("    at native"), None);
    }

    #[test]
    fn callees_are_found_from_any_of_their_positions() {
        for column in [1, 4, 5, 11] {
            assert_eq!(
                callee_at("std.missing('foo');", column),
                Some(("std.missing".to_owned(), 5)),
                "{column}"
            );
        }
        assert_eq!(callee_at("(x)()", 1), None);
    }

    #[test]
    fn cycles_are_found() {
        let edges = |list: &[(&str, &str)]| {
            list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>()
        };
        let found = find_cycle(&edges(&[("m", "a"), ("a", "x"), ("a", "b"), ("b", "c"), ("c", "a")]));
        assert_eq!(found.unwrap(), ["a", "b", "c", "a"]);
        assert_eq!(find_cycle(&edges(&[("a", "b"), ("a", "c"), ("b", "c")])), None);
    }
}
