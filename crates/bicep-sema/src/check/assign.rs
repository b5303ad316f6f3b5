//! Holding a value against the type that is expected where it stands: everything that does not fit is reported, and the
//! type comes out narrowed to what the value really is.

use base::{Diagnostic, Severity, SmolStr, TextRange};
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, NodeId};
use bicep_types::ty::{
    Alternatives, ArrayType, IntRange, Kind, LambdaType, LengthRange, ModuleType, Pattern, ResourceType,
    StringShape, Type, assignable, assignable_if_not_null, union,
};
use rustc_hash::FxHashMap;

use super::Checker;
use super::assign_object::plainly_fits;
use super::expression::utf16_len;
use crate::messages::functions::argument_mismatch;
use crate::messages::types::{self as messages, Bounds, OutOfBounds, PropertyMismatch};
use crate::symbol::SymbolKind;

/// How a value is held against a type.
#[derive(Clone, Copy)]
pub(super) struct Rules<'r, 'a> {
    /// Whether mistakes inside the value have been reported already.
    pub(super) skip_errors: bool,
    /// Whether constants have been required already.
    pub(super) skip_constants: bool,
    /// Whether `any` is not good enough.
    pub(super) disallow_any: bool,
    /// The use of a variable through which the value came here: that is where mistakes are reported.
    pub(super) origin: Option<Node<'a>>,
    /// What to say when the types have nothing in common.
    pub(super) mismatch: Mismatch<'r, 'a>,
    /// How many attempts were under way where `mismatch` was decided on: that is where it is reported, so that it does
    /// not make later attempts fail. A mismatch of a whole value belongs to the innermost attempt.
    pub(super) level: usize,
    /// Whether it is the body of a resource, whose published type may be wrong.
    pub(super) is_resource: bool,
    /// Whether anybody asks for the narrowed type; if not, the expected type stands for it.
    pub(super) keeps_type: bool,
}

/// What to say when the types have nothing in common.
#[derive(Clone, Copy)]
pub(super) enum Mismatch<'r, 'a> {
    Value,
    Item { is_warning: bool },
    SpreadItem { is_warning: bool },
    Property { name: &'r SmolStr, is_warning: bool, origin: Option<Node<'a>> },
}

pub(super) struct Narrower<'c, 'a> {
    pub(super) checker: &'c mut Checker<'a>,
    pub(super) sink: Vec<Diagnostic>,
    /// What had been found when the attempts that are under way began, the outermost first.
    outer: Vec<Vec<Diagnostic>>,
    /// What has been compared so far: a type that contains itself is entered once. The types are kept alive so that
    /// no other type gets their identity.
    pub(super) compared: FxHashMap<(NodeId, usize, usize), (Type, Type)>,
    /// What items of tuples and variables have come to: what stands in many places is looked into once. Mistakes are
    /// reported where it stands, a few times.
    items: FxHashMap<(NodeId, usize, usize), Narrowed>,
}

/// The types that were compared, kept alive as above, and what came of it.
struct Narrowed {
    _compared: (Type, Type),
    result: Type,
    /// Whether there was nothing to report.
    is_clean: bool,
    visits: usize,
}

/// A type that is expected, with the shape that was found in it.
#[derive(Clone, Copy)]
pub(super) struct Expected<'t, S> {
    pub(super) shape: S,
    pub(super) ty: &'t Type,
}

/// How often what is wrong with a variable is reported where it is used.
const MAX_VISITS: usize = 5;

impl<'a> Checker<'a> {
    /// Checks that an expression is assignable to a type and reports what is not; returns the narrowed type.
    pub(super) fn narrow(&mut self, expression: Node<'a>, target: &Type) -> Type {
        let actual = self.type_of(expression);
        self.narrow_as(expression, &actual, target, false)
    }

    /// The same for an argument of a call, whose narrowed type nobody asks for: what is wrong in it is reported for the
    /// argument as a whole, without a look at how it is written.
    pub(super) fn check_argument(&mut self, argument: ast::Argument<'a>, target: &Type) {
        let actual = self.type_of(argument.value().syntax());
        if !plainly_fits(&actual, target) {
            self.narrow_as(argument.syntax(), &actual, target, false);
        }
    }

