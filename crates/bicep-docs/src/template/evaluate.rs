//! Carries statements out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{
    Argument, Block, CaseArm, Expression, ExpressionKind, For, Function, Operator, Statement, StatementKind,
    Template,
};
use super::error::{Error, Position};
use super::functions;
use super::operators;
use super::value::{Object, Value};
use super::{Loader, parser};

/// How many steps one loop may take.
const MAX_LOOP: usize = 100_000;
/// How many statements a template may carry out, so that loops in loops end too.
const MAX_STEPS: usize = 20_000_000;
/// How deep calls and includes may be nested.
const MAX_CALLS: usize = 100;
/// How much may be printed.
const MAX_OUTPUT: usize = 256 << 20;

/// The text that a template prints.
pub(super) fn run(template: &Template, globals: Object, loader: &dyn Loader) -> Result<String, Error> {
    let mut machine = Machine {
        loader,
        template: Arc::clone(&template.name),
        frames: vec![Frame { variables: globals, is_function: false }],
        output: String::new(),
        indent: String::new(),
        calls: 0,
        steps: 0,
        parts: BTreeMap::new(),
    };
    machine.block(&template.body)?;
    Ok(machine.output)
}

pub(super) struct Machine<'l> {
    loader: &'l dyn Loader,
    /// The template that is carried out, for messages.
    template: Arc<str>,
    frames: Vec<Frame>,
    output: String,
    indent: String,
    calls: usize,
    steps: usize,
    /// The parts that were included, so that each is read once.
    parts: BTreeMap<String, Arc<Template>>,
}

/// Variables of a function or of a `with`.
struct Frame {
    variables: Object,
    /// Whether variables of the caller are out of reach, but for the outermost ones.
    is_function: bool,
}

/// How a statement ended.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

