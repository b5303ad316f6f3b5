//! The functions of the program that the standard library calls. Each takes and gives plain text and numbers; values
//! cross as JSON text.

use std::rc::Rc;

use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, FromJs, Function, IntoJs, Module, Object, Persistent, TypedArray, Value};

use super::modules::Import;
use super::{RunState, Shared, commonjs, large_json, modules, places, validators};
use crate::encoding;
use crate::format::{self, Format};
use crate::outcome::{Overwrite, ValueCheck};
use crate::paths;
use crate::session::{OutputTarget, Session, parse_value, text_of, verdict_json};
use crate::std_modules;

/// Gives the standard library its functions, and scripts the few globals they may expect.
pub(super) fn install(ctx: &Ctx<'_>, session: &Rc<Session>, shared: &Rc<Shared>) -> rquickjs::Result<()> {
    let host = Object::new(ctx.clone())?;
    values(ctx, &host, session)?;
    files(ctx, &host, session)?;
    commands(ctx, &host, session, shared)?;
    node_modules(ctx, &host, session)?;
    commonjs_functions(ctx, &host, session, shared)?;
    let source = std_modules::find("internal/host").map_or("", |module| module.source);
    let (module, _) = Module::declare(ctx.clone(), "@jkcfg/std/internal/host.js", source)?.eval()?;
    let install: Function<'_> = module.get("install")?;
    install.call::<_, ()>((host,))?;
    globals(ctx, shared)?;
    match session.settings.announces_places {
        true => places::install(ctx, session, shared),
        false => Ok(()),
    }
}

/// Defines one function of the host.
macro_rules! define {
    ($host:expr, $ctx:expr, $session:expr, $name:literal, |$s:ident, $c:ident $(, $arg:ident : $type:ty)*| $body:expr) => {{
        let session = Rc::clone($session);
        let function = Function::new($ctx.clone(), move |$c: Ctx<'js> $(, $arg: $type)*| -> rquickjs::Result<Value<'js>> {
            let $s = &session;
            $body
        })?;
        $host.set($name, function.with_name($name)?)?;
    }};
}

fn values<'js>(ctx: &Ctx<'js>, host: &Object<'js>, session: &Rc<Session>) -> rquickjs::Result<()> {
    define!(host, ctx, session, "log", |s, c, line: String| {
        s.host.log(&line);
        Ok(Value::new_undefined(c))
    });
    define!(host, ctx, session, "parse", |_s, c, text: String, format: f64| {
        parse(&c, &text, or_throw(&c, known(format, "parse"))?)
    });
    define!(host, ctx, session, "stringify", |s, c, value: String, format: f64| {
        let text = known(format, "stringify").and_then(|format| s.stringify(&value, format));
        or_throw(&c, text)?.into_js(&c)
    });
    define!(
        host,
        ctx,
        session,
        "param",
        |s, c, kind: String, path: String, fallback: Opt<Option<String>>| {
            json(&c, s.param(&kind, &path, fallback.0.flatten().as_deref()))
        }
    );
    define!(host, ctx, session, "compileSchema", |s, c, schema: String| {
        or_throw(&c, s.compile_schema(&schema))?.into_js(&c)
    });
    define!(host, ctx, session, "validate", |s, c, value: String, schema: usize| {
        json(&c, s.validate(&value, schema).and_then(|verdict| verdict_json(&verdict)))
    });
    Ok(())
}

