//! Resources of local extensions. This program is also the extension: started with `--socket`, it keeps notes as files.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "tests prepare the disk and start programs")]

mod notes;

use std::time::Duration;

use deploy::provider::Extensions;
use deploy::{DeploymentId, DeploymentRequest, Engine, Location, Options, Paging, Scope};
use libtest_mimic::{Arguments, Trial};
use serde_json::{Value as Json, json};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--socket") {
        return notes::serve(&arguments[at + 1]);
    }
    let tests: Vec<(&str, fn())> = vec![
        ("resources_are_made_and_referred_to", || drive(resources_are_made_and_referred_to())),
        ("modules_run_here", || drive(modules_run_here())),
        ("errors_are_those_of_the_extension", || drive(errors_are_those_of_the_extension())),
        ("what_was_made_before_is_read_again", || drive(what_was_made_before_is_read_again())),
        ("what_would_change_is_told", || drive(what_would_change_is_told())),
        ("what_would_change_inside_is_told", || drive(what_would_change_inside_is_told())),
        ("programs_that_end_are_started_again", || drive(programs_that_end_are_started_again())),
        ("configurations_are_not_kept", || drive(configurations_are_not_kept())),
        ("programs_that_do_not_answer", || drive(programs_that_do_not_answer())),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn drive(test: impl Future<Output = ()>) {
    tokio::runtime::Runtime::new().unwrap().block_on(test);
}

async fn open(store: Location, program: &str) -> Engine {
    let extensions = Extensions::default().with("Notes", program);
    let options = Options { store, extensions, lease: Duration::from_millis(500), ..Options::default() };
    let engine = Engine::open(options).await.unwrap();
    engine.put_group("s", "rg", &json!({ "location": "here" })).await.unwrap();
    engine
}

fn own_program() -> String {
    std::env::current_exe().unwrap().display().to_string()
}

fn id() -> DeploymentId {
    DeploymentId::new(Scope::ResourceGroup { subscription: "s".into(), group: "rg".into() }, "main")
}

/// A template with these members besides the required ones.
fn whole(members: &Json) -> Json {
    let mut template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.1-experimental", "contentVersion": "1.0.0.0",
    });
    for (name, value) in members.as_object().unwrap() {
        template[name] = value.clone();
    }
    template
}

async fn deploy(engine: &Engine, members: Json, parameters: Json) -> Json {
    let body = json!({ "properties": { "template": whole(&members), "parameters": parameters } });
    engine.put(DeploymentRequest::new(id(), &body).unwrap()).await.unwrap();
    end(engine).await
}

