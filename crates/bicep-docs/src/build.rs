//! From the meaning of a file to what its documentation says.

use bicep_sema::interface::{Export, ExportKind, Interface};
use bicep_sema::{BicepFile, FileId, Model, Program, Unit};
use bicep_syntax::Tree;
use bicep_syntax::ast::{Expr, Metadata, Module as ModuleStatement, Name, Param, Statement, Str};
use bicep_types::ty::{Overload, Scopes};

use crate::expansion::{Expander, type_name};
use crate::failure::Failure;
use crate::model::{
    Function, FunctionParameter, Module, ModuleReference, Output, Parameter, ResourceTypeUse, compare_names,
};

/// Everything but the usage examples.
pub(crate) fn module(program: &Program<'_>, file: FileId) -> Result<Module, Failure> {
    let (Some(bicep), Some(model), Some(interface)) =
        (program.bicep(file), program.model(file), program.interface(file))
    else {
        return Err(Failure::not_a_module());
    };
    // The order decides what is shown in full when there is too much.
    let mut expander = Expander::new();
    let parameters = parameters(bicep, interface, &mut expander);
    let mut exports: Vec<&Export> = interface.exports.iter().collect();
    exports.sort_by(|a, b| a.name.cmp(&b.name));
    let mut exported = |of: fn(&ExportKind) -> Option<&bicep_types::Type>| {
        let shown = exports.iter().filter_map(|export| {
            let parameter = expander.parameter(&export.name, of(&export.kind)?);
            Some(Parameter {
                is_required: true,
                description: trimmed(export.description.as_deref()),
                ..parameter
            })
        });
        sorted(shown, |it| &it.name)
    };
    let exported_types = exported(|kind| match kind {
        ExportKind::Type(ty) => Some(ty),
        _ => None,
    });
    let exported_variables = exported(|kind| match kind {
        ExportKind::Variable(ty) => Some(ty),
        _ => None,
    });
    let functions = interface.exports.iter().filter_map(function);
    let outputs = interface.outputs.iter().map(|output| Output {
        name: output.name.to_string(),
        type_name: type_name(&output.ty),
        is_secure: output.ty.is_secure(),
        description: trimmed(output.description.as_deref()),
    });
    Ok(Module {
        name: name(bicep),
        description: trimmed(metadata(bicep.tree(), "description").as_deref()),
        path: bicep.source.path().to_string(),
        target_scope: target_scope(model.target_scope()),
        resource_types: resource_types(model),
        parameters,
        exported_types,
        exported_variables,
        exported_functions: sorted(functions, |it| &it.name),
        outputs: sorted(outputs, |it| &it.name),
        references: references(program, bicep),
        usage_examples: Vec::new(),
    })
}

/// What `metadata name` says, else the name of the folder, else that of the file.
fn name(bicep: &BicepFile) -> String {
    let folder = || bicep.folder().file_name();
    let written = metadata(bicep.tree(), "name");
    written
        .or_else(|| folder().or_else(|| bicep.source.path().file_stem()).map(ToOwned::to_owned))
        .unwrap_or_default()
}

/// What a file says about itself under a name: of several the first one counts, and only a plain text does.
fn metadata(tree: &Tree, name: &str) -> Option<String> {
    let mut statements = tree.file().statements().filter_map(|statement| Metadata::cast(statement.syntax()));
    let found = statements.find(|it| it.name().and_then(Name::text) == Some(name))?;
    match found.value() {
        Expr::Str(text) => text.value(),
        _ => None,
    }
}

fn target_scope(scope: Scopes) -> &'static str {
    match scope {
        Scopes::TENANT => "tenant",
        Scopes::MANAGEMENT_GROUP => "managementGroup",
        Scopes::SUBSCRIPTION => "subscription",
        Scopes::LOCAL => "local",
        _ => "resourceGroup",
    }
}

fn resource_types(model: &Model) -> Vec<ResourceTypeUse> {
    let mut found: Vec<ResourceTypeUse> = Vec::new();
    for resource in model.resources().iter() {
        let one = ResourceTypeUse { name: resource.reference.to_string(), is_existing: resource.is_existing };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    sorted(found.into_iter(), |it| &it.name)
}

fn parameters(bicep: &BicepFile, interface: &Interface, expander: &mut Expander) -> Vec<Parameter> {
    let statements = || bicep.tree().file().statements().filter_map(|it| Param::cast(it.syntax()));
    let default = |name: &str| {
        let declared = statements().find(|it| it.name().and_then(Name::text) == Some(name))?;
        Some(declared.default()?.value().syntax().text().to_owned())
    };
    let shown = interface.parameters.iter().map(|info| Parameter {
        is_required: info.is_required,
        description: trimmed(info.description.as_deref()),
        default_value: default(&info.name),
        ..expander.parameter(&info.name, &info.ty)
    });
    sorted(shown, |it| &it.name)
}

fn function(export: &Export) -> Option<Function> {
    let ExportKind::Function(overload) = &export.kind else { return None };
    let overload: &Overload = overload;
    let parameters = overload.parameters.iter().map(|parameter| FunctionParameter {
        name: parameter.name.to_string(),
        type_name: type_name(&parameter.ty),
        description: trimmed(Some(parameter.description.as_str()).filter(|text| !text.is_empty())),
    });
    Some(Function {
        name: export.name.to_string(),
        parameters: parameters.collect(),
        return_type: type_name(&overload.result),
        description: trimmed(export.description.as_deref()),
    })
}

fn references(program: &Program<'_>, bicep: &BicepFile) -> Vec<ModuleReference> {
    let statements = bicep.tree().file().statements();
    let modules = statements.filter_map(|statement| match statement {
        Statement::Module(module) => Some(module),
        _ => None,
    });
    let shown = modules.filter_map(|module| {
        Some(ModuleReference {
            symbolic_name: module.name().and_then(Name::text)?.to_owned(),
            path: module.path().and_then(Str::value),
            description: trimmed(description_of_target(program, bicep, module).as_deref()),
        })
    });
    sorted(shown, |it| &it.symbolic_name)
}

/// What the file behind a module says about itself.
fn description_of_target(
    program: &Program<'_>,
    bicep: &BicepFile,
    module: ModuleStatement<'_>,
) -> Option<String> {
    let target = bicep.reference(module.syntax())?.as_ref().ok()?;
    match program.unit(target.file) {
        Unit::Bicep(other) => metadata(other.tree(), "description"),
        Unit::Template(template) => {
            let text = template.parsed.root.as_ref()?.pointer("/metadata/description")?.as_str()?;
            Some(text.to_owned())
        }
    }
}

fn trimmed(text: Option<&str>) -> Option<String> {
    text.map(|text| text.trim().to_owned())
}

fn sorted<T>(items: impl Iterator<Item = T>, name: impl Fn(&T) -> &String) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by(|a, b| compare_names(name(a), name(b)));
    items
}
