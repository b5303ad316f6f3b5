//! Locks: what may not be written or removed, because somebody has said so at the resource or above it.

use serde_json::Value as Json;

use super::Inner;
use crate::error::ArmError;
use crate::messages;
use crate::scope::{ResourceId, key, subscription_key};

/// The type of locks.
pub(crate) const LOCK_TYPE: &str = "Microsoft.Authorization/locks";

/// What somebody wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Write,
    Delete,
}

impl Inner {
    /// Refuses a change that a lock forbids. Locks themselves can always be changed.
    pub async fn check_locks(&self, id: &str, change: Change) -> Result<(), ArmError> {
        let is_lock =
            ResourceId::parse(id).is_some_and(|parts| parts.resource_type.eq_ignore_ascii_case(LOCK_TYPE));
        if is_lock {
            return Ok(());
        }
        let wanted = key(id);
        for row in self.store.resources_of_type(&subscription_key(&wanted), LOCK_TYPE).await? {
            let Some(lock) = ResourceId::parse(&row.id) else { continue };
            let document = crate::stored::json(&row.document);
            let level = document.pointer("/properties/level").and_then(Json::as_str).unwrap_or_default();
            if forbids(level, &key(&lock.scope), (&wanted, change)) {
                let verb = if change == Change::Write { "write" } else { "delete" };
                return Err(messages::locked(id, verb, &lock.scope));
            }
        }
        Ok(())
    }
}

/// Whether a lock of this level at a scope forbids a change. What is above a lock cannot be removed either.
fn forbids(level: &str, scope: &str, (id, change): (&str, Change)) -> bool {
    let is_below = |key: &str, above: &str| {
        key.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match change {
        Change::Write => level.eq_ignore_ascii_case("ReadOnly") && is_below(id, scope),
        Change::Delete => is_below(id, scope) || is_below(scope, id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_locks_forbid() {
        use Change::{Delete, Write};
        for (level, scope, id, change, expected) in [
            ("ReadOnly", "/s/g", "/s/g/a", Write, true),
            ("CanNotDelete", "/s/g", "/s/g/a", Write, false),
            ("CanNotDelete", "/s/g", "/s/g/a", Delete, true),
            ("CanNotDelete", "/s/g/a", "/s/g", Delete, true),
            ("ReadOnly", "/s/g/a", "/s/g", Write, false),
            ("ReadOnly", "/s/g", "/s/gg/a", Delete, false),
        ] {
            assert_eq!(forbids(level, scope, (id, change)), expected, "{level} at {scope}: {change:?} {id}");
        }
    }
}
