//! The model of one file: everything that is known about its meaning, in maps beside its tree.

use std::sync::Arc;

use base::Diagnostic;
use bicep_syntax::ast::{Decorator, Expr, Statement, Str};
use bicep_syntax::{Node, NodeId, Tree};
use bicep_types::ty::{Kind, Overload, Scopes, Type};
use camino::{Utf8Path, Utf8PathBuf};

use crate::bind::{Bindings, bind};
use crate::check::{Bound, Checked, check, declared_resources, infer, mismatches};
use crate::cycles::{Circles, find_cycles};
use crate::declare::{Declarations, declare};
use crate::decorator::Names;
use crate::deployed_body::DeployedBody;
use crate::deployment_scope::{DeploymentScopes, places};
use crate::expected;
use crate::file_view::FileView;
use crate::inlined::{Inlined, inlined};
use crate::limits;
use crate::namespace::{Namespaces, Viewer, namespaces};
use crate::program::{BicepFile, Program};
use crate::resource::Resources;
use crate::symbol::{Scope, ScopeId, Symbol, SymbolId};

/// The meaning of one file.
#[derive(Debug)]
pub struct Model {
    target: Scopes,
    declarations: Declarations,
    namespaces: Namespaces,
    bindings: Bindings,
    cycles: Circles,
    checked: Checked,
    resources: Resources,
    places: DeploymentScopes,
    inlined: Inlined,
    expected: expected::Known,
    diagnostics: Vec<Diagnostic>,
}

impl Model {
    /// Analyses a file. Its syntax diagnostics are not repeated here.
    pub(crate) fn new(program: &Program<'_>, bicep: &BicepFile) -> Self {
        let mut model = Self::bound_names(program, bicep);
        let mut diagnostics = std::mem::take(&mut model.diagnostics);
        model.checked = check(model.bound(program, bicep));
        diagnostics.append(&mut model.checked.diagnostics);
        // Each of these builds on the ones before.
        model.resources = Resources::collect(bicep.tree(), &model);
        let (places, mut mistakes) = places(FileView { bicep, model: &model });
        model.places = places;
        model.inlined = inlined(FileView { bicep, model: &model });
        diagnostics.append(&mut mistakes);
        limits::check(program, FileView { bicep, model: &model }, &mut diagnostics);
        model.diagnostics = diagnostics;
        model
    }

    /// What names mean in a file, and the declared types of its resources. Nothing else has a type, and nothing is reported.
    pub(crate) fn unchecked(program: &Program<'_>, bicep: &BicepFile) -> Self {
        let mut model = Self::bound_names(program, bicep);
        model.diagnostics.clear();
        model.resources = Resources::collect(bicep.tree(), &model);
        model.checked.declared = declared_resources(model.bound(program, bicep));
        model
    }

    /// The steps before types are looked at.
    fn bound_names(program: &Program<'_>, bicep: &BicepFile) -> Self {
        let mut diagnostics = Vec::new();
        let declarations = declare(program, bicep);
        let target = target_scope(bicep.tree());
        let viewer = Viewer { dialect: bicep.dialect, config: &bicep.config, target };
        let namespaces = namespaces(program, bicep, viewer, &mut diagnostics);
        let bindings = bind(bicep.tree(), &declarations, &namespaces);
        let cycles = find_cycles(bicep.tree(), &declarations, &bindings);
        Self {
            target,
            declarations,
            namespaces,
            bindings,
            cycles,
            checked: Checked::default(),
            resources: Resources::default(),
            places: DeploymentScopes::default(),
            inlined: Inlined::default(),
            expected: expected::Known::default(),
            diagnostics,
        }
    }

    /// Where the file is deployed to.
    pub fn target_scope(&self) -> Scopes {
        self.target
    }

    /// The namespaces that the file can use.
    pub fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// The position of the namespace that a node names.
    pub fn namespace_of(&self, node: Node<'_>) -> Option<usize> {
        self.bindings.namespace(node, &self.declarations, &self.namespaces)
    }

