//! What a template cannot express, each mistake with the text it is found at. What the shared corpus has many examples
//! of is not repeated here.

#![expect(clippy::panic, reason = "a test may fail")]

use base::MemoryWorld;
use bicep_sema::{Program, Setup};

/// Checks the first of some files: the diagnostics, each as code and text.
fn check_files(files: &[(&str, &str)], expected: &[&str]) {
    let world = files
        .iter()
        .fold(MemoryWorld::new(), |world, (path, text)| world.with_file(format!("/{path}"), text));
    let entry = files.first().map(|(path, _)| format!("/{path}").into());
    let program = Program::load(Setup::new(&world), entry.as_slice());
    let Some((_, Ok(file))) = program.entries().first() else { panic!("there is no file to check") };
    let report = program.report(*file);
    let text: &str = report.file.text();
    // Without catalogue no resource type is known.
    let found: Vec<String> = report
        .diagnostics
        .iter()
        .filter(|it| it.code.starts_with("BCP") && it.code != "BCP081")
        .map(|it| format!("{} {}", it.code, &text[it.range]))
        .collect();
    assert_eq!(found, expected, "in\n{text}");
}

fn check(source: &str, expected: &[&str]) {
    check_files(&[("main.bicep", source)], expected);
}

const STORE: &str = "
resource store 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'store'
  location: 'here'
}
";

fn check_with_store(source: &str, expected: &[&str]) {
    check(&format!("{STORE}{source}"), expected);
}

#[test]
fn conditions_are_known_when_the_deployment_starts() {
    let plan = |condition: &str| {
        format!(
            "resource plan 'Microsoft.Web/serverfarms@2022-03-01' = if ({condition}) {{\n  name: 'plan'\n}}"
        )
    };
    check_with_store(&plan("store.name == 'a'"), &[]);
    check_with_store(&plan("store.properties.on"), &["BCP177 store.properties"]);
    check_with_store(&plan("store['properties'].on"), &["BCP177 store['properties']"]);
    check_with_store(
        &plan("empty(store.listKeys('2023-01-01').keys)"),
        &["BCP177 store", "BCP177 store.listKeys('2023-01-01')"],
    );
    check_with_store(
        &format!("var on = store.properties.on\nvar also = on\n{}", plan("also")),
        &["BCP177 also"],
    );
    check_with_store(&format!("var name = store.name\n{}", plan("name == 'a'")), &[]);
}

#[test]
fn loops_go_over_what_is_known() {
    check_with_store("output all array = [for it in store.properties.all: it]", &["BCP178 store.properties"]);
    check_with_store("var all = [for it in [store.id]: it]", &[]);
    check_with_store("var all = [for it in [1]: store]", &["BCP182 store"]);
    check_with_store("var all = [for it in [1]: store.type]", &[]);
    check_with_store("var kinds = store.kind\nvar all = [for it in [1]: '${kinds}${it}']", &["BCP182 kinds"]);
}

#[test]
fn arguments_of_references_are_known() {
    check_with_store(
        "output o object = reference(store.properties.id, '2023-01-01')",
        &["BCP181 store.properties"],
    );
    check_with_store("output o object = reference(store.id, '2023-01-01')", &[]);
}

#[test]
fn functions_use_what_is_known() {
    check("func f() string => reference('a').b", &["BCP341 reference('a')"]);
}

#[test]
fn long_chains_of_variables_are_followed_once() {
    let mut source = String::from("var v0 = store.properties.a\n");
    for at in 1..200 {
        source += &format!("var v{at} = [v{0}, v{0}]\n", at - 1);
    }
    source += "var all = [for it in v199: 1]";
    check_with_store(&source, &["BCP178 v199"]);
}

const RUNTIME_NAMES: &str = "
resource plan 'Microsoft.Web/serverfarms@2020-12-01' existing = {
  name: 'plan'
}

resource vm 'Microsoft.Compute/virtualMachines@2020-12-01' existing = {
  name: plan.properties.name
}

resource extension 'Microsoft.Compute/virtualMachines/extensions@2020-12-01' existing = {
  name: 'extension'
  parent: vm
}

