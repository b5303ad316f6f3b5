//! Which rules run: the built-in ones, those of files, and what the command line and a configuration leave of them.

use base::{FileReport, World as _};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use globset::GlobBuilder;
use rules::{Exemption, Filter, Level, Rule};

use crate::analysis::{Exempt, RuleSet};
use crate::failure::Failure;
use crate::session::Session;

/// The arguments that say which rules run.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RuleArgs {
    /// Add the rules in this file; repeatable
    #[arg(long, value_name = "FILE")]
    rules: Vec<Utf8PathBuf>,

    /// Use the rules in this file instead of the built-in ones; repeatable
    #[arg(long, value_name = "FILE")]
    only_rules: Vec<Utf8PathBuf>,

    /// A configuration with inclusions, exclusions and severityOverrides
    #[arg(long, short = 'c', value_name = "FILE")]
    config: Option<Utf8PathBuf>,

    /// The lowest severity to report
    #[arg(long, value_enum, ignore_case = true, value_name = "LEVEL", default_value_t)]
    min_severity: MinSeverity,

    /// Run only these rules; repeatable
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    include: Vec<String>,

    /// Skip these rules; repeatable
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    exclude: Vec<String>,
}

/// How much a rule must matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum MinSeverity {
    /// All rules
    #[default]
    Low,
    /// Medium and high
    Medium,
    /// High only
    High,
}

impl RuleArgs {
    /// The rules that run, and what is wrong with their files.
    pub(crate) fn select(&self, session: &Session) -> Result<(RuleSet, Vec<FileReport>), Failure> {
        let mut reports = Vec::new();
        let mut selected = if self.only_rules.is_empty() { rules::builtin().to_vec() } else { Vec::new() };
        for path in self.only_rules.iter().chain(&self.rules) {
            let (mut found, report) = load(path, session)?;
            selected.append(&mut found);
            reports.push(report);
        }
        let known: Vec<String> = selected.iter().map(|rule| rule.id.to_string()).collect();
        let mut exemptions = Vec::new();
        if let Some(path) = &self.config {
            let filter = filter(path, session)?;
            selected = filter.apply(selected);
            exemptions = exempt(filter.accepted, path, session)?;
        }
        let least = match self.min_severity {
            MinSeverity::Low => Level::Low,
            MinSeverity::Medium => Level::Medium,
            MinSeverity::High => Level::High,
        };
        let named = |ids: &[String], rule: &Rule| ids.iter().any(|id| id.eq_ignore_ascii_case(&rule.id));
        let is_known = |id: &&String| known.iter().any(|known: &String| known.eq_ignore_ascii_case(id));
        if let Some(id) = self.include.iter().find(|id| !is_known(id)) {
            let suggestion = base::spelling::suggest(id, known.iter().map(String::as_str));
            return Err(Failure::no_such_rule(id, suggestion));
        }
        for id in self.exclude.iter().filter(|id| !is_known(id)) {
            session.output.warning(&format!("there is no rule {id}"))?;
        }
        selected.retain(|rule| {
            rule.severity >= least
                && (self.include.is_empty() || named(&self.include, rule))
                && !named(&self.exclude, rule)
        });
        Ok((RuleSet { rules: selected, known, exemptions, ..RuleSet::default() }, reports))
    }
}

/// What a configuration accepts, ready to be asked.
fn exempt(accepted: Vec<Exemption>, path: &Utf8Path, session: &Session) -> Result<Vec<Exempt>, Failure> {
    let absolute = session.absolute(path)?;
    let folder = absolute.parent().unwrap_or(Utf8Path::new("/"));
    let exempt = accepted.into_iter().map(|exemption| {
        let glob = GlobBuilder::new(&exemption.path).literal_separator(true).build();
        let glob = glob.map_err(|error| Failure::bad_pattern(&exemption.path, error.kind()))?;
        Ok(Exempt { exemption, files: glob.compile_matcher(), folder: folder.to_owned() })
    });
    exempt.collect()
}

/// The rules of a file.
pub(crate) fn load(path: &Utf8Path, session: &Session) -> Result<(Vec<Rule>, FileReport), Failure> {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let read = rules::read(file.text());
    Ok((read.rules, FileReport::new(file, read.diagnostics)))
}

/// A configuration.
pub(crate) fn filter(path: &Utf8Path, session: &Session) -> Result<Filter, Failure> {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let parsed = json::parse(file.text(), json::Options::lenient());
    let error = parsed.diagnostics.first().map(|d| (d.message.clone(), d.range));
    let read = match (error, &parsed.root) {
        (Some(error), _) => Err(error),
        (None, Some(root)) => Filter::read(root),
        (None, None) => Err(("The file is empty.".to_owned(), base::TextRange::default())),
    };
    read.map_err(|(message, range)| {
        let at = file.position(range.start());
        Failure::bad_configuration(path, &format!("line {}: {message}", at.line + 1))
    })
}
