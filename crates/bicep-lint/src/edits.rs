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

/// The range to delete when an item of a list goes, with the separator beside it: a property of an object, an item of
/// an array or of an import list.
pub fn item_with_separator(item: Node<'_>) -> TextRange {
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
