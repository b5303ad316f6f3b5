//! HCL 1, the layout in which Terraform files were written from JSON. A [`Value`] comes in, text goes out.
//!
//! Objects that hold only objects turn into labels, arrays that hold only objects into repeated blocks; everything
//! else is an assignment. Members keep their order.

use std::fmt::Write as _;

use ::json::borrowed::Value;

/// Prints an object; the top level of HCL can be nothing else.
pub fn write(node: &Value<'_>, indent: usize) -> Result<String, String> {
    let Value::Object(members) = node else {
        return Err("the top level of an HCL document must be an object".to_owned());
    };
    let printer = Printer { step: if indent == 0 { "\t".to_owned() } else { " ".repeat(indent) } };
    let mut out = String::new();
    for (at, item) in items(members).iter().enumerate() {
        if at > 0 {
            out.push_str("\n\n");
        }
        printer.item(&mut out, item, 0);
    }
    out.push('\n');
    Ok(out)
}

/// One entry of a body: its labels and what stands behind them.
struct Item<'n, 'a> {
    keys: Vec<&'n str>,
    value: &'n Value<'a>,
}

/// The entries of an object, with nested objects turned into labels and arrays of objects into repetitions.
fn items<'n, 'a>(members: &'n [(std::borrow::Cow<'a, str>, Value<'a>)]) -> Vec<Item<'n, 'a>> {
    let mut found = Vec::new();
    let mut open: Vec<Item<'n, 'a>> =
        members.iter().rev().map(|(key, value)| Item { keys: vec![key.as_ref()], value }).collect();
    while let Some(item) = open.pop() {
        match item.value {
            Value::Object(inner)
                if !inner.is_empty() && inner.iter().all(|(_, v)| matches!(v, Value::Object(_))) =>
            {
                for (key, value) in inner.iter().rev() {
                    let mut keys = item.keys.clone();
                    keys.push(key);
                    open.push(Item { keys, value });
                }
            }
            Value::Array(list) if !list.is_empty() && list.iter().all(|v| matches!(v, Value::Object(_))) => {
                open.extend(list.iter().rev().map(|value| Item { keys: item.keys.clone(), value }));
            }
            _ => found.push(item),
        }
    }
    found
}

struct Printer {
    step: String,
}

impl Printer {
    fn item(&self, out: &mut String, item: &Item<'_, '_>, level: usize) {
        for key in &item.keys {
            string(out, key);
            out.push(' ');
        }
        if item.keys.len() == 1 {
            out.push_str("= ");
        }
        self.value(out, item.value, level);
    }

    fn value(&self, out: &mut String, node: &Value<'_>, level: usize) {
        match node {
            Value::Null => {}
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Number(text) => out.push_str(text),
            Value::String(text) => string(out, text),
            Value::Array(list) => self.list(out, list, level),
            Value::Object(members) => self.body(out, members, level),
        }
    }

    fn body(&self, out: &mut String, members: &[(std::borrow::Cow<'_, str>, Value<'_>)], level: usize) {
        out.push('{');
        for (at, item) in items(members).iter().enumerate() {
            out.push_str(if at == 0 { "\n" } else { "\n\n" });
            self.indent(out, level + 1);
            self.item(out, item, level + 1);
        }
        if !members.is_empty() {
            out.push('\n');
            self.indent(out, level);
        }
        out.push('}');
    }

    fn list(&self, out: &mut String, list: &[Value<'_>], level: usize) {
        out.push('[');
        let on_one_line = !list.iter().any(|item| matches!(item, Value::Object(_)));
        for (at, item) in list.iter().enumerate() {
            if on_one_line {
                out.push_str(if at > 0 { ", " } else { "" });
                self.value(out, item, level);
            } else {
                out.push('\n');
                self.indent(out, level + 1);
                self.value(out, item, level + 1);
                out.push(',');
            }
        }
        if !on_one_line {
            out.push('\n');
            self.indent(out, level);
        }
        out.push(']');
    }

    fn indent(&self, out: &mut String, level: usize) {
        for _ in 0..level {
            out.push_str(&self.step);
        }
    }
}

/// A string as JavaScript would write it in JSON: that text is taken over as it is.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use ::json::borrowed::parse;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(
            &super::write(&parse(text).unwrap(), 2).unwrap_or_else(|error| format!("error: {error}")),
        );
    }

    #[test]
    fn objects_of_objects_become_labels() {
        check(
            r#"{"provider":{"github":{"organization":"o"}},"m":{"a":{"x":1,"y":{"z":2}}}}"#,
            &expect![[r#"
                "provider" "github" {
                  "organization" = "o"
                }

                "m" "a" {
                  "x" = 1

                  "y" = {
                    "z" = 2
                  }
                }
            "#]],
        );
    }

    #[test]
    fn arrays_of_objects_become_repeated_blocks() {
        check(
            r#"{"r":{"t":[{"x":1},{"y":2}]},"s":[{"k":{"v":1}}]}"#,
            &expect![[r#"
                "r" = {
                  "t" = {
                    "x" = 1
                  }

                  "t" = {
                    "y" = 2
                  }
                }

                "s" "k" {
                  "v" = 1
                }
            "#]],
        );
    }

    #[test]
    fn everything_else_is_an_assignment() {
        check(
            r#"{"n":null,"b":true,"s":"q\"\n${x}","l":[1,"a",true],"o":{},"m":[1,{"b":2}]}"#,
            &expect![[r#"
                "n" = 

                "b" = true

                "s" = "q\"\n${x}"

                "l" = [1, "a", true]

                "o" = {}

                "m" = [
                  1,
                  {
                    "b" = 2
                  },
                ]
            "#]],
        );
        check("[1]", &expect!["error: the top level of an HCL document must be an object"]);
    }
}
