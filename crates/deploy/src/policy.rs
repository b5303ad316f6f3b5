//! Azure Policy rules. A rule with its parameters and a resource come in; whether the resource complies goes out.
//!
//! Logic has three values: what an expression needs and nobody knows makes a condition open, never true or false.

mod condition;
mod field;

use std::collections::BTreeMap;

use arm::evaluate::{ContextObject, Environment, Evaluator, Scope as EvaluationScope};
use arm::expression::{Accessor, Expr, ExprKind, Text, classify};
use arm::{Error, Secrets, Value};
use base::{Budget, Limits};
use serde_json::{Map, Value as Json};

pub(crate) use self::condition::ConditionPurpose;

/// How a resource stands to a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compliance {
    Compliant,
    NonCompliant,
    /// The rule needs something that only Azure knows, or a person has to say it.
    Unknown,
}

impl Compliance {
    /// As the API calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compliant => "Compliant",
            Self::NonCompliant => "NonCompliant",
            Self::Unknown => "Unknown",
        }
    }
}

/// A rule that is assigned, with the values of its parameters.
pub(crate) struct Policy<'p> {
    /// `if` and `then`.
    rule: &'p Json,
    parameters: BTreeMap<String, Json>,
}

/// A resource that is looked at, and what is around it.
pub(crate) struct Subject<'s> {
    pub id: &'s str,
    /// The type as policies name it.
    pub resource_type: &'s str,
    pub document: &'s Json,
    /// The document of its group, if it lies in one.
    pub group: Option<&'s Json>,
}

impl<'p> Policy<'p> {
    /// The rule of a definition: values of parameters that are not given are its defaults.
    pub fn new(definition: &'p Json, given: &Map<String, Json>) -> Self {
        let declared = definition.pointer("/properties/parameters").and_then(Json::as_object);
        let mut parameters = BTreeMap::new();
        for (name, declared) in declared.into_iter().flatten() {
            let given = given.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let value =
                given.and_then(|(_, given)| given.get("value")).or_else(|| declared.get("defaultValue"));
            if let Some(value) = value {
                parameters.insert(name.to_lowercase(), value.clone());
            }
        }
        Self { rule: definition.pointer("/properties/policyRule").unwrap_or(&Json::Null), parameters }
    }

    /// The effect in lower case: `audit`, `deny`, `disabled`.
    pub fn effect(&self, subject: &Subject<'_>) -> String {
        let effect = self.rule.pointer("/then/effect").and_then(|effect| self.value(effect, subject));
        effect.as_ref().and_then(Json::as_str).unwrap_or_default().to_lowercase()
    }

    /// Whether the rule is about this resource at all.
    pub fn applies_to(&self, subject: &Subject<'_>) -> bool {
        let outlook = match self.effect(subject).as_str() {
            "auditifnotexists" | "deployifnotexists" => ConditionPurpose::Whole,
            _ => ConditionPurpose::Applicability,
        };
        self.condition(self.rule.get("if").unwrap_or(&Json::Null), subject, outlook) != Some(false)
    }

    /// How a resource that the rule is about stands to it. `related` are the resources that may make up for it: those that
    /// [`Self::related_type`] asks for.
    pub fn compliance(&self, subject: &Subject<'_>, related: &[Subject<'_>]) -> Compliance {
        let matches =
            self.condition(self.rule.get("if").unwrap_or(&Json::Null), subject, ConditionPurpose::Whole);
        match (self.effect(subject).as_str(), matches) {
            ("manual", _) | (_, None) => Compliance::Unknown,
            (_, Some(false)) | ("denyaction", _) => Compliance::Compliant,
            ("auditifnotexists" | "deployifnotexists", Some(true)) => self.existence(related),
            (_, Some(true)) => Compliance::NonCompliant,
        }
    }

    /// The type of the resources that must be there beside a resource, and their name if it matters.
    pub fn related_type(&self, subject: &Subject<'_>) -> Option<(String, Option<String>)> {
        let detail = |name: &str| {
            let value = self.value(self.rule.pointer("/then/details")?.get(name)?, subject)?;
            value.as_str().map(str::to_owned)
        };
        Some((detail("type")?, detail("name")))
    }

    /// One of the related resources must be as the rule asks for.
    fn existence(&self, related: &[Subject<'_>]) -> Compliance {
        let condition = self.rule.pointer("/then/details/existenceCondition");
        let fits = related.iter().map(|subject| match condition {
            Some(condition) => self.condition(condition, subject, ConditionPurpose::Whole),
            None => Some(true),
        });
        let fits: Vec<Option<bool>> = fits.collect();
        match (fits.contains(&Some(true)), fits.contains(&None)) {
            (true, _) => Compliance::Compliant,
            (false, true) => Compliance::Unknown,
            (false, false) => Compliance::NonCompliant,
        }
    }

    /// A value of a rule; none if only Azure knows it.
    fn value(&self, value: &Json, subject: &Subject<'_>) -> Option<Json> {
        let Json::String(text) = value else { return Some(value.clone()) };
        let source = match classify(text) {
            Text::Literal(literal) => return Some(Json::from(literal)),
            Text::Expression(source) => source,
        };
        let expression = with_fields(&arm::expression::parse(source).ok()?, subject)?;
        let surroundings = Surroundings { policy: self, subject };
        let budget = Budget::new(LIMITS);
        let evaluator = Evaluator::new(&surroundings, &budget);
        let value = evaluator.expression(&expression, &EvaluationScope::free()).ok()?;
        (!value.has_unknown()).then(|| value.to_json(Secrets::Shown))
    }
}

