//! Why a command could not do its work, as opposed to what it found in the files. One constructor per failure: the
//! words are here and nowhere else.

use std::fmt;
use std::io;

use base::ReadError;
use camino::{Utf8Path, Utf8PathBuf};
use registry::published::Mirror;

use crate::inputs::EXTENSIONS;

/// Why a command could not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The reader has closed the pipe, which is not an error.
    Closed,
    /// A usage error.
    Usage {
        /// What is wrong.
        reason: String,
    },
    /// Something about a path.
    Path {
        /// As the user knows it.
        path: Utf8PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Anything else.
    Other {
        /// What is wrong.
        reason: String,
    },
}

/// How what `git` says begins.
const GIT: &str = "git: ";

impl Failure {
    /// A file could not be read.
    pub(crate) fn unreadable(path: &Utf8Path, error: &ReadError) -> Self {
        Self::at(path, error.to_string())
    }

    /// A template cannot be evaluated.
    pub(crate) fn not_evaluated(path: &Utf8Path, reason: &str) -> Self {
        Self::at(path, format!("cannot be evaluated: {reason}"))
    }

    /// What day it is is not known.
    pub(crate) fn no_clock() -> Self {
        Self::other(
            "the date is not known: the clock of this machine, or SOURCE_DATE_EPOCH, is not valid".to_owned(),
        )
    }

    /// There is no program `git`.
    pub(crate) fn no_git(error: &io::Error) -> Self {
        Self::other(format!("cannot run git: {error}; install it, or compare two folders"))
    }

    /// `git` refused to do something.
    pub(crate) fn git(reason: &str) -> Self {
        Self::other(format!("{GIT}{reason}"))
    }

    /// Whether `git` refused to do something.
    pub(crate) fn is_of_git(&self) -> bool {
        matches!(self, Self::Other { reason } if reason.starts_with(GIT))
    }

    /// A revision that the repository does not have.
    pub(crate) fn no_such_revision(revision: &str) -> Self {
        Self::other(format!(
            "`{revision}` is neither a revision of this repository nor, with a second one, a folder"
        ))
    }

    /// A file that is in neither of the revisions that are compared.
    pub(crate) fn in_no_revision(path: &Utf8Path) -> Self {
        Self::at(path, "is in neither of the revisions".to_owned())
    }

    /// A folder is expected.
    pub(crate) fn not_a_folder(path: &Utf8Path) -> Self {
        Self::at(path, "is not a folder; two folders are compared, or a revision of git".to_owned())
    }

    /// The standard input could not be read.
    pub(crate) fn unreadable_input(error: &io::Error) -> Self {
        Self::other(format!("cannot read the standard input: {error}"))
    }

    /// A file could not be written.
    pub(crate) fn unwritable(path: &Utf8Path, error: &io::Error) -> Self {
        Self::at(path, format!("cannot write: {error}"))
    }

    /// A file may not be written.
    pub(crate) fn read_only(path: &Utf8Path) -> Self {
        Self::at(path, "cannot write: the file is read-only".to_owned())
    }

    /// Nothing may be written into the folder.
    pub(crate) fn read_only_folder(path: &Utf8Path) -> Self {
        Self::at(path, "cannot write: the folder is read-only".to_owned())
    }

    /// A folder stands where a file should be written.
    pub(crate) fn output_is_folder(path: &Utf8Path) -> Self {
        Self::at(path, "cannot write: the path is a folder, a file is expected".to_owned())
    }

    /// A folder could not be searched.
    pub(crate) fn unsearchable(path: &Utf8Path, reason: &dyn fmt::Display) -> Self {
        Self::at(path, format!("cannot search: {reason}"))
    }

    /// A file's name is not text.
    pub(crate) fn name_not_utf8(path: &std::path::Path) -> Self {
        let shown = Utf8PathBuf::from(path.to_string_lossy().into_owned());
        Self::at(&shown, "the name of the file is not valid UTF-8".to_owned())
    }

    /// A file of a kind that the command does not know.
    pub(crate) fn not_bicep(path: &Utf8Path) -> Self {
        let known = EXTENSIONS.map(|extension| format!("`.{extension}`")).join(" or ");
        Self::at(path, format!("not a Bicep file: the name should end with {known}"))
    }

