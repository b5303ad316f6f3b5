//! About what a template cannot express.

use base::{Check, Diagnostic, TextRange};
use bicep_types::ty::{ResourceReference, Scopes};

use super::lists::quoted;

/// Why a value is not known when a deployment starts.
#[derive(Debug, Clone)]
pub struct Reason {
    /// The variables through which it comes.
    pub path: Vec<String>,
    /// The resource, module or call that gives it.
    pub subject: String,
    /// The property that is asked for.
    pub property: Option<String>,
    /// What could be asked for instead.
    pub readable: Vec<String>,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(property) = &self.property {
            write!(f, "\"{property}\" of ")?;
        }
        write!(f, "\"{}\" is only known while the deployment runs", self.subject)?;
        if !self.path.is_empty() {
            write!(f, ", and is used here through {}", quoted(&self.path))?;
        }
        if !self.readable.is_empty() {
            write!(f, "; known before are {}", quoted(&self.readable))?;
        }
        Ok(())
    }
}

fn scope_names(scopes: Scopes) -> String {
    quoted(scopes.names())
}

/// BCP010
pub fn integer_too_large(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP010", range, "This integer does not fit into 64 bits")
}

/// BCP113, BCP114, BCP115, BCP116: by where the file is deployed
pub fn module_out_of_reach(range: TextRange, target: Scopes) -> Option<Diagnostic> {
    let (code, reachable) = match target {
        Scopes::TENANT => (
            "BCP113",
            "the tenant, a management group or subscription by name, or a resource group by subscription and name",
        ),
        Scopes::MANAGEMENT_GROUP => (
            "BCP114",
            "the tenant, a management group, a subscription by id, or a resource group by subscription and name",
        ),
        Scopes::SUBSCRIPTION => ("BCP115", "the tenant, a subscription, or a resource group by name"),
        Scopes::RESOURCE_GROUP => ("BCP116", "the tenant, a subscription, or a resource group"),
        _ => return None,
    };
    let message = format!(
        "A module cannot be deployed there from where this file is deployed. It can be deployed to {reachable}"
    );
    Some(Check::Compiler.error(code, range, message))
}

/// BCP120
pub fn runtime_value_in_property(range: TextRange, property: &str, reason: &Reason) -> Diagnostic {
    let message = format!("The value of \"{property}\" must be known when the deployment starts: {reason}");
    Check::Compiler.error("BCP120", range, message)
}

/// BCP121
pub fn same_resource_name(range: TextRange, resources: &[&str]) -> Diagnostic {
    let message = format!("These resources have the same type and name: {}", quoted(resources));
    Check::Compiler.error("BCP121", range, message)
}

/// BCP122
pub fn same_module_name(range: TextRange, modules: &[&str]) -> Diagnostic {
    let message = format!("These modules have the same name and scope: {}", quoted(modules));
    Check::Compiler.error("BCP122", range, message)
}

/// BCP134
pub fn module_scope(range: TextRange, supplied: Scopes, supported: Scopes) -> Diagnostic {
    let message = format!(
        "The module cannot be deployed to a scope of the kind {}, only to {}",
        scope_names(supplied),
        scope_names(supported)
    );
    Check::Compiler.error("BCP134", range, message)
}

/// BCP135
pub fn resource_scope(range: TextRange, supplied: Scopes, supported: Scopes) -> Diagnostic {
    let message = format!(
        "This type of resource cannot be deployed to a scope of the kind {}, only to {}",
        scope_names(supplied),
        scope_names(supported)
    );
    Check::Compiler.error("BCP135", range, message)
}

/// BCP138
pub fn loop_not_allowed(range: TextRange) -> Diagnostic {
    let message = "A loop is not allowed here, only as the whole value of a resource, module, variable, output or property";
    Check::Compiler.error("BCP138", range, message)
}

/// BCP139
pub fn resource_out_of_reach(range: TextRange) -> Diagnostic {
    let message = "A resource is deployed where its file is deployed: use a module to deploy it elsewhere";
    Check::Compiler.error("BCP139", range, message)
}

/// BCP142
pub fn nested_property_loop(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP142", range, "Property loops cannot be nested")
}

/// BCP143
pub fn computed_key_with_loop(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP143",
        range,
        "A property that a loop fills must have a name that is known: this one is computed",
    )
}

/// BCP144
pub fn collection_as_value(range: TextRange, path: &[String]) -> Diagnostic {
    let through = if path.is_empty() { String::new() } else { format!(" (through {})", quoted(path)) };
    let message =
        format!("A collection of resources or modules cannot be used as a whole here{through}: index it");
    Check::Compiler.error("BCP144", range, message)
}

/// BCP160
pub fn nested_resource_in_loop(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP160",
        range,
        "A resource cannot be nested in one that a loop declares: use `parent` instead",
    )
}

