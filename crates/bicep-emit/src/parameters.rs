//! Parameter files: the program comes in; what it assigns goes out, evaluated as far as it is known, as a parameters file
//! in JSON and with what is wrong with it.
//!
//! A [`ParameterFile`] is one file with everything in it that has a value; expressions are translated as those of templates are
//! and run by the evaluator of templates. What waits for an external input stays an expression over it, with everything
//! else put in.

mod check;
mod decompile;
mod document;
mod inputs;
mod overrides;
mod parameter_file;
mod placeholders;
mod supplied;
mod terms;
mod verbatim;

use std::collections::BTreeMap;
use std::rc::Rc;

use arm::Error;
use arm::expression::Expr as TemplateExpr;
use base::{Budget, Diagnostic, Limits, TextRange};
use bicep_sema::{FileId, Program};
use bicep_syntax::ast::{self, Expr, Statement};
use config::Feature;
use smol_str::SmolStr;

pub use decompile::decompile_parameters;
pub use inputs::{ExternalInput, ExternalInputForm};
pub use overrides::with_overrides;
pub use placeholders::{Included, Placeholder, placeholder_document, placeholder_text, placeholders};

use crate::messages;
use parameter_file::{EvaluationInputs, ParameterFile, secret_arguments};
pub(crate) use terms::term;

/// How a parameter file is evaluated.
#[derive(Debug, Clone, Default)]
pub struct ParameterOptions {
    /// How external inputs are named and written.
    pub external_inputs: ExternalInputForm,
    /// The values of external inputs that are known already, by key.
    pub answers: BTreeMap<String, arm::Value>,
}

/// What a parameter file assigns.
#[derive(Debug)]
pub struct Parameters {
    /// The parameters in the order of the document: those of the file, then inherited ones.
    pub assignments: Vec<Assignment>,
    /// What has still to be supplied from outside, in the order of the keys' numbers.
    pub external_inputs: Vec<ExternalInput>,
    /// The configurations of extensions. `None` where the file may have none.
    pub extension_configs: Option<Vec<ExtensionConfig>>,
    /// How the file asks to be deployed.
    pub using_config: Option<Assigned>,
    /// The same as a value, in which external inputs that have no answer are still open.
    pub using_value: Option<arm::Value>,
    /// The file that the parameters are for.
    pub template: Option<FileId>,
    /// What went wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// How external inputs are named and written.
    pub form: ExternalInputForm,
}

/// The configuration of an extension.
#[derive(Debug)]
pub struct ExtensionConfig {
    /// The name of the extension in the template.
    pub extension: SmolStr,
    /// What its properties get, ordered by name.
    pub properties: BTreeMap<SmolStr, Assigned>,
}

/// A parameter with the value that it gets.
#[derive(Debug)]
pub struct Assignment {
    pub name: SmolStr,
    /// What it gets.
    pub assigned: Assigned,
    /// The file that says so.
    pub file: FileId,
    /// Where the value stands in that file.
    pub range: TextRange,
    /// Whether the template has such a parameter. Others are not written.
    pub is_declared: bool,
}

/// What a parameter gets.
#[derive(Debug, Clone)]
pub enum Assigned {
    Value(arm::Value),
    /// What gives the value once external inputs are supplied.
    Expression(TemplateExpr),
    /// A secret that is read from a key vault.
    Secret(SecretReference),
    /// Nothing: the value is wrong, which has been reported.
    Failed,
}

/// A secret in a key vault. Its parts may wait for external inputs.
#[derive(Debug, Clone)]
pub struct SecretReference {
    /// The subscription, the resource group and the name of the vault.
    pub vault: [arm::Value; 3],
    /// The name of the secret.
    pub name: arm::Value,
    pub version: Option<arm::Value>,
}

/// Evaluates a parameter file. `None`: the file is none.
pub fn parameters<'p>(
    program: &'p Program<'p>,
    file: FileId,
    options: &ParameterOptions,
) -> Option<Parameters> {
    // Variables need each other one level deeper each; the stack grows with them.
    let limits = Limits { memory: 256 << 20, steps: 100_000_000, depth: 8_192, ..Limits::default() };
    let is_verbatim = options.external_inputs == ExternalInputForm::Azure && options.answers.is_empty();
    let answers = options.answers.clone();
    let given = Rc::new(EvaluationInputs { budget: Budget::new(limits), answers, is_verbatim });
    program.bicep(file).filter(|bicep| bicep.dialect == bicep_syntax::Dialect::Params)?;
    let file = ParameterFile::load(program, file, &given)?;
    let mut external_inputs = inputs::external_inputs(&file, options.external_inputs);
    external_inputs.retain(|input| !options.answers.contains_key(&input.key));
    let mut diagnostics = Vec::new();
    if options.external_inputs == ExternalInputForm::Seed {
        let nameless = external_inputs.iter().filter(|input| input.is_nameless && input.file == file.cx.file);
        diagnostics.extend(nameless.map(|input| messages::nameless_input(input.range)));
    }
    let template = used(program, file.cx.file);
    let interface = template.and_then(|template| program.interface(template));
    let is_readable = !file.cx.bicep.parse.has_misparsed();
    let mut assignments = Vec::new();
    if is_readable {
        let mut results = check::results(&file, interface, &mut diagnostics);
        for (name, assignment, owner) in file.assignments() {
            let assigned = results.remove(&name).unwrap_or(Assigned::Failed);
            let is_declared = interface.is_none_or(|interface| interface.parameter(&name).is_some());
            let (file, range) = (owner.cx.file, assignment.value().range());
            assignments.push(Assignment { name, assigned, file, range, is_declared });
        }
    }
    let extension_configs =
        file.cx.has(Feature::ModuleExtensionConfigs).then(|| extension_configs(&file, &mut diagnostics));
    let using_value = using_value(&file, &mut diagnostics);
    let using_config = using_value.as_ref().map(|value| match value {
        Some(value) => Assigned::Expression(TemplateExpr::of_value(value)),
        None => Assigned::Failed,
    });
    Some(Parameters {
        assignments,
        external_inputs,
        extension_configs,
        using_config,
        using_value: using_value.flatten(),
        template,
        diagnostics,
        form: options.external_inputs,
    })
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == base::Severity::Error
}

