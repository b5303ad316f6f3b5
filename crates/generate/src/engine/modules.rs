//! From an import to the text that the engine compiles.

use std::rc::Rc;
use std::sync::Arc;

use base::SourceFile;
use camino::{Utf8Path, Utf8PathBuf};
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Exception, Function, Module};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{COMMAND, RunState, Shared, commonjs, places};
use crate::format::json::string_literal;
use crate::messages;
use crate::outcome::Dependency;
use crate::paths;
use crate::resolve::{self, Candidate, ImportKind, Referrer};
use crate::script_error::Frame;
use crate::session::{Session, text_of};
use crate::std_modules;
use crate::typescript;

/// What is known about the modules of a run.
#[derive(Default)]
pub(super) struct Sources {
    /// The texts of the user's modules as the user wrote them, for messages.
    pub(super) texts: FxHashMap<String, Arc<SourceFile>>,
    /// Who imports whom, in the order in which it was found out.
    pub(super) imports: Vec<(String, String)>,
    /// Where the import stands that could not be resolved.
    pub(super) failed_import: Option<Frame>,
    /// Files that the resolver has read and the loader has not asked for yet.
    read: FxHashMap<String, Arc<[u8]>>,
    /// The paths that imports have led to: nothing else is loaded.
    pub(super) files: FxHashSet<String>,
    /// Modules whose text is ours because the file is no ES module: they may import what that text needs.
    wrapped: FxHashSet<String>,
    /// What imports were resolved to. The engine asks for the same one more than once.
    resolved: FxHashMap<(Utf8PathBuf, String), String>,
}

impl Sources {
    /// The bytes of a file that the resolver has just read.
    pub(super) fn take_bytes(&mut self, name: &str) -> Option<Arc<[u8]>> {
        self.read.remove(name)
    }
}

/// The two halves of loading, both with the same memory.
pub(super) fn resolver_and_loader(session: &Rc<Session>, shared: &Rc<Shared>) -> (Imports, Imports) {
    let half = || Imports { session: Rc::clone(session), shared: Rc::clone(shared) };
    (half(), half())
}

/// Resolves and loads imports.
pub(super) struct Imports {
    session: Rc<Session>,
    shared: Rc<Shared>,
}

/// What the names of modules of the standard library start with.
pub(super) const STD: &str = "@jkcfg/std/";
const RESOURCE: &str = "resource:";
const NODE: &str = "node:";
/// What the names of modules start with that only look at the namespace of another one.
pub(super) const NAMESPACE: &str = "sinew:namespace/";

impl Resolver for Imports {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        specifier: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        if base.starts_with(NAMESPACE) {
            return Ok(specifier.to_owned());
        }
        if base.starts_with(STD) && specifier.starts_with('.') {
            let folder = base.rsplit_once('/').map_or(base, |(folder, _)| folder);
            return Ok(paths::clean(&format!("{folder}/{specifier}")));
        }
        let is_std = [STD, COMMAND, RESOURCE, NODE].iter().any(|start| base.starts_with(start))
            || self.shared.sources.borrow().wrapped.contains(base);
        let folder = folder_of(&self.session, base);
        let referrer = Referrer { folder: &folder, is_std, kind: ImportKind::Import };
        let name = match resolve(&self.session, &self.shared, referrer, specifier) {
            Ok(name) => name,
            Err(tried) => {
                let message = not_found(&self.session, &self.shared, Import { base, specifier }, &tried);
                return Err(throw(ctx, &message));
            }
        };
        trace(&self.session, &format!("import {specifier} from {base} -> {name}"));
        self.shared.sources.borrow_mut().imports.push((base.to_owned(), name.clone()));
        Ok(name)
    }
}

/// The name of the module that a specifier means. The bytes of files are kept for the loader.
pub(super) fn resolve(
    session: &Session,
    shared: &Shared,
    referrer: Referrer<'_>,
    specifier: &str,
) -> Result<String, Vec<Candidate>> {
    let key = (referrer.folder.to_owned(), format!("{:?} {} {specifier}", referrer.kind, referrer.is_std));
    if let Some(name) = shared.sources.borrow().resolved.get(&key) {
        return Ok(name.clone());
    }
    let name = match session.modules.resolve(referrer, specifier)? {
        resolve::Module::Std(name) => format!("{STD}{name}.js"),
        resolve::Module::Unavailable(name) => format!("{NODE}{name}"),
        resolve::Module::Resource(folder) => format!("{RESOURCE}{folder}"),
        resolve::Module::File(path, bytes) => {
            session.depend_on(Dependency::import_file(path.clone(), specifier));
            let name = path.into_string();
            let mut sources = shared.sources.borrow_mut();
            sources.files.insert(name.clone());
            if !sources.texts.contains_key(&name) {
                sources.read.insert(name.clone(), bytes);
            }
            name
        }
    };
    shared.sources.borrow_mut().resolved.insert(key, name.clone());
    Ok(name)
}

