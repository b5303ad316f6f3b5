//! Pieces of Bicep while a file is put together. Values and expressions come in, text goes out; the layout is the formatter's
//! work. The text has the spaces that the reference puts in, because statements that cannot be parsed stay as they are.

use base::SmolStr;
use base::spelling::is_identifier;
pub(crate) use bicep_types::ty::escape_string as quoted;
use bicep_types::ty::push_escaped;

/// About as many bytes as a member of an object takes.
const LINE: usize = 64;

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A text without holes.
    Literal(SmolStr),
    /// A text with holes.
    Text(Interpolated),
    /// An object literal.
    Object(Vec<Property>),
    /// An array literal.
    Array(Vec<Self>),
    /// Something in parentheses, which are part of the text.
    Parenthesized(String),
    /// `[for …]`
    Loop(String),
    /// Anything else.
    Other(String),
}

/// A text with holes: one more segment than holes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Interpolated {
    pub(crate) segments: Vec<String>,
    pub(crate) holes: Vec<Syntax>,
}

/// A member of an object literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Property {
    pub(crate) key: Key,
    /// Whether words of the language are put in quotes.
    pub(crate) is_quoted: bool,
    pub(crate) value: Syntax,
}

/// What a member is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    /// A name that is known.
    Name(SmolStr),
    /// A name that an expression gives.
    Computed(Interpolated),
}

impl Syntax {
    /// A literal text.
    pub(crate) fn text(value: &str) -> Self {
        Self::Literal(value.into())
    }

    /// The value of a text without holes.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Text(text) if text.holes.is_empty() => text.segments.first().map(String::as_str),
            _ => None,
        }
    }

    /// The Bicep text.
    pub(crate) fn print(&self) -> String {
        let lines = if let Self::Object(properties) = self { properties.len() } else { 0 };
        let mut out = String::with_capacity(lines * LINE);
        self.write(&mut out);
        out
    }

    /// The same of a value that is not needed any more.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Parenthesized(text) | Self::Loop(text) | Self::Other(text) => text,
            other => other.print(),
        }
    }

    pub(crate) fn write(&self, out: &mut String) {
        base::recurse(|| match self {
            Self::Literal(text) => {
                out.push('\'');
                push_escaped(out, text);
                out.push('\'');
            }
            Self::Text(text) => text.write(out),
            Self::Object(properties) => write_object(out, properties),
            Self::Array(items) => write_array(out, items),
            Self::Parenthesized(text) | Self::Loop(text) | Self::Other(text) => out.push_str(text),
        });
    }
}

impl Interpolated {
    /// A value as a text; what is no text is its only hole.
    pub(crate) fn of(value: Syntax) -> Self {
        match value {
            Syntax::Literal(text) => Self { segments: vec![text.into()], holes: Vec::new() },
            Syntax::Text(text) => text,
            other => Self { segments: vec![String::new(), String::new()], holes: vec![other] },
        }
    }

    fn write(&self, out: &mut String) {
        out.push('\'');
        let mut holes = self.holes.iter();
        for segment in &self.segments {
            push_escaped(out, segment);
            if let Some(hole) = holes.next() {
                out.push_str("${");
                hole.write(out);
                out.push('}');
            }
        }
        out.push('\'');
    }
}

impl Property {
    pub(crate) fn new(name: &str, value: Syntax) -> Self {
        Self { key: Key::Name(name.into()), is_quoted: false, value }
    }

    /// The name, if it is known.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.key {
            Key::Name(name) => Some(name),
            Key::Computed(text) if text.holes.is_empty() => text.segments.first().map(String::as_str),
            Key::Computed(_) => None,
        }
    }
}

fn is_keyword(name: &str) -> bool {
    matches!(name, "true" | "false" | "null")
}

fn write_object(out: &mut String, properties: &[Property]) {
    out.push_str("{\n");
    for property in properties {
        write_property(out, property);
        out.push('\n');
    }
    out.push('}');
}

/// The members of an object on one line.
pub(crate) fn members(properties: &[Property], separator: &str) -> String {
    let mut out = String::new();
    for (index, property) in properties.iter().enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        write_property(&mut out, property);
    }
    out
}

fn write_property(out: &mut String, property: &Property) {
    match &property.key {
        // The reference writes these words as they are, which is no Bicep.
        Key::Name(name) if is_identifier(name) && !(property.is_quoted && is_keyword(name)) => {
            out.push_str(name);
            out.push_str(": ");
        }
        Key::Name(name) => {
            out.push_str(&quoted(name));
            out.push_str(": ");
        }
        Key::Computed(text) => {
            text.write(out);
            out.push(':');
        }
    }
    property.value.write(out);
}

/// An item on each line.
fn write_array(out: &mut String, items: &[Syntax]) {
    out.push('[');
    for item in items {
        out.push('\n');
        item.write(out);
    }
    out.push_str(if items.is_empty() { "]" } else { "\n]" });
}

/// A call of a function.
pub(crate) fn call(name: &str, arguments: &[Syntax]) -> Syntax {
    qualified_call("", name, arguments)
}

/// A call of a function of a namespace, which has its dot.
pub(crate) fn qualified_call(namespace: &str, name: &str, arguments: &[Syntax]) -> Syntax {
    let mut out = String::with_capacity(LINE);
    out.extend([namespace, name, "("]);
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        argument.write(&mut out);
    }
    out.push(')');
    Syntax::Other(out)
}

/// A text with holes of which the texts are known: one more segment than holes.
pub(crate) fn quoted_parts(segments: &[String], holes: &[&str]) -> String {
    let mut out = String::from("'");
    let mut holes = holes.iter();
    for segment in segments {
        push_escaped(&mut out, segment);
        if let Some(hole) = holes.next() {
            out.push_str("${");
            out.push_str(hole);
            out.push('}');
        }
    }
    out.push('\'');
    out
}
