//! Type syntax: what the notation of types means.

use base::SmolStr;
use bicep_syntax::ast::{self, TypeExpr};
use bicep_syntax::{Node, SyntaxKind, Token};
use bicep_types::ty::{
    DiscriminatedType, Kind, ObjectType, Property, PropertyFlags, Type, TypeFlags, assignable, object_name,
    tuple_name, union,
};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::Checker;
use super::declared::Resolved;
use super::operator::fold_unary;
use crate::bind::Binding;
use crate::messages::{declarations, functions, types as messages};
use crate::namespace::RESOURCE_DERIVED;
use crate::symbol::SymbolKind;

impl<'a> Checker<'a> {
    /// What a piece of type syntax means.
    pub(super) fn type_syntax(&mut self, ty: TypeExpr<'a>) -> Resolved {
        let id = ty.syntax().id();
        if let Some(known) = self.declared.get(&id) {
            return Resolved { ty: known.clone(), is_pending: self.open_aliases > 0 };
        }
        let resolved = base::recurse(|| self.read_type(ty));
        if !matches!(ty, TypeExpr::Skipped(_)) {
            self.declared.insert(id, resolved.ty.clone());
        }
        resolved
    }

    fn read_type(&mut self, ty: TypeExpr<'a>) -> Resolved {
        let range = ty.range();
        let ready = Resolved::ready;
        match ty {
            TypeExpr::Skipped(_) => ready(Type::any()),
            TypeExpr::TypeVar(name) => self.named_type(name),
            TypeExpr::BoolType(literal) => ready(Type::bool_literal(literal.value())),
            TypeExpr::IntType(literal) => ready(match i64::try_from(literal.value()) {
                Ok(value) => Type::int_literal(value),
                Err(_) => self.fail(messages::type_not_literal(range)),
            }),
            TypeExpr::NullType(_) => ready(self.fail(messages::invalid_type(range))),
            TypeExpr::StringType(text) => ready(self.string_type(text)),
            TypeExpr::UnaryType(unary) => self.unary_type(unary),
            TypeExpr::ArrayType(array) => {
                let item = self.within_type_part(|this| {
                    let item = this.type_syntax(array.item());
                    this.not_a_namespace(item, array.item().syntax())
                });
                let ty = Type::array_of(item.ty);
                let is_reference = self.is_reference(array.item());
                ready(if is_reference { ty.called(text_with_trivia(array.syntax())) } else { ty })
            }
            TypeExpr::TupleType(tuple) => ready(self.tuple_type(tuple)),
            TypeExpr::ObjectType(object) => ready(self.object_type(object)),
            TypeExpr::UnionType(union) => self.union_type(union),
            TypeExpr::NullableType(nullable) => {
                let inner = self.type_syntax(nullable.inner());
                let inner = self.not_a_namespace(inner, nullable.inner().syntax());
                let make = |ty: &Type| if ty.is_error() { ty.clone() } else { ty.make_nullable() };
                inner.map(nullable.syntax(), make)
            }
            TypeExpr::NonNullableType(asserted) => {
                self.type_syntax(asserted.inner()).map(asserted.syntax(), Type::remove_null)
            }
            TypeExpr::ParenType(paren) => self.type_syntax(paren.inner()),
            TypeExpr::ResourceType(resource) => ready(self.resource_type_syntax(resource)),
            TypeExpr::GenericType(generic) => ready(self.generic_type(generic)),
            TypeExpr::MemberGenericType(generic) => ready(self.member_generic_type(generic)),
            TypeExpr::TypePropertyAccess(_)
            | TypeExpr::TypeIndex(_)
            | TypeExpr::TypeItemsAccess(_)
            | TypeExpr::TypeAdditionalAccess(_) => self.type_access(ty),
        }
    }

