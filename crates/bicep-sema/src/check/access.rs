//! The types of `a.b` and `a[b]`: properties and items, with what may be null on the way.

use base::{Diagnostic, Severity, SmolStr, TextRange};
use bicep_syntax::ast::{self, Expr, Name};
use bicep_syntax::{Node, NodeId, SyntaxKind, Token};
use bicep_types::ty::{
    DiscriminatedType, Kind, ObjectType, PropertyFlags, TupleType, Type, assignable, collapse,
    collapse_or_union, union,
};

use super::{Checker, TypeMemo};
use crate::deployed_body::DeployedBody;
use crate::messages::types as messages;
use crate::resource::IDENTITY;
use crate::symbol::{Symbol, SymbolKind};

/// One step of a chain of accesses.
#[derive(Clone, Copy)]
enum Access<'a> {
    Property(ast::PropertyAccess<'a>),
    Index(ast::Index<'a>),
}

impl<'a> Access<'a> {
    fn of(node: Node<'a>) -> Option<Self> {
        ast::PropertyAccess::cast(node)
            .map(Self::Property)
            .or_else(|| ast::Index::cast(node).map(Self::Index))
    }

    fn base(self) -> Expr<'a> {
        match self {
            Self::Property(access) => access.base(),
            Self::Index(access) => access.base(),
        }
    }

    fn syntax(self) -> Node<'a> {
        match self {
            Self::Property(access) => access.syntax(),
            Self::Index(access) => access.syntax(),
        }
    }

    fn is_safe(self) -> bool {
        match self {
            Self::Property(access) => access.is_safe(),
            Self::Index(access) => access.is_safe(),
        }
    }
}

/// How a property is read.
#[derive(Clone, Copy)]
struct Read<'n> {
    access: NodeId,
    name: &'n str,
    range: TextRange,
    is_safe: bool,
    is_warning: bool,
}

impl<'a> Checker<'a> {
    /// The type of a chain of accesses: once something on the way may be null, so is the whole chain. What a safe access
    /// reads from is a chain of its own.
    pub(super) fn access(&mut self, node: Node<'a>) -> Type {
        let mut chain = Vec::new();
        let mut inner = node;
        while let Some(access) = Access::of(inner) {
            chain.push(access);
            if access.is_safe() {
                break;
            }
            inner = access.base().syntax();
        }
        let Some(first) = chain.last() else { return Type::error() };
        let (is_safe, read_from) = (first.is_safe(), first.base().syntax().id());
        let (mut base, held_back) = self.hold_back(|this| this.expr(first.base()));
        let mut may_be_null = false;
        let mut previous: Option<(Access<'a>, Option<&'a Symbol>)> = None;
        for access in chain.into_iter().rev() {
            let (bare_base, is_asserted) = without_parens_and_assertions(access.base());
            let mut symbol =
                if is_asserted { None } else { self.referenced(bare_base).map(|(_, symbol)| symbol) };
            let after_safe = previous.is_some_and(|(access, _)| access.is_safe());
            if after_safe || access.is_safe() {
                if base.is_null() {
                    self.settle(held_back, false);
                    return base;
                }
                if let Some(bare) = base.without_null() {
                    may_be_null = true;
                    base = bare;
                } else if access.is_safe()
                    && (self.may_be_disabled(symbol)
                        || previous.is_some_and(|(access, symbol)| {
                            matches!(access, Access::Index(_)) && self.may_be_disabled(symbol)
                        }))
                {
                    may_be_null = true;
                    symbol = None;
                }
            }
            let conditional = self.conditional_base(node, previous.and_then(|(_, symbol)| symbol), symbol);
            base = match access {
                Access::Index(access) => {
                    let index = self.expr(access.index());
                    self.item(access, &base, conditional, &index)
                }
                Access::Property(access) => self.property(access, &base, conditional),
            };
            let found = if may_be_null { union([base.clone(), Type::null()]) } else { base.clone() };
            self.set(access.syntax().id().index(), TypeMemo::Known(found));
            previous = Some((access, symbol));
            self.remember_step(access.syntax(), &base, may_be_null);
        }
        // "null or an error" is not an error: what is wrong with the base is said only where `!` takes the null away.
        if is_safe && may_be_null && base.is_error() {
            let mut swallowed = self.take_back(&held_back);
            swallowed.extend(self.swallowed.remove(&read_from).unwrap_or_default());
            self.swallowed.insert(node.id(), swallowed);
        } else {
            self.settle(held_back, false);
        }
        if may_be_null { union([base, Type::null()]) } else { base }
    }

