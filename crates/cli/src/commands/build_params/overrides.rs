//! Values for parameters from outside of the file: `BICEP_PARAMETERS_OVERRIDES`, an object in JSON. The Azure CLI sets it
//! for parameters that are given on its own command line.

use base::World as _;
use bicep_emit::parameters::with_overrides;
use camino::Utf8Path;
use serde_json::Value as Json;

use crate::failure::Failure;
use crate::session::Session;

const VARIABLE: &str = "BICEP_PARAMETERS_OVERRIDES";

/// The text of a parameter file with the values from outside in the place of its own; nothing where there are none.
pub(super) fn apply(path: &Utf8Path, session: &Session) -> Result<Option<String>, Failure> {
    let Some(text) = session.world.variable(VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let parsed = json::parse(&text, json::Options::lenient());
    let values = match parsed.root.map(|root| root.to_value()) {
        Some(Json::Object(values)) if parsed.diagnostics.is_empty() => values,
        _ => return Err(Failure::bad_overrides(VARIABLE)),
    };
    // A file that cannot be read is reported by whoever compiles it.
    let Ok(source) = session.world.read_source(path) else { return Ok(None) };
    Ok((!values.is_empty()).then(|| with_overrides(source.text(), &values)))
}
