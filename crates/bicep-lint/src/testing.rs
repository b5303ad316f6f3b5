//! `check(code, source)`: findings are expected as comments on the line they are on. `check_fix` applies a fix.

use std::sync::{Arc, LazyLock};

use base::{Diagnostic, MemoryWorld};
use bicep_sema::{MissingTypes, NoTypes, Program, Setup, TypeSource};
use bicep_types::catalogue::pack;
use bicep_types::resources::Flavour;
use bicep_types::{Catalogue, ResourceTypes};
use camino::Utf8PathBuf;
use config::provider::{Builtin, ProviderSource};

use crate::{Date, Options};

/// Runs one rule, switched on, over a file. Every line that ends in `// <-` must have a finding, and no other.
pub(crate) fn check(code: &str, source: &str) {
    check_files(code, &[("main.bicep", source)]);
}

/// The same for the first of several files.
pub(crate) fn check_files(code: &str, files: &[(&str, &str)]) {
    let (_, source) = files.first().unwrap();
    let lines = base::LineIndex::new(source);
    let mut found: Vec<u32> =
        findings(code, files).iter().map(|finding| lines.line(finding.range.start())).collect();
    found.sort_unstable();
    found.dedup();
    let expected: Vec<u32> = (0..)
        .zip(source.split('\n'))
        .filter(|(_, line)| line.trim_end().ends_with("// <-"))
        .map(|(line, _)| line)
        .collect();
    assert_eq!(found, expected, "findings of {code} by line, counted from zero, in:\n{source}");
}

/// The texts that a rule marks in a file, in order.
pub(crate) fn marked<'s>(code: &str, source: &'s str) -> Vec<&'s str> {
    let mut findings = findings(code, &[("main.bicep", source)]);
    findings.sort_by_key(|finding| (finding.range.start(), finding.range.end()));
    findings.iter().map(|it| &source[usize::from(it.range.start())..usize::from(it.range.end())]).collect()
}

/// Applies the first fix of the first finding of a rule.
pub(crate) fn check_fix(code: &str, source: &str, expected: &str) {
    check_fix_in(code, &[("main.bicep", source)], expected);
}

/// The same for the first of several files.
pub(crate) fn check_fix_in(code: &str, files: &[(&str, &str)], expected: &str) {
    let source = files[0].1;
    let findings = findings(code, files);
    let fix = findings.first().and_then(|finding| finding.fixes.first());
    let fix = fix.unwrap_or_else(|| panic!("{code} has no fix for:\n{source}"));
    let mut text = source.to_owned();
    let starts: Vec<_> = fix.edits.iter().map(|edit| edit.range.start()).collect();
    assert!(starts.is_sorted(), "edits are in ascending order");
    for edit in fix.edits.iter().rev() {
        text.replace_range(usize::from(edit.range.start())..usize::from(edit.range.end()), &edit.text);
    }
    assert_eq!(text, expected, "after: {}", fix.title);
}

/// The findings of a rule in the first of several files. The date is the last of the year 2025.
pub(crate) fn findings(code: &str, files: &[(&str, &str)]) -> Vec<Diagnostic> {
    let config = format!(
        r#"{{ "analyzers": {{ "core": {{ "rules": {{ "{code}": {{ "level": "warning" }} }} }} }} }}"#
    );
    let with_config = files.iter().any(|(path, _)| *path == "bicepconfig.json");
    let mut world = MemoryWorld::new();
    if !with_config {
        world = world.with_file("bicepconfig.json", config);
    }
    for (path, text) in files {
        world = world.with_file(*path, text);
    }
    let entry = Utf8PathBuf::from(files[0].0);
    let setup = Setup::new(&world).with_types(&StorageTypes);
    let program = Program::load(setup, std::slice::from_ref(&entry));
    let file = program.file_at(&entry).unwrap();
    let options = Options { today: Date::new(2025, 12, 31) };
    let mut findings = crate::lint(&program, file, &options);
    findings.retain(|finding| finding.code == code);
    findings
}

/// Knows a storage account in two versions.
struct StorageTypes;

impl TypeSource for StorageTypes {
    fn types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes> {
        match source {
            ProviderSource::Builtin(Builtin::Az) => Ok(Arc::clone(&STORAGE)),
            source => NoTypes.types(source),
        }
    }
}

static STORAGE: LazyLock<Arc<ResourceTypes>> = LazyLock::new(|| {
    const INDEX: &str = r##"{ "resources": {
        "Microsoft.Storage/storageAccounts@2016-01-01": { "$ref": "types.json#/3" },
        "Microsoft.Storage/storageAccounts@2025-01-01": { "$ref": "types.json#/4" }
    } }"##;
    const TYPES: &str = r##"[
        { "$type": "StringType" },
        { "$type": "StringType", "sensitive": true },
        { "$type": "ObjectType", "name": "account", "properties": {
            "name": { "type": { "$ref": "#/0" }, "flags": 1 },
            "key": { "type": { "$ref": "#/1" }, "flags": 0 }
        } },
        { "$type": "ResourceType", "name": "Microsoft.Storage/storageAccounts@2016-01-01", "body": { "$ref": "#/2" }, "readableScopes": 8, "writableScopes": 8 },
        { "$type": "ResourceType", "name": "Microsoft.Storage/storageAccounts@2025-01-01", "body": { "$ref": "#/2" }, "readableScopes": 8, "writableScopes": 8 }
    ]"##;
    let (bytes, problems) = pack("test", |path| Some(if path == "index.json" { INDEX } else { TYPES }));
    assert_eq!(problems, []);
    ResourceTypes::new("az", Flavour::Az, Some(Catalogue::open(bytes).unwrap()))
});
