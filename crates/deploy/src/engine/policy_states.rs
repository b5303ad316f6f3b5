//! How resources comply with the policies that are assigned to them: stored assignments, definitions and resources come in; the
//! states of the Policy Insights API go out. They are made when somebody asks, so they are always of now.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};

use super::Engine;
use super::locks::is_below;
use crate::error::ArmError;
use crate::policy::{Policy, Subject};
use crate::scope::{GROUP_TYPE, ResourceId, Scope, group_key, key, subscription_key};
use crate::store::{Page, Paging, ResourceRow};

const ASSIGNMENT_TYPE: &str = "Microsoft.Authorization/policyAssignments";
const DEFINITION_TYPE: &str = "Microsoft.Authorization/policyDefinitions";
const SET_TYPE: &str = "Microsoft.Authorization/policySetDefinitions";
const EXEMPTION_TYPE: &str = "Microsoft.Authorization/policyExemptions";

/// How policies name the type of resource groups.
const GROUP_TYPE_OF_POLICIES: &str = "Microsoft.Resources/subscriptions/resourceGroups";

/// A policy that is assigned to a scope, alone or as part of a set.
struct AssignedPolicy {
    assignment: Json,
    /// The key of the scope that it is assigned to.
    scope: String,
    definition: Json,
    set: Option<Json>,
    /// How the set calls it.
    reference: Option<Json>,
    /// The values of its parameters.
    given: Map<String, Json>,
}

/// A query of policy states.
struct PolicyStateQuery {
    /// The key of the scope, or of the resource.
    scope: String,
    /// The key of the assignment, the definition or the set that states are wanted of; of all of them, if there is none.
    policy: Option<String>,
}

impl PolicyStateQuery {
    fn new(about: &str) -> Self {
        let about_key = key(about);
        let parts = ResourceId::parse(about);
        let of = parts.as_ref().map(|parts| parts.resource_type.as_str()).unwrap_or_default();
        let is = |known: &str| of.eq_ignore_ascii_case(known);
        match parts.as_ref() {
            Some(parts) if is(ASSIGNMENT_TYPE) => Self { scope: key(&parts.scope), policy: Some(about_key) },
            Some(_) if is(DEFINITION_TYPE) || is(SET_TYPE) => {
                Self { scope: subscription_key(&about_key), policy: Some(about_key) }
            }
            _ => Self { scope: about_key, policy: None },
        }
    }

    fn wants(&self, assigned: &AssignedPolicy) -> bool {
        let Some(wanted) = &self.policy else { return true };
        let id = |document: &Json| document["id"].as_str().map(key);
        let ids = [id(&assigned.assignment), id(&assigned.definition), assigned.set.as_ref().and_then(id)];
        ids.iter().flatten().any(|id| id == wanted)
    }
}

impl Engine {
    /// The states of the resources at a scope or below it, a page of resources after the other: one for each resource and each
    /// policy that is about it. `about` may also be the id of a policy or an assignment, whose states are wanted then.
    pub async fn policy_states(&self, about: &str, paging: &Paging<'_>) -> Result<Page, ArmError> {
        let question = PolicyStateQuery::new(about);
        let mut assigned = self.assigned_policies().await?;
        assigned.retain(|assigned| question.wants(assigned));
        let exemptions = self.documents_of_type(EXEMPTION_TYPE).await?;
        let mut rows = Vec::new();
        let is_first = paging.after.is_none();
        if let Some(row) = self.inner.store.resource(&question.scope).await?.filter(|_| is_first) {
            rows.push(row);
        }
        let whole = Paging { top: None, after: paging.after };
        let item = |row: &ResourceRow| Some(json!({ "id": row.id, "document": row.document }));
        let found = self.inner.store.resources_page(&question.scope, None, &whole, item).await?;
        let text = |value: &Json, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let below = found.items.iter().map(|item| (text(item, "id"), text(item, "document")));
        let all = rows.into_iter().map(|row| (row.id, row.document)).chain(below);
        let mut groups = HashMap::new();
        let mut states = Vec::new();
        for (id, document) in all {
            let Some(document) = crate::stored::object(&document) else { continue };
            let Some(parts) = ResourceId::parse(&id) else { continue };
            if parts.resource_type.to_lowercase().starts_with("microsoft.authorization/") {
                continue;
            }
            let group = match group_key(&id) {
                Some(group) => {
                    if !groups.contains_key(&group) {
                        groups.insert(group.clone(), self.inner.documents.read(&group).await?);
                    }
                    groups.get(&group).and_then(Option::as_ref)
                }
                None => None,
            };
            let is_group = parts.resource_type == GROUP_TYPE;
            let resource_type = if is_group { GROUP_TYPE_OF_POLICIES } else { parts.resource_type.as_str() };
            let subject = Subject { id: &id, resource_type, document: &document, group };
            for assigned in &assigned {
                states.extend(self.state(assigned, &subject, &exemptions).await?);
            }
        }
        let top = paging.top.unwrap_or(usize::MAX);
        let next = found.next.filter(|_| states.len() < top);
        states.truncate(top);
        Ok(Page { items: states, next })
    }