fn files<'js>(ctx: &Ctx<'js>, host: &Object<'js>, session: &Rc<Session>) -> rquickjs::Result<()> {
    define!(host, ctx, session, "read", |s,
                                         c,
                                         path: String,
                                         encoding: i32,
                                         format: f64,
                                         folder: Option<String>| {
        let format = or_throw(&c, known(format, "read"))?;
        read(&c, s, &Reading { path: &path, folder: folder.as_deref(), encoding, format })
    });
    define!(host, ctx, session, "readAnywhere", |s, c, path: String, format: f64| {
        read_anywhere(&c, s, &path, or_throw(&c, known(format, "read"))?)
    });
    define!(host, ctx, session, "info", |s, c, path: String, folder: Option<String>| {
        json(&c, s.info(&path, folder.as_deref()).map(|info| Some(info.to_string())))
    });
    define!(host, ctx, session, "dir", |s, c, path: String, folder: Option<String>| {
        json(&c, s.list(&path, folder.as_deref()).map(|list| Some(list.to_string())))
    });
    define!(host, ctx, session, "write", |s,
                                          c,
                                          value: String,
                                          path: String,
                                          format: f64,
                                          indent: f64,
                                          overwrite: i32| {
        let target = target(&c, &path, &WriteNumbers { format, indent, overwrite })?;
        or_throw(&c, s.write(&value, &target)).map(|()| Value::new_undefined(c))
    });
    define!(
        host,
        ctx,
        session,
        "validateWithFile",
        |s, c, value: String, path: String, folder: Option<String>| {
            let value = or_throw(&c, parse_value(&value))?;
            let verdict = s.validate_with_file(&value, &path, folder.as_deref());
            json(&c, verdict.and_then(|verdict| verdict_json(&verdict)))
        }
    );
    Ok(())
}

fn commands<'js>(
    ctx: &Ctx<'js>,
    host: &Object<'js>,
    session: &Rc<Session>,
    shared: &Rc<Shared>,
) -> rquickjs::Result<()> {
    define!(host, ctx, session, "verdict", |s, c, path: String, answer: String| {
        s.add_check(ValueCheck::from_json(&path, &answer));
        Ok(Value::new_undefined(c))
    });
    define!(host, ctx, session, "badShape", |s, c, problems: String| {
        *s.shape_problems.borrow_mut() = serde_json::from_str(&problems).unwrap_or_default();
        Ok(Value::new_undefined(c))
    });
    define!(host, ctx, session, "cleanPath", |_s, c, path: String| paths::clean(&path).into_js(&c));
    define!(host, ctx, session, "suggest", |_s, c, name: String, known: Vec<String>| {
        base::spelling::suggest(&name, known).into_js(&c)
    });
    define!(host, ctx, session, "writeDescribed", |s, c, file: Described| {
        or_throw(&c, s.write_described(&file.value, &file.target(), &file.element))
            .map(|()| Value::new_undefined(c))
    });
    define!(host, ctx, session, "printDescribed", |s, c, file: Described| {
        or_throw(&c, s.print_described(&file.value, &file.target())).map(|()| Value::new_undefined(c))
    });
    define!(host, ctx, session, "printDocument", |s, c, value: String, path: String, format: f64| {
        let printed = known(format, "write").and_then(|format| s.print_document(&value, &path, format));
        or_throw(&c, printed).map(|()| Value::new_undefined(c))
    });
    define!(host, ctx, session, "policyFiles", |s, c| {
        s.policy_documents.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().into_js(&c)
    });
    define!(host, ctx, session, "policyDocuments", |s, c, index: usize| {
        let file = s.policy_documents.get(index);
        json(&c, file.map(|file| file.documents.clone()).transpose())
    });
    let (timers, shared) = (Rc::clone(shared), Rc::clone(shared));
    define!(host, ctx, session, "onIdle", |_s, c, next: Function<'js>| {
        *timers.next_timer.borrow_mut() = Some(Persistent::save(&c, next));
        Ok(Value::new_undefined(c))
    });
    define!(
        host,
        ctx,
        session,
        "callValidator",
        |s, c, function: Function<'js>, value: Value<'js>, path: String, to_promise: Function<'js>| {
            validators::call(&c, s, &shared, &validators::Call { function, value, path, to_promise })
        }
    );
    Ok(())
}

