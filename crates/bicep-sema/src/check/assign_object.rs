//! Assignability of objects to object types: missing, unknown, read-only and doubtful properties, and the choice between
//! alternatives that a property tells apart.

use std::borrow::Cow;
use std::cell::OnceCell;

use base::SmolStr;
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Element, Node, SyntaxKind};
use bicep_types::ty::{
    DiscriminatedType, IntRange, Kind, LengthRange, ObjectType, Property, PropertyFlags, StringShape, Type,
    assignable, remove_flags,
};
use rustc_hash::FxHashMap;

use super::assign::{Expected, Mismatch, Narrower, Rules};
use super::constant::require_constant;
use crate::messages::types::{self as messages, PropertyMismatch};

/// So many unknown properties of an object are compared with all that it may have.
const MAX_SUGGESTIONS: usize = 100;

impl<'a> Narrower<'_, 'a> {
    pub(super) fn object(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        Expected { shape: want, ty: target }: Expected<'_, &ObjectType>,
    ) -> Option<Type> {
        if let Some(value) = self.variable_value(node) {
            let rules = Rules { origin: Some(node), ..*rules };
            return self.object(&rules, value, actual, Expected { shape: want, ty: target });
        }
        if self.checker.has_syntax_error(node.range()) {
            return Some(target.clone());
        }
        let Kind::Object(have) = actual.kind() else { return None };
        let syntax = ast::Object::cast(node);
        let (written, by_name) = (OnceCell::new(), OnceCell::new());
        let object = Literal { rules, node, syntax, written, by_name, have, want, target };
        self.missing_properties(&object);
        // In the order of the declaration. A published type has many properties, of which few are given.
        let declared = |(position, (name, given))| {
            let (at, name, declared) = want.properties.get_full::<SmolStr>(name)?;
            Some((at, GivenProperty { name, declared, given, position }))
        };
        let mut known: Vec<(usize, GivenProperty<'_>)> =
            have.properties.iter().enumerate().filter_map(declared).collect();
        known.sort_unstable_by_key(|(at, _)| *at);
        let has_extra = known.len() < have.properties.len();
        let mut narrowed = Vec::new();
        for (at, property) in known {
            let ty = self.declared_property(&object, property);
            narrowed.extend(rules.keeps_type.then_some((at, ty)));
        }
        if has_extra {
            self.extra_properties(&object);
        }
        self.computed_keys(&object);
        let (target, is_resource) = (target.clone(), rules.is_resource);
        if !rules.keeps_type {
            return Some(target);
        }
        // Few look into the type of a resource, and fewer into that of its parts.
        Some(Type::defer(move || with_narrowed(&target, &narrowed, is_resource)))
    }

    fn missing_properties(&mut self, object: &Literal<'_, 'a>) {
        let Literal { rules, have, want, target, .. } = object;
        if have.additional.is_some() {
            return;
        }
        let mut missing: Vec<(&SmolStr, PropertyFlags)> = want
            .properties
            .iter()
            .filter(|(name, property)| {
                property.flags.contains(PropertyFlags::REQUIRED)
                    && !property.flags.contains(PropertyFlags::READ_ONLY)
                    && !have.properties.contains_key(*name)
                    && !assignable(&Type::null(), &property.ty)
            })
            .map(|(name, property)| (name, property.flags))
            .collect();
        if missing.is_empty() {
            return;
        }
        missing.sort_unstable_by_key(|(name, _)| *name);
        let no_system = missing.iter().all(|(_, flags)| !flags.contains(PropertyFlags::SYSTEM));
        let is_warning = (rules.is_resource && no_system) || target.warns_on_property_mismatch();
        let range = rules.origin.map_or_else(|| missing_range(object.node), Node::range);
        let names: Vec<SmolStr> = missing.into_iter().map(|(name, _)| name.clone()).collect();
        let source = self.source(rules);
        let mut diagnostic = messages::missing_properties(range, is_warning, &names, source);
        // A literal that is written elsewhere may be used for other things, too.
        if let Some(literal) = object.syntax.filter(|_| rules.origin.is_none()) {
            diagnostic = diagnostic.with_fix(
                "Add required properties",
                literal.range(),
                with_properties(literal, &names),
            );
        }
        self.sink.push(diagnostic);
    }

    fn declared_property(&mut self, object: &Literal<'_, 'a>, property: GivenProperty<'_>) -> Type {
        let GivenProperty { name, declared, given, position } = property;
        let rules = object.rules;
        let syntax = object.property(name, position);
        let value = syntax.map_or(object.node, |property| property.value().syntax());
        let key_range =
            rules.origin.or_else(|| syntax.map(ast::Property::key)).unwrap_or(object.node).range();
        let mut skip_constants = rules.skip_constants;
        if !skip_constants && declared.flags.contains(PropertyFlags::CONSTANT) {
            require_constant(value, &mut self.sink);
            skip_constants = true;
        }
        let is_inaccurate = rules.is_resource && !declared.flags.contains(PropertyFlags::SYSTEM);
        if declared.flags.contains(PropertyFlags::READ_ONLY) {
            if is_existing_body(object.node) {
                self.sink.push(messages::not_in_existing(key_range, name));
            } else if !given.flags.contains(PropertyFlags::READ_ONLY) {
                let is_warning = is_inaccurate || object.target.warns_on_property_mismatch();
                self.sink.push(messages::read_only(key_range, is_warning, name));
            }
            return declared.ty.clone();
        }
        if declared.flags.contains(PropertyFlags::FALLBACK) {
            self.sink.push(messages::doubtful_property(key_range, false, name));
        }
        let mismatch = Mismatch::Property {
            name,
            is_warning: is_inaccurate || declared.ty.warns_on_mismatch(),
            origin: rules.origin,
        };
        let rules = Rules {
            skip_constants,
            skip_errors: true,
            disallow_any: declared.flags.contains(PropertyFlags::DISALLOW_ANY),
            mismatch,
            level: self.level(),
            ..*rules
        };
        self.property_type(&rules, value, given, declared)
    }

    fn property_type(
        &mut self,
        rules: &Rules<'_, 'a>,
        value: Node<'a>,
        given: &Property,
        declared: &Property,
    ) -> Type {
        let is_required = declared.flags.contains(PropertyFlags::REQUIRED)
            || !declared.flags.contains(PropertyFlags::ALLOW_IMPLICIT_NULL);
        let is_discarded = !rules.keeps_type || rules.is_resource && !is_required;
        if is_discarded && plainly_fits(&given.ty, &declared.ty) {
            return declared.ty.clone();
        }
        let key = (value.id(), given.ty.identity(), declared.ty.identity());
        let is_known = self.compared.insert(key, (given.ty.clone(), declared.ty.clone())).is_some();
        // All errors are one type, but each is reported.
        if is_known && !given.ty.is_error() {
            return declared.ty.clone();
        }
        if is_required {
            return self.narrow(rules, value, &given.ty, &declared.ty);
        }
        if rules.is_resource
            && is_never_null(&given.ty)
            && is_simple(&declared.ty)
            && assignable(&given.ty, &declared.ty)
            && self.variable_value(value).is_none()
        {
            // That it may be null, too, makes no difference to this value.
            self.narrow(&Rules { keeps_type: false, ..*rules }, value, &given.ty, &declared.ty);
            return declared.ty.clone();
        }
        // Null counts as not given.
        let expected = self.checker.nullable(&declared.ty);
        self.narrow(rules, value, &given.ty, &expected).remove_null()
    }

    fn extra_properties(&mut self, object: &Literal<'_, 'a>) {
        let Literal { want, have, syntax, .. } = object;
        let is_doubtful = |property: &Property| property.flags.contains(PropertyFlags::FALLBACK);
        let additional = want.additional.as_deref();
        let of = |(position, (name, given))| ExtraProperty { name, given, position };
        let is_extra = |it: &ExtraProperty<'_>| !want.properties.contains_key(it.name);
        let extra: Vec<ExtraProperty<'_>> =
            have.properties.iter().enumerate().map(of).filter(is_extra).collect();
        match additional.filter(|it| syntax.is_none() || !is_doubtful(it)) {
            None => self.report_extra(object, &extra, additional.is_some()),
            Some(additional) => {
                for property in extra {
                    self.additional_property(object, additional, property);
                }
            }
        }
    }

    fn report_extra(&mut self, object: &Literal<'_, 'a>, extra: &[ExtraProperty<'_>], is_doubtful: bool) {
        let Literal { rules, node, have, want, target, .. } = object;
        let is_warning = is_doubtful || target.warns_on_property_mismatch();
        let unusable = PropertyFlags::READ_ONLY | PropertyFlags::FALLBACK;
        let mut free: Vec<&SmolStr> = want
            .properties
            .iter()
            .filter(|(name, it)| !it.flags.intersects(unusable) && !have.properties.contains_key(*name))
            .map(|(name, _)| name)
            .collect();
        free.sort_unstable();
        let source = self.source(rules);
        for (index, ExtraProperty { name, position, .. }) in extra.iter().enumerate() {
            let key = object.property(name, *position).map(ast::Property::key);
            let range = rules.origin.or(key).unwrap_or(*node).range();
            let candidates: &[&SmolStr] = if index < MAX_SUGGESTIONS { &free } else { &[] };
            let suggestion = base::spelling::suggest(name, candidates.iter().map(|it| it.as_str()));
            self.sink.push(match suggestion.filter(|_| source.is_none()) {
                Some(other) => messages::property_suggestion(range, is_warning, name, target, other),
                None => messages::property_not_allowed(range, is_warning, name, target, &free),
            });
        }
    }

    /// Reports properties with computed names where the type does not take any name.
    fn computed_keys(&mut self, object: &Literal<'_, 'a>) {
        let Literal { syntax: Some(syntax), have, want, target, .. } = object else { return };
        if have.additional.is_none() {
            return;
        }
        let is_doubtful = match &want.additional {
            None => false,
            Some(additional) if additional.flags.contains(PropertyFlags::FALLBACK) => true,
            Some(_) => return,
        };
        let is_warning = is_doubtful || target.warns_on_property_mismatch();
        for property in syntax.properties().filter(|property| property.key_text().is_none()) {
            let range = property.key().range();
            self.sink.push(messages::computed_key_not_allowed(range, is_warning, target));
        }
    }

    fn additional_property(
        &mut self,
        object: &Literal<'_, 'a>,
        additional: &Property,
        property: ExtraProperty<'_>,
    ) {
        let ExtraProperty { name, given, position } = property;
        let rules = object.rules;
        let value = object.property(name, position).map_or(object.node, |property| property.value().syntax());
        let mut skip_constants = rules.skip_constants;
        if !skip_constants && additional.flags.contains(PropertyFlags::CONSTANT) {
            require_constant(value, &mut self.sink);
            skip_constants = true;
        }
        let mismatch =
            Mismatch::Property { name, is_warning: additional.ty.warns_on_mismatch(), origin: rules.origin };
        let rules = Rules {
            skip_constants,
            skip_errors: true,
            disallow_any: additional.flags.contains(PropertyFlags::DISALLOW_ANY),
            mismatch,
            level: self.level(),
            ..*rules
        };
        self.property_type(&rules, value, given, additional);
    }

    pub(super) fn tagged(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        actual: &Type,
        Expected { shape: want, ty: target }: Expected<'_, &DiscriminatedType>,
    ) -> Option<Type> {
        if self.checker.has_syntax_error(node.range()) {
            return Some(Type::any());
        }
        let Kind::Object(have) = actual.kind() else { return None };
        let syntax = ast::Object::cast(node);
        let Some(given) = have.properties.get(&want.discriminator) else {
            self.missing_discriminator(rules, node, have, Expected { shape: want, ty: target });
            return Some(Type::any());
        };
        let value = syntax.and_then(|object| object.property(&want.discriminator));
        let range =
            rules.origin.or_else(|| value.map(|property| property.value().syntax())).unwrap_or(node).range();
        let expected = want.discriminator_type();
        let source = self.source(rules);
        let at = |is_warning| PropertyMismatch {
            range,
            is_warning,
            name: &want.discriminator,
            expected: &expected,
            actual: &given.ty,
        };
        match given.ty.kind() {
            Kind::Any => {}
            Kind::StringLiteral(value) => {
                if let Some(member) = want.members.get(value) {
                    let Kind::Object(object) = member.kind() else { return Some(Type::any()) };
                    return self.object(rules, node, actual, Expected { shape: object, ty: member });
                }
                let is_warning = rules.is_resource || target.warns_on_property_mismatch();
                let mut candidates: Vec<String> =
                    expected.members().iter().map(ToString::to_string).collect();
                candidates.sort_unstable();
                let other = base::spelling::suggest(&given.ty.to_string(), candidates);
                self.sink.push(match other.filter(|_| source.is_none()) {
                    Some(other) => messages::value_suggestion(at(is_warning), &other),
                    None => messages::property_mismatch(at(is_warning), source),
                });
            }
            _ if assignable(&given.ty, &expected) => {
                self.sink.push(messages::unknown_discriminator(range, &want.discriminator));
            }
            _ => {
                let is_system = want.discriminator_property().flags.contains(PropertyFlags::SYSTEM);
                let is_warning = (rules.is_resource && !is_system) || target.warns_on_property_mismatch();
                self.sink.push(messages::property_mismatch(at(is_warning), source));
            }
        }
        Some(Type::any())
    }

    fn missing_discriminator(
        &mut self,
        rules: &Rules<'_, 'a>,
        node: Node<'a>,
        have: &ObjectType,
        Expected { shape: want, ty: target }: Expected<'_, &DiscriminatedType>,
    ) {
        if have.has_explicit_additional() {
            return;
        }
        let may_have = have.additional.as_ref().is_some_and(|it| assignable(&it.ty, &Type::string()));
        let warns = target.warns_on_property_mismatch();
        let values = want.discriminator_type();
        let range = rules.origin.unwrap_or(node).range();
        let name = &want.discriminator;
        self.sink.push(messages::missing_discriminator(range, may_have || warns, name, &values));
        let names = have.properties.keys().map(SmolStr::as_str);
        if let Some(misspelt) = base::spelling::suggest(name, names) {
            let key =
                ast::Object::cast(node).and_then(|object| object.property(misspelt)).map(ast::Property::key);
            let range = rules.origin.or(key).unwrap_or(node).range();
            self.sink.push(messages::property_suggestion(range, warns, misspelt, &values, name));
        }
    }
}

/// An object type in which some properties, by position, have these types. The body of a resource can be read as a whole.
fn with_narrowed(target: &Type, narrowed: &[(usize, Type)], is_resource: bool) -> Type {
    let Kind::Object(object) = target.kind() else { return target.clone() };
    let mut properties = object.properties.clone();
    for (at, ty) in narrowed {
        if let Some((_, property)) = properties.get_index_mut(*at) {
            property.ty = ty.clone();
        }
    }
    if is_resource {
        remove_flags(&mut properties, PropertyFlags::READ_ONLY);
    }
    Type::with(Kind::Object(object.with_properties(properties)), target.flags())
}

/// Whether a primitive fits so that there is nothing to report, with `null` among what is expected or not. Most properties of most
/// resources are such, and most arguments.
pub(super) fn plainly_fits(given: &Type, expected: &Type) -> bool {
    let is_text = |ty: &Type| match ty.kind() {
        Kind::String(shape) => *shape == StringShape::default(),
        Kind::StringLiteral(_) => true,
        _ => false,
    };
    let is_plain = match expected.kind() {
        Kind::String(_) => is_text(given) && is_text(expected),
        Kind::Union(members) => is_text(given) && members.iter().all(is_text),
        Kind::Int(range) => {
            *range == IntRange::default() && matches!(given.kind(), Kind::Int(_) | Kind::IntLiteral(_))
        }
        Kind::Bool => matches!(given.kind(), Kind::Bool | Kind::BoolLiteral(_)),
        _ => false,
    };
    is_plain && assignable(given, expected)
}

/// Whether no value of a type is null, as far as that is seen without a look at several alternatives.
fn is_never_null(ty: &Type) -> bool {
    use Kind::{Array, Bool, BoolLiteral, Int, IntLiteral, Object, String, StringLiteral, Tuple};
    matches!(
        ty.kind(),
        String(_)
            | StringLiteral(_)
            | Int(_)
            | IntLiteral(_)
            | Bool
            | BoolLiteral(_)
            | Array(_)
            | Tuple(_)
            | Object(_)
    )
}

/// Whether the union of a type and null stays what it is when it is simplified.
fn is_simple(ty: &Type) -> bool {
    match ty.kind() {
        Kind::String(shape) => *shape == StringShape::default(),
        Kind::Int(range) => *range == IntRange::default(),
        Kind::Bool => true,
        Kind::Array(array) => array.length == LengthRange::default(),
        Kind::Object(object) => object.scope.is_none(),
        _ => false,
    }
}

/// An object that is checked against an object type.
struct Literal<'n, 'a> {
    rules: &'n Rules<'n, 'a>,
    node: Node<'a>,
    /// Where it is written, if the node is an object and not something that gives one.
    syntax: Option<ast::Object<'a>>,
    /// The properties that are written in it; found when first asked for.
    written: OnceCell<Vec<ast::Property<'a>>>,
    /// The same by name.
    by_name: OnceCell<FxHashMap<Cow<'a, str>, ast::Property<'a>>>,
    have: &'n ObjectType,
    want: &'n ObjectType,
    target: &'n Type,
}

impl<'a> Literal<'_, 'a> {
    /// Where the property of this name is written. Unless something is spread before it, it is as far from the start as in the type.
    fn property(&self, name: &str, position: usize) -> Option<ast::Property<'a>> {
        let syntax = self.syntax?;
        let written = self.written.get_or_init(|| syntax.properties().collect());
        if let Some(property) = written.get(position).filter(|property| property.is_named(name)) {
            return Some(*property);
        }
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name = FxHashMap::default();
            for property in written {
                property.key_text().map(|key| by_name.entry(key).or_insert(*property));
            }
            by_name
        });
        by_name.get(name).copied()
    }
}

