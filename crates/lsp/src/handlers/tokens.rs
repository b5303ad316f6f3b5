//! Semantic tokens: whole, within a range, and what has changed since the last answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base::LineCol;
use bicep_ide::semantic_tokens::{self, SemanticToken, TokenType};
use serde_json::{Value, json};

use super::Request;
use crate::capabilities::TOKEN_TYPES;
use crate::rpc::Answer;

/// The last answer for each document, for answers that only say what has changed.
#[derive(Default)]
pub(crate) struct TokenCache(Mutex<BTreeMap<String, CachedTokens>>);

#[derive(Clone, Default)]
struct CachedTokens {
    id: u64,
    data: Vec<u32>,
}

impl TokenCache {
    pub(crate) fn forget(&self, uri: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uri);
    }

    /// Keeps an answer; gives back its id and the answer before it.
    fn keep(&self, uri: &str, data: &[u32]) -> (u64, Option<CachedTokens>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.get(uri).cloned();
        let id = before.as_ref().map_or(1, |before| before.id + 1);
        kept.insert(uri.to_owned(), CachedTokens { id, data: data.to_vec() });
        (id, before)
    }
}

pub(super) fn full(request: &Request) -> Answer {
    let Some(document) = &request.document else { return Ok(Value::Null) };
    let Some(tokens) = tokens(request)? else { return Ok(Value::Null) };
    let data = encode(&tokens);
    let (id, _) = request.tokens.keep(&document.uri, &data);
    Ok(json!({ "resultId": id.to_string(), "data": data }))
}

pub(super) fn delta(request: &Request) -> Answer {
    let Some(document) = &request.document else { return Ok(Value::Null) };
    let Some(tokens) = tokens(request)? else { return Ok(Value::Null) };
    let data = encode(&tokens);
    let (id, before) = request.tokens.keep(&document.uri, &data);
    let asked = request.params.get("previousResultId").and_then(Value::as_str);
    let Some(before) = before.filter(|before| Some(before.id.to_string().as_str()) == asked) else {
        return Ok(json!({ "resultId": id.to_string(), "data": data }));
    };
    Ok(json!({ "resultId": id.to_string(), "edits": edits(&before.data, &data) }))
}

/// The one edit that turns old data into new: what is between the common start and the common end.
fn edits(before: &[u32], after: &[u32]) -> Value {
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let removed = old.len() - end;
    let added = new.get(..new.len() - end).unwrap_or_default();
    if removed == 0 && added.is_empty() {
        return json!([]);
    }
    json!([{ "start": start, "deleteCount": removed, "data": added }])
}

pub(super) fn range(request: &Request) -> Answer {
    let line = |pointer: &str| {
        let line = request.params.pointer(pointer).and_then(Value::as_u64);
        u32::try_from(line.unwrap_or_default()).unwrap_or(u32::MAX)
    };
    let lines = line("/range/start/line")..=line("/range/end/line");
    let Some(mut tokens) = tokens(request)? else { return Ok(Value::Null) };
    tokens.retain(|token| lines.contains(&token.start.line));
    Ok(json!({ "data": encode(&tokens) }))
}

fn tokens(request: &Request) -> Result<Option<Vec<SemanticToken>>, crate::rpc::RpcError> {
    request.ask(|context| Ok(semantic_tokens::semantic_tokens(context)))
}

/// Five numbers for each token, each position relative to the one before.
fn encode(tokens: &[SemanticToken]) -> Vec<u32> {
    let mut data = Vec::with_capacity(tokens.len() * 5);
    let mut last = LineCol { line: 0, col: 0 };
    for token in tokens {
        let lines = token.start.line - last.line;
        let cols = if lines == 0 { token.start.col.saturating_sub(last.col) } else { token.start.col };
        data.extend([lines, cols, token.length, kind(token.kind), 0]);
        last = token.start;
    }
    data
}

fn kind(kind: TokenType) -> u32 {
    let position = TOKEN_TYPES.iter().position(|it| *it == kind.name());
    position.and_then(|it| u32::try_from(it).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_what_lies_between_start_and_end() {
        assert_eq!(edits(&[1, 2, 3], &[1, 2, 3]), json!([]));
        assert_eq!(edits(&[1, 2, 3], &[1, 9, 3]), json!([{ "start": 1, "deleteCount": 1, "data": [9] }]));
        assert_eq!(edits(&[1, 1], &[1, 1, 1]), json!([{ "start": 2, "deleteCount": 0, "data": [1] }]));
    }
}
