//! Whether two templates deploy the same. Two templates come in; both are expanded with the same sample values for their parameters at
//! the same place, and a verdict goes out: what one deploys and the other does not, which properties, dependencies and outputs differ.
//!
//! What only a deployment knows is compared as an expression in a normal form, in which ways of writing do not count: `format` and
//! `concat`, `reference` with and without a version, a name or an id. Names and texts that differ only in case are equal, as they are for the
//! service. More dependencies than before are allowed, lost ones are not.

mod normal_form;
mod sample;

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Finding, Verdict};
use serde_json::Value as Json;
use smol_str::SmolStr;

pub(crate) use self::normal_form::normal_text;
use self::normal_form::normal_value;
use self::sample::{Samples, place, sample_inputs};
use crate::difference::{Comparison, PropertyChange, changes};
use crate::expand::{Deployment, Expansion, Missing, Planned, Policy, Setup, Speculation};
use crate::parameters::{Inputs, Supplied};
use crate::state::NoState;
use crate::template::Template;
use crate::value::Value;

/// Two templates that should deploy the same.
#[derive(Clone, Copy)]
pub struct Pair<'t> {
    /// The template as it was.
    pub before: &'t Template,
    /// The template that should do the same.
    pub after: &'t Template,
    /// Parameters and outputs that are called otherwise in the new one: the old name, the new name.
    pub renamed: &'t [(String, String)],
    /// Parameter values that are known, by their old names; sample values stand in for the others.
    pub supplied: &'t Inputs,
}

/// The most findings that are told.
const MOST_FINDINGS: usize = 50;

/// Compares what two templates deploy. It is undetermined where the first cannot be evaluated.
pub fn compare(pair: Pair<'_>, budget: impl Fn() -> Budget) -> Verdict {
    let mut reason = None;
    // Sample values do not fit every template: one that splits a text or takes items of a list may need others.
    let none = Inputs::default();
    let attempts = [
        (Samples::Filled, pair.supplied),
        (Samples::Empty, pair.supplied),
        (Samples::Filled, &none),
        (Samples::Empty, &none),
        (Samples::Unknown, &none),
    ];
    for (samples, supplied) in attempts {
        let inputs = sample_inputs(pair.before, supplied, samples);
        let before = expand(pair.before, &inputs, &budget());
        if let Some(error) = before.errors.first() {
            reason.get_or_insert_with(|| error.message().to_owned());
            continue;
        }
        let after = expand(pair.after, &renamed(&inputs, pair.renamed), &budget());
        if let Some(error) = after.errors.first() {
            return Verdict::fail(format!("the new template cannot be evaluated: {}", error.message()));
        }
        let mut comparer = Comparer { renamed: pair.renamed, findings: Vec::new() };
        comparer.expansions(&before, &after, "");
        comparer.outputs(&before, &after);
        comparer.findings.truncate(MOST_FINDINGS);
        return if comparer.findings.is_empty() { Verdict::Pass } else { Verdict::Fail(comparer.findings) };
    }
    Verdict::undetermined(format!("the template cannot be evaluated: {}", reason.unwrap_or_default()))
}

fn expand(template: &Template, inputs: &Inputs, budget: &Budget) -> Expansion {
    let context = place();
    let policy = Policy { missing: Missing::Unknown, speculation: Speculation::Outputs, ..Policy::default() };
    let setup = Setup { template, inputs, context: &context, state: &NoState, budget, policy };
    Deployment::new(setup).expand()
}

fn renamed(inputs: &Inputs, names: &[(String, String)]) -> Inputs {
    let new_name = |old: &SmolStr| names.iter().find(|(known, _)| known == old).map(|(_, new)| new.as_str());
    let parameters = inputs.parameters.iter().map(|(name, supplied): (&SmolStr, &Supplied)| {
        (new_name(name).map_or_else(|| name.clone(), SmolStr::new), supplied.clone())
    });
    Inputs { parameters: parameters.collect(), external: inputs.external.clone() }
}

struct Comparer<'n> {
    renamed: &'n [(String, String)],
    findings: Vec<Finding>,
}

/// The resources of one level that are deployed, by what tells them apart.
type Deployed<'e> = BTreeMap<String, &'e Planned>;

