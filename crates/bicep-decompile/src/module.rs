//! Deployments of the template → `module` statements. A nested template becomes a file beside; a linked one is only named.

use std::borrow::Cow;
use std::rc::Rc;

use arm::expression::{Expr, ExprKind};
use config::paths::{normalize, relative};
use json::{Kind, Node};

use crate::failure::{Failure, Result};
use crate::messages;
use crate::nested::self_contained;
use crate::resource::Head;
use crate::strings;
use crate::syntax::{self, Property, Syntax};
use crate::template::Converter;
use crate::tree;
use crate::{Draft, Hints, Options};

/// The members that a deployment may have.
const MEMBERS: &[&str] = &[
    "name",
    "type",
    "apiVersion",
    "location",
    "properties",
    "dependsOn",
    "comments",
    "metadata",
    "condition",
    "copy",
    "resourceGroup",
    "subscriptionId",
];

impl Converter<'_> {
    pub(crate) fn module(
        &mut self,
        out: &mut String,
        resource: &Node,
        head: &Head,
        symbol: &str,
    ) -> Result<()> {
        if self.options.is_exact && tree::find(resource, "scope").is_some() {
            return Err(Failure::at(resource, messages::SCOPE_UNSUPPORTED));
        }
        for member in resource.as_object().into_iter().flat_map(|object| object.iter()) {
            let is_known = MEMBERS.iter().any(|name| name.eq_ignore_ascii_case(&member.key));
            if !is_known && self.options.is_exact {
                return Err(Failure::at_member(member, messages::unknown_member(&member.key)));
            }
        }
        let template = tree::nested(resource, &["properties", "template"]);
        let (path, statement) = match template {
            Some(template) => self.nested_module(resource, template, head, symbol)?,
            None => self.linked_module(resource)?,
        };
        out.extend([&statement.decorators, "module ", symbol, " ", &path, "= "]);
        statement.body.write(out);
        Ok(())
    }

    /// Whether a deployment becomes a module. One whose template cannot be named in Bicep stays a resource, which deploys the
    /// same; the reference makes a module of it that does not compile.
    pub(crate) fn becomes_module(&self, resource: &Node) -> Result<bool> {
        if self.options.is_exact || tree::nested(resource, &["properties", "template"]).is_some() {
            return Ok(true);
        }
        let link = |name: &str| tree::nested(resource, &["properties", "templateLink", name]);
        if let Some(address) = link("uri").or_else(|| link("relativePath")) {
            let Ok(Some(path)) = self.local_template(&tree::to_text(address)) else { return Ok(false) };
            // Without a place to look there is nothing but the path.
            return Ok(!path.contains("://") && self.hints.is_none_or(|hints| hints.has_template(&path)));
        }
        Ok(link("id").is_some_and(|id| template_spec(&tree::to_text(id)).is_some()))
    }

    fn nested_module(
        &mut self,
        resource: &Node,
        template: &Node,
        head: &Head,
        symbol: &str,
    ) -> Result<(String, ModuleStatement)> {
        if template.as_object().is_none() {
            return Err(Failure::at(template, messages::template_expected(&head.ty, &head.name)));
        }
        let mut resource = tree::copy_without(resource, &["properties", "template"]);
        let scope = tree::nested(&resource, &["properties", "expressionEvaluationOptions", "scope"]);
        let is_inner = match scope {
            Some(scope) => tree::to_text(scope).eq_ignore_ascii_case("inner"),
            // From language version 2.0 on, a nested template stands for itself unless it says otherwise.
            None => !self.options.is_exact && self.is_symbolic,
        };
        let mut template = if is_inner {
            Cow::Borrowed(template)
        } else {
            let outer = self_contained(template, self.template, &self.expressions, self.options.is_exact)?;
            set_nested(&mut resource, &["properties", "parameters"], outer.arguments);
            Cow::Owned(outer.template)
        };
        if !self.options.is_exact && is_for_subscription(&resource) && !has_scope(&template) {
            tree::set(template.to_mut(), "$schema", tree::text(SUBSCRIPTION_SCHEMA));
        }
        let statement = self.module_statement(&resource)?;
        let mut path = format!("nested_{symbol}.bicep");
        let is_taken = |path: &str| self.files.iter().any(|file| file.path == path);
        if is_taken(&path) {
            if self.options.is_exact {
                let message = messages::duplicate_module(&path, &head.ty, &head.name);
                return Err(Failure::at(&template, message));
            }
            let mut numbered = (2..=1000).map(|number| format!("nested_{symbol}{number}.bicep"));
            path = numbered.find(|path| !is_taken(path)).unwrap_or(path);
        }
        let options = Options { allow_missing: self.options.allow_missing_in_nested, ..self.options };
        // A template inside of this one must not take its name. The reference writes both into one file.
        let place = self.files.len();
        if !self.options.is_exact {
            self.files.push(Draft { path: path.clone().into(), text: "".into() });
        }
        let nested = Converter {
            hints: self.hints,
            file: path.clone(),
            expressions: Rc::clone(&self.expressions),
            ..Converter::new(&template, options, self.files)
        };
        let (text, _) = base::recurse(|| nested.convert())?;
        if !self.options.is_exact {
            self.files.remove(place);
        }
        self.files.push(Draft { path: path.clone().into(), text: text.into() });
        Ok((syntax::quoted(&format!("./{path}")), statement))
    }

    fn linked_module(&mut self, resource: &Node) -> Result<(String, ModuleStatement)> {
        let link = |name: &str| tree::nested(resource, &["properties", "templateLink", name]);
        let statement = self.module_statement(resource)?;
        let text = |node: Option<&Node>| node.filter(|it| !it.is_null()).map(tree::to_text);
        let path = match text(link("uri").or_else(|| link("relativePath"))) {
            Some(address) => self.linked_path(&address)?,
            None => {
                let name = resource.get("name").map(tree::to_text).unwrap_or_default();
                let Some(id) = text(link("id")) else {
                    return Err(Failure::at(resource, messages::no_template(&name)));
                };
                let spec = template_spec(&id)
                    .ok_or_else(|| Failure::at(resource, messages::bad_template_spec(&id, &name)))?;
                syntax::quoted(&spec)
            }
        };
        Ok((path, statement))
    }

    /// The path of a linked template; a mark for a person where it cannot be read off the address.
    fn linked_path(&self, address: &str) -> Result<String> {
        match self.local_template(address)? {
            Some(path) => Ok(syntax::quoted(&match self.hints.filter(|_| !self.options.is_exact) {
                Some(hints) => hints.path_to_template(&path),
                None => path,
            })),
            None => {
                let address = address.replace("*/", "*\\/");
                Ok(format!("'?' /*TODO: replace with correct path to {address}*/"))
            }
        }
    }

    /// The path of a linked template on disk, as far as the address says it.
    fn local_template(&self, address: &str) -> Result<Option<String>> {
        local_path(&strings::flatten(&self.with_variables_inlined(&self.expressions.parse(address)?)?)?)
    }

    /// The values of variables in the place of their names, wherever they are texts.
    fn with_variables_inlined(&self, expr: &Expr) -> Result<Expr> {
        base::recurse(|| match expr.kind() {
            ExprKind::Access { base, path } => {
                if let Some(value) = self.variable_text(base)? {
                    return self.with_variables_inlined(&value);
                }
                let base = self.with_variables_inlined(base)?;
                Ok(path.iter().fold(base, |base, step| base.access(step.clone())))
            }
            ExprKind::Call(call) => {
                if let Some(value) = self.variable_text(expr)? {
                    return self.with_variables_inlined(&value);
                }
                let args: Result<Vec<Expr>> =
                    call.args.iter().map(|arg| self.with_variables_inlined(arg)).collect();
                Ok(Expr::call(&call.name, args?))
            }
            _ => Ok(expr.clone()),
        })
    }

    fn variable_text(&self, expr: &Expr) -> Result<Option<Expr>> {
        let ExprKind::Call(call) = expr.kind() else { return Ok(None) };
        let ("variables", [name]) = (call.name.as_str(), call.args.as_slice()) else { return Ok(None) };
        let Some(name) = strings::literal(name) else { return Ok(None) };
        let Some(value) = self.template.get("variables").and_then(|variables| variables.get(&name)) else {
            return Err(Failure::new(messages::variable_not_resolved(&name)));
        };
        value.as_str().map(|text| self.expressions.parse(text)).transpose()
    }

    fn module_statement(&mut self, resource: &Node) -> Result<ModuleStatement> {
        let mut decorators = self.description(resource)?;
        let (body, loop_decorators) = self.resource_loop(resource, |converter, resource| {
            let body = converter.module_body(resource)?;
            // The reference loses the condition of a module in a loop.
            let is_loop = tree::find(resource, "copy").is_some_and(|it| it.value.as_object().is_some());
            if is_loop && !converter.options.is_exact {
                converter.conditional(resource, body)
            } else {
                Ok(body)
            }
        })?;
        decorators.push_str(&loop_decorators);
        Ok(ModuleStatement { decorators, body: self.conditional(resource, body)? })
    }

    fn module_body(&mut self, resource: &Node) -> Result<Syntax> {
        let mut params = Vec::new();
        let given = resource.get("properties").and_then(|properties| properties.get("parameters"));
        for member in given.and_then(Node::as_object).into_iter().flat_map(|object| object.iter()) {
            if let Some(value) = self.unusual_argument(&member.value)? {
                params.push(Property::new(&member.key, value));
                continue;
            }
            if member.value.as_object().is_none() {
                let message = match &member.value.value {
                    Kind::String(text) if text.starts_with('[') => messages::EXPRESSION_FOR_OBJECT.to_owned(),
                    _ => messages::object_expected(&tree::to_text(&member.value)),
                };
                return Err(Failure::at(&member.value, message));
            }
            if let Some(reference) = member.value.get("reference") {
                return Err(Failure::at(reference, messages::secret_reference(&member.key)));
            }
            let value = member.value.get("value").ok_or_else(|| Failure::new(messages::NO_VALUE))?;
            params.push(Property::new(&member.key, self.value(value)?));
        }
        let name = tree::find(resource, "name").ok_or_else(|| Failure::new(messages::NO_VALUE))?;
        let mut properties = vec![Property::new("name", self.value(&name.value)?)];
        if let Some(scope) = self.module_scope(resource)? {
            properties.push(Property::new("scope", scope));
        }
        properties.push(Property::new("params", Syntax::Object(params)));
        if let Some(dependencies) = self.depends_on(resource)? {
            properties.push(Property::new("dependsOn", dependencies));
        }
        Ok(Syntax::Object(properties))
    }

    /// The value of a parameter that an expression gives as a whole, that is made by a loop, or that is a secret of a key vault. The
    /// reference refuses all of them.
    fn unusual_argument(&mut self, argument: &Node) -> Result<Option<Syntax>> {
        if self.options.is_exact {
            return Ok(None);
        }
        if let Some(reference) = tree::find(argument, "reference") {
            let secret = self.vault_secret(&reference.value.clone())?;
            let unknown = || Syntax::Other("null /*TODO: a secret of a key vault*/".to_owned());
            return Ok(Some(secret.unwrap_or_else(unknown)));
        }
        if let Some([copy]) = tree::find(argument, "copy").and_then(|it| it.value.as_array())
            && tree::find(copy, "name").is_some_and(|it| tree::to_text(&it.value) == "value")
        {
            return self.property_loop(copy).map(|property| Some(property.value));
        }
        match argument.as_str().filter(|text| strings::is_expression(text)) {
            Some(text) => self.value_member(&self.expressions.parse(text)?).map(Some),
            None => Ok(None),
        }
    }

    /// The member `value` of what an expression gives, without making the object first.
    fn value_member(&mut self, expr: &Expr) -> Result<Syntax> {
        if let Some([condition, yes, no]) = strings::call_of(expr, "if") {
            let condition = self.expression(condition)?.print();
            let (yes, no) = (self.value_member(yes)?.print(), self.value_member(no)?.print());
            return Ok(Syntax::Parenthesized(format!("({condition}?{yes}:{no})")));
        }
        if let Some([key, value]) = strings::call_of(expr, "createObject")
            && strings::literal(key).as_deref() == Some("value")
        {
            return self.expression(value);
        }
        Ok(Syntax::Other(format!("{}.value", self.expression(expr)?.print())))
    }

    pub(crate) fn module_scope(&mut self, resource: &Node) -> Result<Option<Syntax>> {
        let subscription =
            tree::find(resource, "subscriptionId").map(|it| self.value(&it.value)).transpose()?;
        let group = tree::find(resource, "resourceGroup").map(|it| self.value(&it.value)).transpose()?;
        Ok(match (subscription, group) {
            (Some(subscription), Some(group)) => Some(syntax::call("resourceGroup", &[subscription, group])),
            (None, Some(group)) => Some(syntax::call("resourceGroup", &[group])),
            (Some(subscription), None) => Some(syntax::call("subscription", &[subscription])),
            (None, None) if self.options.is_exact => None,
            (None, None) => self.written_scope(resource)?,
        })
    }
}

