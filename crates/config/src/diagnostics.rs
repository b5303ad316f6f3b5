//! The catalogue of messages about configuration files: one constructor per code. Codes that start with `BCP` are the
//! reference implementation's; the others are ours.
//!
//! Messages about artifact references are in [`crate::reference::problems`].

use base::{Check, Diagnostic, ReadError, SmolStr, TextRange};
use camino::Utf8Path;

/// The text is not JSON.
pub(crate) fn unparsable(range: TextRange, reason: &str) -> Diagnostic {
    Check::Configuration.error(
        "BCP271",
        range,
        format!("The configuration file is not valid JSON: {}", sentence(reason)),
    )
}

/// The file cannot be read.
pub(crate) fn unreadable(range: TextRange, path: &Utf8Path, reason: &ReadError) -> Diagnostic {
    Check::Configuration.error(
        "BCP272",
        range,
        format!("The configuration file \"{path}\" cannot be read: {}", sentence(&reason.to_string())),
    )
}

/// The folder in which a configuration file might lie cannot be read.
pub(crate) fn unscannable(folder: &Utf8Path, reason: &ReadError) -> Diagnostic {
    Check::Configuration.info(
        "BCP274",
        TextRange::default(),
        format!("Looking for a configuration file in \"{folder}\" failed: {}", sentence(&reason.to_string())),
    )
}

/// A value that cannot be used, for any reason.
pub(crate) fn invalid(range: TextRange, reason: impl AsRef<str>) -> Diagnostic {
    Check::Configuration.error("BCP273", range, sentence(reason.as_ref()))
}

/// A value of the wrong type.
pub(crate) fn wrong_type(range: TextRange, path: &str, expected: &str, found: &str) -> Diagnostic {
    let what = if path.is_empty() { "the file".to_owned() } else { format!("\"{path}\"") };
    invalid(range, format!("The value of {what} must be {expected}, not {found}"))
}

/// A word that is none of the allowed ones.
pub(crate) fn not_a_choice(range: TextRange, path: &str, value: &str, choices: &[&str]) -> Diagnostic {
    let allowed = quoted(choices);
    let diagnostic =
        invalid(range, format!("\"{value}\" is not a value of \"{path}\". Allowed values are {allowed}"));
    match base::spelling::closest(value, choices.iter().copied()) {
        Some(choice) => {
            diagnostic.with_fix(format!("Replace with \"{choice}\""), range, format!("\"{choice}\""))
        }
        None => diagnostic,
    }
}

/// A level that there is not. The reference takes the rule's own level then, so this refuses no file.
pub(crate) fn unknown_level(range: TextRange, path: &str, value: &str, levels: &[&str]) -> Diagnostic {
    let refused = not_a_choice(range, path, value, levels);
    let message = format!("{}; it is ignored.", refused.message.trim_end_matches('.'));
    Diagnostic {
        fixes: refused.fixes,
        ..Check::Configuration.warning("config-unknown-level", range, message)
    }
}

/// A key that means nothing.
pub(crate) fn unknown_key<'a>(
    range: TextRange,
    key: &str,
    place: &str,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let mut message = match place {
        "" => format!("\"{key}\" is not a setting"),
        place => format!("\"{key}\" is not a setting of \"{place}\""),
    };
    let Some(close) = base::spelling::closest(key, known) else {
        message.push_str("; it is ignored.");
        return Check::Configuration.warning("config-unknown-key", range, message);
    };
    message.push_str(&format!("; it is ignored. Did you mean \"{close}\"?"));
    Check::Configuration.warning("config-unknown-key", range, message).with_fix(
        format!("Rename to \"{close}\""),
        range,
        format!("\"{close}\""),
    )
}

/// A key that is there twice.
pub(crate) fn duplicate_key(range: TextRange, key: &str, first: TextRange) -> Diagnostic {
    Check::Configuration
        .warning("config-duplicate-key", range, format!("\"{key}\" is set twice; the last value is used."))
        .with_label(first, "first set here")
}

/// A provider that is there twice.
pub(crate) fn duplicate_provider(range: TextRange, name: &str, first: TextRange) -> Diagnostic {
    Check::Configuration
        .error("BCP273", range, format!("Extension \"{name}\" is configured twice; names must be distinct."))
        .with_label(first, "first configured here")
}

/// The two names of one setting, with different content.
pub(crate) fn two_names(range: TextRange, what: &str, other: TextRange) -> Diagnostic {
    Check::Configuration
        .error(
            "BCP273",
            range,
            format!("{what} is set under both of its names, with different values. Keep one of them."),
        )
        .with_label(other, "also set here")
}

