//! The servers over a long time: thousands of requests about files that change leave the memory of a process as it was, and every
//! answer is about the files as they are.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "the test writes files and talks to a program"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_sinew-tested");

/// A server of JSON-RPC on standard input and output.
struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["jsonrpc", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env("SINEW_TYPES_MIRROR", "none");
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output, next_id: 0 }
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.next_id
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id);
        answer["result"].clone()
    }

    /// The memory of the process in kilobytes; `None` where the system does not say.
    fn memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse().ok()
    }

    fn stop(mut self) {
        drop(self.input);
        assert!(self.process.wait().unwrap().success());
    }
}

fn write_module(folder: &Path, number: usize) {
    let text =
        format!("param name string\nvar number = {number}\noutput text string = '${{name}}-${{number}}'\n");
    fs::write(folder.join("module.bicep"), text).unwrap();
}

fn write_entry(folder: &Path, name: &str) {
    let text = "module part 'module.bicep' = {\n  params: { name: 'x' }\n}\noutput text string = part.outputs.text\n";
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn thousands_of_requests_do_not_let_a_server_grow() {
    const REQUESTS: usize = 3000;
    const WARM: usize = 1000;
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    write_entry(&folder, "main.bicep");
    let mut server = Server::start();
    let mut warm = None;
    for number in 0..REQUESTS {
        if number % 10 == 0 {
            write_module(&folder, number);
        }
        let (method, file) = match number % 3 {
            0 => ("bicep/compile", "main.bicep"),
            1 => ("bicep/getMetadata", "module.bicep"),
            _ => ("bicep/getDeploymentGraph", "main.bicep"),
        };
        let answer = server.ask(method, &json!({ "path": folder.join(file) }));
        if method == "bicep/compile" {
            let newest = format!("number\\\": {}", number / 10 * 10);
            let contents = answer["contents"].to_string();
            assert!(contents.contains(&newest), "{newest} in {contents}");
        }
        if number == WARM {
            warm = server.memory();
        }
    }
    if let (Some(before), Some(after)) = (warm, server.memory()) {
        // A leak of one kilobyte a request would be 2 MB; allocators move by less than this.
        assert!(after < before + 1500, "{before} kB after {WARM} requests, {after} kB after {REQUESTS}");
    }
    server.stop();
}

#[test]
fn ever_new_files_do_not_let_a_server_grow() {
    const FILES: usize = 1600;
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    write_module(&folder, 1);
    let mut server = Server::start();
    let mut warm = None;
    for number in 0..FILES {
        let name = format!("entry{number}.bicep");
        write_entry(&folder, &name);
        let answer = server.ask("bicep/compile", &json!({ "path": folder.join(&name) }));
        assert_eq!(answer["success"], true);
        // By then everything has been forgotten once.
        if number == 600 {
            warm = server.memory();
        }
    }
    if let (Some(before), Some(after)) = (warm, server.memory()) {
        assert!(after < before * 2 + 4000, "{before} kB after 600 files, {after} kB after {FILES}");
    }
    server.stop();
}

#[test]
fn requests_that_are_sent_at_once_are_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    write_module(&folder, 7);
    write_entry(&folder, "main.bicep");
    let mut server = Server::start();
    let asked: Vec<u64> = (0..200)
        .map(|_| server.send("bicep/compile", &json!({ "path": folder.join("main.bicep") })))
        .collect();
    let mut answered: Vec<u64> = asked.iter().map(|_| server.receive()["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, asked);
    server.stop();
}

#[test]
fn a_request_that_is_not_wanted_any_more_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    write_module(&folder, 7);
    write_entry(&folder, "main.bicep");
    let mut server = Server::start();
    // More requests than there are threads: the last ones wait when they are cancelled.
    let asked: Vec<u64> = (0..100)
        .map(|_| server.send("bicep/compile", &json!({ "path": folder.join("main.bicep") })))
        .collect();
    for id in asked.iter().rev() {
        let body =
            json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } }).to_string();
        write!(server.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
    let answers: Vec<Value> = asked.iter().map(|_| server.receive()).collect();
    let is_cancelled = |answer: &&Value| answer["error"]["code"] == -32800;
    let is_done = |answer: &&Value| answer["result"]["success"] == true;
    let (cancelled, done) =
        (answers.iter().filter(is_cancelled).count(), answers.iter().filter(is_done).count());
    assert_eq!(cancelled + done, asked.len(), "each request has one answer: {answers:?}");
    assert!(cancelled > 0, "none of {} requests was cancelled", asked.len());
    server.stop();
}

/// The server connects to the client here.
#[test]
fn a_server_comes_to_a_port() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let mut process = Command::new(PROGRAM).args(["jsonrpc", "--socket", &port]).spawn().unwrap();
    let (connection, _) = listener.accept().unwrap();
    talk(&connection, &connection);
    drop(connection);
    assert!(process.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_server_comes_to_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let mut process = Command::new(PROGRAM).args(["jsonrpc", "--pipe"]).arg(&path).spawn().unwrap();
    let (connection, _) = listener.accept().unwrap();
    talk(&connection, &connection);
    drop(connection);
    assert!(process.wait().unwrap().success());
}

/// Asks for the version.
fn talk(mut output: impl Write, input: impl Read) {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "bicep/version", "params": {} }).to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut input = BufReader::new(input);
    let mut header = String::new();
    input.read_line(&mut header).unwrap();
    let length: usize = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
    input.read_line(&mut String::new()).unwrap();
    let mut answer = vec![0; length];
    input.read_exact(&mut answer).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert!(answer["result"]["version"].is_string(), "{answer}");
}

/// The protocol's own client, if it is installed: `pip install mcp`. `SINEW_MCP_PYTHON` names another interpreter that has it.
#[test]
fn the_client_of_the_protocols_sdk_is_served() {
    let python = std::env::var("SINEW_MCP_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_client = Command::new(&python).args(["-c", "import mcp"]).stderr(Stdio::null()).status();
    if !has_client.is_ok_and(|status| status.success()) {
        writeln!(std::io::stderr(), "{python} has no package `mcp`: nothing is checked").unwrap();
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp-client.py");
    let done = Command::new(&python).arg(script).arg(PROGRAM).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{text}");
    assert!(text.contains("all calls answered"), "{text}");
}
