//! What built-in functions give, where that depends on the arguments.

use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{
    Kind, LengthRange, ObjectType, Overload, Property, PropertyFlags, StringShape, Type, TypeFlags, collapse,
    collapse_or_union, union,
};

use super::Checker;
use super::call::CallSite;
use super::expression::utf16_len;
use super::fold::{self, Folded, text_lengths};
use super::lambda::readable_parts;
use crate::messages::functions as messages;
use crate::namespace::sys::{self, ResultType};
use crate::namespace::{deployment, items};

impl<'a> Checker<'a> {
    pub(super) fn call_result(
        &mut self,
        site: CallSite<'a>,
        overload: &Overload,
        extension: &str,
        arguments: &[Type],
    ) -> Type {
        match extension {
            "sys" => self.system_result(site, overload, arguments),
            "az" => self.azure_result(site, overload),
            "this" => self.this_result(site, overload),
            _ => self.report_mistakes_of(&overload.result),
        }
    }

    fn azure_result(&mut self, site: CallSite<'a>, overload: &Overload) -> Type {
        match site.name {
            "providers" => {
                self.report(messages::deprecated(site.name_range, site.name));
                overload.result.clone()
            }
            "deployment" => {
                let metadata = self.metadata_types();
                deployment(metadata, self.bound.target)
            }
            _ => overload.result.clone(),
        }
    }

    fn this_result(&mut self, site: CallSite<'a>, overload: &Overload) -> Type {
        if site.name != "existingResource" {
            return overload.result.clone();
        }
        let resource = site.node.ancestors().find_map(ast::Resource::cast);
        let declared = resource.map(|resource| self.declared_type_of(resource.syntax()));
        let body = declared.as_ref().and_then(|ty| match ty.kind() {
            Kind::Resource(resource) => Some(resource.body.clone()),
            _ => None,
        });
        body.unwrap_or_else(Type::object).make_nullable()
    }

    fn system_result(&mut self, site: CallSite<'a>, overload: &Overload, arguments: &[Type]) -> Type {
        let Some(function) = sys::function(overload) else { return overload.result.clone() };
        if function.folds {
            match fold::call(site.name, arguments, &mut self.allowance) {
                Folded::Literal(ty) => return ty,
                Folded::Failed(reason) => {
                    self.report(messages::would_fail(site.arguments_range(), site.name, &reason));
                }
                Folded::Unknown => {}
            }
        }
        match function.result {
            ResultType::Typed(rule) => rule(arguments).unwrap_or_else(|| overload.result.clone()),
            ResultType::Checked(rule) if !arguments.is_empty() => rule(self, site, arguments),
            ResultType::Declared | ResultType::Checked(_) => overload.result.clone(),
        }
    }

    pub(crate) fn json_result(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        let Some(text) = arguments.first().and_then(Type::as_string_literal) else { return Type::any() };
        match super::load::json_value(text) {
            Some(value) => json_type(&value),
            None => {
                let range = site.argument(0).map_or(site.arguments_range(), |it| it.value().range());
                self.fail(messages::invalid_json(range))
            }
        }
    }

    pub(crate) fn name_of(&mut self, site: CallSite<'a>) -> Type {
        let Some(argument) = site.argument(0) else { return Type::error() };
        let name = match argument.value() {
            Expr::VarAccess(access) => access.name().and_then(ast::Name::text).map(str::to_owned),
            Expr::PropertyAccess(access) => access.name().and_then(ast::Name::text).map(str::to_owned),
            Expr::ResourceAccess(access) => access.name().and_then(ast::Name::text).map(str::to_owned),
            Expr::Index(access) => match access.index() {
                Expr::Str(text) => text.value(),
                _ => None,
            },
            _ => None,
        };
        match name {
            Some(name) => {
                self.constants.insert(site.node.id(), serde_json::Value::from(name.as_str()));
                Type::string_literal(name)
            }
            None => self.fail(messages::no_name(argument.range())),
        }
    }

    pub(crate) fn flatten(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        let Some(ty) = arguments.first() else { return Type::array() };
        flattened(ty).unwrap_or_else(|part| {
            let range = site.argument(0).map_or(site.arguments_range(), ast::Argument::range);
            self.fail(crate::messages::types::cannot_flatten(range, ty, &part))
        })
    }
}

