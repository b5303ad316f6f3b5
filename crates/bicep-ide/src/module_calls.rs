//! Which modules a file deploys: a file comes in; the declarations of modules, where they lead and what they are given go out.

use base::TextRange;
use bicep_sema::{BicepFile, FileId};
use bicep_syntax::ast::{self, Object};
use bicep_syntax::{Node, SyntaxKind};

/// A declaration of a module, or what a parameter file is for.
#[derive(Debug, Clone)]
pub struct ModuleCall {
    /// The name of the module; of a parameter file, its path.
    pub name: String,
    /// The whole declaration.
    pub range: TextRange,
    /// Its name.
    pub name_range: TextRange,
    /// The file that it leads to.
    pub target: FileId,
    /// The parameters that it gives, each with its value.
    pub arguments: Vec<ModuleArgument>,
}

/// A value for a parameter of a module.
#[derive(Debug, Clone)]
pub struct ModuleArgument {
    /// The name of the parameter.
    pub name: String,
    /// Where the name stands.
    pub name_range: TextRange,
    /// Where the value stands.
    pub value_range: TextRange,
}

/// The modules that a file deploys, in order; of a parameter file, the file that it is for.
pub fn module_calls(file: &BicepFile) -> Vec<ModuleCall> {
    let statements = file.tree().root().children();
    statements.filter_map(|statement| call(file, statement)).collect()
}

fn call(file: &BicepFile, statement: Node<'_>) -> Option<ModuleCall> {
    let target = file.reference(statement)?.as_ref().ok()?.file;
    let range = statement.range();
    match statement.kind() {
        SyntaxKind::Module => {
            let module = ast::Module::cast(statement)?;
            let name = module.name()?;
            let arguments = parameters(module).map(|it| it.properties().filter_map(argument).collect());
            Some(ModuleCall {
                name: name.display().to_owned(),
                range,
                name_range: name.range(),
                target,
                arguments: arguments.unwrap_or_default(),
            })
        }
        SyntaxKind::Using => Some(ModuleCall {
            name: file.source.path().file_name().unwrap_or_default().to_owned(),
            range,
            name_range: range,
            target,
            arguments: assignments(file),
        }),
        _ => None,
    }
}

/// The object literal that gives the parameters of a module.
pub(crate) fn parameters(module: ast::Module<'_>) -> Option<Object<'_>> {
    let body = module.value().body_object()?;
    Object::cast(body.property("params")?.value().syntax())
}

fn argument(property: ast::Property<'_>) -> Option<ModuleArgument> {
    Some(ModuleArgument {
        name: property.key_text()?.into_owned(),
        name_range: property.key().range(),
        value_range: property.value().syntax().range(),
    })
}

fn assignments(file: &BicepFile) -> Vec<ModuleArgument> {
    let statements = file.tree().file().statements();
    let assigned = statements.filter_map(|it| ast::ParamAssignment::cast(it.syntax()));
    let arguments = assigned.filter_map(|it| {
        let name = it.name()?;
        Some(ModuleArgument {
            name: name.text()?.to_owned(),
            name_range: name.range(),
            value_range: it.value().syntax().range(),
        })
    });
    arguments.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    #[test]
    fn modules_are_found_with_what_they_are_given() {
        let source = "module m 'mod.bicep' = [for i in [1]: { params: { a: 1, 'b': 2 } }]|";
        let found = ask(source, &[("/mod.bicep", "param a int\nparam b int")], |context, _| {
            module_calls(context.bicep)
        });
        let names: Vec<&str> =
            found.iter().flat_map(|call| &call.arguments).map(|it| it.name.as_str()).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(names, ["a", "b"]);
    }
}
