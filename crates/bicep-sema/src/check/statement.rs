//! Statements: what each declares, and whether its parts fit together.

use base::{SmolStr, TextRange};
use bicep_syntax::ast::{self, Decorator, Expr, Statement};
use bicep_syntax::{Dialect, Node, SyntaxKind, Token};
use bicep_types::ty::{Kind, NamespaceType, ObjectType, PropertyFlags, Type, TypeFlags, assignable, union};

use super::Checker;
use super::constant::require_constant;
use crate::bind::Binding;
use crate::messages::{declarations as messages, types};
use crate::namespace::{Namespace, this_functions};
use crate::symbol::SymbolKind;

impl<'a> Checker<'a> {
    pub(super) fn statement(&mut self, node: Node<'a>) -> Type {
        match Statement::of(node) {
            Statement::TargetScope(target) => self.target_scope(target),
            Statement::Metadata(metadata) => self.metadata(metadata),
            Statement::Param(param) => self.param(param),
            Statement::ParamAssignment(assignment) => self.param_assignment(assignment),
            Statement::Var(variable) => self.var(variable),
            Statement::TypeDeclaration(declaration) => self.type_declaration(declaration),
            Statement::Func(function) => self.func(function),
            Statement::Resource(resource) => self.resource(resource),
            Statement::Module(module) => self.module(module),
            Statement::Test(test) => self.test(test),
            Statement::Output(output) => self.output(output),
            Statement::Assert(assert) => self.assert(assert),
            Statement::Import(import) => self.import(import),
            Statement::Extension(extension) => self.extension(extension),
            Statement::ExtensionConfig(config) => self.extension_config(config),
            Statement::Using(using) => self.using(using),
            Statement::Extends(extends) => {
                self.no_decorators(extends.syntax());
                Type::any()
            }
            Statement::MissingDeclaration(missing) => self.missing_declaration(missing.syntax()),
            Statement::Skipped(_) => Type::error(),
        }
    }

    /// Reports decorators where there must not be any.
    pub(super) fn no_decorators(&mut self, node: Node<'a>) {
        let first = node.children().find_map(Decorator::cast);
        if let Some(at) = first.and_then(|decorator| decorator.syntax().token(SyntaxKind::At)) {
            self.report(messages::decorators_not_allowed(at.range()));
        }
    }

    fn target_scope(&mut self, target: ast::TargetScope<'a>) -> Type {
        self.no_decorators(target.syntax());
        let mut names = vec!["tenant", "managementGroup", "subscription", "resourceGroup"];
        if self.has_feature(config::Feature::LocalDeploy) {
            names.push("local");
        }
        let expected = union(names.into_iter().map(Type::string_literal));
        let Expr::Skipped(_) = target.value() else {
            let value = target.value().syntax();
            require_constant(value, &mut self.diagnostics);
            return self.narrow(value, &expected);
        };
        expected
    }

    fn metadata(&mut self, metadata: ast::Metadata<'a>) -> Type {
        if let Some(name) = metadata.name().filter(|name| name.display().starts_with('_')) {
            self.report(crate::messages::names::reserved_metadata(name.range(), name.display()));
        }
        let ty = self.expr(metadata.value());
        if ty.is_error() {
            return ty;
        }
        if !assignable(&ty, &Type::any()) {
            return self.fail(types::not_a_value(metadata.value().range(), &ty));
        }
        self.check_decorators(metadata.syntax(), &ty);
        require_constant(metadata.value().syntax(), &mut self.diagnostics);
        ty
    }

    /// The types of the metadata that the file declares.
    pub(super) fn metadata_types(&mut self) -> Vec<(SmolStr, Type)> {
        let mut found = Vec::new();
        for statement in self.tree.file().statements() {
            if let Statement::Metadata(metadata) = statement
                && let Some(name) = metadata.name().and_then(ast::Name::text)
            {
                found.push((SmolStr::new(name), self.expr(metadata.value())));
            }
        }
        found
    }

    fn param(&mut self, param: ast::Param<'a>) -> Type {
        let node = param.syntax();
        let declared = self.declared_type_of(node);
        self.check_decorators(node, &declared);
        self.check_type_parts(param.ty().syntax());
        let default = param.default();
        if let Some(default) = default {
            self.check_default(default);
            if declared.is_nullable() {
                self.report(messages::nullable_with_default(default.range()));
            }
        }
        if declared.is_error() {
            if let Some(default) = default {
                // Nothing can be said of the value as a whole.
                let (_, own) = self.hold_back(|this| this.expr(default.value()));
                self.settle(own, true);
            }
            return declared;
        }
        let mut assigned = self.with_allowed(node, declared);
        if self.system_decorator(node, "secure").is_some() {
            if assigned.same(&Type::loose_string()) {
                assigned = Type::secure_string();
            } else if assigned.same(&Type::object()) {
                assigned = Type::secure_object();
            }
        }
        if let Some(default) = default
            && !matches!(default.value(), Expr::Skipped(_))
        {
            self.narrow(default.value().syntax(), &assigned);
        }
        assigned
    }