/// The type of a JSON value that the compiler knows.
pub(super) fn json_type(value: &serde_json::Value) -> Type {
    use serde_json::Value;
    match value {
        Value::Null => Type::null(),
        Value::Bool(value) => Type::bool_literal(*value),
        Value::Number(number) => number.as_i64().map_or_else(Type::any, Type::int_literal),
        Value::String(text) => Type::string_literal(text.as_str()),
        Value::Array(items) => Type::array_of(union(items.iter().map(json_type))),
        Value::Object(members) => {
            let flags = PropertyFlags::READ_ONLY | PropertyFlags::READABLE_AT_DEPLOY_TIME;
            let object = members.iter().fold(ObjectType::named("object"), |object, (name, value)| {
                object.with_property(name.as_str(), json_type(value), flags)
            });
            object.into()
        }
    }
}

pub(crate) fn dictionary(value: Type) -> Type {
    ObjectType::named("object").with_additional(Property::new(value, PropertyFlags::empty())).into()
}

pub(crate) fn lambda_result(ty: Option<&Type>) -> Option<Type> {
    match ty?.kind() {
        Kind::Lambda(lambda) => Some(lambda.result.clone()),
        _ => None,
    }
}

/// Of `toLower` and `toUpper`: the length and what else is known of the text stay.
pub(crate) fn other_case(arguments: &[Type]) -> Option<Type> {
    arguments.first().filter(|ty| matches!(ty.kind(), Kind::String(_))).cloned()
}

pub(crate) fn trim(arguments: &[Type]) -> Option<Type> {
    let text = arguments.first()?;
    Some(match text.kind() {
        Kind::String(shape) => string_between(None, shape.max_length, text.flags()),
        _ => Type::string(),
    })
}

pub(crate) fn split() -> Type {
    let length = LengthRange { min: Some(1), max: None };
    Type::array_between(Type::string(), length, TypeFlags::empty())
}

/// Of `first` and `last` with a text.
pub(crate) fn end_character(arguments: &[Type]) -> Option<Type> {
    let text = arguments.first()?;
    let min = match text.kind() {
        Kind::String(shape) => shape.min_length.map(|min| min.min(1)),
        _ => None,
    };
    Some(string_between(min, Some(1), text.flags()))
}

pub(crate) fn object_keys(arguments: &[Type]) -> Option<Type> {
    let ty = arguments.first()?;
    Some(match ty.as_object() {
        Some(object) => Type::array_of(union(readable_parts(object).0)).with_flags(ty.flags()),
        None => Type::string_array().with_flags(ty.flags()),
    })
}

pub(crate) fn filter(arguments: &[Type]) -> Option<Type> {
    let array = arguments.first()?;
    let Some(item) = array.item() else { return Some(array.clone()) };
    let length = LengthRange { min: None, max: length_of(array).max };
    Some(array_of_items(item, length, array.flags()))
}

/// An array of the items of another one. One that has none is called by what its items would be.
fn array_of_items(item: &Type, length: LengthRange, flags: TypeFlags) -> Type {
    let ty = Type::array_between(item.clone(), length, flags);
    if length.max == Some(0) { ty.called(format!("{item}[]")) } else { ty }
}

pub(crate) fn sort(arguments: &[Type]) -> Option<Type> {
    let array = arguments.first()?;
    Some(match array.kind() {
        Kind::Tuple(tuple) => array_of_items(tuple.item(), length_of(array), array.flags()),
        _ => array.clone(),
    })
}

pub(crate) fn to_object(arguments: &[Type]) -> Option<Type> {
    Some(match (arguments.get(2), arguments.first()?.item()) {
        (None, Some(item)) => dictionary(item.clone()),
        (value, _) => lambda_result(value).map_or_else(Type::object, dictionary),
    })
}

pub(crate) fn group_by(arguments: &[Type]) -> Option<Type> {
    Some(match (arguments.get(2), arguments.first()?.item()) {
        (None, Some(item)) => dictionary(Type::array_of(item.clone())),
        (value, _) => lambda_result(value).map_or_else(Type::object, |ty| dictionary(Type::array_of(ty))),
    })
}

fn string_between(min_length: Option<i64>, max_length: Option<i64>, flags: TypeFlags) -> Type {
    Type::string_shaped(StringShape { min_length, max_length, pattern: None }, flags)
}

/// The bounds of an integer.
fn bounds(ty: &Type) -> (Option<i64>, Option<i64>) {
    match ty.kind() {
        Kind::IntLiteral(value) => (Some(*value), Some(*value)),
        Kind::Int(range) => (range.min, range.max),
        _ => (None, None),
    }
}

