//! Where validators are declared, and whether there are any.

use std::sync::Arc;

use base::Related;
use bicep_sema::imports::{Origin, TemplateSymbol};
use bicep_sema::{BicepFile, FileId, Model, Program, SymbolKind, TemplateFile, Unit};
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Decorator, Expr, Statement};
use json::Node as JsonNode;

use crate::context;
use crate::translate::LOCAL_NAMESPACE;
use crate::{Emitter, messages};

impl Emitter<'_> {
    /// Whether some file of the program asks for a check by a function or a lambda.
    pub fn has_validators(&self) -> bool {
        *self
            .known
            .has_validators
            .get_or_init(|| self.program.files().any(|file| in_file(self.program, file)))
    }
}

fn in_file<'p>(program: &'p Program<'p>, file: FileId) -> bool {
    match (program.unit(file), program.model(file)) {
        (Unit::Template(template), _) => {
            let text = template.source.text();
            text.contains("userDefinedConstraint") || text.contains("\"validate\"")
        }
        (Unit::Bicep(bicep), Some(model)) => bicep.tree().nodes().any(|node| is_validator(node, model)),
        (Unit::Bicep(_), None) => false,
    }
}

fn is_validator(node: Node<'_>, model: &Model) -> bool {
    let Some(decorator) = Decorator::cast(node) else { return false };
    let (called, name) = match decorator.expression() {
        Expr::Call(call) => (call.syntax(), call.name()),
        Expr::MethodCall(call) => (call.base().syntax(), call.name()),
        _ => return false,
    };
    let kind = model.bindings().symbol(called).map(|symbol| model.symbol(symbol).kind);
    matches!(kind, Some(SymbolKind::Func | SymbolKind::ImportItem | SymbolKind::WildcardImport))
        || name.and_then(ast::Name::text) == Some("validate")
}

/// Where the validator of an error is declared, seen from the file whose types it checks.
pub(super) fn related<'p>(
    program: &'p Program<'p>,
    file: FileId,
    name: &str,
    validator: &str,
) -> Option<Related> {
    match program.unit(file) {
        Unit::Template(template) => in_template(template, validator),
        Unit::Bicep(bicep) => match validator.split_once('.') {
            Some((namespace, name)) => function(program, file, namespace, name),
            None => parameter(bicep, name),
        },
    }
}

fn in_template(template: &TemplateFile, validator: &str) -> Option<Related> {
    let (namespace, name) = validator.split_once('.')?;
    let namespaces = template.parsed.root.as_ref()?.get_ignore_case("functions")?.as_array()?;
    let is_it = |it: &&JsonNode| {
        let own = it.get_ignore_case("namespace").and_then(JsonNode::as_str);
        own.is_some_and(|own| json::eq_ignore_case(own, namespace))
    };
    let mut members = namespaces.iter().filter(is_it).filter_map(|it| it.get_ignore_case("members"));
    let function = members.find_map(|members| members.as_object()?.get_ignore_case(name))?;
    let (file, message) = (Arc::clone(&template.source), messages::VALIDATOR.to_owned());
    Some(Related { file, range: function.key_range, message })
}

/// A function of a file, or one that it imports.
fn function<'p>(program: &'p Program<'p>, file: FileId, namespace: &str, name: &str) -> Option<Related> {
    let model = program.model(file)?;
    let mut own = model.symbols().filter(|(_, symbol)| symbol.kind == SymbolKind::Func);
    let declared = if namespace == LOCAL_NAMESPACE {
        own.find(|(_, symbol)| symbol.name.as_deref() == Some(name)).map(|(id, _)| Origin::Symbol(file, id))
    } else {
        None
    };
    let full = if namespace == LOCAL_NAMESPACE { name.to_owned() } else { format!("{namespace}.{name}") };
    let origin = declared.or_else(|| {
        let (_peers, cx) = context::open(program, file)?;
        cx.imports().iter().find(|imported| imported.name == full).map(|imported| imported.origin.clone())
    });
    match origin? {
        Origin::Symbol(file, symbol) => {
            let (bicep, symbol) = (program.bicep(file)?, program.model(file)?.symbol(symbol));
            let message = messages::VALIDATOR.to_owned();
            Some(Related { file: Arc::clone(&bicep.source), range: symbol.name_range, message })
        }
        Origin::Template(file, TemplateSymbol::Function(name)) => {
            let Unit::Template(template) = program.unit(file) else { return None };
            in_template(template, &name)
        }
        Origin::Call(..) | Origin::Template(..) => None,
    }
}

/// The parameter whose value a lambda refuses.
fn parameter(bicep: &BicepFile, name: &str) -> Option<Related> {
    let names = bicep.tree().file().statements().filter_map(|statement| match statement {
        Statement::Param(param) => param.name(),
        Statement::Output(output) => output.name(),
        Statement::Var(variable) => variable.name(),
        _ => None,
    });
    let range = names.filter(|it| it.text() == Some(name)).map(ast::Name::range).next()?;
    Some(Related { file: Arc::clone(&bicep.source), range, message: messages::VALIDATED.to_owned() })
}
