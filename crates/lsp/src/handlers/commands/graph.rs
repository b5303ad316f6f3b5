//! The deployment graph: what a file deploys and what waits for what, as changes against what the client shows.

use std::collections::{BTreeMap, BTreeSet};

use base::SourceFile;
use bicep_ide::FileContext;
use bicep_ide::graph::{Graph, GraphNode, deployment_graph};
use serde_json::{Value, json};

use super::Request;
use crate::convert;
use crate::rpc::Answer;

pub(super) fn update(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let graph = deployment_graph(context);
        let current = request.params.get("current").filter(|current| !current.is_null());
        let mut patches = match current {
            None => vec![json!({ "op": "clearGraph" })],
            Some(_) => Vec::new(),
        };
        patches.extend(node_patches(&graph, current));
        patches.extend(edge_patches(&graph, current));
        patches.push(json!({ "op": "setErrorCount", "errorCount": error_count(request, context) }));
        Ok(json!({ "patches": patches }))
    })?;
    Ok(found.unwrap_or(Value::Null))
}

fn error_count(request: &Request, context: &FileContext<'_>) -> usize {
    let report = request.snapshot.diagnostics(context.bicep.source.path());
    let diagnostics = report.iter().flat_map(|report| &report.diagnostics);
    diagnostics.filter(|it| it.severity == base::Severity::Error).count()
}

/// What the client shows, by id.
fn shown<'v>(current: Option<&'v Value>, list: &str) -> BTreeMap<&'v str, &'v Value> {
    let items = current.and_then(|current| current.get(list)).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(|item| Some((item.get("id")?.as_str()?, item))).collect()
}

fn node_patches(graph: &Graph, current: Option<&Value>) -> Vec<Value> {
    let known = shown(current, "nodes");
    let wanted: BTreeSet<&str> = graph.nodes.iter().map(|node| node.id.as_str()).collect();
    let gone = known.keys().filter(|id| !wanted.contains(*id));
    let mut patches: Vec<Value> = gone.map(|id| json!({ "op": "removeNode", "nodeId": id })).collect();
    for node in &graph.nodes {
        let value = node_value(node);
        match known.get(node.id.as_str()) {
            None => patches.push(json!({ "op": "addNode", "node": value })),
            Some(shown) if !is_same(shown, &value) => {
                patches.push(json!({ "op": "updateNode", "node": value }));
            }
            Some(_) => {}
        }
    }
    patches
}

fn is_same(shown: &Value, wanted: &Value) -> bool {
    let members = ["kind", "parentId", "type", "isCollection", "hasChildren", "hasError"];
    members
        .iter()
        .all(|name| shown.get(name).unwrap_or(&Value::Null) == wanted.get(name).unwrap_or(&Value::Null))
}

fn edge_patches(graph: &Graph, current: Option<&Value>) -> Vec<Value> {
    let known = shown(current, "edges");
    let wanted: BTreeMap<String, &(String, String)> =
        graph.edges.iter().map(|edge| (format!("{}->{}", edge.0, edge.1), edge)).collect();
    let gone = known.keys().filter(|id| !wanted.contains_key(**id));
    let mut patches: Vec<Value> = gone.map(|id| json!({ "op": "removeEdge", "edgeId": id })).collect();
    let added = wanted.iter().filter(|(id, _)| !known.contains_key(id.as_str()));
    patches.extend(added.map(|(id, (source, target))| {
        json!({ "op": "addEdge", "edge": { "id": id, "sourceId": source, "targetId": target } })
    }));
    patches
}

fn node_value(node: &GraphNode) -> Value {
    json!({
        "id": node.id,
        "kind": if node.is_module { "module" } else { "resource" },
        "parentId": node.parent,
        "type": node.ty,
        "symbolName": node.name,
        "isCollection": node.is_collection,
        "hasChildren": node.has_children,
        "hasError": node.has_error,
    })
}

/// Places the nodes in columns: what is needed stands to the left of what needs it.
pub(super) fn layout(request: &Request) -> Answer {
    const GAP: f64 = 60.0;
    let found = request.ask(|context| {
        let graph = deployment_graph(context);
        let current = request.params.get("current");
        let known = shown(current, "nodes");
        let wanted: BTreeSet<&str> = graph.nodes.iter().map(|node| node.id.as_str()).collect();
        if wanted != known.keys().copied().collect() {
            return Ok(json!({ "status": "graphChanged", "patches": [] }));
        }
        let size = |id: &str, name: &str, usual: f64| {
            let node = known.get(id).and_then(|node| node.get(name)).and_then(Value::as_f64);
            node.unwrap_or(usual)
        };
        let columns = graph.columns();
        let mut patches = Vec::new();
        let (mut x, mut height) = (0.0_f64, 0.0_f64);
        for column in &columns {
            let (mut y, mut width) = (0.0_f64, 0.0_f64);
            for id in column {
                patches.push(json!({ "op": "setNodeLayout", "nodeId": id, "layout": { "x": x, "y": y } }));
                y += size(id, "height", 72.0) + GAP;
                width = width.max(size(id, "width", 180.0));
            }
            height = height.max(y - GAP);
            x += width + GAP;
        }
        let bounds = json!({ "width": (x - GAP).max(0.0), "height": height.max(0.0) });
        patches.push(json!({ "op": "setGraphBounds", "bounds": bounds }));
        Ok(json!({ "status": "ok", "patches": patches }))
    })?;
    Ok(found.unwrap_or(Value::Null))
}

pub(super) fn node_source(request: &Request) -> Answer {
    let wanted = request.params.get("nodeId").and_then(Value::as_str).unwrap_or_default();
    let found = request.ask(|context| {
        let graph = deployment_graph(context);
        let node = graph.nodes.iter().find(|node| node.id == wanted);
        Ok(node.map(|node| {
            let source: &SourceFile = context.program.unit(node.file).source();
            let range = convert::range(source, node.range);
            json!({ "found": true, "filePath": source.path().as_str(), "range": range })
        }))
    })?;
    Ok(found.flatten().unwrap_or_else(|| json!({ "found": false })))
}