    /// The state of a resource under a policy; none if the policy is not about it.
    async fn state(
        &self,
        assigned: &AssignedPolicy,
        subject: &Subject<'_>,
        exemptions: &[Json],
    ) -> Result<Option<Json>, ArmError> {
        let id = key(subject.id);
        let is_in_scope = is_below(&id, &assigned.scope) && !assigned.excludes(&id);
        let policy = Policy::new(&assigned.definition, &assigned.given);
        let effect = policy.effect(subject);
        if !is_in_scope || !assigned.looks_at(subject) || effect == "disabled" || !policy.applies_to(subject)
        {
            return Ok(None);
        }
        let related = self.related(&policy, subject).await?;
        let related: Vec<Subject<'_>> = related
            .iter()
            .map(|(id, of, document)| Subject { id, resource_type: of, document, group: subject.group })
            .collect();
        let compliance = match exemptions.iter().any(|exemption| assigned.is_exempt(exemption, &id)) {
            true => "Exempt",
            false => policy.compliance(subject, &related).name(),
        };
        Ok(Some(assigned.state(subject, &effect, compliance)))
    }

    /// The resources that a policy may ask for beside one: of a type below it, or in its group.
    async fn related(
        &self,
        policy: &Policy<'_>,
        subject: &Subject<'_>,
    ) -> Result<Vec<(String, String, Json)>, ArmError> {
        let Some((of, name)) = policy.related_type(subject) else { return Ok(Vec::new()) };
        let is_child = of.to_lowercase().starts_with(&format!("{}/", subject.resource_type.to_lowercase()));
        let scope = match group_key(subject.id) {
            Some(group) if !is_child => group,
            _ => key(subject.id),
        };
        let mut found = Vec::new();
        for row in self.inner.store.resources_of_type(&scope, &of).await? {
            let has_name = |wanted: &String| {
                let parts = ResourceId::parse(&row.id);
                parts.is_some_and(|it| {
                    it.name().eq_ignore_ascii_case(wanted) || it.names.last() == Some(wanted)
                })
            };
            if name.as_ref().is_none_or(has_name)
                && let Some(document) = crate::stored::object(&row.document)
            {
                found.push((row.id, of.clone(), document));
            }
        }
        Ok(found)
    }

    /// All policies that are assigned somewhere and whose definition is stored.
    async fn assigned_policies(&self) -> Result<Vec<AssignedPolicy>, ArmError> {
        let definitions = self.by_id(DEFINITION_TYPE).await?;
        let sets = self.by_id(SET_TYPE).await?;
        let mut all = Vec::new();
        for assignment in self.documents_of_type(ASSIGNMENT_TYPE).await? {
            let Some(parts) = member(&assignment, "id").as_str().and_then(ResourceId::parse) else {
                continue;
            };
            let definition = assignment.pointer("/properties/policyDefinitionId").and_then(Json::as_str);
            let definition = definition.map(key).unwrap_or_default();
            let given = parameters(member(&assignment, "properties"));
            let assigned = |definition: &Json| AssignedPolicy {
                assignment: assignment.clone(),
                scope: key(&parts.scope),
                definition: definition.clone(),
                set: None,
                reference: None,
                given: given.clone(),
            };
            if let Some(definition) = definitions.get(&definition) {
                all.push(assigned(definition));
            }
            let Some(set) = sets.get(&definition) else { continue };
            let members = set.pointer("/properties/policyDefinitions").and_then(Json::as_array);
            for member in members.into_iter().flatten() {
                let id = member["policyDefinitionId"].as_str().map(key).unwrap_or_default();
                let Some(definition) = definitions.get(&id) else { continue };
                all.push(AssignedPolicy {
                    set: Some(set.clone()),
                    reference: Some(member["policyDefinitionReferenceId"].clone()),
                    given: in_set(set, &given, &parameters(member)),
                    ..assigned(definition)
                });
            }
        }
        Ok(all)
    }

    async fn documents_of_type(&self, of: &str) -> Result<Vec<Json>, ArmError> {
        let rows = self.inner.store.resources_of_type("", of).await?;
        Ok(rows.iter().filter_map(|row| crate::stored::object(&row.document)).collect())
    }

    async fn by_id(&self, of: &str) -> Result<HashMap<String, Json>, ArmError> {
        let all = self.documents_of_type(of).await?.into_iter();
        Ok(all.filter_map(|document| Some((member(&document, "id").as_str().map(key)?, document))).collect())
    }
}

impl AssignedPolicy {
    /// Whether the assignment leaves a resource out.
    fn excludes(&self, id: &str) -> bool {
        let scopes = self.assignment.pointer("/properties/notScopes").and_then(Json::as_array);
        scopes.into_iter().flatten().filter_map(Json::as_str).any(|scope| is_below(id, &key(scope)))
    }

