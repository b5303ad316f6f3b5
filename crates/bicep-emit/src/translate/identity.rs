//! Names and ids of resources and modules.

use bicep_sema::SymbolId;
use bicep_sema::deployment_scope::DeploymentScope;
use bicep_sema::resource::Resource;
use bicep_syntax::NodeId;
use bicep_types::ty::Scopes;

use super::Translator;
use crate::code::Code;
use crate::locals::Locals;

/// The type of the resource that a module is in a template.
pub(crate) const DEPLOYMENT_TYPE: &str = "Microsoft.Resources/deployments";

/// The longest name of a deployment.
const MAX_DEPLOYMENT_NAME: usize = 64;
/// How long the result of `uniqueString` is.
const UNIQUE_STRING: usize = 13;
/// How long the position in a loop may become.
const COPY_INDEX: usize = 3;

impl<'p> Translator<'_, 'p> {
    /// The name that was written for a resource.
    pub(crate) fn resource_name(&self, resource: &Resource) -> Code {
        self.cx.resource_property(resource, "name").map_or(Code::text(""), |name| self.code(name.value()))
    }

    /// The name of a resource with those of its ancestors, as a template has it.
    pub(crate) fn full_name(&self, resource: &Resource) -> Code {
        if resource.parent.is_none() {
            return self.resource_name(resource);
        }
        let segments = self.name_segments(resource);
        let format: Vec<String> = (0..segments.len()).map(|index| format!("{{{index}}}")).collect();
        Code::call("format", std::iter::once(Code::Text(format.join("/"))).chain(segments))
    }

    /// One name for each part of the type behind the provider.
    pub(crate) fn name_segments(&self, resource: &Resource) -> Vec<Code> {
        let count = resource.reference.segment_count().saturating_sub(1);
        let own = self.resource_name(resource);
        let ancestors = self.ancestor_locals(resource, None);
        if ancestors.is_empty() {
            return split_name(own, count);
        }
        // The oldest ancestor may itself be a child that was written with slashes in its name.
        let first = count.saturating_sub(ancestors.len());
        let mut segments = Vec::with_capacity(count);
        for (position, (ancestor, locals)) in ancestors.into_iter().enumerate() {
            let name = self.with(locals).resource_name(ancestor);
            segments.extend(if position == 0 { split_name(name, first) } else { vec![name] });
        }
        segments.push(own);
        segments
    }

    /// The ancestors of a resource, the oldest first, each with what the variables of its loop stand for here. Those of
    /// another collection stand for the same position.
    fn ancestor_locals<'r>(
        &'r self,
        resource: &Resource,
        other: Option<SymbolId>,
    ) -> Vec<(&'r Resource, Locals)> {
        let mut locals = self.locals.clone();
        let mut ancestors: Vec<_> = self
            .cx
            .resources
            .ancestors(resource)
            .into_iter()
            .rev()
            .map(|(ancestor, link)| {
                if let Some(index) = link.index {
                    let here = self.with(locals.clone());
                    let index = here.code(self.cx.expr(index));
                    locals = here.locals_at(self.cx.declaration(ancestor.symbol), &index);
                    if let Some(other) = other {
                        locals = self.with(locals.clone()).locals_at(self.cx.declaration(other), &index);
                    }
                }
                (ancestor, locals.clone())
            })
            .collect();
        ancestors.reverse();
        ancestors
    }

    /// Where a resource is deployed, which is where its oldest ancestor is, and a translator for what was written there.
    pub(crate) fn resource_place(&self, resource: &Resource) -> (DeploymentScope, Self) {
        match self.ancestor_locals(resource, None).into_iter().next() {
            Some((oldest, locals)) => (self.cx.place_of(oldest.symbol), self.with(locals)),
            None => (self.cx.place_of(resource.symbol), self.clone()),
        }
    }

    /// The same for the id of a resource. If the place is one of a collection, the reference does not look at which one: the
    /// collection's variables mean the position in the loop around, or that of the parent.
    fn id_place(&self, resource: &Resource) -> (DeploymentScope, Self) {
        let (place, at) = self.resource_place(resource);
        let Some((collection, _)) = place.index else { return (place, at) };
        match self.ancestor_locals(resource, Some(collection)).into_iter().next() {
            Some((_, locals)) => (place, self.with(locals)),
            None => (place, at),
        }
    }

    /// A translator for the names of a place: where it is one of a collection, the collection's variables stand for
    /// that one.
    pub(crate) fn at_place(&self, place: &DeploymentScope) -> Self {
        match place.index {
            Some((symbol, index)) => {
                self.with(self.locals_at(self.cx.declaration(symbol), &self.code(self.cx.expr(index))))
            }
            None => self.clone(),
        }
    }

    /// The id of a resource.
    pub(crate) fn resource_id(&self, resource: &Resource) -> Code {
        let (place, at) = self.id_place(resource);
        at.id_at(&place, resource.reference.name(), &self.name_segments(resource))
    }

    /// The id of the deployment that a module is.
    pub(crate) fn module_id(&self, module: SymbolId, index: Option<&Code>) -> Code {
        let place = self.cx.place_of(module);
        self.id_at(&place, DEPLOYMENT_TYPE, &[self.module_name(module, index)])
    }

    /// The name of the deployment that a module is.
    pub(crate) fn module_name(&self, module: SymbolId, index: Option<&Code>) -> Code {
        match self.cx.module_property(module, "name") {
            Some(name) => self.code(name.value()),
            None => self.generated_name(module, index),
        }
    }

    /// A name made from the module's name in the file, the position in its loop and the deployment around it.
    pub(crate) fn generated_name(&self, module: SymbolId, index: Option<&Code>) -> Code {
        let is_collection = self.cx.module(module).is_some_and(|module| module.is_collection);
        let symbol = self.cx.model.symbol(module).name.clone().unwrap_or_default();
        let deployment = Code::call("deployment", []).member("name");
        let unique = Code::call("uniqueString", [Code::text(symbol.as_str()), deployment]);
        let (format, room, position) = if is_collection {
            let position = index.cloned().unwrap_or_else(|| Code::call("copyIndex", []));
            ("-{0}-{1}", COPY_INDEX + UNIQUE_STRING + 2, Some(position))
        } else {
            ("-{0}", UNIQUE_STRING + 1, None)
        };
        let prefix: String = symbol.chars().take(MAX_DEPLOYMENT_NAME - room).collect();
        let parts = [Code::Text(prefix + format)].into_iter().chain(position).chain([unique]);
        Code::call("format", parts)
    }

    /// The id of something with these names, at a place.
    fn id_at(&self, place: &DeploymentScope, ty: &str, names: &[Code]) -> Code {
        let typed =
            |before: Vec<Code>| before.into_iter().chain([Code::text(ty)]).chain(names.iter().cloned());
        match place.kind {
            Scopes::TENANT => Code::call("tenantResourceId", typed(Vec::new())),
            Scopes::SUBSCRIPTION => {
                let subscription = place.subscription.map(|id| self.code(self.cx.expr(id)));
                Code::call("subscriptionResourceId", typed(subscription.into_iter().collect()))
            }
            Scopes::RESOURCE => {
                let extended = place.resource.and_then(|symbol| self.cx.resources.get(symbol));
                let id = extended.map_or(Code::text(""), |resource| self.resource_id(resource));
                Code::call("extensionResourceId", typed(vec![id]))
            }
            Scopes::MANAGEMENT_GROUP => {
                let group = match place.management_group {
                    Some(name) => self.management_group_id(name, true),
                    None => Code::call("managementGroup", []).member("id"),
                };
                Code::call("extensionResourceId", typed(vec![group]))
            }
            _ => match place.resource_group {
                None => Code::call("resourceId", typed(Vec::new())),
                Some(group) => {
                    let subscription = match place.subscription {
                        Some(id) => self.code(self.cx.expr(id)),
                        None => Code::call("subscription", []).member("subscriptionId"),
                    };
                    let format = Code::text("/subscriptions/{0}/resourceGroups/{1}");
                    let group = Code::call("format", [format, subscription, self.code(self.cx.expr(group))]);
                    Code::call("extensionResourceId", typed(vec![group]))
                }
            },
        }
    }

    /// The id of a management group; not qualified, it stands for itself at the scopes above subscriptions.
    pub(crate) fn management_group_id(&self, name: NodeId, is_qualified: bool) -> Code {
        const TYPE: &str = "Microsoft.Management/managementGroups";
        let name = self.code(self.cx.expr(name));
        if is_qualified {
            Code::call("tenantResourceId", [Code::text(TYPE), name])
        } else {
            Code::call("format", [Code::text(format!("{TYPE}/{{0}}")), name])
        }
    }
}

/// A name that stands for several parts, one after the other.
fn split_name(name: Code, count: usize) -> Vec<Code> {
    if count <= 1 {
        return vec![name];
    }
    let split = |index: usize| {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        Code::call("split", [name.clone(), Code::text("/")]).at(Code::Int(index))
    };
    (0..count).map(split).collect()
}
