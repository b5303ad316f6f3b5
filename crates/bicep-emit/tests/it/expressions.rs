//! Expressions.

use super::{check, check_output};

#[test]
fn operators_are_functions() {
    for (expression, expected) in [
        ("1 + 2 * 3", "[add(1, mul(2, 3))]"),
        ("7 / 2 - 7 % 2", "[sub(div(7, 2), mod(7, 2))]"),
        ("a && b || !c", "[or(and(parameters('a'), parameters('b')), not(parameters('c')))]"),
        ("a ?? b", "[coalesce(parameters('a'), parameters('b'))]"),
        ("a == b ? 1 : 2", "[if(equals(parameters('a'), parameters('b')), 1, 2)]"),
        ("a != b", "[not(equals(parameters('a'), parameters('b')))]"),
        ("a =~ b", "[equals(toLower(parameters('a')), toLower(parameters('b')))]"),
        ("a !~ b", "[not(equals(toLower(parameters('a')), toLower(parameters('b'))))]"),
        ("a < b", "[less(parameters('a'), parameters('b'))]"),
        ("a >= b", "[greaterOrEquals(parameters('a'), parameters('b'))]"),
        ("-a", "[sub(0, parameters('a'))]"),
        ("-5", "-5"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("a + 3000000000", "[add(parameters('a'), json('3000000000'))]"),
    ] {
        check_output(
            &format!("param a any\nparam b any\nparam c any\noutput o any = {expression}"),
            expected,
        );
    }
}

#[test]
fn literals_stay_json_outside_of_expressions() {
    check(
        "output o object = { a: 1, b: [true, null], 'c-d': 'x' }",
        r#"{"outputs": {"o": {"type": "object", "value": {"a": 1, "b": [true, null], "c-d": "x"}}}}"#,
    );
    check_output(
        "param a any\noutput o any = a.b[0]['c-d'][a]",
        "[parameters('a').b[0]['c-d'][parameters('a')]]",
    );
    check_output(
        "param a any\noutput o any = union(a, { b: [1, null], '${a}': true })",
        "[union(parameters('a'), createObject('b', createArray(1, null()), format('{0}', parameters('a')), true()))]",
    );
}

#[test]
fn strings_are_escaped_and_formatted() {
    check_output("output o string = '[x]'", "[[x]");
    check_output("output o string = '[x'", "[x");
    check_output(
        "param a string\noutput o string = 'it\\'s {${a}}'",
        "[format('it''s {{{0}}}', parameters('a'))]",
    );
    check_output("output o string = concat('it\\'s', '[x]')", "[concat('it''s', '[x]')]");
}

#[test]
fn spreads_are_merged() {
    check_output(
        "param a object\noutput o object = { x: 1, ...a, y: 2 }",
        "[shallowMerge(createArray(createObject('x', 1), parameters('a'), createObject('y', 2)))]",
    );
    check_output("param a array\noutput o array = [...a]", "[flatten(createArray(parameters('a')))]");
}

#[test]
fn safe_steps_try() {
    for (expression, expected) in [
        ("a.?b", "[tryGet(parameters('a'), 'b')]"),
        ("a.?b.c", "[tryGet(parameters('a'), 'b', 'c')]"),
        ("a.?b!.c", "[tryGet(parameters('a'), 'b', 'c')]"),
        ("(a.?b).c", "[tryGet(parameters('a'), 'b').c]"),
        ("a[?0]", "[tryGet(parameters('a'), 0)]"),
        ("a[^1]", "[indexFromEnd(parameters('a'), 1)]"),
        ("a[?^1]", "[tryIndexFromEnd(parameters('a'), 1)]"),
        ("a.?b[^1]", "[tryGet(parameters('a'), 'b', createObject('value', 1, 'fromEnd', true()))]"),
    ] {
        check_output(&format!("param a any\noutput o any = {expression}"), expected);
    }
}

#[test]
fn lambdas_name_their_variables() {
    check_output(
        "param a array\noutput o array = map(filter(a, x => x > 1), (x, i) => '${x}-${i}')",
        "[map(filter(parameters('a'), lambda('x', greater(lambdaVariables('x'), 1))), \
         lambda('x', 'i', format('{0}-{1}', lambdaVariables('x'), lambdaVariables('i'))))]",
    );
}

#[test]
fn namespaces_and_any_leave_no_trace() {
    check_output(
        "param a string\noutput o string = sys.concat(a, any(a))",
        "[concat(parameters('a'), parameters('a'))]",
    );
    check_output("output o any = any([1, 2])", "[1,2]");
    check_output("param a object\noutput o string = nameof(a.b)", "b");
}

#[test]
fn keys_named_copy_are_not_taken_for_loops() {
    check(
        "output o object = { copy: 1 }",
        r#"{"outputs": {"o": {"type": "object", "value": {"[string('copy')]": 1}}}}"#,
    );
}

#[test]
fn deep_expressions_do_not_exhaust_the_stack() {
    let deep = format!("param a any\noutput o any = {}a{}", "[".repeat(200), "]".repeat(200));
    assert!(super::template(&[("main.bicep", &deep)]).pointer("/outputs/o/value/0/0/0").is_some());
    let long = format!("output o int = {}1", "1 + ".repeat(2000));
    assert!(super::template(&[("main.bicep", &long)]).pointer("/outputs/o/value").is_some());
}
