//! JSON that is pasted into a file: the file, the place and the JSON come in; what the JSON is, and the same in Bicep, go out.

use base::{TextRange, TextSize};
use bicep_decompile::{Decompiled, ErrorPosition, Failure, Options, decompile, decompile_value};
use bicep_emit::parameters::decompile_parameters;
use bicep_sema::Setup;
use bicep_syntax::ast::Statement;
use bicep_syntax::{Dialect, SyntaxKind, parse};
use camino::Utf8Path;
use config::Formatting;
use json::{Kind, Node};

use crate::formatting::formatted;

/// What is pasted, and where.
#[derive(Debug, Clone, Copy)]
pub struct PasteRequest<'a> {
    /// The text of the file with what was pasted.
    pub document: &'a str,
    /// Where it was pasted.
    pub range: TextRange,
    /// What was pasted.
    pub json: &'a str,
    /// What the file is.
    pub dialect: Dialect,
    /// The file that references of the result start from.
    pub path: &'a Utf8Path,
}

/// What pasted text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasteKind {
    /// A template.
    FullTemplate,
    Resource,
    /// Several resources.
    ResourceList,
    /// A parameters file.
    FullParams,
    JsonValue,
    /// A JSON value that is Bicep as it is.
    BicepValue,
}

/// What became of pasted text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pasted {
    /// Whether it was pasted into a string, where it stays as it is.
    pub is_in_string: bool,
    /// What it is; `None`: nothing that can be turned into Bicep.
    pub kind: Option<PasteKind>,
    /// The Bicep, or why there is none.
    pub bicep: Option<Result<String, String>>,
}

impl Pasted {
    fn of(kind: PasteKind, bicep: Result<String, String>) -> Self {
        // A template without anything in it gives nothing to paste.
        if bicep.as_ref().is_ok_and(|text| text.trim().is_empty()) {
            return Self::default();
        }
        Self { is_in_string: false, kind: Some(kind), bicep: Some(bicep) }
    }
}

/// Turns pasted JSON into Bicep.
pub fn paste(request: PasteRequest<'_>, setup: &Setup<'_>, formatting: Formatting) -> Pasted {
    let mut before = request.document.to_owned();
    before.replace_range(std::ops::Range::<usize>::from(request.range), "");
    if is_in_string(&before, request.range.start(), request.dialect) {
        return Pasted { is_in_string: true, ..Pasted::default() };
    }
    let Some(first) = Value::read(request.json, 0) else { return Pasted::default() };
    let lay_out = |text: String| laid_out(text, request.dialect, formatting);
    match request.dialect {
        Dialect::Bicep if has_schema(&first.node, "deploymenttemplate.json") => {
            let made = decompile(request.json, request.path, setup, OPTIONS);
            let made = made.map_err(|failure| failure.describe(request.json));
            return Pasted::of(PasteKind::FullTemplate, made.map(|made| main_text(&made, formatting)));
        }
        Dialect::Params if has_schema(&first.node, "deploymentparameters.json") => {
            let has_using = has_using(&before);
            return Pasted::of(PasteKind::FullParams, parameters(&first.node, has_using).map(lay_out));
        }
        Dialect::Bicep => {
            if let Some(resources) = Resources::read(request.json) {
                let made = resources.decompile(request.path, setup);
                return Pasted::of(resources.kind, made.map(|made| main_text(&made, formatting)));
            }
        }
        Dialect::Params => {}
    }
    if !is_trivia(request.json.get(first.end..).unwrap_or_default()) {
        return Pasted::default();
    }
    let kind = if is_bicep_value(request.json) { PasteKind::BicepValue } else { PasteKind::JsonValue };
    let made = decompile_value(&first.node, OPTIONS).map_err(|failure| failure.describe(request.json));
    Pasted::of(kind, made.map(|text| laid_out_value(&text, formatting)))
}

/// Pasted text becomes what the reference makes of it, so that an editor does the same with either server.
const OPTIONS: Options = Options { is_exact: true, allow_missing: false, allow_missing_in_nested: false };

/// Whether an offset lies between the quotes of a string, holes left out.
fn is_in_string(text: &str, offset: TextSize, dialect: Dialect) -> bool {
    let parsed = parse(text, dialect);
    let mut tokens = parsed.tree.tokens().filter(|token| {
        let range = token.range();
        range.start() < offset && offset <= range.end()
    });
    tokens.any(|token| match token.kind() {
        SyntaxKind::StringComplete
        | SyntaxKind::StringLeft
        | SyntaxKind::StringMiddle
        | SyntaxKind::StringRight => offset < token.range().end() || is_open(token.text()),
        _ => false,
    })
}

/// Whether the closing quote of a string is missing.
fn is_open(text: &str) -> bool {
    !text.ends_with('\'') && !text.ends_with("${") || text.len() == 1
}

/// The file of the template itself, laid out.
fn main_text(decompiled: &Decompiled, formatting: Formatting) -> String {
    decompiled.files.first().map(|file| trimmed(&formatted(&file.parse, formatting))).unwrap_or_default()
}

/// Whether a parameter file says already which template it is for.
fn has_using(text: &str) -> bool {
    let parsed = parse(text, Dialect::Params);
    parsed.tree.file().statements().any(|statement| matches!(statement, Statement::Using(_)))
}

