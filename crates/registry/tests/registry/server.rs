//! A real registry on this machine, and a proxy in front of it that makes mistakes on demand.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

/// The program, from the Debian package of the same name.
const PROGRAM: &str = "docker-registry";

/// Whether there is a registry to test with.
pub fn is_installed() -> bool {
    let started = Command::new(PROGRAM).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    started.is_ok_and(|status| status.success())
}

/// A running registry. It ends with this value.
pub struct Registry {
    child: Child,
    /// Host and port.
    pub address: String,
    /// Its data and our scratch space.
    pub folder: tempfile::TempDir,
}

impl Registry {
    /// An open one.
    pub fn start() -> Self {
        Self::start_with("")
    }

    /// One that wants the name `me` and the password `secret`.
    pub fn start_protected() -> Self {
        Self::start_with("auth:\n  htpasswd:\n    realm: test\n    path: FOLDER/users\n")
    }

    fn start_with(auth: &str) -> Self {
        // Somebody else may take the port before the registry does.
        (0..10).find_map(|_| Self::try_start(auth)).expect("the registry does not start")
    }

    fn try_start(auth: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        std::fs::write(folder.path().join("users"), USERS).unwrap();
        let address = format!("127.0.0.1:{}", free_port());
        let config = format!(
            "version: 0.1\nlog:\n  level: error\n  accesslog:\n    disabled: true\nstorage:\n  filesystem:\n    rootdirectory: {root}/data\nhttp:\n  addr: {address}\n{}",
            auth.replace("FOLDER", root)
        );
        let path = folder.path().join("config.yml");
        std::fs::write(&path, config).unwrap();
        let child = Command::new(PROGRAM)
            .arg("serve")
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut registry = Self { child, address, folder };
        let started = Instant::now();
        loop {
            let answers = TcpStream::connect(&registry.address).is_ok();
            let ended = registry.child.try_wait().unwrap().is_some();
            if ended || started.elapsed() > Duration::from_secs(30) {
                return None;
            }
            if answers {
                return Some(registry);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The file in which the registry keeps a blob.
    pub fn blob_file(&self, hex: &str) -> Utf8PathBuf {
        let root = Utf8Path::from_path(self.folder.path()).unwrap();
        root.join("data/docker/registry/v2/blobs/sha256").join(&hex[..2]).join(hex).join("data")
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `me:secret`, as `htpasswd -B` writes it.
const USERS: &str = "me:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n";

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// What the proxy does with a request.
#[derive(Debug, Clone)]
pub enum Act {
    /// Hands it on.
    Pass,
    /// Answers itself: status and headers, and a body.
    Answer(String, String),
    /// Hands it on, but ends the answer after so many bytes.
    CutAfter(usize),
    /// Hands it on, but stops in the middle of the answer, after so many bytes, until the client is gone.
    StallAfter(usize),
    /// Hands it on after some time.
    Delay(Duration),
}

/// A request as the proxy sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub authorization: Option<String>,
}

impl Seen {
    pub fn is_blob_download(&self) -> bool {
        self.method == "GET" && self.path.contains("/blobs/")
    }
}

/// A proxy in front of a registry.
pub struct Proxy {
    pub address: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Proxy {
    /// `decide` is told the request and how many there were before.
    pub fn start(registry: &str, decide: impl Fn(&Seen, usize) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let decide = Arc::new(decide);
        let (log, registry) = (Arc::clone(&seen), registry.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (log, registry, decide) = (Arc::clone(&log), registry.clone(), Arc::clone(&decide));
                // A client that has gone away is what some tests are about.
                std::thread::spawn(move || serve(client, &registry, &log, &*decide).ok());
            }
        });
        Self { address, seen }
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// One request per connection.
fn serve(
    mut client: TcpStream,
    registry: &str,
    log: &Mutex<Vec<Seen>>,
    decide: &dyn Fn(&Seen, usize) -> Act,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut head = String::new();
    let mut length = 0;
    let mut authorization = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if lower.starts_with("authorization:") {
            authorization = line.split_once(':').map(|(_, value)| value.trim().to_owned());
        }
        if !lower.starts_with("connection:") {
            head.push_str(&line);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = head.split(' ').map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(()) };
    let seen = Seen { method, path, authorization };
    let before = {
        let mut log = log.lock().unwrap();
        log.push(seen.clone());
        log.len() - 1
    };
    let limit = match decide(&seen, before) {
        Act::Answer(status, body) => {
            let length = body.len();
            write!(
                client,
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )?;
            return client.shutdown(Shutdown::Both);
        }
        Act::Pass => (usize::MAX, false),
        Act::Delay(time) => {
            std::thread::sleep(time);
            (usize::MAX, false)
        }
        Act::CutAfter(limit) => (limit, false),
        Act::StallAfter(limit) => (limit, true),
    };
    let mut server = TcpStream::connect(registry)?;
    write!(server, "{head}Connection: close\r\n\r\n")?;
    server.write_all(&body)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    client.write_all(&answer[..answer.len().min(limit.0)])?;
    client.flush()?;
    if limit.1 {
        // The other end is read until it is closed.
        while client.read(&mut [0; 64])? > 0 {}
    }
    client.shutdown(Shutdown::Both)
}
