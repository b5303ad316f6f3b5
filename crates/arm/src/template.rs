//! The template model: what a template says, with the ranges of its JSON, before anything is evaluated.
//!
//! [`Template::of`] takes a document of any language version and gives the model and everything that is wrong with it;
//! [`Template::read`] reads the document from JSON first. Resources are a list in both forms, array and symbolic; children written inside their parents are
//! brought to the same level. Nested templates are part of the model of their deployment.

mod names;
mod read;
mod term;
mod types;
mod validators;

use base::TextRange;
use smol_str::SmolStr;

pub use self::names::Names;
pub(crate) use self::read::is_parameters_schema;
pub(crate) use self::term::loop_count;
pub use self::term::{Key, PropertyLoop, Term, TermKind, TermMember};
pub use self::types::{
    Additional, Discriminator, Items, LambdaConstraint, Primitive, TypeNode, UserConstraint,
};
use crate::document::Node;
use crate::error::Step;
use crate::value::Value;

/// Where a template is deployed to; its `$schema` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TargetScope {
    /// The whole tenant.
    Tenant,
    ManagementGroup,
    Subscription,
    #[default]
    ResourceGroup,
}

impl TargetScope {
    /// The name of the schema of templates for this scope, and the date that compilers write with it.
    const SCHEMAS: [(Self, &'static str, &'static str); 4] = [
        (Self::ResourceGroup, "2019-04-01", "deploymentTemplate.json"),
        (Self::Subscription, "2018-05-01", "subscriptionDeploymentTemplate.json"),
        (Self::ManagementGroup, "2019-08-01", "managementGroupDeploymentTemplate.json"),
        (Self::Tenant, "2019-08-01", "tenantDeploymentTemplate.json"),
    ];

    /// What a `$schema` says: the last segment of the address decides; host, date and letter case do not matter.
    pub fn of_schema(schema: &str) -> Option<Self> {
        let name = schema.trim_end_matches('#').rsplit('/').next()?;
        let known = Self::SCHEMAS.iter().find(|(_, _, known)| known.eq_ignore_ascii_case(name));
        known.map(|(scope, ..)| *scope)
    }

    /// The `$schema` of templates for this scope.
    pub fn schema(self) -> String {
        let known = Self::SCHEMAS.iter().find(|(scope, ..)| *scope == self);
        let (_, date, name) = known.copied().unwrap_or_default();
        format!("https://schema.management.azure.com/schemas/{date}/{name}#")
    }
}

#[derive(Debug, Default)]
pub struct Template {
    /// What it was made from.
    pub document: Node,
    /// The whole document.
    pub range: TextRange,
    /// What it is deployed to.
    pub scope: TargetScope,
    /// `languageVersion`; none for classic templates.
    pub language_version: Option<SmolStr>,
    /// `contentVersion`.
    pub content_version: Option<SmolStr>,
    /// `apiProfile`.
    pub api_profile: Option<SmolStr>,
    /// `metadata`, as it is.
    pub metadata: Value,
    /// Named types.
    pub definitions: Names<TypeNode>,
    pub parameters: Names<Parameter>,
    /// Variables; those made by a `copy` loop are of kind [`TermKind::Loop`].
    pub variables: Names<Term>,
    /// User-defined functions by `namespace.name`.
    pub functions: Names<UserFunction>,
    /// Extensions, also under their older name `imports`.
    pub extensions: Names<Extension>,
    /// Whether resources have symbolic names.
    pub symbolic: bool,
    /// All resources, children after their parents.
    pub resources: Vec<Resource>,
    pub outputs: Names<Output>,
    /// Assertions.
    pub asserts: Names<Term>,
}

#[derive(Debug)]
pub struct Parameter {
    pub range: TextRange,
    /// What values it takes.
    pub schema: TypeNode,
    /// The value it has when none is supplied.
    pub default: Option<Term>,
}

/// A user-defined function.
#[derive(Debug)]
pub struct UserFunction {
    pub range: TextRange,
    /// Its parameters in order.
    pub parameters: Vec<FunctionParameter>,
    /// What values it gives.
    pub schema: TypeNode,
    /// What it gives.
    pub output: Term,
}

