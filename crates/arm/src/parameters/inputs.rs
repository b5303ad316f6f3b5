//! What comes with a template: parameter values and external inputs, from a parameter file or a request.

use std::collections::BTreeSet;

use json::{Member, Node};
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::error::Error;
use crate::expression::{Expr, ExprKind, Text, classify, parse};
use crate::messages;
use crate::template::{Names, Term, TermKind, is_parameters_schema};
use crate::value::{Kind, Secrets, Value};

/// Supplied parameters and external inputs.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Parameters by name.
    pub parameters: Names<Supplied>,
    /// What the parameter expressions ask for, by key.
    pub external: Names<ExternalInput>,
}

/// A supplied parameter.
#[derive(Debug, Clone)]
pub enum Supplied {
    /// A value. It is never evaluated. The node, where there is one, has the places of its parts.
    Value(Value, Option<Node>),
    /// A secret in a vault.
    Reference(Value),
    /// An expression over external inputs.
    Expression(Term),
}

/// A value that a tool supplies after the parameter file is made.
#[derive(Debug, Clone)]
pub struct ExternalInput {
    /// Which tool is asked: `sys.envVar` and the like.
    pub kind: SmolStr,
    /// What it is asked.
    pub config: Value,
    /// Its answer.
    pub value: Option<Value>,
}

impl Inputs {
    /// Whether a document is a parameters file: it has parameters, or its schema says so and it needs none.
    pub fn is_parameters_file(document: &Node) -> bool {
        match document.get_ignore_case("parameters") {
            Some(parameters) => parameters.as_object().is_some(),
            None => {
                document.get_ignore_case("$schema").and_then(Node::as_str).is_some_and(is_parameters_schema)
            }
        }
    }

    /// Reads a parameter file, or the `properties` of a request: both spellings of external inputs are taken. What has
    /// not the form that it should have is an error with its path, whether it is used or not.
    pub fn read(document: &Node) -> (Self, Vec<Error>) {
        let mut reader = ParameterFileReader { document, inputs: Self::default(), errors: Vec::new() };
        reader.parameters();
        reader.definitions("externalInputDefinitions");
        // This section has definitions with a type in one spelling, and values in the other.
        reader.definitions("externalInputs");
        for member in reader.section("externalInputValues") {
            reader.inputs.supply(&member.key, Value::from(&member.value));
        }
        (reader.inputs, reader.errors)
    }

    /// Parameters with plain values.
    pub fn of_values<K: Into<SmolStr>>(values: impl IntoIterator<Item = (K, Value)>) -> Self {
        let parameters = values.into_iter().map(|(name, value)| (name.into(), Supplied::Value(value, None)));
        Self { parameters: parameters.collect(), external: Names::default() }
    }

    /// Adds other inputs; they win.
    pub fn merge(&mut self, others: Self) {
        self.parameters.merge(others.parameters);
        self.external.merge(others.external);
    }

    /// Answers an external input by its key. External inputs may be secrets.
    pub fn supply(&mut self, key: &str, value: Value) {
        match self.external.get_mut(key) {
            Some(input) => input.value = Some(value),
            None => {
                let input =
                    ExternalInput { kind: SmolStr::default(), config: Value::NULL, value: Some(value) };
                self.external.insert(key.into(), input);
            }
        }
    }

    /// Whether the value of a parameter depends on external inputs.
    pub fn depends_on_input(&self, name: &str) -> bool {
        let mut keys = BTreeSet::new();
        self.parameters.get(name).into_iter().for_each(|supplied| supplied.asked(&mut keys));
        !keys.is_empty()
    }

    /// The keys of the external inputs that the parameters depend on.
    pub fn wanted_inputs(&self) -> BTreeSet<SmolStr> {
        let mut keys = BTreeSet::new();
        self.parameters.iter().for_each(|(_, supplied)| supplied.asked(&mut keys));
        keys
    }

    /// Answers all external inputs of this kind and configuration.
    pub fn supply_matching(&mut self, kind: &str, config: &Json, value: &Value) {
        for input in self.external.values_mut() {
            if input.kind == kind && input.config.to_json(Secrets::Shown) == *config {
                input.value = Some(value.clone());
            }
        }
    }
}

