//! About values that do not fit where they stand, and about types as such.

use base::{Check, Diagnostic, Severity, SmolStr, TextRange};
use bicep_types::ty::Type;

use super::lists::{quoted, way};

fn error(code: &'static str, range: TextRange, message: impl Into<String>) -> Diagnostic {
    Check::Compiler.error(code, range, message)
}

/// An error, or a warning where the expected type is not to be trusted that much.
fn graded(is_warning: bool, code: &'static str, range: TextRange, message: impl Into<String>) -> Diagnostic {
    if is_warning { Check::Compiler.warning(code, range, message) } else { error(code, range, message) }
}

/// Where a value that is at fault was written, if not in the place where it is used.
fn written_in(variable: Option<&str>) -> String {
    variable.map(|name| format!(" (the value comes from \"{name}\")")).unwrap_or_default()
}

/// Stands for what is wrong with a value whose type is an error. It has been reported where it is, but it makes an
/// attempt to assign fail.
pub fn reported(range: TextRange) -> Diagnostic {
    error(REPORTED, range, "")
}

/// No code of a message that is shown.
const REPORTED: &str = "";

/// Whether this is [`reported`].
pub fn is_reported(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == REPORTED
}

/// BCP025
pub fn duplicate_property(range: TextRange, name: &str) -> Diagnostic {
    error("BCP025", range, format!("The property \"{name}\" is given more than once"))
}

/// BCP032
pub fn constant_required(range: TextRange) -> Diagnostic {
    error("BCP032", range, "The value must be a compile-time constant")
}

/// BCP033
pub fn mismatch(range: TextRange, is_warning: bool, expected: &Type, actual: &Type) -> Diagnostic {
    // The type of a constant is its value, which may come from the environment.
    let message = if expected.is_secure() {
        format!(
            "Expected a value of type \"{expected}\", found another one, which is not shown as it is a secret"
        )
    } else {
        format!("Expected a value of type \"{expected}\", found \"{actual}\"")
    };
    graded(is_warning, "BCP033", range, message)
}

/// BCP034
pub fn item_mismatch(range: TextRange, is_warning: bool, expected: &Type, actual: &Type) -> Diagnostic {
    let message = format!("Expected an item of type \"{expected}\", found \"{actual}\"");
    graded(is_warning, "BCP034", range, message)
}

/// BCP035
pub fn missing_properties(
    range: TextRange,
    is_warning: bool,
    names: &[SmolStr],
    variable: Option<&str>,
) -> Diagnostic {
    let message =
        format!("These properties are required and missing: {}{}", quoted(names), written_in(variable));
    graded(is_warning, "BCP035", range, message)
}

/// What a property expects and what it gets.
#[derive(Clone, Copy)]
pub struct PropertyMismatch<'a> {
    /// Where the value stands.
    pub range: TextRange,
    /// Whether the expected type is only published knowledge.
    pub is_warning: bool,
    /// The property.
    pub name: &'a str,
    /// What it takes.
    pub expected: &'a Type,
    /// What it was given.
    pub actual: &'a Type,
}

/// BCP036
pub fn property_mismatch(at: PropertyMismatch<'_>, variable: Option<&str>) -> Diagnostic {
    let PropertyMismatch { range, is_warning, name, expected, actual } = at;
    let message = format!(
        "The property \"{name}\" takes a value of type \"{expected}\", found \"{actual}\"{}",
        written_in(variable)
    );
    graded(is_warning, "BCP036", range, message)
}

/// BCP037
pub fn property_not_allowed(
    range: TextRange,
    is_warning: bool,
    name: &str,
    ty: &Type,
    allowed: &[&SmolStr],
) -> Diagnostic {
    let hint = if allowed.is_empty() {
        String::from("No further properties are allowed")
    } else {
        format!("Allowed are: {}", quoted(allowed.iter().map(|name| name.as_str())))
    };
    let message = format!("The property \"{name}\" is not allowed on \"{ty}\". {hint}");
    graded(is_warning, "BCP037", range, message)
}

/// BCP040
pub fn computed_key_not_allowed(range: TextRange, is_warning: bool, ty: &Type) -> Diagnostic {
    graded(is_warning, "BCP040", range, format!("Properties of \"{ty}\" cannot have computed names"))
}

