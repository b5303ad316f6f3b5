//! Everything that a file takes from others with `import`, and what that needs in turn: all of it is written into the
//! file's template, under names that are given here.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use bicep_syntax::ast;
use bicep_syntax::{NodeId, SyntaxKind};
use camino::Utf8Path;
use config::reference::Reference;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::export::{self, Exported};
use crate::hoisted::hoisted_calls;
use crate::program::{FileId, Program, Target};
use crate::symbol::{SymbolId, SymbolKind};

/// What a file's template contains of other files.
#[derive(Debug, Default)]
pub struct Imports {
    all: Vec<Imported>,
    by_symbol: FxHashMap<(FileId, SymbolId), usize>,
    by_member: FxHashMap<(FileId, SymbolId, SmolStr), usize>,
    by_call: FxHashMap<(FileId, SmolStr), usize>,
    by_template: FxHashMap<(FileId, TemplateSymbol), usize>,
}

/// Something taken from another file.
#[derive(Debug, Clone)]
pub struct Imported {
    /// What it is.
    pub origin: Origin,
    /// The file it comes from: its path from the importing file, or its full reference.
    pub template: String,
    /// Its name there.
    pub original: String,
    /// Its name in the template; with a dot where it was not imported by name.
    pub name: String,
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A declaration of a Bicep file.
    Symbol(FileId, SymbolId),
    /// The variable of a call that the compiler computes, in a Bicep file.
    Call(FileId, NodeId),
    /// Something of a template in JSON.
    Template(FileId, TemplateSymbol),
}

/// Something that a template in JSON declares.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TemplateSymbol {
    /// A type, by the pointer to it: `#/definitions/name`.
    Type(SmolStr),
    Variable(SmolStr),
    /// A function with its namespace: `__bicep.name`.
    Function(SmolStr),
}

/// What a template's own declarations need, and how names are ordered: things that this crate does not know itself.
pub struct Outside<'o> {
    /// What a declaration of a template in JSON refers to.
    pub references: &'o dyn Fn(&json::Node, &TemplateSymbol) -> Vec<TemplateSymbol>,
    /// The order of names.
    pub compare: &'o dyn Fn(&str, &str) -> Ordering,
}

impl Imports {
    /// Everything that a file imports, directly or not.
    pub fn closure(program: &Program<'_>, entry: FileId, outside: &Outside<'_>) -> Self {
        let mut search = ImportSearch {
            program,
            entry,
            outside,
            found: Vec::new(),
            keys: BTreeMap::new(),
            imports: Self::default(),
            queue: VecDeque::new(),
            followed: BTreeSet::new(),
            offers: FxHashMap::default(),
        };
        search.start();
        while let Some(step) = search.queue.pop_front() {
            search.follow(step);
        }
        search.finish()
    }

    /// Everything, ordered by where it comes from.
    pub fn iter(&self) -> impl Iterator<Item = &Imported> {
        self.all.iter()
    }

    /// Whether nothing is imported.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What an import item of any file of the program means, or a declaration that was itself taken over.
    pub fn symbol(&self, file: FileId, symbol: SymbolId) -> Option<&Imported> {
        self.all.get(*self.by_symbol.get(&(file, symbol))?)
    }

    /// What a member of a wildcard import means.
    pub fn member(&self, file: FileId, import: SymbolId, name: &str) -> Option<&Imported> {
        self.all.get(*self.by_member.get(&(file, import, SmolStr::new(name)))?)
    }

    /// What the variable of a computed call means that was taken over.
    pub fn call(&self, file: FileId, name: &str) -> Option<&Imported> {
        self.all.get(*self.by_call.get(&(file, SmolStr::new(name)))?)
    }

    /// What a declaration of a template in JSON has become.
    pub fn template(&self, file: FileId, symbol: &TemplateSymbol) -> Option<&Imported> {
        self.all.get(*self.by_template.get(&(file, symbol.clone()))?)
    }
}

/// Something still to be looked into.
enum Step {
    /// An import item or a wildcard import of a file.
    Import(FileId, SymbolId),
    /// A declaration that is taken over, with the name of its template.
    Found(Origin, String),
}

struct ImportSearch<'s, 'w> {
    program: &'s Program<'w>,
    entry: FileId,
    outside: &'s Outside<'s>,
    found: Vec<Imported>,
    /// The position in `found` by template and name.
    keys: BTreeMap<(String, String), usize>,
    imports: Imports,
    queue: VecDeque<Step>,
    followed: BTreeSet<(FileId, SymbolId)>,
    /// What the files offer that were asked for something.
    offers: FxHashMap<FileId, Rc<Offer>>,
}

