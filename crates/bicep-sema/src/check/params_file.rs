//! Parameter files: what they assign is held against what the file that they are for declares.

use base::SmolStr;
use bicep_syntax::ast::{self, Statement};
use bicep_syntax::{Dialect, Node, SyntaxKind};
use bicep_types::ty::{DiscriminatedType, Kind, ObjectType, Property, PropertyFlags, Type, union};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use super::module::{DEPLOYMENT_NAME_DESCRIPTION, deployment_name};
use super::statement::needs_configuration;
use crate::interface::Interface;
use crate::messages::declarations as messages;
use crate::program::{BicepFile, FileId};
use crate::unreported::{arrived, departed};

impl<'a> Checker<'a> {
    pub(super) fn check_params_file(&mut self) {
        if self.bound.bicep.dialect != Dialect::Params {
            return;
        }
        self.check_base();
        let Some(using) = self.using_statement() else {
            self.report(messages::using_missing());
            return;
        };
        if using.is_none() {
            return;
        }
        let Some(interface) = self.follow_using(using) else { return };
        self.check_parameters_assigned(using, interface);
        self.check_extension_configs(using, interface);
        self.check_assigned_types();
        self.check_inherited_types(interface);
        if interface.has_errors {
            self.report(messages::reference_has_errors(path_range(using), interface.is_template));
        }
    }

