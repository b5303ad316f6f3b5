//! The whole template of a file.

use std::sync::{Arc, OnceLock};

use arm::TargetScope;
use arm::document::Node;
use bicep_sema::language_version::experimental_features;
use bicep_sema::{FileId, Unit};
use bicep_types::ty::Scopes;
use serde_json::Value as Json;

use crate::context::{self, Context};
use crate::source_map::{self, Recorder};
use crate::tree::{Object, Tree, finish};
use crate::{Emitted, Emitter, TemplateJson, declarations, extensions, hash, module, resource};

const WARNING: &str = "This template uses ARM features that are experimental. Experimental features should be enabled for testing purposes only, as there are no guarantees about the quality or stability of these features. Do not enable these settings for any production usage, or your production environment may be subject to breaking.";

/// The template of a file: a template in JSON as it is, a Bicep file compiled.
pub(crate) fn template(emitter: &Emitter<'_>, file: FileId) -> Emitted {
    match emitter.program.unit(file) {
        Unit::Template(template) => {
            let Some(root) = &template.parsed.root else { return nothing() };
            let source_map = Arc::new(source_map::of_json(root, &template.source));
            let model = OnceLock::new();
            Emitted {
                document: Node::carry(root),
                template: TemplateJson::Written(Arc::clone(&template.parsed), OnceLock::new()),
                source_map,
                is_cut: false,
                model,
            }
        }
        Unit::Bicep(_) => compiled(emitter, file),
    }
}

fn compiled(emitter: &Emitter<'_>, file: FileId) -> Emitted {
    let Some((peers, cx)) = context::open(emitter.program, file) else {
        return nothing();
    };
    let mut recorder = Recorder::new(Arc::clone(&cx.bicep.source));
    let document = finish(whole(emitter, &cx).into(), &mut recorder);
    let mut template = document.to_json();
    let hash = hash::template_hash(&template);
    let document = with_hash(&document, &hash);
    if let Some(generator) = template.pointer_mut("/metadata/_generator").and_then(Json::as_object_mut) {
        generator.insert("templateHash".to_owned(), hash.into());
    }
    let mut modules = cx.modules.iter().filter_map(|module| module.target);
    let is_cut = peers.is_cut() || modules.any(|module| emitter.template(module).is_cut);
    let source_map = Arc::new(recorder.finish());
    let template = TemplateJson::Compiled(template);
    Emitted { document, template, source_map, is_cut, model: OnceLock::new() }
}

fn nothing() -> Emitted {
    Emitted {
        document: Node::default(),
        template: TemplateJson::Compiled(Json::Null),
        source_map: Arc::default(),
        is_cut: false,
        model: OnceLock::new(),
    }
}

/// The document with the hash in the mark of the generator.
fn with_hash(document: &Node, hash: &str) -> Node {
    let part = |node: Option<&Node>, name: &str| {
        node.and_then(|node| node.get_ignore_case(name)).cloned().unwrap_or_default()
    };
    let metadata = part(Some(document), "metadata");
    let generator = part(Some(&metadata), "_generator").with_member("templateHash", Node::literal(hash));
    document.with_member("metadata", metadata.with_member("_generator", generator))
}

/// All sections in order.
fn whole<'p>(emitter: &Emitter<'p>, cx: &Context<'p>) -> Object {
    let mut template = Object::new();
    template.put("$schema", schema(cx.target_scope()));
    if let Some(version) = cx.mode.language_version() {
        template.put("languageVersion", version);
    }
    template.put("contentVersion", "1.0.0.0");
    template.put("metadata", metadata(emitter, cx));
    template.put_filled("definitions", declarations::definitions(cx));
    let functions = declarations::functions(cx);
    if !functions.is_empty() {
        template.put("functions", Tree::Array(functions));
    }
    template.put_filled("parameters", declarations::parameters(cx));
    template.put_filled("variables", declarations::variables(cx));
    template.extend(extensions::extensions(cx));
    template.put("resources", resources(emitter, cx));
    template.put_filled("outputs", declarations::outputs(cx));
    template.put_filled("asserts", declarations::asserts(cx));
    template
}

fn schema(target: Scopes) -> String {
    let scope = match target {
        Scopes::TENANT => TargetScope::Tenant,
        Scopes::MANAGEMENT_GROUP => TargetScope::ManagementGroup,
        Scopes::SUBSCRIPTION => TargetScope::Subscription,
        _ => TargetScope::ResourceGroup,
    };
    scope.schema()
}

/// What the template says about itself.
fn metadata(emitter: &Emitter<'_>, cx: &Context<'_>) -> Object {
    let mut metadata = Object::new();
    if cx.mode.is_experimental {
        metadata.put("_EXPERIMENTAL_WARNING", WARNING);
        let features = experimental_features(&cx.bicep.config).map(Tree::from);
        metadata.put("_EXPERIMENTAL_FEATURES_ENABLED", features.collect::<Tree>());
    }
    let mut generator = Object::new();
    generator.put("name", emitter.options.generator.name.as_str());
    generator.put("version", emitter.options.generator.version.as_str());
    metadata.put("_generator", generator);
    let exported = declarations::exported_variables(cx);
    if !exported.is_empty() {
        metadata.put("__bicep_exported_variables!", Tree::Array(exported));
    }
    metadata.extend(declarations::metadata(cx));
    metadata
}

/// Resources, then modules: under their names, or one after the other.
fn resources<'p>(emitter: &Emitter<'p>, cx: &Context<'p>) -> Tree {
    let is_emitted = |resource: &&bicep_sema::resource::Resource| {
        !cx.is_inlined(resource.symbol) && (cx.mode.is_symbolic || !resource.is_existing)
    };
    let resources = cx.resources.iter().filter(is_emitted).map(|it| (it.symbol, resource::resource(cx, it)));
    let modules = cx.modules.iter().map(|it| (it.symbol, module::module(emitter, cx, it)));
    let all = resources.chain(modules);
    let mut object = Object::new();
    for (symbol, body) in all {
        let range = Some(cx.declaration(symbol).range());
        object.put_at(cx.symbolic_name(symbol), body, range);
    }
    if cx.mode.is_symbolic { object.into() } else { object.into_array() }
}
