//! Snippets of declarations: their prefixes, what they are about, their texts. Those of resources are in `snippets.txt`.

use bicep_syntax::{Node, SyntaxKind, ast};
use bicep_types::ty::ResourceReference;

use crate::FileContext;

/// Prefix, description and text of a declaration with placeholders.
#[derive(Debug, Clone, Copy)]
pub(super) struct Snippet {
    pub(super) prefix: &'static str,
    pub(super) description: &'static str,
    pub(super) text: &'static str,
}

/// One resource of a snippet.
#[derive(Debug, Clone, Copy)]
struct SnippetResource {
    /// From `resource` to the end of the body.
    declaration: &'static str,
    /// Type and version.
    ty: &'static str,
    body: &'static str,
}

/// The body of a resource, as a snippet has it.
#[derive(Debug)]
pub(super) struct BodySnippet {
    pub(super) description: &'static str,
    pub(super) body: String,
}

/// The snippets of a Bicep file.
pub(super) fn declarations() -> impl Iterator<Item = Snippet> {
    let plain = DECLARATIONS.iter().map(|(prefix, description, text)| Snippet { prefix, description, text });
    plain.chain(resources())
}

/// The snippets of resources.
fn resources() -> impl Iterator<Item = Snippet> {
    include_str!("snippets.txt").split("### ").filter_map(|entry| {
        let (head, text) = entry.split_once('\n')?;
        let (prefix, description) = head.split_once(" | ")?;
        Some(Snippet { prefix, description, text: text.trim_end() })
    })
}

impl Snippet {
    /// The types of its resources, without versions: what they are found by.
    pub(super) fn types(self) -> impl Iterator<Item = &'static str> {
        self.resources().filter_map(|it| it.ty.split_once('@')).map(|(name, _)| name)
    }

    /// The resources that it declares, in order.
    fn resources(self) -> impl Iterator<Item = SnippetResource> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            let start = rest.find("resource ${")?;
            let from = rest.get(start..)?;
            let (_, quoted) = from.split_once('\'')?;
            let (ty, _) = quoted.split_once('\'')?;
            let end = from.find("\n}").map_or(from.len(), |at| at + 2);
            let declaration = from.get(..end)?;
            let body = declaration.split_once(" = ")?.1;
            rest = from.get(end..).unwrap_or_default();
            Some(SnippetResource { declaration, ty, body })
        })
    }
}

/// The body that a snippet has for the type of a resource. What exists already needs none.
pub(super) fn body_of(context: &FileContext<'_>, statement: Node<'_>) -> Option<BodySnippet> {
    let resource = ast::Resource::cast(statement).filter(|it| it.existing().is_none())?;
    let declared = context.model.declared_type_of(statement)?;
    let reference = &declared.item().unwrap_or(declared).as_resource()?.reference;
    let ty = format!("{}@{}", reference.name(), reference.version()?);
    let is_nested = resource.parent_resource().is_some();
    let is_wanted = |it: &SnippetResource| it.ty.eq_ignore_ascii_case(&ty);
    let mut found = resources().filter_map(|snippet| Some((snippet, snippet.resources().find(is_wanted)?)));
    let (snippet, resource) = found.next()?;
    let body = if is_nested { without_parent(resource.body) } else { resource.body.to_owned() };
    Some(BodySnippet { description: snippet.description, body })
}

/// The snippets for children of a type of resource, as they stand in its body: last part of the type, no `parent`.
pub(super) fn children_of(parent: &ResourceReference) -> Vec<(Snippet, String)> {
    let children = resources().filter_map(|snippet| {
        let own = snippet.resources().last()?;
        let reference = ResourceReference::parse(own.ty)?;
        let name = reference.name().rsplit_once('/')?;
        name.0.eq_ignore_ascii_case(parent.name()).then_some(())?;
        own.body.contains("\n  parent: ").then_some(())?;
        let short = own.ty.rsplit('/').next()?;
        let text = own.declaration.replacen(own.ty, short, 1);
        Some((snippet, without_parent(&text)))
    });
    children.collect()
}

fn without_parent(text: &str) -> String {
    let lines = text.split_inclusive('\n').filter(|line| !line.starts_with("  parent: "));
    lines.collect()
}

/// The resource that an object literal is the body of.
pub(super) fn resource_of_body(object: Node<'_>) -> Option<Node<'_>> {
    let is_wrapper =
        |node: &Node<'_>| matches!(node.kind(), SyntaxKind::If | SyntaxKind::For | SyntaxKind::Paren);
    object.ancestors().find(|node| !is_wrapper(node)).filter(|node| node.kind() == SyntaxKind::Resource)
}

const DECLARATIONS: &[(&str, &str, &str)] = &[
    ("func", "Function declaration", "func ${1:name}() ${2:outputType} => $0"),
    ("module", "Module declaration", "module ${1:name} ${2:path} = {\n  name: $3\n  $0\n}"),
    ("output", "Output declaration", "output ${1:name} ${2:type} = $0"),
    ("param", "Parameter declaration", "param ${1:name} ${2:type}"),
    (
        "param-defaults",
        "Parameter declaration with default value",
        "param ${1:name} ${2:type} = ${3:default}",
    ),
    (
        "param-defaults-allowed-values",
        "Parameter declaration with default and allowed values",
        "@allowed([\n  $3\n])\nparam ${1:name} ${2:type} = $4",
    ),
    ("param-secure-string", "Secure string parameter", "@secure()\nparam ${1:name} string"),
    (
        "resource-child-defaults",
        "Child Resource with defaults",
        "resource ${1:name} '${2:Namespace/parent/child@version}' = {\n  name: $3\n  properties: {\n    $0\n  }\n}",
    ),
    (
        "resource-child-without-defaults",
        "Child Resource without defaults",
        "resource ${1:name} '${2:Namespace/parent/child@version}' = {\n  name: $3\n  $0\n}",
    ),
    (
        "resource-defaults",
        "Resource with defaults",
        "resource ${1:name} '${2:Namespace/type@version}' = {\n  name: $3\n  location: ${4:location}\n  properties: {\n    $0\n  }\n}",
    ),
    (
        "resource-without-defaults",
        "Resource without defaults",
        "resource ${1:name} '${2:Namespace/type@version}' = {\n  name: $3\n  $0\n}",
    ),
    ("var", "Variable declaration", "var ${1:name} = $0"),
];
