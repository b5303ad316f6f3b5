//! What holds for every text: nothing is lost, and a sound text settles when it is formatted again and again.

use std::sync::LazyLock;

use bicep_format::{Indent, Newline, Options};
use bicep_syntax::{Dialect, Parse, SyntaxKind, parse};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::corpus;

/// What is put into texts to break them, or to see whether it is kept.
const SNIPPETS: &[&str] = &[
    "/* c */",
    "// c\n",
    "\n",
    "\n\n",
    " \n ",
    "\r\n",
    "'",
    "'''",
    "${",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "?",
    "|",
    "=",
    "=>",
    ".",
    "!",
    "@",
    "@d()\n",
    "for",
    "if",
    "#disable-next-line a  b",
    "\n#disable-next-line x\n",
    "€",
    "\u{1f600}",
    "\u{a0}",
    "{ a: 1, b: [2, 3] }",
    "f(a, { b: 1 })",
    "x ? y : z",
    "'${a}'",
    "var a=1",
    "/*",
    "//",
    " ",
];

static TEXTS: LazyLock<Vec<(String, Dialect)>> = LazyLock::new(|| {
    let mut texts = vec![(include_str!("sample.bicep").to_owned(), Dialect::Bicep)];
    texts.extend(corpus::cases().into_iter().map(|case| (case.input, case.dialect)));
    texts
});

#[test]
fn whole_files() {
    for (text, dialect) in &*TEXTS {
        check(text, *dialect, &Options::default());
    }
}

proptest! {
    // PROPTEST_CASES asks for more of them; that is worth a while after larger changes.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parts_of_files((text, dialect) in part(), options in options()) {
        check(&text, dialect, &options);
    }

    #[test]
    fn changed_files(
        (text, dialect) in part(),
        edits in prop::collection::vec((any::<Index>(), select(SNIPPETS), 0_usize..4), 1..5),
        options in options(),
    ) {
        let mut text = text;
        for (at, snippet, removed) in edits {
            edit(&mut text, at, snippet, removed);
        }
        check(&text, dialect, &options);
    }

    #[test]
    fn comments_everywhere(
        (text, dialect) in part(),
        places in prop::collection::vec((any::<Index>(), select(&SNIPPETS[..5])), 1..12),
        options in options(),
    ) {
        let mut text = text;
        for (place, comment) in places {
            let boundaries: Vec<_> = parse(text.as_str(), dialect)
                .tree
                .tokens()
                .map(|token| usize::from(token.range().start()))
                .collect();
            text.insert_str(boundaries[place.index(boundaries.len())], comment);
        }
        check(&text, dialect, &options);
    }

    #[test]
    fn any_text(text in any::<String>(), options in options()) {
        check(&text, Dialect::Bicep, &options);
        check(&text, Dialect::Params, &options);
    }

    #[test]
    fn any_tokens(pieces in prop::collection::vec(select(SNIPPETS), 0..40), options in options()) {
        check(&pieces.join(" "), Dialect::Bicep, &options);
        check(&format!("var a = {}", pieces.concat()), Dialect::Bicep, &options);
    }
}

/// Some lines of some file.
fn part() -> impl Strategy<Value = (String, Dialect)> {
    (any::<Index>(), any::<Index>(), 1_usize..40, 0_usize..20).prop_map(|(file, start, count, cut)| {
        let (text, dialect) = file.get(&TEXTS);
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        let start = if lines.is_empty() { 0 } else { start.index(lines.len()) };
        let mut part: String = lines.into_iter().skip(start).take(count).collect();
        let end = part.len().saturating_sub(cut / 4 * cut);
        part.truncate(part.floor_char_boundary(end));
        (part, *dialect)
    })
}

fn options() -> impl Strategy<Value = Options> {
    let indent = prop_oneof![Just(Indent::Tab), (0_usize..5).prop_map(Indent::Spaces)];
    let newline = select(vec![Newline::Lf, Newline::Lf, Newline::CrLf, Newline::Cr]);
    (indent, newline, prop_oneof![Just(120), 0_usize..100], any::<bool>()).prop_map(
        |(indent, newline, width, insert_final_newline)| Options {
            indent,
            newline,
            width,
            insert_final_newline,
        },
    )
}

fn edit(text: &mut String, at: Index, snippet: &str, removed: usize) {
    let start = text.floor_char_boundary(at.index(text.len() + 1));
    let end = text.floor_char_boundary(start + removed).max(start);
    text.replace_range(start..end, snippet);
}

fn check(text: &str, dialect: Dialect, options: &Options) {
    let before = parse(text, dialect);
    let formatted = bicep_format::format(&before, options);
    let after = parse(formatted.as_str(), dialect);
    assert_eq!(essence(&before), essence(&after), "something is lost of {text:?} in {formatted:?}");
    if before.diagnostics.is_empty() && !has_lone_decorators(&before) {
        assert!(after.diagnostics.is_empty(), "{text:?} is broken by {formatted:?}: {:?}", after.diagnostics);
        assert_eq!(comments(&before), comments(&after), "comments of {text:?} in {formatted:?}");
    }
    // Text that means nothing may come to mean something where the reference puts it: behind a statement it goes on a
    // line of its own, in an argument that is not closed it gets commas.
    if before.diagnostics.is_empty() {
        settles(&formatted, dialect, options);
    }
}

/// Formatting a few times comes to an end. As in the reference once is not always enough: lines of white space become
/// empty lines, which become one, and a literal at the end of a call that had to be broken moves next to the parenthesis.
fn settles(text: &str, dialect: Dialect, options: &Options) {
    const MOST: usize = 8;
    let mut text = text.to_owned();
    for _ in 0..MOST {
        let again = bicep_format::format(&parse(text.as_str(), dialect), options);
        if again == text {
            return;
        }
        text = again;
    }
    panic!("formatted {MOST} times, it still changes: {text:?}");
}

/// The text without what a formatter may add and remove.
fn essence(parse: &Parse) -> String {
    parse.tree.text().chars().filter(|char| !char.is_whitespace() && !matches!(char, ',' | '|')).collect()
}

fn comments(parse: &Parse) -> Vec<String> {
    let comments = parse.tree.tokens().filter(|token| {
        matches!(token.kind(), SyntaxKind::LineComment | SyntaxKind::BlockComment | SyntaxKind::Directive)
    });
    comments.map(|comment| comment.text().split_whitespace().collect()).collect()
}

/// Whether decorators lose the line end behind them: at the end of a file that should have none, and in tuples, which
/// are put on one line even so.
fn has_lone_decorators(parse: &Parse) -> bool {
    parse.tree.nodes().any(|node| match node.kind() {
        SyntaxKind::MissingDeclaration => true,
        SyntaxKind::TupleTypeItem => node.child(SyntaxKind::Decorator).is_some(),
        _ => false,
    })
}
