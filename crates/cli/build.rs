//! How the binary is linked.
#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "a build script talks to cargo")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A program at a fixed address needs no relocations when it starts. Thousands of them, for tables and trait objects,
    // would cost more than everything else that `sinew --version` does.
    let is_linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    let is_gnu = std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if is_linux && is_gnu {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
