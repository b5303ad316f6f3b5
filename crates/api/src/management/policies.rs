//! How resources comply with policies: the Policy Insights API.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use deploy::{ArmError, Engine, Paging};
use serde_json::{Value, json};

use super::paging;
use crate::dispatch::Call;
use crate::errors;
use crate::filter::FilterExpression;
use crate::reply::{Answer, Content, Reply};
use crate::route::{PolicyQuery, PolicyQueryPart};

/// Answers a question about policies.
pub(super) async fn answer(engine: &Engine, query: &PolicyQuery, call: &Call<'_>) -> Answer {
    match query.part {
        PolicyQueryPart::States => states(engine, &query.about, call).await,
        PolicyQueryPart::Summary => summary(engine, &query.about, call).await,
        // States are made when somebody asks for them.
        PolicyQueryPart::Evaluation => Ok(Reply::new(StatusCode::OK, Content::Nothing)),
    }
}

async fn states(engine: &Engine, about: &str, call: &Call<'_>) -> Answer {
    let wanted = paging(call)?;
    // Filters and orders are about states, so the number that is wanted is counted after them.
    let (found, next) = match (wanted.top, call.query.get("$orderby")) {
        (None, None) => {
            let page = engine.policy_states(about, &wanted).await?;
            (filtered(page.items, call)?, page.next)
        }
        (top, order) => {
            let mut all = filtered(all(engine, about).await?, call)?;
            sort(&mut all, order.unwrap_or_default());
            all.truncate(top.unwrap_or(usize::MAX));
            (all, None)
        }
    };
    let next =
        next.map(|next| format!("{}{}?{}", call.origin, call.path, call.query.with("$skiptoken", &next)));
    Ok(Reply::ok(json!({
        "@odata.context": context(call, "#latest"),
        "@odata.count": found.len(),
        "@odata.nextLink": next,
        "value": found,
    })))
}

/// All states, page by page.
async fn all(engine: &Engine, about: &str) -> Result<Vec<Value>, ArmError> {
    let (mut all, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = engine.policy_states(about, &Paging { top: None, after: after.as_deref() }).await?;
        all.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

/// The states that are wanted, with the members that are wanted.
fn filtered(mut states: Vec<Value>, call: &Call<'_>) -> Result<Vec<Value>, ArmError> {
    if call.query.get("$apply").is_some() {
        return Err(errors::not_supported("$apply"));
    }
    if let Some(filter) = call.query.get("$filter").map(FilterExpression::parse).transpose()? {
        states.retain(|state| filter.fits(state));
    }
    if let Some(select) = call.query.get("$select") {
        let wanted: Vec<&str> = select.split(',').map(str::trim).collect();
        for members in states.iter_mut().filter_map(Value::as_object_mut) {
            members.retain(|name, _| {
                name.starts_with('@') || wanted.iter().any(|it| it.eq_ignore_ascii_case(name))
            });
        }
    }
    Ok(states)
}

/// Sorts by `name desc, other`.
fn sort(states: &mut [Value], order: &str) {
    // The sort is stable: what counts most comes last.
    for clause in order.split(',').rev() {
        let mut words = clause.split_whitespace();
        let Some(name) = words.next() else { continue };
        let text = |state: &Value| {
            let members = state.as_object().into_iter().flatten();
            members
                .into_iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, it)| it.to_string())
        };
        states.sort_by_cached_key(text);
        if words.next().is_some_and(|word| word.eq_ignore_ascii_case("desc")) {
            states.reverse();
        }
    }
}

fn context(call: &Call<'_>, what: &str) -> String {
    let start = call.path.rsplit_once('/').map_or(call.path, |(start, _)| start);
    let start = start.rsplit_once('/').map_or(start, |(start, _)| start);
    format!("{}{start}/$metadata{what}", call.origin)
}

/// How many resources and policies do not comply, for each assignment and each of its policies.
async fn summary(engine: &Engine, about: &str, call: &Call<'_>) -> Answer {
    let states = filtered(all(engine, about).await?, call)?;
    let mut assignments: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for state in &states {
        assignments.entry(text(state, "policyAssignmentId")).or_default().push(state);
    }
    let of_assignment = |(id, states): (&String, &Vec<&Value>)| {
        let mut definitions: BTreeMap<(String, String), Vec<&Value>> = BTreeMap::new();
        for state in states {
            let policy = (text(state, "policyDefinitionId"), text(state, "policyDefinitionReferenceId"));
            definitions.entry(policy).or_default().push(state);
        }
        let definitions = definitions.iter().map(|((id, reference), states)| {
            json!({
                "policyDefinitionId": id, "policyDefinitionReferenceId": reference,
                "effect": states.first().map(|state| state["policyDefinitionAction"].clone()),
                "results": results(states),
            })
        });
        json!({
            "policyAssignmentId": id,
            "policySetDefinitionId": states.first().map(|state| state["policySetDefinitionId"].clone()),
            "results": results(states),
            "policyDefinitions": definitions.collect::<Vec<_>>(),
        })
    };
    let every: Vec<&Value> = states.iter().collect();
    Ok(Reply::ok(json!({
        "@odata.context": context(call, "#summary"),
        "@odata.count": 1,
        "value": [{
            "@odata.id": null,
            "@odata.context": context(call, "#summary/$entity"),
            "results": results(&every),
            "policyAssignments": assignments.iter().map(of_assignment).collect::<Vec<_>>(),
        }],
    })))
}

fn text(state: &Value, name: &str) -> String {
    state[name].as_str().unwrap_or_default().to_owned()
}

/// The figures of some states. A resource is as bad as the worst of its states.
fn results(states: &[&Value]) -> Value {
    let mut resources: BTreeMap<String, bool> = BTreeMap::new();
    let mut policies = BTreeSet::new();
    for state in states {
        let complies = state["isCompliant"].as_bool().unwrap_or(true);
        *resources.entry(text(state, "resourceId").to_lowercase()).or_insert(true) &= complies;
        if !complies {
            policies.insert((text(state, "policyAssignmentId"), text(state, "policyDefinitionId")));
        }
    }
    let bad = resources.values().filter(|complies| !**complies).count();
    json!({
        "queryResultsUri": null,
        "nonCompliantResources": bad,
        "nonCompliantPolicies": policies.len(),
        "resourceDetails": [
            { "complianceState": "compliant", "count": resources.len() - bad },
            { "complianceState": "noncompliant", "count": bad },
        ],
        "policyDetails": [],
        "policyGroupDetails": [],
    })
}