async fn end(engine: &Engine) -> Json {
    loop {
        let deployment = engine.get(&id()).await.unwrap();
        let state = deployment["properties"]["provisioningState"].as_str().unwrap();
        if matches!(state, "Succeeded" | "Failed" | "Canceled") {
            return deployment;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn imports(folder: &str) -> Json {
    json!({ "notes": { "provider": "Notes", "version": "1.0.0", "config": { "folder": folder } } })
}

async fn resources_are_made_and_referred_to() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(Location::Memory, &own_program()).await;
    let deployment = deploy(
        &engine,
        json!({
            "imports": imports(&folder.path().display().to_string()),
            "parameters": { "secret": { "type": "securestring" } },
            "resources": {
                "first": { "import": "notes", "type": "Note@v1", "properties": { "name": "a", "text": "hello", "slow": true } },
                "second": { "import": "notes", "type": "Note@v1", "properties": {
                    "name": "b", "text": "[format('{0} is {1} long', reference('first').text, reference('first').length)]",
                    "password": "[parameters('secret')]",
                } },
                "old": { "import": "notes", "existing": true, "type": "Note@v1", "properties": { "name": "a" }, "dependsOn": ["first"] },
            },
            "outputs": {
                "text": { "type": "string", "value": "[reference('second').text]" },
                "old": { "type": "int", "value": "[reference('old').length]" },
            },
        }),
        json!({ "secret": { "value": "hunter2" } }),
    )
    .await;
    let outputs = &deployment["properties"]["outputs"];
    assert_eq!(outputs["text"]["value"], "hello is 5 long", "{deployment}");
    assert_eq!(outputs["old"]["value"], 5);
    let kept = std::fs::read_to_string(folder.path().join("b.json")).unwrap();
    assert!(kept.contains("hunter2"), "the extension gets the secret");
    let operations = engine.operations(&id(), &Paging::default()).await.unwrap().items;
    let first = &operations[0]["properties"]["targetResource"];
    assert_eq!(first["identifiers"], json!({ "name": "a" }), "{operations:#?}");
    assert_eq!(first["extension"]["name"], "Notes");
    assert!(!format!("{operations:?}{deployment}").contains("hunter2"));
    engine.shutdown().await;
}

/// Modules of local deployments go under an extension that this process is itself.
async fn modules_run_here() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().display().to_string();
    let engine = open(Location::Memory, &own_program()).await;
    let inner = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.1-experimental", "contentVersion": "1.0.0.0",
        "imports": imports(&notes),
        "parameters": { "name": { "type": "string" } },
        "resources": { "note": { "import": "notes", "type": "Note@v1", "properties": { "name": "[[parameters('name')]", "text": "deep" } } },
        "outputs": { "length": { "type": "int", "value": "[[reference('note').length]" } },
    });
    let deployment = deploy(
        &engine,
        json!({
            "imports": { "az0synthesized": { "provider": "LocalNested", "version": "0.0.0" } },
            "resources": { "module": {
                "import": "az0synthesized", "type": "Microsoft.Resources/deployments",
                "properties": { "name": "inner", "parameters": { "name": { "value": "[concat('n', 'm')]" } }, "template": inner },
            } },
            "outputs": { "length": { "type": "int", "value": "[reference('module').outputs.length.value]" } },
        }),
        json!({}),
    )
    .await;
    assert_eq!(deployment["properties"]["outputs"]["length"]["value"], 4, "{deployment}");
    assert!(folder.path().join("nm.json").exists());
    engine.shutdown().await;
}

async fn errors_are_those_of_the_extension() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(Location::Memory, &own_program()).await;
    let resource = json!({ "bad": { "import": "notes", "type": "Bad@v1", "properties": { "name": "x" } } });
    let imports = imports(&folder.path().display().to_string());
    let deployment = deploy(&engine, json!({ "imports": imports, "resources": resource }), json!({})).await;
    let error = &deployment["properties"]["error"]["details"][0];
    assert_eq!(
        (error["code"].as_str(), error["target"].as_str()),
        (Some("NoteRefused"), Some("/properties/name"))
    );
    assert_eq!(error["details"][0]["message"], "Bad notes are refused.");
    engine.shutdown().await;
}

/// A run that was interrupted after the first resource finds it by its identifiers.
async fn what_was_made_before_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().display().to_string();
    let store = || Location::File(folder.path().join("state.db"));
    let engine = open(store(), &own_program()).await;
    let members = json!({
        "imports": imports(&notes),
        "resources": {
            "first": { "import": "notes", "type": "Note@v1", "properties": { "name": "a", "text": "hello" } },
            "wait": { "import": "notes", "type": "Wait@v1", "properties": { "name": "w" }, "dependsOn": ["first"] },
        },
        "outputs": { "text": { "type": "string", "value": "[reference('first').text]" } },
    });
    let body = json!({ "properties": { "template": whole(&members) } });
    engine.put(DeploymentRequest::new(id(), &body).unwrap()).await.unwrap();
    while engine.operations(&id(), &Paging::default()).await.unwrap().items.len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    engine.shutdown().await;
    drop(engine);
    std::fs::write(folder.path().join("go"), "").unwrap();
    let engine = open(store(), &own_program()).await;
    let deployment = end(&engine).await;
    assert_eq!(deployment["properties"]["outputs"]["text"]["value"], "hello", "{deployment}");
    for made in ["a.count", "w.count"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(made)).unwrap(), "1", "{made}: made once");
    }
    engine.shutdown().await;
}

