//! Recorded answers of the reference's language server, and what the library answers at the same places.
//!
//! What is compared leaves prose out, which is each program's own: of hovers the code and the range, of signatures the labels,
//! of code actions the titles, of completions the labels.

use std::collections::BTreeMap;
use std::path::Path;

use base::{Diagnostic, Edit, LineCol, MemoryWorld, SourceFile, TextRange, TextSize};
use bicep_ide::definition::DefinitionFile;
use bicep_ide::symbols::DocumentSymbol;
use bicep_ide::{
    FileContext, code_actions, completion, definition, highlight, hover, references, rename, semantic_tokens,
    signature_help, symbols,
};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Case, Recording, Types, answer};

/// The file of recorded answers.
#[derive(Debug, Deserialize)]
pub struct Answers {
    /// The name that every rename gives.
    #[serde(rename = "newName")]
    pub new_name: String,
    /// The names of token types, by number.
    pub legend: Vec<String>,
    /// Completion items by key; the label comes first.
    pub lists: BTreeMap<String, Vec<Value>>,
    /// The cases.
    pub cases: Vec<AnsweredCase>,
}

/// The answers about one file.
#[derive(Debug, Deserialize)]
pub struct AnsweredCase {
    /// The case of the recording whose entry is opened.
    pub id: String,
    symbols: Value,
    tokens: Vec<(u32, u32, u32, usize)>,
    actions: Vec<(Span, Value)>,
    places: Vec<AnsweredPosition>,
}

/// Line and column of the start and of the end, from zero.
type Span = (u32, u32, u32, u32);

#[derive(Debug, Deserialize)]
struct AnsweredPosition {
    edit: Option<(u32, u32, u32, u32, String)>,
    at: (u32, u32),
    #[serde(flatten)]
    answers: BTreeMap<String, Value>,
}

impl Answers {
    /// Reads the file.
    pub fn load(path: &Path) -> Result<Self, String> {
        crate::recording::read(path)
    }
}

/// For each kind of answer of a case: how many are equal, of how many.
pub type Figures = BTreeMap<&'static str, (usize, usize)>;

/// Compares the answers of one case.
pub fn compare(
    answers: &Answers,
    answered: &AnsweredCase,
    case: &Case,
    recording: &Recording,
    types: &Types,
) -> Figures {
    let mut figures = Figures::new();
    let entry = recording.blob(case.files.get(&case.entry).map_or("", String::as_str));
    let entry = entry.strip_prefix('\u{feff}').unwrap_or(entry);
    let mut count = |kind: &'static str, is_equal: bool| {
        let (equal, all) = figures.entry(kind).or_default();
        *equal += usize::from(is_equal);
        *all += 1;
    };
    with_text(case, recording, types, entry, |context, diagnostics| {
        count("symbols", answered.symbols == symbols_of(context, &symbols::document_symbols(context)));
        count("tokens", tokens_of(answers, answered) == tokens(context));
        for (span, wanted) in &answered.actions {
            let range = range_of(&context.bicep.source, *span);
            count("actions", titles_of(wanted) == titles(context, diagnostics, range));
        }
    });
    for place in &answered.places {
        let text = edited(entry, place.edit.as_ref());
        with_text(case, recording, types, &text, |context, diagnostics| {
            for (kind, is_equal) in at_place(answers, place, context, diagnostics) {
                count(kind, is_equal);
            }
        });
    }
    figures
}

fn edited(text: &str, edit: Option<&(u32, u32, u32, u32, String)>) -> String {
    let Some((start_line, start, end_line, end, new)) = edit else { return text.to_owned() };
    let source = SourceFile::new("edited", text);
    let range = range_of(&source, (*start_line, *start, *end_line, *end));
    let mut text = text.to_owned();
    text.replace_range(usize::from(range.start())..usize::from(range.end()), new);
    text
}

/// The folder of a case; paths in answers are relative to it.
const FOLDER: &str = "/r/r/r/case";

