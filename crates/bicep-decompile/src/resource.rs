//! Resources of the template → `resource` statements. Children come out of their parents first; deployments become modules
//! (`module.rs`).

use std::borrow::Cow;

use arm::expression::{Accessor, Expr, ExprKind};
use json::{Kind, Node};

use crate::failure::{Failure, Result};
use crate::messages;
use crate::strings;
use crate::symbolic;
use crate::syntax::{self, Property, Syntax};
use crate::template::Converter;
use crate::tree;

/// A resource as a template lists it, with its children inside.
#[derive(Debug)]
pub(crate) struct Listed<'n> {
    pub(crate) node: Cow<'n, Node>,
    pub(crate) symbol: Option<String>,
}

impl<'n> Listed<'n> {
    /// A resource without a symbolic name.
    pub(crate) fn plain(node: Cow<'n, Node>) -> Self {
        Self { node, symbol: None }
    }

    fn into_owned(self) -> Listed<'static> {
        Listed { node: Cow::Owned(self.node.into_owned()), symbol: self.symbol }
    }
}

/// A resource that stands on its own, without children.
#[derive(Debug)]
pub(crate) struct FlatResource<'n> {
    pub(crate) node: Cow<'n, Node>,
    /// Its symbolic name in the template.
    pub(crate) symbol: Option<String>,
    pub(crate) head: Head,
}

/// What every resource says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) ty: String,
    pub(crate) name: String,
    pub(crate) version: String,
}

impl Head {
    pub(crate) fn of(resource: &Node) -> Result<Self> {
        let member = |name: &str| match tree::find(resource, name) {
            Some(member) => Ok(tree::to_text(&member.value)),
            None => Err(Failure::at(resource, messages::resource_lacks(name))),
        };
        let ty = member("type")?.trim_matches('/').to_owned();
        Ok(Self { ty, name: member("name")?, version: member("apiVersion")? })
    }
}

/// Whether resources of a type become modules.
pub(crate) fn is_deployment(ty: &str) -> bool {
    ty.eq_ignore_ascii_case("Microsoft.Resources/deployments")
}

/// A resource and, behind it, its children with full types and names, and theirs.
pub(crate) fn flattened<'n>(resource: Listed<'n>, found: &mut Vec<FlatResource<'n>>) -> Result<()> {
    let Listed { node: resource, symbol } = resource;
    if resource.as_object().is_none() {
        return Err(Failure::at(&resource, messages::RESOURCE_EXPECTED));
    }
    let parent = Head::of(&resource)?;
    if tree::find(&resource, "resources").is_none() {
        found.push(FlatResource { node: resource, symbol, head: parent });
        return Ok(());
    }
    let mut resource = resource.into_owned();
    let children = tree::remove(&mut resource, "resources");
    let inherited: Vec<(&str, Node)> = ["copy", "condition"]
        .into_iter()
        .filter_map(|name| Some((name, tree::find(&resource, name)?.value.clone())))
        .collect();
    found.push(FlatResource { node: Cow::Owned(resource), symbol, head: parent.clone() });
    let children: Vec<Listed<'_>> = match children.map(|it| it.value) {
        Some(Kind::Array(children)) => {
            children.into_iter().map(|child| Listed::plain(Cow::Owned(child))).collect()
        }
        Some(Kind::Object(children)) => symbolic::listed(&children).map(Listed::into_owned).collect(),
        _ => return Ok(()),
    };
    for Listed { node: child, symbol } in children {
        let mut child = child.into_owned();
        if child.as_object().is_none() {
            return Err(Failure::at(&child, messages::CHILD_EXPECTED));
        }
        let head = Head::of(&child)?;
        for (name, value) in &inherited {
            tree::set(&mut child, name, value.clone());
        }
        // A child may have its full type and name already.
        let provider = |ty: &str| ty.split('/').next().unwrap_or_default().to_lowercase();
        if provider(&parent.ty) != provider(&head.ty) {
            let parts = vec![strings::parse(&parent.name)?, Expr::string("/"), strings::parse(&head.name)?];
            let name = tree::print(&Expr::call("concat", parts));
            tree::set(&mut child, "type", tree::text(format!("{}/{}", parent.ty, head.ty)));
            tree::set(&mut child, "name", tree::text(name));
        }
        base::recurse(|| flattened(Listed { node: Cow::Owned(child), symbol }, found))?;
    }
    Ok(())
}

