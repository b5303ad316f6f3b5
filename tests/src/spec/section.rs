//! Running one section: its files in a folder of their own, then everything that it says about them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::console::{Program, replay};
use super::expectation::{self, Found};
use super::markdown::{Fence, Role};
use super::{Case, Updates};

/// What a section has at hand.
struct Context<'a> {
    case: &'a Case,
    program: &'a Program,
    updates: Option<&'a Updates>,
    folder: &'a Path,
}

pub(super) fn run(case: &Case, program: &Program, updates: Option<&Updates>) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let context = Context { case, program, updates, folder: folder.path() };
    for fence in case.sections.iter().flat_map(|section| &section.fences) {
        if let Role::File(name) = &fence.role {
            context.write(name, &fence.content)?;
        }
    }
    let Some(section) = case.sections.last() else { return Ok(()) };
    if context.is_about_diagnostics() {
        context.check_diagnostics()?;
    }
    for fence in &section.fences {
        match &fence.role {
            Role::Console => context.check_console(fence)?,
            Role::Output { .. } => context.check_output(fence)?,
            Role::File(_) | Role::Prose => {}
        }
    }
    Ok(())
}

impl Context<'_> {
    fn own_fences(&self) -> impl Iterator<Item = &Fence> {
        self.case.sections.last().into_iter().flat_map(|section| &section.fences)
    }

    /// Files speak for themselves, unless commands or outputs do it; expectations always count.
    fn is_about_diagnostics(&self) -> bool {
        let is_shown = |fence: &Fence| matches!(fence.role, Role::Console | Role::Output { .. });
        let has_expectations = |fence: &Fence| {
            matches!(fence.role, Role::File(_)) && !expectation::read(&fence.content).is_empty()
        };
        !self.own_fences().any(is_shown) || self.own_fences().any(has_expectations)
    }

    fn check_diagnostics(&self) -> Result<(), String> {
        let found = self.diagnostics()?;
        let mut problems = Vec::new();
        for fence in self.own_fences() {
            let Role::File(name) = &fence.role else { continue };
            let last = expectation::last_line(&fence.content);
            let in_file = found.iter().filter(|(file, _)| file == name).map(|(_, found)| found.clone());
            let found: Vec<Found> =
                in_file.map(|found| Found { line: found.line.min(last), ..found }).collect();
            let differences = expectation::differences(&expectation::read(&fence.content), &found);
            if !differences.is_empty()
                && !self.replace(fence, || expectation::rewrite(&fence.content, &found))
            {
                problems.extend(differences.into_iter().map(|difference| format!("{name}: {difference}")));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(self.at_section(&problems.join("\n"))) }
    }

    /// What the program says about the section's own files, each with the name of the file.
    fn diagnostics(&self) -> Result<Vec<(String, Found)>, String> {
        let mut all = Vec::new();
        for fence in self.own_fences() {
            let Role::File(name) = &fence.role else { continue };
            if !name.ends_with(".bicep") && !name.ends_with(".bicepparam") {
                continue;
            }
            let ran = self
                .program
                .run(&["lint", name, "--diagnostics-format", "json"], self.folder)
                .map_err(|error| error.to_string())?;
            for line in String::from_utf8_lossy(&ran.stdout).lines() {
                let value: Value =
                    serde_json::from_str(line).map_err(|error| format!("no JSON: {error}: {line}"))?;
                let item = (self.relative(value.get("file")), found(&value));
                if !all.contains(&item) {
                    all.push(item);
                }
            }
            if !matches!(ran.code, Some(0 | 1)) {
                return Err(self.at_section(&format!("{name}: exit code {:?}\n{}", ran.code, ran.errors())));
            }
        }
        Ok(all)
    }

    fn check_console(&self, fence: &Fence) -> Result<(), String> {
        let now = replay(&fence.content, self.program, self.folder).map_err(|error| error.to_string())?;
        self.compare(fence, &now)
    }

    fn check_output(&self, fence: &Fence) -> Result<(), String> {
        let Role::Output { command, file, pointer, is_json } = &fence.role else { return Ok(()) };
        let ran =
            self.program.run(&[command, file, "--stdout"], self.folder).map_err(|error| error.to_string())?;
        if ran.code != Some(0) {
            return Err(self.at(fence, &format!("exit code {:?}\n{}", ran.code, ran.errors())));
        }
        let mut now = String::from_utf8_lossy(&ran.stdout).into_owned();
        if *is_json {
            let value: Value =
                serde_json::from_str(&now).map_err(|error| self.at(fence, &error.to_string()))?;
            let part = value.pointer(pointer).ok_or_else(|| self.at(fence, "the pointer leads nowhere"))?;
            if serde_json::from_str::<Value>(&fence.content).is_ok_and(|expected| expected == *part) {
                return Ok(());
            }
            now = json::to_pretty(part);
        }
        if !now.ends_with('\n') {
            now.push('\n');
        }
        self.compare(fence, &now)
    }

    fn compare(&self, fence: &Fence, now: &str) -> Result<(), String> {
        if now == fence.content || self.replace(fence, || now.to_owned()) {
            return Ok(());
        }
        Err(self.at(fence, &format!("expected:\n{}\nfound:\n{now}", fence.content)))
    }

    /// Replaces the content of a fence, if that is wanted.
    fn replace(&self, fence: &Fence, content: impl FnOnce() -> String) -> bool {
        match self.updates {
            Some(updates) => {
                updates.replace(&self.case.file, &fence.lines, content());
                true
            }
            None => false,
        }
    }

    fn write(&self, name: &str, content: &str) -> Result<(), String> {
        let path = self.folder.join(name);
        let folder = path.parent().unwrap_or(self.folder);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, content))
            .map_err(|error| format!("{name}: {error}"))
    }

    /// The name of a file as the section has it.
    fn relative(&self, file: Option<&Value>) -> String {
        let file = file.and_then(Value::as_str).unwrap_or_default();
        let canonical = fs::canonicalize(self.folder).unwrap_or_else(|_| self.folder.to_owned());
        let path = Path::new(file);
        let inside = path.strip_prefix(self.folder).or_else(|_| path.strip_prefix(canonical)).unwrap_or(path);
        inside.to_string_lossy().into_owned()
    }

    fn at(&self, fence: &Fence, what: &str) -> String {
        format!("{}:{}: {what}", self.case.file.display(), fence.lines.start)
    }

    fn at_section(&self, what: &str) -> String {
        match self.own_fences().next() {
            Some(fence) => self.at(fence, what),
            None => what.to_owned(),
        }
    }
}

fn found(value: &Value) -> Found {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number =
        |key: &str| value.pointer(&format!("/range/{key}")).and_then(Value::as_u64).unwrap_or_default();
    Found {
        line: number("line"),
        columns: (number("column"), number("endColumn")),
        level: text("severity").to_ascii_lowercase(),
        code: text("code"),
        message: text("message"),
    }
}
