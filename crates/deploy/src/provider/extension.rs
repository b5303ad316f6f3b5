//! Local extensions: programs that make resources, spoken to over gRPC on a socket. A program is started when its first
//! resource comes, asked until it answers, and ended with the engine.

pub mod wire;

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper_util::rt::TokioIo;
use serde_json::{Value as Json, json};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tonic::transport::{Channel, Endpoint};

use self::wire::{
    Empty, Method, OperationResponse, ResourceReference, ResourceSpecification, WireError, WireResource,
};
use super::{Provider, ProviderError, Resource, ResourceRequest, ResourceTarget};
use crate::error::ArmError;
use crate::messages;

/// Extensions by name.
#[derive(Clone, Default)]
pub struct Extensions {
    list: Vec<(String, Arc<Extension>)>,
}

impl Extensions {
    /// Adds an extension: its name in templates, and its program.
    #[must_use]
    pub fn with(mut self, name: &str, program: impl Into<PathBuf>) -> Self {
        let extension = Extension { program: program.into(), running: Mutex::default() };
        self.list.push((name.to_lowercase(), Arc::new(extension)));
        self
    }

    /// The same, unless there is one of this name already.
    #[must_use]
    pub fn or(self, name: &str, program: impl Into<PathBuf>) -> Self {
        if self.find(name).is_some() { self } else { self.with(name, program) }
    }

    /// The extension of a name; the last one that was added.
    pub(crate) fn find(&self, name: &str) -> Option<&Extension> {
        let name = name.to_lowercase();
        self.list.iter().rfind(|(known, _)| *known == name).map(|(_, extension)| &**extension)
    }
}

impl std::fmt::Debug for Extensions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.list.iter().map(|(name, _)| name)).finish()
    }
}

/// A program that makes resources.
pub(crate) struct Extension {
    program: PathBuf,
    running: Mutex<Option<RunningExtension>>,
}

/// A program that was started.
struct RunningExtension {
    child: Child,
    channel: Channel,
    /// The folder of its socket, removed with it.
    folder: PathBuf,
}

/// How long a program may take until it answers.
const START: Duration = Duration::from_secs(30);
/// How long between two questions whether it is ready, or a resource is done.
const PAUSE: Duration = Duration::from_millis(50);

impl Extension {
    /// The way to the program. It is started when it does not run: for the first time, or since it has ended.
    async fn channel(&self) -> Result<Channel, ArmError> {
        let failed = |why: String| messages::extension_failed(&self.program.display().to_string(), &why);
        let mut running = self.running.lock().await;
        if let Some(running) = &mut *running
            && matches!(running.child.try_wait(), Ok(None))
        {
            return Ok(running.channel.clone());
        }
        // The folder of one that has ended goes first.
        *running = None;
        let started = start(&self.program).await.map_err(failed)?;
        Ok(running.insert(started).channel.clone())
    }