    /// The type of a parameter with `@allowed`.
    fn with_allowed(&mut self, node: Node<'a>, declared: Type) -> Type {
        let Some(decorator) = self.system_decorator(node, "allowed") else { return declared };
        let arguments: Vec<ast::Argument<'a>> =
            decorator.expression().syntax().children().filter_map(ast::Argument::cast).collect();
        let [argument] = arguments.as_slice() else { return declared };
        // What is wrong with one of the values does not keep the others from counting.
        let Expr::Array(array) = argument.value() else { return declared };
        let items: Vec<Type> =
            array.items().filter_map(ast::ArrayItem::cast).map(|item| self.type_of(item.syntax())).collect();
        if items.is_empty() {
            return self.fail(messages::nothing_allowed(array.range()));
        }
        let all = |test: fn(&Kind) -> bool| items.iter().all(|item| test(item.kind()));
        let is = |expected: Type| assignable(&declared, &expected);
        if is(Type::string()) && all(|kind| matches!(kind, Kind::StringLiteral(_)))
            || is(Type::int()) && all(|kind| matches!(kind, Kind::IntLiteral(_)))
            || is(Type::bool()) && all(|kind| matches!(kind, Kind::BoolLiteral(_)))
        {
            return union(items);
        }
        if is(Type::array()) && items.iter().all(Type::is_literal) {
            if all(|kind| matches!(kind, Kind::Tuple(_))) {
                return union(items);
            }
            if !items.iter().any(|item| matches!(item.kind(), Kind::Tuple(_))) {
                return Type::array_of(union(items)).with_flags(declared.flags());
            }
        }
        declared
    }

    /// The default of a parameter refers to nothing but other parameters.
    fn check_default(&mut self, default: ast::ParamDefault<'a>) {
        for node in default.syntax().descendants() {
            if node.kind() != SyntaxKind::VarAccess {
                continue;
            }
            let is_wrong = match self.bound.bindings.get(node) {
                Some(Binding::Symbol(id)) => {
                    let kind = self.symbol(id).map(|symbol| symbol.kind);
                    !matches!(
                        kind,
                        Some(
                            SymbolKind::Param
                                | SymbolKind::Func
                                | SymbolKind::WildcardImport
                                | SymbolKind::Extension
                        ) | None
                    )
                }
                Some(Binding::Type(_)) => true,
                _ => false,
            };
            if is_wrong {
                self.report(types::not_in_default(node.range()));
            }
        }
    }

    fn var(&mut self, variable: ast::Var<'a>) -> Type {
        let node = variable.syntax();
        if variable.ty().is_some() {
            let declared = self.declared_type_of(node);
            self.check_decorators(node, &declared);
            self.check_assignment(&declared, variable.value());
            return declared;
        }
        let ty = self.expr(variable.value());
        if ty.is_error() {
            return ty;
        }
        if !assignable(&ty, &Type::any()) {
            return self.fail(types::not_a_value(variable.value().range(), &ty));
        }
        self.check_decorators(node, &ty);
        ty
    }

    fn check_assignment(&mut self, declared: &Type, value: Expr<'a>) {
        let ty = self.expr(value);
        if !ty.is_error() && !declared.is_error() {
            self.narrow(value.syntax(), declared);
        }
    }

    fn type_declaration(&mut self, declaration: ast::TypeDeclaration<'a>) -> Type {
        let node = declaration.syntax();
        if let Some(name) = declaration.name().filter(|name| name.text() == Some("resource")) {
            self.report(types::reserved_type_name(name.range(), name.display()));
        }
        let declared = self.declared_type_of(node);
        self.type_syntax(declaration.value());
        self.check_type_parts(declaration.value().syntax());
        self.check_decorators(node, &declared);
        if declared.is_error() { declared } else { Type::new(Kind::TypeOf(declared)) }
    }

    fn func(&mut self, function: ast::Func<'a>) -> Type {
        let Some(lambda) = function.lambda() else { return Type::error() };
        let ty = self.type_of(lambda.syntax());
        if !ty.is_error() {
            self.check_decorators(function.syntax(), &ty);
        }
        ty
    }

    fn output(&mut self, output: ast::Output<'a>) -> Type {
        let node = output.syntax();
        let declared = self.declared_type_of(node);
        self.check_decorators(node, &declared);
        self.check_type_parts(output.ty().syntax());
        self.check_assignment(&declared, output.value());
        declared
    }

    fn assert(&mut self, assert: ast::Assert<'a>) -> Type {
        let ty = self.expr(assert.value());
        if ty.is_error() {
            return ty;
        }
        if !assignable(&ty, &Type::bool()) {
            return self.fail(messages::assert_not_bool(assert.value().range(), &ty));
        }
        self.check_decorators(assert.syntax(), &ty);
        Type::bool()
    }

