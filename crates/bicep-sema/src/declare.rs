//! The names that a file declares and the scopes they are declared in.

use base::SmolStr;
use bicep_syntax::ast::{self, Name};
use bicep_syntax::{Node, NodeId, SyntaxKind};
use rustc_hash::FxHashSet;

use crate::interface::{ExportKind, Interface};
use crate::node_map::NodeMap;
use crate::program::{BicepFile, Program};
use crate::symbol::{Scope, ScopeId, Sees, Symbol, SymbolId, SymbolKind};

/// All symbols and scopes of a file.
#[derive(Debug, Default)]
pub struct Declarations {
    /// By [`SymbolId`].
    pub symbols: Vec<Symbol>,
    /// By [`ScopeId`].
    pub scopes: Vec<Scope>,
    /// The scope that a node opens.
    pub scope_of: NodeMap<ScopeId>,
    /// The symbol that a node declares.
    pub symbol_of: NodeMap<SymbolId>,
    /// The items of import lists that are types.
    pub imported_types: FxHashSet<SymbolId>,
}

/// Collects the declarations of a file.
pub(crate) fn declare(program: &Program<'_>, bicep: &BicepFile) -> Declarations {
    let tree = bicep.tree();
    let declarations = Declarations {
        scope_of: NodeMap::for_tree(tree),
        symbol_of: NodeMap::for_tree(tree),
        ..Declarations::default()
    };
    let mut declarer = Declarer { program, bicep, declarations, scope: ScopeId::FILE };
    declarer.open(tree.root().id(), None, Sees::All);
    for node in tree.nodes_of(&DECLARING) {
        declarer.scope = declarer.scope_around(node);
        declarer.declare_symbols(node);
        if let Some((inside, sees)) = opens_scope(node) {
            // The scope is the body; what stands before it (the source of a loop, the name of a resource) is outside.
            declarer.prepare(node, inside, sees);
        }
    }
    declarer.declarations
}

/// The nodes that declare something or open a scope.
const DECLARING: [SyntaxKind; 18] = [
    SyntaxKind::Param,
    SyntaxKind::ParamAssignment,
    SyntaxKind::Var,
    SyntaxKind::TypeDeclaration,
    SyntaxKind::Func,
    SyntaxKind::Resource,
    SyntaxKind::Module,
    SyntaxKind::Test,
    SyntaxKind::Output,
    SyntaxKind::Metadata,
    SyntaxKind::Assert,
    SyntaxKind::ExtensionConfig,
    SyntaxKind::Extension,
    SyntaxKind::ImportItem,
    SyntaxKind::WildcardImport,
    SyntaxKind::For,
    SyntaxKind::Lambda,
    SyntaxKind::TypedLambda,
];

struct Declarer<'p> {
    program: &'p Program<'p>,
    bicep: &'p BicepFile,
    declarations: Declarations,
    scope: ScopeId,
}

