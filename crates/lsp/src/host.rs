//! What servers ask of the program around them: what needs its command line. The program gives it to them when it starts them.

use base::FileReport;
use serde_json::{Map, Value};

/// What the program around a server does for it.
pub trait Host: Send + Sync {
    /// Documents modules: one result for each path, in their order.
    fn document(&self, request: &DocumentationRequest) -> Vec<DocumentationResult>;

    /// The tools of this program, beside those of the reference.
    fn tools(&self) -> Vec<Tool>;

    /// Runs one of its tools: the answer as a JSON object, or why there is none.
    fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<ToolAnswer, String>;
}

/// Which modules are documented, and how.
#[derive(Debug, Clone, Default)]
pub struct DocumentationRequest {
    /// The files.
    pub paths: Vec<String>,
    /// A template of documentation.
    pub template_file: Option<String>,
    /// The folder that templates include from.
    pub template_root: Option<String>,
    /// Values for the template.
    pub custom: Map<String, Value>,
    /// The name of the file that is written beside each module.
    pub output_file: Option<String>,
    /// Whether nothing is fetched from registries.
    pub no_restore: bool,
    /// Whether files are written.
    pub write: bool,
}

/// What became of documenting a module.
#[derive(Debug, Clone)]
pub struct DocumentationResult {
    /// The file.
    pub path: String,
    /// The file that was written.
    pub output_path: Option<String>,
    /// What is wrong.
    pub reports: Vec<FileReport>,
    /// The documentation.
    pub contents: Option<String>,
}

/// A tool that assistants can call.
#[derive(Debug, Clone)]
pub struct Tool {
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// A JSON Schema of its arguments.
    pub input_schema: Value,
    /// A JSON Schema of its answer.
    pub output_schema: Value,
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// The answer, as the output schema says.
    pub content: Value,
    /// Whether the tool could not do what it was asked for.
    pub is_error: bool,
}
