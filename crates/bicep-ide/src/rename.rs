//! Another name for what stands somewhere: a file and an offset come in, the ranges to write the new name to go out, in the file
//! itself and in those that refer to it.

use base::{Edit, TextRange, TextSize};
use bicep_sema::{FileId, SymbolKind};
use bicep_syntax::ast::{self, Name};
use bicep_syntax::{Node, SyntaxKind};

use crate::FileContext;
use crate::entity::{Entity, Named, entity_at};
use crate::lookup::name_of;
use crate::module_calls::module_calls;
use crate::references::same_entity;

/// What can be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renameable {
    /// Where the name stands.
    pub range: TextRange,
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

/// Something that other files may refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedName {
    /// How other files refer to it.
    pub kind: SharedKind,
    pub name: String,
}

/// How other files refer to something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedKind {
    /// A parameter: modules and parameter files give it a value.
    Parameter,
    /// An output: users of the module read it.
    Output,
    /// A type, a variable or a function: imports name it.
    Export,
}

/// What stands at an offset, if other files may refer to it.
pub fn shared_name(context: &FileContext<'_>, offset: TextSize) -> Option<SharedName> {
    let named = entity_at(context, offset)?;
    let Entity::Symbol(id) = named.entity else { return None };
    let symbol = context.model.symbol(id);
    let declaration = context.tree().node(symbol.declaration);
    let kind = match symbol.kind {
        SymbolKind::Param => SharedKind::Parameter,
        SymbolKind::Output => SharedKind::Output,
        SymbolKind::Type | SymbolKind::Var | SymbolKind::Func => {
            context.model.decorator(declaration, "export")?;
            SharedKind::Export
        }
        _ => return None,
    };
    Some(SharedName { kind, name: symbol.name.as_deref()?.to_owned() })
}

/// The edits of a file that refers to another one, after a name of that one has changed.
pub fn rename_uses(
    context: &FileContext<'_>,
    target: FileId,
    shared: &SharedName,
    new_name: &str,
) -> Vec<Edit> {
    let mut ranges: Vec<TextRange> = match shared.kind {
        SharedKind::Parameter => arguments(context, target, &shared.name),
        SharedKind::Output => outputs(context, target, &shared.name),
        SharedKind::Export => imports(context, target, &shared.name),
    };
    ranges.sort_by_key(|range| range.start());
    ranges.dedup();
    let edit = |range: TextRange| {
        let is_quoted = context.bicep.source.slice(range).starts_with('\'');
        let text = if is_quoted { format!("'{new_name}'") } else { new_name.to_owned() };
        Edit { range, text }
    };
    ranges.into_iter().map(edit).collect()
}

fn arguments(context: &FileContext<'_>, target: FileId, name: &str) -> Vec<TextRange> {
    let calls = module_calls(context.bicep).into_iter().filter(|call| call.target == target);
    let arguments = calls.flat_map(|call| call.arguments).filter(|it| it.name == name);
    arguments.map(|it| it.name_range).collect()
}

/// `module.outputs.name`, also of one of several modules.
fn outputs(context: &FileContext<'_>, target: FileId, name: &str) -> Vec<TextRange> {
    let is_module = |node: Node<'_>| {
        let base = ast::Index::cast(node).map_or(node, |index| index.base().syntax());
        let symbol = context.model.bindings().symbol(base);
        let declaration = symbol.map(|it| context.tree().node(context.model.symbol(it).declaration));
        let reference = declaration.and_then(|it| context.bicep.reference(it));
        matches!(reference, Some(Ok(found)) if found.file == target)
    };
    let accesses = context.tree().nodes().filter_map(ast::PropertyAccess::cast);
    let found = accesses.filter_map(|access| {
        let own = access.name().filter(|it| it.text() == Some(name))?;
        let outputs = ast::PropertyAccess::cast(access.base().syntax())?;
        (outputs.name()?.text()? == "outputs" && is_module(outputs.base().syntax())).then(|| own.range())
    });
    found.collect()
}

