//! What users see of configuration files: settings, messages at lines, explanations, the schema.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::needless_pass_by_value, reason = "expectations are written in place")]

use std::fmt::Write as _;

use base::{FileReport, MemoryWorld};
use config::provider::{ProviderSource, implicit, resolve_name};
use config::{Config, Feature, IndentKind, NewlineKind, explain, load_for, render_explained, rules::Level};
use expect_test::{Expect, expect};

fn world(files: &[(&str, &str)]) -> MemoryWorld {
    files.iter().fold(MemoryWorld::new(), |world, (path, text)| world.with_file(*path, text))
}

fn load(files: &[(&str, &str)], source: &str) -> (std::sync::Arc<Config>, String) {
    let (config, reports) = load_for(&world(files), source.into());
    (config, shown(&reports))
}

fn shown(reports: &[FileReport]) -> String {
    let mut text = String::new();
    for report in reports {
        for d in &report.diagnostics {
            let at = report.file.position(d.range.start());
            let (path, line, col) = (report.file.path(), at.line + 1, at.col + 1);
            writeln!(text, "{path}({line},{col}) {} {}: {}", d.severity.name(), d.code, d.message).unwrap();
            for fix in &d.fixes {
                writeln!(text, "  fix: {}", fix.title).unwrap();
            }
        }
    }
    text
}

/// The messages about one `bicepconfig.json`.
#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&load(&[("bicepconfig.json", text)], "main.bicep").1);
}

fn sources(config: &Config) -> String {
    let mut text = String::new();
    for name in config.extensions.keys() {
        let source = match resolve_name(name, config) {
            Ok(ProviderSource::Package(reference)) => reference.to_string(),
            Ok(ProviderSource::File(path)) => format!("file {path}"),
            Ok(other) => format!("{other:?}"),
            Err(problem) => format!("{} {}", problem.code, problem.message),
        };
        writeln!(text, "{name}: {source}").unwrap();
    }
    writeln!(text, "implicit: {:?}", implicit(config).map(|(name, _)| name.as_str()).collect::<Vec<_>>())
        .unwrap();
    text
}

/// "Bicep will replace-merge the contents in the bicepconfig.json with the default."
#[test]
fn the_proposal_s_merge_example() {
    let (config, messages) = load(
        &[(
            "bicepconfig.json",
            r#"{
 "providers": {
    "az": "br:mcr.microsoft.com/bicep/providers/az:0.2.3"
  },
  "implicitProviders": [
    "kubernetes"
  ]
}"#,
        )],
        "main.bicep",
    );
    assert_eq!(messages, "");
    let effective = config.to_json();
    assert_eq!(
        effective["extensions"],
        serde_json::json!({
            "az": "br:mcr.microsoft.com/bicep/providers/az:0.2.3",
            "kubernetes": "builtin:",
            "microsoftGraph": "builtin:"
        })
    );
    assert_eq!(effective["implicitExtensions"], serde_json::json!(["kubernetes"]));
}

const TRAP: &[(&str, &str)] = &[
    (
        "src/bicepconfig.json",
        r#"{
  "providers":{
    "foo": "mcr.microsoft.com/bicep/providers/foo:1.2.3",
    "bar" : "mcr.microsoft.com/bicep/providers/bar:3.2.1"
  }
}
"#,
    ),
    (
        "src/modules/bicepconfig.json",
        r#"{
  "experimentalFeaturesEnabled": {
    "compileTimeImports": false
  },
}
"#,
    ),
];

