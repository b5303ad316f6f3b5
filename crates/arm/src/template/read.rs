//! Documents to the model.

use smol_str::SmolStr;

use super::term::{loop_term, loops};
use super::{
    Additional, Copy, Discriminator, Extension, FunctionParameter, Items, LambdaConstraint, Names, Nested,
    Output, Parameter, Primitive, Resource, TargetScope, Template, Term, TypeNode, UserConstraint,
    UserFunction, validators,
};
use crate::document::{Member, Node, NodeKind, Object, deep};
use crate::error::{Error, Step};
use crate::limits::MAX_READ;
use crate::messages;
use crate::value::Value;

pub(super) fn template(root: &Node) -> (Template, Vec<Error>) {
    interpret(root, Level::default())
}

/// A type alone.
pub(super) fn type_node(node: &Node) -> TypeNode {
    TemplateReader::default().type_node(node)
}

fn interpret(root: &Node, level: Level) -> (Template, Vec<Error>) {
    let mut reader = TemplateReader { level, ..TemplateReader::default() };
    let template = reader.template(root);
    (template, reader.errors)
}

#[derive(Default)]
struct TemplateReader {
    level: Level,
    /// Whether nested templates stand for themselves unless they say otherwise: language version 2.0 and later.
    is_inner_by_default: bool,
    /// Whether a type names a validator.
    has_validators: bool,
    errors: Vec<Error>,
    resources: Vec<Resource>,
}

/// Where a template stands in others.
#[derive(Default, Clone, Copy)]
struct Level {
    is_nested: bool,
    /// How many templates around it, from it outwards, belong to the expressions of the one around them: each of those
    /// evaluations takes one escape off the texts inside.
    evaluations: usize,
}

/// What is known about the resource around a list of resources.
struct ParentResource<'p> {
    path: &'p [Step],
    parent: Option<usize>,
}

impl TemplateReader {
    fn template(&mut self, root: &Node) -> Template {
        let mut template = Template { range: root.range, document: root.clone(), ..Template::default() };
        if root.as_object().is_none() {
            self.errors.push(messages::not_a_template().at(root.range));
            return template;
        }
        self.head(root, &mut template);
        template.definitions = self.named(root, "definitions", Self::type_node);
        template.parameters = self.named(root, "parameters", |reader, node| Parameter {
            range: node.range,
            schema: reader.type_node(node),
            default: node.get_ignore_case("defaultValue").map(Term::of),
        });
        template.variables = self.variables(root);
        template.functions = self.functions(root);
        template.extensions = self.extensions(root);
        template.outputs = self.named(root, "outputs", Self::output);
        if self.has_validators {
            self.errors.extend(validators::problems(&template));
        }
        template.asserts = self.named(root, "asserts", |_, node| Term::of(node));
        match root.get_ignore_case("resources") {
            Some(resources) => {
                template.symbolic = resources.as_object().is_some();
                self.resources(resources, &ParentResource { path: &[Step::from("resources")], parent: None });
                template.resources = std::mem::take(&mut self.resources);
            }
            None => self.errors.push(messages::missing_member("resources").at(root.range)),
        }
        template
    }

    fn head(&mut self, root: &Node, template: &mut Template) {
        let text = |name: &str| root.get_ignore_case(name).and_then(Node::as_str).map(SmolStr::new);
        template.language_version = text("languageVersion");
        self.is_inner_by_default =
            template.language_version.as_deref().is_some_and(|it| it.starts_with("2."));
        template.content_version = text("contentVersion");
        template.api_profile = text("apiProfile");
        template.metadata = root.get_ignore_case("metadata").map(Value::from).unwrap_or_default();
        match text("$schema") {
            None => self.errors.push(messages::missing_member("$schema").at(root.range)),
            Some(schema) => match TargetScope::of_schema(&schema) {
                Some(scope) => template.scope = scope,
                // The service takes the schema of parameter files for a nested template.
                None if self.level.is_nested && is_parameters_schema(&schema) => {}
                None => self.errors.push(messages::unknown_schema(&schema).within("$schema").at(root.range)),
            },
        }
        if template.content_version.is_none() {
            self.errors.push(messages::missing_member("contentVersion").at(root.range));
        }
        const SECTIONS: &[&str] = &[
            "$schema",
            "languageVersion",
            "contentVersion",
            "apiProfile",
            "metadata",
            "definitions",
            "parameters",
            "variables",
            "functions",
            "resources",
            "outputs",
            "imports",
            "extensions",
            "asserts",
        ];
        for member in root.as_object().into_iter().flatten() {
            if !SECTIONS.iter().any(|known| json::eq_ignore_case(known, &member.key)) {
                let error = messages::unknown_section(&member.key);
                self.errors.push(error.within(member.key.as_str()).at(member.key_range));
            }
        }
    }

