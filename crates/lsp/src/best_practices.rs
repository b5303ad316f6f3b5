//! Best-practice rules while typing: a snapshot and a file come in; findings with the codes of the command line go out. Which rules
//! run is said by the nearest `sinew.toml`, as on the command line.
//!
//! Rules look at what a file deploys, so they cost more than the compiler's own checks. They run when the typing rests; until
//! then the last findings are shown, moved along with the text.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arm::parameters::Inputs;
use base::{Budget, Diagnostic, Limits, SourceFile, TextRange, TextSize};
use bicep_syntax::Dialect;
use camino::{Utf8Path, Utf8PathBuf};
use config::project_settings::{LoadedProject, SettingSource, load_project_settings};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use project::best_practices::{SilencedFindings, baseline_entry, findings_in_sources};
use project::{Compilation, Snapshot};
use rules::{Baseline, MissingValues, Reach, Rule, Source};

/// How long the typing must rest before rules run.
pub(crate) const DELAY: Duration = Duration::from_millis(150);

/// The values of more parameter files than these are not tried.
const MAX_PARAMETER_FILES: usize = 8;

/// What runs rules, and what it has shown.
#[derive(Default)]
pub(crate) struct BestPractices {
    loaded: Mutex<Option<LoadedRules>>,
    /// By the URI of the document.
    shown: Mutex<BTreeMap<String, Shown>>,
}

/// A selection of rules, with the files it was read from: it holds as long as these are the same.
struct LoadedRules {
    sources: Vec<Arc<SourceFile>>,
    selection: Arc<RuleSelection>,
}

/// The findings that a client has last seen in a document.
struct Shown {
    source: Arc<SourceFile>,
    diagnostics: Vec<Diagnostic>,
}

/// The rules that run in a project.
struct RuleSelection {
    rules: Vec<Rule>,
    /// The ids of all there are.
    known: Vec<String>,
    reach: Reach,
    /// Accepted findings, with the folder that their paths start at.
    baseline: Option<(Baseline, Utf8PathBuf)>,
    /// Files that are not looked at, with the folder that the patterns start at.
    excluded: Option<(GlobSet, Utf8PathBuf)>,
}

impl BestPractices {
    /// What rules say about a file as it is now. A file with errors deploys nothing that could be looked at.
    pub(crate) fn findings(&self, snapshot: &Snapshot, path: &Utf8Path) -> Vec<Diagnostic> {
        let selection = self.selection(snapshot, path);
        if selection.excludes(path) {
            return Vec::new();
        }
        if path.extension() == Some("json") {
            return snapshot.source(path).map(|source| selection.of_template(&source)).unwrap_or_default();
        }
        let compilation = snapshot.compilation(path);
        let is_bicep = compilation.bicep().is_some_and(|bicep| bicep.dialect == Dialect::Bicep);
        let sound = compilation.entry().filter(|entry| is_bicep && compilation.is_sound(*entry));
        if sound.is_none() {
            return Vec::new();
        }
        selection.of_file(&compilation, &values(snapshot, path))
    }

    /// The last findings of a document, as far as its new text still has the places that they are about.
    pub(crate) fn carried(&self, uri: &str, source: &SourceFile) -> Vec<Diagnostic> {
        let shown = lock(&self.shown);
        let Some(shown) = shown.get(uri) else { return Vec::new() };
        let change = Change::between(shown.source.text(), source.text());
        shown.diagnostics.iter().filter_map(|it| change.moved(it)).collect()
    }

    /// Remembers what is shown; gives back whether that is anything new.
    pub(crate) fn show(&self, uri: &str, source: &Arc<SourceFile>, diagnostics: Vec<Diagnostic>) -> bool {
        let is_new = self.carried(uri, source) != diagnostics;
        lock(&self.shown).insert(uri.to_owned(), Shown { source: Arc::clone(source), diagnostics });
        is_new
    }

    /// Whether anything was ever said about a document.
    pub(crate) fn was_shown(&self, uri: &str) -> bool {
        lock(&self.shown).contains_key(uri)
    }

    /// Forgets a document that was closed.
    pub(crate) fn forget(&self, uri: &str) {
        lock(&self.shown).remove(uri);
    }

    /// The rules that run for a file. They are read again when one of their files has changed.
    fn selection(&self, snapshot: &Snapshot, path: &Utf8Path) -> Arc<RuleSelection> {
        let project = load_project_settings(snapshot.world(), path.parent().unwrap_or(path));
        let files = setting_files(&project);
        let sources: Vec<Arc<SourceFile>> = files.iter().filter_map(|it| snapshot.source(it)).collect();
        let mut loaded = lock(&self.loaded);
        let is_same = |known: &[Arc<SourceFile>]| {
            known.len() == sources.len()
                && known.iter().zip(&sources).all(|(a, b)| a.path() == b.path() && a.text() == b.text())
        };
        match &*loaded {
            Some(known) if is_same(&known.sources) => Arc::clone(&known.selection),
            _ => {
                let selection = Arc::new(RuleSelection::read(&project, &sources));
                *loaded = Some(LoadedRules { sources, selection: Arc::clone(&selection) });
                selection
            }
        }
    }
}

