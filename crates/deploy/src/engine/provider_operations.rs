//! The operations of resource providers, as roles name them: types come in, `Microsoft.Storage/storageAccounts/read` and the like go
//! out.

use serde_json::{Value as Json, json};

use super::Engine;
use crate::error::ArmError;
use crate::messages;

/// What can be done with resources of every type.
const VERBS: [(&str, &str); 3] = [
    ("read", "Reads one or lists all of them."),
    ("write", "Creates one or changes it."),
    ("delete", "Deletes one."),
];

impl Engine {
    /// The operations of all providers, or of one, each with its types.
    pub async fn provider_operations(&self, namespace: Option<&str>) -> Result<Vec<Json>, ArmError> {
        let providers = self.providers(namespace).await?;
        let text = |value: &Json, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let mut all = Vec::new();
        for provider in &providers {
            let namespace = text(provider, "namespace");
            let types = provider["resourceTypes"].as_array().into_iter().flatten();
            let types: Vec<Json> =
                types.map(|of| self.operations_of_type(&namespace, &text(of, "resourceType"))).collect();
            if types.is_empty() {
                return Err(messages::provider_not_found(&namespace));
            }
            all.push(json!({
                "id": format!("/providers/Microsoft.Authorization/providerOperations/{namespace}"),
                "name": namespace,
                "type": "Microsoft.Authorization/providerOperations",
                "displayName": namespace,
                "operations": VERBS_OF_PROVIDER.map(|(verb, what)| operation(&format!("{namespace}/{verb}"), verb, what)),
                "resourceTypes": types,
            }));
        }
        Ok(all)
    }

    fn operations_of_type(&self, namespace: &str, short: &str) -> Json {
        let full = format!("{namespace}/{short}");
        let verbs = VERBS.map(|(verb, what)| operation(&format!("{full}/{verb}"), verb, what));
        let actions =
            self.inner.options.types.actions(&full).into_iter().map(|action| {
                operation(&format!("{full}/{action}/action"), &action, "Runs this action on one.")
            });
        let operations: Vec<Json> = verbs.into_iter().chain(actions).collect();
        json!({ "name": short, "displayName": short, "operations": operations })
    }
}

/// What can be done with a provider itself.
const VERBS_OF_PROVIDER: [(&str, &str); 2] = [
    ("register/action", "Registers the provider with a subscription."),
    ("unregister/action", "Removes the registration."),
];

fn operation(name: &str, shown: &str, description: &str) -> Json {
    json!({
        "name": name, "displayName": shown, "description": description,
        "origin": "user,system", "properties": null, "isDataAction": false,
    })
}
