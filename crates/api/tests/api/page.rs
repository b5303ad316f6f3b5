//! The web page in a real browser.

use api::Access;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::gate;
use crate::server::{GROUP, Server, Setup};

fn deployment(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}")
}

fn resource(of: &str, name: &str, after: &[&str]) -> Value {
    json!({
        "type": of, "apiVersion": "2023-01-01", "name": name, "location": "westeurope", "properties": { "size": 1 },
        "dependsOn": after.iter().map(|other| format!("[resourceId('{of}', '{other}')]")).collect::<Vec<_>>(),
    })
}

fn body(resources: &[Value]) -> Value {
    json!({ "tags": { "team": "<b>web</b>" }, "properties": {
        "mode": "Incremental",
        "parameters": { "password": { "value": "hunter22" }, "note": { "value": "<img src=x onerror=alert(1)>" } },
        "template": {
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0",
            "parameters": { "password": { "type": "securestring" }, "note": { "type": "string" } },
            "resources": resources,
            "outputs": { "note": { "type": "string", "value": "[parameters('note')]" } },
        },
    } })
}

/// How many nodes of the graph have each state.
const STATES: &str = "(() => { const found = {}; for (const node of document.querySelectorAll('.node')) \
                      found[node.dataset.state] = (found[node.dataset.state] || 0) + 1; return found; })()";

