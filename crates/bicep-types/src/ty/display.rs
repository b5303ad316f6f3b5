//! How a type is shown to the user.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write};

use base::SmolStr;

use super::{Kind, LambdaType, ObjectName, ObjectType, Type};

/// Nesting beyond which a name says `…`. Names of types that people write stay far below.
const MAX_DEPTH: usize = 40;

/// How many types one name may be made of before it says `…`, so that a type that contains itself has a name, too, and a
/// thousand messages about a large type stay readable.
const MAX_PARTS: usize = 200;

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Namer { f, depth: 0, parts: 0 }.whole(self)
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

/// The text that a type is shown as. Most have it already, or one that is always the same.
pub(super) fn name(ty: &Type) -> Cow<'_, str> {
    if let Some(name) = ty.label().or(ty.node().name.as_deref()) {
        return Cow::Borrowed(name);
    }
    match ty.kind() {
        Kind::Null => Cow::Borrowed("null"),
        Kind::Bool => Cow::Borrowed("bool"),
        Kind::Int(_) => Cow::Borrowed("int"),
        Kind::String(_) => Cow::Borrowed("string"),
        Kind::StringLiteral(value) => Cow::Owned(escape_string(value)),
        Kind::Object(ObjectType { name: ObjectName::Given(name), .. }) => Cow::Borrowed(name),
        _ => Cow::Owned(ty.to_string()),
    }
}

struct Namer<'a, 'f> {
    f: &'a mut Formatter<'f>,
    depth: usize,
    parts: usize,
}

