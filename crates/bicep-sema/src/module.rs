//! The modules that a file declares.

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{NodeId, Tree};

use bicep_types::ty::{Kind, Type};

use crate::model::Model;
use crate::program::{BicepFile, FileId};
use crate::symbol::SymbolId;

/// A declared module.
#[derive(Debug, Clone)]
pub struct Module {
    /// What it is called in the file.
    pub symbol: SymbolId,
    /// Its statement.
    pub declaration: NodeId,
    /// Whether it is declared by a loop.
    pub is_collection: bool,
    /// The file it deploys, if that could be loaded.
    pub target: Option<FileId>,
}

/// Whether a value is a module, or one of several.
pub fn is_module(ty: &Type) -> bool {
    !ty.members().is_empty() && ty.members().iter().all(|member| matches!(member.kind(), Kind::Module(_)))
}

/// The modules of a file, in order.
pub fn modules(bicep: &BicepFile, model: &Model) -> Vec<Module> {
    let tree: &Tree = bicep.tree();
    let declared = tree.file().statements().filter_map(|statement| ast::Module::cast(statement.syntax()));
    declared
        .filter_map(|module| {
            let node = module.syntax();
            let target = bicep.reference(node).and_then(|target| target.as_ref().ok());
            Some(Module {
                symbol: model.declared(node.id())?,
                declaration: node.id(),
                is_collection: matches!(module.value(), Expr::For(_)),
                target: target.map(|target| target.file),
            })
        })
        .collect()
}