    /// What the resource would be. Nothing if the program cannot say.
    pub async fn preview(&self, request: &ResourceRequest) -> Result<Option<Resource>, ProviderError> {
        let channel = self.channel().await?;
        let answer = wire::call(&channel, Method::Preview, specification(request)).await;
        if answer.as_ref().is_err_and(|status: &tonic::Status| status.code() == tonic::Code::Unimplemented) {
            return Ok(None);
        }
        match taken(answer) {
            Ok(resource) => document(&resource).map(Some),
            Err(error) if error.error.code.eq_ignore_ascii_case("PreviewNotSupported") => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn put(&self, request: &ResourceRequest) -> Result<Resource, ProviderError> {
        let channel = self.channel().await?;
        let target = &request.target;
        let answer = wire::call(&channel, Method::CreateOrUpdate, specification(request)).await;
        finish(&channel, target, taken(answer)?).await
    }

    /// The resource that a request has made before, found by the identifiers that a preview gives, when it is finished. Nothing
    /// if it is not there, has failed, or if the program cannot say.
    pub async fn find(&self, request: &ResourceRequest) -> Result<Option<Resource>, ProviderError> {
        let Some(preview) = self.preview(request).await? else { return Ok(None) };
        let Some(identifiers) = preview.identifiers.as_ref().map(Json::to_string) else { return Ok(None) };
        let channel = self.channel().await?;
        let answer = wire::call(&channel, Method::Get, reference(&request.target, &identifiers)).await;
        let Ok(resource) = taken(answer) else { return Ok(None) };
        Ok(finish(&channel, &request.target, resource).await.ok())
    }

    pub async fn get(&self, target: &ResourceTarget) -> Result<Option<Resource>, ProviderError> {
        let channel = self.channel().await?;
        let identifiers = target.identifiers.as_ref().map_or_else(|| "{}".to_owned(), Json::to_string);
        let answer = wire::call(&channel, Method::Get, reference(target, &identifiers)).await;
        match taken(answer) {
            Ok(resource) => document(&resource).map(Some),
            Err(error) if error.error.code.to_lowercase().contains("notfound") => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn delete(&self, target: &ResourceTarget) -> Result<bool, ProviderError> {
        let channel = self.channel().await?;
        let identifiers = target.identifiers.as_ref().map_or_else(|| "{}".to_owned(), Json::to_string);
        taken(wire::call(&channel, Method::Delete, reference(target, &identifiers)).await)?;
        Ok(true)
    }
}

impl Provider for Extension {
    fn put<'p>(&'p self, request: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>> {
        self.put(request).boxed()
    }

    fn get<'p>(
        &'p self,
        target: &'p ResourceTarget,
    ) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>> {
        self.get(target).boxed()
    }

    fn delete<'p>(&'p self, target: &'p ResourceTarget) -> BoxFuture<'p, Result<bool, ProviderError>> {
        self.delete(target).boxed()
    }
}

/// Waits until a resource is finished. Whoever asks decides how long this may take.
async fn finish(
    channel: &Channel,
    target: &ResourceTarget,
    mut resource: WireResource,
) -> Result<Resource, ProviderError> {
    while let Some(status) = unfinished(&resource)? {
        tracing::debug!(resource = %target.resource_type, %status, "extension at work");
        tokio::time::sleep(PAUSE).await;
        let reference = reference(target, &resource.identifiers);
        resource = taken(wire::call(channel, Method::Get, reference).await)?;
    }
    document(&resource)
}

/// Starts a program and asks it until it answers.
async fn start(program: &Path) -> Result<RunningExtension, String> {
    let folder = std::env::temp_dir().join(format!("sinew-{}", uuid::Uuid::new_v4().simple()));
    // Nobody else may speak to the program.
    std::fs::DirBuilder::new().mode(0o700).create(&folder).map_err(|error| error.to_string())?;
    let socket = folder.join("s");
    let mut command = Command::new(program);
    command.arg("--socket").arg(&socket).kill_on_drop(true);
    command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let child = command.spawn().map_err(|error| {
        let _ = std::fs::remove_dir(&folder);
        error.to_string()
    })?;
    let mut running = RunningExtension { child, channel: channel(&socket), folder };
    let end = tokio::time::Instant::now() + START;
    loop {
        let answer: Result<Empty, _> = wire::call(&running.channel, Method::Ping, Empty {}).await;
        match answer {
            Ok(Empty {}) => return Ok(running),
            Err(status) if tokio::time::Instant::now() > end => return Err(status.message().to_owned()),
            Err(_) => {}
        }
        if let Ok(Some(status)) = running.child.try_wait() {
            return Err(format!("the program ended with {status}"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// A channel over a socket; it connects when it is used.
fn channel(socket: &Path) -> Channel {
    let socket = socket.to_owned();
    // The address is not used: the socket is.
    Endpoint::from_static("http://localhost").connect_with_connector_lazy(tower::service_fn(move |_| {
        let socket = socket.clone();
        async move { UnixStream::connect(socket).await.map(TokioIo::new) }
    }))
}

impl Drop for RunningExtension {
    fn drop(&mut self) {
        // Asked first; whoever does not listen is killed when the child is dropped.
        if let Some(process) = self.child.id() {
            let _ = std::process::Command::new("kill").arg(process.to_string()).status();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn specification(request: &ResourceRequest) -> ResourceSpecification {
    let target = &request.target;
    ResourceSpecification {
        config: target.config.as_ref().map(Json::to_string),
        resource_type: target.resource_type.clone(),
        api_version: target.api_version.clone(),
        properties: request.body.to_json(arm::Secrets::Shown).to_string(),
    }
}

fn reference(target: &ResourceTarget, identifiers: &str) -> ResourceReference {
    ResourceReference {
        identifiers: identifiers.to_owned(),
        config: target.config.as_ref().map(Json::to_string),
        resource_type: target.resource_type.clone(),
        api_version: target.api_version.clone(),
    }
}

/// The resource of an answer, or its error.
fn taken(answer: Result<OperationResponse, tonic::Status>) -> Result<WireResource, ProviderError> {
    match answer {
        Ok(OperationResponse { resource: Some(resource), error_data: None }) => Ok(resource),
        Ok(OperationResponse { error_data: Some(data), .. }) => {
            Err(ProviderError { error: error(&data.error.unwrap_or_default()), retry: false })
        }
        Ok(_) => Err(ProviderError { error: messages::extension_silent(), retry: false }),
        Err(status) => Err(messages::extension_failed("", status.message()).into()),
    }
}

fn error(wire: &WireError) -> ArmError {
    let details = wire.details.iter().map(|detail| {
        let error = ArmError::new(&detail.code, &detail.message);
        ArmError { target: detail.target.clone(), ..error }
    });
    ArmError {
        target: wire.target.clone(),
        ..ArmError::new(&wire.code, &wire.message).because(details.collect())
    }
}

/// How far a resource is, if it is not done.
fn unfinished(resource: &WireResource) -> Result<Option<String>, ProviderError> {
    match resource.status.as_deref() {
        None | Some("" | "Succeeded") => Ok(None),
        Some(end @ ("Failed" | "Canceled")) => Err(ProviderError {
            error: messages::extension_ended(&resource.resource_type, end),
            retry: false,
        }),
        Some(other) => Ok(Some(other.to_owned())),
    }
}

fn document(resource: &WireResource) -> Result<Resource, ProviderError> {
    let json = |text: &str, what: &str| -> Result<Json, ProviderError> {
        if text.is_empty() {
            return Ok(json!({}));
        }
        let parsed = serde_json::from_str(text);
        parsed.map_err(|_| ProviderError { error: messages::extension_not_json(what), retry: false })
    };
    Ok(Resource {
        document: json(&resource.properties, "properties")?,
        identifiers: Some(json(&resource.identifiers, "identifiers")?),
        created: true,
    })
}
