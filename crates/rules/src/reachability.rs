//! Which parts of a template a set of rules can reach. The rest is not expanded.

use crate::path::{PathStep, RulePath};
use crate::rule::{Evaluation, Operator, Rule};

/// What of a template rules may look at. The rest need not be made: templates inside templates are looked at on their own,
/// and few rules look at anything but resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The templates of deployments as parts of these resources.
    pub templates: bool,
    /// What stands beside the resources: parameters, variables, outputs, definitions, metadata.
    pub root: bool,
}

impl Default for Reach {
    fn default() -> Self {
        Self { templates: true, root: true }
    }
}

impl Reach {
    /// What these rules may look at.
    pub fn of(rules: &[Rule]) -> Self {
        let mut reach = Self { templates: false, root: false };
        for rule in rules {
            reach.add(&rule.evaluation, None);
        }
        reach
    }

    fn add(&mut self, evaluation: &Evaluation, around: Option<&str>) {
        let resource_type = evaluation.resource_type.as_deref().or(around);
        let steps = evaluation.path.as_ref().map(RulePath::steps).unwrap_or_default();
        let may_be_template = |step: &PathStep| match step {
            PathStep::Member(name) => name.eq_ignore_ascii_case("template"),
            PathStep::EveryMember | PathStep::EveryItem => true,
            PathStep::Item(_) => false,
        };
        let of_deployments = resource_type.is_none_or(|it| it.eq_ignore_ascii_case(DEPLOYMENTS));
        self.templates |= of_deployments && steps.iter().any(may_be_template);
        let parts: &[Evaluation] = match &evaluation.operator {
            Operator::AnyOf(parts) | Operator::AllOf(parts) => parts,
            Operator::Not(inner) => std::slice::from_ref(inner),
            _ => &[],
        };
        self.root |= resource_type.is_none() && (!steps.is_empty() || parts.is_empty());
        for part in parts.iter().chain(evaluation.filter.as_deref()) {
            self.add(part, resource_type);
        }
    }
}

const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";