resource settings 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' existing = {
  name: 'settings'
  scope: vm
}
";

#[test]
fn resources_of_unknown_names_are_not_asked() {
    let cases: [(&str, &[&str]); 8] = [
        ("output o object = vm.properties", &["BCP307 vm.properties"]),
        ("output o object = vm['properties']", &["BCP307 vm['properties']"]),
        ("output o object = extension.properties", &["BCP307 extension.properties"]),
        ("output o object = settings.properties", &["BCP307 settings.properties"]),
        ("output o array = vm.listKeys().keys", &["BCP307 vm.listKeys()"]),
        ("output o string = vm.id", &[]),
        ("output o string = vm.name", &[]),
        ("output o object = plan.properties", &[]),
    ];
    for (source, expected) in cases {
        check(&format!("{RUNTIME_NAMES}{source}"), expected);
    }
}

#[test]
fn names_of_unknown_names_are_unknown() {
    let source = |condition: &str| {
        format!(
            "{RUNTIME_NAMES}\nresource r 'Microsoft.Web/sites@2022-03-01' = if (empty({condition})) {{\n  name: 'r'\n}}"
        )
    };
    check(&source("vm.name"), &["BCP177 vm.name"]);
    check(&source("vm.id"), &["BCP177 vm.id"]);
    check(&source("vm.type"), &[]);
    check(&source("extension.name"), &[]);
    check(&source("extension.id"), &["BCP177 extension.id"]);
}

#[test]
fn dependencies_on_resources_of_unknown_names() {
    check(
        &format!(
            "{RUNTIME_NAMES}\nresource other 'Microsoft.Web/sites@2022-03-01' = {{\n  name: 'other'\n  dependsOn: [vm, plan]\n}}"
        ),
        &["BCP434 vm"],
    );
    check_with_store(
        "resource site 'Microsoft.Web/sites@2022-03-01' existing = {
  name: store.properties.name
  dependsOn: [store]
}",
        &["BCP433 dependsOn: [store]"],
    );
}

#[test]
fn modules_are_deployed_to_what_can_be_reached() {
    let cases = [
        ("tenant", "managementGroup", "managementGroup('a')", ""),
        ("tenant", "subscription", "subscription('a')", ""),
        ("tenant", "resourceGroup", "resourceGroup('a', 'b')", ""),
        ("managementGroup", "subscription", "subscription('a')", ""),
        ("subscription", "resourceGroup", "resourceGroup('b')", ""),
        ("subscription", "managementGroup", "managementGroup('a')", "BCP115"),
        ("resourceGroup", "resourceGroup", "resourceGroup('b')", ""),
        ("resourceGroup", "managementGroup", "managementGroup('a')", "BCP116"),
        ("resourceGroup", "tenant", "tenant()", ""),
    ];
    for (target, module, scope, code) in cases {
        let source = format!(
            "targetScope = '{target}'\nmodule m 'module.bicep' = {{\n  name: 'm'\n  scope: {scope}\n}}\n"
        );
        let expected = format!("{code} {scope}");
        let expected: &[&str] = if code.is_empty() { &[] } else { &[&expected] };
        check_files(
            &[("main.bicep", &source), ("module.bicep", &format!("targetScope = '{module}'"))],
            expected,
        );
    }
}

#[test]
fn scopes_are_of_one_kind() {
    check(
        "param on bool

resource store 'Microsoft.Storage/storageAccounts@2023-01-01' existing = {
  name: 'store'
  scope: on ? resourceGroup('a') : resourceGroup('b')
}",
        &["BCP420 on ? resourceGroup('a') : resourceGroup('b')"],
    );
}

