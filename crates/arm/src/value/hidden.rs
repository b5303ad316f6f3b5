//! Secret texts, which no message may show.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::{Kind, SECURE_TEXT, Value};
use crate::parameters::{Inputs, Supplied};
use crate::template::Template;

/// Texts that nobody may be told. Marks do not survive everywhere: a message quotes what it is about, an expression that
/// could not be evaluated has values in it. There these texts are looked for.
#[derive(Clone, Default)]
pub struct Hidden {
    /// The longest first, so that a part of a secret does not leave the rest.
    texts: BTreeSet<(Reverse<usize>, String)>,
    /// What is hidden in messages only: values of external inputs, which may be secrets, though a resource that is named
    /// by one has its name; and short secrets.
    in_messages: BTreeSet<(Reverse<usize>, String)>,
}

/// Shorter texts are part of too much else.
const SHORTEST: usize = 4;

impl Hidden {
    /// The secure values and the external inputs that a template is given.
    pub fn of_inputs(template: &Template, inputs: &Inputs) -> Self {
        let mut hidden = Self::default();
        for (name, supplied) in inputs.parameters.iter() {
            let declared = template.parameters.get(name);
            if let (Some(true), Supplied::Value(value, _)) = (declared.map(|it| it.schema.secure), supplied) {
                hidden.add(&value.clone().into_secure());
            }
        }
        let values = inputs.external.iter().filter_map(|(_, input)| input.value.as_ref());
        values.for_each(|value| hidden.add_input(value));
        hidden
    }

    /// Adds the values that parameters have, where they are secure or depend on external inputs.
    pub fn add_parameters(&mut self, inputs: &Inputs, parameters: &[(SmolStr, Value)]) {
        for (name, value) in parameters {
            self.add(value);
            if inputs.depends_on_input(name) {
                self.add_input(value);
            }
        }
    }

    /// Adds the texts of the secure parts of a value.
    pub fn add(&mut self, value: &Value) {
        if value.has_secure() {
            let mut found = BTreeSet::new();
            collect(value, false, &mut found);
            for (length, text) in found {
                let set = if length.0 >= SHORTEST { &mut self.texts } else { &mut self.in_messages };
                set.insert((length, text));
            }
        }
    }

    /// Adds a value that comes from external inputs.
    pub fn add_input(&mut self, value: &Value) {
        collect(value, true, &mut self.in_messages);
    }

    /// Whether a text has a secret in it.
    pub fn occurs_in(&self, text: &str) -> bool {
        self.texts.iter().any(|(_, hidden)| text.contains(hidden.as_str()))
    }

    /// A text of a document without secrets.
    pub fn text(&self, text: &mut String) {
        for (_, hidden) in &self.texts {
            if text.contains(hidden.as_str()) {
                *text = text.replace(hidden.as_str(), SECURE_TEXT);
            }
        }
    }

    /// A message without secrets and without values of external inputs. Short ones are part of too much else, so that
    /// they are only looked for in quotes.
    pub fn message(&self, text: &mut String) {
        self.text(text);
        for (_, hidden) in &self.in_messages {
            if hidden.len() >= SHORTEST {
                if text.contains(hidden.as_str()) {
                    *text = text.replace(hidden.as_str(), SECURE_TEXT);
                }
                continue;
            }
            for quote in ['\'', '"'] {
                let quoted = format!("{quote}{hidden}{quote}");
                if text.contains(&quoted) {
                    *text = text.replace(&quoted, &format!("{quote}{SECURE_TEXT}{quote}"));
                }
            }
        }
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.in_messages.is_empty()
    }
}

/// The texts of a value, or only those of its secure parts.
fn collect(value: &Value, secure: bool, into: &mut BTreeSet<(Reverse<usize>, String)>) {
    let secure = secure || value.is_secure();
    match value.kind() {
        Kind::String(text) if secure && !text.trim().is_empty() => {
            // Expressions double quotes; ids may be in lower case.
            for form in [text.to_string(), text.to_lowercase(), text.replace('\'', "''")] {
                into.insert((Reverse(form.len()), form));
            }
        }
        Kind::Int(number) if secure && number.unsigned_abs() >= 1_000 => {
            let form = number.to_string();
            into.insert((Reverse(form.len()), form));
        }
        Kind::Array(items) => items.iter().for_each(|item| collect(item, secure, into)),
        Kind::Object(members) => members.iter().for_each(|(_, member)| collect(member, secure, into)),
        _ => {}
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hidden")
    }
}
