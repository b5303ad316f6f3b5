//! `sinew serve` as a process: it says where it is, logs lines of JSON, ends when it is asked to, and remembers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const GROUP: &str = "/subscriptions/s/resourceGroups/g?api-version=2025-04-01";

pub(crate) struct Server {
    process: Child,
    pub(crate) address: String,
}

impl Server {
    pub(crate) fn start(folder: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(["serve", "--listen", "127.0.0.1:0", "--state"])
            .arg(folder.join("state.db"))
            .env("SINEW_HOME", folder)
            .env_remove("SINEW_TOKEN")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").expect("the address comes first").to_owned();
        Self { process, address }
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}",
            self.address
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Asks it to end; gives its log.
    pub(crate) fn stop(mut self) -> String {
        let asked = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(asked.success());
        let mut log = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(self.process.wait().unwrap().success(), "{log}");
        log
    }
}

/// A test that fails leaves no server behind.
impl Drop for Server {
    fn drop(&mut self) {
        // After `stop` there is nothing left to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[cfg(unix)]
fn it_remembers_and_logs_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path());
    assert!(server.send("GET", "/healthz", "").starts_with("HTTP/1.1 200"));
    let made = server.send("PUT", GROUP, r#"{"location": "westeurope", "tags": {"a": "hunter22"}}"#);
    assert!(made.starts_with("HTTP/1.1 201"), "{made}");
    server.send("GET", &format!("{GROUP}&sig=hunter22"), "");
    let log = server.stop();
    let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
    assert!(log.lines().count() >= 3 && log.lines().all(is_json), "{log}");
    assert!(!log.contains("hunter22"), "{log}");

    let again = Server::start(folder.path());
    let found = again.send("GET", GROUP, "");
    assert!(found.starts_with("HTTP/1.1 200") && found.contains("hunter22"), "{found}");
    again.stop();
}
