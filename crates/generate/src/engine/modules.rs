//! From an import to the text that the engine compiles.

use std::rc::Rc;
use std::sync::Arc;

use base::SourceFile;
use camino::{Utf8Path, Utf8PathBuf};
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Exception, Module};
use rustc_hash::FxHashMap;

use super::{COMMAND, Shared};
use crate::format::{self, Format, json};
use crate::messages;
use crate::outcome::Dependency;
use crate::paths;
use crate::resolve::{self, Candidate, Referrer};
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

const STD: &str = "@jkcfg/std/";
const RESOURCE: &str = "resource:";

impl Resolver for Imports {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        specifier: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        if base.starts_with(STD) && specifier.starts_with("./") {
            let folder = base.rsplit_once('/').map_or(base, |(folder, _)| folder);
            return Ok(paths::clean(&format!("{folder}/{specifier}")));
        }
        let folder = self.folder_of(base);
        let is_std = base.starts_with(STD) || base.starts_with(COMMAND) || base.starts_with(RESOURCE);
        let referrer = Referrer { folder: &folder, is_std };
        let host = self.session.host.as_ref();
        let name = match resolve::resolve(host, &self.session.roots, referrer, specifier) {
            Ok(resolve::Module::Std(name)) => format!("{STD}{name}.js"),
            Ok(resolve::Module::Resource(folder)) => format!("{RESOURCE}{folder}"),
            Ok(resolve::Module::File(path, bytes)) => self.found_file(path, bytes, specifier),
            Err(tried) => return Err(throw(ctx, &self.not_found(base, specifier, &tried))),
        };
        self.trace(&format!("import {specifier} from {base} -> {name}"));
        self.shared.sources.borrow_mut().imports.push((base.to_owned(), name.clone()));
        Ok(name)
    }
}

impl Imports {
    fn folder_of(&self, module: &str) -> Utf8PathBuf {
        if let Some(folder) = module.strip_prefix(RESOURCE) {
            return folder.into();
        }
        match Utf8Path::new(module).parent() {
            Some(folder) if module.starts_with('/') => folder.to_owned(),
            _ => self.session.settings.module_root.clone(),
        }
    }

    fn found_file(&self, path: Utf8PathBuf, bytes: Arc<[u8]>, specifier: &str) -> String {
        self.session.depend_on(Dependency::import_file(path.clone(), specifier));
        let name = path.into_string();
        let mut sources = self.shared.sources.borrow_mut();
        if !sources.texts.contains_key(&name) {
            sources.read.insert(name.clone(), bytes);
        }
        name
    }

    fn not_found(&self, base: &str, specifier: &str, tried: &[Candidate]) -> String {
        self.trace(&format!("import {specifier} from {base}: not found"));
        let folder = &self.session.settings.folder;
        let referrer =
            if base.starts_with(COMMAND) { "the command line" } else { paths::display(base, folder) };
        let mut message = messages::unresolved(specifier, referrer);
        if !tried.is_empty() {
            message.push_str("\ncandidates considered:");
        }
        for candidate in tried {
            message.push_str(&format!("\n    {} ({})", candidate.path, candidate.rule));
        }
        let mut sources = self.shared.sources.borrow_mut();
        sources.failed_import = sources.texts.get(base).and_then(|file| import_position(file, specifier));
        message
    }

    fn trace(&self, line: &str) {
        if self.session.settings.trace_imports {
            self.session.host.log(&format!("debug: {line}"));
        }
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
        let bytes = self.shared.sources.borrow_mut().read.remove(name);
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
        let source = to_javascript(ctx, &self.shared, name, &text)?;
        let module = Module::declare(ctx.clone(), name, source)?;
        set_import_meta(&module, name)?;
        Ok(module)
    }
}

/// Gives a module its `import.meta.url`, `filename` and `dirname`, as Node has them.
pub(super) fn set_import_meta(module: &Module<'_>, name: &str) -> rquickjs::Result<()> {
    if !name.starts_with('/') {
        return Ok(());
    }
    let meta = module.meta()?;
    meta.set("url", paths::file_url(name))?;
    meta.set("filename", name)?;
    meta.set("dirname", Utf8Path::new(name).parent().map_or("/", Utf8Path::as_str))
}

/// The JavaScript of a module, by the suffix of its name. The text is remembered for messages.
pub(super) fn to_javascript(
    ctx: &Ctx<'_>,
    shared: &Shared,
    name: &str,
    text: &str,
) -> rquickjs::Result<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = match name.rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("json" | "yaml" | "yml") => {
            data_module(text, name).map_err(|error| throw(ctx, &format!("{name}: {error}")))
        }
        Some("ts" | "mts") => typescript::to_javascript(name, text).map_err(|(message, offset)| {
            let (line, column) = line_and_column(text, offset);
            let frame = Frame { function: String::new(), file: name.to_owned(), line, column };
            shared.sources.borrow_mut().failed_import = Some(frame);
            Exception::throw_syntax(ctx, &message)
        }),
        _ => Ok(text.to_owned()),
    };
    if !name.starts_with(COMMAND) {
        let file = SourceFile::new(name, text);
        shared.sources.borrow_mut().texts.insert(name.to_owned(), file);
    }
    source
}

/// A module whose default export is the value of a file. A YAML file of several documents gives the list of them.
fn data_module(text: &str, name: &str) -> Result<String, String> {
    let data = if name.ends_with(".json") {
        format::read(text, name, Format::Json)?
    } else {
        format::read_yaml_documents(text)?
    };
    let mut literal = String::new();
    json::write_string(&mut literal, &data);
    Ok(format!("export default JSON.parse({literal});"))
}

/// The module through which another one reads the files next to it.
fn resource_module(folder: &str) -> String {
    let mut literal = String::new();
    json::write_string(&mut literal, folder);
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

fn throw(ctx: &Ctx<'_>, message: &str) -> rquickjs::Error {
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
