//! `sinew types show`: what a resource type looks like, as a tree or as JSON.

use bicep_types::catalogue::{Corrupt, Versioned};
use bicep_types::def::scope;

use super::From;
use super::find;
use super::tree::{self, Resource, TypeTreeReader};
use crate::catalogue::Installed;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

/// What to show.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The resource type [default version: the newest stable one]
    #[arg(value_name = "TYPE[@VERSION]")]
    name: String,

    /// A property to start from, such as `properties.networkAcls`; a variant of an object is a step of its own
    #[arg(value_name = "PROPERTY")]
    path: Option<String>,

    /// How many levels of properties to show
    #[arg(long, value_name = "LEVELS", default_value_t = 2)]
    depth: usize,

    #[command(flatten)]
    from: From,
}

pub(super) fn run(args: &Args, session: &Session) -> Outcome {
    let (name, version) = match args.name.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (args.name.as_str(), None),
    };
    let mut has_type = None;
    for installed in find::selected(&args.from, session)? {
        let installed = installed?;
        let damaged = |error: Corrupt| Failure::catalogue(&installed.path, &error);
        let Some(entry) = installed.catalogue.find_type(name).map_err(damaged)? else { continue };
        let versions = find::defined(&entry);
        let Some(version) = version.or_else(|| find::newest(&versions)) else { continue };
        let found = installed.catalogue.find(name, version).map_err(damaged)?;
        match found.filter(Versioned::is_defined) {
            Some(found) => return show(args, &installed, &found, session),
            None => has_type = Some((entry.name.to_string(), nearest(version, &versions))),
        }
    }
    Err(match (has_type, version) {
        (Some((name, like)), Some(version)) => Failure::unknown_version(&name, version, &like),
        _ => find::unknown_type(name, &args.from, session)?,
    })
}

fn show(args: &Args, installed: &Installed, found: &Versioned<'_>, session: &Session) -> Outcome {
    let catalogue = &installed.catalogue;
    let damaged = |error: Corrupt| Failure::catalogue(&installed.path, &error);
    let Some(definition) = catalogue.resource(found).map_err(damaged)? else { return Ok(Status::Clean) };
    let body = catalogue.body(&definition, found).map_err(damaged)?;
    let mut reader = TypeTreeReader::new(catalogue);
    let mut resource = Resource {
        name: find::at(&found.name, found.version),
        type_name: found.name.to_string(),
        readable: Vec::new(),
        writable: Vec::new(),
        body: None,
        functions: Vec::new(),
    };
    match &args.path {
        Some(path) => {
            let steps: Vec<&str> = path.split('.').filter(|step| !step.is_empty()).collect();
            let start = tree::TypeNode { reference: definition.body, def: body, name: resource.name.clone() };
            let place = reader.follow(start, &steps, damaged)?;
            resource.name = format!("{} {path}", resource.name);
            resource.body = Some(reader.node(place.reference, Some(place.def), args.depth).map_err(damaged)?);
        }
        None => {
            resource.readable = scopes(definition.readable_scopes);
            resource.writable = scopes(definition.writable_scopes);
            resource.body = Some(reader.node(definition.body, Some(body), args.depth).map_err(damaged)?);
            for method in &definition.methods {
                resource.functions.push(reader.method(method).map_err(damaged)?);
            }
            for function in catalogue.functions(found).map_err(damaged)? {
                resource.functions.push(reader.function(&function).map_err(damaged)?);
            }
        }
    }
    let text = match args.from.json {
        true => format!("{:#}\n", tree::to_json(&resource)),
        false => tree::to_text(&resource),
    };
    session.output.data(&text)?;
    if reader.is_cut() {
        session
            .output
            .warning("there is more than could be shown: choose a smaller `--depth` or a property")?;
    }
    Ok(Status::Clean)
}

fn scopes(set: u8) -> Vec<&'static str> {
    let names = [
        (scope::TENANT, "tenant"),
        (scope::MANAGEMENT_GROUP, "management group"),
        (scope::SUBSCRIPTION, "subscription"),
        (scope::RESOURCE_GROUP, "resource group"),
        (scope::EXTENSION, "another resource"),
    ];
    names.into_iter().filter(|(bit, _)| set & bit != 0).map(|(_, name)| name).collect()
}

/// Versions like one that is not there: the one that may be meant, else the newest.
fn nearest(version: &str, versions: &[&str]) -> Vec<String> {
    match base::spelling::suggest(version, versions) {
        Some(meant) => vec![(*meant).to_owned()],
        None => versions.iter().take(3).map(|version| (*version).to_owned()).collect(),
    }
}