fn with_text(
    case: &Case,
    recording: &Recording,
    types: &Types,
    text: &str,
    work: impl FnOnce(&FileContext<'_>, &[Diagnostic]),
) {
    let place = |name: &str| Utf8PathBuf::from(format!("{FOLDER}/{name}"));
    let others = case.files.iter().filter(|(name, _)| **name != case.entry);
    let world = others.fold(MemoryWorld::new().with_file(place(&case.entry), text), |world, (name, key)| {
        world.with_file(place(name), recording.blob(key))
    });
    let compilation = answer::compilation(&world, types, place(&case.entry));
    let Some(file) = compilation.entry() else { return };
    let Some(context) = FileContext::new(compilation.program(), file) else { return };
    work(&context, &compilation.findings(file).diagnostics);
}

fn at_place(
    answers: &Answers,
    place: &AnsweredPosition,
    context: &FileContext<'_>,
    diagnostics: &[Diagnostic],
) -> Vec<(&'static str, bool)> {
    let source = &context.bicep.source;
    let offset = source.lines().offset(source.text(), LineCol { line: place.at.0, col: place.at.1 });
    let wanted = |kind: &str| place.answers.get(kind);
    let mut results = Vec::new();
    let mut compare = |kind: &'static str, found: &dyn Fn(&Value) -> bool| {
        results.extend(wanted(kind).map(|wanted| (kind, found(wanted))));
    };
    compare("hover", &|it| hover_of(it) == hover(context, offset));
    compare("signature", &|it| signature_of(it) == signature(context, offset));
    compare("definition", &|it| *it == definition(context, offset));
    compare("references", &|it| sorted(it) == sorted(&references(context, offset)));
    compare("highlight", &|it| sorted(it) == sorted(&highlights(context, offset)));
    compare("prepare", &|it| *it == prepare(context, offset));
    compare("rename", &|it| renamed(it) == rename_at(context, offset, &answers.new_name));
    compare("refactor", &|it| titles_of(it) == titles(context, diagnostics, TextRange::empty(offset)));
    compare("completion", &|it| labels_of(answers, it) == labels(context, offset));
    results
}

fn range_of(source: &SourceFile, (start_line, start, end_line, end): Span) -> TextRange {
    let offset = |line, col| source.lines().offset(source.text(), LineCol { line, col });
    let (start, end) = (offset(start_line, start), offset(end_line, end));
    TextRange::new(start.min(end), end.max(start))
}

fn span(source: &SourceFile, range: TextRange) -> Value {
    let (start, end) = (source.position(range.start()), source.position(range.end()));
    json!([start.line, start.col, end.line, end.col])
}

/// A list whose order means nothing.
fn sorted(value: &Value) -> Vec<String> {
    let mut items: Vec<String> = value.as_array().into_iter().flatten().map(Value::to_string).collect();
    items.sort();
    items
}

fn hover_of(wanted: &Value) -> Option<(Vec<String>, Value)> {
    let text = wanted.get("text")?.as_str()?;
    Some((code_blocks(text), wanted.get("range").cloned().unwrap_or_default()))
}

fn hover(context: &FileContext<'_>, offset: TextSize) -> Option<(Vec<String>, Value)> {
    let found = hover::hover(context, offset, &completion::NoSources)?;
    Some((code_blocks(&found.contents.join("\n")), span(&context.bicep.source, found.range)))
}

fn code_blocks(text: &str) -> Vec<String> {
    text.split("```").skip(1).step_by(2).map(|block| block.replace("\r\n", "\n")).collect()
}

fn signature_of(wanted: &Value) -> Option<Value> {
    let signatures = wanted.get("signatures")?.as_array()?;
    let label = |it: &Value, index: usize| it.get(index).cloned().unwrap_or_default();
    let signatures: Vec<Value> = signatures
        .iter()
        .map(|it| {
            let parameters = label(it, 3);
            let labels: Vec<Value> =
                parameters.as_array().into_iter().flatten().map(|it| label(it, 0)).collect();
            json!([label(it, 0), labels])
        })
        .collect();
    Some(json!([wanted.get("active"), signatures]))
}

fn signature(context: &FileContext<'_>, offset: TextSize) -> Option<Value> {
    let help = signature_help::signature_help(context, offset)?;
    let labels = |it: &signature_help::Signature| {
        let parameters: Vec<Value> = it.parameters.iter().map(|it| json!([it.start, it.end])).collect();
        json!([it.label, parameters])
    };
    let signatures: Vec<Value> = help.signatures.iter().map(labels).collect();
    Some(json!([[help.active, help.active_parameter], signatures]))
}

/// The name of a file as answers have it: relative to the folder of the case.
fn file_name(path: &Utf8Path) -> String {
    let mut up = String::new();
    let mut folder = Utf8Path::new(FOLDER);
    loop {
        if let Ok(rest) = path.strip_prefix(folder) {
            return format!("{up}{rest}");
        }
        up.push_str("../");
        let Some(parent) = folder.parent() else { return path.to_string() };
        folder = parent;
    }
}

