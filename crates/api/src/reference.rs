//! The page of the book about the API's paths: each is read by the router, which says which methods it takes. The test fails
//! when the page is stale; `UPDATE_EXPECT=1 cargo test -p api --lib` writes it.

use std::fmt::Write as _;

use expect_test::expect_file;

use crate::route;

const INTRODUCTION: &str = "\
# Deployments API reference

Generated from the program: the paths of [`sinew serve`](serve.md) and their methods. `{scope}` is one of

- nothing, for the tenant;
- `/providers/Microsoft.Management/managementGroups/{id}`;
- `/subscriptions/{id}`;
- `/subscriptions/{id}/resourceGroups/{group}`.

Paths are case-insensitive and may end with a slash. Any date is accepted as `api-version`. Other methods get status 405 with `Allow`.
";

const DEPLOYMENT: &str = "{scope}/providers/Microsoft.Resources/deployments/{name}";
const STACK: &str = "{scope}/providers/Microsoft.Resources/deploymentStacks/{name}";
const GROUP: &str = "/subscriptions/{id}/resourceGroups/{group}";

/// What a path is about, and the parts of the path.
type OperationPaths = (&'static str, &'static [&'static str]);

/// Headings with the entries below each.
const SECTIONS: &[(&str, &[OperationPaths])] = &[
    (
        "Deployments",
        &[
            ("List deployments", &["{scope}/providers/Microsoft.Resources/deployments"]),
            ("Create, read or delete a deployment", &[DEPLOYMENT]),
            ("Cancel a deployment", &[DEPLOYMENT, "/cancel"]),
            ("Validate a template", &[DEPLOYMENT, "/validate"]),
            ("Preview changes", &[DEPLOYMENT, "/whatIf"]),
            ("Read the deployed template", &[DEPLOYMENT, "/exportTemplate"]),
            ("List operations", &[DEPLOYMENT, "/operations"]),
            ("Read an operation", &[DEPLOYMENT, "/operations/{operation}"]),
            ("Poll a long-running operation", &[DEPLOYMENT, "/operationStatuses/{operation}"]),
            ("Compute the hash of a template", &["/providers/Microsoft.Resources/calculateTemplateHash"]),
        ],
    ),
    (
        "Deployment stacks and template specs",
        &[
            ("List stacks", &["{scope}/providers/Microsoft.Resources/deploymentStacks"]),
            ("Create, read or delete a stack", &[STACK]),
            ("Validate a stack", &[STACK, "/validate"]),
            ("Read the template of a stack", &[STACK, "/exportTemplate"]),
            (
                "Create, read or delete a template spec",
                &[GROUP, "/providers/Microsoft.Resources/templateSpecs/{name}"],
            ),
            (
                "Create, read or delete a version of a template spec",
                &[GROUP, "/providers/Microsoft.Resources/templateSpecs/{name}/versions/{version}"],
            ),
            ("Read a linked template", &["/templates/{path}"]),
        ],
    ),
    (
        "Resource groups and resources",
        &[
            ("List resource groups", &["/subscriptions/{id}/resourceGroups"]),
            ("Create, read, update or delete a resource group", &[GROUP]),
            ("Export a resource group as a template", &[GROUP, "/exportTemplate"]),
            ("Move resources", &[GROUP, "/moveResources"]),
            ("Validate a move", &[GROUP, "/validateMoveResources"]),
            ("List resources of a group", &[GROUP, "/resources"]),
            ("List resources of a subscription", &["/subscriptions/{id}/resources"]),
            (
                "Create, read, update or delete a resource of any type",
                &["{scope}/providers/{namespace}/{type}/{name}"],
            ),
            ("List resources of a type; `POST` runs an action", &["{scope}/providers/{namespace}/{type}"]),
            (
                "Run an action on a resource, such as `listKeys`; `GET` lists children",
                &["{scope}/providers/{namespace}/{type}/{name}/{action}"],
            ),
            ("Lock a scope", &["{scope}/providers/Microsoft.Authorization/locks/{name}"]),
            (
                "Compare resources with assigned policies",
                &["{scope}/providers/Microsoft.PolicyInsights/policyStates/latest/queryResults"],
            ),
            (
                "Count resources that do not comply",
                &["{scope}/providers/Microsoft.PolicyInsights/policyStates/latest/summarize"],
            ),
            (
                "Read or change the tags of a scope or resource",
                &["{scope}/providers/Microsoft.Resources/tags/default"],
            ),
            ("List tag names", &["/subscriptions/{id}/tagNames"]),
            ("Create or delete a tag name", &["/subscriptions/{id}/tagNames/{name}"]),
            ("Create or delete a tag value", &["/subscriptions/{id}/tagNames/{name}/tagValues/{value}"]),
        ],
    ),
    (
        "Tenants, subscriptions and providers",
        &[
            ("List tenants", &["/tenants"]),
            ("List subscriptions", &["/subscriptions"]),
            ("Read a subscription", &["/subscriptions/{id}"]),
            ("List locations", &["/subscriptions/{id}/locations"]),
            ("List resource providers", &["/subscriptions/{id}/providers"]),
            ("Read a resource provider", &["/subscriptions/{id}/providers/{namespace}"]),
            (
                "Register a resource provider; has no effect",
                &["/subscriptions/{id}/providers/{namespace}/register"],
            ),
            (
                "List the operations of all resource providers",
                &["/providers/Microsoft.Authorization/providerOperations"],
            ),
            (
                "Read the operations of a resource provider",
                &["/providers/Microsoft.Authorization/providerOperations/{namespace}"],
            ),
            (
                "List the operations of a resource provider, as roles name them",
                &["/providers/{namespace}/operations"],
            ),
        ],
    ),
    (
        "Authentication",
        &[
            ("Cloud metadata", &["/metadata/endpoints"]),
            ("OpenID configuration", &["/{tenant}/v2.0/.well-known/openid-configuration"]),
            ("Signing keys", &["/{tenant}/discovery/v2.0/keys"]),
            ("Known authorities", &["/common/discovery/instance"]),
            ("Request a token", &["/{tenant}/oauth2/v2.0/token"]),
            ("Request a token as a managed identity", &["/msi/token"]),
        ],
    ),
    (
        "Operation of the server",
        &[
            ("Web page", &["/"]),
            ("List deployments of all scopes", &["/watch/deployments"]),
            ("Changes of a deployment, one JSON object per line", &["/watch/events", DEPLOYMENT]),
            ("Deploy again", &["/watch/redeploy", DEPLOYMENT]),
            ("List everything below a group or resource, with children", &["/watch/resources", GROUP]),
            ("Liveness", &["/healthz"]),
            ("Readiness", &["/readyz"]),
            ("Prometheus metrics", &["/metrics"]),
        ],
    ),
];

#[test]
fn the_reference_of_the_api_is_up_to_date() {
    let mut page = INTRODUCTION.to_owned();
    for (title, rows) in SECTIONS {
        writeln!(page, "\n## {title}\n\n| | Path | Methods |\n|---|---|---|").unwrap();
        for (what, parts) in *rows {
            let path = parts.concat();
            let route = route::parse(&path.replace("{scope}", "/subscriptions/id/resourceGroups/group"));
            let methods = route.unwrap_or_else(|error| panic!("{path}: {error:?}")).methods().join(", ");
            writeln!(page, "| {what} | `{path}` | {methods} |").unwrap();
        }
    }
    expect_file!["../../../docs/api.md"].assert_eq(&page);
}