/// The program is asked what it would do; what cannot be said is told as such.
async fn what_would_change_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(Location::Memory, &own_program()).await;
    let note = |of: &str, name: &str, text: &str| {
        json!({ "import": "notes", "type": format!("{of}@v1"), "properties": {
            "name": name, "text": text, "password": "[parameters('secret')]",
        } })
    };
    let members = |text: &str| {
        json!({
            "imports": imports(&folder.path().display().to_string()),
            "parameters": { "secret": { "type": "securestring" } },
            "resources": {
                "same": note("Note", "same", "as before"),
                "other": note("Note", "other", text),
                "silent": note("Silent", "silent", ""),
                "late": note("Note", "late", "[reference('same').text]"),
            },
        })
    };
    let what_if = async |members: Json| {
        let parameters = json!({ "secret": { "value": "hunter2" } });
        let body = json!({ "properties": { "template": whole(&members), "parameters": parameters } });
        engine.what_if(DeploymentRequest::new(id(), &body).unwrap()).await
    };
    let told = |answer: &Json| -> Vec<(String, String)> {
        let text = |json: &Json| json.as_str().unwrap().to_owned();
        let changes = answer["properties"]["changes"].as_array().unwrap();
        changes.iter().map(|it| (text(&it["symbolicName"]), text(&it["changeType"]))).collect()
    };
    let expect = |kinds: [&str; 4]| -> Vec<(String, String)> {
        let names = ["same", "other", "silent", "late"];
        names.iter().zip(kinds).map(|(name, kind)| ((*name).to_owned(), kind.to_owned())).collect()
    };
    let first = what_if(members("old")).await.unwrap();
    assert_eq!(told(&first), expect(["Create", "Create", "Unsupported", "Unsupported"]), "{first:#}");
    assert!(!folder.path().join("same.json").exists(), "nothing is made");
    deploy(&engine, members("old"), json!({ "secret": { "value": "hunter2" } })).await;
    let second = what_if(members("new")).await.unwrap();
    assert_eq!(told(&second), expect(["NoChange", "Modify", "Unsupported", "Unsupported"]), "{second:#}");
    let other = &second["properties"]["changes"][1];
    let difference =
        json!({ "path": "text", "propertyChangeType": "Modify", "before": "old", "after": "new" });
    assert_eq!(other["delta"], json!([difference]), "{other:#}");
    assert_eq!(
        (&other["identifiers"], &other["extension"]["name"]),
        (&json!({ "name": "other" }), &json!("Notes"))
    );
    assert!(!second.to_string().contains("hunter2"));
    let mut bad = members("new");
    bad["resources"]["same"]["type"] = json!("Bad@v1");
    let error = what_if(bad).await.unwrap_err();
    assert_eq!(error.code, "NoteRefused");
    assert_eq!(error.additional_info[0]["info"]["path"], "resources.same");
    engine.shutdown().await;
}