/// What the modules of Node and the globals are made of.
fn node_modules<'js>(ctx: &Ctx<'js>, host: &Object<'js>, session: &Rc<Session>) -> rquickjs::Result<()> {
    define!(host, ctx, session, "print", |s, c, text: String| {
        s.print(&text);
        Ok(Value::new_undefined(c))
    });
    define!(host, ctx, session, "textToBytes", |_s, c, text: String, encoding: String| {
        bytes(&c, encoding::decode(&text, &encoding).unwrap_or_default())
    });
    define!(host, ctx, session, "bytesToText", |_s, c, bytes: TypedArray<'js, u8>, encoding: String| {
        encoding::encode(&copied(&bytes)?, &encoding).into_js(&c)
    });
    define!(host, ctx, session, "isUtf8", |_s, c, bytes: TypedArray<'js, u8>| {
        Ok(Value::new_bool(c, String::from_utf8(copied(&bytes)?).is_ok()))
    });
    define!(host, ctx, session, "hash", |_s, c, name: String, data: TypedArray<'js, u8>| {
        bytes(&c, encoding::hash(&name, &copied(&data)?).unwrap_or_default())
    });
    define!(host, ctx, session, "random", |s, c, count: usize| bytes(&c, or_throw(&c, s.random(count))?));
    define!(host, ctx, session, "parseUrl", |_s, c, text: String, base: Opt<Option<String>>| {
        encoding::parse_url(&text, base.0.flatten().as_deref()).into_js(&c)
    });
    define!(host, ctx, session, "setUrlPart", |_s, c, url: String, part: String, value: String| {
        encoding::set_url_part(&url, &part, &value).into_js(&c)
    });
    define!(host, ctx, session, "fileUrl", |s, c, path: String| {
        paths::file_url(paths::join(&s.settings.input, &path).as_str()).into_js(&c)
    });
    define!(host, ctx, session, "fileUrlToPath", |_s, c, url: String| paths::from_file_url(&url).into_js(&c));
    define!(host, ctx, session, "inputFolder", |s, c| s.settings.input.as_str().into_js(&c));
    define!(host, ctx, session, "environment", |s, c| {
        let variables = Object::new(c.clone())?;
        for (name, value) in &s.settings.environment {
            variables.set(name.as_str(), value.as_str())?;
        }
        Ok(variables.into_value())
    });
    define!(host, ctx, session, "fsRead", |s, c, path: String| {
        bytes(&c, or_throw(&c, s.read_node(&path))?)
    });
    define!(host, ctx, session, "fsStat", |s, c, path: String| {
        json(&c, s.node_stat(&path).map(|stat| Some(stat.to_string())))
    });
    define!(host, ctx, session, "fsList", |s, c, path: String| {
        json(&c, s.node_list(&path).map(|list| Some(list.to_string())))
    });
    Ok(())
}

fn commonjs_functions<'js>(
    ctx: &Ctx<'js>,
    host: &Object<'js>,
    session: &Rc<Session>,
    shared: &Rc<Shared>,
) -> rquickjs::Result<()> {
    let known = Rc::clone(shared);
    define!(host, ctx, session, "data", |_s, c, name: String| {
        let text = known.sources.borrow().texts.get(&name).cloned();
        text.map_or_else(|| Ok(Value::new_undefined(c.clone())), |file| data(&c, &name, file.text()))
    });
    let known = Rc::clone(shared);
    define!(host, ctx, session, "resolveRequire", |s, c, specifier: String, from: String| {
        commonjs::resolve(
            &c,
            RunState { session: s, shared: &known },
            Import { base: &from, specifier: &specifier },
        )
    });
    let known = Rc::clone(shared);
    define!(host, ctx, session, "loadCommonJs", |s, c, name: String| commonjs::load(
        &c,
        RunState { session: s, shared: &known },
        &name
    ));
    let known = Rc::clone(shared);
    define!(host, ctx, session, "moduleNamespace", |_s, c, name: String| {
        commonjs::namespace(&c, &known, &name).map(Object::into_value)
    });
    Ok(())
}

/// The bytes of an array. The engine owns its memory and a script may change it, so that they are copied one by one.
fn copied(array: &TypedArray<'_, u8>) -> rquickjs::Result<Vec<u8>> {
    (0..array.len()).map(|index| array.as_object().get(index as u32)).collect()
}