/// Whether the nearest `sinew.toml` lists a file among its rule files, or the file is called so: `rules.json`, `NAME-rules.json`,
/// `NAME.rules.json`.
pub(crate) fn is_rule_file(snapshot: &Snapshot, path: &Utf8Path) -> bool {
    let Some(name) = path.file_name().filter(|_| path.extension() == Some("json")) else { return false };
    if name == "rules.json" || name.ends_with("-rules.json") || name.ends_with(".rules.json") {
        return true;
    }
    let project = load_project_settings(snapshot.world(), path.parent().unwrap_or(path));
    texts(&project, "analyze.rules").iter().any(|listed| listed == path.as_str())
}

fn texts<'p>(project: &'p LoadedProject, key: &str) -> &'p [String] {
    project.settings.get(key).map(|it| it.values.as_slice()).unwrap_or_default()
}

/// The files that the rules of a project depend on: `sinew.toml`, rule files, the baseline.
fn setting_files(project: &LoadedProject) -> Vec<Utf8PathBuf> {
    let keys = ["analyze.rules", "analyze.baseline"];
    let named = keys.iter().flat_map(|key| texts(project, key)).map(Utf8PathBuf::from);
    settings_path(project).map(Utf8Path::to_owned).into_iter().chain(named).collect()
}

/// The `sinew.toml` in force.
fn settings_path(project: &LoadedProject) -> Option<&Utf8Path> {
    project.settings.configured().iter().find_map(|configured| match &configured.source {
        SettingSource::File { path, .. } => Some(path.as_path()),
        SettingSource::Variable(_) => None,
    })
}

/// The values that parameter files of the workspace give to a file, one set for each of them.
fn values(snapshot: &Snapshot, path: &Utf8Path) -> Vec<Inputs> {
    let users = snapshot.used_by(path).into_iter().filter(|it| it.extension() == Some("bicepparam"));
    let of = |user: Utf8PathBuf| {
        let compilation = snapshot.compilation(&user);
        let entry = compilation.entry().filter(|entry| compilation.is_sound(*entry))?;
        Some(compilation.parameters(entry)?.inputs())
    };
    users.take(MAX_PARAMETER_FILES).filter_map(of).collect()
}

impl RuleSelection {
    fn read(project: &LoadedProject, sources: &[Arc<SourceFile>]) -> Self {
        let source = |path: &str| sources.iter().find(|source| source.path() == path);
        let own = texts(project, "analyze.rules").iter().filter_map(|path| source(path));
        let mut rules = rules::builtin().to_vec();
        rules.extend(own.flat_map(|file| rules::read(file.text()).rules));
        let known = rules.iter().map(|rule| rule.id.to_string()).collect();
        let excluded = texts(project, "analyze.exclude");
        rules.retain(|rule| !excluded.iter().any(|id| id.eq_ignore_ascii_case(&rule.id)));
        let baseline = texts(project, "analyze.baseline").first().and_then(|path| source(path));
        let baseline = baseline.and_then(|file| {
            let folder = file.path().parent().unwrap_or(Utf8Path::new("/"));
            Some((Baseline::read(file.text()).ok()?, folder.to_owned()))
        });
        let folder = settings_path(project).and_then(Utf8Path::parent);
        let patterns = globs(texts(project, "analyze.exclude-path"));
        let excluded = folder.zip(patterns).map(|(folder, globs)| (globs, folder.to_owned()));
        Self { reach: Reach::of(&rules), rules, known, baseline, excluded }
    }

    fn excludes(&self, path: &Utf8Path) -> bool {
        self.excluded.as_ref().is_some_and(|(globs, folder)| {
            path.strip_prefix(folder).is_ok_and(|relative| globs.is_match(relative.as_std_path()))
        })
    }

    /// What rules say about a Bicep file, once for each set of values.
    fn of_file(&self, compilation: &Compilation<'_>, values: &[Inputs]) -> Vec<Diagnostic> {
        let program = compilation.program();
        let Some(entry) = compilation.entry() else { return Vec::new() };
        let (source, emitted) = (program.unit(entry).source(), compilation.template(entry));
        if emitted.is_cut {
            return Vec::new();
        }
        let silenced = SilencedFindings::of(program);
        let none = [Inputs::default()];
        let mut found: Vec<Diagnostic> = Vec::new();
        for inputs in if values.is_empty() { none.as_slice() } else { values } {
            let analysis = self.analyze(emitted.model(), &[], inputs.clone());
            let findings = findings_in_sources(&analysis, &emitted, source, &self.rules, &silenced);
            for (file, finding) in self.unaccepted(findings) {
                let diagnostic = self.diagnostic(&finding).filter(|_| file.path() == source.path());
                found.extend(diagnostic.filter(|it| !found.contains(it)));
            }
        }
        let complaints = silenced.complaints(source, &self.rules, &self.known);
        found.extend(complaints.into_iter().flat_map(|report| report.diagnostics));
        found
    }

