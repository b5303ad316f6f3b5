//! The catalogue of messages about artifact references: one constructor per code.

use super::oci::{MAX_REGISTRY, MAX_REPOSITORY, MAX_TAG};
use super::template_spec::MAX_NAME;
use super::{ArtifactKind, Problem, Replacement};
use crate::Config;

pub(crate) fn empty_path() -> Problem {
    Problem::new("BCP050", "The path is empty.")
}

pub(crate) fn absolute_path() -> Problem {
    Problem::new("BCP051", "The path is absolute; files are referenced by relative paths.")
}

pub(crate) fn forbidden_characters() -> Problem {
    Problem::new("BCP085", "The path has a character that is not allowed: one of \" * : < > ? \\ |")
}

pub(crate) fn forbidden_end() -> Problem {
    Problem::new("BCP086", "A path must not end with a space or a full stop.")
}

pub(crate) fn missing_path() -> Problem {
    Problem::new("BCP090", "The module path is missing.")
}

pub(crate) fn backslash(path: &str) -> Problem {
    Problem::new("BCP098", "The path has a backslash; use \"/\" between its parts.")
        .with_replacement(Replacement::Reference(path.replace('\\', "/")))
}

pub(crate) fn control_characters() -> Problem {
    Problem::new("BCP111", "The path has control characters.")
}

pub(crate) fn unknown_scheme(scheme: &str) -> Problem {
    Problem::new(
        "BCP189",
        format!(
            "\"{scheme}\" is not a kind of reference. Use a relative path, \"br:\" for a registry or \"ts:\" for a template spec."
        ),
    )
}

pub(crate) fn invalid_oci(alias: Option<&str>, address: &str) -> Problem {
    oci("BCP193", alias, address, "Write \"br:HOST/PATH:TAG\" or \"br/ALIAS:PATH:TAG\".")
}

pub(crate) fn invalid_template_spec(alias: Option<&str>, text: &str) -> Problem {
    template_spec(
        "BCP194",
        alias,
        text,
        "Write \"ts:SUBSCRIPTION/GROUP/NAME:VERSION\" or \"ts/ALIAS:NAME:VERSION\".",
    )
}

pub(crate) fn invalid_segment(alias: Option<&str>, address: &str, segment: &str) -> Problem {
    let detail = format!(
        "\"{segment}\" is not a part of a path: lower-case letters and digits, with single \".\", \"_\" or \"-\" between them, are."
    );
    oci("BCP195", alias, address, &detail)
}

pub(crate) fn missing_version(alias: Option<&str>, address: &str) -> Problem {
    oci("BCP196", alias, address, "It lacks a tag or a digest.")
}

pub(crate) fn tag_too_long(alias: Option<&str>, address: &str, tag: &str) -> Problem {
    oci("BCP197", alias, address, &format!("The tag \"{tag}\" has more than {MAX_TAG} characters."))
}

pub(crate) fn invalid_tag(alias: Option<&str>, address: &str, tag: &str) -> Problem {
    let detail = format!(
        "\"{tag}\" is not a tag: letters, digits, \".\", \"_\" and \"-\", not starting with \".\" or \"-\", are."
    );
    oci("BCP198", alias, address, &detail)
}

pub(crate) fn repository_too_long(alias: Option<&str>, address: &str, repository: &str) -> Problem {
    let detail = format!("The path \"{repository}\" has more than {MAX_REPOSITORY} characters.");
    oci("BCP199", alias, address, &detail)
}

pub(crate) fn registry_too_long(alias: Option<&str>, address: &str, registry: &str) -> Problem {
    let detail = format!("The registry \"{registry}\" has more than {MAX_REGISTRY} characters.");
    oci("BCP200", alias, address, &detail)
}

pub(crate) fn invalid_alias(alias: &str, kind: ArtifactKind) -> Problem {
    let code = match kind {
        ArtifactKind::Module => "BCP211",
        ArtifactKind::Extension => "BCP377",
    };
    Problem::new(
        code,
        format!("\"{alias}\" is not the name of an alias: letters, digits, \"_\" and \"-\" are allowed."),
    )
}

pub(crate) fn unknown_template_spec_alias(alias: &str, config: &Config) -> Problem {
    unknown_alias("BCP212", "template spec alias", alias, config.aliases.template_specs.keys(), config)
}

pub(crate) fn unknown_module_alias(alias: &str, config: &Config) -> Problem {
    unknown_alias("BCP213", "module alias", alias, config.aliases.modules.keys(), config)
}

pub(crate) fn unknown_extension_alias(alias: &str, config: &Config) -> Problem {
    let known = config.aliases.extensions.keys().chain(config.aliases.modules.keys());
    unknown_alias("BCP379", "extension alias", alias, known, config)
}

pub(crate) fn alias_without_registry(alias: &str, kind: ArtifactKind) -> Problem {
    let code = match kind {
        ArtifactKind::Module => "BCP216",
        ArtifactKind::Extension => "BCP378",
    };
    alias_without(alias, "registry", code)
}

pub(crate) fn alias_without(alias: &str, key: &str, code: &'static str) -> Problem {
    Problem::new(code, format!("The alias \"{alias}\" is not complete: its configuration lacks \"{key}\"."))
}

pub(crate) fn invalid_subscription(alias: Option<&str>, text: &str, subscription: &str) -> Problem {
    template_spec("BCP217", alias, text, &format!("The subscription \"{subscription}\" is not a UUID."))
}

