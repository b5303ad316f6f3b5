//! The web page for everybody: readable on every screen in light and dark, usable without a mouse, still for those who ask for it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::gate;
use crate::page::{body, deployment, many, resource, show};
use crate::server::Server;

/// The least contrast of text.
const CONTRAST: f64 = 4.5;

/// Texts with less contrast than that, with how much they have. Boxes of the graph are the ground of what is written in them.
const FAINT: &str = "(least) => {
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
  const linear = (part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ({ r, g, b }) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (element) => {
    for (let it = element; it; it = it.parentElement) {
      const rect = it.matches('.node') ? it.querySelector(':scope > rect') : null;
      const color = parse(rect ? getComputedStyle(rect).fill : getComputedStyle(it).backgroundColor);
      if (color.a === 1) return color;
    }
    return parse('rgb(255, 255, 255)');
  };
  const faint = [];
  const check = (text, color, element) => {
    const [high, low] = [luminance(parse(color)), luminance(ground(element))].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < least) faint.push(`${text.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || element.closest('noscript, title') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    check(texts.currentNode.data, element.closest('svg') ? style.fill : style.color, element);
  }
  for (const input of document.querySelectorAll('input[placeholder]')) {
    if (input.checkVisibility()) check(input.placeholder, getComputedStyle(input, '::placeholder').color, input);
  }
  return faint;
}";

/// Names and types of resources that do not fit into their boxes.
const CUT_OFF: &str = "[...document.querySelectorAll('.node:not(.nest)')].flatMap((node) => {
  const width = node.querySelector(':scope > rect').width.baseVal.value;
  return [...node.querySelectorAll(':scope > text')].filter((it) => it.getBBox().x + it.getBBox().width > width).map((it) => it.textContent);
})";

fn screen(browser: &mut Browser, width: u32, height: u32, scheme: &str) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
    browser.command("Emulation.setDeviceMetricsOverride", &size);
    let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
    browser.command("Emulation.setEmulatedMedia", &features);
}

fn press(browser: &mut Browser, key: &str) {
    let code = match key {
        "Tab" => 9,
        "Enter" => 13,
        "Escape" => 27,
        " " => 32,
        _ => 0,
    };
    let text = match key {
        "Enter" => "\r",
        " " => " ",
        _ => "",
    };
    let down =
        json!({ "type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
    browser.command("Input.dispatchKeyEvent", &down);
    browser.command(
        "Input.dispatchKeyEvent",
        &json!({ "type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code }),
    );
}

/// Five hundred resources in three layers.
fn five_hundred() -> Vec<Value> {
    let of = "Microsoft.Web/sites";
    let name = |number: usize| format!("site-{number:03}");
    let one = |number: usize| match number {
        0 => resource(of, &name(0), &[]),
        1..=40 => resource(of, &name(number), &[name(0).as_str()]),
        _ => resource(of, &name(number), &[name(1 + number % 40).as_str()]),
    };
    (0..500).map(one).collect()
}

/// A server with a deployment that has failed, one of sixty resources that runs, and one of five hundred that is done.
async fn furnished() -> Server {
    let (server, gate) = gate::server().await;
    let of = "Test.Slow/things";
    let failing =
        [resource(of, "good", &[]), resource(of, "broken", &["good"]), resource(of, "never", &["broken"])];
    gate.open(2);
    assert_eq!(server.put(&deployment("failing"), &body(&failing)).await.status, 201);
    until_over(&server, "failing").await;
    gate.open(20);
    assert_eq!(server.put(&deployment("sixty"), &body(&many())).await.status, 201);
    assert_eq!(server.put(&deployment("large"), &body(&five_hundred())).await.status, 201);
    until_over(&server, "large").await;
    server
}

/// Waits until a deployment is over.
async fn until_over(server: &Server, name: &str) {
    loop {
        let answer = server.get(&deployment(name)).await;
        let state = answer.body.pointer("/properties/provisioningState").and_then(Value::as_str);
        if !matches!(state, Some("Accepted" | "Running")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_can_be_read_on_every_screen() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let server = furnished().await;
    let views = [
        ("failing", "Overview", "SkuNotAvailable"),
        ("failing", "Graph", "1 failed"),
        ("failing", "Operations", "Create"),
        ("failing", "Template", "contentVersion"),
        ("failing", "What-if", "Parameters"),
        ("sixty", "Graph", "20 of 60 resources done"),
        ("sixty", "Operations", "Running"),
        ("large", "Graph", "500 of 500 resources done"),
    ];
    tokio::task::block_in_place(|| {
        for scheme in ["light", "dark"] {
            for (width, height) in [(390, 844), (1024, 768), (1440, 900)] {
                screen(&mut browser, width, height, scheme);
                for (name, tab, text) in views {
                    show(&mut browser, &server, name, tab);
                    let shown = "[document.querySelector('#title h2')?.innerText, \
                                 document.querySelector('[role=tab][aria-selected=true]')?.innerText]";
                    browser.expect(shown, &json!([name, tab]));
                    browser.expect_text(text);
                    legible(&mut browser, &format!("{name}-{tab}-{width}-{scheme}"));
                }
                for (view, path) in [("list", "#"), ("groups", "#/resources")] {
                    browser.open(&format!("{}/{path}", server.url));
                    browser.expect_text(if view == "list" { "large" } else { "Region" });
                    legible(&mut browser, &format!("{view}-{width}-{scheme}"));
                }
            }
        }
        assert_eq!(browser.complaints, Vec::<String>::new());
    });
}

/// The page has enough contrast, nothing is cut off, and it does not scroll sideways.
#[track_caller]
fn legible(browser: &mut Browser, view: &str) {
    browser.picture(view);
    assert_eq!(browser.evaluate(&format!("({FAINT})({CONTRAST})")), json!([]), "{view}");
    assert_eq!(browser.evaluate(CUT_OFF), json!([]), "{view}");
    let is_within = browser.evaluate("document.documentElement.scrollWidth <= innerWidth");
    assert_eq!(is_within, json!(true), "{view}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_keyboard_is_enough() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let (server, gate) = gate::server().await;
    gate.open(1);
    let of = "Test.Slow/things";
    let resources = [resource(of, "first", &[]), resource(of, "second", &["first"])];
    assert_eq!(server.put(&deployment("typed"), &body(&resources)).await.status, 201);
    tokio::task::block_in_place(|| {
        browser.open(&server.url);
        browser.expect("document.querySelectorAll('#deployments a').length", &json!(1));
        // From the beginning of the page to the only deployment of the list: each stop shows where it is.
        let filters = ["search", "by-state", "by-scope", "nested"];
        for stop in ["skip", "view-deployments", "view-resources"].into_iter().chain(filters).chain(["typed"])
        {
            press(&mut browser, "Tab");
            let active = "(({ id, className, innerText }) => id || className || innerText.split('\\n')[0])(document.activeElement)";
            browser.expect(active, &json!(stop));
            let outline = "getComputedStyle(document.activeElement).outlineStyle !== 'none'";
            assert_eq!(browser.evaluate(outline), json!(true), "{stop}");
        }
        press(&mut browser, "Enter");
        browser.expect("document.querySelector('#title h2')?.innerText || ''", &json!("typed"));
        browser.evaluate("document.getElementById('tab-Overview').focus()");
        press(&mut browser, "ArrowRight");
        browser.expect("document.querySelectorAll('.node').length", &json!(2));
        // Into the picture, to the first resource, and choose it.
        browser.evaluate("document.querySelector('#graph svg').focus()");
        for key in ["Enter", " "] {
            press(&mut browser, "Home");
            press(&mut browser, key);
            browser.expect("document.querySelectorAll('.node.chosen').length", &json!(1));
            browser.expect("document.querySelector('#node-detail h3').innerText", &json!("first"));
        }
        // A question can be left with Escape, and the focus goes back to where it came from.
        browser.evaluate("document.getElementById('do-cancel').focus()");
        press(&mut browser, "Enter");
        browser.expect("document.getElementById('confirm').open", &json!(true));
        press(&mut browser, "Escape");
        browser.expect("document.getElementById('confirm').open", &json!(false));
        browser.expect("document.activeElement.id", &json!("do-cancel"));
        browser.expect("document.querySelector('#title .state').innerText", &json!("Running"));
        press(&mut browser, "/");
        browser.expect("document.activeElement.id", &json!("search"));
        assert_eq!(browser.complaints, Vec::<String>::new());
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_moves_for_those_who_ask_for_it() {
    let Some(mut browser) = tokio::task::block_in_place(Browser::start) else { return };
    let (server, _gate) = gate::server().await;
    assert_eq!(
        server.put(&deployment("still"), &body(&[resource("Test.Slow/things", "one", &[])])).await.status,
        201
    );
    let moving = "[getComputedStyle(document.querySelector('.node.busy > rect')).animationName, \
                  getComputedStyle(document.querySelector('#title .state'), '::before').animationName]";
    tokio::task::block_in_place(|| {
        for (value, expected) in
            [("no-preference", json!(["march", "pulse"])), ("reduce", json!(["none", "none"]))]
        {
            let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": value }] });
            browser.command("Emulation.setEmulatedMedia", &features);
            show(&mut browser, &server, "still", "Graph");
            browser.expect(moving, &expected);
        }
    });
}
