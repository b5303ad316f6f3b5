//! A file in the one layout: a file comes in; its new text, or the edit of a part, goes out.

use base::{Edit, TextRange, TextSize};
use bicep_syntax::{Node, Parse, SyntaxKind};
use config::Formatting;

use crate::FileContext;
use crate::lookup::enclosing;

/// What an editor asks for; it holds only where the configuration says nothing else.
#[derive(Debug, Clone, Copy, Default)]
pub struct EditorLayout {
    /// How many spaces make one level.
    pub tab_size: Option<u32>,
    /// Whether spaces indent.
    pub insert_spaces: Option<bool>,
    /// Whether the file ends with a line end.
    pub insert_final_newline: Option<bool>,
}

/// The edit that lays a file out; `None` if it is so already.
pub fn format(context: &FileContext<'_>) -> Option<Edit> {
    let text = formatted(&context.bicep.parse, context.bicep.config.formatting);
    let whole = TextRange::up_to(base::TextLen::text_len(context.text()));
    (text != context.text()).then_some(Edit { range: whole, text })
}

/// The text of a file in the layout that its configuration asks for.
pub fn formatted(parse: &Parse, formatting: Formatting) -> String {
    bicep_format::format(parse, &formatting.into())
}

/// The edits of the lines that a range touches.
pub fn format_range(context: &FileContext<'_>, range: TextRange) -> Vec<Edit> {
    let Some(whole) = format(context) else { return Vec::new() };
    minimal_edits(context.text(), &whole.text).into_iter().filter(|edit| touches(edit.range, range)).collect()
}

/// The edits that lay out what a typed sign has just ended: the largest construct that ends with a closing bracket, or, behind a
/// line end, with the line before it. What has mistakes is left as it is, and so is everything behind it.
pub fn format_typed(context: &FileContext<'_>, offset: TextSize, typed: &str) -> Vec<Edit> {
    let signs = context.tree().tokens().filter(|token| !token.kind().is_trivia());
    let signs = signs.filter(|token| token.kind() != SyntaxKind::NewLine);
    let Some(token) = signs.take_while(|token| token.range().end() <= offset).last() else {
        return Vec::new();
    };
    if typed != "\n" && token.range().end() != offset {
        return Vec::new();
    }
    let mut nodes = enclosing(context.tree(), token.range().start()).into_iter();
    let ended = nodes.find(|node| node.kind() != SyntaxKind::File && node.last_token() == Some(token));
    let Some(range) = ended.map(Node::range) else { return Vec::new() };
    if context.bicep.parse.diagnostics.iter().any(|it| range.contains_range(it.range)) {
        return Vec::new();
    }
    let lines = context.bicep.source.lines();
    let behind = if typed == "\n" { lines.line(offset) } else { lines.line(offset) + 1 };
    let limit = lines.line_start(behind);
    let edits = format_range(context, range).into_iter();
    edits.filter(|edit| edit.range.end() > range.start() && edit.range.end() <= limit).collect()
}

fn touches(a: TextRange, b: TextRange) -> bool {
    a.intersect(b).is_some()
}

/// The runs of lines in which two texts differ, as edits of the first. Lines are compared without regard to white space, so that
/// lines that only move stay paired.
fn minimal_edits(before: &str, after: &str) -> Vec<Edit> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let mut edits = Vec::new();
    let (mut at, mut i, mut j) = (0_usize, 0_usize, 0_usize);
    while i < old.len() || j < new.len() {
        let paired = old.get(i).zip(new.get(j)).filter(|(a, b)| same_words(a, b));
        if let Some((a, b)) = paired {
            if a != b {
                edits.push(edit(at, a.len(), b));
            }
            at += a.len();
            i += 1;
            j += 1;
            continue;
        }
        let (skip_old, skip_new) = resync(old.get(i..).unwrap_or_default(), new.get(j..).unwrap_or_default());
        let removed: usize = old.iter().skip(i).take(skip_old).map(|line| line.len()).sum();
        let text: String = new.iter().skip(j).take(skip_new).copied().collect();
        edits.push(edit(at, removed, &text));
        at += removed;
        i += skip_old;
        j += skip_new;
    }
    edits
}

fn edit(at: usize, len: usize, text: &str) -> Edit {
    let offset = |at: usize| TextSize::new(u32::try_from(at).unwrap_or(u32::MAX));
    Edit { range: TextRange::new(offset(at), offset(at + len)), text: text.to_owned() }
}

fn same_words(a: &str, b: &str) -> bool {
    let letters = |line: &str| line.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    letters(a) == letters(b)
}

/// How many lines of each side have to be skipped until lines pair again.
fn resync(old: &[&str], new: &[&str]) -> (usize, usize) {
    const NEAR: usize = 200;
    for distance in 1..=NEAR {
        for skip_old in 0..=distance {
            let skip_new = distance - skip_old;
            let paired = old.get(skip_old).zip(new.get(skip_new));
            if paired.is_some_and(|(a, b)| !a.trim().is_empty() && same_words(a, b)) {
                return (skip_old, skip_new);
            }
        }
    }
    (old.len(), new.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    /// The text after what was typed before the cursor has been laid out.
    fn typed(source: &str, sign: &str) -> String {
        let text = source.replacen('|', "", 1);
        let edits = ask(source, &[], |context, offset| format_typed(context, offset, sign));
        edits.into_iter().rev().fold(text, |mut text, edit| {
            text.replace_range(usize::from(edit.range.start())..usize::from(edit.range.end()), &edit.text);
            text
        })
    }

    #[test]
    fn a_closing_bracket_lays_out_what_it_ends() {
        let source = "var   other=1\nvar a={\n b:   1\n}|\nvar   last=2\n";
        assert_eq!(typed(source, "}"), "var   other=1\nvar a = {\n  b: 1\n}\nvar   last=2\n");
        assert_eq!(typed("var a=[\n1\n]|\n", "]"), "var a = [\n  1\n]\n");
    }

    #[test]
    fn a_line_end_lays_out_the_line_before_it_and_keeps_the_new_one() {
        assert_eq!(typed("param   a    string\n|\nvar   b=1\n", "\n"), "param a string\n\nvar   b=1\n");
        assert_eq!(typed("var a = {\n  |\n}\n", "\n"), "var a = {\n  \n}\n");
    }

    #[test]
    fn what_has_mistakes_is_left_alone() {
        let source = "var a={\n b:   \n}|";
        assert_eq!(typed(source, "}"), source.replace('|', ""));
    }
}