impl Converter<'_> {
    /// The scope of a module by its id: the tenant or a management group.
    fn written_scope(&mut self, resource: &Node) -> Result<Option<Syntax>> {
        let Some(scope) = tree::find(resource, "scope") else { return Ok(None) };
        let expr = self.expressions.parse(&tree::to_text(&scope.value))?;
        if strings::literal(&expr).as_deref() == Some("/") {
            return Ok(Some(syntax::call("tenant", &[])));
        }
        let name = match strings::call_of(&expr, "tenantResourceId") {
            Some([_, name]) => Some(name.clone()),
            _ => strings::resource_id(&expr)?.filter(|id| is_management_group(&id.ty)).map(|id| id.name),
        };
        name.map(|name| Ok(syntax::call("managementGroup", &[self.expression(&name)?]))).transpose()
    }
}

impl Hints<'_> {
    /// Whether there is a template at this path from the folder of the template on.
    fn has_template(self, path: &str) -> bool {
        let place = normalize(&self.paths.template_folder.join(path));
        let source = self.setup.world().read_source(&place);
        source.is_ok_and(|source| crate::is_template(source.text()))
    }

    /// The same path from the folder of the Bicep file on.
    fn path_to_template(self, path: &str) -> String {
        let Some(folder) = self.paths.target.parent() else { return path.to_owned() };
        if folder == self.paths.template_folder {
            return path.to_owned();
        }
        relative(folder, &normalize(&self.paths.template_folder.join(path)))
    }
}

