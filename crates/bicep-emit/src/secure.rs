//! Outputs that hold secrets.

use bicep_sema::{FileId, Program, Unit};
use bicep_syntax::ast::{Name, Output, Statement};

use crate::decorators::has_decorator;

/// Whether an output of a file is secure.
pub(crate) fn is_secure_output(program: &Program<'_>, file: FileId, name: &str) -> bool {
    any_output(program, file, |output| output == name)
}

/// Whether any output of a file is secure.
pub(crate) fn has_secure_outputs(program: &Program<'_>, file: FileId) -> bool {
    any_output(program, file, |_| true)
}

fn any_output(program: &Program<'_>, file: FileId, wanted: impl Fn(&str) -> bool) -> bool {
    match program.unit(file) {
        Unit::Bicep(bicep) => bicep.tree().file().statements().any(|statement| match statement {
            Statement::Output(output) => {
                output.name().and_then(Name::text).is_some_and(&wanted) && is_secure(output)
            }
            _ => false,
        }),
        Unit::Template(template) => {
            let outputs = template.parsed.root.as_ref().and_then(|root| root.get("outputs")?.as_object());
            outputs.into_iter().flat_map(json::Object::iter).any(|output| {
                let ty = output.value.get("type").and_then(json::Node::as_str).unwrap_or_default();
                wanted(&output.key) && ["securestring", "secureobject"].contains(&&*ty.to_ascii_lowercase())
            })
        }
    }
}

fn is_secure(output: Output<'_>) -> bool {
    has_decorator(output.decorators(), "secure")
}
