//! Questions about a type that need no second type.

use base::{Diagnostic, SmolStr};

use super::{ArrayType, Kind, ObjectType, ResourceType, Scopes, Type, TypeFlags, union};

impl Type {
    /// Whether it is `any`.
    pub fn is_any(&self) -> bool {
        matches!(self.kind(), Kind::Any)
    }

    /// Whether it is the empty union.
    pub fn is_never(&self) -> bool {
        matches!(self.kind(), Kind::Never)
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.kind(), Kind::Null)
    }

    /// Whether it stands for something already reported.
    pub fn is_error(&self) -> bool {
        matches!(self.kind(), Kind::Error(_))
    }

    /// What is wrong with an error that has not been reported where it is used.
    pub fn unreported(&self) -> &[Diagnostic] {
        match self.kind() {
            Kind::Error(Some(diagnostics)) => diagnostics,
            _ => &[],
        }
    }

    /// Whether its value is a secret.
    pub fn is_secure(&self) -> bool {
        self.flags().contains(TypeFlags::SECURE)
    }

    /// Whether it has `null` among other values.
    pub fn is_nullable(&self) -> bool {
        matches!(self.kind(), Kind::Union(members) if members.iter().any(Self::is_null))
    }

    /// The type without `null`; `None` unless it is a union with `null`.
    pub fn without_null(&self) -> Option<Self> {
        match self.kind() {
            Kind::Union(members) if self.is_nullable() => {
                Some(union(members.iter().filter(|member| !member.is_null()).cloned()))
            }
            _ => None,
        }
    }

    /// The type without `null` where it has it, else as it is.
    #[must_use]
    pub fn remove_null(&self) -> Self {
        self.without_null().unwrap_or_else(|| self.clone())
    }

    /// The type or `null`.
    #[must_use]
    pub fn make_nullable(&self) -> Self {
        union([self.clone(), Self::null()])
    }

    /// The members of a union, none for `never`, else the type itself.
    pub fn members(&self) -> &[Self] {
        match self.kind() {
            Kind::Union(members) => members,
            Kind::Never => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// The object type, if it is one.
    pub fn as_object(&self) -> Option<&ObjectType> {
        match self.kind() {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The string, if it is a literal.
    pub fn as_string_literal(&self) -> Option<&SmolStr> {
        match self.kind() {
            Kind::StringLiteral(value) => Some(value),
            _ => None,
        }
    }

    /// The resource type, if it is a resource or an array of one.
    pub fn as_resource(&self) -> Option<&ResourceType> {
        match self.kind() {
            Kind::Resource(resource) => Some(resource),
            Kind::Array(ArrayType { item, .. }) => match item.kind() {
                Kind::Resource(resource) => Some(resource),
                _ => None,
            },
            _ => None,
        }
    }

    /// What the items are, for arrays and tuples.
    pub fn item(&self) -> Option<&Self> {
        match self.kind() {
            Kind::Array(array) => Some(&array.item),
            Kind::Tuple(tuple) => Some(tuple.item()),
            _ => None,
        }
    }

    /// The scopes that it can stand for, if it can stand for a scope.
    pub fn scope_reference(&self) -> Option<Scopes> {
        match self.kind() {
            Kind::Scope(scopes) => Some(*scopes),
            Kind::Resource(_) => Some(Scopes::RESOURCE),
            Kind::Module(_) => Some(Scopes::MODULE),
            Kind::Object(object) => object.scope,
            _ => None,
        }
    }

    /// Whether a value of another type is only a warning.
    pub fn warns_on_mismatch(&self) -> bool {
        self.members().iter().any(|member| member.flags().contains(TypeFlags::WARN_ON_TYPE_MISMATCH))
    }

    /// Whether unknown, missing, read-only and write-only properties are only warnings.
    pub fn warns_on_property_mismatch(&self) -> bool {
        self.members().iter().any(|member| member.flags().contains(TypeFlags::WARN_ON_PROPERTY_MISMATCH))
    }
}
