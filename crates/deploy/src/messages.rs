//! The catalogue of errors of the deployments API: one constructor for each.

use arm::{Error as TemplateError, Step};
use base::SourceFile;
use serde_json::{Value as Json, json};

use crate::error::ArmError;
use crate::scope::{DeploymentId, Scope};
use crate::state::State;
use crate::store::StoreError;

/// The code of [`store_failed`]: the same may work later.
pub(crate) const STORE_UNAVAILABLE: &str = "StateStoreUnavailable";

/// The state database failed.
pub(crate) fn store_failed(error: &StoreError) -> ArmError {
    if let StoreError::NoGroup(group) = error {
        return group_not_found(group);
    }
    if let StoreError::SecretKey(_) = error {
        return ArmError::new(
            "SecretsKeyUnavailable",
            format!("The secret cannot be stored or read: {error}."),
        )
        .with_status(500);
    }
    ArmError::new(STORE_UNAVAILABLE, format!("The state could not be read or written: {error}."))
        .with_status(503)
}

/// Signs of life cannot be written.
pub(crate) fn silent(seconds: u64) -> ArmError {
    ArmError::new(
        STORE_UNAVAILABLE,
        format!("The leases of running deployments could not be renewed for {seconds} s."),
    )
    .with_status(503)
}

/// The state does not answer in time.
pub(crate) fn state_too_slow() -> ArmError {
    ArmError::new(STORE_UNAVAILABLE, "The state could not be written in time.").with_status(503)
}

/// The engine closes.
pub(crate) fn closing() -> ArmError {
    ArmError::new("ServerStopping", "The server is shutting down and accepts no more deployments.")
        .with_status(503)
}

/// What was stored of a deployment cannot be read.
pub(crate) fn damaged_job(error: &serde_json::Error) -> ArmError {
    ArmError::new("DamagedState", format!("The stored deployment cannot be read: {error}.")).with_status(500)
}

// Requests.

pub(crate) fn not_json(message: &str, line: u32, column: u32) -> ArmError {
    ArmError::new(
        "InvalidRequestContent",
        format!("The request content could not be read at line {line}, column {column}: {message}"),
    )
}

pub(crate) fn not_an_object() -> ArmError {
    ArmError::new("InvalidRequestContent", "The request content must be an object with 'properties'.")
}

pub(crate) fn missing_template() -> ArmError {
    ArmError::new("InvalidRequestContent", "The deployment has neither 'template' nor 'templateLink'.")
        .about("properties.template")
}

pub(crate) fn linked_template(what: &str) -> ArmError {
    ArmError::new(
        "InvalidContentLink",
        format!("'{what}' is not supported: content is not fetched from elsewhere, send it in the request."),
    )
    .about(format!("properties.{what}"))
}

pub(crate) fn linked_parameters() -> ArmError {
    ArmError::new(
        "InvalidContentLink",
        "'parametersLink' must be an object with a 'uri' or a 'relativePath', and excludes 'parameters'.",
    )
    .about("properties.parametersLink")
}

pub(crate) fn bad_mode(mode: &str) -> ArmError {
    ArmError::new("InvalidRequestContent", format!("There is no deployment mode '{mode}'."))
        .about("properties.mode")
}

pub(crate) fn complete_outside_group() -> ArmError {
    ArmError::new("InvalidDeploymentMode", "Complete mode is for deployments to a resource group.")
        .about("properties.mode")
}

pub(crate) fn nested_complete() -> ArmError {
    ArmError::new("InvalidDeploymentMode", "A deployment inside a deployment must be incremental.")
        .about("properties.mode")
}

pub(crate) fn bad_on_error() -> ArmError {
    ArmError::new(
        "InvalidRequestContent",
        "'onErrorDeployment' needs the type 'LastSuccessful', or 'SpecificDeployment' with a 'deploymentName'.",
    )
    .about("properties.onErrorDeployment")
}

pub(crate) fn bad_name(name: &str) -> ArmError {
    ArmError::new(
        "DeploymentNameInvalidCharacters",
        format!("The deployment name '{name}' may only have letters, digits and '-._()'."),
    )
}

