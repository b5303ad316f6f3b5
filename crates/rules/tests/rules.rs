//! What authors and users of rules can rely on, feature by feature.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test that cannot go on fails")]

use base::{Budget, Limits, Severity, SourceFile};
use expect_test::{Expect, expect};
use rules::{Accepted, Source};

/// Findings of a rule file over a template, one line each: `line:column rule message`.
fn check(rule_text: &str, template: &str, expected: &Expect) {
    let file = rules::read(rule_text);
    let errors: Vec<_> = file.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let source = SourceFile::new("template.json", template);
    let parsed = json::parse(template, json::Options::lenient());
    let budget = Budget::new(Limits::default());
    let root = parsed.root.as_ref().expect("a template");
    let read = arm::Template::read(root);
    let analysis = rules::analyze(Source::new(&read, &budget), &file.rules);
    let (accepted, complaints) = Accepted::of_json(&parsed, &source);
    let mut lines = Vec::new();
    for finding in analysis.distinct() {
        let rule = &file.rules[finding.rule];
        let Some(finding) = accepted.remaining(finding, &rule.id, &source) else { continue };
        let word = if finding.verdict.is_undetermined() { "undetermined" } else { rule.severity.name() };
        for spot in finding.spots() {
            let at = source.position(spot.range.start());
            lines.push(format!("{}:{} {} {word} {}", at.line + 1, at.col + 1, rule.id, spot.message));
        }
    }
    for diagnostic in analysis.diagnostics.iter().chain(&complaints) {
        let at = source.position(diagnostic.range.start());
        lines.push(format!("{}:{} {} {}", at.line + 1, at.col + 1, diagnostic.code, diagnostic.message));
    }
    lines.push(format!("passed: {}", analysis.passed));
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

/// The template of the specification's examples.
const MACHINE: &str = r#"{
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0",
    "parameters": { },
    "variables": { },
    "resources": [
        {
            "type": "Microsoft.Compute/virtualMachines",
            "name": "myVmResource",
            "apiVersion": "2020-06-01",
            "properties": {
                "networkProfile": {
                    "networkInterfaces": [
                        { "id": "[resourceId('Microsoft.Network/networkInterfaces', 'myNic')]" }
                    ]
                },
                "osProfile": {
                    "computerName": "myVm",
                    "adminUsername": "myusername",
                    "adminPassword": null,
                }
            }
        }
    ],
    "outputs": { "numberOfResourcesDeployed": { "type": "integer", "value": 1 } }
}"#;

