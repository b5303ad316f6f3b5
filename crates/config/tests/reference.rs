//! What users write as artifact references, and what they are told.
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use base::{MemoryWorld, TextRange};
use config::provider::resolve_reference;
use config::reference::{ArtifactKind, Problem, parse};
use config::{Config, load_for};

const CONFIG: &str = r#"{
  "moduleAliases": {
    "br": {
      "corp": { "registry": "corp.azurecr.io", "modulePath": "bicep/modules" },
      "bare": { "registry": "corp.azurecr.io" },
      "broken": { "modulePath": "x" },
      "mocked": { "registry": "corp.azurecr.io" }
    },
    "ts": {
      "specs": { "subscription": "00000000-0000-0000-0000-000000000000", "resourceGroup": "rg" },
      "noSub": { "resourceGroup": "rg" },
      "noGroup": { "subscription": "00000000-0000-0000-0000-000000000000" }
    }
  },
  "moduleAliasesMock": { "br": { "mocked": { "mapToFilePath": "../local" }, "onlyMocked": { "mapToFilePath": "x" } } },
  "extensionAliases": { "br": { "empty": {} } }
}"#;

fn config() -> std::sync::Arc<Config> {
    load_for(&MemoryWorld::new().with_file("p/bicepconfig.json", CONFIG), "p/main.bicep".into()).0
}

fn shown(result: Result<String, Problem>) -> String {
    match result {
        Ok(text) => text,
        Err(problem) => {
            let diagnostic = problem.at(TextRange::default());
            let fix =
                diagnostic.fixes.first().map(|fix| format!(" → {}", fix.edits[0].text)).unwrap_or_default();
            format!("{}{fix}", diagnostic.code)
        }
    }
}

#[track_caller]
fn module(text: &str, expected: &str) {
    assert_eq!(
        shown(parse(text, ArtifactKind::Module, &config()).map(|r| r.to_string())),
        expected,
        "{text}"
    );
}

#[track_caller]
fn extension(text: &str, expected: &str) {
    let result = resolve_reference(text, "src".into(), &config());
    assert_eq!(shown(result.map(|source| format!("{source:?}"))), expected, "{text}");
}

#[test]
fn paths() {
    module("./a.bicep", "./a.bicep");
    module("../a/b.json", "../a/b.json");
    module("", "BCP050");
    module("/a.bicep", "BCP051");
    module("a*.bicep", "BCP085");
    module("a.bicep ", "BCP086");
    module("a.", "BCP086");
    module("a\\b.bicep", "BCP098 → 'a/b.bicep'");
    module("a\u{1}b", "BCP111");
    module("C:/a.bicep", "BCP189");
    module("fake:totally", "BCP189");
    module(":x", "BCP189");
    module("br-mock:x", "BCP449");
}

#[test]
fn registries() {
    let digest = format!("sha256:{}", "0a".repeat(32));
    module("br:Example.azurecr.io/foo/bar:v1", "br:example.azurecr.io/foo/bar:v1");
    module("br:localhost:5000/foo:V1", "br:localhost:5000/foo:V1");
    module("br:[::1]:5000/foo:1", "br:[::1]:5000/foo:1");
    module(&format!("br:a.io/foo@{digest}"), &format!("br:a.io/foo@{digest}"));
    module("br:a.io", "BCP193");
    module("br:a.io/", "BCP193");
    module("br:", "BCP193");
    module("br::/x:1", "BCP193");
    module("br:a.io:99999/x:1", "BCP193");
    module("br:a.io/Foo/bar:v1", "BCP195");
    module("br:a.io/foo//bar:v1", "BCP195");
    module("br:a.io/foo/../bar:v1", "BCP195");
    module("br:a.io/foo-:v1", "BCP195");
    module("br:a.io/foo", "BCP196");
    module("br:a.io/foo:", "BCP196");
    module("br:a.io/foo@", "BCP196");
    module(&format!("br:a.io/foo:{}", "x".repeat(129)), "BCP197");
    module("br:a.io/foo:-x", "BCP198");
    module("br:a.io/foo:a:b", "BCP198");
    module(&format!("br:a.io/{}:1", "x".repeat(256)), "BCP199");
    module(&format!("br:{}/x:1", "x".repeat(256)), "BCP200");
    module("br:a.io/foo@1.2.3", "BCP224 → 'br:a.io/foo:1.2.3'");
    module("br:a.io/foo@sha256:ABC", "BCP224");
}

