//! Template expressions while they are put together and still change; [`Code::to_expr`] gives what templates have.

use std::fmt::Write;

use arm::document::{Node, NodeKind};
use arm::expression::{Accessor, Expr};

/// A template expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Code {
    /// A text in single quotes.
    Text(String),
    /// A whole number.
    Int(i64),
    /// Everything else.
    Call(Call),
}

/// A function called with arguments, and steps into its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) args: Vec<Code>,
    pub(crate) path: Vec<Code>,
}

impl Code {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn call(name: impl Into<String>, args: impl IntoIterator<Item = Self>) -> Self {
        Self::Call(Call { name: name.into(), args: args.into_iter().collect(), path: Vec::new() })
    }

    /// `true()` or `false()`
    pub(crate) fn bool(value: bool) -> Self {
        Self::call(if value { "true" } else { "false" }, [])
    }

    pub(crate) fn null() -> Self {
        Self::call("null", [])
    }

    /// A number. Those beyond 32 bits are no literals of the template language.
    pub(crate) fn int(value: i64) -> Self {
        match i32::try_from(value) {
            Ok(_) => Self::Int(value),
            Err(_) => Self::call("json", [Self::text(value.to_string())]),
        }
    }

    /// A part of the result.
    #[must_use]
    pub(crate) fn at(self, step: Self) -> Self {
        let mut call = self.into_call();
        call.path.push(step);
        Self::Call(call)
    }

    /// A named part of the result.
    #[must_use]
    pub(crate) fn member(self, name: &str) -> Self {
        self.at(Self::text(name))
    }

    /// The same as a call: steps can only be taken from a call.
    pub(crate) fn into_call(self) -> Call {
        let name = match self {
            Self::Call(call) => return call,
            Self::Text(_) => "string",
            Self::Int(_) => "int",
        };
        Call { name: name.to_owned(), args: vec![self], path: Vec::new() }
    }

    /// The call without steps behind it, if it is one of this function.
    pub(crate) fn as_call_of(&self, names: &[&str]) -> Option<&Call> {
        match self {
            Self::Call(call) if call.path.is_empty() && names.contains(&call.name.as_str()) => Some(call),
            _ => None,
        }
    }

    /// Calls `visit` with every call in it, itself included.
    pub(crate) fn for_each_call(&mut self, visit: &mut impl FnMut(&mut Call)) {
        base::recurse(|| {
            if let Self::Call(call) = self {
                visit(call);
                call.args.iter_mut().chain(&mut call.path).for_each(|inner| inner.for_each_call(visit));
            }
        });
    }

    /// How many parts it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Call(call) => 1 + call.args.iter().chain(&call.path).map(Self::size).sum::<usize>(),
            Self::Text(_) | Self::Int(_) => 1,
        }
    }

    /// Whether it depends on the position in a loop.
    pub(crate) fn has_copy_index(&self) -> bool {
        match self {
            Self::Call(call) => {
                call.name == "copyIndex" || call.args.iter().chain(&call.path).any(Self::has_copy_index)
            }
            Self::Text(_) | Self::Int(_) => false,
        }
    }

    /// As it stands in a template.
    pub(crate) fn to_node(&self) -> Node {
        match self {
            Self::Int(value) => NodeKind::Number((*value).into()).into(),
            Self::Text(_) | Self::Call(_) => self.to_text_node(),
        }
    }

    /// As a string of a template.
    pub(crate) fn to_text_node(&self) -> Node {
        match self {
            Self::Text(text) => Node::literal(text),
            Self::Int(_) | Self::Call(_) => Node::expression(self.to_expr()),
        }
    }

    /// The expression of the template language.
    pub(crate) fn to_expr(&self) -> Expr {
        base::recurse(|| match self {
            Self::Text(text) => Expr::string(text.as_str()),
            Self::Int(value) => Expr::int(*value),
            Self::Call(call) => {
                let base = Expr::call(&call.name, call.args.iter().map(Self::to_expr).collect());
                let steps = call.path.iter().map(|step| match step {
                    Self::Text(name) if base::spelling::is_identifier(name) => {
                        Accessor::Property(name.as_str().into())
                    }
                    step => Accessor::Index(step.to_expr()),
                });
                base.access_all(steps.collect())
            }
        })
    }
}

/// The text of an interpolated string as `format` takes it.
pub(crate) fn format_string(segments: &[String]) -> String {
    let mut text = String::new();
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "{{{}}}", index - 1);
        }
        text.push_str(&segment.replace('{', "{{").replace('}', "}}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_written_as_names_or_in_brackets() {
        let code = Code::call("parameters", [Code::text("it's")]);
        for (step, expected) in [
            (Code::text("a_1"), "[parameters('it''s').a_1]"),
            (Code::text("a-b"), "[parameters('it''s')['a-b']]"),
            (Code::Int(0), "[parameters('it''s')[0]]"),
            (Code::call("copyIndex", []), "[parameters('it''s')[copyIndex()]]"),
        ] {
            assert_eq!(code.clone().at(step).to_node().as_str(), Some(expected));
        }
        assert_eq!(Code::int(5).at(Code::Int(1)).to_node().as_str(), Some("[int(5)[1]]"));
        assert_eq!(Code::int(1 << 40).to_node().as_str(), Some("[json('1099511627776')]"));
    }
}
