//! The sets of small facts that types, properties, resources and functions carry.

use bitflags::bitflags;

bitflags! {
    /// How strictly a type is held against the values given to it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct TypeFlags: u16 {
        /// A value of another type is a warning instead of an error.
        const WARN_ON_TYPE_MISMATCH = 1 << 0;
        /// A primitive may stand where a literal of its kind is expected.
        const ALLOW_LOOSE_ASSIGNMENT = 1 << 1;
        /// Nothing is assignable to or from this type.
        const PREVENT_ASSIGNMENT = 1 << 2;
        /// The value is a secret.
        const SECURE = 1 << 3;
        /// The string is a path to a file.
        const FILE_PATH = 1 << 4;
        /// The string is a path to a JSON file.
        const JSON_FILE_PATH = 1 << 5;
        /// The string is a path to a YAML file.
        const YAML_FILE_PATH = 1 << 6;
        /// The string names a resource type with its version.
        const RESOURCE_TYPE_IDENTIFIER = 1 << 7;
        /// Unknown, missing, read-only or write-only properties are warnings instead of errors.
        const WARN_ON_PROPERTY_MISMATCH = 1 << 8;
        /// The string is a path to a folder.
        const DIRECTORY_PATH = 1 << 9;
    }
}

bitflags! {
    /// What holds for a property of an object beyond its type.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct PropertyFlags: u16 {
        /// It must be given.
        const REQUIRED = 1 << 0;
        /// Only compile-time constants may be given.
        const CONSTANT = 1 << 1;
        /// It must not be given.
        const READ_ONLY = 1 << 2;
        /// It must not be read.
        const WRITE_ONLY = 1 << 3;
        /// Only values known at the start of the deployment may be given.
        const DEPLOY_TIME_CONSTANT = 1 << 4;
        /// A value of type `any` must not be given.
        const DISALLOW_ANY = 1 << 5;
        /// Its value can be read before the resource is deployed.
        const READABLE_AT_DEPLOY_TIME = 1 << 6;
        /// In a loop, its value must depend on the loop's item or index.
        const LOOP_VARIANT = 1 << 7;
        /// Not required, and `null` counts as not given.
        const ALLOW_IMPLICIT_NULL = 1 << 8;
        /// Not declared by the type, but perhaps valid: a warning instead of an error.
        const FALLBACK = 1 << 9;
        /// Put there by the language, not by the published type.
        const SYSTEM = 1 << 10;
        /// Part of the identity of the resource.
        const IDENTIFIER = 1 << 11;
    }
}

impl PropertyFlags {
    /// The flags of the same property when it can only be read.
    #[must_use]
    pub fn to_read_only(self) -> Self {
        (self | Self::READ_ONLY) - Self::REQUIRED
    }
}

bitflags! {
    /// Places a resource or module can be deployed to, or a reference can stand for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Scopes: u8 {
        /// Another resource: an extension resource hangs below it.
        const RESOURCE = 1 << 0;
        const MODULE = 1 << 1;
        const TENANT = 1 << 2;
        const MANAGEMENT_GROUP = 1 << 3;
        const SUBSCRIPTION = 1 << 4;
        const RESOURCE_GROUP = 1 << 5;
        /// A local deployment.
        const LOCAL = 1 << 6;

        /// Every place in Azure.
        const AZURE = Self::RESOURCE.bits() | Self::TENANT.bits() | Self::MANAGEMENT_GROUP.bits()
            | Self::SUBSCRIPTION.bits() | Self::RESOURCE_GROUP.bits();
    }
}

impl Scopes {
    /// The words for the scopes of the set in their fixed order; `none` for the empty set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        const WORDS: [(Scopes, &str); 7] = [
            (Scopes::RESOURCE, "resource"),
            (Scopes::MODULE, "module"),
            (Scopes::TENANT, "tenant"),
            (Scopes::MANAGEMENT_GROUP, "managementGroup"),
            (Scopes::SUBSCRIPTION, "subscription"),
            (Scopes::RESOURCE_GROUP, "resourceGroup"),
            (Scopes::LOCAL, "local"),
        ];
        let words = WORDS.iter().filter(move |(scope, _)| self.contains(*scope)).map(|(_, word)| *word);
        self.is_empty().then_some("none").into_iter().chain(words)
    }
}

bitflags! {
    /// Ways in which a resource type is restricted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ResourceFlags: u8 {
        /// It can only be referred to as `existing`.
        const READ_ONLY = 1 << 0;
        /// It cannot be referred to as `existing`.
        const WRITE_ONLY = 1 << 1;
    }
}

bitflags! {
    /// Where a function may be used and what its calls need.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct FunctionFlags: u32 {
        /// Only in the default value of a parameter.
        const PARAM_DEFAULTS_ONLY = 1 << 0;
        /// The call is written where the variable that holds it is used.
        const REQUIRES_INLINING = 1 << 1;
        /// A decorator of parameters.
        const PARAMETER_DECORATOR = 1 << 2;
        /// A decorator of variables.
        const VARIABLE_DECORATOR = 1 << 3;
        /// A decorator of resources.
        const RESOURCE_DECORATOR = 1 << 4;
        /// A decorator of modules.
        const MODULE_DECORATOR = 1 << 5;
        /// A decorator of outputs.
        const OUTPUT_DECORATOR = 1 << 6;
        /// A decorator of extension declarations.
        const EXTENSION_DECORATOR = 1 << 7;
        /// Only directly assigned to a secure module parameter.
        const MODULE_SECURE_PARAMETER_ONLY = 1 << 8;
        /// A decorator of metadata.
        const METADATA_DECORATOR = 1 << 9;
        /// A decorator of types.
        const TYPE_DECORATOR = 1 << 10;
        /// The result is always kept in a generated variable.
        const INTERMEDIATE_VARIABLE_ALWAYS = 1 << 11;
        /// The result is kept in a generated variable unless it is assigned directly.
        const INTERMEDIATE_VARIABLE_ON_INDIRECT_ASSIGNMENT = 1 << 12;
        /// A decorator of functions.
        const FUNCTION_DECORATOR = 1 << 13;
        /// Only directly assigned.
        const DIRECT_ASSIGNMENT = 1 << 14;
        /// The result does not depend on the values of the arguments.
        const ARGUMENT_VALUE_INDEPENDENT = 1 << 15;
        /// The result depends on input from an external tool.
        const REQUIRES_EXTERNAL_INPUT = 1 << 16;
        /// The same arguments always give the same result.
        const PURE = 1 << 17;

        /// A decorator of anything.
        const ANY_DECORATOR = Self::PARAMETER_DECORATOR.bits() | Self::VARIABLE_DECORATOR.bits()
            | Self::FUNCTION_DECORATOR.bits() | Self::RESOURCE_DECORATOR.bits() | Self::MODULE_DECORATOR.bits()
            | Self::OUTPUT_DECORATOR.bits() | Self::EXTENSION_DECORATOR.bits() | Self::METADATA_DECORATOR.bits()
            | Self::TYPE_DECORATOR.bits();
    }
}

bitflags! {
    /// What holds for an argument of a function.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ParameterFlags: u8 {
        /// It must be given.
        const REQUIRED = 1 << 0;
        /// It must be a compile-time constant.
        const CONSTANT = 1 << 1;
        /// It must be known at the start of the deployment.
        const DEPLOY_TIME_CONSTANT = 1 << 2;
    }
}