#[test]
fn secure_outputs_are_read_from_modules_themselves() {
    let module = "@secure()\noutput secret string = 'a'\noutput plain string = 'b'";
    let check_output = |output: &str, expected: &[&str]| {
        let main = format!(
            "param on bool

module one 'module.bicep' = {{}}
module two 'module.bicep' = {{}}
module many 'module.bicep' = [for i in range(0, 2): {{}}]
var some = on ? one : two

{output}"
        );
        check_files(&[("main.bicep", &main), ("module.bicep", module)], expected);
    };
    check_output("@secure()\noutput o string = one.outputs.secret", &[]);
    check_output("@secure()\noutput o string = many[0].outputs.secret", &[]);
    check_output("output o string = some.outputs.plain", &[]);
    check_output("@secure()\noutput o string = some.outputs.secret", &["BCP426 secret"]);
    check_output("output o array = map(many, it => it.outputs.secret)", &["BCP426 secret"]);
}

#[test]
fn imported_names_differ_in_more_than_case() {
    check_files(
        &[
            (
                "main.bicep",
                "import { Name, Kind } from 'other.bicep'\nvar name = Name\ntype kind = Kind\nfunc NAME() string => ''",
            ),
            ("other.bicep", "@export()\nvar Name = 1\n@export()\ntype Kind = string"),
        ],
        &["BCP353 Name", "BCP353 Kind", "BCP353 name", "BCP353 kind"],
    );
}

#[test]
fn collections_in_variables_are_written_out_only_once() {
    let stores = "
resource stores 'Microsoft.Storage/storageAccounts@2023-01-01' = [for i in range(0, 2): {
  name: 'store${i}'
  location: 'here'
}]
var all = stores
var twice = all
";
    check(&format!("{stores}output o array = twice"), &[]);
    check(&format!("{stores}output o array = [for i in [1]: stores]"), &["BCP144 stores"]);
    check(&format!("{stores}output o array = [for i in [1]: twice]"), &["BCP144 twice"]);
    check(&format!("{stores}output o string = stores[0].name"), &[]);
}

#[test]
fn secrets_are_assigned_directly() {
    let cases: [(&str, &[&str]); 3] = [
        ("az.getSecret('a', 'b', 'c', 'd')", &[]),
        ("true ? az.getSecret('a', 'b', 'c', 'd') : ''", &[]),
        ("'${az.getSecret('a', 'b', 'c', 'd')}'", &["BCP351 az.getSecret('a', 'b', 'c', 'd')"]),
    ];
    for (value, expected) in cases {
        check_files(
            &[
                ("main.bicepparam", &format!("using 'main.bicep'\nparam secret = {value}")),
                ("main.bicep", "@secure()\nparam secret string"),
            ],
            expected,
        );
    }
}

#[test]
fn local_deployments_have_no_secure_outputs() {
    check_files(
        &[
            ("main.bicep", "targetScope = 'local'\nmodule m 'module.bicep' = {\n  name: 'm'\n}"),
            ("module.bicep", "targetScope = 'local'\n@secure()\noutput secret string = 'a'"),
            ("bicepconfig.json", r#"{"experimentalFeaturesEnabled": {"localDeploy": true}}"#),
        ],
        &["BCP421 m"],
    );
}

#[test]
fn resources_of_modules_are_only_identified() {
    let feature = r#"{"experimentalFeaturesEnabled": {"resourceTypedParamsAndOutputs": true}}"#;
    let module = format!("{STORE}output store resource = store");
    let check_main = |main: &str, expected: &[&str]| {
        let main = format!(
            "param given resource 'Microsoft.Storage/storageAccounts@2023-01-01'\nmodule m 'module.bicep' = {{\n  name: 'm'\n}}\n{main}"
        );
        let files = [("main.bicep", main.as_str()), ("module.bicep", &module), ("bicepconfig.json", feature)];
        check_files(&files, expected);
    };
    check_main("output o string = m.outputs.store.id", &["BCP230 'module.bicep'"]);
    check_main(
        "output o object = m.outputs.store.properties",
        &["BCP230 'module.bicep'", "BCP320 m.outputs.store.properties"],
    );
    check_main(
        "resource child 'Microsoft.Storage/storageAccounts/blobServices@2023-01-01' = {\n  name: 'default'\n  parent: given\n}",
        &["BCP230 'module.bicep'", "BCP169 'default'", "BCP229 given"],
    );
}