    /// Keeps the type of a part of a chain for whoever asks for it.
    fn remember_step(&mut self, step: Node<'a>, ty: &Type, may_be_null: bool) {
        let index = step.id().index();
        if matches!(self.slots.get(index), Some(TypeMemo::Empty)) {
            let ty = if may_be_null { ty.make_nullable() } else { ty.clone() };
            self.set(index, TypeMemo::Known(ty));
        }
    }

    /// The resource or module that an access reads from, if that may not be deployed.
    fn conditional_base(
        &mut self,
        node: Node<'a>,
        previous: Option<&'a Symbol>,
        symbol: Option<&'a Symbol>,
    ) -> Option<&'a Symbol> {
        let is_outside = |it: &Symbol| {
            let declaration = self.declaration(it);
            !node.ancestors().any(|ancestor| ancestor == declaration) && !self.is_in_cycle(it)
        };
        if let Some(previous) = previous {
            if !is_outside(previous) {
                return None;
            }
            if is_deployed(previous) && self.is_collection(previous) {
                return Some(previous);
            }
        }
        symbol.filter(|it| is_outside(it) && is_deployed(it) && !self.is_collection(it))
    }

    fn is_in_cycle(&self, symbol: &Symbol) -> bool {
        let id = self.bound.declarations.symbol_of.get(&symbol.declaration);
        id.is_some_and(|id| self.bound.cycles.contains_key(id))
    }

    fn is_collection(&self, symbol: &Symbol) -> bool {
        DeployedBody::of(self.declaration(symbol)).is_some_and(DeployedBody::is_collection)
    }

    /// Whether a resource or module has a condition that is not known to hold.
    pub(super) fn may_be_disabled(&mut self, symbol: Option<&'a Symbol>) -> bool {
        let Some(symbol) = symbol else { return false };
        let node = self.declaration(symbol);
        match symbol.kind {
            SymbolKind::Resource => self.is_resource_enabled(node) != Some(true),
            SymbolKind::Module => {
                let value = ast::Module::cast(node).map(ast::Module::value);
                let condition = value.and_then(condition_of).map(|condition| self.quiet_expr(condition));
                condition.is_some_and(|ty| !matches!(ty.kind(), Kind::BoolLiteral(true)))
            }
            _ => false,
        }
    }

    fn is_resource_enabled(&mut self, node: Node<'a>) -> Option<bool> {
        let resource = ast::Resource::cast(node)?;
        if resource.existing().is_some() && self.system_decorator(node, "nullIfNotFound").is_some() {
            return None;
        }
        if let Some(condition) = condition_of(resource.value()) {
            match self.quiet_expr(condition).kind() {
                Kind::BoolLiteral(false) => return Some(false),
                Kind::Bool => return None,
                _ => {}
            }
        }
        match resource.parent_resource() {
            Some(outer) => self.is_resource_enabled(outer.syntax()),
            None => Some(true),
        }
    }

    fn is_known_without_deployment(&mut self, symbol: Option<&'a Symbol>, name: &str) -> bool {
        let Some(symbol) = symbol else { return false };
        match symbol.kind {
            SymbolKind::Module => name == "name",
            SymbolKind::Resource => {
                let ty = self.declared_type_of(self.declaration(symbol));
                ty.as_resource().is_some_and(|resource| resource.namespace == "az")
                    && IDENTITY.contains(&name)
            }
            _ => false,
        }
    }

    fn property(
        &mut self,
        access: ast::PropertyAccess<'a>,
        base: &Type,
        conditional: Option<&'a Symbol>,
    ) -> Type {
        let base = unwrapped(base);
        if base.is_error() {
            return base;
        }
        let name = access.name();
        let text = name.and_then(Name::text);
        if let Some(bare) = base.without_null() {
            self.report(messages::possibly_null(dot_range(access), &base));
            return self.property(access, &bare, None);
        }
        let disabled = self.may_be_disabled(conditional)
            && !self.is_known_without_deployment(conditional, text.unwrap_or_default());
        if disabled {
            let nullable = base.make_nullable();
            self.report(messages::possibly_null(dot_range(access), &nullable));
            return self.property(access, &base, None);
        }
        let range = name.map_or(access.range(), Name::range);
        let Some(text) = text else {
            return match base.kind() {
                Kind::Object(_) | Kind::Namespace(_) => Type::error(),
                Kind::Any => Type::any(),
                _ if assignable(&base, &Type::object()) => Type::any(),
                _ => self.fail(messages::object_required(range, &base)),
            };
        };
        let is_safe = access.is_safe();
        let is_warning = is_safe || base.warns_on_property_mismatch();
        let read = Read { access: access.syntax().id(), name: text, range, is_safe, is_warning };
        match base.kind() {
            Kind::Any | Kind::Discriminated(_) => Type::any(),
            Kind::Object(object) => self.read_object(object, &base, read),
            Kind::Namespace(namespace) => self.read_object(&namespace.members, &base, read),
            Kind::Union(_) => self.read_union(&base, read),
            _ if assignable(&base, &Type::object()) => Type::any(),
            _ => self.fail(messages::object_required(range, &base)),
        }
    }

    fn read_union(&mut self, base: &Type, read: Read<'_>) -> Type {
        match self.collapsed(base) {
            Some(collapsed) => match collapsed.kind() {
                Kind::Object(object) => self.read_object(object, &collapsed, read),
                Kind::Discriminated(tagged) => self.read_tagged(tagged, &collapsed, read),
                _ => Type::any(),
            },
            None => {
                let is_module = |member: &Type| matches!(member.kind(), Kind::Module(_));
                if base.members().len() < 2 || !base.members().iter().all(is_module) {
                    return Type::any();
                }
                let bodies = union(base.members().iter().map(unwrapped));
                match bodies.kind() {
                    Kind::Union(_) => self.read_union(&bodies, read),
                    _ => Type::any(),
                }
            }
        }
    }

    /// The members of a union as one type. It is asked for with every access, and a large union takes its time.
    pub(super) fn collapsed(&mut self, union: &Type) -> Option<Type> {
        let known = self.collapsed.entry(union.identity());
        known.or_insert_with(|| (union.clone(), collapse(union))).1.clone()
    }

    /// The type or null. The properties of a file have few types.
    pub(super) fn nullable(&mut self, ty: &Type) -> Type {
        let known = self.nullable.entry(ty.identity());
        known.or_insert_with(|| (ty.clone(), union([ty.clone(), Type::null()]))).1.clone()
    }

    fn read_object(&mut self, object: &ObjectType, base: &Type, read: Read<'_>) -> Type {
        match object.property(read.name) {
            Some(property) => {
                let unreadable = self.check_readable(property.flags, base, read);
                unreadable.unwrap_or_else(|| self.report_mistakes_of(&property.ty))
            }
            None => self.unknown_property(object.properties.iter(), base, read),
        }
    }

    fn read_tagged(&mut self, tagged: &DiscriminatedType, base: &Type, read: Read<'_>) -> Type {
        if tagged.discriminator == read.name {
            return tagged.discriminator_type();
        }
        let (mut flags, mut types, mut declared) = (PropertyFlags::empty(), Vec::new(), false);
        for (_, member) in tagged.objects() {
            match member.property(read.name) {
                Some(property) => {
                    declared = true;
                    flags |= property.flags;
                    types.push(property.ty.clone());
                }
                None => {
                    flags |= PropertyFlags::FALLBACK;
                    types.push(Type::null());
                }
            }
        }
        if declared {
            return self.check_readable(flags, base, read).unwrap_or_else(|| collapse_or_union(types));
        }
        self.unknown_property(tagged.objects().flat_map(|(_, object)| &object.properties), base, read)
    }

    /// `Some` if the property cannot be read.
    fn check_readable(&mut self, flags: PropertyFlags, base: &Type, read: Read<'_>) -> Option<Type> {
        if flags.contains(PropertyFlags::WRITE_ONLY) {
            self.report(messages::write_only(read.range, read.is_warning, read.name, base));
            if !read.is_warning {
                self.settled.insert(read.access);
                return Some(Type::error());
            }
        }
        if flags.contains(PropertyFlags::FALLBACK) {
            self.report(messages::doubtful_property(read.range, read.is_safe, read.name));
        }
        None
    }

    fn unknown_property<'p>(
        &mut self,
        properties: impl IntoIterator<Item = (&'p SmolStr, &'p bicep_types::ty::Property)>,
        base: &Type,
        read: Read<'_>,
    ) -> Type {
        self.report(unknown_property_diagnostic(properties, read.name, base, read.range, read.is_warning));
        if read.is_warning {
            return Type::any();
        }
        self.settled.insert(read.access);
        Type::error()
    }

    fn item(
        &mut self,
        access: ast::Index<'a>,
        base: &Type,
        conditional: Option<&'a Symbol>,
        index: &Type,
    ) -> Type {
        if base.is_error() || index.is_error() {
            return Type::error();
        }
        let base = unwrapped(base);
        let index_range = access.index().range();
        if let Some(bare) = index.without_null() {
            let ty = self.item(access, &base, conditional, &bare);
            if !ty.is_error() {
                self.report(messages::null_assignment(index_range, &bare, index, index_range));
            }
            return ty;
        }
        if let Some(bare) = base.without_null() {
            self.report(messages::possibly_null(bracket_range(access), &base));
            return self.item(access, &bare, conditional, index);
        }
        if self.may_be_disabled(conditional) {
            self.report(messages::possibly_null(bracket_range(access), &base.make_nullable()));
            return self.item(access, &base, None, index);
        }
        let is_int_literal = |ty: &Type| matches!(ty.kind(), Kind::IntLiteral(_));
        match (base.kind(), index.kind()) {
            (Kind::Any, _) => self.item_of_any(access, index),
            (Kind::Tuple(tuple), Kind::IntLiteral(at)) => self.tuple_item(access, tuple, &base, *at),
            (Kind::Tuple(tuple), Kind::Union(members)) if members.iter().all(is_int_literal) => {
                let items: Vec<Type> = members
                    .iter()
                    .filter_map(|member| match member.kind() {
                        Kind::IntLiteral(at) => Some(self.tuple_item(access, tuple, &base, *at)),
                        _ => None,
                    })
                    .collect();
                if items.iter().any(Type::is_error) { Type::error() } else { union(items) }
            }
            (Kind::Array(_), Kind::IntLiteral(at)) if *at < 0 => {
                self.fail(messages::negative_index(index_range, *at))
            }
            (Kind::Array(_) | Kind::Tuple(_), _) => {
                if assignable(index, &Type::int()) {
                    return base.item().map_or_else(Type::any, |item| self.report_mistakes_of(item));
                }
                self.invalid_access(access, messages::integer_index_required(index_range, index))
            }
            (Kind::Object(_) | Kind::Discriminated(_) | Kind::Namespace(_), _) => {
                self.item_of_object(access, &base, index)
            }
            (Kind::Union(members), _) => {
                let before = self.diagnostics.len();
                let items: Vec<Type> =
                    members.iter().map(|member| self.item(access, member, conditional, index)).collect();
                if items.iter().any(Type::is_error) {
                    // What is wrong with one member is wrong with all of them, and is said once.
                    let of_members = self.diagnostics.split_off(before);
                    if let Some(droppable) = &mut self.droppable {
                        droppable.retain(|position| *position < before);
                    }
                    self.diagnostics
                        .extend(of_members.into_iter().filter(|it| it.severity != Severity::Error));
                    return self.fail(messages::cannot_index(access.base().range(), &base));
                }
                union(items)
            }
            _ => self.invalid_access(access, messages::cannot_index(access.base().range(), &base)),
        }
    }

    fn item_of_any(&mut self, access: ast::Index<'a>, index: &Type) -> Type {
        if index.is_any() {
            return Type::any();
        }
        let is_string = assignable(index, &Type::string());
        if let Some(marker) = from_end_marker(access).filter(|_| is_string) {
            return self.invalid_access(access, messages::from_end_with(marker.range(), index));
        }
        if is_string || assignable(index, &Type::int()) {
            return Type::any();
        }
        self.invalid_access(access, messages::index_of_any(access.index().range(), index))
    }

    fn item_of_object(&mut self, access: ast::Index<'a>, base: &Type, index: &Type) -> Type {
        if let Some(marker) = from_end_marker(access) {
            return self.invalid_access(access, messages::from_end_of(marker.range(), base));
        }
        let range = access.index().range();
        if !assignable(index, &Type::string()) {
            return self.invalid_access(access, messages::string_index_required(range, index));
        }
        let object = match base.kind() {
            Kind::Object(object) => object,
            Kind::Namespace(namespace) => &namespace.members,
            _ => return Type::any(),
        };
        if let Some(name) = index.as_string_literal() {
            let is_safe = access.is_safe();
            let is_warning = is_safe || base.warns_on_property_mismatch();
            let read = Read { access: access.syntax().id(), name, range, is_safe, is_warning };
            return self.read_object(object, base, read);
        }
        if object.properties.is_empty() && object.additional.is_none() {
            return self.fail(messages::no_properties(range, base));
        }
        Type::any()
    }

    fn tuple_item(&mut self, access: ast::Index<'a>, tuple: &TupleType, base: &Type, at: i64) -> Type {
        let length = tuple.items.len();
        let position = usize::try_from(at).ok();
        let position = if access.is_from_end() {
            position.filter(|at| *at > 0).and_then(|at| length.checked_sub(at))
        } else {
            position
        };
        match position.and_then(|at| tuple.items.get(at)) {
            Some(item) => self.report_mistakes_of(item),
            None => {
                let range = access.index().range();
                self.fail(messages::index_out_of_bounds(range, base, length, at))
            }
        }
    }

    /// A mistake, which a safe access turns into null.
    fn invalid_access(&mut self, access: ast::Index<'a>, mut diagnostic: Diagnostic) -> Type {
        if access.is_safe() {
            diagnostic.severity = Severity::Warning;
            self.report(diagnostic);
            return Type::null();
        }
        self.fail(diagnostic)
    }
}