    /// The members of a section, each read on its own.
    fn named<T>(&mut self, root: &Node, name: &str, read: impl Fn(&mut Self, &Node) -> T) -> Names<T> {
        let Some(section) = root.get_ignore_case(name) else { return Names::default() };
        let NodeKind::Object(object) = &section.kind else {
            if !section.is_null() {
                self.errors.push(messages::wrong_kind("an object").within(name).at(section.range));
            }
            return Names::default();
        };
        // Of what the service limits, what is far beyond is not read: the count alone is an error.
        let most = if matches!(name, "parameters" | "outputs") { MAX_READ } else { usize::MAX };
        let members = object.iter().take(most);
        let steps = |key: &SmolStr| [Step::from(name), Step::from(key.clone())];
        let mut read =
            |member: &Member| self.within(&steps(&member.key), |reader| read(reader, &member.value));
        members.map(|member| (member.key.clone(), read(member))).collect()
    }

    /// Reads a part; what is wrong with it gets the way to it.
    fn within<T>(&mut self, steps: &[Step], read: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.errors.len();
        let part = read(self);
        let found = self.errors.split_off(known);
        let placed = |error| steps.iter().rev().cloned().fold(error, Error::within);
        self.errors.extend(found.into_iter().map(placed));
        part
    }

    /// Reads the type of a part.
    fn part(&mut self, steps: &[Step], node: &Node) -> TypeNode {
        self.within(steps, |reader| deep(|| reader.type_node(node)))
    }

    fn variables(&mut self, root: &Node) -> Names<Term> {
        let Some(NodeKind::Object(object)) = root.get_ignore_case("variables").map(|node| &node.kind) else {
            return Names::default();
        };
        let mut variables = Names::default();
        for member in object.iter().take(MAX_READ) {
            match (json::eq_ignore_case(&member.key, "copy"), loops(&member.value)) {
                (true, Some(loops)) => {
                    for (name, term) in loops {
                        variables.insert(name, term);
                    }
                }
                _ => variables.insert(member.key.clone(), Term::of(&member.value)),
            }
        }
        variables
    }

    fn functions(&mut self, root: &Node) -> Names<UserFunction> {
        let mut functions = Names::default();
        let spaces = root.get_ignore_case("functions").and_then(Node::as_array).unwrap_or_default();
        for space in spaces {
            let namespace = space.get_ignore_case("namespace").and_then(Node::as_str).unwrap_or_default();
            let members = space.get_ignore_case("members").and_then(Node::as_object);
            for member in members.into_iter().flatten() {
                if let Some(function) = self.function(&member.value) {
                    functions.insert(SmolStr::from(format!("{namespace}.{}", member.key)), function);
                }
            }
        }
        functions
    }

    fn function(&mut self, node: &Node) -> Option<UserFunction> {
        let Some(output) = node.get_ignore_case("output") else {
            self.errors.push(messages::missing_member("output").within("functions").at(node.range));
            return None;
        };
        let parameters = node.get_ignore_case("parameters").and_then(Node::as_array).unwrap_or_default();
        let parameters = parameters.iter().map(|parameter| FunctionParameter {
            name: parameter.get_ignore_case("name").and_then(Node::as_str).unwrap_or_default().into(),
            schema: self.type_node(parameter),
        });
        let parameters = parameters.collect();
        let value = output.get_ignore_case("value").map(Term::of);
        Some(UserFunction {
            range: node.range,
            parameters,
            schema: self.type_node(output),
            output: value.unwrap_or_else(|| Term::literal(Value::NULL, output.range)),
        })
    }

