//! Lists page by page, with filters; tags; groups as templates.

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Answer, GROUP, Server};

const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-0000000000aa";

/// The names in a list, page by page, as clients follow it.
async fn pages(server: &Server, path: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut next = path.to_owned();
    loop {
        let answer = server.get(&next).await;
        assert_eq!(answer.status, 200, "{next}: {answer:?}");
        pages.push(names(&answer));
        match answer.body["nextLink"].as_str() {
            Some(link) => {
                assert!(link.starts_with(&server.url), "{link}");
                next = link.to_owned();
            }
            None => return pages,
        }
    }
}

fn names(answer: &Answer) -> Vec<String> {
    let name = |entry: &Value| {
        let target = &entry["properties"]["targetResource"]["resourceName"];
        entry["name"].as_str().or(target.as_str()).unwrap_or_default().to_owned()
    };
    answer.body["value"].as_array().unwrap().iter().map(name).collect()
}

async fn make(server: &Server, name: &str, document: Value) {
    let made = server.put(&format!("{GROUP}/providers/{name}"), &document).await;
    assert!(matches!(made.status, 200 | 201), "{made:?}");
}

#[tokio::test]
async fn lists_have_pages() {
    let server = Server::start().await;
    server.make_group().await;
    for name in ["e", "b", "d", "a", "c"] {
        make(&server, &format!("Microsoft.Web/sites/{name}"), json!({ "location": "westeurope" })).await;
    }
    let resources = format!("{GROUP}/resources?api-version=2025-04-01&$top=2");
    assert_eq!(pages(&server, &resources).await, [vec!["a", "b"], vec!["c", "d"], vec!["e"]]);
    let filtered = format!("{resources}&$filter=substringof('c', name)");
    assert_eq!(pages(&server, &filtered).await, [vec!["c"]]);
    let one = format!("{SUBSCRIPTION}/resources?api-version=2025-04-01&$top=5");
    assert_eq!(pages(&server, &one).await, [vec!["a", "b", "c", "d", "e"]], "no empty page at the end");

    let template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": (1..=3).map(|n| json!({
            "type": "Microsoft.Web/sites", "apiVersion": "2023-01-01", "name": format!("s{n}"),
        })).collect::<Value>(),
    });
    let deployments = format!("{GROUP}/providers/Microsoft.Resources/deployments");
    for name in ["first", "second", "third"] {
        let body = json!({ "properties": { "mode": "Incremental", "template": template } });
        let accepted = server.put(&format!("{deployments}/{name}"), &body).await;
        let poll = accepted.header("azure-asyncoperation").to_owned();
        while server.get(&poll).await.body["status"] != "Succeeded" {}
    }
    let list = format!("{deployments}/?api-version=2025-04-01&%24top=2");
    assert_eq!(pages(&server, &list).await, [vec!["third", "second"], vec!["first"]]);
    let failed = format!("{list}&$filter=provisioningState eq 'Failed'");
    assert_eq!(pages(&server, &failed).await, [Vec::<String>::new()]);
    let succeeded = format!("{list}&$filter=provisioningState eq 'succeeded'");
    assert_eq!(pages(&server, &succeeded).await.concat().len(), 3);
    let operations = format!("{deployments}/first/operations?api-version=2025-04-01&$top=3");
    let operations = pages(&server, &operations).await;
    assert_eq!(operations.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
    for bad in ["$top=-1", "$top=x", "$filter=x"] {
        let answer = server.get(&format!("{deployments}?api-version=2025-04-01&{bad}")).await;
        assert_eq!(answer.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn resources_and_groups_are_found_by_tag() {
    let server = Server::start().await;
    let tagged = json!({ "location": "westeurope", "tags": { "Team": "blue", "cost": "1" } });
    server.put(GROUP, &tagged).await;
    server.put(&format!("{GROUP}2"), &json!({ "location": "westeurope" })).await;
    make(&server, "Microsoft.Web/sites/a", tagged.clone()).await;
    make(&server, "Microsoft.Web/sites/b", json!({ "location": "northeurope", "tags": { "team": "red" } }))
        .await;
    for (filter, expected) in [
        ("tagname eq 'team'", vec!["a", "b"]),
        ("tagName eq 'team' and tagValue eq 'blue'", vec!["a"]),
        ("startswith(tagname, 'co')", vec!["a"]),
        ("location eq 'North Europe'", vec!["b"]),
        ("resourceGroup eq 'g' and resourceType eq 'Microsoft.Web/sites'", vec!["a", "b"]),
        ("tagname eq 'none'", vec![]),
    ] {
        let list =
            server.get(&format!("{SUBSCRIPTION}/resources?api-version=2025-04-01&$filter={filter}")).await;
        assert_eq!(names(&list), expected, "{filter}");
    }
    let groups = format!("{SUBSCRIPTION}/resourcegroups?api-version=2025-04-01");
    assert_eq!(names(&server.get(&format!("{groups}&$filter=tagname eq 'team'")).await), ["g"]);
    assert_eq!(pages(&server, &format!("{groups}&$top=1")).await, [["g"], ["g2"]]);
}

#[tokio::test]
async fn lists_have_what_the_resource_manager_tracks() {
    let server = Server::start().await;
    server.make_group().await;
    let here = || json!({ "location": "westeurope" });
    make(&server, "Microsoft.Sql/servers/s", here()).await;
    make(&server, "Microsoft.Sql/servers/s/databases/d", here()).await;
    make(&server, "Microsoft.Sql/servers/s/firewallRules/f", json!({})).await;
    make(&server, "Test.Things/things/t", json!({})).await;
    make(&server, "Microsoft.Authorization/policyAssignments/p", json!({})).await;
    let lock = json!({ "properties": { "level": "CanNotDelete" } });
    make(&server, "Test.Things/things/t/providers/Microsoft.Authorization/locks/l", lock).await;
    let resources = format!("{SUBSCRIPTION}/resources?api-version=2025-04-01");
    // A child with a region has the name of its parent before its own; one without is its provider's business.
    assert_eq!(names(&server.get(&resources).await), ["s", "s/d", "t"]);
    for (filter, expected) in [
        ("resourceType eq 'Microsoft.Sql/servers/databases'", vec!["s/d"]),
        ("name eq 's/d'", vec!["s/d"]),
        ("name eq 'd'", vec!["s/d"]),
        ("resourceType eq 'Microsoft.Sql/servers' or name eq 't'", vec!["s", "t"]),
        ("resourceType ne 'Microsoft.Sql/servers' and resourceGroup eq 'g'", vec!["s/d", "t"]),
        ("substringof('s', name) and (location eq 'westeurope')", vec!["s", "s/d"]),
    ] {
        let list = server.get(&format!("{resources}&$filter={filter}")).await;
        assert_eq!(names(&list), expected, "{filter}: {list:?}");
    }
    // By itself it has its own name alone, and collections have everything.
    let database = format!("{GROUP}/providers/Microsoft.Sql/servers/s/databases/d");
    assert_eq!(server.get(&database).await.body["name"], "d");
    let rules = server.get(&format!("{GROUP}/providers/Microsoft.Sql/servers/s/firewallRules")).await;
    assert_eq!(names(&rules), ["f"]);
    // The page shows all of it.
    let all = server.get(&format!("/watch/resources{GROUP}?$top=3")).await;
    assert_eq!(names(&all), ["p", "s", "s/d"]);
    let rest = all.body["nextLink"].as_str().unwrap().to_owned();
    assert_eq!(names(&server.get(&rest).await), ["s/f", "t", "l"]);
}

#[tokio::test]
async fn tags_are_a_resource() {
    let server = Server::start().await;
    server.put(GROUP, &json!({ "location": "westeurope", "tags": { "a": "1" } })).await;
    make(&server, "Microsoft.Web/sites/s", json!({ "location": "westeurope" })).await;
    let site = format!("{GROUP}/providers/Microsoft.Web/sites/s");
    for (owner, before) in
        [(GROUP, json!({ "a": "1" })), (site.as_str(), json!({})), (SUBSCRIPTION, json!({}))]
    {
        let tags = format!("{owner}/providers/Microsoft.Resources/tags/default");
        let read = server.get(&tags).await;
        let expected = json!({
            "id": tags, "name": "default", "type": "Microsoft.Resources/tags", "properties": { "tags": before },
        });
        assert_eq!((read.status, read.body), (200, expected));
        let put = server.put(&tags, &json!({ "properties": { "tags": { "b": "2", "c": "3" } } })).await;
        assert_eq!((put.status, &put.body["properties"]["tags"]), (200, &json!({ "b": "2", "c": "3" })));
        for (operation, given, after) in [
            ("Merge", json!({ "B": "4" }), json!({ "c": "3", "B": "4" })),
            ("Delete", json!({ "c": "3" }), json!({ "B": "4" })),
            ("Replace", json!({ "d": "5" }), json!({ "d": "5" })),
        ] {
            let body = json!({ "operation": operation, "properties": { "tags": given } }).to_string();
            let patched = server.send(Method::PATCH, &tags, Some(&body)).await;
            assert_eq!((patched.status, &patched.body["properties"]["tags"]), (200, &after), "{operation}");
        }
        assert_eq!(server.get(&tags).await.body["properties"]["tags"], json!({ "d": "5" }));
        let bad = json!({ "operation": "Add", "properties": { "tags": {} } }).to_string();
        assert_eq!(server.send(Method::PATCH, &tags, Some(&bad)).await.code(), "InvalidTag");
        let bad = json!({ "properties": { "tags": { "x": { "deep": 1 } } } });
        assert_eq!(server.put(&tags, &bad).await.code(), "InvalidTag");
    }
    assert_eq!(server.get(GROUP).await.body["tags"], json!({ "d": "5" }));
    assert_eq!(server.get(&site).await.body["tags"], json!({ "d": "5" }));
    assert_eq!(
        server.delete(&format!("{GROUP}/providers/Microsoft.Resources/tags/default")).await.status,
        200
    );
    assert_eq!(server.get(GROUP).await.body["tags"], json!({}));
    let none =
        format!("{GROUP}/providers/Microsoft.Web/sites/none/providers/Microsoft.Resources/tags/default");
    assert_eq!(server.get(&none).await.status, 404);
    let list = server.get(&format!("{SUBSCRIPTION}/resources")).await;
    assert_eq!(names(&list), ["s"], "tags are not listed");
}

/// What is exported makes the same group again.
#[tokio::test]
async fn groups_are_exported() {
    let server = Server::start().await;
    server.make_group().await;
    let settings =
        json!({ "location": "westeurope", "properties": { "text": "[not an expression]", "n": 1 } });
    make(&server, "Microsoft.Web/sites/it's", settings.clone()).await;
    make(&server, "Microsoft.Web/sites/it's/slots/b", settings.clone()).await;
    make(
        &server,
        "Microsoft.Web/sites/it's/providers/Microsoft.Insights/things/x",
        json!({ "properties": {} }),
    )
    .await;
    let export = |body: Value| {
        let server = &server;
        async move { server.post(&format!("{GROUP}/exportTemplate"), &body).await }
    };
    let whole = export(json!({ "resources": ["*"], "options": "IncludeParameterDefaultValue" })).await;
    assert_eq!(whole.status, 200, "{whole:?}");
    let template = &whole.body["template"];
    assert_eq!(
        template["parameters"],
        json!({
            "sites_it_s_name": { "type": "String", "defaultValue": "it's" },
            "things_x_name": { "type": "String", "defaultValue": "x" },
        })
    );
    let slot = &template["resources"][2];
    assert_eq!(slot["name"], "[concat(parameters('sites_it_s_name'), '/b')]", "{template:#}");
    let parent = "[resourceId('Microsoft.Web/sites', parameters('sites_it_s_name'))]";
    assert_eq!(slot["dependsOn"], json!([parent]));
    assert_eq!(template["resources"][1]["scope"], parent);

    let plain = export(json!({ "resources": ["*"], "options": "SkipAllParameterization" })).await;
    assert_eq!(plain.body["template"]["parameters"], json!({}));
    server.delete(GROUP).await;
    server.make_group().await;
    let deployment = format!("{GROUP}/providers/Microsoft.Resources/deployments/again");
    let accepted = server.put(&deployment, &json!({ "properties": { "template": template } })).await;
    assert_eq!(accepted.status, 201, "{accepted:?}");
    let poll = accepted.header("azure-asyncoperation").to_owned();
    loop {
        let status = server.get(&poll).await.body;
        assert_ne!(status["status"], "Failed", "{status:#}");
        if status["status"] == "Succeeded" {
            break;
        }
    }
    let slot = server.get(&format!("{GROUP}/providers/Microsoft.Web/sites/it's/slots/b")).await;
    assert_eq!(slot.body["properties"]["text"], "[not an expression]", "{slot:?}");

    let site = format!("{GROUP}/providers/Microsoft.Web/sites/it's");
    let one = export(json!({ "resources": [site] })).await;
    assert_eq!(one.body["template"]["resources"].as_array().map(Vec::len), Some(1), "{one:?}");
    assert_eq!(export(json!({ "resources": [format!("{site}s")] })).await.status, 404);
    assert_eq!(export(json!({ "outputFormat": "Terraform" })).await.status, 400);
    assert_eq!(server.post(&format!("{GROUP}none/exportTemplate"), &json!({})).await.status, 404);
}