/// Goes to a part of a deployment.
fn show(browser: &mut Browser, server: &Server, name: &str, tab: &str) {
    browser.open(&format!("{}/#{}?{tab}", server.url, deployment(name)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_graph_follows_a_deployment() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let (server, gate) = gate::server().await;
    let of = "Test.Slow/things";
    let resources = [
        resource(of, "first", &[]),
        resource(of, "second", &["first"]),
        resource(of, "third", &["first", "second"]),
    ];
    assert_eq!(server.put(&deployment("live"), &body(&resources)).await.status, 201);
    tokio::task::block_in_place(|| {
        show(&mut browser, &server, "live", "Graph");
        browser.expect(STATES, &json!({ "Running": 1, "Waiting": 2 }));
        browser.expect("document.querySelectorAll('.edge').length", &json!(3));
        browser.expect("document.querySelector('#title .state').innerText", &json!("Running"));
        browser.picture("graph-running");
        gate.open(1);
        browser.expect(STATES, &json!({ "Succeeded": 1, "Running": 1, "Waiting": 1 }));
        gate.open(2);
        browser.expect(STATES, &json!({ "Succeeded": 3 }));
        browser.expect("document.querySelector('#title .state').innerText", &json!("Succeeded"));
        browser.expect("document.getElementById('announce').innerText", &json!("live: Succeeded"));
        browser.picture("graph-done");
        assert_eq!(browser.complaints, Vec::<String>::new());
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_is_shown_where_it_happened() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let (server, gate) = gate::server().await;
    gate.open(100);
    let of = "Test.Slow/things";
    let resources =
        [resource(of, "good", &[]), resource(of, "broken", &["good"]), resource(of, "never", &["broken"])];
    assert_eq!(server.put(&deployment("failing"), &body(&resources)).await.status, 201);
    tokio::task::block_in_place(|| {
        show(&mut browser, &server, "failing", "Overview");
        browser.expect_text("DeploymentFailed");
        browser.expect_text("SkuNotAvailable");
        browser.expect_text("There is none left.");
        browser.picture("failed");
        show(&mut browser, &server, "failing", "Graph");
        browser.expect(STATES, &json!({ "Succeeded": 1, "Failed": 1, "Not done": 1 }));
        show(&mut browser, &server, "failing", "Operations");
        browser.expect("document.querySelectorAll('tbody .state[data-tone=bad]').length", &json!(1));
        browser.expect_text("SkuNotAvailable");
        assert_eq!(browser.complaints, Vec::<String>::new());
    });
    // What cannot be evaluated fails before anybody is asked to make it.
    let mut bad = resource(of, "unready", &["good"]);
    bad["properties"] = json!({ "x": format!("[reference(resourceId('{of}', 'good')).nothing]") });
    assert_eq!(
        server.put(&deployment("unready"), &body(&[resource(of, "good", &[]), bad])).await.status,
        201
    );
    tokio::task::block_in_place(|| {
        show(&mut browser, &server, "unready", "Graph");
        browser.expect(STATES, &json!({ "Succeeded": 1, "Failed": 1 }));
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_are_text_and_secrets_are_not_shown() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let server = Server::start().await;
    server.make_group().await;
    let resources = [resource("Microsoft.Web/sites", "a", &[])];
    assert_eq!(server.put(&deployment("values"), &body(&resources)).await.status, 201);
    tokio::task::block_in_place(|| {
        browser.open(&server.url);
        browser.expect("document.querySelectorAll('#deployments a').length", &json!(1));
        browser.evaluate("document.querySelector('#deployments a').click()");
        browser.expect_text("<img src=x onerror=alert(1)>");
        browser.expect_text("<b>web</b>");
        browser.expect_text("not shown");
        assert_eq!(browser.evaluate("document.documentElement.outerHTML.includes('hunter22')"), json!(false));
        assert_eq!(browser.evaluate("document.querySelectorAll('#detail img, #detail b').length"), json!(0));
        // Names for those who do not see, and the keyboard.
        let unnamed = "[...document.querySelectorAll('input, textarea, button')].filter((it) => \
                       !(it.labels?.length || it.textContent || it.ariaLabel)).length";
        assert_eq!(browser.evaluate(unnamed), json!(0));
        browser.evaluate("document.getElementById('tab-Overview').focus()");
        for tab in ["Graph", "Operations"] {
            let press = json!({ "type": "keyDown", "key": "ArrowRight" });
            browser.command("Input.dispatchKeyEvent", &press);
            browser.expect("document.activeElement.innerText", &json!(tab));
            browser.expect("document.querySelector('[aria-selected=true]').innerText", &json!(tab));
        }
        browser.evaluate("document.getElementById('search').value = 'nothing like it'; document.getElementById('search').dispatchEvent(new Event('input'))");
        browser.expect("document.getElementById('nothing').innerText", &json!("No deployment matches."));
        assert_eq!(browser.complaints, Vec::<String>::new());
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_if_is_a_diff() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let server = Server::start().await;
    server.make_group().await;
    let resources =
        [resource("Microsoft.Web/sites", "one", &[]), resource("Microsoft.Web/sites", "two", &[])];
    assert_eq!(server.put(&deployment("d"), &body(&resources)).await.status, 201);
    let edit = |change: &str| {
        format!(
            "(() => {{ const text = document.getElementById('wi-template'); text.value = {change}; \
             document.getElementById('wi-parameters').value = JSON.stringify({{ password: {{ value: 'p' }}, note: {{ value: 'n' }} }}); \
             document.getElementById('wi-run').click(); }})()"
        )
    };
    tokio::task::block_in_place(|| {
        show(&mut browser, &server, "d", "What-if");
        browser.expect(
            "document.getElementById('wi-template')?.value.includes('\"one\"') || false",
            &json!(true),
        );
        browser.expect("document.querySelector('#title .state').innerText", &json!("Succeeded"));
        browser.evaluate(&edit(
            "text.value.replace('\"size\": 1', '\"size\": 2').replace('\"two\"', '\"three\"')",
        ));
        browser.expect_text("1 Create, 1 Modify");
        browser.expect(
            "[...document.querySelectorAll('.diff .path')].map((it) => it.innerText)",
            &json!(["properties.size"]),
        );
        browser.expect("document.querySelector('.change.busy .del').innerText.endsWith('- 1')", &json!(true));
        browser.expect("document.querySelector('.change.busy .add').innerText.endsWith('+ 2')", &json!(true));
        browser.picture("what-if");
        browser.evaluate(&edit("text.value.replace('\"one\"', '\"[noSuchFunction()]\"')"));
        browser.expect("document.querySelectorAll('#wi-result .error').length > 0", &json!(true));
        browser.expect(
            "document.querySelector('#wi-result .line.here')?.innerText.includes('noSuchFunction') || false",
            &json!(true),
        );
        browser.picture("what-if-error");
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guarded_server_asks_for_its_token() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let token = "a-token-of-this-server";
    let server = Server::with(Setup { access: Access::with_token(token), ..Setup::default() }).await;
    tokio::task::block_in_place(|| {
        browser.open(&server.url);
        for (given, open) in [("something else", true), (token, false)] {
            browser.expect("document.getElementById('login').open", &json!(true));
            browser.evaluate(&format!(
                "document.getElementById('token').value = '{given}'; document.querySelector('#login button').click()"
            ));
            if open {
                browser.expect(
                    "document.getElementById('login-error').innerText",
                    &json!("That is not the token of this server."),
                );
            }
        }
        browser.expect("document.getElementById('login').open", &json!(false));
        browser.expect("document.getElementById('connection').innerText", &json!("Live"));
    });
}
