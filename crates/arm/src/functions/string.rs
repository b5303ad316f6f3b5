//! Texts. Lengths and positions count UTF-16 units, as .NET does.

use super::{Function, MANY, shape, whole};
use crate::dotnet::{self, Failure};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::messages;
use crate::value::{Kind, Value};

pub(super) const TABLE: &[Function] = &[
    shape("concat", 1, MANY, concat),
    whole("format", 1, MANY, format),
    whole("string", 1, 1, string),
    whole("startsWith", 2, 2, starts_with),
    whole("endsWith", 2, 2, ends_with),
    whole("like", 2, 2, like),
    whole("substring", 2, 3, substring),
    whole("split", 2, 2, split),
    whole("join", 2, 2, join),
    whole("replace", 3, 3, replace),
    whole("padLeft", 2, 3, pad_left),
    whole("toLower", 1, 1, |call, args| call.text(dotnet::to_lower(call.string(args, 0)?))),
    whole("toUpper", 1, 1, |call, args| call.text(dotnet::to_upper(call.string(args, 0)?))),
    whole("trim", 1, 1, |call, args| call.text(call.string(args, 0)?.trim().into())),
];

/// The text of a value inside another text: `format`, `join` and interpolation show it like this.
pub(crate) fn to_text(value: &Value, format: Option<&str>) -> Option<String> {
    Some(match value.kind() {
        Kind::Null => String::new(),
        Kind::Bool(value) => if *value { "True" } else { "False" }.into(),
        Kind::Int(value) => dotnet::format_int(*value, format)?,
        Kind::Float(value) => dotnet::format_float(*value, format)?,
        Kind::String(text) => text.to_string(),
        Kind::Array(_) | Kind::Object(_) | Kind::Lambda(_) | Kind::Unknown(_) => {
            let mut out = String::new();
            value.to_single_quoted(&mut out);
            out
        }
    })
}

fn concat(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if args.iter().any(|arg| arg.as_array().is_some()) {
        let mut items = Vec::new();
        for index in 0..args.len() {
            let part = call.array(args, index)?;
            call.allocate_items(part.len())?;
            items.extend_from_slice(part);
        }
        return Ok(Value::array(items));
    }
    let mut out = String::new();
    for (index, arg) in args.iter().enumerate() {
        if matches!(arg.kind(), Kind::Object(_) | Kind::Lambda(_)) {
            return Err(call.mismatch(index, "String or Array", arg));
        }
        let text = to_text(arg, None).unwrap_or_default();
        call.allocate_text(text.len())?;
        out.push_str(&text);
    }
    Ok(Value::string(out))
}

fn format(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let pattern = call.string(args, 0)?;
    let limit = usize::try_from(call.budget().limits().memory).unwrap_or(usize::MAX);
    let composed = dotnet::compose(pattern, limit, |index, format| {
        let Some(arg) = args.get(index + 1) else { return Ok(None) };
        let text = to_text(arg, format).ok_or_else(|| messages::bad_format(format.unwrap_or_default()))?;
        call.allocate_text(text.len())?;
        Ok(Some(text))
    });
    let shown = if call.arg(args, 0)?.is_secure() { crate::value::SECURE_TEXT } else { pattern };
    let text = composed.map_err(|failure| match failure {
        Failure::Malformed => messages::bad_format(shown),
        Failure::MissingArgument(index) => messages::missing_format_argument(shown, index),
        Failure::TooLong => Error::from(base::Overrun::Memory(call.budget().limits().memory)),
        Failure::Argument(error) => error,
    })?;
    call.text(text)
}

fn string(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    match arg.kind() {
        Kind::String(_) => Ok(arg.clone()),
        Kind::Array(_) | Kind::Object(_) => {
            let mut out = String::new();
            arg.to_minified(&mut out);
            call.text(out)
        }
        _ => call.text(to_text(arg, None).unwrap_or_default()),
    }
}

fn starts_with(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (text, start) = (call.string(args, 0)?, call.string(args, 1)?);
    Ok(Value::bool(dotnet::to_upper(text).starts_with(&dotnet::to_upper(start))))
}

