//! What the commands that run scripts share: their arguments, the way from these to settings, and what becomes of the
//! outcome.

use std::io::{BufWriter, stderr, stdout};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use generate::host_disk::{Change, DiskHost, WriteOptions, write_files};
use generate::{Outcome as Generated, Script, Settings, paths};

use crate::failure::Failure;
use crate::names::Name;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

/// Arguments of every command that runs a script.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ScriptArgs {
    /// Where files are written; the current folder if not given
    #[arg(short, long, value_name = "DIR")]
    output_directory: Option<String>,

    #[command(flatten)]
    parameters: Parameters,

    /// Say what is read, written and left alone
    #[arg(short, long)]
    verbose: bool,

    /// Print what the script depends on, as JSON, and write nothing
    #[arg(short = 'd', long)]
    emit_dependencies: bool,

    /// Run again whenever something changes that the script depends on
    #[arg(long, conflicts_with = "emit_dependencies")]
    watch: bool,

    /// Folders of further modules
    #[arg(long = "lib", value_name = "DIR", value_delimiter = ',')]
    libraries: Vec<String>,

    /// Only for command lines of jk; nothing is cached
    #[arg(long, value_name = "DIR", hide = true)]
    cache: Option<String>,

    /// The folder that holds everything the script may import
    #[arg(long, value_name = "DIR")]
    module_root: Option<String>,

    /// How long a script may run, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    max_time: u64,

    /// How much memory a script may use, in megabytes
    #[arg(long, value_name = "MEGABYTES", default_value_t = 1024)]
    max_memory: u64,

    /// Do as jk does, also where that is not right: numbers in streams, exit code of invalid files
    #[arg(long)]
    jk_compat: bool,

    /// Trace how imports are resolved
    #[arg(long, hide = true)]
    debug_imports: bool,

    /// The form of the report; text goes to standard error, the others to standard output
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

/// How the first argument is meant.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ScriptKind {
    /// The first argument is a module, as an import in the current folder would name it
    #[arg(short, long)]
    module: bool,

    /// The first argument is JavaScript
    #[arg(short = 'c', long, conflicts_with = "module")]
    exec: bool,
}

impl ScriptKind {
    /// The first argument names a module or a file that is imported.
    pub(crate) const IMPORTED: Self = Self { module: false, exec: false };
}

/// A script on its way to a library function.
pub(crate) struct Call {
    pub(crate) script: Script,
    pub(crate) settings: Settings,
    /// The script as the user named it.
    pub(crate) name: String,
}

impl ScriptArgs {
    /// The settings for a script that is run as a file of its own: its folder is the module root.
    pub(crate) fn for_file(
        &self,
        script: &str,
        kind: ScriptKind,
        session: &Session,
    ) -> Result<Call, Failure> {
        let mut call = self.call(script, kind, session)?;
        if script == "-" && !kind.module && !kind.exec {
            call.script = Script::Stdin;
        } else if !kind.module && !kind.exec {
            let folder = folder_of(&paths::join(&call.settings.folder, script));
            call.script = Script::File(script.into());
            call.settings.module_root.clone_from(&folder);
            call.settings.input = folder;
        }
        self.with_module_root(call)
    }

    /// The settings for a script that is imported: the current folder is the module root, unless the script lies
    /// elsewhere.
    pub(crate) fn for_import(
        &self,
        script: &str,
        kind: ScriptKind,
        session: &Session,
    ) -> Result<Call, Failure> {
        let mut call = self.call(script, kind, session)?;
        let is_path = ["./", "../", "/"].iter().any(|start| script.starts_with(start));
        if is_path && !kind.exec {
            let path = paths::join(&call.settings.folder, script);
            if !path.starts_with(&call.settings.folder) {
                call.settings.module_root = folder_of(&path);
            }
            call.script = Script::File(path);
        }
        self.with_module_root(call)
    }

    fn call(&self, script: &str, kind: ScriptKind, session: &Session) -> Result<Call, Failure> {
        let folder = session.absolute(Utf8Path::new("."))?;
        let mut settings = Settings::in_folder(folder.clone());
        if let Some(output) = &self.output_directory {
            settings.output = paths::join(&folder, output);
        }
        for library in &self.libraries {
            let path = paths::join(&folder, library);
            if !path.is_dir() {
                return Err(Failure::not_a_library(library));
            }
            settings.libraries.push(path);
        }
        self.parameters.apply(&mut settings)?;
        settings.verbose = self.verbose;
        settings.dry_run = self.emit_dependencies;
        settings.trace_imports = self.debug_imports;
        settings.jk_compatible = self.is_jk(session);
        settings.limits.script.time = Duration::from_secs(self.max_time);
        settings.limits.script.memory = self.max_memory << 20;
        let script_text = script.to_owned();
        let script = if kind.exec { Script::Inline(script_text) } else { Script::Module(script_text) };
        let name = if kind.exec { "<exec>" } else { script_name(&script) }.to_owned();
        Ok(Call { script, settings, name })
    }

