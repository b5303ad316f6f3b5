//! Running scripts from memory.

use std::rc::Rc;

use generate::{GenerateOptions, MemoryHost, Outcome, Script, Settings, TransformOptions};

/// What came of a run, as text.
#[derive(Debug)]
pub(crate) struct ScriptRun {
    pub(crate) outcome: Outcome,
    pub(crate) printed: String,
    pub(crate) logged: String,
}

impl ScriptRun {
    /// The error lines, joined.
    pub(crate) fn errors(&self) -> String {
        self.outcome.error_lines().join("\n")
    }

    /// The files, each as `name: content`.
    pub(crate) fn files(&self) -> String {
        let texts = self
            .outcome
            .files
            .iter()
            .map(|f| format!("{}:\n{}", f.name, String::from_utf8_lossy(&f.content)));
        texts.collect::<Vec<_>>().join("")
    }

    /// What was printed, then the files, then the errors.
    pub(crate) fn all(&self) -> String {
        format!("{}{}{}", self.printed, self.files(), self.errors())
    }
}

/// A host with these files in `/w`; other paths are absolute.
pub(crate) fn host(files: &[(&str, &str)]) -> MemoryHost {
    files.iter().fold(MemoryHost::new(), |host, (name, text)| {
        let path = if name.starts_with('/') { (*name).to_owned() } else { format!("/w/{name}") };
        host.with_file(path, text)
    })
}

pub(crate) fn settings() -> Settings {
    Settings::in_folder("/w")
}

pub(crate) fn with_params(assignments: &[&str]) -> Settings {
    let mut settings = settings();
    for assignment in assignments {
        settings.params.set_assignment(assignment).unwrap();
    }
    settings
}

fn finish(host: &MemoryHost, outcome: Outcome) -> ScriptRun {
    ScriptRun { outcome, printed: host.printed(), logged: host.logged() }
}

/// Runs `main.js` with further files.
pub(crate) fn run_files(files: &[(&str, &str)], settings: Settings) -> ScriptRun {
    let host = Rc::new(host(files));
    let outcome = generate::run(host.clone(), settings, &Script::File("main.js".into()));
    finish(&host, outcome)
}

/// Runs a script.
pub(crate) fn run(script: &str) -> ScriptRun {
    run_files(&[("main.js", script)], settings())
}

/// Generates from `main.js`.
pub(crate) fn generate_files(
    files: &[(&str, &str)],
    settings: Settings,
    options: &GenerateOptions,
) -> ScriptRun {
    let host = Rc::new(host(files));
    let outcome = generate::generate(host.clone(), settings, &Script::Module("./main.js".into()), options);
    finish(&host, outcome)
}

/// Generates files from a script.
pub(crate) fn generate(script: &str) -> ScriptRun {
    generate_files(&[("main.js", script)], settings(), &GenerateOptions::default())
}

/// Generates to standard output.
pub(crate) fn generate_stdout(script: &str) -> ScriptRun {
    let options = GenerateOptions { stdout: true, ..GenerateOptions::default() };
    generate_files(&[("main.js", script)], settings(), &options)
}

/// Transforms files with an inline function.
pub(crate) fn transform(function: &str, files: &[(&str, &str)], options: TransformOptions) -> ScriptRun {
    let host = Rc::new(host(files));
    let input = if options.input.is_empty() {
        files.iter().map(|(n, _)| (*n).to_owned()).collect()
    } else {
        options.input.clone()
    };
    let options = TransformOptions { input, ..options };
    let outcome =
        generate::transform(host.clone(), settings(), &Script::Inline(function.to_owned()), &options);
    finish(&host, outcome)
}

/// Validates files with an inline function; a line for each file.
pub(crate) fn validate(function: &str, files: &[(&str, &str)]) -> ScriptRun {
    let host = Rc::new(host(files));
    let input: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    let outcome = generate::validate(host.clone(), settings(), &Script::Inline(function.to_owned()), &input);
    finish(&host, outcome)
}
