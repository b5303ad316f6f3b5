//! CommonJS: which files are, how they are compiled, and the functions that the module `internal/commonjs` of the
//! standard library is made of.

use std::sync::Arc;

use base::SourceFile;
use camino::Utf8Path;
use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Function, IntoJs, Module, Object, Persistent, Value};

use super::modules::{self, NAMESPACE, STD, suffix, throw};
use super::{Shared, host_functions};
use crate::format::json::string_literal;
use crate::host::ConfinedPath;
use crate::messages;
use crate::resolve::{ImportKind, Referrer};
use crate::session::{Session, text_of};
use crate::typescript;

/// Whether a file is CommonJS. The suffix and the package decide as in Node; files without either are ES modules unless
/// they use `require` or `exports` and have no imports and exports of their own.
pub(super) fn is_commonjs(session: &Session, name: &str, text: &str) -> bool {
    match suffix(name) {
        "cjs" | "cts" => return true,
        "js" => {}
        _ => return false,
    }
    match session.modules.package_type(Utf8Path::new(name)) {
        Some(true) => return false,
        Some(false) => return true,
        None => {}
    }
    let is_package = name.contains("/node_modules/");
    let uses_commonjs = ["require(", "module.exports", "exports."].iter().any(|word| text.contains(word));
    if !is_package && !uses_commonjs {
        return false;
    }
    let may_be_module = text.contains("import") || text.contains("export");
    !may_be_module || !typescript::has_module_syntax(name, text)
}

/// The ES module that stands for a CommonJS module. Its default export is `module.exports`, its other exports are the
/// members of that. The module is evaluated here: what it exports is known only then.
pub(super) fn wrapper(ctx: &Ctx<'_>, shared: &Shared, name: &str) -> rquickjs::Result<String> {
    let library = namespace(ctx, shared, &format!("{STD}internal/commonjs.js"))?;
    let export_names: Function<'_> = library.get("exportNames")?;
    let names: Vec<String> = export_names.call((name,))?;
    let mut source = format!(
        "import {{ exportsOf }} from '@jkcfg/std/internal/commonjs';\nconst exports = exportsOf({});\nexport default exports;\n",
        string_literal(name)
    );
    for (index, name) in names.iter().enumerate() {
        source.push_str(&format!("const $${index} = exports.{name}; export {{ $${index} as {name} }};\n"));
    }
    Ok(source)
}

/// The namespace of a module that is loaded at once.
pub(super) fn namespace<'js>(ctx: &Ctx<'js>, shared: &Shared, name: &str) -> rquickjs::Result<Object<'js>> {
    let known = shared.namespaces.borrow().get(name).cloned();
    if let Some(known) = known {
        return known.restore(ctx);
    }
    let source = format!("import * as namespace from {}; export {{ namespace }};", string_literal(name));
    let (module, promise) = Module::declare(ctx.clone(), format!("{NAMESPACE}{name}"), source)?.eval()?;
    match promise.state() {
        PromiseState::Resolved => {}
        PromiseState::Rejected => {
            shared.forget_rejection(ctx, promise.as_value());
            return Err(promise
                .result::<Value<'_>>()
                .and_then(Result::err)
                .unwrap_or(rquickjs::Error::Exception));
        }
        PromiseState::Pending => return Err(throw(ctx, messages::AWAITS_AT_TOP_LEVEL)),
    }
    let namespace: Object<'js> = module.get("namespace")?;
    shared.namespaces.borrow_mut().insert(name.to_owned(), Persistent::save(ctx, namespace.clone()));
    Ok(namespace)
}

/// What `require` of a specifier means: its kind (`file`, `module` or `builtin`) and its name.
pub(super) fn resolve<'js>(
    ctx: &Ctx<'js>,
    session: &Session,
    shared: &Shared,
    (specifier, from): (&str, &str),
) -> rquickjs::Result<Value<'js>> {
    let folder = modules::folder_of(session, from);
    let referrer = Referrer { folder: &folder, is_std: false, kind: ImportKind::Require };
    let name = match modules::resolve(session, shared, referrer, specifier) {
        Ok(name) => name,
        Err(tried) => {
            let message = modules::not_found(session, shared, (from, specifier), &tried);
            let error = throw(ctx, &message);
            // Packages look at the code to tell an optional dependency that is missing from a broken one.
            let thrown = ctx.catch();
            if let Some(object) = thrown.as_object() {
                object.set("code", "MODULE_NOT_FOUND")?;
            }
            ctx.throw(thrown);
            return Err(error);
        }
    };
    shared.sources.borrow_mut().imports.push((from.to_owned(), name.clone()));
    let kind = if name.starts_with(STD) || name.starts_with("node:") { "builtin" } else { "file" };
    vec![kind.to_owned(), name].into_js(ctx)
}

/// A CommonJS file as the function that Node makes of it, or a list with what it exports if it is something else.
pub(super) fn load<'js>(
    ctx: &Ctx<'js>,
    (session, shared): (&Session, &Shared),
    name: &str,
) -> rquickjs::Result<Value<'js>> {
    let text = text_of_module(ctx, session, shared, name)?;
    let exports = match suffix(name) {
        "json" | "yaml" | "yml" => host_functions::data(ctx, name, &text)?,
        _ if !is_commonjs(session, name, &text) && suffix(name) != "node" => {
            namespace(ctx, shared, name)?.into_value()
        }
        _ => return compile(ctx, (session, shared), name, &text),
    };
    let list = Array::new(ctx.clone())?;
    list.set(0, exports)?;
    list.into_js(ctx)
}

fn compile<'js>(
    ctx: &Ctx<'js>,
    (session, shared): (&Session, &Shared),
    name: &str,
    text: &str,
) -> rquickjs::Result<Value<'js>> {
    let script = modules::script_of(ctx, (session, shared), name, text)?;
    // A line for the system's loader is no JavaScript.
    let script = if script.starts_with("#!") { format!("//{script}") } else { script };
    let source = format!("(function (exports, require, module, __filename, __dirname) {{ {script}\n}})");
    let mut options = EvalOptions::default();
    options.global = true;
    options.strict = false;
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(source, options)
}

fn text_of_module(ctx: &Ctx<'_>, session: &Session, shared: &Shared, name: &str) -> rquickjs::Result<String> {
    if let Some(file) = shared.sources.borrow().texts.get(name) {
        return Ok(file.text().to_string());
    }
    // Scripts can change what the globals do that our own code uses: only what was resolved is read.
    if !shared.sources.borrow().files.contains(name) {
        return Err(throw(ctx, messages::UNKNOWN_MODULE));
    }
    let bytes = shared.sources.borrow_mut().take_bytes(name);
    let bytes: Arc<[u8]> = match bytes {
        Some(bytes) => bytes,
        None => session
            .host
            .read(&ConfinedPath::unconfined(name))
            .map_err(|error| throw(ctx, &messages::cannot_read(name, &error)))?,
    };
    let text = text_of(&bytes, name).map_err(|error| throw(ctx, &error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    shared.sources.borrow_mut().texts.insert(name.to_owned(), SourceFile::new(name, text));
    Ok(text.to_owned())
}
