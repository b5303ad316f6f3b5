//! A server of plain requests: messages of the client come in and are answered side by side by a few threads. What has no
//! state of its own between messages (JSON-RPC, MCP) is served here; the language server keeps documents and has its own loop.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::cancel::CancelToken;
use crate::client::Client;
use crate::pool::Pool;
use crate::rpc::{self, Answer, Message, RpcError};
use crate::transport::{Connection, Framing, Incoming};

/// What answers requests.
pub(crate) trait Service: Send + Sync + 'static {
    /// How messages are told apart.
    const FRAMING: Framing;

    /// The notification that says that a request is not wanted any more, and the member with its id.
    const CANCEL: (&'static str, &'static str);

    /// Answers a request, on any thread.
    fn answer(&self, method: &str, params: &Value, token: &CancelToken) -> Answer;
}

/// Serves a client until it goes away. Requests that have come by then are answered.
pub(crate) fn serve<S: Service>(connection: Connection, service: S) {
    let Connection { mut reader, writer } = connection;
    let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
    let peer = Peer {
        client: Arc::new(Client::with_framing(writer, S::FRAMING)),
        pending: Arc::default(),
        service: Arc::new(service),
        pool: Pool::new(threads),
    };
    loop {
        match S::FRAMING.read(&mut *reader) {
            Incoming::End => return,
            Incoming::Malformed(what) => {
                let error = RpcError::new(RpcError::INVALID_REQUEST, format!("The client sent {what}."));
                peer.client.send(&rpc::response(&Value::Null, Err(error)));
            }
            Incoming::Message(content) => peer.take(&content),
        }
    }
}

struct Peer<S> {
    client: Arc<Client>,
    /// The requests that are not answered yet, by id.
    pending: Arc<Mutex<BTreeMap<String, CancelToken>>>,
    service: Arc<S>,
    pool: Pool,
}

impl<S: Service> Peer<S> {
    fn take(&self, content: &[u8]) {
        match rpc::parse(content) {
            Err(error) => self.client.send(&rpc::response(&Value::Null, Err(error))),
            Ok(Message::Invalid { id }) => {
                let message = "The message is neither a request nor an answer.";
                let error = RpcError::new(RpcError::INVALID_REQUEST, message);
                self.client.send(&rpc::response(&id, Err(error)));
            }
            Ok(Message::Response { .. }) => {}
            Ok(Message::Request { id, method, params }) => self.request(id, method, params),
            Ok(Message::Notification { method, params }) => {
                let (cancel, member) = S::CANCEL;
                if method == cancel
                    && let Some(token) = lock(&self.pending).get(&key(params.get(member)))
                {
                    token.cancel();
                }
            }
        }
    }

    fn request(&self, id: Value, method: String, params: Value) {
        let token = CancelToken::default();
        let known_as = key(Some(&id));
        lock(&self.pending).insert(known_as.clone(), token.clone());
        let (client, pending, service) =
            (Arc::clone(&self.client), Arc::clone(&self.pending), Arc::clone(&self.service));
        self.pool.run(move || {
            let answer = if token.is_cancelled() {
                Err(RpcError::cancelled())
            } else {
                let run = || service.answer(&method, &params, &token);
                catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
                    Err(RpcError::new(RpcError::INTERNAL, "The request failed by a mistake of the server."))
                })
            };
            lock(&pending).remove(&known_as);
            client.send(&rpc::response(&id, answer));
        });
    }
}

/// The text under which a request is kept.
fn key(id: Option<&Value>) -> String {
    id.map(Value::to_string).unwrap_or_default()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
