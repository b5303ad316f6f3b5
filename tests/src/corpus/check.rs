//! One check: how the program is driven for each kind, and what must come out.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::folder::{Copy, Patch};
use super::{Check, Corpus, Kind, findings, read_json, string, text_of};
use crate::program::{self, Ran};

/// What a check has at hand.
struct Context<'a> {
    corpus: &'a Corpus,
    check: &'a Check,
    case: &'a Value,
    /// The folder of the case in the corpus.
    source: std::path::PathBuf,
    copy: Copy,
}

pub(super) fn run(corpus: &Corpus, check: &Check, case: &Value) -> Result<(), String> {
    let source = corpus.root.join(string(case, "dir"));
    let copy = Copy::new(&source, string(case, "entry")).map_err(|error| format!("cannot copy: {error}"))?;
    let profile = match string(case, "lint") {
        "" => "default",
        profile => profile,
    };
    let option = Some(check.option.as_str()).filter(|option| !option.is_empty());
    let patch = match check.kind {
        Kind::Build => Patch {
            features: needed(case).chain(option).collect(),
            cache: option.map(|feature| corpus.cache(feature)),
            ..Patch::default()
        },
        Kind::Format => Patch {
            width: option.and_then(|option| option.split_once('=')?.1.parse().ok()),
            ..Patch::default()
        },
        Kind::Diagnostics | Kind::Syntax => Patch { rules: corpus.profiles.get(profile), ..Patch::default() },
        Kind::Params | Kind::Decompile | Kind::Snapshot => Patch::default(),
    };
    copy.patch(&patch).map_err(|error| format!("cannot write bicepconfig.json: {error}"))?;
    let context = Context { corpus, check, case, source, copy };
    match check.kind {
        Kind::Build if context.is_params_file() => context.template_of_params(),
        Kind::Build => context.build(),
        Kind::Params => context.params(),
        Kind::Format => context.format(),
        Kind::Diagnostics | Kind::Syntax => context.diagnostics(),
        Kind::Decompile => context.decompile(),
        Kind::Snapshot => context.snapshot(),
    }
}

/// The features that a case says it needs. Most cases switch them on themselves.
fn needed(case: &Value) -> impl Iterator<Item = &str> {
    let needs = case.get("needs").and_then(Value::as_array).into_iter().flatten();
    needs.filter_map(|need| need.as_str()?.strip_prefix("feature:"))
}

