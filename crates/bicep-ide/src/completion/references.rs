//! References to modules in registries: their starts, aliases, registries, modules and versions.

use std::collections::BTreeSet;

use super::context::CompletionPlace;
use super::item::{CompletionItem, CompletionKind, FollowUp};
use super::{CatalogModule, CompletionSources, ModuleCatalog};
use crate::FileContext;

/// Where the public modules are.
const PUBLIC_REGISTRY: &str = "mcr.microsoft.com";
const PUBLIC_PATH: &str = "bicep";

/// Whether a path is a reference and not a file.
pub(super) fn is_reference(written: &str) -> bool {
    let alias = |scheme: &str| written.strip_prefix(scheme).is_some_and(|rest| rest.contains(':'));
    written.starts_with("br:") || written.starts_with("ts:") || alias("br/") || alias("ts/")
}

pub(super) fn offer(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    written: &str,
    sources: &dyn CompletionSources,
    items: &mut Vec<CompletionItem>,
) {
    if written.is_empty() {
        return starts(context, place, items);
    }
    if let Some(rest) = written.strip_prefix("br:") {
        let Some((registry, path)) = rest.split_once('/') else {
            return registries(context, place, rest, items);
        };
        let registry =
            Registry { name: registry.to_owned(), path: String::new(), start: format!("br:{registry}/") };
        return modules(
            context,
            place,
            TypedModule { registry: &registry, typed: path },
            &sources.modules(),
            items,
        );
    }
    let Some(rest) = written.strip_prefix("br/") else { return };
    match rest.split_once(':') {
        None => aliases(context, place, rest, items),
        Some((alias, path)) => {
            if let Some(registry) = of_alias(context, alias) {
                modules(
                    context,
                    place,
                    TypedModule { registry: &registry, typed: path },
                    &sources.modules(),
                    items,
                );
            }
        }
    }
}

/// A place in a registry, with how a reference to it begins.
struct Registry {
    name: String,
    /// In front of the names of its modules; empty, or with a slash behind it.
    path: String,
    start: String,
}

fn of_alias(context: &FileContext<'_>, alias: &str) -> Option<Registry> {
    let known = context.bicep.config.aliases.modules.get(alias);
    let (name, path) = match known {
        Some(known) => {
            (known.registry.clone()?.to_string(), known.path.clone().unwrap_or_default().to_string())
        }
        None if alias == "public" => (PUBLIC_REGISTRY.to_owned(), PUBLIC_PATH.to_owned()),
        None => return None,
    };
    let path = if path.is_empty() { path } else { format!("{}/", path.trim_end_matches('/')) };
    Some(Registry { name, path, start: format!("br/{alias}:") })
}

/// The starts of references.
fn starts(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let aliases = &context.bicep.config.aliases;
    let mut add = |start: String, description: String, rank: u8| {
        let mut item = CompletionItem::new(CompletionKind::Reference, start.as_str(), place.replaced);
        item.sort_text = format!("{rank}_{start}");
        item.filter_text = Some(format!("'{start}$0'"));
        items.push(item.detail(description).snippet(format!("'{start}$0'")).then(FollowUp::Suggest));
    };
    if !aliases.modules.contains_key("public") {
        add("br/public:".to_owned(), "Public Bicep registry".to_owned(), 90);
    }
    for alias in aliases.modules.keys() {
        let description = if alias == "public" {
            "Public Bicep registry".to_owned()
        } else {
            format!("Alias for br:{}", target(context, alias))
        };
        add(format!("br/{alias}:"), description, 90);
    }
    if aliases.template_specs.is_empty() {
        add("ts/".to_owned(), "Template spec (alias)".to_owned(), 90);
    }
    for alias in aliases.template_specs.keys() {
        add(format!("ts/{alias}:"), "Template spec".to_owned(), 90);
    }
    add("br:".to_owned(), "Bicep registry".to_owned(), 92);
    add("ts:".to_owned(), "Template spec".to_owned(), 92);
}

fn target(context: &FileContext<'_>, alias: &str) -> String {
    let found = of_alias(context, alias);
    found.map(|it| format!("{}/{}", it.name, it.path)).unwrap_or_default()
}

