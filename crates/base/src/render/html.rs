//! One HTML page for people: findings under their rules and files, with source excerpts, a filter and counts.
//!
//! The page is a single file that asks nobody for anything: its policy forbids every request, and every script but its
//! own. What files say stands in it as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use text_size::{TextRange, TextSize};

use super::regions::{Region, RegionFinder, fitted};
use super::summary::counted;
use super::window::Window;
use super::{CodeInfo, Step, Summary, Tool, uri};
use crate::{Diagnostic, FileReport, Severity, SourceFile};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The only style and the only script that the page may have. A test says what they should be.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; \
                      style-src 'sha256-the/SMG+tBoq3lx7u2w5YWbd58/tGFrw1sFufKOkkHA='; script-src 'sha256-dS/24FLGiABY+VdV8Okwbrq0cokFCYXQf668d977fMM='";

/// Pages with more findings are of no use to anybody; the least severe are left out.
const MOST_FINDINGS: usize = 10_000;
/// Lines of an excerpt, further places of a finding.
const MOST_LINES: u32 = 8;
const MOST_PLACES: usize = 10;

pub(super) fn render(reports: &[FileReport], tool: &Tool) -> String {
    let summary = Summary::of(reports);
    let found = found(reports);
    let mut page = String::new();
    head(&mut page, &summary, tool);
    steps(&mut page, &tool.steps);
    form(&mut page, &summary);
    page.push_str("<main id=\"findings\">\n<div id=\"by-rule\">\n");
    let left_out = summary.total() - found.len();
    if left_out > 0 {
        let text = format!("{} not on this page, the least severe ones.", counted(left_out, "finding"));
        put(&mut page, format_args!("<p role=\"note\">{text}</p>\n"));
    }
    for (code, findings) in by_code(&found) {
        group(&mut page, code, &findings, tool);
    }
    page.push_str("</div>\n<div id=\"by-file\" hidden></div>\n</main>\n");
    put(&mut page, format_args!("<script>{SCRIPT}</script>\n</body>\n</html>\n"));
    page
}

/// A diagnostic with its file.
#[derive(Clone, Copy)]
struct LocatedDiagnostic<'r> {
    /// Its position in the report.
    order: usize,
    file: &'r SourceFile,
    diagnostic: &'r Diagnostic,
    region: Region,
}

/// The findings that are shown, in the order of the report.
fn found(reports: &[FileReport]) -> Vec<LocatedDiagnostic<'_>> {
    let mut all: Vec<LocatedDiagnostic<'_>> = Vec::new();
    for report in reports {
        let mut places = RegionFinder::new(&report.file);
        for diagnostic in &report.diagnostics {
            let region = places.region(diagnostic.range);
            all.push(LocatedDiagnostic { order: all.len(), file: &report.file, diagnostic, region });
        }
    }
    all.sort_by_key(|found| std::cmp::Reverse(found.diagnostic.severity));
    all.truncate(MOST_FINDINGS);
    all.sort_by_key(|found| found.order);
    all
}

/// Findings by code: what is worst first, then by name.
fn by_code<'f, 'r>(found: &'f [LocatedDiagnostic<'r>]) -> Vec<(&'r str, Vec<&'f LocatedDiagnostic<'r>>)> {
    let mut codes: BTreeMap<&str, Vec<&LocatedDiagnostic<'_>>> = BTreeMap::new();
    for one in found {
        codes.entry(one.diagnostic.code.as_str()).or_default().push(one);
    }
    let mut codes: Vec<_> = codes.into_iter().collect();
    let worst =
        |findings: &[&LocatedDiagnostic<'_>]| findings.iter().map(|one| one.diagnostic.severity).max();
    codes.sort_by_key(|(_, findings)| std::cmp::Reverse(worst(findings)));
    codes
}

fn head(page: &mut String, summary: &Summary, tool: &Tool) {
    let (name, version) = (escape(&tool.name), escape(&tool.version));
    put(
        page,
        format_args!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <title>{name}: {summary}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#findings\">To the findings</a>\n\
             <header>\n<h1>{name} report</h1>\n<p>{summary} <span class=\"dim\">{name} {version}</span></p>\n\
             <ul class=\"counts\">\n"
        ),
    );
    for (word, count) in counts(summary) {
        let label = plural(word, count);
        put(page, format_args!("<li class=\"{word}\"><strong>{count}</strong> {label}</li>\n"));
    }
    put(page, format_args!("<li><strong>{}</strong> files</li>\n</ul>\n</header>\n", summary.files));
}