    /// A deployment could not be made, whatever is in the files.
    pub(crate) fn deployment(error: &dyn fmt::Display) -> Self {
        Self::other(error.to_string())
    }

    /// The address of a server that is none.
    pub(crate) fn bad_endpoint(url: &str, error: &dyn fmt::Display) -> Self {
        Self::other(format!("`{url}` is not a valid endpoint: {error}"))
    }

    /// An extension without a program.
    pub(crate) fn bad_extension(text: &str) -> Self {
        Self::Usage {
            reason: format!("`--extension {text}`: a name and a program are expected, as `Name=program`"),
        }
    }

    /// A parameter file that says `using none`.
    pub(crate) fn parameters_without_template(path: &Utf8Path) -> Self {
        Self::at(
            path,
            "the parameter file names no template (`using none`), so there is nothing to deploy".to_owned(),
        )
    }

    /// A file with parameters that is not JSON.
    pub(crate) fn not_a_parameters_document(path: &Utf8Path) -> Self {
        Self::at(path, "not a parameters file: it is not valid JSON".to_owned())
    }

    /// An external input has no value.
    pub(crate) fn input_not_supplied(key: &str, reason: &str) -> Self {
        Self::other(format!("the external input \"{key}\" has no value: {reason}"))
    }

    /// A file that only another command takes, or none.
    pub(crate) fn not_a_bicep_file(path: &Utf8Path) -> Self {
        let reason = match path.extension() {
            Some("bicepparam") => "this is a parameter file: use `build-params`",
            _ => "not a Bicep file: the name should end with `.bicep`",
        };
        Self::at(path, reason.to_owned())
    }

    /// A file that is no parameter file.
    pub(crate) fn not_a_parameter_file(path: &Utf8Path) -> Self {
        let reason = match path.extension() {
            Some("bicep") => "this is a Bicep file: use `build`",
            _ => "not a parameter file: the name should end with `.bicepparam`",
        };
        Self::at(path, reason.to_owned())
    }

    /// A parameter file is for something that is no Bicep file.
    pub(crate) fn not_for_a_bicep_file(named: &Utf8Path) -> Self {
        Self::at(
            named,
            "the parameter file is not for a Bicep file, so `--bicep-file` cannot be used".to_owned(),
        )
    }

    /// A parameter file is for another Bicep file than the one that was named.
    pub(crate) fn for_another_file(named: &Utf8Path, used: &Utf8Path) -> Self {
        Self::at(named, format!("the parameter file is for `{used}`, not for this file"))
    }

    /// A value for an external input that has no name. Nothing of it is shown: it may be a secret.
    pub(crate) fn bad_argument() -> Self {
        Self::usage("`--input` takes a name and a value: `--input NAME=VALUE`".to_owned())
    }

    /// An argument is given twice.
    pub(crate) fn argument_twice(option: &str) -> Self {
        Self::usage(format!("`{option}` is given more than once"))
    }

    /// An argument without a value.
    pub(crate) fn argument_without_value(option: &str) -> Self {
        Self::usage(format!("`{option}` needs a value"))
    }

    /// Arguments that no external input asks for.
    pub(crate) fn arguments_unused(options: &str) -> Self {
        Self::usage(format!("no external input refers to {options}"))
    }

    /// External inputs have no values, or none that can be used.
    pub(crate) fn unresolved_inputs() -> Self {
        Self::other("external inputs are missing or invalid; nothing was written".to_owned())
    }

    /// A file that should hold the values of external inputs.
    pub(crate) fn bad_values(path: &Utf8Path) -> Self {
        Self::at(path, "not a file of external inputs: a JSON object or array is expected".to_owned())
    }

    /// Values for parameters that cannot be read. The text is not shown: it may hold secrets.
    pub(crate) fn bad_overrides(variable: &str) -> Self {
        Self::other(format!("the environment variable `{variable}` is not a JSON object"))
    }

    /// A template that is too large to be written down.
    pub(crate) fn endless(path: &Utf8Path) -> Self {
        Self::at(path, bicep_emit::TOO_LARGE.to_owned())
    }

