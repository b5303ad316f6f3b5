//! Modules and tests: what they take and give is what the other file declares.

use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{
    Kind, ModuleType, ObjectType, Pattern, Property, PropertyFlags, ResourceReference, Scopes, StringShape,
    Type, TypeFlags, union,
};

use super::Checker;
use crate::interface::Interface;
use crate::messages::{declarations as messages, files};

/// The pattern of the names of deployments.
pub(super) const DEPLOYMENT_NAME: &str = r"^[-\w._()]+$";

impl<'a> Checker<'a> {
    pub(super) fn module(&mut self, module: ast::Module<'a>) -> Type {
        let node = module.syntax();
        let declared = self.declared_type_of(node);
        self.check_decorators(node, &declared);
        if is_error_or_array_of(&declared) {
            return Type::error();
        }
        let range = module.path_syntax().range();
        self.check_resource_members(&declared, range);
        if let Some(interface) = self.referenced_interface(node)
            && interface.has_errors
        {
            self.report(messages::reference_has_errors(range, interface.is_template));
        }
        self.check_derived_types(node, range);
        match module.value() {
            Expr::Skipped(_) => declared,
            value => self.narrow(value.syntax(), &declared),
        }
    }

    /// Types that a template takes from resource types that are not known here.
    fn check_derived_types(&mut self, node: Node<'a>, range: base::TextRange) {
        let Some(interface) = self.referenced_interface(node) else { return };
        for source in &interface.derived_types {
            let identifier = source.split('#').next().unwrap_or_default();
            match ResourceReference::parse(identifier) {
                None => self.report(messages::unknown_resource_type(range, identifier)),
                Some(reference) => {
                    let azure = self.bound.namespaces.all.iter().find(|it| it.extension == "az");
                    let types = azure.and_then(|it| it.resources.as_ref());
                    let is_installed = types.is_some_and(|types| types.0.catalogue().is_some());
                    if is_installed && !types.is_some_and(|types| types.0.is_defined(&reference)) {
                        self.report(messages::no_types(range, &reference));
                    }
                }
            }
        }
    }

    /// Parameters and outputs whose types are resources.
    fn check_resource_members(&mut self, declared: &Type, range: base::TextRange) {
        let single = declared.item().unwrap_or(declared);
        let Kind::Module(module) = single.kind() else { return };
        let Some(body) = module.body.as_object() else { return };
        let members: Vec<Type> = ["params", "outputs"]
            .iter()
            .filter_map(|name| body.properties.get(*name)?.ty.as_object().cloned())
            .flat_map(|object| object.properties.into_values().map(|property| property.ty))
            .collect();
        for member in members {
            let reference = match member.kind() {
                Kind::Resource(resource) => resource.reference.clone(),
                Kind::ResourceParameter(reference) => reference.clone(),
                _ => continue,
            };
            if !self.has_feature(config::Feature::ResourceTypedParamsAndOutputs) {
                self.report(messages::resource_typed_needs_feature(range));
            }
            let is_defined = self.bound.namespaces.all.iter().any(|namespace| {
                namespace.resources.as_ref().is_some_and(|types| types.0.is_defined(&reference))
            });
            if !is_defined {
                self.report(messages::module_without_types(range, &reference));
            }
        }
    }

    pub(super) fn test(&mut self, test: ast::Test<'a>) -> Type {
        let node = test.syntax();
        let declared = self.declared_type_of(node);
        self.check_decorators(node, &declared);
        if declared.is_error() {
            return Type::error();
        }
        let range = test.path_syntax().range();
        if let Some(interface) = self.referenced_interface(node)
            && interface.has_errors
        {
            self.report(messages::reference_has_errors(range, interface.is_template));
        }
        match test.value() {
            Expr::Skipped(_) => declared,
            value => self.narrow(value.syntax(), &declared),
        }
    }