impl Declarer<'_> {
    /// The innermost scope in which a node stands.
    fn scope_around(&self, node: Node<'_>) -> ScopeId {
        let mut scopes = node.ancestors().filter_map(|outer| self.declarations.scope_of.get(&outer.id()));
        scopes.next().copied().unwrap_or(ScopeId::FILE)
    }

    /// Opens the scope of a body and declares the variables that are known in it.
    fn prepare(&mut self, node: Node<'_>, inside: Node<'_>, sees: Sees) {
        let scope = self.open(inside.id(), Some(self.scope), sees);
        match node.kind() {
            SyntaxKind::For => {
                let each = ast::For::cast(node);
                let kinds = [SymbolKind::LoopItem, SymbolKind::LoopIndex];
                for (variable, kind) in each.into_iter().flat_map(ast::For::variables).zip(kinds) {
                    self.symbol(scope, kind, variable.syntax(), variable.name());
                }
            }
            SyntaxKind::Lambda => {
                for variable in ast::Lambda::cast(node).into_iter().flat_map(ast::Lambda::variables) {
                    self.symbol(scope, SymbolKind::LambdaVar, variable.syntax(), variable.name());
                }
            }
            SyntaxKind::TypedLambda => {
                for parameter in
                    ast::TypedLambda::cast(node).into_iter().flat_map(ast::TypedLambda::parameters)
                {
                    self.symbol(scope, SymbolKind::FuncParam, parameter.syntax(), parameter.name());
                }
            }
            SyntaxKind::Resource if ast::Resource::cast(node).is_some_and(|it| it.existing().is_none()) => {
                // `this` is found by name; the statement itself declares the resource.
                let (name, name_range) = (Some("this".into()), node.range());
                let kind = SymbolKind::This;
                self.push(Symbol { name, kind, declaration: node.id(), name_range, scope });
            }
            _ => {}
        }
    }

    fn declare_symbols(&mut self, node: Node<'_>) {
        let kind = match node.kind() {
            SyntaxKind::Param => SymbolKind::Param,
            SyntaxKind::ParamAssignment => SymbolKind::ParamAssignment,
            SyntaxKind::Var => SymbolKind::Var,
            SyntaxKind::TypeDeclaration => SymbolKind::Type,
            SyntaxKind::Func => SymbolKind::Func,
            SyntaxKind::Resource => SymbolKind::Resource,
            SyntaxKind::Module => SymbolKind::Module,
            SyntaxKind::Test => SymbolKind::Test,
            SyntaxKind::Output => SymbolKind::Output,
            SyntaxKind::Metadata => SymbolKind::Metadata,
            SyntaxKind::Assert => SymbolKind::Assert,
            SyntaxKind::ExtensionConfig => SymbolKind::ExtensionConfig,
            SyntaxKind::Extension => return self.declare_extension(node),
            SyntaxKind::ImportItem => return self.declare_import_item(node),
            SyntaxKind::WildcardImport => {
                let name = ast::WildcardImport::cast(node).and_then(ast::WildcardImport::name);
                let kind = match self.imported_interface(node) {
                    Some(_) => SymbolKind::WildcardImport,
                    None => SymbolKind::BrokenImport,
                };
                self.symbol(self.scope, kind, node, name);
                return;
            }
            _ => return,
        };
        let name = node.children().find_map(Name::cast);
        self.symbol(self.scope, kind, node, name);
    }

    /// What cannot be imported is known by the name that it has in the other file, whatever the alias says. What has
    /// no name there declares nothing.
    fn declare_import_item(&mut self, node: Node<'_>) {
        let Some(item) = ast::ImportItem::cast(node) else { return };
        let Some(original) = item.original_name() else { return };
        let export = self.imported_interface(node).and_then(|interface| interface.export(&original));
        if let Some(export) = export.filter(|export| !matches!(export.kind, ExportKind::Ambiguous)) {
            let is_type = matches!(export.kind, ExportKind::Type(_));
            let id = self.symbol(self.scope, SymbolKind::ImportItem, node, item.local_name());
            if is_type {
                self.declarations.imported_types.insert(id);
            }
            return;
        }
        let local = item.local_name();
        let name = local.and_then(Name::text).map(|_| original.into());
        let name_range = local.map_or(node.range(), Name::range);
        let (kind, scope) = (SymbolKind::BrokenImport, self.scope);
        let id = self.push(Symbol { name, kind, declaration: node.id(), name_range, scope });
        self.declarations.symbol_of.insert(node.id(), id);
    }

    /// What the file offers that is imported from, unless something is wrong with it.
    fn imported_interface(&self, item: Node<'_>) -> Option<&Interface> {
        let import = item.ancestors().find(|outer| outer.kind() == SyntaxKind::Import)?;
        let target = self.bicep.reference(import)?.as_ref().ok()?;
        self.program.interface(target.file).filter(|interface| !interface.has_errors)
    }

    /// An extension is named by its alias, else by its own name. A package without alias gets its name when its types
    /// are loaded.
    fn declare_extension(&mut self, node: Node<'_>) {
        let Some(extension) = ast::Extension::cast(node) else { return };
        let name = match extension.alias() {
            Some(alias) => alias.name(),
            None => extension.spec_name(),
        };
        self.symbol(self.scope, SymbolKind::Extension, node, name);
    }

    fn symbol(
        &mut self,
        scope: ScopeId,
        kind: SymbolKind,
        node: Node<'_>,
        name: Option<Name<'_>>,
    ) -> SymbolId {
        let text = name.and_then(Name::text).map(SmolStr::new);
        let name_range = name.map_or(node.range(), Name::range);
        let id = self.push(Symbol { name: text, kind, declaration: node.id(), name_range, scope });
        self.declarations.symbol_of.insert(node.id(), id);
        id
    }

    fn push(&mut self, symbol: Symbol) -> SymbolId {
        let id = SymbolId(u32::try_from(self.declarations.symbols.len()).unwrap_or(u32::MAX));
        if let Some(scope) = self.declarations.scopes.get_mut(symbol.scope.index()) {
            scope.symbols.push(id);
        }
        self.declarations.symbols.push(symbol);
        id
    }

    fn open(&mut self, node: NodeId, parent: Option<ScopeId>, sees: Sees) -> ScopeId {
        let id = ScopeId(u32::try_from(self.declarations.scopes.len()).unwrap_or(u32::MAX));
        self.declarations.scopes.push(Scope { node, parent, sees, symbols: Vec::new() });
        self.declarations.scope_of.insert(node, id);
        id
    }
}

/// The part of a node in which further names are known.
fn opens_scope(node: Node<'_>) -> Option<(Node<'_>, Sees)> {
    match node.kind() {
        SyntaxKind::For => Some((ast::For::cast(node)?.body().syntax(), Sees::All)),
        SyntaxKind::Lambda => Some((ast::Lambda::cast(node)?.body().syntax(), Sees::All)),
        SyntaxKind::TypedLambda => {
            Some((ast::TypedLambda::cast(node)?.body().syntax(), Sees::FunctionsAndVariables))
        }
        SyntaxKind::Resource => {
            // A loop has a scope of its own for its body; that of the resource is around it.
            match ast::Resource::cast(node)?.value() {
                ast::Expr::If(condition) => Some((condition.body()?.syntax(), Sees::All)),
                value => Some((value.syntax(), Sees::All)),
            }
        }
        _ => None,
    }
}
