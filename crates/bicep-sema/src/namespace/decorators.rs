//! The decorators of `sys`. One row each; what they do to types and what they forbid is in `check::decorator`.

use std::sync::{Arc, LazyLock};

use bicep_types::ty::{FunctionFlags, Type, union};
use config::Feature;

use super::Audience;
use super::notation::{Declared, Row, declared};
use super::overloads::Table;

const TYPED: FunctionFlags = FunctionFlags::PARAMETER_DECORATOR
    .union(FunctionFlags::OUTPUT_DECORATOR)
    .union(FunctionFlags::TYPE_DECORATOR);
const RESOURCE: FunctionFlags = FunctionFlags::RESOURCE_DECORATOR;
const EXPORTED: FunctionFlags = FunctionFlags::TYPE_DECORATOR
    .union(FunctionFlags::VARIABLE_DECORATOR)
    .union(FunctionFlags::FUNCTION_DECORATOR);
use Audience::{All, Bicep, BicepWith};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (All, "description(const text: string): any", FunctionFlags::ANY_DECORATOR, "Describes what is declared."),
    (Bicep, "secure(): any", TYPED, "Says that the value is a secret."),
    (Bicep, "allowed(const values: array): any", FunctionFlags::PARAMETER_DECORATOR, "Lists the allowed values."),
    (Bicep, "minValue(const value: int): any", TYPED, "The smallest allowed value."),
    (Bicep, "maxValue(const value: int): any", TYPED, "The largest allowed value."),
    (Bicep, "minLength(const length: int): any", TYPED, "The smallest allowed length."),
    (Bicep, "maxLength(const length: int): any", TYPED, "The largest allowed length."),
    (Bicep, "metadata(const object: object): any", TYPED, "Metadata of what is declared."),
    (Bicep, "batchSize(batchSize: int): any", RESOURCE.union(FunctionFlags::MODULE_DECORATOR), "Deploys so many at a time instead of all at once."),
    (BicepWith(Feature::WaitUntil), "waitUntil(predicate: (object) => bool, const maxWaitTime: string): any", RESOURCE, "Waits after the deployment until something is true of the resource."),
    (Bicep, "retryOn(const exceptionCodes: string[], const retryCount?: positive): any", RESOURCE, "Tries again after these errors."),
    (Bicep, "onlyIfNotExists(): any", RESOURCE, "Deploys the resource only if it is not there."),
    (BicepWith(Feature::Patch), "patch(): any", RESOURCE, "Deploys the resource by changing what is given."),
    (Bicep, "nullIfNotFound(): any", RESOURCE, "Reads a resource that is not there as null."),
    (Bicep, "sealed(): any", TYPED, "Forbids properties that are not declared."),
    (Bicep, "discriminator(const value: string): any", TYPED, "Names the property that tells the members of a union apart."),
    (Bicep, "export(): any", EXPORTED, "Lets other files import the declaration."),
    (BicepWith(Feature::UserDefinedConstraints), "validate(early predicate: (any) => bool, const errorMessage?: string): any", TYPED, "Says which values are allowed."),
];

/// All decorators with who sees them.
pub(super) fn decorators() -> &'static [Declared] {
    static DECORATORS: LazyLock<Vec<Declared>> = LazyLock::new(|| declared(ROWS, |_| None));
    &DECORATORS
}

/// The same, to be found by name.
pub(super) fn table() -> &'static Arc<Table> {
    static TABLE: LazyLock<Arc<Table>> = LazyLock::new(|| Table::of(decorators()));
    &TABLE
}

/// What a decorator can be put on, where that is restricted beyond the kind of declaration.
pub fn attachable(name: &str) -> Option<Type> {
    match name {
        "secure" => Some(union([Type::string(), Type::object()])),
        "minValue" | "maxValue" => Some(Type::int()),
        "minLength" | "maxLength" => Some(union([Type::string(), Type::array()])),
        "sealed" | "discriminator" => Some(Type::object()),
        _ => None,
    }
}
