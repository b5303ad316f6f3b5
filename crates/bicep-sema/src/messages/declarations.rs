//! About declarations: decorators, parameters, resources, modules, imports, parameter files.

use base::{Check, Diagnostic, Severity, SmolStr, TextRange};
use bicep_types::ty::{FunctionFlags, PropertyFlags, ResourceReference, Type};

use super::lists::quoted;

fn error(code: &'static str, range: TextRange, message: impl Into<String>) -> Diagnostic {
    Check::Compiler.error(code, range, message)
}

/// BCP029
pub fn invalid_resource_type(range: TextRange) -> Diagnostic {
    error("BCP029", range, "Expected a resource type as in 'Provider/type@version'")
}

/// BCP029, for a type that a file would know with another extension. `is_missing` says that it declares that one.
pub fn extension_not_there(
    range: TextRange,
    reference: &ResourceReference,
    extension: &str,
    is_missing: bool,
) -> Diagnostic {
    let what_to_do = match is_missing {
        true => "whose types are not available".to_owned(),
        false => format!(
            "which this file does not have: write `extension {extension}`, or add it to \"implicitExtensions\""
        ),
    };
    let message = format!("\"{reference}\" is a resource type of \"{extension}\", {what_to_do}");
    error("BCP029", range, message)
}

/// BCP030, BCP031, BCP412
pub fn invalid_declared_type(range: TextRange, code: &'static str) -> Diagnostic {
    error(code, range, "Expected the type of the declaration")
}

/// BCP047
pub fn interpolated_resource_type(range: TextRange) -> Diagnostic {
    error("BCP047", range, "The resource type must be a compile-time constant; an interpolated string is not")
}

/// BCP081
pub fn no_types(range: TextRange, reference: &ResourceReference) -> Diagnostic {
    let message = format!("The resource type \"{reference}\" is not known: its body is not checked");
    Check::Compiler.warning("BCP081", range, message)
}

/// BCP099
pub fn nothing_allowed(range: TextRange) -> Diagnostic {
    error("BCP099", range, "The list of allowed values is empty")
}

/// BCP104, BCP188
pub fn reference_has_errors(range: TextRange, is_template: bool) -> Diagnostic {
    if is_template {
        return error("BCP188", range, "The template has errors");
    }
    error("BCP104", range, "The file has errors")
}

/// BCP112, BCP262, BCP405
pub fn repeated(range: TextRange, code: &'static str, statement: &str) -> Diagnostic {
    error(code, range, format!("A file has only one \"{statement}\" statement"))
}

/// BCP124
pub fn cannot_attach(range: TextRange, name: &str, expected: &Type, actual: &Type) -> Diagnostic {
    let message = format!("\"{name}\" is for declarations of type \"{expected}\", not of type \"{actual}\"");
    error("BCP124", range, message)
}

/// BCP130
pub fn decorators_not_allowed(range: TextRange) -> Diagnostic {
    error("BCP130", range, "Decorators are not allowed here")
}

/// What has to follow a decorator: BCP132, BCP147 to BCP151, BCP153, BCP267, BCP290, BCP292.
pub fn declaration_expected(range: TextRange, flags: Option<FunctionFlags>) -> Diagnostic {
    type Flags = FunctionFlags;
    let typed = Flags::PARAMETER_DECORATOR | Flags::TYPE_DECORATOR;
    let table = [
        (Flags::METADATA_DECORATOR, "BCP267", "a metadata"),
        (Flags::PARAMETER_DECORATOR, "BCP147", "a parameter"),
        (typed | Flags::OUTPUT_DECORATOR, "BCP292", "a parameter, an output or a type"),
        (typed, "BCP290", "a parameter or a type"),
        (Flags::VARIABLE_DECORATOR, "BCP148", "a variable"),
        (Flags::RESOURCE_DECORATOR, "BCP149", "a resource"),
        (Flags::MODULE_DECORATOR, "BCP150", "a module"),
        (Flags::OUTPUT_DECORATOR, "BCP151", "an output"),
        (Flags::RESOURCE_DECORATOR | Flags::MODULE_DECORATOR, "BCP153", "a resource or a module"),
    ];
    let found = table.into_iter().find(|(wanted, ..)| Some(*wanted) == flags);
    let (_, code, what) = found.unwrap_or((Flags::empty(), "BCP132", "a"));
    error(code, range, format!("Expected {what} declaration after the decorator"))
}

/// BCP141
pub fn not_callable(range: TextRange) -> Diagnostic {
    error("BCP141", range, "This cannot be used as a decorator: it is not a decorator function")
}

/// BCP141, BCP152
pub fn not_a_validator(range: TextRange, code: &'static str, name: &str, why: &str) -> Diagnostic {
    error(code, range, format!("The function \"{name}\" cannot be used as a validator: {why}"))
}

/// BCP152
pub fn not_for_validators(range: TextRange, name: &str) -> Diagnostic {
    let message = format!("The validator \"{name}\" is for parameters, outputs, types and parts of types");
    error("BCP152", range, message)
}