    /// A template that is larger than allowed. The parts are the largest modules: bytes, how often, path.
    pub(crate) fn too_large(
        path: &Utf8Path,
        size: usize,
        max: usize,
        parts: &[(usize, usize, String)],
    ) -> Self {
        let mut reason = format!("the template has {size} bytes, more than the {max} that are allowed");
        for (bytes, times, module) in parts {
            let times = if *times == 1 { String::new() } else { format!(" ({times} times)") };
            reason.push_str(&format!("\n  {bytes:>10} bytes  {module}{times}"));
        }
        Self::at(path, reason)
    }

    /// Changes of files cannot be seen.
    pub(crate) fn watch(error: &notify::Error) -> Self {
        Self::other(format!("cannot watch for changes: {error}"))
    }

    /// A file that cannot be read into a tree at all.
    pub(crate) fn too_deep(path: &Utf8Path, line: u32) -> Self {
        Self::at(path, format!("line {line} is nested too deeply; nothing was written"))
    }

    /// A path that other platforms would read differently.
    pub(crate) fn backslash(path: &str) -> Self {
        Self::usage(format!("the path `{path}` contains `\\`: write `/` between folders"))
    }

    /// A pattern that is none.
    pub(crate) fn bad_pattern(pattern: &str, reason: &dyn fmt::Display) -> Self {
        Self::usage(format!("the pattern `{pattern}` cannot be used: {reason}"))
    }

    /// Nothing to work on.
    pub(crate) fn no_input() -> Self {
        Self::usage("no input: name a file, a folder (`.` for the current one) or `--pattern`".to_owned())
    }

    /// An option that makes sense with one file only.
    pub(crate) fn needs_one_file(option: &str) -> Self {
        Self::usage(format!("`{option}` can only be used with a single file"))
    }

    /// Two things that exclude each other.
    pub(crate) fn conflict(one: &str, other: &str) -> Self {
        Self::usage(format!("`{one}` cannot be used with `{other}`"))
    }

    /// The current folder is gone, or its name is not text.
    pub(crate) fn no_current_folder() -> Self {
        Self::other(
            "the current folder cannot be used: it does not exist or its name is not UTF-8".to_owned(),
        )
    }

    /// There is no place for the cache.
    pub(crate) fn no_home() -> Self {
        Self::other("there is no home folder: set `SINEW_HOME` to a folder for the cache".to_owned())
    }

    /// A client of the language server that cannot be reached.
    pub(crate) fn no_connection(address: &str, error: &io::Error) -> Self {
        Self::other(format!("cannot connect to `{address}`: {error}"))
    }

    /// A port of the language server's client that is no number.
    pub(crate) fn not_a_port(text: &str) -> Self {
        Self::other(format!("`{text}` is not a port: `--socket` takes a number from 1 to 65535"))
    }

    /// An artifact, or the lock file, that cannot be used.
    pub(crate) fn artifact(error: &registry::Error) -> Self {
        Self::other(error.to_string())
    }

    /// Something that could not be published.
    pub(crate) fn publish(target: &str, error: &registry::Error) -> Self {
        Self::other(format!("`{target}` could not be published: {error}"))
    }

    /// A target that cannot publish to.
    pub(crate) fn bad_target(target: &str, reason: &str) -> Self {
        Self::usage(format!("cannot publish to `{target}`: {reason}"))
    }

    /// Nothing is installed to look into.
    pub(crate) fn no_catalogue() -> Self {
        Self::other(
            "no resource types are installed: `sinew types install` installs those of Azure".to_owned(),
        )
    }

    /// Published types that cannot be had from where one is told to look.
    pub(crate) fn not_in_mirror(name: &str, mirror: &Mirror) -> Self {
        let reason = match mirror {
            Mirror::Folder(folder) => {
                format!("the folder `{folder}` has no `{name}.types` and no `{name}.nupkg`")
            }
            _ => "`SINEW_TYPES_MIRROR` forbids downloading them".to_owned(),
        };
        Self::other(format!(
            "the types of `{name}` are not available: {reason}; `--from` names another source"
        ))
    }

    /// Something else stands where a link of ours should be.
    pub(crate) fn name_taken(path: &Utf8Path) -> Self {
        Self::at(path, "another program has this name: `--force` replaces it".to_owned())
    }

