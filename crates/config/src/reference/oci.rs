//! References to artifacts in registries: `br:HOST/PATH:TAG`, `br:HOST/PATH@sha256:…`, `br/ALIAS:PATH:TAG`.

use std::fmt;

use smol_str::SmolStr;

use super::{ArtifactKind, Problem, Reference, Replacement, problems};
use crate::Config;

/// Longest name of a registry.
pub const MAX_REGISTRY: usize = 255;
/// Longest path in a registry.
pub const MAX_REPOSITORY: usize = 255;
/// Longest tag.
pub const MAX_TAG: usize = 128;

/// An artifact in a registry. Equal references name the same artifact: the registry is kept in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OciReference {
    /// Host, with a port if need be.
    pub registry: SmolStr,
    /// The path.
    pub repository: SmolStr,
    /// Which version of it.
    pub version: Version,
}

/// A version of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// By name.
    Tag(SmolStr),
    /// By content: `sha256:` and 64 digits.
    Digest(SmolStr),
}

impl fmt::Display for OciReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "br:{}", self.artifact_id())
    }
}

impl OciReference {
    /// The reference without its scheme: `host/path:tag`.
    pub fn artifact_id(&self) -> String {
        let Self { registry, repository, version } = self;
        match version {
            Version::Tag(tag) => format!("{registry}/{repository}:{tag}"),
            Version::Digest(digest) => format!("{registry}/{repository}@{digest}"),
        }
    }

    /// Reads a full reference, with or without its scheme.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        parse_address(text.strip_prefix("br:").unwrap_or(text), None)
    }
}

pub(super) fn parse(
    alias: Option<&str>,
    rest: &str,
    kind: ArtifactKind,
    config: &Config,
) -> Result<Reference, Problem> {
    let Some(alias) = alias else {
        return parse_address(rest, None).map(Reference::Oci);
    };
    check_alias(alias, kind)?;
    let at_registry = match kind {
        ArtifactKind::Module => {
            if let Some(mock) = config.aliases.mocks.get(alias) {
                return mocked(alias, rest, mock);
            }
            let found = config.aliases.modules.get(alias);
            found.ok_or_else(|| problems::unknown_module_alias(alias, config))?
        }
        ArtifactKind::Extension => {
            let found = config.aliases.extensions.get(alias).or_else(|| config.aliases.modules.get(alias));
            found.ok_or_else(|| match config.aliases.mocks.contains_key(alias) {
                true => problems::mocked_extension(alias),
                false => problems::unknown_extension_alias(alias, config),
            })?
        }
    };
    let Some(registry) = &at_registry.registry else {
        let place = config.place(at_registry.origin);
        return Err(problems::alias_without_registry(alias, kind).caused_by(place));
    };
    let address = match &at_registry.path {
        Some(path) => format!("{registry}/{path}/{rest}"),
        None => format!("{registry}/{rest}"),
    };
    let parsed = parse_address(&address, Some(alias)).map_err(|mut problem| {
        // The fix is for the whole address; what the user wrote has the alias.
        if let Some(Replacement::Reference(_)) = &problem.replacement {
            problem.replacement =
                Some(Replacement::Reference(format!("br/{alias}:{}", rest.replacen('@', ":", 1))));
        }
        problem
    });
    parsed.map(Reference::Oci)
}

fn check_alias(alias: &str, kind: ArtifactKind) -> Result<(), Problem> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if alias.is_empty() || !alias.chars().all(is_name) {
        return Err(problems::invalid_alias(alias, kind));
    }
    Ok(())
}

/// The file in a folder of the user's that stands in for a module.
fn mocked(alias: &str, rest: &str, mock: &crate::settings::MockAlias) -> Result<Reference, Problem> {
    let path = match rest.split_once('@') {
        Some((path, _)) => path,
        None => rest.rsplit_once(':').map_or(rest, |(path, _)| path),
    };
    if path.is_empty() {
        return Err(problems::missing_path());
    }
    if let Some(segment) = path.split('/').find(|segment| !is_path_segment(segment)) {
        return Err(problems::invalid_segment(Some(alias), rest, segment));
    }
    let Some(folder) = &mock.folder else {
        return Err(problems::alias_without_registry(alias, ArtifactKind::Module));
    };
    Ok(Reference::Mock(folder.join(format!("{path}.bicep"))))
}

