//! Another API version for a resource: a file and an offset come in; the versions that its type has, and what changes for this
//! resource with one of them, go out.

use base::{Edit, TextRange, TextSize};
use bicep_syntax::ast::{self, Expr, Object};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::resources::ResourceTypes;
use bicep_types::versions::{VersionChangeKind, changes};

use crate::FileContext;
use crate::lookup::enclosing;

/// A resource whose API version may be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedResource {
    /// The name of its type.
    pub resource_type: String,
    /// The version that it has.
    pub current: String,
    /// Where that is written.
    pub range: TextRange,
    /// All versions of the type, newest first.
    pub versions: Vec<String>,
    /// The properties that the body sets, as paths.
    used: Vec<String>,
}

/// Something that is different in another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiChange {
    /// The property: `properties.networkAcls.bypass`.
    pub path: String,
    /// What becomes of it, in words.
    pub text: String,
    /// Whether this resource has to be looked at: it sets the property, or must set it then.
    pub concerns_resource: bool,
}

impl VersionedResource {
    /// What changes with another version; none when one of the versions is not known.
    pub fn changes_to(&self, context: &FileContext<'_>, version: &str) -> Option<Vec<ApiChange>> {
        let found = changes(azure_types(context)?, &self.resource_type, &self.current, version)?;
        let change = |it: bicep_types::versions::VersionChange| {
            let (text, is_required) = match &it.kind {
                VersionChangeKind::Added(ty) => (format!("is new: {ty}"), false),
                VersionChangeKind::AddedRequired(ty) => (format!("is new and must be given: {ty}"), true),
                VersionChangeKind::Removed => ("is gone".to_owned(), false),
                VersionChangeKind::Changed(reason) => (reason.clone(), false),
            };
            let concerns_resource = if is_required {
                self.sets_parent_of(&it.path)
            } else {
                it.kind.is_breaking() && self.sets(&it.path)
            };
            ApiChange { path: it.path, text, concerns_resource }
        };
        let mut all: Vec<ApiChange> = found.into_iter().map(change).collect();
        all.sort_by_key(|it| !it.concerns_resource);
        Some(all)
    }

    /// The edit that writes another version.
    pub fn edit(&self, version: &str) -> Edit {
        Edit { range: self.range, text: version.to_owned() }
    }

    /// The newest version without a suffix that is newer than the current one, else the newest one.
    pub fn recommended(&self) -> Option<&str> {
        let is_newer =
            |it: &&String| it.get(..DATE).is_some_and(|date| Some(date) > self.current.get(..DATE));
        let mut newer = self.versions.iter().filter(is_newer);
        let stable = newer.clone().find(|it| it.len() == DATE);
        stable.or_else(|| newer.next()).map(String::as_str)
    }

    fn sets(&self, path: &str) -> bool {
        self.used.iter().any(|used| used == path)
    }

    fn sets_parent_of(&self, path: &str) -> bool {
        match path.rsplit_once('.') {
            Some((parent, _)) => self.sets(parent.trim_end_matches("[]")),
            None => true,
        }
    }
}

/// The length of `2024-01-01`.
const DATE: usize = 10;

/// The resource whose type is written at an offset, or around it.
pub fn versioned_resource(context: &FileContext<'_>, offset: TextSize) -> Option<VersionedResource> {
    let nodes = enclosing(context.tree(), offset);
    let node = nodes.into_iter().rev().find(|node| node.kind() == SyntaxKind::Resource)?;
    let declaration = ast::Resource::cast(node)?;
    let path = declaration.path()?;
    let symbol = context.model.declared(node.id())?;
    let resource = context.model.resources().get(symbol).filter(|it| it.is_azure)?;
    let (range, current) = version_in(path)?;
    let resource_type = resource.reference.name().to_string();
    let mut versions: Vec<String> =
        azure_types(context)?.versions(&resource_type).iter().map(ToString::to_string).collect();
    versions.sort_by(|a, b| b.cmp(a));
    let mut used = Vec::new();
    if let Some(body) = declaration.value().body_object() {
        collect(body, "", &mut used);
    }
    Some(VersionedResource { resource_type, current, range, versions, used })
}

fn azure_types<'a>(context: &FileContext<'a>) -> Option<&'a ResourceTypes> {
    let azure = context.model.namespaces().all.iter().find(|namespace| namespace.extension == "az")?;
    azure.resources.as_ref().map(|it| &*it.0)
}

/// The version in the text of a type, and where it stands.
fn version_in(path: ast::Str<'_>) -> Option<(TextRange, String)> {
    let value = path.value()?;
    let version = value.rsplit_once('@')?.1;
    let token = path.segments().next()?;
    let start = TextSize::try_from(token.text().rfind(version)?).ok()?;
    let range = TextRange::at(token.range().start() + start, TextSize::of(version));
    (!version.is_empty()).then(|| (range, version.to_owned()))
}

/// Adds the paths of all properties of a literal.
fn collect(object: Object<'_>, prefix: &str, used: &mut Vec<String>) {
    for property in object.properties() {
        let Some(key) = property.key_text() else { continue };
        let path = if prefix.is_empty() { key.into_owned() } else { format!("{prefix}.{key}") };
        collect_value(property.value().syntax(), &path, used);
        used.push(path);
    }
}

fn collect_value(value: Node<'_>, path: &str, used: &mut Vec<String>) {
    match Expr::cast(value) {
        Some(Expr::Object(object)) => collect(object, path, used),
        Some(Expr::Array(_)) => {
            let items = value.children().filter_map(|item| item.children().next());
            items.for_each(|item| collect_value(item, &format!("{path}[]"), used));
        }
        _ => {}
    }
}
