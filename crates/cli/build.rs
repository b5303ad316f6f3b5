//! How the binary is linked, and what is put into it.
//!
//! With the feature `bundled-types`, the catalogues that `SINEW_BUNDLE_TYPES` names become a part of the program: files
//! as `sinew types pack` writes them, separated like the folders of `PATH`. Each is found under the name of its file.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a build script reads its environment, writes a file and talks to Cargo"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const VARIABLE: &str = "SINEW_BUNDLE_TYPES";

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    link_for_startup()?;
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    match env::var_os("CARGO_FEATURE_BUNDLED_TYPES") {
        Some(_) => bundle_types(),
        None => Ok(()),
    }
}

/// A program at a fixed address needs no relocations when it starts. Thousands of them, for tables and trait objects,
/// would cost more than everything else that `sinew --version` does.
///
/// The unwinder is linked into the program: a shared library more to find, to map and to bind costs as much as a tenth of
/// what starting costs. The standard library asks for `gcc_s` by name; a linker script of that name leads to the archives.
fn link_for_startup() -> Result<(), String> {
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if !is_linux || !is_gnu {
        return Ok(());
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if !has_static_unwinder() {
        return Ok(());
    }
    let folder = env::var("OUT_DIR").map_err(|error| error.to_string())?;
    let script = Path::new(&folder).join("libgcc_s.so");
    fs::write(script, "GROUP ( -lgcc_eh -lgcc )\n").map_err(|error| error.to_string())?;
    println!("cargo::rustc-link-arg-bins=-L{folder}");
    Ok(())
}

/// Whether the compiler that links for this machine has the unwinder as an archive: not every one comes with it.
fn has_static_unwinder() -> bool {
    let is_native = env::var_os("HOST") == env::var_os("TARGET");
    let found = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    // Without a path, the name itself is the answer.
    is_native && found.is_ok_and(|found| found.stdout.contains(&b'/'))
}

fn bundle_types() -> Result<(), String> {
    let list = env::var_os(VARIABLE).unwrap_or_default();
    let files: Vec<PathBuf> = env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect();
    if files.is_empty() {
        return Err(format!("the feature `bundled-types` needs {VARIABLE}: a file of `sinew types pack`"));
    }
    let mut source = String::from("&[\n");
    for file in files {
        let path = from_workspace(&file);
        println!("cargo::rerun-if-changed={}", path.display());
        let bytes = fs::read(&path).map_err(|error| format!("{VARIABLE}: {}: {error}", path.display()))?;
        if !bytes.starts_with(b"SNWTYPES") {
            return Err(format!("{VARIABLE}: {}: this is not a catalogue of types", path.display()));
        }
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        writeln!(source, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())
            .map_err(|error| error.to_string())?;
    }
    source.push_str("]\n");
    let output = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("bundled.rs");
    fs::write(&output, source).map_err(|error| format!("{}: {error}", output.display()))
}

/// Relative paths start at the root of the workspace, where people start Cargo.
fn from_workspace(path: &Path) -> PathBuf {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    package.join("../..").join(path)
}
