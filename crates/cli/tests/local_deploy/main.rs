//! `local-deploy` with an extension that is a program of its own, over gRPC. This test is also that program: started with `--socket`, it
//! keeps notes as files.
#![cfg_attr(
    all(target_os = "linux", target_arch = "x86_64"),
    expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed"),
    expect(clippy::disallowed_methods, reason = "tests prepare the disk and start programs")
)]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../../../deploy/tests/extension/notes.rs"]
mod notes;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../cli/program.rs"]
mod program;

fn main() {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    linux::main();
}
