//! Extensions in the template.

use bicep_sema::namespace::Namespace;
use bicep_sema::resource::Resource;
use bicep_syntax::ast;
use bicep_types::ty::{Scopes, Type};

use crate::context::Context;
use crate::translate::Translator;
use crate::tree::Object;
use crate::value::Value;
use crate::write;

/// The extension that runs modules of deployments on this machine.
pub(crate) const LOCAL: &str = "az0synthesized";

/// The extensions of a file under the name of their section.
pub(crate) fn extensions(cx: &Context<'_>) -> Object {
    let translator = Translator::new(cx);
    let mut all = Object::new();
    for namespace in emitted(cx) {
        let statement = namespace.declaration.and_then(|node| ast::Extension::cast(cx.tree().node(node)));
        let config = statement.and_then(|it| it.with_clause()?.config()).map(|it| translator.object(it));
        let (name, version) = &namespace.template;
        let range = statement.map(ast::Extension::range);
        all.put_at(namespace.name.as_str(), extension(&translator, name, version, config), range);
    }
    if cx.target_scope() == Scopes::LOCAL {
        all.put(LOCAL, extension(&translator, "LocalNested", "0.0.0", None));
    }
    let mut section = Object::new();
    section.put_filled(if cx.mode.has_extension_configs { "extensions" } else { "imports" }, all);
    section
}

fn extension(translator: &Translator<'_, '_>, name: &str, version: &str, config: Option<Value>) -> Object {
    let mut object = Object::new();
    if !translator.cx.mode.has_extension_configs {
        object.put("provider", name);
        object.put("version", version);
        if let Some(config) = config {
            object.put("config", write::value(translator, config));
        }
        return object;
    }
    object.put("name", name);
    object.put("version", version);
    if let Some(Value::Object(members)) = config {
        let mut defaults = Object::new();
        for member in members {
            let mut default = Object::new();
            default.put("defaultValue", write::value(translator, member.value));
            defaults.put(write::key(&member.key), default);
        }
        object.put("config", defaults);
    }
    object
}

/// The extensions that a template has to name: declared ones first, then those that every file has.
fn emitted<'c>(cx: &'c Context<'_>) -> impl Iterator<Item = &'c Namespace> {
    let all = &cx.model.namespaces().all;
    let declared = all.iter().filter(|namespace| namespace.declaration.is_some());
    let implicit = all.iter().filter(|namespace| {
        namespace.declaration.is_none() && !matches!(namespace.extension.as_str(), "sys" | "az")
    });
    declared.chain(implicit)
}

impl Context<'_> {
    /// The name of the extension that a resource belongs to, if the template has to say it.
    pub(crate) fn extension_of(&self, resource: &Resource) -> Option<String> {
        let known = self.model.declared_type(resource.symbol).and_then(Type::as_resource);
        let is_it = |namespace: &&Namespace| match (&resource.namespace, known) {
            (Some(name), _) => namespace.name == *name,
            (None, Some(known)) => namespace.extension == known.namespace,
            (None, None) => {
                (namespace.extension == "az") == resource.is_azure && namespace.extension != "sys"
            }
        };
        emitted(self).find(is_it).map(|namespace| namespace.name.to_string())
    }
}
