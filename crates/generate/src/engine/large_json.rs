//! Large JSON texts as values of the engine. A text comes in; the value goes out that `JSON.parse` makes of it.
//!
//! The engine's own parser makes every name and every string anew, none smaller than 80 bytes. Here names and short strings that
//! occur again are shared: reading takes two thirds of the time and of the memory (docs/benchmarks.md, "Generating"). What is
//! not plain (errors, lone surrogates, deep nesting) is left to the engine, which also has the words for what is wrong.

use std::hash::Hasher;

use rquickjs::object::{Filter, Property};
use rquickjs::{Array, Atom, Ctx, Object, String as JsString, Value};
use rustc_hash::FxHasher;

/// Texts of this size and above are worth the preparations.
pub(super) const LARGE: usize = 16 << 10;
/// Nesting beyond this is left to the engine, so that the stack is never exhausted here.
const MAX_DEPTH: usize = 128;
/// Longer strings are rarely repeated.
const MAX_SHARED: usize = 16;
/// How many names and how many strings are remembered; a power of two.
const SLOTS: usize = 1024;

/// The value of a text; nothing if it is left to the engine. Errors are those of the engine: it is out of memory.
pub(super) fn parse<'js>(ctx: &Ctx<'js>, text: &str) -> rquickjs::Result<Option<Value<'js>>> {
    let Some(object_prototype) = plain_object_prototype(ctx)? else { return Ok(None) };
    let mut reader = LargeJsonReader {
        ctx: ctx.clone(),
        text,
        bytes: text.as_bytes(),
        offset: 0,
        names: Recent::new(),
        strings: Recent::new(),
        object_prototype,
        layouts: Layouts::new(ctx)?,
    };
    match reader.document() {
        Ok(value) => Ok(Some(value)),
        Err(Stop::NotPlain) => Ok(None),
        Err(Stop::Engine(error)) => Err(*error),
    }
}

/// The prototype of objects, unless scripts have changed the prototypes so that adding to an array might run their code.
fn plain_object_prototype<'js>(ctx: &Ctx<'js>) -> rquickjs::Result<Option<Object<'js>>> {
    let of_objects = Object::new(ctx.clone())?.get_prototype();
    let of_arrays = Array::new(ctx.clone())?.into_object().get_prototype();
    let (Some(of_objects), Some(of_arrays)) = (of_objects, of_arrays) else { return Ok(None) };
    let is_chain = of_arrays.get_prototype().as_ref() == Some(&of_objects);
    let is_plain = is_chain && !has_index(&of_objects)? && !has_index(&of_arrays)?;
    Ok(is_plain.then_some(of_objects))
}

/// Whether one of the properties is called by a number. Those come first in the order of properties.
fn has_index(object: &Object<'_>) -> rquickjs::Result<bool> {
    let first = object.own_keys::<String>(Filter::new().string()).next().transpose()?;
    Ok(first.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit())))
}

/// Why reading stops before the end.
enum Stop {
    NotPlain,
    /// In a box: results that are moved for every value stay small.
    Engine(Box<rquickjs::Error>),
}

impl From<rquickjs::Error> for Stop {
    fn from(error: rquickjs::Error) -> Self {
        Self::Engine(Box::new(error))
    }
}

/// The name of a member.
#[derive(Clone)]
struct Name<'js> {
    atom: Atom<'js>,
    /// Objects inherit something with this name, `__proto__` for one: it must be defined, not assigned.
    is_inherited: bool,
    hash: u64,
}

struct LargeJsonReader<'t, 'js> {
    ctx: Ctx<'js>,
    text: &'t str,
    bytes: &'t [u8],
    offset: usize,
    names: Recent<'t, Name<'js>>,
    strings: Recent<'t, Value<'js>>,
    object_prototype: Object<'js>,
    layouts: Layouts<'js>,
}