pub(crate) fn long_name(name: &str) -> ArmError {
    let length = name.chars().count();
    ArmError::new(
        "DeploymentNameLengthLimitExceeded",
        format!("The deployment name has {length} characters; 64 are allowed."),
    )
}

pub(crate) fn location_required() -> ArmError {
    ArmError::new("LocationRequired", "A deployment outside of resource groups needs a 'location'.")
        .about("location")
}

pub(crate) fn other_location(name: &str, old: &str, new: &str) -> ArmError {
    ArmError::new(
        "InvalidDeploymentLocation",
        format!("The deployment '{name}' is in '{old}' and cannot be recreated in '{new}'."),
    )
    .with_status(409)
}

pub(crate) fn wrong_scope(scope: &Scope) -> ArmError {
    ArmError::new(
        "InvalidTemplate",
        format!("The template's schema is not one of deployments to '{}'.", scope.id()),
    )
    .about("properties.template.$schema")
}

pub(crate) fn too_large(what: &str, limit: usize) -> ArmError {
    ArmError::new("DeploymentSizeExceeded", format!("The {what} is larger than {} MB.", limit >> 20))
}

// External inputs and parameters.

pub(crate) fn input_not_supplied(parameter: &str, input: &str) -> ArmError {
    ArmError::new(
        "ExternalInputNotSupplied",
        format!(
            "The parameter '{parameter}' needs the external input '{input}', which has no value. \
             Send it in 'externalInputs', or use 'sinew deploy FILE.bicepparam --endpoint URL --input NAME=VALUE'."
        ),
    )
    .about(format!("parameters.{parameter}"))
}

/// All values that a request lacks, in one error; nothing if there are none.
pub(crate) fn all_missing(missing: Vec<ArmError>) -> Option<ArmError> {
    let first = missing.first()?.clone();
    if missing.len() == 1 {
        return Some(first);
    }
    let message = missing.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join(" ");
    let mut error = ArmError::new(&first.code, message).because(missing);
    error.target = first.target;
    Some(error)
}

/// The request has no external inputs at all.
pub(crate) fn no_external_inputs(parameters: &[&str]) -> ArmError {
    let names = parameters.join("', '");
    ArmError::new(
        "ExternalInputNotSupplied",
        format!(
            "The parameters '{names}' take external inputs, but the request has neither \
             'externalInputDefinitions' nor 'externalInputs'. The Azure CLI sends none: use 'sinew deploy \
             FILE.bicepparam --endpoint URL --input NAME=VALUE'."
        ),
    )
    .about(format!("parameters.{}", parameters.first().copied().unwrap_or_default()))
}

pub(crate) fn undefined_input(input: &str) -> ArmError {
    ArmError::new(
        "ExternalInputNotDefined",
        format!("A value is supplied for the external input '{input}', which is not defined."),
    )
    .about(format!("externalInputs.{input}"))
}

/// A deployment with secrets cannot be made again from what is stored.
pub(crate) fn repeat_needs_secret(parameter: &str) -> ArmError {
    ArmError::new(
        "SecretsNotKept",
        format!("The deployment needs the secure value '{parameter}', which is not kept: send it again."),
    )
    .with_status(409)
}

/// A lock stands in the way.
pub(crate) fn locked(id: &str, verb: &str, scope: &str) -> ArmError {
    ArmError::new(
        "ScopeLocked",
        format!(
            "The scope '{id}' cannot perform {verb} operation because following scope(s) are locked: '{scope}'. \
             Please remove the lock and try again."
        ),
    )
    .with_status(409)
}

/// A deployment stack denies it.
pub(crate) fn denied(id: &str, action: &str, stack: &str) -> ArmError {
    ArmError::new(
        "DenyAssignmentAuthorizationFailed",
        format!(
            "The action '{action}' on '{id}' is denied by the deny settings of the deployment stack '{stack}'. \
             Change the resource with the stack, or change the stack's deny settings."
        ),
    )
    .with_status(403)
}

