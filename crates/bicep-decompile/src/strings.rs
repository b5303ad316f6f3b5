//! Expressions that put texts together. `concat` and `format`, nested as they may be, come in; one flat `concat` goes out, in
//! which no two literals stand side by side. Also: which resource an expression means.

use std::borrow::Cow;
use std::cell::RefCell;

use arm::expression::{Accessor, Expr, ExprKind, Text, classify};
use rustc_hash::FxHashMap;

use crate::failure::{Failure, Result};
use crate::messages;

/// A text of a template as an expression.
pub(crate) fn parse(text: &str) -> Result<Expr> {
    match classify(text) {
        Text::Expression(text) => {
            arm::expression::parse(text).map_err(|error| Failure::new(error.to_string()))
        }
        Text::Literal(text) => Ok(Expr::string(text)),
    }
}

/// The expressions of a template and of those nested in it. The same text stands in many places, and is looked at by several steps;
/// it is parsed once.
#[derive(Debug, Default)]
pub(crate) struct Expressions(RefCell<FxHashMap<Box<str>, Expr>>);

impl Expressions {
    /// As [`parse`].
    pub(crate) fn parse(&self, text: &str) -> Result<Expr> {
        if !is_expression(text) {
            return parse(text);
        }
        if let Some(known) = self.0.borrow().get(text) {
            return Ok(known.clone());
        }
        let expr = parse(text)?;
        self.0.borrow_mut().insert(text.into(), expr.clone());
        Ok(expr)
    }
}

/// Whether a text of a template is an expression or an escaped one.
pub(crate) fn is_expression(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(']') && text.len() > 1
}

/// The call of a function of this name, in any case.
pub(crate) fn call_of<'e>(expr: &'e Expr, name: &str) -> Option<&'e [Expr]> {
    match expr.kind() {
        ExprKind::Call(call) if call.name.eq_ignore_ascii_case(name) => Some(&call.args),
        _ => None,
    }
}

/// The text or number that a literal stands for, as text.
pub(crate) fn literal(expr: &Expr) -> Option<Cow<'_, str>> {
    match expr.kind() {
        ExprKind::String(text) => Some(Cow::Borrowed(text)),
        ExprKind::Int(value) => Some(Cow::Owned(value.to_string())),
        ExprKind::Float(text) => Some(Cow::Borrowed(text)),
        _ => None,
    }
}

/// Replaces parts of an expression, innermost first. A call with what is taken out of its result is one part.
pub(crate) fn rewrite(expr: &Expr, change: &mut dyn FnMut(Expr) -> Result<Expr>) -> Result<Expr> {
    base::recurse(|| {
        let rebuilt = match expr.kind() {
            ExprKind::Call(_) => with_arguments(expr, change)?,
            ExprKind::Access { base, path } => {
                let mut inner = with_arguments(base, change)?;
                for step in path {
                    inner = inner.access(match step {
                        Accessor::Property(name) => Accessor::Property(name.clone()),
                        Accessor::Index(index) => Accessor::Index(rewrite(index, change)?),
                    });
                }
                inner
            }
            _ => expr.clone(),
        };
        change(rebuilt)
    })
}

fn with_arguments(expr: &Expr, change: &mut dyn FnMut(Expr) -> Result<Expr>) -> Result<Expr> {
    let ExprKind::Call(call) = expr.kind() else { return Ok(expr.clone()) };
    // Mostly nothing changes, and the call stays the one it is.
    let mut changed: Option<Vec<Expr>> = None;
    for (position, arg) in call.args.iter().enumerate() {
        let rewritten = rewrite(arg, change)?;
        if changed.is_none() && std::ptr::eq(rewritten.kind(), arg.kind()) {
            continue;
        }
        let before = || call.args.get(..position).unwrap_or_default().to_vec();
        changed.get_or_insert_with(before).push(rewritten);
    }
    Ok(changed.map_or_else(|| expr.clone(), |args| Expr::call(&call.name, args)))
}

/// A call of a function, or what is taken out of its result.
pub(crate) fn path_of<'e>(expr: &'e Expr, function: &str) -> Option<(&'e [Expr], &'e [Accessor])> {
    match expr.kind() {
        ExprKind::Access { base, path } => Some((call_of(base, function)?, path)),
        _ => Some((call_of(expr, function)?, &[])),
    }
}

/// An expression with steps into its value.
pub(crate) fn with_path(expr: Expr, path: &[Accessor]) -> Expr {
    path.iter().fold(expr, |expr, step| expr.access(step.clone()))
}