impl<'t, 'js> LargeJsonReader<'t, 'js> {
    fn document(&mut self) -> Result<Value<'js>, Stop> {
        let value = self.value(MAX_DEPTH)?;
        self.skip_space();
        if self.offset == self.text.len() { Ok(value) } else { Err(Stop::NotPlain) }
    }

    fn value(&mut self, depth_left: usize) -> Result<Value<'js>, Stop> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth_left.checked_sub(1).ok_or(Stop::NotPlain)?),
            Some(b'[') => self.array(depth_left.checked_sub(1).ok_or(Stop::NotPlain)?),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.keyword("true", Value::new_bool(self.ctx.clone(), true)),
            Some(b'f') => self.keyword("false", Value::new_bool(self.ctx.clone(), false)),
            Some(b'n') => self.keyword("null", Value::new_null(self.ctx.clone())),
            _ => Err(Stop::NotPlain),
        }
    }

    fn object(&mut self, depth_left: usize) -> Result<Value<'js>, Stop> {
        let object = Object::new(self.ctx.clone())?;
        self.offset += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(object.into_value());
        }
        let mut layout = Layout::default();
        loop {
            self.skip_space();
            let name = self.name()?;
            layout.add(&name);
            self.skip_space();
            self.expect(b':')?;
            let value = self.value(depth_left)?;
            if name.is_inherited {
                object.prop(name.atom, Property::from(value).writable().enumerable().configurable())?;
            } else {
                object.set(name.atom, value)?;
                self.layouts.keep(&layout, &object)?;
            }
            self.skip_space();
            if !self.take(b',') {
                self.expect(b'}')?;
                return Ok(object.into_value());
            }
        }
    }

    fn array(&mut self, depth_left: usize) -> Result<Value<'js>, Stop> {
        let array = Array::new(self.ctx.clone())?;
        self.offset += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(array.into_value());
        }
        for index in 0.. {
            array.set(index, self.value(depth_left)?)?;
            self.skip_space();
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b']')?;
        Ok(array.into_value())
    }

    fn keyword(&mut self, word: &str, value: Value<'js>) -> Result<Value<'js>, Stop> {
        let end = self.offset + word.len();
        let is_there = self.bytes.get(self.offset..end) == Some(word.as_bytes());
        self.offset = end;
        if is_there { Ok(value) } else { Err(Stop::NotPlain) }
    }

    fn name(&mut self) -> Result<Name<'js>, Stop> {
        if self.peek() != Some(b'"') {
            return Err(Stop::NotPlain);
        }
        let Some(text) = self.plain_string() else {
            let text = self.unescaped_string()?;
            return new_name(&self.ctx, &self.object_prototype, &text);
        };
        self.names.get(text, || new_name(&self.ctx, &self.object_prototype, text))
    }

    fn string(&mut self) -> Result<Value<'js>, Stop> {
        let Some(text) = self.plain_string() else {
            let text = self.unescaped_string()?;
            return new_string(&self.ctx, &text);
        };
        match text.len() {
            ..=MAX_SHARED => self.strings.get(text, || new_string(&self.ctx, text)),
            _ => new_string(&self.ctx, text),
        }
    }

    /// A string without escapes. Nothing if there is something else in it; the position is not changed then.
    fn plain_string(&mut self) -> Option<&'t str> {
        let start = self.offset + 1;
        let mut end = start;
        while !is_special(*self.bytes.get(end)?) {
            end += 1;
        }
        if self.bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.offset = end + 1;
        self.text.get(start..end)
    }

    fn unescaped_string(&mut self) -> Result<String, Stop> {
        let mut text = String::new();
        self.offset += 1;
        loop {
            let rest = self.rest();
            let length = rest.bytes().position(is_special).ok_or(Stop::NotPlain)?;
            text.push_str(rest.get(..length).unwrap_or_default());
            self.offset += length;
            if self.take(b'"') {
                return Ok(text);
            }
            self.expect(b'\\')?;
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, Stop> {
        let escape = self.peek().ok_or(Stop::NotPlain)?;
        self.offset += 1;
        match escape {
            b'"' | b'\\' | b'/' => Ok(char::from(escape)),
            b'b' => Ok('\u{8}'),
            b'f' => Ok('\u{c}'),
            b'n' => Ok('\n'),
            b'r' => Ok('\r'),
            b't' => Ok('\t'),
            b'u' => {
                let unit = self.hex_unit()?;
                if !(0xd800..0xdc00).contains(&unit) {
                    // What is left of the surrogates stands alone and is no character.
                    return char::from_u32(unit).ok_or(Stop::NotPlain);
                }
                self.expect(b'\\')?;
                self.expect(b'u')?;
                let low = self.hex_unit()?.checked_sub(0xdc00).filter(|low| *low < 0x400);
                let low = low.ok_or(Stop::NotPlain)?;
                char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + low).ok_or(Stop::NotPlain)
            }
            _ => Err(Stop::NotPlain),
        }
    }

    fn hex_unit(&mut self) -> Result<u32, Stop> {
        let digits = self.rest().get(..4).ok_or(Stop::NotPlain)?;
        self.offset += 4;
        digits.chars().try_fold(0, |unit, digit| Ok(unit * 16 + digit.to_digit(16).ok_or(Stop::NotPlain)?))
    }

    fn number(&mut self) -> Result<Value<'js>, Stop> {
        let start = self.offset;
        let is_negative = self.take(b'-');
        let first = self.offset;
        let digits = self.digits()?;
        if digits > 1 && self.bytes.get(first) == Some(&b'0') {
            return Err(Stop::NotPlain);
        }
        let is_fraction = self.take(b'.');
        if is_fraction {
            self.digits()?;
        }
        let has_exponent = self.take(b'e') || self.take(b'E');
        if has_exponent {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let text = self.text.get(start..self.offset).unwrap_or_default();
        // Zero may be negative, which integers are not.
        let is_integer = digits <= 9 && !is_negative && !is_fraction && !has_exponent;
        if let (true, Ok(integer)) = (is_integer, text.parse()) {
            return Ok(Value::new_int(self.ctx.clone(), integer));
        }
        let number = text.parse().map_err(|_| Stop::NotPlain)?;
        Ok(Value::new_float(self.ctx.clone(), number))
    }

    /// Steps over digits, at least one, and counts them.
    fn digits(&mut self) -> Result<usize, Stop> {
        let start = self.offset;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.offset += 1;
        }
        let count = self.offset - start;
        if count > 0 { Ok(count) } else { Err(Stop::NotPlain) }
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.offset += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.offset).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.offset += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.take(byte) { Ok(()) } else { Err(Stop::NotPlain) }
    }
}

