//! What is known about a file when it is emitted: its model, and what follows from it for the template.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use bicep_sema::dependency::{Dependencies, Uses};
use bicep_sema::deployment_scope::DeploymentScope;
use bicep_sema::hoisted::hoisted_calls;
use bicep_sema::imports::{Imports, Outside};
use bicep_sema::language_version::{Mode, mode};
use bicep_sema::module::{Module, is_module, modules};
use bicep_sema::resource::{Resource, Resources};
use bicep_sema::{BicepFile, FileId, Interface, Model, Program, SymbolId};
use bicep_syntax::ast::{self, Expr, TypeExpr};
use bicep_syntax::{Dialect, Node, NodeId, SyntaxKind, Tree};
use bicep_types::ty::{Scopes, Type};
use config::Feature;

use crate::value::Value;
use crate::{culture, template_import};

/// A file while it is emitted, or another one from which something is imported.
pub(crate) struct Context<'p> {
    pub(crate) program: &'p Program<'p>,
    pub(crate) file: FileId,
    pub(crate) bicep: &'p BicepFile,
    pub(crate) model: &'p Model,
    pub(crate) resources: &'p Resources,
    pub(crate) modules: Vec<Module>,
    pub(crate) dependencies: Dependencies,
    pub(crate) mode: Mode,
    pub(crate) constants: Constants,
    /// How many more expressions may be translated: what is written once may stand in many places, and what stands there in
    /// many more.
    allowance: Cell<usize>,
    /// The keys of the calls that ask for external inputs: those of a parameter file, once they are given.
    pub(crate) external_keys: OnceCell<BTreeMap<NodeId, String>>,
    imports: Rc<Imports>,
    peers: Weak<Peers<'p>>,
}

/// How many expressions may be translated for one file, besides those that are written in it. Azure takes 4 MB.
const ALLOWANCE: usize = 500_000;

/// The files that take part in the template of one of them.
#[derive(Default)]
pub(crate) struct Peers<'p>(RefCell<BTreeMap<FileId, Rc<Context<'p>>>>);

/// The calls whose results are variables of the template.
#[derive(Debug, Default)]
pub(crate) struct Constants(BTreeMap<NodeId, String>);

impl Constants {
    pub(crate) fn name(&self, call: NodeId) -> Option<&str> {
        self.0.get(&call).map(String::as_str)
    }

    /// All of them, ordered by name.
    pub(crate) fn sorted(&self) -> Vec<(&str, NodeId)> {
        let mut all: Vec<_> = self.0.iter().map(|(call, name)| (name.as_str(), *call)).collect();
        all.sort_unstable();
        all
    }
}

/// The context of a file, with those of everything that it imports. The peers must be kept as long as the context.
pub(crate) fn open<'p>(program: &'p Program<'p>, file: FileId) -> Option<(Rc<Peers<'p>>, Rc<Context<'p>>)> {
    let outside = Outside { references: &template_import::references, compare: &culture::compare };
    let imports = Rc::new(Imports::closure(program, file, &outside));
    let peers = Rc::new(Peers::default());
    let context = peers.get(program, file, &imports)?;
    Some((peers, context))
}

impl<'p> Peers<'p> {
    /// Whether something was left out, because there was too much of it.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.borrow().values().any(|context| context.allowance.get() == 0)
    }

    /// The context of a Bicep file.
    pub(crate) fn get(
        self: &Rc<Self>,
        program: &'p Program<'p>,
        file: FileId,
        imports: &Rc<Imports>,
    ) -> Option<Rc<Context<'p>>> {
        if let Some(known) = self.0.borrow().get(&file) {
            return Some(Rc::clone(known));
        }
        let context = Rc::new(Context::new(program, file, Rc::clone(imports), Rc::downgrade(self))?);
        self.0.borrow_mut().insert(file, Rc::clone(&context));
        Some(context)
    }
}