fn aliases(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    typed: &str,
    items: &mut Vec<CompletionItem>,
) {
    let configured = context.bicep.config.aliases.modules.keys().map(base::SmolStr::as_str);
    let all: BTreeSet<&str> = configured.chain(["public"]).filter(|it| it.starts_with(typed)).collect();
    items.extend(all.into_iter().map(|alias| reference(place, alias, &format!("br/{alias}:"))));
}

fn registries(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    typed: &str,
    items: &mut Vec<CompletionItem>,
) {
    let public = format!("{PUBLIC_REGISTRY}/{PUBLIC_PATH}");
    let configured = context.bicep.config.aliases.modules.values().filter_map(|it| it.registry.as_deref());
    let private: BTreeSet<&str> = configured.filter(|it| *it != PUBLIC_REGISTRY).collect();
    let all = std::iter::once(public.as_str()).chain(private).filter(|it| it.starts_with(typed));
    items.extend(all.map(|registry| reference(place, registry, &format!("br:{registry}/"))));
}

fn reference(place: &CompletionPlace<'_>, label: &str, start: &str) -> CompletionItem {
    let mut item = CompletionItem::new(CompletionKind::Snippet, label, place.replaced);
    item.filter_text = Some(format!("'{start}'"));
    item.snippet(format!("'{start}$0'")).then(FollowUp::Suggest)
}

/// The path of a module in a registry, as far as it is typed.
#[derive(Clone, Copy)]
struct TypedModule<'r> {
    registry: &'r Registry,
    typed: &'r str,
}

/// The modules of a registry whose names start with what is typed; behind a colon, the versions of the module.
fn modules(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    TypedModule { registry, typed }: TypedModule<'_>,
    catalog: &ModuleCatalog,
    items: &mut Vec<CompletionItem>,
) {
    if registry.name.is_empty() {
        return;
    }
    if let Some((module, version)) = typed.split_once(':') {
        let name = format!("{}{module}", registry.path);
        if let Some(known) = catalog.module(&registry.name, &name).filter(|_| version.is_empty()) {
            versions(place, &format!("{}{module}", registry.start), known, items);
        }
        return;
    }
    let wanted = format!("{}{typed}", registry.path);
    let mut is_known = false;
    for module in catalog.modules.iter().filter(|it| it.registry == registry.name) {
        is_known = true;
        let Some(name) =
            module.name.strip_prefix(&registry.path).filter(|_| module.name.starts_with(&wanted))
        else {
            continue;
        };
        let mut item = reference(place, name, &format!("{}{name}:", registry.start));
        item.detail = module.description.clone();
        items.push(item.documented(module.documentation.as_deref().map(documentation)));
    }
    if !is_known && registry.path.is_empty() {
        paths_of_aliases(context, place, TypedModule { registry, typed }, items);
    }
}

/// What aliases say about a registry whose modules are not known.
fn paths_of_aliases(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    TypedModule { registry, typed }: TypedModule<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let aliases = context.bicep.config.aliases.modules.values();
    let own = aliases.filter(|it| it.registry.as_deref() == Some(registry.name.as_str()));
    let paths: BTreeSet<&str> =
        own.filter_map(|it| it.path.as_deref()).filter(|it| it.starts_with(typed)).collect();
    items.extend(paths.into_iter().map(|path| {
        let item = reference(place, path, &format!("{}{path}:", registry.start));
        CompletionItem { kind: CompletionKind::Reference, ..item }
    }));
}

fn versions(
    place: &CompletionPlace<'_>,
    start: &str,
    module: &CatalogModule,
    items: &mut Vec<CompletionItem>,
) {
    for (index, version) in module.versions.iter().rev().enumerate() {
        let text = format!("'{start}:{}'", version.version);
        let mut item = CompletionItem::new(CompletionKind::Snippet, version.version.as_str(), place.replaced);
        item.sort_text = format!("{index:04}");
        item.filter_text = Some(text.clone());
        item.detail = version.description.clone();
        items.push(
            item.documented(version.documentation.as_deref().map(documentation)).snippet(format!("{text}$0")),
        );
    }
}

fn documentation(uri: &str) -> String {
    format!("[View Documentation]({uri})")
}
