//! What resources and modules are after their deployment: `reference(…)`, and what is known of them without it.

use bicep_sema::SymbolId;
use bicep_sema::resource::Resource;
use bicep_types::ty::ResourceReference;
use smol_str::SmolStr;

use super::Translator;
use super::conditions::condition_of;
use crate::code::Code;
use crate::value::{ById, Reference};

/// The version of the deployments API that modules are deployed with.
pub(crate) const DEPLOYMENT_API: &str = "2025-04-01";

impl Translator<'_, '_> {
    /// The name of a resource or module in a template with symbolic names, with the position in its collection.
    pub(crate) fn symbolic_reference(&self, reference: &Reference) -> Code {
        let name = self.cx.symbolic_name(reference.symbol);
        match &reference.index {
            None => Code::Text(name),
            Some(indexed) => {
                Code::call("format", [Code::Text(format!("{name}[{{0}}]")), indexed.index.clone()])
            }
        }
    }

    /// A whole resource; not full, only its properties.
    pub(super) fn resource_reference(&self, reference: &Reference, is_full: bool) -> Code {
        let Some(resource) = self.cx.resources.get(reference.symbol) else { return Code::null() };
        let is_all = resource.is_collection && reference.index.is_none();
        let target = if self.cx.mode.is_symbolic {
            self.symbolic_reference(reference)
        } else if is_all {
            Code::Text(self.cx.symbolic_name(reference.symbol))
        } else {
            self.resource_id(resource)
        };
        let function = if is_all { "references" } else { "reference" };
        if !resource.is_azure {
            return Code::call(function, [target]);
        }
        let version = (!is_all && (is_full || !self.cx.mode.is_symbolic)).then(|| version_of(resource));
        let full = is_full.then(|| Code::text("full"));
        Code::call(function, std::iter::once(target).chain(version).chain(full))
    }

    /// A property of a resource: what can be said without asking for it is said.
    pub(super) fn resource_property(&self, reference: &Reference, name: &str, is_safe: bool) -> Code {
        let Some(resource) = self.cx.resources.get(reference.symbol) else { return Code::null() };
        if !resource.is_azure {
            let whole = self.resource_reference(reference, false);
            return if is_safe { try_get(whole, name) } else { whole.member(name) };
        }
        let guard = |code: Code| if is_safe { self.guarded(code, resource) } else { code };
        let part = |whole: Code| if is_safe { try_get(guard(whole), name) } else { whole.member(name) };
        if self.cx.has_resource_info(resource) {
            let info = Code::call("resourceInfo", [self.symbolic_reference(reference)]);
            match name {
                "id" | "type" | "apiVersion" => return part(info),
                "name" if resource.parent.is_none() => return part(info),
                "name" => {
                    let split = Code::call("split", [info.member("name"), Code::text("/")]);
                    return guard(Code::call("last", [split]));
                }
                _ => {}
            }
        }
        match name {
            "id" => guard(self.resource_id(resource)),
            "name" => guard(self.resource_name(resource)),
            "type" => Code::text(resource.reference.name().as_str()),
            "apiVersion" => version_of(resource),
            "properties" if !is_safe => self.resource_reference(reference, false),
            _ => part(self.resource_reference(reference, true)),
        }
    }

    /// A whole resource of which only the id is known; not full, only its properties.
    pub(super) fn reference_by_id(&self, resource: &ById, is_full: bool) -> Code {
        let version = (is_full || !self.cx.mode.is_symbolic).then(|| version_text(&resource.ty));
        let full = is_full.then(|| Code::text("full"));
        Code::call("reference", std::iter::once(resource.id.clone()).chain(version).chain(full))
    }

    /// A property of a resource of which only the id is known.
    pub(super) fn property_by_id(&self, resource: &ById, name: &str, is_safe: bool) -> Code {
        match name {
            "id" => resource.id.clone(),
            "type" => Code::text(resource.ty.name().as_str()),
            "apiVersion" => version_text(&resource.ty),
            "name" => resource.name.clone(),
            _ if is_safe => try_get(self.reference_by_id(resource, true), name),
            "properties" => self.reference_by_id(resource, false),
            _ => self.reference_by_id(resource, true).member(name),
        }
    }

    /// Nothing where the resource is not deployed.
    fn guarded(&self, code: Code, resource: &Resource) -> Code {
        match self.resource_condition(resource) {
            Some(condition) => Code::call("if", [self.to_code(condition), code, Code::null()]),
            None => code,
        }
    }

    /// A module after its deployment.
    pub(super) fn module_reference(&self, reference: &Reference) -> Code {
        let is_all =
            reference.index.is_none() && self.cx.module(reference.symbol).is_some_and(|it| it.is_collection);
        let function = if is_all { "references" } else { "reference" };
        if self.cx.mode.is_symbolic || is_all {
            return Code::call(function, [self.symbolic_reference(reference)]);
        }
        let id = self.deployment_id(reference);
        Code::call(function, [id, Code::text(DEPLOYMENT_API)])
    }

    fn deployment_id(&self, reference: &Reference) -> Code {
        let index = reference.index.as_ref().map(|indexed| &indexed.index);
        self.at_reference(reference).module_id(reference.symbol, index)
    }

    /// A property of a module. Outputs that may hold secrets are asked for in another way.
    pub(super) fn module_property(
        &self,
        reference: &Reference,
        name: &str,
        is_safe: bool,
        is_secure: Option<bool>,
    ) -> Code {
        let module = reference.symbol;
        let guard = |code: Code| if is_safe { self.guarded_module(code, module) } else { code };
        if name == "name" {
            let index = reference.index.as_ref().map(|indexed| &indexed.index);
            return guard(self.module_name(module, index));
        }
        if is_secure.unwrap_or_else(|| self.cx.has_secure_outputs(module)) {
            let target = if self.cx.mode.is_symbolic {
                self.symbolic_reference(reference)
            } else {
                self.deployment_id(reference)
            };
            return guard(Code::call("listOutputsWithSecureValues", [target, Code::text(DEPLOYMENT_API)]));
        }
        let whole = self.module_reference(reference);
        if is_safe { try_get(guard(whole), name) } else { whole.member(name) }
    }

    fn guarded_module(&self, code: Code, module: SymbolId) -> Code {
        let condition = self.cx.module_statement(module).and_then(|module| condition_of(module.value()));
        match condition {
            Some(condition) => Code::call("if", [self.code(condition.condition()), code, Code::null()]),
            None => code,
        }
    }
}

fn try_get(code: Code, name: &str) -> Code {
    Code::call("tryGet", [code, Code::text(name)])
}

pub(super) fn version_of(resource: &Resource) -> Code {
    version_text(&resource.reference)
}

fn version_text(ty: &ResourceReference) -> Code {
    Code::text(ty.version().map(SmolStr::as_str).unwrap_or_default())
}