fn imports(context: &FileContext<'_>, target: FileId, name: &str) -> Vec<TextRange> {
    let mut ranges = Vec::new();
    for import in context.tree().file().statements().filter_map(|it| ast::Import::cast(it.syntax())) {
        let is_wanted = matches!(context.bicep.reference(import.syntax()), Some(Ok(it)) if it.file == target);
        if !is_wanted {
            continue;
        }
        for item in import.list().into_iter().flat_map(ast::ImportList::items) {
            if item.original_name().as_deref() != Some(name) {
                continue;
            }
            ranges.extend(item.original().map(Node::range));
            // Without another name for it, all uses change too.
            if let (None, Some(symbol)) = (item.alias(), context.model.declared(item.syntax().id())) {
                let named = Named { node: item.syntax(), entity: Entity::Symbol(symbol) };
                ranges
                    .extend(same_entity(context, &named).into_iter().filter_map(identifier).map(Name::range));
            }
        }
        if let Some(wildcard) = import.wildcard() {
            ranges.extend(members(context, wildcard, name));
        }
    }
    ranges
}

/// `alias.name`, as a value, a type or a function.
fn members(context: &FileContext<'_>, wildcard: ast::WildcardImport<'_>, name: &str) -> Vec<TextRange> {
    let symbol = context.model.declared(wildcard.syntax().id());
    let is_member = |node: &Node<'_>| {
        matches!(
            node.kind(),
            SyntaxKind::PropertyAccess | SyntaxKind::TypePropertyAccess | SyntaxKind::MethodCall
        )
    };
    let nodes = context.tree().nodes().filter(is_member);
    let found = nodes.filter_map(|node| {
        let base = node.children().next()?;
        (symbol.is_some() && context.model.bindings().symbol(base) == symbol).then_some(())?;
        let own = node.children().filter_map(Name::cast).next_back()?;
        (own.text()? == name).then(|| own.range())
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    /// The edits of `main.bicep` when a name of `mod.bicep` becomes `new`.
    fn check(kind: SharedKind, main: &str, module: &str, expected: &str) {
        let edited = ask(&format!("{main}|"), &[("/mod.bicep", module)], |context, _| {
            let target = context.program.file_at("/mod.bicep".into()).expect("loaded");
            let shared = SharedName { kind, name: "old".to_owned() };
            let mut text = main.to_owned();
            for edit in rename_uses(context, target, &shared, "new").iter().rev() {
                text.replace_range(
                    usize::from(edit.range.start())..usize::from(edit.range.end()),
                    &edit.text,
                );
            }
            text
        });
        assert_eq!(edited, expected);
    }

    #[test]
    fn a_parameter_is_renamed_where_modules_give_it() {
        check(
            SharedKind::Parameter,
            "module m 'mod.bicep' = { params: { old: 'old' } }",
            "param old string",
            "module m 'mod.bicep' = { params: { new: 'old' } }",
        );
    }

    #[test]
    fn an_output_is_renamed_where_it_is_read() {
        check(
            SharedKind::Output,
            "module m 'mod.bicep' = {}\nvar old = { old: m.outputs.old }",
            "output old string = ''",
            "module m 'mod.bicep' = {}\nvar old = { old: m.outputs.new }",
        );
    }

    #[test]
    fn an_export_is_renamed_where_it_is_imported() {
        let module = "@export()\nvar old = 1";
        check(
            SharedKind::Export,
            "import { old } from 'mod.bicep'\nvar a = old",
            module,
            "import { new } from 'mod.bicep'\nvar a = new",
        );
        check(
            SharedKind::Export,
            "import { old as kept } from 'mod.bicep'\nvar a = kept",
            module,
            "import { new as kept } from 'mod.bicep'\nvar a = kept",
        );
        check(
            SharedKind::Export,
            "import * as all from 'mod.bicep'\nvar a = all.old",
            module,
            "import * as all from 'mod.bicep'\nvar a = all.new",
        );
    }
}
