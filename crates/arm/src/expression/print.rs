//! Expressions back to text, in the form in which the Bicep compiler writes them.

use std::fmt::{self, Display, Formatter, Write};

use super::{Accessor, Expr, ExprKind};
use crate::dotnet;
use crate::value::{Kind, SECURE_TEXT, Value};

/// Without the brackets around it. Secure values put in by evaluation are not shown.
impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ExprKind::String(text) => quoted(f, text),
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Float(text) => f.write_str(text),
            // A compiler may put expressions together that are nested more deeply than any text.
            ExprKind::Call(call) => base::recurse(|| {
                f.write_str(&call.name)?;
                f.write_char('(')?;
                list(f, call.args.iter(), |f, arg| arg.fmt(f))?;
                f.write_char(')')
            }),
            ExprKind::Access { base, path } => {
                base.fmt(f)?;
                path.iter().try_for_each(|accessor| match accessor {
                    Accessor::Property(name) => {
                        f.write_char('.')?;
                        f.write_str(name)
                    }
                    Accessor::Index(index) => write!(f, "[{index}]"),
                })
            }
            ExprKind::Known(value) => known(f, value),
        }
    }
}

/// A value as the calls that give it.
fn known(f: &mut Formatter<'_>, value: &Value) -> fmt::Result {
    if value.is_secure() {
        return quoted(f, SECURE_TEXT);
    }
    match value.kind() {
        Kind::Null => f.write_str("null()"),
        Kind::Bool(value) => f.write_str(if *value { "true()" } else { "false()" }),
        Kind::Int(value) => write!(f, "{value}"),
        Kind::Float(value) => write!(f, "json('{}')", dotnet::json_float(*value)),
        Kind::String(text) => quoted(f, text),
        Kind::Array(items) => {
            f.write_str("createArray(")?;
            list(f, items.iter(), known)?;
            f.write_char(')')
        }
        Kind::Object(object) => {
            f.write_str("createObject(")?;
            list(f, object.iter(), |f, (key, member)| {
                quoted(f, key)?;
                f.write_str(", ")?;
                known(f, member)
            })?;
            f.write_char(')')
        }
        Kind::Unknown(unknown) => write!(f, "{}", unknown.expression),
        Kind::Lambda(lambda) => {
            f.write_str("lambda(")?;
            for parameter in &lambda.parameters {
                quoted(f, parameter)?;
                f.write_str(", ")?;
            }
            write!(f, "{})", lambda.body)
        }
    }
}

fn list<T>(
    f: &mut Formatter<'_>,
    items: impl Iterator<Item = T>,
    mut print: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        print(f, item)?;
    }
    Ok(())
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('\'')?;
    for (index, part) in text.split('\'').enumerate() {
        if index > 0 {
            f.write_str("''")?;
        }
        f.write_str(part)?;
    }
    f.write_char('\'')
}