/// A tag cannot be forgotten while something has it.
pub(crate) fn tag_in_use(name: &str) -> ArmError {
    ArmError::new("TagInUse", format!("The tag '{name}' is in use; remove it from the resources first."))
        .with_status(409)
}

/// The values of a tag are forgotten before its name.
pub(crate) fn tag_has_values(name: &str) -> ArmError {
    ArmError::new("TagHasValues", format!("The tag name '{name}' has values; delete them first."))
        .with_status(409)
}

/// A value is set down for a name that is set down.
pub(crate) fn tag_name_not_found(name: &str) -> ArmError {
    ArmError::new("TagNameNotFound", format!("The tag name '{name}' could not be found; create it first."))
        .with_status(404)
}

/// Nobody has named this subscription.
pub(crate) fn subscription_not_found(id: &str) -> ArmError {
    ArmError::new("SubscriptionNotFound", format!("The subscription '{id}' could not be found."))
        .with_status(404)
}

/// Resources cannot be moved there.
pub(crate) fn bad_move(why: &str) -> ArmError {
    ArmError::new("ResourceMoveFailed", format!("The resources cannot be moved: {why}."))
}

/// A deployment stack is not there.
pub(crate) fn stack_not_found(id: &str) -> ArmError {
    ArmError::new("DeploymentStackNotFound", format!("The deployment stack '{id}' could not be found."))
        .with_status(404)
}

/// What is asked of a deployment stack makes no sense.
pub(crate) fn bad_stack(why: &str) -> ArmError {
    ArmError::new("InvalidDeploymentStack", format!("The deployment stack is not valid: {why}."))
}

pub(crate) fn bad_stack_choice(path: &str, value: &str, choices: &[&str]) -> ArmError {
    bad_stack(&format!("'{path}' is '{value}', but must be one of: {}", choices.join(", ")))
        .about(format!("properties.{path}"))
}

/// A template that is linked is not there.
pub(crate) fn link_not_found(what: &str) -> ArmError {
    ArmError::new(
        "InvalidContentLink",
        format!(
            "The linked template '{what}' is not here: a template spec of this server, or a file in the folder of \
             linked templates, is expected."
        ),
    )
    .about("properties.templateLink")
}

pub(crate) fn vault_secret(parameter: &str) -> ArmError {
    ArmError::new(
        "KeyVaultParameterReferenceSecretRetrieveFailed",
        format!("The secret that the parameter '{parameter}' refers to is not kept here."),
    )
    .about(format!("parameters.{parameter}"))
}

/// What is wrong with a template, or with the values for it.
pub(crate) fn invalid_template(errors: &[TemplateError], file: Option<&SourceFile>) -> ArmError {
    let all: Vec<ArmError> = errors.iter().take(100).map(|error| template_error(error, file)).collect();
    match all.as_slice() {
        [one] => one.clone(),
        _ => {
            let first = all.first().cloned();
            let (code, message) = first
                .as_ref()
                .map_or(("InvalidTemplate", ""), |first| (first.code.as_str(), first.message.as_str()));
            let info = first.as_ref().map(|first| first.additional_info.clone()).unwrap_or_default();
            let mut error = ArmError::new(code, message).because(all.clone());
            error.target = first.and_then(|first| first.target);
            error.additional_info = info;
            error
        }
    }
}

/// One error of a template, with its place.
pub(crate) fn template_error(error: &TemplateError, file: Option<&SourceFile>) -> ArmError {
    let mut result = ArmError::from_json(&error.to_json(file));
    result.message = format!("Deployment template validation failed: '{}'", result.message);
    if let Some(position) = error.source() {
        let at = position.file.position(position.range.start());
        result.additional_info.push(json!({
            "type": "SourcePosition",
            "info": { "file": position.file.path().as_str(), "line": at.line + 1, "column": at.col + 1 },
        }));
    }
    result
}

/// The place of a part of a template, and of what is inside it.
pub(crate) fn template_place(steps: &[Step], inside: &str) -> Json {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Key(key) if path.is_empty() => path.push_str(key),
            Step::Key(key) => path.push_str(&format!(".{key}")),
            Step::Index(index) => path.push_str(&format!("[{index}]")),
        }
    }
    if !path.is_empty() && !inside.is_empty() && !inside.starts_with('[') {
        path.push('.');
    }
    path.push_str(inside);
    json!({ "type": "TemplateViolation", "info": { "lineNumber": 0, "linePosition": 0, "path": path } })
}

