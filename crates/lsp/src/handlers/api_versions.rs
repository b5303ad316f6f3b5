//! Another API version for a resource, with what changes for it: as a request, and as a code action that the user asks for.

use bicep_ide::FileContext;
use bicep_ide::api_versions::{ApiChange, VersionedResource, versioned_resource};
use serde_json::{Value, json};

use super::Request;
use crate::convert;
use crate::rpc::Answer;

/// More changes than these are not listed in an action.
const MAX_LISTED: usize = 20;

/// `sinew/apiVersions`: the versions that the type of the resource at a position has; for one of them, named as `version`, also what
/// changes and the edit that writes it.
pub(super) fn versions(request: &Request) -> Answer {
    let wanted = request.params.get("version").and_then(Value::as_str);
    let found = request.ask_at(|context, offset| {
        let Some(resource) = versioned_resource(context, offset) else { return Ok(Value::Null) };
        let source = &context.bicep.source;
        let mut answer = json!({
            "resourceType": resource.resource_type,
            "current": resource.current,
            "range": convert::range(source, resource.range),
            "versions": resource.versions,
            "recommended": resource.recommended(),
        });
        if let Some(version) = wanted {
            let changes = resource.changes_to(context, version).unwrap_or_default();
            convert::set(&mut answer, "changes", changes.iter().map(change).collect());
            convert::set(&mut answer, "edit", convert::text_edit(source, &resource.edit(version)));
        }
        Ok(answer)
    })?;
    Ok(found.unwrap_or(Value::Null))
}

fn change(change: &ApiChange) -> Value {
    json!({ "path": change.path, "text": change.text, "concernsResource": change.concerns_resource })
}

/// The change to the newest version, for users who ask what can be done about the type of a resource.
pub(super) fn action(request: &Request, context: &FileContext<'_>, at: base::TextSize) -> Option<Value> {
    const INVOKED: u64 = 1;
    let trigger = request.params.pointer("/context/triggerKind").and_then(Value::as_u64);
    (trigger == Some(INVOKED)).then_some(())?;
    let resource = versioned_resource(context, at).filter(|it| it.range.contains_inclusive(at))?;
    let version = resource.recommended()?;
    let changes = resource.changes_to(context, version)?;
    let concerned = changes.iter().filter(|it| it.concerns_resource).count();
    let effect = match concerned {
        0 => "nothing that is set here changes".to_owned(),
        1 => "1 change concerns this resource".to_owned(),
        count => format!("{count} changes concern this resource"),
    };
    let title = format!("Change the API version to {version}: {effect}");
    let edit = workspace_edit(request, context, &resource, version, &changes);
    Some(json!({ "title": title, "kind": "refactor.rewrite", "edit": edit }))
}

/// The edit. Clients that show what an edit is about get the list of changes.
fn workspace_edit(
    request: &Request,
    context: &FileContext<'_>,
    resource: &VersionedResource,
    version: &str,
    changes: &[ApiChange],
) -> Value {
    let source = &context.bicep.source;
    let uri = request.uri_of(source.path());
    let mut edit = convert::text_edit(source, &resource.edit(version));
    if !request.abilities.change_annotations {
        return json!({ "changes": { uri: [edit] } });
    }
    convert::set(&mut edit, "annotationId", json!("apiVersion"));
    let listed = changes.iter().take(MAX_LISTED).map(|it| format!("{} {}", it.path, it.text));
    let mut lines: Vec<String> = listed.collect();
    if changes.len() > MAX_LISTED {
        lines.push(format!("and {} more", changes.len() - MAX_LISTED));
    }
    let annotation = json!({
        "label": format!("{} {} to {version}", resource.resource_type, resource.current),
        "needsConfirmation": changes.iter().any(|it| it.concerns_resource),
        "description": lines.join("; "),
    });
    let document = json!({ "uri": uri, "version": request.document.as_ref().map(|it| it.version) });
    json!({
        "documentChanges": [{ "textDocument": document, "edits": [edit] }],
        "changeAnnotations": { "apiVersion": annotation },
    })
}