impl Machine<'_> {
    fn block(&mut self, block: &Block) -> Result<Flow, Error> {
        for statement in block {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(self.error(statement.position, "the template takes too many steps"));
            }
            match self.statement(statement)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, Error> {
        let position = statement.position;
        match &statement.kind {
            StatementKind::Text(text) => self.print(text, position)?,
            StatementKind::Indent(indent) => self.indent.clone_from(indent),
            StatementKind::Print(value) => {
                let text = self.value(value)?.print();
                let text = if self.indent.is_empty() { text } else { indented(&text, &self.indent) };
                self.print(&text, position)?;
            }
            StatementKind::Assign { target, operator, value } => {
                let mut value = self.value(value)?;
                if let Some(operator) = operator {
                    let before = self.value(target)?;
                    value = operators::binary(*operator, &before, &value)
                        .map_err(|message| self.error(position, message))?;
                }
                self.assign(target, value)?;
            }
            StatementKind::If { condition, then, otherwise } => {
                let holds = self.value(condition)?.is_true();
                return self.block(if holds { then } else { otherwise });
            }
            StatementKind::For(statement) => return self.for_loop(statement, position),
            StatementKind::While { condition, body } => return self.while_loop(condition, body, position),
            StatementKind::Case { subject, arms, otherwise } => return self.case(subject, arms, otherwise),
            StatementKind::Function(function) => {
                let value = Value::Function(Arc::clone(function));
                self.set(function.name.clone(), value);
            }
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                return Ok(Flow::Return(value.unwrap_or_default()));
            }
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Capture { target, body } => {
                let (flow, text) = self.captured(|machine| machine.block(body))?;
                self.assign(target, Value::Text(text.into()))?;
                return Ok(flow);
            }
            StatementKind::With { subject, body } => {
                let variables = match self.value(subject)? {
                    Value::Object(members) => (*members).clone(),
                    _ => return Err(self.error(position, "`with` needs an object")),
                };
                self.frames.push(Frame { variables, is_function: false });
                let flow = self.block(body);
                self.frames.pop();
                return flow;
            }
            StatementKind::Import(subject) => {
                let Value::Object(members) = self.value(subject)? else {
                    return Err(self.error(position, "`import` needs an object"));
                };
                members.iter().for_each(|(name, value)| self.set(name.clone(), value.clone()));
            }
        }
        Ok(Flow::Next)
    }

    fn for_loop(&mut self, statement: &For, position: Position) -> Result<Flow, Error> {
        let list = self.value(&statement.list)?;
        let mut items: Vec<Value> = match &list {
            Value::List(items) => items.to_vec(),
            Value::Object(members) => {
                let entry = |(name, value): (&String, &Value)| {
                    Value::object([("key", Value::text(name)), ("value", value.clone())])
                };
                members.iter().map(entry).collect()
            }
            Value::Null => Vec::new(),
            _ => return Err(self.error(position, "`for` needs a list")),
        };
        if let Some(offset) = self.count(statement.offset.as_ref())? {
            items.drain(..offset.min(items.len()));
        }
        if let Some(limit) = self.count(statement.limit.as_ref())? {
            items.truncate(limit);
        }
        if statement.is_reversed {
            items.reverse();
        }
        if items.len() > MAX_LOOP {
            return Err(self.too_many_steps(position));
        }
        if items.is_empty() {
            return self.block(&statement.otherwise);
        }
        let before = [self.own(&statement.variable), self.own("for")];
        let flow = self.for_items(statement, &items);
        let [variable, facts] = before;
        self.restore(&statement.variable, variable);
        self.restore("for", facts);
        flow
    }

    fn for_items(&mut self, statement: &For, items: &[Value]) -> Result<Flow, Error> {
        for (index, item) in items.iter().enumerate() {
            let number = |count: usize| Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
            let is_changed =
                index == 0 || items.get(index - 1).is_none_or(|previous| !operators::equal(previous, item));
            let facts = Value::object([
                ("index", number(index)),
                ("rindex", number(items.len() - index - 1)),
                ("first", Value::Bool(index == 0)),
                ("last", Value::Bool(index + 1 == items.len())),
                ("even", Value::Bool(index % 2 == 0)),
                ("odd", Value::Bool(index % 2 == 1)),
                ("changed", Value::Bool(is_changed)),
                ("length", number(items.len())),
            ]);
            self.set("for".to_owned(), facts);
            self.set(statement.variable.clone(), item.clone());
            match self.block(&statement.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
            }
        }
        Ok(Flow::Next)
    }

    fn while_loop(
        &mut self,
        condition: &Expression,
        body: &Block,
        position: Position,
    ) -> Result<Flow, Error> {
        let mut steps = 0;
        while self.value(condition)?.is_true() {
            steps += 1;
            if steps > MAX_LOOP {
                return Err(self.too_many_steps(position));
            }
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
            }
        }
        Ok(Flow::Next)
    }

    fn case(&mut self, subject: &Expression, arms: &[CaseArm], otherwise: &Block) -> Result<Flow, Error> {
        let subject = self.value(subject)?;
        for arm in arms {
            for value in &arm.values {
                if operators::equal(&subject, &self.value(value)?) {
                    return self.block(&arm.body);
                }
            }
        }
        self.block(otherwise)
    }

    /// Does something whose output is kept for itself.
    fn captured<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<(T, String), Error> {
        let output = std::mem::take(&mut self.output);
        let indent = std::mem::take(&mut self.indent);
        let result = work(self);
        let text = std::mem::replace(&mut self.output, output);
        self.indent = indent;
        result.map(|result| (result, text))
    }

    fn print(&mut self, text: &str, position: Position) -> Result<(), Error> {
        if self.output.len() + text.len() > MAX_OUTPUT {
            return Err(self.error(position, "the template prints too much"));
        }
        self.output.push_str(text);
        Ok(())
    }

    /// The value of an expression. A function without arguments is called.
    fn value(&mut self, expression: &Expression) -> Result<Value, Error> {
        match &expression.kind {
            ExpressionKind::Null => Ok(Value::Null),
            ExpressionKind::Bool(flag) => Ok(Value::Bool(*flag)),
            ExpressionKind::Int(number) => Ok(Value::Int(*number)),
            ExpressionKind::Float(number) => Ok(Value::Float(*number)),
            ExpressionKind::Text(text) => Ok(Value::Text(Arc::clone(text))),
            ExpressionKind::Joined(parts) => {
                let mut text = String::new();
                for part in parts {
                    text.push_str(&self.value(part)?.print());
                }
                Ok(Value::Text(text.into()))
            }
            ExpressionKind::List(items) => {
                let items: Result<Vec<Value>, Error> = items.iter().map(|item| self.value(item)).collect();
                items.map(Value::list)
            }
            ExpressionKind::Object(members) => {
                let mut object = Object::default();
                for (name, value) in members {
                    object.insert(name.clone(), self.value(value)?);
                }
                Ok(Value::Object(Arc::new(object)))
            }
            ExpressionKind::Group(inner) => self.value(inner),
            ExpressionKind::Variable(_) | ExpressionKind::Member { .. } | ExpressionKind::Index { .. } => {
                match self.path(expression)? {
                    Binding::Value(Value::Function(function)) => {
                        self.call(&function, Vec::new(), expression.position)
                    }
                    Binding::Value(value) => Ok(value),
                    Binding::BuiltIn(name) => self.built_in(&name, &[], expression.position),
                }
            }
            ExpressionKind::Call { function, arguments } => self.call_expression(function, arguments),
            ExpressionKind::Alias(inner) => match self.path(inner)? {
                Binding::Value(value) => Ok(value),
                Binding::BuiltIn(name) => {
                    Err(self.error(inner.position, format!("`@{name}` is not supported")))
                }
            },
            ExpressionKind::AnonymousFunction(function) => Ok(Value::Function(Arc::clone(function))),
            ExpressionKind::Not(inner) => Ok(Value::Bool(!self.value(inner)?.is_true())),
            ExpressionKind::Negate(inner) => {
                let value = self.value(inner)?;
                operators::binary(Operator::Subtract, &Value::Int(0), &value)
                    .map_err(|message| self.error(expression.position, message))
            }
            ExpressionKind::Binary { operator, left, right } => self.binary(*operator, left, right),
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let holds = self.value(condition)?.is_true();
                self.value(if holds { then } else { otherwise })
            }
        }
    }

    fn binary(&mut self, operator: Operator, left: &Expression, right: &Expression) -> Result<Value, Error> {
        let first = self.value(left)?;
        match operator {
            Operator::And => Ok(Value::Bool(first.is_true() && self.value(right)?.is_true())),
            Operator::Or => Ok(Value::Bool(first.is_true() || self.value(right)?.is_true())),
            Operator::Coalesce if !first.is_null() => Ok(first),
            Operator::NotCoalesce if first.is_null() => Ok(first),
            Operator::Coalesce | Operator::NotCoalesce => self.value(right),
            _ => {
                let second = self.value(right)?;
                operators::binary(operator, &first, &second)
                    .map_err(|message| self.error(left.position, message))
            }
        }
    }

    /// What a name with its members leads to, without calling it.
    fn path(&mut self, expression: &Expression) -> Result<Binding, Error> {
        match &expression.kind {
            ExpressionKind::Variable(name) => Ok(Binding::Value(self.variable(name))),
            ExpressionKind::Member { base, name, is_optional } => {
                if let ExpressionKind::Variable(group) = &base.kind
                    && functions::is_group(group)
                    && self.variable(group).is_null()
                {
                    return Ok(Binding::BuiltIn(format!("{group}.{name}")));
                }
                let base = self.value(base)?;
                if base.is_null() && !is_optional {
                    let message = format!("`{name}` cannot be read: the value before it is null");
                    return Err(self.error(expression.position, message));
                }
                Ok(Binding::Value(member(&base, name)))
            }
            ExpressionKind::Index { base, index } => {
                let base = self.value(base)?;
                let index = self.value(index)?;
                Ok(Binding::Value(item(&base, &index)))
            }
            _ => self.value(expression).map(Binding::Value),
        }
    }

    fn call_expression(&mut self, function: &Expression, arguments: &[Argument]) -> Result<Value, Error> {
        let position = function.position;
        let is_include = matches!(&function.kind, ExpressionKind::Variable(name) if name == "include");
        let found = self.path(function)?;
        if arguments.iter().any(|argument| argument.name.is_some())
            && !matches!(found, Binding::Value(Value::Function(_)))
        {
            return Err(
                self.error(position, "named arguments can be given to functions of the template only")
            );
        }
        let mut values = Vec::with_capacity(arguments.len());
        let mut named = Object::default();
        for argument in arguments {
            let value = self.value(&argument.value)?;
            match &argument.name {
                Some(name) => {
                    named.insert(name.clone(), value);
                }
                None => values.push(value),
            }
        }
        match found {
            Binding::BuiltIn(name) => self.built_in(&name, &values, position),
            Binding::Value(Value::Function(function)) => {
                self.call_with_names(&function, values, &named, position)
            }
            Binding::Value(_) if is_include => self.include(&values, position),
            Binding::Value(_) => {
                let name = describe(function);
                Err(self.error(position, format!("there is no function `{name}`")))
            }
        }
    }

    fn built_in(&mut self, name: &str, arguments: &[Value], position: Position) -> Result<Value, Error> {
        if let Some(result) = self.with_function(name, arguments, position) {
            return result;
        }
        functions::call(name, arguments).map_err(|message| self.error(position, message))
    }

    /// The functions that call others: for each item of a list.
    fn with_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Option<Result<Value, Error>> {
        let (list, function) = match arguments {
            [list, Value::Function(function)] => (list.clone(), Arc::clone(function)),
            _ => return None,
        };
        let mut each = || {
            let items = list.items().iter();
            items
                .map(|item| Ok((item.clone(), self.call(&function, vec![item.clone()], position)?)))
                .collect::<Result<Vec<(Value, Value)>, Error>>()
        };
        let result = match name {
            "array.each" => each().map(|pairs| Value::list(pairs.into_iter().map(|(_, result)| result))),
            "array.filter" => each().map(|pairs| {
                Value::list(pairs.into_iter().filter(|(_, keep)| keep.is_true()).map(|(item, _)| item))
            }),
            "array.any" => each().map(|pairs| Value::Bool(pairs.iter().any(|(_, holds)| holds.is_true()))),
            _ => return None,
        };
        Some(result)
    }

    pub(super) fn call(
        &mut self,
        function: &Arc<Function>,
        arguments: Vec<Value>,
        position: Position,
    ) -> Result<Value, Error> {
        self.call_with_names(function, arguments, &Object::default(), position)
    }

    fn call_with_names(
        &mut self,
        function: &Arc<Function>,
        arguments: Vec<Value>,
        named: &Object,
        position: Position,
    ) -> Result<Value, Error> {
        let mut variables = Object::default();
        let mut given = arguments.iter().cloned();
        for parameter in &function.parameters {
            let value = if parameter.is_rest {
                Value::list(given.by_ref())
            } else {
                match (given.next().or_else(|| named.get(&parameter.name).cloned()), &parameter.default) {
                    (Some(value), _) => value,
                    (None, Some(default)) => self.value(default)?,
                    (None, None) => {
                        let message = format!("`{}` needs a value for `{}`", function.name, parameter.name);
                        return Err(self.error(position, message));
                    }
                }
            };
            variables.insert(parameter.name.clone(), value);
        }
        variables.insert("$".to_owned(), Value::list(arguments));
        // Names are looked up from the inside out; those of other calls are not seen.
        let frame = Frame { variables, is_function: true };
        let template = Arc::clone(&function.template);
        self.enter(position, |machine| {
            machine.frames.push(frame);
            let caller = std::mem::replace(&mut machine.template, template);
            let result = machine.captured(|machine| machine.block(&function.body));
            machine.template = caller;
            machine.frames.pop();
            result.map(|(flow, text)| match flow {
                Flow::Return(value) => value,
                _ => Value::Text(text.into()),
            })
        })
    }

    /// A part of the template, as text.
    fn include(&mut self, arguments: &[Value], position: Position) -> Result<Value, Error> {
        let Some(Value::Text(name)) = arguments.first() else {
            return Err(self.error(position, "`include` needs the name of a template"));
        };
        let part = match self.parts.get(&**name) {
            Some(part) => Arc::clone(part),
            None => {
                let (path, source) =
                    self.loader.load(name).map_err(|message| self.error(position, message))?;
                let part = Arc::new(parser::parse(&path, &source)?);
                self.parts.insert(name.to_string(), Arc::clone(&part));
                part
            }
        };
        let before = self.own("$");
        let given = Value::list(arguments.iter().skip(1).cloned());
        self.enter(position, |machine| {
            machine.set("$".to_owned(), given);
            let caller = std::mem::replace(&mut machine.template, Arc::clone(&part.name));
            let result = machine.captured(|machine| machine.block(&part.body));
            machine.template = caller;
            machine.restore("$", before);
            result.map(|(_, text)| Value::Text(text.into()))
        })
    }

    /// One call deeper, within bounds and with enough stack.
    fn enter<T>(
        &mut self,
        position: Position,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.calls >= MAX_CALLS {
            let message = format!("calls and includes are nested more than {MAX_CALLS} deep");
            return Err(self.error(position, message));
        }
        self.calls += 1;
        let result = base::recurse(|| work(self));
        self.calls -= 1;
        result
    }

    fn variable(&self, name: &str) -> Value {
        if let Some(index) = name.strip_prefix('$').and_then(|index| index.parse::<usize>().ok()) {
            return self.variable("$").items().get(index).cloned().unwrap_or_default();
        }
        if name == "this" {
            return self
                .frames
                .last()
                .map_or(Value::Null, |frame| Value::Object(Arc::new(frame.variables.clone())));
        }
        for frame in self.frames.iter().rev() {
            if let Some(value) = frame.variables.get(name) {
                return value.clone();
            }
            if frame.is_function {
                break;
            }
        }
        self.frames.first().and_then(|frame| frame.variables.get(name)).cloned().unwrap_or_default()
    }

    /// The variable of the innermost frame.
    fn own(&self, name: &str) -> Option<Value> {
        self.frames.last()?.variables.get(name).cloned()
    }

    fn set(&mut self, name: String, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            frame.variables.insert(name, value);
        }
    }

    fn restore(&mut self, name: &str, before: Option<Value>) {
        let Some(frame) = self.frames.last_mut() else { return };
        match before {
            Some(value) => {
                frame.variables.insert(name.to_owned(), value);
            }
            None => {
                frame.variables.shift_remove(name);
            }
        }
    }

    /// Assigns to a variable, or to a member or item of one.
    fn assign(&mut self, target: &Expression, value: Value) -> Result<(), Error> {
        match &target.kind {
            ExpressionKind::Variable(name) => {
                self.set(name.clone(), value);
                Ok(())
            }
            ExpressionKind::Member { base, name, .. } => {
                let mut object = match self.value(base)? {
                    Value::Object(members) => (*members).clone(),
                    _ => {
                        return Err(
                            self.error(target.position, format!("`{name}` is no member of an object"))
                        );
                    }
                };
                object.insert(name.clone(), value);
                self.assign(base, Value::Object(Arc::new(object)))
            }
            ExpressionKind::Index { base, index } => {
                let index = self.value(index)?;
                let whole = with_item(self.value(base)?, &index, value)
                    .map_err(|message| self.error(target.position, message))?;
                self.assign(base, whole)
            }
            _ => Err(self.error(target.position, "nothing can be assigned to this")),
        }
    }

    fn count(&mut self, expression: Option<&Expression>) -> Result<Option<usize>, Error> {
        let Some(expression) = expression else { return Ok(None) };
        match self.value(expression)? {
            Value::Int(number) => Ok(Some(usize::try_from(number).unwrap_or_default())),
            _ => Err(self.error(expression.position, "a whole number is expected")),
        }
    }

    fn too_many_steps(&self, position: Position) -> Error {
        self.error(position, format!("the loop takes more than {MAX_LOOP} steps"))
    }

    fn error(&self, position: Position, message: impl Into<String>) -> Error {
        Error::new(&self.template, position, message)
    }
}