/// What to say about a property that a type does not have.
pub(super) fn unknown_property_diagnostic<'p>(
    properties: impl IntoIterator<Item = (&'p SmolStr, &'p bicep_types::ty::Property)>,
    name: &str,
    base: &Type,
    range: TextRange,
    is_warning: bool,
) -> Diagnostic {
    let readable = properties.into_iter().filter(|(_, it)| !it.flags.contains(PropertyFlags::WRITE_ONLY));
    let mut available: Vec<&SmolStr> = readable.map(|(name, _)| name).collect();
    available.sort_unstable();
    available.dedup();
    messages::unknown_property(range, is_warning, name, base, &available)
}

/// The body of a resource or a module, any other type as it is.
pub(super) fn unwrapped(ty: &Type) -> Type {
    match ty.kind() {
        Kind::Resource(resource) => resource.body.clone(),
        Kind::Module(module) => module.body.clone(),
        _ => ty.clone(),
    }
}

fn is_deployed(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module)
}

/// The condition of a declaration, within a loop or not.
pub(super) fn condition_of(value: Expr<'_>) -> Option<Expr<'_>> {
    match value {
        Expr::If(branch) => Some(branch.condition()),
        Expr::For(each) => match each.body() {
            Expr::If(branch) => Some(branch.condition()),
            _ => None,
        },
        _ => None,
    }
}

/// The expression inside parentheses and `!`, and whether there was a `!`.
pub(super) fn without_parens_and_assertions(expression: Expr<'_>) -> (Node<'_>, bool) {
    let mut inner = expression;
    let mut is_asserted = false;
    loop {
        inner = match inner {
            Expr::Paren(paren) => paren.value(),
            Expr::NonNull(assertion) => {
                is_asserted = true;
                assertion.base()
            }
            _ => return (inner.syntax(), is_asserted),
        };
    }
}

fn dot_range(access: ast::PropertyAccess<'_>) -> TextRange {
    let node = access.syntax();
    let dot = node.token(SyntaxKind::Dot).map(Token::range);
    match (dot, access.name()) {
        (Some(dot), Some(name)) => TextRange::new(dot.start(), name.range().end().max(dot.end())),
        _ => node.range(),
    }
}

fn bracket_range(access: ast::Index<'_>) -> TextRange {
    let node = access.syntax();
    let open = node.token(SyntaxKind::LeftSquare).map(Token::range);
    let close = node.token(SyntaxKind::RightSquare).map(Token::range);
    match (open, close) {
        (Some(open), Some(close)) => open.cover(close),
        _ => node.range(),
    }
}

fn from_end_marker(access: ast::Index<'_>) -> Option<Token<'_>> {
    access.syntax().token(SyntaxKind::Hat)
}