/// The members that a resource may have.
const MEMBERS: &[&str] = &[
    "name",
    "type",
    "apiVersion",
    "sku",
    "kind",
    "managedBy",
    "managedByExtended",
    "location",
    "extendedLocation",
    "zones",
    "plan",
    "eTag",
    "tags",
    "scale",
    "identity",
    "properties",
    "dependsOn",
    "comments",
    "scope",
    "metadata",
    "asserts",
];

/// The members that are not members of the resource in Bicep, or stand elsewhere.
const ELSEWHERE: &[&str] =
    &["condition", "copy", "type", "apiVersion", "dependsOn", "comments", "scope", "metadata"];

impl Converter<'_> {
    /// A resource or a module.
    pub(crate) fn resource(
        &mut self,
        out: &mut String,
        resource: &FlatResource<'_>,
        number: usize,
    ) -> Result<()> {
        let FlatResource { node: resource, head, .. } = resource;
        let mut head = head.clone();
        // Resources with the same type and name share a symbol in the reference.
        let own = self.symbols.get(number).map(|symbol| symbol.name.clone());
        let symbol = match own.filter(|_| !self.options.is_exact) {
            Some(own) => own,
            None => self.symbol_of(&head)?,
        };
        self.current = Some(symbol.clone());
        self.begin(&symbol);
        let mut note = String::new();
        if let Some(version) = self.known_version(&head.version) {
            head.version = version;
        } else if !self.options.is_exact && strings::is_expression(&head.version) {
            note = messages::version_to_check(&head.version);
            head.version = self.best_version(&head.ty, &head.version);
        }
        if is_deployment(&head.ty) && self.becomes_module(resource)? {
            return self.module(out, resource, &head, &symbol);
        }
        let description = self.description(resource)?;
        let (body, decorators) = self.resource_loop(resource, |converter, resource| {
            let body = converter.resource_body(resource)?;
            converter.conditional(resource, body)
        })?;
        let ty = syntax::quoted(&format!("{}@{}", head.ty, head.version));
        let existing = if symbolic::is_existing(resource) { " existing" } else { "" };
        out.extend([&note, &description, &decorators, "resource ", &symbol, " ", &ty, existing, "= "]);
        body.write(out);
        Ok(())
    }

    pub(crate) fn symbol_of(&self, head: &Head) -> Result<String> {
        let symbol = self.names.resource(Some(&head.ty), &self.expressions.parse(&head.name)?)?;
        let name = format!("{} {}", head.ty, head.name);
        symbol.ok_or_else(|| Failure::new(messages::not_found("resource", &name)))
    }

    /// An API version that is the value of a variable, as is common in templates and impossible in Bicep.
    fn known_version(&self, version: &str) -> Option<String> {
        if !strings::is_expression(version) {
            return None;
        }
        let expr = self.expressions.parse(version).ok()?;
        if let ExprKind::String(text) = expr.kind() {
            return Some(text.to_string());
        }
        let (args, path) = strings::path_of(&expr, "variables")?;
        let [name] = args else { return None };
        let mut value = tree::nested(self.template, &["variables", &strings::literal(name)?])?;
        for step in path {
            value = match step {
                Accessor::Property(name) => &tree::find(value, name)?.value,
                Accessor::Index(index) => match index.kind() {
                    ExprKind::String(name) => &tree::find(value, name)?.value,
                    ExprKind::Int(index) => value.as_array()?.get(usize::try_from(*index).ok()?)?,
                    _ => return None,
                },
            };
        }
        value.as_str().map(str::to_owned)
    }

    fn resource_body(&mut self, resource: &Node) -> Result<Syntax> {
        let mut properties = Vec::new();
        if let Some(scope) = self.scope(resource)? {
            properties.push(Property::new("scope", scope));
        }
        if symbolic::is_existing(resource) {
            return self.existing_body(resource, properties);
        }
        for member in resource.as_object().into_iter().flat_map(|object| object.iter()) {
            let is_in = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(&member.key));
            if is_in(ELSEWHERE) {
                continue;
            }
            if !is_in(MEMBERS) && self.options.is_exact {
                return Err(Failure::at_member(member, messages::unknown_member(&member.key)));
            }
            properties.push(Property::new(&member.key, self.value(&member.value)?));
        }
        if let Some(dependencies) = self.depends_on(resource)? {
            properties.push(Property::new("dependsOn", dependencies));
        }
        Ok(Syntax::Object(properties))
    }

    fn scope(&mut self, resource: &Node) -> Result<Option<Syntax>> {
        let Some(scope) = tree::find(resource, "scope") else { return Ok(None) };
        let expr = self.expressions.parse(&tree::to_text(&scope.value))?;
        if strings::literal(&expr).as_deref() == Some("/") {
            return Ok(Some(syntax::call("tenant", &[])));
        }
        if let Some(symbol) = self.resource_symbol(&expr)? {
            return Ok(Some(Syntax::Other(symbol)));
        }
        if !self.options.is_exact
            && let Some(symbol) = self.existing_symbol(&expr)?
        {
            return Ok(Some(Syntax::Other(symbol)));
        }
        self.interpolated(&expr).map(Some)
    }

    /// A body behind its condition. A loop has its condition inside.
    pub(crate) fn conditional(&mut self, resource: &Node, body: Syntax) -> Result<Syntax> {
        if matches!(body, Syntax::Loop(_)) {
            return Ok(body);
        }
        let Some(condition) = tree::find(resource, "condition") else { return Ok(body) };
        let mut text = match self.value(&condition.value)? {
            Syntax::Parenthesized(text) => format!("if {text}"),
            other => format!("if ({})", other.into_text()),
        };
        body.write(&mut text);
        Ok(Syntax::Other(text))
    }

    /// `dependsOn`, with symbols wherever they are known. The rest stays as it is, an error that shows what to put right.
    pub(crate) fn depends_on(&mut self, resource: &Node) -> Result<Option<Syntax>> {
        let Some(member) = tree::find(resource, "dependsOn") else { return Ok(None) };
        let Some(entries) = member.value.as_array() else {
            return Err(Failure::at(resource, messages::DEPENDS_ON_ARRAY));
        };
        let mut items = Vec::new();
        for entry in entries {
            let text = match &entry.value {
                Kind::String(text) => text.clone(),
                Kind::Bool(_) | Kind::Number(_) => tree::to_text(entry),
                _ => return Err(Failure::at(entry, messages::DEPENDS_ON_STRING)),
            };
            let expr = self.expressions.parse(&text)?;
            if let Some(target) = self.symbolic_target(&expr)? {
                items.push(Syntax::Other(target.text));
                continue;
            }
            let by_loop = || {
                let name = text.to_lowercase();
                self.loops.iter().find(|(known, _)| *known == name).map(|(_, symbol)| symbol.clone())
            };
            let symbol = match self.resource_symbol(&expr)?.or_else(by_loop) {
                None if !self.options.is_exact => self.dependency(&expr),
                symbol => symbol,
            };
            items.push(match symbol {
                // A circle of one cannot be deployed.
                Some(symbol) if self.current.as_ref() == Some(&symbol) && !self.options.is_exact => continue,
                Some(symbol) => Syntax::Other(symbol),
                None if self.options.is_exact => self.value(entry)?,
                None => Syntax::Other(messages::dependency_to_fill_in(&text)),
            });
        }
        Ok(Some(Syntax::Array(items)))
    }
}
