//! The values that a template may use: options come in, in the order in which they stand on the command line; names
//! with values go out.

use base::World as _;
use camino::{Utf8Path, Utf8PathBuf};
use clap::{Arg, ArgAction, ArgMatches, FromArgMatches, value_parser};

use crate::failure::Failure;
use crate::session::Session;

/// Options that give values. A later one wins, of either kind, so their order is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueArgs(Vec<ValueArg>);

#[derive(Debug, Clone)]
enum ValueArg {
    /// `NAME=VALUE`
    Assignment(String),
    /// A file in JSON.
    File(Utf8PathBuf),
}

const ASSIGNMENT: &str = "custom-template-value";
const FILE: &str = "custom-template-value-file-path";

impl ValueArgs {
    /// Names and values in order.
    pub(super) fn read(&self, session: &Session) -> Result<Vec<(String, String)>, Failure> {
        let mut values = Vec::new();
        for arg in &self.0 {
            match arg {
                ValueArg::Assignment(text) => match text.split_once('=') {
                    Some((name, value)) if !name.is_empty() => {
                        values.push((name.to_owned(), value.to_owned()));
                    }
                    _ => return Err(Failure::bad_template_value(text)),
                },
                ValueArg::File(path) => values.extend(read_file(path, session)?),
            }
        }
        Ok(values)
    }
}

/// The values of a file: an object of texts.
fn read_file(path: &Utf8Path, session: &Session) -> Result<Vec<(String, String)>, Failure> {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let parsed = json::parse(file.text(), json::Options::lenient());
    let root = parsed.root.filter(|_| parsed.diagnostics.is_empty());
    let Some(json::Kind::Object(members)) = root.map(|root| root.value) else {
        return Err(Failure::bad_template_values(path, "it should hold a JSON object of texts"));
    };
    let mut values: Vec<(String, String)> = Vec::new();
    for member in &members {
        let name = member.key.as_str();
        let Some(value) = member.value.as_str() else {
            return Err(Failure::bad_template_values(path, &format!("the value of `{name}` is not a text")));
        };
        if name.is_empty() {
            return Err(Failure::bad_template_values(path, "a name is empty"));
        }
        if values.iter().any(|(known, _)| known == name) {
            return Err(Failure::bad_template_values(path, &format!("`{name}` is there twice")));
        }
        values.push((name.to_owned(), value.to_owned()));
    }
    Ok(values)
}

impl FromArgMatches for ValueArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found: Vec<(usize, ValueArg)> = Vec::new();
        if let (Some(places), Some(texts)) =
            (matches.indices_of(ASSIGNMENT), matches.get_many::<String>(ASSIGNMENT))
        {
            found.extend(places.zip(texts.map(|text| ValueArg::Assignment(text.clone()))));
        }
        if let (Some(places), Some(paths)) = (matches.indices_of(FILE), matches.get_many::<Utf8PathBuf>(FILE))
        {
            found.extend(places.zip(paths.map(|path| ValueArg::File(path.clone()))));
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(Self(found.into_iter().map(|(_, arg)| arg).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for ValueArgs {
    fn augment_args(parser: clap::Command) -> clap::Command {
        parser
            .arg(
                Arg::new(ASSIGNMENT)
                    .long(ASSIGNMENT)
                    .value_name("NAME=VALUE")
                    .action(ArgAction::Append)
                    .help("A value for the template, available as `custom.NAME`; repeatable"),
            )
            .arg(
                Arg::new(FILE)
                    .long(FILE)
                    .value_name("FILE")
                    .action(ArgAction::Append)
                    .value_parser(value_parser!(Utf8PathBuf))
                    .help("A JSON file with such values; later options win"),
            )
    }

    fn augment_args_for_update(parser: clap::Command) -> clap::Command {
        Self::augment_args(parser)
    }
}
