//! External inputs: what a parameter file asks of the tool that deploys it.

use camino::Utf8Path;
use serde_json::{Map, Value as Json, json};

use crate::external_inputs::{AnswerArgs, Asked, Resolver};
use crate::failure::Failure;
use crate::session::Session;

/// Adds the values of external inputs to a request, in the spelling of their definitions. Paths start from the folder.
pub(crate) fn add(
    properties: &mut Map<String, Json>,
    folder: &Utf8Path,
    args: &AnswerArgs,
    session: &Session,
) -> Result<(), Failure> {
    let resolver = Resolver::new(args, session)?;
    let mut values = Map::new();
    for section in ["externalInputs", "externalInputDefinitions"] {
        for (key, definition) in properties.get(section).and_then(Json::as_object).into_iter().flatten() {
            let text = |name: &str| definition.get(name).and_then(Json::as_str);
            let Some(kind) = text("type").or_else(|| text("kind")) else { continue };
            let config = definition.get("config").or_else(|| definition.get("options"));
            let value = resolver.answer(Asked { key, kind, config, folder });
            values.insert(key.clone(), value.map_err(|reason| Failure::input_not_supplied(key, &reason))?);
        }
    }
    resolver.check_all_used()?;
    if values.is_empty() {
        return Ok(());
    }
    if properties.contains_key("externalInputDefinitions") {
        let values = values.into_iter().map(|(key, value)| (key, json!({ "value": value }))).collect();
        properties.insert("externalInputs".into(), Json::Object(values));
    } else {
        properties.insert("externalInputValues".into(), Json::Object(values));
    }
    Ok(())
}
