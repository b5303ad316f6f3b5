//! The values of key vault secrets are sealed before they are stored, with a key that is not in the database.
//!
//! For a state file the key is in a file beside it; servers that share a PostgreSQL are given the same file. The name of a secret
//! is part of what is sealed: a value that was moved to another name cannot be opened.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::{Location, StoreError};

/// How long a key is, in bytes.
const KEY_LEN: usize = 32;

/// The key of the secrets; read, or made, when it is first needed.
#[derive(Debug)]
pub(super) struct SealingKey {
    source: KeySource,
    key: OnceLock<LessSafeKey>,
}

/// Where the key is kept.
#[derive(Debug)]
enum KeySource {
    /// Nowhere: it is gone with the database.
    Memory,
    File(PathBuf),
    /// Nobody has said where.
    Unset,
}

impl SealingKey {
    /// The key of a database: that of a file, if one is given.
    pub fn of(location: &Location, file: Option<&Path>) -> Self {
        let source = match (file, location) {
            (Some(file), _) => KeySource::File(file.to_owned()),
            (None, Location::File(state)) => {
                let mut name = state.as_os_str().to_owned();
                name.push(".key");
                KeySource::File(name.into())
            }
            (None, Location::Memory) => KeySource::Memory,
            (None, Location::Postgres(_)) => KeySource::Unset,
        };
        Self { source, key: OnceLock::new() }
    }

    /// The value of a secret as it is stored.
    pub fn seal(&self, name: &str, value: &str) -> Result<String, StoreError> {
        let key = self.key()?;
        let mut nonce = [0; NONCE_LEN];
        random(&mut nonce)?;
        let mut sealed = value.as_bytes().to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(name.as_bytes()),
            &mut sealed,
        )
        .map_err(|_| StoreError::SecretKey("the value cannot be sealed".into()))?;
        Ok(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// The value of a stored secret.
    pub fn open(&self, name: &str, stored: &str) -> Result<String, StoreError> {
        let wrong = || StoreError::SecretKey("it does not open what is stored; another key sealed it".into());
        let key = self.key()?;
        let bytes = STANDARD.decode(stored).map_err(|_| wrong())?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN).ok_or_else(wrong)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| wrong())?;
        let mut sealed = sealed.to_vec();
        let opened =
            key.open_in_place(nonce, Aad::from(name.as_bytes()), &mut sealed).map_err(|_| wrong())?;
        String::from_utf8(opened.to_vec()).map_err(|_| wrong())
    }

    fn key(&self) -> Result<&LessSafeKey, StoreError> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let bytes = match &self.source {
            KeySource::Memory => new_key()?,
            KeySource::File(path) => read_or_make(path)?,
            KeySource::Unset => {
                return Err(StoreError::SecretKey(
                    "secrets of key vaults in PostgreSQL need a key file; start with --secrets-key FILE"
                        .into(),
                ));
            }
        };
        let key = UnboundKey::new(&AES_256_GCM, &bytes)
            .map_err(|_| StoreError::SecretKey("the key has the wrong length".into()))?;
        Ok(self.key.get_or_init(|| LessSafeKey::new(key)))
    }
}

/// The key in a file. One that is not there is made, readable by its owner alone.
fn read_or_make(path: &Path) -> Result<Vec<u8>, StoreError> {
    let failed =
        |error: &dyn std::fmt::Display| StoreError::SecretKey(format!("'{}': {error}", path.display()));
    if !path.exists() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let temporary = folder.unwrap_or(Path::new(".")).join(format!(".{}.key", uuid::Uuid::new_v4()));
        let mut options = std::fs::OpenOptions::new();
        options.create_new(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&temporary).map_err(|error| failed(&error))?;
        let text = STANDARD.encode(new_key()?);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        // A link, unlike a rename, does not replace the key that another process has made meanwhile.
        let linked = written.and_then(|()| std::fs::hard_link(&temporary, path));
        let _ = std::fs::remove_file(&temporary);
        match linked {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(&error)),
            _ => {}
        }
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let key = STANDARD.decode(text.trim()).ok().filter(|key| key.len() == KEY_LEN);
    key.ok_or_else(|| failed(&"it holds no key: 32 bytes in Base64 are expected"))
}

fn new_key() -> Result<Vec<u8>, StoreError> {
    let mut key = vec![0; KEY_LEN];
    random(&mut key)?;
    Ok(key)
}

fn random(bytes: &mut [u8]) -> Result<(), StoreError> {
    let filled = SystemRandom::new().fill(bytes);
    filled.map_err(|_| StoreError::SecretKey("the system gives no random numbers".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_sealed_with_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let state = Location::File(folder.path().join("state.db"));
        let key = SealingKey::of(&state, None);
        let sealed = key.seal("a", "hunter2").unwrap();
        assert!(!sealed.contains("hunter2"));
        assert_ne!(sealed, key.seal("a", "hunter2").unwrap(), "equal values must not look equal");
        assert_eq!(SealingKey::of(&state, None).open("a", &sealed).unwrap(), "hunter2");
        assert!(key.open("b", &sealed).is_err());
        assert!(SealingKey::of(&Location::Memory, None).open("a", &sealed).is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let about = std::fs::metadata(folder.path().join("state.db.key")).unwrap();
            assert_eq!(about.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_shared_database_needs_a_key_file() {
        let postgres = Location::Postgres("postgres://host/name".into());
        let error = SealingKey::of(&postgres, None).seal("a", "b").unwrap_err();
        assert!(error.to_string().contains("--secrets-key"), "{error}");
    }
}
