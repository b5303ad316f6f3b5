//! A template → the statements of a Bicep file: target scope, metadata, functions, parameters, variables, resources and modules,
//! outputs. Further files for nested templates come with it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use arm::expression::Expr;
use json::{Kind, Member, Node};

use crate::copy_loop::{LoopIndex, UNNAMED};
use crate::dependency::ResourceName;
use crate::failure::{Failure, Result};
use crate::messages;
use crate::names::{NameKind, Names, Scope, lowercase};
use crate::resource::{FlatResource, Head, Listed, flattened, is_deployment};
use crate::strings::Expressions;
use crate::symbolic;
use crate::syntax::{self, Property, Syntax};
use crate::tree;
use crate::type_syntax::{TypeSyntax, export, is_rich};
use crate::{Draft, Hints, Options};

/// What is known while one template is decompiled.
pub(crate) struct Converter<'a> {
    pub(crate) template: &'a Node,
    /// Its expressions; a template around it has the same.
    pub(crate) expressions: Rc<Expressions>,
    /// Whether its resources have symbolic names.
    pub(crate) is_symbolic: bool,
    pub(crate) names: Names,
    pub(crate) options: Options,
    /// The files of nested templates, those of inner ones first.
    pub(crate) files: &'a mut Vec<Draft>,
    /// The names of copy loops, in lower case, with the symbols of their resources.
    pub(crate) loops: Vec<(String, String)>,
    /// The symbols of all resources, in their order, and what they are.
    pub(crate) symbols: Vec<Symbol>,
    /// The symbol of the resource that is being written: it cannot refer to itself.
    pub(crate) current: Option<String>,
    /// What helps where the reference gives up.
    pub(crate) hints: Option<Hints<'a>>,
    /// The name of the file that is being written.
    pub(crate) file: String,
    /// Whether the declaration that is being written does not refer to resources by symbols.
    pub(crate) is_plain: bool,
    /// How often the loop of the resource that is being written is run.
    pub(crate) loop_count: Option<String>,
    /// The name of the declaration that is being written.
    pub(crate) declared: String,
    /// Declarations of resources that are only referred to.
    pub(crate) existing: Vec<String>,
}

/// A resource or module of the file.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) is_module: bool,
    pub(crate) is_loop: bool,
    /// Its type and name in the template.
    pub(crate) ty: String,
    pub(crate) written_name: Expr,
    /// What its name comes to, outside and inside of loops with a variable `i`. Every dependency is compared with it.
    pub(crate) names: [OnceCell<ResourceName>; 2],
}

/// Decompiles a template without duplicate names. The files of nested templates are added to `files`. Also gives the parameters and
/// outputs that got other names.
pub(crate) fn convert(
    template: &Node,
    options: Options,
    hints: Option<Hints<'_>>,
    files: &mut Vec<Draft>,
) -> Result<(String, Vec<(String, String)>)> {
    let file = hints.and_then(|hints| hints.paths.target.file_name()).unwrap_or_default().to_owned();
    Converter { hints, file, ..Converter::new(template, options, files) }.convert()
}

impl<'a> Converter<'a> {
    pub(crate) fn new(template: &'a Node, options: Options, files: &'a mut Vec<Draft>) -> Self {
        let names = Names::new(options.is_exact);
        Self {
            template,
            expressions: Rc::default(),
            is_symbolic: symbolic::is_symbolic(template) && !options.is_exact,
            names,
            options,
            files,
            loops: Vec::new(),
            symbols: Vec::new(),
            current: None,
            hints: None,
            file: String::new(),
            is_plain: false,
            loop_count: None,
            declared: String::new(),
            existing: Vec::new(),
        }
    }

    /// The text of the file, and the parameters and outputs that got other names.
    pub(crate) fn convert(mut self) -> Result<(String, Vec<(String, String)>)> {
        let text = self.run()?;
        Ok((text, self.renamed()))
    }