/// BCP164
pub fn scope_of_child(range: TextRange) -> Diagnostic {
    let message = "The scope of a child resource is that of its oldest ancestor: set it there";
    Check::Compiler.error("BCP164", range, message)
}

/// BCP165
pub fn scope_of_ancestor(range: TextRange, ancestor: &str) -> Diagnostic {
    let message = format!(
        "A resource is deployed where its file is deployed, but its ancestor \"{ancestor}\" is elsewhere: use a module"
    );
    Check::Compiler.error("BCP165", range, message)
}

/// BCP169
pub fn name_parts(range: TextRange, parts: usize) -> Diagnostic {
    let message = format!(
        "The name of a resource of this type has as many parts as the type: {parts}, with \"/\" between them"
    );
    Check::Compiler.error("BCP169", range, message)
}

/// BCP170
pub fn child_name_has_parts(range: TextRange) -> Diagnostic {
    let message = "The name of a child resource does not repeat that of its parent, and has no \"/\"";
    Check::Compiler.error("BCP170", range, message)
}

/// BCP177
pub fn runtime_value_in_condition(range: TextRange, reason: &Reason) -> Diagnostic {
    let message = format!("A condition must be known when the deployment starts: {reason}");
    Check::Compiler.error("BCP177", range, message)
}

/// BCP178
pub fn runtime_value_in_loop(range: TextRange, reason: &Reason) -> Diagnostic {
    let message = format!("The collection of a loop must be known when the deployment starts: {reason}");
    Check::Compiler.error("BCP178", range, message)
}

/// BCP179
pub fn invariant_loop(range: TextRange, item: &str, properties: &[&str]) -> Diagnostic {
    let message = format!(
        "Every iteration of the loop deploys the same resource: use \"{item}\" in one of {}",
        quoted(properties)
    );
    Check::Compiler.warning("BCP179", range, message)
}

/// BCP180
pub fn only_for_secure_parameter(range: TextRange, function: &str) -> Diagnostic {
    let message = format!("\"{function}\" can only be called as the value of a secure parameter of a module");
    Check::Compiler.error("BCP180", range, message)
}

/// BCP181
pub fn runtime_value_in_call(range: TextRange, function: &str, reason: &Reason) -> Diagnostic {
    let message =
        format!("The arguments of \"{function}\" must be known when the deployment starts: {reason}");
    Check::Compiler.error("BCP181", range, message)
}

/// BCP182
pub fn runtime_value_in_variable_loop(range: TextRange, variable: &str, reason: &Reason) -> Diagnostic {
    let message = format!(
        "Everything in the loop of the variable \"{variable}\" must be known when the deployment starts: {reason}"
    );
    Check::Compiler.error("BCP182", range, message)
}

/// BCP183
pub fn not_literal(range: TextRange, property: &str) -> Diagnostic {
    let message = format!("\"{property}\" of a module must be written out as an object literal");
    Check::Compiler.error("BCP183", range, message)
}

/// BCP229
pub fn parameter_as_scope(range: TextRange, parameter: &str) -> Diagnostic {
    let message = format!(
        "The parameter \"{parameter}\" cannot be the parent or scope of a resource: it may be deployed elsewhere"
    );
    Check::Compiler.error("BCP229", range, message)
}

/// BCP239
pub fn reserved_variable(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP239",
        range,
        "Templates keep the name \"copy\" for themselves: choose another one",
    )
}

/// BCP240
pub fn parent_not_direct(range: TextRange) -> Diagnostic {
    let message = "\"parent\" must name a resource directly";
    Check::Compiler.error("BCP240", range, message)
}

/// BCP242
pub fn lambda_outside_argument(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP242", range, "A lambda can only stand as an argument of a function")
}

/// BCP246
pub fn read_only_at_scope(range: TextRange, ty: &ResourceReference, writable: Scopes) -> Diagnostic {
    let message =
        format!("\"{ty}\" can only be read at this scope. It can be deployed at {}", scope_names(writable));
    Check::Compiler.warning("BCP246", range, message)
}

/// BCP247
pub fn lambda_variable_in_index(range: TextRange, variables: &[String]) -> Diagnostic {
    let names = variables.join(", ");
    let message = format!("Which resource or module is meant cannot depend on a lambda variable: {names}");
    Check::Compiler.error("BCP247", range, message)
}

/// BCP248
pub fn lambda_variable_in_call(range: TextRange, function: &str, variables: &[String]) -> Diagnostic {
    let names = variables.join(", ");
    Check::Compiler.error(
        "BCP248",
        range,
        format!("The arguments of \"{function}\" cannot depend on a lambda variable: {names}"),
    )
}

/// BCP307
pub fn nested_runtime_access(range: TextRange, resource: &str, properties: &[&str]) -> Diagnostic {
    let message = format!(
        "This cannot be asked of \"{resource}\": which resource it is depends on {}, only known while the deployment runs",
        quoted(properties)
    );
    Check::Compiler.error("BCP307", range, message)
}