impl Supplied {
    /// The keys of the external inputs that it depends on.
    fn asked(&self, keys: &mut BTreeSet<SmolStr>) {
        match self {
            Self::Value(value, _) => asked_in(value, keys),
            Self::Reference(value) => texts(value, &mut |text| {
                if let Text::Expression(text) = classify(text)
                    && let Ok(expression) = parse(text)
                {
                    asked(&expression, keys);
                }
            }),
            Self::Expression(term) => term.expressions(&mut |expression| asked(expression, keys)),
        }
    }
}

/// All texts in a value.
fn texts(value: &Value, visit: &mut impl FnMut(&str)) {
    match value.kind() {
        Kind::String(text) => visit(text),
        Kind::Array(items) => items.iter().for_each(|item| texts(item, visit)),
        Kind::Object(object) => object.iter().for_each(|(_, member)| texts(member, visit)),
        _ => {}
    }
}

/// The keys of the external inputs that an expression asks for.
fn asked(expression: &Expr, keys: &mut BTreeSet<SmolStr>) {
    expression.walk(&mut |part| match part.kind() {
        ExprKind::Call(call) if call.name.eq_ignore_ascii_case("externalInputs") => {
            keys.extend(call.args.first().and_then(Expr::as_str).map(SmolStr::new));
        }
        ExprKind::Known(value) => asked_in(value, keys),
        _ => {}
    });
}

/// The keys of the external inputs that the open parts of a value wait for.
fn asked_in(value: &Value, keys: &mut BTreeSet<SmolStr>) {
    let mut gaps = Vec::new();
    value.gaps("", &mut gaps);
    gaps.iter().for_each(|gap| asked(&gap.unknown.expression, keys));
}

/// Reads the sections of a document.
struct ParameterFileReader<'d> {
    document: &'d Node,
    inputs: Inputs,
    errors: Vec<Error>,
}

impl<'d> ParameterFileReader<'d> {
    /// The members of a section, which must be an object if it is there.
    fn section(&mut self, name: &'static str) -> impl Iterator<Item = &'d Member> + use<'d> {
        let document: &'d Node = self.document;
        let node = document.get_ignore_case(name).filter(|node| !node.is_null());
        if let Some(node) = node.filter(|node| node.as_object().is_none()) {
            self.errors.push(messages::wrong_kind("an object").within(name).at(node.range));
        }
        node.and_then(Node::as_object).into_iter().flatten()
    }

    fn parameters(&mut self) {
        for member in self.section("parameters") {
            match supplied(&member.key, &member.value) {
                Ok(parameter) => self.inputs.parameters.insert(SmolStr::new(&member.key), parameter),
                Err(error) => {
                    let error = error.within(member.key.as_str()).within("parameters");
                    self.errors.push(error.at(member.value.range));
                }
            }
        }
    }

    fn definitions(&mut self, section: &'static str) {
        for member in self.section(section) {
            let part = |name: &str| member.value.get_ignore_case(name);
            let kind = part("kind").or_else(|| part("type"));
            let text = kind.and_then(Node::as_str).filter(|kind| !kind.is_empty());
            match (kind, text, part("value")) {
                (Some(_), Some(kind), None) => {
                    let config = part("config").or_else(|| part("options")).map(Value::from);
                    let config = config.unwrap_or_default();
                    let input = ExternalInput { kind: kind.into(), config, value: None };
                    self.inputs.external.insert(SmolStr::new(&member.key), input);
                }
                (None, None, Some(value)) if section == "externalInputs" => {
                    self.inputs.supply(&member.key, Value::from(value));
                }
                _ => {
                    let error = messages::bad_external_input(&member.key);
                    self.errors
                        .push(error.within(member.key.as_str()).within(section).at(member.value.range));
                }
            }
        }
    }
}

/// What a parameter is given: exactly one of `value`, `reference` and `expression`.
fn supplied(name: &str, node: &Node) -> Result<Supplied, Error> {
    let forms = ["value", "reference", "expression"].map(|form| node.get_ignore_case(form));
    match forms {
        [Some(value), None, None] => Ok(Supplied::Value(Value::from(value), Some(value.clone()))),
        [None, Some(reference), None] => Ok(Supplied::Reference(Value::from(reference))),
        [None, None, Some(expression)] => {
            let term = Term::read(expression);
            let error = match term.kind {
                TermKind::Expression(..) => return Ok(Supplied::Expression(term)),
                TermKind::Broken(error) => error,
                _ => messages::not_an_expression(name),
            };
            Err(error.within("expression").at(expression.range))
        }
        _ => Err(messages::bad_parameter_form(name)),
    }
}