    /// A declaration begins: whether it refers to resources by symbols is known.
    pub(crate) fn begin(&mut self, name: &str) {
        let is_listed = |hints: Hints<'_>| {
            !hints.plain.is_empty() && hints.plain.contains(&(self.file.clone(), name.to_owned()))
        };
        self.is_plain = self.hints.is_some_and(is_listed);
        name.clone_into(&mut self.declared);
    }

    /// A resource or module by its symbol.
    pub(crate) fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name == name)
    }

    fn renamed(&self) -> Vec<(String, String)> {
        let mut renamed = Vec::new();
        for (section, kind) in [("parameters", NameKind::Parameter), ("outputs", NameKind::Output)] {
            for member in members(self.template, section) {
                let name = self.names.lookup(kind, &member.key).filter(|name| *name != member.key);
                renamed.extend(name.map(|name| (member.key.clone(), name)));
            }
        }
        renamed
    }

    fn run(&mut self) -> Result<String> {
        let template = self.template;
        let mut text = target_scope(template, self.options.is_exact)?;
        let symbolic = tree::find(template, "resources").and_then(|it| Some((it, it.value.as_object()?)));
        let resources: Vec<Listed<'_>> = match symbolic {
            Some((member, _)) if self.options.is_exact => {
                return Err(Failure::at(&member.value, messages::SYMBOLIC_NAMES));
            }
            Some((_, members)) => symbolic::listed(members).collect(),
            None => items(template, "resources").iter().map(Cow::Borrowed).map(Listed::plain).collect(),
        };
        let mut flat = Vec::new();
        let mut looped = Vec::new();
        for resource in resources {
            if let Some(name) = tree::nested(&resource.node, &["copy", "name"]) {
                looped.push((tree::to_text(name).to_lowercase(), Head::of(&resource.node)?));
            }
            flattened(resource, &mut flat)?;
        }
        let definitions = if self.options.is_exact { &[] } else { members(template, "definitions") };
        let functions = functions(items(template, "functions"))?;
        let variables = variables(members(template, "variables"))?;
        self.declare(&flat, &functions, &variables)?;
        self.find_loops(looped)?;
        text.push_str(&self.extensions());

        let metadata = members(template, "metadata").iter().filter(|it| !it.key.starts_with('_'));
        block(&mut text, metadata, Gap::None, |out, it| self.metadata(out, it))?;
        block(&mut text, definitions, Gap::Blank, |out, it| self.definition(out, &it.key, &it.value))?;
        block(&mut text, &functions, Gap::Blank, |out, it| self.function(out, it))?;
        block(&mut text, members(template, "parameters"), Gap::None, |out, it| self.parameter(out, it))?;
        block(&mut text, &variables, Gap::None, |out, it| self.variable(out, it))?;
        let numbered = flat.iter().enumerate();
        block(&mut text, numbered, Gap::Blank, |out, (number, it)| self.resource(out, it, number))?;
        self.current = None;
        self.is_plain = false;
        block(&mut text, std::mem::take(&mut self.existing), Gap::Blank, |out, it| {
            out.push_str(&it);
            Ok(())
        })?;
        block(&mut text, members(template, "outputs"), Gap::None, |out, it| self.output(out, it))?;
        Ok(text)
    }

    /// Chooses all names. Outward names come first so that they survive, and a resource before a variable, so that it gets
    /// the shorter name.
    fn declare(
        &mut self,
        resources: &[FlatResource<'_>],
        functions: &[Function<'_>],
        variables: &[Variable<'_>],
    ) -> Result<()> {
        for (what, kind) in [("parameter", NameKind::Parameter), ("output", NameKind::Output)] {
            for member in members(self.template, if what == "output" { "outputs" } else { "parameters" }) {
                if self.names.declare(kind, &member.key).is_none() {
                    return Err(Failure::at_member(member, messages::no_unique_name(what, &member.key)));
                }
            }
        }
        for definition in members(self.template, "definitions").iter().filter(|_| !self.options.is_exact) {
            self.names.declare(NameKind::Type, &definition.key);
        }
        for FlatResource { node: resource, symbol, head: Head { ty, name, .. } } in resources {
            let written_name = self.expressions.parse(name)?;
            let declared = match symbol {
                Some(symbol) => self.names.declare_symbolic(symbol, ty, &written_name),
                None => self.names.declare_resource(ty, &written_name)?,
            };
            let Some(symbol) = declared else {
                let name = format!("{ty} {name}");
                return Err(Failure::at(resource, messages::no_unique_name("resource", &name)));
            };
            let is_loop = tree::nested(resource, &["copy", "name"]).is_some();
            let is_module = is_deployment(ty) && self.becomes_module(resource)?;
            let (ty, names) = (ty.clone(), Default::default());
            self.symbols.push(Symbol { name: symbol, is_module, is_loop, ty, written_name, names });
        }
        for function in functions {
            if self.names.declare(NameKind::Function, &function.identifier()).is_none() {
                let message = messages::no_unique_name("function", function.name);
                return Err(Failure::at(function.declaration, message));
            }
        }
        for variable in variables {
            if self.names.declare(NameKind::Variable, &variable.name).is_none() {
                let message = messages::no_unique_name("variable", &variable.name);
                return Err(Failure::at(variable.value, message));
            }
        }
        Ok(())
    }

    /// Loops of top-level resources can be meant by their names in `dependsOn`.
    fn find_loops(&mut self, looped: Vec<(String, Head)>) -> Result<()> {
        for (name, head) in looped {
            if let Some(symbol) = self.names.resource(Some(&head.ty), &self.expressions.parse(&head.name)?)? {
                self.loops.retain(|(known, _)| *known != name);
                self.loops.push((name, symbol));
            }
        }
        Ok(())
    }

    /// The extensions that resources belong to. Where they come from is a matter of the configuration.
    fn extensions(&self) -> String {
        let sections = ["extensions", "imports"].into_iter().filter(|_| !self.options.is_exact);
        let all = sections.flat_map(|section| members(self.template, section));
        all.map(|it| format!("extension {} // TODO: see `extensions` in bicepconfig.json\n", it.key))
            .collect()
    }

    /// `@export()` for a variable that says so.
    fn variable_export(&self, name: &str) -> &'static str {
        let exported = tree::nested(self.template, &["metadata", "__bicep_exported_variables!"]);
        let is_it = |it: &Node| it.get("name").and_then(Node::as_str) == Some(name);
        let is_exported = exported.and_then(Node::as_array).is_some_and(|all| all.iter().any(is_it));
        if is_exported && !self.options.is_exact { "@export()\n" } else { "" }
    }

    /// The type of a parameter or output, where it says more than a name. Only templates of language version 2.0 know such types: in others
    /// `items` and the like are not looked at by anyone.
    fn rich_type(&mut self, node: &Node) -> Result<Option<TypeSyntax>> {
        let has_types =
            self.template.get_ignore_case("languageVersion").is_some() || node.get("$ref").is_some();
        match !self.options.is_exact && has_types && is_rich(node) {
            true => self.type_syntax(node, 0).map(Some),
            false => Ok(None),
        }
    }

    fn metadata(&mut self, out: &mut String, member: &Member) -> Result<()> {
        out.extend(["metadata ", &member.key, " = "]);
        self.value(&member.value)?.write(out);
        Ok(())
    }

    fn function(&mut self, out: &mut String, function: &Function<'_>) -> Result<()> {
        let declaration = function.declaration;
        let parameters = tree::required(declaration, "parameters", messages::lacks("parameters"))?;
        let output = tree::required(declaration, "output", messages::lacks("output"))?;
        let Some(parameters) = parameters.as_array() else {
            return Err(Failure::at(parameters, messages::NOT_AN_ARRAY));
        };
        if output.as_object().is_none() {
            return Err(Failure::at(output, messages::NOT_AN_OBJECT));
        }
        let mut names = Vec::new();
        let mut typed = Vec::new();
        for parameter in parameters {
            if parameter.as_object().is_none() {
                return Err(Failure::at(parameter, messages::NOT_AN_OBJECT));
            }
            let name = text_of(tree::required(parameter, "name", messages::lacks("name"))?)?;
            if let Some(ty) = self.rich_type(parameter)? {
                typed.push(format!("{name} {}", ty.text));
                names.push(name.to_owned());
                continue;
            }
            let ty = type_name(Some(tree::required(parameter, "type", messages::lacks("type"))?));
            let ty = ty.ok_or_else(|| Failure::at(parameter, messages::no_type("parameter", name)))?;
            typed.push(format!("{name} {ty}"));
            names.push(name.to_owned());
        }
        let ty = match self.rich_type(output)? {
            Some(ty) => ty.text,
            None => {
                let ty = type_name(Some(tree::required(output, "type", messages::lacks("type"))?));
                ty.ok_or_else(|| Failure::at(declaration, messages::no_type("function", function.name)))?
            }
        };
        let value = tree::required(output, "value", messages::lacks("value"))?;
        self.names.enter(Scope { variables: Vec::new(), parameters: names });
        let body = self.value(value);
        self.names.leave();
        if !self.options.is_exact {
            out.extend([export(declaration), &self.description(declaration)?]);
        }
        out.extend(["func ", &function.identifier(), " (", &typed.join(","), ") ", &ty, "=>"]);
        body?.write(out);
        Ok(())
    }

    fn parameter(&mut self, out: &mut String, member: &Member) -> Result<()> {
        let metadata = self.metadata_of(&member.value)?;
        let mut decorators = self.described(&metadata);
        decorators.push_str(&self.other_metadata(metadata));
        for (name, decorator) in [
            ("minValue", "minValue"),
            ("maxValue", "maxValue"),
            ("minLength", "minLength"),
            ("maxLength", "maxLength"),
            ("allowedValues", "allowed"),
        ] {
            // An empty list would allow nothing; the service takes it for none.
            let is_empty = |value: &Node| value.as_array().is_some_and(<[Node]>::is_empty);
            if let Some(value) = member.value.get(name).filter(|it| self.options.is_exact || !is_empty(it)) {
                let space = if self.names.hides(decorator) { "sys." } else { "" };
                decorators.extend(["@", space, decorator, "("]);
                self.value(value)?.write(&mut decorators);
                decorators.push_str(")\n");
            }
        }
        let rich = self.rich_type(&member.value)?;
        let is_named = rich.as_ref().is_some_and(|it| it.decorators.contains("@discriminator"));
        if is_named {
            decorators.push_str(rich.as_ref().map(|it| it.decorators.as_str()).unwrap_or_default());
        }
        let Some(mut ty) = rich.map(|it| it.text).or_else(|| type_name(member.value.get("type"))) else {
            return Err(Failure::at_member(member, messages::no_type("parameter", &member.key)));
        };
        if let Some(plain) = ty.strip_prefix("secure").filter(|it| matches!(*it, "string" | "object")) {
            decorators.push_str("@secure()\n");
            ty = plain.to_owned();
        } else if ty.eq_ignore_ascii_case(UNNAMED) && self.options.is_exact {
            ty = messages::TYPE_TO_FILL_IN.to_owned();
        }
        let default = member.value.get("defaultValue").map(|value| self.value(value)).transpose()?;
        let Some(identifier) = self.names.lookup(NameKind::Parameter, &member.key) else {
            return Err(Failure::at_member(member, messages::not_found("parameter", &member.key)));
        };
        let warning = if identifier == member.key { "" } else { messages::RENAMED };
        let line_end = if warning.is_empty() { "" } else { "\n" };
        // Decorators are easier to read behind a blank line.
        let gap = if decorators.is_empty() { "" } else { "\n" };
        out.extend([warning, line_end, gap, &decorators, "param ", &identifier, " ", &ty]);
        if let Some(default) = default {
            out.push_str("= ");
            default.write(out);
        }
        Ok(())
    }

    fn variable(&mut self, out: &mut String, variable: &Variable<'_>) -> Result<()> {
        let Some(identifier) = self.names.lookup(NameKind::Variable, &variable.name) else {
            return Err(Failure::at(variable.value, messages::not_found("variable", &variable.name)));
        };
        self.begin(&identifier);
        let value = if variable.is_copy {
            let count = tree::required(variable.value, "count", messages::copy_lacks("count"))?;
            let input = tree::required(variable.value, "input", messages::copy_lacks("input"))?;
            let index = LoopIndex { variable: "i", name: &variable.name };
            self.repeat(input, count, index, Self::value)?
        } else {
            self.value(variable.value)?
        };
        out.extend([self.variable_export(&variable.name), "var ", &identifier, " = "]);
        value.write(out);
        Ok(())
    }

    fn output(&mut self, out: &mut String, member: &Member) -> Result<()> {
        let mut decorators = self.description(&member.value)?;
        let rich = self.rich_type(&member.value)?.map(|it| it.text);
        let Some(mut ty) = rich.or_else(|| type_name(member.value.get("type"))) else {
            return Err(Failure::at_member(member, messages::no_type("output", &member.key)));
        };
        // The reference writes these types as they are, which is an error.
        let plain = ty.strip_prefix("secure").filter(|it| matches!(*it, "string" | "object"));
        if let Some(plain) = plain.filter(|_| !self.options.is_exact) {
            decorators.push_str("@secure()\n");
            ty = plain.to_owned();
        }
        let Some(identifier) = self.names.lookup(NameKind::Output, &member.key) else {
            return Err(Failure::at_member(member, messages::not_found("output", &member.key)));
        };
        let value = match member.value.get("copy") {
            None => {
                let value = member.value.get("value").ok_or_else(|| Failure::new(messages::NO_VALUE))?;
                self.value(value)?
            }
            Some(copy) => {
                if copy.as_object().is_none() {
                    return Err(Failure::at(copy, messages::COPY_EXPECTED));
                }
                let count = tree::required(copy, "count", messages::copy_lacks("count"))?;
                let input = tree::required(copy, "input", messages::output_copy_lacks_input())?;
                // The reference reads the count as text, so that a number stands in quotes.
                let as_text = tree::text(tree::to_text(count));
                let count = if self.options.is_exact { &as_text } else { count };
                let index = LoopIndex { variable: "i", name: UNNAMED };
                self.repeat(input, count, index, Self::value)?
            }
        };
        out.extend([&decorators, "output ", &identifier, " ", &ty, "= "]);
        value.write(out);
        Ok(())
    }

    /// `@description` from the metadata of something.
    pub(crate) fn description(&mut self, node: &Node) -> Result<String> {
        let metadata = self.metadata_of(node)?;
        Ok(self.described(&metadata))
    }

    /// The members of the metadata of something.
    fn metadata_of(&mut self, node: &Node) -> Result<Vec<Property>> {
        let Some(metadata) = node.get("metadata") else { return Ok(Vec::new()) };
        Ok(match self.value(metadata)? {
            Syntax::Object(properties) => properties,
            _ => Vec::new(),
        })
    }

    fn described(&self, metadata: &[Property]) -> String {
        let Some(description) = metadata.iter().find(|it| it.name() == Some("description")) else {
            return String::new();
        };
        let mut text = String::from(if self.names.hides("description") { "@sys." } else { "@" });
        text.push_str("description(");
        description.value.write(&mut text);
        text.push_str(")\n");
        text
    }

    /// `@metadata` with everything but the description.
    fn other_metadata(&self, mut properties: Vec<Property>) -> String {
        // What a Bicep compiler notes for itself is not for people.
        let is_note = |name: Option<&str>| name.is_some_and(|it| it.starts_with("__bicep_"));
        let is_exact = self.options.is_exact;
        properties.retain(|it| it.name() != Some("description") && (is_exact || !is_note(it.name())));
        if properties.is_empty() {
            return String::new();
        }
        // The reference puts the members side by side, which is no Bicep where there are several.
        let separator = if self.options.is_exact { "" } else { "," };
        format!("@metadata({{{}}})\n", syntax::members(&properties, separator))
    }
}

/// What stands between the statements of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Blank,
}

