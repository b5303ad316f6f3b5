//! `check(code, source)`: findings are expected as comments on the line they are on.

use base::MemoryWorld;
use bicep_sema::{Program, Setup};
use camino::Utf8PathBuf;

/// Runs one rule, switched on, over a file. Every line that ends in `// <-` must have a finding, and no other.
pub(crate) fn check(code: &str, source: &str) {
    let config = format!(
        r#"{{ "analyzers": {{ "core": {{ "rules": {{ "{code}": {{ "level": "warning" }} }} }} }} }}"#
    );
    check_with_config(code, source, &config);
}

pub(crate) fn check_with_config(code: &str, source: &str, config: &str) {
    let world = MemoryWorld::new().with_file("main.bicep", source).with_file("bicepconfig.json", config);
    let program = Program::load(Setup { world: &world }, &[Utf8PathBuf::from("main.bicep")]);
    let file = program.file_at("main.bicep".into()).unwrap();
    let lines = base::LineIndex::new(source);
    let mut found: Vec<u32> = crate::lint(&program, file)
        .iter()
        .filter(|finding| finding.code == code)
        .map(|finding| lines.line(finding.range.start()))
        .collect();
    found.sort_unstable();
    found.dedup();
    let expected: Vec<u32> = (0..)
        .zip(source.split('\n'))
        .filter(|(_, line)| line.trim_end().ends_with("// <-"))
        .map(|(line, _)| line)
        .collect();
    assert_eq!(found, expected, "findings of {code} by line, counted from zero, in:\n{source}");
}
