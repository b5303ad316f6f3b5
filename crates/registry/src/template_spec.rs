//! Template specs: they are kept by the resource manager of a cloud, which wants a token. What comes in is a reference
//! and where the cloud is; what goes out is the document of the template spec, in the cache.

use std::process::Command;

use base::World;
use config::Cloud;
use config::reference::{ArtifactKind, TemplateSpecReference};
use serde::Deserialize;
use serde_json::Value;

use crate::cache::{Cache, Stored, Writer};
use crate::client::{Client, Patience};
use crate::credential_program::run_credential_program;
use crate::digest::Digest;
use crate::error::Error;
use crate::manifest::MAIN;
use crate::runtime;

/// A cloud and how to prove to it who we are.
#[derive(Clone)]
pub struct Azure {
    /// The address of the resource manager.
    endpoint: String,
    /// The address that issues tokens.
    authority: String,
    /// Where tokens come from, tried in this order.
    credentials: Vec<Credential>,
}

/// Where tokens come from.
#[derive(Clone)]
enum Credential {
    /// The Azure CLI, in which somebody has logged in.
    Cli,
    /// An application with a secret, from the environment.
    Application { tenant: String, client: String, secret: String },
}

/// Larger documents are refused: the service takes templates of 2 MB.
const MAX_DOCUMENT: u64 = 32 << 20;

const API_VERSION: &str = "2021-05-01";

impl Azure {
    /// The cloud of a configuration, with the credentials that its precedence allows.
    pub fn of(cloud: &Cloud, world: &dyn World) -> Self {
        let variable = |name: &str| world.variable(name).filter(|value| !value.is_empty());
        let application = || {
            Some(Credential::Application {
                tenant: variable("AZURE_TENANT_ID")?,
                client: variable("AZURE_CLIENT_ID")?,
                secret: variable("AZURE_CLIENT_SECRET")?,
            })
        };
        let credential = |name: &str| match name {
            "AzureCLI" => Some(Credential::Cli),
            "Environment" => application(),
            _ => None,
        };
        Self {
            endpoint: cloud.resource_manager_endpoint.trim_end_matches('/').to_owned(),
            authority: cloud.active_directory_authority.trim_end_matches('/').to_owned(),
            credentials: cloud.credential_precedence.iter().filter_map(|name| credential(name)).collect(),
        }
    }

    /// A token for the resource manager, from the first place that gives one.
    pub async fn token(&self) -> Result<String, Error> {
        token(&Client::new(Patience::default(), None)?, self).await
    }
}

/// The template spec in the cache, if it is there.
pub(crate) fn find(cache: &Cache, reference: &TemplateSpecReference) -> Option<Stored> {
    let folder = cache.template_spec_folder(reference);
    let bytes = std::fs::read(folder.join(MAIN)).ok()?;
    is_template_spec(&bytes).then(|| Stored {
        folder,
        digest: Digest::of(&bytes),
        kind: ArtifactKind::Module,
    })
}

/// Fetches a template spec into the cache.
pub(crate) async fn fetch(
    client: &Client,
    azure: &Azure,
    reference: &TemplateSpecReference,
    writer: &Writer,
) -> Result<Stored, Error> {
    let token = token(client, azure).await?;
    let address = format!("{}{}?api-version={API_VERSION}", azure.endpoint, reference.resource_id());
    let bytes = client.document(&address, Some(&token), None, MAX_DOCUMENT).await?;
    if !is_template_spec(&bytes) {
        return Err(Error::Manifest("the answer of the service is not a template spec".to_owned()));
    }
    writer.begin()?;
    writer.write(MAIN, &bytes)?;
    let folder = writer.folder().to_owned();
    Ok(Stored { folder, digest: Digest::of(&bytes), kind: ArtifactKind::Module })
}

/// Whether these bytes are the document of a template spec, or a template as older programs kept it.
fn is_template_spec(bytes: &[u8]) -> bool {
    let document: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let template = document.pointer("/properties/mainTemplate").unwrap_or(&document);
    template.get("resources").is_some()
}

/// A token from the first place that gives one.
async fn token(client: &Client, azure: &Azure) -> Result<String, Error> {
    let mut last = Error::Credentials(
        "sign in with `az login`, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET".to_owned(),
    );
    for credential in &azure.credentials {
        let token = match credential {
            Credential::Cli => token_of_cli(azure.endpoint.clone()).await,
            Credential::Application { tenant, client: id, secret } => {
                let form = [
                    ("client_id", id.as_str()),
                    ("client_secret", secret),
                    ("grant_type", "client_credentials"),
                    ("scope", &format!("{}/.default", azure.endpoint)),
                ];
                let address = format!("{}/{tenant}/oauth2/v2.0/token", azure.authority);
                let answer = client.document(&address, None, Some(&form), MAX_TOKEN).await;
                answer.and_then(|bytes| read_token(&bytes))
            }
        };
        match token {
            Ok(token) => return Ok(token),
            Err(error) => last = error,
        }
    }
    Err(last)
}

const MAX_TOKEN: u64 = 256 << 10;

/// Asks the Azure CLI, which may take a while.
async fn token_of_cli(endpoint: String) -> Result<String, Error> {
    let ask = move || {
        let mut command = Command::new(if cfg!(windows) { "az.cmd" } else { "az" });
        command.args(["account", "get-access-token", "--output", "json", "--resource", &endpoint]);
        match run_credential_program(command, "az account get-access-token", "")? {
            (true, output) => read_token(output.as_bytes()),
            (false, _) => Err(Error::Credentials(
                "`az account get-access-token` failed: sign in with `az login`".to_owned(),
            )),
        }
    };
    runtime::blocking(ask).await
}

/// Both the Azure CLI and the service of tokens answer with a document, in which the token has one of two names.
#[derive(Deserialize)]
struct TokenAnswer {
    #[serde(alias = "accessToken")]
    access_token: String,
}

fn read_token(bytes: &[u8]) -> Result<String, Error> {
    let answer: TokenAnswer = serde_json::from_slice(bytes)
        .map_err(|_| Error::Credentials("the answer has no access token".to_owned()))?;
    Ok(answer.access_token)
}
