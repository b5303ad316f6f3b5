//! Which declaration each use of a name means. What is wrong with a use is kept beside it: the type checker reports it
//! when it gets there, because what is wrong around it may matter more.

use std::collections::BTreeMap;

use base::Diagnostic;
use bicep_syntax::ast::{self, Name, Statement};
use bicep_syntax::{Node, NodeId, SyntaxKind, Tree};
use bicep_types::ty::FunctionFlags;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::declare::Declarations;
use crate::messages::names as messages;
use crate::namespace::{Namespaces, is_for_parameter_files};
use crate::node_map::NodeMap;
use crate::symbol::{ScopeId, Sees, SymbolId, SymbolKind};

/// What a use of a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// Something the file declares.
    Symbol(SymbolId),
    /// An implicit namespace, by its position in [`Namespaces::all`].
    Namespace(usize),
    /// A function (or decorator) of the namespace at this position, by the name that is used.
    Function(usize),
    /// A type of the namespace at this position, by the name that is used.
    Type(usize),
    /// Nothing: see [`Bindings::mistake`].
    Nothing,
}

/// The meaning of every use of a name in a file.
#[derive(Debug, Default)]
pub struct Bindings {
    by_node: NodeMap<Binding>,
    mistakes: BTreeMap<NodeId, Diagnostic>,
    method_flags: FxHashMap<NodeId, FunctionFlags>,
    /// By call of a built-in function, unless there are none: most functions have no flags.
    function_flags: FxHashMap<NodeId, FunctionFlags>,
}

impl Bindings {
    /// What a node that uses a name means: a variable access, a call, a type by name, an access to a nested resource.
    #[inline]
    pub fn get(&self, node: Node<'_>) -> Option<Binding> {
        self.by_node.get(&node.id()).copied()
    }

    /// Why a node that uses a name means nothing. A type by an unknown name has no entry: that is the checker's to say.
    pub fn mistake(&self, node: Node<'_>) -> Option<&Diagnostic> {
        self.mistakes.get(&node.id())
    }

    /// All mistakes, in document order.
    pub fn mistakes(&self) -> impl Iterator<Item = &Diagnostic> {
        self.mistakes.values()
    }