fn ends_with(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (text, end) = (call.string(args, 0)?, call.string(args, 1)?);
    Ok(Value::bool(dotnet::to_upper(text).ends_with(&dotnet::to_upper(end))))
}

/// `*` stands for any text; letter case does not matter. Each part is looked for once, from left to right.
fn like(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let text = dotnet::to_upper(call.string(args, 0)?);
    let pattern = dotnet::to_upper(call.string(args, 1)?);
    let Some((first, rest)) = pattern.split_once('*') else { return Ok(Value::bool(text == pattern)) };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(inner) = text.strip_prefix(first).and_then(|text| text.strip_suffix(last)) else {
        return Ok(Value::bool(false));
    };
    let found = middle
        .split('*')
        .try_fold(inner, |rest, part| rest.find(part).and_then(|at| rest.get(at + part.len()..)));
    Ok(Value::bool(found.is_some()))
}

fn substring(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let text = call.string(args, 0)?;
    let total = dotnet::utf16_len(text);
    let outside = || call.invalid(format!("start and length must lie within the text of {total} characters"));
    let start = usize::try_from(call.int(args, 1)?).map_err(|_| outside())?;
    let rest = total.checked_sub(start).ok_or_else(outside)?;
    let length = match args.get(2) {
        None => rest,
        Some(_) => usize::try_from(call.int(args, 2)?).ok().filter(|n| *n <= rest).ok_or_else(outside)?,
    };
    call.text(dotnet::utf16_slice(text, start, length))
}

fn split(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let text = call.string(args, 0)?;
    let delimiters: Vec<&str> = match call.arg(args, 1)?.as_array() {
        Some(list) => (0..list.len()).map(|index| call.string(list, index)).collect::<Result<_, _>>()?,
        None => vec![call.string(args, 1)?],
    };
    let delimiters: Vec<&str> = delimiters.into_iter().filter(|delimiter| !delimiter.is_empty()).collect();
    call.allocate_text(text.len())?;
    let mut parts = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(c) = rest.chars().next() else { break };
        match delimiters.iter().find(|delimiter| rest.starts_with(**delimiter)) {
            Some(delimiter) => {
                parts.push(Value::from(text.get(start..at).unwrap_or_default()));
                at += delimiter.len();
                start = at;
            }
            None => at += c.len_utf8(),
        }
    }
    parts.push(Value::from(text.get(start..).unwrap_or_default()));
    call.list(parts)
}

fn join(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (items, delimiter) = (call.array(args, 0)?, call.string(args, 1)?);
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let text = to_text(item, None).unwrap_or_default();
        call.allocate_text(text.len() + delimiter.len())?;
        if index > 0 {
            out.push_str(delimiter);
        }
        out.push_str(&text);
    }
    Ok(Value::string(out))
}

fn replace(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (text, old, new) = (call.string(args, 0)?, call.string(args, 1)?, call.string(args, 2)?);
    if old.is_empty() {
        return Err(call.invalid("the text to look for is empty"));
    }
    call.allocate_text(text.len().saturating_add(text.matches(old).count().saturating_mul(new.len())))?;
    Ok(Value::string(text.replace(old, new)))
}