/// What was done, as a table.
fn steps(page: &mut String, steps: &[Step]) {
    if steps.is_empty() {
        return;
    }
    page.push_str("<table>\n<caption>Checks</caption>\n<thead><tr>");
    for title in ["Check", "Files", "Errors", "Warnings", "Notes", "Undetermined", "Result"] {
        put(page, format_args!("<th scope=\"col\">{title}</th>"));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for step in steps {
        let Summary { files, errors, warnings, infos, undetermined } = step.summary;
        put(page, format_args!("<tr><th scope=\"row\">{}</th>", escape(step.name)));
        for count in [files, errors, warnings, infos, undetermined] {
            put(page, format_args!("<td>{count}</td>"));
        }
        put(page, format_args!("<td>{}</td></tr>\n", step.result()));
    }
    page.push_str("</tbody>\n</table>\n");
}

/// The controls. They work by script, and are hidden without.
fn form(page: &mut String, summary: &Summary) {
    page.push_str(
        "<form role=\"search\" hidden>\n<div><label class=\"field\" for=\"filter\">Filter by rule, file or text</label>\
         <input id=\"filter\" type=\"search\" autocomplete=\"off\" aria-describedby=\"shown\"></div>\n\
         <fieldset><legend>Severity</legend>",
    );
    for (word, count) in counts(summary) {
        let label = plural(word, count);
        put(
            page,
            format_args!(
                "<label><input type=\"checkbox\" name=\"severity\" value=\"{word}\" checked> {label}</label>"
            ),
        );
    }
    page.push_str(
        "</fieldset>\n<fieldset><legend>Group by</legend>\
         <label><input type=\"radio\" name=\"group\" value=\"rule\" checked> rule</label>\
         <label><input type=\"radio\" name=\"group\" value=\"file\"> file</label></fieldset>\n\
         <output id=\"shown\" aria-live=\"polite\"></output>\n</form>\n",
    );
}

/// All findings of one rule, file by file.
fn group(page: &mut String, code: &str, findings: &[&LocatedDiagnostic<'_>], tool: &Tool) {
    let info = tool.codes.iter().find(|info| info.code == code);
    let count = counted(findings.len(), "finding");
    put(
        page,
        format_args!("<section class=\"group\"><details open><summary><h2><code>{}</code>", escape(code)),
    );
    if let Some(info) = info.filter(|info| !info.short.is_empty()) {
        put(page, format_args!(" {}", escape(&info.short)));
    }
    put(page, format_args!("</h2><span class=\"count\">{count}</span></summary>\n"));
    if let Some(info) = info {
        let texts = [Some(&info.full).filter(|full| **full != info.short), info.help.as_ref()];
        for text in texts.into_iter().flatten().filter(|text| !text.trim().is_empty()) {
            put(page, format_args!("<p>{}</p>\n", escape(text)));
        }
    }
    let link = findings.iter().find_map(|one| web_link(one.diagnostic.link.as_deref()?));
    if let Some(link) = link {
        let code = escape(code);
        put(page, format_args!("<p><a href=\"{link}\" rel=\"noreferrer\">More about {code}</a></p>\n"));
    }
    for of_file in findings.chunk_by(|a, b| a.file.path() == b.file.path()) {
        let path = of_file.first().map(|one| one.file.path().as_str()).unwrap_or_default();
        put(page, format_args!("<section class=\"file\"><h3>{}</h3>\n", escape(path)));
        of_file.iter().for_each(|one| finding(page, one, info));
        page.push_str("</section>\n");
    }
    page.push_str("</details></section>\n");
}

fn finding(page: &mut String, one: &LocatedDiagnostic<'_>, info: Option<&CodeInfo>) {
    let LocatedDiagnostic { order, file, diagnostic, region } = one;
    let (word, code, path) = (word(diagnostic), escape(&diagnostic.code), escape(file.path().as_str()));
    let Region { start_line, start_column, .. } = region;
    put(
        page,
        format_args!(
            "<article id=\"f{order}\" class=\"finding {word}\" data-severity=\"{word}\" data-order=\"{order}\" \
             data-file=\"{path}\">\n<p class=\"head\"><span class=\"badge\">{word}</span><code>{code}</code> \
             <a href=\"#f{order}\">{path}:{start_line}:{start_column}</a></p>\n<p>{}</p>\n",
            escape(&diagnostic.message)
        ),
    );
    excerpt(page, file, diagnostic.range);
    for label in diagnostic.labels.iter().take(MOST_PLACES) {
        put(page, format_args!("<p>{}</p>\n", escape(&label.message)));
        excerpt(page, file, label.range);
    }
    for related in diagnostic.related.iter().take(MOST_PLACES) {
        let place = super::regions::region(&related.file, related.range);
        let (message, path) = (escape(&related.message), escape(related.file.path().as_str()));
        put(page, format_args!("<p>{message} <span class=\"dim\">{path}:{}</span></p>\n", place.start_line));
        excerpt(page, &related.file, related.range);
    }
    // What is said about the rule is not said again.
    let known = |note: &&String| info.and_then(|info| info.help.as_ref()) != Some(*note);
    for note in diagnostic.notes.iter().filter(known) {
        put(page, format_args!("<p class=\"dim\">{}</p>\n", escape(note)));
    }
    for fix in &diagnostic.fixes {
        put(page, format_args!("<p class=\"dim\">Fix: {}</p>\n", escape(&fix.title)));
    }
    page.push_str("</article>\n");
}

/// The lines of a range and one around it on both sides, numbered, with the range marked.
fn excerpt(page: &mut String, file: &SourceFile, range: TextRange) {
    let lines = file.lines();
    let range = fitted(file, range);
    let first = lines.line(range.start());
    let last = lines.line(range.end()).min(first + MOST_LINES - 1);
    let end = TextSize::of(file.text().as_ref());
    let start_of = |line: u32| TextRange::empty(lines.line_start(line).min(end));
    let marked =
        TextRange::new(range.start(), range.end().min(start_of(last + 1).start()).max(range.start()));
    let window = Window::new(file, &[start_of(first.saturating_sub(1)), marked, start_of(last + 1)]);
    let marked = window.place(marked);
    page.push_str("<pre>");
    let mut at = 0;
    for (number, line) in window.text.split_inclusive('\n').enumerate() {
        let line_end = at + line.trim_end_matches('\n').len();
        let inside = marked.start.clamp(at, line_end)..marked.end.clamp(at, line_end);
        let part = |from: usize, to: usize| escape(window.text.get(from..to).unwrap_or_default());
        let (before, inner, after) =
            (part(at, inside.start), part(inside.start, inside.end), part(inside.end, line_end));
        put(page, format_args!("<span class=\"line\" data-n=\"{}\">{before}", window.first_line + number));
        if !inner.is_empty() {
            put(page, format_args!("<mark>{inner}</mark>"));
        }
        put(page, format_args!("{after}</span>\n"));
        at += line.len();
    }
    page.push_str("</pre>\n");
}

/// The words and how often they stand; checks that could not be made only where there are any.
fn counts(summary: &Summary) -> Vec<(&'static str, usize)> {
    let mut counts = vec![("error", summary.errors), ("warning", summary.warnings), ("note", summary.infos)];
    counts.extend(Some((UNDETERMINED, summary.undetermined)).filter(|(_, count)| *count > 0));
    counts
}

const UNDETERMINED: &str = "undetermined";

fn word(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        _ if diagnostic.is_undetermined => UNDETERMINED,
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn plural(word: &str, count: usize) -> String {
    if count == 1 || word == UNDETERMINED { word.to_owned() } else { format!("{word}s") }
}

/// A link that a browser may follow: no `javascript:` and the like.
fn web_link(link: &str) -> Option<String> {
    let link = uri::from_link(link)?;
    let lower = link.to_ascii_lowercase();
    (lower.starts_with("https://") || lower.starts_with("http://")).then(|| escape(&link))
}

/// Text as it stands in HTML, in elements and in quoted attributes. Control characters, and those that turn the direction
/// of reading, are made visible.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c if c.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}

fn put(page: &mut String, arguments: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _ = page.write_fmt(arguments);
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::Check;
    use crate::render::samples;

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        for text in [STYLE, SCRIPT] {
            let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text));
            assert!(POLICY.contains(&format!("'sha256-{hash}'")), "'sha256-{hash}' is not in the policy");
        }
    }

    #[test]
    fn findings_stand_under_their_rules_with_excerpts() {
        let page = render(&samples::reports(), &Tool::new("sinew", "1.0.0"));
        for part in [
            "<title>sinew: Found 2 errors, 1 warning and 1 note in 3 files.</title>",
            "<h2><code>BCP033</code></h2><span class=\"count\">1 finding</span>",
            "<h3>src/main.bicep</h3>",
            "<a href=\"#f0\">src/main.bicep:7:11</a>",
            "<span class=\"line\" data-n=\"7\">    size: <mark>name</mark></span>",
            "rel=\"noreferrer\">More about BCP033</a>",
            "<p class=\"dim\">Fix: Remove the variable</p>",
            "the parameter is declared here <span class=\"dim\">src/modules/m.bicep:1</span>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }

    #[test]
    fn nothing_that_files_say_is_markup() {
        let evil = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u{202e}";
        let file = SourceFile::new(format!("{evil}.json"), evil);
        let diagnostic = Check::Compiler
            .error(evil, TextRange::new(6.into(), 20.into()), evil)
            .with_label(TextRange::new(0.into(), 3.into()), evil)
            .with_note(evil)
            .with_link("javascript://alert(3)")
            .with_related(file.clone(), TextRange::default(), evil);
        let info =
            CodeInfo { code: evil.into(), short: evil.into(), full: evil.into(), ..CodeInfo::default() };
        let tool = Tool { codes: vec![info], ..Tool::new(evil, evil) };
        let page = render(&[FileReport::new(file, vec![diagnostic])], &tool);
        assert_eq!(page.matches("<script>").count(), 1, "only its own");
        assert!(!page.contains("<img") && !page.contains("href=\"javascript") && !page.contains('\u{202e}'));
        assert_eq!(page.matches("</pre>").count(), page.matches("<pre>").count());
    }

    #[test]
    fn tall_and_long_excerpts_are_cut() {
        let page = render(&samples::endless(), &Tool::new("sinew", ""));
        assert!(page.len() < 40_000, "{}", page.len());
        assert!(page.contains("<mark>&quot;bad&quot;</mark>"), "{page}");
    }

    #[test]
    fn too_many_findings_are_counted_and_left_out() {
        let file = SourceFile::new("a.bicep", "x");
        let note = Check::Compiler.info("many", TextRange::default(), "again");
        let mut diagnostics = vec![note; MOST_FINDINGS + 2];
        diagnostics.push(Check::Compiler.error("one", TextRange::default(), "kept"));
        let page = render(&[FileReport { file, diagnostics }], &Tool::new("sinew", ""));
        assert_eq!(page.matches("<article").count(), MOST_FINDINGS);
        assert!(page.contains("3 findings not on this page") && page.contains("<p>kept</p>"));
    }
}
