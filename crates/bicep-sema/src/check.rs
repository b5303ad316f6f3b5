//! The type checker: a bound file comes in; the types of its expressions, the overloads that its calls mean, the values
//! that are known already and everything that is wrong with its types go out.
//!
//! Every node gets its type once, when it is first asked for; what is wrong with it is reported then. A node whose
//! mistake has been reported has the type `error`, which nothing complains about again.

mod access;
mod assign;
mod assign_object;
mod call;
mod constant;
mod cyclic_types;
mod declared;
mod decorator;
mod deployment_functions;
mod environment;
mod expression;
mod fold;
mod import;
mod lambda;
mod load;
mod module;
mod names;
mod operator;
mod params_file;
mod resource;
pub(crate) mod result;
mod statement;
mod type_access;
mod type_syntax;
mod validator;

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Diagnostic, TextRange};
use bicep_syntax::ast::{Expr, Statement};
use bicep_syntax::{Node, NodeId, SyntaxKind, Tree};
use bicep_types::ty::{Overload, Scopes, Type};
use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::call::CallSite;
pub(crate) use self::params_file::deployment_config;
use crate::bind::Bindings;
use crate::cycles::Circles;
use crate::declare::Declarations;
use crate::namespace::Namespaces;
use crate::program::{BicepFile, Program};
use crate::symbol::{Symbol, SymbolId};
use crate::unreported::arrived;
use declared::Alias;

/// What the checker knows about the file from the steps before.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) bicep: &'a BicepFile,
    pub(crate) declarations: &'a Declarations,
    pub(crate) namespaces: &'a Namespaces,
    pub(crate) bindings: &'a Bindings,
    pub(crate) cycles: &'a Circles,
    pub(crate) target: Scopes,
}

/// The results of type checking.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// By node: the type of an expression or a statement.
    pub(crate) types: Vec<Option<Type>>,
    /// By node: the declared type of a statement, or what a piece of type syntax means.
    pub(crate) declared: FxHashMap<NodeId, Type>,
    /// By call: the way in which the function is called.
    pub(crate) overloads: FxHashMap<NodeId, Arc<Overload>>,
    /// By call: the value, where the compiler knows it.
    pub(crate) constants: FxHashMap<NodeId, serde_json::Value>,
    /// What calls wanted to read.
    pub(crate) loaded: BTreeSet<Utf8PathBuf>,
    /// What is wrong.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Checks a whole file.
pub(crate) fn check(bound: Bound<'_>) -> Checked {
    let mut checker = Checker::new(bound);
    checker.check_file();
    checker.drop_repeated();
    environment::hide(&checker.environment, &mut checker.diagnostics);
    let types = checker.slots.into_iter().map(|slot| match slot {
        TypeMemo::Known(ty) => Some(ty),
        TypeMemo::Empty | TypeMemo::Busy => None,
    });
    Checked {
        types: types.collect(),
        declared: checker.declared,
        overloads: checker.overloads,
        constants: checker.constants,
        loaded: checker.loaded,
        diagnostics: checker.diagnostics,
    }
}

/// The type of one node, and the overload if it is a call; for what the check of the whole file had no reason to look at, such as
/// the body of a module that is not there. What is wrong with it is not reported.
pub(crate) fn infer(bound: Bound<'_>, node: NodeId) -> (Type, Option<Arc<Overload>>) {
    let mut checker = Checker::new(bound);
    checker.declare_types();
    let ty = checker.type_of(bound.bicep.tree().node(node));
    (ty, checker.overloads.remove(&node))
}

/// The types that the resources of a file say they have, without a look at anything else.
pub(crate) fn declared_resources(bound: Bound<'_>) -> FxHashMap<NodeId, Type> {
    let mut checker = Checker::new(bound);
    for resource in bound.bicep.tree().nodes_of(&[SyntaxKind::Resource]) {
        checker.declared_type_of(resource);
    }
    checker.declared
}

/// What is wrong with a value where this type is expected.
pub(crate) fn mismatches(bound: Bound<'_>, value: NodeId, expected: &Type) -> Vec<Diagnostic> {
    let mut checker = Checker::new(bound);
    checker.declare_types();
    let value = bound.bicep.tree().node(value);
    checker.type_of(value);
    // What is wrong with the value itself is reported in its own file.
    let reported = checker.diagnostics.len();
    checker.narrow(value, expected);
    environment::hide(&checker.environment, &mut checker.diagnostics);
    checker.diagnostics.split_off(reported)
}

/// The type of a node, once known.
#[derive(Clone)]
enum TypeMemo {
    Empty,
    /// It is being computed; to ask for it now is a cycle.
    Busy,
    Known(Type),
}