/// A property that is given and declared.
#[derive(Clone, Copy)]
struct GivenProperty<'t> {
    name: &'t SmolStr,
    declared: &'t Property,
    given: &'t Property,
    /// Among those that are given.
    position: usize,
}

/// A property that is given but not declared.
#[derive(Clone, Copy)]
struct ExtraProperty<'t> {
    name: &'t SmolStr,
    given: &'t Property,
    /// Among those that are given.
    position: usize,
}

/// The text of an object literal with more properties behind the others, still without values. They are separated as the last
/// two things in it are; an object without anything in it is written over several lines.
fn with_properties(object: ast::Object<'_>, names: &[SmolStr]) -> String {
    let text = object.syntax().text();
    let elements: Vec<Element<'_>> = object.syntax().elements().collect();
    let inside = elements.get(1..elements.len().saturating_sub(1)).unwrap_or_default();
    let (separator, at) = match inside.last() {
        Some(Element::Token(token)) if token.kind() == SyntaxKind::NewLine => {
            (format!("\n{}", body_indentation(inside)), Element::Token(*token).range_with_trivia().start())
        }
        Some(Element::Token(token)) => (", ".to_owned(), Element::Token(*token).range_with_trivia().start()),
        Some(node) => (", ".to_owned(), node.range_with_trivia().end()),
        None => return with_first_properties(object, names),
    };
    let written = |name: &SmolStr| format!("{separator}{}:", bicep_types::ty::escape_property_name(name));
    let added: String = names.iter().map(written).collect();
    let (before, behind) = text.split_at(usize::from(at - object.range().start()).min(text.len()));
    format!("{}{added}{}", one_line_start(before), one_line_end(behind))
}

