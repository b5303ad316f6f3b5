//! What is missing and can be made: a parameter or a variable for a name that nothing has, the file of a module.

use base::{Diagnostic, Edit, TextRange};
use bicep_syntax::ast::{self, Name};
use bicep_syntax::{Dialect, Node, SyntaxKind};
use bicep_types::ty::Type;
use camino::Utf8PathBuf;

use super::{ActionKind, CodeAction, NewFile, newline};
use crate::FileContext;
use crate::declared::expected_type;
use crate::lookup::innermost;
use crate::module_calls::parameters;

/// The actions that make what is missing.
pub fn missing_declarations(
    context: &FileContext<'_>,
    diagnostics: &[Diagnostic],
    range: TextRange,
) -> Vec<CodeAction> {
    let concerned = diagnostics.iter().filter(|it| super::concerns(it.range, range));
    let mut actions = Vec::new();
    for diagnostic in concerned {
        match diagnostic.code.as_str() {
            "BCP057" | "BCP082" => actions.extend(declarations(context, diagnostic.range)),
            "BCP091" => actions.extend(module_file(context, diagnostic.range)),
            _ => {}
        }
    }
    actions
}

fn declarations(context: &FileContext<'_>, range: TextRange) -> Vec<CodeAction> {
    let is_name = |node: Node<'_>| node.kind() == SyntaxKind::VarAccess;
    let Some(node) = innermost(context.tree(), range.start(), is_name) else { return Vec::new() };
    let Some(name) = node.children().find_map(Name::cast).and_then(Name::text) else { return Vec::new() };
    if context.bicep.dialect == Dialect::Params {
        return vec![declaration(
            context,
            node,
            &format!("var {name} = ''"),
            &format!("Create variable '{name}'"),
        )];
    }
    let ty = expected_type(context, node).and_then(|ty| ty.template_type()).unwrap_or_else(Type::string);
    let value = match ty.to_string().as_str() {
        "int" => "0",
        "bool" => "false",
        "array" => "[]",
        "object" => "{}",
        _ => "''",
    };
    vec![
        declaration(context, node, &format!("param {name} {ty}"), &format!("Create parameter '{name}'")),
        declaration(context, node, &format!("var {name} = {value}"), &format!("Create variable '{name}'")),
    ]
}

/// Behind the last declaration of the same kind, else above the statement.
fn declaration(context: &FileContext<'_>, used: Node<'_>, text: &str, title: &str) -> CodeAction {
    let kind = if text.starts_with("param") { SyntaxKind::Param } else { SyntaxKind::Var };
    let lines = context.bicep.source.lines();
    let is_before = |it: &Node<'_>| it.range().start() < used.range().start();
    let root = context.tree().root();
    let existing = root.children().rfind(|it| it.kind() == kind && is_before(it));
    let statement = root.children().rfind(is_before).unwrap_or(root);
    let line_end = newline(context);
    let edit = match existing.filter(|it| it.range().end() < used.range().start()) {
        Some(existing) => {
            Edit { range: TextRange::empty(existing.range().end()), text: format!("{line_end}{text}") }
        }
        None => Edit {
            range: TextRange::empty(lines.line_start(lines.line(statement.range().start()))),
            text: format!("{text}{line_end}{line_end}"),
        },
    };
    CodeAction {
        title: title.to_owned(),
        kind: ActionKind::QuickFix,
        edits: vec![edit],
        is_preferred: false,
        command: None,
        new_file: None,
    }
}

/// The file of a module that is not there, with the parameters that it is given.
fn module_file(context: &FileContext<'_>, range: TextRange) -> Option<CodeAction> {
    let is_module = |node: Node<'_>| node.kind() == SyntaxKind::Module;
    let module = ast::Module::cast(innermost(context.tree(), range.start(), is_module)?)?;
    let written = module.path()?.value()?;
    if written.contains(':') || !written.ends_with(".bicep") {
        return None;
    }
    let path: Utf8PathBuf = config::paths::normalize(&context.bicep.folder().join(&written));
    context.program.world().read(&path).is_err().then_some(())?;
    let line_end = newline(context);
    let declared = parameters(module).into_iter().flat_map(ast::Object::properties).filter_map(|property| {
        let value = context.type_of(property.value().syntax());
        let ty = value.widen_literal().template_type().unwrap_or_else(Type::string);
        Some(format!("param {} {ty}{line_end}", property.key_text()?))
    });
    Some(CodeAction {
        title: format!("Create module '{written}'"),
        kind: ActionKind::QuickFix,
        edits: Vec::new(),
        is_preferred: false,
        command: None,
        new_file: Some(NewFile { path, text: declared.collect() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    fn check(source: &str, code: &str, expected: &[&str]) {
        let made = ask(source, &[], |context, offset| {
            let diagnostic = base::Check::Compiler.error(code, TextRange::empty(offset), "");
            let actions = missing_declarations(context, &[diagnostic], TextRange::empty(offset));
            let text = |action: &CodeAction| {
                let edits = action.edits.iter().map(|edit| edit.text.as_str());
                edits.chain(action.new_file.as_ref().map(|file| file.text.as_str())).collect::<String>()
            };
            actions.iter().map(text).collect::<Vec<_>>()
        });
        assert_eq!(made, expected, "{source}");
    }

    #[test]
    fn a_missing_name_becomes_a_parameter_or_a_variable() {
        check("param a int\noutput o bool = |x", "BCP057", &["\nparam x bool", "var x = false\n\n"]);
    }

    #[test]
    fn a_missing_module_gets_the_parameters_that_it_is_given() {
        let source = "module m |'new.bicep' = { params: { a: 1, b: 'x' } }";
        check(source, "BCP091", &["param a int\nparam b string\n"]);
    }
}