fn parameters(document: &Node, has_using: bool) -> Result<String, String> {
    let (text, problems) = decompile_parameters(document, None);
    if let Some(problem) = problems.iter().find(|it| it.severity == base::Severity::Error) {
        return Err(problem.message.clone());
    }
    let without_using = || text.split_once('\n').map_or_else(String::new, |(_, rest)| rest.to_owned());
    Ok(if has_using { without_using() } else { text })
}

fn laid_out(text: String, dialect: Dialect, formatting: Formatting) -> String {
    trimmed(&formatted(&parse(text, dialect), formatting))
}

/// A text without blank lines around it.
fn trimmed(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

/// A value as it stands behind `var v = `, without the line end.
fn laid_out_value(text: &str, formatting: Formatting) -> String {
    const BEFORE: &str = "var v = ";
    let whole = formatted(&parse(format!("{BEFORE}{text}\n"), Dialect::Bicep), formatting);
    whole.trim_end().strip_prefix(BEFORE).unwrap_or(text).to_owned()
}

/// Whether a text is a value of Bicep, in a line or as an item of an array.
fn is_bicep_value(text: &str) -> bool {
    let is_sound = |text: String| {
        let parsed = parse(text, Dialect::Bicep);
        !parsed.diagnostics.iter().any(|it| it.severity == base::Severity::Error)
    };
    is_sound(format!("var v = {text}\n")) || is_sound(format!("var v = [\n{text}\n]\n"))
}

/// Whether a document says with its schema what it is.
fn has_schema(document: &Node, schema: &str) -> bool {
    let written = document.get_ignore_case("$schema").and_then(Node::as_str);
    written.is_some_and(|written| written.to_lowercase().contains(schema))
}

/// A JSON value and where it ends.
struct Value {
    node: Node,
    end: usize,
}

impl Value {
    /// Reads the value that follows an offset. What comes behind it does not matter.
    fn read(text: &str, from: usize) -> Option<Self> {
        /// The code for text behind a value.
        const TRAILING: &str = "JSON002";
        let rest = text.get(from..)?;
        let parsed = json::parse(rest, json::Options::lenient());
        let is_sound =
            parsed.diagnostics.iter().all(|it| it.severity != base::Severity::Error || it.code == TRAILING);
        let node = parsed.root.filter(|_| is_sound)?;
        let end = from + usize::from(node.range.end());
        Some(Self { node, end })
    }
}

/// Whether there is nothing but white space and comments.
fn is_trivia(text: &str) -> bool {
    after_trivia(text, &[]).is_some_and(|rest| rest == text.len())
}

/// The offset behind white space, comments and these characters; `None`: a comment does not end.
fn after_trivia(text: &str, also: &[char]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || also.contains(&c));
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            at += trimmed.find("*/")? + 2;
        } else {
            return Some(at);
        }
    }
}

/// Resources that stand one after the other.
struct Resources {
    kind: PasteKind,
    /// The resources, laid out: failures are told by the places in this text.
    text: String,
}

/// What stands around resources so that they are a template.
const BEFORE: &str = concat!(
    r#"{"$schema":"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#","#,
    r#""contentVersion":"1.0.0.0","resources":["#
);
const AFTER: &str = "]}";

impl Resources {
    /// Reads objects up to something that is none. Those that are no resources are skipped.
    fn read(text: &str) -> Option<Self> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(skipped) = text.get(at..).and_then(|rest| after_trivia(rest, &[','])) {
            let Some(value) = Value::read(text, at + skipped) else { break };
            match &value.node.value {
                Kind::Object(_) if is_resource(&value.node) => {
                    found.push(json::to_pretty(&value.node.to_value()));
                }
                Kind::Object(_) => {}
                _ => break,
            }
            at = value.end;
        }
        let kind = match found.len() {
            0 => return None,
            1 => PasteKind::Resource,
            _ => PasteKind::ResourceList,
        };
        Some(Self { kind, text: found.join(",\n") })
    }

    fn decompile(&self, path: &Utf8Path, setup: &Setup<'_>) -> Result<Decompiled, String> {
        let template = format!("{BEFORE}{}{AFTER}", self.text);
        let options = Options { allow_missing: true, ..OPTIONS };
        let made = decompile(&template, path, setup, options);
        made.map_err(|failure| self.moved(failure).describe(&self.text))
    }

    /// A failure in the template as one in the resources.
    fn moved(&self, failure: Failure) -> Failure {
        let start = TextSize::of(BEFORE);
        let shift = |at: TextSize| at.checked_sub(start);
        let at = failure.at.and_then(|at| match at {
            ErrorPosition::Behind(at) => shift(at).map(ErrorPosition::Behind),
            ErrorPosition::BehindColon(at) => shift(at).map(ErrorPosition::BehindColon),
            ErrorPosition::Made => Some(ErrorPosition::Made),
        });
        Failure { at, ..failure }
    }
}

/// Whether an object has what every resource has.
fn is_resource(node: &Node) -> bool {
    let has = |name: &str| node.get(name).and_then(Node::as_str).is_some_and(|text| !text.is_empty());
    has("type") && has("name") && has("apiVersion")
}
