//! A server process, and requests to it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::{Client, Method, Response, StatusCode};

use crate::Outcome;

/// A running server. It is killed when it is dropped.
pub(crate) struct Server {
    process: Child,
    url: String,
    client: Client,
}

impl Server {
    /// Starts one on a free port.
    pub(crate) async fn start(program: &Path, state: &str) -> Outcome<Self> {
        let mut process = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "error", "--state", state])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut url)?;
        }
        // The client wants to know how TLS would be done, although nothing here does.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self { process, url: url.trim().to_owned(), client: Client::builder().no_proxy().build()? })
    }

    pub(crate) async fn put(&self, path: &str, body: &str) -> Outcome<()> {
        let answer = self.send(Method::PUT, path, body).await?;
        let status = answer.status();
        let text = answer.text().await?;
        if status.is_success() { Ok(()) } else { Err(format!("{status} {path}: {text}").into()) }
    }

    /// As [`Self::put`]; says no when the name is still being deployed.
    pub(crate) async fn try_put(&self, path: &str, body: &str) -> Outcome<bool> {
        let answer = self.send(Method::PUT, path, body).await?;
        let status = answer.status();
        let text = answer.text().await?;
        match status {
            StatusCode::CONFLICT => Ok(false),
            status if status.is_success() => Ok(true),
            status => Err(format!("{status} {path}: {text}").into()),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Outcome<String> {
        let answer = self.send(Method::GET, path, "").await?;
        let status = answer.status();
        let text = answer.text().await?;
        if status.is_success() { Ok(text) } else { Err(format!("{status} {path}: {text}").into()) }
    }

    /// A figure of the server.
    pub(crate) async fn figure(&self, name: &str) -> Outcome<u64> {
        let text = self.get("/metrics").await?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        line.ok_or_else(|| format!("there is no figure {name}").into())
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// What memory it has, in KiB.
    pub(crate) fn memory(&self) -> Outcome<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| "the system does not say how much memory a process has".into())
    }

    async fn send(&self, method: Method, path: &str, body: &str) -> Outcome<Response> {
        let request = self.client.request(method, format!("{}{path}", self.url));
        Ok(request.body(body.to_owned()).send().await?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
