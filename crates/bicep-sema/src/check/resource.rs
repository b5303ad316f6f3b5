//! Resources: their declared types come from the catalogue, and their bodies are held against them.

use base::{Diagnostic, TextRange};
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr};
use bicep_types::resources::Declaration;
use bicep_types::ty::{Kind, ResourceFlags, ResourceReference, ResourceType, Type};

use super::Checker;
use super::statement::needs_configuration;
use crate::messages::declarations as messages;
use crate::namespace::Namespace;
use crate::symbol::SymbolKind;

impl<'a> Checker<'a> {
    pub(super) fn resource(&mut self, resource: ast::Resource<'a>) -> Type {
        let node = resource.syntax();
        let declared = self.declared_type_of(node);
        self.check_decorators(node, &declared);
        let single = match declared.kind() {
            Kind::Array(array) => array.item.clone(),
            _ => declared.clone(),
        };
        if single.is_error() {
            return single;
        }
        if let Kind::Resource(ty) = single.kind() {
            self.check_resource_type(resource, ty);
        }
        match resource.value() {
            Expr::Skipped(_) => declared,
            value => self.narrow_resource(value.syntax(), &declared),
        }
    }

    fn check_resource_type(&mut self, resource: ast::Resource<'a>, ty: &ResourceType) {
        let range = resource.path_syntax().range();
        if !self.is_defined(ty) {
            self.report_undefined(range, ty);
        }
        self.check_implicit_configuration(range, &ty.namespace);
        let is_existing = resource.existing().is_some();
        if !is_existing && ty.flags.contains(ResourceFlags::READ_ONLY) {
            self.report(messages::only_existing(range, &ty.reference));
        }
        if is_existing && ty.flags.contains(ResourceFlags::WRITE_ONLY) {
            self.report(messages::not_as_existing(range, &ty.reference));
        }
    }

    /// An implicit extension has no statement that could configure it: its first resource says so.
    fn check_implicit_configuration(&mut self, range: TextRange, extension: &str) {
        let namespace =
            self.bound.namespaces.all.iter().find(|it| it.is_implicit && it.extension == extension);
        let configuration = namespace.and_then(|it| it.configuration.as_ref());
        if let Some(configuration) = configuration.filter(|it| needs_configuration(it))
            && !std::mem::replace(&mut self.noted_implicit_configuration, true)
        {
            self.report(messages::configuration_required(range, extension, configuration));
        }
    }

    fn report_undefined(&mut self, range: TextRange, ty: &ResourceType) {
        if self.has_no_catalogue(&ty.namespace) {
            if !self.noted_missing_catalogue {
                self.noted_missing_catalogue = true;
                self.report(messages::no_catalogue(range, &ty.namespace));
            }
            return;
        }
        let count = ty.reference.segment_count();
        let has_providers = ty.namespace == "az"
            && count > 2
            && ty.reference.segments().enumerate().any(|(index, segment)| {
                index > 1 && index < count - 1 && segment.eq_ignore_ascii_case("providers")
            });
        self.report(if has_providers {
            messages::providers_segment(range)
        } else {
            messages::no_types(range, &ty.reference)
        });
    }

    /// Whether the types of an extension are not installed.
    fn has_no_catalogue(&self, extension: &str) -> bool {
        let namespace = self.bound.namespaces.all.iter().find(|it| it.extension == extension);
        let types = namespace.and_then(|it| it.resources.as_ref());
        types.is_none_or(|types| types.0.catalogue().is_none())
    }

    /// Whether the catalogue knows a resource type.
    pub(super) fn is_defined(&self, ty: &ResourceType) -> bool {
        let namespace = self.bound.namespaces.all.iter().find(|it| it.extension == ty.namespace);
        let types = namespace.and_then(|it| it.resources.as_ref());
        types.is_some_and(|types| types.0.is_defined(&ty.reference))
    }

    /// The declared type of a resource or a loop of resources.
    pub(super) fn declared_resource(&mut self, node: Node<'a>) -> Type {
        let Some(resource) = ast::Resource::cast(node) else { return Type::error() };
        let path = resource.path_syntax();
        if path.is_skipped() || path == node {
            return Type::error();
        }
        let range = path.range();
        let Some(text) = resource.path() else {
            return self.fail(messages::invalid_resource_type(range));
        };
        if text.is_interpolated() {
            return self.fail(messages::interpolated_resource_type(range));
        }
        let (declaration, parent) = self.resource_context(resource);
        let nesting = Nesting { declaration, parent: parent.as_ref() };
        let single = match self.find_resource_type(&text.value().unwrap_or_default(), range, nesting) {
            Ok(ty) => ty,
            Err(diagnostic) => return self.fail(diagnostic),
        };
        match resource.value() {
            Expr::For(_) => Type::array_of(single),
            _ => single,
        }
    }

    fn resource_context(
        &mut self,
        resource: ast::Resource<'a>,
    ) -> (Declaration, Option<Option<ResourceType>>) {
        let mut declaration = Declaration::empty();
        if resource.existing().is_some() {
            declaration |= Declaration::EXISTING;
        }
        if self.has_feature(config::Feature::RuntimeValuesInTagsAndSku) {
            declaration |= Declaration::RUNTIME_TAGS_AND_SKU;
        }
        if let Some(outer) = resource.parent_resource() {
            let ty = self.declared_type_of(outer.syntax());
            let outer = match ty.kind() {
                Kind::Resource(resource) => Some(resource.clone()),
                _ => None,
            };
            return (declaration | Declaration::NESTED | Declaration::HAS_PARENT, Some(outer));
        }
        if self.names_parent(resource) {
            declaration |= Declaration::HAS_PARENT;
        }
        (declaration, None)
    }