/// What a name leads to.
enum Binding {
    Value(Value),
    /// A function of the language, as `group.name`.
    BuiltIn(String),
}

/// The lines after the first one with blanks before them.
fn indented(text: &str, indent: &str) -> String {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + indent + line)
}

fn member(base: &Value, name: &str) -> Value {
    let number = |count: usize| Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
    match (base, name) {
        (Value::Object(members), _) if members.contains_key(name) => {
            members.get(name).cloned().unwrap_or_default()
        }
        (Value::List(items), "size") => number(items.len()),
        (Value::Text(text), "size") => number(text.chars().count()),
        (Value::List(items), "empty?") => Value::Bool(items.is_empty()),
        (Value::Object(members), "empty?") => Value::Bool(members.is_empty()),
        (Value::Text(text), "empty?") => Value::Bool(text.is_empty()),
        _ => Value::Null,
    }
}

/// An item of a list, from the end for negative numbers, or a member by a computed name.
fn item(base: &Value, index: &Value) -> Value {
    match (base, index) {
        (Value::List(items), Value::Int(index)) => {
            let index =
                if *index < 0 { index + i64::try_from(items.len()).unwrap_or(i64::MAX) } else { *index };
            usize::try_from(index).ok().and_then(|index| items.get(index)).cloned().unwrap_or_default()
        }
        (Value::Text(text), Value::Int(index)) => {
            let found = usize::try_from(*index).ok().and_then(|index| text.chars().nth(index));
            found.map_or(Value::Null, |c| Value::Text(c.to_string().into()))
        }
        (_, Value::Text(name)) => member(base, name),
        _ => Value::Null,
    }
}

fn with_item(whole: Value, index: &Value, value: Value) -> Result<Value, String> {
    match (whole, index) {
        (Value::List(items), Value::Int(index)) => {
            let mut items = (*items).clone();
            let index = usize::try_from(*index).map_err(|_| "the index is negative")?;
            if index > items.len().saturating_add(operators::MAX_RANGE.unsigned_abs() as usize) {
                return Err("the index is too large".to_owned());
            }
            if index >= items.len() {
                items.resize(index + 1, Value::Null);
            }
            if let Some(place) = items.get_mut(index) {
                *place = value;
            }
            Ok(Value::list(items))
        }
        (Value::Object(members), Value::Text(name)) => {
            let mut members = (*members).clone();
            members.insert(name.to_string(), value);
            Ok(Value::Object(Arc::new(members)))
        }
        _ => Err("nothing can be assigned to this".to_owned()),
    }
}

/// A function as it is written.
fn describe(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Variable(name) => name.clone(),
        ExpressionKind::Member { base, name, .. } => format!("{}.{name}", describe(base)),
        _ => "…".to_owned(),
    }
}
