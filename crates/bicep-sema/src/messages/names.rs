//! About names: what they mean, and where what they mean may be used.

use base::{Check, Diagnostic, TextRange};
use bicep_types::ty::FunctionFlags;

/// BCP028
pub fn duplicate_name(range: TextRange, name: &str) -> Diagnostic {
    Check::Compiler.error(
        "BCP028",
        range,
        format!("\"{name}\" is declared more than once: give each declaration its own name"),
    )
}

/// BCP056
pub fn ambiguous_name<'a>(
    range: TextRange,
    name: &str,
    namespaces: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let mut namespaces: Vec<&str> = namespaces.collect();
    namespaces.sort_unstable();
    let message = format!(
        "\"{name}\" is in several namespaces: {}. Write the namespace before it",
        namespaces.join(", ")
    );
    Check::Compiler.error("BCP056", range, message)
}

/// BCP057, BCP082
pub fn unknown_name(range: TextRange, name: &str, suggestion: Option<&str>) -> Diagnostic {
    match suggestion {
        None => Check::Compiler.error("BCP057", range, format!("Nothing here is called \"{name}\"")),
        Some(other) => {
            let message = format!("Nothing here is called \"{name}\". Did you mean \"{other}\"?");
            Check::Compiler.error("BCP082", range, message).with_fix(
                format!("Change \"{name}\" to \"{other}\""),
                range,
                other,
            )
        }
    }
}

/// BCP060, BCP061, BCP069, BCP100, BCP101, BCP102
pub fn banned_function(range: TextRange, name: &str, operator: &str) -> Diagnostic {
    match name {
        "variables" => Check::Compiler.error(
            "BCP060",
            range,
            "There is no function \"variables\": name the variable itself",
        ),
        "parameters" => Check::Compiler.error(
            "BCP061",
            range,
            "There is no function \"parameters\": name the parameter itself",
        ),
        "if" => {
            Check::Compiler.error("BCP100", range, "There is no function \"if\": write \"condition ? a : b\"")
        }
        "createArray" => {
            Check::Compiler.error("BCP101", range, "There is no function \"createArray\": write \"[ … ]\"")
        }
        "createObject" => {
            Check::Compiler.error("BCP102", range, "There is no function \"createObject\": write \"{ … }\"")
        }
        name => {
            let message = format!("There is no function \"{name}\": use the operator \"{operator}\"");
            Check::Compiler.error("BCP069", range, message)
        }
    }
}

/// BCP084
pub fn reserved_name(range: TextRange, name: &str) -> Diagnostic {
    Check::Compiler.error(
        "BCP084",
        range,
        format!("\"{name}\" is the name of a namespace: choose another name"),
    )
}

/// BCP145
pub fn duplicate_output(range: TextRange, name: &str) -> Diagnostic {
    Check::Compiler.error("BCP145", range, format!("The output \"{name}\" is declared more than once"))
}

/// BCP158
pub fn resource_required(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP158",
        range,
        "Only a resource has nested resources: expected a resource before \"::\"",
    )
}

/// BCP159
pub fn nested_resource_not_found(range: TextRange, outer: &str, name: &str) -> Diagnostic {
    Check::Compiler.error(
        "BCP159",
        range,
        format!("The resource \"{outer}\" has no nested resource called \"{name}\""),
    )
}

/// BCP268
pub fn reserved_metadata(range: TextRange, name: &str) -> Diagnostic {
    Check::Compiler.error("BCP268", range, format!("Metadata that start with \"_\" are reserved: \"{name}\""))
}

/// What is wrong with calling a function at a place, if anything: BCP065, BCP066, BCP125 to BCP129, BCP152, BCP269,
/// BCP297.
pub fn function_not_allowed(
    range: TextRange,
    name: &str,
    function: FunctionFlags,
    allowed: FunctionFlags,
) -> Option<Diagnostic> {
    type Flags = FunctionFlags;
    let misses = |flag: Flags| function.contains(flag) && !allowed.contains(flag);
    if misses(Flags::PARAM_DEFAULTS_ONLY) {
        let message = format!("\"{name}\" can only be called in the default value of a parameter");
        return Some(Check::Compiler.error("BCP065", range, message));
    }
    if misses(Flags::REQUIRES_INLINING) {
        let message = format!(
            "\"{name}\" can only be called in the body of a resource, a module, an output or a variable"
        );
        return Some(Check::Compiler.error("BCP066", range, message));
    }
    let is_decorator = function.intersects(Flags::ANY_DECORATOR);
    if is_decorator && allowed.contains(Flags::ANY_DECORATOR) {
        return None;
    }
    if !is_decorator && allowed.intersects(Flags::ANY_DECORATOR) {
        return Some(Check::Compiler.error("BCP152", range, format!("\"{name}\" is not a decorator")));
    }
    let targets = [
        (Flags::PARAMETER_DECORATOR, "BCP125", "parameters"),
        (Flags::TYPE_DECORATOR, "BCP297", "types"),
        (Flags::VARIABLE_DECORATOR, "BCP126", "variables"),
        (Flags::RESOURCE_DECORATOR, "BCP127", "resources"),
        (Flags::MODULE_DECORATOR, "BCP128", "modules"),
        (Flags::OUTPUT_DECORATOR, "BCP129", "outputs"),
        (Flags::METADATA_DECORATOR, "BCP269", "metadata"),
    ];
    targets.into_iter().find(|(flag, ..)| !function.contains(*flag) && allowed.contains(*flag)).map(
        |(_, code, targets)| {
            Check::Compiler.error(code, range, format!("\"{name}\" cannot decorate {targets}"))
        },
    )
}
