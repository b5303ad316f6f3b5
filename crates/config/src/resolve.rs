//! From the merged tree to [`Config`]. What a value must fulfil beyond its shape is checked here, over all layers.

use std::collections::{BTreeMap, BTreeSet};

use base::{Diagnostic, SmolStr, World};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::diagnostics;
use crate::documentation;
use crate::feature::Feature;
use crate::paths;
use crate::provider;
use crate::reference::is_uuid;
use crate::rules::{Level, RULES};
use crate::settings::{
    Aliases, Analyzers, Cloud, Config, Formatting, IndentKind, Layer, ManagedIdentity, MockAlias,
    NewlineKind, RegistryAlias, RuleSettings, Setting, TemplateSpecAlias,
};
use crate::tree::{Entry, Origin};

/// Makes settings of a tree. Diagnostics come with the origin that says which layer they belong to.
pub(crate) fn resolve(
    tree: Entry,
    layers: Vec<Layer>,
    world: &dyn World,
) -> (Config, Vec<(Origin, Diagnostic)>) {
    let mut reports = Vec::new();
    let folder_of = |origin: Origin| {
        layers
            .get(origin.layer)
            .and_then(|layer| layer.file.as_ref()?.path().parent())
            .unwrap_or(Utf8Path::new(""))
    };
    let mut config = Config {
        formatting: formatting(tree.get("formatting")),
        analyzers: analyzers(tree.at(&["analyzers", "core"])),
        features: features(tree.get("experimentalFeaturesEnabled")),
        warn_about_features: flag(tree.get("experimentalFeaturesWarning"), true),
        aliases: aliases(&tree, folder_of),
        extensions: entries(tree.get("extensions"))
            .filter_map(|(name, entry)| Some((name, text(entry)?)))
            .collect(),
        implicit_extensions: tree
            .get("implicitExtensions")
            .map(Entry::items)
            .unwrap_or_default()
            .iter()
            .filter_map(text)
            .collect(),
        cache_root: tree.get("cacheRootDirectory").and_then(|entry| cache_root(entry, folder_of, world)),
        cloud: cloud(tree.get("cloud"), &mut reports),
        documentation: documentation::resolve(tree.get("documentation"), folder_of, &mut reports),
        tree,
        layers: Vec::new(),
    };
    config.layers = layers;
    provider::check_all(&config, &mut reports);
    (config, reports)
}

fn formatting(entry: Option<&Entry>) -> Formatting {
    let choice = |key: &str| entry?.get(key)?.text().map(SmolStr::as_str);
    let number = |key: &str, default| {
        let number = entry.and_then(|entry| entry.get(key)?.integer());
        number.and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
    };
    Formatting {
        indent_kind: match choice("indentKind") {
            Some("Tab") => IndentKind::Tab,
            _ => IndentKind::Space,
        },
        newline_kind: match choice("newlineKind") {
            Some("CRLF") => NewlineKind::CrLf,
            Some("CR") => NewlineKind::Cr,
            _ => NewlineKind::Lf,
        },
        indent_size: number("indentSize", 2),
        width: number("width", 120),
        insert_final_newline: flag(entry.and_then(|entry| entry.get("insertFinalNewline")), true),
    }
}

fn analyzers(entry: Option<&Entry>) -> Analyzers {
    let rules = entries(entry.and_then(|entry| entry.get("rules")));
    let rules: BTreeMap<SmolStr, RuleSettings> = rules.map(|(code, entry)| (code, rule(entry))).collect();
    Analyzers {
        enabled: flag(entry.and_then(|entry| entry.get("enabled")), true),
        verbose: flag(entry.and_then(|entry| entry.get("verbose")), false),
        levels: levels(&rules),
        rules,
    }
}

/// The level of each rule: what files say, else the usual one.
fn levels(rules: &BTreeMap<SmolStr, RuleSettings>) -> FxHashMap<SmolStr, Level> {
    let usual = RULES.iter().map(|rule| (SmolStr::new_static(rule.code), rule.level));
    let set = rules.iter().filter_map(|(code, rule)| Some((code.clone(), rule.level.as_ref()?.value)));
    usual.chain(set).collect()
}

fn rule(entry: &Entry) -> RuleSettings {
    let level = entry
        .get("level")
        .and_then(|entry| Some(Setting { value: Level::from_name(entry.text()?)?, origin: entry.origin }));
    let options = entry.entries().filter(|(key, _)| *key != "level");
    RuleSettings { level, options: options.map(|(key, entry)| (key.to_string(), entry.to_json())).collect() }
}

fn features(entry: Option<&Entry>) -> BTreeSet<Feature> {
    entries(entry)
        .filter(|(_, entry)| entry.flag() == Some(true))
        .filter_map(|(name, _)| Feature::from_name(&name))
        .collect()
}

fn aliases<'a>(tree: &Entry, folder_of: impl Fn(Origin) -> &'a Utf8Path) -> Aliases {
    let registries = |section: &str, path: &str| -> BTreeMap<SmolStr, RegistryAlias> {
        let alias = |entry: &Entry| RegistryAlias {
            registry: word(entry, "registry"),
            path: word(entry, path),
            origin: entry.origin,
        };
        entries(tree.at(&[section, "br"])).map(|(name, entry)| (name, alias(entry))).collect()
    };
    let template_spec = |entry: &Entry| TemplateSpecAlias {
        subscription: word(entry, "subscription"),
        resource_group: word(entry, "resourceGroup"),
        origin: entry.origin,
    };
    let mock = |entry: &Entry| MockAlias {
        folder: entry
            .get("mapToFilePath")
            .and_then(|entry| Some(paths::resolve(folder_of(entry.origin), entry.text()?.as_str().into()))),
    };
    Aliases {
        modules: registries("moduleAliases", "modulePath"),
        extensions: registries("extensionAliases", "extensionPath"),
        template_specs: entries(tree.at(&["moduleAliases", "ts"]))
            .map(|(name, e)| (name, template_spec(e)))
            .collect(),
        mocks: entries(tree.at(&["moduleAliasesMock", "br"])).map(|(name, e)| (name, mock(e))).collect(),
    }
}

