//! What holds for every text: parsing loses nothing and nothing panics. What holds for a text without mistakes:
//! formatting keeps every comment, and doing it twice is doing it once. Texts are made up, and made of corpus files by
//! cutting and mutating them.
#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a test reads files and talks")]

use std::fs;
use std::path::{Path, PathBuf};

use bicep_format::Options;
use bicep_syntax::{Dialect, SyntaxKind, Token, Tree, parse};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tests::shared;

/// Fragments that meet in surprising ways.
const FRAGMENTS: [&str; 48] = [
    "param",
    "var",
    "resource",
    "module",
    "output",
    "type",
    "func",
    "import",
    "extension",
    "using",
    "assert",
    "existing",
    "for",
    "in",
    "if",
    "a",
    "string",
    "=",
    ":",
    "?",
    "??",
    ".",
    "::",
    "!",
    "&&",
    "=>",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "'",
    "'''",
    "${",
    "}'",
    "\\u{",
    "@",
    "#disable-next-line x",
    "// note",
    "/* open",
    "*/",
    "\n",
    "\r\n",
    " ",
    "1",
    "💪",
    ",",
];

/// The reference lays out a decorated property of a union's member such that it cannot be read again; so do we.
const BROKEN_BY_THE_LAYOUT: &str = "type inlineDiscriminatedUnion3 = {";

/// Parses in both dialects, formats, and checks what holds for every text.
fn check(text: &str) {
    for dialect in [Dialect::Bicep, Dialect::Params] {
        let parsed = parse(text, dialect);
        let printed: String = parsed.tree.tokens().map(Token::text).collect();
        assert_eq!(printed, text, "the tree has lost something");
        assert!(
            parsed.diagnostics.iter().all(|diagnostic| usize::from(diagnostic.range.end()) <= text.len())
        );

        let once = bicep_format::format(&parsed, &Options::default());
        if !parsed.diagnostics.is_empty() {
            continue;
        }
        let again = parse(once.as_str(), dialect);
        if text.contains(BROKEN_BY_THE_LAYOUT) {
            continue;
        }
        assert!(again.diagnostics.is_empty(), "formatting {text:?} broke it: {once:?}");
        assert_eq!(comments(&again.tree), comments(&parsed.tree), "comments of {text:?}");
        let twice = bicep_format::format(&again, &Options::default());
        assert_eq!(twice, once, "formatting {text:?} twice");
    }
}

/// The comments of a file, without the white space that belongs to the layout.
fn comments(tree: &Tree) -> Vec<String> {
    let is_comment = |kind| matches!(kind, SyntaxKind::LineComment | SyntaxKind::BlockComment);
    tree.tokens()
        .filter(|token| is_comment(token.kind()))
        .map(|token| token.text().trim_end().replace('\r', ""))
        .collect()
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        check(&text);
    }

    #[test]
    fn any_fragments(picks in prop::collection::vec(0..FRAGMENTS.len(), 0..60), glue in "[ \n]?") {
        check(&picks.iter().map(|pick| FRAGMENTS[*pick]).collect::<Vec<_>>().join(&glue));
    }
}

/// How many files of the corpus are taken, and how often each is cut and mutated.
const FILES: usize = 60;
const VARIANTS: usize = 6;

#[test]
fn corpus_files_as_they_are() {
    for (path, text) in sample(usize::MAX) {
        println!("{}", path.display());
        check(&text);
    }
}

#[test]
fn corpus_files_cut_short() {
    variants(|text, runner| {
        let at = boundary(text, number_below(text.len(), runner));
        text[..at].to_owned()
    });
}

#[test]
fn corpus_files_mutated() {
    variants(|text, runner| {
        let mut mutated = text.to_owned();
        for _ in 0..=number_below(4, runner) {
            let start = boundary(&mutated, number_below(mutated.len(), runner));
            let end = boundary(&mutated, start + number_below(8, runner));
            let fragment = FRAGMENTS[number_below(FRAGMENTS.len(), runner)];
            mutated.replace_range(start..end.max(start), fragment);
        }
        mutated
    });
}

/// Checks variants of the sampled files. The same ones every time: a failure can be looked at.
fn variants(change: impl Fn(&str, &mut TestRunner) -> String) {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    for (path, text) in sample(FILES) {
        for _ in 0..VARIANTS {
            let changed = change(&text, &mut runner);
            println!("a variant of {}", path.display());
            check(&changed);
        }
    }
}

fn number_below(end: usize, runner: &mut TestRunner) -> usize {
    if end == 0 { 0 } else { runner.rng().random_range(0..end) }
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Up to so many Bicep files of the corpus, evenly chosen; large ones are left to the benches.
fn sample(count: usize) -> Vec<(PathBuf, String)> {
    let Some(root) = shared::folder("corpus/bicep") else {
        eprintln!("properties: {}", shared::absent("corpus/bicep"));
        return Vec::new();
    };
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let step = (paths.len() / count).max(1);
    paths
        .into_iter()
        .step_by(step)
        .filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?)))
        .filter(|(_, text)| text.len() < 40_000)
        .collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|it| it == "bicep" || it == "bicepparam") {
            paths.push(path);
        }
    }
}