/// Writes a statement for each item.
fn block<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    gap: Gap,
    mut statement: impl FnMut(&mut String, T) -> Result<()>,
) -> Result<()> {
    let mut is_first = true;
    for item in items {
        if gap == Gap::Blank && !is_first {
            out.push_str("\n\n");
        }
        statement(out, item)?;
        out.push('\n');
        is_first = false;
    }
    if !is_first {
        out.push_str("\n\n");
    }
    Ok(())
}

/// `targetScope` by the schema of a template.
fn target_scope(template: &Node, is_exact: bool) -> Result<String> {
    let schema = tree::required(template, "$schema", messages::SCHEMA_MISSING)?;
    let text = tree::to_text(schema);
    let scope = match schema_path(&text) {
        Some("/schemas/2019-08-01/tenantDeploymentTemplate.json") => "tenant",
        Some("/schemas/2019-08-01/managementGroupDeploymentTemplate.json") => "managementGroup",
        Some("/schemas/2018-05-01/subscriptionDeploymentTemplate.json") => "subscription",
        Some("/dsc/schemas/v3/bundled/config/document.json") => "local",
        Some(
            "/schemas/2014-04-01-preview/deploymentTemplate.json"
            | "/schemas/2015-01-01/deploymentTemplate.json"
            | "/schemas/2019-04-01/deploymentTemplate.json",
        ) => return Ok(String::new()),
        _ if is_exact => return Err(Failure::at(schema, messages::unknown_schema(&text))),
        // Whatever its version, the name says what it is for.
        path => match path.and_then(|path| path.rsplit('/').next()).map(str::to_lowercase).as_deref() {
            Some("tenantdeploymenttemplate.json") => "tenant",
            Some("managementgroupdeploymenttemplate.json") => "managementGroup",
            Some("subscriptiondeploymenttemplate.json") => "subscription",
            Some("deploymenttemplate.json") => return Ok(String::new()),
            _ if tree::find(template, "resources").is_some() => return Ok(String::new()),
            _ => return Err(Failure::at(schema, messages::unknown_schema(&text))),
        },
    };
    Ok(format!("targetScope = {}\n", syntax::quoted(scope)))
}

