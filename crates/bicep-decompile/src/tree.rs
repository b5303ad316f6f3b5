//! The template's JSON while it is taken apart: looking members up without regard to case, setting and removing them, and
//! rewriting the expressions in its texts. Nodes that are made here have no range.

use std::fmt::Write as _;

use arm::expression::{Expr, ExprKind};
use base::TextRange;
use json::{Kind, Member, Node, Object};

use crate::failure::{Failure, Result};
use crate::strings::{self, Expressions};

/// The same tree in which every name of an object occurs once: the last value, in the place of the first.
pub(crate) fn without_duplicates(node: Node) -> Node {
    // Nearly no template has any, and a copy of the tree costs as much as reading it.
    if has_duplicates(&node) { deduplicated(&node) } else { node }
}

fn has_duplicates(node: &Node) -> bool {
    base::recurse(|| match &node.value {
        Kind::Array(items) => items.iter().any(has_duplicates),
        Kind::Object(object) => {
            object.has_repeated() || object.iter().any(|member| has_duplicates(&member.value))
        }
        _ => false,
    })
}

fn deduplicated(node: &Node) -> Node {
    base::recurse(|| {
        let value = match &node.value {
            Kind::Array(items) => Kind::Array(items.iter().map(deduplicated).collect()),
            Kind::Object(object) => {
                let mut members: Vec<Member> = Vec::with_capacity(object.len());
                let mut places: rustc_hash::FxHashMap<&str, usize> = rustc_hash::FxHashMap::default();
                for Member { key, key_range, value } in object.members() {
                    let member =
                        Member { key: key.clone(), key_range: *key_range, value: deduplicated(value) };
                    match places.get(key.as_str()).and_then(|place| members.get_mut(*place)) {
                        Some(known) => *known = member,
                        None => {
                            places.insert(key, members.len());
                            members.push(member);
                        }
                    }
                }
                Kind::Object(Object::new(members))
            }
            other => other.clone(),
        };
        Node { value, range: node.range }
    })
}

pub(crate) fn text(value: impl Into<String>) -> Node {
    Node { range: TextRange::default(), value: Kind::String(value.into()) }
}

pub(crate) fn object(members: Vec<Member>) -> Node {
    Node { range: TextRange::default(), value: Kind::Object(Object::new(members)) }
}

pub(crate) fn member(key: impl Into<String>, value: Node) -> Member {
    Member { key: key.into(), key_range: TextRange::default(), value }
}

/// A member of an object, by its name in any case.
pub(crate) fn find<'n>(node: &'n Node, name: &str) -> Option<&'n Member> {
    node.as_object()?.get_ignore_case(name)
}

/// A value inside of objects inside of objects, by names in any case.
pub(crate) fn nested<'n>(node: &'n Node, names: &[&str]) -> Option<&'n Node> {
    names.iter().try_fold(node, |node, name| Some(&find(node, name)?.value))
}

/// A member that has to be there.
pub(crate) fn required<'n>(node: &'n Node, name: &str, message: impl Into<String>) -> Result<&'n Node> {
    match find(node, name) {
        Some(member) => Ok(&member.value),
        None => Err(Failure::at(node, message)),
    }
}

/// Sets a member by its exact name: in its place, else at the end.
pub(crate) fn set(node: &mut Node, name: &str, value: Node) {
    let Kind::Object(object) = &mut node.value else { return };
    let mut members = std::mem::take(object).into_members();
    match members.iter_mut().find(|member| member.key == name) {
        Some(member) => member.value = value,
        None => members.push(member(name, value)),
    }
    *object = Object::new(members);
}

/// Takes a member out, by its name in any case.
pub(crate) fn remove(node: &mut Node, name: &str) -> Option<Node> {
    let Kind::Object(object) = &mut node.value else { return None };
    let key = object.get_ignore_case(name)?.key.clone();
    let mut members = std::mem::take(object).into_members();
    let at = members.iter().position(|member| member.key == key);
    let removed = at.map(|at| members.remove(at).value);
    *object = Object::new(members);
    removed
}

/// A copy of an object without what is at this path of names in any case, which may be most of it.
pub(crate) fn copy_without(node: &Node, path: &[&str]) -> Node {
    let Some((first, rest)) = path.split_first() else { return node.clone() };
    let Some(found) = find(node, first) else { return node.clone() };
    let copy = |member: &Member| match std::ptr::eq(member, found) {
        true if rest.is_empty() => None,
        true => Some(Member { value: copy_without(&member.value, rest), key: member.key.clone(), ..*member }),
        false => Some(member.clone()),
    };
    let members = node.as_object().into_iter().flat_map(Object::iter).filter_map(copy);
    Node { value: Kind::Object(Object::new(members.collect())), range: node.range }
}

/// What a value says as text, as the reference converts values.
pub(crate) fn to_text(node: &Node) -> String {
    match &node.value {
        Kind::String(text) => text.clone(),
        Kind::Null => String::new(),
        Kind::Bool(true) => "True".to_owned(),
        Kind::Bool(false) => "False".to_owned(),
        Kind::Number(number) => number.to_string(),
        Kind::Array(_) | Kind::Object(_) => json::to_pretty(&node.to_value()),
    }
}

/// Rewrites the expressions of all texts and names, innermost part first. Texts in arrays inside of arrays are left
/// alone, as the reference leaves them. Where that fails, the tree is of no use any more.
pub(crate) fn rewrite(
    node: &mut Node,
    expressions: &Expressions,
    change: &mut dyn FnMut(Expr) -> Result<Expr>,
) -> Result<()> {
    let mut change_text = |text: &mut String| rewrite_text(text, expressions, change);
    match &node.value {
        Kind::Array(_) | Kind::Object(_) => rewrite_inside(node, &mut change_text),
        Kind::Null => Ok(()),
        _ => {
            let mut text = to_text(node);
            change_text(&mut text)?;
            node.value = Kind::String(text);
            Ok(())
        }
    }
}