/// `BCP218`, `BCP220`, `BCP222`: a part is too long.
pub(crate) fn template_spec_too_long(
    alias: Option<&str>,
    text: &str,
    what: &str,
    part: &str,
    code: &'static str,
) -> Problem {
    let detail = format!("The {what} \"{part}\" has more than {MAX_NAME} characters.");
    template_spec(code, alias, text, &detail)
}

/// `BCP219`, `BCP221`, `BCP223`: a part has characters that are not allowed.
pub(crate) fn template_spec_part(
    alias: Option<&str>,
    text: &str,
    what: &str,
    part: &str,
    code: &'static str,
) -> Problem {
    let detail = format!(
        "The {what} \"{part}\" is not valid: letters, digits, \".\", \"_\", \"-\", \"(\" and \")\", not ending with \".\", are allowed."
    );
    template_spec(code, alias, text, &detail)
}

pub(crate) fn invalid_digest(alias: Option<&str>, address: &str, digest: &str) -> Problem {
    let detail =
        format!("\"{digest}\" is not a digest: \"sha256:\" and 64 lower-case hexadecimal digits are.");
    oci("BCP224", alias, address, &detail)
}

pub(crate) fn unsupported_kind(kind: ArtifactKind) -> Problem {
    Problem::new("BCP380", format!("A reference of this kind cannot lead to an {}.", kind.name()))
}

pub(crate) fn mocked_extension(alias: &str) -> Problem {
    Problem::new(
        "BCP448",
        format!("The alias \"{alias}\" leads to a folder, which only modules can be taken from."),
    )
}

pub(crate) fn internal_scheme() -> Problem {
    Problem::new(
        "BCP449",
        "\"br-mock\" cannot be written in source files; configure \"moduleAliasesMock\" and write \"br/ALIAS:\".",
    )
}

/// `'name@version'`, the former way to name a built-in extension.
pub(crate) fn versioned_builtin(name: &str) -> Problem {
    Problem::new(
        "BCP395",
        format!("Built-in extensions have no version of their own; name the extension as \"{name}\" without quotes."),
    )
    .with_replacement(Replacement::Name(name.to_owned()))
}

/// `'sys@1.0.0'`: there is nothing to declare.
pub(crate) fn versioned_sys() -> Problem {
    Problem::new(
        "BCP395",
        "The namespace \"sys\" is part of the language and has no version of its own; name it as \"sys\" without quotes.",
    )
    .with_replacement(Replacement::Name("sys".to_owned()))
}

pub(crate) fn unknown_extension(name: &str, config: &Config) -> Problem {
    let known: Vec<_> = config.extensions.keys().map(base::SmolStr::as_str).collect();
    let mut message = format!("Extension \"{name}\" is not configured in {}.", config.shown_path());
    let problem = match base::spelling::closest(name, known.iter().copied()) {
        Some(close) => {
            message.push_str(&format!(" Did you mean \"{close}\"?"));
            Problem::new("BCP204", message).with_replacement(Replacement::Name(close.to_owned()))
        }
        None => Problem::new("BCP204", message),
    };
    problem.caused_by(config.start())
}

pub(crate) fn not_built_in(name: &str) -> Problem {
    Problem::new(
        "BCP398",
        format!(
            "Extension \"{name}\" is configured as \"builtin:\", but no extension of that name is built in."
        ),
    )
}

pub(crate) fn graph_retired() -> Problem {
    Problem::new(
        "BCP407",
        "The built-in extension \"microsoftGraph\" is retired; configure a package from a registry instead.",
    )
}

/// A registry address without `br:` in front.
pub(crate) fn scheme_missing(address: &str) -> Problem {
    Problem::new("config-provider-scheme", "The address of a package starts with \"br:\".")
        .with_replacement(Replacement::Reference(format!("br:{address}")))
}

fn unknown_alias<'a>(
    code: &'static str,
    what: &str,
    alias: &str,
    known: impl Iterator<Item = &'a base::SmolStr>,
    config: &Config,
) -> Problem {
    let mut message = format!("There is no {what} \"{alias}\" in {}.", config.shown_path());
    if let Some(close) = base::spelling::closest(alias, known.map(base::SmolStr::as_str)) {
        message.push_str(&format!(" Did you mean \"{close}\"?"));
    }
    Problem::new(code, message).caused_by(config.start())
}

fn oci(code: &'static str, alias: Option<&str>, address: &str, detail: &str) -> Problem {
    described(code, &Reference { alias, scheme: "br", text: address, what: "artifact" }, detail)
}

fn template_spec(code: &'static str, alias: Option<&str>, text: &str, detail: &str) -> Problem {
    described(code, &Reference { alias, scheme: "ts", text, what: "template spec" }, detail)
}

/// A reference as messages show it.
struct Reference<'t> {
    /// The alias that it was resolved through.
    alias: Option<&'t str>,
    scheme: &'static str,
    text: &'t str,
    what: &'static str,
}

fn described(code: &'static str, reference: &Reference<'_>, detail: &str) -> Problem {
    let Reference { alias, scheme, text, what } = reference;
    let via = alias.map(|alias| format!(" (alias \"{alias}\" resolved)")).unwrap_or_default();
    Problem::new(code, format!("The {what} reference \"{scheme}:{text}\"{via} is not valid. {detail}"))
}
