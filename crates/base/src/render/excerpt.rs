//! Source excerpts for people: the lines in question with what is to be seen there, notes, ways out, other places.

use std::borrow::Cow;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title, normalize_untrusted_str,
};
use text_size::TextRange;

use super::regions::{Region, RegionFinder, fitted, region};
use super::window::Window;
use crate::{Diagnostic, FileReport, Severity, SourceFile};

/// A range over more lines than this is shown by its first line.
const MOST_LINES: u32 = 30;
/// Marks further apart than this are shown in excerpts of their own.
const NEAR: u32 = 10;
/// More labels or related places than this say nothing more.
const MOST_PLACES: usize = 20;
const LONGEST_MESSAGE: usize = 2_000;

pub(super) fn render(reports: &[FileReport], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for report in reports {
        let mut places = RegionFinder::new(&report.file);
        for diagnostic in &report.diagnostics {
            let place = places.region(diagnostic.range);
            out.push_str(&renderer.render(&groups(&report.file, diagnostic, place)));
            out.push_str("\n\n");
        }
    }
    out
}

/// A range to be underlined.
#[derive(Clone, Copy)]
struct Mark<'a> {
    range: TextRange,
    kind: AnnotationKind,
    label: Option<&'a str>,
}

impl<'a> Mark<'a> {
    fn primary(file: &SourceFile, range: TextRange) -> Self {
        Self { range: shown(file, range), kind: AnnotationKind::Primary, label: None }
    }

    fn context(file: &SourceFile, range: TextRange, label: &'a str) -> Self {
        Self { range: shown(file, range), kind: AnnotationKind::Context, label: Some(label) }
    }
}

fn groups<'a>(file: &'a SourceFile, diagnostic: &'a Diagnostic, place: Region) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Info => Level::INFO,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let title = level.clone().primary_title(shortened(&diagnostic.message)).id(diagnostic.code.as_str());
    let mut marks = vec![Mark::primary(file, diagnostic.range)];
    let labels = diagnostic.labels.iter().take(MOST_PLACES);
    marks.extend(labels.map(|label| Mark::context(file, label.range, &label.message)));
    let mut groups = located(title, &level, file, place, marks);
    if let Some(last) = groups.pop() {
        groups.push(with_messages(last, diagnostic, place));
    }
    for related in diagnostic.related.iter().take(MOST_PLACES) {
        let title = Level::NOTE.secondary_title(plain(&related.message));
        let place = region(&related.file, related.range);
        let marks = vec![Mark::primary(&related.file, related.range)];
        groups.extend(located(title, &Level::NOTE, &related.file, place, marks));
    }
    groups
}

/// The lines below an excerpt.
fn with_messages<'a>(group: Group<'a>, diagnostic: &'a Diagnostic, place: Region) -> Group<'a> {
    let goes_on = (place.end_line - place.start_line > MOST_LINES)
        .then(|| Level::NOTE.message(format!("this goes on to line {}", place.end_line)));
    let notes = diagnostic.notes.iter().map(|note| Level::NOTE.message(plain(note)));
    let fixes = diagnostic.fixes.iter().map(|fix| Level::HELP.with_name("fix").message(plain(&fix.title)));
    let link = diagnostic.link.iter().map(|link| Level::HELP.message(format!("see {}", plain(link))));
    group.elements(goes_on).elements(notes).elements(fixes).elements(link)
}

/// A title, where it is, and the excerpts that show it. The first mark is what it is about.
fn located<'a>(
    title: Title<'a>,
    level: &Level<'a>,
    file: &'a SourceFile,
    place: Region,
    marks: Vec<Mark<'a>>,
) -> Vec<Group<'a>> {
    let path = file.path().as_str();
    let snippets: Vec<_> = clusters(file, marks).iter().map(|marks| snippet(file, marks)).collect();
    // An excerpt counts the columns of what it shows, in characters. Where that is not the column of the file, the
    // place is written above it.
    let start_column = snippets.first().and_then(|snippet| snippet.column);
    let named = |snippet: Excerpt<'a>| match snippet.column {
        Some(_) => snippet.snippet.path(path),
        None => snippet.snippet,
    };
    if start_column == Some(place.start_column) {
        return vec![title.elements(snippets.into_iter().map(named))];
    }
    let origin = Origin::path(path).line(place.start_line as usize).char_column(place.start_column as usize);
    let unnamed = snippets.into_iter().map(|excerpt| excerpt.snippet);
    vec![title.element(origin), Group::with_level(level.clone()).elements(unnamed)]
}

/// Marks that are shown together: those near each other. The first mark's come first.
fn clusters<'a>(file: &SourceFile, mut marks: Vec<Mark<'a>>) -> Vec<Vec<Mark<'a>>> {
    let line = |at| file.lines().line(at);
    marks.sort_by_key(|mark| mark.range.start());
    let mut clusters: Vec<Vec<Mark<'a>>> = Vec::new();
    let mut reached = 0;
    for mark in marks {
        match clusters.last_mut() {
            Some(cluster) if line(mark.range.start()) <= reached + NEAR => cluster.push(mark),
            _ => clusters.push(vec![mark]),
        }
        reached = reached.max(line(mark.range.end()));
    }
    let is_primary = |cluster: &Vec<Mark<'_>>| cluster.iter().any(|m| m.kind == AnnotationKind::Primary);
    clusters.sort_by_key(|cluster| !is_primary(cluster));
    clusters
}