    fn extensions(&mut self, root: &Node) -> Names<Extension> {
        let mut all = self.named(root, "imports", |_, node| extension(node, "provider"));
        let newer = self.named(root, "extensions", |_, node| extension(node, "name"));
        for (alias, extension) in newer.into_items() {
            all.insert(alias, extension);
        }
        all
    }

    fn output(&mut self, node: &Node) -> Output {
        let copy = node.get_ignore_case("copy").and_then(|copy| loop_term(SmolStr::default(), copy));
        Output {
            range: node.range,
            schema: self.type_node(node),
            condition: node.get_ignore_case("condition").map(Term::of),
            value: copy.or_else(|| node.get_ignore_case("value").map(Term::of)),
        }
    }

    /// A list of resources or an object of them, children included.
    fn resources(&mut self, node: &Node, around: &ParentResource<'_>) {
        match &node.kind {
            NodeKind::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    deep(|| self.resource(item, Step::Index(index), around));
                }
            }
            NodeKind::Object(object) => {
                for member in object.iter() {
                    deep(|| self.resource(&member.value, Step::from(member.key.as_str()), around));
                }
            }
            NodeKind::Null => {}
            _ => self
                .errors
                .push(messages::wrong_kind("an array or an object").within("resources").at(node.range)),
        }
    }

    fn resource(&mut self, node: &Node, step: Step, around: &ParentResource<'_>) {
        if self.resources.len() >= MAX_READ {
            return;
        }
        let mut path = around.path.to_vec();
        path.push(step.clone());
        if node.as_object().is_none() {
            let error = messages::wrong_kind("an object").at(node.range);
            self.errors.push(path.into_iter().rev().fold(error, Error::within));
            return;
        }
        let term = |name: &str| node.get_ignore_case(name).map(Term::of);
        let text = |name: &str| node.get_ignore_case(name).and_then(Node::as_str).map(SmolStr::new);
        let resource_type = term("type");
        let is_deployment = resource_type
            .as_ref()
            .and_then(|term| term.as_literal()?.as_str())
            .is_some_and(|name| json::eq_ignore_case(name, "Microsoft.Resources/deployments"));
        let extension = text("extension").or_else(|| text("import"));
        let deployment = (is_deployment && extension.is_none()).then(|| self.nested(node, &path));
        let position = self.resources.len();
        let copy = self.copy(node, &path);
        self.resources.push(Resource {
            range: node.range,
            path: path.clone(),
            symbol: if let Step::Key(symbol) = step { Some(symbol) } else { None },
            parent: around.parent,
            condition: term("condition"),
            existing: node.get_ignore_case("existing").and_then(Node::as_bool).unwrap_or(false),
            extension,
            resource_type,
            api_version: term("apiVersion"),
            name: term("name"),
            scope: term("scope"),
            subscription: term("subscriptionId"),
            resource_group: term("resourceGroup"),
            depends_on: term("dependsOn"),
            copy,
            body: body(node, deployment.is_some()),
            options: term("@options"),
            deployment,
        });
        if let Some(children) = node.get_ignore_case("resources") {
            path.push(Step::from("resources"));
            self.resources(children, &ParentResource { path: &path, parent: Some(position) });
        }
    }

    fn copy(&mut self, node: &Node, path: &[Step]) -> Option<Copy> {
        let copy = node.get_ignore_case("copy").filter(|copy| !copy.is_null())?;
        let (Some(name), Some(count)) =
            (copy.get_ignore_case("name").and_then(Node::as_str), copy.get_ignore_case("count"))
        else {
            let error = messages::incomplete_copy().within("copy").at(copy.range);
            self.errors.push(path.iter().rev().cloned().fold(error, Error::within));
            return None;
        };
        let mode = copy.get_ignore_case("mode").and_then(Node::as_str).unwrap_or("parallel");
        Some(Copy {
            range: copy.range,
            name: name.into(),
            count: Term::of(count),
            serial: mode.eq_ignore_ascii_case("serial"),
            batch_size: copy.get_ignore_case("batchSize").map(Term::of),
        })
    }

    fn nested(&mut self, node: &Node, path: &[Step]) -> Nested {
        let properties = node.get_ignore_case("properties");
        let member = |name: &str| properties.and_then(|node| node.get_ignore_case(name));
        let outer = member("expressionEvaluationOptions")
            .and_then(|options| options.get_ignore_case("scope")?.as_str())
            .map_or(!self.is_inner_by_default, |scope| !scope.eq_ignore_ascii_case("inner"));
        let template = member("template").filter(|node| node.as_object().is_some()).map(|node| {
            let (template, errors) = deep(|| match outer {
                true => {
                    let evaluations = self.level.evaluations + 1;
                    interpret(node, Level { is_nested: true, evaluations })
                }
                false => {
                    let node = (0..self.level.evaluations).fold(node.clone(), |node, _| node.unescaped());
                    interpret(&node, Level { is_nested: true, evaluations: 0 })
                }
            });
            let inner = [Step::from("properties"), Step::from("template")];
            let steps: Vec<&Step> = path.iter().chain(&inner).collect();
            self.errors.extend(
                errors
                    .into_iter()
                    .map(|error| steps.iter().rev().fold(error, |e, step| e.within((*step).clone()))),
            );
            Box::new(template)
        });
        Nested {
            outer: outer && template.is_some(),
            template,
            parameters: member("parameters").map(Term::of),
            template_link: member("templateLink").map(Term::of),
        }
    }

    fn type_node(&mut self, node: &Node) -> TypeNode {
        let mut ty = TypeNode { range: node.range, ..TypeNode::default() };
        if node.as_object().is_none() {
            self.errors.push(messages::wrong_kind("an object").at(node.range));
            return ty;
        }
        let [kind, reference, nullable, allowed, validate, constraints] =
            node.members(["type", "$ref", "nullable", "allowedValues", "validate", "userDefinedConstraint"]);
        if let Some(name) = kind.and_then(Node::as_str) {
            match primitive(name) {
                Some((primitive, secure)) => (ty.primitive, ty.secure) = (Some(primitive), secure),
                None => self.errors.push(messages::unknown_type(name).at(node.range)),
            }
        }
        ty.reference = reference.and_then(Node::as_str).map(SmolStr::new);
        ty.nullable = nullable.and_then(Node::as_bool);
        ty.allowed = allowed.and_then(Node::as_array).map(|items| {
            items
                .iter()
                .map(|item| Term::of(item).as_literal().cloned().unwrap_or_else(|| item.into()))
                .collect()
        });
        let bounds = node.members(["minValue", "maxValue", "minLength", "maxLength"]);
        [ty.min_value, ty.max_value, ty.min_length, ty.max_length] =
            bounds.map(|bound| bound.and_then(Node::as_i64));
        self.structure(node, &mut ty);
        ty.validate = validate.and_then(lambda_constraint);
        ty.constraints = constraints.map(user_constraints).unwrap_or_default();
        self.has_validators |= !ty.constraints.is_empty();
        for arguments in constraints.into_iter().flat_map(wrong_arguments) {
            let error = messages::additional_arguments_not_an_array().within("additionalArguments");
            self.errors.push(error.within("userDefinedConstraint").at(arguments.range));
        }
        ty
    }

    fn structure(&mut self, node: &Node, ty: &mut TypeNode) {
        let [prefix_items, items, properties, additional, discriminator] =
            node.members(["prefixItems", "items", "properties", "additionalProperties", "discriminator"]);
        ty.prefix_items =
            prefix_items.and_then(Node::as_array).map(|items| items.iter().enumerate()).map(|items| {
                items.map(|(at, item)| self.part(&["prefixItems".into(), at.into()], item)).collect()
            });
        ty.items = items.and_then(|items| match items.kind {
            NodeKind::Bool(false) => Some(Items::None),
            NodeKind::Bool(true) => None,
            _ => Some(Items::Of(Box::new(self.part(&["items".into()], items)))),
        });
        if properties.is_some() {
            ty.properties =
                Some(self.named(node, "properties", |reader, node| deep(|| reader.type_node(node))));
        }
        ty.additional = additional.and_then(|other| match other.kind {
            NodeKind::Bool(false) => Some(Additional::None),
            NodeKind::Bool(true) => None,
            _ => Some(Additional::Of(Box::new(self.part(&["additionalProperties".into()], other)))),
        });
        ty.discriminator = discriminator.and_then(|discriminator| {
            let property = discriminator.get_ignore_case("propertyName")?.as_str()?.into();
            let mapping = self.within(&["discriminator".into()], |reader| {
                reader.named(discriminator, "mapping", |reader, node| deep(|| reader.type_node(node)))
            });
            Some(Box::new(Discriminator { property, mapping }))
        });
    }
}