    /// What rules say about a template in JSON; nothing when the text is none.
    fn of_template(&self, source: &Arc<SourceFile>) -> Vec<Diagnostic> {
        let mut parsed = json::parse(source.text(), json::Options::lenient());
        let (accepted, complaints) = rules::Accepted::of_json(&parsed, source);
        let Some(root) = parsed.root.take().filter(rules::is_template) else { return Vec::new() };
        let (template, problems) = arm::Template::read_owned(root);
        let analysis = self.analyze(&template, &problems, Inputs::default());
        let open = analysis.distinct().into_iter().filter_map(|finding| {
            let rule = self.rules.get(finding.rule)?;
            Some((Arc::clone(source), accepted.remaining(finding, &rule.id, source)?))
        });
        let open = self.unaccepted(open.collect());
        let mut found: Vec<Diagnostic> = open.iter().filter_map(|(_, it)| self.diagnostic(it)).collect();
        found.extend(analysis.diagnostics);
        found.extend(complaints.into_iter().chain(accepted.unused(&self.rules, &self.known)));
        found
    }

    fn analyze(&self, template: &arm::Template, problems: &[arm::Error], inputs: Inputs) -> rules::Analysis {
        let budget = Budget::new(Limits::default());
        let source = Source {
            template,
            problems,
            inputs,
            missing: MissingValues::Unknown,
            context: rules::placeholder_context(),
            budget: &budget,
            reach: self.reach,
        };
        rules::analyze(source, &self.rules)
    }

    /// The findings that the baseline does not accept.
    fn unaccepted(
        &self,
        mut findings: Vec<(Arc<SourceFile>, rules::Finding)>,
    ) -> Vec<(Arc<SourceFile>, rules::Finding)> {
        if let Some((baseline, folder)) = &self.baseline {
            let mut baseline = baseline.clone();
            findings.retain(|(file, finding)| {
                !baseline.accept(&baseline_entry(file, finding, &self.rules, folder))
            });
        }
        findings
    }

    fn diagnostic(&self, finding: &rules::Finding) -> Option<Diagnostic> {
        let rule = self.rules.get(finding.rule)?;
        Some(rules::diagnostic(finding, rule, |spot| spot.range))
    }
}

/// `None` when there are no patterns that can be used.
fn globs(patterns: &[String]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(GlobBuilder::new(pattern).literal_separator(true).build().ok()?);
    }
    set.build().ok().filter(|globs| !globs.is_empty())
}

/// How one text became another: a part in the middle was replaced.
struct Change {
    /// Up to here both are the same.
    start: TextSize,
    /// From here on the old text is the same as the end of the new one.
    old_end: TextSize,
    new_end: TextSize,
}

impl Change {
    fn between(old: &str, new: &str) -> Self {
        let size = |at: usize| TextSize::new(u32::try_from(at).unwrap_or(u32::MAX));
        let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
        let rest = (old.len().min(new.len())) - start;
        let end = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
        Self { start: size(start), old_end: size(old.len() - end), new_end: size(new.len() - end) }
    }

    /// A diagnostic of the old text in the new one; none when its place has changed.
    fn moved(&self, diagnostic: &Diagnostic) -> Option<Diagnostic> {
        let mut moved = diagnostic.clone();
        moved.range = self.range(diagnostic.range)?;
        for label in &mut moved.labels {
            label.range = self.range(label.range)?;
        }
        Some(moved)
    }

    fn range(&self, range: TextRange) -> Option<TextRange> {
        if range.end() <= self.start {
            return Some(range);
        }
        let is_behind = range.start() >= self.old_end;
        let at = |offset: TextSize| offset - self.old_end + self.new_end;
        is_behind.then(|| TextRange::new(at(range.start()), at(range.end())))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use base::Check;

    use super::*;

    #[test]
    fn findings_move_with_the_text_until_their_place_changes() {
        let moved = |old: &str, new: &str, (start, end): (u32, u32)| {
            let range = TextRange::new(start.into(), end.into());
            let diagnostic = Check::Rules.warning("R", range, "wrong");
            let moved = Change::between(old, new).moved(&diagnostic)?.range;
            Some((u32::from(moved.start()), u32::from(moved.end())))
        };
        assert_eq!(moved("ab cd ef", "ab cd efg", (3, 5)), Some((3, 5)));
        assert_eq!(moved("ab cd ef", "a cd ef", (3, 5)), Some((2, 4)));
        assert_eq!(moved("ab cd ef", "ab cxd ef", (3, 5)), None);
        assert_eq!(moved("aa", "aaa", (0, 2)), Some((0, 2)));
        assert_eq!(moved("", "x", (0, 0)), Some((0, 0)));
    }
}
