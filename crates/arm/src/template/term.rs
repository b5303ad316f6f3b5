//! JSON in which texts may be expressions and objects may have loops: the form of everything that is evaluated.

use base::TextRange;
use smol_str::SmolStr;

use crate::document::{Node, NodeKind, Object, deep};
use crate::error::Error;
use crate::evaluate::{Evaluator, Scope};
use crate::expression::{Expr, Text, classify, parse};
use crate::limits::MAX_COPIES;
use crate::messages;
use crate::value::{self, Origin, Unknown, Value, cost};

/// A value of a template, with its place.
#[derive(Debug, Clone)]
pub struct Term {
    pub range: TextRange,
    pub kind: TermKind,
}

/// What a value of a template is.
#[derive(Debug, Clone)]
pub enum TermKind {
    /// No expression in it at all.
    Literal(Value),
    /// An expression, and how long its text is.
    Expression(Expr, usize),
    /// A text that looks like an expression and is none.
    Broken(Error),
    /// A list with an expression somewhere.
    Array(Vec<Term>),
    /// An object with an expression or a loop somewhere.
    Object(Vec<TermMember>),
    /// A loop that gives an array.
    Loop(Box<PropertyLoop>),
}

/// A part of an object.
#[derive(Debug, Clone)]
pub struct TermMember {
    /// The name.
    pub key: Key,
    /// The value. A loop under the name `copy` is already under its own name.
    pub value: Term,
}

/// The name of a member.
#[derive(Debug, Clone)]
pub enum Key {
    /// As written.
    Literal(SmolStr),
    /// To be evaluated.
    Expression(Expr),
}

/// `{name, count, input}`: an array with one item for each turn.
#[derive(Debug, Clone)]
pub struct PropertyLoop {
    /// The name, which `copyIndex` uses.
    pub name: SmolStr,
    /// How many.
    pub count: Term,
    /// One item.
    pub input: Term,
}

impl Term {
    /// Reads a value of a template.
    pub fn read(json: &json::Node) -> Self {
        Self::of(&Node::read(json))
    }

    /// Interprets a value of a template.
    pub fn of(node: &Node) -> Self {
        let kind = match &node.kind {
            NodeKind::Text(text) => match classify(text) {
                Text::Literal(text) | Text::Expression(text) => TermKind::Literal(Value::from(text)),
            },
            NodeKind::Expression(expression, text) => TermKind::Expression(expression.clone(), text.len()),
            NodeKind::Broken(error, _) => TermKind::Broken((**error).clone()),
            NodeKind::Unparsed(text) => match parse(text) {
                Ok(expression) => TermKind::Expression(expression, text.len()),
                Err(error) => TermKind::Broken(error),
            },
            NodeKind::Array(items) => {
                let items: Vec<Self> = items.iter().map(|item| deep(|| Self::of(item))).collect();
                literal_array(items)
            }
            NodeKind::Object(object) => literal_object(parts(object)),
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) => TermKind::Literal(Value::from(node)),
        };
        Self { range: node.range, kind }
    }

    /// A value without expressions, at a place.
    pub fn literal(value: Value, range: TextRange) -> Self {
        Self { range, kind: TermKind::Literal(value) }
    }

    /// The value, if there is no expression in it.
    pub fn as_literal(&self) -> Option<&Value> {
        if let TermKind::Literal(value) = &self.kind { Some(value) } else { None }
    }

    /// The member of an object, by its literal name in any letter case.
    pub fn member(&self, name: &str) -> Option<&Self> {
        let TermKind::Object(parts) = &self.kind else { return None };
        let found = parts
            .iter()
            .find(|part| matches!(&part.key, Key::Literal(key) if json::eq_ignore_case(key, name)));
        found.map(|part| &part.value)
    }

    /// Calls `visit` for every expression in it.
    pub fn expressions(&self, visit: &mut impl FnMut(&Expr)) {
        match &self.kind {
            TermKind::Literal(_) | TermKind::Broken(_) => {}
            TermKind::Expression(expression, _) => visit(expression),
            TermKind::Array(items) => items.iter().for_each(|item| item.expressions(visit)),
            TermKind::Object(parts) => {
                for part in parts {
                    if let Key::Expression(key) = &part.key {
                        visit(key);
                    }
                    part.value.expressions(visit);
                }
            }
            TermKind::Loop(body) => {
                body.count.expressions(visit);
                body.input.expressions(visit);
            }
        }
    }
}

