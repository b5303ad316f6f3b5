//! ARM templates back to Bicep. The text of a template comes in; Bicep files go out, the one of the template itself first, then
//! those of nested templates. They are right but not laid out: that is the formatter's work.
//!
//! The way of a template: `template` writes the statements with the help of `resource`, `module`, `value` and `expression`, with
//! names chosen by `names`; then `rewrite` looks at the meaning of the written files and makes them what a person would write.

mod copy_loop;
mod expression;
mod failure;
mod messages;
mod module;
mod names;
mod nested;
mod resource;
mod rewrite;
mod strings;
mod syntax;
mod template;
mod tree;
mod types;
mod value;
mod written;

use camino::{Utf8Path, Utf8PathBuf};

pub use failure::{Failure, Spot};
pub use written::Written;

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

/// What decompiled files may refer to.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// Files, configuration, artifacts.
    pub world: &'a dyn base::World,
    /// Where resource types come from.
    pub types: &'a dyn bicep_sema::TypeSource,
}

/// A Bicep file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub path: Utf8PathBuf,
    /// Its text, not laid out.
    pub text: String,
}

/// What a template became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decompiled {
    /// The files; the one of the template itself is the first.
    pub files: Vec<File>,
    /// Whether the template was made by a Bicep compiler.
    pub is_from_bicep: bool,
}

/// Decompiles the text of a template into a file at this absolute path and files beside it. `outside` gives what the files
/// refer to.
pub fn decompile(
    source: &str,
    target: &Utf8Path,
    outside: Outside<'_>,
    options: Options,
) -> Result<Decompiled, Failure> {
    let root = read(source)?;
    let is_from_bicep = tree::nested(&root, &["metadata", "_generator", "name"])
        .and_then(json::Node::as_str)
        .is_some_and(|name| name == "bicep");
    let mut nested = Vec::new();
    let text = template::convert(&root, options, &mut nested)?;
    let folder = target.parent().unwrap_or(Utf8Path::new("/"));
    let mut files = vec![File { path: target.to_owned(), text }];
    files.extend(nested.into_iter().map(|file| File { path: folder.join(file.path), text: file.text }));
    rewrite::rewrite(&mut files, outside);
    Ok(Decompiled { files, is_from_bicep })
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