/// `~` is the home folder; other relative paths start at the file that says it.
fn cache_root<'a>(
    entry: &Entry,
    folder_of: impl Fn(Origin) -> &'a Utf8Path,
    world: &dyn World,
) -> Option<Utf8PathBuf> {
    let written = entry.text()?;
    if written.trim().is_empty() {
        return None;
    }
    let in_home = match written.strip_prefix('~') {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix(['/', '\\']),
        None => None,
    };
    if let Some(rest) = in_home {
        let home = world.variable("HOME").or_else(|| world.variable("USERPROFILE"))?;
        return Some(paths::resolve(home.as_str().into(), rest.into()));
    }
    Some(paths::resolve(folder_of(entry.origin), written.as_str().into()))
}

fn cloud(entry: Option<&Entry>, reports: &mut Vec<(Origin, Diagnostic)>) -> Cloud {
    let name_entry = entry.and_then(|entry| entry.get("currentProfile"));
    let profile = name_entry.and_then(Entry::text).cloned().unwrap_or_default();
    let profiles = entry.and_then(|entry| entry.get("profiles"));
    let found = profiles.and_then(|profiles| profiles.get(&profile));
    if let (None, Some(name_entry)) = (found, name_entry) {
        let mut names: Vec<_> = entries(profiles).map(|(name, _)| name).collect();
        names.sort();
        let names: Vec<_> = names.iter().map(SmolStr::as_str).collect();
        let range = name_entry.origin.range;
        reports.push((
            name_entry.origin,
            diagnostics::not_a_choice(range, "cloud.currentProfile", &profile, &names),
        ));
    }
    let mut address = |key: &str| {
        let Some(found) = found else { return SmolStr::default() };
        let Some((entry, text)) = found.get(key).and_then(|entry| Some((entry, entry.text()?))) else {
            let reason = format!("The cloud profile \"{profile}\" lacks \"{key}\"");
            reports.push((found.origin, diagnostics::invalid(found.origin.range, reason)));
            return SmolStr::default();
        };
        if !is_web_address(text) {
            let reason = format!("\"{text}\" is not an address that starts with \"https://\" or \"http://\"");
            reports.push((entry.origin, diagnostics::invalid(entry.origin.range, reason)));
        }
        text.clone()
    };
    Cloud {
        resource_manager_endpoint: address("resourceManagerEndpoint"),
        active_directory_authority: address("activeDirectoryAuthority"),
        profile,
        credential_precedence: entry
            .and_then(|e| e.get("credentialPrecedence"))
            .map(Entry::texts)
            .unwrap_or_default(),
        managed_identity: entry
            .and_then(|entry| entry.at(&["credentialOptions", "managedIdentity"]))
            .and_then(|entry| managed_identity(entry, reports)),
    }
}

fn is_web_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && !host.starts_with('/') && !host.contains(char::is_whitespace))
}

fn managed_identity(entry: &Entry, reports: &mut Vec<(Origin, Diagnostic)>) -> Option<ManagedIdentity> {
    if entry.get("type").and_then(Entry::text).is_none_or(|kind| kind == "SystemAssigned") {
        return Some(ManagedIdentity::System);
    }
    let mut refuse = |entry: &Entry, reason: &str| {
        reports.push((entry.origin, diagnostics::invalid(entry.origin.range, reason)));
        None
    };
    let part = |key: &str| entry.get(key).and_then(|entry| Some((entry, entry.text()?.clone())));
    match (part("clientId"), part("resourceId")) {
        (None, None) => refuse(entry, "A user-assigned identity needs \"clientId\" or \"resourceId\""),
        (Some(_), Some(_)) => {
            refuse(entry, "A user-assigned identity has either \"clientId\" or \"resourceId\", not both")
        }
        (Some((entry, id)), None) if !is_uuid(&id) => refuse(entry, "\"clientId\" must be a UUID"),
        (Some((_, id)), None) => Some(ManagedIdentity::Client(id)),
        (None, Some((entry, id))) if !id.starts_with('/') => {
            refuse(entry, "\"resourceId\" must be the identifier of a resource")
        }
        (None, Some((_, id))) => Some(ManagedIdentity::Resource(id)),
    }
}

fn entries(entry: Option<&Entry>) -> impl Iterator<Item = (SmolStr, &Entry)> {
    entry.into_iter().flat_map(Entry::entries).map(|(key, entry)| (key.clone(), entry))
}

fn text(entry: &Entry) -> Option<Setting<SmolStr>> {
    Some(Setting { value: entry.text()?.clone(), origin: entry.origin })
}

/// A text that is there and not empty.
fn word(entry: &Entry, key: &str) -> Option<SmolStr> {
    entry.get(key)?.text().filter(|text| !text.is_empty()).cloned()
}

fn flag(entry: Option<&Entry>, default: bool) -> bool {
    entry.and_then(Entry::flag).unwrap_or(default)
}
