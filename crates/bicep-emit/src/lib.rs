//! From the meaning of a Bicep file to its template. A program comes in; templates as JSON go out, each with a source
//! map from places in the template to places in the source, and parameter files with their values ([`parameters`]).
//!
//! The way of a file: [`context`] collects what follows from its model (scopes, what is written out where it is used,
//! the version of the template language), [`translate`] turns expressions into those of templates, and one module for
//! each section of the template puts it together; [`template`] joins them. Everything here trusts that the checker has
//! found no errors; files with errors give some template, but never a panic.

mod code;
mod constant;
mod constraints;
mod context;
mod declarations;
mod decorators;
mod depends_on;
mod extensions;
mod imported;
pub mod literal;
mod locals;
mod messages;
mod module;
pub mod parameters;
mod resource;
mod source_map;
mod template;
mod template_import;
mod translate;
mod tree;
mod types;
pub mod unit_test;
pub mod validation;
mod value;
mod write;

use std::sync::{Arc, OnceLock};

use arm::{culture, hash};
use bicep_sema::{FileId, ParsedTemplate, Program};

pub use arm::{SourceMap, SourcePosition};

/// A template and where its parts come from.
#[derive(Debug)]
pub struct Emitted {
    /// The template: what everything in the same process takes.
    pub document: arm::document::Node,
    /// The same as JSON, for those outside.
    pub template: TemplateJson,
    /// Places in the template → places in the source.
    pub source_map: Arc<SourceMap>,
    /// Whether parts of it are missing, because it would be larger than anybody could deploy.
    pub is_cut: bool,
    model: OnceLock<arm::Template>,
}

/// A template as JSON. One that was written in JSON is copied when somebody wants it: most are parts of others, and those
/// take the document.
#[derive(Debug)]
pub enum TemplateJson {
    /// Of a compiled file: its hash was made from it.
    Compiled(serde_json::Value),
    /// Of a file that is a template itself.
    Written(Arc<ParsedTemplate>, OnceLock<serde_json::Value>),
}

impl std::ops::Deref for TemplateJson {
    type Target = serde_json::Value;

    fn deref(&self) -> &serde_json::Value {
        match self {
            Self::Compiled(json) => json,
            Self::Written(template, json) => {
                json.get_or_init(|| template.root.as_ref().map(json::Node::to_value).unwrap_or_default())
            }
        }
    }
}

impl Emitted {
    /// The model of the template. What is wrong with a template that was written in JSON is not told here.
    pub fn model(&self) -> &arm::Template {
        self.model.get_or_init(|| arm::Template::of(&self.document).0)
    }
}

/// Why a template is cut, though there is no mistake in the file.
pub const TOO_LARGE: &str = "the template would be far larger than the 4 MB that Azure takes: some variables, names or loops \
                             stand for others many times over";

/// How templates are emitted.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who says that it made the template.
    pub generator: Generator,
}

/// The mark of whoever made a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    /// The name of the program.
    pub name: String,
    pub version: String,
}

/// Emits the files of a program, each of them once. May be used from several threads.
pub struct Emitter<'p> {
    program: &'p Program<'p>,
    options: Options,
    known: Arc<Templates>,
}

/// The templates of a program that are known already, kept apart from the program they belong to.
#[derive(Debug)]
pub struct Templates {
    slots: Vec<OnceLock<Arc<Emitted>>>,
    has_validators: OnceLock<bool>,
}

impl Templates {
    /// None is known of this program.
    pub fn new(program: &Program<'_>) -> Self {
        Self { slots: program.files().map(|_| OnceLock::new()).collect(), has_validators: OnceLock::new() }
    }

    /// Says what the template of a file is, unless it is known.
    pub fn put(&self, file: FileId, template: Arc<Emitted>) {
        if let Some(slot) = self.slots.get(file.index()) {
            slot.get_or_init(|| template);
        }
    }
}

impl<'p> Emitter<'p> {
    /// An emitter for a program.
    pub fn new(program: &'p Program<'p>, options: Options) -> Self {
        Self { program, options, known: Arc::new(Templates::new(program)) }
    }

    /// An emitter for a program of which some templates are known already.
    pub fn sharing(program: &'p Program<'p>, generator: Generator, known: Arc<Templates>) -> Self {
        Self { program, options: Options { generator }, known }
    }

    /// The program whose files are emitted.
    pub fn program(&self) -> &'p Program<'p> {
        self.program
    }

    /// The template of a file, with those of its modules in it.
    pub fn template(&self, file: FileId) -> Arc<Emitted> {
        let make = || Arc::new(template::template(self, file));
        match self.known.slots.get(file.index()) {
            Some(slot) => Arc::clone(slot.get_or_init(make)),
            None => make(),
        }
    }
}

/// The template of one file.
pub fn emit<'p>(program: &'p Program<'p>, file: FileId, options: &Options) -> Arc<Emitted> {
    Emitter::new(program, options.clone()).template(file)
}
