//! What became of a deployment, for people and for programs: documents of the API come in, tables or JSON go out.

use clap::ValueEnum;
use deploy::ArmError;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value as Json};

use super::table;

/// The forms of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ResultFormat {
    /// Tables of resources and outputs
    #[default]
    Default,
    /// Outputs and errors as JSON
    Json,
}

/// What became of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunResult {
    /// The deployment, if one was made.
    pub(crate) deployment: Option<DeploymentView>,
    /// Why there is none.
    pub(crate) error: Option<String>,
}

/// A deployment.
#[derive(Debug, Clone)]
pub(crate) struct DeploymentView {
    pub(crate) state: String,
    pub(crate) operations: Vec<OperationView>,
    pub(crate) outputs: Map<String, Json>,
}

/// What is done to one resource.
#[derive(Debug, Clone)]
pub(crate) struct OperationView {
    /// The symbolic name, else the name, with the modules it lies in.
    name: String,
    state: String,
    error: Option<ArmError>,
    start: Timestamp,
    /// None while it goes on.
    end: Option<Timestamp>,
}

impl RunResult {
    /// A run that came to nothing.
    pub(crate) fn failed(error: impl Into<String>) -> Self {
        Self { deployment: None, error: Some(error.into()) }
    }

    /// Whether everything was deployed.
    pub(crate) fn is_success(&self) -> bool {
        self.deployment.as_ref().is_some_and(|deployment| deployment.state.eq_ignore_ascii_case("Succeeded"))
    }

    /// The result in a form.
    pub(crate) fn render(&self, format: ResultFormat) -> String {
        match format {
            ResultFormat::Default => self.tables(),
            ResultFormat::Json => {
                let mut members = Map::new();
                if let Some(deployment) = &self.deployment {
                    members.insert("outputs".to_owned(), Json::Object(deployment.outputs.clone()));
                }
                if let Some(error) = &self.error {
                    members.insert("error".to_owned(), error.as_str().into());
                }
                json::to_pretty(&Json::Object(members))
            }
        }
    }

    fn tables(&self) -> String {
        let mut text = match &self.deployment {
            Some(deployment) => {
                let mut operations: Vec<&OperationView> = deployment.operations.iter().collect();
                operations.sort_by_key(|it| (it.start, it.end.unwrap_or(Timestamp::MAX)));
                let rows: Vec<Vec<String>> = operations.into_iter().map(OperationView::row).collect();
                table::render(&["Resource", "Duration", "Status"], &rows)
            }
            None => table::render(&[], &[]),
        };
        if let Some(error) = &self.error {
            text.push_str(&table::render(&["Error"], &[vec![error.clone()]]));
        }
        let mut outputs: Vec<(&String, &Json)> =
            self.deployment.iter().flat_map(|deployment| &deployment.outputs).collect();
        outputs.sort_by_key(|(name, _)| name.to_uppercase());
        if !outputs.is_empty() {
            let row = |(name, value): (&String, &Json)| {
                let value = value.as_str().map_or_else(|| json::to_pretty(value), ToOwned::to_owned);
                vec![name.clone(), value]
            };
            let rows: Vec<Vec<String>> = outputs.into_iter().map(row).collect();
            text.push_str(&table::render(&["Output", "Value"], &rows));
        }
        text
    }
}

impl DeploymentView {
    /// A deployment by its document and the views of its operations.
    pub(crate) fn read(deployment: &Json, operations: Vec<OperationView>) -> Self {
        let outputs = deployment.pointer("/properties/outputs").and_then(Json::as_object);
        let value = |output: &Json| output.get("value").cloned().unwrap_or_default();
        Self {
            state: state_of(deployment),
            operations,
            outputs: outputs
                .into_iter()
                .flatten()
                .map(|(name, output)| (name.clone(), value(output)))
                .collect(),
        }
    }
}

impl OperationView {
    /// An operation by its document; none for those that make nothing. The prefix names the modules it lies in.
    pub(crate) fn read(operation: &Json, prefix: &str) -> Option<Self> {
        let properties = operation.get("properties")?;
        let target = properties.get("targetResource").filter(|target| target.is_object())?;
        if properties.get("provisioningOperation").and_then(Json::as_str) == Some("Read") {
            return None;
        }
        let text = |value: &Json, name: &str| value.get(name).and_then(Json::as_str).map(ToOwned::to_owned);
        let name = text(target, "symbolicName").or_else(|| text(target, "resourceName")).unwrap_or_default();
        let state = state_of(operation);
        // The time of an operation is that of its last change; its duration leads back to its start.
        let last: Timestamp =
            text(properties, "timestamp").and_then(|it| it.parse().ok()).unwrap_or_default();
        let duration: SignedDuration =
            text(properties, "duration").and_then(|it| it.parse().ok()).unwrap_or_default();
        let is_over = is_terminal(&state);
        let error = properties.pointer("/statusMessage/error").filter(|error| error.is_object());
        Some(Self {
            name: format!("{prefix}{name}"),
            error: error.map(ArmError::from_json),
            start: if is_over { last.checked_sub(duration).unwrap_or(last) } else { last },
            end: is_over.then_some(last),
            state,
        })
    }

