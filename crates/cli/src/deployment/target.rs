//! Where a deployment runs: in an engine of this process, or on a server.

pub(crate) mod remote;

use std::sync::Arc;

use bicep_types::ResourceTypes;
use bicep_types::resources::Flavour;
use camino::{Utf8Path, Utf8PathBuf};
use deploy::provider::{Extensions, Types};
use deploy::{ArmError, DeploymentId, Engine, Location, Options, Paging, Scope};
use registry::home;
use serde_json::{Value as Json, json};

use self::remote::Remote;
use super::Prepared;
use super::source::Source;
use crate::catalogue;
use crate::failure::Failure;
use crate::session::Session;

/// The options about who deploys.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Target")]
pub(crate) struct TargetArgs {
    /// The URL of a server; SINEW_TOKEN is its token
    #[arg(long, value_name = "URL", conflicts_with = "state")]
    pub(crate) endpoint: Option<String>,

    /// An additional certificate authority to trust
    #[arg(long, value_name = "FILE", requires = "endpoint")]
    pub(crate) authority: Option<Utf8PathBuf>,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// The options about an engine of this process.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EngineArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,

    /// The program that creates the resources of an extension
    #[arg(long, value_name = "NAME=PROGRAM")]
    pub(crate) extension: Vec<String>,

    /// The folder that `templateLink` may name files of, with `uri` (`file:`) or `relativePath`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) linked_templates: Option<Utf8PathBuf>,

    /// The file with the key that secrets of key vaults are sealed with [default: the state file with `.key` added]
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_key: Option<Utf8PathBuf>,
}

/// The option about the state.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct StateArgs {
    /// Where deployments and resources are kept: a file, or the URL of a PostgreSQL database [default: a file of the user]
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) state: Option<String>,
}

impl StateArgs {
    /// Where the state is: what the arguments say, else a file of the user.
    pub(crate) fn location(&self, session: &Session) -> Result<Location, Failure> {
        if let Some(state) = &self.state {
            return Ok(Location::parse(state));
        }
        let path = home::data_folder(&session.world).ok_or_else(Failure::no_data_folder)?.join("state.db");
        let folder = path.parent().unwrap_or(Utf8Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
        Ok(Location::File(path.into_std_path_buf()))
    }
}

impl EngineArgs {
    /// How the engine is set up, with the resource types that are installed.
    pub(crate) fn options(&self, session: &Session) -> Result<Options, Failure> {
        let installed = catalogue::open("az", session).ok();
        let types = installed
            .map(|installed| Types::new(ResourceTypes::new("az", Flavour::Az, Some(installed.catalogue))));
        let mut extensions = Extensions::default();
        for text in &self.extension {
            let (name, program) = text.split_once('=').ok_or_else(|| Failure::bad_extension(text))?;
            extensions = extensions.with(name, program);
        }
        let types = types.unwrap_or_default();
        let linked_templates = self.linked_templates.clone().map(Utf8PathBuf::into_std_path_buf);
        Ok(Options {
            store: self.state.location(session)?,
            types,
            extensions,
            linked_templates,
            secrets_key: self.secrets_key.clone().map(Utf8PathBuf::into_std_path_buf),
            ..Options::default()
        })
    }
}

/// Where the deployment runs.
pub(crate) enum DeploymentTarget {
    Here(Engine),
    There(Arc<Remote>),
}

impl DeploymentTarget {
    /// Opens what the arguments name.
    pub(crate) async fn open(args: &TargetArgs, source: &Source, session: &Session) -> Result<Self, Failure> {
        match &args.endpoint {
            Some(url) => Ok(Self::There(Arc::new(Remote::new(url, args.authority.as_deref(), session)?))),
            None => Self::here(args.engine.options(session)?, source).await,
        }
    }

