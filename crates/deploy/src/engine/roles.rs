//! Roles and who has them: documents like all others, but asked for by name, principal and scope.

use serde_json::Value as Json;

use super::Engine;
use crate::error::ArmError;
use crate::provider::built_in_roles::{self, ROLE_TYPE};
use crate::scope::{ResourceId, key};

const ASSIGNMENT_TYPE: &str = "Microsoft.Authorization/roleAssignments";

/// Which role assignments of a scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssignmentFilter {
    /// Only those of this principal.
    pub principal: Option<String>,
    /// Only those that hold for the scope itself, not those of what is below it.
    pub at_scope: bool,
}

impl Engine {
    /// The roles of a scope, its own and the built-in ones; those of a name, if one is given.
    pub async fn list_roles(&self, scope: &str, name: Option<&str>) -> Result<Vec<Json>, ArmError> {
        let own = self.inner.store.resources_of_type(&key(built_in_roles::owner(scope)), ROLE_TYPE).await?;
        let own = own.iter().filter_map(|row| crate::stored::object(&row.document));
        let is_wanted = |role: &Json| name.is_none_or(|name| has(role, "/properties/roleName", name));
        Ok(own.chain(built_in_roles::all(scope)).filter(is_wanted).collect())
    }

    /// The role assignments of a scope, of those above it up to the subscription, and of those below it.
    pub async fn list_role_assignments(
        &self,
        scope: &str,
        filter: &AssignmentFilter,
    ) -> Result<Vec<Json>, ArmError> {
        let all =
            self.inner.store.resources_of_type(&key(built_in_roles::owner(scope)), ASSIGNMENT_TYPE).await?;
        let wanted = format!("{}/", key(scope));
        let is_wanted = |assignment: &Json| {
            let id = assignment["id"].as_str().and_then(ResourceId::parse);
            let its = id.map(|id| format!("{}/", key(&id.scope))).unwrap_or_default();
            let is_in_scope = wanted.starts_with(&its) || !filter.at_scope && its.starts_with(&wanted);
            let principal = filter.principal.as_deref();
            is_in_scope && principal.is_none_or(|it| has(assignment, "/properties/principalId", it))
        };
        let all = all.iter().filter_map(|row| crate::stored::object(&row.document));
        Ok(all.filter(is_wanted).collect())
    }
}

fn has(document: &Json, pointer: &str, wanted: &str) -> bool {
    document.pointer(pointer).and_then(Json::as_str).is_some_and(|text| text.eq_ignore_ascii_case(wanted))
}
