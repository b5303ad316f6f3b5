//! Values without their secrets.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use arm::Value;
use arm::value::Kind;
use serde_json::Value as Json;

use crate::error::ArmError;

/// The value as JSON, without the members and items that are secure.
pub(crate) fn without(value: &Value) -> Json {
    if !value.has_secure() {
        return value.to_json(arm::Secrets::Hidden);
    }
    if value.is_secure() {
        return Json::Null;
    }
    match value.kind() {
        Kind::Array(items) => items.iter().filter(|item| !item.is_secure()).map(without).collect(),
        Kind::Object(object) => {
            let members = object.iter().filter(|(_, member)| !member.is_secure());
            Json::Object(members.map(|(name, member)| (name.to_string(), without(member))).collect())
        }
        _ => value.to_json(arm::Secrets::Hidden),
    }
}

/// The same value with the secure marks of another one: at the same places, and wherever a secret text of that one occurs.
pub(crate) fn marked(value: &Value, like: &Value) -> Value {
    if !like.has_secure() {
        return value.clone();
    }
    let mut hidden = Hidden::default();
    hidden.add(like);
    mark(value, Some(like), &hidden)
}

fn mark(value: &Value, like: Option<&Value>, hidden: &Hidden) -> Value {
    if like.is_some_and(Value::is_secure) {
        return value.clone().into_secure();
    }
    match value.kind() {
        Kind::String(text) if hidden.occurs_in(text) => value.clone().into_secure(),
        Kind::Array(items) => {
            let like = like.and_then(Value::as_array).unwrap_or_default();
            let items = items.iter().enumerate().map(|(at, item)| mark(item, like.get(at), hidden));
            Value::array(items.collect())
        }
        Kind::Object(members) => Value::object(members.iter().map(|(name, member)| {
            (name.clone(), mark(member, like.and_then(|like| like.get(name)), hidden))
        })),
        _ => value.clone(),
    }
}

/// Texts that nobody may be told. Marks do not survive everywhere: a message quotes what it is about, an expression that
/// could not be evaluated has values in it. There these texts are looked for.
#[derive(Clone, Default)]
pub(crate) struct Hidden {
    /// The longest first, so that a part of a secret does not leave the rest.
    texts: BTreeSet<(Reverse<usize>, String)>,
}

/// Shorter texts are part of too much else.
const SHORTEST: usize = 4;

impl Hidden {
    /// Adds the texts of the secure parts of a value.
    pub fn add(&mut self, value: &Value) {
        if value.has_secure() {
            self.collect(value, false);
        }
    }

    fn collect(&mut self, value: &Value, secure: bool) {
        let secure = secure || value.is_secure();
        match value.kind() {
            Kind::String(text) if secure && text.len() >= SHORTEST => {
                // Expressions double quotes; ids may be in lower case.
                for form in [text.to_string(), text.to_lowercase(), text.replace('\'', "''")] {
                    self.texts.insert((Reverse(form.len()), form));
                }
            }
            Kind::Array(items) => items.iter().for_each(|item| self.collect(item, secure)),
            Kind::Object(members) => members.iter().for_each(|(_, member)| self.collect(member, secure)),
            _ => {}
        }
    }

    fn occurs_in(&self, text: &str) -> bool {
        self.texts.iter().any(|(_, hidden)| text.contains(hidden.as_str()))
    }

    /// A text without them.
    fn text(&self, text: &mut String) {
        for (_, hidden) in &self.texts {
            if text.contains(hidden.as_str()) {
                *text = text.replace(hidden.as_str(), arm::value::SECURE_TEXT);
            }
        }
    }

    /// An error without them.
    pub fn error(&self, mut error: ArmError) -> ArmError {
        if self.texts.is_empty() {
            return error;
        }
        self.text(&mut error.message);
        error.target.iter_mut().for_each(|target| self.text(target));
        error.details = error.details.into_iter().map(|detail| self.error(detail)).collect();
        error
    }

    /// A document whose expressions are without them.
    pub fn expressions(&self, json: &mut Json) {
        match json {
            Json::String(text) if text.starts_with('[') && text.ends_with(']') => self.text(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.expressions(item)),
            Json::Object(members) => members.values_mut().for_each(|member| self.expressions(member)),
            _ => {}
        }
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hidden")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_left_out() {
        let secret = || Value::string("hunter2").into_secure();
        let value = Value::object([
            ("user", Value::from("admin")),
            ("password", secret()),
            ("list", Value::array(vec![Value::int(1), secret()])),
            ("inner", Value::object([("key", secret())])),
        ]);
        assert_eq!(without(&value), json!({ "user": "admin", "list": [1], "inner": {} }));
        assert_eq!(without(&secret()), Json::Null);
    }

    #[test]
    fn answers_are_marked_like_what_was_asked() {
        let secret = || Value::string("hunter2").into_secure();
        let asked =
            Value::object([("a", Value::array(vec![Value::int(1), secret()])), ("b", Value::from("plain"))]);
        let answer = Value::from(&json!({ "a": [1, "xyz"], "b": "plain", "c": ["user=x;password=hunter2"] }));
        let marked = marked(&answer, &asked);
        assert_eq!(without(&marked), json!({ "a": [1], "b": "plain", "c": [] }));
    }

    #[test]
    fn messages_and_expressions_are_cleaned() {
        let mut hidden = Hidden::default();
        hidden.add(&Value::array(vec!["it's".into(), "it's more".into(), "abc".into()]).into_secure());
        let error = ArmError::new("X", "'it's more' and it's").because(vec![ArmError::new("Y", "abc it''s")]);
        let error = hidden.error(error);
        assert_eq!(error.message, "'<secure value>' and <secure value>");
        assert_eq!(error.details.first().map(|it| it.message.as_str()), Some("abc <secure value>"));
        let mut document = json!({ "e": "[concat('it''s')]", "plain": "it's" });
        hidden.expressions(&mut document);
        assert_eq!(document, json!({ "e": "[concat('<secure value>')]", "plain": "it's" }));
    }
}
