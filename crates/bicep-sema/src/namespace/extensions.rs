//! Which namespaces a file has: the ones it declares, the implicit ones of its configuration, and `sys`.

use std::sync::Arc;

use base::{Diagnostic, SmolStr, TextRange};
use bicep_syntax::Dialect;
use bicep_syntax::ast::{Extension, Name, Str};
use bicep_types::ResourceTypes;
use bicep_types::def::FileKind;
use bicep_types::resources::Flavour;
use bicep_types::ty::{ObjectType, PropertyFlags, Scopes, Type};
use config::Feature;
use config::provider::{self, Builtin, ProviderSource};

use super::{Namespace, Namespaces, Overloads, Resources, Viewer, az, decorators, sys};
use crate::messages::files as messages;
use crate::program::{BicepFile, MissingTypes, Program};

/// Finds the namespaces of a file. What is wrong with its `extension` statements is reported here.
pub(crate) fn namespaces(
    program: &Program<'_>,
    file: &BicepFile,
    viewer: Viewer<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Namespaces {
    let mut all = Vec::new();
    // What is declared but cannot be had is not imported a second time.
    let mut missing: Vec<SmolStr> = Vec::new();
    for statement in file.tree().file().statements() {
        let bicep_syntax::ast::Statement::Extension(extension) = statement else { continue };
        match source_of(extension, file, program) {
            Some(Ok(source)) => match explicit(extension, (program, &source), viewer) {
                Ok(namespace) => all.push(namespace),
                Err(reason) => {
                    let range = extension.spec().map_or(extension.range(), bicep_syntax::Node::range);
                    diagnostics.push(messages::extension_types(range, &source, &reason));
                    missing.extend(extension.spec_name().and_then(Name::text).map(SmolStr::new));
                }
            },
            Some(Err(diagnostic)) => diagnostics.push(diagnostic),
            None => {}
        }
    }
    let implicit = provider::implicit(&file.config).map(|(name, source)| (name.clone(), source));
    let sys = (SmolStr::new_static("sys"), ProviderSource::System);
    for (name, source) in implicit.chain([sys]) {
        if missing.contains(&name) {
            continue;
        }
        match namespace(&name, (program, &source), viewer) {
            // The key in the configuration may differ from what the package calls itself: that decides.
            Ok(found) if all.iter().any(|it: &Namespace| it.extension == found.extension) => {}
            Ok(found) => all.push(Namespace { is_implicit: true, ..found }),
            Err(reason) => {
                diagnostics.push(messages::extension_types(TextRange::default(), &source, &reason));
                missing.push(name);
            }
        }
    }
    Namespaces { all, missing }
}

/// Where the types of a declared extension come from.
fn source_of(
    extension: Extension<'_>,
    file: &BicepFile,
    program: &Program<'_>,
) -> Option<Result<ProviderSource, Diagnostic>> {
    if let Some(name) = extension.spec_name().filter(|name| name.text().is_some()) {
        let text = name.text()?;
        let source = provider::resolve_name(text, &file.config);
        return Some(source.map_err(|problem| {
            let outer = || provider::outer_configuration(text, &file.config, program.world());
            match outer().filter(|_| problem.code == "BCP204") {
                Some(outer) => messages::configured_further_up(problem.at(name.range()), &outer),
                None => problem.at(name.range()),
            }
        }));
    }
    let text = extension.spec_string()?;
    if text.is_interpolated() {
        return Some(Err(messages::interpolated_extension(text.range())));
    }
    let source = provider::resolve_reference(&Str::value(text)?, file.folder(), &file.config);
    Some(source.map_err(|problem| problem.at(text.range())))
}

/// The version that `extension az` stands for: that of the published types this compiler is made for. The types
/// themselves do not say it.
const BUILTIN_AZ_VERSION: &str = "0.2.896";

type Origin<'a> = (&'a Program<'a>, &'a ProviderSource);