fn bytes<'js>(ctx: &Ctx<'js>, bytes: Vec<u8>) -> rquickjs::Result<Value<'js>> {
    Ok(TypedArray::<u8>::new(ctx.clone(), bytes)?.into_value())
}

/// A file of the list that a script exports, as the standard library hands it over.
struct Described {
    value: String,
    path: String,
    format: Format,
    indent: usize,
    overwrite: Overwrite,
    anywhere: bool,
    /// Which one of the list it is.
    element: String,
}

impl Described {
    fn target(&self) -> OutputTarget<'_> {
        OutputTarget {
            path: &self.path,
            format: self.format,
            indent: self.indent,
            overwrite: self.overwrite,
            anywhere: self.anywhere,
        }
    }
}

impl<'js> FromJs<'js> for Described {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        let object = Object::from_js(ctx, value)?;
        Ok(Self {
            value: object.get("text")?,
            path: object.get("path")?,
            format: or_throw(ctx, known(object.get("format")?, "write"))?,
            indent: object.get::<_, f64>("indent")?.clamp(0.0, 64.0) as usize,
            overwrite: Overwrite::from_number(object.get("overwrite")?),
            anywhere: object.get("anywhere")?,
            element: object.get("element")?,
        })
    }
}

/// What globals are made of that scripts and packages expect besides those of the language, each loaded when it is used
/// for the first time.
fn globals<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>) -> rquickjs::Result<()> {
    let globals = ctx.globals();
    globals.set("global", globals.clone())?;
    globals.remove("performance")?;
    let install: Function<'_> = ctx.eval(LAZY_GLOBALS)?;
    let shared = Rc::clone(shared);
    let load = Function::new(ctx.clone(), move |ctx: Ctx<'js>, module: String| {
        commonjs::namespace(&ctx, &shared, &format!("{}{module}.js", modules::STD)).map(Object::into_value)
    })?;
    install.call((load,))
}

const LAZY_GLOBALS: &str = "(load) => {
  const modules = {
    'internal/console': ['console'],
    'internal/process': ['process'],
    'internal/url': ['URL', 'URLSearchParams'],
    'internal/text': ['TextEncoder', 'TextDecoder', 'atob', 'btoa'],
    'internal/clone': ['structuredClone'],
    'internal/timers': ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'],
    'node/buffer': ['Buffer'],
    'node/crypto': ['crypto'],
  };
  for (const module in modules) for (const name of modules[module]) {
    const define = (value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    Object.defineProperty(globalThis, name, {
      get() { const value = load(module)[name]; define(value); return value; },
      set: define,
      configurable: true,
    });
  }
}";

/// The value of a file with data. The engine parses JSON itself; only what it refuses is read again, to say why.
pub(super) fn data<'js>(ctx: &Ctx<'js>, name: &str, text: &str) -> rquickjs::Result<Value<'js>> {
    if name.ends_with(".json") {
        return json_of(ctx, text, name, Format::Json);
    }
    let documents = format::read_yaml_documents(text).map_err(|error| format!("{name}: {error}"));
    json(ctx, documents.map(Some))
}

/// The value of a text in a format that holds one value.
fn json_of<'js>(ctx: &Ctx<'js>, text: &str, path: &str, format: Format) -> rquickjs::Result<Value<'js>> {
    let is_json = matches!(format.resolved(path), None | Some(Format::Json));
    if is_json && let Some(value) = json_value(ctx, text)? {
        return Ok(value);
    }
    json(ctx, format::read(text, path, format).map_err(|error| format!("{path}: {error}")).map(Some))
}

/// The value of a text that holds nothing but values of a format.
fn parse<'js>(ctx: &Ctx<'js>, text: &str, format: Format) -> rquickjs::Result<Value<'js>> {
    if format == Format::Json
        && let Some(value) = json_value(ctx, text)?
    {
        return Ok(value);
    }
    json(ctx, format::parse(text, format).map(Some))
}