    fn named_type(&mut self, access: ast::TypeVar<'a>) -> Resolved {
        let node = access.syntax();
        let name = access.name().map_or("", ast::Name::display);
        let range = node.range();
        match self.bound.bindings.get(node) {
            Some(Binding::Namespace(index)) => Resolved::ready(self.namespace_type(index)),
            Some(Binding::Type(index)) => {
                let namespace = self.bound.namespaces.get(index);
                match namespace.and_then(|namespace| namespace.named_type(name)) {
                    Some(ty) => Resolved::ready(ty.clone()),
                    None => Resolved::ready(self.fail(messages::takes_arguments(range, name))),
                }
            }
            Some(Binding::Symbol(id)) => {
                let Some(symbol) = self.symbol(id) else { return Resolved::ready(Type::error()) };
                match symbol.kind {
                    SymbolKind::Type => self.alias_reference(access, id, name),
                    SymbolKind::Extension => Resolved::ready(self.extension_type(self.declaration(symbol))),
                    SymbolKind::WildcardImport => {
                        Resolved::ready(self.wildcard_type(self.declaration(symbol)))
                    }
                    SymbolKind::ImportItem => match self.imported_type(id) {
                        Some(ty) => Resolved::ready(ty),
                        None => Resolved::ready(self.fail(messages::value_used_as_type(range, name))),
                    },
                    _ => Resolved::ready(self.fail(messages::value_used_as_type(range, name))),
                }
            }
            Some(Binding::Function(_) | Binding::Nothing) | None => {
                Resolved::ready(self.fail(messages::not_a_type(range, name)))
            }
        }
    }

    fn alias_reference(
        &mut self,
        access: ast::TypeVar<'a>,
        id: crate::symbol::SymbolId,
        name: &str,
    ) -> Resolved {
        if self.is_within_cycle(access.syntax(), id) {
            // The declaration itself has been reported; a look into it from one of its own parts is a mistake of that part.
            let failed = is_looked_into_from_part(access.syntax());
            let ty = if failed {
                self.fail(messages::declaration_has_errors(access.range(), name))
            } else {
                Type::error()
            };
            return Resolved::ready(ty);
        }
        let resolved = self.alias(id);
        let is_wrong = self.type_cycles.contains_key(&id) || (!resolved.is_pending && resolved.ty.is_error());
        if is_wrong {
            return Resolved::ready(self.fail(messages::declaration_has_errors(access.range(), name)));
        }
        resolved
    }

    /// Whether a node is part of a circle of declarations that a symbol is in.
    fn is_within_cycle(&self, node: Node<'a>, id: crate::symbol::SymbolId) -> bool {
        self.bound.cycles.get(&id).is_some_and(|cycle| self.is_within(cycle, node))
    }

    fn string_type(&mut self, text: ast::StringType<'a>) -> Type {
        if let Some(value) = text.value() {
            return Type::string_literal(value);
        }
        let (holes, own) =
            self.hold_back(|this| text.holes().map(|hole| this.expr(hole)).collect::<Vec<Type>>());
        // Whatever is wrong in a hole: the type is not a literal.
        self.settle(own, true);
        let is_text = holes.iter().all(|hole| hole.as_string_literal().is_some());
        let folded = super::fold::interpolation(&text.segment_values(), &holes, &mut self.allowance);
        match folded.filter(|_| is_text) {
            Some(value) => Type::string_literal(value),
            None => self.fail(messages::type_not_literal(text.range())),
        }
    }

    fn unary_type(&mut self, unary: ast::UnaryType<'a>) -> Resolved {
        let range = unary.range();
        let Some(operator) = unary.operator() else { return Resolved::ready(Type::error()) };
        if let (SyntaxKind::Minus, TypeExpr::IntType(literal)) = (operator.kind(), unary.operand()) {
            let value = i64::try_from(-i128::from(literal.value()));
            return Resolved::ready(match value {
                Ok(value) => Type::int_literal(value),
                Err(_) => self.fail(messages::type_not_literal(range)),
            });
        }
        let operand = self.type_syntax(unary.operand());
        let operand = self.not_a_namespace(operand, unary.operand().syntax());
        let kind = operator.kind();
        if operand.is_pending {
            self.pending_accesses.push((operand.ty.clone(), unary.syntax()));
            return operand.map(unary.syntax(), move |ty| fold_unary(kind, ty).unwrap_or_else(Type::error));
        }
        if operand.ty.is_error() {
            return operand;
        }
        Resolved::ready(self.literal_of(unary, &operand.ty))
    }

    /// The literal that an operator makes of another.
    fn literal_of(&mut self, unary: ast::UnaryType<'a>, operand: &Type) -> Type {
        let folded = unary.operator().and_then(|operator| fold_unary(operator.kind(), operand));
        match folded.filter(Type::is_literal) {
            Some(ty) => ty,
            None => self.fail(messages::type_not_literal(unary.range())),
        }
    }

