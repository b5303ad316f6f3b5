//! What the reader takes, what it reports, and where.

#![expect(clippy::expect_used, reason = "a helper of tests may stop the test")]

use json::{Duplicates, Kind, Node, Options, Parsed, parse, to_compact};

/// Reads a text and compares the value, and the diagnostics as `code@start..end`.
#[track_caller]
fn check(text: &str, options: Options, value: &str, problems: &[&str]) {
    let parsed = parse(text, options);
    let shown = parsed.root.as_ref().map_or("nothing".to_owned(), |root| to_compact(&root.to_value()));
    assert_eq!((shown.as_str(), found(&parsed)), (value, problems.iter().map(|p| (*p).to_owned()).collect()));
}

fn found(parsed: &Parsed) -> Vec<String> {
    parsed.diagnostics.iter().map(|d| format!("{}@{:?}", d.code, d.range)).collect()
}

fn root(text: &str) -> Node {
    let parsed = parse(text, Options::lenient());
    assert_eq!(found(&parsed), Vec::<String>::new());
    parsed.root.expect("a value")
}

#[test]
fn plain_values() {
    let strict = Options::strict();
    for (text, value) in [
        ("null", "null"),
        (" true ", "true"),
        ("false", "false"),
        ("0", "0"),
        ("-0", "0"),
        ("-12", "-12"),
        ("9223372036854775807", "9223372036854775807"),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1.0", "1.0"),
        ("-0.0", "-0.0"),
        ("1e2", "100.0"),
        ("1.5E-7", "1.5E-07"),
        (r#""""#, r#""""#),
        (r#""a\"\\\/\b\f\n\r\t\u0041é💪""#, r#""a\"\\/\b\f\n\r\tAé💪""#),
        (r#""\ud83d\uDCAA""#, r#""💪""#),
        ("[]", "[]"),
        ("{}", "{}"),
        ("[ 1 , [2] , {} ]", "[1,[2],{}]"),
        (r#"{"a":1,"b":{"c":[]}}"#, r#"{"a":1,"b":{"c":[]}}"#),
        ("\u{feff}[1]", "[1]"),
        (r#"{"":0}"#, r#"{"":0}"#),
    ] {
        check(text, strict, value, &[]);
    }
}

#[test]
fn every_extra_form_is_taken_or_reported() {
    let strict = Options::strict();
    let with = |change: fn(&mut Options)| {
        let mut options = strict;
        change(&mut options);
        options
    };
    for (text, options, value, problem) in [
        ("[1]// c", with(|o| o.comments = true), "[1]", "JSON011@3..7"),
        ("/* c\n */ 1", with(|o| o.comments = true), "1", "JSON011@0..8"),
        ("[1,]", with(|o| o.trailing_commas = true), "[1]", "JSON010@2..3"),
        (r#"{"a":1 , }"#, with(|o| o.trailing_commas = true), r#"{"a":1}"#, "JSON010@7..8"),
        (r#"'it"s'"#, with(|o| o.single_quotes = true), r#""it\"s""#, "JSON013@0..6"),
        ("{'a':1}", with(|o| o.single_quotes = true), r#"{"a":1}"#, "JSON013@1..4"),
        (r"'\''", with(|o| o.single_quotes = true), r#""'""#, "JSON017@1..3 JSON013@0..4"),
        ("{a_1$: 1}", with(|o| o.unquoted_keys = true), r#"{"a_1$":1}"#, "JSON014@1..5"),
        ("{größe: 1}", with(|o| o.unquoted_keys = true), r#"{"größe":1}"#, "JSON014@1..8"),
        ("{1: 2}", with(|o| o.unquoted_keys = true), r#"{"1":2}"#, "JSON014@1..2"),
        ("\"a\tb\"", with(|o| o.multiline_strings = true), r#""a\tb""#, "JSON016@2..3"),
        (
            "[\u{a0}1\u{a0},\u{c}true\u{2003}]",
            with(|o| o.any_whitespace = true),
            "[1,true]",
            "JSON004@1..3 JSON004@4..6 JSON004@7..8 JSON004@12..15",
        ),
    ] {
        check(text, options, value, &[]);
        check(text, Options::lenient(), value, &[]);
        check(text, strict, value, &problem.split(' ').collect::<Vec<_>>());
    }
    check("\"a\nb\"", Options::lenient(), r#""a\nb""#, &[]);
    check("[1,//\n]", Options::jsonc(), "[1]", &[]);
}

#[test]
fn a_side_of_the_point_may_be_missing_where_that_is_taken() {
    check("[.25, -.5, 5.]", Options::lenient(), "[0.25,-0.5,5.0]", &[]);
    for text in [".25", "5.", "."] {
        check(text, Options::strict(), "null", &[&format!("JSON019@0..{}", text.len())]);
    }
    check(".", Options::lenient(), "null", &["JSON019@0..1"]);
}

#[test]
fn request_bodies_of_the_azure_cli_are_read() {
    let text = "{\"properties\": {\"mode\": \"Incremental\", template:{ // note\n \"$schema\": 'x', }}}";
    check(
        text,
        Options::lenient(),
        r#"{"properties":{"mode":"Incremental","template":{"$schema":"x"}}}"#,
        &[],
    );
}

#[test]
fn mistakes_are_reported_where_they_are_and_the_rest_is_read() {
    let jsonc = Options::jsonc();
    for (text, value, problems) in [
        ("", "nothing", "JSON001@0..0"),
        (" // only\n", "nothing", "JSON001@9..9"),
        ("]", "nothing", "JSON003@0..1"),
        ("1 2", "1", "JSON002@2..3"),
        ("{} garbage here", "{}", "JSON002@3..10"),
        ("[1,,2]", "[1,2]", "JSON003@3..4"),
        ("[,1]", "[1]", "JSON003@1..2"),
        ("[1 2]", "[1,2]", "JSON007@3..4"),
        (r#"{"a":1 "b":2}"#, r#"{"a":1,"b":2}"#, "JSON007@7..8"),
        (r#"{"a":}"#, r#"{"a":null}"#, "JSON003@5..6"),
        (r#"{"a" 1}"#, r#"{"a":1}"#, "JSON006@5..6"),
        (r#"{"a"}"#, r#"{"a":null}"#, "JSON006@4..5"),
        (r#"{"a", "b": 1}"#, r#"{"a":null,"b":1}"#, "JSON006@4..5"),
        (r#"{"a":: 1}"#, r#"{"a":1}"#, "JSON004@5..6"),
        (r#"{: 1, "b": 2}"#, r#"{"b":2}"#, "JSON005@1..2"),
        (r#"{[1,{"x":2}]: 1, "b": 2}"#, r#"{"b":2}"#, "JSON005@1..2"),
        ("{,}", "{}", "JSON005@1..2"),
        ("[1 : 2, 3]", "[1,3]", "JSON004@3..4"),
        ("[: 2, 3]", "[3]", "JSON004@1..2"),
        ("[True]", "[null]", "JSON022@1..5"),
        ("[nulll]", "[null]", "JSON022@1..6"),
        ("[\0]", "[null]", "JSON022@1..2"),
        ("[€ 1]", "[null,1]", "JSON022@1..4 JSON007@5..6"),
        ("[/]", "[null]", "JSON022@1..2"),
        ("[01]", "[null]", "JSON019@1..3"),
        ("[1.]", "[null]", "JSON019@1..3"),
        ("[.5]", "[null]", "JSON019@1..3"),
        ("[+1]", "[null]", "JSON019@1..3"),
        ("[-]", "[null]", "JSON019@1..2"),
        ("[1e]", "[null]", "JSON019@1..3"),
        ("[1é]", "[null]", "JSON019@1..4"),
        ("[0x1F]", "[null]", "JSON019@1..5"),
        ("[1e400]", "[null]", "JSON020@1..6"),
        ("[100000000000000000000]", "[1E+20]", "JSON021@1..22"),
        ("[1", "[1]", "JSON008@2..2"),
        (r#"{"a": [1, {"b": "#, r#"{"a":[1,{"b":null}]}"#, "JSON003@16..16 JSON008@16..16"),
        (r#"{"a": [1}"#, r#"{"a":[1]}"#, "JSON009@8..9"),
        ("[1}, 2]", "[1,2]", "JSON004@2..3"),
        (r#"{"a":1]}"#, r#"{"a":1}"#, "JSON004@6..7"),
        ("[/* x", "[]", "JSON012@1..5 JSON008@5..5"),
    ] {
        check(text, jsonc, value, &problems.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn broken_texts() {
    for (text, value, problems) in [
        ("[\"a", r#"["a"]"#, "JSON015@1..3 JSON008@3..3"),
        ("[\"a\n, 1]", r#"["a",1]"#, "JSON015@1..3"),
        ("[\"a\\\n, 1]", r#"["a",1]"#, "JSON017@3..4 JSON015@1..4"),
        (r#"["\x"]"#, r#"["x"]"#, "JSON017@2..4"),
        (r#"["\u12"]"#, "[\"\u{fffd}\"]", "JSON017@2..6"),
        (r#"["\u12é"]"#, "[\"\u{fffd}é\"]", "JSON017@2..6"),
        (r#"["\ud83d"]"#, "[\"\u{fffd}\"]", "JSON018@2..8"),
        (r#"["\udcaa\ud83d"]"#, "[\"\u{fffd}\u{fffd}\"]", "JSON018@2..8 JSON018@8..14"),
        (r#"["\ud83d\u0041"]"#, "[\"\u{fffd}A\"]", "JSON018@2..8"),
        (r#"["\ud83d\ud83d\udcaa"]"#, "[\"\u{fffd}💪\"]", "JSON018@2..8"),
        (r#"["\"#, "[\"\"]", "JSON017@2..3 JSON015@1..3 JSON008@3..3"),
    ] {
        check(text, Options::jsonc(), value, &problems.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn ranges_are_exact_offsets_into_the_text() {
    let text = "{ \"é💪\" : [ 'x', -1.5 ] , k: {} }";
    let root = root(text);
    let slice = |range: base::TextRange| &text[usize::from(range.start())..usize::from(range.end())];
    assert_eq!(slice(root.range), text);
    let object = root.as_object().expect("an object");
    let shown: Vec<_> = object.iter().map(|m| (slice(m.key_range), slice(m.value.range))).collect();
    assert_eq!(shown, [("\"é💪\"", "[ 'x', -1.5 ]"), ("k", "{}")]);
    let items = root.pointer("/é💪").and_then(Node::as_array).expect("an array");
    assert_eq!(items.iter().map(|item| slice(item.range)).collect::<Vec<_>>(), ["'x'", "-1.5"]);
}

#[test]
fn comments_are_kept_with_their_ranges() {
    let text = "// a\r\n[1, /* b */ 2 /**/] // c";
    let parsed = parse(text, Options::jsonc());
    let shown: Vec<_> = parsed
        .comments
        .iter()
        .map(|c| &text[usize::from(c.range.start())..usize::from(c.range.end())])
        .collect();
    assert_eq!(shown, ["// a", "/* b */", "/**/", "// c"]);
}

#[test]
fn repeated_names_are_reported_on_request_and_the_last_wins() {
    let text = r#"{"a":1,"b":2,"a":3,"A":4}"#;
    check(text, Options::strict(), r#"{"a":3,"b":2,"A":4}"#, &[]);
    let report = Options::strict().with_duplicates(Duplicates::Report);
    check(text, report, r#"{"a":3,"b":2,"A":4}"#, &["JSON024@13..16"]);
    let object = root(text);
    assert_eq!(object.as_object().map(json::Object::len), Some(4));
    assert_eq!(object.get("a").and_then(Node::as_i64), Some(3));
}

#[test]
fn large_and_small_objects_answer_alike() {
    for size in [1, 16, 17, 500] {
        let members: Vec<_> = (0..size).map(|n| format!("\"Key{n}é\": {n}")).collect();
        let text = format!("{{{}, \"Key0é\": -1, \"kEY0é\": -2}}", members.join(", "));
        let object = root(&text);
        let object = object.as_object().expect("an object");
        let number = |member: Option<&json::Member>| member.and_then(|m| m.value.as_i64());
        for n in 1..size {
            assert_eq!(number(object.get(&format!("Key{n}é"))), Some(n));
            assert_eq!(number(object.get_ignore_case(&format!("KEY{n}É"))), Some(n));
            assert_eq!(number(object.get(&format!("KEY{n}É"))), None);
        }
        assert_eq!(number(object.get("Key0é")), Some(-1));
        assert_eq!(number(object.get_ignore_case("Key0é")), Some(-1), "the very name comes first");
        assert_eq!(number(object.get_ignore_case("KEY0É")), Some(-2), "else the last one");
        assert_eq!(number(object.get("nothing")), None);
        let parsed = parse(&text, Options::strict().with_duplicates(Duplicates::Report));
        let reported: Vec<_> = parsed.diagnostics.iter().map(|d| d.labels[0].range.start()).collect();
        assert_eq!(reported, [1.into()], "the first of the name is shown");
    }
}

#[test]
fn depth_is_limited_and_the_rest_is_read() {
    let options = Options { max_depth: 2, ..Options::strict() };
    check("[[1],[[2]],3]", options, "[[1],[null],3]", &["JSON023@6..7"]);
    check("[[{\"a\":\"]\"}, 4]]", options, "[[null,4]]", &["JSON023@2..3"]);
    check("[1]", Options { max_depth: 0, ..options }, "null", &["JSON023@0..1"]);
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let parsed = parse(&deep, Options::strict());
        assert_eq!(parsed.diagnostics.len(), 1, "{:?}", found(&parsed));
        assert_eq!(parsed.diagnostics[0].code, "JSON023");
        let unclosed = parse(&open.repeat(100_000), Options::strict());
        assert_eq!(unclosed.diagnostics.len(), 2, "{:?}", found(&unclosed));
    }
}

#[test]
fn the_deepest_tree_can_be_copied_compared_printed_and_dropped() {
    let depth = json::DEEPEST as usize;
    let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let parsed = parse(&text, Options { max_depth: u32::MAX, ..Options::strict() });
    assert_eq!(found(&parsed), Vec::<String>::new());
    let root = parsed.root.expect("a value");
    assert_eq!(root.clone(), root);
    assert_eq!(to_compact(&root.to_value()), text);
    assert_eq!(format!("{root:?}").matches("Array").count(), depth);
}

#[test]
fn reports_stop_at_a_hundred() {
    let parsed = parse(&"[?,".repeat(100_000), Options::strict());
    assert_eq!(parsed.diagnostics.len(), 101);
    assert_eq!(parsed.diagnostics[100].code, "JSON025");
}

#[test]
fn fifty_megabytes_are_read() {
    let item =
        "{\"type\": \"Microsoft.Storage/storageAccounts\", \"count\": 12345, \"tags\": {\"a\": true}},\n";
    let count = 50_000_000 / item.len();
    let text = format!("[{}null]", item.repeat(count));
    let root = root(&text);
    assert_eq!(root.as_array().map(<[Node]>::len), Some(count + 1));
}

#[test]
fn accessors_answer_for_their_own_kind_only() {
    let root = root(r#"{"s":"x","b":true,"n":7,"f":1.5,"a":[1],"o":{},"z":null}"#);
    let get = |key: &str| root.get(key).expect("a member");
    assert_eq!((get("s").as_str(), get("b").as_str()), (Some("x"), None));
    assert_eq!((get("b").as_bool(), get("s").as_bool()), (Some(true), None));
    assert_eq!((get("n").as_i64(), get("f").as_i64(), get("s").as_i64()), (Some(7), None, None));
    assert_eq!(get("a").as_array().map(<[Node]>::len), Some(1));
    assert!(get("o").as_object().is_some_and(json::Object::is_empty) && get("a").as_object().is_none());
    assert!(get("z").is_null() && !get("o").is_null());
    assert!(matches!(get("f").value, Kind::Number(_)));
    assert_eq!(root.get_ignore_case("S").and_then(Node::as_str), Some("x"));
}