/// What a file offers: looked up once for all that is taken from it.
struct Offer {
    exports: Vec<Exported>,
    by_name: FxHashMap<String, usize>,
    /// Calls with variables of their own, in the order of the text.
    calls: Vec<(NodeId, String)>,
    call_names: FxHashMap<NodeId, usize>,
}

impl Offer {
    fn of(program: &Program<'_>, file: FileId) -> Self {
        let exports = export::exports(program, file);
        let mut by_name = FxHashMap::default();
        for (index, export) in exports.iter().enumerate() {
            by_name.entry(export.name.clone()).or_insert(index);
        }
        let calls = match (program.bicep(file), program.model(file)) {
            (Some(bicep), Some(model)) => hoisted_calls(bicep.tree(), model),
            _ => Vec::new(),
        };
        let call_names = calls.iter().enumerate().map(|(index, (call, _))| (*call, index)).collect();
        Self { exports, by_name, calls, call_names }
    }

    fn export(&self, name: &str) -> Option<&Exported> {
        self.exports.get(*self.by_name.get(name)?)
    }

    fn call_name(&self, call: NodeId) -> Option<&str> {
        let (_, name) = self.calls.get(*self.call_names.get(&call)?)?;
        Some(name)
    }
}

impl ImportSearch<'_, '_> {
    fn start(&mut self) {
        let Some(model) = self.program.model(self.entry) else { return };
        for kind in [SymbolKind::ImportItem, SymbolKind::WildcardImport] {
            let imports = model.symbols().filter(|(_, symbol)| symbol.kind == kind);
            self.queue.extend(imports.map(|(id, _)| Step::Import(self.entry, id)));
        }
    }

    fn follow(&mut self, step: Step) {
        match step {
            Step::Import(file, symbol) => self.follow_import(file, symbol),
            Step::Found(origin, template) => self.add(origin, &template),
        }
    }

    fn follow_import(&mut self, file: FileId, symbol: SymbolId) {
        if !self.followed.insert((file, symbol)) {
            return;
        }
        let program = self.program;
        let (Some(bicep), Some(model)) = (program.bicep(file), program.model(file)) else { return };
        let node = bicep.tree().node(model.symbol(symbol).declaration);
        let statement = node.ancestors().find(|outer| outer.kind() == SyntaxKind::Import);
        let target = statement.and_then(|statement| bicep.reference(statement));
        let Some(Ok(target)) = target else { return };
        let template = self.template_id(target);
        let offer = self.offer(target.file);
        match ast::ImportItem::cast(node) {
            Some(item) => {
                let Some(name) = item.original_name() else { return };
                let Some(export) = offer.export(&name) else { return };
                let index = self.announce(origin_of(target.file, export), &template);
                self.imports.by_symbol.insert((file, symbol), index);
            }
            None => {
                for export in &offer.exports {
                    let index = self.announce(origin_of(target.file, export), &template);
                    let key = (file, symbol, SmolStr::new(&export.name));
                    self.imports.by_member.insert(key, index);
                }
            }
        }
    }

    fn offer(&mut self, file: FileId) -> Rc<Offer> {
        let program = self.program;
        Rc::clone(self.offers.entry(file).or_insert_with(|| Rc::new(Offer::of(program, file))))
    }

    /// Makes sure that something is taken over, and says at which position it is.
    fn announce(&mut self, origin: Origin, template: &str) -> usize {
        let original = self.original_name(&origin);
        let key = (template.to_owned(), original.clone());
        if let Some(index) = self.keys.get(&key) {
            return *index;
        }
        let index = self.found.len();
        self.keys.insert(key, index);
        self.remember(&origin, index);
        let (template, name) = (template.to_owned(), String::new());
        self.queue.push_back(Step::Found(origin.clone(), template.clone()));
        self.found.push(Imported { origin, template, original, name });
        index
    }

    fn remember(&mut self, origin: &Origin, index: usize) {
        match origin {
            Origin::Symbol(file, symbol) => {
                self.imports.by_symbol.insert((*file, *symbol), index);
            }
            Origin::Call(file, _) => {
                let name = SmolStr::new(self.original_name(origin));
                self.imports.by_call.insert((*file, name), index);
            }
            Origin::Template(file, symbol) => {
                self.imports.by_template.insert((*file, symbol.clone()), index);
            }
        }
    }

    /// Adds what a declaration needs.
    fn add(&mut self, origin: Origin, template: &str) {
        match origin {
            Origin::Symbol(file, symbol) => self.add_needs(file, symbol, template),
            Origin::Call(..) => {}
            Origin::Template(file, symbol) => {
                let crate::Unit::Template(unit) = self.program.unit(file) else { return };
                let Some(root) = &unit.parsed.root else { return };
                for need in (self.outside.references)(root, &symbol) {
                    self.announce(Origin::Template(file, need), template);
                }
            }
        }
    }