/// Whether a byte means something inside of a string.
fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

fn new_name<'js>(ctx: &Ctx<'js>, object_prototype: &Object<'js>, text: &str) -> Result<Name<'js>, Stop> {
    let atom = Atom::from_str(ctx.clone(), text)?;
    let is_inherited = object_prototype.contains_key(atom.clone())?;
    Ok(Name { atom, is_inherited, hash: hash_of(text) })
}

fn new_string<'js>(ctx: &Ctx<'js>, text: &str) -> Result<Value<'js>, Stop> {
    Ok(JsString::from_str(ctx.clone(), text)?.into_value())
}

/// What was made of texts before: the last one of each slot.
struct Recent<'t, T> {
    slots: Vec<Option<Known<'t, T>>>,
}

#[derive(Clone)]
struct Known<'t, T> {
    hash: u64,
    text: &'t str,
    value: T,
}

impl<'t, T: Clone> Recent<'t, T> {
    fn new() -> Self {
        Self { slots: vec![None; SLOTS] }
    }

    /// The value of a text, made if it is not known.
    fn get(&mut self, text: &'t str, make: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
        let hash = hash_of(text);
        let Some(slot) = self.slots.get_mut(hash as usize % SLOTS) else { return make() };
        if let Some(known) = slot
            && known.hash == hash
            && known.text == text
        {
            return Ok(known.value.clone());
        }
        let value = make()?;
        *slot = Some(Known { hash, text, value: value.clone() });
        Ok(value)
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The names of an object, in their order.
#[derive(Default)]
struct Layout {
    hash: u64,
    count: usize,
    /// Names that objects inherit cannot be assigned.
    has_inherited: bool,
}

impl Layout {
    /// Objects with more names are rarely alike.
    const MOST: usize = 64;

    fn add(&mut self, name: &Name<'_>) {
        self.hash = (self.hash.rotate_left(5) ^ name.hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.count += 1;
        self.has_inherited |= name.is_inherited;
    }
}

/// Keeps the layouts of objects alive. Objects with the same names in the same order share one table of their names. The engine
/// finds the table step by step, by one name more each time, and forgets a table that no object has: with an object kept for
/// every step, none has to be built anew.
struct Layouts<'js> {
    /// The layouts that are kept, by their hashes.
    known: Vec<u64>,
    kept: Vec<Object<'js>>,
}

impl<'js> Layouts<'js> {
    /// More layouts than this are not worth the memory.
    const MOST: usize = 4096;

    fn new(ctx: &Ctx<'js>) -> rquickjs::Result<Self> {
        Ok(Self { known: vec![0; SLOTS], kept: vec![Object::new(ctx.clone())?] })
    }

    /// Makes sure that the layout of an object stays.
    fn keep(&mut self, layout: &Layout, object: &Object<'js>) -> rquickjs::Result<()> {
        let Some(slot) = self.known.get_mut((layout.hash >> 32) as usize % SLOTS) else { return Ok(()) };
        let is_common = layout.count <= Layout::MOST && !layout.has_inherited;
        if *slot == layout.hash || !is_common || self.kept.len() > Self::MOST {
            return Ok(());
        }
        *slot = layout.hash;
        let empty = Object::new(object.ctx().clone())?;
        for name in object.own_keys::<Atom<'_>>(Filter::new().string()) {
            empty.set(name?, rquickjs::Undefined)?;
        }
        self.kept.push(empty);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Function, Runtime};

    use super::*;

    /// Holds the value against the one that the engine's parser makes; says whether it was left to the engine.
    #[track_caller]
    fn check_after(setup: &str, text: &str, expected_plain: bool) {
        let context = Context::full(&Runtime::new().unwrap()).unwrap();
        context.with(|ctx| {
            ctx.eval::<(), _>(setup).unwrap();
            // Tells -0 from 0 and own properties from inherited ones; sees the order of members.
            let describe: Function<'_> = ctx
                .eval(
                    "(value) => { const show = (v) => Object.is(v, -0) ? '-0' : Array.isArray(v) ? '[' + v.map(show) + ']' \
                     : v !== null && typeof v === 'object' ? '{' + Object.getOwnPropertyNames(v).map((n) => \
                     JSON.stringify(n) + ':' + show(Object.getOwnPropertyDescriptor(v, n).value)) + '}' \
                     : JSON.stringify(v); return show(value); }",
                )
                .unwrap();
            let read = parse(&ctx, text).unwrap();
            assert_eq!(read.is_some(), expected_plain, "{text}");
            if let Some(read) = read {
                let engine = ctx.json_parse(text).unwrap();
                let (read, engine): (String, String) =
                    (describe.call((read,)).unwrap(), describe.call((engine,)).unwrap());
                assert_eq!(read, engine, "{text}");
            } else {
                assert!(!ctx.has_exception());
            }
        });
    }

    #[track_caller]
    fn check(text: &str) {
        check_after("", text, true);
    }

    #[track_caller]
    fn check_left(text: &str) {
        check_after("", text, false);
    }

    #[test]
    fn values_are_those_of_the_engine() {
        check(r#" {"b": [1, {}, [], "x", "x"], "a": {"b": null, "c": true, "d": false}, "2": 0, "1": 0} "#);
        check(r#"{"a": 1, "b": 2, "a": 3}"#);
        check(r#"["", "é😀\u00e9\ud83d\ude00\n\t\r\b\f\/\\\"", "a\u0000b"]"#);
        check("null");
    }

    #[test]
    fn numbers_are_those_of_the_engine() {
        check("[0, -0, 1, -1, 999999999, 1000000000, 2147483648, 9007199254740993, 12345678901234567890123]");
        check(
            "[0.1, -0.0, 1.0, 1e3, 1E+3, 1e-7, 5e-324, 1.7976931348623159e308, 0.30000000000000004, 8.41e21]",
        );
    }

    #[test]
    fn inherited_names_become_own_properties() {
        check(r#"{"__proto__": {"a": 1}, "toString": 1, "constructor": {"b": 2}}"#);
        check_after("Object.freeze(Object.prototype)", r#"{"toString": 1, "valueOf": [2]}"#, true);
        let setter = "Object.defineProperty(Object.prototype, 'a', { set() { throw 1; } })";
        check_after(setter, r#"{"a": 1, "b": 2}"#, true);
    }

    #[test]
    fn changed_prototypes_of_arrays_are_left_to_the_engine() {
        for prototype in ["Array", "Object"] {
            let setter =
                format!("Object.defineProperty({prototype}.prototype, 1, {{ set() {{ throw 1; }} }})");
            check_after(&setter, "[1, 2]", false);
        }
        check_after("Object.setPrototypeOf(Array.prototype, null)", "[1]", false);
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_engine() {
        for text in [
            "",
            " ",
            "[1,]",
            "{\"a\" 1}",
            "1 2",
            "\"a",
            "01",
            "-",
            "1.",
            "1e",
            ".5",
            "{'a':1}",
            "nul",
            "[1",
            "{\"a\":1,}",
        ] {
            check_left(text);
        }
        for text in [
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\ud83d\u0041""#,
            r#""\x""#,
            r#""\u12g4""#,
            "\"a\nb\"",
            "\"\\\u{e9}\"",
        ] {
            check_left(text);
        }
        check(&format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)));
        check_left(&format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1)));
    }

    #[test]
    fn many_names_and_strings_are_told_apart() {
        let members: Vec<String> =
            (0..5000).map(|n| format!("\"name{n}\": \"value {}\"", n % 3000)).collect();
        let object = format!("{{{}}}", members.join(","));
        check(&format!("[{object}, {object}]"));
    }
}
