//! What a command has found out: files to write, verdicts, dependencies, and the error that ended the script.
//! Rendered as lines for people, or as [`FileReport`]s for every other format.

use std::sync::Arc;

use base::{Diagnostic, FileReport, Finding, LineCol, SourceFile, TextRange, TextSize, Verdict};
use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::format::Format;
use crate::messages;
use crate::script_error::ScriptError;

/// The result of a command.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files that are to be written, in the order of the script. Empty when anything failed.
    pub files: Vec<OutputFile>,
    /// The files that would have been written if nothing had failed.
    pub refused: Vec<OutputFile>,
    /// What the checks said, in the order of the files.
    pub checks: Vec<ValueCheck>,
    /// Checks that were not made, and why; worth telling on request.
    pub notes: Vec<String>,
    /// What is wrong with the shape of what the script exports.
    pub shape_problems: Vec<String>,
    /// The error that ended the script.
    pub error: Option<ScriptError>,
    /// What the run depends on.
    pub dependencies: Vec<Dependency>,
}

/// A file that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// The path as the script said it.
    pub name: String,
    /// The absolute path.
    pub path: Utf8PathBuf,
    /// The folder that the path, links followed, must not lead out of; `None` where the user named the path.
    pub root: Option<Utf8PathBuf>,
    /// The whole content.
    pub content: Vec<u8>,
    /// The format that was asked for.
    pub format: Format,
    /// The value as JSON text, where the content cannot be read back.
    pub json: Option<String>,
}

impl OutputFile {
    /// All documents of the file as one JSON array, as somebody who reads the file will find them.
    pub(crate) fn documents(&self) -> Result<String, String> {
        if let Some(json) = &self.json {
            return Ok(format!("[{json}]"));
        }
        let text = std::str::from_utf8(&self.content).map_err(|error| error.to_string())?;
        crate::format::documents_of(text, &self.name, self.format)
    }
}

/// Whether an existing file may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays as it is.
    Skip,
    /// It is replaced.
    Write,
    /// It is an error.
    Err,
}

impl Overwrite {
    /// From the number that scripts know it by; switches are numbers, too.
    pub fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Skip,
            2 => Self::Err,
            _ => Self::Write,
        }
    }
}

/// What the checks of one value said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueCheck {
    /// The file the value belongs to, or `(all files)`.
    pub path: String,
    /// The verdict of all checks together.
    pub verdict: Verdict,
    /// The messages, one for each finding.
    pub messages: Vec<Message>,
}

/// One message about a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What is wrong.
    pub text: String,
    /// Which part of the value.
    pub path: Option<String>,
    /// Where in the file it starts, as the validator counts.
    pub start: Option<(u32, u32)>,
    /// Where it ends.
    pub end: Option<(u32, u32)>,
}

impl ValueCheck {
    /// Reads what the commands in the standard library hand over: `{problems: [{msg, …}], reasons: [text]}`, or nothing
    /// if all is well.
    pub(crate) fn from_json(path: &str, text: &str) -> Self {
        if text.is_empty() {
            return Self { path: path.to_owned(), verdict: Verdict::Pass, messages: Vec::new() };
        }
        let answer: Value = serde_json::from_str(text).unwrap_or_default();
        let list = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let mut messages: Vec<Message> = list(&answer, "problems").iter().map(Message::from_json).collect();
        let mut verdict = Verdict::Pass;
        if !messages.is_empty() {
            let finding = |m: &Message| Finding::new(&m.text).at(m.path.clone().unwrap_or_default());
            verdict = Verdict::Fail(messages.iter().map(finding).collect());
        }
        for reason in list(&answer, "reasons").iter().filter_map(Value::as_str) {
            verdict = verdict.and(Verdict::undetermined(reason));
            messages.push(Message { text: reason.to_owned(), path: None, start: None, end: None });
        }
        Self { path: path.to_owned(), verdict, messages }
    }

    /// The verdict of a schema.
    pub(crate) fn of_schema(path: &str, verdict: Verdict) -> Self {
        let findings = verdict.findings().iter();
        let messages = findings.map(|finding| Message::at(&finding.message, &finding.path)).collect();
        Self { path: path.to_owned(), verdict, messages }
    }

    /// A check that could not be made.
    pub(crate) fn undetermined(path: &str, reason: String) -> Self {
        let messages = vec![Message { text: reason.clone(), path: None, start: None, end: None }];
        Self { path: path.to_owned(), verdict: Verdict::undetermined(reason), messages }
    }

    /// Adds a further check of the same file.
    pub(crate) fn add(&mut self, other: Self) {
        self.verdict = std::mem::replace(&mut self.verdict, Verdict::Pass).and(other.verdict);
        self.messages.extend(other.messages);
    }

    /// The messages as lines, each with the path in front.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.messages.iter().map(|message| message.line(&self.path))
    }
}

impl Message {
    fn at(text: &str, path: &str) -> Self {
        Self { text: text.to_owned(), path: Some(path.to_owned()), start: None, end: None }
    }