/// A key that is needed and not there.
pub(crate) fn missing_key(range: TextRange, place: &str, key: &str) -> Diagnostic {
    Check::Configuration.warning("config-missing-key", range, format!("\"{place}\" lacks \"{key}\"."))
}

/// An empty text where one is needed.
pub(crate) fn empty_text(range: TextRange, path: &str) -> Diagnostic {
    Check::Configuration.warning("config-empty-value", range, format!("The value of \"{path}\" is empty."))
}

/// A number outside its range.
pub(crate) fn out_of_range(range: TextRange, path: &str, used: i64) -> Diagnostic {
    Check::Configuration.warning(
        "config-out-of-range",
        range,
        format!("The value of \"{path}\" is outside the supported range; {used} is used."),
    )
}

/// A feature that is no longer experimental.
pub(crate) fn settled_feature(range: TextRange, name: &str) -> Diagnostic {
    Check::Configuration.info(
        "config-settled-feature",
        range,
        format!("\"{name}\" is no longer an experimental feature; the entry has no effect."),
    )
}

/// A trailing comma, which the reference implementation refuses.
pub(crate) fn trailing_comma(range: TextRange) -> Diagnostic {
    Check::Configuration
        .warning(
            "config-trailing-comma",
            range,
            "The trailing comma is accepted here, but not by other tools that read this file.",
        )
        .with_fix("Remove the comma", range, "")
}

/// `sys` where a name of the user's choice is expected.
pub(crate) fn reserved_name(range: TextRange, name: &str) -> Diagnostic {
    Check::Configuration.error(
        "BCP419",
        range,
        format!("\"{name}\" names the language's own namespace; it cannot be configured as an extension."),
    )
}

/// An implicit extension that is not configured.
pub(crate) fn implicit_unknown(
    range: TextRange,
    name: &str,
    known: &[SmolStr],
    [list, table]: [&str; 2],
) -> Diagnostic {
    let mut message =
        format!("Extension \"{name}\" is listed in \"{list}\", but has no entry in \"{table}\".");
    if let Some(close) = base::spelling::closest(name, known.iter().map(SmolStr::as_str)) {
        message.push_str(&format!(" Did you mean \"{close}\"?"));
    }
    Check::Configuration.error("BCP397", range, message)
}

/// `extends` with an absolute path.
pub(crate) fn extends_absolute(range: TextRange) -> Diagnostic {
    Check::Configuration.error("BCP453", range, "The value of \"extends\" must be a relative path.")
}

/// `extends` that comes back to a file on its way.
pub(crate) fn extends_cycle<'a>(range: TextRange, cycle: impl Iterator<Item = &'a Utf8Path>) -> Diagnostic {
    let files: Vec<_> = cycle.map(Utf8Path::as_str).collect();
    Check::Configuration.error(
        "BCP454",
        range,
        format!("The configuration files extend each other: {}.", files.join(" → ")),
    )
}

/// `extends` over too many files.
pub(crate) fn extends_too_deep(range: TextRange, limit: usize) -> Diagnostic {
    Check::Configuration.error(
        "BCP455",
        range,
        format!("More than {limit} configuration files extend each other."),
    )
}

/// `sinew.toml` cannot be read.
pub(crate) fn setting_file_unreadable(reason: &ReadError) -> Diagnostic {
    let message = format!("The file cannot be read: {}", sentence(&reason.to_string()));
    Check::Configuration.error("config-invalid-setting", TextRange::default(), message)
}

/// `sinew.toml` is not TOML.
pub(crate) fn setting_file_unparsable(range: TextRange, reason: &str) -> Diagnostic {
    let message = format!("The file is not valid TOML: {}", sentence(reason));
    Check::Configuration.error("config-invalid-setting", range, message)
}

/// A value in `sinew.toml` that cannot be used.
pub(crate) fn invalid_setting(range: TextRange, key: &str, reason: &str) -> Diagnostic {
    Check::Configuration.error("config-invalid-setting", range, format!("`{key}`: {}", sentence(reason)))
}

/// A key in `sinew.toml` that means nothing. An error: a limit with a typing mistake must not be taken for one.
pub(crate) fn unknown_setting<'a>(
    range: TextRange,
    key: &str,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let help = base::spelling::closest(key, known).map(|close| format!(" Did you mean `{close}`?"));
    let message = format!("`{key}` is not a setting.{}", help.unwrap_or_default());
    Check::Configuration.error("config-unknown-setting", range, message)
}

/// Words as a person lists them.
pub(crate) fn quoted(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    words.join(", ")
}

/// With exactly one full stop.
fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}