impl Context<'_> {
    fn is_params_file(&self) -> bool {
        self.copy.entry.extension().is_some_and(|extension| extension == "bicepparam")
    }

    fn build(&self) -> Result<(), String> {
        let ran = self.run(&["build", "ENTRY", "--stdout"])?;
        if self.expects_failure() {
            let is_silent = ran.stdout.iter().all(u8::is_ascii_whitespace);
            return if is_silent { failed(&ran) } else { Err("a template was written".to_owned()) };
        }
        succeeded(&ran)?;
        same_bytes(ran.stdout.trim_ascii_end(), self.expected_bytes()?.trim_ascii_end())
    }

    fn template_of_params(&self) -> Result<(), String> {
        let result = self.build_params()?;
        let template =
            result.get("templateJson").and_then(Value::as_str).ok_or("there is no templateJson")?;
        same_json(&parse_json(template.as_bytes())?, &parse_json(&self.expected_bytes()?)?)
    }

    fn params(&self) -> Result<(), String> {
        if self.expects_failure() {
            return failed(&self.run(&["build-params", "ENTRY", "--stdout"])?);
        }
        let result = self.build_params()?;
        let parameters = match result.get("parametersJson") {
            Some(Value::String(text)) => parse_json(text.as_bytes())?,
            Some(value) => value.clone(),
            None => result,
        };
        same_json(&parameters, &parse_json(&self.expected_bytes()?)?)
    }

    fn build_params(&self) -> Result<Value, String> {
        let ran = self.run(&["build-params", "ENTRY", "--stdout"])?;
        succeeded(&ran)?;
        parse_json(&ran.stdout)
    }

    fn format(&self) -> Result<(), String> {
        let ran = self.run(&["format", "ENTRY", "--stdout"])?;
        if self.expects_failure() {
            return failed(&ran);
        }
        succeeded(&ran)?;
        let expected = match self.check.expected.as_str() {
            Some("=input") => read(&self.copy.entry)?,
            _ => self.expected_bytes()?,
        };
        same_bytes(&ran.stdout, &expected)
    }

    fn diagnostics(&self) -> Result<(), String> {
        let ran = self.run(&["lint", "ENTRY", "--diagnostics-format", "sarif"])?;
        let mut found = findings::reported(&ran.stdout, &self.copy.entry)
            .map_err(|error| format!("{error}\n{}", ran.errors()))?;
        let mut expected = match self.check.expected.as_str() {
            Some("=none") => Vec::new(),
            _ => findings::recorded(&parse_json(&self.expected_bytes()?)?),
        };
        if self.check.kind == Kind::Syntax {
            findings::keep_syntax(&mut found);
            findings::keep_syntax(&mut expected);
        }
        findings::compare(&found, &expected)
    }

    fn decompile(&self) -> Result<(), String> {
        if self.expects_failure() {
            return self.refusal();
        }
        let output = self.copy.output().map_err(|error| error.to_string())?;
        let folder = output.to_string_lossy();
        let arguments: &[&str] = match self.case.pointer("/id").and_then(Value::as_str) {
            Some(id) if id.starts_with("decompile-params/") => &["decompile", "ENTRY", "--outdir", &folder],
            _ => &["decompile", "ENTRY", "--exact", "--outdir", &folder],
        };
        succeeded(&self.run(arguments)?)?;
        for (path, expected) in self.check.expected.as_object().into_iter().flatten() {
            let expected = read(&self.source.join(expected.as_str().unwrap_or_default()))?;
            // The recorded paths are those beside the sources; here everything is in one folder.
            let name = Path::new(path).file_name().unwrap_or_default();
            same_bytes(&read(&output.join(name))?, &expected).map_err(|error| format!("{path}: {error}"))?;
        }
        Ok(())
    }

    /// A template that the reference refuses: with `--exact` so do we, at the same place.
    fn refusal(&self) -> Result<(), String> {
        let ran = self.run(&["decompile", "ENTRY", "--exact", "--stdout"])?;
        failed(&ran)?;
        let place =
            self.case.pointer("/expected/errorAt").and_then(Value::as_array).ok_or("no place is recorded")?;
        let place: Vec<String> = place.iter().map(Value::to_string).collect();
        let place = format!("[{}]: ", place.join(":"));
        if ran.errors().contains(&place) { Ok(()) } else { Err(format!("not at {place}\n{}", ran.errors())) }
    }

    fn snapshot(&self) -> Result<(), String> {
        let mut arguments = vec!["snapshot".to_owned(), "ENTRY".to_owned()];
        for (name, value) in self.case.get("args").and_then(Value::as_object).into_iter().flatten() {
            arguments.extend([format!("--{name}"), text_of(value)]);
        }
        succeeded(&self.run(&arguments)?)?;
        same_json(
            &read_json(&self.copy.entry.with_extension("snapshot.json"))?,
            &parse_json(&self.expected_bytes()?)?,
        )
    }

    /// Runs the program; `ENTRY` stands for the entry file.
    fn run(&self, arguments: &[impl AsRef<str>]) -> Result<Ran, String> {
        let arguments = arguments.iter().map(|argument| match argument.as_ref() {
            "ENTRY" => self.copy.entry.as_os_str(),
            other => other.as_ref(),
        });
        let variables = self.variables();
        program::run(&self.corpus.program, arguments, &variables).map_err(|error| error.to_string())
    }

    fn variables(&self) -> Vec<(String, String)> {
        let mut variables = self.corpus.variables.clone();
        if let Some(version) = self.case.get("generatorVersion") {
            variables.push(("SINEW_GENERATOR".to_owned(), format!("bicep@{}", text_of(version))));
        }
        variables
    }

    fn expects_failure(&self) -> bool {
        self.check.expected.as_str() == Some("=fail")
    }

    fn expected_bytes(&self) -> Result<Vec<u8>, String> {
        read(&self.source.join(self.check.expected.as_str().unwrap_or_default()))
    }
}

fn succeeded(ran: &Ran) -> Result<(), String> {
    match ran.code {
        Some(0) => Ok(()),
        code => Err(format!("exit code {code:?}\n{}", ran.errors())),
    }
}

/// It ended with code 1, and not by accident.
fn failed(ran: &Ran) -> Result<(), String> {
    match ran.code {
        Some(1) if !ran.errors().contains("panicked") => Ok(()),
        code => Err(format!("exit code {code:?}, 1 is expected\n{}", ran.errors())),
    }
}

fn same_bytes(found: &[u8], expected: &[u8]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let at = found.iter().zip(expected).take_while(|(one, other)| one == other).count();
    let line = 1 + found.iter().take(at).filter(|byte| **byte == b'\n').count();
    let shown = |bytes: &[u8]| {
        let start = bytes.iter().take(at).rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let line = bytes.get(start..).unwrap_or_default().split(|byte| *byte == b'\n').next();
        String::from_utf8_lossy(line.unwrap_or_default()).into_owned()
    };
    Err(format!("line {line} differs\n  found    {:?}\n  expected {:?}", shown(found), shown(expected)))
}

fn same_json(found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("found {found}\nexpected {expected}")) }
}

fn parse_json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("no JSON: {error}"))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
