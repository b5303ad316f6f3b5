//! What stands for something that is deployed: resources, modules; and the namespaces that declare them.

use std::fmt;
use std::hash::{Hash, Hasher};

use base::SmolStr;

use super::{ObjectType, ResourceFlags, Scopes, Type};

/// A resource type with or without its version: `Microsoft.Storage/storageAccounts@2023-01-01`.
///
/// Compared without regard to case, as resource types are; the spelling is kept.
#[derive(Debug, Clone)]
pub struct ResourceReference {
    name: SmolStr,
    version: Option<SmolStr>,
}

impl ResourceReference {
    /// A reference with these parts, which are not looked at.
    pub fn new(name: impl Into<SmolStr>, version: Option<SmolStr>) -> Self {
        Self { name: name.into(), version }
    }

    /// Reads `Type/names@version`, where `@version` may be missing.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        let well_formed = name.as_bytes().split(|byte| *byte == b'/').all(is_word)
            && version.is_none_or(|version| version.len() > 1 && is_word(version.as_bytes()));
        well_formed.then(|| Self::new(name, version.map(SmolStr::from)))
    }

    /// The type without the version.
    pub fn name(&self) -> &SmolStr {
        &self.name
    }

    pub fn version(&self) -> Option<&SmolStr> {
        self.version.as_ref()
    }

    /// The parts of the name between slashes; the first is the provider.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.name.split('/')
    }

    /// How many parts the name has.
    pub fn segment_count(&self) -> usize {
        self.name.bytes().filter(|byte| *byte == b'/').count() + 1
    }

    /// The name without its last part; empty when there is only one.
    pub fn parent_name(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// Whether the other type is a direct child of this one, in any version.
    pub fn is_parent_of(&self, other: &Self) -> bool {
        other.name.contains('/') && other.parent_name().eq_ignore_ascii_case(&self.name)
    }

    /// The type of a resource nested in this one, which has this one's version unless it says its own.
    #[must_use]
    pub fn nested(&self, child: &Self) -> Self {
        Self::new(
            format!("{}/{}", self.name, child.name),
            child.version.clone().or_else(|| self.version.clone()),
        )
    }

    /// Whether both are the same type, in whatever version.
    pub fn same_type(&self, other: &Self) -> bool {
        self.name.eq_ignore_ascii_case(&other.name)
    }
}

fn is_word(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_alphanumeric)
        && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
}

impl fmt::Display for ResourceReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.version.as_ref().map_or(Ok(()), |version| write!(f, "@{version}"))
    }
}

impl PartialEq for ResourceReference {
    fn eq(&self, other: &Self) -> bool {
        let same_version = match (&self.version, &other.version) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
            (None, None) => true,
            _ => false,
        };
        same_version && self.same_type(other)
    }
}

impl Eq for ResourceReference {}

impl Hash for ResourceReference {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for part in [Some(&self.name), self.version.as_ref()].into_iter().flatten() {
            // Names are long, and a hasher takes as long for a byte as for eight.
            for bytes in part.as_bytes().chunks(8) {
                let mut word = [0; 8];
                word.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte.to_ascii_lowercase());
                state.write_u64(u64::from_le_bytes(word));
            }
        }
    }
}

/// A resource type as declared by a namespace.
#[derive(Debug, Clone)]
pub struct ResourceType {
    /// Which type, in the spelling of the declaration.
    pub reference: ResourceReference,
    /// The namespace's extension name, such as `az`.
    pub namespace: SmolStr,
    /// Where it can be deployed or found.
    pub scopes: Scopes,
    /// Where it can only be found.
    pub read_only_scopes: Scopes,
    /// How it is restricted.
    pub flags: ResourceFlags,
    /// Its properties: an object or a discriminated object.
    pub body: Type,
    /// The properties that make up its identity.
    pub identifiers: Vec<SmolStr>,
}

/// A module or a test.
#[derive(Debug, Clone)]
pub struct ModuleType {
    /// How it is called, which is usually its path.
    pub name: SmolStr,
    /// Where it can be deployed.
    pub scopes: Scopes,
    /// Its properties.
    pub body: Type,
}

/// A namespace.
#[derive(Debug, Clone)]
pub struct NamespaceType {
    /// How it is called in this file.
    pub alias: SmolStr,
    /// The name of the extension that it comes from.
    pub extension: SmolStr,
    /// The version of that extension.
    pub version: SmolStr,
    /// Its properties and functions.
    pub members: ObjectType,
    /// What is given in `with {…}`.
    pub configuration: Option<Type>,
}