    /// The same with another error, where it has one.
    pub(crate) fn map_error(self, change: impl FnOnce(&ArmError) -> ArmError) -> Self {
        Self { error: self.error.as_ref().map(change), ..self }
    }

    /// The state as the API spells it.
    pub(crate) fn state(&self) -> &str {
        &self.state
    }

    fn row(&self) -> Vec<String> {
        let end = self.end.unwrap_or_else(Timestamp::now);
        let seconds = end.duration_since(self.start).as_secs_f64().max(0.0);
        let failed = self.state.eq_ignore_ascii_case("Failed");
        let status = self.error.as_ref().filter(|_| failed).map_or_else(|| self.state.clone(), error_text);
        vec![self.name.clone(), format!("{seconds:.1}s"), status]
    }
}

/// The state that a document tells.
pub(crate) fn state_of(document: &Json) -> String {
    let state = document.pointer("/properties/provisioningState").and_then(Json::as_str);
    state.unwrap_or_default().to_owned()
}

/// Whether nothing changes any more.
pub(crate) fn is_terminal(state: &str) -> bool {
    ["succeeded", "failed", "canceled"].iter().any(|end| state.eq_ignore_ascii_case(end))
}

/// An error with its details, one below the other.
pub(crate) fn error_text(error: &ArmError) -> String {
    fn add(error: &ArmError, depth: usize, text: &mut String) {
        if depth > 0 {
            text.push_str(&format!("\n{:indent$}- ", "", indent = depth * 2));
        }
        text.push_str(&format!("{}: {}", error.code, error.message));
        error.details.iter().for_each(|detail| add(detail, depth + 1, text));
    }
    let mut text = String::new();
    add(error, 0, &mut text);
    text
}

/// The one row of an operation that is no deployment.
pub(crate) fn operation_table(name: &str, elapsed: std::time::Duration, status: &str) -> String {
    let row = vec![name.to_owned(), format!("{:.1}s", elapsed.as_secs_f64()), status.to_owned()];
    table::render(&["Operation", "Duration", "Status"], &[row])
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use serde_json::json;

    fn operation(name: &str, state: &str, timestamp: &str, duration: &str) -> Json {
        json!({ "properties": {
            "provisioningOperation": "Create", "provisioningState": state, "timestamp": timestamp, "duration": duration,
            "targetResource": { "resourceName": name },
            "statusMessage": { "error": { "code": "Bad", "message": "no", "details": [{ "code": "In", "message": "x" }] } },
        } })
    }

    #[test]
    fn results_are_tables_or_json() {
        let operations = [
            operation("late", "Failed", "2026-01-01T00:00:09Z", "PT1.5S"),
            operation("early", "Succeeded", "2026-01-01T00:00:10Z", "PT9S"),
        ];
        let views = operations.iter().filter_map(|it| OperationView::read(it, "")).collect();
        let document = json!({ "properties": {
            "provisioningState": "Failed", "outputs": { "b": { "value": [1] }, "A": { "value": "text" } },
        } });
        let result = RunResult { deployment: Some(DeploymentView::read(&document, views)), error: None };
        assert!(!result.is_success());
        expect![[r#"
            ╭──────────┬──────────┬───────────╮
            │ Resource │ Duration │ Status    │
            ├──────────┼──────────┼───────────┤
            │ early    │ 9.0s     │ Succeeded │
            │ late     │ 1.5s     │ Bad: no   │
            │          │          │   - In: x │
            ╰──────────┴──────────┴───────────╯
            ╭────────┬───────╮
            │ Output │ Value │
            ├────────┼───────┤
            │ A      │ text  │
            │ b      │ [     │
            │        │   1   │
            │        │ ]     │
            ╰────────┴───────╯
        "#]]
        .assert_eq(&result.render(ResultFormat::Default));
        let failed = RunResult::failed("Deployment failed");
        assert_eq!(failed.render(ResultFormat::Json), "{\n  \"error\": \"Deployment failed\"\n}");
        expect![[r#"
            ╭╮

            ╰╯
            ╭───────────────────╮
            │ Error             │
            ├───────────────────┤
            │ Deployment failed │
            ╰───────────────────╯
        "#]]
        .assert_eq(&failed.render(ResultFormat::Default));
    }
}
