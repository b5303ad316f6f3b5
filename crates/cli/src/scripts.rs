//! What the commands that run scripts share: their arguments, the way from these to settings, and what becomes of the
//! outcome.

mod limits;
mod locator;
mod parameters;
mod restart;
mod watch;
mod watchdog;

use std::io::{BufWriter, sink, stderr, stdout};
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{OciReference, Version};
use generate::host_disk::{Change, DiskHost, WriteOptions, write_files};
use generate::{Host, Outcome as Generated, Script, Settings, paths};

use registry::ImageOptions;

use crate::failure::Failure;
use crate::names::Name;
use crate::report::{self, DiagnosticsFormat};
use crate::scripts::limits::LimitArgs;
use crate::scripts::locator::{Locator, Search};
use crate::scripts::parameters::Parameters;
use crate::scripts::watchdog::{Continuation, WatchdogThread};
use crate::session::{Outcome, Session, Status};

/// Arguments of every command that runs a script.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ScriptArgs {
    /// The folder the script can write to [default: the current one]
    #[arg(short, long, value_name = "DIR")]
    output_directory: Option<String>,

    #[command(flatten)]
    parameters: Parameters,

    /// Print which files are read, written and unchanged
    #[arg(short, long)]
    verbose: bool,

    /// Print the script's dependencies as JSON and write nothing
    #[arg(short = 'd', long)]
    emit_dependencies: bool,

    /// Run again when a dependency changes
    #[arg(long, conflicts_with = "emit_dependencies")]
    watch: bool,

    /// Additional modules: folders, or container images with modules below `/jk/modules`
    #[arg(long = "lib", value_name = "DIR|IMAGE", value_delimiter = ',')]
    libraries: Vec<String>,

    /// The cache folder for images of `--lib`
    #[arg(long, value_name = "DIR")]
    cache: Option<String>,

    /// The folder that holds everything the script may import
    #[arg(long, value_name = "DIR")]
    module_root: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,

    /// Match jk's bugs: numbers in streams, exit code of invalid files
    #[arg(long)]
    jk_compat: bool,

    /// Trace how imports are resolved
    #[arg(long, hide = true)]
    debug_imports: bool,

    /// Write the paths of all dependencies to a file, for `--watch`
    #[arg(long, value_name = "FILE", hide = true)]
    list_dependencies: Option<Utf8PathBuf>,

    /// The format of the report: text on standard error, others on standard output
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

/// A script to run, and what becomes of the files that it generates.
pub(crate) struct Task<'a> {
    pub(crate) call: &'a Call,
    pub(crate) plan: &'a WriteOptions,
    pub(crate) work: &'a dyn Fn(Rc<dyn Host>) -> Generated,
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
            settings.libraries.push(self.library(library, &folder, session)?);
        }
        self.parameters.apply(&mut settings)?;
        settings.verbose = self.verbose;
        settings.dry_run = self.emit_dependencies;
        settings.trace_imports = self.debug_imports;
        settings.allow_random = self.limits.allow_random;
        settings.jk_compatible = self.is_jk(session);
        settings.limits = self.limits.limits();
        settings.ends_process = true;
        settings.ended_validators = Continuation::of_this_process().ended;
        settings.announces_places = Search::of_this_process().is_some();
        let allowed = self.limits.allow_env.iter();
        settings.environment =
            allowed.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?))).collect();
        let script_text = script.to_owned();
        let script = if kind.exec { Script::Inline(script_text) } else { Script::Module(script_text) };
        let name = if kind.exec { "<exec>" } else { script_name(&script) }.to_owned();
        Ok(Call { script, settings, name })
    }

    /// A folder of modules: one on this machine, or what an image has below `/jk/modules`.
    fn library(&self, name: &str, folder: &Utf8Path, session: &Session) -> Result<Utf8PathBuf, Failure> {
        let path = paths::join(folder, name);
        if path.is_dir() {
            return Ok(path);
        }
        let reference = OciReference::parse(name).map_err(|_| Failure::not_a_library(name))?;
        if reference.version == Version::Tag("latest".into()) {
            return Err(Failure::library_without_version(name));
        }
        let cache = match &self.cache {
            Some(cache) => paths::join(folder, cache),
            None => registry::home::data_folder(&session.world)
                .ok_or_else(|| Failure::not_a_library(name))?
                .join("images"),
        };
        let options = ImageOptions {
            path: "jk/modules".into(),
            cache,
            docker_config: registry::docker_config_path(&session.world),
        };
        registry::unpack_image(&reference, &options).map_err(|error| Failure::library(name, &error))
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

    /// Whether exit codes are those of jk.
    pub(crate) fn has_jk_exit_codes(&self, session: &Session) -> bool {
        self.is_jk(session)
    }

    /// Runs a script, writes what it generates, and says how it went; with `--watch`, again and again.
    pub(crate) fn perform(&self, session: &Session, task: &Task<'_>) -> Outcome {
        if self.watch {
            return watch::run(session, Utf8Path::new(&task.call.name));
        }
        let host = self.host(task.call);
        let outcome = (task.work)(Rc::clone(&host) as Rc<dyn Host>);
        if task.call.settings.announces_places {
            return Ok(Status::Clean);
        }
        host.flush().map_err(|error| Failure::output(&error))?;
        if let Some(path) = &self.list_dependencies {
            let paths: String = outcome.dependencies.iter().map(|file| format!("{}\n", file.path)).collect();
            std::fs::write(path, paths).map_err(|error| Failure::unwritable(path, &error))?;
        }
        self.finish(session, task.plan, &outcome)
    }

    /// The disk and the streams of this process, with a watchdog.
    pub(crate) fn host(&self, call: &Call) -> Rc<DiskHost> {
        let limits = &call.settings.limits;
        if let Some(search) = Search::of_this_process() {
            let host = DiskHost::new(Box::new(sink()), Box::new(sink())).with_max_file_size(limits.file_size);
            return Rc::new(host.with_watchdog(Box::new(Locator::new(search))));
        }
        let mut continuation = Continuation::of_this_process();
        let is_restarted = !continuation.ended.is_empty();
        continuation.time_left.get_or_insert(limits.script.time);
        let host = DiskHost::new(Box::new(BufWriter::new(stdout())), Box::new(stderr()))
            .with_max_file_size(limits.file_size)
            .with_watchdog(Box::new(WatchdogThread::new(continuation)));
        Rc::new(if is_restarted { host.muted() } else { host })
    }

    fn finish(&self, session: &Session, plan: &WriteOptions, outcome: &Generated) -> Outcome {
        // What was generated was not written, but positions in messages are positions in it.
        let text_of = |path: &str| {
            let file = outcome.refused.iter().find(|file| file.name == path)?;
            String::from_utf8(file.content.clone()).ok()
        };
        self.report(session, outcome, &text_of)?;
        if self.emit_dependencies && outcome.is_good() {
            session.output.data(&outcome.dependencies_json())?;
        }
        let written = write_files(&outcome.files, plan).map_err(|reason| Failure::script(&reason))?;
        for recovery in &written.recoveries {
            session.output.warning(&recovery.message())?;
        }
        let changes = written.changes;
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
