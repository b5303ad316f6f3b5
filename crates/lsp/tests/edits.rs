//! Any sequence of edits leaves the server with the answers of a fresh one, and no message ends it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io::{BufReader, Cursor, Write};
use std::sync::{Arc, Mutex};

use base::MemoryWorld;
use bicep_emit::Generator;
use bicep_sema::NoTypes;
use lsp::{Connection, Setup, serve};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The files that are edited, with their first texts.
const FILES: [(&str, &str); 3] = [
    (
        "main.bicep",
        "param p string\nmodule m 'mod.bicep' = {\n  params: { a: p }\n}\noutput o string = m.outputs.o\n",
    ),
    ("mod.bicep", "import { t } from 'shared.bicep'\nparam a t\noutput o string = a\n"),
    ("shared.bicep", "@export()\ntype t = string\n@export()\nvar v = { k: 1 }\n"),
];

/// What is typed.
const TEXTS: [&str; 10] =
    ["a", "", "\n", "param x int\n", "'", "{", "}", ".", "module n 'mod.bicep' = {}\n", "😀"];

/// The questions that are asked about every file in the end.
const QUESTIONS: [&str; 6] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/documentSymbol",
    "textDocument/diagnostic",
    "textDocument/references",
    "textDocument/foldingRange",
];

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The answers of a server to some messages, by id.
fn answers(messages: &[Value]) -> BTreeMap<u64, Value> {
    let frame = |message: &Value| {
        let text = message.to_string();
        format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
    };
    let framed: Vec<u8> = messages.iter().flat_map(frame).collect();
    let written = Written::default();
    let setup = Setup {
        world: Arc::new(MemoryWorld::new()),
        types: Arc::new(NoTypes),
        options: project::Options {
            generator: Generator { name: "sinew".to_owned(), version: "0".to_owned() },
            today: None,
            clocks: None,
        },
        best_practices: true,
        version: "0".to_owned(),
        language_version: "0".to_owned(),
    };
    serve(Connection::new(BufReader::new(Cursor::new(framed)), written.clone()), setup);
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let mut found = BTreeMap::new();
    for (_, content) in text.split("Content-Length: ").filter_map(|part| part.split_once("\r\n\r\n")) {
        let message: Value = serde_json::from_str(content).unwrap();
        if let Some(id) = message.get("id").and_then(Value::as_u64) {
            found.insert(id, message);
        }
    }
    found
}

fn uri(name: &str) -> String {
    format!("file:///w/{name}")
}

fn open(name: &str, text: &str) -> Value {
    let document = json!({ "uri": uri(name), "languageId": "bicep", "version": 1, "text": text });
    json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } })
}

fn initialize() -> Value {
    json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } })
}

/// Asks everything about every file, at some position.
fn questions(line: u32, character: u32) -> Vec<Value> {
    let mut messages = Vec::new();
    for (name, _) in FILES {
        for method in QUESTIONS {
            let params = json!({
                "textDocument": { "uri": uri(name) },
                "position": { "line": line, "character": character },
                "context": { "includeDeclaration": true },
            });
            messages.push(json!({ "id": 100 + messages.len(), "method": method, "params": params }));
        }
    }
    messages
}

/// The position of a byte, in UTF-16 code units.
fn position(text: &str, at: usize) -> Value {
    let before = text.get(..at).unwrap_or(text);
    let last = before.rsplit('\n').next().unwrap_or_default();
    json!({ "line": before.matches('\n').count(), "character": last.encode_utf16().count() })
}

fn boundary(text: &str, at: usize) -> usize {
    let at = at % (text.len() + 1);
    (0..=at).rev().find(|it| text.is_char_boundary(*it)).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_leave_the_answers_of_a_fresh_server(
        edits in prop::collection::vec((0..3_usize, 0..200_usize, 0..30_usize, 0..TEXTS.len()), 1..25),
        at in (0..6_u32, 0..20_u32),
    ) {
        let mut texts: Vec<String> = FILES.iter().map(|(_, text)| (*text).to_owned()).collect();
        let mut messages = vec![initialize()];
        messages.extend(FILES.iter().map(|(name, text)| open(name, text)));
        for (index, (file, start, length, new)) in edits.into_iter().enumerate() {
            let (text, (name, _), new) = (&mut texts[file], FILES[file], TEXTS[new]);
            let start = boundary(text, start);
            let end = boundary(text, start + length).max(start);
            let range = json!({ "start": position(text, start), "end": position(text, end) });
            text.replace_range(start..end, new);
            messages.push(json!({ "method": "textDocument/didChange", "params": {
                "textDocument": { "uri": uri(name), "version": index + 2 },
                "contentChanges": [{ "range": range, "text": new }],
            } }));
        }
        let mut fresh = vec![initialize()];
        fresh.extend(FILES.iter().zip(&texts).map(|((name, _), text)| open(name, text)));
        let asked = questions(at.0, at.1);
        messages.extend(asked.iter().cloned());
        fresh.extend(asked);
        prop_assert_eq!(answers(&messages), answers(&fresh));
    }

    #[test]
    fn no_message_ends_the_server(text in "[\\x20-\\x7e]{0,60}", number in any::<i64>()) {
        let main = json!({ "uri": uri("main.bicep") });
        let far = json!({ "line": number, "character": number });
        let change = json!([{ "range": number, "text": text }]);
        let mut messages = vec![
            initialize(),
            open("main.bicep", &text),
            json!({ "method": text, "params": number }),
            json!([text, number]),
            json!({ "id": 5, "method": "textDocument/hover", "params": { "textDocument": { "uri": text } } }),
            json!({ "method": "textDocument/didChange", "params": { "textDocument": main, "contentChanges": change } }),
            json!({ "id": 6, "method": "textDocument/completion", "params": { "textDocument": main, "position": far } }),
            json!({ "id": 7, "method": "workspace/executeCommand", "params": { "command": text } }),
            json!({ "id": 8, "method": "callHierarchy/incomingCalls", "params": { "item": { "uri": text } } }),
        ];
        let params = json!({ "textDocument": main });
        messages.push(json!({ "id": 9, "method": "textDocument/documentSymbol", "params": params }));
        let found = answers(&messages);
        prop_assert!(found.get(&9).is_some_and(|answer| answer.get("result").is_some()), "{found:?}");
    }
}
