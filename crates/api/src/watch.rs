//! What the web page shows beyond the API: the deployments of all scopes, changes of one as they happen, one JSON object a line,
//! and everything below a group or a resource.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use deploy::{DeploymentId, Event, Events};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::dispatch::{Call, Server};
use crate::reply::{Answer, Content, Reply};
use crate::route::Watch;
use crate::{errors, management, serve};

/// How many deployments the list has at most.
const LISTED: usize = 500;

/// How long nothing is said at most, so that both ends notice when the other is gone.
const SILENCE: Duration = Duration::from_secs(15);

/// Answers the page.
pub(crate) async fn answer(server: &Server, what: &Watch, call: &Call<'_>) -> Answer {
    match what {
        Watch::Deployments => Ok(Reply::list(server.engine.newest(LISTED).await?)),
        Watch::Events(id) => events(server, id),
        Watch::Resources(id) => {
            let found = server.engine.list_below(id, &management::paging(call)?).await?;
            Ok(Reply::page(found, call))
        }
        Watch::Redeploy(id) => {
            let accepted = server.engine.redeploy(id).await?;
            Ok(Reply::new(StatusCode::ACCEPTED, Content::Json(accepted.deployment)))
        }
    }
}

fn events(server: &Server, id: &DeploymentId) -> Answer {
    let place = Arc::clone(&server.watchers).try_acquire_owned().map_err(|_| errors::busy())?;
    let following =
        EventStream { events: server.engine.events(id), stopped: server.stopped.clone(), _place: place };
    let lines = stream::unfold(following, |mut following| async move {
        let line = following.next().await?;
        Some((Ok::<_, Infallible>(line), following))
    });
    Ok(Reply::new(StatusCode::OK, Content::Stream(Body::from_stream(lines))))
}

/// The event stream of a watcher. It ends when the server stops.
struct EventStream {
    events: Events,
    stopped: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
}

impl EventStream {
    async fn next(&mut self) -> Option<String> {
        let value = tokio::select! {
            event = self.events.next() => line(&event?),
            () = tokio::time::sleep(SILENCE) => json!({ "state": null }),
            () = serve::stopping(&mut self.stopped) => return None,
        };
        Some(format!("{value}\n"))
    }
}

fn line(event: &Event) -> Value {
    json!({
        "deployment": event.deployment,
        "resource": event.resource,
        "resourceType": event.resource_type,
        "state": event.state,
        "error": event.error,
    })
}
