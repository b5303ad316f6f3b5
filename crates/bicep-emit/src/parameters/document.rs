//! The parameters file in JSON.

use arm::expression::Expr;
use arm::{Secrets, culture};
use serde_json::{Map, Value as Json, json};

use super::{Assigned, ExtensionConfig, ExternalInput, ExternalInputForm, Parameters, SecretReference};

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#";

impl Parameters {
    /// Whether everything has a value, or an expression that will give one.
    pub fn is_complete(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The parameters file.
    pub fn document(&self) -> Json {
        let mut document = Map::new();
        document.insert("$schema".to_owned(), SCHEMA.into());
        document.insert("contentVersion".to_owned(), "1.0.0.0".into());
        let declared = self.assignments.iter().filter(|assignment| assignment.is_declared);
        let parameters: Map<String, Json> =
            declared.map(|it| (it.name.to_string(), self.assigned(&it.assigned, "reference"))).collect();
        document.insert("parameters".to_owned(), parameters.into());
        if !self.external_inputs.is_empty() {
            let (section, definitions) = self.definitions();
            document.insert(section.to_owned(), definitions.into());
        }
        if let Some(configs) = &self.extension_configs {
            let config = |config: &ExtensionConfig| {
                let properties = config
                    .properties
                    .iter()
                    .map(|(name, assigned)| (name.to_string(), self.assigned(assigned, "keyVaultReference")));
                (config.extension.to_string(), Json::Object(properties.collect()))
            };
            let configs = configs.iter().map(config);
            document.insert("extensionConfigs".to_owned(), Json::Object(configs.collect()));
        }
        if let Some(config) = &self.using_config {
            document.insert("usingConfig".to_owned(), self.assigned(config, "reference"));
        }
        document.into()
    }

    /// The section of external inputs: its name and its content.
    fn definitions(&self) -> (&'static str, Map<String, Json>) {
        let mut inputs: Vec<&ExternalInput> = self.external_inputs.iter().collect();
        let (section, kind) = match self.form {
            ExternalInputForm::Seed => ("externalInputs", "type"),
            ExternalInputForm::Azure => {
                inputs.sort_by(|a, b| culture::compare(&a.key, &b.key));
                ("externalInputDefinitions", "kind")
            }
        };
        let definition = |input: &&ExternalInput| {
            let mut members = Map::new();
            members.insert(kind.to_owned(), input.kind.as_str().into());
            if let Some(config) = &input.config {
                members.insert("config".to_owned(), config.clone());
            }
            (input.key.clone(), members.into())
        };
        (section, inputs.iter().map(definition).collect())
    }

    fn assigned(&self, assigned: &Assigned, reference: &str) -> Json {
        match assigned {
            Assigned::Value(value) => json!({ "value": value.to_json(Secrets::Shown) }),
            Assigned::Expression(expression) => json!({ "expression": format!("[{expression}]") }),
            Assigned::Secret(secret) => json!({ reference: self.secret(secret) }),
            Assigned::Failed => json!({}),
        }
    }

    pub(super) fn secret(&self, secret: &SecretReference) -> Json {
        let mut members = Map::new();
        members.insert("keyVault".to_owned(), json!({ "id": self.vault_id(&secret.vault) }));
        members.insert("secretName".to_owned(), text(&secret.name));
        if let Some(version) = &secret.version {
            members.insert("secretVersion".to_owned(), text(version));
        }
        members.into()
    }

    fn vault_id(&self, vault: &[arm::Value; 3]) -> Json {
        let [subscription, group, name] = vault;
        if let (Some(subscription), Some(group), Some(name)) =
            (subscription.as_str(), group.as_str(), name.as_str())
        {
            let id = format!(
                "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.KeyVault/vaults/{name}"
            );
            return id.into();
        }
        let kind: &[&str] = match self.form {
            ExternalInputForm::Seed => &["Microsoft.KeyVault/vaults"],
            // Azure's own compiler writes the two parts of the type one after the other.
            ExternalInputForm::Azure => &["Microsoft.KeyVault", "vaults"],
        };
        let mut arguments = vec![Expr::of_value(subscription), Expr::of_value(group)];
        arguments.extend(kind.iter().map(|part| Expr::string(*part)));
        arguments.push(Expr::of_value(name));
        format!("[{}]", Expr::call("resourceId", arguments)).into()
    }
}

/// A text of a reference: as it is, or the expression that gives it.
fn text(value: &arm::Value) -> Json {
    match value.as_str() {
        Some(text) => arm::document::escape(text).as_str().into(),
        None => format!("[{}]", Expr::of_value(value)).into(),
    }
}
