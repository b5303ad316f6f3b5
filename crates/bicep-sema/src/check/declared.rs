//! Declared types: what statements say about their values, and the types that the file declares itself.
//!
//! Types may refer to each other in circles. While a declaration is being read, a reference to it is a handle that is
//! looked through later; nothing may look into such a handle before all declarations are complete. [`Resolved`] says
//! whether a type may be looked into yet.

use std::sync::{Arc, OnceLock};

use bicep_syntax::Node;
use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{self, TypeExpr};
use bicep_types::ty::{Kind, LambdaType, Overload, Type};

use super::Checker;
use crate::messages::{declarations as statements, types as messages};
use crate::symbol::{SymbolId, SymbolKind};
use crate::unreported::unreported_error;

/// A type that the file declares.
pub(super) struct Alias {
    slot: Arc<OnceLock<Type>>,
    is_open: bool,
    /// Whether it is another name for a type that was not complete when it was read.
    is_pending: bool,
}

/// A type, and whether it must not be looked into yet.
#[derive(Clone)]
pub(super) struct Resolved {
    pub(super) ty: Type,
    pub(super) is_pending: bool,
}

impl Resolved {
    pub(super) fn ready(ty: Type) -> Self {
        Self { ty, is_pending: false }
    }

    /// The type changed by a function, now or when it is complete. Until then it is called as it is written.
    pub(super) fn map(
        self,
        written: Node<'_>,
        change: impl Fn(&Type) -> Type + Send + Sync + 'static,
    ) -> Self {
        if !self.is_pending {
            return Self::ready(change(&self.ty));
        }
        let Self { ty, .. } = self;
        let compute = move || ty.is_known().then(|| change(&ty));
        Self { ty: Type::defer_named(written.text(), compute), is_pending: true }
    }
}