    /// Whether the body says which resource is the parent.
    fn names_parent(&self, resource: ast::Resource<'a>) -> bool {
        let id = self.bound.declarations.symbol_of.get(&resource.syntax().id());
        if id.is_some_and(|id| self.bound.cycles.contains_key(id)) {
            return false;
        }
        let value = resource.body().and_then(|body| body.property("parent")).map(ast::Property::value);
        let Some(value) = value else { return false };
        let base = match value {
            Expr::Index(access) => access.base(),
            value => value,
        };
        self.referenced(base.syntax()).is_some_and(|(_, symbol)| symbol.kind == SymbolKind::Resource)
    }

    /// A resource type by its text, as a type syntax names it.
    pub(super) fn resource_type_from(
        &mut self,
        text: &str,
        range: TextRange,
        declaration: Option<Declaration>,
    ) -> Result<ResourceType, Diagnostic> {
        let nesting = Nesting { declaration: declaration.unwrap_or_default(), parent: None };
        let ty = self.find_resource_type(text, range, nesting)?;
        match ty.kind() {
            Kind::Resource(resource) => Ok(resource.clone()),
            _ => Err(messages::invalid_resource_type(range)),
        }
    }

    /// The same for a resource that exists already.
    pub(super) fn existing_resource_type(
        &mut self,
        text: &str,
        range: TextRange,
    ) -> Result<ResourceType, Diagnostic> {
        self.resource_type_from(text, range, Some(Declaration::EXISTING))
    }

    fn find_resource_type(
        &self,
        text: &str,
        range: TextRange,
        nesting: Nesting<'_>,
    ) -> Result<Type, Diagnostic> {
        if let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| !scheme.is_empty()) {
            return self.resource_type_in(scheme, rest, range, nesting);
        }
        let reference = combined(text, range, nesting)?;
        let declaration = nesting.declaration;
        let all = &self.bound.namespaces.all;
        let defined: Vec<(&Namespace, Type)> = all
            .iter()
            .filter_map(|it| Some((it, it.resources.as_ref()?.0.resource_type(&reference, declaration)?)))
            .collect();
        let mut found = defined;
        if found.is_empty() {
            found = all
                .iter()
                .filter_map(|it| Some((it, it.resources.as_ref()?.0.generic_type(&reference, declaration)?)))
                .collect();
        }
        match found.as_slice() {
            [] => Err(self.unknown_extension(range, &reference)),
            [(_, only)] => Ok(only.clone()),
            many => {
                let names = many.iter().map(|(namespace, _)| namespace.name.as_str());
                Err(messages::ambiguous_resource_type(range, &reference, names))
            }
        }
    }

    /// A type that looks like one of Azure's, in a file without Azure, lacks its extension.
    fn unknown_extension(&self, range: TextRange, reference: &ResourceReference) -> Diagnostic {
        let namespaces = &self.bound.namespaces;
        let is_azure = reference.segment_count() > 1
            && reference.version().is_some()
            && reference.segments().next().is_some_and(|provider| provider.contains('.'));
        if !is_azure || namespaces.all.iter().any(|it| it.extension == "az") {
            return messages::invalid_resource_type(range);
        }
        let is_missing = namespaces.missing.iter().any(|name| name == "az");
        messages::extension_not_there(range, reference, "az", is_missing)
    }

    fn resource_type_in(
        &self,
        scheme: &str,
        text: &str,
        range: TextRange,
        nesting: Nesting<'_>,
    ) -> Result<Type, Diagnostic> {
        let all = &self.bound.namespaces.all;
        let Some(namespace) = all.iter().find(|namespace| namespace.name == scheme) else {
            let mut names: Vec<&str> = all.iter().map(|namespace| namespace.name.as_str()).collect();
            names.sort_by_key(|name| name.to_ascii_uppercase());
            return Err(messages::unknown_namespace(range, scheme, names));
        };
        if let Some(Some(parent)) = nesting.parent
            && parent.namespace != namespace.extension
        {
            return Err(messages::parent_in_other_namespace(range, &namespace.name, &parent.namespace));
        }
        let reference = combined(text, range, nesting)?;
        let types = namespace.resources.as_ref().map(|types| &types.0);
        let found = types.and_then(|types| {
            types
                .resource_type(&reference, nesting.declaration)
                .or_else(|| types.generic_type(&reference, nesting.declaration))
        });
        found.ok_or_else(|| messages::not_in_extension(range, &namespace.extension, &reference))
    }
}

/// Where a resource is declared.
#[derive(Clone, Copy)]
struct Nesting<'p> {
    declaration: Declaration,
    /// For a nested resource: the outer one, if its type is known.
    parent: Option<&'p Option<ResourceType>>,
}

/// The type that is meant, with that of the outer resource before it.
fn combined(text: &str, range: TextRange, nesting: Nesting<'_>) -> Result<ResourceReference, Diagnostic> {
    let reference = ResourceReference::parse(text).ok_or_else(|| messages::invalid_resource_type(range))?;
    if !nesting.declaration.contains(Declaration::NESTED) {
        return Ok(reference);
    }
    let Some(Some(parent)) = nesting.parent else { return Err(messages::outer_resource_type(range)) };
    if reference.segment_count() > 1 {
        return Err(messages::nested_type_segments(range, text));
    }
    Ok(parent.reference.nested(&reference))
}
