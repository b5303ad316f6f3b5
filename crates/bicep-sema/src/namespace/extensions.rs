//! Which namespaces a file has: the ones it declares, the implicit ones of its configuration, and `sys`.

use base::{Diagnostic, SmolStr};
use bicep_syntax::ast::{Extension, Name, Str};
use bicep_types::ty::{ObjectType, PropertyFlags, Type};
use config::provider::{self, Builtin, ProviderSource};

use super::{Namespace, Namespaces, Viewer, az, decorators, sys};
use crate::program::BicepFile;

/// Finds the namespaces of a file. What is wrong with its `extension` statements is reported here.
pub(crate) fn namespaces(
    file: &BicepFile,
    viewer: Viewer<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Namespaces {
    let mut all = Vec::new();
    for statement in file.tree().file().statements() {
        let bicep_syntax::ast::Statement::Extension(extension) = statement else { continue };
        match source_of(extension, file) {
            Some(Ok(source)) => all.extend(explicit(extension, &source, viewer)),
            Some(Err(diagnostic)) => diagnostics.push(diagnostic),
            None => {}
        }
    }
    let implicit = provider::implicit(&file.config).map(|(name, source)| (name.clone(), source));
    let sys = (SmolStr::new_static("sys"), ProviderSource::System);
    for (name, source) in implicit.chain([sys]) {
        let is_declared = all.iter().any(|it: &Namespace| it.extension == name);
        if !is_declared {
            all.extend(namespace(&name, &source, viewer).map(|it| Namespace { is_implicit: true, ..it }));
        }
    }
    Namespaces { all }
}

/// Where the types of a declared extension come from.
fn source_of(extension: Extension<'_>, file: &BicepFile) -> Option<Result<ProviderSource, Diagnostic>> {
    if let Some(name) = extension.spec_name().filter(|name| name.text().is_some()) {
        let source = provider::resolve_name(name.text()?, &file.config);
        return Some(source.map_err(|problem| problem.at(name.range())));
    }
    let text = extension.spec_string()?;
    let source = provider::resolve_reference(&Str::value(text)?, file.folder(), &file.config);
    Some(source.map_err(|problem| problem.at(text.range())))
}

fn explicit(extension: Extension<'_>, source: &ProviderSource, viewer: Viewer<'_>) -> Option<Namespace> {
    let alias = extension.alias().and_then(bicep_syntax::ast::AsClause::name).and_then(Name::text);
    let name = alias.or_else(|| extension.spec_name().and_then(Name::text)).unwrap_or_default();
    let found = namespace(name, source, viewer)?;
    Some(Namespace { declaration: Some(extension.syntax().id()), ..found })
}

fn namespace(name: &str, source: &ProviderSource, viewer: Viewer<'_>) -> Option<Namespace> {
    match source {
        ProviderSource::System => Some(system(name, viewer)),
        ProviderSource::Builtin(Builtin::Az) => Some(azure(name, viewer)),
        ProviderSource::Builtin(Builtin::Kubernetes) => Some(kubernetes(name)),
        ProviderSource::Package(_) | ProviderSource::File(_) => None,
    }
}

fn empty(name: &str, extension: &'static str, template: (&'static str, &'static str)) -> Namespace {
    Namespace {
        name: name.into(),
        extension: SmolStr::new_static(extension),
        template: (SmolStr::new_static(template.0), SmolStr::new_static(template.1)),
        is_implicit: false,
        declaration: None,
        functions: Vec::new(),
        decorators: Vec::new(),
        types: Vec::new(),
        configuration: None,
    }
}

fn system(name: &str, viewer: Viewer<'_>) -> Namespace {
    Namespace {
        functions: viewer.visible(sys::functions()),
        decorators: viewer.visible(decorators::decorators()),
        types: sys::types().map(|(name, ty)| (SmolStr::new_static(name), ty)).into(),
        ..empty(name, "sys", ("System", "1.0.0"))
    }
}

fn azure(name: &str, viewer: Viewer<'_>) -> Namespace {
    Namespace {
        functions: viewer.visible(az::functions()),
        ..empty(name, "az", ("AzureResourceManager", ""))
    }
}

fn kubernetes(name: &str) -> Namespace {
    let configuration = ObjectType::named("configuration")
        .with_property("namespace", Type::string(), PropertyFlags::REQUIRED)
        .with_property("kubeConfig", Type::secure_string(), PropertyFlags::REQUIRED)
        .with_property("context", Type::string(), PropertyFlags::empty());
    Namespace {
        configuration: Some(configuration.into()),
        ..empty(name, "kubernetes", ("Kubernetes", "1.0.0"))
    }
}