/// BCP041
pub fn not_a_value(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP041", range, format!("\"{ty}\" is not a value and cannot be assigned"))
}

/// BCP044
pub fn unary_operator(range: TextRange, operator: &str, operand: &Type) -> Diagnostic {
    error("BCP044", range, format!("\"{operator}\" cannot be applied to \"{operand}\""))
}

/// BCP045
pub fn binary_operator(range: TextRange, operator: &str, left: &Type, right: &Type) -> Diagnostic {
    let hint = if operator == "+" { ". Use string interpolation to concatenate" } else { "" };
    let message = format!("\"{operator}\" cannot be applied to \"{left}\" and \"{right}\"{hint}");
    error("BCP045", range, message)
}

/// BCP046
pub fn condition_mismatch(range: TextRange, expected: &Type) -> Diagnostic {
    error("BCP046", range, format!("Expected a value of type \"{expected}\""))
}

/// BCP049
pub fn index_of_any(range: TextRange, index: &Type) -> Diagnostic {
    error("BCP049", range, format!("An index is an integer or a string, found \"{index}\""))
}

/// BCP052, BCP053, BCP083
pub fn unknown_property(
    range: TextRange,
    is_warning: bool,
    name: &str,
    ty: &Type,
    available: &[&SmolStr],
) -> Diagnostic {
    if available.is_empty() {
        let message = format!("\"{ty}\" has no property \"{name}\"");
        return graded(is_warning, "BCP052", range, message);
    }
    if let Some(other) = base::spelling::suggest(name, available.iter().map(|name| name.as_str())) {
        let message = format!("\"{ty}\" has no property \"{name}\". Did you mean \"{other}\"?");
        return graded(is_warning, "BCP083", range, message).with_fix(
            format!("Change \"{name}\" to \"{other}\""),
            range,
            other,
        );
    }
    let message = format!(
        "\"{ty}\" has no property \"{name}\". It has: {}",
        quoted(available.iter().map(|name| name.as_str()))
    );
    graded(is_warning, "BCP053", range, message)
}

/// BCP054
pub fn no_properties(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP054", range, format!("\"{ty}\" has no properties"))
}

/// BCP055
pub fn object_required(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP055", range, format!("\"{ty}\" has no properties: only objects do"))
}

/// BCP062
pub fn declaration_has_errors(range: TextRange, name: &str) -> Diagnostic {
    error("BCP062", range, format!("The declaration of \"{name}\" has errors"))
}

/// BCP063
pub fn not_a_variable(range: TextRange, name: &str) -> Diagnostic {
    error("BCP063", range, format!("\"{name}\" is not a value"))
}

/// BCP067
pub fn object_required_for_call(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP067", range, format!("\"{ty}\" has no functions: only objects do"))
}

/// BCP072
pub fn not_in_default(range: TextRange) -> Diagnostic {
    error("BCP072", range, "The default of a parameter can only refer to other parameters")
}

/// BCP073
pub fn read_only(range: TextRange, is_warning: bool, name: &str) -> Diagnostic {
    graded(is_warning, "BCP073", range, format!("The property \"{name}\" is read-only"))
}

/// BCP074
pub fn integer_index_required(range: TextRange, index: &Type) -> Diagnostic {
    error("BCP074", range, format!("The index of an array is an integer, found \"{index}\""))
}

/// BCP075
pub fn string_index_required(range: TextRange, index: &Type) -> Diagnostic {
    error("BCP075", range, format!("The index of an object is a string, found \"{index}\""))
}

/// BCP076
pub fn cannot_index(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP076", range, format!("\"{ty}\" has no index: only arrays and objects do"))
}

/// BCP077
pub fn write_only(range: TextRange, is_warning: bool, name: &str, ty: &Type) -> Diagnostic {
    let message = format!("The property \"{name}\" of \"{ty}\" is write-only");
    graded(is_warning, "BCP077", range, message)
}

/// BCP078
pub fn missing_discriminator(range: TextRange, is_warning: bool, name: &str, values: &Type) -> Diagnostic {
    graded(is_warning, "BCP078", range, format!("The property \"{name}\" is required: one of {values}"))
}