/// BCP154
pub fn batch_size_too_small(range: TextRange, size: i64) -> Diagnostic {
    error("BCP154", range, format!("The batch size is at least 1, found {size}"))
}

/// BCP155
pub fn batch_size_without_loop(range: TextRange, name: &str) -> Diagnostic {
    error("BCP155", range, format!("\"{name}\" is for loops of resources or modules"))
}

/// BCP156
pub fn nested_type_segments(range: TextRange, text: &str) -> Diagnostic {
    error("BCP156", range, format!("The type of a nested resource is one word: \"{text}\" has several"))
}

/// BCP157
pub fn outer_resource_type(range: TextRange) -> Diagnostic {
    error("BCP157", range, "The type of the outer resource is not valid")
}

/// BCP166
pub fn duplicate_decorator(range: TextRange, name: &str) -> Diagnostic {
    error("BCP166", range, format!("The decorator \"{name}\" is given more than once"))
}

/// BCP168
pub fn negative_length(range: TextRange) -> Diagnostic {
    error("BCP168", range, "A length is not negative")
}

/// BCP174
pub fn providers_segment(range: TextRange) -> Diagnostic {
    let message = "The resource type has a \"providers\" segment: give the resource a \"scope\" instead";
    Check::Compiler.warning("BCP174", range, message)
}

/// BCP205
pub fn no_configuration(range: TextRange, name: &str) -> Diagnostic {
    error("BCP205", range, format!("The extension \"{name}\" takes no configuration"))
}

/// BCP206
pub fn configuration_required(range: TextRange, name: &str, configuration: &Type) -> Diagnostic {
    let mut message = format!("The extension \"{name}\" needs a configuration");
    if let Some(object) = configuration.as_object() {
        let properties = object.properties.iter();
        let required = properties.filter(|(_, it)| it.flags.contains(PropertyFlags::REQUIRED));
        message.push_str(&format!(", `with` these properties: {}", quoted(required.map(|(name, _)| name))));
    }
    error("BCP206", range, message)
}

/// BCP207
pub fn duplicate_namespace(range: TextRange, name: &str) -> Diagnostic {
    error("BCP207", range, format!("The extension \"{name}\" is declared more than once"))
}

/// BCP208
pub fn unknown_namespace<'a>(
    range: TextRange,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    error("BCP208", range, format!("There is no namespace \"{name}\". There are: {}", quoted(known)))
}

/// BCP209
pub fn not_in_extension(range: TextRange, namespace: &str, reference: &ResourceReference) -> Diagnostic {
    error("BCP209", range, format!("The namespace \"{namespace}\" has no resource type \"{reference}\""))
}

/// BCP210
pub fn parent_in_other_namespace(range: TextRange, namespace: &str, parent: &str) -> Diagnostic {
    let message = format!("The resource is in \"{namespace}\", its parent in \"{parent}\"");
    error("BCP210", range, message)
}

/// BCP227
pub fn resource_type_not_supported(range: TextRange) -> Diagnostic {
    error("BCP227", range, "Only resource types of Azure can be types of parameters and outputs")
}

/// BCP230
pub fn module_without_types(range: TextRange, reference: &ResourceReference) -> Diagnostic {
    let message = format!("The module uses the resource type \"{reference}\", about which nothing is known");
    Check::Compiler.warning("BCP230", range, message)
}

/// BCP231
pub fn resource_typed_needs_feature(range: TextRange) -> Diagnostic {
    error("BCP231", range, "Resource types as types need the feature \"resourceTypedParamsAndOutputs\"")
}

/// BCP245
pub fn only_existing(range: TextRange, reference: &ResourceReference) -> Diagnostic {
    let message = format!("\"{reference}\" cannot be deployed, only referred to as \"existing\"");
    Check::Compiler.warning("BCP245", range, message)
}

/// BCP258
pub fn parameters_not_assigned<'a>(range: TextRange, names: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    error("BCP258", range, format!("These parameters need a value: {}", quoted(names)))
}

/// BCP259
pub fn parameter_not_declared(range: TextRange, name: &str) -> Diagnostic {
    error("BCP259", range, format!("The file has no parameter \"{name}\""))
}

/// BCP261
pub fn using_missing() -> Diagnostic {
    error("BCP261", TextRange::default(), "A parameters file needs a \"using\" statement")
}

/// BCP264
pub fn ambiguous_resource_type<'a>(
    range: TextRange,
    reference: &ResourceReference,
    namespaces: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let message =
        format!("The resource type \"{reference}\" is in several namespaces: {}", quoted(namespaces));
    error("BCP264", range, message)
}

/// BCP295
pub fn not_on_literal(range: TextRange, name: &str) -> Diagnostic {
    error("BCP295", range, format!("\"{name}\" cannot restrict a union or a literal"))
}

/// BCP308
pub fn not_on_alias(range: TextRange, name: &str) -> Diagnostic {
    error(
        "BCP308",
        range,
        format!(
            "\"{name}\" cannot decorate a reference to a declared type: decorate the declaration of the type"
        ),
    )
}