    /// The same for the body of a resource.
    pub(super) fn narrow_resource(&mut self, expression: Node<'a>, target: &Type) -> Type {
        let actual = self.type_of(expression);
        self.narrow_as(expression, &actual, target, true)
    }

    fn narrow_as(&mut self, node: Node<'a>, actual: &Type, target: &Type, is_resource: bool) -> Type {
        let rules = Rules {
            skip_errors: false,
            skip_constants: false,
            disallow_any: false,
            origin: None,
            mismatch: Mismatch::Value,
            level: 0,
            is_resource,
            keeps_type: true,
        };
        let (compared, items) = (FxHashMap::default(), FxHashMap::default());
        let (sink, outer) = (Vec::new(), Vec::new());
        let mut narrower = Narrower { checker: self, sink, outer, compared, items };
        let ty = narrower.narrow(&rules, node, actual, target);
        let found = narrower.sink;
        self.diagnostics.extend(found.into_iter().filter(|diagnostic| !messages::is_reported(diagnostic)));
        ty
    }
}

impl<'a> Narrower<'_, 'a> {
    pub(super) fn narrow(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        target: &Type,
    ) -> Type {
        base::recurse(|| self.narrow_inside(rules, node, actual, target))
    }

    fn narrow_inside(&mut self, rules: &Rules<'_, 'a>, node: Node<'a>, actual: &Type, target: &Type) -> Type {
        if rules.disallow_any && actual.is_any() {
            let range = rules.origin.unwrap_or(node).range();
            self.sink.push(messages::any_not_allowed(range));
            return target.clone();
        }
        if !rules.skip_errors && actual.is_error() {
            self.sink.push(messages::reported(node.range()));
            return target.clone();
        }
        let collapsed;
        let mut target = target;
        match target.kind() {
            Kind::Resource(resource) => {
                let body = self.narrow(rules, node, actual, &resource.body);
                return ResourceType { body, ..resource.clone() }.into();
            }
            Kind::Module(module) => {
                let body = self.narrow(rules, node, actual, &module.body);
                return ModuleType { body, ..module.clone() }.into();
            }
            Kind::Test(test) => {
                let body = self.narrow(rules, node, actual, &test.body);
                return Type::new(Kind::Test(ModuleType { body, ..test.clone() }));
            }
            Kind::Array(_) | Kind::Tuple(_) => {
                if let (Expr::For(each), Some(item)) = (Expr::of(node), target.item()) {
                    let body = each.body().syntax();
                    let actual = self.checker.expr(each.body());
                    return Type::array_of(self.narrow(rules, body, &actual, item));
                }
            }
            Kind::Union(_) => {
                if let Some(simpler) = self.checker.collapsed(target) {
                    collapsed = simpler;
                    target = &collapsed;
                }
            }
            _ => {}
        }
        if !assignable(actual, target) {
            if let Some(bare) = assignable_if_not_null(actual, target) {
                self.sink.push(messages::null_assignment(node.range(), target, actual, node.range()));
                return self.narrow(rules, node, &bare, target);
            }
            self.report_mismatch(rules, node, actual, target);
            return target.clone();
        }
        self.narrow_parts(rules, node, actual, target)
    }

    fn narrow_parts(&mut self, rules: &Rules<'_, 'a>, node: Node<'a>, actual: &Type, target: &Type) -> Type {
        let value = match Expr::of(node) {
            Expr::If(branch) => branch.body().map_or(node, ast::Object::syntax),
            _ => node,
        };
        let narrowed = match target.kind() {
            Kind::ResourceParameter(_) => Some(target.clone()),
            Kind::Int(range) => {
                Some(self.integer(rules, node, actual, Expected { shape: *range, ty: target }))
            }
            Kind::IntLiteral(limit) => {
                let range = IntRange { min: Some(*limit), max: Some(*limit) };
                Some(self.integer_literal(rules, node, actual, Expected { shape: range, ty: target }))
            }
            Kind::String(shape) => Some(self.string(rules, node, actual, Expected { shape, ty: target })),
            Kind::StringLiteral(text) => {
                Some(self.string_literal(rules, node, actual, Expected { shape: text, ty: target }))
            }
            Kind::Object(object) => self.object(rules, value, actual, Expected { shape: object, ty: target }),
            Kind::Discriminated(tagged) => {
                self.tagged(rules, value, actual, Expected { shape: tagged, ty: target })
            }
            Kind::Array(_) | Kind::Tuple(_) => self.array(rules, node, actual, target),
            _ => None,
        };
        if let Some(narrowed) = narrowed {
            return narrowed;
        }
        if let Some(narrowed) = self.through_variable(rules, node, target) {
            return narrowed;
        }
        match (Expr::of(node), target.kind()) {
            (_, Kind::Union(_)) => self.union(rules, node, actual, target),
            (Expr::Lambda(lambda), Kind::Lambda(expected)) => {
                self.lambda(rules, lambda, Expected { shape: expected, ty: target })
            }
            _ => actual.clone(),
        }
    }

    /// A variable stands for its value; mistakes are reported where it is used.
    fn through_variable(&mut self, rules: &Rules<'_, 'a>, node: Node<'a>, target: &Type) -> Option<Type> {
        let value = self.variable_value(node)?;
        // The type is kept for all uses of the variable.
        let rules = Rules { origin: Some(node), keeps_type: true, ..*rules };
        let actual = self.checker.type_of(value);
        let key = (value.id(), actual.identity(), target.identity());
        if let Some(known) = self.items.get(&key).filter(|known| known.is_clean || known.visits >= MAX_VISITS)
        {
            return Some(known.result.clone());
        }
        let before = self.sink.len();
        let result = self.narrow(&rules, value, &actual, target);
        let is_clean = self.sink.len() == before;
        let _compared = (actual.clone(), target.clone());
        let known = self.items.entry(key).or_insert(Narrowed { _compared, result, is_clean, visits: 0 });
        known.visits += 1;
        Some(known.result.clone())
    }

    /// What a variable stands for.
    pub(super) fn variable_value(&self, node: Node<'a>) -> Option<Node<'a>> {
        ast::VarAccess::cast(node)?;
        let (_, symbol) = self.checker.referenced(node)?;
        let declaration = self.checker.declaration(symbol);
        match symbol.kind {
            SymbolKind::Var => ast::Var::cast(declaration).map(|variable| variable.value().syntax()),
            SymbolKind::LoopItem | SymbolKind::LoopIndex | SymbolKind::LambdaVar | SymbolKind::FuncParam => {
                Some(declaration)
            }
            _ => None,
        }
    }

    /// The variable through which a value came here.
    pub(super) fn source(&self, rules: &Rules<'_, 'a>) -> Option<&'a str> {
        let (_, symbol) = self.checker.referenced(rules.origin?)?;
        Some(symbol.name.as_deref().unwrap_or_default())
    }

    fn report_mismatch(&mut self, rules: &Rules<'_, 'a>, node: Node<'a>, actual: &Type, target: &Type) {
        let diagnostic = match &rules.mismatch {
            Mismatch::Value => {
                let range = rules.origin.unwrap_or(node).range();
                messages::mismatch(range, target.warns_on_mismatch(), target, actual)
            }
            Mismatch::Item { is_warning } => {
                messages::item_mismatch(node.range(), *is_warning, target, actual)
            }
            Mismatch::SpreadItem { is_warning } => {
                messages::spread_item_mismatch(node.range(), *is_warning, target, actual)
            }
            Mismatch::Property { name, is_warning, origin } => {
                let source_rules = Rules { origin: *origin, ..*rules };
                let source = self.source(&source_rules);
                let at = PropertyMismatch {
                    range: origin.unwrap_or(node).range(),
                    is_warning: *is_warning,
                    name,
                    expected: target,
                    actual,
                };
                match suggestion(actual, target).filter(|_| source.is_none()) {
                    Some(other) => messages::value_suggestion(at, &other),
                    None => messages::property_mismatch(at, source),
                }
            }
        };
        match (&rules.mismatch, self.outer.get_mut(rules.level)) {
            (Mismatch::Item { .. } | Mismatch::SpreadItem { .. } | Mismatch::Property { .. }, Some(sink)) => {
                sink.push(diagnostic);
            }
            _ => self.sink.push(diagnostic),
        }
    }

    fn integer(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        Expected { shape: want, ty: target }: Expected<'_, IntRange>,
    ) -> Type {
        let is_warning = rules.is_resource || target.warns_on_mismatch();
        let (have, is_literal) = match actual.kind() {
            Kind::Int(range) => (*range, false),
            Kind::IntLiteral(value) => (IntRange { min: Some(*value), max: Some(*value) }, true),
            _ => return actual.clone(),
        };
        let range = node.range();
        let report = |found| messages::integer_bounds(range, is_warning, found);
        if !self.compare_bounds(have, want, is_literal, report) || is_literal {
            return actual.clone();
        }
        Type::int_between(intersection(have, want), target.flags())
    }

    fn integer_literal(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        Expected { shape: want, ty: target }: Expected<'_, IntRange>,
    ) -> Type {
        let Kind::Int(have) = actual.kind() else { return target.clone() };
        let is_warning = rules.is_resource || target.warns_on_mismatch();
        let range = node.range();
        let report = |found| messages::integer_bounds(range, is_warning, found);
        if self.disjoint(*have, want, report) { actual.clone() } else { target.clone() }
    }

    fn string(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        Expected { shape: want, ty: target }: Expected<'_, &StringShape>,
    ) -> Type {
        let is_warning = rules.is_resource || target.warns_on_mismatch();
        let wanted = LengthRange { min: want.min_length, max: want.max_length };
        let range = node.range();
        let report = |found| messages::length_bounds(range, is_warning, found);
        match actual.kind() {
            Kind::String(have) => {
                let have = LengthRange { min: have.min_length, max: have.max_length };
                if !self.compare_bounds(have, wanted, false, report) {
                    return actual.clone();
                }
                let IntRange { min, max } = intersection(have, wanted);
                let min_length = min.filter(|min| *min > 0);
                let shape = StringShape { min_length, max_length: max, pattern: None };
                Type::string_shaped(shape, target.flags())
            }
            Kind::StringLiteral(text) => {
                let length = utf16_len(text);
                self.disjoint(IntRange { min: Some(length), max: Some(length) }, wanted, report);
                if let Some(pattern) = &want.pattern
                    && !matches_pattern(pattern, text)
                {
                    self.sink.push(messages::pattern_mismatch(range, is_warning, pattern));
                }
                actual.clone()
            }
            _ => actual.clone(),
        }
    }

    fn string_literal(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        Expected { shape: text, ty: target }: Expected<'_, &str>,
    ) -> Type {
        let Kind::String(have) = actual.kind() else { return target.clone() };
        let is_warning = rules.is_resource || target.warns_on_mismatch();
        let have = LengthRange { min: have.min_length, max: have.max_length };
        let length = utf16_len(text);
        let want = LengthRange { min: Some(length), max: Some(length) };
        let range = node.range();
        let report = |found| messages::length_bounds(range, is_warning, found);
        if self.disjoint(have, want, report) { actual.clone() } else { target.clone() }
    }

    /// Compares bounds and reports; `false` if no value can fit.
    fn compare_bounds(
        &mut self,
        have: IntRange,
        want: IntRange,
        is_single: bool,
        report: impl Fn(OutOfBounds) -> Diagnostic + Copy,
    ) -> bool {
        if self.disjoint(have, want, report) {
            return false;
        }
        if !is_single {
            if let (Some(have), Some(want)) = (have.min, want.min)
                && have < want
            {
                self.sink.push(report(OutOfBounds { bounds: Bounds::Below, is: have, limit: want }));
            }
            if let (Some(have), Some(want)) = (have.max, want.max)
                && have > want
            {
                self.sink.push(report(OutOfBounds { bounds: Bounds::Above, is: have, limit: want }));
            }
        }
        true
    }

    fn disjoint(
        &mut self,
        have: IntRange,
        want: IntRange,
        report: impl Fn(OutOfBounds) -> Diagnostic,
    ) -> bool {
        let found = match (have, want) {
            (IntRange { min: Some(have), .. }, IntRange { max: Some(want), .. }) if have > want => {
                Some(OutOfBounds { bounds: Bounds::High, is: have, limit: want })
            }
            (IntRange { max: Some(have), .. }, IntRange { min: Some(want), .. }) if have < want => {
                Some(OutOfBounds { bounds: Bounds::Low, is: have, limit: want })
            }
            _ => None,
        };
        self.sink.extend(found.map(report));
        found.is_some()
    }

    fn array(&mut self, rules: &Rules<'_, 'a>, node: Node<'a>, actual: &Type, target: &Type) -> Option<Type> {
        if let Expr::Array(array) = Expr::of(node) {
            return Some(self.array_literal(rules, array, target));
        }
        if self.variable_value(node).is_some() {
            return self.through_variable(rules, node, target);
        }
        let is_warning = rules.is_resource || target.warns_on_mismatch();
        let range = node.range();
        let report = |found| messages::length_bounds(range, is_warning, found);
        if let (Kind::Tuple(have), Kind::Tuple(want)) = (actual.kind(), target.kind()) {
            let (is, limit) = (count(have.items.len()), count(want.items.len()));
            if is != limit {
                self.sink.push(report(OutOfBounds { bounds: Bounds::High, is, limit }));
                return Some(actual.clone());
            }
            let pairs = have.items.iter().zip(&want.items);
            let items = pairs.map(|(have, want)| self.narrow_item(rules, node, have, want)).collect();
            return Some(Type::tuple_with(items, target.flags()));
        }
        let (have, have_item) = (array_length(actual)?, actual.item()?);
        let (want, want_item) = (array_length(target)?, target.item()?);
        if !self.compare_bounds(have, want, false, report) {
            return Some(actual.clone());
        }
        let item = self.narrow(rules, node, have_item, want_item);
        let IntRange { min, max } = intersection(have, want);
        let length = LengthRange { min: min.filter(|min| *min > 0), max };
        Some(Type::with(Kind::Array(ArrayType { item, length }), target.flags()))
    }

    /// An item of a tuple that is not written out. What is wrong with it is said once.
    fn narrow_item(&mut self, rules: &Rules<'_, 'a>, node: Node<'a>, actual: &Type, target: &Type) -> Type {
        let has_parts = match target.kind() {
            Kind::Union(_) | Kind::Object(_) | Kind::Discriminated(_) => true,
            _ => target.item().is_some(),
        };
        if !has_parts {
            return self.narrow(rules, node, actual, target);
        }
        let key = (node.id(), actual.identity(), target.identity());
        if let Some(known) = self.items.get(&key) {
            return known.result.clone();
        }
        let result = self.narrow(&Rules { keeps_type: true, ..*rules }, node, actual, target);
        let _compared = (actual.clone(), target.clone());
        self.items.insert(key, Narrowed { _compared, result: result.clone(), is_clean: true, visits: 1 });
        result
    }

    fn array_literal(&mut self, rules: &Rules<'_, 'a>, array: ast::Array<'a>, target: &Type) -> Type {
        if self.checker.has_syntax_error(array.range()) {
            return target.clone();
        }
        let any = Type::any();
        let item_target = target.item().cloned().unwrap_or_else(Type::any);
        let is_warning = target.warns_on_mismatch();
        let level = self.level();
        let item_rules =
            Rules { skip_errors: true, mismatch: Mismatch::Item { is_warning }, level, ..*rules };
        let spread_rules =
            Rules { skip_errors: true, mismatch: Mismatch::SpreadItem { is_warning }, level, ..*rules };
        // An array of any length. The same one for all that is spread, also in what is spread: it is looked into once.
        let spread_target = match target.kind() {
            Kind::Array(array) if array.length == LengthRange::default() => target.clone(),
            _ => Type::array_of(item_target.clone()).with_flags(target.flags()),
        };
        let (mut items, mut length, mut has_spread) = (Vec::new(), 0, false);
        for child in array.items() {
            if let Some(item) = ast::ArrayItem::cast(child) {
                let expected = match target.kind() {
                    Kind::Tuple(tuple) if !has_spread => tuple.items.get(length).unwrap_or(&any),
                    _ => &item_target,
                };
                let actual = self.checker.expr(item.value());
                let narrowed = self.narrow(&item_rules, item.value().syntax(), &actual, expected);
                length += 1;
                items.extend(rules.keeps_type.then_some(narrowed));
            } else if let Some(spread) = ast::Spread::cast(child) {
                has_spread = true;
                let actual = self.checker.expr(spread.value());
                let narrowed = self.narrow(&spread_rules, spread.value().syntax(), &actual, &spread_target);
                if rules.keeps_type {
                    items.push(narrowed.item().cloned().unwrap_or_else(Type::any));
                }
            }
        }
        if let Some(want) = array_length(target).filter(|_| !has_spread) {
            let length = count(length);
            let is_warning = rules.is_resource || is_warning;
            let report = |found| messages::length_bounds(array.range(), is_warning, found);
            self.disjoint(LengthRange { min: Some(length), max: Some(length) }, want, report);
        }
        match (rules.keeps_type, has_spread) {
            (false, _) => target.clone(),
            (true, true) => Type::array_of(union(items)).with_flags(target.flags()),
            (true, false) => Type::tuple_with(items, target.flags()),
        }
    }

    fn lambda(
        &mut self,
        rules: &Rules<'_, 'a>,
        lambda: ast::Lambda<'a>,
        Expected { shape: expected, ty: target }: Expected<'_, &LambdaType>,
    ) -> Type {
        let actual = self.checker.expr(lambda.body());
        let result = self.narrow(rules, lambda.body().syntax(), &actual, &expected.result);
        let variables: Vec<_> = lambda.variables().collect();
        if !expected.arity().allows(variables.len()) {
            let range = lambda.variable_section().range();
            self.sink.push(messages::lambda_arity(range, target, variables.len()));
            return target.clone();
        }
        let wanted: Vec<Type> = expected.all_arguments().cloned().collect();
        let mut arguments = Vec::new();
        for (variable, wanted) in variables.into_iter().zip(&wanted) {
            let actual = self.checker.type_of(variable.syntax());
            arguments.push(self.narrow(rules, variable.syntax(), &actual, wanted));
        }
        LambdaType { arguments, optional: Vec::new(), result }.into()
    }

    fn union(&mut self, rules: &Rules<'_, 'a>, node: Node<'a>, actual: &Type, target: &Type) -> Type {
        match actual.kind() {
            Kind::Union(members) => self.union_of_union(rules, node, members, target),
            _ => {
                let possible = target.members().iter().collect();
                self.union_of_one(rules, node, actual, Expected { shape: possible, ty: target })
            }
        }
    }

    /// Every alternative of the value has to fit some alternative of the type.
    fn union_of_union(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        members: &[Type],
        target: &Type,
    ) -> Type {
        let mut narrowed = Vec::new();
        let (mut errors, mut others) = (Vec::new(), Vec::new());
        let alternatives = Alternatives::of(target);
        for member in members {
            let possible = alternatives.for_value(member);
            if !possible.iter().any(|other| assignable(member, other)) {
                errors.push(argument_mismatch(node.range(), member, target));
                continue;
            }
            let (ty, found) = self.attempt(|this| {
                this.union_of_one(rules, node, member, Expected { shape: possible, ty: target })
            });
            let (wrong, doubtful): (Vec<_>, Vec<_>) = found.into_iter().partition(is_error);
            if !wrong.is_empty() {
                errors.extend(wrong);
                errors.push(argument_mismatch(node.range(), member, target));
            }
            others.extend(doubtful);
            narrowed.push(ty);
        }
        let failed = !errors.is_empty();
        self.sink.extend(others);
        self.sink.extend(errors);
        if failed { target.clone() } else { union(narrowed) }
    }

    /// A value has to fit one of the alternatives that are possible for it.
    fn union_of_one(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        Expected { shape: possible, ty: target }: Expected<'_, Vec<&Type>>,
    ) -> Type {
        // Of the body of a resource, the alternatives are kept as they are declared.
        let rules = Rules { keeps_type: rules.keeps_type && !rules.is_resource, ..*rules };
        let mut viable = Vec::new();
        let mut rejected = Vec::new();
        let mut is_assignable = false;
        for member in possible {
            if !assignable(actual, member) {
                continue;
            }
            is_assignable = true;
            let (ty, found) = self.attempt(|this| this.narrow(&rules, node, actual, member));
            if found.iter().any(is_error) {
                rejected.extend(found);
            } else {
                let ty = if rules.is_resource { member.clone() } else { ty };
                viable.push((ty, found));
            }
        }
        if viable.is_empty() {
            self.sink.extend(rejected);
            if !is_assignable {
                self.sink.push(argument_mismatch(node.range(), actual, target));
            }
            return target.clone();
        }
        let is_clean = viable.iter().any(|(_, found)| found.is_empty());
        let mut types = Vec::new();
        for (ty, found) in viable {
            types.push(ty);
            if !is_clean {
                self.sink.extend(found);
            }
        }
        union(types)
    }

    /// Tries something and hands over what it would have reported.
    fn attempt<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Vec<Diagnostic>) {
        self.outer.push(std::mem::take(&mut self.sink));
        let result = run(self);
        let outer = self.outer.pop().unwrap_or_default();
        (result, std::mem::replace(&mut self.sink, outer))
    }

    /// How many attempts are under way.
    pub(super) fn level(&self) -> usize {
        self.outer.len()
    }
}

