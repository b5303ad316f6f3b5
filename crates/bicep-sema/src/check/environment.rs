//! The values of environment variables in messages. The compiler reads them, so that they become types, and messages
//! show types: but they may be secrets.

use std::collections::BTreeSet;

use base::Diagnostic;
use bicep_types::ty::escape_string;

/// Replaces every literal that has the value of an environment variable in it by the name of its kind.
pub(super) fn hide(values: &BTreeSet<String>, diagnostics: &mut [Diagnostic]) {
    let values: Vec<String> = values.iter().filter(|it| !it.is_empty()).map(|it| inner(it)).collect();
    if values.is_empty() {
        return;
    }
    for diagnostic in diagnostics {
        diagnostic.message = without(&diagnostic.message, &values);
        diagnostic.labels.iter_mut().for_each(|label| label.message = without(&label.message, &values));
    }
}

/// A value as it stands between quotes.
fn inner(value: &str) -> String {
    let quoted = escape_string(value);
    quoted.trim_start_matches('\'').trim_end_matches('\'').to_owned()
}

fn without(message: &str, values: &[String]) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(start) = rest.find('\'') {
        let Some(length) = rest.get(start..).and_then(literal_length) else { break };
        let (before, literal) = (rest.get(..start), rest.get(start..start + length));
        let (Some(before), Some(literal)) = (before, literal) else { break };
        text.push_str(before);
        let is_shown = values.iter().any(|value| literal.contains(value.as_str()));
        text.push_str(if is_shown { "string" } else { literal });
        rest = rest.get(start + length..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// How long the literal is that a text starts with, its quotes included.
fn literal_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\'' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_literals_with_the_value_are_replaced() {
        let values = [inner("hun'ter2"), inner("x")];
        let check = |message: &str, expected: &str| assert_eq!(without(message, &values), expected);
        check(r#"Expected "'a' | 'b'", found "'hun\'ter2'""#, r#"Expected "'a' | 'b'", found "string""#);
        check(r#"found "'pre-hun\'ter2-post'""#, r#"found "string""#);
        check("hunter2 x is no literal, nor is it's", "hunter2 x is no literal, nor is it's");
    }
}
