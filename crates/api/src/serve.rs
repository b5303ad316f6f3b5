//! The listener: connections come in, bounded in number and time; requests go to the [`crate::dispatch`]. It ends when it is
//! told to, after the requests in hand.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;

use crate::body::Memory;
use crate::dispatch::{self, Server};
use crate::metrics::Metrics;
use crate::reply::Reply;
use crate::write_timeout::WriteTimeout;
use crate::{Options, errors};

/// The largest head of a request.
const HEAD_BYTES: usize = 64 * 1024;

/// How long to wait after a connection could not be accepted, usually for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` is done, then finishes what is in hand.
pub async fn serve(
    listener: TcpListener,
    options: Options,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let Options { engine, access, limits, identity } = options;
    let acceptor = identity.map(|identity| TlsAcceptor::from(identity.config));
    let (stopping, stopped) = watch::channel(false);
    let server = Arc::new(Server {
        engine,
        access,
        limits,
        metrics: Metrics::default(),
        slots: Semaphore::new(limits.requests),
        logins: Semaphore::new(limits.logins),
        large: Semaphore::new(limits.large_requests),
        watchers: Arc::new(Semaphore::new(limits.watchers)),
        memory: Memory::new(limits.memory_bytes),
        secure: acceptor.is_some(),
        stopped,
    });
    let app = router(Arc::clone(&server));
    let open = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &open) => accepted,
        };
        let Ok((stream, place)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let connection = Connection {
            app: app.clone(),
            server: Arc::clone(&server),
            acceptor: acceptor.clone(),
            stopped: server.stopped.clone(),
        };
        connections.spawn(async move {
            connection.run(stream).await;
            drop(place);
        });
    }
    drop(listener);
    let _ = stopping.send(true);
    finish(connections, limits.stop_time).await;
    server.engine.shutdown().await;
    Ok(())
}

fn router(server: Arc<Server>) -> Router {
    // A panic is a mistake of ours: it costs one answer, not the server.
    let failed = CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
        Reply::error(&errors::internal()).into_response()
    });
    Router::new().fallback(dispatch::answer).layer(failed).with_state(server)
}

/// The next connection, when there is room for one.
async fn accept(
    listener: &TcpListener,
    open: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(open).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, place))
}

/// Done when the server stops.
pub(crate) async fn stopping(stopped: &mut watch::Receiver<bool>) {
    // An error means that the server is gone altogether.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Gives connections some time to end by themselves.
async fn finish(mut connections: JoinSet<()>, longest: Duration) {
    let ending = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(longest, ending).await;
    connections.shutdown().await;
}

struct Connection {
    app: Router,
    server: Arc<Server>,
    acceptor: Option<TlsAcceptor>,
    stopped: watch::Receiver<bool>,
}

impl Connection {
    async fn run(mut self, stream: TcpStream) {
        let server = Arc::clone(&self.server);
        let _counted = dispatch::GaugeGuard::new(&server.metrics.connections);
        let _ = stream.set_nodelay(true);
        let stream = WriteTimeout::new(stream, server.limits.write_time);
        match self.acceptor.take() {
            None => self.talk(stream).await,
            Some(acceptor) => {
                let shaking = tokio::time::timeout(server.limits.head_time, acceptor.accept(stream));
                match shaking.await {
                    Ok(Ok(stream)) => self.talk(stream).await,
                    Ok(Err(error)) => tracing::debug!(%error, "no handshake"),
                    Err(_) => tracing::debug!("handshake too slow"),
                }
            }
        }
    }

    async fn talk(mut self, stream: impl AsyncRead + AsyncWrite + Unpin + Send) {
        let app = self.app.clone().map_request(|request: Request<Incoming>| request.map(Body::new));
        let talking = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.server.limits.head_time)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
        tokio::pin!(talking);
        let ended = tokio::select! {
            ended = talking.as_mut() => ended,
            () = stopping(&mut self.stopped) => {
                talking.as_mut().graceful_shutdown();
                talking.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "connection broke");
        }
    }
}