/// Reads `host/path:tag` or `host/path@digest`, complaining about the leftmost mistake.
fn parse_address(address: &str, alias: Option<&str>) -> Result<OciReference, Problem> {
    let invalid = || problems::invalid_oci(alias, address);
    let (registry, path) = address.split_once('/').ok_or_else(invalid)?;
    if !is_host(registry) || path.is_empty() || path.contains(['?', '#', '\\']) {
        return Err(invalid());
    }
    if registry.len() > MAX_REGISTRY {
        return Err(problems::registry_too_long(alias, address, registry));
    }
    let (folders, last) = path.rsplit_once('/').map_or((None, path), |(folders, last)| (Some(folders), last));
    let delimiter = last.find([':', '@']);
    let (name, version) = delimiter.and_then(|at| last.split_at_checked(at)).unwrap_or((last, ""));
    let segments = folders.into_iter().flat_map(|folders| folders.split('/')).chain([name]);
    if let Some(segment) = segments.clone().find(|segment| !is_path_segment(segment)) {
        return Err(problems::invalid_segment(alias, address, segment));
    }
    let repository: SmolStr = segments.collect::<Vec<_>>().join("/").into();
    if repository.len() > MAX_REPOSITORY {
        return Err(problems::repository_too_long(alias, address, &repository));
    }
    let version = match version.split_at_checked(1) {
        Some((":", tag)) if !tag.is_empty() => Version::Tag(parse_tag(tag, alias, address)?),
        Some(("@", digest)) if !digest.is_empty() => Version::Digest(parse_digest(digest, alias, address)?),
        _ => return Err(problems::missing_version(alias, address)),
    };
    Ok(OciReference { registry: registry.to_lowercase().into(), repository, version })
}

fn parse_tag(tag: &str, alias: Option<&str>, address: &str) -> Result<SmolStr, Problem> {
    if tag.len() > MAX_TAG {
        return Err(problems::tag_too_long(alias, address, tag));
    }
    if !is_tag(tag) {
        return Err(problems::invalid_tag(alias, address, tag));
    }
    Ok(tag.into())
}

fn parse_digest(digest: &str, alias: Option<&str>, address: &str) -> Result<SmolStr, Problem> {
    if is_digest(digest) {
        return Ok(digest.into());
    }
    let problem = problems::invalid_digest(alias, address, digest);
    // `name@1.2.3` was how a version was written once.
    if is_tag(digest) {
        let fixed = format!("br:{}", address.replacen('@', ":", 1));
        return Err(problem.with_replacement(Replacement::Reference(fixed)));
    }
    Err(problem)
}

/// Lower-case words and numbers with single `.`, `_` or `-` between them.
fn is_path_segment(segment: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    segment.split(['.', '_', '-']).all(|word| !word.is_empty() && word.chars().all(is_plain))
}

fn is_tag(tag: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    tag.len() <= MAX_TAG
        && tag.starts_with(is_word)
        && tag.chars().all(|c| is_word(c) || matches!(c, '.' | '-'))
}

/// Whether a text is a digest in the only form that is taken.
pub(crate) fn is_digest(digest: &str) -> bool {
    let is_hex = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f');
    digest.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && hex.chars().all(is_hex))
}

/// A host name or address, with a port if need be.
fn is_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => {
            return is_port(port) && address.chars().all(|c| c.is_ascii_hexdigit() || c == ':');
        }
        None => {
            host.split_once(':').map_or((host, ""), |(name, _)| (name, host.get(name.len()..).unwrap_or("")))
        }
    };
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.chars().all(is_letter) && !name.starts_with('.') && is_port(port)
}

fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.parse::<u16>().is_ok())
}

/// Whether a text without a scheme is the address of an artifact: `host.name/path:tag`.
pub(crate) fn is_bare_address(text: &str) -> bool {
    let Some((host, _)) = text.split_once('/') else { return false };
    (host.contains(['.', ':']) || host == "localhost")
        && host != "."
        && host != ".."
        && parse_address(text, None).is_ok()
}
