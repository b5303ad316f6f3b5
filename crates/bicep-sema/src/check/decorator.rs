//! Decorators: what they make of a declared type, and where they must not stand.

use base::{SmolStr, TextRange};
use bicep_syntax::ast::{self, Decorator, Expr, TypeExpr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{
    ArrayType, IntRange, Kind, LengthRange, ObjectType, Property, PropertyFlags, StringShape, Type,
    TypeFlags, assignable,
};

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::Checker;
use super::declared::Resolved;
use crate::bind::Binding;
use crate::decorator::Names;
use crate::messages::{declarations as messages, types};
use crate::namespace::{RESOURCE_DERIVED, attachable};
use crate::symbol::{SymbolId, SymbolKind};

/// What the decorators of a declaration make of its type.
#[derive(Debug, Clone, Copy, Default)]
struct Modifiers {
    values: IntRange,
    lengths: LengthRange,
    is_secure: bool,
    is_sealed: bool,
    is_loose: bool,
}

/// The first decorator of each name that modifies a type.
#[derive(Default)]
struct FoundModifiers<'a> {
    min_value: Option<Decorator<'a>>,
    max_value: Option<Decorator<'a>>,
    min_length: Option<Decorator<'a>>,
    max_length: Option<Decorator<'a>>,
    secure: Option<Decorator<'a>>,
    sealed: Option<Decorator<'a>>,
}

/// Where the bounds were given.
#[derive(Default)]
struct BoundRanges {
    values: (Option<TextRange>, Option<TextRange>),
    lengths: (Option<TextRange>, Option<TextRange>),
}

impl<'a> Checker<'a> {
    /// A type with what the decorators of its holder make of it.
    pub(super) fn modified(&mut self, resolved: Resolved, holder: Node<'a>, is_loose: bool) -> Resolved {
        let has_decorators = holder.children().any(|child| child.kind() == SyntaxKind::Decorator);
        if !has_decorators && !is_loose {
            return resolved;
        }
        let (mut modifiers, places) = self.modifiers(holder);
        modifiers.is_loose = is_loose;
        if !resolved.is_pending
            && let Some(failed) = self.check_bounds(&resolved.ty, modifiers, &places)
        {
            return Resolved::ready(failed);
        }
        let written = declared_type_syntax(holder).map_or(holder, TypeExpr::syntax);
        resolved.map(written, move |ty| modify(ty, modifiers, has_decorators))
    }