/// The members of an object, loops under their own names in the place of `copy`.
fn parts(object: &Object) -> Vec<TermMember> {
    let mut parts = Vec::with_capacity(object.len());
    for member in object {
        if json::eq_ignore_case(&member.key, "copy")
            && let Some(loops) = loops(&member.value)
        {
            parts
                .extend(loops.into_iter().map(|(name, value)| TermMember { key: Key::Literal(name), value }));
            continue;
        }
        let key = match (&member.computed, classify(&member.key)) {
            (Some(computed), _) => Key::Expression(computed.clone()),
            (None, Text::Expression(text) | Text::Literal(text)) => Key::Literal(text.into()),
        };
        parts.push(TermMember { key, value: deep(|| Term::of(&member.value)) });
    }
    parts
}

/// The loops under `copy`, if that is what stands there: a list of objects with name, count and input.
pub(super) fn loops(node: &Node) -> Option<Vec<(SmolStr, Term)>> {
    let items = node.as_array().filter(|items| !items.is_empty())?;
    items.iter().map(property_loop).collect()
}

/// One loop, with its name.
fn property_loop(node: &Node) -> Option<(SmolStr, Term)> {
    let name = SmolStr::new(node.get_ignore_case("name")?.as_str()?);
    Some((name.clone(), loop_term(name, node)?))
}

/// `{count, input}` as a term.
pub(super) fn loop_term(name: SmolStr, node: &Node) -> Option<Term> {
    let count = Term::of(node.get_ignore_case("count")?);
    let input = deep(|| node.get_ignore_case("input").map(Term::of))?;
    Some(Term { range: node.range, kind: TermKind::Loop(Box::new(PropertyLoop { name, count, input })) })
}

fn literal_array(items: Vec<Term>) -> TermKind {
    if items.iter().all(|item| item.as_literal().is_some()) {
        let values = items.into_iter().filter_map(|item| match item.kind {
            TermKind::Literal(value) => Some(value),
            _ => None,
        });
        return TermKind::Literal(Value::array(values.collect()));
    }
    TermKind::Array(items)
}

fn literal_object(parts: Vec<TermMember>) -> TermKind {
    let literal =
        |part: &TermMember| matches!(part.key, Key::Literal(_)) && part.value.as_literal().is_some();
    if parts.iter().all(literal) {
        let members = parts.into_iter().filter_map(|part| match (part.key, part.value.kind) {
            (Key::Literal(key), TermKind::Literal(value)) => Some((key, value)),
            _ => None,
        });
        return TermKind::Literal(Value::from(members.collect::<value::Object>()));
    }
    TermKind::Object(parts)
}

