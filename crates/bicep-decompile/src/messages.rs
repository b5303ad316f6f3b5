//! The words for everything that stops a decompilation. Tools compare some of them, so they are those of the reference.

use arm::expression::Expr;

pub(crate) const AMBIGUOUS: &str = "Sequence contains more than one element";
pub(crate) const BAD_FORMAT: &str = "Input string was not in a correct format.";
pub(crate) const COPY_EXPECTED: &str = "Expected a copy object";
pub(crate) const FORMAT_INDEX: &str =
    "Index (zero based) must be greater than or equal to zero and less than the size of the argument list.";
pub(crate) const NOT_AN_OBJECT: &str = "Expected an object";
pub(crate) const NOT_AN_ARRAY: &str = "Expected an array";
pub(crate) const NOT_A_STRING: &str = "Expected a string";
pub(crate) const NO_HOLES: &str = "Sequence contains no elements";
pub(crate) const NO_VALUE: &str = "Value cannot be null. (Parameter 'value')";
pub(crate) const OUTER_PARAMETERS: &str = "Outer-scoped nested templates cannot contain parameters";
pub(crate) const OUT_OF_BOUNDS: &str = "Index was outside the bounds of the array.";
pub(crate) const RESOURCE_EXPECTED: &str = "Unable to read resource";
pub(crate) const CHILD_EXPECTED: &str = "Unable to read child resource";
pub(crate) const SCHEMA_MISSING: &str = "Unable to find a template property named $schema.";
pub(crate) const SCOPE_UNSUPPORTED: &str = "The 'scope' property is not supported";
pub(crate) const SYMBOLIC_NAMES: &str = "Decompilation of symbolic name templates is not currently supported";
pub(crate) const DEPENDS_ON_ARRAY: &str = "Parsing failed for dependsOn - expected an array";
pub(crate) const DEPENDS_ON_STRING: &str = "Parsing failed for dependsOn - expected a string value";
pub(crate) const EXPRESSION_FOR_OBJECT: &str =
    "Expected to find an object, but found an expression. This is not currently supported by the decompiler.";
pub(crate) const BATCH_SIZE: &str = "Expected the value of the \"batchSize\" property to be an integer.";
pub(crate) const MODE_TYPE: &str =
    "Expected the value of the \"mode\" property in a property copy object to be a string.";
pub(crate) const RENAMED: &str = "// WARNING: This parameter was renamed during decompilation because its original name could not be used as a Bicep identifier.";
pub(crate) const EXPRESSION_TO_CHECK: &str = "/*TODO: this expression could not be read*/";
pub(crate) const TYPE_TO_FILL_IN: &str = "? /* TODO: fill in correct type */";

/// A dependency on something that is not in the file. A comment, because there is nothing to write.
pub(crate) fn dependency_to_fill_in(text: &str) -> String {
    format!("// TODO: depends on {}", text.replace(['\r', '\n'], " "))
}

/// An API version that an expression gives, which Bicep does not have.
pub(crate) fn version_to_check(text: &str) -> String {
    format!("// TODO: the API version was {}\n", text.replace(['\r', '\n'], " "))
}

/// A batch size that an expression gives, which Bicep does not have.
pub(crate) fn batch_size_to_check(text: &str) -> String {
    format!("// TODO: the batch size was {}\n", text.replace(['\r', '\n'], " "))
}

pub(crate) fn format_not_constant(call: &Expr) -> String {
    format!("Unable to read format statement [{call}] as string")
}

pub(crate) fn no_unique_name(what: &str, name: &str) -> String {
    format!("Unable to pick unique name for {what} {name}")
}

pub(crate) fn not_found(what: &str, name: &str) -> String {
    format!("Unable to find {what} {name}")
}

pub(crate) fn no_type(what: &str, name: &str) -> String {
    format!("Unable to locate 'type' for {what} '{name}'")
}

pub(crate) fn name_not_constant(call: &Expr) -> String {
    format!("Unable to process parameter or variable with non-constant name [{call}]")
}

pub(crate) fn minimum_of_arguments(minimum: usize, function: &str) -> String {
    format!("Expected a minimum of {minimum} parameters for function {function}")
}

pub(crate) fn at_least_arguments(minimum: usize, function: &str) -> String {
    format!("Expected at least {minimum} parameters for function {function}")
}

pub(crate) fn arguments(count: usize, kind: &str, function: &str) -> String {
    format!("Expected {count} parameters for {kind} {function}")
}

pub(crate) fn no_properties(kind: &str, function: &str) -> String {
    format!("Expected 0 properties for {kind} {function}")
}

pub(crate) fn lambda_argument(index: usize, function: &str) -> String {
    format!("Argument {index} for {function} is not a valid identifier")
}

pub(crate) fn copy_lacks(name: &str) -> String {
    format!("The copy object is missing a \"{name}\" property")
}

pub(crate) fn output_copy_lacks_input() -> String {
    "The copy object is missing an \"input\" property".to_owned()
}

pub(crate) fn lacks(name: &str) -> String {
    format!("Object is missing a \"{name}\" property")
}

pub(crate) fn resource_lacks(name: &str) -> String {
    format!("Unable to parse \"{name}\" for resource")
}

pub(crate) fn unknown_member(name: &str) -> String {
    format!("Unrecognized top-level resource property '{name}'")
}

pub(crate) fn unknown_schema(schema: &str) -> String {
    format!("$schema value \"{schema}\" did not match any of the known ARM template deployment schemas.")
}

pub(crate) fn copy_mode(mode: &str) -> String {
    format!(
        "Expected the value of the \"mode\" property to be either \"serial\" or \"parallel\", but the provided value was \"{mode}\"."
    )
}

pub(crate) fn object_expected(found: &str) -> String {
    format!("Expected to find an object, but found: {found}")
}

pub(crate) fn secret_reference(name: &str) -> String {
    format!(
        "Failed to convert parameter \"{name}\": KeyVault secret references are not currently supported by the decompiler."
    )
}

pub(crate) fn template_expected(ty: &str, name: &str) -> String {
    format!("Expected template object for {ty} {name}")
}

pub(crate) fn duplicate_module(path: &str, ty: &str, name: &str) -> String {
    format!("Unable to generate duplicate module to path ${path} for {ty} {name}")
}

pub(crate) fn bad_template_spec(id: &str, name: &str) -> String {
    format!(
        "Unable to interpret \"{id}\" as a valid template spec resource id under property {name}.properties.templateLink.id"
    )
}

pub(crate) fn no_template(name: &str) -> String {
    format!(
        "Unable to find \"uri\" or \"relativePath\" or \"id\" properties under {name}.properties.templateLink for linked template."
    )
}

pub(crate) fn variable_not_resolved(name: &str) -> String {
    format!("Unable to resolve variable {name}")
}

pub(crate) fn bad_signature(function: &str) -> String {
    format!("Found \"{function}\" function with invalid signature")
}

pub(crate) fn not_json(message: &str) -> String {
    message.to_owned()
}
