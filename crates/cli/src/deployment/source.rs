//! What is deployed: a template with its parameters, compiled or read.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::TargetScope;
use base::World as _;
use bicep_sema::FileId;
use camino::{Utf8Path, Utf8PathBuf};
use project::Compilation;
use serde_json::{Map, Value as Json, json};

use super::{DeploymentArgs, extensions};
use crate::compile::{self, Sound};
use crate::evaluation::faults::{Origin, Written};
use crate::evaluation::input;
use crate::failure::Failure;
use crate::report::Reporter;
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
    /// The file that the template is, or is compiled from, and where its parts come from.
    pub(crate) origin: Origin,
    /// Where external inputs are asked for, by key; and the sections of files, by name.
    pub(crate) asked: BTreeMap<String, Written>,
    /// The programs of the extensions it uses, by their names in the template.
    pub(crate) extensions: Vec<(String, Utf8PathBuf)>,
}

/// Loads what the arguments name. Nothing when it is wrong: that has been reported.
pub(crate) fn load(
    args: &DeploymentArgs,
    reporter: &Reporter<'_>,
    session: &Session,
) -> Result<Option<Source>, Failure> {
    let is_compiled = matches!(args.file.extension(), Some("bicep" | "bicepparam"));
    let source = if is_compiled {
        compiled(args, reporter, session)?
    } else {
        written(&args.file, reporter, session)?
    };
    let Some(mut source) = source else { return Ok(None) };
    for text in &args.parameters {
        source.add_parameters(text, session)?;
    }
    Ok(Some(source))
}

/// A template that is written in JSON.
fn written(path: &Utf8Path, reporter: &Reporter<'_>, session: &Session) -> Result<Option<Source>, Failure> {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    match input::document(&file) {
        Ok(node) => Ok(Some(Source {
            scope: scope_of(&node),
            template: node.to_value(),
            document: None,
            properties: Map::new(),
            origin: Origin::json(file),
            asked: BTreeMap::new(),
            extensions: Vec::new(),
        })),
        Err(wrong) => {
            reporter.tell(vec![wrong])?;
            Ok(None)
        }
    }
}

fn scope_of(template: &json::Node) -> TargetScope {
    let schema = template.get_ignore_case("$schema").and_then(json::Node::as_str);
    schema.and_then(TargetScope::of_schema).unwrap_or_default()
}

/// A Bicep file, or the one that a parameter file is for.
fn compiled(
    args: &DeploymentArgs,
    reporter: &Reporter<'_>,
    session: &Session,
) -> Result<Option<Source>, Failure> {
    let entry = session.absolute(&args.file)?;
    compile::with_compilation(&entry, args.compile, session, |compilation| {
        let program = compilation.program();
        let reports = compile::reports(compilation);
        let file = compile::entry(program, &args.file)?;
        let is_sound = Sound::new(program, &reports).contains(file);
        reporter.tell(reports)?;
        is_sound.then(|| emit(compilation, file)).transpose()
    })
}

/// The template of a sound file, or of the one that a parameter file is for, with what is given to it.
pub(crate) fn emit(compilation: &Compilation<'_>, file: FileId) -> Result<Source, Failure> {
    let program = compilation.program();
    let mut properties = Map::new();
    let (mut given, mut asked) = (BTreeMap::new(), BTreeMap::new());
    let mut main = file;
    if let Some(parameters) = compilation.parameters(file) {
        let path = program.unit(file).source().path();
        main = parameters.template.ok_or_else(|| Failure::parameters_without_template(path))?;
        if let Json::Object(document) = parameters.document() {
            properties = document.into_iter().filter(|(name, _)| SECTIONS.contains(&name.as_str())).collect();
        }
        let written = |file, range| Written { file: Arc::clone(program.unit(file).source()), range };
        given = input::given(program, &parameters);
        let inputs = parameters.external_inputs.iter();
        asked = inputs.map(|it| (it.key.clone(), written(it.file, it.range))).collect();
    }
    let emitted = compile::template(&compilation.emitter(), main)?;
    Ok(Source {
        scope: emitted.model().scope,
        template: emitted.template.clone(),
        document: Some(emitted.document.clone()),
        properties,
        origin: Origin { given, ..Origin::compiled(program.unit(main).source(), &emitted.source_map) },
        asked,
        extensions: extensions::programs(program, main),
    })
}

/// What a request takes from a parameters document.
const SECTIONS: [&str; 5] =
    ["parameters", "externalInputs", "externalInputDefinitions", "externalInputValues", "extensionConfigs"];

impl Source {
    /// Adds a parameter file, or an assignment `NAME=VALUE` whose value is JSON or else a text. Later ones win.
    fn add_parameters(&mut self, text: &str, session: &Session) -> Result<(), Failure> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if !Utf8Path::new(text).is_file() => (name.trim(), value),
            _ => return self.add_file(Utf8Path::new(text), session),
        };
        let parsed = json::parse(value, json::Options::lenient());
        let value = match parsed.root {
            Some(root) if parsed.diagnostics.is_empty() => root.to_value(),
            _ => json!(value),
        };
        if let Json::Object(parameters) = self.properties.entry("parameters").or_insert_with(|| json!({})) {
            parameters.insert(name.to_owned(), json!({ "value": value }));
        }
        self.origin.given.remove(name);
        Ok(())
    }

    fn add_file(&mut self, path: &Utf8Path, session: &Session) -> Result<(), Failure> {
        let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
        let node = input::document(&file).map_err(|_| Failure::not_a_parameters_document(path))?;
        for section in SECTIONS {
            let Some(found) = node.get_ignore_case(section) else { continue };
            self.asked.insert(section.to_owned(), Written { file: Arc::clone(&file), range: found.range });
            for member in found.as_object().into_iter().flatten() {
                let written = Written { file: Arc::clone(&file), range: member.value.range };
                match section {
                    "parameters" => drop(self.origin.given.insert(member.key.to_string(), written)),
                    "externalInputs" | "externalInputDefinitions" => {
                        self.asked.insert(member.key.to_string(), written);
                    }
                    _ => {}
                }
            }
            match (found.to_value(), self.properties.entry(section).or_insert_with(|| json!({}))) {
                (Json::Object(members), Json::Object(known)) => known.extend(members),
                // What is malformed is refused with its path.
                (malformed, known) => *known = malformed,
            }
        }
        Ok(())
    }
}