#[test]
fn module_aliases() {
    module("br/public:storage:1.0", "br:mcr.microsoft.com/bicep/storage:1.0");
    module("br/corp:net/vnet:1.0", "br:corp.azurecr.io/bicep/modules/net/vnet:1.0");
    module("br/bare:x:1", "br:corp.azurecr.io/x:1");
    module("br/no such:x:1", "BCP211");
    module("br/:x:1", "BCP211");
    module("br/nobody:x:1", "BCP213");
    module("br/broken:x:1", "BCP216");
    module("br/corp:X:1", "BCP195");
    module("br/corp:x@1", "BCP224 → 'br/corp:x:1'");
    module("br/mocked:net/vnet:1.0", "local/net/vnet.bicep");
    module("br/mocked:../vnet:1.0", "BCP195");
    module("br/mocked::1.0", "BCP090");
}

#[test]
fn template_specs() {
    let sub = "00000000-0000-0000-0000-000000000000";
    let long = "x".repeat(91);
    module(&format!("ts:{sub}/rg/spec:v1"), &format!("ts:{sub}/rg/spec:v1"));
    module("ts/specs:spec:v1", &format!("ts:{sub}/rg/spec:v1"));
    module("ts:spec", "BCP194");
    module(&format!("ts:{sub}/rg/spec"), "BCP194");
    module(&format!("ts:{sub}/rg/spec/more:v1"), "BCP194");
    module("ts/b@d:spec:v1", "BCP211");
    module("ts/nobody:spec:v1", "BCP212");
    module("ts/noSub:spec:v1", "BCP214");
    module("ts/noGroup:spec:v1", "BCP215");
    module("ts:abc/rg/spec:v1", "BCP217");
    module(&format!("ts:{sub}/{long}/spec:v1"), "BCP218");
    module(&format!("ts:{sub}/rg./spec:v1"), "BCP219");
    module(&format!("ts:{sub}/rg/{long}:v1"), "BCP220");
    module(&format!("ts:{sub}/rg/sp#ec:v1"), "BCP221");
    module(&format!("ts:{sub}/rg/spec:{long}"), "BCP222");
    module(&format!("ts:{sub}/rg/spec:v1."), "BCP223");
}

/// The forms of the proposal, new and deprecated.
#[test]
fn extensions() {
    let package = |path: &str, tag: &str| {
        format!(
            "Package(OciReference {{ registry: \"mcr.microsoft.com\", repository: \"bicep/providers/{path}\", version: Tag(\"{tag}\") }})"
        )
    };
    extension("br:mcr.microsoft.com/bicep/providers/az:0.2.3", &package("az", "0.2.3"));
    extension("br/public:az:0.2.3", &package("az", "0.2.3"));
    extension("./pkg/x.tgz", "File(\"src/pkg/x.tgz\")");
    extension(
        "br:mcr.microsoft.com/bicep/providers/az@1.2.3",
        "BCP224 → 'br:mcr.microsoft.com/bicep/providers/az:1.2.3'",
    );
    extension("br/public:az@0.2.3", "BCP224 → 'br/public:az:0.2.3'");
    extension("sys@1.0.0", "BCP395 → sys");
    extension("kubernetes@1.0.0", "BCP395 → kubernetes");
    extension("br/a b:az:0.2.3", "BCP377");
    extension("br/empty:az:0.2.3", "BCP378");
    extension("br/nobody:az:0.2.3", "BCP379");
    extension("br/onlyMocked:az:0.2.3", "BCP448");
    extension("ts:x", "BCP380");
}

proptest::proptest! {
    /// Any text is a reference or a problem, and a reference reads back as itself.
    #[test]
    fn parsing_is_total(text in r#"(br|ts|/|:|@|\.|a|B|\[|\]|::|sha256|corp|1|é|-| ){0,12}"#) {
        let config = config();
        for kind in [ArtifactKind::Module, ArtifactKind::Extension] {
            if let Ok(reference) = parse(&text, kind, &config)
                && !matches!(reference, config::reference::Reference::Mock(_))
            {
                let again = parse(&reference.to_string(), kind, &config);
                proptest::prop_assert_eq!(again.ok(), Some(reference));
            }
            let _ = resolve_reference(&text, "".into(), &config);
        }
    }
}