impl Comparer<'_> {
    fn report(&mut self, path: &str, message: impl Into<String>) {
        self.findings.push(Finding::new(message).at(path));
    }

    /// Compares one level; `path` is the way of deployments to it.
    fn expansions(&mut self, before: &Expansion, after: &Expansion, path: &str) {
        let (old, new) = (deployed(before), deployed(after));
        let inside = |id: &str| if path.is_empty() { id.to_owned() } else { format!("{path} > {id}") };
        for (id, resource) in &old {
            match new.get(id) {
                Some(other) => self.resources(resource, other, &inside(id)),
                None => self.report(&inside(id), "is not deployed any more"),
            }
        }
        for id in new.keys().filter(|id| !old.contains_key(*id)) {
            self.report(&inside(id), "was not deployed before");
        }
        let (needs, reachable) = (edges(before), closure(&edges(after)));
        for (id, targets) in needs {
            let known = reachable.get(&id);
            for target in targets.iter().filter(|target| new.contains_key(*target) && **target != id) {
                if known.is_some_and(|known| !known.contains(target)) {
                    self.report(&inside(&id), format!("does not wait for {target} any more"));
                }
            }
        }
    }

    fn resources(&mut self, before: &Planned, after: &Planned, path: &str) {
        let version = |planned: &Planned| planned.api_version.as_ref().map(normal_value);
        // The version of a nested deployment is a matter of whoever writes it.
        let is_deployment = before.deployment.is_some() && after.deployment.is_some();
        if !is_deployment && version(before) != version(after) {
            self.report(path, "has another API version");
        }
        if normal_value(&before.condition) != normal_value(&after.condition) {
            self.report(path, "has another condition");
        }
        match (&before.deployment, &after.deployment) {
            (Some(old), Some(new)) => {
                if let (Some(old), Some(new)) = (&old.expansion, &new.expansion) {
                    self.expansions(old, new, path);
                } else {
                    // The template is elsewhere: what is handed to it is all that can be compared.
                    self.values(&values_of(&old.parameters), &values_of(&new.parameters), path);
                }
            }
            _ => self.values(&body(before), &body(after), path),
        }
    }

    fn values(&mut self, before: &Json, after: &Json, path: &str) {
        for change in changes(before, after, &AsTheService) {
            change.each_leaf(&mut |inner, leaf| {
                if !is_case_only(leaf) {
                    self.report(&format!("{path} {inner}"), describe(leaf));
                }
            });
        }
    }

    fn outputs(&mut self, before: &Expansion, after: &Expansion) {
        let all = |expansion: &Expansion| -> BTreeMap<String, Json> {
            let normal = |(name, output): &(SmolStr, crate::expand::OutputValue)| {
                (name.to_lowercase(), normal_value(&output.value))
            };
            expansion.outputs.iter().map(normal).collect()
        };
        let (old, new) = (all(before), all(after));
        for (name, value) in &old {
            let renamed = self.renamed.iter().find(|(old, _)| old.eq_ignore_ascii_case(name));
            let found = new.get(name).or_else(|| new.get(&renamed?.1.to_lowercase()));
            match found {
                Some(other) => {
                    let wrap = |value: &Json| serde_json::json!({ name: value });
                    self.values(&wrap(value), &wrap(other), "output");
                }
                None => self.report(&format!("output {name}"), "is not there any more"),
            }
        }
        if new.len() > old.len() {
            self.report("outputs", "there are more than before");
        }
    }
}

struct AsTheService;

impl Comparison for AsTheService {
    fn is_lenient(&self) -> bool {
        true
    }
}

fn is_case_only(leaf: &PropertyChange) -> bool {
    match (&leaf.before, &leaf.after) {
        (Some(Json::String(old)), Some(Json::String(new))) => json::eq_ignore_case(old, new),
        // An empty object or list says as little as an absent one.
        (Some(gone), None) => gone.as_object().is_some_and(serde_json::Map::is_empty),
        _ => false,
    }
}

fn describe(leaf: &PropertyChange) -> String {
    let text = |value: &Option<Json>| value.as_ref().map(json::to_compact);
    match (text(&leaf.before), text(&leaf.after)) {
        (Some(before), Some(after)) => format!("is {after}, was {before}"),
        (Some(before), None) => format!("is gone, was {before}"),
        (None, after) => format!("is new: {}", after.unwrap_or_default()),
    }
}

/// Members that say nothing to a provider.
const NOTES: &[&str] = &["comments", "metadata", "asserts", "id"];

fn body(planned: &Planned) -> Json {
    let mut body = normal_value(&planned.body);
    if let Some(members) = body.as_object_mut() {
        members.retain(|name, _| !NOTES.iter().any(|note| note.eq_ignore_ascii_case(name)));
    }
    body
}

/// The values of the parameters that a deployment is given.
fn values_of(parameters: &Value) -> Json {
    let mut normal = normal_value(parameters);
    if let Some(members) = normal.as_object_mut() {
        for member in members.values_mut() {
            if let Some(value) = member.get("value") {
                *member = value.clone();
            }
        }
    }
    normal
}

/// What tells a resource apart; resources of extensions by their type and symbol.
fn id_of(planned: &Planned) -> String {
    match (&planned.id, &planned.symbol) {
        (Some(id), _) => normal_text(id),
        (None, symbol) => {
            format!("{} {}", normal_text(&planned.resource_type), symbol.as_deref().unwrap_or_default())
        }
    }
}