impl Namer<'_, '_> {
    fn whole(&mut self, ty: &Type) -> fmt::Result {
        if self.depth >= MAX_DEPTH || self.parts >= MAX_PARTS {
            return self.f.write_char('…');
        }
        self.depth += 1;
        self.parts += 1;
        // One that is not known yet shows its label.
        match ty.label().or(ty.node().name.as_deref()) {
            Some(name) => self.f.write_str(name)?,
            None => self.by_kind(ty.kind())?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn by_kind(&mut self, kind: &Kind) -> fmt::Result {
        match kind {
            Kind::Error(_) => self.f.write_str("error"),
            Kind::Never => self.f.write_str("never"),
            Kind::Any => self.f.write_str("any"),
            Kind::Null => self.f.write_str("null"),
            Kind::Bool => self.f.write_str("bool"),
            Kind::Int(_) => self.f.write_str("int"),
            Kind::String(_) => self.f.write_str("string"),
            Kind::BoolLiteral(value) => write!(self.f, "{value}"),
            Kind::IntLiteral(value) => write!(self.f, "{value}"),
            Kind::StringLiteral(value) => self.f.write_str(&escape_string(value)),
            Kind::Array(array) if array.item.label().is_none() && array.item.is_any() => {
                self.f.write_str("array")
            }
            Kind::Array(array) => {
                self.member(&array.item)?;
                self.f.write_str("[]")
            }
            Kind::Tuple(tuple) if tuple.items.is_empty() => self.f.write_str("<empty array>"),
            Kind::Tuple(tuple) => {
                self.f.write_char('[')?;
                self.list(&tuple.items, ", ", Self::whole)?;
                self.f.write_char(']')
            }
            Kind::Object(object) => match &object.name {
                ObjectName::Given(name) => self.f.write_str(name),
                ObjectName::Structural => self.structure(object),
            },
            Kind::Discriminated(object) => self.f.write_str(&object.name),
            Kind::Union(members) => self.list(members, " | ", Self::member),
            Kind::Resource(resource) => write!(self.f, "{}", resource.reference),
            Kind::ResourceParent(child) => self.f.write_str(child.parent_name()),
            Kind::ResourceParameter(reference) | Kind::UnresolvedResource(reference) => {
                self.f.write_str(reference.name())
            }
            Kind::Scope(scopes) => {
                let names: Vec<&str> = scopes.names().collect();
                self.f.write_str(&names.join(" | "))
            }
            Kind::Module(module) | Kind::Test(module) => self.f.write_str(&module.name),
            Kind::Lambda(lambda) => self.lambda(lambda),
            Kind::Namespace(namespace) => self.f.write_str(&namespace.alias),
            Kind::TypeOf(of) => {
                self.f.write_str("Type<")?;
                self.whole(of)?;
                self.f.write_char('>')
            }
        }
    }

    /// A type as part of a larger one: in parentheses where it would be misread without them.
    fn member(&mut self, ty: &Type) -> fmt::Result {
        let wrapped = match ty.label() {
            Some(label) => label.contains([' ', '?']),
            None => match ty.kind() {
                Kind::Union(_) | Kind::Lambda(_) => true,
                Kind::Discriminated(object) => object.name.contains(' '),
                Kind::Scope(scopes) => scopes.names().nth(1).is_some(),
                _ => false,
            },
        };
        if !wrapped {
            return self.whole(ty);
        }
        self.f.write_char('(')?;
        self.whole(ty)?;
        self.f.write_char(')')
    }

    fn structure(&mut self, object: &ObjectType) -> fmt::Result {
        self.f.write_char('{')?;
        let mut separator = " ";
        for (name, property) in &object.properties {
            if self.parts >= MAX_PARTS {
                return write!(self.f, "{separator}… }}");
            }
            write!(self.f, "{separator}{}: ", escape_property_name(name))?;
            self.whole(&property.ty)?;
            separator = ", ";
        }
        if let Some(additional) = object.additional.as_ref().filter(|_| object.has_explicit_additional()) {
            write!(self.f, "{separator}*: ")?;
            self.whole(&additional.ty)?;
        }
        self.f.write_str(" }")
    }

    fn lambda(&mut self, lambda: &LambdaType) -> fmt::Result {
        let bare = lambda.arguments.len() == 1 && lambda.optional.is_empty();
        if !bare {
            self.f.write_char('(')?;
        }
        self.list(&lambda.arguments, ", ", Self::member)?;
        if !lambda.optional.is_empty() {
            self.f.write_str(if lambda.arguments.is_empty() { "[" } else { "[, " })?;
            self.list(&lambda.optional, ", ", Self::member)?;
            self.f.write_char(']')?;
        }
        self.f.write_str(if bare { " => " } else { ") => " })?;
        self.member(&lambda.result)
    }

    fn list(
        &mut self,
        types: &[Type],
        separator: &str,
        write: fn(&mut Self, &Type) -> fmt::Result,
    ) -> fmt::Result {
        for (index, ty) in types.iter().enumerate() {
            if index > 0 {
                self.f.write_str(separator)?;
            }
            if self.parts >= MAX_PARTS {
                return self.f.write_char('…');
            }
            write(self, ty)?;
        }
        Ok(())
    }
}

/// The name of an object type whose properties have these names and types; `*` stands for all others.
pub fn object_name(properties: impl IntoIterator<Item = (Option<SmolStr>, String)>) -> String {
    let parts: Vec<String> = properties
        .into_iter()
        .map(|(name, ty)| match name {
            Some(name) => format!(" {}: {ty}", escape_property_name(&name)),
            None => format!(" *: {ty}"),
        })
        .collect();
    format!("{{{} }}", parts.join(","))
}

/// The name of a tuple of items that are called so.
pub fn tuple_name(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

/// A string as it is written in the language, with quotes.
pub fn escape_string(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('\'');
    push_escaped(&mut text, value);
    text.push('\'');
    text
}

/// By byte: whether it is not written as it is. A look into a table is faster than six comparisons, and most bytes are none of these.
#[expect(clippy::indexing_slicing, reason = "a byte is always within the table")]
const IS_ESCAPED: [bool; 256] = {
    let mut is_escaped = [false; 256];
    let mut rest: &[u8] = b"\\'\r\n\t$";
    while let [byte, behind @ ..] = rest {
        is_escaped[*byte as usize] = true;
        rest = behind;
    }
    is_escaped
};

/// Appends a string as it is written between its quotes.
pub fn push_escaped(text: &mut String, value: &str) {
    let is_escaped = |byte: u8| IS_ESCAPED.get(usize::from(byte)) == Some(&true);
    let mut rest = value;
    while let Some(at) = rest.bytes().position(is_escaped) {
        let (plain, special) = rest.split_at(at);
        let behind = special.get(1..).unwrap_or_default();
        text.push_str(plain);
        text.push_str(match special.as_bytes().first() {
            Some(b'\\') => "\\\\",
            Some(b'\'') => "\\'",
            Some(b'\r') => "\\r",
            Some(b'\n') => "\\n",
            Some(b'\t') => "\\t",
            _ if behind.starts_with('{') => "\\$",
            _ => "$",
        });
        rest = behind;
    }
    text.push_str(rest);
}

/// A property name as it is written in the language, quoted only where it must be.
pub fn escape_property_name(name: &str) -> String {
    if base::spelling::is_identifier(name) && !matches!(name, "true" | "false" | "null") {
        name.to_owned()
    } else {
        escape_string(name)
    }
}
