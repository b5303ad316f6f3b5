//! Documentation of modules. A checked Bicep file comes in; text goes out, Markdown in the standard layout or whatever a
//! template makes of the same facts.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`model`] | | what is known about a module, as plain data |
//! | `build` | a model of `bicep-sema` | parameters, outputs, exports, references |
//! | `expansion` | a type | constraints and nested properties, within limits |
//! | `examples` | folders | usage examples |
//! | `markdown` | the data | the standard layout |
//! | [`template`] | the data as values | what a template of the user says |

mod build;
mod examples;
mod expansion;
mod failure;
mod glob;
mod markdown;
pub mod model;
pub mod template;
mod values;

use std::collections::BTreeMap;

use base::World;
use bicep_sema::{FileId, Program};
use camino::{Utf8Path, Utf8PathBuf};
use config::ExampleSettings;

pub use failure::Failure;

/// How the documentation of one module is made.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The template; none for the standard layout.
    pub template_file: Option<Utf8PathBuf>,
    /// The folder in which the template finds its parts; none for the folder of the module.
    pub template_root: Option<Utf8PathBuf>,
    /// Values that the template may use.
    pub values: BTreeMap<String, String>,
    /// Where usage examples are.
    pub examples: ExampleSettings,
}

/// The documentation of a file that has no errors.
pub fn generate(program: &Program<'_>, file: FileId, options: &Options) -> Result<String, Failure> {
    let world = program.world();
    let mut module = build::module(program, file)?;
    let folder = Utf8Path::new(&module.path).parent().unwrap_or(Utf8Path::new("/")).to_owned();
    module.usage_examples = examples::discover(&folder, &options.examples, world)?;
    let Some(path) = &options.template_file else { return Ok(normalized(&markdown::render(&module))) };
    let source = world.read_source(path).map_err(|error| Failure::unreadable_template(path, &error))?;
    let root = options.template_root.as_deref().unwrap_or(&folder);
    let parts = IncludedFiles { world, root };
    let globals = values::globals(&module, &options.values);
    let text = template::render(path.as_str(), source.text(), globals, &parts);
    text.map(|text| normalized(&text)).map_err(|error| Failure::template(&error))
}

/// The files that a template includes.
struct IncludedFiles<'a> {
    world: &'a dyn World,
    root: &'a Utf8Path,
}

impl template::Loader for IncludedFiles<'_> {
    fn load(&self, name: &str) -> Result<(String, String), String> {
        let path = config::paths::resolve(self.root, Utf8Path::new(name));
        let source =
            self.world.read_source(&path).map_err(|error| format!("cannot include \"{path}\": {error}"))?;
        Ok((path.into_string(), source.text().to_string()))
    }
}

/// Line ends as `\n`, exactly one of them at the end.
fn normalized(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    format!("{}\n", text.trim_end_matches('\n'))
}
