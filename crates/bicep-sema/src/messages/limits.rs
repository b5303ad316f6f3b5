//! About what a template cannot express.

use base::{Diagnostic, TextRange};

/// BCP010
pub fn integer_too_large(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP010", range, "This integer does not fit into 64 bits")
}

/// BCP138
pub fn loop_not_allowed(range: TextRange) -> Diagnostic {
    let message = "A loop cannot stand here: only as the whole value of a resource, module, variable, output or property";
    Diagnostic::error("BCP138", range, message)
}

/// BCP142
pub fn nested_property_loop(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP142", range, "A loop over a property cannot stand inside another one")
}

/// BCP143
pub fn computed_key_with_loop(range: TextRange) -> Diagnostic {
    Diagnostic::error(
        "BCP143",
        range,
        "A property that a loop fills must have a name that is known: this one is computed",
    )
}

/// BCP160
pub fn nested_resource_in_loop(range: TextRange) -> Diagnostic {
    Diagnostic::error(
        "BCP160",
        range,
        "A resource cannot be nested in one that a loop declares: use `parent` instead",
    )
}

/// BCP183
pub fn params_not_literal(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP183", range, "The parameters of a module are written out as an object literal")
}

/// BCP239
pub fn reserved_variable(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP239", range, "Templates keep the name \"copy\" for themselves: choose another one")
}

/// BCP242
pub fn lambda_outside_argument(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP242", range, "A lambda can only stand as an argument of a function")
}

/// BCP247
pub fn lambda_variable_in_index(range: TextRange, variables: &[String]) -> Diagnostic {
    let names = variables.join(", ");
    let message = format!("Which resource or module is meant cannot depend on a lambda variable: {names}");
    Diagnostic::error("BCP247", range, message)
}

/// BCP248
pub fn lambda_variable_in_call(range: TextRange, function: &str, variables: &[String]) -> Diagnostic {
    let names = variables.join(", ");
    Diagnostic::error(
        "BCP248",
        range,
        format!("The arguments of \"{function}\" cannot depend on a lambda variable: {names}"),
    )
}

/// BCP323
pub fn safe_index_of_collection(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP323", range, "A collection of resources or modules cannot be indexed with \"[?\"")
}

/// BCP348
pub fn test_needs_feature(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP348", range, "Tests need the experimental feature \"testFramework\"")
}

/// BCP349
pub fn assert_needs_feature(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP349", range, "Assertions need the experimental feature \"assertions\"")
}

/// BCP353
pub fn differ_only_in_case(range: TextRange, table: &str, names: &[&str]) -> Diagnostic {
    let names = names.join(", ");
    Diagnostic::error(
        "BCP353",
        range,
        format!("These {table} differ only in case, which templates do not see: {names}"),
    )
}

/// BCP401
pub fn spread_not_allowed(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP401", range, "Nothing can be spread here: write the properties out")
}

/// BCP417
pub fn spread_beside_loop(range: TextRange) -> Diagnostic {
    Diagnostic::error(
        "BCP417",
        range,
        "Nothing can be spread into an object that has a property filled by a loop",
    )
}

/// BCP435
pub fn using_with_needs_feature(range: TextRange) -> Diagnostic {
    Diagnostic::error("BCP435", range, "\"with\" needs the experimental feature \"deployCommands\"")
}

/// BCP443
pub fn using_needs_with(range: TextRange) -> Diagnostic {
    let message =
        "With the experimental feature \"deployCommands\", \"using\" needs \"with\" and how to deploy";
    Diagnostic::error("BCP443", range, message)
}