fn rewrite_inside(node: &mut Node, change_text: &mut dyn FnMut(&mut String) -> Result<()>) -> Result<()> {
    base::recurse(|| match &mut node.value {
        Kind::Object(object) => {
            let mut members = std::mem::take(object).into_members();
            members.iter_mut().try_for_each(|member| change_text(&mut member.key))?;
            members.iter_mut().try_for_each(|member| rewrite_member(&mut member.value, change_text))?;
            *object = Object::new(members);
            Ok(())
        }
        Kind::Array(items) => items.iter_mut().try_for_each(|item| rewrite_inside(item, change_text)),
        _ => Ok(()),
    })
}

fn rewrite_member(node: &mut Node, change_text: &mut dyn FnMut(&mut String) -> Result<()>) -> Result<()> {
    match &mut node.value {
        Kind::String(text) => change_text(text),
        Kind::Array(items) => {
            for item in items.iter_mut() {
                if let Kind::String(text) = &mut item.value {
                    change_text(text)?;
                }
            }
            items.iter_mut().try_for_each(|item| rewrite_inside(item, change_text))
        }
        _ => rewrite_inside(node, change_text),
    }
}

fn rewrite_text(
    text: &mut String,
    expressions: &Expressions,
    change: &mut dyn FnMut(Expr) -> Result<Expr>,
) -> Result<()> {
    if !strings::is_expression(text) {
        return Ok(());
    }
    let before = expressions.parse(text)?;
    let mut is_changed = false;
    let after = strings::rewrite(&before, &mut |expr| {
        let original = expr.clone();
        let changed = change(expr)?;
        // Mostly the part comes back as it is, which is known without printing it.
        let is_returned = std::ptr::eq(original.kind(), changed.kind());
        is_changed |= !is_returned && changed.to_string() != original.to_string();
        Ok(changed)
    })?;
    if is_changed {
        *text = print(&after);
    }
    Ok(())
}

/// Hardly an expression has more bytes.
const USUAL_LENGTH: usize = 256;

/// An expression as a text of a template.
pub(crate) fn print(expr: &Expr) -> String {
    match expr.kind() {
        ExprKind::String(text) if text.starts_with('[') && text.ends_with(']') => format!("[{text}"),
        ExprKind::String(text) => text.to_string(),
        _ => {
            let mut text = String::with_capacity(USUAL_LENGTH);
            // Writing to a String cannot fail.
            let _ = write!(text, "[{expr}]");
            text
        }
    }
}

/// Calls `visit` with every part of every expression in the tree, in the order of the text.
pub(crate) fn visit(
    node: &Node,
    expressions: &Expressions,
    visit_part: &mut dyn FnMut(&Expr) -> Result<()>,
) -> Result<()> {
    visit_texts(node, &mut |text| visit_text(text, expressions, visit_part))
}

fn visit_texts(node: &Node, visit_text: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    base::recurse(|| match &node.value {
        Kind::String(text) => visit_text(text),
        Kind::Array(items) => items.iter().try_for_each(|item| visit_texts(item, visit_text)),
        Kind::Object(object) => {
            object.iter().try_for_each(|member| visit_text(&member.key))?;
            object.iter().try_for_each(|member| visit_texts(&member.value, visit_text))
        }
        _ => Ok(()),
    })
}

fn visit_text(
    text: &str,
    expressions: &Expressions,
    visit_part: &mut dyn FnMut(&Expr) -> Result<()>,
) -> Result<()> {
    if !strings::is_expression(text) {
        return Ok(());
    }
    let mut outcome = Ok(());
    expressions.parse(text)?.walk(&mut |part| {
        if outcome.is_ok() {
            outcome = visit_part(part);
        }
    });
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        json::parse(text, json::Options::strict()).root.unwrap()
    }

    #[test]
    fn a_copy_lacks_what_is_at_the_path_only() {
        let whole = node(r#"{"a": 1, "Properties": {"template": {"b": 2}, "mode": "x"}, "template": 3}"#);
        let check = |path: &[&str], expected: &str| {
            assert_eq!(copy_without(&whole, path).to_value(), node(expected).to_value(), "{path:?}");
        };
        check(&["properties", "Template"], r#"{"a": 1, "Properties": {"mode": "x"}, "template": 3}"#);
        check(&["template"], r#"{"a": 1, "Properties": {"template": {"b": 2}, "mode": "x"}}"#);
        check(&["a", "b"], r#"{"a": 1, "Properties": {"template": {"b": 2}, "mode": "x"}, "template": 3}"#);
        assert_eq!(copy_without(&whole, &["properties", "other"]).to_value(), whole.to_value());
    }

    #[test]
    fn rewriting_reaches_names_and_values_but_not_nested_arrays() {
        let mut tree = node(r#"{"[a()]": ["[a()]", ["[a()]"]], "b": {"c": "[d(a())]"}, "e": "a()"}"#);
        let change = &mut |expr: Expr| match strings::call_of(&expr, "a") {
            Some(_) => Ok(Expr::int(1)),
            None => Ok(expr),
        };
        rewrite(&mut tree, &Expressions::default(), change).unwrap();
        let expected = node(r#"{"[1]": ["[1]", ["[a()]"]], "b": {"c": "[d(1)]"}, "e": "a()"}"#);
        assert_eq!(tree.to_value(), expected.to_value());
    }
}