    /// Whether a type is made of one that the file declares. As a part of a larger type it is called as it is written.
    fn is_reference(&self, ty: TypeExpr<'a>) -> bool {
        match ty {
            TypeExpr::TypeVar(name) => match self.bound.bindings.get(name.syntax()) {
                Some(Binding::Symbol(id)) => {
                    self.symbol(id).is_some_and(|symbol| symbol.kind == SymbolKind::Type)
                }
                _ => false,
            },
            TypeExpr::NonNullableType(ty) => self.is_reference(ty.inner()),
            TypeExpr::NullableType(ty) => self.is_reference(ty.inner()),
            TypeExpr::ParenType(ty) => self.is_reference(ty.inner()),
            TypeExpr::UnaryType(ty) => self.is_reference(ty.operand()),
            TypeExpr::UnionType(ty) => ty.members().any(|member| self.is_reference(member.inner())),
            TypeExpr::TypePropertyAccess(ty) => self.is_reference(ty.inner()),
            TypeExpr::TypeAdditionalAccess(ty) => self.is_reference(ty.inner()),
            TypeExpr::TypeIndex(ty) => self.is_reference(ty.inner()),
            TypeExpr::TypeItemsAccess(ty) => self.is_reference(ty.inner()),
            _ => false,
        }
    }

    /// How a part of a declared type is called.
    fn part_name(&self, syntax: TypeExpr<'a>, ty: &Type) -> String {
        if self.is_reference(syntax) {
            return text_with_trivia(syntax.syntax()).trim_matches(' ').to_owned();
        }
        ty.to_string()
    }

    /// Whether a type gets its name now. One that contains itself has none later on.
    fn is_named_at_once(&self, mut parts: impl Iterator<Item = TypeExpr<'a>>) -> bool {
        self.open_aliases > 0 || parts.any(|part| self.is_reference(part))
    }

    fn tuple_type(&mut self, syntax: ast::TupleType<'a>) -> Type {
        let items: Vec<Type> = syntax.items().map(|item| self.declared_type_of(item.syntax())).collect();
        let is_named =
            !items.is_empty() && self.is_named_at_once(syntax.items().map(ast::TupleTypeItem::value));
        let names = syntax.items().zip(&items).map(|(item, ty)| self.part_name(item.value(), ty));
        let name = is_named.then(|| tuple_name(names));
        with_name(Type::tuple_with(items, TypeFlags::empty()), name)
    }

    fn object_type(&mut self, syntax: ast::ObjectType<'a>) -> Type {
        let mut object = ObjectType::structural();
        let mut is_wrong = false;
        for property in syntax.properties() {
            let name = property.key_text();
            let is_duplicate = name.as_ref().is_some_and(|name| object.properties.contains_key(&**name));
            let (ty, own) = self.hold_back(|this| this.declared_type_of(property.syntax()));
            self.settle(own, is_duplicate);
            let Some(name) = name else {
                self.fail(messages::computed_type_key(property.key().range()));
                is_wrong = true;
                continue;
            };
            if is_duplicate {
                self.fail(messages::duplicate_property(property.key().range(), &name));
                is_wrong = true;
                continue;
            }
            let flags = match property.value() {
                TypeExpr::NullableType(_) => PropertyFlags::empty(),
                _ => PropertyFlags::REQUIRED,
            };
            let mut declared = Property::new(ty, flags);
            declared.description = self.description(property.syntax());
            object.properties.insert(name.into(), declared);
        }
        let additional: Vec<_> = syntax.additional().collect();
        if let [first, ..] = additional.as_slice() {
            let (ty, own) = self.hold_back(|this| this.declared_type_of(first.syntax()));
            self.settle(own, true);
            let ty = if additional.len() == 1 { ty } else { Type::any() };
            let mut declared = Property::new(ty, PropertyFlags::empty());
            declared.description = self.description(first.syntax());
            object = object.with_additional(declared);
        }
        if additional.len() > 1 {
            is_wrong = true;
            for each in &additional {
                self.fail(messages::duplicate_additional(each.range()));
            }
        }
        if is_wrong {
            return Type::error();
        }
        let name = self.declared_object_name(syntax, &object);
        with_name(object.into(), name)
    }

