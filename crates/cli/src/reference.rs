//! Pages of the book that are made from the program: functions, best-practice rules, settings. Each is a test that fails
//! when its page is stale; `UPDATE_EXPECT=1 cargo test -p cli` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::MemoryWorld;
use bicep_sema::{Program, Setup};
use bicep_types::ty::FunctionName;
use camino::Utf8PathBuf;
use expect_test::expect_file;
use serde_json::Value;

const MADE: &str = "Generated from the program.";

#[test]
fn the_reference_of_functions_is_up_to_date() {
    let mut page = format!("# Functions\n\n{MADE}\n");
    for (file, title) in [("/main.bicep", "In Bicep files"), ("/main.bicepparam", "In parameter files")] {
        let world =
            MemoryWorld::new().with_file(file, if file.ends_with("param") { "using none\n" } else { "" });
        let program = Program::load(Setup::new(&world), &[Utf8PathBuf::from(file)]);
        let model = program.files().find_map(|file| program.model(file)).unwrap();
        let mut signatures: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for namespace in &model.namespaces().all {
            for function in &namespace.functions {
                let name = match &function.name {
                    FunctionName::Exact(name) => name.to_string(),
                    FunctionName::Prefix(name) => format!("{name}*"),
                };
                let signature = format!("{name}{}", function.signature());
                let known = signatures.entry(name.to_lowercase()).or_default();
                let line = format!("| `{}` | `{}` |", escaped(&signature), namespace.name);
                if !known.contains(&line) {
                    known.push(line);
                }
            }
        }
        writeln!(page, "\n## {title}\n\n| Function | Namespace |\n|---|---|").unwrap();
        for line in signatures.values().flatten() {
            writeln!(page, "{line}").unwrap();
        }
    }
    expect_file!["../../../docs/functions.md"].assert_eq(&page);
}

#[test]
fn the_reference_of_rules_is_up_to_date() {
    let mut page = format!(
        "# Built-in best-practice rules\n\n{MADE} `sinew rules explain ID` describes a rule and how to fix a finding.\n\n\
         | Rule | Severity | Requirement |\n|---|---|---|\n"
    );
    for rule in rules::builtin() {
        writeln!(page, "| `{}` | {:?} | {} |", rule.id, rule.severity, escaped(&rule.short_description))
            .unwrap();
    }
    expect_file!["../../../docs/rules.md"].assert_eq(&page);
}

#[test]
fn the_reference_of_settings_is_up_to_date() {
    let mut page = format!(
        "# Settings\n\n{MADE} [Configuration files](configuration.md) describes how the files are found and merged. \
         `sinew config explain` prints all effective settings, with the file and line that set each.\n\n\
         ## sinew.toml\n\n\
         Settings of the program. The nearest file upwards from the current folder is used. Precedence: option, environment \
         variable, file. Paths are relative to the file; unknown keys are errors. Under the names `bicep` and \
         `TemplateAnalyzer`, these settings do not affect options.\n\n\
         | Setting | Description | Option | Environment | Default |\n|---|---|---|---|---|\n"
    );
    for setting in config::project_settings::PROJECT_SETTINGS {
        let option = setting.option.map_or_else(String::new, |option| format!("`--{option}`"));
        let variable = setting.variable.map_or_else(String::new, |variable| format!("`{variable}`"));
        let (key, text, default) = (setting.key, escaped(setting.description), setting.default);
        writeln!(page, "| `{key}` | {text} | {option} | {variable} | {default} |").unwrap();
    }
    page.push_str(
        "\n## bicepconfig.json\n\nSettings of the Bicep language. The nearest file upwards from each source file is used. \
         [Lint rules](lint-rules.md) lists the levels and options of lint rules.\n\n| Setting | Description |\n|---|---|\n",
    );
    describe(&config::schema(), "", &mut page);
    expect_file!["../../../docs/settings.md"].assert_eq(&page);
}

/// A row for each setting that has a description, the rules of the linter left out.
fn describe(schema: &Value, path: &str, page: &mut String) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if let Some(text) = property.get("description").and_then(Value::as_str) {
            writeln!(page, "| `{path}` | {} |", escaped(text)).unwrap();
        }
        if path != "analyzers.core.rules" {
            describe(property, &path, page);
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