    fn add_needs(&mut self, file: FileId, symbol: SymbolId, template: &str) {
        let program = self.program;
        let (Some(bicep), Some(model)) = (program.bicep(file), program.model(file)) else { return };
        let declaration = bicep.tree().node(model.symbol(symbol).declaration);
        for need in declaration.descendants().filter_map(|node| model.bindings().symbol(node)) {
            match model.symbol(need).kind {
                SymbolKind::Type | SymbolKind::Var | SymbolKind::Func if need != symbol => {
                    self.announce(Origin::Symbol(file, need), template);
                }
                SymbolKind::ImportItem | SymbolKind::WildcardImport => self.follow_import(file, need),
                _ => {}
            }
        }
        let (start, end) = (declaration.range().start(), declaration.range().end());
        let offer = self.offer(file);
        let place = |call: &NodeId| bicep.tree().node(*call).range().start();
        let first = offer.calls.partition_point(|(call, _)| place(call) < start);
        for (call, _) in offer.calls.iter().skip(first).take_while(|(call, _)| place(call) < end) {
            self.announce(Origin::Call(file, *call), template);
        }
    }

    fn original_name(&mut self, origin: &Origin) -> String {
        match origin {
            Origin::Symbol(file, symbol) => {
                let name = self.program.model(*file).and_then(|model| model.symbol(*symbol).name.clone());
                name.map(|name| name.to_string()).unwrap_or_default()
            }
            Origin::Call(file, call) => {
                self.offer(*file).call_name(*call).map(ToOwned::to_owned).unwrap_or_default()
            }
            Origin::Template(_, symbol) => symbol.original_name(),
        }
    }

    /// How a file is called in the template of the entry file.
    fn template_id(&self, target: &Target) -> String {
        match &target.reference {
            Reference::Local(_) | Reference::Mock(_) => {
                let from = self.program.unit(self.entry).source().path();
                let to = self.program.unit(target.file).source().path();
                config::paths::relative(from.parent().unwrap_or(Utf8Path::new("")), to)
            }
            reference => reference.to_string(),
        }
    }

    /// Gives names: those imported by name keep it, the others get one that nobody can have written.
    fn finish(mut self) -> Imports {
        let mut order: Vec<usize> = (0..self.found.len()).collect();
        let key = |index: &usize| {
            self.found.get(*index).map(|it| format!("{}_{}", it.template, it.original)).unwrap_or_default()
        };
        let keys: Vec<String> = order.iter().map(key).collect();
        order.sort_by(|a, b| match (keys.get(*a), keys.get(*b)) {
            (Some(a), Some(b)) => (self.outside.compare)(a, b),
            _ => Ordering::Equal,
        });
        self.name_imported_items();
        let mut next = 1_usize;
        let mut templates: BTreeMap<String, usize> = BTreeMap::new();
        for index in order {
            let Some(imported) = self.found.get_mut(index).filter(|it| it.name.is_empty()) else { continue };
            let template = *templates.entry(imported.template.clone()).or_insert_with(|| {
                next += 1;
                next - 1
            });
            let is_identifier = base::spelling::is_identifier(&imported.original);
            imported.name = if is_identifier {
                format!("_{template}.{}", imported.original)
            } else {
                next += 1;
                format!("_{template}._{}", next - 1)
            };
        }
        self.imports.all = self.found;
        self.imports
    }

    fn name_imported_items(&mut self) {
        let Some(model) = self.program.model(self.entry) else { return };
        for (id, symbol) in model.symbols().filter(|(_, symbol)| symbol.kind == SymbolKind::ImportItem) {
            let index = self.imports.by_symbol.get(&(self.entry, id));
            let imported = index.and_then(|index| self.found.get_mut(*index));
            if let (Some(imported), Some(name)) = (imported, &symbol.name) {
                imported.name = name.to_string();
            }
        }
    }
}

impl TemplateSymbol {
    /// The name by which a Bicep file would know it.
    fn original_name(&self) -> String {
        match self {
            Self::Variable(name) => name.to_string(),
            Self::Type(pointer) => bare(pointer, "#/definitions/"),
            Self::Function(name) => bare(name, "__bicep."),
        }
    }
}

fn bare(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).filter(|rest| base::spelling::is_identifier(rest)).unwrap_or(name).to_owned()
}

fn origin_of(file: FileId, export: &Exported) -> Origin {
    match &export.origin {
        export::ExportOrigin::Symbol(symbol) => Origin::Symbol(file, *symbol),
        export::ExportOrigin::Template(symbol) => Origin::Template(file, symbol.clone()),
    }
}
