//! Another name for what stands somewhere: a file and an offset come in, the ranges to write the new name to go out.

use base::{Edit, TextRange, TextSize};
use bicep_syntax::Node;
use bicep_syntax::ast::Name;

use crate::FileContext;
use crate::entity::{Entity, Named, entity_at};
use crate::lookup::name_of;
use crate::references::same_entity;

/// What can be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renameable {
    /// Where the name stands.
    pub range: TextRange,
    /// The name.
    pub name: String,
}

/// Why something cannot be renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenameError {
    /// Nothing there has a name that the file gives.
    NothingToRename,
    /// The new name is not an identifier.
    InvalidName,
}

impl RenameError {
    /// The reason in words.
    pub const fn message(self) -> &'static str {
        match self {
            Self::NothingToRename => "What stands here cannot be renamed: only names that files declare can.",
            Self::InvalidName => {
                "The new name is not an identifier: letters, digits and underscores, not starting with a digit."
            }
        }
    }
}

/// The name at an offset.
pub fn prepare(context: &FileContext<'_>, offset: TextSize) -> Result<Renameable, RenameError> {
    let named = renameable(context, offset)?;
    let name = identifier(named.node).ok_or(RenameError::NothingToRename)?;
    Ok(Renameable { range: name.range(), name: name.display().to_owned() })
}

/// The edits that give what stands at an offset another name.
pub fn rename(context: &FileContext<'_>, offset: TextSize, new_name: &str) -> Result<Vec<Edit>, RenameError> {
    let named = renameable(context, offset)?;
    if !base::spelling::is_identifier(new_name) {
        return Err(RenameError::InvalidName);
    }
    let names = same_entity(context, &named).into_iter().filter_map(identifier);
    Ok(names.map(|name| Edit { range: name.range(), text: new_name.to_owned() }).collect())
}

fn renameable<'a>(context: &FileContext<'a>, offset: TextSize) -> Result<Named<'a>, RenameError> {
    let named = entity_at(context, offset).filter(|named| matches!(named.entity, Entity::Symbol(_)));
    named.ok_or(RenameError::NothingToRename)
}

fn identifier(node: Node<'_>) -> Option<Name<'_>> {
    name_of(node).filter(|name| name.text().is_some())
}