/// The path of a schema's address.
fn schema_path(address: &str) -> Option<&str> {
    let (scheme, rest) = address.trim().split_once("://")?;
    if scheme.is_empty() {
        return None;
    }
    let path = rest.get(rest.find('/')?..)?;
    path.split(['?', '#']).next()
}

fn members<'n>(node: &'n Node, name: &str) -> &'n [Member] {
    let object = tree::find(node, name).and_then(|member| member.value.as_object());
    object.map(json::Object::members).unwrap_or_default()
}

fn items<'n>(node: &'n Node, name: &str) -> &'n [Node] {
    tree::find(node, name).and_then(|member| member.value.as_array()).unwrap_or_default()
}

fn text_of(node: &Node) -> Result<&str> {
    node.as_str().ok_or_else(|| Failure::at(node, messages::NOT_A_STRING))
}

fn type_name(node: Option<&Node>) -> Option<String> {
    match &node?.value {
        Kind::Null => None,
        Kind::String(name) => Some(lowercase(name).into_owned()),
        _ => Some(tree::to_text(node?).to_lowercase()),
    }
}

/// A function of a template.
struct Function<'n> {
    namespace: &'n str,
    name: &'n str,
    declaration: &'n Node,
}

impl Function<'_> {
    fn identifier(&self) -> String {
        function_name(self.namespace, self.name)
    }
}

