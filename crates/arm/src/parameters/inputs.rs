//! What comes with a template: parameter values and external inputs, from a parameter file or a request.

use json::Node;
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::error::Error;
use crate::messages;
use crate::template::{Names, Term};
use crate::value::{Secrets, Value};

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
    /// Reads a parameter file, or the `properties` of a request: both spellings of external inputs are taken.
    pub fn read(document: &Node) -> (Self, Vec<Error>) {
        let mut inputs = Self::default();
        let mut errors = Vec::new();
        let section =
            |name: &str| document.get_ignore_case(name).and_then(Node::as_object).into_iter().flatten();
        for member in section("parameters") {
            match supplied(&member.value) {
                Some(parameter) => inputs.parameters.insert(SmolStr::new(&member.key), parameter),
                None => {
                    let error = messages::bad_parameter_form(&member.key);
                    errors
                        .push(error.within(member.key.as_str()).within("parameters").at(member.value.range));
                }
            }
        }
        // `externalInputs` has definitions with a type in one spelling, and values in the other.
        for name in ["externalInputDefinitions", "externalInputs"] {
            for member in section(name) {
                let text = |name: &str| member.value.get_ignore_case(name).and_then(Node::as_str);
                if let Some(kind) = text("kind").or_else(|| text("type")) {
                    let config = member.value.get_ignore_case("config");
                    let config = config.or_else(|| member.value.get_ignore_case("options")).map(Value::from);
                    let input =
                        ExternalInput { kind: kind.into(), config: config.unwrap_or_default(), value: None };
                    inputs.external.insert(SmolStr::new(&member.key), input);
                }
            }
        }
        for member in section("externalInputs") {
            if member.value.get_ignore_case("kind").or_else(|| member.value.get_ignore_case("type")).is_none()
                && let Some(value) = member.value.get_ignore_case("value")
            {
                inputs.supply(&member.key, Value::from(value));
            }
        }
        for member in section("externalInputValues") {
            inputs.supply(&member.key, Value::from(&member.value));
        }
        (inputs, errors)
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

    /// Answers all external inputs of this kind and configuration.
    pub fn supply_matching(&mut self, kind: &str, config: &Json, value: &Value) {
        for input in self.external.values_mut() {
            if input.kind == kind && input.config.to_json(Secrets::Shown) == *config {
                input.value = Some(value.clone());
            }
        }
    }
}

fn supplied(node: &Node) -> Option<Supplied> {
    if let Some(value) = node.get_ignore_case("value") {
        return Some(Supplied::Value(Value::from(value), Some(value.clone())));
    }
    if let Some(reference) = node.get_ignore_case("reference") {
        return Some(Supplied::Reference(Value::from(reference)));
    }
    node.get_ignore_case("expression").map(|expression| Supplied::Expression(Term::read(expression)))
}