// Scopes, deployments, resources.

pub(crate) fn deployment_not_found(id: &DeploymentId) -> ArmError {
    ArmError::new("DeploymentNotFound", format!("Deployment '{}' could not be found.", id.name))
        .with_status(404)
}

pub(crate) fn group_not_found(group: &str) -> ArmError {
    ArmError::new("ResourceGroupNotFound", format!("Resource group '{group}' could not be found."))
        .with_status(404)
}

pub(crate) fn provider_not_found(namespace: &str) -> ArmError {
    ArmError::new(
        "ProviderNotFound",
        format!("Nothing is known of the resource provider '{namespace}': it has no types here."),
    )
    .with_status(404)
}

pub(crate) fn resource_not_found(id: &str) -> ArmError {
    ArmError::new("ResourceNotFound", format!("The resource '{id}' was not found.")).with_status(404)
}

pub(crate) fn parent_not_found(id: &str, parent: &str) -> ArmError {
    ArmError::new(
        "ParentResourceNotFound",
        format!("The resource '{id}' belongs to '{parent}', which was not found."),
    )
    .with_status(404)
}

pub(crate) fn operation_not_found(operation: &str) -> ArmError {
    ArmError::new("DeploymentOperationNotFound", format!("Operation '{operation}' could not be found."))
        .with_status(404)
}

pub(crate) fn bad_resource_id(id: &str) -> ArmError {
    ArmError::new("InvalidResourceId", format!("'{id}' is not the id of a resource."))
}

pub(crate) fn no_lock_level(levels: &[&str]) -> ArmError {
    let message = format!("A lock needs a level: {}.", levels.join(", "));
    ArmError::new("InvalidRequestContent", message).about("properties.level")
}

pub(crate) fn bad_lock_level(level: &str, levels: &[&str]) -> ArmError {
    let message = format!("'{level}' is not the level of a lock. Use one of: {}.", levels.join(", "));
    ArmError::new("InvalidRequestContent", message).about("properties.level")
}

pub(crate) fn bad_group(why: &str) -> ArmError {
    ArmError::new("InvalidResourceGroup", format!("The resource group is not valid: {why}."))
}

pub(crate) fn export_format(format: &str) -> ArmError {
    ArmError::new("InvalidRequestContent", format!("A group is exported as 'Json', not as '{format}'."))
        .about("outputFormat")
}

pub(crate) fn export_too_large(most: usize) -> ArmError {
    ArmError::new(
        "ExportTemplateTooLarge",
        format!(
            "The group does not fit into one template: it has more than {most} resources, or very large ones."
        ),
    )
}

pub(crate) fn bad_tags(why: &str) -> ArmError {
    ArmError::new("InvalidTag", format!("The tags are not valid: {why}."))
}

pub(crate) fn group_location(name: &str, old: &str, new: &str) -> ArmError {
    ArmError::new(
        "InvalidResourceGroupLocation",
        format!("The resource group '{name}' is in '{old}' and cannot be recreated in '{new}'."),
    )
    .with_status(409)
}

pub(crate) fn active(name: &str, since: &str, until: &str) -> ArmError {
    ArmError::new(
        "DeploymentActive",
        format!(
            "Unable to edit or replace deployment '{name}': previous deployment from '{since}' is still active \
             (expiration time is '{until}')."
        ),
    )
    .with_status(409)
}

pub(crate) fn not_cancelable(name: &str, state: State) -> ArmError {
    ArmError::new(
        "DeploymentCannotBeCancelled",
        format!("The deployment '{name}' cannot be cancelled: it is in state '{state}'."),
    )
    .with_status(409)
}

// Runs.

pub(crate) fn deployment_failed(details: Vec<ArmError>) -> ArmError {
    ArmError::new(
        "DeploymentFailed",
        "At least one resource deployment operation failed. Please list deployment operations for details. Please \
         see https://aka.ms/arm-deployment-operations for usage details.",
    )
    .because(details)
    .with_status(200)
}

