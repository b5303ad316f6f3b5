//! Where the value of a parameter comes from: a file with a parameter and the files that use it come in; the values that it is
//! given go out, those of modules in modules included.

use base::TextRange;
use bicep_sema::{BicepFile, FileId};
use bicep_syntax::{Node, SyntaxKind};

use crate::FileContext;
use crate::module_calls::module_calls;

/// A value that a parameter is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueOrigin {
    /// Where the value stands.
    pub range: TextRange,
    /// The value as written, on one line.
    pub text: String,
}

/// Longer values are cut.
const MAX_TEXT: usize = 80;

/// The values that a file gives to a parameter of another one, found in its tree: a hover asks for this, and the models of the
/// files that use a module may not be known yet.
pub fn value_origins(file: &BicepFile, target: FileId, parameter: &str) -> Vec<ValueOrigin> {
    let calls = module_calls(file).into_iter().filter(|call| call.target == target);
    let arguments = calls.flat_map(|call| call.arguments).filter(|it| it.name == parameter);
    arguments
        .map(|it| ValueOrigin { range: it.value_range, text: one_line(file.source.slice(it.value_range)) })
        .collect()
}

fn one_line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", joined.get(..end).unwrap_or_default()),
        None => joined,
    }
}

/// The parameters that an expression uses, directly or through variables: its value comes from there.
pub fn parameters_in(context: &FileContext<'_>, range: TextRange) -> Vec<String> {
    let inside = |node: &Node<'_>| node.kind() == SyntaxKind::VarAccess && range.contains_range(node.range());
    let mut open: Vec<Node<'_>> = context.tree().nodes().filter(inside).collect();
    let mut seen = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        let Some(symbol) = context.model.bindings().symbol(node).filter(|it| seen.insert(*it)) else {
            continue;
        };
        let symbol = context.model.symbol(symbol);
        match symbol.kind {
            bicep_sema::SymbolKind::Param => found.extend(symbol.name.as_deref().map(str::to_owned)),
            bicep_sema::SymbolKind::Var => {
                let declaration = context.tree().node(symbol.declaration);
                open.extend(declaration.descendants().filter(|it| it.kind() == SyntaxKind::VarAccess));
            }
            _ => {}
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    #[test]
    fn values_are_those_that_modules_are_given() {
        let source =
            "param env string\nvar name = 'app-${env}'\nmodule m 'mod.bicep' = { params: { p: name } }|";
        let found = ask(source, &[("/mod.bicep", "param p string")], |context, _| {
            let target = context.program.file_at("/mod.bicep".into()).expect("loaded");
            let found = value_origins(context.bicep, target, "p").into_iter();
            found.map(|it| (it.text, parameters_in(context, it.range))).collect::<Vec<_>>()
        });
        let shown: Vec<_> = found.iter().map(|(text, from)| (text.as_str(), from.clone())).collect();
        assert_eq!(shown, [("name", vec!["env".to_owned()])]);
    }
}
