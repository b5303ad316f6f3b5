//! Pointers, dotted paths, and the way from an offset to a path.

#![expect(clippy::expect_used, reason = "a helper of tests may stop the test")]

use std::borrow::Cow;

use json::path::{self, Path};
use json::{Node, Options, Segment, parse};
use proptest::prelude::*;

fn root(text: &str) -> Node {
    parse(text, Options::lenient()).root.expect("a value")
}

#[test]
fn pointers_follow_the_rfc() {
    let text =
        r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"0":9}"#;
    let root = root(text);
    for (pointer, want) in [
        ("/foo/0", "\"bar\""),
        ("/", "0"),
        ("/a~1b", "1"),
        ("/c%d", "2"),
        ("/i\\j", "5"),
        ("/k\"l", "6"),
        ("/ ", "7"),
        ("/m~0n", "8"),
        ("/0", "9"),
    ] {
        let found = root.pointer(pointer).map(|node| json::to_compact(&node.to_value()));
        assert_eq!(found.as_deref(), Some(want), "{pointer}");
    }
    assert_eq!(root.pointer(""), Some(&root));
    for pointer in
        ["foo", "/foo/2", "/foo/-", "/foo/00", "/foo/+1", "/foo/01", "/nothing", "/foo/0/x", "/m~2n", "/m~"]
    {
        assert_eq!(root.pointer(pointer), None, "{pointer}");
    }
    assert_eq!(path::join("/a", "b/c~d"), "/a/b~1c~0d");
}

#[test]
fn dotted_paths_print_and_read_back() {
    for (segments, shown, pointer) in [
        (Path::default(), "", ""),
        (
            Path::default().key("properties").key("rules").index(0).key("name"),
            "properties.rules[0].name",
            "/properties/rules/0/name",
        ),
        (Path::default().key("$schema"), "$schema", "/$schema"),
        (Path::default().index(3).index(0), "[3][0]", "/3/0"),
        (Path::default().key("tags").key("a b"), "tags['a b']", "/tags/a b"),
        (Path::default().key("it's").key("a\\b").key(""), "['it\\'s']['a\\\\b']['']", "/it's/a\\b/"),
        (Path::default().key("a.b").key("c/d"), "['a.b']['c/d']", "/a.b/c~1d"),
        (Path::default().key("größe").key("0"), "größe.0", "/größe/0"),
    ] {
        assert_eq!(segments.to_string(), shown);
        assert_eq!(shown.parse(), Ok(segments.clone()));
        assert_eq!(segments.to_pointer(), pointer);
    }
}

#[test]
fn wrong_paths_say_where() {
    for (text, at) in [
        (".a", 0),
        ("a..b", 1),
        ("a.", 1),
        ("a[", 1),
        ("a[x]", 1),
        ("a['b]", 1),
        ("a[0]b", 4),
        ("a b", 0),
        ("a[-1]", 1),
        ("a['b'", 1),
    ] {
        assert_eq!(text.parse::<Path>().map_err(|error| error.at), Err(at), "{text}");
    }
}

#[test]
fn an_offset_leads_to_the_innermost_value() {
    let text = r#"{"a": [10, {"b": "x"}], "c": null}"#;
    let root = root(text);
    for (needle, want) in [
        ("{\"a", ""),
        ("a\"", "a"),
        ("10", "a[0]"),
        ("\"b", "a[1].b"),
        ("x\"", "a[1].b"),
        ("null", "c"),
        ("], ", "a"),
    ] {
        let offset = u32::try_from(text.find(needle).expect("in the text")).expect("small");
        let path = path::node_at(&root, offset.into());
        assert_eq!(path.to_string(), want, "{needle}");
        assert!(path.find(&root).is_some());
    }
    assert_eq!(path::node_at(&root, 9999.into()), Path::default());
    assert_eq!(Path(vec![Segment::Key("a".into()), Segment::Key("b".into())]).find(&root), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_path_survives_printing(segments in prop::collection::vec(prop_oneof![
        any::<usize>().prop_map(Segment::Index),
        ".*".prop_map(Segment::Key),
        "[a-z.'\\[\\]\\\\/~]{0,4}".prop_map(Segment::Key),
    ], 0..6)) {
        let path = Path(segments);
        prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
    }

    #[test]
    fn any_token_survives_escaping(token in ".*") {
        let escaped = path::escape(&token);
        prop_assert_eq!(path::unescape(&escaped).map(Cow::into_owned), Some(token));
    }

    #[test]
    fn reading_a_path_never_panics(text in "[a-z0-9.'\\[\\]\\\\ é]{0,12}") {
        let _ = text.parse::<Path>();
    }
}

#[test]
fn tokens_in_uris_are_escaped_and_encoded() {
    for (token, expected) in
        [("", ""), ("plain", "plain"), ("a/b~c", "a~1b~0c"), ("50 %", "50%20%25"), ("ü|\"", "%C3%BC%7C%22")]
    {
        assert_eq!(path::escape_fragment(token), expected, "{token}");
        assert_eq!(path::unescape_fragment(expected), token, "{token}");
    }
    assert_eq!(path::unescape_fragment("100%"), "100%", "not a code");
}