    /// The symbol that a node refers to.
    pub fn symbol(&self, node: Node<'_>) -> Option<SymbolId> {
        match self.get(node)? {
            Binding::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The symbols that something refers to, as often as it does.
    pub fn used_symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.by_node.values().filter_map(|binding| match binding {
            Binding::Symbol(symbol) => Some(*symbol),
            _ => None,
        })
    }

    /// The position of the namespace that a node names.
    pub(crate) fn namespace(
        &self,
        node: Node<'_>,
        declarations: &Declarations,
        namespaces: &Namespaces,
    ) -> Option<usize> {
        match self.get(node)? {
            Binding::Namespace(index) => Some(index),
            Binding::Symbol(symbol) => {
                let symbol = declarations.symbols.get(symbol.index())?;
                (symbol.kind == SymbolKind::Extension).then(|| namespaces.declared_by(symbol.declaration))?
            }
            _ => None,
        }
    }

    /// The flags of the built-in function that a call means, all overloads together; not of a decorator.
    pub(crate) fn function_flags(&self, call: Node<'_>) -> FunctionFlags {
        self.function_flags.get(&call.id()).copied().unwrap_or_default()
    }

    /// What kind of functions may be called where a method call stands.
    pub fn method_flags(&self, call: Node<'_>) -> FunctionFlags {
        self.method_flags.get(&call.id()).copied().unwrap_or_default()
    }
}

/// Binds all uses of names in a file.
pub(crate) fn bind(tree: &Tree, declarations: &Declarations, namespaces: &Namespaces) -> Bindings {
    let mut binder = Binder {
        by_name: names(declarations),
        offered: FxHashMap::default(),
        declarations,
        namespaces,
        bindings: Bindings { by_node: NodeMap::for_tree(tree), ..Bindings::default() },
        scopes: Vec::new(),
        allowed: FunctionFlags::empty(),
    };
    binder.visit(tree.root());
    binder.bindings
}

/// The first symbol of each name in each scope that can be referred to.
fn names(declarations: &Declarations) -> FxHashMap<(ScopeId, &str), SymbolId> {
    let mut names = FxHashMap::with_capacity_and_hasher(declarations.symbols.len(), FxBuildHasher);
    for scope in &declarations.scopes {
        for id in &scope.symbols {
            let Some(symbol) = declarations.symbols.get(id.index()) else { continue };
            if let Some(name) = symbol.name.as_deref().filter(|_| symbol.kind.can_be_referenced()) {
                names.entry((symbol.scope, name)).or_insert(*id);
            }
        }
    }
    names
}

/// What the namespaces offer under a name.
#[derive(Debug, Clone, Copy)]
struct Offered {
    /// The implicit namespace that is called so.
    namespace: Option<usize>,
    /// The first two namespaces with such a type: with a second one, the name is ambiguous.
    types: (Option<usize>, Option<usize>),
    /// The first two namespaces with such a function.
    functions: (Option<usize>, Option<usize>),
    /// The flags of the first of these functions, all overloads together.
    flags: FunctionFlags,
    /// The same without those of a decorator.
    called_flags: FunctionFlags,
}

struct Binder<'a> {
    by_name: FxHashMap<(ScopeId, &'a str), SymbolId>,
    /// By name and by whether decorators count: a file uses few names again and again.
    offered: FxHashMap<(&'a str, bool), Offered>,
    declarations: &'a Declarations,
    namespaces: &'a Namespaces,
    bindings: Bindings,
    /// The scopes around the current node, from the outside in.
    scopes: Vec<ScopeId>,
    /// What functions may be called at the current place.
    allowed: FunctionFlags,
}

impl<'a> Binder<'a> {
    fn visit(&mut self, node: Node<'a>) {
        base::recurse(|| match self.declarations.scope_of.get(&node.id()) {
            Some(scope) => {
                self.scopes.push(*scope);
                self.visit_inside(node);
                self.scopes.pop();
            }
            None => self.visit_inside(node),
        });
    }

    fn visit_children(&mut self, node: Node<'a>) {
        node.children().filter(|child| child.has_nodes()).for_each(|child| self.visit(child));
    }

    fn visit_inside(&mut self, node: Node<'a>) {
        match node.kind() {
            // What could not be understood means nothing.
            SyntaxKind::Skipped => {}
            SyntaxKind::VarAccess | SyntaxKind::TypeVar => {
                self.bind_name(node, false);
            }
            SyntaxKind::Call => self.call(node, true),
            SyntaxKind::GenericType => self.call(node, false),
            SyntaxKind::MethodCall => {
                self.bindings.method_flags.insert(node.id(), self.allowed);
                self.visit_children(node);
            }
            SyntaxKind::ResourceAccess => {
                self.visit_children(node);
                self.resource_access(node);
            }
            SyntaxKind::If => {
                self.visit_parts(node, |part| match part {
                    SyntaxKind::Object => FunctionFlags::REQUIRES_INLINING,
                    _ => FunctionFlags::empty(),
                });
                self.allowed = FunctionFlags::empty();
            }
            _ if Statement::cast(node).is_some() => self.statement(node),
            _ => self.visit_children(node),
        }
    }

    /// Visits the parts of a statement, each with the functions that it may call.
    fn statement(&mut self, node: Node<'a>) {
        let decorator = decorator_flag(node.kind());
        let value = match node.kind() {
            SyntaxKind::Resource
            | SyntaxKind::Module
            | SyntaxKind::Test
            | SyntaxKind::Var
            | SyntaxKind::Func
            | SyntaxKind::Output => FunctionFlags::REQUIRES_INLINING,
            SyntaxKind::Param => FunctionFlags::PARAM_DEFAULTS_ONLY,
            SyntaxKind::TypeDeclaration => FunctionFlags::TYPE_DECORATOR,
            SyntaxKind::Extension => FunctionFlags::EXTENSION_DECORATOR,
            SyntaxKind::Metadata => FunctionFlags::METADATA_DECORATOR,
            _ => FunctionFlags::empty(),
        };
        let type_node = declared_type(node);
        for child in node.children() {
            self.allowed = match child.kind() {
                SyntaxKind::Decorator => decorator,
                _ if Some(child) == type_node => FunctionFlags::TYPE_DECORATOR,
                _ => value,
            };
            self.visit(child);
        }
        self.allowed = FunctionFlags::empty();
    }

    fn visit_parts(&mut self, node: Node<'a>, flags: impl Fn(SyntaxKind) -> FunctionFlags) {
        for child in node.children() {
            self.allowed = flags(child.kind());
            self.visit(child);
        }
    }

    fn call(&mut self, node: Node<'a>, is_call: bool) {
        let outside = self.allowed;
        self.allowed = without_decorators(self.allowed);
        self.visit_children(node);
        self.allowed = outside;
        self.bind_name(node, is_call);
    }

    fn bind_name(&mut self, node: Node<'a>, is_call: bool) {
        let Some(name) = node.children().find_map(Name::cast) else { return };
        let Some(text) = name.text() else {
            self.bindings.by_node.insert(node.id(), Binding::Nothing);
            return;
        };
        let binding = match self.local(text) {
            Some(symbol) if !(is_call && self.is_built_in_decorator(node, text, symbol)) => {
                Binding::Symbol(symbol)
            }
            _ => self.global(node, name, is_call),
        };
        self.bindings.by_node.insert(node.id(), binding);
    }

    /// Whether a call stands for a decorator of the language although the file has a function of that name.
    fn is_built_in_decorator(&self, call: Node<'_>, name: &str, symbol: SymbolId) -> bool {
        let kind = self.declarations.symbols.get(symbol.index()).map(|symbol| symbol.kind);
        matches!(kind, Some(SymbolKind::Func | SymbolKind::ImportItem))
            && call.parent().is_some_and(|parent| parent.kind() == SyntaxKind::Decorator)
            && self.namespaces.has_decorator(name)
    }

    /// The innermost symbol of a name in the scopes around the current place, the file's own included.
    fn local(&self, name: &str) -> Option<SymbolId> {
        let mut only_functions_and_variables = false;
        for id in self.scopes.iter().rev() {
            let scope = self.declarations.scopes.get(id.index())?;
            if let Some(symbol) = self.by_name.get(&(*id, name)).copied() {
                let is_seen = !only_functions_and_variables || self.is_seen_by_functions(symbol);
                return is_seen.then_some(symbol);
            }
            only_functions_and_variables |= scope.sees == Sees::FunctionsAndVariables;
        }
        None
    }

    /// Whether the body of a function can refer to a symbol outside of it.
    fn is_seen_by_functions(&self, symbol: SymbolId) -> bool {
        match self.declarations.symbols.get(symbol.index()).map(|symbol| symbol.kind) {
            Some(SymbolKind::Var | SymbolKind::Func | SymbolKind::WildcardImport | SymbolKind::Resource) => {
                true
            }
            Some(SymbolKind::ImportItem) => !self.declarations.imported_types.contains(&symbol),
            _ => false,
        }
    }

    /// What a name means that nothing in the file declares.
    fn global(&mut self, node: Node<'a>, name: Name<'a>, is_call: bool) -> Binding {
        let text = name.display();
        let with_decorators = self.allowed.intersects(FunctionFlags::ANY_DECORATOR);
        let Offered { namespace, types, functions, flags, called_flags } =
            self.offered(text, with_decorators);
        if let Some(namespace) = namespace {
            return Binding::Namespace(namespace);
        }
        if !is_call {
            return match (types, functions.0) {
                ((Some(only), None), _) => Binding::Type(only),
                ((None, _), Some(function)) => self.uncalled(node, name, function, flags),
                ((None, _), None) if let Some(banned) = self.banned(node, name) => banned,
                ((None, _), None) => self.unknown(node, name, false),
                _ => self.ambiguous(node, name, self.namespaces.with_type(text)),
            };
        }
        match functions {
            (None, _) if let Some(banned) = self.banned(node, name) => banned,
            (None, _) => self.unknown(node, name, with_decorators),
            (Some(only), None) => {
                match messages::function_not_allowed(name.range(), text, flags, self.allowed) {
                    Some(diagnostic) => self.mistake(node, diagnostic),
                    None => {
                        if !called_flags.is_empty() {
                            self.bindings.function_flags.insert(node.id(), called_flags);
                        }
                        Binding::Function(only)
                    }
                }
            }
            _ => self.ambiguous(node, name, self.namespaces.with_function(text, with_decorators)),
        }
    }

    /// What the namespaces offer under a name, looked up once.
    fn offered(&mut self, name: &'a str, with_decorators: bool) -> Offered {
        let namespaces = self.namespaces;
        *self.offered.entry((name, with_decorators)).or_insert_with(|| {
            let functions = first_two(namespaces.with_function(name, with_decorators));
            let flags = |with_decorators| {
                let flags = functions.0.map(|it| namespaces.function_flags(it, name, with_decorators));
                flags.unwrap_or_default()
            };
            Offered {
                namespace: namespaces.implicit(name),
                types: first_two(namespaces.with_type(name)),
                functions,
                flags: flags(with_decorators),
                called_flags: flags(false),
            }
        })
    }

    /// A function that is named without being called, where no function that is bound to its place may stand.
    fn uncalled(&mut self, node: Node<'_>, name: Name<'_>, function: usize, flags: FunctionFlags) -> Binding {
        match messages::function_not_allowed(name.range(), name.display(), flags, FunctionFlags::empty()) {
            Some(diagnostic) if node.kind() == SyntaxKind::VarAccess => self.mistake(node, diagnostic),
            _ => Binding::Function(function),
        }
    }

    /// A function of templates that the language has something better for.
    fn banned(&mut self, node: Node<'_>, name: Name<'_>) -> Option<Binding> {
        let text = name.display();
        let instead = self.namespaces.all.iter().find_map(|namespace| namespace.banned(text))?;
        let diagnostic = messages::banned_function(name.range(), text, instead);
        Some(self.mistake(node, diagnostic))
    }

    fn unknown(&mut self, node: Node<'_>, name: Name<'_>, with_decorators: bool) -> Binding {
        let candidates = match node.kind() {
            SyntaxKind::Call => self.namespaces.function_names(with_decorators),
            SyntaxKind::TypeVar | SyntaxKind::GenericType => return Binding::Nothing,
            _ => self.namespaces.type_names(),
        };
        let suggestion = base::spelling::suggest(name.display(), candidates);
        if suggestion.is_none() && node.kind() == SyntaxKind::Call && is_for_parameter_files(name.display()) {
            return self.mistake(node, messages::only_in_parameter_files(name.range(), name.display()));
        }
        self.mistake(node, messages::unknown_name(name.range(), name.display(), suggestion.as_deref()))
    }

    fn ambiguous(
        &mut self,
        node: Node<'_>,
        name: Name<'_>,
        namespaces: impl Iterator<Item = usize>,
    ) -> Binding {
        let names = namespaces.filter_map(|index| self.namespaces.all.get(index)).map(|it| it.name.as_str());
        let diagnostic = messages::ambiguous_name(name.range(), name.display(), names);
        self.mistake(node, diagnostic)
    }

    fn mistake(&mut self, node: Node<'_>, diagnostic: Diagnostic) -> Binding {
        self.bindings.mistakes.insert(node.id(), diagnostic);
        Binding::Nothing
    }

    /// `a::b`: the resource `b` in the body of the resource `a`.
    fn resource_access(&mut self, node: Node<'_>) {
        let Some(access) = ast::ResourceAccess::cast(node) else { return };
        let binding = self.nested_resource(access).unwrap_or(Binding::Nothing);
        self.bindings.by_node.insert(node.id(), binding);
    }

    fn nested_resource(&mut self, access: ast::ResourceAccess<'_>) -> Option<Binding> {
        let name = access.name()?;
        let base = self.bindings.get(access.base().syntax());
        if base == Some(Binding::Nothing) {
            return None;
        }
        let symbol = match base {
            Some(Binding::Symbol(symbol)) => self.declarations.symbols.get(symbol.index()),
            _ => None,
        };
        let Some(outer) = symbol.filter(|symbol| symbol.kind == SymbolKind::Resource) else {
            return Some(self.mistake(access.syntax(), messages::resource_required(name.range())));
        };
        let tree = access.syntax().tree();
        let body = ast::Resource::cast(tree.node(outer.declaration)).and_then(ast::Resource::body);
        let scope = body.and_then(|body| self.declarations.scope_of.get(&body.syntax().id()));
        let scope = scope.and_then(|scope| self.declarations.scopes.get(scope.index()));
        let nested: Vec<SymbolId> = scope.map(|scope| scope.symbols.clone()).unwrap_or_default();
        let found = nested.iter().copied().find(|id| {
            let symbol = self.declarations.symbols.get(id.index());
            symbol.is_some_and(|it| it.kind == SymbolKind::Resource && it.name.as_deref() == name.text())
        });
        // Where the name is missing the parser has said so.
        if found.is_none() && name.text().is_some() {
            let outer = outer.name.as_deref().unwrap_or_default();
            let diagnostic = messages::nested_resource_not_found(name.range(), outer, name.display());
            return Some(self.mistake(access.syntax(), diagnostic));
        }
        found.map(Binding::Symbol)
    }
}

/// The node of a statement that is its type, in which decorators may stand.
fn declared_type(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        SyntaxKind::Param => ast::Param::cast(node).map(|param| param.ty().syntax()),
        SyntaxKind::Output => ast::Output::cast(node).map(|output| output.ty().syntax()),
        SyntaxKind::Var => ast::Var::cast(node).and_then(ast::Var::ty).map(ast::TypeExpr::syntax),
        _ => None,
    }
}

fn decorator_flag(statement: SyntaxKind) -> FunctionFlags {
    match statement {
        SyntaxKind::Resource => FunctionFlags::RESOURCE_DECORATOR,
        SyntaxKind::Module => FunctionFlags::MODULE_DECORATOR,
        SyntaxKind::Metadata => FunctionFlags::METADATA_DECORATOR,
        SyntaxKind::Var => FunctionFlags::VARIABLE_DECORATOR,
        SyntaxKind::Func => FunctionFlags::FUNCTION_DECORATOR,
        SyntaxKind::Output => FunctionFlags::OUTPUT_DECORATOR,
        SyntaxKind::Extension => FunctionFlags::EXTENSION_DECORATOR,
        SyntaxKind::Param => FunctionFlags::PARAMETER_DECORATOR,
        SyntaxKind::TypeDeclaration => FunctionFlags::TYPE_DECORATOR,
        SyntaxKind::MissingDeclaration => FunctionFlags::ANY_DECORATOR,
        _ => FunctionFlags::empty(),
    }
}

/// The arguments of a decorator are ordinary expressions.
fn without_decorators(allowed: FunctionFlags) -> FunctionFlags {
    if allowed.intersects(FunctionFlags::ANY_DECORATOR) { FunctionFlags::empty() } else { allowed }
}

fn first_two<T>(mut items: impl Iterator<Item = T>) -> (Option<T>, Option<T>) {
    (items.next(), items.next())
}