/// How much work one expression of a rule may be.
const LIMITS: Limits =
    Limits { steps: 100_000, memory: 4 << 20, depth: 64, time: std::time::Duration::from_secs(1) };

/// What the expressions of a rule refer to.
struct Surroundings<'s> {
    policy: &'s Policy<'s>,
    subject: &'s Subject<'s>,
}

impl Environment for Surroundings<'_> {
    fn parameter(&self, name: &str) -> Result<Value, Error> {
        match self.policy.parameters.get(&name.to_lowercase()) {
            Some(value) => Ok(Value::from(value)),
            None => arm::evaluate::Nothing.parameter(name),
        }
    }

    fn subject(&self, subject: ContextObject) -> Result<Option<Value>, Error> {
        Ok(match subject {
            ContextObject::ResourceGroup => self.subject.group.map(Value::from),
            _ => None,
        })
    }
}

/// An expression in which `field('…')` is what the resource has there. None if something else stands in the brackets.
fn with_fields(expression: &Expr, subject: &Subject<'_>) -> Option<Expr> {
    Some(match expression.kind() {
        ExprKind::Call(call) if call.name.eq_ignore_ascii_case("field") => {
            let [name] = call.args.as_slice() else { return None };
            let values = field::values(subject, name.as_str()?);
            Expr::of_value(&Value::from(&field::as_value(values)))
        }
        ExprKind::Call(call) => {
            let args = call.args.iter().map(|arg| with_fields(arg, subject)).collect::<Option<_>>()?;
            Expr::call(&call.name, args)
        }
        ExprKind::Access { base, path } => {
            let steps = path.iter().map(|step| match step {
                Accessor::Index(index) => Some(Accessor::Index(with_fields(index, subject)?)),
                Accessor::Property(name) => Some(Accessor::Property(name.clone())),
            });
            with_fields(base, subject)?.access_all(steps.collect::<Option<_>>()?)
        }
        _ => expression.clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn account() -> Json {
        json!({
            "id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a",
            "name": "a", "type": "Microsoft.Storage/storageAccounts", "location": "West Europe", "kind": "StorageV2",
            "sku": { "name": "Standard_LRS" }, "tags": { "Team": "blue", "cost center": "7" },
            "properties": {
                "minimumTlsVersion": "TLS1_0", "size": 5,
                "rules": [{ "properties": { "port": 22 } }, { "properties": { "port": 443 } }],
            },
        })
    }

    /// Asks about the account in its group.
    fn asked<T>(question: impl FnOnce(&Subject<'_>) -> T) -> T {
        let (document, group) = (account(), json!({ "location": "West Europe", "name": "g" }));
        question(&Subject {
            id: document["id"].as_str().unwrap(),
            resource_type: "Microsoft.Storage/storageAccounts",
            document: &document,
            group: Some(&group),
        })
    }

    #[track_caller]
    fn check_with(definition: &Json, given: Json, expected: (bool, Compliance)) {
        let Json::Object(given) = given else { panic!("parameters are an object, not {given}") };
        let policy = Policy::new(definition, &given);
        let found = asked(|subject| (policy.applies_to(subject), policy.compliance(subject, &[])));
        assert_eq!(found, expected, "{definition}");
    }

    #[track_caller]
    fn check(condition: &Json, matches: Option<bool>) {
        let rule =
            json!({ "properties": { "policyRule": { "if": condition, "then": { "effect": "audit" } } } });
        let policy = Policy::new(&rule, &Map::new());
        let condition = &rule["properties"]["policyRule"]["if"];
        let found = asked(|subject| policy.condition(condition, subject, ConditionPurpose::Whole));
        assert_eq!(found, matches, "{rule}");
    }

    #[test]
    fn operators() {
        let storage = |rest: &str| format!("Microsoft.Storage/storageAccounts/{rest}");
        for (field, operator, value, matches) in [
            ("type".to_owned(), "equals", json!("microsoft.storage/STORAGEACCOUNTS"), true),
            ("name".to_owned(), "notEquals", json!("a"), false),
            ("location".to_owned(), "in", json!(["westeurope", "West Europe"]), true),
            ("location".to_owned(), "notIn", json!(["northeurope"]), true),
            ("kind".to_owned(), "like", json!("storage*"), true),
            ("kind".to_owned(), "notLike", json!("*v1"), true),
            ("name".to_owned(), "match", json!("?"), true),
            ("name".to_owned(), "match", json!("#"), false),
            ("tags['team']".to_owned(), "equals", json!("blue"), true),
            ("tags['cost center']".to_owned(), "exists", json!("true"), true),
            ("tags.owner".to_owned(), "exists", json!(false), true),
            ("tags".to_owned(), "containsKey", json!("TEAM"), true),
            (storage("sku.name"), "equals", json!("Standard_LRS"), true),
            (storage("minimumTlsVersion"), "notEquals", json!("TLS1_2"), true),
            (storage("minimumTlsVersion"), "contains", json!("1_0"), true),
            (storage("size"), "greater", json!(4), true),
            (storage("size"), "lessOrEquals", json!(4), false),
            (storage("rules[*].port"), "equals", json!(22), false),
            (storage("rules[*].port"), "in", json!([22, 443]), true),
            (storage("nothing"), "equals", json!("x"), false),
            (storage("nothing"), "notEquals", json!("x"), true),
            ("Microsoft.Web/sites/kind".to_owned(), "exists", json!(true), false),
        ] {
            check(&json!({ "field": field, operator: value }), Some(matches));
        }
    }

    #[test]
    fn logic_and_expressions() {
        let (yes, no) =
            (json!({ "field": "name", "equals": "a" }), json!({ "field": "name", "equals": "b" }));
        let open = json!({ "value": "[utcNow()]", "equals": "x" });
        check(&json!({ "allOf": [yes, yes] }), Some(true));
        check(&json!({ "allOf": [yes, no] }), Some(false));
        check(&json!({ "allOf": [no, open] }), Some(false));
        check(&json!({ "allOf": [yes, open] }), None);
        check(&json!({ "anyOf": [no, yes] }), Some(true));
        check(&json!({ "anyOf": [no, open] }), None);
        check(&json!({ "not": no }), Some(true));
        check(&json!({ "value": "[resourceGroup().location]", "equals": "West Europe" }), Some(true));
        check(&json!({ "value": "[toUpper(field('name'))]", "equals": "A" }), Some(true));
        check(&json!({ "field": "location", "notEquals": "[resourceGroup().location]" }), Some(false));
        let count = |rest: Json, operator: &str, number: u8| {
            let mut count = json!({ "field": "Microsoft.Storage/storageAccounts/rules[*]" });
            count["where"] = rest;
            json!({ "count": count, operator: number })
        };
        let is_open = json!({ "field": "Microsoft.Storage/storageAccounts/rules[*].port", "equals": 22 });
        check(&count(is_open, "equals", 1), Some(true));
        check(&count(Json::Null, "greater", 1), Some(true));
        check(&json!({ "nonsense": 1 }), None);
    }

    #[test]
    fn only_what_a_rule_is_about_is_judged() {
        let rule = |of: &str, effect: &str| {
            json!({ "properties": {
                "parameters": { "effect": { "defaultValue": effect }, "tls": { "defaultValue": "TLS1_2" } },
                "policyRule": {
                    "if": { "allOf": [
                        { "field": "type", "equals": of },
                        { "not": { "field": "Microsoft.Storage/storageAccounts/minimumTlsVersion", "equals": "[parameters('tls')]" } },
                    ] },
                    "then": { "effect": "[parameters('effect')]" },
                },
            } })
        };
        let storage = "Microsoft.Storage/storageAccounts";
        check_with(&rule(storage, "Audit"), json!({}), (true, Compliance::NonCompliant));
        let given = json!({ "tls": { "value": "TLS1_0" } });
        check_with(&rule(storage, "Deny"), given, (true, Compliance::Compliant));
        check_with(&rule("Microsoft.Web/sites", "Audit"), json!({}), (false, Compliance::Compliant));
        check_with(&rule(storage, "Manual"), json!({}), (true, Compliance::Unknown));
        check_with(&rule(storage, "AuditIfNotExists"), json!({}), (true, Compliance::NonCompliant));
    }
}