impl Evaluator<'_> {
    /// The value of a part of a template.
    pub fn term(&self, term: &Term, scope: &Scope) -> Result<Value, Error> {
        let result = match &term.kind {
            TermKind::Literal(value) => Ok(value.clone()),
            TermKind::Expression(expression, length) => {
                self.expression(expression, scope).map_err(|error| error.in_text(term.range, *length))
            }
            TermKind::Broken(error) => Err(error.clone()),
            TermKind::Array(items) => self.items(items, scope),
            TermKind::Object(parts) => self.parts(parts, scope),
            TermKind::Loop(body) => self.turns(body, scope),
        };
        result.map_err(|error| error.at(term.range))
    }

    fn items(&self, items: &[Term], scope: &Scope) -> Result<Value, Error> {
        self.budget().allocate(cost::array(items.len()))?;
        let values = items
            .iter()
            .enumerate()
            .map(|(index, item)| self.deeper(|| self.term(item, scope)).map_err(|error| error.within(index)));
        self.check_size(Value::array(values.collect::<Result<_, _>>()?))
    }

    fn parts(&self, parts: &[TermMember], scope: &Scope) -> Result<Value, Error> {
        self.budget().allocate(cost::object(parts.len()))?;
        let mut pairs = Vec::with_capacity(parts.len());
        let mut open = false;
        for part in parts {
            let key = match &part.key {
                Key::Literal(key) => Value::string(key.as_str()),
                Key::Expression(key) => {
                    self.expression(key, scope).map_err(|error| error.at(part.value.range))?
                }
            };
            open |= key.is_unknown();
            let step = key.as_str().map(SmolStr::new).unwrap_or_default();
            if key.as_str().is_none() && !key.is_unknown() {
                return Err(messages::bad_member_name(key.type_name()).at(part.value.range));
            }
            let value = self.deeper(|| self.term(&part.value, scope)).map_err(|error| error.within(step))?;
            pairs.push((key, value));
        }
        let object = if open {
            open_object(&pairs)
        } else {
            Value::object(
                pairs.into_iter().filter_map(|(key, value)| Some((SmolStr::new(key.as_str()?), value))),
            )
        };
        self.check_size(object)
    }

    /// The items of a loop; the input is evaluated once for each.
    fn turns(&self, body: &PropertyLoop, scope: &Scope) -> Result<Value, Error> {
        let count = self.term(&body.count, scope).map_err(|error| error.within("count"))?;
        let Some(count) = loop_count(&count, &body.name).map_err(|error| error.at(body.count.range))? else {
            return self.open_turns(body, &count, scope);
        };
        self.budget().allocate(cost::array(count))?;
        let mut items = Vec::with_capacity(count);
        for index in 0..count {
            let scope = scope.with_loop(body.name.clone(), Value::count(index));
            let item =
                self.deeper(|| self.term(&body.input, &scope)).map_err(|error| error.within("input"))?;
            items.push(item);
        }
        self.check_size(Value::array(items))
    }

    /// A loop of unknown length: the call of `map` that will give its items.
    fn open_turns(&self, body: &PropertyLoop, count: &Value, scope: &Scope) -> Result<Value, Error> {
        let name = if body.name.is_empty() { SmolStr::new("turn") } else { body.name.clone() };
        let variable = Expr::call("lambdaVariables", vec![Expr::string(name.as_str())]);
        let index = Value::unknown(Unknown::new(variable, Origin::Lambda(name.clone())));
        let item = self.deeper(|| self.term(&body.input, &scope.with_loop(body.name.clone(), index)))?;
        let lambda = Expr::call("lambda", vec![Expr::string(name.as_str()), Expr::of_value(&item)]);
        let range = Expr::call("range", vec![Expr::of_value(&Value::int(0)), Expr::of_value(count)]);
        let call = Expr::call("map", vec![range, lambda]);
        self.check_size(Value::unknown(Unknown::of_parts(call, [count])))
    }
}

/// How many turns a loop has; `None` if it is not known.
pub(crate) fn loop_count(count: &Value, name: &str) -> Result<Option<usize>, Error> {
    if count.is_unknown() {
        return Ok(None);
    }
    let number = count.as_int().ok_or_else(|| messages::bad_loop_count(name, count.type_name()))?;
    match usize::try_from(number) {
        Ok(turns) if number <= MAX_COPIES => Ok(Some(turns)),
        _ => Err(messages::loop_count_out_of_range(name, number, MAX_COPIES)),
    }
}

/// An object with a name that is not known.
fn open_object(pairs: &[(Value, Value)]) -> Value {
    let flat: Vec<Value> = pairs.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect();
    let call = Expr::call("createObject", flat.iter().map(Expr::of_value).collect());
    Value::unknown(Unknown::of_parts(call, &flat))
}