    fn with_module_root(&self, mut call: Call) -> Result<Call, Failure> {
        if let Some(root) = &self.module_root {
            call.settings.module_root = paths::join(&call.settings.folder, root);
        }
        Ok(call)
    }

    fn is_jk(&self, session: &Session) -> bool {
        self.jk_compat || session.name == Name::Jk
    }

    /// Whether jk's exit codes are asked for, in so many words.
    pub(crate) fn has_jk_exit_codes(&self) -> bool {
        self.jk_compat
    }

    /// Runs a script, writes what it generates, and says how it went; with `--watch`, again and again.
    pub(crate) fn perform(
        &self,
        session: &Session,
        plan: &WriteOptions,
        work: &dyn Fn(Rc<DiskHost>) -> Generated,
    ) -> Outcome {
        loop {
            let host = Rc::new(DiskHost::new(Box::new(BufWriter::new(stdout())), Box::new(stderr())));
            let outcome = work(Rc::clone(&host));
            host.flush().map_err(|error| Failure::output(&error))?;
            let status = self.finish(session, plan, &outcome);
            if !self.watch {
                return status;
            }
            if let Err(failure) = &status {
                session.output.failure(failure);
            }
            session.output.talk(&format!("watching {} files\n", outcome.dependencies.len()))?;
            wait_for_change(&outcome);
        }
    }

    fn finish(&self, session: &Session, plan: &WriteOptions, outcome: &Generated) -> Outcome {
        // What was generated was not written, so there is no text to show.
        self.report(session, outcome, &|_| None)?;
        if self.emit_dependencies && outcome.is_good() {
            session.output.data(&outcome.dependencies_json())?;
        }
        let changes = write_files(&outcome.files, plan).map_err(|reason| Failure::script(&reason))?;
        let mut lines = String::new();
        for (change, name) in &changes {
            if let Some(words) = self.words(plan, *change) {
                lines.push_str(&format!("{words} {name}\n"));
            }
        }
        session.output.data(&lines)?;
        let would_change = plan.check && changes.iter().any(|(change, _)| *change != Change::Unchanged);
        Ok(Status::from_findings(!outcome.is_good() || would_change))
    }

    fn words(&self, plan: &WriteOptions, change: Change) -> Option<&'static str> {
        match (change, plan.check) {
            (Change::Written, true) => Some("would write"),
            (Change::Removed, true) => Some("would remove"),
            (Change::KeptModified, _) => Some("kept, because it was changed by hand:"),
            (Change::Written, false) => self.verbose.then_some("wrote"),
            (Change::Removed, false) => self.verbose.then_some("removed"),
            (Change::Unchanged, _) => self.verbose.then_some("unchanged"),
        }
    }

    /// Says what is wrong, in the form that was asked for.
    pub(crate) fn report(
        &self,
        session: &Session,
        outcome: &Generated,
        text_of: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), Failure> {
        if self.verbose {
            outcome.notes.iter().try_for_each(|note| session.output.talk(&format!("{note}\n")))?;
        }
        if self.diagnostics_format == DiagnosticsFormat::Text {
            let lines = outcome.error_lines();
            return lines.iter().try_for_each(|line| session.output.talk(&format!("{line}\n")));
        }
        report::write(session, &outcome.reports(text_of), self.diagnostics_format)
    }

    /// Whether people read the report.
    pub(crate) fn reports_text(&self) -> bool {
        self.diagnostics_format == DiagnosticsFormat::Text
    }
}

fn script_name(script: &Script) -> &str {
    match script {
        Script::Module(name) | Script::Inline(name) => name,
        Script::File(path) => path.as_str(),
        Script::Stdin => "<stdin>",
    }
}

fn folder_of(path: &Utf8Path) -> Utf8PathBuf {
    path.parent().map(ToOwned::to_owned).unwrap_or_default()
}

/// Returns when a dependency has another time or size than now. Files are asked twice a second; that is cheap for as
/// many as a script can have, and works on every file system.
fn wait_for_change(outcome: &Generated) {
    let state = || -> Vec<Option<(SystemTime, u64)>> {
        let files = outcome.dependencies.iter();
        files
            .map(|file| file.path.metadata().ok().and_then(|m| Some((m.modified().ok()?, m.len()))))
            .collect()
    };
    let before = state();
    while state() == before {
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// `-p name=value` and `-f FILE`, in the order in which they were given.
#[derive(Debug, Clone, Default)]
struct Parameters(Vec<Parameter>);

#[derive(Debug, Clone)]
enum Parameter {
    Assignment(String),
    File(String),
}

impl Parameters {
    fn apply(&self, settings: &mut Settings) -> Result<(), Failure> {
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
                    .help("Set a parameter of the script; points in the name lead into objects"),
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