/// What a function of a template is called in Bicep. The namespace `__bicep` is the one of templates that come from Bicep.
pub(crate) fn function_name(namespace: &str, name: &str) -> String {
    if namespace == "__bicep" { name.to_owned() } else { format!("{namespace}_{name}") }
}

fn functions(namespaces: &[Node]) -> Result<Vec<Function<'_>>> {
    let mut found = Vec::new();
    for space in namespaces {
        if space.as_object().is_none() {
            return Err(Failure::at(space, messages::NOT_AN_OBJECT));
        }
        let namespace = text_of(tree::required(space, "namespace", messages::lacks("namespace"))?)?;
        let members = tree::required(space, "members", messages::lacks("members"))?;
        let Some(members) = members.as_object() else {
            return Err(Failure::at(members, messages::NOT_AN_OBJECT));
        };
        for member in members {
            if member.value.as_object().is_none() {
                return Err(Failure::at(&member.value, messages::NOT_AN_OBJECT));
            }
            found.push(Function { namespace, name: &member.key, declaration: &member.value });
        }
    }
    Ok(found)
}

/// A variable of a template.
pub(crate) struct Variable<'n> {
    name: String,
    value: &'n Node,
    is_copy: bool,
}

/// The variables in their order, those that are made by loops behind the others.
fn variables(members: &[Member]) -> Result<Vec<Variable<'_>>> {
    let is_copies = |member: &&Member| member.key.eq_ignore_ascii_case("copy");
    let plain = members.iter().filter(|it| !is_copies(it));
    let mut found: Vec<Variable<'_>> =
        plain.map(|it| Variable { name: it.key.clone(), value: &it.value, is_copy: false }).collect();
    let copies = members.iter().find(is_copies).and_then(|it| it.value.as_array()).unwrap_or_default();
    for value in copies {
        if value.as_object().is_none() {
            return Err(Failure::at(value, messages::COPY_EXPECTED));
        }
        let name = tree::to_text(tree::required(value, "name", messages::copy_lacks("name"))?);
        found.push(Variable { name, value, is_copy: true });
    }
    Ok(found)
}
