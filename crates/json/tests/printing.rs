//! The printer: its exact bytes, and that printing and reading undo each other.

#![expect(clippy::disallowed_methods, reason = "the corpus of templates is read from disk")]
#![expect(clippy::expect_used, reason = "a helper of tests may stop the test")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use json::{Options, parse, to_compact, to_pretty};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn the_pretty_form() {
    let value = json!({"a": [], "b": {}, "c": [1, [true], {"d": null}], "é": "💪"});
    expect_test::expect![[r#"
        {
          "a": [],
          "b": {},
          "c": [
            1,
            [
              true
            ],
            {
              "d": null
            }
          ],
          "é": "💪"
        }"#]]
    .assert_eq(&to_pretty(&value));
    assert_eq!(to_compact(&value), r#"{"a":[],"b":{},"c":[1,[true],{"d":null}],"é":"💪"}"#);
    assert_eq!((to_pretty(&json!([])), to_pretty(&json!("x"))), ("[]".to_owned(), "\"x\"".to_owned()));
}

#[test]
fn texts_are_escaped_as_in_the_reference() {
    let text = "\u{0}\u{1f}\u{7f}\u{8}\u{c}\n\r\t\"\\/'<é\u{80}\u{85}\u{a0}\u{2027}\u{2028}\u{2029}💪";
    let want =
        "\"\\u0000\\u001f\u{7f}\\b\\f\\n\\r\\t\\\"\\\\/'<é\u{80}\\u0085\u{a0}\u{2027}\\u2028\\u2029💪\"";
    assert_eq!(to_compact(&json!(text)), want);
}

#[test]
fn doubles_are_printed_as_in_the_reference() {
    for (number, want) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e15, "1000000000000000.0"),
        (1e16, "10000000000000000.0"),
        (123_456_789_012_345_680.0, "1.2345678901234568E+17"),
        (1e17, "1E+17"),
        (1.5e300, "1.5E+300"),
        (0.0001, "0.0001"),
        (0.00012, "0.00012"),
        (0.00001, "1E-05"),
        (1.25e-7, "1.25E-07"),
        (f64::MAX, "1.7976931348623157E+308"),
        (5e-324, "5E-324"),
    ] {
        assert_eq!(to_compact(&json!(number)), want);
    }
    assert_eq!(to_compact(&json!([i64::MIN, u64::MAX])), "[-9223372036854775808,18446744073709551615]");
}

#[test]
fn values_of_any_depth_can_be_printed() {
    let mut value = json!(1);
    for _ in 0..20_000 {
        value = Value::Array(vec![value]);
    }
    assert_eq!(to_compact(&value).len(), 40_001);
    // Dropping is serde_json's business, and recursive.
    while let Value::Array(mut items) = value {
        value = items.pop().unwrap_or_default();
    }
}

#[test]
fn expected_templates_print_as_they_are() {
    let Some(corpus) = shared_folder().map(|shared| shared.join("corpus/bicep")) else {
        // A test's own output; nothing to compare is not a failure.
        let _ = writeln!(std::io::stderr(), "skipped: there is no folder `shared` with the corpus");
        return;
    };
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    assert!(files.len() > 300, "{} files", files.len());
    for file in files {
        let text = fs::read_to_string(&file).expect("readable");
        let parsed = parse(&text, Options::strict());
        assert!(parsed.diagnostics.is_empty(), "{}: {:?}", file.display(), parsed.diagnostics);
        let printed = to_pretty(&parsed.root.expect("a value").to_value());
        assert!(printed == text, "{} prints differently", file.display());
    }
}

fn shared_folder() -> Option<PathBuf> {
    if let Ok(folder) = std::env::var("SINEW_SHARED") {
        return Some(folder.into());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared")).find(|shared| shared.is_dir())
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if entry.is_dir() {
            collect(&entry, found);
        } else if name.starts_with("expected") && name.ends_with(".json") && !name.contains(".diagnostics.") {
            found.push(entry);
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,5}", inner), 0..24).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_back_the_same(value in any_value()) {
        for text in [to_pretty(&value), to_compact(&value)] {
            let parsed = parse(&text, Options::strict());
            prop_assert!(parsed.diagnostics.is_empty());
            prop_assert_eq!(parsed.root.map(|root| root.to_value()), Some(value.clone()));
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
    }

    #[test]
    fn any_text_is_read(text in prop_oneof![".*", "[\\[\\]{},:\"'\\\\/*a-u0-9.eE+\\- \nté💪]{0,40}"]) {
        for options in [Options::strict(), Options::jsonc(), Options::lenient(), Options { max_depth: 2, ..Options::lenient() }] {
            let parsed = parse(&text, options);
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            for diagnostic in &parsed.diagnostics {
                prop_assert!(u32::from(diagnostic.range.end()) <= length);
                prop_assert!(text.get(usize::from(diagnostic.range.start())..usize::from(diagnostic.range.end())).is_some());
            }
            let Some(root) = parsed.root else { continue };
            let printed = to_pretty(&root.to_value());
            let again = parse(&printed, Options::strict());
            prop_assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
            prop_assert_eq!(to_pretty(&again.root.map(|root| root.to_value()).unwrap_or_default()), printed);
        }
    }

    #[test]
    fn strict_json_is_told_from_the_rest(text in "[\\[\\]{},:\"0-9.e\\-tunlrf\\\\ ]{0,12}") {
        let ours = parse(&text, Options::strict());
        let clean = ours.diagnostics.iter().all(|d| d.code == "JSON018" || d.code == "JSON021");
        let theirs = serde_json::from_str::<Value>(&text);
        prop_assert_eq!(clean, theirs.is_ok(), "{:?} {:?}", ours.diagnostics, theirs);
    }
}