    /// What uses of names mean.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// All symbols, in the order of [`SymbolId`]s.
    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.declarations
            .symbols
            .iter()
            .enumerate()
            .map(|(index, symbol)| (SymbolId(u32::try_from(index).unwrap_or(u32::MAX)), symbol))
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        #[expect(clippy::indexing_slicing, reason = "ids are only made by the declarations of this model")]
        &self.declarations.symbols[id.index()]
    }

    /// The symbol that a node declares.
    pub fn declared(&self, node: NodeId) -> Option<SymbolId> {
        self.declarations.symbol_of.get(&node).copied()
    }

    /// The scope that a node opens.
    pub fn scope_of(&self, node: NodeId) -> Option<&Scope> {
        let id: &ScopeId = self.declarations.scope_of.get(&node)?;
        self.declarations.scopes.get(id.index())
    }

    pub fn scope(&self, id: ScopeId) -> Option<&Scope> {
        self.declarations.scopes.get(id.index())
    }

    /// The circle of declarations that a symbol is in.
    pub fn cycle(&self, symbol: SymbolId) -> Option<&[SymbolId]> {
        self.cycles.get(&symbol).map(AsRef::as_ref)
    }

    /// The type of an expression, a statement or a local variable.
    pub fn type_of(&self, node: Node<'_>) -> Option<&Type> {
        self.checked.types.get(node.id().index())?.as_ref()
    }

    /// Whether a symbol is a resource or a module that a loop declares. One whose type is wrong counts as a single one.
    pub fn is_collection(&self, tree: &Tree, symbol: SymbolId) -> bool {
        let declaration = tree.node(self.symbol(symbol).declaration);
        DeployedBody::of(declaration).is_some()
            && self.type_of(declaration).is_some_and(|ty| matches!(ty.kind(), Kind::Array(_)))
    }

    /// The type of a node that the check had no reason to look at, such as the body of a module that is not there; and the
    /// overload if it is a call.
    pub fn infer<'p>(
        &'p self,
        program: &'p Program<'p>,
        bicep: &'p BicepFile,
        node: NodeId,
    ) -> (Type, Option<Arc<Overload>>) {
        infer(self.bound(program, bicep), node)
    }

    /// What is wrong with a value where this type is expected.
    pub(crate) fn mismatches<'p>(
        &'p self,
        program: &'p Program<'p>,
        bicep: &'p BicepFile,
        value: NodeId,
        expected: &Type,
    ) -> Vec<Diagnostic> {
        mismatches(self.bound(program, bicep), value, expected)
    }

    /// What the checker starts from.
    fn bound<'p>(&'p self, program: &'p Program<'p>, bicep: &'p BicepFile) -> Bound<'p> {
        Bound {
            program,
            bicep,
            declarations: &self.declarations,
            namespaces: &self.namespaces,
            bindings: &self.bindings,
            cycles: &self.cycles,
            target: self.target,
        }
    }

    /// The declared type of a statement, or what a piece of type syntax means.
    pub fn declared_type_of(&self, node: Node<'_>) -> Option<&Type> {
        self.checked.declared.get(&node.id())
    }

    /// The type of what a symbol names: declared where it says so itself, else found.
    pub fn declared_type(&self, symbol: SymbolId) -> Option<&Type> {
        let declaration = self.symbol(symbol).declaration;
        let found = self.checked.types.get(declaration.index()).and_then(Option::as_ref);
        self.checked.declared.get(&declaration).or(found)
    }

    /// The way in which a call calls its function.
    pub fn overload(&self, call: Node<'_>) -> Option<&Arc<Overload>> {
        self.checked.overloads.get(&call.id())
    }

    /// The value of a call, where the compiler knows it.
    pub fn constant(&self, call: Node<'_>) -> Option<&serde_json::Value> {
        self.checked.constants.get(&call.id())
    }

    /// The files and folders that calls read, whether they are there or not.
    pub fn loaded(&self) -> impl Iterator<Item = &Utf8Path> {
        self.checked.loaded.iter().map(Utf8PathBuf::as_path)
    }

    /// The one way to call a function that a statement declares.
    pub fn function(&self, node: Node<'_>) -> Option<Arc<Overload>> {
        let function = bicep_syntax::ast::Func::cast(node)?;
        let lambda = function.lambda()?;
        let Kind::Lambda(signature) = self.declared_type_of(lambda.syntax())?.kind() else { return None };
        let name = function.name().and_then(bicep_syntax::ast::Name::text)?;
        let mut overload = Overload::new(name, signature.result.clone());
        for (parameter, ty) in lambda.parameters().zip(&signature.arguments) {
            let name = parameter.name().and_then(bicep_syntax::ast::Name::text).unwrap_or_default();
            overload = overload.required(name, ty.clone(), "");
        }
        Some(Arc::new(overload))
    }

    /// The decorator of the language with this name on a declaration.
    pub fn decorator<'t>(&self, holder: Node<'t>, name: &str) -> Option<Decorator<'t>> {
        Names { bindings: &self.bindings, namespaces: &self.namespaces }.decorator(holder, name)
    }

    /// The resources that the file declares.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Where its resources and modules are deployed.
    pub fn places(&self) -> &DeploymentScopes {
        &self.places
    }

    /// What [`expected::Expected`] has found out.
    pub(crate) fn expected(&self) -> &expected::Known {
        &self.expected
    }

    /// What is written out wherever it is used.
    pub fn inlined(&self) -> &Inlined {
        &self.inlined
    }

    /// What is wrong with the file, beside its syntax.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

/// Where a file is deployed to: what its first `targetScope` says, else a resource group.
pub(crate) fn target_scope(tree: &Tree) -> Scopes {
    let stated = tree.file().statements().find_map(|statement| match statement {
        Statement::TargetScope(target) => Some(target.value()),
        _ => None,
    });
    let text = match stated {
        Some(Expr::Str(text)) => Str::value(text),
        _ => None,
    };
    text.and_then(|text| scope_named(&text)).unwrap_or(Scopes::RESOURCE_GROUP)
}

/// The scope of a word after `targetScope`.
pub(crate) fn scope_named(name: &str) -> Option<Scopes> {
    match name {
        "tenant" => Some(Scopes::TENANT),
        "managementGroup" => Some(Scopes::MANAGEMENT_GROUP),
        "subscription" => Some(Scopes::SUBSCRIPTION),
        "resourceGroup" => Some(Scopes::RESOURCE_GROUP),
        "local" => Some(Scopes::LOCAL),
        _ => None,
    }
}
