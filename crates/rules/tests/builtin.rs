//! Every built-in rule on resources that must pass and resources that must fail; they are in `builtin.json`.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

use json::{Kind, Member, Node, Options};

#[test]
fn every_built_in_rule_does_what_its_examples_say() {
    let examples = parse(include_str!("builtin.json"));
    let examples = examples.as_object().expect("examples by rule");
    let Kind::Array(rules) = parse(rules::BUILTIN_TEXT).value else { panic!("a list of rules") };
    let mut tried = 0;
    for rule in rules {
        let id = rule.get("id").and_then(Node::as_str).expect("an id").to_owned();
        let own = examples.get(&id).unwrap_or_else(|| panic!("{id} has no examples"));
        // A rule that always fails has nothing to pass.
        let count = |key: &str| own.value.get(key).and_then(Node::as_array).map_or(0, <[Node]>::len);
        assert!(count("fail") > 0, "{id} has no example that must fail");
        let trial = rules::try_examples(&with_examples(&rule, &own.value));
        assert_eq!(trial.examples.len(), count("pass") + count("fail"), "{id}");
        for example in trial.examples {
            let kind = if example.passes { "pass" } else { "fail" };
            assert_eq!(example.problem, None, "{id}: example {} of `{kind}`", example.index + 1);
            tried += 1;
        }
    }
    assert_eq!(examples.len(), rules::builtin().len(), "examples of rules that are not there");
    assert!(tried > 100, "{tried}");
}

/// A rule file with the examples in it.
fn with_examples(rule: &Node, examples: &Node) -> String {
    let range = rule.range;
    let mut members: Vec<Member> = rule.as_object().expect("a rule").members().to_vec();
    members.push(Member { key: "examples".into(), key_range: range, value: examples.clone() });
    let rule = Node { range, value: Kind::Object(json::Object::new(members)) };
    json::to_pretty(&rule.to_value())
}

fn parse(text: &str) -> Node {
    let parsed = json::parse(text, Options::lenient());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.root.expect("a value")
}
