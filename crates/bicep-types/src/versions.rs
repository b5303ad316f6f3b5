//! What changes from one API version of a resource type to another: two types come in; properties that are new, gone or different go out.

use std::collections::BTreeSet;

use crate::resources::{Declaration, ResourceTypes};
use crate::ty::{Kind, ObjectType, Property, PropertyFlags, ResourceReference, Type};

/// A difference of two versions at one property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionChange {
    /// The way to the property: `properties.networkAcls.bypass`; `[]` for the items of a list, `*` for members of any name.
    pub path: String,
    /// What became of it.
    pub kind: VersionChangeKind,
}

/// What became of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionChangeKind {
    /// It is new, with this type.
    Added(String),
    /// It is new, has this type and must be given.
    AddedRequired(String),
    /// It is gone.
    Removed,
    /// It is different, for this reason.
    Changed(String),
}

impl VersionChangeKind {
    /// Whether a declaration that was right may be wrong now.
    pub fn is_breaking(&self) -> bool {
        !matches!(self, Self::Added(_))
    }
}

/// Types are compared to this depth; deeper ones refer to themselves.
const DEEPEST: usize = 12;

/// The differences of two versions of a resource type, by path; none if one of them is not known.
pub fn changes(types: &ResourceTypes, name: &str, old: &str, new: &str) -> Option<Vec<VersionChange>> {
    let body = |version: &str| {
        let reference = ResourceReference::new(name, Some(version.into()));
        let ty = types
            .is_defined(&reference)
            .then(|| types.resource_type(&reference, Declaration::default()))??;
        match ty.kind() {
            Kind::Resource(resource) => Some(resource.body.clone()),
            _ => Some(ty),
        }
    };
    let mut found = Changes { all: Vec::new(), seen: BTreeSet::new() };
    found.types(&body(old)?, &body(new)?, "", 0);
    let mut all = found.all;
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all.dedup();
    Some(all)
}

struct Changes {
    all: Vec<VersionChange>,
    /// Pairs of types that were compared: they refer to each other.
    seen: BTreeSet<(usize, usize)>,
}

impl Changes {
    fn add(&mut self, path: &str, kind: VersionChangeKind) {
        self.all.push(VersionChange { path: path.to_owned(), kind });
    }

    fn types(&mut self, old: &Type, new: &Type, path: &str, depth: usize) {
        if depth > DEEPEST || !self.seen.insert((old.identity(), new.identity())) {
            return;
        }
        match (old.kind(), new.kind()) {
            (Kind::Object(old), Kind::Object(new)) => self.objects(old, new, path, depth),
            (Kind::Array(old), Kind::Array(new)) => {
                self.types(&old.item, &new.item, &format!("{path}[]"), depth + 1);
            }
            (Kind::Discriminated(old), Kind::Discriminated(new)) => {
                for (name, member) in &old.members {
                    let inner = format!("{path}({}={name})", old.discriminator);
                    match new.members.get(name) {
                        Some(other) => self.types(member, other, &inner, depth + 1),
                        None => self.add(&inner, VersionChangeKind::Removed),
                    }
                }
                for (name, _) in new.members.iter().filter(|(name, _)| !old.members.contains_key(*name)) {
                    let inner = format!("{path}({}={name})", new.discriminator);
                    self.add(&inner, VersionChangeKind::Added("object".to_owned()));
                }
            }
            (Kind::Object(_), _)
            | (_, Kind::Object(_))
            | (Kind::Discriminated(_), _)
            | (_, Kind::Discriminated(_)) => {
                self.add(path, VersionChangeKind::Changed(format!("was {}, is {}", short(old), short(new))));
            }
            _ => self.values(old, new, path),
        }
    }

    /// Types without members. Of unions it is told which values come and go.
    fn values(&mut self, old: &Type, new: &Type, path: &str) {
        let (before, after) = (old.to_string(), new.to_string());
        if before == after {
            return;
        }
        let (gone, fresh) = (missing_from(old, new), missing_from(new, old));
        let reason = match (gone.as_slice(), fresh.as_slice()) {
            ([], []) => return,
            (gone, fresh) if gone.len() + fresh.len() <= 6 && is_union(old) && is_union(new) => {
                let list = |word: &str, values: &[String]| match values {
                    [] => String::new(),
                    values => format!("{word} {}", values.join(", ")),
                };
                [list("without", gone), list("with", fresh)]
                    .into_iter()
                    .filter(|it| !it.is_empty())
                    .collect::<Vec<_>>()
                    .join("; ")
            }
            _ => format!("was {}, is {}", short(old), short(new)),
        };
        self.add(path, VersionChangeKind::Changed(reason));
    }

    fn objects(&mut self, old: &ObjectType, new: &ObjectType, path: &str, depth: usize) {
        let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        // Identity and version are what is compared by, and what the language adds is the same for all.
        let is_own = |name: &str, property: &Property| {
            !property.flags.intersects(PropertyFlags::SYSTEM | PropertyFlags::FALLBACK)
                && !(path.is_empty() && matches!(name, "apiVersion" | "id" | "type"))
        };
        let is_read_only = |property: &Property| property.flags.contains(PropertyFlags::READ_ONLY);
        for (name, before) in old.sorted().into_iter().filter(|(name, it)| is_own(name, it)) {
            let inner = join(name);
            match new.property(name) {
                None => self.add(&inner, VersionChangeKind::Removed),
                // What nobody writes is told only when it is gone.
                Some(after) if is_read_only(before) && is_read_only(after) => {}
                Some(after) => {
                    if let Some(reason) = flags_changed(before, after) {
                        self.add(&inner, VersionChangeKind::Changed(reason.to_owned()));
                    }
                    self.types(&before.ty, &after.ty, &inner, depth + 1);
                }
            }
        }
        for (name, property) in new.sorted().into_iter().filter(|(name, it)| is_own(name, it)) {
            if old.property(name).is_none_or(|it| !is_own(name, it)) && !is_read_only(property) {
                let ty = short(&property.ty);
                self.add(
                    &join(name),
                    match property.is_required() {
                        true => VersionChangeKind::AddedRequired(ty),
                        false => VersionChangeKind::Added(ty),
                    },
                );
            }
        }
        if let (Some(old), Some(new)) = (&old.additional, &new.additional) {
            self.types(&old.ty, &new.ty, &join("*"), depth + 1);
        }
    }
}

fn flags_changed(old: &Property, new: &Property) -> Option<&'static str> {
    let became = |flag| new.flags.contains(flag) && !old.flags.contains(flag);
    if !old.is_required() && new.is_required() {
        Some("is required")
    } else if old.is_required() && !new.is_required() {
        Some("is not required any more")
    } else if became(PropertyFlags::READ_ONLY) {
        Some("can only be read")
    } else if old.flags.contains(PropertyFlags::READ_ONLY) && !new.flags.contains(PropertyFlags::READ_ONLY) {
        Some("can be written")
    } else {
        None
    }
}

fn is_union(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Union(_) | Kind::StringLiteral(_))
}

/// The members of one type that another does not have.
fn missing_from(ty: &Type, other: &Type) -> Vec<String> {
    let members = |ty: &Type| -> BTreeSet<String> {
        match ty.kind() {
            Kind::Union(members) => members.iter().map(ToString::to_string).collect(),
            _ => [ty.to_string()].into(),
        }
    };
    members(ty).difference(&members(other)).cloned().collect()
}

/// A type in a few words.
fn short(ty: &Type) -> String {
    let text = ty.to_string();
    if text.chars().count() <= 60 {
        text
    } else {
        format!("{}…", text.chars().take(59).collect::<String>())
    }
}