    /// The program cannot say where it is.
    pub(crate) fn no_program(error: &io::Error) -> Self {
        Self::other(format!("the path of this program cannot be determined: {error}"))
    }

    /// A catalogue that is not installed.
    pub(crate) fn unknown_catalogue<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Self {
        let known: Vec<_> = known.map(|name| format!("`{name}`")).collect();
        match known.is_empty() {
            true => Self::no_catalogue(),
            false => Self::other(format!("there is no catalogue `{name}`, only {}", known.join(", "))),
        }
    }

    /// A file that should be a catalogue.
    pub(crate) fn catalogue(path: &Utf8Path, error: &dyn fmt::Display) -> Self {
        Self::at(path, error.to_string())
    }

    /// A package that cannot be packed.
    pub(crate) fn package(path: &Utf8Path, error: &registry::Error) -> Self {
        Self::at(path, error.to_string())
    }

    /// An archive with more than one package.
    pub(crate) fn several_packages(path: &Utf8Path, folders: &str) -> Self {
        let reason = format!("the archive has several packages: choose one of {folders} with `--package`");
        Self::at(path, reason)
    }

    /// A package that does not say what it is.
    pub(crate) fn nameless_package(input: &str) -> Self {
        Self::usage(format!("`{input}` has no name: give one with `--as`, such as `--as az`"))
    }

    /// A name that no file can have everywhere.
    pub(crate) fn bad_catalogue_name(name: &str) -> Self {
        let allowed = "letters, digits, `-`, `_` and `.` are allowed, at most 64";
        Self::usage(format!("`{name}` cannot be the name of a catalogue: {allowed}"))
    }

    /// A text that is not a reference to a package.
    pub(crate) fn bad_reference(text: &str, reason: &str) -> Self {
        Self::usage(format!("`{text}` cannot be used: {reason}"))
    }

    /// A package that could not be fetched.
    pub(crate) fn not_installed(reference: &str, error: &registry::Error) -> Self {
        Self::other(format!("`{reference}` could not be installed: {error}"))
    }

    /// A resource type that no catalogue has.
    pub(crate) fn unknown_type(name: &str, like: &[String]) -> Self {
        Self::other(format!("there is no resource type `{name}`{}", did_you_mean(like)))
    }

    /// A version that a resource type does not have.
    pub(crate) fn unknown_version(name: &str, version: &str, like: &[String]) -> Self {
        Self::other(format!("`{name}` has no version `{version}`{}", did_you_mean(like)))
    }

    /// A property that a type does not have.
    pub(crate) fn unknown_property(owner: &str, name: &str, like: &[String]) -> Self {
        Self::other(format!("`{owner}` has no property `{name}`{}", did_you_mean(like)))
    }

    /// A file that cannot be published.
    pub(crate) fn not_a_module(path: &Utf8Path) -> Self {
        Self::at(path, "not a module: the name should end with `.bicep` or `.json`".to_owned())
    }

    /// An option about the place of deployment that the template has no use for.
    pub(crate) fn not_of_this_scope(option: &str, scope: &str) -> Self {
        Self::usage(format!("{option} cannot be used: the target scope of the template is `{scope}`"))
    }

    /// Only parameter files can be taken.
    pub(crate) fn needs_parameter_file(path: &Utf8Path) -> Self {
        Self::at(path, "not a parameter file: the name should end with `.bicepparam`".to_owned())
    }

    /// A parameter file that does not say which template it is for.
    pub(crate) fn no_template_used(path: &Utf8Path) -> Self {
        Self::at(path, "the parameter file names no template: `using` is missing or `none`".to_owned())
    }

    /// Several parameter files in Bicep, each with its own template.
    pub(crate) fn several_parameter_files() -> Self {
        Self::usage("only one `.bicepparam` file can be given".to_owned())
    }

    /// A file that is not a snapshot.
    pub(crate) fn not_a_snapshot(path: &Utf8Path) -> Self {
        Self::at(path, "not a snapshot; write it with --mode overwrite".to_owned())
    }

    /// Nothing was given to evaluate.
    pub(crate) fn nothing_to_evaluate() -> Self {
        Self::usage("an expression or --template is needed".to_owned())
    }

