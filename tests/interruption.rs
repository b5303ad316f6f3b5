//! Ctrl-C while many files are written: each file is as it was or as it should be, and nothing else is left.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test writes files and starts a program")]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_sinew-tested");
const BEFORE: &str = "param   name   string\noutput   text   string   =   name\n";
const AFTER: &str = "param name string\noutput text string = name\n";
const FILES: usize = 3000;

#[test]
fn nothing_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..FILES {
        fs::write(folder.path().join(format!("{number}.bicep")), BEFORE).unwrap();
    }
    let mut process = Command::new(PROGRAM).arg("format").arg(folder.path()).spawn().unwrap();
    let start = Instant::now();
    while !(0..FILES).step_by(100).any(|number| text(folder.path(), number) == AFTER) {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
        std::thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    let status = process.wait().unwrap();
    let is_over = status.success();
    assert!(is_over || status.signal() == Some(2), "{status}");
    let written = (0..FILES).filter(|number| {
        let text = text(folder.path(), *number);
        assert!(text == BEFORE || text == AFTER, "{number}.bicep is {text:?}");
        text == AFTER
    });
    let written = written.count();
    assert!(written > 0 && (is_over || written < FILES), "{written} files of {FILES}");
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.count(), FILES, "no temporary file stays");
}

fn text(folder: &Path, number: usize) -> String {
    fs::read_to_string(folder.join(format!("{number}.bicep"))).unwrap()
}