/// Resources of extensions in deployments inside, and in modules, are looked at too; outputs of modules are known beforehand.
async fn what_would_change_inside_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(Location::Memory, &own_program()).await;
    let imports = imports(&folder.path().display().to_string());
    let note = |name: &str, text: &str| json!({ "import": "notes", "type": "Note@v1", "properties": { "name": name, "text": text } });
    let what_if = async |members: Json| {
        let body = json!({ "properties": { "template": whole(&members) } });
        let answer = engine.what_if(DeploymentRequest::new(id(), &body).unwrap()).await.unwrap();
        let changes = answer["properties"]["changes"].as_array().unwrap();
        changes
            .iter()
            .map(|it| format!("{} {} {}", it["symbolicName"], it["changeType"], it["after"]["text"]))
            .collect::<Vec<_>>()
    };
    let inner = whole(&json!({
        "parameters": { "folder": { "type": "string" } },
        "imports": { "notes": {
            "provider": "Notes", "version": "1.0.0", "config": { "folder": "[parameters('folder')]" },
        } },
        "resources": { "note": note("n", "inside") },
    }));
    let nested = json!({
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
        "properties": {
            "mode": "Incremental", "expressionEvaluationOptions": { "scope": "inner" },
            "parameters": { "folder": { "value": folder.path().display().to_string() } }, "template": inner,
        },
    });
    assert_eq!(what_if(json!({ "resources": { "nested": nested } })).await, [r#""note" "Create" "inside""#]);
    let module = whole(&json!({
        "parameters": { "name": { "type": "string" } },
        "imports": imports,
        "resources": { "note": note("[[parameters('name')]", "of a module") },
        "outputs": { "title": { "type": "string", "value": "[[toUpper(parameters('name'))]" } },
    }));
    let members = json!({
        "imports": { "notes": imports["notes"], "local": { "provider": "LocalNested", "version": "0.0.0" } },
        "resources": {
            "module": { "import": "local", "type": "Microsoft.Resources/deployments", "properties": {
                "name": "inner", "parameters": { "name": { "value": "m" } }, "template": module,
            } },
            "after": note("o", "[reference('module').outputs.title.value]"),
        },
    });
    let changes = what_if(members).await;
    assert_eq!(changes, [r#""note" "Create" "of a module""#, r#""after" "Create" "M""#]);
    assert!(!folder.path().join("m.json").exists(), "nothing is made");
    engine.shutdown().await;
}

async fn programs_that_end_are_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(Location::Memory, &own_program()).await;
    let imports = imports(&folder.path().display().to_string());
    for (of, expected) in [("Note", "Succeeded"), ("Crash", "Failed"), ("Note", "Succeeded")] {
        let resources =
            json!({ "a": { "import": "notes", "type": format!("{of}@v1"), "properties": { "name": "a" } } });
        let members = json!({ "imports": imports, "resources": resources });
        let deployment = deploy(&engine, members, json!({})).await;
        assert_eq!(deployment["properties"]["provisioningState"], expected, "{of}: {deployment:#}");
    }
    engine.shutdown().await;
}

/// What a request says about an extension may be a secret: it is used, and gone when the process is.
async fn configurations_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("hunter2-notes");
    std::fs::create_dir(&notes).unwrap();
    let store = || Location::File(folder.path().join("state.db"));
    let engine = open(store(), &own_program()).await;
    let members = json!({
        "imports": { "notes": { "provider": "Notes", "version": "1.0.0", "config": { "folder": "/nowhere" } } },
        "resources": {
            "first": { "import": "notes", "type": "Note@v1", "properties": { "name": "a", "text": "hello" } },
            "wait": { "import": "notes", "type": "Wait@v1", "properties": { "name": "w" }, "dependsOn": ["first"] },
        },
    });
    let configs = json!({ "notes": { "folder": { "value": notes.display().to_string() } } });
    let body = json!({ "properties": { "template": whole(&members), "extensionConfigs": configs } });
    engine.put(DeploymentRequest::new(id(), &body).unwrap()).await.unwrap();
    while engine.operations(&id(), &Paging::default()).await.unwrap().items.len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(notes.join("a.json").exists(), "the configuration of the request counts");
    engine.shutdown().await;
    drop(engine);
    let engine = open(store(), &own_program()).await;
    let deployment = end(&engine).await;
    let message = deployment["properties"]["error"]["details"][0]["message"].as_str().unwrap();
    assert!(message.contains("'notes.folder' was not kept"), "{deployment:#}");
    engine.shutdown().await;
    for part in ["state.db", "state.db-wal"] {
        let bytes = std::fs::read(folder.path().join(part)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"), "{part}");
    }
    let vault = json!({ "notes": { "folder": { "keyVaultReference": {} } } });
    let body = json!({ "properties": { "template": whole(&members), "extensionConfigs": vault } });
    let engine = open(Location::Memory, &own_program()).await;
    let refused = engine.put(DeploymentRequest::new(id(), &body).unwrap()).await.unwrap_err();
    assert_eq!(refused.code, "KeyVaultParameterReferenceSecretRetrieveFailed");
    engine.shutdown().await;
}

async fn programs_that_do_not_answer() {
    for (program, expected) in [("/nowhere/notes", "ExtensionFailed"), ("/bin/false", "ExtensionFailed")] {
        let engine = open(Location::Memory, program).await;
        let resources =
            json!({ "a": { "import": "notes", "type": "Note@v1", "properties": { "name": "a" } } });
        let deployment =
            deploy(&engine, json!({ "imports": imports("/tmp"), "resources": resources }), json!({})).await;
        assert_eq!(deployment["properties"]["error"]["details"][0]["code"], expected, "{deployment}");
        engine.shutdown().await;
    }
    let engine = open(Location::Memory, &own_program()).await;
    let imports = json!({ "other": { "provider": "Other", "version": "1.0.0" } });
    let resources = json!({ "a": { "import": "other", "type": "X@v1", "properties": {} } });
    let deployment = deploy(&engine, json!({ "imports": imports, "resources": resources }), json!({})).await;
    assert_eq!(deployment["properties"]["error"]["details"][0]["code"], "ExtensionNotFound", "{deployment}");
    engine.shutdown().await;
}
