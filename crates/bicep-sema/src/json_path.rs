//! JSONPath, as far as files are read with it: names, indices, slices, wildcards, descent and simple filters.

use serde_json::Value;

/// The values that a path leads to; `None` if the path is not valid.
pub(crate) fn select<'v>(root: &'v Value, path: &str) -> Option<Vec<&'v Value>> {
    let mut reader = JsonPathParser { rest: path.strip_prefix('$').unwrap_or(path) };
    let mut found = vec![root];
    let mut is_first = true;
    while !reader.rest.is_empty() {
        found = reader.step(found, is_first)?;
        is_first = false;
    }
    Some(found)
}

struct JsonPathParser<'p> {
    rest: &'p str,
}

impl<'p> JsonPathParser<'p> {
    fn step<'v>(&mut self, from: Vec<&'v Value>, is_first: bool) -> Option<Vec<&'v Value>> {
        if self.eat("..") {
            let all: Vec<&Value> = from.into_iter().flat_map(descendants).collect();
            if self.rest.starts_with('[') {
                return self.brackets(&all);
            }
            return self.name(&all);
        }
        if self.eat(".") {
            return self.name(&from);
        }
        if self.rest.starts_with('[') {
            return self.brackets(&from);
        }
        if is_first { self.name(&from) } else { None }
    }

    fn name<'v>(&mut self, from: &[&'v Value]) -> Option<Vec<&'v Value>> {
        let end = self.rest.find(['.', '[', ' ', '(', ')', ']']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        match name {
            "" => None,
            "*" => Some(from.iter().flat_map(|value| children(value)).collect()),
            name => Some(from.iter().filter_map(|value| value.get(name)).collect()),
        }
    }

    fn brackets<'v>(&mut self, from: &[&'v Value]) -> Option<Vec<&'v Value>> {
        let end = closing(self.rest)?;
        let inside = self.rest.get(1..end)?.trim();
        self.rest = self.rest.get(end + 1..)?;
        if let Some(filter) = inside.strip_prefix('?') {
            let filter = filter.trim().strip_prefix('(')?.strip_suffix(')')?;
            let matches = |value: &&Value| filter_holds(value, filter);
            return Some(from.iter().flat_map(|value| children(value)).filter(matches).collect());
        }
        let mut found = Vec::new();
        for part in inside.split(',').map(str::trim) {
            for value in from {
                selected(value, part, &mut found)?;
            }
        }
        Some(found)
    }

    fn eat(&mut self, text: &str) -> bool {
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }
}

/// The position of the bracket that closes the first one, outside of quotes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn selected<'v>(value: &'v Value, part: &str, found: &mut Vec<&'v Value>) -> Option<()> {
    if part == "*" {
        found.extend(children(value));
    } else if let Some(name) = unquoted(part) {
        found.extend(value.get(name));
    } else if part.contains(':') {
        slice(value, part, found)?;
    } else {
        let index: i64 = part.parse().ok()?;
        found.extend(value.as_array().and_then(|items| items.get(position(index, items.len())?)));
    }
    Some(())
}

fn slice<'v>(value: &'v Value, part: &str, found: &mut Vec<&'v Value>) -> Option<()> {
    let mut bounds = part.split(':').map(|bound| match bound.trim() {
        "" => Some(None),
        bound => bound.parse::<i64>().ok().map(Some),
    });
    let (start, end, step) = (bounds.next()??, bounds.next()??, bounds.next().unwrap_or(Some(None))?);
    let Value::Array(items) = value else { return Some(()) };
    let length = i64::try_from(items.len()).ok()?;
    let absolute = |bound: i64| if bound < 0 { (bound + length).max(0) } else { bound.min(length) };
    let step = usize::try_from(step.unwrap_or(1)).ok().filter(|step| *step > 0)?;
    let (start, end) = (absolute(start.unwrap_or(0)), absolute(end.unwrap_or(length)));
    let range = usize::try_from(start).ok()?..usize::try_from(end.max(start)).ok()?;
    found.extend(items.get(range)?.iter().step_by(step));
    Some(())
}

fn position(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    usize::try_from(if index < 0 { index + length } else { index }).ok()
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

fn descendants(value: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        found.push(value);
        open.extend(children(value).into_iter().rev());
    }
    found
}

fn unquoted(text: &str) -> Option<&str> {
    ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// `@.a.b == 'x'`, `@.a > 3`, `@.a`, joined by `&&` and `||`.
fn filter_holds(value: &Value, filter: &str) -> bool {
    filter.split("||").any(|all| all.split("&&").all(|one| comparison_holds(value, one.trim())))
}

fn comparison_holds(value: &Value, text: &str) -> bool {
    const OPERATORS: [&str; 7] = ["===", "==", "!=", "<=", ">=", "<", ">"];
    let found = OPERATORS.iter().filter_map(|it| text.find(it).map(|at| (at, *it))).min_by_key(|(at, _)| *at);
    let Some((at, operator)) = found else { return operand(value, text).is_some() };
    let left = text.get(..at).unwrap_or_default();
    let right = text.get(at + operator.len()..).unwrap_or_default();
    let (Some(left), Some(right)) = (operand(value, left.trim()), operand(value, right.trim())) else {
        return operator == "!=";
    };
    let ordering = match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left.partial_cmp(&right),
        _ => left.as_str().zip(right.as_str()).map(|(left, right)| left.cmp(right)),
    };
    match operator {
        "!=" => left != right,
        "<" => ordering.is_some_and(std::cmp::Ordering::is_lt),
        "<=" => ordering.is_some_and(std::cmp::Ordering::is_le),
        ">" => ordering.is_some_and(std::cmp::Ordering::is_gt),
        ">=" => ordering.is_some_and(std::cmp::Ordering::is_ge),
        _ => left == right || ordering.is_some_and(std::cmp::Ordering::is_eq),
    }
}

fn operand(value: &Value, text: &str) -> Option<Value> {
    if let Some(path) = text.strip_prefix('@') {
        return select(value, path)?.first().map(|found| (*found).clone());
    }
    match unquoted(text) {
        Some(text) => Some(Value::from(text)),
        None => serde_json::from_str(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_values() {
        let root = serde_json::json!({
            "a": { "b": [1, 2, 3], "c d": "x" },
            "list": [{ "price": 2, "name": "p" }, { "price": 5, "name": "q" }],
        });
        let check = |path: &str, expected: &str| {
            let found = select(&root, path).map(|found| serde_json::json!(found).to_string());
            assert_eq!(found.as_deref().unwrap_or("invalid"), expected, "{path}");
        };
        check("$.a.b[0]", "[1]");
        check(".a.b[-1]", "[3]");
        check("a['c d']", "[\"x\"]");
        check("$.a.b[1:]", "[2,3]");
        check("$..name", "[\"p\",\"q\"]");
        check(".list[?(@.price > 3)].name", "[\"q\"]");
        check("$.list[*].price", "[2,5]");
        check(".nothing", "[]");
        check(".", "invalid");
        check("$.", "invalid");
    }
}
