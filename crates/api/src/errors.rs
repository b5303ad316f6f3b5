//! What can be wrong with a request before the engine sees it: one constructor per case, with Azure's codes.

use deploy::ArmError;

/// The path escapes something that is no text.
pub(crate) fn malformed_path() -> ArmError {
    error(400, "InvalidRequestUri", "The path of the request has escapes that are not valid.")
}

/// Nothing is there.
pub(crate) fn unknown_path(path: &str) -> ArmError {
    let shown: String = path.chars().take(256).collect();
    error(404, "InvalidResourceType", format!("Nothing is served at '{shown}'."))
}

/// The path knows other methods; the answer names them in a header.
pub(crate) fn method_not_allowed(method: &str) -> ArmError {
    let shown: String = method.chars().take(32).collect();
    error(405, "MethodNotAllowed", format!("The method '{shown}' is not allowed here."))
}

/// No date of the API's version.
pub(crate) fn no_api_version() -> ArmError {
    error(
        400,
        "MissingApiVersionParameter",
        "The api-version query parameter (?api-version=) is required for all requests.",
    )
}

/// A version that is no date.
pub(crate) fn bad_api_version(version: &str) -> ArmError {
    let shown: String = version.chars().take(64).collect();
    error(
        400,
        "InvalidApiVersionParameter",
        format!("The api-version '{shown}' is invalid: a date like 2025-04-01 is expected."),
    )
}

pub(crate) fn no_token() -> ArmError {
    error(401, "AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.")
}

/// A token of somebody else, or one that is too old.
pub(crate) fn bad_token() -> ArmError {
    error(401, "InvalidAuthenticationToken", "The access token is invalid or has expired.")
}

/// A request that names this machine in a way that others control.
pub(crate) fn foreign_host() -> ArmError {
    error(
        403,
        "HostNotAllowed",
        "A server without a token answers only under a loopback address or 'localhost'.",
    )
}

/// A request that a page of another site makes.
pub(crate) fn foreign_page() -> ArmError {
    error(403, "OriginNotAllowed", "A server without a token does not answer pages of other sites.")
}

/// No name of this machine, or two.
pub(crate) fn no_host() -> ArmError {
    error(400, "InvalidHostHeader", "The request must have one 'Host' header.")
}

/// Nothing of this name can be done.
pub(crate) fn unknown_action(action: &str) -> ArmError {
    let shown: String = action.chars().take(64).collect();
    error(404, "InvalidResourceAction", format!("There is no action '{shown}' here."))
}

/// A part of a query that is not understood here.
pub(crate) fn not_supported(option: &str) -> ArmError {
    error(400, "InvalidQueryOption", format!("The query option '{option}' is not supported."))
}

/// More bytes than allowed.
pub(crate) fn too_large(limit: usize) -> ArmError {
    error(
        413,
        "RequestContentTooLarge",
        format!("The content of the request is larger than the {limit} bytes that are allowed."),
    )
}

/// The content did not arrive in time.
pub(crate) fn too_slow() -> ArmError {
    error(408, "RequestTimeout", "The content of the request did not arrive in time.")
}

/// The content broke off.
pub(crate) fn broken_off() -> ArmError {
    error(400, "InvalidRequestContent", "The content of the request broke off.")
}

/// The answer took too long.
pub(crate) fn took_too_long() -> ArmError {
    error(504, "GatewayTimeout", "The request took longer than allowed and was given up.")
}

/// Too much to do.
pub(crate) fn busy() -> ArmError {
    error(429, "TooManyRequests", "The server has too many requests in hand; try again.")
}

/// A template that cannot be turned into Bicep.
pub(crate) fn no_bicep(why: &str) -> ArmError {
    ArmError::new(
        "ExportTemplateCompletedWithErrors",
        format!("The template cannot be written as Bicep: {why}"),
    )
}

/// A mistake of ours.
pub(crate) fn internal() -> ArmError {
    error(500, "InternalServerError", "The server made a mistake; its log says more.")
}

/// Content that is no JSON, even read leniently.
pub(crate) fn not_json(line: usize, column: usize, reason: &str) -> ArmError {
    error(
        400,
        "InvalidRequestContent",
        format!(
            "The request content was invalid and could not be deserialized: line {line}, position {column}: {reason}"
        ),
    )
}

/// Content where there should be some.
pub(crate) fn no_content() -> ArmError {
    error(400, "InvalidRequestContent", "The request content is missing: a JSON object is expected.")
}

/// JSON, but no object.
pub(crate) fn not_an_object() -> ArmError {
    error(400, "InvalidRequestContent", "The request content is not valid: a JSON object is expected.")
}

/// Text that is no UTF-8.
pub(crate) fn not_utf8() -> ArmError {
    error(400, "InvalidRequestContent", "The request content is not valid UTF-8.")
}

/// A number of results that is none.
pub(crate) fn bad_top(top: &str) -> ArmError {
    let shown: String = top.chars().take(64).collect();
    error(400, "InvalidTopParameter", format!("'{shown}' is not a number of results."))
}

/// A filter that asks for more than we know.
pub(crate) fn bad_filter(filter: &str) -> ArmError {
    let shown: String = filter.chars().take(256).collect();
    error(
        400,
        "InvalidFilterInQueryString",
        format!(
            "The filter '{shown}' is not understood: resourceType, resourceGroup, name, location, identity/principalId, plan/…, tagName and \
             tagValue, or the provisioningState of deployments, can be compared with eq and ne, and joined by and and or."
        ),
    )
}

fn error(status: u16, code: &str, message: impl Into<String>) -> ArmError {
    ArmError::new(code, message).with_status(status)
}
