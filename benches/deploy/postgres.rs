//! A PostgreSQL of one's own, in a temporary folder on a free port.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::Outcome;

/// A running cluster. It ends when it is dropped.
pub(crate) struct Postgres {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Postgres {
    /// Starts one; nothing when PostgreSQL is not installed.
    pub(crate) fn start() -> Outcome<Option<Self>> {
        let Some(programs) = programs() else { return Ok(None) };
        let folder = tempfile::tempdir()?;
        let own = |name: &str| {
            let mut command = Command::new("setpriv");
            // It refuses to run as root.
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]).arg(programs.join(name));
            if is_root() { command } else { Command::new(programs.join(name)) }
        };
        if is_root() {
            Command::new("chown").arg("postgres").arg(folder.path()).status()?;
        }
        let data = folder.path().join("data");
        let made = own("initdb")
            .args(["--username=postgres", "--auth=trust", "--pgdata"])
            .arg(&data)
            .stdout(Stdio::null())
            .status()?;
        if !made.success() {
            return Err("PostgreSQL cannot make a cluster".into());
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = own("postgres")
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c"])
            .arg(format!("unix_socket_directories={}", folder.path().display()))
            .stderr(Stdio::null())
            .spawn()?;
        let postgres = Self { process, port, _folder: folder };
        for _ in 0..200 {
            let ready = Command::new(programs.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()])
                .status()?;
            if ready.success() {
                return Ok(Some(postgres));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("PostgreSQL does not start".into())
    }

    /// Its process: the parent of those that serve connections.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Asked to end at once, it takes its children along.
        let _ = Command::new("kill").args(["-QUIT", &self.process.id().to_string()]).status();
        let _ = self.process.wait();
    }
}

/// The folder of the newest installed version.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions.flatten().map(|version| version.path().join("bin")).collect();
    found.sort();
    found.pop().filter(|folder| folder.join("postgres").exists())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|said| said.stdout == b"0\n")
}