    fn from_json(value: &Value) -> Self {
        let position = |name: &str| {
            let place = value.get(name)?;
            let number = |part| place.get(part).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
            Some((number("line")?, number("column")?))
        };
        let text = |name: &str| match value.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        };
        Self {
            text: text("msg").unwrap_or_default(),
            path: text("path"),
            start: position("start"),
            end: position("end"),
        }
    }

    fn line(&self, source: &str) -> String {
        let text = match &self.path {
            Some(path) => format!("{} at {path}", self.text),
            None => self.text.clone(),
        };
        match (self.start, self.end) {
            (Some((line, column)), Some((end_line, end_column))) => {
                format!("{source}:{line}.{column}-{end_line}.{end_column}: {text}")
            }
            (Some((line, column)), None) => format!("{source}:{line}.{column}: {text}"),
            (None, _) => format!("{source}: {text}"),
        }
    }
}

/// Something that a run depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dependency {
    /// `parameter-file`, `import-file` or `read-file`.
    pub kind: &'static str,
    /// The absolute path.
    pub path: Utf8PathBuf,
    /// For imports, what the importing module said.
    pub specifier: Option<String>,
}

impl Dependency {
    pub(crate) fn parameter_file(path: Utf8PathBuf) -> Self {
        Self { kind: "parameter-file", path, specifier: None }
    }

    pub(crate) fn import_file(path: Utf8PathBuf, specifier: &str) -> Self {
        Self { kind: "import-file", path, specifier: Some(specifier.to_owned()) }
    }

    pub(crate) fn read_file(path: Utf8PathBuf) -> Self {
        Self { kind: "read-file", path, specifier: None }
    }
}

impl Outcome {
    /// Whether the script ended well and every value is good.
    pub fn is_good(&self) -> bool {
        self.error.is_none()
            && self.shape_problems.is_empty()
            && self.checks.iter().all(|c| c.verdict.is_pass())
    }

    /// What is wrong, as lines for people: every message, then one line that says what it means.
    pub fn error_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.checks.iter().flat_map(ValueCheck::lines).collect();
        if self.checks.iter().any(|check| !check.verdict.is_pass()) {
            lines.push(messages::VALUES_FAILED.to_owned());
        }
        if !self.shape_problems.is_empty() {
            lines.extend(self.shape_problems.iter().cloned());
            lines.extend([messages::GENERATE_HELP, messages::NOT_FILES].map(str::to_owned));
        }
        lines.extend(self.error.as_ref().map(ScriptError::render));
        lines
    }

    /// The dependencies as `--emit-dependencies` prints them.
    pub fn dependencies_json(&self) -> String {
        let list: Vec<Value> = self
            .dependencies
            .iter()
            .map(|dependency| match &dependency.specifier {
                Some(specifier) => {
                    json!({"kind": dependency.kind, "path": dependency.path.as_str(), "specifier": specifier})
                }
                None => json!({"kind": dependency.kind, "path": dependency.path.as_str()}),
            })
            .collect();
        format!("{:#}\n", Value::Array(list))
    }

    /// What is wrong, for every report format. Messages about values stand in the files that were to be written; the
    /// error of a script in the script.
    pub fn reports(&self, text_of: &dyn Fn(&str) -> Option<String>) -> Vec<FileReport> {
        let mut reports = Vec::new();
        for check in self.checks.iter().filter(|check| !check.verdict.is_pass()) {
            let text = with_positions(text_of(&check.path).unwrap_or_default(), &check.messages);
            let file = SourceFile::new(check.path.as_str(), text);
            let diagnostics = check.messages.iter().map(|message| message.diagnostic(&file)).collect();
            reports.push(FileReport::new(file, diagnostics));
        }
        if !self.shape_problems.is_empty() {
            let file = SourceFile::new("(default export)", "");
            let diagnostic = |text: &String| messages::wrong_shape(text);
            reports.push(FileReport::new(
                Arc::clone(&file),
                self.shape_problems.iter().map(diagnostic).collect(),
            ));
        }
        reports.extend(self.error.as_ref().map(ScriptError::report));
        reports
    }
}

/// How far positions may lie behind the end of a text.
const MAX_LINES: usize = 100_000;
const MAX_COLUMNS: usize = 10_000;

/// A text that holds all positions of the messages. Validators count in texts that we may not have; what they say should
/// arrive in every report all the same, so that the text is filled up with blanks.
fn with_positions(text: String, messages: &[Message]) -> String {
    let positions: Vec<(u32, u32)> = messages.iter().flat_map(|m| [m.start, m.end]).flatten().collect();
    if positions.is_empty() {
        return text;
    }
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for (line, column) in positions {
        let line = (line as usize).clamp(1, MAX_LINES);
        if lines.len() < line {
            lines.resize(line, String::new());
        }
        let Some(found) = lines.get_mut(line - 1) else { continue };
        let missing = (column as usize).min(MAX_COLUMNS).saturating_sub(1 + found.chars().count());
        found.extend(std::iter::repeat_n(' ', missing));
    }
    lines.join("\n")
}

impl Message {
    fn diagnostic(&self, file: &SourceFile) -> Diagnostic {
        let offset = |(line, column): (u32, u32)| -> TextSize {
            let place = LineCol { line: line.saturating_sub(1), col: column.saturating_sub(1) };
            file.lines().offset(file.text(), place)
        };
        let start = self.start.map_or(TextSize::default(), offset);
        let end = self.end.map_or(start, offset).max(start);
        let text = match &self.path {
            Some(path) => format!("{} at {path}", self.text),
            None => self.text.clone(),
        };
        messages::invalid_value(TextRange::new(start, end), text)
    }
}