    fn using_statement(&self) -> Option<ast::Using<'a>> {
        self.tree.file().statements().find_map(|statement| match statement {
            Statement::Using(using) => Some(using),
            _ => None,
        })
    }

    fn follow_using(&mut self, using: ast::Using<'a>) -> Option<&'a Interface> {
        let node = using.syntax();
        let interface = self.follow_reference(node)?;
        if interface.is_params {
            self.report(crate::messages::files::not_a_template(path_range(using)));
            return None;
        }
        Some(interface)
    }

    /// What the file that is used declares.
    fn used_interface(&self) -> Option<&'a Interface> {
        let using = self.using_statement().filter(|using| !using.is_none())?;
        self.referenced_interface(using.syntax()).filter(|interface| !interface.is_params)
    }

    pub(super) fn using(&mut self, using: ast::Using<'a>) -> Type {
        self.no_decorators(using.syntax());
        if let Some(config) = using.with_clause().and_then(ast::WithClause::config) {
            self.narrow(config.syntax(), &deployment_config());
        }
        Type::any()
    }

    /// The type that the used file declares for an assigned parameter.
    pub(super) fn declared_assignment(&mut self, node: Node<'a>) -> Option<Type> {
        let assignment = ast::ParamAssignment::cast(node)?;
        let name = assignment.name().and_then(ast::Name::text)?;
        let interface = self.used_interface()?;
        interface.parameter(name).map(|parameter| parameter.ty.clone())
    }

    fn assignments(&self) -> impl Iterator<Item = ast::ParamAssignment<'a>> {
        self.tree.file().statements().filter_map(|statement| match statement {
            Statement::ParamAssignment(assignment) => Some(assignment),
            _ => None,
        })
    }

    fn check_parameters_assigned(&mut self, using: ast::Using<'a>, interface: &'a Interface) {
        // The first assignment of a name counts.
        let mut own: FxHashMap<&str, ast::ParamAssignment<'a>> = FxHashMap::default();
        for assignment in self.assignments() {
            assignment.name().and_then(ast::Name::text).map(|name| own.entry(name).or_insert(assignment));
        }
        let mut inherited: FxHashMap<SmolStr, Type> = FxHashMap::default();
        for (name, ty) in self.inherited() {
            inherited.entry(name).or_insert(ty);
        }
        let mut missing = Vec::new();
        for parameter in interface.sorted_parameters().filter(|parameter| parameter.is_required) {
            let is_null = match own.get(parameter.name.as_str()) {
                Some(assignment) => self.type_of(assignment.syntax()).is_null(),
                None => inherited.get(&parameter.name).is_none_or(Type::is_null),
            };
            if is_null {
                missing.push(parameter.name.as_str());
            }
        }
        if !missing.is_empty() {
            self.report(messages::parameters_not_assigned(path_range(using), missing));
        }
        let unknown: Vec<_> = self
            .assignments()
            .map(|it| (it.range(), it.name().map_or("", ast::Name::display)))
            .filter(|(_, name)| interface.parameter(name).is_none())
            .collect();
        for (range, name) in unknown {
            self.report(messages::parameter_not_declared(range, name));
        }
    }

    fn check_assigned_types(&mut self) {
        for assignment in self.assignments().collect::<Vec<_>>() {
            let ty = self.type_of(assignment.syntax());
            if ty.is_error() || ty.is_null() {
                continue;
            }
            if let Some(declared) = self.declared_assignment(assignment.syntax()) {
                self.narrow(assignment.value().syntax(), &declared);
            }
        }
    }

    /// What is wrong with inherited values is reported here, with the offsets it has in the file they come from.
    fn check_inherited_types(&mut self, interface: &'a Interface) {
        let mut known: FxHashSet<&str> =
            self.assignments().filter_map(|it| it.name().and_then(ast::Name::text)).collect();
        let (program, text) = (self.bound.program, self.bound.bicep.source.text());
        let mut open: Vec<FileId> = extended_files(self.bound.bicep).collect();
        let mut seen: FxHashSet<FileId> = open.iter().copied().collect();
        while let Some(file) = open.pop() {
            let (Some(bicep), Some(model)) = (program.bicep(file), program.model(file)) else { continue };
            for statement in bicep.tree().file().statements() {
                let Statement::ParamAssignment(assignment) = statement else { continue };
                let name = assignment.name().and_then(ast::Name::text).filter(|name| known.insert(name));
                let Some(declared) = name.and_then(|name| interface.parameter(name)) else { continue };
                let ty = model.type_of(assignment.syntax());
                if ty.is_none_or(|ty| ty.is_error() || ty.is_null()) {
                    continue;
                }
                let value = assignment.value().syntax().id();
                for mismatch in model.mismatches(program, bicep, value, &declared.ty) {
                    self.report(arrived(&departed(mismatch, bicep.source.text()), text));
                }
            }
            open.extend(extended_files(bicep).filter(|file| seen.insert(*file)));
        }
    }

    pub(super) fn extension_config(&mut self, config: ast::ExtensionConfig<'a>) -> Type {
        if !self.has_feature(config::Feature::ModuleExtensionConfigs) {
            return self.fail(messages::not_in_params_file(config.range()));
        }
        let Some(name) = config.name() else { return Type::error() };
        let alias = name.display();
        let extension = self.used_interface().and_then(|interface| interface.extension(alias));
        let object = config.with_clause().and_then(ast::WithClause::config);
        if let Some(object) = object {
            self.type_of(object.syntax());
        }
        let Some(expected) = extension.and_then(|extension| extension.configuration.clone()) else {
            self.report(messages::no_configuration(name.range(), alias));
            return Type::error();
        };
        match object {
            Some(object) => {
                self.narrow(object.syntax(), &expected);
            }
            None if config.with_clause().is_none() && needs_configuration(&expected) => {
                self.report(messages::configuration_required(config.range(), alias, &expected));
            }
            None => {}
        }
        expected
    }

    fn check_extension_configs(&mut self, using: ast::Using<'a>, interface: &'a Interface) {
        if interface.is_template || !interface.has_extension_configs {
            return;
        }
        let configs: Vec<_> = self
            .tree
            .file()
            .statements()
            .filter_map(|statement| match statement {
                Statement::ExtensionConfig(config) => Some((config.range(), config.name()?.display())),
                _ => None,
            })
            .collect();
        let mut missing: Vec<&str> = interface
            .extensions
            .iter()
            .filter(|it| it.is_required && !configs.iter().any(|(_, name)| it.alias == *name))
            .map(|it| it.alias.as_str())
            .collect();
        missing.sort_unstable();
        if !missing.is_empty() {
            self.report(messages::configurations_missing(path_range(using), missing));
        }
        for (range, name) in configs {
            if interface.extension(name).is_none() {
                self.report(messages::no_such_extension(range, name));
            }
        }
    }

    /// The parameters that are inherited through `extends`.
    pub(super) fn inherited(&self) -> Vec<(SmolStr, Type)> {
        let mut found: Vec<(SmolStr, Type)> = Vec::new();
        let mut known = FxHashSet::default();
        for statement in self.tree.file().statements() {
            let Statement::Extends(extends) = statement else { continue };
            let Some(interface) = self.referenced_interface(extends.syntax()) else { continue };
            for (name, ty) in &interface.assignments {
                if known.insert(name) {
                    found.push((name.clone(), ty.clone()));
                }
            }
        }
        found
    }

    /// What a name means that comes from the extended file.
    pub(super) fn inherited_value(&mut self, name: ast::Name<'a>) -> Option<Type> {
        if self.bound.bicep.dialect != Dialect::Params {
            return None;
        }
        let name = name.text()?;
        let inherited = self.inherited();
        if name == "base" && !inherited.is_empty() {
            return Some(self.base_type());
        }
        inherited.into_iter().find(|(it, _)| it == name).map(|(_, ty)| ty)
    }

    /// The value of `base`: everything that the extended file assigns.
    pub(super) fn base_type(&mut self) -> Type {
        let object = self.inherited().into_iter().fold(ObjectType::named("base"), |object, (name, ty)| {
            object.with_property(name, ty, PropertyFlags::READ_ONLY | PropertyFlags::REQUIRED)
        });
        object.into()
    }

    fn check_base(&mut self) {
        let extends: Vec<ast::Extends<'a>> = self
            .tree
            .file()
            .statements()
            .filter_map(|statement| match statement {
                Statement::Extends(extends) => Some(extends),
                _ => None,
            })
            .collect();
        for each in &extends {
            match self.bound.bicep.reference(each.syntax()) {
                Some(Err(diagnostic)) => self.report(diagnostic.clone()),
                Some(Ok(target)) => {
                    let is_params = |file: &BicepFile| file.dialect == Dialect::Params;
                    if !self.bound.program.bicep(target.file).is_some_and(is_params) {
                        let range = each.path().map_or(each.range(), ast::Str::range);
                        self.report(crate::messages::files::not_a_params_file(range));
                    }
                }
                None => {}
            }
        }
        if extends.len() != 1 {
            let is_base = |node: &Node<'a>| {
                node.kind() == SyntaxKind::VarAccess
                    && ast::VarAccess::cast(*node).and_then(ast::VarAccess::name).and_then(ast::Name::text)
                        == Some("base")
            };
            let uses: Vec<_> = self.tree.root().descendants().filter(is_base).collect();
            for node in uses {
                self.report(messages::base_without_extends(node.range()));
            }
            return;
        }
        let redeclared: Vec<_> = self
            .bound
            .declarations
            .symbols
            .iter()
            .filter(|symbol| {
                symbol.name.as_deref() == Some("base")
                    && symbol.kind != crate::symbol::SymbolKind::Base
                    && symbol.scope == crate::symbol::ScopeId::FILE
            })
            .map(|symbol| self.declaration(symbol).range())
            .collect();
        for range in redeclared {
            self.report(messages::base_redeclared(range));
        }
    }
}