/// BCP079, BCP080
pub fn cycle<'n>(range: TextRange, length: usize, names: impl Iterator<Item = &'n str>) -> Diagnostic {
    if length == 1 {
        return error("BCP079", range, "The declaration refers to itself");
    }
    error("BCP080", range, format!("The declarations form a cycle: {}", way(names)))
}

/// BCP088
pub fn value_suggestion(at: PropertyMismatch<'_>, other: &str) -> Diagnostic {
    let PropertyMismatch { range, is_warning, name, expected, actual } = at;
    let message = format!(
        "The property \"{name}\" takes a value of type \"{expected}\", found {actual}. Did you mean {other}?"
    );
    graded(is_warning, "BCP088", range, message).with_fix(format!("Change {actual} to {other}"), range, other)
}

/// BCP089
pub fn property_suggestion(
    range: TextRange,
    is_warning: bool,
    name: &str,
    ty: &Type,
    other: &str,
) -> Diagnostic {
    let message = format!("The property \"{name}\" is not allowed on \"{ty}\". Did you mean \"{other}\"?");
    graded(is_warning, "BCP089", range, message).with_fix(
        format!("Change \"{name}\" to \"{other}\""),
        range,
        other,
    )
}

/// BCP137
pub fn not_iterable(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP137", range, format!("A loop needs an array, found \"{ty}\""))
}

/// BCP173
pub fn not_in_existing(range: TextRange, name: &str) -> Diagnostic {
    error("BCP173", range, format!("The property \"{name}\" cannot be given for an existing resource"))
}

/// BCP176
pub fn any_not_allowed(range: TextRange) -> Diagnostic {
    error("BCP176", range, "A value of type \"any\" is not allowed here")
}

/// BCP187
pub fn doubtful_property(range: TextRange, is_info: bool, name: &str) -> Diagnostic {
    let message = format!("The property \"{name}\" is not declared by the type, though it may be valid");
    let mut diagnostic = Check::Compiler.warning("BCP187", range, message);
    if is_info {
        diagnostic.severity = Severity::Info;
    }
    diagnostic
}

/// BCP225
pub fn unknown_discriminator(range: TextRange, name: &str) -> Diagnostic {
    let message = format!(
        "The value of \"{name}\" is not known at compile time: the properties beside it are not checked"
    );
    Check::Compiler.warning("BCP225", range, message)
}

/// BCP244
pub fn lambda_arity(range: TextRange, ty: &Type, actual: usize) -> Diagnostic {
    error("BCP244", range, format!("Expected a function of type \"{ty}\", found one with {actual} arguments"))
}

/// BCP285
pub fn type_not_literal(range: TextRange) -> Diagnostic {
    error("BCP285", range, "The type is not a compile-time literal")
}

/// BCP286
pub fn union_member(range: TextRange, keystone: &str) -> Diagnostic {
    error("BCP286", range, format!("The member of the union is not a \"{keystone}\""))
}

/// BCP287
pub fn value_used_as_type(range: TextRange, name: &str) -> Diagnostic {
    error("BCP287", range, format!("\"{name}\" is a value and not a type"))
}

/// BCP288
pub fn type_used_as_value(range: TextRange, name: &str) -> Diagnostic {
    error("BCP288", range, format!("\"{name}\" is a type and not a value"))
}

/// BCP289
pub fn invalid_type(range: TextRange) -> Diagnostic {
    error("BCP289", range, "This is not a type")
}

/// BCP293
pub fn union_member_not_literal(range: TextRange) -> Diagnostic {
    error("BCP293", range, "The members of a union are literals")
}

/// BCP294
pub fn invalid_union(range: TextRange) -> Diagnostic {
    error("BCP294", range, "The members of a union must all be of one type")
}

/// BCP296
pub fn computed_type_key(range: TextRange) -> Diagnostic {
    error("BCP296", range, "The names of the properties of a type are constants")
}

/// BCP298, BCP299
pub fn type_cycle<'n>(range: TextRange, length: usize, names: impl Iterator<Item = &'n str>) -> Diagnostic {
    if length == 1 {
        return error("BCP298", range, "The type is recursive without an end: no value can have it");
    }
    error("BCP299", range, format!("The types form a cycle without an end: {}", way(names)))
}

