//! A real registry on this machine (the Debian package `docker-registry`) and a folder for a project: what tests of
//! publishing and fetching share. Without the registry they say so and pass.
#![expect(clippy::disallowed_types, reason = "the test waits for the server that it starts")]

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{Ran, finish};

const REGISTRY: &str = "docker-registry";

/// A registry and the folders of two projects, gone after the test.
pub struct RegistryFixture {
    folder: tempfile::TempDir,
    registry: Child,
    /// Its host and port.
    pub address: String,
}

impl RegistryFixture {
    /// Starts a registry; none when it is not installed, which is said.
    pub fn start() -> Option<Self> {
        match Self::try_start() {
            Ok(started) => started,
            #[expect(clippy::panic, reason = "a test that cannot go on has failed")]
            Err(error) => panic!("the registry does not start: {error}"),
        }
    }

    fn try_start() -> io::Result<Option<Self>> {
        let silent = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if !silent(Command::new(REGISTRY).arg("--version")).is_ok_and(|mut it| it.wait().is_ok()) {
            #[expect(clippy::disallowed_macros, reason = "says when the registry is not installed")]
            {
                println!("{REGISTRY} is not installed (Debian package `{REGISTRY}`): this is not tested");
            }
            return Ok(None);
        }
        let folder = tempfile::tempdir()?;
        // Somebody else may take the port before the registry does.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let address = format!("127.0.0.1:{port}");
            let root = folder.path().display();
            let config = format!(
                "version: 0.1\nlog:\n  accesslog:\n    disabled: true\nstorage:\n  filesystem:\n    rootdirectory: {root}/data\nhttp:\n  addr: {address}\n"
            );
            let path = folder.path().join("config.yml");
            fs::write(&path, config)?;
            let mut registry = silent(Command::new(REGISTRY).arg("serve").arg(&path))?;
            let started = Instant::now();
            while registry.try_wait()?.is_none() && started.elapsed() < Duration::from_secs(30) {
                if TcpStream::connect(&address).is_ok() {
                    return Ok(Some(Self { folder, registry, address }));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Err(io::Error::other("somebody else takes every port"))
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file; `REGISTRY` stands for the address.
    #[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("REGISTRY", &self.address)).unwrap();
    }

    /// Runs a command line of the program in the folder, with a mirror for types.
    #[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    pub fn run(&self, program: &str, words: &str, mirror: &str) -> Ran {
        let words = words.replace("REGISTRY", &self.address);
        let mut command = Command::new(program);
        command.args(words.split(' ')).current_dir(self.folder.path()).env("SINEW_HOME", self.path("home"));
        command.env("SINEW_TYPES_MIRROR", mirror.replace("REGISTRY", &self.address));
        finish(&mut command).unwrap()
    }
}

impl Drop for RegistryFixture {
    fn drop(&mut self) {
        let _ = self.registry.kill();
        let _ = self.registry.wait();
    }
}