    /// An engine of this process that knows the extensions of the source.
    async fn here(mut options: Options, source: &Source) -> Result<Self, Failure> {
        for (name, program) in &source.extensions {
            options.extensions = options.extensions.or(name, program);
        }
        Ok(Self::Here(Engine::open(options).await.map_err(|error| Failure::deployment(&error))?))
    }

    /// The same for somebody who only looks: a group that is not there is made in memory, beside the state.
    pub(crate) async fn open_to_look(
        args: &TargetArgs,
        prepared: &Prepared,
        session: &Session,
    ) -> Result<Self, Failure> {
        let target = Self::open(args, &prepared.source, session).await?;
        let (Self::Here(engine), Scope::ResourceGroup { subscription, group }) =
            (&target, &prepared.place.id.scope)
        else {
            return Ok(target);
        };
        if engine.get_group(subscription, group).await.is_ok() {
            return Ok(target);
        }
        engine.shutdown().await;
        let options = Options { store: Location::Memory, ..args.engine.options(session)? };
        let target = Self::here(options, &prepared.source).await?;
        target.prepare(prepared).await.map_err(|error| Failure::deployment(&error))?;
        Ok(target)
    }

    /// Lets go of what is still open.
    pub(crate) async fn close(&self) {
        if let Self::Here(engine) = self {
            engine.shutdown().await;
        }
    }

    /// Makes the group that a deployment goes to, unless it is there.
    pub(crate) async fn prepare(&self, prepared: &Prepared) -> Result<(), ArmError> {
        let Scope::ResourceGroup { subscription, group } = &prepared.place.id.scope else { return Ok(()) };
        let body = json!({ "location": prepared.place.region });
        match self {
            Self::Here(engine) => match engine.get_group(subscription, group).await {
                Err(error) if error.status == 404 => {
                    engine.put_group(subscription, group, &body).await.map(drop)
                }
                other => other.map(drop),
            },
            Self::There(remote) => {
                let path = prepared.place.id.scope.id();
                match remote.get(&path).await {
                    Err(error) if error.status == 404 => remote.put(&path, &body).await.map(drop),
                    other => other.map(drop),
                }
            }
        }
    }

    /// Starts a deployment.
    pub(crate) async fn put(&self, prepared: &Prepared) -> Result<Json, ArmError> {
        let id = &prepared.place.id;
        match self {
            Self::Here(engine) => Ok(engine.put(prepared.request()?).await?.deployment),
            Self::There(remote) => remote.put(&id.to_string(), &prepared.whole_body()).await,
        }
    }

    /// What a deployment would change.
    pub(crate) async fn what_if(&self, prepared: &Prepared) -> Result<Json, ArmError> {
        let id = &prepared.place.id;
        match self {
            Self::Here(engine) => engine.what_if(prepared.request()?).await,
            Self::There(remote) => remote.post(&format!("{id}/whatIf"), &prepared.whole_body()).await,
        }
    }

    /// A deployment.
    pub(crate) async fn get(&self, id: &DeploymentId) -> Result<Json, ArmError> {
        match self {
            Self::Here(engine) => engine.get(id).await,
            Self::There(remote) => remote.get(&id.to_string()).await,
        }
    }

    /// The operations of a deployment.
    pub(crate) async fn operations(&self, id: &DeploymentId) -> Result<Vec<Json>, ArmError> {
        let mut all = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let page = match self {
                Self::Here(engine) => {
                    engine.operations(id, &Paging { top: None, after: after.as_deref() }).await?
                }
                Self::There(remote) => remote.page(&format!("{id}/operations"), after.as_deref()).await?,
            };
            all.extend(page.items);
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(all),
            }
        }
    }

    /// Asks a deployment to stop.
    pub(crate) async fn cancel(&self, id: &DeploymentId) -> Result<(), ArmError> {
        match self {
            Self::Here(engine) => engine.cancel(id).await,
            Self::There(remote) => remote.post(&format!("{id}/cancel"), &json!({})).await.map(drop),
        }
    }
}