    /// The name of an object type that is made of declared types.
    fn declared_object_name(&self, syntax: ast::ObjectType<'a>, object: &ObjectType) -> Option<String> {
        let additional = syntax.additional().next().zip(object.additional.as_ref());
        let values = syntax.properties().map(ast::ObjectTypeProperty::value);
        let mut parts = values.chain(additional.map(|(syntax, _)| syntax.value()));
        self.is_named_at_once(&mut parts).then_some(())?;
        let properties = syntax.properties().filter_map(|property| {
            let name = SmolStr::from(property.key_text()?);
            let ty = &object.properties.get(&name)?.ty;
            Some((Some(name), self.part_name(property.value(), ty)))
        });
        let others =
            additional.map(|(syntax, property)| (None, self.part_name(syntax.value(), &property.ty)));
        Some(object_name(properties.chain(others)))
    }

    fn union_type(&mut self, syntax: ast::UnionType<'a>) -> Resolved {
        let mut members = Vec::new();
        let mut is_pending = false;
        let holder = decorated_holder(syntax.syntax());
        let discriminator = holder.and_then(|holder| self.system_decorator(holder, "discriminator"));
        let is_single = discriminator.is_none() && syntax.members().count() == 1;
        for member in syntax.members() {
            let (resolved, own) = self.hold_back(|this| match member.inner() {
                TypeExpr::NullType(_) => Resolved::ready(Type::null()),
                inner => {
                    let resolved = this.type_syntax(inner);
                    this.not_a_namespace(resolved, inner.syntax())
                }
            });
            // A member that is wrong is reported as one that is no object, or no literal.
            self.settle(own, !is_single && !resolved.is_pending && resolved.ty.is_error());
            is_pending |= resolved.is_pending;
            members.push(resolved.ty);
        }
        if let Some(decorator) = discriminator {
            let Some(name) = self.string_argument(decorator) else { return Resolved::ready(Type::error()) };
            if is_pending {
                self.pending_accesses.push((Type::any(), syntax.syntax()));
                let ty = Type::defer_named(syntax.syntax().text(), move || {
                    let is_known = members.iter().all(Type::is_known);
                    is_known.then(|| tagged_union(&members, &name).unwrap_or_else(|_| Type::error()))
                });
                return Resolved { ty, is_pending: true };
            }
            return Resolved::ready(self.tagged_union(syntax, &members, &name));
        }
        if is_pending {
            self.pending_accesses.push((Type::any(), syntax.syntax()));
            let label = syntax.syntax().text();
            let ty = Type::defer_named(label, move || {
                members.iter().all(Type::is_known).then(|| union(members.iter().cloned()))
            });
            return Resolved { ty, is_pending: true };
        }
        let ty = union(members.iter().cloned());
        if !ty.is_error() {
            self.check_union(syntax, &members);
        }
        Resolved::ready(ty)
    }

    fn tagged_union(&mut self, syntax: ast::UnionType<'a>, members: &[Type], name: &SmolStr) -> Type {
        match tagged_union(members, name) {
            Ok(ty) => ty,
            Err(rejected) => {
                let places: Vec<_> = syntax.members().map(ast::UnionTypeMember::range).collect();
                for (index, problem) in rejected {
                    let range = places.get(index).copied().unwrap_or(syntax.range());
                    let diagnostic = match problem {
                        Rejected::NotAnObject => messages::union_member(range, "object"),
                        Rejected::NoDiscriminator => messages::discriminator_missing(range, name),
                        Rejected::Duplicate(value) => {
                            messages::discriminator_duplicate(range, name, &value.to_string())
                        }
                    };
                    if self.is_in_variable_type {
                        self.fail(diagnostic);
                    } else {
                        self.report(diagnostic);
                    }
                }
                Type::error()
            }
        }
    }