/// Whether a text matches a pattern. The pattern of deployment names is so frequent that it is not worth compiling.
fn matches_pattern(pattern: &Pattern, text: &str) -> bool {
    if **pattern == *super::module::DEPLOYMENT_NAME && text.is_ascii() {
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.()".contains(&b);
        return !text.is_empty() && text.bytes().all(is_allowed);
    }
    pattern.matches(text) != Some(false)
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

fn intersection(a: IntRange, b: IntRange) -> IntRange {
    let pick = |a: Option<i64>, b: Option<i64>, choose: fn(i64, i64) -> i64| match (a, b) {
        (Some(a), Some(b)) => Some(choose(a, b)),
        (a, b) => a.or(b),
    };
    IntRange { min: pick(a.min, b.min, i64::max), max: pick(a.max, b.max, i64::min) }
}

fn array_length(ty: &Type) -> Option<LengthRange> {
    match ty.kind() {
        Kind::Array(array) => Some(array.length),
        Kind::Tuple(tuple) => {
            let length = count(tuple.items.len());
            Some(LengthRange { min: Some(length), max: Some(length) })
        }
        _ => None,
    }
}

/// The allowed text that is most like a text that is not allowed.
fn suggestion(actual: &Type, expected: &Type) -> Option<String> {
    actual.as_string_literal()?;
    if !expected.members().iter().all(|member| member.as_string_literal().is_some()) {
        return None;
    }
    let mut candidates: Vec<String> = expected.members().iter().map(ToString::to_string).collect();
    candidates.sort_unstable();
    base::spelling::suggest(&actual.to_string(), candidates)
}

/// Where to report what has no place in the file: its start.
pub(super) const NOWHERE: TextRange = TextRange::empty(base::TextSize::new(0));
