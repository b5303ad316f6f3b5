//! Servers that share a PostgreSQL database wake each other: nobody has to ask again and again.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgListener;

use super::Inner;
use super::workers::raised;
use crate::store::{CHANNEL, Location};

/// How long to wait before the database is asked for notices again.
const PAUSE: Duration = Duration::from_secs(1);

/// Listens to the other servers until the engine closes.
pub(super) fn start(inner: &Arc<Inner>) {
    let Location::Postgres(url) = &inner.options.store else { return };
    let (url, listening) = (url.clone(), Arc::clone(inner));
    let mut closing = inner.work.closing();
    inner.work.spawn(async move {
        loop {
            tokio::select! {
                () = raised(&mut closing) => return,
                ended = listen(&url, &listening) => {
                    if let Err(error) = ended {
                        tracing::warn!(%error, "no notices of other servers");
                    }
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    });
}

async fn listen(url: &str, inner: &Inner) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen(CHANNEL).await?;
    loop {
        let notice = listener.recv().await?;
        match notice.payload() {
            "" => inner.work.wake.notify_one(),
            key => {
                inner.work.nudge(key);
            }
        }
    }
}