    /// Bicep was to be evaluated in a template that is not Bicep.
    pub(crate) fn bicep_against_json() -> Self {
        Self::usage(
            "a template in JSON takes template expressions only, such as `[parameters('name')]`".to_owned(),
        )
    }

    /// A statement that cannot be tried out.
    pub(crate) fn not_for_console(keyword: &str) -> Self {
        Self::other(format!(
            "`{keyword}` is not supported here: enter an expression, or `var`, `func`, `type`, `param` and `import`"
        ))
    }

    /// The terminal does not do what it should.
    pub(crate) fn terminal(reason: &str) -> Self {
        Self::other(format!("the terminal cannot be used: {reason}"))
    }

    /// A template was to be published with the sources it was made from.
    pub(crate) fn no_sources(path: &Utf8Path) -> Self {
        Self::at(path, "a template has no sources; publish the Bicep file with --with-source".to_owned())
    }

    /// A file that was named for analysis and does not say that it is a template.
    pub(crate) fn no_template(path: &Utf8Path) -> Self {
        Self::at(
            path,
            "not a template: its `$schema` is missing or is not that of a deployment template".to_owned(),
        )
    }

    /// A configuration of the analyzer that cannot be used.
    pub(crate) fn bad_configuration(path: &Utf8Path, reason: &str) -> Self {
        Self::at(path, format!("not a configuration: {reason}"))
    }

    /// A baseline that cannot be used.
    pub(crate) fn bad_baseline(path: &Utf8Path) -> Self {
        Self::at(path, "not a baseline; write it with --write-baseline".to_owned())
    }

    /// A rule that does not exist.
    pub(crate) fn no_such_rule(id: &str, suggestion: Option<&str>) -> Self {
        let hint = match suggestion {
            Some(id) => format!("did you mean {id}?"),
            None => "`sinew rules list` lists all".to_owned(),
        };
        Self::other(format!("there is no rule {id}; {hint}"))
    }

    /// A code that nothing reports.
    pub(crate) fn no_such_code(code: &str, suggestion: Option<&str>) -> Self {
        let hint = match suggestion {
            Some(code) => format!("did you mean {code}?"),
            None => "docs/codes.md lists all".to_owned(),
        };
        Self::usage(format!("there is no code {code}; {hint}"))
    }

    /// A parameter of a script that cannot be used.
    pub(crate) fn parameter(reason: &str) -> Self {
        Self::usage(reason.to_owned())
    }

    /// Modules can come from folders only.
    pub(crate) fn not_a_library(name: &str) -> Self {
        Self::usage(format!(
            "`--lib {name}`: neither a folder nor an image with a tag, such as `registry.example.com/modules:v1`"
        ))
    }

    /// An image of modules whose content can change.
    pub(crate) fn library_without_version(name: &str) -> Self {
        Self::usage(format!("`--lib {name}`: the tag `latest` is not reproducible; name a version"))
    }

    /// An image of modules that could not be fetched.
    pub(crate) fn library(name: &str, error: &dyn fmt::Display) -> Self {
        Self::other(format!("`--lib {name}`: {error}"))
    }

    /// A project's settings that cannot be used.
    pub(crate) fn settings(path: &Utf8Path, reason: String) -> Self {
        Self::at(path, reason)
    }

    /// An environment variable with a value that cannot be used.
    pub(crate) fn bad_variable(name: &str, reason: &str) -> Self {
        Self::Usage { reason: format!("the environment variable `{name}`: {reason}") }
    }

    /// The worker process for a script could not be started.
    pub(crate) fn cannot_start(error: &io::Error) -> Self {
        Self::other(format!("cannot start a process for the script: {error}"))
    }

    /// What a script generated could not be written.
    pub(crate) fn script(reason: &str) -> Self {
        Self::other(reason.to_owned())
    }

    /// A new file would replace another one.
    pub(crate) fn exists(path: &Utf8Path) -> Self {
        Self::at(path, "the file exists and was not changed".to_owned())
    }

    /// A server cannot start.
    pub(crate) fn server(reason: &dyn fmt::Display) -> Self {
        Self::other(format!("the server cannot start: {reason}"))
    }

    /// No place for the state of deployments.
    pub(crate) fn no_data_folder() -> Self {
        Self::usage("there is no data folder: set SINEW_HOME, or use --state FILE".to_owned())
    }