/// What is sent to the provider: all but what the engine itself uses. Of a deployment, the template and its parameters
/// are kept apart.
fn body(node: &Node, deployment: bool) -> Vec<(SmolStr, Term)> {
    const ENGINE: &[&str] = &[
        "condition",
        "type",
        "apiVersion",
        "name",
        "scope",
        "subscriptionId",
        "resourceGroup",
        "dependsOn",
        "copy",
        "existing",
        "import",
        "extension",
        "@options",
        "method",
        "comments",
        "metadata",
        "resources",
        "asserts",
    ];
    let mut body = Vec::new();
    for member in node.as_object().into_iter().flatten() {
        if ENGINE.iter().any(|name| json::eq_ignore_case(name, &member.key)) {
            continue;
        }
        let is_properties = json::eq_ignore_case(&member.key, "properties");
        let term = match (&member.value.kind, is_properties && deployment) {
            (NodeKind::Object(properties), true) => {
                let kept = properties.iter().filter(|inner| {
                    !["template", "parameters"].iter().any(|name| json::eq_ignore_case(name, &inner.key))
                });
                let object = Object::new(kept.cloned().collect());
                Term::of(&Node::new(object.into(), member.value.range))
            }
            _ => Term::of(&member.value),
        };
        body.push((member.key.clone(), term));
    }
    body
}