    /// Whether the mode of the policy has such resources: `Indexed` only those with a region.
    fn looks_at(&self, subject: &Subject<'_>) -> bool {
        let mode = self.definition.pointer("/properties/mode").and_then(Json::as_str).unwrap_or("All");
        let is_group = subject.resource_type == GROUP_TYPE_OF_POLICIES;
        match mode.to_lowercase().as_str() {
            "all" => true,
            "indexed" => !is_group && subject.document["location"].is_string(),
            // Modes of data planes look into resources, which are not here.
            _ => false,
        }
    }

    fn is_exempt(&self, exemption: &Json, id: &str) -> bool {
        let scope = exemption["id"].as_str().and_then(ResourceId::parse).map(|parts| key(&parts.scope));
        let of = exemption.pointer("/properties/policyAssignmentId").and_then(Json::as_str).map(key);
        let references =
            exemption.pointer("/properties/policyDefinitionReferenceIds").and_then(Json::as_array);
        let is_reference = references
            .is_none_or(|all| all.is_empty() || self.reference.as_ref().is_some_and(|it| all.contains(it)));
        let expires = exemption.pointer("/properties/expiresOn").and_then(Json::as_str);
        let is_valid = expires.is_none_or(|end| end > crate::clock::timestamp(crate::clock::now()).as_str());
        of.is_some_and(|of| Some(of) == member(&self.assignment, "id").as_str().map(key))
            && scope.is_some_and(|scope| is_below(id, &scope))
            && is_reference
            && is_valid
    }

    /// A state as the API has it.
    fn state(&self, subject: &Subject<'_>, effect: &str, compliance: &str) -> Json {
        let scope = Scope::parse(&group_key(subject.id).unwrap_or_default());
        let group = match &scope {
            Some(Scope::ResourceGroup { group, .. }) => group.as_str(),
            _ => "",
        };
        let subscription = subscription_key(&key(subject.id));
        let set = |name: &str| self.set.as_ref().map(|set| set[name].clone());
        let scope_of_assignment = member(&self.assignment, "id").as_str().and_then(ResourceId::parse);
        let given = match self.given.is_empty() {
            true => Json::Null,
            false => json!(Json::Object(self.given.clone()).to_string()),
        };
        json!({
            "@odata.id": null,
            "@odata.context": "$metadata#latest/$entity",
            "timestamp": crate::clock::timestamp(crate::clock::now()),
            "resourceId": subject.id,
            "policyAssignmentId": member(&self.assignment, "id"),
            "policyDefinitionId": member(&self.definition, "id"),
            "effectiveParameters": given,
            "isCompliant": compliance != "NonCompliant",
            "subscriptionId": subscription.rsplit('/').next(),
            "resourceType": subject.resource_type,
            "resourceLocation": subject.document["location"],
            "resourceGroup": group,
            "resourceTags": match &subject.document["tags"] {
                Json::Null => json!("tbd"),
                tags => json!(tags.to_string()),
            },
            "policyAssignmentName": member(&self.assignment, "name"),
            "policyAssignmentOwner": "tbd",
            "policyAssignmentParameters": self.assignment.pointer("/properties/parameters").map(Json::to_string),
            "policyAssignmentScope": scope_of_assignment.map(|parts| parts.scope),
            "policyDefinitionName": member(&self.definition, "name"),
            "policyDefinitionAction": effect,
            "policyDefinitionCategory": self.definition.pointer("/properties/metadata/category"),
            "policySetDefinitionId": set("id"),
            "policySetDefinitionName": set("name"),
            "policyDefinitionReferenceId": self.reference,
            "managementGroupIds": "",
            "complianceState": compliance,
        })
    }
}

/// A member of a document; null if it is not there.
fn member<'j>(document: &'j Json, name: &str) -> &'j Json {
    document.get(name).unwrap_or(&Json::Null)
}

fn parameters(of: &Json) -> Map<String, Json> {
    of.get("parameters").and_then(Json::as_object).cloned().unwrap_or_default()
}

/// The parameters of a policy in a set: where they are those of the set, `[parameters('x')]`, they are what the assignment gives
/// or the set's default.
fn in_set(set: &Json, assigned: &Map<String, Json>, member: &Map<String, Json>) -> Map<String, Json> {
    let given = |value: &Json| {
        let name = value.as_str()?.strip_prefix("[parameters('")?.strip_suffix("')]")?;
        let assigned = assigned.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let declared = set.pointer("/properties/parameters").and_then(Json::as_object);
        let declared = declared.into_iter().flatten().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let given = assigned.and_then(|(_, given)| given.get("value"));
        given.or_else(|| declared?.1.get("defaultValue")).cloned()
    };
    let one = |(name, value): (&String, &Json)| {
        let value = value.get("value").unwrap_or(&Json::Null);
        (name.clone(), json!({ "value": given(value).unwrap_or_else(|| value.clone()) }))
    };
    member.iter().map(one).collect()
}