/// "It doesn't merge other configs in the file hierarchy prior to merging with the builtin config."
#[test]
fn the_proposal_s_nested_folder_trap() {
    let (main, messages) = load(TRAP, "src/main.bicep");
    expect![[r#"
        src/bicepconfig.json(3,12) Warning config-provider-scheme: The address of a package starts with "br:".
          fix: Replace with "br:mcr.microsoft.com/bicep/providers/foo:1.2.3"
        src/bicepconfig.json(4,13) Warning config-provider-scheme: The address of a package starts with "br:".
          fix: Replace with "br:mcr.microsoft.com/bicep/providers/bar:3.2.1"
    "#]]
    .assert_eq(&messages);
    let foo = resolve_name("foo", &main).unwrap();
    assert!(
        matches!(foo, ProviderSource::Package(r) if r.to_string() == "br:mcr.microsoft.com/bicep/providers/foo:1.2.3")
    );

    let (module, messages) = load(TRAP, "src/modules/mod.bicep");
    expect![[r#"
        src/modules/bicepconfig.json(3,5) Info config-settled-feature: "compileTimeImports" is no longer an experimental feature; the entry has no effect.
        src/modules/bicepconfig.json(4,4) Warning config-trailing-comma: The trailing comma is accepted here, but not by other tools that read this file.
          fix: Remove the comma
    "#]]
    .assert_eq(&messages);
    for name in ["foo", "bar"] {
        let problem = resolve_name(name, &module).unwrap_err();
        assert_eq!(problem.code, "BCP204");
        assert_eq!(problem.cause.unwrap().file.path(), "src/modules/bicepconfig.json");
    }
    // "If we replace foo with az … the version applied would be the value specified in the builtin az provider version."
    assert_eq!(resolve_name("az", &module).unwrap(), ProviderSource::Builtin(config::provider::Builtin::Az));
}

#[test]
fn providers_come_from_everywhere() {
    let (config, messages) = load(
        &[(
            "src/bicepconfig.json",
            r#"{
  // either name will do
  "providers": {
    "one": "br:example.azurecr.io/providers/one:1.0.0",
    "two": "br/public:two:2.0.0",
    "three": "./packages/three.tgz",
    "four": "br:localhost:5000/four@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  },
  "extensions": { "five": "br/corp:five:5.0.0", "one": "br:example.azurecr.io/providers/one:1.0.0" },
  "moduleAliases": { "br": { "corp": { "registry": "corp.example.com", "modulePath": "shared" } } },
  "implicitExtensions": ["one"]
}"#,
        )],
        "src/deep/main.bicep",
    );
    assert_eq!(messages, "");
    expect![[r#"
        az: Builtin(Az)
        kubernetes: Builtin(Kubernetes)
        microsoftGraph: BCP407 The built-in extension "microsoftGraph" is retired; configure a package from a registry instead.
        one: br:example.azurecr.io/providers/one:1.0.0
        two: br:mcr.microsoft.com/bicep/providers/two:2.0.0
        three: file src/packages/three.tgz
        four: br:localhost:5000/four@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
        five: br:corp.example.com/shared/five:5.0.0
        implicit: ["one"]
    "#]]
    .assert_eq(&sources(&config));
}

#[test]
fn wrong_providers_are_reported_at_their_line() {
    check(
        r#"{
  "providers": {
    "sys": "builtin:",
    "foo": "builtin:",
    "old": "br:mcr.microsoft.com/bicep/providers/old@1.2.3",
    "spec": "ts:what",
    "scheme": "http://example.com/x",
    "foo": "./foo.tgz",
    "slash": "..\\foo.tgz",
    "two": "br:a.io/two:1"
  },
  "extensions": { "two": "br:a.io/two:2" },
  "implicitProviders": ["foo", "sys", "kubernets", 3]
}"#,
        expect![[r#"
            bicepconfig.json(3,5) Error BCP419: "sys" names the language's own namespace; it cannot be configured as an extension.
            bicepconfig.json(4,12) Error BCP398: Extension "foo" is configured as "builtin:", but no extension of that name is built in.
            bicepconfig.json(5,12) Warning BCP224: The artifact reference "br:mcr.microsoft.com/bicep/providers/old@1.2.3" is not valid. "1.2.3" is not a digest: "sha256:" and 64 lower-case hexadecimal digits are.
              fix: Replace with "br:mcr.microsoft.com/bicep/providers/old:1.2.3"
            bicepconfig.json(6,13) Warning BCP380: A reference of this kind cannot lead to an extension.
            bicepconfig.json(7,15) Warning BCP189: "http" is not a kind of reference. Use a relative path, "br:" for a registry or "ts:" for a template spec.
            bicepconfig.json(8,5) Error BCP273: Extension "foo" is configured twice; names must be distinct.
            bicepconfig.json(9,14) Warning BCP098: The path has a backslash; use "/" between its parts.
              fix: Replace with "../foo.tgz"
            bicepconfig.json(12,26) Error BCP273: "two" is set under both of its names, with different values. Keep one of them.
            bicepconfig.json(13,32) Error BCP419: "sys" names the language's own namespace; it cannot be configured as an extension.
            bicepconfig.json(13,39) Error BCP397: Extension "kubernets" is listed in "implicitProviders", but has no entry in "providers". Did you mean "kubernetes"?
            bicepconfig.json(13,52) Error BCP273: The value of "implicitProviders" must be a string, not a number.
        "#]],
    );
}

#[test]
fn schema_violations_have_a_line_and_a_suggestion() {
    check(
        r#"{
  "formating": {},
  "formatting": { "indentKind": "spaces", "newlineKind": "crlf", "indentSize": 5000, "width": 1.5, "insertFinalNewline": "yes" },
  "analyzers": { "core": { "rules": {
    "no-unused-parms": { "level": "error" },
    "max-params": { "level": "loud" },
    "max-outputs": { "levle": "off" },
    "use-recent-api-versions": { "maxAgeInDays": -1 },
    "no-unused-vars": "off"
  } } },
  "experimentalFeaturesEnabled": { "assertion": true, "localDeploy": 1 },
  "moduleAliases": { "br": { "corp": { "modulePath": "x" } } },
  "cloud": { "currentProfile": "AzureClod" },
  "cacheRootDirectory": 7
}"#,
        expect![[r#"
            bicepconfig.json(2,3) Warning config-unknown-key: "formating" is not a setting; it is ignored. Did you mean "formatting"?
              fix: Rename to "formatting"
            bicepconfig.json(3,33) Error BCP273: "spaces" is not a value of "formatting.indentKind". Allowed values are "Space", "Tab".
              fix: Replace with "Space"
            bicepconfig.json(3,80) Warning config-out-of-range: The value of "formatting.indentSize" is outside the supported range; 1000 is used.
            bicepconfig.json(3,95) Error BCP273: The value of "formatting.width" must be a whole number, not a fraction.
            bicepconfig.json(3,122) Error BCP273: The value of "formatting.insertFinalNewline" must be true or false, not a string.
            bicepconfig.json(5,5) Warning config-unknown-key: "no-unused-parms" is not a setting of "analyzers.core.rules"; it is ignored. Did you mean "no-unused-params"?
              fix: Rename to "no-unused-params"
            bicepconfig.json(6,30) Warning config-unknown-level: "loud" is not a value of "analyzers.core.rules.max-params.level". Allowed values are "off", "info", "warning", "error"; it is ignored.
            bicepconfig.json(7,22) Warning config-unknown-key: "levle" is not a setting of "analyzers.core.rules.max-outputs"; it is ignored. Did you mean "level"?
              fix: Rename to "level"
            bicepconfig.json(8,50) Warning config-out-of-range: The value of "analyzers.core.rules.use-recent-api-versions.maxAgeInDays" is outside the supported range; 0 is used.
            bicepconfig.json(9,23) Error BCP273: The value of "analyzers.core.rules.no-unused-vars" must be an object, not a string.
            bicepconfig.json(11,36) Warning config-unknown-key: "assertion" is not a setting of "experimentalFeaturesEnabled"; it is ignored. Did you mean "assertions"?
              fix: Rename to "assertions"
            bicepconfig.json(11,70) Error BCP273: The value of "experimentalFeaturesEnabled.localDeploy" must be true or false, not a number.
            bicepconfig.json(12,38) Warning config-missing-key: "moduleAliases.br.corp" lacks "registry".
            bicepconfig.json(13,32) Error BCP273: "AzureClod" is not a value of "cloud.currentProfile". Allowed values are "AzureChinaCloud", "AzureCloud", "AzureUSGovernment".
              fix: Replace with "AzureCloud"
            bicepconfig.json(14,25) Error BCP273: The value of "cacheRootDirectory" must be a string, not a number.
        "#]],
    );
}

#[test]
fn broken_json_is_reported_where_it_breaks() {
    check(
        "{\n  \"formatting\": { \"indentSize\": 4 }\n  \"cloud\": nope\n}",
        expect![[r#"
            bicepconfig.json(3,3) Error BCP271: The configuration file is not valid JSON: A comma is expected before this.
              fix: Add a comma
            bicepconfig.json(3,12) Error BCP271: The configuration file is not valid JSON: `nope` is not a value; a string needs double quotes.
        "#]],
    );
    check(
        "",
        expect![[r#"
        bicepconfig.json(1,1) Error BCP271: The configuration file is not valid JSON: There is no JSON value here.
    "#]],
    );
    check(
        "[]",
        expect![[r#"
        bicepconfig.json(1,1) Error BCP273: The value of the file must be an object, not an array.
    "#]],
    );
    let world = MemoryWorld::new().with_file("bicepconfig.json", b"{\xff}");
    let (_, reports) = load_for(&world, "main.bicep".into());
    expect![[r#"
        bicepconfig.json(1,1) Error BCP271: The configuration file is not valid JSON: the file is not valid UTF-8 (byte 1).
    "#]]
    .assert_eq(&shown(&reports));
}

#[test]
fn settings_are_typed() {
    let (config, messages) = load(
        &[(
            "p/bicepconfig.json",
            r#"{
  "$schema": "https://example.com/schema.json",
  "formatting": { "indentKind": "tab", "newlineKind": "CRLF", "indentSize": 4, "width": 80, "insertFinalNewline": false },
  "analyzers": { "core": { "verbose": true, "rules": {
    "no-unused-params": { "level": "Error" },
    "no-hardcoded-env-urls": { "excludedhosts": ["a.b"] }
  } } },
  "experimentalFeaturesEnabled": { "assertions": true, "localDeploy": false },
  "experimentalFeaturesWarning": false,
  "cacheRootDirectory": "./cache",
  "cloud": { "currentProfile": "AzureUSGovernment", "credentialPrecedence": ["environment"],
             "credentialOptions": { "managedIdentity": { "type": "UserAssigned", "clientId": "00000000-0000-0000-0000-000000000001" } } },
  "moduleAliasesMock": { "br": { "corp": { "mapToFilePath": "../local" } } },
  "documentation": { "template": { "file": "t.txt", "values": { "a": "b" } } },
  "implicitExtensions": null
}"#,
        )],
        "p/q/main.bicep",
    );
    assert_eq!(messages, "");
    let f = config.formatting;
    assert_eq!((f.indent_kind, f.newline_kind, f.indent_size), (IndentKind::Tab, NewlineKind::CrLf, 4));
    assert_eq!((f.width, f.insert_final_newline), (80, false));
    assert_eq!(config.rule_level("no-unused-params"), Level::Error);
    assert_eq!(config.rule_level("no-unused-vars"), Level::Warning);
    assert_eq!(config.rule_level("no-hardcoded-location"), Level::Off);
    assert_eq!(
        config.rule_option("no-hardcoded-env-urls", "excludedhosts"),
        Some(&serde_json::json!(["a.b"]))
    );
    assert_eq!(
        config
            .rule_option("no-hardcoded-env-urls", "disallowedhosts")
            .and_then(|v| v.as_array())
            .map(Vec::len),
        Some(12)
    );
    assert!(config.has(Feature::Assertions) && !config.has(Feature::LocalDeploy));
    assert!(!config.warn_about_features && config.analyzers.verbose);
    assert_eq!(config.cache_root.as_deref(), Some("p/cache".into()));
    assert_eq!(config.cloud.resource_manager_endpoint, "https://management.usgovcloudapi.net");
    assert_eq!(config.cloud.credential_precedence, ["Environment"]);
    assert_eq!(config.aliases.mocks["corp"].folder.as_deref(), Some("local".into()));
    assert_eq!(config.documentation.template_file.as_deref(), Some("p/t.txt".into()));
    assert_eq!(config.documentation.examples.sources.len(), 2);
    // `null` lets the default show through.
    assert_eq!(config.implicit_extensions.len(), 1);
}

#[test]
fn a_tilde_is_the_home_folder() {
    let check = |written: &str, expected: &str| {
        let text = format!("{{ \"cacheRootDirectory\": \"{written}\" }}");
        let world =
            MemoryWorld::new().with_file("/p/bicepconfig.json", text).with_variable("HOME", "/home/me");
        assert_eq!(load_for(&world, "/p/main.bicep".into()).0.cache_root.as_deref(), Some(expected.into()));
    };
    check("~", "/home/me");
    check("~/cache", "/home/me/cache");
    check("~other/cache", "/p/~other/cache");
    check("/abs", "/abs");
}

#[test]
fn managed_identities_are_checked() {
    check(
        r#"{ "cloud": { "credentialOptions": { "managedIdentity": { "type": "UserAssigned" } } } }"#,
        expect![[r#"
            bicepconfig.json(1,56) Error BCP273: A user-assigned identity needs "clientId" or "resourceId".
        "#]],
    );
    check(
        r#"{ "cloud": { "profiles": { "mine": { "resourceManagerEndpoint": "ftp://x" } }, "currentProfile": "mine" } }"#,
        expect![[r#"
            bicepconfig.json(1,36) Warning config-missing-key: "cloud.profiles.mine" lacks "activeDirectoryAuthority".
            bicepconfig.json(1,36) Error BCP273: The cloud profile "mine" lacks "activeDirectoryAuthority".
            bicepconfig.json(1,65) Error BCP273: "ftp://x" is not an address that starts with "https://" or "http://".
        "#]],
    );
}

#[test]
fn files_extend_files() {
    let files = &[
        (
            "base/bicepconfig.json",
            r#"{ "formatting": { "indentSize": 8, "width": 60 }, "extensions": { "x": "./x.tgz" }, "implicitExtensions": ["x"] }"#,
        ),
        ("mid.json", r#"{ "extends": "base/bicepconfig.json", "formatting": { "indentSize": 6 } }"#),
        ("src/bicepconfig.json", "{\n  \"extends\": \"../mid.json\",\n  \"formatting\": { \"width\": 50 } }"),
    ];
    let (config, messages) = load(files, "src/main.bicep");
    assert_eq!(messages, "");
    assert_eq!((config.formatting.indent_size, config.formatting.width), (6, 50));
    // A path is relative to the file that says it.
    assert_eq!(resolve_name("x", &config).unwrap(), ProviderSource::File("base/x.tgz".into()));
    expect![[r#"
        extensions.x = "./x.tgz"    base/bicepconfig.json:1
        implicitExtensions = ["x"]  base/bicepconfig.json:1
        formatting.indentSize = 6   mid.json:1
        formatting.width = 50       src/bicepconfig.json:3
    "#]]
    .assert_eq(&render_explained(&explain(&config), false));
}

#[test]
fn extends_goes_wrong_in_these_ways() {
    let check = |files: &[(&str, &str)], expected: Expect| {
        expected.assert_eq(&load(files, "bicepconfig.json").1);
    };
    check(
        &[("bicepconfig.json", r#"{ "extends": "/etc/base.json" }"#)],
        expect![[r#"
            bicepconfig.json(1,14) Error BCP453: The value of "extends" must be a relative path.
        "#]],
    );
    check(
        &[("bicepconfig.json", r#"{ "extends": "C:\\base.json" }"#)],
        expect![[r#"
            bicepconfig.json(1,14) Error BCP453: The value of "extends" must be a relative path.
        "#]],
    );
    check(
        &[
            ("bicepconfig.json", r#"{ "extends": "a/b.json" }"#),
            ("a/b.json", r#"{ "extends": "../bicepconfig.json" }"#),
        ],
        expect![[r#"
            a/b.json(1,14) Error BCP454: The configuration files extend each other: bicepconfig.json → a/b.json → bicepconfig.json.
        "#]],
    );
    check(
        &[("bicepconfig.json", r#"{ "extends": "gone.json" }"#)],
        expect![[r#"
            bicepconfig.json(1,14) Error BCP272: The configuration file "gone.json" cannot be read: the file does not exist.
        "#]],
    );
    let long: Vec<_> = (0..70)
        .map(|n| (format!("{n}.json"), format!("{{ \"extends\": \"{}.json\" }}", n + 1)))
        .chain([("bicepconfig.json".to_owned(), r#"{ "extends": "0.json" }"#.to_owned())])
        .collect();
    let long: Vec<_> = long.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    check(
        &long,
        expect![[r#"
            62.json(1,14) Error BCP455: More than 64 configuration files extend each other.
        "#]],
    );
}

#[test]
fn the_default_configuration_explains_itself() {
    let (config, messages) = load(&[], "main.bicep");
    assert_eq!(messages, "");
    assert_eq!(config.path(), None);
    let explained = explain(&config);
    assert!(explained.iter().all(|setting| setting.file.is_none()));
    let find = |path: &str| explained.iter().find(|s| s.path == path).map(|s| s.value.to_string());
    assert_eq!(find("formatting.indentSize").as_deref(), Some("2"));
    assert_eq!(find("implicitExtensions").as_deref(), Some("[\"az\"]"));
    assert_eq!(find("analyzers.core.rules.no-hardcoded-env-urls.level").as_deref(), Some("\"warning\""));
    assert_eq!(render_explained(&explained, false), "");
}

#[test]
fn the_schema_accepts_what_the_reader_accepts() {
    let validator = jsonschema::validator_for(&config::schema()).unwrap();
    let good = config::built_in(&MemoryWorld::new()).to_json();
    assert!(
        validator.is_valid(&good),
        "{:?}",
        validator.iter_errors(&good).map(|e| e.to_string()).collect::<Vec<_>>()
    );
    let check = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let messages = load(&[("bicepconfig.json", text)], "main.bicep").1;
        assert_eq!(validator.is_valid(&value), messages.is_empty(), "{text}\n{messages}");
    };
    check(r#"{ "providers": { "a": "br:x.io/a:1" }, "implicitProviders": ["a"] }"#);
    check(r#"{ "providers": { "sys": "builtin:" } }"#);
    check(r#"{ "formatting": { "indentKind": "Tab", "width": -1 } }"#);
    check(r#"{ "formatting": { "indentKind": "Tabs" } }"#);
    check(r#"{ "analyzers": { "core": { "rules": { "max-params": { "level": "off" } } } } }"#);
    check(r#"{ "analyzers": { "core": { "rules": { "max-parms": { "level": "off" } } } } }"#);
    check(r#"{ "moduleAliases": { "br": { "x": {} } } }"#);
    check(r#"{ "experimentalFeaturesEnabled": { "patch": true } }"#);
    check(r#"{ "experimentalFeaturesEnabled": { "patches": true } }"#);
}

#[test]
fn discovery_stops_where_nothing_is_known() {
    let files = &[("bicepconfig.json", r#"{ "formatting": { "indentSize": 7 } }"#)];
    assert_eq!(load(files, "a/b/c/main.bicep").0.formatting.indent_size, 7);
    assert_eq!(load(files, "./a/../main.bicep").0.formatting.indent_size, 7);
    // What lies above `..` is not the current folder.
    assert_eq!(load(files, "../a/main.bicep").0.formatting.indent_size, 2);
}

#[test]
fn a_loader_reads_and_reports_each_file_once() {
    let world = world(TRAP);
    let loader = config::Loader::new(&world);
    let first = loader.load_for("src/main.bicep".into());
    let second = loader.load_for("src/other.bicep".into());
    assert!(std::sync::Arc::ptr_eq(&first, &second));
    loader.load_for("src/modules/mod.bicep".into());
    loader.load_for("src/modules/deep/mod.bicep".into());
    assert_eq!(loader.reports().iter().map(|r| r.diagnostics.len()).collect::<Vec<_>>(), [2, 2]);
}

proptest::proptest! {
    /// Any text gives a configuration and messages, and the same ones again.
    #[test]
    fn loading_is_total(text in r#"(\{|\}|\[|\]|"providers"|"extensions"|"extends"|"formatting"|"rules"|"br:a/b:c"|:|,|1|null|"sys"|// x\n| ){0,40}"#) {
        let first = load(&[("bicepconfig.json", &text)], "main.bicep");
        let second = load(&[("bicepconfig.json", &text)], "main.bicep");
        proptest::prop_assert_eq!(first.1, second.1);
        proptest::prop_assert_eq!(first.0.to_json(), second.0.to_json());
    }
}