/// The flat form of something that puts texts together; anything else as it is.
pub(crate) fn flatten(expr: &Expr) -> Result<Expr> {
    if is_flat(expr) {
        return Ok(expr.clone());
    }
    let formatted = match call_of(expr, "format") {
        Some(args) => Some(Expr::call("concat", format_parts(expr, args)?)),
        None => None,
    };
    let whole = formatted.as_ref().unwrap_or(expr);
    let Some(args) = call_of(whole, "concat") else { return Ok(expr.clone()) };
    let mut parts = Vec::new();
    for arg in args {
        let part = base::recurse(|| flatten(arg))?;
        match call_of(&part, "concat") {
            Some(inner) => parts.extend(inner.iter().cloned()),
            None => parts.push(part),
        }
    }
    let mut joined = join_literals(parts);
    match (joined.pop(), joined.is_empty()) {
        (Some(only), true) => Ok(only),
        (last, _) => {
            joined.extend(last);
            Ok(Expr::call("concat", joined))
        }
    }
}

/// Whether an expression is certainly its own flat form.
fn is_flat(expr: &Expr) -> bool {
    let puts_together = |expr: &Expr| call_of(expr, "concat").or_else(|| call_of(expr, "format")).is_some();
    match expr.kind() {
        ExprKind::Call(call) if call.name == "concat" => {
            let is_part = |arg: &Expr| match arg.kind() {
                ExprKind::String(text) => !text.is_empty(),
                ExprKind::Int(_) | ExprKind::Float(_) => false,
                _ => !puts_together(arg),
            };
            let is_text = |arg: &Expr| matches!(arg.kind(), ExprKind::String(_));
            call.args.len() > 1
                && call.args.iter().all(is_part)
                && !call.args.windows(2).any(|pair| pair.iter().all(is_text))
        }
        _ => !puts_together(expr),
    }
}

fn join_literals(parts: Vec<Expr>) -> Vec<Expr> {
    let mut joined = Vec::with_capacity(parts.len());
    let mut text = String::new();
    for part in parts {
        match literal(&part) {
            Some(more) => text.push_str(&more),
            None => {
                if !text.is_empty() {
                    joined.push(Expr::string(std::mem::take(&mut text)));
                }
                joined.push(part);
            }
        }
    }
    if !text.is_empty() {
        joined.push(Expr::string(text));
    }
    joined
}

/// The texts and values that a call of `format` puts one after the other.
fn format_parts(expr: &Expr, args: &[Expr]) -> Result<Vec<Expr>> {
    let Some(format) = args.first().and_then(literal) else {
        return Err(Failure::new(messages::format_not_constant(expr)));
    };
    let format = unescape_format(&format)?;
    let mut parts = Vec::new();
    let mut rest = format.as_str();
    let mut text = String::new();
    while let Some((before, index, behind)) = next_hole(rest) {
        text.push_str(before);
        if !text.is_empty() {
            parts.push(Expr::string(std::mem::take(&mut text)));
        }
        let value = index.checked_add(1).and_then(|position| args.get(position));
        parts.push(value.cloned().ok_or_else(|| Failure::new(messages::OUT_OF_BOUNDS))?);
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Expr::string(rest));
    }
    Ok(parts)
}

/// The first `{n}`: what stands before it, its number, what stands behind it.
fn next_hole(text: &str) -> Option<(&str, usize, &str)> {
    let mut from = 0;
    loop {
        let open = from + text.get(from..)?.find('{')?;
        let inner = text.get(open + 1..)?;
        let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 && inner.get(digits..)?.starts_with('}') {
            let index = inner.get(..digits)?.parse().unwrap_or(usize::MAX);
            return Some((text.get(..open)?, index, inner.get(digits + 1..)?));
        }
        from = open + 1;
    }
}

/// A format with `{{` and `}}` undone, and its holes reduced to their numbers.
fn unescape_format(format: &str) -> Result<String> {
    let mut rest = format;
    let mut highest = None;
    while let Some((_, index, behind)) = next_hole(rest) {
        highest = highest.max(Some(index));
        rest = behind;
    }
    let highest = highest.ok_or_else(|| Failure::new(messages::NO_HOLES))?;
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(rest.get(..at).unwrap_or_default());
        let brace = rest.get(at..).unwrap_or_default();
        if brace.starts_with("{{") || brace.starts_with("}}") {
            out.push_str(brace.get(..1).unwrap_or_default());
            rest = brace.get(2..).unwrap_or_default();
            continue;
        }
        let end = brace.find('}').filter(|_| brace.starts_with('{'));
        let inner = end.and_then(|end| brace.get(1..end));
        let number = inner.and_then(|inner| inner.split([',', ':']).next()).map(str::trim);
        let index: Option<usize> = number.and_then(|number| number.parse().ok());
        let (Some(index), Some(end)) = (index, end) else {
            return Err(Failure::new(messages::BAD_FORMAT));
        };
        if index > highest {
            return Err(Failure::new(messages::FORMAT_INDEX));
        }
        out.push_str(&format!("{{{index}}}"));
        rest = brace.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    Ok(out)
}