/// The folder that the relative imports of a module start from.
pub(super) fn folder_of(session: &Session, module: &str) -> Utf8PathBuf {
    if let Some(folder) = module.strip_prefix(RESOURCE) {
        return folder.into();
    }
    match Utf8Path::new(module).parent() {
        Some(folder) if module.starts_with('/') => folder.to_owned(),
        _ => session.settings.module_root.clone(),
    }
}

/// A specifier, and the module that it stands in.
#[derive(Clone, Copy)]
pub(super) struct Import<'i> {
    pub(super) base: &'i str,
    pub(super) specifier: &'i str,
}

/// Says what was looked for and where; the place of the import is remembered for the error.
pub(super) fn not_found(
    session: &Session,
    shared: &Shared,
    import: Import<'_>,
    tried: &[Candidate],
) -> String {
    let Import { base, specifier } = import;
    trace(session, &format!("import {specifier} from {base}: not found"));
    let folder = &session.settings.folder;
    let referrer = if base.starts_with(COMMAND) { "the command line" } else { paths::display(base, folder) };
    let mut message = messages::unresolved(specifier, referrer);
    if !tried.is_empty() {
        message.push_str("\ncandidates considered:");
    }
    for candidate in tried {
        message.push_str(&format!("\n    {} ({})", candidate.path, candidate.rule));
    }
    let mut sources = shared.sources.borrow_mut();
    sources.failed_import = sources.texts.get(base).and_then(|file| import_position(file, specifier));
    message
}

fn trace(session: &Session, line: &str) {
    if session.settings.trace_imports {
        session.host.log(&format!("debug: {line}"));
    }
}

impl Loader for Imports {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        if let Some(file) = name.strip_prefix(STD) {
            let module = std_modules::find(file.strip_suffix(".js").unwrap_or(file));
            let source = module.map_or("", |module| module.source);
            return Module::declare(ctx.clone(), name, source);
        }
        if let Some(folder) = name.strip_prefix(RESOURCE) {
            self.session.allow_resources(folder);
            return Module::declare(ctx.clone(), name, resource_module(folder));
        }
        if let Some(module) = name.strip_prefix(NODE) {
            return Module::declare(ctx.clone(), name, unavailable_module(module));
        }
        let bytes = self.shared.sources.borrow_mut().take_bytes(name);
        let text = match bytes {
            Some(bytes) => text_of(&bytes, name).map_err(|error| throw(ctx, &error))?.to_owned(),
            // The same file with other import attributes is another module.
            None => self
                .shared
                .sources
                .borrow()
                .texts
                .get(name)
                .map_or(String::new(), |file| file.text().to_string()),
        };
        let state = RunState { session: &self.session, shared: &self.shared };
        let source = to_javascript(ctx, state, name, text)?;
        let module = Module::declare(ctx.clone(), name, source)?;
        set_import_meta(ctx, &module, name)?;
        Ok(module)
    }
}

/// Gives a module its `import.meta`, as Node has it.
pub(super) fn set_import_meta<'js, T>(
    ctx: &Ctx<'js>,
    module: &Module<'js, T>,
    name: &str,
) -> rquickjs::Result<()> {
    if !name.starts_with('/') {
        return Ok(());
    }
    let meta = module.meta()?;
    meta.set("url", paths::file_url(name))?;
    meta.set("filename", name)?;
    meta.set("dirname", Utf8Path::new(name).parent().map_or("/", Utf8Path::as_str))?;
    let (folder, context) = (name.to_owned(), ctx.clone());
    let resolve = Function::new(context, move |specifier: String| {
        let target =
            paths::join(Utf8Path::new(&folder).parent().unwrap_or_else(|| Utf8Path::new("/")), &specifier);
        if specifier.starts_with('.') { paths::file_url(target.as_str()) } else { specifier }
    })?;
    meta.set("resolve", resolve)
}