/// The file that a parameter file is for.
pub fn used(program: &Program<'_>, file: FileId) -> Option<FileId> {
    let bicep = program.bicep(file)?;
    let using = using_statement(bicep.tree())?;
    Some(bicep.reference(using.syntax())?.as_ref().ok()?.file)
}

fn using_statement(tree: &bicep_syntax::Tree) -> Option<ast::Using<'_>> {
    tree.file().statements().find_map(|statement| match statement {
        Statement::Using(using) => Some(using),
        _ => None,
    })
}

impl<'p> ParameterFile<'p> {
    /// What an expression of the file gives: a reference to a secret, a value, or an expression.
    fn assigned(&self, name: &str, expr: Expr<'p>) -> Result<Assigned, Error> {
        match secret_arguments(&self.cx, expr) {
            Some(arguments) => self.secret(&arguments).map(Assigned::Secret),
            None => classify(self.evaluate(name, expr)?),
        }
    }

    /// What a parameter of the file gets.
    fn assigned_parameter(
        &self,
        name: &str,
        assignment: ast::ParamAssignment<'p>,
    ) -> Result<Assigned, Error> {
        match secret_arguments(&self.cx, assignment.value()) {
            Some(arguments) => self.secret(&arguments).map(Assigned::Secret),
            None => {
                let value = self.parameter_value(name)?;
                if self.is_verbatim() && self.asks_outside(assignment) {
                    check_origins(&value)?;
                    if let Some(written) = self.written(assignment.value())? {
                        return Ok(Assigned::Expression(written));
                    }
                }
                classify(value)
            }
        }
    }

    fn secret(&self, arguments: &[Expr<'p>]) -> Result<SecretReference, Error> {
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.evaluate("", *argument)?;
            check_origins(&value)?;
            values.push(value);
        }
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or_default();
        Ok(SecretReference { vault: [next(), next(), next()], name: next(), version: values.next() })
    }
}

/// A value that is known, or the expression that will give it.
fn classify(value: arm::Value) -> Result<Assigned, Error> {
    if !value.has_unknown() {
        return Ok(Assigned::Value(value));
    }
    check_origins(&value)?;
    Ok(Assigned::Expression(TemplateExpr::of_value(&value)))
}

/// Nothing but an external input may be waited for: what belongs to a deployment is not known to a parameter file.
fn check_origins(value: &arm::Value) -> Result<(), Error> {
    let mut gaps = Vec::new();
    value.gaps("", &mut gaps);
    let origins = gaps.iter().flat_map(|gap| gap.unknown.origins.iter());
    for origin in origins {
        let is_expected = match origin {
            arm::Origin::ExternalInput(_) => true,
            // An error in a branch that may never be taken.
            arm::Origin::Service(name) => name == "fail",
            _ => false,
        };
        if !is_expected {
            return Err(Error::refused(origin.to_string()));
        }
    }
    Ok(())
}

/// The configurations of extensions, ordered by name: those of the file in the place of inherited ones.
fn extension_configs(file: &ParameterFile<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<ExtensionConfig> {
    let mut configs: BTreeMap<SmolStr, BTreeMap<SmolStr, Assigned>> = BTreeMap::new();
    let ancestors: Vec<&ParameterFile<'_>> = file.chain().collect();
    for (depth, owner) in ancestors.into_iter().enumerate().rev() {
        for statement in owner.cx.tree().file().statements() {
            let Statement::ExtensionConfig(config) = statement else { continue };
            let Some(name) = config.name().and_then(ast::Name::text) else { continue };
            let object = config.with_clause().and_then(ast::WithClause::config);
            let properties = object.into_iter().flat_map(ast::Object::properties);
            let mut values = BTreeMap::new();
            for property in properties {
                let Some(key) = property.key_text() else { continue };
                let assigned = owner.assigned(&key, property.value()).unwrap_or_else(|error| {
                    // What is wrong with an extended file is said there.
                    if depth == 0 {
                        let range = property.value().range();
                        let subject = "configuration of extension";
                        diagnostics.push(messages::evaluation_failed(range, subject, name, error.message()));
                    }
                    Assigned::Failed
                });
                values.insert(key.into(), assigned);
            }
            configs.insert(name.into(), values);
        }
    }
    configs.into_iter().map(|(extension, properties)| ExtensionConfig { extension, properties }).collect()
}

/// The configuration behind `using … with`, which Azure takes as an expression in any case; nothing inside where it is
/// wrong.
fn using_value(file: &ParameterFile<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Option<arm::Value>> {
    let config = using_statement(file.cx.tree())?.with_clause()?.config()?;
    let value = file.evaluate("", Expr::Object(config)).and_then(|value| {
        check_origins(&value)?;
        Ok(value)
    });
    if let Err(error) = &value
        // Whatever is wrong already may be the reason.
        && !file.cx.model.diagnostics().iter().any(is_error)
    {
        let message = error.message();
        diagnostics.push(messages::evaluation_failed(config.range(), "configuration of", "using", message));
    }
    Some(value.ok())
}