/// Whether an evaluation over the machine passes.
fn passes(evaluation: &str) -> bool {
    let file = rules::read(&format!(r#"{{ "name": "example", "evaluation": {evaluation} }}"#));
    assert_eq!(file.rules.len(), 1, "{:#?}", file.diagnostics);
    let parsed = json::parse(MACHINE, json::Options::lenient());
    let budget = Budget::new(Limits::default());
    let root = parsed.root.as_ref().expect("a template");
    let read = arm::Template::read(root);
    let analysis = rules::analyze(Source::new(&read, &budget), &file.rules);
    assert!(analysis.passed > 0 || !analysis.findings.is_empty(), "nothing was looked at: {evaluation}");
    analysis.findings.is_empty()
}

#[test]
fn the_examples_of_the_specification_hold() {
    let machine = r#""resourceType": "Microsoft.Compute/virtualMachines""#;
    let count = r#""path": "outputs.numberOfResourcesDeployed.value""#;
    let no_password =
        format!(r#"{{ {machine}, "path": "properties.osProfile.adminPassword", "hasValue": false }}"#);
    let username = r#""path": "properties.osProfile.adminUsername""#;
    let named = format!(r#"{{ {machine}, {username}, "regex": "username" }}"#);
    let admin = format!(r#"{{ {machine}, {username}, "regex": "admin" }}"#);
    for (evaluation, expected) in [
        (
            format!(r#"{{ {machine}, "path": "properties.osProfile.linuxConfiguration", "exists": false }}"#),
            true,
        ),
        (no_password.clone(), true),
        (format!(r#"{{ {machine}, "path": "name", "equals": "MyVMResource" }}"#), true),
        (
            format!(
                r#"{{ {machine}, "path": "properties.osProfile.adminPassword", "notEquals": "password" }}"#
            ),
            true,
        ),
        (format!(r#"{{ {count}, "less": 1 }}"#), false),
        (format!(r#"{{ {count}, "lessOrEquals": 1 }}"#), true),
        (format!(r#"{{ {count}, "greater": 0 }}"#), true),
        (format!(r#"{{ {count}, "greaterOrEquals": 2 }}"#), false),
        (admin.clone(), false),
        (format!(r#"{{ {machine}, "path": "apiVersion", "in": ["2020-06-01", "2019-12-01"] }}"#), true),
        (format!(r#"{{ "anyOf": [{no_password}, {named}] }}"#), true),
        (format!(r#"{{ "allOf": [{no_password}, {named}] }}"#), true),
        (format!(r#"{{ "allOf": [{no_password}, {admin}] }}"#), false),
        (format!(r#"{{ "not": [{admin}] }}"#), true),
        (format!(r#"{{ "not": {{ "not": {admin} }} }}"#), false),
        (format!(r#"{{ {machine}, "allOf": [{{ "path": "name", "regex": "Resource$" }}] }}"#), true),
        (format!(r#"{{ "not": {{ {machine}, "path": "tags.owner", "regex": "x" }} }}"#), true),
    ] {
        assert_eq!(passes(&evaluation), expected, "{evaluation}");
    }
}

const HTTPS: &str = r#"{ "id": "HTTPS", "severity": "High",
    "evaluation": { "resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true } }"#;

#[test]
fn what_is_not_known_is_undetermined_and_never_a_pass() {
    check(
        HTTPS,
        r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "https": { "type": "bool", "defaultValue": false } },
  "resources": [
    { "type": "Microsoft.Web/sites", "apiVersion": "2022-03-01", "name": "known", "properties": { "httpsOnly": "[parameters('https')]" } },
    { "type": "Microsoft.Web/sites", "apiVersion": "2022-03-01", "name": "later",
      "properties": { "httpsOnly": "[reference('known').flag]" } },
    { "type": "Microsoft.Web/sites", "apiVersion": "2022-03-01", "name": "broken",
      "properties": { "httpsOnly": "[noSuchFunction()]" } }
  ]
}"#,
        &expect![[r#"
            6:112 HTTPS High `properties.httpsOnly` must be `true`, but is `false`.
            8:36 HTTPS undetermined Whether `properties.httpsOnly` is as the rule wants it cannot be said, because resource '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/placeholderResourceGroup/providers/Microsoft.Web/sites/known' is not deployed yet.
            10:36 HTTPS undetermined Whether `properties.httpsOnly` is as the rule wants it cannot be said, because its expression cannot be evaluated: There is no template function 'noSuchFunction'.
            10:36 ANALYZE002 This cannot be evaluated, so rules cannot check it. There is no template function 'noSuchFunction'.
            passed: 0
        "#]],
    );
}

#[test]
fn symbolic_names_loops_children_and_dependants_are_seen() {
    check(
        r#"{ "id": "TLS", "evaluation": { "resourceType": "Microsoft.Web/sites",
            "anyOf": [
                { "resourceType": "Microsoft.Web/sites/config", "path": "properties.minTlsVersion", "in": ["1.2", "1.3"] },
                { "path": "properties.siteConfig.minTlsVersion", "in": ["1.2", "1.3"] } ] } }"#,
        r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "languageVersion": "2.0",
  "resources": {
    "old": { "existing": true, "type": "Microsoft.Web/sites", "apiVersion": "2022-03-01", "name": "old" },
    "sites": { "copy": { "name": "sites", "count": 2 }, "type": "Microsoft.Web/sites", "apiVersion": "2022-03-01",
      "name": "[format('site{0}', copyIndex())]",
      "properties": { "siteConfig": { "minTlsVersion": "[if(equals(copyIndex(), 0), '1.2', '1.0')]" } } },
    "other": { "type": "Microsoft.Web/sites", "apiVersion": "2022-03-01", "name": "other", "properties": {} },
    "config": { "type": "Microsoft.Web/sites/config", "apiVersion": "2022-03-01", "name": "other/web",
      "properties": { "minTlsVersion": "1.3" }, "dependsOn": ["other"] }
  }
}"#,
        &expect![[r#"
            9:56 TLS Medium `properties.siteConfig.minTlsVersion` must be one of `"1.2"`, `"1.3"`, but is `"1.0"`.
            passed: 2
        "#]],
    );
}

#[test]
fn findings_are_accepted_with_a_reason_and_only_with_one() {
    check(
        HTTPS,
        r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": [
    { "type": "Microsoft.Web/sites", "name": "a", "apiVersion": "1", "properties": {
      // sinew-ignore HTTPS: behind a gateway
      "httpsOnly": false } },
    { "type": "Microsoft.Web/sites", "name": "b", "apiVersion": "1", "properties": {
      "httpsOnly": false /* sinew-ignore https, OTHER: same line */ } },
    { "type": "Microsoft.Web/sites", "name": "c", "apiVersion": "1", "properties": { "httpsOnly": false },
      "metadata": { "sinew": { "ignore": { "HTTPS": "internal only" } } } },
    { "type": "Microsoft.Web/sites", "name": "d", "apiVersion": "1", "properties": {
      // sinew-ignore HTTPS
      "httpsOnly": false } }
  ]
}"#,
        &expect![[r#"
            14:20 HTTPS High `properties.httpsOnly` must be `true`, but is `false`.
            13:7 ANALYZE007 This suppression has no effect: name the rules and give a reason, as in `sinew-ignore TA-000004: reason`.
            passed: 0
        "#]],
    );
}

#[test]
fn a_malformed_rule_is_named_and_the_others_are_there() {
    let text = r#"[ // comments are welcome
  { "id": "two", "evaluation": { "path": "a", "exists": true, "equals": 1 } },
  { "id": "regex", "evaluation": { "allOf": [{ "path": "a", "regex": "(" }] } },
  { "id": "typo", "evaluation": { "resourceTyp": "x", "path": "a", "exists": true } },
  { "id": "none", "evaluation": { "path": "a", "matches": 1 } },
  { "name": "severity", "severity": 7, "evaluation": { "path": "a", "exists": true } },
  { "severity": 1 },
  7,
  { "Id": "good", "Severity": "low", "Evaluation": { "Path": "a", "EXISTS": true }, },
]"#;
    let file = rules::read(text);
    let source = SourceFile::new("rules.json", text);
    let mut lines: Vec<String> = Vec::new();
    for diagnostic in &file.diagnostics {
        let at = source.position(diagnostic.range.start());
        lines.push(format!("{}:{} {} {}", at.line + 1, at.col + 1, diagnostic.code, diagnostic.message));
    }
    lines.extend(file.rules.iter().map(|rule| format!("{} {}", rule.id, rule.severity)));
    expect![[r#"
        2:63 RULE007 `evaluation` of rule 'two' has several operators: `exists`, `equals`. Combine them with `allOf` or `anyOf`.
        3:70 RULE008 `evaluation.allOf[0].regex` of rule 'regex' is not a pattern that can be used: Parsing error at position 1: Opening parenthesis without closing parenthesis.
        4:35 RULE013 `evaluation` of rule 'typo' has no property `resourceTyp`; it is ignored. Did you mean `resourceType`?
        5:48 RULE013 `evaluation` of rule 'none' has no property `matches`; it is ignored.
        5:33 RULE006 `evaluation` of rule 'none' has no operator; exactly one is needed: `exists`, `hasValue`, `equals`, `notEquals`, `less`, `lessOrEquals`, `greater`, `greaterOrEquals`, `regex`, `in`, `anyOf`, `allOf` or `not`.
        6:37 RULE010 `severity` of rule 'severity' must be 1 (High), 2 (Medium) or 3 (Low).
        7:3 RULE003 This rule has neither an `id` nor a `name`.
        8:3 RULE002 A rule is an object; this is a number.
        typo Medium
        good Low
    "#]].assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn hostile_templates_end() {
    let resources: Vec<String> = (0..60)
        .map(|at| {
            let needs: Vec<String> = (0..60).map(|other| format!("\"n{other}\"")).collect();
            format!(
                r#"{{ "type": "A/b", "apiVersion": "1", "name": "n{at}", "dependsOn": [{}] }}"#,
                needs.join(",")
            )
        })
        .collect();
    let template = format!(
        r#"{{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", "resources": [{}] }}"#,
        resources.join(",")
    );
    let file = rules::read(
        r#"{ "id": "deep", "evaluation": { "resourceType": "A/b/c", "path": "x", "exists": true } }"#,
    );
    let parsed = json::parse(&template, json::Options::lenient());
    let budget = Budget::new(Limits { steps: 100_000, ..Limits::default() });
    let root = parsed.root.as_ref().expect("a template");
    let read = arm::Template::read(root);
    let analysis = rules::analyze(Source::new(&read, &budget), &file.rules);
    assert!(analysis.findings.iter().all(|finding| finding.verdict.is_undetermined()));
    assert!(!analysis.findings.is_empty(), "giving up is said");
}

#[test]
fn references_are_known_as_far_as_the_template_says() {
    let rule = r#"{ "id": "R", "evaluation": { "resourceType": "A.B/c", "path": "properties.copied", "equals": "wanted" } }"#;
    let rules = rules::read(rule).rules;
    let check = |expression: &str, expected: &str| {
        let template = format!(
            r#"{{ "resources": [
                {{ "type": "A.B/c", "apiVersion": "1", "name": "one",
                   "properties": {{ "copied": "{expression}", "other": 1 }} }},
                {{ "type": "A.B/d", "apiVersion": "1", "name": "two", "location": "here",
                   "properties": {{ "said": "wanted", "open": "[reference('/providers/X.Y/z/n', '1').p]" }} }}
            ] }}"#
        );
        let parsed = json::parse(&template, json::Options::strict());
        let (root, budget) = (parsed.root.as_ref().expect("a template"), Budget::new(Limits::default()));
        let read = arm::Template::read(root);
        let analysis = rules::analyze(Source::new(&read, &budget), &rules);
        let found = analysis.findings.first();
        let found = found.map_or("passes", |it| it.undetermined().unwrap_or(&it.spots()[0].message));
        assert!(found.contains(expected), "{expression}: {found}");
    };
    check("[reference(resourceId('A.B/d', 'two')).said]", "passes");
    check("[reference('two').said]", "passes");
    check("[concat(reference('two').said, '')]", "passes");
    check("[reference('two', '1', 'full').location]", "but is `\"here\"`");
    // What the template does not say is left open: the service may fill it in.
    check("[reference('two').unsaid]", "A.B/d/two' is not deployed yet");
    check("[reference('two').open]", "X.Y/z/n' is not deployed yet");
    check("[if(contains(reference('two'), 'unsaid'), 'wanted', 'x')]", "A.B/d/two' is not deployed yet");
}

#[test]
fn resources_that_are_not_looked_at_are_said_to_be_so() {
    let resource = r#"{ "type": "A.B/c", "apiVersion": "1", "name": "n", "properties": {} }"#;
    let template = |count: usize| format!(r#"{{ "resources": [{}] }}"#, vec![resource; count].join(","));
    for (count, expected) in [(800, 0), (801, 1), (1_001, 1)] {
        let text = template(count);
        let parsed = json::parse(&text, json::Options::strict());
        let (root, budget) = (parsed.root.as_ref().expect("a template"), Budget::new(Limits::default()));
        let read = arm::Template::read(root);
        let told = rules::analyze(Source::new(&read, &budget), rules::builtin()).diagnostics;
        assert_eq!(told.iter().filter(|it| it.code == "ANALYZE005").count(), expected, "{count}");
    }
}
