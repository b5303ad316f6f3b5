//! A headless Chromium, driven through the pipe of its debugging protocol: messages of JSON, each with a zero byte behind it.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long the page has for what is expected of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    requests: File,
    answers: Receiver<Value>,
    session: Option<String>,
    number: u64,
    /// What the page complained about: exceptions, and what its policy forbids.
    pub(crate) complaints: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Browser {
    /// Starts one; nothing when Chromium is not installed, which is said.
    pub(crate) fn start() -> Option<Self> {
        let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
            .into_iter()
            .find(|path| Path::new(path).exists());
        let Some(program) = program else {
            println!("Chromium is not installed: the page is not tested");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["in", "out"] {
            assert!(Command::new("mkfifo").arg(path(name)).status().unwrap().success());
        }
        // The shell gives the pipes the numbers that the browser expects.
        let process = Command::new("sh")
            .args(["-c", "in=$1 out=$2; shift 2; exec \"$@\" 3< \"$in\" 4> \"$out\"", "sh"])
            .args([path("in"), path("out")])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-sync",
                "--window-size=1400,900",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-dev-shm-usage",
            ])
            .args(["--remote-debugging-pipe", &format!("--user-data-dir={}", path("profile").display())])
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let requests = File::options().write(true).open(path("in")).unwrap();
        let replies = File::open(path("out")).unwrap();
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(replies).split(0) {
                let Ok(message) = message else { return };
                let Ok(value) = serde_json::from_slice(&message) else { return };
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self {
            process,
            requests,
            answers,
            session: None,
            number: 0,
            complaints: Vec::new(),
            _folder: folder,
        };
        let target = browser.command("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.command("Target.attachToTarget", &attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.command(domain, &json!({}));
        }
        Some(browser)
    }

    /// Goes to a page.
    pub(crate) fn open(&mut self, url: &str) {
        self.command("Page.navigate", &json!({ "url": url }));
    }

    /// What an expression gives on the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        self.look(expression).unwrap_or_else(|thrown| panic!("{expression}: {thrown}"))
    }

    fn look(&mut self, expression: &str) -> Result<Value, String> {
        let question = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.command("Runtime.evaluate", &question);
        match answer.get("exceptionDetails") {
            Some(thrown) => Err(thrown.to_string()),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Waits until an expression gives this. While the page is not there yet, it may throw.
    #[track_caller]
    pub(crate) fn expect(&mut self, expression: &str, expected: &Value) {
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = self.look(expression);
            if answer.as_ref() == Ok(expected) {
                return;
            }
            if Instant::now() > until {
                self.picture("expected");
                panic!("{expression} is {answer:?}, not {expected}; complaints: {:?}", self.complaints);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub(crate) fn expect_text(&mut self, text: &str) {
        self.expect(&format!("document.body.innerText.includes({})", Value::from(text)), &Value::Bool(true));
    }

    /// Writes what is seen into the folder that `SINEW_PICTURES` names, if it names one.
    pub(crate) fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("SINEW_PICTURES") else { return };
        let answer = self.command("Page.captureScreenshot", &json!({}));
        let bytes = base64::Engine::decode(
            &base64::engine::general_purpose::STANDARD,
            answer["data"].as_str().unwrap_or_default(),
        );
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes.unwrap()).unwrap();
    }

    pub(crate) fn command(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.requests.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer =
                self.answers.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{method}: no answer"));
            match answer["method"].as_str() {
                Some("Runtime.exceptionThrown" | "Log.entryAdded") => {
                    self.complaints.push(answer["params"].to_string());
                }
                _ if answer["id"] == self.number => {
                    assert!(answer.get("error").is_none(), "{method}: {answer}");
                    return answer["result"].clone();
                }
                _ => {}
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The whole browser ends when it is asked to; the process may be a script around it.
        let _ = self.requests.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