/// Ids of all resources by position; several with the same id are numbered. Only read ones have none.
fn ids(expansion: &Expansion) -> Vec<Option<String>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let number = |planned: &Planned| {
        let id = id_of(planned);
        let count = counts.entry(id.clone()).or_default();
        *count += 1;
        if *count == 1 { id } else { format!("{id} ({count})") }
    };
    let mut number = number;
    expansion.resources.iter().map(|planned| (!planned.existing).then(|| number(planned))).collect()
}

fn deployed(expansion: &Expansion) -> Deployed<'_> {
    ids(expansion)
        .into_iter()
        .zip(&expansion.resources)
        .filter_map(|(id, planned)| Some((id?, planned)))
        .collect()
}

/// Which resource waits for which.
fn edges(expansion: &Expansion) -> BTreeMap<String, BTreeSet<String>> {
    let ids = ids(expansion);
    let of = |planned: &Planned| {
        planned
            .depends_on
            .iter()
            .filter_map(|at| ids.get(*at).cloned().flatten())
            .collect::<BTreeSet<String>>()
    };
    ids.iter()
        .zip(&expansion.resources)
        .filter_map(|(id, planned)| Some((id.clone()?, of(planned))))
        .collect()
}

/// What everything waits for, also by way of others.
fn closure(edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let reach = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = vec![start];
        while let Some(next) = open.pop() {
            for target in edges.get(next).into_iter().flatten() {
                if seen.insert(target.clone()) {
                    open.push(target);
                }
            }
        }
        seen
    };
    edges.keys().map(|id| (id.clone(), reach(id))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(before: &Json, after: &Json, expected: &[&str]) {
        let template = |parts: &Json| {
            let mut whole = json!({
                "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                "contentVersion": "1.0.0.0", "resources": [],
            });
            for (name, value) in parts.as_object().into_iter().flatten() {
                whole[name] = value.clone();
            }
            let parsed = json::parse(&whole.to_string(), json::Options::lenient());
            let (template, errors) = Template::read(&parsed.root.unwrap());
            assert!(errors.is_empty(), "{errors:?}");
            template
        };
        let (before, after) = (template(before), template(after));
        let pair = Pair { before: &before, after: &after, renamed: &[], supplied: &Inputs::default() };
        let found = match compare(pair, || Budget::new(base::Limits::default())) {
            Verdict::Pass => Vec::new(),
            Verdict::Fail(findings) => {
                findings.iter().map(|it| format!("{}: {}", it.path, it.message)).collect()
            }
            Verdict::Undetermined(reasons) => reasons.into_iter().map(|it| it.message).collect(),
        };
        assert_eq!(found, expected);
    }

    fn account(name: &str, more: &Json) -> Json {
        let mut account = json!({
            "type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": name, "kind": "StorageV2",
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            account[name] = value.clone();
        }
        account
    }

    const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourcegroups/group/providers";

    #[test]
    fn ways_of_writing_do_not_count() {
        let parameters = json!({ "p": { "type": "string" } });
        check(
            &json!({ "parameters": parameters, "resources": [account("[concat(parameters('p'), '-a')]", &json!({ "Tags": {} }))],
                     "outputs": { "o": { "type": "string", "value": "[concat('x', reference('p-a').z)]" } } }),
            &json!({ "parameters": parameters, "resources": [account("[format('{0}-a', parameters('p'))]", &json!({ "tags": {} }))],
                     "outputs": { "o": { "type": "string", "value":
                        "[format('x{0}', reference(resourceId('Microsoft.Storage/storageAccounts', 'p-a'), '2023-01-01', 'full').properties.z)]" } } }),
            &[],
        );
    }

    #[test]
    fn differences_are_told_with_their_paths() {
        let id = |name: &str| format!("{GROUP}/microsoft.storage/storageaccounts/{name}");
        check(
            &json!({ "resources": [account("a", &json!({ "tags": { "x": "1" } })), account("b", &json!({ "dependsOn": ["a"] })), account("c", &json!({}))] }),
            &json!({ "resources": [account("a", &json!({ "tags": { "x": "2" } })), account("b", &json!({})), account("d", &json!({}))] }),
            &[
                &format!("{} tags.x: is \"2\", was \"1\"", id("a")),
                &format!("{}: is not deployed any more", id("c")),
                &format!("{}: was not deployed before", id("d")),
                &format!("{}: does not wait for {} any more", id("b"), id("a")),
            ],
        );
    }

    #[test]
    fn what_cannot_be_evaluated_is_undetermined() {
        let wrong = json!({ "outputs": { "o": { "type": "int", "value": "[int('x')]" } } });
        let template = json!({});
        let parts = [&wrong, &template];
        let [before, after] = parts;
        check(
            before,
            after,
            &[
                "the template cannot be evaluated: The template function 'int' cannot be evaluated: the text is not a whole number.",
            ],
        );
    }
}