/// What stands behind the start of an object, without blank lines.
fn one_line_start(start: &str) -> Cow<'_, str> {
    let rest = start.strip_prefix('{').unwrap_or(start).trim_start();
    let Some((blank, _)) = start.split_at_checked(start.len() - rest.len()) else { return start.into() };
    match (blank.split_once('\n'), blank.rsplit_once('\n')) {
        (Some((first, _)), Some((others, last))) if others.contains('\n') => {
            Cow::Owned(format!("{first}\n{last}{rest}"))
        }
        _ => Cow::Borrowed(start),
    }
}

/// The indentation of what stands in an object of several lines.
fn body_indentation(inside: &[Element<'_>]) -> String {
    let indentation = |element: &Element<'_>| {
        let token = element.token().filter(|it| it.kind() == SyntaxKind::NewLine)?;
        let mut trivia = token.trailing_trivia();
        trivia.next().filter(|_| trivia.next().is_none()).map(|it| it.text().to_owned())
    };
    let Some((last, others)) = inside.split_last() else { return String::new() };
    let usual = || format!("{}  ", indentation(last).unwrap_or_default());
    others.iter().find_map(indentation).unwrap_or_else(usual)
}

/// What stands before the end of an object, without blank lines.
fn one_line_end(end: &str) -> Cow<'_, str> {
    let blank = end.trim_end_matches('}').trim().is_empty() && end.matches('\n').count() > 1;
    match end.rsplit_once('\n') {
        Some((_, last_line)) if blank => Cow::Owned(format!("\n{last_line}")),
        _ => Cow::Borrowed(end),
    }
}