    /// The members of a union are literals of one type.
    fn check_union(&mut self, syntax: ast::UnionType<'a>, members: &[Type]) {
        if self.is_in_variable_type {
            return;
        }
        let flat: Vec<(Type, ast::UnionTypeMember<'a>)> = members
            .iter()
            .zip(syntax.members())
            .flat_map(|(ty, member)| ty.members().iter().map(move |ty| (ty.clone(), member)))
            .collect();
        let general = union(flat.iter().filter_map(|(ty, _)| general_type(ty)));
        let bare = general.remove_null();
        if is_declarable(&bare) {
            for (ty, member) in &flat {
                if !ty.is_literal() {
                    self.report(messages::union_member_not_literal(member.range()));
                } else if !assignable(ty, &general) {
                    self.report(messages::union_member(member.range(), &bare.to_string()));
                }
            }
        } else if matches!(general.kind(), Kind::Union(_))
            && is_item_of_array(syntax.syntax())
            && !general.members().contains(&Type::array())
        {
            for (ty, member) in &flat {
                if !ty.is_literal() {
                    self.report(messages::union_member_not_literal(member.range()));
                }
            }
        } else {
            self.report(messages::invalid_union(syntax.range()));
        }
    }

    /// Looks again at the types that were not complete when they were read.
    pub(super) fn check_pending_accesses(&mut self) {
        let pending = std::mem::take(&mut self.pending_accesses);
        for (base, node) in pending {
            if let Some(unary) = ast::UnaryType::cast(node) {
                if !base.is_error() {
                    self.literal_of(unary, &base);
                }
                continue;
            }
            let Some(syntax) = ast::UnionType::cast(node) else {
                self.check_pending_access(&base, node);
                continue;
            };
            let members: Vec<Type> = syntax
                .members()
                .map(|member| match member.inner() {
                    TypeExpr::NullType(_) => Type::null(),
                    inner => self.type_syntax(inner).ty,
                })
                .collect();
            let holder = decorated_holder(node);
            match holder.and_then(|holder| self.system_decorator(holder, "discriminator")) {
                Some(decorator) => {
                    if let Some(name) = self.string_argument(decorator) {
                        self.tagged_union(syntax, &members, &name);
                    }
                }
                None => self.check_union(syntax, &members),
            }
        }
    }

    fn generic_type(&mut self, generic: ast::GenericType<'a>) -> Type {
        let node = generic.syntax();
        let name = generic.name().map_or("", ast::Name::display);
        let range = node.range();
        match self.bound.bindings.get(node) {
            Some(Binding::Type(_)) if RESOURCE_DERIVED.contains(&name) => {
                self.resource_derived(node, name, &generic.arguments().collect::<Vec<_>>())
            }
            Some(Binding::Type(_)) => self.fail(messages::takes_no_arguments(range, name)),
            // The declaration itself has been reported.
            Some(Binding::Symbol(id)) if self.is_within_cycle(node, id) => Type::error(),
            Some(Binding::Symbol(id)) => {
                let is_type = match self.symbol(id).map(|symbol| symbol.kind) {
                    Some(SymbolKind::Type) => true,
                    Some(SymbolKind::ImportItem) => self.imported_type(id).is_some(),
                    _ => false,
                };
                self.fail(if is_type {
                    messages::takes_no_arguments(range, name)
                } else {
                    messages::value_used_as_type(range, name)
                })
            }
            _ => self.fail(messages::not_a_type(range, name)),
        }
    }

    fn member_generic_type(&mut self, generic: ast::MemberGenericType<'a>) -> Type {
        let node = generic.syntax();
        let name = node.children().filter_map(ast::Name::cast).next_back();
        let Some(name) = name else { return Type::error() };
        let (base, own) = self.hold_back(|this| this.type_syntax(generic.inner()));
        // Whatever is wrong before the dot: what is behind it takes no arguments.
        self.settle(own, base.ty.is_error());
        let is_sys = self.namespace_of(generic.inner().syntax()).is_some_and(|it| it.extension == "sys");
        let text = name.display();
        if is_sys && RESOURCE_DERIVED.contains(&text) {
            return self.resource_derived(node, text, &generic.arguments().collect::<Vec<_>>());
        }
        self.fail(messages::takes_no_arguments(node.range(), text))
    }

    /// `resourceInput<'type@version'>` and `resourceOutput<'type@version'>`
    fn resource_derived(&mut self, node: Node<'a>, name: &str, arguments: &[ast::TypeArgument<'a>]) -> Type {
        let chevrons = chevron_range(node);
        let [argument] = arguments else {
            let arity = bicep_types::ty::Arity { min: 1, max: Some(1) };
            return self.fail(functions::argument_count(chevrons, arguments.len(), arity));
        };
        let (argument_type, own) = self.hold_back(|this| this.type_syntax(argument.inner()));
        // What is wrong with the argument is that it is no text.
        self.settle(own, argument_type.ty.is_error());
        if !argument_type.is_pending && !assignable(&argument_type.ty, &Type::string()) {
            let diagnostic =
                functions::argument_mismatch(argument.range(), &argument_type.ty, &Type::string());
            return self.fail(diagnostic);
        }
        let text = match argument.inner() {
            TypeExpr::StringType(text) => text.value(),
            _ => None,
        };
        let Some(text) = text else {
            let inside = base::TextRange::new(
                chevrons.start() + base::TextSize::new(1),
                chevrons.end().max(chevrons.start() + base::TextSize::new(2)) - base::TextSize::new(1),
            );
            return self.fail(messages::constant_required(inside));
        };
        match self.resource_type_from(&text, argument.range(), None) {
            Ok(resource) => {
                let dropped = if name == "resourceOutput" {
                    PropertyFlags::READ_ONLY
                } else {
                    PropertyFlags::WRITE_ONLY
                };
                resource.body.without_property_flags(dropped)
            }
            Err(diagnostic) => self.fail(diagnostic),
        }
    }