impl<'p> Context<'p> {
    fn new(
        program: &'p Program<'p>,
        file: FileId,
        imports: Rc<Imports>,
        peers: Weak<Peers<'p>>,
    ) -> Option<Self> {
        let (bicep, model) = (program.bicep(file)?, program.model(file)?);
        let tree = bicep.tree();
        let (resources, modules) = (model.resources(), modules(bicep, model));
        Some(Self {
            dependencies: Dependencies::collect(tree, model, Uses::All),
            mode: mode(program, bicep, model),
            constants: Constants(hoisted_calls(tree, model).into_iter().collect()),
            allowance: Cell::new(ALLOWANCE.saturating_add(tree.nodes().count().saturating_mul(4))),
            external_keys: OnceCell::new(),
            program,
            file,
            bicep,
            model,
            resources,
            modules,
            imports,
            peers,
        })
    }

    /// Counts what is translated. False when that has become too much.
    pub(crate) fn spend(&self, count: usize) -> bool {
        let left = self.allowance.get().saturating_sub(count);
        self.allowance.set(left);
        left > 0
    }

    /// Whether something of this file, or of one that it imports, was left out because there was too much of it.
    pub(crate) fn is_cut(&self) -> bool {
        self.peers.upgrade().is_some_and(|peers| peers.is_cut())
    }

