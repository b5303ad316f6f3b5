//! ARM templates back to Bicep. The text of a template comes in; Bicep files go out, the one of the template itself first, then
//! those of nested templates. They are parsed and without layout: the formatter is a neighbour.
//!
//! The way of a template: `template` writes the statements with the help of `resource`, `module`, `value` and `expression`, with
//! names chosen by `names`; then `rewrite` looks at the meaning of the written files and makes them what a person would write.

mod copy_loop;
mod dependency;
mod existing;
mod expression;
mod failure;
mod messages;
mod module;
mod names;
mod nested;
mod repair;
mod resource;
mod rewrite;
mod settle;
mod strings;
mod symbolic;
mod syntax;
mod template;
mod tree;
mod type_syntax;
mod types;
mod value;

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{OverlayWorld, World};
use bicep_sema::{Program, Setup};
use bicep_syntax::{Dialect, Parse, parse};
use camino::{Utf8Path, Utf8PathBuf};

pub use failure::{ErrorPosition, Failure};

/// How templates are decompiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether the result is exactly that of the reference, mistakes and refusals included.
    pub is_exact: bool,
    /// Whether parameters and variables may be used that the template does not declare: it is a piece of one.
    pub allow_missing: bool,
    /// The same for nested templates.
    pub allow_missing_in_nested: bool,
}

/// A Bicep file before it is laid out.
#[derive(Debug, Clone)]
pub struct File {
    pub path: Utf8PathBuf,
    pub parse: Arc<Parse>,
}

/// What a template became.
#[derive(Debug, Clone)]
pub struct Decompiled {
    /// The files; the one of the template itself is the first.
    pub files: Vec<File>,
    /// Whether the template was made by a Bicep compiler.
    pub is_from_bicep: bool,
    /// Parameters and outputs whose names could not be kept: the name in the template, the name in Bicep.
    pub renamed: Vec<(String, String)>,
}

/// Decompiles the text of a template into a file at this absolute path and files beside it. `setup` gives what the files refer
/// to; one that remembers knows the files of the result.
pub fn decompile(
    source: &str,
    target: &Utf8Path,
    setup: &Setup<'_>,
    options: Options,
) -> Result<Decompiled, Failure> {
    let folder = target.parent().unwrap_or(Utf8Path::new("/"));
    decompile_from(source, Paths { template_folder: folder, target }, setup, options)
}

/// Where a template is, and where its Bicep file goes; both absolute.
#[derive(Debug, Clone, Copy)]
pub struct Paths<'a> {
    /// The folder of the template: linked templates are looked for from here.
    pub template_folder: &'a Utf8Path,
    /// The Bicep file.
    pub target: &'a Utf8Path,
}

/// The same for a template that is in another folder than its Bicep file.
pub fn decompile_from(
    source: &str,
    paths: Paths<'_>,
    setup: &Setup<'_>,
    options: Options,
) -> Result<Decompiled, Failure> {
    let root = read(source)?;
    let is_from_bicep = tree::nested(&root, &["metadata", "_generator", "name"])
        .and_then(json::Node::as_str)
        .is_some_and(|name| matches!(name, "bicep" | "sinew"));
    let folder = paths.target.parent().unwrap_or(Utf8Path::new("/"));
    let setup = &setup.clone().remembering();
    let mut plain = BTreeSet::new();
    loop {
        let mut nested = Vec::new();
        let hints = Hints { setup, paths, plain: &plain };
        let (text, renamed) = template::convert(&root, options, Some(hints), &mut nested)?;
        let mut drafts = vec![Draft { path: paths.target.to_owned(), text: text.into() }];
        drafts.extend(nested.into_iter().map(|file| Draft { path: folder.join(file.path), text: file.text }));
        rewrite::by_names(&mut drafts, setup);
        if let Some(files) = settle::settle(drafts, setup, options.is_exact, &mut plain) {
            return Ok(Decompiled { files, is_from_bicep, renamed });
        }
    }
}

/// A file that may still change.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) path: Utf8PathBuf,
    pub(crate) text: Arc<str>,
}

impl Draft {
    /// A world in which these files have been written, over all others.
    pub(crate) fn world<'f>(drafts: &'f [Self], setup: &'f Setup<'f>) -> OverlayWorld<'f> {
        OverlayWorld::new(setup.world(), drafts.iter().map(|draft| (&*draft.path, Arc::clone(&draft.text))))
    }

    /// A program of these files.
    pub(crate) fn program<'p>(
        drafts: &[Self],
        setup: &'p Setup<'p>,
        world: &'p OverlayWorld<'p>,
    ) -> Program<'p> {
        let entry = drafts.first().map(|draft| draft.path.clone());
        Program::load(setup.clone().with_world(world), entry.as_slice())
    }

    /// The file that it has become. A program that has read it knows its tree.
    pub(crate) fn file(&self, program: &Program<'_>) -> File {
        let known = program.file_at(&self.path).and_then(|id| program.bicep(id));
        let parse = match known {
            Some(bicep) => Arc::clone(&bicep.parse),
            None => Arc::new(parse(Arc::clone(&self.text), Dialect::Bicep)),
        };
        File { path: self.path.clone(), parse }
    }
}

/// A world in which files have been written that are not on disk yet: what is decompiled is compiled before.
pub fn overlay<'f>(world: &'f dyn World, files: &'f [File]) -> OverlayWorld<'f> {
    OverlayWorld::new(world, files.iter().map(|file| (&*file.path, Arc::clone(file.parse.tree.text()))))
}

/// What helps where the reference gives up or writes errors.
#[derive(Clone, Copy)]
pub(crate) struct Hints<'a> {
    /// What the files refer to.
    pub(crate) setup: &'a Setup<'a>,
    pub(crate) paths: Paths<'a>,
    /// Declarations that would be part of a cycle if they referred to resources by symbols: the name of the file, the declared name.
    pub(crate) plain: &'a BTreeSet<(String, String)>,
}

/// Whether a text says with its schema that it is a template.
pub(crate) fn is_template(text: &str) -> bool {
    let root = json::parse(text, json::Options::lenient()).root;
    let schema =
        root.as_ref().and_then(|root| tree::find(root, "$schema")).map(|it| tree::to_text(&it.value));
    schema.is_some_and(|schema| schema.to_lowercase().contains("deploymenttemplate.json"))
}

/// A value of a template as Bicep. Parameters and variables in its expressions keep their names.
pub fn decompile_value(value: &json::Node, options: Options) -> Result<String, Failure> {
    let template = tree::object(Vec::new());
    let mut files = Vec::new();
    let options = Options { allow_missing: true, ..options };
    Ok(template::Converter::new(&template, options, &mut files).value(value)?.print())
}

/// The JSON of a template; what follows it is ignored.
fn read(source: &str) -> Result<json::Node, Failure> {
    let parsed = json::parse(source, json::Options::lenient());
    if let Some(problem) =
        parsed.diagnostics.iter().find(|it| it.severity == base::Severity::Error && it.code != "JSON002")
    {
        return Err(Failure::new(messages::not_json(&problem.message)));
    }
    match parsed.root {
        Some(root) if root.as_object().is_some() => Ok(tree::without_duplicates(root)),
        _ => Err(Failure::new(messages::not_json("The template is not a JSON object."))),
    }
}
