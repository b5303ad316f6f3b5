//! The validators that the types of a template name. They are checked when the template is read, whether a value is ever
//! held against the type or not: what is wrong with them would else only be said by the deployment that uses them.

use super::{Names, Template, TypeNode, UserConstraint};
use crate::error::{Error, Step};
use crate::messages;

/// What is wrong with the validators of all types of a template.
pub(super) fn problems(template: &Template) -> Vec<Error> {
    let mut walk = Walk { template, steps: Vec::new(), errors: Vec::new() };
    walk.section("definitions", template.definitions.iter().map(|(name, node)| (name.as_str(), node)));
    let parameters = template.parameters.iter();
    walk.section("parameters", parameters.map(|(name, parameter)| (name.as_str(), &parameter.schema)));
    let outputs = template.outputs.iter();
    walk.section("outputs", outputs.map(|(name, output)| (name.as_str(), &output.schema)));
    walk.steps.push(Step::from("functions"));
    for (_, function) in template.functions.iter() {
        let parameters = function.parameters.iter().map(|parameter| &parameter.schema);
        parameters.chain([&function.schema]).for_each(|node| walk.node(node));
    }
    walk.errors
}

struct Walk<'t> {
    template: &'t Template,
    /// From the template to the type that is looked at.
    steps: Vec<Step>,
    errors: Vec<Error>,
}

impl<'t> Walk<'t> {
    fn section(&mut self, name: &str, types: impl Iterator<Item = (&'t str, &'t TypeNode)>) {
        for (key, node) in types {
            self.below([Step::from(name), Step::from(key)], node);
        }
    }

    fn below<const N: usize>(&mut self, steps: [Step; N], node: &'t TypeNode) {
        self.steps.extend(steps);
        crate::document::deep(|| self.node(node));
        self.steps.truncate(self.steps.len() - N);
    }

    fn node(&mut self, node: &'t TypeNode) {
        for constraint in &node.constraints {
            if let Some(problem) = self.problem(constraint) {
                let error = problem.at(constraint.range).within("userDefinedConstraint");
                self.errors.push(self.steps.iter().rev().cloned().fold(error, Error::within));
            }
        }
        for (index, item) in node.prefix_items.iter().flatten().enumerate() {
            self.below([Step::from("prefixItems"), Step::from(index)], item);
        }
        if let Some(super::Items::Of(item)) = &node.items {
            self.below([Step::from("items")], item);
        }
        for (name, member) in node.properties.iter().flat_map(Names::iter) {
            self.below([Step::from("properties"), Step::from(name.clone())], member);
        }
        if let Some(super::Additional::Of(other)) = &node.additional {
            self.below([Step::from("additionalProperties")], other);
        }
        for (name, variant) in node.discriminator.iter().flat_map(|it| it.mapping.iter()) {
            let steps = [Step::from("discriminator"), Step::from("mapping"), Step::from(name.clone())];
            self.below(steps, variant);
        }
    }

    fn problem(&self, constraint: &UserConstraint) -> Option<Error> {
        let (Some(namespace), Some(name)) = (&constraint.namespace, &constraint.name) else {
            return Some(messages::incomplete_constraint());
        };
        let full = format!("{namespace}.{name}");
        if !self.template.has_aggregate_types() {
            let version = self.template.language_version.as_deref();
            return Some(messages::constraint_needs_language_version(&full, version));
        }
        let Some(function) = self.template.functions.get(&full) else {
            return Some(messages::no_such_validator(&full));
        };
        let (expected, given) = (function.parameters.len(), constraint.arguments.len() + 1);
        (expected != given).then(|| messages::validator_argument_count(&full, expected, given))
    }
}