/// A parameter of a user-defined function.
#[derive(Debug)]
pub struct FunctionParameter {
    pub name: SmolStr,
    /// What values it takes.
    pub schema: TypeNode,
}

/// An extension that resources may belong to.
#[derive(Debug)]
pub struct Extension {
    pub range: TextRange,
    /// Its name: `name` or, in `imports`, `provider`.
    pub name: SmolStr,
    pub version: SmolStr,
    /// Its configuration.
    pub config: Option<Term>,
}

#[derive(Debug)]
pub struct Output {
    pub range: TextRange,
    /// What values it has.
    pub schema: TypeNode,
    /// Whether it is there at all.
    pub condition: Option<Term>,
    /// Its value; of kind [`TermKind::Loop`] if it is made by a loop.
    pub value: Option<Term>,
}

/// A resource, before its loop is run.
#[derive(Debug)]
pub struct Resource {
    pub range: TextRange,
    /// The way to it from the root of its template, outermost step first.
    pub path: Vec<Step>,
    /// Its symbolic name.
    pub symbol: Option<SmolStr>,
    /// The resource it is written inside of, by position in [`Template::resources`].
    pub parent: Option<usize>,
    /// Whether it is deployed.
    pub condition: Option<Term>,
    /// Whether it is only read.
    pub existing: bool,
    /// The alias of the extension it belongs to.
    pub extension: Option<SmolStr>,
    /// Its type; below a parent, only its last segment.
    pub resource_type: Option<Term>,
    /// The version of its type.
    pub api_version: Option<Term>,
    /// Its name; below a parent, only its last segment.
    pub name: Option<Term>,
    /// The resource or place it extends or belongs to.
    pub scope: Option<Term>,
    /// Another subscription than that of the deployment.
    pub subscription: Option<Term>,
    /// Another resource group than that of the deployment.
    pub resource_group: Option<Term>,
    /// What it waits for.
    pub depends_on: Option<Term>,
    /// Its loop.
    pub copy: Option<Copy>,
    /// Everything that is sent to the provider, in order: `location`, `tags`, `properties` and the like.
    pub body: Vec<(SmolStr, Term)>,
    /// Options of how it is deployed, such as `retryOn`.
    pub options: Option<Term>,
    /// The template it deploys, for nested deployments.
    pub deployment: Option<Nested>,
}

/// The loop of a resource.
#[derive(Debug)]
pub struct Copy {
    pub range: TextRange,
    /// Its name, which `copyIndex` and `dependsOn` use.
    pub name: SmolStr,
    /// How many.
    pub count: Term,
    /// Whether they are deployed one batch after the other.
    pub serial: bool,
    /// How many at once, when serial.
    pub batch_size: Option<Term>,
}

/// What a deployment inside a template deploys.
#[derive(Debug)]
pub struct Nested {
    /// The template, if it is written in place.
    pub template: Option<Box<Template>>,
    /// Whether its expressions see the parameters and variables of the template around it.
    pub outer: bool,
    /// Its parameters, each `{value}`, `{reference}` or `{expression}`.
    pub parameters: Option<Term>,
    /// Where the template is, if it is not written in place.
    pub template_link: Option<Term>,
}

impl Template {
    /// Reads a template.
    pub fn read(root: &json::Node) -> (Self, Vec<crate::Error>) {
        Self::of(&Node::read(root))
    }

    /// Reads a template from JSON that nobody else needs.
    pub fn read_owned(root: json::Node) -> (Self, Vec<crate::Error>) {
        Self::of(&Node::read_owned(root))
    }

    /// Interprets a document as a template.
    pub fn of(document: &Node) -> (Self, Vec<crate::Error>) {
        read::template(document)
    }

    /// Prints the template.
    pub fn to_json(&self) -> serde_json::Value {
        self.document.to_json()
    }

    /// Whether parameters may use the whole of the type language: `$ref`, `properties`, constraints of the user.
    pub fn has_aggregate_types(&self) -> bool {
        self.language_version.as_deref().is_some_and(|version| {
            matches!(
                version,
                "1.9-experimental" | "1.10-experimental" | "2.0" | "2.1-experimental" | "2.2-experimental"
            )
        })
    }
}

impl Default for Value {
    fn default() -> Self {
        Self::NULL
    }
}
