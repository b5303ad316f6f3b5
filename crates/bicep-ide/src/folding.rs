//! Which lines can be folded: a file comes in; ranges of lines go out. Objects, arrays, calls and multi-line strings fold, and so
//! do runs of comments, runs of imports and what stands between `// #region` and `// #endregion`.

use base::TextRange;
use bicep_syntax::{Node, SyntaxKind, Token};

use crate::FileContext;

/// Lines that fold into their first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoldingRange {
    /// The first line, from zero.
    pub start_line: u32,
    /// The last line that is hidden.
    pub end_line: u32,
    /// What folds.
    pub kind: FoldingKind,
}

/// What folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoldingKind {
    Code,
    /// Comments.
    Comment,
    Imports,
    /// What the user marked.
    Region,
}

/// The ranges of a file that fold, in order.
pub fn folding_ranges(context: &FileContext<'_>) -> Vec<FoldingRange> {
    let mut ranges = Vec::new();
    for node in context.tree().nodes() {
        ranges.extend(of_node(context, node));
    }
    of_comments(context, &mut ranges);
    of_imports(context, &mut ranges);
    ranges.sort_unstable();
    ranges.dedup_by_key(|range| (range.start_line, range.end_line));
    ranges
}

fn fold(
    context: &FileContext<'_>,
    range: TextRange,
    kind: FoldingKind,
    keeps_last: bool,
) -> Option<FoldingRange> {
    let lines = context.bicep.source.lines();
    let (start_line, last) = (lines.line(range.start()), lines.line(range.end()));
    // The line of the closing bracket stays.
    let end_line = if keeps_last { last.checked_sub(1)? } else { last };
    (end_line > start_line).then_some(FoldingRange { start_line, end_line, kind })
}

fn of_node(context: &FileContext<'_>, node: Node<'_>) -> Option<FoldingRange> {
    use SyntaxKind as K;
    match node.kind() {
        K::Object | K::Array | K::For | K::ObjectType | K::TupleType | K::ImportList => {
            fold(context, node.range(), FoldingKind::Code, true)
        }
        K::Call | K::MethodCall => {
            let open = node.token(K::LeftParen)?.range().start();
            fold(context, TextRange::new(open, node.range().end()), FoldingKind::Code, true)
        }
        K::Str => fold(context, node.range(), FoldingKind::Code, false),
        _ => None,
    }
}

/// Comments on lines that follow each other, block comments, and regions.
fn of_comments(context: &FileContext<'_>, ranges: &mut Vec<FoldingRange>) {
    let lines = context.bicep.source.lines();
    let mut regions: Vec<u32> = Vec::new();
    let mut run: Option<(u32, u32)> = None;
    let finish = |run: &mut Option<(u32, u32)>, ranges: &mut Vec<FoldingRange>| {
        if let Some((start_line, end_line)) = run.take().filter(|(start, end)| end > start) {
            ranges.push(FoldingRange { start_line, end_line, kind: FoldingKind::Comment });
        }
    };
    let comments = context.tree().tokens().filter(|token| token.kind().is_comment());
    for comment in comments {
        let line = lines.line(comment.range().start());
        if comment.kind() == SyntaxKind::BlockComment {
            finish(&mut run, ranges);
            ranges.extend(fold(context, comment.range(), FoldingKind::Comment, false));
            continue;
        }
        let words = comment.text().trim_start_matches('/').trim_start();
        if words.starts_with("#region") {
            regions.push(line);
        } else if words.starts_with("#endregion") {
            let start = regions.pop().filter(|start| *start < line);
            ranges.extend(start.map(|start_line| FoldingRange {
                start_line,
                end_line: line,
                kind: FoldingKind::Region,
            }));
        } else if stands_alone(context, comment) {
            match &mut run {
                Some((_, end)) if *end + 1 == line => *end = line,
                _ => {
                    finish(&mut run, ranges);
                    run = Some((line, line));
                }
            }
        }
    }
    finish(&mut run, ranges);
}

fn stands_alone(context: &FileContext<'_>, comment: Token<'_>) -> bool {
    let start = comment.range().start();
    let line = context.bicep.source.lines().line_start(context.bicep.source.lines().line(start));
    context.bicep.source.slice(TextRange::new(line, start)).trim().is_empty()
}

fn of_imports(context: &FileContext<'_>, ranges: &mut Vec<FoldingRange>) {
    let mut run: Option<TextRange> = None;
    let statements = context.tree().root().children();
    for statement in statements {
        let is_import = matches!(statement.kind(), SyntaxKind::Import | SyntaxKind::Extension);
        run = match (run, is_import) {
            (Some(run), true) => Some(run.cover(statement.range())),
            (None, true) => Some(statement.range()),
            (Some(done), false) => {
                ranges.extend(fold(context, done, FoldingKind::Imports, false));
                None
            }
            (None, false) => None,
        };
    }
    ranges.extend(run.and_then(|run| fold(context, run, FoldingKind::Imports, false)));
}