/// BCP301
pub fn reserved_type_name(range: TextRange, name: &str) -> Diagnostic {
    error("BCP301", range, format!("A type cannot be called \"{name}\""))
}

/// BCP302
pub fn not_a_type(range: TextRange, name: &str) -> Diagnostic {
    error("BCP302", range, format!("\"{name}\" is not a type"))
}

/// BCP306
pub fn namespace_used_as_type(range: TextRange, name: &str) -> Diagnostic {
    error("BCP306", range, format!("\"{name}\" is a namespace and not a type"))
}

/// BCP309
pub fn cannot_flatten(range: TextRange, ty: &Type, part: &Type) -> Diagnostic {
    error("BCP309", range, format!("\"{ty}\" cannot be flattened: \"{part}\" is not an array"))
}

/// BCP311
pub fn index_out_of_bounds(range: TextRange, ty: &Type, length: usize, index: i64) -> Diagnostic {
    error("BCP311", range, format!("There is no item {index}: \"{ty}\" has {length} items"))
}

/// BCP315
pub fn duplicate_additional(range: TextRange) -> Diagnostic {
    error("BCP315", range, "The type of additional properties is declared more than once")
}

/// BCP318
pub fn possibly_null(range: TextRange, ty: &Type) -> Diagnostic {
    Check::Compiler.warning(
        "BCP318",
        range,
        format!("The value of type \"{ty}\" may be null: this would fail then. Use \".?\" or \"!\""),
    )
}

/// BCP321
pub fn null_assignment(range: TextRange, expected: &Type, actual: &Type, operand: TextRange) -> Diagnostic {
    let message =
        format!("Expected a value of type \"{expected}\", but the value of type \"{actual}\" may be null");
    Check::Compiler.warning("BCP321", range, message).with_fix(
        "Say that the value is not null",
        TextRange::empty(operand.end()),
        "!",
    )
}

/// An operand as it is written.
#[derive(Clone, Copy)]
pub struct WrittenOperand<'a> {
    pub range: TextRange,
    pub text: &'a str,
}

/// BCP321, for one of the operands of an operator: the range is that of the operation.
pub fn null_operand(
    range: TextRange,
    expected: &Type,
    actual: &Type,
    operand: WrittenOperand<'_>,
) -> Diagnostic {
    let WrittenOperand { range: operand, text } = operand;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message =
        format!("Expected a value of type \"{expected}\", but `{text}` of type \"{actual}\" may be null");
    Diagnostic { message, ..null_assignment(range, expected, actual, operand) }
}

/// Ranges of numbers or lengths that do not overlap or not enough: BCP327 to BCP330, BCP332 to BCP335.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Every possible value is too large.
    High,
    /// Every possible value is too small.
    Low,
    /// Some values are too small.
    Below,
    /// Some values are too large.
    Above,
}

/// A number or length that is out of its bounds.
#[derive(Clone, Copy)]
pub struct OutOfBounds {
    pub bounds: Bounds,
    pub is: i64,
    pub limit: i64,
}

/// BCP327, BCP328, BCP329, BCP330
pub fn integer_bounds(range: TextRange, is_warning: bool, found: OutOfBounds) -> Diagnostic {
    let OutOfBounds { bounds, is, limit } = found;
    match bounds {
        Bounds::High => graded(
            is_warning,
            "BCP327",
            range,
            format!("The value is at least {is}, but at most {limit} is allowed"),
        ),
        Bounds::Low => graded(
            is_warning,
            "BCP328",
            range,
            format!("The value is at most {is}, but at least {limit} is required"),
        ),
        Bounds::Below => graded(
            true,
            "BCP329",
            range,
            format!("The value can be as small as {is}, but at least {limit} is required"),
        ),
        Bounds::Above => graded(
            true,
            "BCP330",
            range,
            format!("The value can be as large as {is}, but at most {limit} is allowed"),
        ),
    }
}

