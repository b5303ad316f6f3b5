//! Every message of the reader: one constructor per code. Codes are stable; the words are not.

use base::{Check, Diagnostic, TextRange};

pub(crate) fn nothing_there(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON001", at, "There is no JSON value here.")
}

pub(crate) fn text_after_value(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON002", at, "The JSON value has ended; nothing but white space may follow.")
}

pub(crate) fn value_expected(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON003", at, "A value is expected here.")
}

pub(crate) fn unexpected(at: TextRange, found: &str) -> Diagnostic {
    Check::Json.error("JSON004", at, format!("`{}` is not expected here.", shown(found)))
}

pub(crate) fn name_expected(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON005", at, "A property name in double quotes is expected here.")
}

pub(crate) fn colon_expected(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON006", at, "A colon is expected after the property name.")
}

pub(crate) fn comma_expected(at: TextRange, gap: TextRange) -> Diagnostic {
    Check::Json.error("JSON007", at, "A comma is expected before this.").with_fix("Add a comma", gap, ",")
}

pub(crate) fn not_closed(at: TextRange, opening: TextRange, closer: char) -> Diagnostic {
    Check::Json
        .error("JSON008", at, format!("The text ends before the closing `{closer}`."))
        .with_label(opening, "opened here")
}

pub(crate) fn wrong_closer(at: TextRange, opening: TextRange, closer: char) -> Diagnostic {
    Check::Json
        .error("JSON009", at, format!("A `{closer}` is expected before this."))
        .with_label(opening, "opened here")
}

pub(crate) fn trailing_comma(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON010", at, "A comma must not follow the last item.").with_fix(
        "Remove the comma",
        at,
        "",
    )
}

pub(crate) fn comment(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON011", at, "Comments are not allowed in this file.")
}

pub(crate) fn comment_not_closed(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON012", at, "The comment is not closed with `*/`.")
}

pub(crate) fn single_quotes(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON013", at, "Strings and property names need double quotes, not single quotes.")
}

pub(crate) fn unquoted_name(at: TextRange, name: &str) -> Diagnostic {
    Check::Json
        .error("JSON014", at, format!("The property name `{}` needs double quotes.", shown(name)))
        .with_fix("Put the name in quotes", at, format!("\"{name}\""))
}

pub(crate) fn text_not_closed(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON015", at, "The string is not closed.")
}

pub(crate) fn control_character(at: TextRange, byte: u8) -> Diagnostic {
    Check::Json.error("JSON016", at, format!("This control character must be written as `\\u{byte:04x}`."))
}

pub(crate) fn bad_escape(at: TextRange) -> Diagnostic {
    Check::Json.error(
        "JSON017",
        at,
        "This escape is not one of `\\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t`, `\\uXXXX`.",
    )
}

pub(crate) fn lone_surrogate(at: TextRange) -> Diagnostic {
    Check::Json.warning("JSON018", at, "This is an unpaired surrogate; U+FFFD is read instead.")
}

pub(crate) fn bad_number(at: TextRange, found: &str) -> Diagnostic {
    Check::Json.error("JSON019", at, format!("`{}` is not a JSON number.", shown(found)))
}

pub(crate) fn number_too_large(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON020", at, "The number is larger than a double can hold.")
}

pub(crate) fn integer_rounded(at: TextRange) -> Diagnostic {
    Check::Json.warning("JSON021", at, "The integer does not fit 64 bits; it is read as the nearest double.")
}

pub(crate) fn unknown_word(at: TextRange, found: &str) -> Diagnostic {
    let message = format!("`{}` is not a value; a string needs double quotes.", shown(found));
    Check::Json.error("JSON022", at, message)
}

pub(crate) fn too_deep(at: TextRange, limit: usize) -> Diagnostic {
    Check::Json.error("JSON023", at, format!("This is nested deeper than {limit} levels and was not read."))
}

pub(crate) fn repeated_name(at: TextRange, first: TextRange, name: &str) -> Diagnostic {
    let message = format!("The name `{}` occurs twice in this object; the last value counts.", shown(name));
    Check::Json.warning("JSON024", at, message).with_label(first, "first here")
}

pub(crate) fn too_many(at: TextRange) -> Diagnostic {
    Check::Json.error("JSON025", at, "There are too many problems in this file; the rest is not reported.")
}

pub(crate) fn text_too_large() -> Diagnostic {
    Check::Json.error("JSON026", TextRange::default(), "Texts of 4 GiB and more cannot be read.")
}

/// What the user wrote, shortened.
fn shown(found: &str) -> String {
    const LONGEST: usize = 40;
    if found.chars().nth(LONGEST).is_none() {
        return found.to_owned();
    }
    found.chars().take(LONGEST).chain(['…']).collect()
}