pub(crate) fn resource_failed(state: State, inner: ArmError) -> ArmError {
    ArmError::new(
        "ResourceDeploymentFailure",
        format!(
            "The resource write operation failed to complete successfully, because it reached terminal \
                 provisioning state '{state}'."
        ),
    )
    .because(vec![inner])
}

pub(crate) fn cannot_evaluate(id: &str, error: &TemplateError, place: Json) -> ArmError {
    let mut result = template_error(error, None);
    result.message = unprocessed(id, error.message());
    if error.path().is_empty() {
        result.additional_info = vec![place];
        result.target = None;
    }
    result
}

/// Why the expressions of a resource have no value; without an id, of something that the caller names.
fn unprocessed(id: &str, why: &str) -> String {
    match id {
        "" => why.to_owned(),
        _ => format!("Unable to process template language expressions for resource '{id}': '{why}'"),
    }
}

pub(crate) fn still_unknown(id: &str, path: &str, why: &str) -> ArmError {
    let what = if path.is_empty() { "the value".to_owned() } else { format!("'{path}'") };
    ArmError::new("InvalidTemplate", unprocessed(id, &format!("{what} is not known, since {why}.")))
        .about(path)
}

pub(crate) fn secrets_lost(parameter: &str) -> String {
    format!(
        "the secure parameter '{parameter}' was not kept when the deployment was interrupted; deploy again to supply it"
    )
}

pub(crate) fn too_many_waiting() -> ArmError {
    ArmError::new(
        "TooManyRequests",
        "Too many deployments with secure parameters are queued; try again later.",
    )
    .with_status(429)
}

pub(crate) fn secrets_for_others() -> ArmError {
    ArmError::new(
        "NoWorkers",
        "This process has no workers, and secure parameters are not passed on to other processes.",
    )
    .with_status(503)
}

pub(crate) fn bad_wait() -> ArmError {
    ArmError::new(
        "InvalidTemplate",
        "Deployment template validation failed: 'The option 'waitUntil' needs a predicate and a duration such as 'PT1M', at a \
         resource with a symbolic name.'",
    )
}

pub(crate) fn wait_predicate(id: &str) -> ArmError {
    ArmError::new(
        "InvalidTemplate",
        format!("The condition that '{id}' waits for is neither true nor false."),
    )
    .about(id)
}

pub(crate) fn wait_over(id: &str, seconds: u64) -> ArmError {
    ArmError::new(
        "WaitUntilTimedOut",
        format!("The condition that '{id}' waits for did not hold within {seconds} seconds."),
    )
    .about(id)
    .with_status(504)
}

pub(crate) fn canceled() -> ArmError {
    ArmError::new("DeploymentCanceled", "The deployment was cancelled before it was complete.")
}

pub(crate) fn timed_out(id: &str, seconds: u64) -> ArmError {
    ArmError::new("OperationTimedOut", format!("'{id}' did not complete within {seconds} seconds."))
        .about(id)
        .with_status(504)
}

pub(crate) fn output_failed(name: &str, why: &str) -> ArmError {
    ArmError::new(
        "DeploymentOutputEvaluationFailed",
        format!("The template output '{name}' could not be evaluated: {why}."),
    )
    .about(format!("outputs.{name}"))
    .placed(&["outputs".into(), name.into(), "value".into()])
}

/// Everything that is wrong with the outputs, as one error.
pub(crate) fn outputs_failed(errors: &[ArmError]) -> ArmError {
    match errors {
        [error] => error.clone(),
        errors => ArmError::new(
            "DeploymentOutputEvaluationFailed",
            "Template outputs could not be evaluated. The details say which, and why.",
        )
        .because(errors.to_vec()),
    }
}

pub(crate) fn nested_active(name: &str) -> ArmError {
    ArmError::new("DeploymentActive", format!("Another deployment of the name '{name}' is still active."))
        .with_status(409)
}

