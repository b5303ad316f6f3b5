//! What a template contains of other files.

use bicep_sema::SymbolKind;
use bicep_sema::imports::{Origin, TemplateSymbol};
use bicep_syntax::ast;

use crate::context::Context;
use crate::declarations::{definition, function, kind_of, sorted};
use crate::translate::Translator;
use crate::tree::{Object, Tree};
use crate::value::Value;
use crate::write;

/// An imported variable.
pub(crate) enum Variable {
    Loop(Object),
    Value(Tree),
}

/// Imported types.
pub(crate) fn definitions(cx: &Context<'_>) -> Vec<(String, Object)> {
    let found = cx.imports().iter().filter_map(|imported| {
        let object = match &imported.origin {
            Origin::Symbol(file, symbol) if kind_of(cx, imported) == Some(SymbolKind::Type) => {
                definition(&*cx.of_file(*file)?, *symbol, false, Some(imported))
            }
            Origin::Template(file, symbol @ TemplateSymbol::Type(_)) => {
                crate::template_import::definition(cx, *file, symbol, imported)?
            }
            _ => return None,
        };
        Some((imported.name.clone(), object))
    });
    sorted(found.collect())
}

/// Imported variables.
pub(crate) fn variables(cx: &Context<'_>) -> Vec<(String, Variable)> {
    let found = cx.imports().iter().filter_map(|imported| {
        let variable = match &imported.origin {
            Origin::Symbol(file, symbol) if kind_of(cx, imported) == Some(SymbolKind::Var) => {
                let peer = cx.of_file(*file)?;
                let value = ast::Var::cast(peer.declaration(*symbol))?.value();
                let translator = Translator::new(&peer);
                match translator.value(value) {
                    Value::Loop(each) => {
                        Variable::Loop(write::copy(&translator, Some(&imported.name), *each))
                    }
                    value => Variable::Value(write::value(&translator, value)),
                }
            }
            Origin::Call(file, call) => {
                let peer = cx.of_file(*file)?;
                let value = peer.constant(peer.tree().node(*call)).unwrap_or(Value::Null);
                Variable::Value(write::value(&Translator::new(&peer), value))
            }
            Origin::Template(file, symbol @ TemplateSymbol::Variable(_)) => {
                crate::template_import::variable(cx, *file, symbol, imported)?
            }
            _ => return None,
        };
        Some((imported.name.clone(), variable))
    });
    sorted(found.collect())
}

/// Imported functions, by their names with namespaces.
pub(crate) fn functions(cx: &Context<'_>) -> Vec<(String, Object)> {
    let found = cx.imports().iter().filter_map(|imported| {
        let object = match &imported.origin {
            Origin::Symbol(file, symbol) if kind_of(cx, imported) == Some(SymbolKind::Func) => {
                function(&*cx.of_file(*file)?, *symbol, Some(imported))
            }
            Origin::Template(file, symbol @ TemplateSymbol::Function(_)) => {
                crate::template_import::function(cx, *file, symbol, imported)?
            }
            _ => return None,
        };
        // They are ordered by their names alone.
        let name = imported.name.rsplit_once('.').map_or(imported.name.as_str(), |(_, name)| name);
        Some((name.to_owned(), (imported.name.clone(), object)))
    });
    sorted(found.collect()).into_iter().map(|(_, named)| named).collect()
}
