//! A file in the one layout: a file comes in; its new text, or the edit of a part, goes out.

use base::{Edit, TextRange};
use bicep_format::{Indent, Newline, Options};
use bicep_syntax::Parse;
use config::{Formatting, IndentKind, NewlineKind};

use crate::FileContext;

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
    bicep_format::format(parse, &options(formatting))
}

fn options(formatting: Formatting) -> Options {
    Options {
        indent: match formatting.indent_kind {
            IndentKind::Space => Indent::Spaces(formatting.indent_size as usize),
            IndentKind::Tab => Indent::Tab,
        },
        newline: match formatting.newline_kind {
            NewlineKind::Lf => Newline::Lf,
            NewlineKind::CrLf => Newline::CrLf,
            NewlineKind::Cr => Newline::Cr,
        },
        width: formatting.width as usize,
        insert_final_newline: formatting.insert_final_newline,
    }
}

/// The edits of the lines that a range touches.
pub fn format_range(context: &FileContext<'_>, range: TextRange) -> Vec<Edit> {
    let Some(whole) = format(context) else { return Vec::new() };
    minimal_edits(context.text(), &whole.text).into_iter().filter(|edit| touches(edit.range, range)).collect()
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
    let offset = |at: usize| base::TextSize::new(u32::try_from(at).unwrap_or(u32::MAX));
    Edit { range: TextRange::new(offset(at), offset(at + len)), text: text.to_owned() }
}

fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
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
