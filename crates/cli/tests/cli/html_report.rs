//! The HTML report in a real browser: Chromium opens the page, runs its script and says what is to be seen.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::sinew;

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": [
    { "type": "Microsoft.Cache/redis", "apiVersion": "2023-08-01", "name": "</pre><img src=x onerror=alert(1)>",
      "properties": { "enableNonSslPort": true } },
    { "type": "Microsoft.Web/sites", "apiVersion": "2023-12-01", "name": "site", "kind": "app",
      "properties": { "httpsOnly": false } }
  ]
}"#;

const NOT_FORMATTED: &str = "param   unused string\n";

#[test]
fn the_page_is_filtered_and_grouped_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no chromium here; the page was not looked at");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let evil = "<b onmouseover=alert(2)>.json";
    std::fs::write(folder.path().join(evil), TEMPLATE).unwrap();
    std::fs::write(folder.path().join("main.bicep"), NOT_FORMATTED).unwrap();
    let page = report(folder.path());
    let look = |fragment: &str| dom(&browser, &page, fragment, folder.path());

    let all = look("");
    let total = all.matches("<article").count();
    assert!(total >= 5, "{total}");
    assert!(all.contains(&format!(">{total} of {total} findings shown<")), "{all}");
    assert!(!all.contains("<form role=\"search\" hidden"), "the controls are there when scripts run");
    assert_eq!(hidden(&all), 0);
    assert!(all.contains("<mark>false</mark>") && all.contains("<h3>main.bicep</h3>"), "{all}");
    assert!(all.contains("<th scope=\"row\">formatting</th>"), "the table of checks");

    // What files say is text.
    assert!(!all.contains("<img") && !all.contains("<b onmouseover"), "{all}");
    assert!(all.contains("&lt;img src=x onerror=alert(1)&gt;"), "{all}");

    let filtered = look("#filter=TA-000022");
    assert!(filtered.contains(&format!(">1 of {total} findings shown<")), "{filtered}");
    assert_eq!(hidden(&filtered), total - 1);

    let by_file = look("#group=file");
    assert_eq!(by_file.matches("<section class=\"group\">").count(), 2, "one for each file is shown");
    assert!(by_file.contains("<h2>main.bicep</h2>"), "{by_file}");
    assert!(by_file.contains("<div id=\"by-rule\" hidden"), "{by_file}");

    let none = look("#filter=nothing+has+this");
    assert!(none.contains(&format!(">0 of {total} findings shown<")), "{none}");
}

/// Findings that are not shown.
fn hidden(dom: &str) -> usize {
    dom.split("<article").skip(1).filter(|it| it.split('>').next().unwrap().contains("hidden")).count()
}

fn report(folder: &Path) -> PathBuf {
    let page = folder.join("out/report.html");
    let called = sinew(folder, &["check", ".", "--report", "out/report.html"]);
    assert_eq!(called.0, 1, "{called:?}");
    page
}

/// The document after its script has run.
fn dom(browser: &Path, page: &Path, fragment: &str, folder: &Path) -> String {
    let profile = tempfile::tempdir_in(folder).unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(format!("file://{}{fragment}", page.display()))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", browser.display()));
    String::from_utf8(output.stdout).unwrap()
}

/// Chromium, under one of its names.
fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|it| it.is_file())
}