fn wide_bounds(ty: Option<&Type>) -> (i64, i64) {
    let (min, max) = ty.map(bounds).unwrap_or_default();
    (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX))
}

fn length_of(ty: &Type) -> LengthRange {
    match ty.kind() {
        Kind::Array(array) => array.length,
        Kind::Tuple(tuple) => {
            let length = i64::try_from(tuple.items.len()).ok();
            LengthRange { min: length, max: length }
        }
        _ => LengthRange::default(),
    }
}

/// Of longer tuples only the length and what can be in them is known.
const LONGEST: usize = 10_000;

pub(crate) fn concat(arguments: &[Type]) -> Type {
    let tuples: Option<Vec<&[Type]>> = arguments
        .iter()
        .map(|ty| match ty.kind() {
            Kind::Tuple(tuple) => Some(tuple.items.as_slice()),
            _ => None,
        })
        .collect();
    if let Some(tuples) = tuples.filter(|tuples| tuples.iter().map(|it| it.len()).sum::<usize>() <= LONGEST) {
        return Type::tuple(tuples.concat());
    }
    let Some(items) = arguments.iter().map(|ty| ty.item().cloned()).collect::<Option<Vec<_>>>() else {
        return Type::array();
    };
    let lengths: Vec<LengthRange> = arguments.iter().map(length_of).collect();
    let min: i64 = lengths.iter().fold(0, |sum, length| sum.saturating_add(length.min.unwrap_or(0)));
    let max = lengths.iter().try_fold(0_i64, |sum, length| Some(sum.saturating_add(length.max?)));
    Type::array_between(union(items), LengthRange { min: (min > 0).then_some(min), max }, TypeFlags::empty())
}

pub(crate) fn pad_left(text: &Type, length: Option<&Type>) -> Type {
    let (min, max) = text_lengths(text);
    match length.map(Type::kind) {
        Some(Kind::IntLiteral(length)) => {
            string_between(Some(min.max(*length)), max.map(|max| max.max(*length)), text.flags())
        }
        _ => string_between(Some(min), None, text.flags()),
    }
}

pub(crate) fn length(ty: &Type) -> Type {
    let object = |object: &ObjectType| {
        let required = object.properties.values().filter(|it| it.is_required()).count();
        let max = object.additional.is_none().then_some(object.properties.len());
        (i64::try_from(required).unwrap_or(i64::MAX), max.and_then(|max| i64::try_from(max).ok()))
    };
    let between = |min, max| Type::int_between(LengthRange { min, max }, TypeFlags::empty());
    match ty.kind() {
        Kind::String(shape) => between(Some(shape.min_length.unwrap_or(0)), shape.max_length),
        Kind::Object(it) => {
            let (min, max) = object(it);
            between(Some(min), max)
        }
        Kind::Discriminated(it) => {
            let lengths: Vec<_> = it.objects().map(|(_, member)| object(member)).collect();
            let min = lengths.iter().map(|(min, _)| *min).min();
            let max = lengths.iter().try_fold(0, |longest: i64, (_, max)| Some(longest.max((*max)?)));
            between(min, max)
        }
        Kind::Tuple(tuple) => Type::int_literal(i64::try_from(tuple.items.len()).unwrap_or(i64::MAX)),
        Kind::Array(array) => between(Some(array.length.min.unwrap_or(0)), array.length.max),
        _ => Type::int(),
    }
}

pub(crate) fn join(items: &Type, delimiter: Option<&Type>) -> Type {
    let (gap_min, gap_max) = delimiter.map_or((0, None), text_lengths);
    let (min, max) = match items.kind() {
        Kind::Tuple(tuple) => {
            let gaps = i64::try_from(tuple.items.len().saturating_sub(1)).unwrap_or(i64::MAX);
            let sum = tuple.items.iter().map(text_lengths).fold((0_i64, Some(0_i64)), |sum, item| {
                (sum.0.saturating_add(item.0), sum.1.zip(item.1).map(|(a, b)| a.saturating_add(b)))
            });
            let max = sum.1.zip(gap_max).map(|(max, gap)| max.saturating_add(gaps.saturating_mul(gap)));
            (sum.0.saturating_add(gaps.saturating_mul(gap_min)), max)
        }
        Kind::Array(array) => {
            let (item_min, item_max) = text_lengths(&array.item);
            let few = array.length.min.unwrap_or(0);
            let min = few.saturating_mul(item_min).saturating_add((few - 1).max(0).saturating_mul(gap_min));
            let max = item_max.zip(gap_max).zip(array.length.max).map(|((item, gap), many)| {
                item.saturating_mul(many).saturating_add((many - 1).max(0).saturating_mul(gap))
            });
            (min, max)
        }
        _ => (0, None),
    };
    string_between((min > 0).then_some(min), max, TypeFlags::empty())
}

