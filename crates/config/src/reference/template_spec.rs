//! References to template specs: `ts:SUBSCRIPTION/GROUP/NAME:VERSION`, `ts/ALIAS:NAME:VERSION`.

use std::fmt;

use smol_str::SmolStr;

use super::{Problem, problems};
use crate::Config;

/// Longest name of a resource, a resource group or a version.
pub(crate) const MAX_NAME: usize = 90;

/// A version of a template spec.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateSpecReference {
    pub subscription: SmolStr,
    pub resource_group: SmolStr,
    pub name: SmolStr,
    pub version: SmolStr,
}

impl TemplateSpecReference {
    /// The identifier of the resource that holds the template.
    pub fn resource_id(&self) -> String {
        let Self { subscription, resource_group, name, version } = self;
        format!(
            "/subscriptions/{subscription}/resourceGroups/{resource_group}/providers/Microsoft.Resources/templateSpecs/{name}/versions/{version}"
        )
    }
}

impl fmt::Display for TemplateSpecReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subscription, resource_group, name, version } = self;
        write!(f, "ts:{subscription}/{resource_group}/{name}:{version}")
    }
}

pub(super) fn parse(
    alias: Option<&str>,
    rest: &str,
    config: &Config,
) -> Result<TemplateSpecReference, Problem> {
    let Some(name) = alias else { return parse_full(None, rest) };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(problems::invalid_alias(name, super::ArtifactKind::Module));
    }
    let Some(found) = config.aliases.template_specs.get(name) else {
        return Err(problems::unknown_template_spec_alias(name, config));
    };
    let place = config.place(found.origin);
    let Some(subscription) = &found.subscription else {
        return Err(problems::alias_without(name, "subscription", "BCP214").caused_by(place));
    };
    let Some(group) = &found.resource_group else {
        return Err(problems::alias_without(name, "resourceGroup", "BCP215").caused_by(place));
    };
    parse_full(alias, &format!("{subscription}/{group}/{rest}"))
}

fn parse_full(alias: Option<&str>, text: &str) -> Result<TemplateSpecReference, Problem> {
    let invalid = || problems::invalid_template_spec(alias, text);
    let mut parts = text.split('/');
    let (Some(subscription), Some(group), Some(rest), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(invalid());
    };
    let (name, version) = rest.split_once(':').ok_or_else(invalid)?;
    if [subscription, group, name, version].iter().any(|part| part.is_empty()) {
        return Err(invalid());
    }
    if !is_uuid(subscription) {
        return Err(problems::invalid_subscription(alias, text, subscription));
    }
    if group.chars().count() > MAX_NAME {
        return Err(problems::template_spec_too_long(alias, text, "resource group name", group, "BCP218"));
    }
    let is_group = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')');
    if group.ends_with('.') || !group.chars().all(is_group) {
        return Err(problems::template_spec_part(alias, text, "resource group name", group, "BCP219"));
    }
    check_name(name).map_err(|wrong| match wrong {
        Wrong::TooLong => problems::template_spec_too_long(alias, text, "name", name, "BCP220"),
        Wrong::Invalid => problems::template_spec_part(alias, text, "name", name, "BCP221"),
    })?;
    check_name(version).map_err(|wrong| match wrong {
        Wrong::TooLong => problems::template_spec_too_long(alias, text, "version", version, "BCP222"),
        Wrong::Invalid => problems::template_spec_part(alias, text, "version", version, "BCP223"),
    })?;
    Ok(TemplateSpecReference {
        subscription: subscription.into(),
        resource_group: group.into(),
        name: name.into(),
        version: version.into(),
    })
}

enum Wrong {
    TooLong,
    Invalid,
}

fn check_name(name: &str) -> Result<(), Wrong> {
    if name.chars().count() > MAX_NAME {
        return Err(Wrong::TooLong);
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')');
    if name.ends_with('.') || !name.chars().all(is_name) {
        return Err(Wrong::Invalid);
    }
    Ok(())
}

/// Whether a text is a UUID: 32 hexadecimal digits, with dashes in the usual places or with none.
pub(crate) fn is_uuid(text: &str) -> bool {
    let lengths: Vec<_> = text.split('-').map(str::len).collect();
    matches!(lengths.as_slice(), [8, 4, 4, 4, 12] | [32])
        && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}
