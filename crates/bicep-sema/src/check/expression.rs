//! The types of expressions: literals, texts, arrays, objects, conditions, loops, names.

use std::borrow::Cow;

use base::TextRange;
use bicep_syntax::ast::{self, Expr, Name};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{
    IntRange, Kind, ObjectType, Property, PropertyFlags, StringShape, Type, TypeFlags, assignable,
    assignable_if_not_null, collapse_or_union, union,
};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::Checker;
use crate::bind::Binding;
use crate::messages::{names, types as messages};
use crate::symbol::SymbolKind;

/// The largest index of a loop.
const MAX_LOOP_INDEX: i64 = 799;

impl<'a> Checker<'a> {
    pub(super) fn infer(&mut self, node: Node<'a>) -> Type {
        match node.kind() {
            SyntaxKind::LocalVar => return self.local_variable(node),
            SyntaxKind::TypedLocalVar => return self.function_parameter(node),
            SyntaxKind::ArrayItem => {
                return ast::ArrayItem::cast(node).map_or_else(Type::error, |item| self.expr(item.value()));
            }
            SyntaxKind::Argument => {
                return ast::Argument::cast(node).map_or_else(Type::error, |it| self.expr(it.value()));
            }
            SyntaxKind::TypedLambda => return self.typed_lambda(node),
            _ => {}
        }
        match Expr::of(node) {
            Expr::BoolLiteral(literal) => Type::bool_literal(literal.value()),
            Expr::IntLiteral(literal) => {
                i64::try_from(literal.value()).map_or_else(|_| Type::int(), Type::int_literal)
            }
            Expr::NullLiteral(_) => Type::null(),
            Expr::Str(text) => self.text(text),
            Expr::Array(array) => self.array(array),
            Expr::Object(object) => self.object(object),
            Expr::Paren(paren) => self.expr(paren.value()),
            Expr::Ternary(ternary) => self.ternary(ternary),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) => self.unary(unary),
            Expr::NonNull(assertion) => self.not_null(assertion),
            Expr::Index(_) | Expr::PropertyAccess(_) => self.access(node),
            Expr::ResourceAccess(access) => self.resource_access(access),
            Expr::VarAccess(access) => self.variable(access),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Lambda(lambda) => self.lambda(lambda),
            Expr::For(each) => self.for_loop(each),
            Expr::If(condition) => self.if_condition(condition),
            Expr::Skipped(_) => self.statement(node),
        }
    }

    fn not_null(&mut self, assertion: ast::NonNull<'a>) -> Type {
        let ty = self.expr(assertion.base()).remove_null();
        if ty.is_error() {
            let swallowed = self.swallowed.remove(&assertion.base().syntax().id());
            for diagnostic in swallowed.into_iter().flatten() {
                self.fail(diagnostic);
            }
        }
        ty
    }

    fn text(&mut self, text: ast::Str<'a>) -> Type {
        if let Some(value) = text.plain_value() {
            return Type::string_literal(value);
        }
        let segments = text.segment_values();
        let holes: Vec<Type> = text.holes().map(|hole| self.expr(hole)).collect();
        if holes.iter().any(Type::is_error) {
            return Type::error();
        }
        if let Some(folded) = super::fold::interpolation(&segments, &holes, &mut self.allowance) {
            return Type::string_literal(folded);
        }
        let own: i64 = segments.iter().map(|segment| utf16_len(segment)).sum();
        let (mut min, mut max) = (own, Some(own));
        for hole in &holes {
            let (hole_min, hole_max) = super::fold::text_lengths(hole);
            min = min.saturating_add(hole_min);
            max = max.zip(hole_max).map(|(a, b)| a.saturating_add(b));
        }
        let shape = StringShape { min_length: (min > 0).then_some(min), max_length: max, pattern: None };
        Type::string_shaped(shape, TypeFlags::empty())
    }

    fn array(&mut self, array: ast::Array<'a>) -> Type {
        let mut items = Vec::new();
        let mut spread = Vec::new();
        let mut failed = false;
        for item in array.items() {
            if let Some(item) = ast::ArrayItem::cast(item) {
                let ty = self.type_of(item.syntax());
                failed |= ty.is_error();
                items.push(ty);
            } else if let Some(each) = ast::Spread::cast(item) {
                let ty = self.spread(each, &Type::array());
                failed |= ty.is_error();
                match ty.kind() {
                    Kind::Tuple(tuple) if self.allowance.copies(tuple.items.len()) => {
                        items.extend(tuple.items.iter().cloned());
                    }
                    Kind::Array(array) => spread.push(array.item.clone()),
                    _ => spread.push(Type::any()),
                }
            }
        }
        if failed {
            return Type::error();
        }
        if spread.is_empty() {
            return Type::tuple(items);
        }
        Type::array_of(union(items.into_iter().chain(spread)))
    }

    fn spread(&mut self, spread: ast::Spread<'a>, expected: &Type) -> Type {
        let ty = self.expr(spread.value());
        if ty.is_error() || assignable(&ty, expected) {
            return ty;
        }
        self.fail(messages::spread_mismatch(spread.range(), expected))
    }

    fn object(&mut self, object: ast::Object<'a>) -> Type {
        let (mut failed, mut is_repeated) = (false, false);
        let before = self.diagnostics.len();
        let parts = object.syntax().elements().len();
        // A property and the end of its line.
        let mut properties: IndexMap<_, Property, FxBuildHasher> =
            IndexMap::with_capacity_and_hasher(parts / 2, FxBuildHasher);
        let mut additional = Vec::new();
        for child in object.syntax().children() {
            if let Some(property) = ast::Property::cast(child) {
                let ty = self.property_value(property);
                failed |= ty.is_error();
                match property.key_text() {
                    Some(name) => {
                        let property = Property::new(ty, PropertyFlags::REQUIRED);
                        is_repeated |= properties.insert(name.into(), property).is_some();
                    }
                    None => additional.push(ty),
                }
            } else if let Some(spread) = ast::Spread::cast(child) {
                let ty = self.spread(spread, &Type::object());
                failed |= ty.is_error();
                match ty.kind() {
                    Kind::Object(source) if self.allowance.copies(source.properties.len()) => {
                        properties.extend(source.properties.iter().map(|(k, v)| (k.clone(), v.clone())));
                        additional.extend(source.additional.iter().map(|property| property.ty.clone()));
                    }
                    _ => additional.push(Type::any()),
                }
            }
        }
        if is_repeated {
            // It may have been spread before, which is no mistake. What is wrong with the object comes before what is wrong in it.
            let inside = self.diagnostics.split_off(before);
            failed |= self.duplicate_properties(object);
            self.diagnostics.extend(inside);
        }
        if failed {
            return Type::error();
        }
        let additional = (!additional.is_empty())
            .then(|| Box::new(Property::new(union(additional), PropertyFlags::empty())));
        ObjectType { properties, additional, ..ObjectType::named("object") }.into()
    }

    fn property_value(&mut self, property: ast::Property<'a>) -> Type {
        let key = property.key();
        let key_failed = match ast::Str::cast(key).filter(|text| text.is_interpolated()) {
            Some(text) => self.type_of(text.syntax()).is_error(),
            None => false,
        };
        let value = self.expr(property.value());
        let ty = if key_failed { Type::error() } else { value };
        self.set(property.syntax().id().index(), super::TypeMemo::Known(ty.clone()));
        ty
    }

    fn duplicate_properties(&mut self, object: ast::Object<'a>) -> bool {
        let mut seen: IndexMap<Cow<'_, str>, Vec<TextRange>, FxBuildHasher> = IndexMap::default();
        for property in object.properties() {
            if let Some(name) = property.key_text() {
                seen.entry(name).or_default().push(property.key().range());
            }
        }
        let mut is_repeated = false;
        for (name, ranges) in seen.iter().filter(|(_, ranges)| ranges.len() > 1) {
            is_repeated = true;
            for range in ranges {
                self.fail(messages::duplicate_property(*range, name));
            }
        }
        is_repeated
    }

    fn ternary(&mut self, ternary: ast::Ternary<'a>) -> Type {
        let mut condition = self.expr(ternary.condition());
        let if_true = self.expr(ternary.if_true());
        let if_false = self.expr(ternary.if_false());
        if condition.is_error() || if_true.is_error() || if_false.is_error() {
            return Type::error();
        }
        let range = ternary.condition().range();
        if let Some(bare) = assignable_if_not_null(&condition, &Type::bool()) {
            self.report(messages::null_assignment(range, &Type::bool(), &condition, range));
            condition = bare;
        }
        if !assignable(&condition, &Type::bool()) {
            return self.fail(messages::condition_mismatch(range, &Type::bool()));
        }
        match condition.kind() {
            Kind::BoolLiteral(true) => if_true,
            Kind::BoolLiteral(false) => if_false,
            _ => collapse_or_union([if_true, if_false]),
        }
    }

    fn for_loop(&mut self, each: ast::For<'a>) -> Type {
        // Without a variable nothing can be said of the body.
        let Some(item) = each.item() else { return Type::error() };
        let source = self.expr(each.source());
        let body = self.expr(each.body());
        let item = self.type_of(item.syntax());
        let item = self.report_mistakes_of(&item);
        if source.is_error() || body.is_error() || item.is_error() {
            return Type::error();
        }
        if !assignable(&source, &Type::array()) {
            let range = each.source().range();
            if assignable_if_not_null(&source, &Type::array()).is_none() {
                return self.fail(messages::not_iterable(range, &source));
            }
            self.report(messages::null_assignment(range, &Type::array(), &source, range));
        }
        Type::array_of(body)
    }

    fn if_condition(&mut self, branch: ast::If<'a>) -> Type {
        let condition = self.expr(branch.condition());
        let range = branch.condition().range();
        if !condition.is_error() && !assignable(&condition, &Type::bool()) {
            let inner = branch.condition().without_parens().range();
            self.report(match assignable_if_not_null(&condition, &Type::bool()) {
                Some(_) => messages::null_assignment(range, &Type::bool(), &condition, inner),
                None => messages::condition_mismatch(range, &Type::bool()),
            });
        }
        branch.body().map_or_else(Type::error, |body| self.type_of(body.syntax()))
    }

    /// The variable of a loop or a lambda.
    fn local_variable(&mut self, node: Node<'a>) -> Type {
        let holder = node.parent().map(|parent| match parent.kind() {
            SyntaxKind::VarBlock => parent.parent().unwrap_or(parent),
            _ => parent,
        });
        let Some(holder) = holder else { return Type::any() };
        if let Some(each) = ast::For::cast(holder) {
            let source = self.expr(each.source());
            let is_item = each.item().is_some_and(|item| item.syntax() == node);
            return loop_variable(&source, is_item);
        }
        match ast::Lambda::cast(holder) {
            Some(lambda) => {
                let index = lambda.variables().position(|variable| variable.syntax() == node);
                self.lambda_variable(lambda, index.unwrap_or_default())
            }
            None => Type::any(),
        }
    }

    fn variable(&mut self, access: ast::VarAccess<'a>) -> Type {
        let node = access.syntax();
        let Some(name) = access.name() else { return Type::error() };
        if let Some(failed) = self.cyclic_reference(node) {
            return failed;
        }
        match self.bound.bindings.get(node) {
            None | Some(Binding::Nothing) => match self.inherited_value(name) {
                Some(ty) => ty,
                None => self.mistake(node),
            },
            Some(Binding::Type(_)) => self.fail(messages::type_used_as_value(name.range(), name.display())),
            Some(Binding::Function(_)) => self.fail(messages::not_a_variable(name.range(), name.display())),
            Some(Binding::Namespace(index)) => self.namespace_type(index),
            Some(Binding::Symbol(_)) => self.symbol_value(node, name),
        }
    }

    fn symbol_value(&mut self, node: Node<'a>, name: Name<'a>) -> Type {
        let Some((id, symbol)) = self.referenced(node) else { return Type::error() };
        let declaration = self.declaration(symbol);
        let ty = match symbol.kind {
            SymbolKind::Type => {
                return self.fail(messages::type_used_as_value(name.range(), name.display()));
            }
            SymbolKind::Param
            | SymbolKind::ParamAssignment
            | SymbolKind::Var
            | SymbolKind::Resource
            | SymbolKind::Module
            | SymbolKind::Test
            | SymbolKind::FuncParam
            | SymbolKind::LambdaVar
            | SymbolKind::LoopItem
            | SymbolKind::LoopIndex => self.type_of(declaration),
            SymbolKind::Extension => self.extension_type(declaration),
            SymbolKind::This => self.this_type(),
            SymbolKind::ImportItem => return self.imported_value(id, name),
            SymbolKind::WildcardImport => return self.wildcard_type(declaration),
            SymbolKind::Base => self.base_type(),
            SymbolKind::InheritedAssignment(_) => Type::any(),
            _ => return self.fail(messages::not_a_variable(name.range(), name.display())),
        };
        if ty.is_error() {
            return self.fail(messages::declaration_has_errors(node.range(), name.display()));
        }
        ty
    }

    /// What is wrong with referring to a declaration that refers to itself.
    pub(super) fn cyclic_reference(&mut self, node: Node<'a>) -> Option<Type> {
        let (id, symbol) = self.referenced(node)?;
        let cycle = self.bound.cycles.get(&id)?;
        let range = node.range();
        if !self.is_within(cycle, node) {
            let name = symbol.name.as_deref().unwrap_or_default();
            return Some(self.fail(messages::declaration_has_errors(range, name)));
        }
        let members = cycle.iter().filter_map(|id| self.symbol(*id));
        let names = members.filter_map(|member| member.name.as_deref());
        let diagnostic = messages::cycle(range, cycle.len(), names);
        Some(self.fail(diagnostic))
    }

    fn resource_access(&mut self, access: ast::ResourceAccess<'a>) -> Type {
        if let Some(failed) = self.cyclic_reference(access.syntax()) {
            return failed;
        }
        let base = self.expr(access.base());
        if base.is_error() {
            return Type::error();
        }
        // A loop of resources is none.
        if let Some(name) = access.name().filter(|_| !matches!(base.kind(), Kind::Resource(_))) {
            return self.fail(names::resource_required(name.range()));
        }
        match self.referenced(access.syntax()) {
            Some((_, symbol)) => self.type_of(self.declaration(symbol)),
            None => self.mistake(access.syntax()),
        }
    }

    /// Reports why a use of a name means nothing.
    pub(super) fn mistake(&mut self, node: Node<'a>) -> Type {
        match self.bound.bindings.mistake(node) {
            Some(diagnostic) => self.fail(diagnostic.clone()),
            None => Type::error(),
        }
    }
}

fn loop_variable(source: &Type, is_item: bool) -> Type {
    if is_item {
        return source.item().cloned().unwrap_or_else(Type::any);
    }
    let longest = match source.kind() {
        Kind::Array(array) => array.length.max,
        Kind::Tuple(tuple) => i64::try_from(tuple.items.len()).ok(),
        _ => None,
    };
    let max = match longest {
        None | Some(0) => MAX_LOOP_INDEX,
        Some(length) => length - 1,
    };
    Type::int_between(IntRange { min: Some(0), max: Some(max) }, TypeFlags::empty())
}

/// The length of a text as .NET counts it.
pub(super) fn utf16_len(text: &str) -> i64 {
    i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX)
}