/// BCP320
pub fn property_of_module_output(range: TextRange) -> Diagnostic {
    let message =
        "Properties of a resource that a module gives as output cannot be read: only its identity is known";
    Check::Compiler.error("BCP320", range, message)
}

/// BCP323
pub fn safe_index_of_collection(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP323",
        range,
        "A collection of resources or modules cannot be indexed with \"[?\"",
    )
}

/// BCP341
pub fn runtime_value_in_function(range: TextRange, reason: &Reason) -> Diagnostic {
    let message = format!("Everything in a function must be known when the deployment starts: {reason}");
    Check::Compiler.error("BCP341", range, message)
}

/// BCP348
pub fn test_needs_feature(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP348", range, "Tests need the experimental feature \"testFramework\"")
}

/// BCP349
pub fn assert_needs_feature(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP349", range, "Assertions need the experimental feature \"assertions\"")
}

/// BCP351
pub fn only_assigned_directly(range: TextRange, function: &str) -> Diagnostic {
    let message = format!("\"{function}\" can only be called as the whole value of a parameter");
    Check::Compiler.error("BCP351", range, message)
}

/// BCP353
pub fn differ_only_in_case(range: TextRange, table: &str, names: &[&str]) -> Diagnostic {
    let names = quoted(names);
    Check::Compiler.error(
        "BCP353",
        range,
        format!("These {table} differ only in case, which templates do not see: {names}"),
    )
}

/// BCP394
pub fn whole_resource_as_type(range: TextRange) -> Diagnostic {
    let message = "A whole resource is not a type: take a property of it";
    Check::Compiler.error("BCP394", range, message)
}

/// BCP401
pub fn spread_not_allowed(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP401", range, "Nothing can be spread here: write the properties out")
}

/// BCP417
pub fn spread_beside_loop(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP417",
        range,
        "Nothing can be spread into an object that has a property filled by a loop",
    )
}

/// BCP418
pub fn extension_as_value(range: TextRange) -> Diagnostic {
    let message = "An extension is not a value: only its functions can be used here";
    Check::Compiler.error("BCP418", range, message)
}

/// BCP420
pub fn unknown_scope(range: TextRange) -> Diagnostic {
    let message = "It is not known here what kind of scope this is: use one function or one resource";
    Check::Compiler.error("BCP420", range, message)
}

/// BCP421
pub fn secure_output_locally(range: TextRange, module: &str) -> Diagnostic {
    let message = format!("\"{module}\" has a secure output, which a local deployment does not support");
    Check::Compiler.error("BCP421", range, message)
}

/// BCP426
pub fn indirect_secure_output(range: TextRange) -> Diagnostic {
    let message =
        "A secure output can only be read from the module itself, not through a variable or an expression";
    Check::Compiler.error("BCP426", range, message)
}

/// BCP431
pub fn configuration_not_literal(range: TextRange, name: &str) -> Diagnostic {
    let message = format!(
        "The configuration \"{name}\" must be an object literal or the whole configuration of an extension of this file"
    );
    Check::Compiler.error("BCP431", range, message)
}

/// BCP432
pub fn runtime_value_in_argument(
    range: TextRange,
    function: &str,
    parameter: &str,
    reason: &Reason,
) -> Diagnostic {
    let message = format!(
        "The argument \"{parameter}\" of \"{function}\" must be known when the deployment starts: {reason}"
    );
    Check::Compiler.error("BCP432", range, message)
}

/// BCP433
pub fn inlined_with_dependencies(range: TextRange, resource: &str) -> Diagnostic {
    let message =
        format!("\"{resource}\" cannot have dependencies: its name is only known while the deployment runs");
    Check::Compiler.error("BCP433", range, message)
}

/// BCP434
pub fn dependency_on_inlined(range: TextRange, resource: &str, target: &str) -> Diagnostic {
    let message = format!(
        "\"{resource}\" cannot depend on \"{target}\", whose name is only known while the deployment runs"
    );
    Check::Compiler.error("BCP434", range, message)
}

/// BCP435
pub fn using_with_needs_feature(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP435", range, "\"with\" needs the experimental feature \"deployCommands\"")
}

/// BCP443
pub fn using_needs_with(range: TextRange) -> Diagnostic {
    let message =
        "With the experimental feature \"deployCommands\", \"using\" needs \"with\" and how to deploy";
    Check::Compiler.error("BCP443", range, message)
}

/// BCP444
pub fn runtime_value_in_extension(range: TextRange, reason: &Reason) -> Diagnostic {
    let message =
        format!("The configuration of an extension must be known when the deployment starts: {reason}");
    Check::Compiler.error("BCP444", range, message)
}