pub(crate) fn substring(arguments: &[Type]) -> Type {
    let Some(text) = arguments.first() else { return Type::string() };
    if let Some(length) = arguments.get(2)
        && matches!(length.kind(), Kind::IntLiteral(_) | Kind::Int(_))
    {
        let (min, max) = bounds(length);
        return string_between(min, max, text.flags());
    }
    let (min, max) = match text.kind() {
        Kind::StringLiteral(text) => (Some(utf16_len(text)), Some(utf16_len(text))),
        Kind::String(shape) => (shape.min_length, shape.max_length),
        _ => (None, None),
    };
    let (min, max) = match arguments.get(1).map(Type::kind) {
        Some(Kind::IntLiteral(start)) => (
            min.filter(|min| min >= start).map(|min| min - start),
            max.map(|max| if max >= *start { max - start } else { max }),
        ),
        Some(Kind::Int(start)) => (
            min.zip(start.max).map(|(min, start)| min.saturating_sub(start).max(0)),
            max.map(|max| start.min.map_or(max, |start| max.saturating_sub(start).max(0))),
        ),
        _ => (None, max),
    };
    string_between(min, max, text.flags())
}

fn clamp_length(length: i64) -> Option<i64> {
    (length != i64::MAX).then_some(length.max(0))
}

pub(crate) fn take_items(array: &Type, count: Option<&Type>) -> Type {
    let (min, max) = wide_bounds(count);
    if let Kind::Tuple(tuple) = array.kind()
        && min == max
    {
        let count = usize::try_from(min.max(0)).unwrap_or(usize::MAX);
        return Type::tuple_with(tuple.items.iter().take(count).cloned().collect(), array.flags());
    }
    let length = length_of(array);
    let item = array.item().cloned().unwrap_or_else(Type::any);
    let taken = LengthRange {
        min: length.min.filter(|_| min > 0).map(|length| length.min(min)),
        max: clamp_length(length.max.unwrap_or(i64::MAX).min(max)),
    };
    Type::array_between(item, taken, array.flags())
}

pub(crate) fn take_text(text: &Type, count: Option<&Type>) -> Type {
    let (min, max) = wide_bounds(count);
    let (shortest, longest) = text_lengths(text);
    let taken_min = (min > 0).then(|| shortest.min(min));
    string_between(taken_min, clamp_length(longest.unwrap_or(i64::MAX).min(max)), text.flags())
}

pub(crate) fn skip_items(array: &Type, count: Option<&Type>) -> Type {
    let (min, max) = wide_bounds(count);
    if max <= 0 {
        return array.clone();
    }
    if let Kind::Tuple(tuple) = array.kind()
        && min == max
    {
        let count = usize::try_from(min).unwrap_or(usize::MAX);
        return Type::tuple_with(tuple.items.iter().skip(count).cloned().collect(), array.flags());
    }
    let Some(item) = array.item() else { return Type::array() };
    let length = length_of(array);
    let left = LengthRange {
        min: Some(length.min.unwrap_or(0).saturating_sub(max)).filter(|min| *min > 0),
        max: length.max.map(|length| length.saturating_sub(min.max(0)).max(0)),
    };
    Type::array_between(item.clone(), left, array.flags())
}

pub(crate) fn skip_text(text: &Type, count: Option<&Type>) -> Type {
    let (min, max) = wide_bounds(count);
    if max <= 0 {
        return text.clone();
    }
    let (shortest, longest) = text_lengths(text);
    let left_min = Some(shortest.saturating_sub(max)).filter(|min| *min > 0);
    string_between(left_min, longest.map(|it| it.saturating_sub(min.max(0)).max(0)), text.flags())
}