impl<'a> Checker<'a> {
    /// Reads all declarations of types.
    pub(super) fn declare_types(&mut self) {
        let symbols = &self.bound.declarations.symbols;
        let ids: Vec<SymbolId> = symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.kind == SymbolKind::Type)
            .filter_map(|(index, _)| u32::try_from(index).ok().map(SymbolId))
            .collect();
        for id in &ids {
            self.alias(*id);
        }
        self.find_type_cycles(&ids);
    }

    /// The type that a symbol declares.
    pub(super) fn alias(&mut self, id: SymbolId) -> Resolved {
        if let Some(alias) = self.aliases.get(&id) {
            if !alias.is_open {
                let ty = alias.slot.get().cloned().unwrap_or_else(Type::any);
                return Resolved { ty, is_pending: alias.is_pending && self.open_aliases > 0 };
            }
            let slot = Arc::clone(&alias.slot);
            let label = self.symbol(id).and_then(|symbol| symbol.name.clone()).unwrap_or_default();
            let ty = Type::defer_named(label, move || slot.get().cloned());
            return Resolved { ty, is_pending: true };
        }
        let slot = Arc::new(OnceLock::new());
        self.aliases.insert(id, Alias { slot: Arc::clone(&slot), is_open: true, is_pending: false });
        self.open_aliases += 1;
        // What is wrong with a declaration is reported, whoever asks for it first.
        let outside = (self.droppable.take(), std::mem::take(&mut self.is_in_variable_type));
        let resolved = base::recurse(|| self.read_alias(id));
        (self.droppable, self.is_in_variable_type) = outside;
        self.open_aliases -= 1;
        let _ = slot.set(resolved.ty.clone());
        if let Some(alias) = self.aliases.get_mut(&id) {
            alias.is_open = false;
            alias.is_pending = resolved.is_pending;
        }
        resolved
    }

    fn read_alias(&mut self, id: SymbolId) -> Resolved {
        let Some(symbol) = self.symbol(id) else { return Resolved::ready(Type::error()) };
        if let Some(cycle) = self.bound.cycles.get(&id) {
            self.report_type_cycle(symbol.name_range, cycle);
            return Resolved::ready(Type::error());
        }
        let node = self.declaration(symbol);
        let Some(declaration) = ast::TypeDeclaration::cast(node) else {
            return Resolved::ready(Type::error());
        };
        let resolved = self.type_syntax(declaration.value());
        let resolved = self.not_a_namespace(resolved, declaration.value().syntax());
        self.modified(resolved, node, false)
    }

    /// A namespace is not a type, though it can stand before one.
    pub(super) fn not_a_namespace(&mut self, resolved: Resolved, node: Node<'a>) -> Resolved {
        if resolved.is_pending {
            return resolved;
        }
        if let Kind::Namespace(namespace) = resolved.ty.kind() {
            let diagnostic = messages::namespace_used_as_type(node.range(), &namespace.alias);
            return Resolved::ready(self.fail(diagnostic));
        }
        resolved
    }

    /// The declared type of a statement; `error` if it has none.
    pub(super) fn declared_type_of(&mut self, node: Node<'a>) -> Type {
        if let Some(ty) = self.declared.get(&node.id()) {
            return ty.clone();
        }
        // Whoever asks again while this is computed is in a circle.
        self.declared.insert(node.id(), Type::any());
        let ty = base::recurse(|| self.compute_declared(node));
        self.declared.insert(node.id(), ty.clone());
        ty
    }

    fn compute_declared(&mut self, node: Node<'a>) -> Type {
        match node.kind() {
            SyntaxKind::Param => {
                let param = ast::Param::cast(node);
                param.map_or_else(Type::error, |it| self.annotated(node, it.ty(), Some("BCP031"), true).ty)
            }
            SyntaxKind::Output => {
                let output = ast::Output::cast(node);
                output.map_or_else(Type::error, |it| self.output_type(node, it.ty()))
            }
            SyntaxKind::Var => match ast::Var::cast(node).and_then(ast::Var::ty) {
                Some(ty) => self.variable_type(node, ty),
                None => Type::error(),
            },
            SyntaxKind::TypedLocalVar => {
                let parameter = ast::TypedLocalVar::cast(node);
                parameter.map_or_else(Type::error, |it| {
                    self.within_lambda(|this| this.plain_type(it.ty(), "BCP031"))
                })
            }
            SyntaxKind::TypedLambda => self.declared_lambda(node),
            SyntaxKind::TypeDeclaration => {
                let id = self.bound.declarations.symbol_of.get(&node.id()).copied();
                id.map_or_else(Type::error, |id| self.complete_alias(id))
            }
            SyntaxKind::ObjectTypeProperty => {
                let property = ast::ObjectTypeProperty::cast(node);
                property.map_or_else(Type::error, |it| self.type_part(node, it.value()))
            }
            SyntaxKind::TupleTypeItem => {
                let item = ast::TupleTypeItem::cast(node);
                item.map_or_else(Type::error, |it| self.type_part(node, it.value()))
            }
            SyntaxKind::ObjectTypeAdditional => {
                let additional = ast::ObjectTypeAdditional::cast(node);
                additional.map_or_else(Type::error, |it| self.type_part(node, it.value()))
            }
            SyntaxKind::Resource => self.declared_resource(node),
            SyntaxKind::Module => self.declared_module(node),
            SyntaxKind::Test => self.declared_test(node),
            SyntaxKind::ParamAssignment => self.declared_assignment(node).unwrap_or_else(Type::error),
            _ => Type::error(),
        }
    }

    /// A declared type when all declarations are complete.
    fn complete_alias(&mut self, id: SymbolId) -> Type {
        if self.type_cycles.contains_key(&id) { Type::error() } else { self.alias(id).ty }
    }

    /// A type with what the decorators of its holder make of it.
    fn annotated(
        &mut self,
        node: Node<'a>,
        ty: TypeExpr<'a>,
        code: Option<&'static str>,
        is_loose: bool,
    ) -> Resolved {
        let resolved = match (ty, code) {
            (TypeExpr::NullType(_), Some(code)) => {
                Resolved::ready(self.fail(statements::invalid_declared_type(ty.range(), code)))
            }
            _ => self.type_syntax(ty),
        };
        let resolved = self.not_a_namespace(resolved, ty.syntax());
        self.modified(resolved, node, is_loose)
    }

    /// The declared type of an output. What is wrong with it is also reported by those who read the output.
    fn output_type(&mut self, node: Node<'a>, ty: TypeExpr<'a>) -> Type {
        let (resolved, own) = self.hold_back(|this| this.annotated(node, ty, Some("BCP030"), false));
        self.with_mistakes(resolved.ty, &own)
    }

    /// The declared type of a variable. Its parts are not looked at by themselves: what is wrong with them is reported
    /// only where it makes the whole type wrong.
    fn variable_type(&mut self, node: Node<'a>, ty: TypeExpr<'a>) -> Type {
        let outside = std::mem::replace(&mut self.is_in_variable_type, true);
        let (resolved, own) = self.hold_back(|this| this.annotated(node, ty, Some("BCP412"), false));
        self.is_in_variable_type = outside;
        self.settle(own, !resolved.ty.is_error());
        resolved.ty
    }

    fn type_part(&mut self, node: Node<'a>, ty: TypeExpr<'a>) -> Type {
        self.within_type_part(|this| this.annotated(node, ty, None, false)).ty
    }

    /// Reads a part of a type. What is wrong with it is reported whatever is around it, but for the type of a variable.
    pub(super) fn within_type_part(&mut self, read: impl FnOnce(&mut Self) -> Resolved) -> Resolved {
        if self.is_in_variable_type {
            let (resolved, own) = self.hold_back(read);
            self.settle(own, resolved.is_pending || !resolved.ty.is_error());
            return resolved;
        }
        let (resolved, own) = self.hold_back(read);
        // Not left to whoever holds back around it: it is reported. Those who read a value of the type report it again.
        if resolved.is_pending { resolved } else { Resolved::ready(self.with_mistakes(resolved.ty, &own)) }
    }

    /// A type that is wrong, with the reasons.
    fn with_mistakes(&self, ty: Type, own: &[usize]) -> Type {
        if !ty.is_error() || own.is_empty() {
            return ty;
        }
        let mistakes = own.iter().filter_map(|index| self.diagnostics.get(*index)).cloned();
        unreported_error(self.bound.bicep.source.text(), mistakes)
    }

    fn plain_type(&mut self, ty: TypeExpr<'a>, code: &'static str) -> Type {
        let resolved = match ty {
            TypeExpr::NullType(_) => {
                Resolved::ready(self.fail(statements::invalid_declared_type(ty.range(), code)))
            }
            _ => self.type_syntax(ty),
        };
        self.not_a_namespace(resolved, ty.syntax()).ty
    }

    fn declared_lambda(&mut self, node: Node<'a>) -> Type {
        let Some(lambda) = ast::TypedLambda::cast(node) else { return Type::error() };
        let arguments =
            lambda.parameters().map(|parameter| self.declared_type_of(parameter.syntax())).collect();
        let (result, own) = self.hold_back(|this| this.plain_type(lambda.return_type(), "BCP030"));
        let result = if result.is_error() {
            // Whoever calls the function says what is wrong with its result.
            let mistakes = self.take_back(&own);
            unreported_error(self.bound.bicep.source.text(), mistakes.into_iter())
        } else {
            self.settle(own, false);
            result
        };
        LambdaType { arguments, optional: Vec::new(), result }.into()
    }

    /// The one way to call a function that the file declares.
    pub(super) fn declared_function(&mut self, node: Node<'a>) -> Option<Arc<Overload>> {
        let function = ast::Func::cast(node)?;
        let name = function.name().and_then(ast::Name::text)?;
        let Some(lambda) = function.lambda() else {
            return Some(Arc::new(Overload::new(name, Type::error())));
        };
        let ty = self.declared_type_of(lambda.syntax());
        let Kind::Lambda(signature) = ty.kind() else { return None };
        let mut overload = Overload::new(name, signature.result.clone());
        for (parameter, ty) in lambda.parameters().zip(&signature.arguments) {
            let name = parameter.name().and_then(ast::Name::text).unwrap_or_default();
            overload = overload.required(name, ty.clone(), "");
        }
        Some(Arc::new(overload))
    }

    pub(super) fn function_parameter(&mut self, node: Node<'a>) -> Type {
        self.declared_type_of(node)
    }

    pub(super) fn typed_lambda(&mut self, node: Node<'a>) -> Type {
        let declared = self.declared_type_of(node);
        let (Kind::Lambda(signature), Some(lambda)) = (declared.kind(), ast::TypedLambda::cast(node)) else {
            return declared;
        };
        for parameter in lambda.parameters() {
            self.type_of(parameter.syntax());
            self.check_type_parts(parameter.ty().syntax());
        }
        self.check_type_parts(lambda.return_type().syntax());
        let result = match lambda.body() {
            ast::Expr::Skipped(_) => signature.result.clone(),
            body => self.narrow(body.syntax(), &signature.result),
        };
        let arguments = signature.arguments.clone();
        LambdaType { arguments, optional: Vec::new(), result }.into()
    }
}
