//! A small driver for development: the command line of jk over this library, without the rest of the program.
#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "this is a program")]

use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::rc::Rc;

use camino::Utf8PathBuf;
use generate::host_disk::{Change, DiskHost, WriteOptions, write_files};
use generate::{GenerateOptions, Outcome, Script, Settings, TransformOptions, paths};

fn main() -> ExitCode {
    match program(std::env::args().skip(1).collect()) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("Error: {message}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Default)]
struct Arguments {
    words: Vec<String>,
    input: Option<String>,
    output: Option<String>,
    validate: Option<String>,
    flags: Vec<&'static str>,
}

const SWITCHES: [(&str, &str); 8] = [
    ("v", "verbose"),
    ("d", "emit-dependencies"),
    ("m", "module"),
    ("c", "exec"),
    ("", "stdout"),
    ("", "overwrite"),
    ("", "debug-imports"),
    ("", "jk-compat"),
];

fn program(words: Vec<String>) -> Result<ExitCode, String> {
    let folder = Utf8PathBuf::from_path_buf(std::env::current_dir().map_err(|e| e.to_string())?)
        .map_err(|path| format!("{} is not UTF-8", path.display()))?;
    let mut settings = Settings::in_folder(folder.clone());
    let arguments = parse(words, &mut settings)?;
    let has = |flag| arguments.flags.contains(&flag);
    let [command, script, rest @ ..] = arguments.words.as_slice() else {
        return Err("a command and a script are needed".to_owned());
    };
    settings.verbose = has("verbose");
    settings.dry_run = has("emit-dependencies");
    settings.trace_imports = has("debug-imports");
    settings.jk_compatible = true;
    if let Some(output) = &arguments.output {
        settings.output = paths::join(&folder, output);
    }
    let script_folder = paths::join(&folder, script).parent().map(ToOwned::to_owned).unwrap_or_default();
    let is_file = !has("module") && !has("exec") && script != "-";
    if is_file && command == "run" {
        settings.module_root.clone_from(&script_folder);
    }
    if is_file && (command == "run" || command == "generate") {
        settings.input.clone_from(&script_folder);
    }
    if let Some(input) = &arguments.input {
        settings.input = paths::join(&folder, input);
    }
    let script = match (has("module"), has("exec"), script.as_str()) {
        (_, true, source) => Script::Inline(source.to_owned()),
        (true, _, specifier) => Script::Module(specifier.to_owned()),
        (_, _, "-") => Script::Stdin,
        (_, _, path) if command == "run" => Script::File(path.into()),
        (_, _, specifier) => Script::Module(specifier.to_owned()),
    };
    let host =
        Rc::new(DiskHost::new(Box::new(BufWriter::new(std::io::stdout())), Box::new(std::io::stderr())));
    let outcome = match command.as_str() {
        "run" => generate::run(host.clone(), settings.clone(), &script),
        "generate" => {
            let options = GenerateOptions { stdout: has("stdout"), validate: arguments.validate.clone() };
            generate::generate(host.clone(), settings.clone(), &script, &options)
        }
        "transform" => {
            let options = TransformOptions {
                input: rest.to_vec(),
                stdout: has("stdout"),
                overwrite: has("overwrite"),
                validate: arguments.validate.clone(),
            };
            generate::transform(host.clone(), settings.clone(), &script, &options)
        }
        "validate" => generate::validate(host.clone(), settings.clone(), &script, rest),
        other => return Err(format!("unknown command {other}")),
    };
    host.flush().map_err(|error| error.to_string())?;
    finish(command, &settings, &outcome, has("jk-compat"))
}

fn finish(
    command: &str,
    settings: &Settings,
    outcome: &Outcome,
    compatible: bool,
) -> Result<ExitCode, String> {
    let mut out = std::io::stdout().lock();
    if command == "validate" {
        for check in &outcome.checks {
            let is_ok = check.verdict.is_pass();
            let lines: Vec<String> =
                if is_ok { vec![format!("{}: ok", check.path)] } else { check.lines().collect() };
            lines.iter().for_each(|line| eprintln!("{line}"));
        }
        if let Some(error) = &outcome.error {
            eprintln!("{}", error.render());
        }
        let is_good = outcome.is_good() || (compatible && outcome.error.is_none());
        return Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    for line in outcome.error_lines() {
        eprintln!("{line}");
    }
    if settings.dry_run && outcome.is_good() {
        let _ = out.write_all(outcome.dependencies_json().as_bytes());
    }
    for (change, name) in write_files(&outcome.files, &WriteOptions::default())?.changes {
        if settings.verbose && change == Change::Written {
            let _ = writeln!(out, "wrote {name}");
        }
    }
    Ok(if outcome.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn parse(words: Vec<String>, settings: &mut Settings) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (name, mut attached) = match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(long), _) => match long.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (long.to_owned(), None),
            },
            (None, Some(short)) if !short.is_empty() => {
                let (name, rest) = short.split_at(1);
                let rest = rest.strip_prefix('=').unwrap_or(rest);
                (name.to_owned(), (!rest.is_empty()).then(|| rest.to_owned()))
            }
            _ => {
                arguments.words.push(word);
                continue;
            }
        };
        if let Some((_, flag)) = SWITCHES.iter().find(|(short, long)| name == *long || name == *short) {
            arguments.flags.push(flag);
            continue;
        }
        let mut value = || attached.take().or_else(|| words.next()).ok_or(format!("{word} needs a value"));
        match name.as_str() {
            "i" | "input-directory" => arguments.input = Some(value()?),
            "o" | "output-directory" => arguments.output = Some(value()?),
            "p" | "parameter" => settings.params.set_assignment(&value()?)?,
            "validate" => arguments.validate = Some(value()?),
            "f" | "parameters" => {
                let path = value()?;
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
                settings.params.merge_file(&path, &text)?;
                settings.parameter_files.push(paths::join(&settings.folder, &path));
            }
            _ => return Err(format!("unknown flag: {word}")),
        }
    }
    Ok(arguments)
}