pub(crate) fn end_item(array: &Type, is_first: bool) -> Type {
    match array.kind() {
        Kind::Tuple(tuple) => {
            let item = if is_first { tuple.items.first() } else { tuple.items.last() };
            item.cloned().unwrap_or_else(Type::null)
        }
        Kind::Array(it) if it.length.min.is_some_and(|min| min > 0) => it.item.clone(),
        Kind::Array(it) => union([Type::null(), it.item.clone()]),
        _ => Type::any(),
    }
}

/// The bounds of the smallest or the largest of some integers.
pub(crate) fn extreme(arguments: &[Type], is_max: bool) -> Type {
    let unpacked: Vec<Type> = match arguments {
        [only] => match only.kind() {
            Kind::Tuple(tuple) => tuple.items.clone(),
            Kind::Array(array) => {
                let is_int = matches!(array.item.kind(), Kind::Int(_) | Kind::IntLiteral(_));
                return if is_int { array.item.clone() } else { Type::int() };
            }
            _ => vec![only.clone()],
        },
        many => many.to_vec(),
    };
    let Some((first, rest)) = unpacked.split_first() else { return Type::int() };
    let combined = rest.iter().map(bounds).fold(bounds(first), |(min, max), (other_min, other_max)| {
        let either = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        let both =
            |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| a.zip(b).map(|(a, b)| pick(a, b));
        if is_max {
            (either(min, other_min, i64::max), both(max, other_max, i64::max))
        } else {
            (both(min, other_min, i64::min), either(max, other_max, i64::min))
        }
    });
    Type::int_between(LengthRange { min: combined.0, max: combined.1 }, TypeFlags::empty())
}

pub(crate) fn range(start: &Type, count: &Type) -> Type {
    let length = collapse(count).unwrap_or_else(|| count.clone());
    let (min, max) = bounds(&length);
    Type::array_between(range_item(start, count), LengthRange { min, max }, TypeFlags::empty())
}

fn range_item(start: &Type, count: &Type) -> Type {
    match (start.kind(), count.kind()) {
        (Kind::Union(members), _) => collapse_or_union(members.iter().map(|it| range_item(it, count))),
        (_, Kind::Union(members)) => collapse_or_union(members.iter().map(|it| range_item(start, it))),
        (Kind::IntLiteral(_) | Kind::Int(_), _) => {
            let (first, last_start) = bounds(start);
            let last = last_start
                .zip(bounds(count).1)
                .map(|(start, count)| start.saturating_add(count).saturating_sub(1));
            Type::int_between(LengthRange { min: first, max: last }, TypeFlags::empty())
        }
        _ => Type::int(),
    }
}

pub(crate) fn items_of(ty: &Type) -> Type {
    let Some(object) = ty.as_object() else { return items(Type::string(), Type::any()) };
    let (keys, values) = readable_parts(object);
    items(union(keys), collapse(&union(values)).unwrap_or_else(Type::any))
}

/// An array of arrays as one array; `Err` names the part that is no array.
fn flattened(ty: &Type) -> Result<Type, Type> {
    match ty.kind() {
        Kind::Any => Ok(Type::array()),
        Kind::Tuple(tuple) => {
            let inner: Option<Vec<&[Type]>> = tuple
                .items
                .iter()
                .map(|item| match item.kind() {
                    Kind::Tuple(tuple) => Some(tuple.items.as_slice()),
                    _ => None,
                })
                .collect();
            match inner.filter(|inner| inner.iter().map(|it| it.len()).sum::<usize>() <= LONGEST) {
                Some(inner) => Ok(Type::tuple(inner.concat())),
                None => flattened_items(tuple.item()),
            }
        }
        Kind::Array(array) => flattened_items(&array.item),
        Kind::Union(members) => {
            let parts = members.iter().map(flattened).collect::<Result<Vec<_>, _>>()?;
            let items = parts.iter().filter_map(Type::item).cloned();
            Ok(Type::array_of(union(items)))
        }
        _ => Err(ty.clone()),
    }
}

fn flattened_items(item: &Type) -> Result<Type, Type> {
    match item.kind() {
        Kind::Any => Ok(Type::array()),
        Kind::Tuple(tuple) => Ok(Type::array_of(tuple.item().clone()).with_flags(item.flags())),
        Kind::Array(_) => Ok(item.clone()),
        Kind::Union(members) => {
            let mut items = Vec::new();
            for member in members {
                items.push(member.item().ok_or_else(|| member.clone())?.clone());
            }
            Ok(Type::array_of(union(items)))
        }
        _ => Err(item.clone()),
    }
}