/// The text that the engine compiles for a module, by the suffix of its name. The user's text is remembered for
/// messages.
pub(super) fn to_javascript(
    ctx: &Ctx<'_>,
    state: RunState<'_>,
    name: &str,
    text: String,
) -> rquickjs::Result<String> {
    let RunState { session, shared } = state;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    if !name.starts_with(COMMAND) {
        let file = SourceFile::new(name, text.as_str());
        shared.sources.borrow_mut().texts.insert(name.to_owned(), file);
    }
    match suffix(name) {
        "json" | "yaml" | "yml" => {
            shared.sources.borrow_mut().wrapped.insert(name.to_owned());
            Ok(format!(
                "import {{ host }} from '@jkcfg/std/internal/host'; export default host.data({});",
                string_literal(name)
            ))
        }
        "tsx" | "jsx" => Err(throw(ctx, messages::TSX)),
        _ if commonjs::is_commonjs(session, name, &text) => {
            shared.sources.borrow_mut().wrapped.insert(name.to_owned());
            commonjs::wrapper(ctx, shared, name)
        }
        "ts" | "mts" => script_of(ctx, state, name, &text),
        _ => {
            let text = places::announced(state, name, text);
            Ok(typescript::without_decorators(&text, true).unwrap_or(text))
        }
    }
}

/// The JavaScript of a TypeScript file, or of a CommonJS module.
pub(super) fn script_of(
    ctx: &Ctx<'_>,
    state: RunState<'_>,
    name: &str,
    text: &str,
) -> rquickjs::Result<String> {
    let text = places::announced(state, name, text.to_owned());
    if !matches!(suffix(name), "ts" | "mts" | "cts") {
        return Ok(typescript::without_decorators(&text, false).unwrap_or(text));
    }
    let RunState { session, shared } = state;
    let options = typescript_options(session, name);
    typescript::to_javascript(name, &text, &options).map_err(|(message, offset)| {
        let (line, column) = line_and_column(&text, offset);
        let frame = Frame { function: String::new(), file: name.to_owned(), line, column };
        shared.sources.borrow_mut().failed_import = Some(frame);
        Exception::throw_syntax(ctx, &message)
    })
}

/// How a file in TypeScript is translated: its `tsconfig.json` decides.
pub(super) fn typescript_options(session: &Session, name: &str) -> typescript::Options {
    let config = Utf8Path::new(name).parent().and_then(|folder| session.modules.tsconfig(folder));
    config.map_or_else(typescript::Options::default, |config| typescript::Options {
        has_legacy_decorators: config.has_legacy_decorators,
        emits_metadata: config.emits_metadata,
        assigns_fields: config.assigns_fields,
    })
}

pub(super) fn suffix(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, suffix)| suffix)
}

/// A module of Node that cannot be used here.
fn unavailable_module(name: &str) -> String {
    let exports = std_modules::UNAVAILABLE_EXPORTS.iter().find(|(known, _)| *known == name);
    let names = exports.map_or_else(String::new, |(_, names)| names.join(", "));
    format!(
        "import {{ unavailable }} from '@jkcfg/std/internal/unavailable';
const module = unavailable({});
export const {{ {names} }} = module;
export default module;
",
        string_literal(&format!("node:{name}"))
    )
}

/// The module through which another one reads the files next to it.
fn resource_module(folder: &str) -> String {
    let literal = string_literal(folder);
    format!(
        "import * as std from '@jkcfg/std';
import * as fs from '@jkcfg/std/fs';
import {{ reference }} from '@jkcfg/std/internal/host';
const module = reference({literal});
export const read = (path, options = {{}}) => std.read(path, {{ ...options, module }});
export const dir = (path) => fs.dir(path, {{ module }});
export const info = (path) => fs.info(path, {{ module }});
export const withModuleRef = (fn) => fn(module);
"
    )
}

pub(super) fn throw(ctx: &Ctx<'_>, message: &str) -> rquickjs::Error {
    Exception::throw_message(ctx, message)
}

/// Where a module names a specifier for the first time.
fn import_position(file: &SourceFile, specifier: &str) -> Option<Frame> {
    let text = file.text();
    let offset =
        ['\'', '"'].iter().filter_map(|quote| text.find(&format!("{quote}{specifier}{quote}"))).min()?;
    let (line, column) = line_and_column(text, offset);
    Some(Frame { function: String::new(), file: file.path().to_string(), line, column })
}

fn line_and_column(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}