/// BCP332, BCP333, BCP334, BCP335
pub fn length_bounds(range: TextRange, is_warning: bool, found: OutOfBounds) -> Diagnostic {
    let OutOfBounds { bounds, is, limit } = found;
    match bounds {
        Bounds::High => graded(
            is_warning,
            "BCP332",
            range,
            format!("The length is at least {is}, but at most {limit} is allowed"),
        ),
        Bounds::Low => graded(
            is_warning,
            "BCP333",
            range,
            format!("The length is at most {is}, but at least {limit} is required"),
        ),
        Bounds::Below => graded(
            true,
            "BCP334",
            range,
            format!("The length can be as small as {is}, but at least {limit} is required"),
        ),
        Bounds::Above => graded(
            true,
            "BCP335",
            range,
            format!("The length can be as large as {is}, but at most {limit} is allowed"),
        ),
    }
}

/// BCP331
pub fn min_exceeds_max(range: TextRange, what: &str, min: i64, max: i64) -> Diagnostic {
    error("BCP331", range, format!("The smallest {what} {min} is larger than the largest {max}"))
}

/// BCP339
pub fn negative_index(range: TextRange, index: i64) -> Diagnostic {
    error("BCP339", range, format!("There is no item {index}: items are counted from zero"))
}

/// BCP364
pub fn discriminator_missing(range: TextRange, name: &str) -> Diagnostic {
    error(
        "BCP364",
        range,
        format!("Every member must require \"{name}\" and declare it as one string literal"),
    )
}

/// BCP365
pub fn discriminator_duplicate(range: TextRange, name: &str, value: &str) -> Diagnostic {
    error("BCP365", range, format!("Another member has the same value of \"{name}\": {value}"))
}

/// BCP383
pub fn takes_no_arguments(range: TextRange, name: &str) -> Diagnostic {
    error("BCP383", range, format!("The type \"{name}\" takes no arguments"))
}

/// BCP384
pub fn takes_arguments(range: TextRange, name: &str) -> Diagnostic {
    error("BCP384", range, format!("The type \"{name}\" takes one argument"))
}

/// BCP387
pub fn negative_type_index(range: TextRange) -> Diagnostic {
    error("BCP387", range, "The index of a tuple type is not negative")
}

/// BCP388
pub fn tuple_required(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP388", range, format!("\"{ty}\" has no items by index: only tuples do"))
}

/// BCP389
pub fn additional_required(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP389", range, format!("\"{ty}\" has no type for additional properties"))
}

/// BCP390
pub fn typed_array_required(range: TextRange) -> Diagnostic {
    error("BCP390", range, "The type has no type for its items")
}

/// BCP391
pub fn named_base_required(range: TextRange) -> Diagnostic {
    error("BCP391", range, "Only named types can be accessed by property or index")
}

/// BCP394
pub fn whole_resource_body(range: TextRange) -> Diagnostic {
    error("BCP394", range, "The body of a resource as a whole is not a type: name one of its properties")
}

/// BCP402
pub fn spread_mismatch(range: TextRange, expected: &Type) -> Diagnostic {
    error("BCP402", range, format!("Only a value of type \"{expected}\" can be spread here"))
}

/// BCP403
pub fn spread_item_mismatch(
    range: TextRange,
    is_warning: bool,
    expected: &Type,
    actual: &Type,
) -> Diagnostic {
    let message = format!("Expected items of type \"{expected}\", found \"{actual}\"");
    graded(is_warning, "BCP403", range, message)
}

/// BCP410
pub fn division_by_zero(range: TextRange) -> Diagnostic {
    error("BCP410", range, "Division by zero")
}

/// BCP411
pub fn no_template_type(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP411", range, format!("Values of type \"{ty}\" cannot be passed here"))
}

/// BCP414
pub fn from_end_of(range: TextRange, ty: &Type) -> Diagnostic {
    error("BCP414", range, format!("\"{ty}\" cannot be indexed from the end: only arrays can"))
}

/// BCP415
pub fn from_end_with(range: TextRange, index: &Type) -> Diagnostic {
    error("BCP415", range, format!("An index from the end must be an integer, found \"{index}\""))
}

/// BCP416
pub fn pattern_mismatch(range: TextRange, is_warning: bool, pattern: &str) -> Diagnostic {
    graded(is_warning, "BCP416", range, format!("The text does not match the pattern \"{pattern}\""))
}