fn explicit(
    extension: Extension<'_>,
    origin: Origin<'_>,
    viewer: Viewer<'_>,
) -> Result<Namespace, MissingTypes> {
    let alias = extension.alias().and_then(bicep_syntax::ast::AsClause::name).and_then(Name::text);
    let name = alias.or_else(|| extension.spec_name().and_then(Name::text)).unwrap_or_default();
    let found = namespace(name, origin, viewer)?;
    Ok(Namespace { declaration: Some(extension.syntax().id()), ..found })
}

fn namespace(
    name: &str,
    (program, source): Origin<'_>,
    viewer: Viewer<'_>,
) -> Result<Namespace, MissingTypes> {
    if *source == ProviderSource::System {
        return Ok(system(name, viewer));
    }
    let types = program.resource_types(source)?;
    let resources = Some(Resources(types.clone()));
    match source {
        ProviderSource::Builtin(Builtin::Kubernetes) => Ok(Namespace { resources, ..kubernetes(name) }),
        _ if types.flavour() == Flavour::Az => {
            let settings = types.settings();
            let configuration = settings.as_ref().and_then(|settings| settings.configuration.clone());
            let configuration = configuration.filter(|_| viewer.config.has(Feature::AzExtensionConfig));
            let version = match source {
                ProviderSource::Builtin(_) => BUILTIN_AZ_VERSION.into(),
                _ => settings.map(|settings| settings.version).unwrap_or_default(),
            };
            // Nothing is deployed to Azure from a file that is deployed to where it runs.
            let is_local = matches!(source, ProviderSource::Builtin(_)) && viewer.target == Scopes::LOCAL;
            let configuration = configuration.filter(|_| !is_local);
            let resources = resources.filter(|_| viewer.target != Scopes::LOCAL);
            let azure = azure(name, viewer);
            let template = (azure.template.0.clone(), version);
            Ok(Namespace { resources, template, configuration, ..azure })
        }
        _ => Ok(Namespace { resources, ..package(name, &types, viewer) }),
    }
}

/// The namespace of a package that says itself what it is.
fn package(name: &str, types: &ResourceTypes, viewer: Viewer<'_>) -> Namespace {
    let Some(settings) = types.settings() else { return empty(name, "", ("", "")) };
    let own = settings.name.clone();
    let is_visible = |kind: Option<FileKind>| match kind {
        None => true,
        Some(FileKind::Params) => viewer.dialect == Dialect::Params,
        Some(_) => viewer.dialect == Dialect::Bicep,
    };
    let functions = types.functions().into_iter().filter(|function| is_visible(function.visible_in));
    Namespace {
        name: if name.is_empty() { own.clone() } else { name.into() },
        extension: own,
        template: (settings.template_name, settings.version),
        functions: functions.map(|function| Arc::new(function.overload)).collect(),
        configuration: settings.configuration,
        is_singleton: settings.is_singleton,
        ..empty(name, "", ("", ""))
    }
}

fn empty(name: &str, extension: &'static str, template: (&'static str, &'static str)) -> Namespace {
    Namespace {
        name: name.into(),
        extension: SmolStr::new_static(extension),
        template: (SmolStr::new_static(template.0), SmolStr::new_static(template.1)),
        is_implicit: false,
        declaration: None,
        functions: Overloads::default(),
        decorators: Overloads::default(),
        types: Vec::new(),
        configuration: None,
        is_singleton: true,
        resources: None,
    }
}

fn system(name: &str, viewer: Viewer<'_>) -> Namespace {
    Namespace {
        functions: viewer.visible(sys::table()),
        decorators: viewer.visible(decorators::table()),
        types: sys::types().map(|(name, ty)| (SmolStr::new_static(name), ty)).into(),
        ..empty(name, "sys", ("System", "1.0.0"))
    }
}

fn azure(name: &str, viewer: Viewer<'_>) -> Namespace {
    Namespace { functions: viewer.visible(az::table()), ..empty(name, "az", ("AzureResourceManager", "")) }
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