pub(crate) struct Checker<'a> {
    bound: Bound<'a>,
    tree: &'a Tree,
    slots: Vec<TypeMemo>,
    declared: FxHashMap<NodeId, Type>,
    aliases: FxHashMap<SymbolId, Alias>,
    /// How many declarations of types are being read.
    open_aliases: usize,
    /// Types that require themselves.
    type_cycles: Circles,
    /// Looks into types that were not complete at the time.
    pending_accesses: Vec<(Type, Node<'a>)>,
    overloads: FxHashMap<NodeId, Arc<Overload>>,
    constants: FxHashMap<NodeId, serde_json::Value>,
    loaded: BTreeSet<Utf8PathBuf>,
    /// The values of environment variables that calls have read.
    environment: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
    /// Inside of a lambda: the positions of the diagnostics that are dropped if the whole of it is wrong.
    droppable: Option<Vec<usize>>,
    /// By chain of accesses: what is wrong with its base, which does not count because the chain may be null.
    swallowed: FxHashMap<NodeId, Vec<Diagnostic>>,
    /// By expression: what is wrong with one whose type was needed before it was checked.
    deferred: FxHashMap<NodeId, Vec<Diagnostic>>,
    /// By import: what `* as name` stands for.
    wildcards: FxHashMap<NodeId, Type>,
    /// By the identity of a union, which is kept alive with it: its members as one type, where there is one.
    collapsed: FxHashMap<usize, (Type, Option<Type>)>,
    /// By the identity of a type, which is kept alive with it: the type or null.
    nullable: FxHashMap<usize, (Type, Type)>,
    /// Accesses to properties that are not there: calls around them are checked all the same.
    settled: FxHashSet<NodeId>,
    noted_missing_catalogue: bool,
    /// Whether it has been said that an implicit extension needs a configuration.
    noted_implicit_configuration: bool,
    /// What came with types and has been reported: once is enough.
    repeatable: Vec<Diagnostic>,
    /// Whether the type of a variable is being read: only what makes the whole of it wrong is reported.
    is_in_variable_type: bool,
    /// What may still be computed with literals.
    allowance: fold::Allowance,
}

impl<'a> Checker<'a> {
    fn new(bound: Bound<'a>) -> Self {
        let tree = bound.bicep.tree();
        Self {
            bound,
            tree,
            slots: vec![TypeMemo::Empty; tree.node_count()],
            declared: FxHashMap::default(),
            aliases: FxHashMap::default(),
            open_aliases: 0,
            type_cycles: Circles::default(),
            pending_accesses: Vec::new(),
            overloads: FxHashMap::default(),
            constants: FxHashMap::default(),
            loaded: BTreeSet::new(),
            environment: BTreeSet::new(),
            diagnostics: Vec::new(),
            droppable: None,
            swallowed: FxHashMap::default(),
            deferred: FxHashMap::default(),
            wildcards: FxHashMap::default(),
            collapsed: FxHashMap::default(),
            nullable: FxHashMap::default(),
            settled: FxHashSet::default(),
            noted_missing_catalogue: false,
            noted_implicit_configuration: false,
            repeatable: Vec::new(),
            is_in_variable_type: false,
            allowance: fold::Allowance::default(),
        }
    }

    fn check_file(&mut self) {
        self.declare_types();
        self.check_names();
        for statement in self.tree.file().statements() {
            self.type_of(statement.syntax());
        }
        // Resources in the bodies of others come after those, because they refer to them.
        for node in self.tree.nodes_of(&[SyntaxKind::Resource, SyntaxKind::MissingDeclaration]) {
            self.type_of(node);
        }
        self.check_pending_accesses();
        self.check_params_file();
        self.type_the_rest();
    }