fn extension(node: &Node, name: &str) -> Extension {
    let text = |name: &str| node.get_ignore_case(name).and_then(Node::as_str).unwrap_or_default().into();
    Extension {
        range: node.range,
        name: text(name),
        version: text("version"),
        config: node.get_ignore_case("config").map(Term::of),
    }
}

fn lambda_constraint(node: &Node) -> Option<LambdaConstraint> {
    let (lambda, message) = match node.as_array() {
        Some([lambda]) => (lambda, None),
        Some([lambda, message, ..]) => (lambda, Some(Term::of(message))),
        Some([]) => return None,
        None => (node, None),
    };
    Some(LambdaConstraint { range: node.range, lambda: Term::of(lambda), message })
}

/// One object, or a list of them.
fn constraints(node: &Node) -> &[Node] {
    match &node.kind {
        NodeKind::Array(items) => items,
        _ => std::slice::from_ref(node),
    }
}

fn wrong_arguments(constraint: &Node) -> impl Iterator<Item = &Node> {
    let arguments = constraints(constraint).iter().filter_map(|it| it.get_ignore_case("additionalArguments"));
    arguments.filter(|arguments| arguments.as_array().is_none() && !arguments.is_null())
}

fn user_constraints(node: &Node) -> Vec<UserConstraint> {
    let constraint = |node: &Node| {
        let text = |name: &str| node.get_ignore_case(name).and_then(Node::as_str).map(SmolStr::new);
        let arguments =
            node.get_ignore_case("additionalArguments").and_then(Node::as_array).unwrap_or_default();
        UserConstraint {
            range: node.range,
            namespace: text("namespace"),
            name: text("name"),
            arguments: arguments.iter().map(Term::of).collect(),
        }
    };
    constraints(node).iter().map(constraint).collect()
}

/// The name of a type, and whether it is a secret.
fn primitive(name: &str) -> Option<(Primitive, bool)> {
    Some(match name.to_ascii_lowercase().as_str() {
        "string" => (Primitive::String, false),
        "securestring" => (Primitive::String, true),
        "int" => (Primitive::Int, false),
        "bool" => (Primitive::Bool, false),
        "object" => (Primitive::Object, false),
        "secureobject" => (Primitive::Object, true),
        "array" => (Primitive::Array, false),
        _ => return None,
    })
}

/// Whether a schema is that of a parameters file.
pub(crate) fn is_parameters_schema(schema: &str) -> bool {
    let name = schema.trim_end_matches('#').rsplit('/').next();
    name.is_some_and(|name| name.eq_ignore_ascii_case("deploymentParameters.json"))
}
