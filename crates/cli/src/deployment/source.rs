//! What is deployed: a template with its parameters, compiled or read.

use std::sync::Arc;

use arm::{SourceMap, TargetScope};
use base::{SourceFile, World as _};
use bicep_sema::FileId;
use camino::{Utf8Path, Utf8PathBuf};
use project::Compilation;
use serde_json::{Map, Value as Json, json};

use super::{DeploymentArgs, extensions};
use crate::compile::{self, Sound};
use crate::evaluation::input;
use crate::failure::Failure;
use crate::report;
use crate::session::Session;

/// A template with what is given to it.
pub(crate) struct Source {
    /// The template.
    pub(crate) template: Json,
    /// The same as the compiler made it.
    pub(crate) document: Option<arm::document::Node>,
    /// Parameters and definitions of external inputs, as a request has them.
    pub(crate) properties: Map<String, Json>,
    /// What it is deployed to.
    pub(crate) scope: TargetScope,
    /// The file that the template is, or is compiled from.
    pub(crate) file: Arc<SourceFile>,
    /// Where its parts come from, if it was compiled.
    pub(crate) map: Option<Arc<SourceMap>>,
    /// The programs of the extensions it uses, by their names in the template.
    pub(crate) extensions: Vec<(String, Utf8PathBuf)>,
}

/// Loads what the arguments name. Nothing when it is wrong: that has been reported.
pub(crate) fn load(args: &DeploymentArgs, session: &Session) -> Result<Option<Source>, Failure> {
    let is_compiled = matches!(args.file.extension(), Some("bicep" | "bicepparam"));
    let source = if is_compiled { compiled(args, session)? } else { written(&args.file, args, session)? };
    let Some(mut source) = source else { return Ok(None) };
    add_parameters(&mut source.properties, &args.parameters, session)?;
    Ok(Some(source))
}

/// A template that is written in JSON.
fn written(path: &Utf8Path, args: &DeploymentArgs, session: &Session) -> Result<Option<Source>, Failure> {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    match input::document(&file) {
        Ok(node) => Ok(Some(Source {
            scope: scope_of(&node),
            template: node.to_value(),
            document: None,
            properties: Map::new(),
            file,
            map: None,
            extensions: Vec::new(),
        })),
        Err(wrong) => {
            report::write_beside_output(session, &[wrong], args.diagnostics_format)?;
            Ok(None)
        }
    }
}

fn scope_of(template: &json::Node) -> TargetScope {
    let schema = template.get_ignore_case("$schema").and_then(json::Node::as_str);
    schema.and_then(TargetScope::of_schema).unwrap_or_default()
}

/// A Bicep file, or the one that a parameter file is for.
fn compiled(args: &DeploymentArgs, session: &Session) -> Result<Option<Source>, Failure> {
    let entry = session.absolute(&args.file)?;
    compile::with_compilation(&entry, args.compile, session, |compilation| {
        let program = compilation.program();
        let reports = compile::reports(compilation);
        report::write_beside_output(session, &reports, args.diagnostics_format)?;
        let file = compile::entry(program, &args.file)?;
        let sound = Sound::new(program, &reports);
        sound.contains(file).then(|| emit(compilation, file)).transpose()
    })
}

/// The template of a sound file, or of the one that a parameter file is for, with what is given to it.
pub(crate) fn emit(compilation: &Compilation<'_>, file: FileId) -> Result<Source, Failure> {
    let program = compilation.program();
    let mut properties = Map::new();
    let mut main = file;
    if let Some(given) = compilation.parameters(file) {
        let path = program.unit(file).source().path();
        main = given.template.ok_or_else(|| Failure::parameters_without_template(path))?;
        if let Json::Object(document) = given.document() {
            properties = document.into_iter().filter(|(name, _)| SECTIONS.contains(&name.as_str())).collect();
        }
    }
    let emitted = compile::template(&compilation.emitter(), main)?;
    Ok(Source {
        scope: emitted.model().scope,
        template: emitted.template.clone(),
        document: Some(emitted.document.clone()),
        properties,
        file: Arc::clone(program.unit(main).source()),
        map: Some(Arc::clone(&emitted.source_map)),
        extensions: extensions::programs(program, main),
    })
}

/// What a request takes from a parameters document.
const SECTIONS: [&str; 4] = ["parameters", "externalInputs", "externalInputDefinitions", "extensionConfigs"];

/// Adds parameter files and assignments; later ones win.
fn add_parameters(
    properties: &mut Map<String, Json>,
    given: &[String],
    session: &Session,
) -> Result<(), Failure> {
    for text in given {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if !Utf8Path::new(text).is_file() => (name.trim(), value),
            _ => {
                add_file(properties, Utf8Path::new(text), session)?;
                continue;
            }
        };
        let parsed = json::parse(value, json::Options::lenient());
        let value = match parsed.root {
            Some(root) if parsed.diagnostics.is_empty() => root.to_value(),
            _ => json!(value),
        };
        if let Json::Object(parameters) = properties.entry("parameters").or_insert_with(|| json!({})) {
            parameters.insert(name.to_owned(), json!({ "value": value }));
        }
    }
    Ok(())
}

fn add_file(properties: &mut Map<String, Json>, path: &Utf8Path, session: &Session) -> Result<(), Failure> {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let node = input::document(&file).map_err(|_| Failure::not_a_parameters_document(path))?;
    for section in SECTIONS {
        let Some(Json::Object(members)) = node.get_ignore_case(section).map(json::Node::to_value) else {
            continue;
        };
        if let Json::Object(known) = properties.entry(section).or_insert_with(|| json!({})) {
            known.extend(members);
        }
    }
    Ok(())
}