/// A resource as an expression means it.
#[derive(Debug)]
pub(crate) struct ResourceId {
    pub(crate) ty: String,
    pub(crate) name: Expr,
}

/// The resource that a call of `resourceId` means, or a text that is put together like `Type/name`.
pub(crate) fn resource_id(expr: &Expr) -> Result<Option<ResourceId>> {
    let expr = flatten(expr)?;
    let segments = match expr.kind() {
        ExprKind::Call(call) if call.name.eq_ignore_ascii_case("resourceid") => {
            let [ty, names @ ..] = call.args.as_slice() else { return Ok(None) };
            let Some(ty) = literal(ty).filter(|_| !names.is_empty()) else { return Ok(None) };
            return Ok(Some(ResourceId { ty: ty.into_owned(), name: joined_name(names)? }));
        }
        ExprKind::Call(call) if call.name.eq_ignore_ascii_case("concat") => path_segments(&call.args),
        ExprKind::Call(_) | ExprKind::Access { .. } | ExprKind::Known(_) => return Ok(None),
        _ => path_segments(std::slice::from_ref(&expr)),
    };
    if segments.len() < 3 || segments.len().is_multiple_of(2) {
        return Ok(None);
    }
    let mut ty = Vec::new();
    let mut names = Vec::new();
    for (position, segment) in segments.into_iter().enumerate() {
        if position > 0 && position.is_multiple_of(2) {
            names.push(segment);
        } else {
            let Some(text) = literal(&segment) else { return Ok(None) };
            ty.push(text.into_owned());
        }
    }
    Ok(Some(ResourceId { ty: ty.join("/"), name: joined_name(&names)? }))
}

/// The parts between the slashes of a text that is put together.
pub(crate) fn path_segments(parts: &[Expr]) -> Vec<Expr> {
    let mut segments = Vec::new();
    for part in parts {
        match literal(part) {
            Some(text) => segments.extend(text.split('/').filter(|it| !it.is_empty()).map(Expr::string)),
            None => segments.push(part.clone()),
        }
    }
    segments
}

/// Parts of a name with slashes between them.
pub(crate) fn joined_name(names: &[Expr]) -> Result<Expr> {
    let mut parts = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            parts.push(Expr::string("/"));
        }
        parts.push(flatten(name)?);
    }
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => Ok(only),
        (last, _) => {
            parts.extend(last);
            Ok(Expr::call("concat", parts))
        }
    }
}

/// The parts of a text between its slashes. A part may be put together of several, and only slashes in literals count.
pub(crate) fn joined_segments(expr: &Expr) -> Vec<Expr> {
    let flat = flatten(expr).unwrap_or_else(|_| expr.clone());
    let parts = match call_of(&flat, "concat") {
        Some(parts) => parts.to_vec(),
        None => vec![flat],
    };
    let mut segments: Vec<Vec<Expr>> = vec![Vec::new()];
    for part in parts {
        let Some(text) = literal(&part) else {
            segments.last_mut().into_iter().for_each(|last| last.push(part.clone()));
            continue;
        };
        for (index, piece) in text.split('/').enumerate() {
            if index > 0 {
                segments.push(Vec::new());
            }
            if !piece.is_empty() {
                segments.last_mut().into_iter().for_each(|last| last.push(Expr::string(piece)));
            }
        }
    }
    let whole = |mut parts: Vec<Expr>| match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => Some(only),
        (Some(last), false) => {
            parts.push(last);
            Some(Expr::call("concat", parts))
        }
        (None, _) => None,
    };
    segments.into_iter().filter_map(whole).collect()
}

/// The resource that a text like `Type/name/type/name` means, whatever its names are put together of.
pub(crate) fn resource_path(expr: &Expr) -> Option<ResourceId> {
    let segments = joined_segments(expr);
    // Scopes in front of the last `providers` do not count.
    let start = segments
        .iter()
        .rposition(|it| literal(it).is_some_and(|text| text.eq_ignore_ascii_case("providers")));
    let segments = segments.get(start.map_or(0, |at| at + 1)..)?;
    if segments.len() < 3 || segments.len().is_multiple_of(2) {
        return None;
    }
    let mut ty = vec![literal(segments.first()?)?];
    let mut names = Vec::new();
    for pair in segments.get(1..)?.chunks(2) {
        let [kind, name] = pair else { return None };
        ty.push(literal(kind)?);
        names.push(name.clone());
    }
    Some(ResourceId { ty: ty.join("/"), name: joined_name(&names).ok()? })
}