/// BCP316
pub fn sealed_with_additional(range: TextRange) -> Diagnostic {
    error("BCP316", range, "A type with additional properties cannot be sealed")
}

/// BCP319
pub fn invalid_template_type(reason: &str) -> Diagnostic {
    error("BCP319", TextRange::default(), format!("The template has a type that cannot be read: {reason}"))
}

/// BCP326
pub fn nullable_with_default(range: TextRange) -> Diagnostic {
    error("BCP326", range, "A nullable parameter cannot have a default value")
}

/// BCP337
pub fn not_in_params_file(range: TextRange) -> Diagnostic {
    error("BCP337", range, "This statement needs the feature \"moduleExtensionConfigs\"")
}

/// BCP350
pub fn assert_not_bool(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP350", range, format!("An assertion is true or false, found \"{ty}\""))
}

/// BCP360
pub fn not_exported(range: TextRange, name: &str) -> Diagnostic {
    error("BCP360", range, format!("The file does not export \"{name}\""))
}

/// BCP361
pub fn export_of_statement(range: TextRange) -> Diagnostic {
    error("BCP361", range, "Only statements are exported")
}

/// BCP362
pub fn imported_twice<'a>(range: TextRange, names: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    error("BCP362", range, format!("The same declaration is imported under several names: {}", quoted(names)))
}

/// BCP363
pub fn discriminator_without_union(range: TextRange) -> Diagnostic {
    error("BCP363", range, "A discriminator is for unions of objects")
}

/// BCP366
pub fn other_discriminator(range: TextRange, name: &str) -> Diagnostic {
    error("BCP366", range, format!("The discriminator of the union is not \"{name}\""))
}

/// BCP372
pub fn export_reaches<'a>(range: TextRange, names: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    error(
        "BCP372",
        range,
        format!("An exported declaration refers to others that cannot be exported: {}", quoted(names)),
    )
}

/// BCP373
pub fn import_failed(range: TextRange, name: &str, reason: &str) -> Diagnostic {
    error("BCP373", range, format!("\"{name}\" cannot be imported: {reason}"))
}

/// BCP374
pub fn ambiguous_exports(range: TextRange, names: &[SmolStr]) -> Diagnostic {
    error("BCP374", range, format!("The file exports several declarations under one name: {}", quoted(names)))
}

/// BCP386
pub fn not_on_resource_derived(range: TextRange, name: &str) -> Diagnostic {
    error("BCP386", range, format!("\"{name}\" cannot restrict a type that is taken from a resource"))
}

/// BCP392
pub fn unknown_resource_type(range: TextRange, text: &str) -> Diagnostic {
    Check::Compiler.warning("BCP392", range, format!("\"{text}\" is not a resource type"))
}

/// BCP409
pub fn deprecated_resource_type(range: TextRange) -> Diagnostic {
    Check::Compiler.warning("BCP409", range, "\"resource<…>\" is called \"resourceInput<…>\" now")
}

/// BCP423
pub fn alias_required(range: TextRange) -> Diagnostic {
    error("BCP423", range, "An extension that is referred to by its address needs a name: add \"as name\"")
}

/// BCP424
pub fn configurations_missing<'a>(range: TextRange, names: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    error("BCP424", range, format!("These extensions need a configuration: {}", quoted(names)))
}

/// BCP425
pub fn no_such_extension(range: TextRange, name: &str) -> Diagnostic {
    error("BCP425", range, format!("The file has no extension \"{name}\""))
}

/// BCP437
pub fn base_without_extends(range: TextRange) -> Diagnostic {
    error("BCP437", range, "There is no \"base\": the file extends no other")
}

/// BCP438
pub fn base_redeclared(range: TextRange) -> Diagnostic {
    error("BCP438", range, "\"base\" means the extended file here and cannot be declared")
}

/// BCP440
pub fn secure_without_type(range: TextRange) -> Diagnostic {
    error("BCP440", range, "Only a string or an object can be a secret")
}

/// BCP441
pub fn not_as_existing(range: TextRange, reference: &ResourceReference) -> Diagnostic {
    error("BCP441", range, format!("\"{reference}\" cannot be referred to as \"existing\""))
}

/// BCP445
pub fn only_for_existing(range: TextRange) -> Diagnostic {
    error("BCP445", range, "Only a reference to an existing resource may be null")
}

/// BCP452
pub fn needs_deployment<'a>(
    range: TextRange,
    name: &str,
    functions: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!(
        "\"{name}\" calls functions that are only available during a deployment: {}",
        quoted(functions)
    );
    error("BCP452", range, message)
}

/// No code of the reference: the catalogue of resource types is not installed.
pub fn no_catalogue(range: TextRange, extension: &str) -> Diagnostic {
    let message = match extension {
        "az" => "The types of Azure's resources are not installed, so that resources are not checked: run `sinew types install`".to_owned(),
        other => format!("The types of \"{other}\" are not installed, so that its resources are not checked: run `sinew types install {other}`"),
    };
    let mut diagnostic = Check::Compiler.warning("no-resource-types", range, message);
    diagnostic.severity = Severity::Info;
    diagnostic
}