fn pad_left(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    let text = match arg.kind() {
        Kind::String(_) | Kind::Int(_) => to_text(arg, None).unwrap_or_default(),
        _ => return Err(call.mismatch(0, "String or Integer", arg)),
    };
    let width = usize::try_from(call.int(args, 1)?).map_err(|_| call.invalid("the width is negative"))?;
    let fill = match args.get(2) {
        None => " ",
        Some(_) => call.string(args, 2)?,
    };
    if dotnet::utf16_len(fill) != 1 {
        return Err(call.invalid("the text to fill with must be a single character"));
    }
    let missing = width.saturating_sub(dotnet::utf16_len(&text));
    call.allocate_text(missing.saturating_mul(fill.len()).saturating_add(text.len()))?;
    Ok(Value::string(format!("{}{text}", fill.repeat(missing))))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn texts_are_put_together() {
        check_all(&[
            ("concat('a', 1, true(), 'b')", "\"a1Trueb\""),
            ("concat(createArray(1, 2), createArray(2))", "[1,2,2]"),
            ("concat(createArray(newGuid()), createArray(2))", "[\"[newGuid()]\",2]"),
            ("concat('a', createArray())", "\"!argument-type\""),
            ("concat(createObject())", "\"!argument-type\""),
            ("concat('a', newGuid())", "\"[concat('a', newGuid())]\""),
            ("join(createArray('abc', 123, true()), '/')", "\"abc/123/True\""),
            ("join(createArray(), ',')", "\"\""),
            ("padLeft('00', 5, ' ')", "\"   00\""),
            ("padLeft(7, 3, '0')", "\"007\""),
            ("padLeft('x', 2, 'ab')", "\"!invalid-argument\""),
            ("padLeft('x', 2000000000)", "\"!limit\""),
        ]);
    }

    #[test]
    fn formats() {
        check_all(&[
            ("format('{0}/{1}/{2}/{3}', 1, 2, 3, true())", "\"1/2/3/True\""),
            (
                "format('>{0}<>{1}<>{2}<', createObject('a', 'b', '!c', 2), createArray(true(), 2893, 'abc'), null())",
                "\">{'a':'b','!c':2}<>[true,2893,'abc']<><\"",
            ),
            ("format('{0:N0}', 8175133)", "\"8,175,133\""),
            ("format('{{{0,4}|{0,-4}}}', 'x')", "\"{   x|x   }\""),
            ("format('{0}{1}', 'a')", "\"!missing-format-argument\""),
            ("format('{', 'a')", "\"!bad-format\""),
            ("format('{0:Q}', 1)", "\"!bad-format\""),
            ("format('{0}-{1}', 'a', newGuid())", "\"[format('{0}-{1}', 'a', newGuid())]\""),
            ("format('{0}', createArray('it''s'))", "\"['it\\\\'s']\""),
        ]);
    }

    #[test]
    fn conversions() {
        check_all(&[
            ("string('a')", "\"a\""),
            ("string(1)", "\"1\""),
            ("string(true())", "\"True\""),
            ("string(createObject('a', createArray(1, true(), null())))", "\"{\\\"a\\\":[1,true,null]}\""),
            ("string(null())", "\"\""),
            ("toUpper(' Fizz ')", "\" FIZZ \""),
            ("toLower('ÀB')", "\"àb\""),
            ("trim('\t Fizz ')", "\"Fizz\""),
        ]);
    }

    #[test]
    fn searches() {
        check_all(&[
            ("startsWith('Food', 'fOO')", "true"),
            ("endsWith('foot', 'OT')", "true"),
            ("startsWith('a', 'ab')", "false"),
            ("like('HelloWorld', 'hello*')", "true"),
            ("like('abcde', 'a*c*e')", "true"),
            ("like('abc', 'a*b')", "false"),
            ("like('aa', 'a*a*a')", "false"),
            ("like('abc', 'ABC')", "true"),
            ("like('', '*')", "true"),
        ]);
    }

    #[test]
    fn parts() {
        check_all(&[
            ("substring('foot', 0, 3)", "\"foo\""),
            ("substring('foot', 1)", "\"oot\""),
            ("substring('foot', 4)", "\"\""),
            ("substring('foot', 2, 3)", "\"!invalid-argument\""),
            ("substring('foot', -1)", "\"!invalid-argument\""),
            ("split('fizz,buzz,pop', ',')", "[\"fizz\",\"buzz\",\"pop\"]"),
            ("split('a,;b', createArray(',', ';'))", "[\"a\",\"\",\"b\"]"),
            ("split('', ',')", "[\"\"]"),
            ("split('abc', '')", "[\"abc\"]"),
            ("replace('foot', 't', 'd')", "\"food\""),
            ("replace('aAa', 'a', '')", "\"A\""),
            ("replace('a', '', 'b')", "\"!invalid-argument\""),
        ]);
    }
}