    /// A token that protects nothing.
    pub(crate) fn weak_token(length: usize) -> Self {
        Self::usage(format!("the token is too short: at least {length} visible characters are needed"))
    }

    /// The same where an option allows it.
    pub(crate) fn exists_without_force(path: &Utf8Path) -> Self {
        Self::at(path, "the file exists and was not changed; `--force` replaces it".to_owned())
    }

    /// A template that cannot be decompiled. Tools look for these words.
    pub(crate) fn not_decompiled(path: &Utf8Path, reason: &str) -> Self {
        Self::other(format!("{path}: Decompilation failed with fatal error \"{reason}\""))
    }

    /// A value for templates without a name.
    pub(crate) fn bad_template_value(text: &str) -> Self {
        Self::usage(format!(
            "`--custom-template-value {text}`: a name and a value are expected, as `NAME=VALUE`"
        ))
    }

    /// A file of values for templates that cannot be used.
    pub(crate) fn bad_template_values(path: &Utf8Path, reason: &str) -> Self {
        Self::at(path, format!("not a file of values for templates: {reason}"))
    }

    /// Documentation that would replace a source file.
    pub(crate) fn documentation_over_source(path: &Utf8Path) -> Self {
        Self::at(path, "documentation cannot be written over a Bicep file; nothing was written".to_owned())
    }

    /// Two modules whose documentation has one name.
    pub(crate) fn two_documents(path: &Utf8Path, one: &Utf8Path, other: &Utf8Path) -> Self {
        Self::at(path, format!("`{one}` and `{other}` would both be documented here; nothing was written"))
    }

    /// An experimental feature that a command needs.
    pub(crate) fn feature_is_off(name: &str) -> Self {
        Self::other(format!("the command needs the experimental feature \"{name}\" in bicepconfig.json"))
    }

    /// A file for this machine where one for Azure is needed.
    pub(crate) fn local_scope(path: &Utf8Path) -> Self {
        Self::at(path, "the parameter file is for a local deployment: use `local-deploy`".to_owned())
    }

    /// A file for Azure where one for this machine is needed.
    pub(crate) fn not_local_scope(path: &Utf8Path) -> Self {
        Self::at(path, "the Bicep file of the parameter file needs `targetScope = 'local'`".to_owned())
    }

    /// A parameter file whose values are wrong once external inputs are known. No value is shown.
    pub(crate) fn parameters_not_evaluated(path: &Utf8Path) -> Self {
        Self::at(path, "a value cannot be evaluated with the external inputs that are given".to_owned())
    }

    /// A parameter file that does not say where it is deployed.
    pub(crate) fn deployment_without_scope(path: &Utf8Path) -> Self {
        Self::at(path, "`using … with` needs a `scope`".to_owned())
    }

    /// What-if of a stack.
    pub(crate) fn what_if_of_stack(path: &Utf8Path) -> Self {
        Self::at(path, "what-if is not supported for stacks: the mode must be 'deployment'".to_owned())
    }

    /// A word that is no command.
    pub(crate) fn unknown_command(name: &str, word: &str) -> Self {
        Self::usage(format!("`{word}` is not a command: `{name} --help` lists them"))
    }

    /// The output could not be written, unless nobody reads it any more.
    pub(crate) fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::other(format!("cannot write the output: {error}")),
        }
    }

    fn at(path: &Utf8Path, reason: String) -> Self {
        Self::Path { path: path.to_owned(), reason }
    }

    fn usage(reason: String) -> Self {
        Self::Usage { reason }
    }

    fn other(reason: String) -> Self {
        Self::Other { reason }
    }
}

fn did_you_mean(like: &[String]) -> String {
    match like {
        [] => String::new(),
        [one] => format!(": did you mean `{one}`?"),
        several => {
            let names: Vec<_> = several.iter().map(|name| format!("`{name}`")).collect();
            format!(": there are {}", names.join(", "))
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the output was closed"),
            Self::Path { path, reason } => write!(f, "`{path}`: {reason}"),
            Self::Usage { reason } | Self::Other { reason } => f.write_str(reason),
        }
    }
}

impl std::error::Error for Failure {}
