//! `-p name=value` and `-f FILE`: the parameters of a script.

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use generate::{Settings, paths};

use crate::failure::Failure;

/// `-p name=value` and `-f FILE`, in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters(Vec<Parameter>);

#[derive(Debug, Clone)]
enum Parameter {
    Assignment(String),
    File(String),
}

impl Parameters {
    /// Sets the parameters, in the order in which they were given.
    pub(crate) fn apply(&self, settings: &mut Settings) -> Result<(), Failure> {
        for parameter in &self.0 {
            match parameter {
                Parameter::Assignment(assignment) => {
                    settings.params.set_assignment(assignment).map_err(|e| Failure::parameter(&e))?;
                }
                Parameter::File(path) => {
                    let text = std::fs::read_to_string(path);
                    let text = text.map_err(|error| Failure::parameter(&format!("{path}: {error}")))?;
                    settings.params.merge_file(path, &text).map_err(|e| Failure::parameter(&e))?;
                    settings.parameter_files.push(paths::join(&settings.folder, path));
                }
            }
        }
        Ok(())
    }

    fn read(matches: &ArgMatches) -> Self {
        let all = |name: &str| {
            let values = matches.get_many::<String>(name).into_iter().flatten().cloned();
            matches.indices_of(name).into_iter().flatten().zip(values).collect::<Vec<_>>()
        };
        let assignments = all("parameter").into_iter().map(|(at, text)| (at, Parameter::Assignment(text)));
        let files = all("parameters").into_iter().map(|(at, path)| (at, Parameter::File(path)));
        let mut parameters: Vec<_> = assignments.chain(files).collect();
        parameters.sort_by_key(|(at, _)| *at);
        Self(parameters.into_iter().map(|(_, parameter)| parameter).collect())
    }
}

impl FromArgMatches for Parameters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self::read(matches))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::read(matches);
        Ok(())
    }
}

impl clap::Args for Parameters {
    fn augment_args(command: Command) -> Command {
        command
            .arg(
                Arg::new("parameter")
                    .short('p')
                    .long("parameter")
                    .value_name("NAME=VALUE")
                    .action(ArgAction::Append)
                    .help("Set a parameter of the script; dots in the name address nested values"),
            )
            .arg(
                Arg::new("parameters")
                    .short('f')
                    .long("parameters")
                    .value_name("FILE")
                    .action(ArgAction::Append)
                    .help("Read parameters from a JSON or YAML file"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
