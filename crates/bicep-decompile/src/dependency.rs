//! Which resource a dependency means, where its text is not that of the resource: through variables, through loops with the same index,
//! through the other functions that give ids. A dependency can only mean a resource of the same template, so its type and name are enough.

use std::cell::OnceCell;

use arm::expression::{Accessor, Expr, ExprKind};

use crate::strings;
use crate::template::{Converter, Symbol};
use crate::tree;

/// How deeply variables are followed.
const DEEPEST: usize = 16;

/// Loops are searched for turns up to this number when a dependency names one of them.
const MOST_TURNS: i64 = 16;

/// The name of a resource with the values of variables in it.
#[derive(Debug)]
pub(crate) struct ResourceName {
    expr: Expr,
    printed: String,
    /// Whether it is the name of a loop's resource, another one at each turn.
    has_turns: bool,
    turns: OnceCell<Vec<String>>,
}

impl ResourceName {
    /// The names at the first turns of the loop.
    fn turns(&self) -> &[String] {
        self.turns.get_or_init(|| (0..MOST_TURNS).map(|turn| printed(&at_turn(&self.expr, turn))).collect())
    }
}

impl Converter<'_> {
    /// The symbol of the resource, with an index for one turn of a loop.
    pub(crate) fn dependency(&self, expr: &Expr) -> Option<String> {
        let meant = self.meaning(expr, 0);
        let id = resource_in(&meant);
        let name = match &id {
            Some((_, name)) => printed(name),
            None => printed(&meant),
        };
        let has_type =
            |ty: &str| id.as_ref().is_none_or(|(known, _)| known.trim_matches('/').eq_ignore_ascii_case(ty));
        let mut found = None;
        for symbol in self.symbols.iter().filter(|symbol| has_type(&symbol.ty)) {
            let own = self.resource_name(symbol);
            let reached = match own.printed == name {
                true if own.has_turns => Some(format!("{}[i]", symbol.name)),
                true => Some(symbol.name.clone()),
                false if own.has_turns => {
                    let turn = own.turns().iter().position(|it| *it == name);
                    turn.map(|turn| format!("{}[{turn}]", symbol.name))
                }
                false => None,
            };
            if reached.is_some() {
                // A bare name that several resources have means none of them.
                if found.is_some() {
                    return None;
                }
                found = reached;
            }
        }
        let by_loop = || {
            let name = strings::literal(&meant)?.to_lowercase();
            self.loops.iter().find(|(known, _)| *known == name).map(|(_, symbol)| symbol.clone())
        };
        found.or_else(by_loop)
    }

    fn resource_name<'s>(&self, symbol: &'s Symbol) -> &'s ResourceName {
        // `variables('i')` is the index of a loop inside of one.
        let [outside, inside] = &symbol.names;
        let known = if self.names.is_local("i") { inside } else { outside };
        known.get_or_init(|| {
            let expr = self.meaning(&symbol.written_name, 0);
            let (printed, has_turns) = (printed(&expr), symbol.is_loop && has_index(&expr));
            ResourceName { expr, printed, has_turns, turns: OnceCell::new() }
        })
    }

    /// An expression with the values of variables in it, and every index of a loop in one form.
    pub(crate) fn meaning(&self, expr: &Expr, depth: usize) -> Expr {
        let rewritten = strings::rewrite(expr, &mut |part| Ok(self.part_meaning(part, depth)));
        let rewritten = rewritten.unwrap_or_else(|_| expr.clone());
        strings::rewrite(&rewritten, &mut |part| strings::flatten(&part)).unwrap_or(rewritten)
    }

    fn part_meaning(&self, part: Expr, depth: usize) -> Expr {
        if let Some((args, path)) = strings::path_of(&part, "copyIndex")
            && path.is_empty()
        {
            let index = Expr::call("copyIndex", Vec::new());
            return match args.iter().find(|arg| !matches!(arg.kind(), ExprKind::String(_))) {
                Some(offset) => Expr::call("add", vec![index, offset.clone()]),
                None => index,
            };
        }
        if let Some(simple) = split_part(&part).or_else(|| counted_part(&part)) {
            return simple;
        }
        let Some((args, path)) = strings::path_of(&part, "variables") else { return part };
        let Some(name) = args.first().and_then(strings::literal) else { return part };
        if name == "i" && self.names.is_local(&name) {
            return strings::with_path(Expr::call("copyIndex", Vec::new()), path);
        }
        match self.variable_value(&name, path).filter(|_| depth < DEEPEST) {
            Some(value) => self.meaning(&value, depth + 1),
            None => part,
        }
    }

    /// The text that a variable, or a part of it, has in the template.
    fn variable_value(&self, name: &str, path: &[Accessor]) -> Option<Expr> {
        let mut value = tree::nested(self.template, &["variables", name])?;
        for step in path {
            value = match step {
                Accessor::Property(name) => &tree::find(value, name)?.value,
                Accessor::Index(index) => match index.kind() {
                    ExprKind::String(name) => &tree::find(value, name)?.value,
                    ExprKind::Int(index) => value.as_array()?.get(usize::try_from(*index).ok()?)?,
                    _ => return None,
                },
            };
        }
        self.expressions.parse(value.as_str()?).ok()
    }
}