fn path_range(using: ast::Using<'_>) -> base::TextRange {
    using.path().map_or(using.range(), ast::Str::range)
}

/// What `using … with { … }` takes.
pub(crate) fn deployment_config() -> Type {
    type Flags = PropertyFlags;
    let optional = Flags::WRITE_ONLY
        | Flags::DEPLOY_TIME_CONSTANT
        | Flags::READABLE_AT_DEPLOY_TIME
        | Flags::DISALLOW_ANY;
    let required = optional | Flags::REQUIRED;
    let common = |name: &str, mode: &str| {
        ObjectType::named(name)
            .with("name", Property::new(deployment_name(), optional).described(DEPLOYMENT_NAME_DESCRIPTION))
            .with_property("scope", Type::string(), required)
            .with_property("location", Type::string(), optional)
            .with_property("mode", Type::string_literal(mode), required)
    };
    let action = union(["delete", "detach"].map(Type::string_literal));
    let unmanage = ObjectType::named("actionOnUnmanage")
        .with_property("resources", action.clone(), required)
        .with_property("resourceGroups", action.clone(), optional)
        .with_property("managementGroups", action, optional);
    let modes = union(["denyDelete", "denyWriteAndDelete", "none"].map(Type::string_literal));
    let deny = ObjectType::named("denySettings")
        .with_property("applyToChildScopes", Type::bool(), optional)
        .with_property("excludedActions", Type::string_array(), optional)
        .with_property("excludedPrincipals", Type::string_array(), optional)
        .with_property("mode", modes, required);
    let stack = common("StackConfig", "stack")
        .with_property("description", Type::string(), optional)
        .with_property("actionOnUnmanage", unmanage.into(), required)
        .with_property("denySettings", deny.into(), required);
    let members = [common("DeploymentConfig", "deployment").into(), stack.into()];
    DiscriminatedType::new("Config", "mode", members)
        .map_or_else(Type::any, |config| Type::new(Kind::Discriminated(config)))
}

/// The parameter files that a parameter file extends.
fn extended_files(bicep: &BicepFile) -> impl Iterator<Item = FileId> {
    bicep.tree().file().statements().filter_map(|statement| {
        let Statement::Extends(extends) = statement else { return None };
        Some(bicep.reference(extends.syntax())?.as_ref().ok()?.file)
    })
}