fn is_management_group(ty: &str) -> bool {
    ty.eq_ignore_ascii_case("Microsoft.Management/managementGroups")
}

/// A module statement without its path.
struct ModuleStatement {
    decorators: String,
    body: Syntax,
}

const SUBSCRIPTION_SCHEMA: &str =
    "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#";

/// Whether a deployment goes to a subscription: it names one, and no group in it.
fn is_for_subscription(resource: &Node) -> bool {
    let is_given = |name| tree::find(resource, name).is_some_and(|it| !it.value.is_null());
    is_given("subscriptionId") && !is_given("resourceGroup")
}

/// Whether a template says that it is for something else than a group. Where it is deployed to counts for the service, not what it says;
/// Bicep wants both to agree.
fn has_scope(template: &Node) -> bool {
    let schema = tree::find(template, "$schema").map(|it| tree::to_text(&it.value).to_lowercase());
    schema.is_some_and(|schema| !schema.trim_end_matches('#').ends_with("/deploymenttemplate.json"))
}

fn set_nested(node: &mut Node, path: &[&str], value: Node) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        return tree::set(node, first, value);
    }
    let Some(mut inner) = tree::find(node, first).cloned() else { return };
    set_nested(&mut inner.value, rest, value);
    tree::set(node, &inner.key.clone(), inner.value);
}