/// The type and name in a call that gives an id, or in a text like `Type/name`. Scopes in front of them do not count.
fn resource_in(expr: &Expr) -> Option<(String, Expr)> {
    const FUNCTIONS: [&str; 5] = [
        "resourceId",
        "subscriptionResourceId",
        "tenantResourceId",
        "managementGroupResourceId",
        "extensionResourceId",
    ];
    if let Some(args) = FUNCTIONS.iter().find_map(|name| strings::call_of(expr, name)) {
        let is_type =
            |arg: &Expr| strings::literal(arg).is_some_and(|it| it.contains('/') && !it.starts_with('/'));
        let at = args.iter().position(is_type)?;
        let ty = strings::literal(args.get(at)?)?;
        let names = args.get(at + 1..)?;
        return Some((ty.into_owned(), strings::joined_name(names).ok()?));
    }
    strings::resource_path(expr).map(|id| (id.ty, id.name))
}

/// A part of a text that is put together: `split('a/b', '/')[1]`.
fn split_part(part: &Expr) -> Option<Expr> {
    let is_slash = |expr: &Expr| strings::literal(expr).as_deref() == Some("/");
    if let Some([inner]) = strings::call_of(part, "last")
        && let Some([text, separator]) = strings::call_of(inner, "split")
    {
        let segments = strings::joined_segments(text);
        return segments.last().filter(|_| is_slash(separator) && segments.len() > 1).cloned();
    }
    let (args, path) = strings::path_of(part, "split")?;
    let ([text, separator], [Accessor::Index(index)]) = (args, path) else { return None };
    let ExprKind::Int(index) = index.kind() else { return None };
    let segments = strings::joined_segments(text);
    // A single part may have slashes of its own.
    let found =
        segments.get(usize::try_from(*index).ok()?).filter(|_| is_slash(separator) && segments.len() > 1);
    found.cloned()
}

/// `range(0, n)[i]` is `i`.
fn counted_part(part: &Expr) -> Option<Expr> {
    let (args, path) = strings::path_of(part, "range")?;
    match (args, path) {
        ([start, _], [Accessor::Index(index)]) if strings::literal(start).as_deref() == Some("0") => {
            Some(index.clone())
        }
        _ => None,
    }
}

fn printed(expr: &Expr) -> String {
    let flat = strings::flatten(expr).unwrap_or_else(|_| expr.clone());
    flat.to_string().to_lowercase()
}

fn has_index(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| found |= strings::call_of(part, "copyIndex").is_some());
    found
}

/// The name at one turn of the loop.
fn at_turn(expr: &Expr, turn: i64) -> Expr {
    let replaced = strings::rewrite(expr, &mut |part| {
        if strings::call_of(&part, "copyIndex").is_some() {
            return Ok(Expr::int(turn));
        }
        if let Some([left, right]) = strings::call_of(&part, "add")
            && let (ExprKind::Int(left), ExprKind::Int(right)) = (left.kind(), right.kind())
        {
            return Ok(Expr::int(left.wrapping_add(*right)));
        }
        Ok(part)
    });
    let replaced = replaced.unwrap_or_else(|_| expr.clone());
    strings::rewrite(&replaced, &mut |part| strings::flatten(&part)).unwrap_or(replaced)
}
