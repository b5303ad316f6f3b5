//! JSON Schema: a value and a schema come in, a [`Verdict`] goes out in the words that jk's users know.
//!
//! The validator is the crate `jsonschema`: drafts 4, 6, 7, 2019-09 and 2020-12. A schema without `$schema` is read as
//! draft 7, and as draft 4 if that does not fit. Schemas refer to each other by file; nothing is fetched. Each schema is
//! compiled once.

mod decimal;
mod messages;

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use base::Verdict;
use jsonschema::{Draft, PatternOptions, Retrieve, Uri, Validator};
use rustc_hash::FxHashMap;
use serde_json::Value;

/// Reads the schema with this address. Addresses of files start with `file://`.
pub type ReadSchema<'a> = &'a dyn Fn(&str) -> Result<Value, String>;

/// A compiled schema.
#[derive(Clone)]
pub struct Schema(Rc<Validator>);

/// Schema files that have been used so far.
#[derive(Default)]
pub struct Schemas {
    files: FxHashMap<String, Schema>,
}

impl Schemas {
    /// The schema in a file, by its address.
    pub fn file(&mut self, address: &str, read: ReadSchema<'_>) -> Result<Schema, String> {
        if let Some(schema) = self.files.get(address) {
            return Ok(schema.clone());
        }
        let schema = compile(&read(address)?, Some(address), read)?;
        self.files.insert(address.to_owned(), schema.clone());
        Ok(schema)
    }
}

/// Compiles a schema and everything that it refers to. References start from the address.
pub fn compile(schema: &Value, address: Option<&str>, read: ReadSchema<'_>) -> Result<Schema, String> {
    let drafts: &[Draft] = match schema.get("$schema") {
        Some(_) => &[],
        None => &[Draft::Draft7, Draft::Draft4],
    };
    let Some((first, others)) = drafts.split_first() else {
        return build(&Source { schema, address, draft: None }, read);
    };
    let with = |draft: &Draft| build(&Source { schema, address, draft: Some(*draft) }, read);
    with(first).or_else(|reason| others.iter().find_map(|draft| with(draft).ok()).ok_or(reason))
}

/// Checks a value. Undetermined is what the patterns of the schema take too long for.
pub fn check(value: &Value, schema: &Schema) -> Verdict {
    let Schema(validator) = schema;
    if validator.is_valid(value) {
        return Verdict::Pass;
    }
    messages::verdict(validator.iter_errors(value))
}

/// How much a pattern may backtrack.
const BACKTRACK_LIMIT: usize = 200_000;
/// How many other documents a schema may refer to.
const MAX_DOCUMENTS: usize = 10_000;

struct Source<'s> {
    schema: &'s Value,
    address: Option<&'s str>,
    draft: Option<Draft>,
}

/// Builds a validator. The compiler may only ask for documents that are there, so that it is started again whenever it
/// has asked for more: the function that reads them belongs to this thread.
fn build(source: &Source<'_>, read: ReadSchema<'_>) -> Result<Schema, String> {
    let documents = Documents::default();
    loop {
        let mut options = jsonschema::options()
            .with_retriever(documents.clone())
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT));
        if let Some(address) = source.address {
            options = options.with_base_uri(address);
        }
        if let Some(draft) = source.draft {
            options = options.with_draft(draft);
        }
        let error = match options.build(source.schema) {
            Ok(validator) => return Ok(Schema(Rc::new(validator))),
            Err(error) => error,
        };
        let missing = documents.take_missing();
        if missing.is_empty() || documents.len() > MAX_DOCUMENTS {
            return Err(messages::unusable(&error));
        }
        for address in missing {
            let own = source.schema.get("$schema").and_then(Value::as_str);
            let document = read(&address).map_err(|reason| match own {
                Some(draft) if draft.trim_end_matches('#') == address => messages::unknown_draft(draft),
                _ => reason,
            })?;
            documents.add(address, document);
        }
    }
}

/// The documents that a schema refers to.
#[derive(Clone, Default)]
struct Documents(Arc<Mutex<Loaded>>);

#[derive(Default)]
struct Loaded {
    documents: FxHashMap<String, Value>,
    missing: Vec<String>,
}

impl Documents {
    fn with<T>(&self, work: impl FnOnce(&mut Loaded) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take_missing(&self) -> Vec<String> {
        self.with(|loaded| std::mem::take(&mut loaded.missing))
    }

    fn add(&self, address: String, document: Value) {
        self.with(|loaded| loaded.documents.insert(address, document));
    }

    fn len(&self) -> usize {
        self.with(|loaded| loaded.documents.len())
    }
}

impl Retrieve for Documents {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let address = uri.as_str().trim_end_matches('#');
        self.with(|loaded| match loaded.documents.get(address) {
            Some(document) => Ok(document.clone()),
            None => {
                loaded.missing.push(address.to_owned());
                Err("the document has not been read yet".into())
            }
        })
    }
}

#[cfg(test)]
mod tests;