    /// Gives types to what nothing asked for, because what is around it is wrong. Lint rules look there all the same;
    /// mistakes are not reported any more.
    fn type_the_rest(&mut self) {
        let reported = self.diagnostics.len();
        let is_untyped = |this: &Self, node: Node<'a>| {
            matches!(this.slots.get(node.id().index()), Some(TypeMemo::Empty))
                && !matches!(Expr::of(node), Expr::Skipped(_))
        };
        for node in self.tree.nodes() {
            if is_untyped(self, node) {
                self.type_of(node);
            }
        }
        self.diagnostics.truncate(reported);
    }

    /// The type of a node: an expression, a statement, a local variable.
    fn type_of(&mut self, node: Node<'a>) -> Type {
        let index = node.id().index();
        match self.slots.get(index) {
            Some(TypeMemo::Known(ty)) => {
                let ty = ty.clone();
                self.report_deferred(node);
                return ty;
            }
            Some(TypeMemo::Busy) | None => return Type::any(),
            Some(TypeMemo::Empty) => self.set(index, TypeMemo::Busy),
        }
        // What is wrong with a declaration is reported wherever it is first asked for.
        let is_declaration = Statement::cast(node).is_some();
        let outside = if is_declaration { self.droppable.take() } else { None };
        let ty = base::recurse(|| self.infer(node));
        if is_declaration {
            self.droppable = outside;
        }
        self.set(index, TypeMemo::Known(ty.clone()));
        ty
    }

    /// Runs something whose own mistakes are only reported if it has a type all the same: the place where it is used
    /// says that it is wrong.
    fn within_lambda(&mut self, run: impl FnOnce(&mut Self) -> Type) -> Type {
        let (ty, own) = self.hold_back(run);
        self.settle(own, ty.is_error());
        ty
    }

    /// Runs something and says which of the diagnostics it reported may still be dropped.
    fn hold_back<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Vec<usize>) {
        let outside = self.droppable.replace(Vec::new());
        let result = run(self);
        (result, std::mem::replace(&mut self.droppable, outside).unwrap_or_default())
    }

    /// The type of an expression that only decides something elsewhere. What is wrong with it is reported if it is
    /// checked where it stands.
    fn quiet_expr(&mut self, expression: Expr<'a>) -> Type {
        let node = expression.syntax();
        if let Some(TypeMemo::Known(ty)) = self.slots.get(node.id().index()) {
            return ty.clone();
        }
        let (ty, own) = self.hold_back(|this| this.expr(expression));
        let deferred = self.take_back(&own);
        if !deferred.is_empty() {
            self.deferred.insert(node.id(), deferred);
        }
        ty
    }

    fn report_deferred(&mut self, node: Node<'a>) {
        if !self.deferred.is_empty() {
            for diagnostic in self.deferred.remove(&node.id()).unwrap_or_default() {
                self.fail(diagnostic);
            }
        }
    }

    /// Takes away diagnostics that were held back.
    fn take_back(&mut self, own: &[usize]) -> Vec<Diagnostic> {
        let first = own.first().copied().unwrap_or(self.diagnostics.len());
        let since = self.diagnostics.split_off(first);
        let (taken, kept): (Vec<_>, Vec<_>) =
            (first..).zip(since).partition(|(position, _)| own.binary_search(position).is_ok());
        self.diagnostics.extend(kept.into_iter().map(|(_, diagnostic)| diagnostic));
        taken.into_iter().map(|(_, diagnostic)| diagnostic).collect()
    }

    /// Drops diagnostics that were held back, or leaves them to whoever holds back around them.
    fn settle(&mut self, own: Vec<usize>, is_dropped: bool) {
        if is_dropped {
            self.take_back(&own);
        } else if let Some(outside) = &mut self.droppable {
            outside.extend(own);
        }
    }

    fn set(&mut self, index: usize, value: TypeMemo) {
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = value;
        }
    }

    /// The type of an expression; `error` where there is none to read.
    fn expr(&mut self, expression: Expr<'a>) -> Type {
        match expression {
            Expr::Skipped(_) => Type::error(),
            expression => self.type_of(expression.syntax()),
        }
    }

    /// Reports something.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports something after which there is no type.
    fn fail(&mut self, diagnostic: Diagnostic) -> Type {
        if let Some(droppable) = &mut self.droppable {
            droppable.push(self.diagnostics.len());
        }
        self.report(diagnostic);
        Type::error()
    }

    /// Reports the mistakes that a type brought along. A type without any is left as it is.
    fn report_mistakes_of(&mut self, ty: &Type) -> Type {
        for diagnostic in ty.unreported() {
            let diagnostic = arrived(diagnostic, self.bound.bicep.source.text());
            if !self.repeatable.contains(&diagnostic) {
                self.repeatable.push(diagnostic.clone());
            }
            self.fail(diagnostic);
        }
        if ty.unreported().is_empty() { ty.clone() } else { Type::error() }
    }

    /// Leaves the first of several equal diagnostics that came with types.
    fn drop_repeated(&mut self) {
        if self.repeatable.is_empty() {
            return;
        }
        let mut reported = Vec::new();
        let repeatable = &self.repeatable;
        self.diagnostics.retain(|diagnostic| {
            let is_repeated = reported.contains(diagnostic);
            if !is_repeated && repeatable.contains(diagnostic) {
                reported.push(diagnostic.clone());
            }
            !is_repeated
        });
    }

    fn symbol(&self, id: SymbolId) -> Option<&'a Symbol> {
        self.bound.declarations.symbols.get(id.index())
    }

    /// Whether a node is part of a declaration of a circle.
    fn is_within(&self, circle: &[SymbolId], node: Node<'a>) -> bool {
        let mut around = node.ancestors().filter_map(|it| self.bound.declarations.symbol_of.get(&it.id()));
        around.any(|symbol| circle.contains(symbol))
    }

    /// The symbol that a node refers to.
    fn referenced(&self, node: Node<'a>) -> Option<(SymbolId, &'a Symbol)> {
        let id = self.bound.bindings.symbol(node)?;
        Some((id, self.symbol(id)?))
    }

    fn declaration(&self, symbol: &Symbol) -> Node<'a> {
        self.tree.node(symbol.declaration)
    }

    fn has_feature(&self, feature: config::Feature) -> bool {
        self.bound.bicep.config.has(feature)
    }

    /// Whether text inside the range could not be parsed: then it is not judged further.
    fn has_syntax_error(&self, range: TextRange) -> bool {
        self.bound.bicep.parse.has_misparsed_in(range)
    }
}
