//! What servers of this program work with, and what they ask it to do: its commands become tools, with their output as data.

mod documentation;
mod tools;

use std::sync::Arc;

use base::disk::{DiskWorld, SystemClock};
use bicep_emit::validation::Clocks;
use config::Loader;
use lsp::{DocumentationRequest, DocumentationResult, Host, Setup, Tool, ToolAnswer};
use registry::{Cache, RegistryWorld, home};
use serde_json::{Map, Value};

use crate::VERSION;
use crate::catalogue::Types;
use crate::compile::{generator, today};
use crate::failure::Failure;
use crate::names::{LANGUAGE_VERSION, Name};
use crate::session::Session;

/// What a server works with.
pub(crate) fn setup(session: &Session) -> Result<Setup, Failure> {
    // Artifacts are looked for where the folder that the server is started in keeps them.
    let config = Loader::new(&session.world).load_for(&session.absolute("main.bicep".into())?);
    let cache = home::cache_root(&session.world, &config).ok_or_else(Failure::no_home)?;
    let world = Arc::new(RegistryWorld::new(DiskWorld, Cache::new(cache)));
    let types = Types::new(Arc::clone(&world)).with_descriptions();
    let options = project::Options {
        generator: generator(session),
        today: today(&session.world),
        clocks: Some((|| Arc::new(SystemClock::default())) as Clocks),
    };
    Ok(Setup {
        world,
        types: Arc::new(types),
        options,
        best_practices: Name::of_process() == Name::Sinew,
        version: VERSION.to_owned(),
        language_version: LANGUAGE_VERSION.to_owned(),
    })
}

/// This program, as its servers see it.
pub(crate) struct Program;

impl Host for Program {
    fn document(&self, request: &DocumentationRequest) -> Vec<DocumentationResult> {
        documentation::document(request)
    }

    fn tools(&self) -> Vec<Tool> {
        tools::list()
    }

    fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<ToolAnswer, String> {
        tools::call(tool, arguments)
    }
}
