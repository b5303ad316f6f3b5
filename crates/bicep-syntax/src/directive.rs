//! What the directives of a file mean: which diagnostics are silenced where.

use base::suppression::Suppressions;
use base::{SourceFile, TextRange, TextSize};

use crate::tree::Tree;

/// What a directive does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectiveKind {
    /// Silences codes on the next line.
    DisableNextLine,
    /// Silences codes from here on.
    Disable,
    /// Ends what `Disable` began.
    Restore,
}

/// The words after `#`, with what they mean.
pub(crate) const KEYWORDS: [(&str, DirectiveKind); 3] = [
    ("disable-next-line", DirectiveKind::DisableNextLine),
    ("disable-diagnostics", DirectiveKind::Disable),
    ("restore-diagnostics", DirectiveKind::Restore),
];

/// A directive with the codes it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive<'t> {
    /// What it does.
    pub kind: DirectiveKind,
    pub range: TextRange,
    /// The codes it names, each with its place.
    pub codes: Vec<(&'t str, TextRange)>,
}

/// All directives of a file, in order.
pub fn directives(tree: &Tree) -> impl Iterator<Item = Directive<'_>> {
    tree.directives().filter_map(|token| {
        let text = token.text();
        let (keyword, kind) = KEYWORDS.iter().find(|(keyword, _)| text[1..].starts_with(keyword))?;
        let mut offset = 1 + keyword.len();
        let mut codes = Vec::new();
        for word in text[offset..].split([' ', '\t']) {
            if !word.is_empty() {
                let start = token.range().start() + TextSize::of(&text[..offset]);
                codes.push((word, TextRange::at(start, TextSize::of(word))));
            }
            offset += word.len() + 1;
        }
        Some(Directive { kind: *kind, range: token.range(), codes })
    })
}

/// Which diagnostics the directives of a file silence.
pub fn suppressions(tree: &Tree, source: &SourceFile) -> Suppressions {
    let mut suppressions = Suppressions::default();
    for directive in directives(tree) {
        let line = source.lines().line(directive.range.start());
        for (code, _) in directive.codes {
            match directive.kind {
                DirectiveKind::DisableNextLine => suppressions.on_line(line + 1, code),
                DirectiveKind::Disable => suppressions.starting_at(line, code),
                DirectiveKind::Restore => suppressions.ending_at(line, code),
            }
        }
    }
    suppressions
}
