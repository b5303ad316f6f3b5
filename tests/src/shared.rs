//! Where recorded data lies. It is not part of this repository; tests that need it say so when it is absent.

use std::path::{Path, PathBuf};

/// A folder below `shared`, which is named by `SINEW_SHARED` or lies beside one of the folders that hold this package.
pub fn folder(inside: &str) -> Option<PathBuf> {
    let named = std::env::var_os("SINEW_SHARED").map(PathBuf::from);
    let beside = || {
        let ancestors = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        ancestors.map(|folder| folder.join("shared")).find(|folder| folder.is_dir())
    };
    named.or_else(beside).map(|shared| shared.join(inside)).filter(|folder| folder.is_dir())
}

/// What to say when [`folder`] finds nothing.
pub fn absent(inside: &str) -> String {
    format!("shared/{inside} is not here (set SINEW_SHARED to the folder that holds it): nothing was checked")
}
