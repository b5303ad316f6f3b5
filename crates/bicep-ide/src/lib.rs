//! What an editor asks about Bicep files: a program, a file and an offset come in; answers in plain data go out. Nothing here
//! knows a protocol, a disk or the time.
//!
//! One feature, one file. What they share: [`FileContext`] is the file that is asked about, `lookup` finds the nodes at an
//! offset, `entity` says what a node names, `declared` what type is declared for an expression.

pub mod api_versions;
pub mod code_actions;
pub mod completion;
pub mod config_edit;
mod declared;
pub mod definition;
mod entity;
pub mod file_metadata;
pub mod folding;
pub mod formatting;
pub mod graph;
pub mod highlight;
pub mod hover;
pub mod inlay_hints;
pub mod kubernetes;
pub mod links;
mod lookup;
mod markdown;
pub mod module_calls;
pub mod origins;
pub mod paste;
pub mod references;
pub mod rename;
pub mod schema_file;
pub mod selection;
pub mod semantic_tokens;
pub mod signature_help;
pub mod symbols;
#[cfg(test)]
mod testing;

use bicep_sema::{BicepFile, FileId, Model, Program};
use bicep_syntax::{Node, Tree};
use bicep_types::ty::Type;

/// The file that is asked about, in its program.
#[derive(Clone, Copy)]
pub struct FileContext<'a> {
    pub program: &'a Program<'a>,
    pub file: FileId,
    /// Its text, its tree and its configuration.
    pub bicep: &'a BicepFile,
    /// What it means.
    pub model: &'a Model,
}

impl<'a> FileContext<'a> {
    /// The context of a file; `None` for a template in JSON.
    pub fn new(program: &'a Program<'a>, file: FileId) -> Option<Self> {
        Some(Self { program, file, bicep: program.bicep(file)?, model: program.model(file)? })
    }

    /// The tree of the file.
    pub fn tree(&self) -> &'a Tree {
        self.bicep.tree()
    }

    /// The type of an expression, a statement or a local variable, also where the file has mistakes around it.
    pub fn type_of(&self, node: Node<'_>) -> Type {
        match self.model.type_of(node) {
            Some(ty) => ty.clone(),
            None => self.model.infer(self.program, self.bicep, node.id()).0,
        }
    }

    /// The text of the file.
    pub fn text(&self) -> &'a str {
        self.tree().text()
    }
}