    fn param_assignment(&mut self, assignment: ast::ParamAssignment<'a>) -> Type {
        if self.bound.bicep.dialect == Dialect::Params {
            self.no_decorators(assignment.syntax());
        }
        self.expr(assignment.value())
    }

    fn extension(&mut self, extension: ast::Extension<'a>) -> Type {
        let node = extension.syntax();
        let Some(namespace) = self.declared_namespace(node) else { return Type::error() };
        let with_configs = self.has_feature(config::Feature::ModuleExtensionConfigs);
        if with_configs && extension.spec_string().is_some() && extension.alias().is_none() {
            return self.fail(messages::alias_required(node.range()));
        }
        let ty = self.type_of_namespace(namespace);
        self.check_decorators(node, &ty);
        let config = extension.with_clause().and_then(ast::WithClause::config);
        match (config, &namespace.configuration) {
            (Some(config), None) => {
                self.report(messages::no_configuration(config.range(), &namespace.extension));
            }
            (Some(config), Some(expected)) => {
                let expected = if with_configs { optional_members(expected) } else { expected.clone() };
                self.narrow(config.syntax(), &expected);
            }
            (None, Some(expected))
                if !with_configs && extension.with_clause().is_none() && needs_configuration(expected) =>
            {
                self.report(messages::configuration_required(node.range(), &namespace.extension, expected));
            }
            _ => {}
        }
        ty
    }

    fn declared_namespace(&self, node: Node<'a>) -> Option<&'a Namespace> {
        let index = self.bound.namespaces.declared_by(node.id())?;
        self.bound.namespaces.get(index)
    }

    /// The type of the namespace that an extension declares.
    pub(super) fn extension_type(&mut self, node: Node<'a>) -> Type {
        self.declared_namespace(node).map_or_else(Type::error, |it| self.type_of_namespace(it))
    }

    /// The type of a namespace by its position.
    pub(super) fn namespace_type(&mut self, index: usize) -> Type {
        self.bound.namespaces.get(index).map_or_else(Type::error, |it| self.type_of_namespace(it))
    }

    fn type_of_namespace(&self, namespace: &Namespace) -> Type {
        let mut members = ObjectType::named(namespace.name.clone());
        for (name, ty) in &namespace.types {
            let ty = Type::new(Kind::TypeOf(ty.clone()));
            members = members.with_property(name.clone(), ty, PropertyFlags::empty());
        }
        if self.has_feature(config::Feature::ModuleExtensionConfigs)
            && let Some(configuration) = &namespace.configuration
        {
            members = members.with_property("config", configuration.clone(), PropertyFlags::READ_ONLY);
        }
        Type::from(NamespaceType {
            alias: namespace.name.clone(),
            extension: namespace.extension.clone(),
            version: namespace.template.1.clone(),
            members,
            configuration: namespace.configuration.clone(),
        })
    }

    pub(super) fn this_type(&mut self) -> Type {
        let methods = this_functions().iter().map(|overload| overload.as_ref().clone()).collect();
        Type::from(NamespaceType {
            alias: "this".into(),
            extension: "this".into(),
            version: "0.0.1".into(),
            members: ObjectType { methods, ..ObjectType::named("this") },
            configuration: None,
        })
    }
}

/// Whether an extension cannot do without a configuration.
pub(super) fn needs_configuration(ty: &Type) -> bool {
    match ty.as_object() {
        Some(object) => object.properties.values().any(|it| it.flags.contains(PropertyFlags::REQUIRED)),
        None => true,
    }
}

/// A configuration of which any part may be given elsewhere; what tells alternatives apart stays required.
fn optional_members(ty: &Type) -> Type {
    let optional = |object: &ObjectType, except: Option<&SmolStr>| {
        let mut object = object.clone();
        for (name, property) in &mut object.properties {
            if Some(name) != except {
                property.flags -= PropertyFlags::REQUIRED;
            }
        }
        object
    };
    match ty.kind() {
        Kind::Object(object) => Type::with(Kind::Object(optional(object, None)), ty.flags()),
        Kind::Discriminated(tagged) => {
            let mut tagged = tagged.clone();
            for member in tagged.members.values_mut() {
                if let Kind::Object(object) = member.kind() {
                    *member = Type::with(
                        Kind::Object(optional(object, Some(&tagged.discriminator))),
                        TypeFlags::empty(),
                    );
                }
            }
            Type::with(Kind::Discriminated(tagged), ty.flags())
        }
        _ => ty.clone(),
    }
}

/// Where the keyword of a statement stands.
pub(super) fn keyword_range(statement: Statement<'_>) -> TextRange {
    statement.keyword().map_or(statement.range(), Token::range)
}
