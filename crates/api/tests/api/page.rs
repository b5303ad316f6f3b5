//! The web page in a real browser.

use api::Access;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::gate;
use crate::server::{GROUP, Server, Setup};

pub(crate) fn deployment(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}")
}

pub(crate) fn resource(of: &str, name: &str, after: &[&str]) -> Value {
    json!({
        "type": of, "apiVersion": "2023-01-01", "name": name, "location": "westeurope", "properties": { "size": 1 },
        "dependsOn": after.iter().map(|other| format!("[resourceId('{of}', '{other}')]")).collect::<Vec<_>>(),
    })
}

pub(crate) fn body(resources: &[Value]) -> Value {
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
pub(crate) fn show(browser: &mut Browser, server: &Server, name: &str, tab: &str) {
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
        show(&mut browser, &server, "live", "Overview");
        browser.expect_text("Elapsed");
        show(&mut browser, &server, "live", "Graph");
        gate.open(1);
        browser.expect(STATES, &json!({ "Succeeded": 1, "Running": 1, "Waiting": 1 }));
        gate.open(2);
        browser.expect(STATES, &json!({ "Succeeded": 3 }));
        browser.expect("document.querySelector('#title .state').innerText", &json!("Succeeded"));
        browser.expect("document.getElementById('announce').innerText", &json!("live: Succeeded"));
        browser.picture("graph-done");
        show(&mut browser, &server, "live", "Overview");
        browser.expect_text("Took");
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
        browser.expect(
            "document.querySelector('.node.bad .status').textContent.startsWith('Failed')",
            &json!(true),
        );
        // With nothing chosen the page tells what goes on and what went wrong.
        browser.open(&server.url);
        browser.expect(
            "[...document.querySelectorAll('.tile')].map((it) => it.innerText.replace(/\\s+/g, ' '))",
            &json!(["0 in progress", "1 failed or canceled", "0 succeeded"]),
        );
        browser.expect("document.querySelector('#detail tbody a').innerText", &json!("failing"));
        show(&mut browser, &server, "failing", "Operations");
        browser.expect("document.querySelectorAll('tbody .state[data-tone=bad]').length", &json!(1));
        browser.expect_text("SkuNotAvailable");
        assert_eq!(browser.complaints, Vec::<String>::new());
    });
    // An expression is shown at its place in the template, with what is around it.
    let plain = "Test.Plain/things";
    let mut bad = resource(plain, "placed", &["good"]);
    bad["properties"] = json!({ "x": format!("[reference(resourceId('{plain}', 'good')).nothing]") });
    let placed = body(&[resource(plain, "good", &[]), bad]);
    assert_eq!(server.put(&deployment("placed"), &placed).await.status, 201);
    tokio::task::block_in_place(|| {
        show(&mut browser, &server, "placed", "Overview");
        let here = "document.querySelector('.line.here')?.innerText.trim().split(' ')[0] || ''";
        browser.expect(here, &json!("\"x\":"));
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

/// Sixty resources in chains, with names that are too long for any box.
pub(crate) fn many() -> Vec<Value> {
    let of = "Test.Slow/things";
    let name = |number: usize| format!("resource-{number:02}-with-a-name-that-is-far-too-long-for-a-box");
    let chained =
        (6..60).map(|number| resource(of, &name(number), &[name(number - 6).as_str()])).collect::<Vec<_>>();
    (0..6).map(|number| resource(of, &name(number), &[])).chain(chained).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_resources_fit_on_every_screen() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let (server, gate) = gate::server().await;
    gate.open(20);
    assert_eq!(server.put(&deployment("sixty"), &body(&many())).await.status, 201);
    tokio::task::block_in_place(|| {
        for (width, height) in [(390, 844), (1024, 768), (1440, 900)] {
            let size =
                json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
            browser.command("Emulation.setDeviceMetricsOverride", &size);
            show(&mut browser, &server, "sixty", "Graph");
            browser.expect("document.querySelectorAll('.node').length", &json!(60));
            browser.expect_text("20 of 60 resources done");
            // Only the picture itself scrolls sideways, and nothing lies outside of it.
            browser.expect("document.documentElement.scrollWidth <= innerWidth", &json!(true));
            let outside = "(() => { const svg = document.querySelector('#graph svg').getBoundingClientRect(); \
                           return [...document.querySelectorAll('.node > rect')].map((it) => it.getBoundingClientRect()) \
                           .filter((it) => it.left < svg.left || it.right > svg.right + 1 || it.bottom > svg.bottom + 1).length; })()";
            browser.expect(outside, &json!(0));
            // A phone scrolls the picture down, not sideways.
            let sideways = "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.getElementById('graph'))";
            browser.expect(sideways, &json!(width > 500));
            browser.picture(&format!("sixty-{width}"));
        }
        browser.evaluate("document.querySelector('[aria-label=\"Zoom in\"]').click()");
        browser.expect("document.querySelector('.zoom').innerText", &json!("100 %"));
        browser.evaluate(
            "document.querySelector('.node').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
        );
        browser.expect("document.querySelectorAll('.node.chosen').length", &json!(1));
        browser.expect("document.querySelector('#node-detail dd .state').innerText", &json!("Succeeded"));
        // It is canceled after a question, and then its record can be deleted.
        browser.evaluate("document.getElementById('do-cancel').click()");
        browser.expect("document.getElementById('confirm').open", &json!(true));
        browser.evaluate("document.getElementById('confirm-yes').click()");
        browser.expect("document.querySelector('#title .state').innerText", &json!("Canceled"));
        // A request that is under way when the record goes may be answered with 404.
        assert_eq!(browser.complaints, Vec::<String>::new());
        browser.evaluate("document.getElementById('do-delete').click()");
        browser.evaluate("document.getElementById('confirm-yes').click()");
        browser.expect("location.hash", &json!(""));
        browser.expect("document.querySelectorAll('#deployments a').length", &json!(0));
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nested_deployments_are_drawn_inside_and_opened() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let server = Server::start().await;
    server.make_group().await;
    let inner = json!({
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
        "properties": { "mode": "Incremental", "template": {
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", "resources": [resource("Microsoft.Web/sites", "deep", &[])],
        } },
    });
    let resources = [inner, resource("Microsoft.Web/sites", "beside", &[])];
    assert_eq!(server.put(&deployment("outer"), &body(&resources)).await.status, 201);
    tokio::task::block_in_place(|| {
        show(&mut browser, &server, "outer", "Graph");
        browser.expect("document.querySelectorAll('.node.nest .node').length", &json!(1));
        browser.expect_text("2 of 2 resources done");
        show(&mut browser, &server, "outer", "Operations");
        browser.expect(
            "[...document.querySelectorAll('tbody a')].some((it) => it.innerText === 'inner')",
            &json!(true),
        );
        browser.evaluate(
            "[...document.querySelectorAll('tbody a')].find((it) => it.innerText === 'inner').click()",
        );
        browser.expect("document.querySelector('#title h2').innerText", &json!("inner"));
        show(&mut browser, &server, "outer", "Template");
        browser.expect(
            "document.querySelector('.excerpt')?.innerText.includes('beside') || false",
            &json!(true),
        );
        // A nested deployment is listed when it is asked for.
        let listed = "[...document.querySelectorAll('#deployments .name')].map((it) => it.innerText).sort()";
        browser.expect(listed, &json!(["outer"]));
        browser.evaluate("document.getElementById('nested').click()");
        browser.expect(listed, &json!(["inner", "outer"]));
        // The filters of the list.
        let choose = "document.getElementById('by-state').value = 'bad'; document.getElementById('by-state').dispatchEvent(new Event('change'))";
        browser.evaluate(choose);
        browser.expect("document.getElementById('nothing').innerText", &json!("No deployment matches."));
        // Groups, their resources, and one of them.
        browser.open(&format!("{}/#/resources", server.url));
        browser.expect("document.querySelectorAll('tbody a').length", &json!(1));
        browser.evaluate("document.querySelector('tbody a').click()");
        browser.expect(
            "[...document.querySelectorAll('tbody a')].map((it) => it.innerText).sort()",
            &json!(["beside", "deep"]),
        );
        browser.evaluate("document.querySelector('tbody a').click()");
        browser.expect(
            "document.querySelector('.excerpt')?.innerText.includes('Microsoft.Web/sites') || false",
            &json!(true),
        );
        assert_eq!(browser.complaints, Vec::<String>::new());
    });
}