    fn resource_type_syntax(&mut self, syntax: ast::ResourceType<'a>) -> Type {
        if !self.has_feature(config::Feature::ResourceTypedParamsAndOutputs) {
            return self.fail(declarations::resource_typed_needs_feature(syntax.range()));
        }
        let Some(path) = syntax.path() else {
            let output = syntax.syntax().parent().and_then(ast::Output::cast);
            let ty = output.map_or_else(Type::error, |output| self.expr(output.value()));
            let is_foreign = ty.as_resource().is_some_and(|resource| resource.namespace != "az");
            let diagnostic = || declarations::resource_type_not_supported(syntax.range());
            return if is_foreign { self.fail(diagnostic()) } else { ty };
        };
        let range = path.range();
        if path.is_interpolated() {
            return self.fail(declarations::interpolated_resource_type(range));
        }
        match self.existing_resource_type(&path.value().unwrap_or_default(), range) {
            Ok(resource) if resource.namespace != "az" => {
                self.fail(declarations::resource_type_not_supported(syntax.range()))
            }
            Ok(resource) => {
                if !self.is_defined(&resource) {
                    self.report(declarations::no_types(range, &resource.reference));
                }
                resource.into()
            }
            Err(diagnostic) => self.fail(diagnostic),
        }
    }
}

/// Why a member does not belong to a union that a property tells apart.
pub(super) enum Rejected {
    NotAnObject,
    NoDiscriminator,
    Duplicate(Type),
}

/// How long the name of a union may be, in characters.
const MAX_NAME: usize = 2_000;

/// A union of objects that a property tells apart.
fn tagged_union(members: &[Type], name: &SmolStr) -> Result<Type, Vec<(usize, Rejected)>> {
    let mut by_value: IndexMap<SmolStr, Type, FxBuildHasher> = IndexMap::default();
    let (mut known, mut lower) = (FxHashSet::default(), FxHashSet::default());
    let mut rejected = Vec::new();
    for (index, member) in members.iter().enumerate() {
        let variants: Vec<Type> = match member.kind() {
            Kind::Object(_) => vec![member.clone()],
            Kind::Discriminated(tagged) => tagged.members.values().cloned().collect(),
            _ => {
                rejected.push((index, Rejected::NotAnObject));
                continue;
            }
        };
        for variant in variants {
            if known.contains(&variant.identity()) {
                continue;
            }
            let property = variant.as_object().and_then(|object| object.properties.get(name));
            let value =
                property.filter(|property| property.flags.contains(PropertyFlags::REQUIRED)).and_then(
                    |property| property.ty.as_string_literal().map(|value| (value.clone(), &property.ty)),
                );
            match value {
                None => rejected.push((index, Rejected::NoDiscriminator)),
                Some((value, ty)) if lower.contains(&value.to_lowercase()) => {
                    rejected.push((index, Rejected::Duplicate(ty.clone())));
                }
                Some((value, _)) => {
                    lower.insert(value.to_lowercase());
                    known.insert(variant.identity());
                    by_value.insert(value, variant);
                }
            }
        }
    }
    if !rejected.is_empty() {
        return Err(rejected);
    }
    if by_value.is_empty() {
        return Ok(Type::error());
    }
    let mut name_of_union = union(by_value.values().cloned()).to_string();
    // It has the names of the unions inside it, which have those of the unions inside them.
    if let Some((end, _)) = name_of_union.char_indices().nth(MAX_NAME) {
        name_of_union.truncate(end);
        name_of_union.push('…');
    }
    Ok(Type::new(Kind::Discriminated(DiscriminatedType {
        name: name_of_union.into(),
        discriminator: name.clone(),
        members: by_value,
    })))
}