    pub(crate) fn tree(&self) -> &'p Tree {
        self.bicep.tree()
    }

    /// The context of another file that takes part in the same template.
    pub(crate) fn of_file(&self, file: FileId) -> Option<Rc<Self>> {
        self.peers.upgrade()?.get(self.program, file, &self.imports)
    }

    /// This context, to be kept.
    pub(crate) fn this(&self) -> Option<Rc<Self>> {
        self.of_file(self.file)
    }

    /// What the template contains of other files.
    pub(crate) fn imports(&self) -> &Imports {
        &self.imports
    }

    /// The key of the external input that a call asks for.
    pub(crate) fn external_key(&self, call: Node<'_>) -> Option<&str> {
        self.external_keys.get()?.get(&call.id()).map(String::as_str)
    }

    pub(crate) fn is_params(&self) -> bool {
        self.bicep.dialect == Dialect::Params
    }

    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.bicep.config.has(feature)
    }

    /// The scope that the file is deployed to.
    pub(crate) fn target_scope(&self) -> Scopes {
        self.model.target_scope()
    }

    /// Where a resource or module is deployed.
    pub(crate) fn place_of(&self, symbol: SymbolId) -> DeploymentScope {
        self.model.places().get(symbol).copied().unwrap_or(DeploymentScope::of_kind(self.target_scope()))
    }

    /// Whether something is written out wherever it is used. Parameter files are evaluated, and nothing of them is
    /// written into a template.
    pub(crate) fn is_inlined(&self, symbol: SymbolId) -> bool {
        !self.is_params() && self.model.inlined().contains(symbol)
    }

    /// The expression of a node.
    pub(crate) fn expr(&self, node: NodeId) -> Expr<'p> {
        Expr::of(self.tree().node(node))
    }

    /// The statement of a symbol.
    pub(crate) fn declaration(&self, symbol: SymbolId) -> Node<'p> {
        self.tree().node(self.model.symbol(symbol).declaration)
    }

    /// The value of a variable. One that needs itself, which has been reported, has none.
    pub(crate) fn variable_value(&self, symbol: SymbolId) -> Expr<'p> {
        let declaration = self.declaration(symbol);
        if self.model.cycle(symbol).is_some() {
            return Expr::Skipped(declaration);
        }
        ast::Var::cast(declaration).map_or(Expr::Skipped(declaration), ast::Var::value)
    }

    pub(crate) fn resource_statement(&self, resource: &Resource) -> Option<ast::Resource<'p>> {
        ast::Resource::cast(self.tree().node(resource.declaration))
    }

    pub(crate) fn resource_property(&self, resource: &Resource, name: &str) -> Option<ast::Property<'p>> {
        self.resource_statement(resource)?.body()?.property(name)
    }

    pub(crate) fn module(&self, symbol: SymbolId) -> Option<&Module> {
        self.modules.iter().find(|module| module.symbol == symbol)
    }

    /// The statement of a module, unless the module needs itself.
    pub(crate) fn module_statement(&self, symbol: SymbolId) -> Option<ast::Module<'p>> {
        ast::Module::cast(self.declaration(symbol)).filter(|_| self.model.cycle(symbol).is_none())
    }

    pub(crate) fn module_property(&self, symbol: SymbolId, name: &str) -> Option<ast::Property<'p>> {
        self.module_statement(symbol)?.body()?.property(name)
    }

    /// The name of a resource or module in a template with symbolic names.
    pub(crate) fn symbolic_name(&self, symbol: SymbolId) -> String {
        match self.resources.get(symbol) {
            Some(resource) => self.resources.symbolic_name(resource, self.model),
            None => self.own_name(symbol),
        }
    }

    fn own_name(&self, symbol: SymbolId) -> String {
        self.model.symbol(symbol).name.as_deref().unwrap_or_default().to_owned()
    }

    /// The name of a type, variable or function in the template.
    pub(crate) fn emitted_name(&self, symbol: SymbolId) -> String {
        match self.imports.symbol(self.file, symbol) {
            Some(imported) => imported.name.clone(),
            None => self.own_name(symbol),
        }
    }

    /// The name in the template of a member of a wildcard import.
    pub(crate) fn imported_member(&self, import: SymbolId, name: &str) -> String {
        match self.imports.member(self.file, import, name) {
            Some(imported) => imported.name.clone(),
            None => name.to_owned(),
        }
    }

    /// The name in the template of the variable of a computed call.
    pub(crate) fn constant_name(&self, name: &str) -> String {
        match self.imports.call(self.file, name) {
            Some(imported) => imported.name.clone(),
            None => name.to_owned(),
        }
    }

    /// The name by which `copyIndex` asks for the position in a loop; none for the loops of resources and modules.
    pub(crate) fn copy_name(&self, each: Node<'p>) -> Option<String> {
        let parent = each.parent()?;
        match parent.kind() {
            SyntaxKind::Var | SyntaxKind::ParamAssignment => {
                Some(self.emitted_name(self.model.declared(parent.id())?))
            }
            SyntaxKind::Property => ast::Property::cast(parent)?.key_text().map(Cow::into_owned),
            _ => None,
        }
    }

    /// Whether the template can ask for what identifies a resource.
    pub(crate) fn has_resource_info(&self, resource: &Resource) -> bool {
        self.has(Feature::ResourceInfoCodegen) && !self.is_inlined(resource.symbol)
    }

    /// Whether an expression is a module, or a choice between modules.
    pub(crate) fn is_module_expr(&self, expr: Expr<'p>) -> bool {
        self.model.type_of(expr.syntax()).is_some_and(is_module)
    }

    /// Whether an output of a module is secure.
    pub(crate) fn has_secure_output(&self, module: SymbolId, name: &str) -> bool {
        self.interface(module).is_some_and(|interface| interface.is_secure_output(name))
    }

    /// Whether any output of a module is secure.
    pub(crate) fn has_secure_outputs(&self, module: SymbolId) -> bool {
        self.interface(module).is_some_and(Interface::has_secure_outputs)
    }

    /// What the file that a module deploys shows.
    pub(crate) fn interface(&self, module: SymbolId) -> Option<&'p Interface> {
        self.program.interface(self.module(module)?.target?)
    }

    /// The result of a call that the compiler computes.
    pub(crate) fn constant(&self, call: Node<'p>) -> Option<Value> {
        crate::constant::constant(self, call)
    }

    /// What a piece of type syntax means.
    pub(crate) fn type_of(&self, ty: TypeExpr<'p>) -> Type {
        self.model.declared_type_of(ty.syntax()).cloned().unwrap_or_else(Type::any)
    }
}
