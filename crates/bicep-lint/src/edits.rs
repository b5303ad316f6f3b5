//! Ways out of findings: what to put in the place of what.

use base::{Edit, Fix, TextRange};
use bicep_syntax::{Element, Node, SyntaxKind, Token};

/// A fix that replaces one range.
pub fn replace(title: impl Into<String>, range: TextRange, text: impl Into<String>) -> Fix {
    Fix { title: title.into(), edits: vec![Edit { range, text: text.into() }] }
}

/// A fix that removes one range.
pub fn remove(title: impl Into<String>, range: TextRange) -> Fix {
    replace(title, range, "")
}

/// The range to delete when a whole statement goes: its lines, with the comments at their ends.
pub fn lines_of(statement: Node<'_>) -> TextRange {
    let (Some(first), Some(last)) = (statement.first_token(), statement.last_token()) else {
        return statement.range();
    };
    let start = first.leading_trivia().next().unwrap_or(first).range().start();
    let end = last.trailing_trivia().last().unwrap_or(last).range().end();
    let line_end = last.next().filter(|token| token.kind() == SyntaxKind::NewLine).map(Token::range);
    TextRange::new(start, line_end.map_or(end, TextRange::end).max(start))
}

/// The range to delete when an item of a list goes, with the separator beside it and what belongs to both: a property of an
/// object, an item of an array. The first item takes the separator behind it along, any other the one before it.
fn item_with_separator(item: Node<'_>) -> TextRange {
    let whole = Element::Node(item).range_with_trivia();
    let Some(list) = item.parent() else { return whole };
    let elements: Vec<Element<'_>> = list.elements().collect();
    let Some(at) = elements.iter().position(|element| element.node() == Some(item)) else { return whole };
    let is_first = elements.iter().take(at).all(|element| element.node().is_none());
    let beside = if is_first { Some(at + 1) } else { at.checked_sub(1) };
    let separator = beside.and_then(|at| elements.get(at)).filter(|it| is_separator(**it));
    separator.map_or(whole, |it| whole.cover(it.range_with_trivia()))
}

/// The same without white space and comments, as in the list of an import.
pub fn name_with_separator(item: Node<'_>) -> TextRange {
    let Some(list) = item.parent() else { return item.range() };
    let elements: Vec<Element<'_>> = list.elements().collect();
    let Some(at) = elements.iter().position(|element| element.node() == Some(item)) else {
        return item.range();
    };
    let neighbour = |at: usize| elements.get(at).filter(|it| is_separator(**it));
    let before = at.checked_sub(1).and_then(neighbour);
    match before.or_else(|| neighbour(at + 1)) {
        Some(separator) => separator.range().cover(item.range()),
        None => item.range(),
    }
}

/// A fix that removes an item of an object or an array, which keeps no blank lines at its ends.
pub fn remove_item(title: impl Into<String>, item: Node<'_>) -> Fix {
    let range = item_with_separator(item);
    let mut fix = remove(title, range);
    let ends = item.parent().map(without_blank_ends).unwrap_or_default();
    fix.edits
        .extend(ends.into_iter().filter(|edit| edit.range.intersect(range).is_none_or(TextRange::is_empty)));
    fix.edits.sort_by_key(|edit| edit.range.start());
    fix
}

/// Edits that leave one line end at the start and at the end of an object or an array, where it has blank lines.
pub fn without_blank_ends(list: Node<'_>) -> Vec<Edit> {
    let tokens: Vec<Element<'_>> = list.elements().collect();
    let Some(inside) = tokens.get(1..tokens.len().saturating_sub(1)) else { return Vec::new() };
    let is_blank = |it: &&Element<'_>| is_blank_line(**it);
    let leading = inside.iter().take_while(is_blank).count();
    let trailing = inside.iter().rev().take_while(is_blank).count();
    if leading == inside.len() {
        return Vec::new();
    }
    let (first, last) = (inside.get(..leading), inside.get(inside.len() - trailing..));
    let first = first.and_then(|all| one_line_end(all, *all.first()?));
    let last = last.and_then(|all| one_line_end(all, *all.last()?));
    first.into_iter().chain(last).collect()
}

/// Leaves of some line ends one, with the white space around it.
fn one_line_end(all: &[Element<'_>], kept: Element<'_>) -> Option<Edit> {
    let whole = all.iter().map(|it| it.range_with_trivia()).reduce(TextRange::cover)?;
    let token = kept.token()?;
    let text = token.text();
    let line_end = text.find('\n').and_then(|at| text.get(..=at)).unwrap_or(text);
    let around = |trivia: Vec<Token<'_>>| trivia.iter().map(|it| it.text()).collect::<String>();
    let before = around(token.leading_trivia().collect());
    let after = around(token.trailing_trivia().collect());
    let edit = Edit { range: whole, text: format!("{before}{line_end}{after}") };
    let is_one = all.len() == 1 && line_end.len() == text.len();
    (!is_one).then_some(edit)
}

fn is_blank_line(element: Element<'_>) -> bool {
    let Some(token) = element.token().filter(|it| it.kind() == SyntaxKind::NewLine) else { return false };
    token.leading_trivia().chain(token.trailing_trivia()).all(|it| it.kind() == SyntaxKind::Whitespace)
}

fn is_separator(element: Element<'_>) -> bool {
    matches!(element.kind(), SyntaxKind::Comma | SyntaxKind::NewLine)
}

/// The white space before a node on its line.
pub fn indentation(node: Node<'_>) -> String {
    let text = node.tree().text();
    let before = text.get(..usize::from(node.range().start())).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| c.is_whitespace()).collect()
}

/// A name that no declaration of the file has: the wanted one, or the wanted one with a number.
pub fn free_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number: u32| format!("{wanted}{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// A string of these texts with these expressions between them, as source text.
pub fn string_text<'e>(texts: &[String], expressions: impl IntoIterator<Item = &'e str>) -> String {
    let mut expressions = expressions.into_iter();
    let mut out = String::from("'");
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            out.push_str("${");
            out.push_str(expressions.next().unwrap_or_default());
            out.push('}');
        }
        let quoted = bicep_types::ty::escape_string(text);
        out.push_str(quoted.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')).unwrap_or(&quoted));
    }
    out.push('\'');
    out
}