fn with_name(ty: Type, name: Option<String>) -> Type {
    match name {
        Some(name) => ty.called(name),
        None => ty,
    }
}

/// The text of a node with what its last token keeps behind itself, comments included.
fn text_with_trivia(node: Node<'_>) -> String {
    let kept = node.last_token().into_iter().flat_map(Token::trailing_trivia);
    node.text().to_owned() + &kept.map(Token::text).collect::<String>()
}

/// The declaration whose decorators are about a union: nothing but parentheses and the like may be between.
fn decorated_holder(union: Node<'_>) -> Option<Node<'_>> {
    let through = |kind| {
        matches!(
            kind,
            SyntaxKind::ParenType
                | SyntaxKind::UnionType
                | SyntaxKind::UnionTypeMember
                | SyntaxKind::NullableType
                | SyntaxKind::NonNullableType
        )
    };
    let holder = union.ancestors().find(|node| !through(node.kind()))?;
    matches!(
        holder.kind(),
        SyntaxKind::Param
            | SyntaxKind::Output
            | SyntaxKind::Var
            | SyntaxKind::TypeDeclaration
            | SyntaxKind::ObjectTypeProperty
            | SyntaxKind::ObjectTypeAdditional
            | SyntaxKind::TupleTypeItem
    )
    .then_some(holder)
}

/// Whether something is read from a named type inside of a part of a declaration: a property, an item or a member.
fn is_looked_into_from_part(name: Node<'_>) -> bool {
    let is_access = |kind| {
        matches!(
            kind,
            SyntaxKind::TypePropertyAccess
                | SyntaxKind::TypeIndex
                | SyntaxKind::TypeItemsAccess
                | SyntaxKind::TypeAdditionalAccess
        )
    };
    let is_part = |kind| {
        matches!(
            kind,
            SyntaxKind::ObjectTypeProperty
                | SyntaxKind::ObjectTypeAdditional
                | SyntaxKind::TupleTypeItem
                | SyntaxKind::ArrayTypeMember
                | SyntaxKind::UnionTypeMember
        )
    };
    name.parent().is_some_and(|parent| is_access(parent.kind()))
        && name.ancestors().any(|outer| is_part(outer.kind()))
}

fn is_item_of_array(union: Node<'_>) -> bool {
    let mut around = union
        .ancestors()
        .skip_while(|node| matches!(node.kind(), SyntaxKind::ParenType | SyntaxKind::ArrayTypeMember));
    around.next().is_some_and(|node| node.kind() == SyntaxKind::ArrayType)
}

/// The primitive that a member of a union is a value of.
fn general_type(ty: &Type) -> Option<Type> {
    match ty.kind() {
        Kind::StringLiteral(_) | Kind::String(_) => Some(Type::string()),
        Kind::IntLiteral(_) | Kind::Int(_) => Some(Type::int()),
        Kind::BoolLiteral(_) | Kind::Bool => Some(Type::bool()),
        Kind::Object(_) => Some(Type::object()),
        Kind::Tuple(_) => Some(Type::array()),
        Kind::Null => Some(Type::null()),
        _ => None,
    }
}

fn is_declarable(ty: &Type) -> bool {
    [Type::string(), Type::object(), Type::int(), Type::bool(), Type::array(), Type::any()].contains(ty)
}

fn chevron_range(node: Node<'_>) -> base::TextRange {
    let open = node.token(SyntaxKind::Less).map(Token::range);
    let close = node.token(SyntaxKind::Greater).map(Token::range);
    match (open, close) {
        (Some(open), Some(close)) => open.cover(close),
        _ => node.range(),
    }
}