pub(crate) fn duplicate_resource(id: &str) -> ArmError {
    ArmError::new(
        "InvalidTemplate",
        format!("Deployment template validation failed: 'The resource '{id}' is defined multiple times in the template.'"),
    )
    .about(id)
}

pub(crate) fn bad_id_segments(resource_type: &str, name: &str) -> ArmError {
    ArmError::new(
        "InvalidTemplate",
        format!(
            "Deployment template validation failed: 'The name '{name}' of type '{resource_type}' has not one segment \
             less than the type.'"
        ),
    )
    .about(name)
}

pub(crate) fn resource_too_large(id: &str, limit: usize) -> ArmError {
    ArmError::new("ResourceSizeExceeded", format!("The resource '{id}' is larger than {} MB.", limit >> 20))
        .about(id)
}

/// A resource that its type does not allow, with everything that is wrong.
pub(crate) fn invalid_resource(id: &str, details: Vec<ArmError>) -> ArmError {
    ArmError::new("InvalidResource", format!("The resource '{id}' does not match its type."))
        .about(id)
        .because(details)
}

/// A deployment with resources that their types do not allow.
pub(crate) fn invalid_deployment(name: &str, details: Vec<ArmError>) -> ArmError {
    ArmError::new(
        "InvalidTemplateDeployment",
        format!(
            "The template deployment '{name}' is not valid: some of its resources do not match their types."
        ),
    )
    .because(details)
}

pub(crate) fn property_missing(path: &str) -> ArmError {
    ArmError::new("MissingRequiredProperty", format!("The property '{path}' is required.")).about(path)
}

pub(crate) fn property_wrong(path: &str, expected: &str, actual: &str) -> ArmError {
    ArmError::new(
        "InvalidPropertyValue",
        format!("The property '{path}' must be of type '{expected}', but its value is of type '{actual}'."),
    )
    .about(path)
}

pub(crate) fn property_unknown(path: &str) -> ArmError {
    let message = format!("The value of the property '{path}' is not known before the deployment runs.");
    ArmError::new("PropertyValueUnknown", message).about(path)
}

pub(crate) fn type_not_installed(resource_type: &str, api_version: Option<&str>) -> ArmError {
    let version = api_version.map(|version| format!("@{version}")).unwrap_or_default();
    let message = format!("The resource type '{resource_type}{version}' is not among the installed types.");
    ArmError::new("ResourceTypeUnknown", message)
}

pub(crate) fn no_extension(name: &str) -> ArmError {
    ArmError::new("ExtensionNotFound", format!("The extension '{name}' is not available here.")).about(name)
}

pub(crate) fn extension_failed(program: &str, why: &str) -> ArmError {
    let which = if program.is_empty() { String::new() } else { format!(" '{program}'") };
    ArmError::new("ExtensionFailed", format!("The extension{which} does not answer: {why}.")).with_status(502)
}

pub(crate) fn extension_silent() -> ArmError {
    ArmError::new("ExtensionFailed", "The extension gave neither a resource nor an error.").with_status(502)
}

pub(crate) fn extension_ended(resource_type: &str, state: &str) -> ArmError {
    ArmError::new(
        "ResourceDeploymentFailure",
        format!("The resource of type '{resource_type}' reached the terminal state '{state}'."),
    )
}

pub(crate) fn extension_not_json(what: &str) -> ArmError {
    ArmError::new("ExtensionFailed", format!("The extension gave {what} that are not JSON.")).with_status(502)
}

// Why a change cannot be told: not errors, but the reasons of changes of type `Unsupported`.

pub(crate) fn modules_too_deep(most: usize) -> ArmError {
    ArmError::new("InvalidTemplate", format!("Modules are nested more than {most} deep."))
}

pub(crate) fn preview_of_unknown(path: &str) -> String {
    format!("Its '{path}' is only known during the deployment.")
}

pub(crate) fn no_preview(extension: &str) -> String {
    format!("The extension '{extension}' does not say what it would do.")
}

/// Why an operation ended in this state, as it is stored in the operation.
pub(crate) fn status_message(state: State, error: &ArmError) -> Json {
    json!({ "status": state, "error": error.to_json() })
}