fn definition(context: &FileContext<'_>, offset: TextSize) -> Value {
    let Some(found) = definition::definition(context, offset) else { return json!([]) };
    let (name, source) = match &found.file {
        DefinitionFile::Loaded(file) => {
            let source = context.program.unit(*file).source();
            (file_name(source.path()), Some(source.clone()))
        }
        DefinitionFile::Path(path) => (file_name(path), context.program.world().read_source(path).ok()),
    };
    let place = |range| source.as_ref().map_or(json!([0, 0, 0, 0]), |source| span(source, range));
    let origin = span(&context.bicep.source, found.origin);
    json!([[name, place(found.range), place(found.name_range), origin]])
}

fn references(context: &FileContext<'_>, offset: TextSize) -> Value {
    let name = file_name(context.bicep.source.path());
    let ranges = references::references(context, offset, true).into_iter();
    Value::Array(ranges.map(|range| json!([name, span(&context.bicep.source, range)])).collect())
}

fn highlights(context: &FileContext<'_>, offset: TextSize) -> Value {
    let found = highlight::highlights(context, offset).unwrap_or_default().into_iter();
    let kind = |is_write| if is_write { 3 } else { 2 };
    Value::Array(found.map(|it| json!([span(&context.bicep.source, it.range), kind(it.is_write)])).collect())
}

fn prepare(context: &FileContext<'_>, offset: TextSize) -> Value {
    match rename::prepare(context, offset) {
        Ok(found) => json!([span(&context.bicep.source, found.range), found.name]),
        Err(_) => json!({ "refused": true }),
    }
}

/// The edits of the entry; `None` where it is refused.
fn renamed(wanted: &Value) -> Option<Vec<String>> {
    let files = wanted.as_object().filter(|files| !files.contains_key("refused"))?;
    Some(files.values().flat_map(sorted).collect())
}

fn rename_at(context: &FileContext<'_>, offset: TextSize, name: &str) -> Option<Vec<String>> {
    let edits = rename::rename(context, offset, name).ok()?;
    let value = |edit: &Edit| {
        let mut value = span(&context.bicep.source, edit.range);
        value.as_array_mut().into_iter().for_each(|list| list.push(json!(edit.text)));
        value
    };
    Some(sorted(&Value::Array(edits.iter().map(value).collect())))
}

fn titles_of(wanted: &Value) -> Vec<String> {
    let mut titles: Vec<String> = wanted
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|action| action.get(0)?.as_str().map(str::to_owned))
        .collect();
    titles.sort();
    titles
}

fn titles(context: &FileContext<'_>, diagnostics: &[Diagnostic], range: TextRange) -> Vec<String> {
    let actions = code_actions::code_actions(context, diagnostics, range);
    let mut titles: Vec<String> = actions.into_iter().map(|action| action.title).collect();
    titles.sort();
    titles
}

fn labels_of(answers: &Answers, wanted: &Value) -> Vec<String> {
    let list = wanted.get("list").and_then(Value::as_str).and_then(|key| answers.lists.get(key));
    let labels = list.into_iter().flatten().filter_map(|item| item.get(0)?.as_str().map(str::to_owned));
    let mut labels: Vec<String> = labels.collect();
    labels.sort();
    labels
}

fn labels(context: &FileContext<'_>, offset: TextSize) -> Vec<String> {
    let items = completion::completions(context, offset, &completion::NoSources);
    let mut labels: Vec<String> = items.into_iter().map(|item| item.label).collect();
    labels.sort();
    labels
}

fn symbols_of(context: &FileContext<'_>, symbols: &[DocumentSymbol]) -> Value {
    let source = &context.bicep.source;
    let value = |symbol: &DocumentSymbol| {
        json!([
            symbol.name,
            symbol.protocol_kind(),
            symbol.detail,
            span(source, symbol.range),
            span(source, symbol.name_range),
            symbols_of(context, &symbol.children),
        ])
    };
    Value::Array(symbols.iter().map(value).collect())
}

fn tokens_of(answers: &Answers, answered: &AnsweredCase) -> Vec<(u32, u32, u32, String)> {
    let (mut line, mut col) = (0, 0);
    let absolute = answered.tokens.iter().map(|(lines, cols, length, kind)| {
        line += lines;
        col = if *lines == 0 { col + cols } else { *cols };
        (line, col, *length, answers.legend.get(*kind).cloned().unwrap_or_default())
    });
    absolute.collect()
}

fn tokens(context: &FileContext<'_>) -> Vec<(u32, u32, u32, String)> {
    let tokens = semantic_tokens::semantic_tokens(context).into_iter();
    tokens.map(|it| (it.start.line, it.start.col, it.length, it.kind.name().to_owned())).collect()
}
