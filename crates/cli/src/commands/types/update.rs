//! `sinew types outdated` and `sinew types update`: installed catalogues are held against the registries that they come
//! from.

use config::reference::{OciReference, Version};
use registry::RestoreOptions;
use registry::published::{self, Source};
use serde_json::json;

use crate::catalogue::{self, Installed};
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};
use crate::type_install::{self, Getting};

pub(super) fn outdated(json: bool, session: &Session) -> Outcome {
    let options = type_install::options(false, session);
    let mut text = String::new();
    let mut any = false;
    for installed in catalogue::open_all(session)? {
        let installed = installed?;
        let origin = origin_of(&installed)?;
        let state = state_of(&origin, &options);
        any |= matches!(state, State::Outdated { .. });
        let name = &installed.name;
        let line = match (json, &state) {
            (true, state) => {
                let (installed, newest, reason) = state.fields();
                json!({ "name": name, "installed": installed, "newest": newest, "reason": reason })
                    .to_string()
            }
            (false, State::Newest { version }) => format!("{name}\t{version}\tis the newest version"),
            (false, State::Outdated { reference, newest }) => {
                format!("{name}\t{}\t{newest} is there", tag_of(reference))
            }
            (false, State::Unknown(reason)) => format!("{name}\t{reason}"),
        };
        text.push_str(&line);
        text.push('\n');
    }
    session.output.data(&text)?;
    if any && !json {
        session.output.talk("`sinew types update` installs what is newer\n")?;
    }
    Ok(Status::from_findings(any))
}

pub(super) fn update(names: &[String], session: &Session) -> Outcome {
    let options = type_install::options(false, session);
    let all: Vec<Installed> = match names {
        [] => catalogue::open_all(session)?.collect::<Result<_, _>>()?,
        names => names.iter().map(|name| catalogue::open(name, session)).collect::<Result<_, _>>()?,
    };
    let mut failed = false;
    for installed in all {
        let name = &installed.name;
        match state_of(&origin_of(&installed)?, &options) {
            State::Newest { version } => {
                session.output.talk(&format!("{name}: {version} is the newest version\n"))?;
            }
            State::Unknown(reason) => {
                failed |= !names.is_empty();
                session.output.warning(&format!("`{name}` is left as it is: {reason}"))?;
            }
            State::Outdated { reference, newest } => {
                let old = tag_of(&reference).to_owned();
                let reference = OciReference { version: Version::Tag(newest.as_str().into()), ..reference };
                let shown = reference.to_string();
                let how = Getting { limit: None, offline: false };
                let packed = type_install::get(&Source::Registry(reference), &how, session)
                    .map_err(|error| Failure::not_installed(&shown, &error))?;
                catalogue::report_problems(&packed, shown.as_str().into(), session)?;
                if packed.error().is_some() {
                    failed = true;
                    continue;
                }
                let (place, count) = type_install::put(name, &packed.bytes, session)?;
                let text = format!("{name}: {old} → {newest}, {}: `{place}`\n", type_install::counted(count));
                session.output.talk(&text)?;
            }
        }
    }
    Ok(Status::from_findings(failed))
}

/// How an installed catalogue stands to its registry.
enum State {
    Newest {
        version: String,
    },
    Outdated {
        reference: OciReference,
        newest: String,
    },
    /// It cannot be said, for this reason.
    Unknown(String),
}

impl State {
    /// The installed version, the newest one, and why one of them is not known.
    fn fields(&self) -> (Option<&str>, Option<&str>, Option<&str>) {
        match self {
            Self::Newest { version } => (Some(version), Some(version), None),
            Self::Outdated { reference, newest } => (Some(tag_of(reference)), Some(newest), None),
            Self::Unknown(reason) => (None, None, Some(reason)),
        }
    }
}

fn state_of(origin: &str, options: &RestoreOptions<'_>) -> State {
    let reference = origin.strip_prefix("br:").and_then(|address| OciReference::parse(address).ok());
    let Some(reference) = reference else {
        return State::Unknown(format!("it comes from `{origin}`, not from a registry"));
    };
    if let Version::Digest(_) = reference.version {
        return State::Unknown(format!("it is pinned by digest: `{origin}`"));
    }
    match published::newest(&reference, options) {
        Ok(Some(newest)) if newest == tag_of(&reference) => State::Newest { version: newest },
        Ok(Some(newest)) => State::Outdated { reference, newest },
        Ok(None) => State::Unknown(format!("`{origin}` has no versions")),
        Err(error) => State::Unknown(format!("`{origin}`: {error}")),
    }
}

fn tag_of(reference: &OciReference) -> &str {
    match &reference.version {
        Version::Tag(text) | Version::Digest(text) => text,
    }
}

fn origin_of(installed: &Installed) -> Result<String, Failure> {
    let info = installed.catalogue.info();
    Ok(info.map_err(|error| Failure::catalogue(&installed.path, &error))?.origin.to_owned())
}
