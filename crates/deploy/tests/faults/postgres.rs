//! A private PostgreSQL cluster on a free port, gone after the test.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running cluster.
pub struct Cluster {
    folder: tempfile::TempDir,
    server: Child,
    port: u16,
}

/// Whether there is a PostgreSQL to start.
pub fn is_installed() -> bool {
    programs().is_some()
}

fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> =
        versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
    folders.sort();
    folders.into_iter().rfind(|folder| folder.join("initdb").is_file())
}

impl Cluster {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        run(Command::new("chmod").arg("755").arg(folder.path()));
        std::fs::create_dir(&data).unwrap();
        if is_root() {
            run(Command::new("chown").arg("-R").arg("postgres").arg(folder.path()));
        }
        run(program("initdb").args(["-A", "trust", "-U", "postgres", "--no-sync", "-D"]).arg(&data));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = serve(&folder, port);
        let cluster = Self { folder, server, port };
        cluster.wait();
        cluster
    }

    /// Starts it again with TLS. Gives the certificate, which vouches for itself; none without `openssl`.
    pub fn speak_tls(&mut self) -> Option<PathBuf> {
        let data = self.folder.path().join("data");
        let (key, certificate) = (data.join("server.key"), data.join("server.crt"));
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-new", "-x509", "-days", "1", "-nodes", "-subj", "/CN=localhost"]);
        openssl.args([
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ]);
        openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
        if !openssl.output().is_ok_and(|made| made.status.success()) {
            return None;
        }
        run(Command::new("chmod").arg("600").arg(&key));
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&key).arg(&certificate));
        }
        let mut settings =
            std::fs::OpenOptions::new().append(true).open(data.join("postgresql.conf")).unwrap();
        std::io::Write::write_all(&mut settings, b"ssl = on\n").unwrap();
        self.restart(Duration::ZERO);
        Some(certificate)
    }

    /// Stops the server as an administrator would, and starts it again.
    pub fn restart(&mut self, pause: Duration) {
        let process = self.server.id().to_string();
        run(Command::new("kill").args(["-INT", &process]));
        self.server.wait().unwrap();
        std::thread::sleep(pause);
        self.server = serve(&self.folder, self.port);
        self.wait();
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// How many deadlocks it has found so far.
    pub fn deadlocks(&self) -> u64 {
        let mut client = program("psql");
        client.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "postgres", "-At", "-c"]);
        let output = client.arg("SELECT sum(deadlocks) FROM pg_stat_database").output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
    }

    fn wait(&self) {
        for _ in 0..200 {
            let ready =
                program("pg_isready").args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]).status();
            if ready.is_ok_and(|status| status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("PostgreSQL in '{}' does not start", self.folder.path().display());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Asked to stop at once, it ends its own processes.
        let process = self.server.id().to_string();
        let _ = Command::new("kill").args(["-QUIT", &process]).status();
        let _ = self.server.wait();
    }
}

fn serve(folder: &tempfile::TempDir, port: u16) -> Child {
    let mut server = program("postgres");
    server.arg("-D").arg(folder.path().join("data")).arg("-k").arg(folder.path());
    server.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]);
    server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// One of the cluster's programs; PostgreSQL refuses to be run by root.
fn program(name: &str) -> Command {
    let path = programs().unwrap().join(name);
    if !is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]).arg(path);
    command
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout.trim_ascii() == b"0"
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