    fn modifiers(&mut self, holder: Node<'a>) -> (Modifiers, BoundRanges) {
        let mut modifiers = Modifiers::default();
        let mut places = BoundRanges::default();
        let mut found = FoundModifiers::default();
        for decorator in holder.children().filter_map(Decorator::cast) {
            let slot = match self.names().name_of(decorator) {
                Some("minValue") => &mut found.min_value,
                Some("maxValue") => &mut found.max_value,
                Some("minLength") => &mut found.min_length,
                Some("maxLength") => &mut found.max_length,
                Some("secure") => &mut found.secure,
                Some("sealed") => &mut found.sealed,
                _ => continue,
            };
            slot.get_or_insert(decorator);
        }
        let number = |this: &mut Self, decorator: Option<Decorator<'a>>| {
            decorator.map(|decorator| (this.int_argument(decorator), decorator.range()))
        };
        let (min_value, max_value) = (number(self, found.min_value), number(self, found.max_value));
        let (min_length, max_length) = (number(self, found.min_length), number(self, found.max_length));
        let value = |it: Option<(Option<i64>, TextRange)>| it.and_then(|(value, _)| value);
        let place = |it: Option<(Option<i64>, TextRange)>| it.map(|(_, range)| range);
        modifiers.values = IntRange { min: value(min_value), max: value(max_value) };
        modifiers.lengths = LengthRange { min: value(min_length), max: value(max_length) };
        places.values = (place(min_value), place(max_value));
        places.lengths = (place(min_length), place(max_length));
        modifiers.is_secure = found.secure.is_some();
        modifiers.is_sealed = found.sealed.is_some();
        (modifiers, places)
    }

    fn check_bounds(&mut self, ty: &Type, modifiers: Modifiers, places: &BoundRanges) -> Option<Type> {
        let bare = ty.remove_null();
        let (what, given, declared, places) = match bare.kind() {
            Kind::Int(range) => ("value", modifiers.values, *range, places.values),
            Kind::String(shape) => {
                let declared = LengthRange { min: shape.min_length, max: shape.max_length };
                ("length", modifiers.lengths, declared, places.lengths)
            }
            Kind::Array(array) => ("length", modifiers.lengths, array.length, places.lengths),
            _ => return None,
        };
        let (min, max) = (given.min.or(declared.min)?, given.max.or(declared.max)?);
        let range = places.0.or(places.1).filter(|_| min > max)?;
        Some(self.fail(types::min_exceeds_max(range, what, min, max)))
    }

    /// The first decorator of a name from `sys`.
    pub(super) fn system_decorator(&self, holder: Node<'a>, name: &str) -> Option<Decorator<'a>> {
        self.names().decorator(holder, name)
    }

    fn names(&self) -> Names<'a> {
        Names { bindings: self.bound.bindings, namespaces: self.bound.namespaces }
    }

    fn only_argument(decorator: Decorator<'a>) -> Option<ast::Argument<'a>> {
        let call = decorator.expression().syntax();
        let mut arguments = call.children().filter_map(ast::Argument::cast);
        let first = arguments.next()?;
        arguments.next().is_none().then_some(first)
    }

    fn int_argument(&mut self, decorator: Decorator<'a>) -> Option<i64> {
        let argument = Self::only_argument(decorator)?;
        match self.type_of(argument.syntax()).kind() {
            Kind::IntLiteral(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn string_argument(&mut self, decorator: Decorator<'a>) -> Option<SmolStr> {
        let argument = Self::only_argument(decorator)?;
        self.type_of(argument.syntax()).as_string_literal().cloned()
    }

    /// The words of `@description` and `@metadata({ description: … })`.
    pub(super) fn description(&mut self, holder: Node<'a>) -> Option<SmolStr> {
        if let Some(decorator) = self.system_decorator(holder, "description") {
            return self.string_argument(decorator);
        }
        let decorator = self.system_decorator(holder, "metadata")?;
        let argument = Self::only_argument(decorator)?;
        let Expr::Object(object) = argument.value() else { return None };
        match object.property("description")?.value() {
            Expr::Str(text) => text.value().map(SmolStr::from),
            _ => None,
        }
    }

    /// Checks all decorators of a declaration of a type.
    pub(super) fn check_decorators(&mut self, holder: Node<'a>, target: &Type) {
        let mut seen: Vec<(&str, TextRange)> = Vec::new();
        let syntax = declared_type_syntax(holder);
        for decorator in holder.children().filter_map(Decorator::cast) {
            let expression = decorator.expression();
            if matches!(expression, Expr::Skipped(_)) {
                continue;
            }
            let ty = self.expr(expression);
            if ty.is_error() {
                continue;
            }
            if let Some(function) = self.validator_function(expression) {
                self.check_validator(decorator, &function, target);
                continue;
            }
            if matches!(expression, Expr::MethodCall(_)) {
                // The reference looks up only plain names here: a decorator with its namespace is not judged further.
                continue;
            }
            if self.is_not_callable(expression) {
                self.report(messages::not_callable(expression.range()));
                continue;
            }
            let Some(name) = self.names().name_of(decorator) else { continue };
            if !self.overloads.contains_key(&expression.syntax().id()) {
                continue;
            }
            seen.push((name, decorator.range()));
            self.check_decorator(name, decorator, target, syntax);
        }
        if seen.len() < 2 {
            return;
        }
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for (name, _) in &seen {
            *counts.entry(name).or_default() += 1;
        }
        for (name, range) in seen.iter().filter(|(name, _)| counts.get(name).is_some_and(|count| *count > 1))
        {
            self.report(messages::duplicate_decorator(*range, name));
        }
    }

    /// Whether a decorator is a name of something that is not a function.
    fn is_not_callable(&self, expression: Expr<'a>) -> bool {
        matches!(
            self.bound.bindings.get(expression.syntax()),
            Some(Binding::Symbol(_) | Binding::Namespace(_))
        )
    }

    fn check_decorator(
        &mut self,
        name: &str,
        decorator: Decorator<'a>,
        target: &Type,
        ty: Option<TypeExpr<'a>>,
    ) {
        let target = target.remove_null();
        if target.is_error() {
            return;
        }
        let range = decorator.range();
        if let Some(expected) = attachable(name)
            && !assignable(&target, &expected)
        {
            self.report(messages::cannot_attach(range, name, &expected, &target));
        }
        match name {
            "secure" => self.check_secure(range, &target, ty),
            "allowed" => self.check_allowed(decorator, &target, ty),
            "minValue" | "maxValue" => self.not_on_alias(name, range, ty),
            "minLength" | "maxLength" => self.check_length(name, decorator, &target, ty),
            "metadata" => self.check_metadata(decorator),
            "batchSize" => self.check_batch_size(decorator, &target),
            "nullIfNotFound" => {
                let resource = decorator.syntax().parent().and_then(ast::Resource::cast);
                if resource.is_some_and(|resource| resource.existing().is_none()) {
                    self.report(messages::only_for_existing(range));
                }
            }
            "sealed" => self.check_sealed(name, range, ty),
            "discriminator" => self.check_discriminator(decorator, &target),
            "export" => self.check_export(decorator),
            _ => {}
        }
    }

    fn check_secure(&mut self, range: TextRange, target: &Type, ty: Option<TypeExpr<'a>>) {
        let secure = attachable("secure").unwrap_or_else(Type::any);
        if !assignable(target, &secure) {
            return;
        }
        if target.template_type().is_none() {
            self.report(messages::secure_without_type(range));
        }
        self.not_on_alias("secure", range, ty);
    }

    fn not_on_alias(&mut self, name: &str, range: TextRange, ty: Option<TypeExpr<'a>>) {
        if ty.is_some_and(|ty| self.names_alias(without_question_mark(ty))) {
            self.report(messages::not_on_alias(range, name));
        }
    }

    /// Whether a type is named, directly or by what it is part of.
    fn names_alias(&self, ty: TypeExpr<'a>) -> bool {
        match ty {
            TypeExpr::TypeVar(access) => {
                let kind = self.referenced(access.syntax()).map(|(_, symbol)| symbol.kind);
                matches!(kind, Some(SymbolKind::Type | SymbolKind::ImportItem | SymbolKind::WildcardImport))
            }
            TypeExpr::TypePropertyAccess(access) => self.names_alias(access.inner()),
            TypeExpr::TypeAdditionalAccess(access) => self.names_alias(access.inner()),
            TypeExpr::TypeIndex(access) => self.names_alias(access.inner()),
            TypeExpr::TypeItemsAccess(access) => self.names_alias(access.inner()),
            _ => false,
        }
    }

    fn check_allowed(&mut self, decorator: Decorator<'a>, target: &Type, ty: Option<TypeExpr<'a>>) {
        let range = decorator.range();
        self.not_on_alias("allowed", range, ty);
        if ty.is_some_and(|ty| self.is_literal_syntax(without_question_mark(ty))) {
            self.report(messages::not_on_literal(range, "allowed"));
        }
        let Some(argument) = Self::only_argument(decorator) else { return };
        if let Expr::Array(array) = argument.value()
            && assignable(target, &Type::array())
        {
            let is_array = |item: Node<'a>| {
                ast::ArrayItem::cast(item).is_some_and(|item| matches!(item.value(), Expr::Array(_)))
            };
            if !array.items().any(is_array) {
                return;
            }
        }
        self.narrow(argument.value().syntax(), &Type::array_of(target.clone()));
    }

    fn is_literal_syntax(&mut self, ty: TypeExpr<'a>) -> bool {
        match ty {
            TypeExpr::IntType(_)
            | TypeExpr::BoolType(_)
            | TypeExpr::UnaryType(_)
            | TypeExpr::StringType(_)
            | TypeExpr::UnionType(_) => true,
            TypeExpr::ObjectType(_) | TypeExpr::TupleType(_) => self.type_syntax(ty).ty.is_literal(),
            _ => false,
        }
    }

    fn check_length(
        &mut self,
        name: &str,
        decorator: Decorator<'a>,
        target: &Type,
        ty: Option<TypeExpr<'a>>,
    ) {
        let range = decorator.range();
        self.not_on_alias(name, range, ty);
        if matches!(target.kind(), Kind::Union(_)) || target.is_literal() {
            self.report(messages::not_on_literal(range, name));
        }
        let Some(argument) = Self::only_argument(decorator) else { return };
        if int_literal(argument.value()).is_some_and(|value| value < 0) {
            self.report(messages::negative_length(argument.value().range()));
        }
    }

    fn check_metadata(&mut self, decorator: Decorator<'a>) {
        let Some(argument) = Self::only_argument(decorator) else { return };
        let expected = ObjectType::named("ParameterModifierMetadata")
            .with_property("description", Type::string(), PropertyFlags::CONSTANT)
            .with_additional(Property::new(Type::any(), PropertyFlags::CONSTANT));
        self.narrow(argument.value().syntax(), &expected.into());
    }

    fn check_batch_size(&mut self, decorator: Decorator<'a>, target: &Type) {
        if !assignable(target, &Type::array()) {
            self.report(messages::batch_size_without_loop(decorator.range(), "batchSize"));
        }
        let Some(argument) = Self::only_argument(decorator) else { return };
        if let Some(size) = int_literal(argument.value()).filter(|size| *size < 1) {
            self.report(messages::batch_size_too_small(argument.value().range(), size));
        }
    }

    fn check_sealed(&mut self, name: &str, range: TextRange, ty: Option<TypeExpr<'a>>) {
        match ty.map(without_question_mark) {
            Some(TypeExpr::GenericType(generic))
                if generic
                    .name()
                    .and_then(ast::Name::text)
                    .is_some_and(|it| RESOURCE_DERIVED.contains(&it)) =>
            {
                self.report(messages::not_on_resource_derived(range, name));
            }
            Some(TypeExpr::ObjectType(object)) if object.additional().next().is_some() => {
                self.report(messages::sealed_with_additional(range));
            }
            _ => {}
        }
    }

    fn check_discriminator(&mut self, decorator: Decorator<'a>, target: &Type) {
        let Kind::Discriminated(tagged) = target.kind() else {
            self.report(messages::discriminator_without_union(decorator.range()));
            return;
        };
        let argument = Self::only_argument(decorator).map(ast::Argument::value);
        let Some(Expr::Str(text)) = argument else { return };
        if let Some(name) = text.value().filter(|name| tagged.discriminator != *name) {
            self.report(messages::other_discriminator(decorator.range(), &name));
        }
    }

    fn check_export(&mut self, decorator: Decorator<'a>) {
        let Some(holder) = decorator.syntax().parent() else { return };
        if ast::Statement::cast(holder).is_none() {
            self.report(messages::export_of_statement(decorator.range()));
        }
        let Some(id) = self.bound.declarations.symbol_of.get(&holder.id()).copied() else { return };
        let mut names: Vec<&str> = self
            .closure(id)
            .into_iter()
            .filter_map(|id| self.symbol(id))
            .filter(|symbol| !is_exportable(symbol.kind))
            .filter_map(|symbol| symbol.name.as_deref())
            .collect();
        if !names.is_empty() {
            names.sort_unstable();
            names.dedup();
            self.report(messages::export_reaches(decorator.range(), names));
        }
    }

    /// Everything that a declaration refers to, directly or through others.
    pub(super) fn closure(&self, start: SymbolId) -> Vec<SymbolId> {
        let mut found = IndexSet::new();
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            let Some(symbol) = self.symbol(id) else { continue };
            for node in self.declaration(symbol).descendants() {
                if let Some(id) = self.bound.bindings.symbol(node)
                    && found.insert(id)
                {
                    open.push(id);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Decorators with nothing behind them.
    pub(super) fn missing_declaration(&mut self, node: Node<'a>) -> Type {
        if self.has_syntax_error(node.range()) {
            return Type::any();
        }
        let decorators: Vec<Decorator<'a>> = node.children().filter_map(Decorator::cast).collect();
        for decorator in &decorators {
            self.expr(decorator.expression());
        }
        if let Some(last) = decorators.last() {
            let flags = self.decorator_function_flags(last.expression());
            self.report(messages::declaration_expected(last.range(), flags));
        }
        Type::any()
    }

    fn decorator_function_flags(&mut self, expression: Expr<'a>) -> Option<bicep_types::ty::FunctionFlags> {
        let node = expression.syntax();
        let overloads = match expression {
            Expr::Call(call) => {
                let name = call.name().and_then(ast::Name::text)?;
                match self.bound.bindings.get(node)? {
                    Binding::Function(_) => self.candidates(node, name)?.overloads,
                    _ => return None,
                }
            }
            Expr::MethodCall(call) => {
                let namespace = self.namespace_of(call.base().syntax())?;
                namespace.overloads(call.name().and_then(ast::Name::text)?, true).cloned().collect()
            }
            _ => return None,
        };
        overloads.iter().map(|overload| overload.flags).reduce(|a, b| a | b)
    }

    /// Checks the decorators inside type syntax.
    pub(super) fn check_type_parts(&mut self, node: Node<'a>) {
        for part in node.descendants() {
            if matches!(
                part.kind(),
                SyntaxKind::ObjectTypeProperty | SyntaxKind::ObjectTypeAdditional | SyntaxKind::TupleTypeItem
            ) {
                let ty = self.declared_type_of(part);
                self.check_decorators(part, &ty);
            }
        }
    }
}

fn modify(ty: &Type, modifiers: Modifiers, has_decorators: bool) -> Type {
    if let Some(bare) = ty.without_null() {
        return modify(&bare, modifiers, has_decorators).make_nullable();
    }
    let can_be_loose = matches!(ty.kind(), Kind::Bool | Kind::Int(_) | Kind::String(_));
    let mut flags = ty.flags();
    flags.set(
        TypeFlags::ALLOW_LOOSE_ASSIGNMENT,
        flags.contains(TypeFlags::ALLOW_LOOSE_ASSIGNMENT) || (modifiers.is_loose && can_be_loose),
    );
    flags.set(TypeFlags::SECURE, flags.contains(TypeFlags::SECURE) || modifiers.is_secure);
    if flags == ty.flags() && !has_decorators {
        return ty.clone();
    }
    match ty.kind() {
        Kind::Int(range) => {
            let Modifiers { values, .. } = modifiers;
            let range = IntRange { min: values.min.or(range.min), max: values.max.or(range.max) };
            Type::int_between(range, flags)
        }
        Kind::Array(ArrayType { item, length }) => {
            let Modifiers { lengths, .. } = modifiers;
            let length = LengthRange { min: lengths.min.or(length.min), max: lengths.max.or(length.max) };
            Type::array_between(item.clone(), length, flags)
        }
        Kind::String(shape) => {
            let Modifiers { lengths, .. } = modifiers;
            let shape = StringShape {
                min_length: lengths.min.or(shape.min_length),
                max_length: lengths.max.or(shape.max_length),
                pattern: None,
            };
            Type::string_shaped(shape, flags)
        }
        Kind::Object(object) if modifiers.is_sealed => {
            // It keeps its name, though it allows nothing else any more.
            Type::with(Kind::Object(ObjectType { additional: None, ..object.clone() }), flags)
                .called(ty.to_string())
        }
        Kind::Tuple(tuple) if flags != ty.flags() => Type::tuple_with(tuple.items.clone(), flags),
        Kind::Object(_) | Kind::Tuple(_) | Kind::Bool => ty.with_flags(flags),
        _ => ty.clone(),
    }
}

/// The type syntax of a declaration that can be decorated.
fn declared_type_syntax(holder: Node<'_>) -> Option<TypeExpr<'_>> {
    match holder.kind() {
        SyntaxKind::Param => ast::Param::cast(holder).map(ast::Param::ty),
        SyntaxKind::Output => ast::Output::cast(holder).map(ast::Output::ty),
        SyntaxKind::Var => ast::Var::cast(holder).and_then(ast::Var::ty),
        SyntaxKind::TypeDeclaration => ast::TypeDeclaration::cast(holder).map(ast::TypeDeclaration::value),
        SyntaxKind::ObjectTypeProperty => {
            ast::ObjectTypeProperty::cast(holder).map(ast::ObjectTypeProperty::value)
        }
        SyntaxKind::ObjectTypeAdditional => {
            ast::ObjectTypeAdditional::cast(holder).map(ast::ObjectTypeAdditional::value)
        }
        SyntaxKind::TupleTypeItem => ast::TupleTypeItem::cast(holder).map(ast::TupleTypeItem::value),
        _ => None,
    }
}

fn without_question_mark(ty: TypeExpr<'_>) -> TypeExpr<'_> {
    match ty {
        TypeExpr::NullableType(nullable) => nullable.inner(),
        ty => ty,
    }
}

/// An integer as written, with its sign.
fn int_literal(expression: Expr<'_>) -> Option<i64> {
    match expression {
        Expr::IntLiteral(literal) => i64::try_from(literal.value()).ok(),
        Expr::Unary(unary) if unary.operator().is_some_and(|it| it.kind() == SyntaxKind::Minus) => {
            match unary.operand() {
                Expr::IntLiteral(literal) => i64::try_from(-i128::from(literal.value())).ok(),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_exportable(kind: SymbolKind) -> bool {
    kind.is_local_variable()
        || matches!(
            kind,
            SymbolKind::Var
                | SymbolKind::Type
                | SymbolKind::Func
                | SymbolKind::ImportItem
                | SymbolKind::WildcardImport
        )
}