fn with_first_properties(object: ast::Object<'_>, names: &[SmolStr]) -> String {
    let before = object.syntax().tree().text().get(..usize::from(object.range().start())).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let written = |name: &SmolStr| format!("\n{indent}  {}:", bicep_types::ty::escape_property_name(name));
    let added: String = names.iter().map(written).collect();
    format!("{{{added}\n{indent}}}")
}

/// Where missing properties are reported: at the name of what the object belongs to.
fn missing_range(node: Node<'_>) -> base::TextRange {
    let mut inner = node;
    while let Some(parent) = inner.parent() {
        match parent.kind() {
            SyntaxKind::Property => {
                return ast::Property::cast(parent).map_or(node.range(), |property| property.key().range());
            }
            SyntaxKind::If | SyntaxKind::For => inner = parent,
            _ => {
                let name = ast::Statement::cast(parent).and_then(ast::Statement::name);
                return name.map_or(node.range(), ast::Name::range);
            }
        }
    }
    node.range()
}

/// Whether an object is the body of a resource that is only referred to.
fn is_existing_body(node: Node<'_>) -> bool {
    let parent = match node.parent() {
        Some(parent) if matches!(Expr::of(parent), Expr::If(_)) => parent.parent(),
        parent => parent,
    };
    parent.and_then(ast::Resource::cast).is_some_and(|resource| resource.existing().is_some())
}
