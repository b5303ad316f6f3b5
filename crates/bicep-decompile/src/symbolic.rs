//! Templates with symbolic names (language version 2.0): resources are members of an object, and `dependsOn` and `reference` name them. They
//! become the list that other templates have, each with its symbol; the names come back as they were.

use std::borrow::Cow;

use arm::expression::{Accessor, Expr};
use json::{Node, Object};

use crate::failure::Result;
use crate::resource::Listed;
use crate::strings;
use crate::syntax::{Property, Syntax};
use crate::template::Converter;
use crate::tree;

/// The members of a resource of an extension that say which one it belongs to.
const EXTENSION: [&str; 2] = ["extension", "import"];

/// Resources by symbolic names as a list.
pub(crate) fn listed(resources: &Object) -> impl Iterator<Item = Listed<'_>> {
    resources.iter().map(|member| {
        let mut node = Cow::Borrowed(&member.value);
        if EXTENSION.iter().any(|name| tree::find(&node, name).is_some()) {
            unwrap_extension(node.to_mut());
        }
        Listed { node, symbol: Some(member.key.clone()) }
    })
}

/// A resource of an extension has its version in its type, no name, and its members inside of `properties`.
fn unwrap_extension(resource: &mut Node) {
    let ty = tree::find(resource, "type").map(|it| tree::to_text(&it.value)).unwrap_or_default();
    let (name, version) = ty.split_once('@').unwrap_or((&ty, ""));
    tree::set(resource, "type", tree::text(name));
    tree::set(resource, "apiVersion", tree::text(version));
    for name in EXTENSION {
        tree::remove(resource, name);
    }
    let properties = tree::remove(resource, "properties");
    for member in properties.as_ref().and_then(Node::as_object).into_iter().flat_map(|it| it.iter()) {
        tree::set(resource, &member.key, member.value.clone());
    }
    if tree::find(resource, "name").is_none() {
        tree::set(resource, "name", tree::text(""));
    }
}

/// Whether the resources of a template have symbolic names.
pub(crate) fn is_symbolic(template: &Node) -> bool {
    tree::find(template, "resources").is_some_and(|it| it.value.as_object().is_some())
}

/// Whether a resource is only referred to.
pub(crate) fn is_existing(resource: &Node) -> bool {
    tree::find(resource, "existing").is_some_and(|it| it.value.as_bool() == Some(true))
}

/// A resource or module that an expression names.
pub(crate) struct Target {
    /// The symbol, with an index for one of a loop.
    pub(crate) text: String,
    pub(crate) is_module: bool,
}

impl Converter<'_> {
    /// The resource that `'name'` or `format('name[{0}]', index)` means.
    pub(crate) fn symbolic_target(&mut self, expr: &Expr) -> Result<Option<Target>> {
        if !self.is_symbolic {
            return Ok(None);
        }
        let (name, index) = match (strings::literal(expr), strings::call_of(expr, "format")) {
            (Some(name), _) => (name, None),
            (None, Some([format, index])) => match strings::literal(format) {
                Some(format) if format.ends_with("[{0}]") => {
                    (format.trim_end_matches("[{0}]").to_owned().into(), Some(index.clone()))
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(symbol) = self.names.lookup(crate::names::NameKind::Resource, &name) else {
            return Ok(None);
        };
        let is_module = self.symbol(&symbol).is_some_and(|it| it.is_module);
        let text = match index {
            Some(index) => format!("{symbol}[{}]", self.expression(&index)?.print()),
            None => symbol,
        };
        Ok(Some(Target { text, is_module }))
    }

    /// `reference('name')`, and what is taken out of it.
    pub(crate) fn symbolic_reference<'p>(
        &mut self,
        args: &[Expr],
        path: &'p [Accessor],
    ) -> Result<Option<(Syntax, &'p [Accessor])>> {
        let Some(target) = args.first().map(|first| self.symbolic_target(first)).transpose()?.flatten()
        else {
            return Ok(None);
        };
        let is = |step: &Accessor, word: &str| matches!(step, Accessor::Property(name) if name.eq_ignore_ascii_case(word));
        let text = target.text;
        if target.is_module {
            return Ok(match path {
                [outputs, Accessor::Property(name), value, rest @ ..]
                    if is(outputs, "outputs") && is(value, "value") =>
                {
                    Some((Syntax::Other(format!("{text}.outputs.{name}")), rest))
                }
                _ => None,
            });
        }
        let is_full =
            args.get(2).and_then(strings::literal).is_some_and(|it| it.eq_ignore_ascii_case("full"));
        let text = if is_full { text } else { format!("{text}.properties") };
        Ok(Some((Syntax::Other(text), path)))
    }

    /// The body of a resource that is only referred to.
    pub(crate) fn existing_body(&mut self, resource: &Node, mut properties: Vec<Property>) -> Result<Syntax> {
        if let Some(scope) = self.module_scope(resource)?.filter(|_| properties.is_empty()) {
            properties.push(Property::new("scope", scope));
        }
        if let Some(name) = tree::find(resource, "name") {
            properties.push(Property::new("name", self.value(&name.value)?));
        }
        Ok(Syntax::Object(properties))
    }

    /// The text of a loop's count, and what stands in its body for the number of a turn: `range(0, n)[i]` is `i`.
    pub(crate) fn simplified_range(&self, expr: Expr) -> Expr {
        if !self.is_symbolic {
            return expr;
        }
        if let Some([list]) = strings::call_of(&expr, "length")
            && let Some(count) = counted(list)
        {
            return count.clone();
        }
        match strings::path_of(&expr, "range") {
            Some((_, [Accessor::Index(index), rest @ ..])) if base_is_counted(&expr) => {
                strings::with_path(index.clone(), rest)
            }
            _ => expr,
        }
    }
}

fn base_is_counted(expr: &Expr) -> bool {
    match expr.kind() {
        arm::expression::ExprKind::Access { base, .. } => counted(base).is_some(),
        _ => false,
    }
}

/// The count of `range(0, count)`.
fn counted(expr: &Expr) -> Option<&Expr> {
    match strings::call_of(expr, "range")? {
        [start, count] if strings::literal(start).as_deref() == Some("0") => Some(count),
        _ => None,
    }
}