/// An excerpt, and the column that it will give for itself, if that is a column of the file.
struct Excerpt<'a> {
    snippet: Snippet<'a, Annotation<'a>>,
    column: Option<u32>,
}

fn snippet<'a>(file: &SourceFile, marks: &[Mark<'a>]) -> Excerpt<'a> {
    let ranges: Vec<_> = marks.iter().map(|mark| mark.range).collect();
    let window = Window::new(file, &ranges);
    let main = marks.iter().find(|mark| mark.kind == AnnotationKind::Primary).or(marks.first());
    let column = main.filter(|_| window.whole).map(|main| {
        let start = file.lines().line_start(file.lines().line(main.range.start()));
        let before = file.slice(TextRange::new(start, main.range.start()));
        u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX)
    });
    let annotations: Vec<_> = marks
        .iter()
        .map(|mark| mark.kind.span(window.place(mark.range)).label(mark.label.map(shortened)))
        .collect();
    let snippet = Snippet::source(window.text).line_start(window.first_line).annotations(annotations);
    Excerpt { snippet, column }
}

/// The range that is underlined: it fits the file, and ends with its first line when it is endless.
fn shown(file: &SourceFile, range: TextRange) -> TextRange {
    let range = fitted(file, range);
    let lines = file.lines();
    let first = lines.line(range.start());
    if lines.line(range.end()) - first <= MOST_LINES {
        return range;
    }
    let line = file.slice(TextRange::new(range.start(), lines.line_start(first + 1)));
    let length = line.trim_end_matches(['\r', '\n']).len();
    TextRange::at(range.start(), u32::try_from(length).unwrap_or(0).into())
}

/// Text without anything that could steer a terminal.
fn plain(text: &str) -> String {
    normalize_untrusted_str(&shortened(text))
}

fn shortened(text: &str) -> String {
    let short = text.char_indices().nth(LONGEST_MESSAGE).and_then(|(end, _)| text.get(..end));
    let text = short.map_or(Cow::Borrowed(text), |short| Cow::Owned(format!("{short}…")));
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::Check;
    use crate::render::samples;

    #[test]
    fn excerpts_with_everything() {
        expect![[r#"
            error[BCP033]: Expected a value of type "int" but the provided value is of type "string".
             --> src/main.bicep:7:11
              |
            2 | param name string
              |       ----------- declared as string
            ...
            7 |     size: name
              |           ^^^^
              |
              = note: The parameter `size` of the module is an int.
              = help: see https://aka.ms/bicep/core-diagnostics#BCP033
            note: the parameter is declared here
             --> src/modules/m.bicep:1:7
              |
            1 | param size int
              |       ^^^^

            warning[no-unused-vars]: Variable "unused" is declared but never used.
              --> src/main.bicep:11:5
               |
            11 | var unused = 1
               |     ^^^^^^
               |
               = fix: Remove the variable

            info[sample-info]: After two units & "one" letter.
             --> my files/größe, 100%.bicep:1:8
              |
              |
            1 | var 💪 = 'é'
              |        ^^^^^

            error[BCP018]: Line one
                           line <two>: 50%␛[31m
             --> my files/größe, 100%.bicep:2:9
              |
            2 |   var y = {
              |  _________^
            3 | |   a: 1
            4 | | }
              | |_^
              |
              = fix: Insert a comma

        "#]]
        .assert_eq(&render(&samples::reports(), false));
    }

    #[test]
    fn colours_on_request() {
        let plain = render(&samples::reports(), false);
        let coloured = render(&samples::reports(), true);
        assert!(!plain.contains('\u{1b}') && coloured.contains("\u{1b}[1m\u{1b}[91merror[BCP033]"));
    }

    #[test]
    fn long_lines_and_long_ranges_are_shortened() {
        expect![[r#"
            error[long-line]: in the middle
             --> min.json:1:20008
              |
              |
            1 | {"a":[{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1}…1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"bad":true}]}
              | - the beginning                                                                                                           ^^^^^

            info[tall]: over many lines
               --> tall.bicep:2:1
                |
              2 | x
                | ^
                |
               ::: tall.bicep:496:1
                |
            496 | x
                | - far away
                |
                = note: this goes on to line 451

        "#]].assert_eq(&render(&samples::endless(), false));
    }

    #[test]
    fn any_range_can_be_shown() {
        let text = "é💪\r\nx\ry\n\n\t💪";
        let file = SourceFile::new("a", text);
        let length = u32::try_from(text.len()).unwrap() + 3;
        for start in 0..length {
            for end in start..length {
                let range = TextRange::new(start.into(), end.into());
                let other = TextRange::new((length - end).into(), (length - start).into());
                let diagnostic = Check::Compiler.error("X", range, "here").with_label(other, "there");
                let report = FileReport::new(file.clone(), vec![diagnostic]);
                assert!(render(&[report], false).starts_with("error[X]: here"));
            }
        }
    }
}