    /// What the file that a statement refers to declares.
    pub(super) fn referenced_interface(&self, node: Node<'a>) -> Option<&'a Interface> {
        let target = self.bound.bicep.reference(node)?.as_ref().ok()?;
        self.bound.program.interface(target.file)
    }

    /// The same; what is wrong with the reference is reported.
    pub(super) fn follow_reference(&mut self, node: Node<'a>) -> Option<&'a Interface> {
        match self.bound.bicep.reference(node)? {
            Ok(target) => self.bound.program.interface(target.file),
            Err(diagnostic) => {
                let diagnostic = diagnostic.clone();
                self.report(diagnostic);
                None
            }
        }
    }

    pub(super) fn declared_module(&mut self, node: Node<'a>) -> Type {
        let Some(module) = ast::Module::cast(node) else { return Type::error() };
        if self.bound.bicep.reference(node).is_none() {
            return self.fail(files::path_missing(module.path_syntax().range(), "BCP090"));
        }
        let Some(interface) = self.follow_reference(node) else { return Type::error() };
        let single = self.module_type(interface);
        match module.value() {
            Expr::For(_) => Type::array_of(single),
            _ => single,
        }
    }

    fn module_type(&mut self, interface: &Interface) -> Type {
        type Flags = PropertyFlags;
        let scope_flags = Flags::WRITE_ONLY
            | Flags::DEPLOY_TIME_CONSTANT
            | Flags::READABLE_AT_DEPLOY_TIME
            | Flags::DISALLOW_ANY
            | Flags::LOOP_VARIANT;
        let scope_required =
            if interface.target == self.bound.target { Flags::empty() } else { Flags::REQUIRED };
        let params = self.params_type(interface);
        let params_required = required_if_any(&params);
        let name_flags = Flags::DEPLOY_TIME_CONSTANT | Flags::READABLE_AT_DEPLOY_TIME | Flags::LOOP_VARIANT;
        let mut body = ObjectType::named("module")
            .with("name", Property::new(deployment_name(), name_flags).described(DEPLOYMENT_NAME_DESCRIPTION))
            .with_property("scope", Type::scope(interface.target), scope_flags | scope_required)
            .with_property("params", params.into(), params_required | Flags::WRITE_ONLY)
            .with_property("outputs", self.outputs_type(interface).into(), Flags::READ_ONLY)
            .with_property(
                "dependsOn",
                Type::resource_or_collection_ref_array(),
                Flags::WRITE_ONLY | Flags::DISALLOW_ANY,
            )
            .with_property("identity", identity(), Flags::DEPLOY_TIME_CONSTANT);
        if self.has_feature(config::Feature::ModuleExtensionConfigs) {
            let configs = extension_configs(interface);
            let required = required_if_any(&configs);
            body = body.with_property("extensionConfigs", configs.into(), required | Flags::WRITE_ONLY);
        }
        ModuleType { name: "module".into(), scopes: interface.target, body: body.into() }.into()
    }

    fn params_type(&mut self, interface: &Interface) -> ObjectType {
        let mut params = ObjectType::named("params");
        for parameter in interface.sorted_parameters() {
            let ty = match parameter.ty.kind() {
                Kind::UnresolvedResource(reference) => self.resource_parameter(reference),
                _ => parameter.ty.clone(),
            };
            let (ty, flags) = if parameter.is_required {
                (ty, PropertyFlags::REQUIRED | PropertyFlags::WRITE_ONLY)
            } else {
                (union([ty, Type::null()]), PropertyFlags::WRITE_ONLY)
            };
            let mut property = Property::new(ty, flags);
            property.description.clone_from(&parameter.description);
            params.properties.insert(parameter.name.clone(), property);
        }
        params
    }

    fn resource_parameter(&mut self, reference: &ResourceReference) -> Type {
        Type::new(Kind::ResourceParameter(reference.clone()))
    }

    fn outputs_type(&mut self, interface: &Interface) -> ObjectType {
        let mut outputs = ObjectType::named("outputs");
        for output in &interface.outputs {
            let ty = match output.ty.kind() {
                Kind::UnresolvedResource(reference) => {
                    let found = self.existing_resource_type(&reference.to_string(), super::assign::NOWHERE);
                    found.map_or_else(|_| Type::error(), Type::from)
                }
                _ => output.ty.clone(),
            };
            let mut property = Property::new(ty, PropertyFlags::READ_ONLY);
            property.description.clone_from(&output.description);
            outputs.properties.insert(output.name.clone(), property);
        }
        outputs
    }

    pub(super) fn declared_test(&mut self, node: Node<'a>) -> Type {
        if let Some(test) = ast::Test::cast(node)
            && self.bound.bicep.reference(node).is_none()
        {
            return self.fail(files::path_missing(test.path_syntax().range(), "BCP358"));
        }
        let Some(interface) = self.follow_reference(node) else { return Type::error() };
        let mut params = ObjectType::named("params");
        for parameter in interface.sorted_parameters() {
            let required =
                if parameter.is_required { PropertyFlags::REQUIRED } else { PropertyFlags::empty() };
            let flags = required | PropertyFlags::WRITE_ONLY;
            params = params.with_property(parameter.name.clone(), parameter.ty.clone(), flags);
        }
        let required = required_if_any(&params);
        let body = ObjectType::named("test").with_property(
            "params",
            params.into(),
            required | PropertyFlags::WRITE_ONLY,
        );
        Type::new(Kind::Test(ModuleType { name: "test".into(), scopes: Scopes::empty(), body: body.into() }))
    }
}

fn is_error_or_array_of(ty: &Type) -> bool {
    ty.is_error() || ty.item().is_some_and(Type::is_error)
}

fn required_if_any(object: &ObjectType) -> PropertyFlags {
    let any = object.properties.values().any(|it| it.flags.contains(PropertyFlags::REQUIRED));
    if any { PropertyFlags::REQUIRED } else { PropertyFlags::empty() }
}

/// What editors say about the name of a deployment.
pub(super) const DEPLOYMENT_NAME_DESCRIPTION: &str =
    "Name of the deployment: 1 to 64 letters, digits, hyphens, underscores, dots and parentheses.";

/// The name of a deployment.
pub(super) fn deployment_name() -> Type {
    let shape = StringShape {
        min_length: Some(1),
        max_length: Some(64),
        pattern: Some(Pattern::new(DEPLOYMENT_NAME)),
    };
    Type::string_shaped(shape, TypeFlags::empty())
}

fn identity() -> Type {
    let kinds = union(["None", "UserAssigned"].map(Type::string_literal));
    ObjectType::named("identity")
        .with_property("type", kinds, PropertyFlags::REQUIRED)
        .with_property("userAssignedIdentities", Type::object(), PropertyFlags::empty())
        .into()
}

fn extension_configs(interface: &Interface) -> ObjectType {
    let mut configs = ObjectType::named("extensionConfigs");
    for extension in &interface.extensions {
        let Some(ty) = &extension.configuration else { continue };
        let required = if extension.is_required { PropertyFlags::REQUIRED } else { PropertyFlags::empty() };
        let flags = required | PropertyFlags::WRITE_ONLY;
        configs = configs.with_property(extension.alias.clone(), ty.clone(), flags);
    }
    configs
}