/// The path of a template on disk, as it can be read off a link.
fn local_path(link: &Expr) -> Result<Option<String>> {
    let second = |args: &[Expr]| args.get(1).cloned().ok_or_else(|| Failure::new(messages::OUT_OF_BOUNDS));
    let path = match link.kind() {
        ExprKind::Call(call) if call.name == "uri" => Some(second(&call.args)?),
        ExprKind::Call(call) if call.name == "concat" => match call.args.first().map(Expr::kind) {
            Some(ExprKind::Call(first)) if first.name == "uri" => Some(second(&first.args)?),
            Some(ExprKind::Call(first)) if first.name == "parameters" && call.args.len() == 2 => {
                Some(second(&call.args)?)
            }
            _ => None,
        },
        ExprKind::String(_) | ExprKind::Int(_) | ExprKind::Float(_) => Some(link.clone()),
        _ => None,
    };
    let Some(path) = path.as_ref().and_then(strings::literal) else { return Ok(None) };
    Ok(Some(path.strip_prefix("./").unwrap_or(&path).trim_matches('/').to_owned()))
}

/// The reference of a template spec by its id.
fn template_spec(id: &str) -> Option<String> {
    let parts: Vec<&str> = id.trim_start_matches('/').split('/').collect();
    let [subscriptions, subscription, groups, group, providers, _, rest @ ..] = parts.as_slice() else {
        return None;
    };
    let is_id = subscriptions.eq_ignore_ascii_case("subscriptions")
        && groups.eq_ignore_ascii_case("resourceGroups")
        && providers.eq_ignore_ascii_case("providers")
        && rest.len() >= 2
        && rest.len().is_multiple_of(2)
        && parts.iter().all(|part| !part.is_empty());
    let names: Vec<&str> = rest.iter().skip(1).step_by(2).copied().collect();
    match (is_id, names.first(), names.last()) {
        (true, Some(first), Some(last)) => Some(format!("ts:{subscription}/{group}/{first}:{last}")),
        _ => None,
    }
}