/// All values of a file that the user named on the command line. What arrives on standard input has no name: YAML
/// streams hold every JSON value, too.
fn read_anywhere<'js>(
    ctx: &Ctx<'js>,
    session: &Session,
    path: &str,
    format: Format,
) -> rquickjs::Result<Value<'js>> {
    let name = if path == "-" { "standard input" } else { path };
    let mut bytes = or_throw(ctx, session.read_anywhere(path))?;
    // Nearly all files hold one value, which the engine reads by itself.
    if format == Format::JsonStream {
        match json_value(ctx, bytes)? {
            Some(value) => return vec![value].into_js(ctx),
            None => bytes = or_throw(ctx, session.read_anywhere(path))?,
        }
    }
    let text = or_throw(ctx, text_of(&bytes, name))?;
    json(ctx, format::read(text, path, format).map_err(|error| format!("{name}: {error}")).map(Some))
}

/// The value of a JSON text, as the engine reads it; nothing if the text is something else.
fn json_value<'js>(
    ctx: &Ctx<'js>,
    text: impl Into<Vec<u8>> + AsRef<[u8]>,
) -> rquickjs::Result<Option<Value<'js>>> {
    let Ok(marked) = std::str::from_utf8(text.as_ref()) else { return Ok(None) };
    let plain = marked.strip_prefix('\u{feff}').unwrap_or(marked);
    let mark = marked.len() - plain.len();
    if plain.len() >= large_json::LARGE
        && let Some(value) = large_json::parse(ctx, plain)?
    {
        return Ok(Some(value));
    }
    let mut text: Vec<u8> = text.into();
    text.drain(..mark);
    let value = ctx.json_parse(text);
    if value.is_err() {
        ctx.catch();
    }
    Ok(value.ok())
}

/// What a script wants to read, and how.
struct Reading<'r> {
    path: &'r str,
    folder: Option<&'r str>,
    encoding: i32,
    format: Format,
}

fn read<'js>(ctx: &Ctx<'js>, session: &Session, reading: &Reading<'_>) -> rquickjs::Result<Value<'js>> {
    let &Reading { path, folder, encoding, format } = reading;
    let mut bytes = or_throw(ctx, session.read(path, format, folder))?;
    match encoding {
        0 => self::bytes(ctx, bytes),
        1 => or_throw(ctx, text_of(&bytes, path))?.into_js(ctx),
        _ => {
            // Standard input can be read only once.
            let is_json = matches!(format.resolved(path), None | Some(Format::Json)) && !path.is_empty();
            if is_json {
                match json_value(ctx, bytes)? {
                    Some(value) => return Ok(value),
                    None => bytes = or_throw(ctx, session.read(path, format, folder))?,
                }
            }
            json_of(ctx, or_throw(ctx, text_of(&bytes, path))?, path, format)
        }
    }
}

/// The options of a write, as scripts number them.
struct WriteNumbers {
    format: f64,
    indent: f64,
    overwrite: i32,
}

fn target<'p>(ctx: &Ctx<'_>, path: &'p str, numbers: &WriteNumbers) -> rquickjs::Result<OutputTarget<'p>> {
    let format = or_throw(ctx, known(numbers.format, "write"))?;
    let indent = numbers.indent.clamp(0.0, 64.0) as usize;
    let overwrite = Overwrite::from_number(numbers.overwrite);
    Ok(OutputTarget { path, format, indent, overwrite, anywhere: false })
}

fn known(number: f64, function: &str) -> Result<Format, String> {
    Format::from_number(number as i32).ok_or_else(|| format!("{function}: unknown format ({number})"))
}

fn json<'js>(ctx: &Ctx<'js>, text: Result<Option<String>, String>) -> rquickjs::Result<Value<'js>> {
    match or_throw(ctx, text)? {
        Some(text) => ctx.json_parse(text),
        None => Ok(Value::new_undefined(ctx.clone())),
    }
}

fn or_throw<T>(ctx: &Ctx<'_>, result: Result<T, String>) -> rquickjs::Result<T> {
    result.map_err(|message| Exception::throw_message(ctx, &message))
}
