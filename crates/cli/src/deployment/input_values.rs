//! External inputs: what a parameter file asks of the tool that deploys it.

use arm::parameters::Inputs;
use base::{FileReport, TextRange};
use camino::Utf8Path;
use serde_json::{Map, Value as Json, json};

use super::source::Source;
use crate::evaluation::faults::{ByFile, Located, Written};
use crate::external_inputs::{AnswerArgs, Asked, Resolver};
use crate::failure::Failure;
use crate::messages;
use crate::session::Session;

/// Adds the values of external inputs to the properties of a request, in the spelling of their definitions. Paths start
/// from the folder. What is missing or malformed is reported, all of it.
pub(crate) fn add(
    source: &mut Source,
    folder: &Utf8Path,
    args: &AnswerArgs,
    session: &Session,
) -> Result<Result<(), Vec<FileReport>>, Failure> {
    let resolver = Resolver::new(args, session)?;
    let properties = Json::Object(source.properties.clone()).to_string();
    let Some(document) = json::parse(&properties, json::Options::lenient()).root else { return Ok(Ok(())) };
    let (inputs, errors) = Inputs::read(&document);
    let mut files = ByFile::default();
    for error in &errors {
        let steps = error.path();
        let name = steps.split('.').nth(1).unwrap_or(&steps);
        let known = if steps.starts_with("parameters") { &source.origin.given } else { &source.asked };
        files.add(messages::malformed_inputs(TextRange::default(), error), written(source, known.get(name)));
    }
    let wanted = inputs.wanted_inputs();
    let mut values = Map::new();
    for (key, input) in inputs.external.iter().filter(|(_, input)| !input.kind.is_empty()) {
        let config = input.config.to_json(arm::Secrets::Shown);
        if let Some(value) = &input.value {
            values.insert(key.to_string(), value.to_json(arm::Secrets::Shown));
            continue;
        }
        let asked =
            Asked { key, kind: &input.kind, config: Some(&config).filter(|it| !it.is_null()), folder };
        match resolver.answer(asked) {
            // What only parameters need that were given otherwise is neither demanded nor sent.
            _ if !wanted.contains(key.as_str()) => {}
            Ok(value) => drop(values.insert(key.to_string(), value)),
            Err(reason) => {
                let place = written(source, source.asked.get(key.as_str()));
                files.add(messages::unresolved_input(TextRange::default(), key, &reason), place);
            }
        }
    }
    let reports = files.reports();
    if !reports.is_empty() {
        return Ok(Err(reports));
    }
    resolver.check_all_used()?;
    if values.is_empty() {
        return Ok(Ok(()));
    }
    if source.properties.contains_key("externalInputDefinitions") {
        let values = values.into_iter().map(|(key, value)| (key, json!({ "value": value }))).collect();
        source.properties.insert("externalInputs".into(), Json::Object(values));
    } else {
        source.properties.insert("externalInputValues".into(), Json::Object(values));
    }
    Ok(Ok(()))
}

/// Where something is written, else the template.
fn written(source: &Source, place: Option<&Written>) -> Located {
    match place {
        Some(place) => Located { file: place.file.clone(), range: place.range, related: Vec::new() },
        None => source.origin.locate("", TextRange::default()),
    }
}
