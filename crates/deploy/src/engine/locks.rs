//! What may not be written or removed: because of a lock at the resource or above it, or because a deployment stack denies it.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::Inner;
use crate::error::ArmError;
use crate::messages;
use crate::scope::{ResourceId, key, subscription_key};
use crate::store::{NewResource, ResourceWriter};

/// The type of locks.
pub(crate) const LOCK_TYPE: &str = "Microsoft.Authorization/locks";

/// The type under which the deny settings of stacks are kept, one for each subscription that a stack has resources in.
const DENY_TYPE: &str = "Microsoft.Authorization/denyAssignments";

/// The levels of locks.
const LEVELS: [&str; 3] = ["NotSpecified", "CanNotDelete", "ReadOnly"];

/// Refuses a lock whose level is none. A change of other members need not name it.
pub(crate) fn check_level(lock: &arm::Value, is_patch: bool) -> Result<(), ArmError> {
    let level = lock.get("properties").and_then(|properties| properties.get("level"));
    let Some(level) = level else {
        return if is_patch { Ok(()) } else { Err(messages::no_lock_level(&LEVELS)) };
    };
    let name = level.as_str().unwrap_or_default();
    match LEVELS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        true => Ok(()),
        false => Err(messages::bad_lock_level(name, &LEVELS)),
    }
}

/// What somebody wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Write,
    Delete,
}

impl Change {
    fn verb(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

impl Inner {
    /// Refuses a change that a lock or a stack forbids. Locks themselves can always be changed.
    pub async fn check_locks(&self, id: &str, change: Change) -> Result<(), ArmError> {
        self.check_locks_for(None, id, change).await
    }

    /// The same for a deployment of a stack, which may change what the stack denies others.
    pub async fn check_locks_for(
        &self,
        stack: Option<&str>,
        id: &str,
        change: Change,
    ) -> Result<(), ArmError> {
        let resource_type = ResourceId::parse(id).map(|parts| parts.resource_type).unwrap_or_default();
        if resource_type.eq_ignore_ascii_case(LOCK_TYPE) {
            return Ok(());
        }
        let wanted = key(id);
        for row in self.store.protections(&subscription_key(&wanted)).await? {
            let Some(parts) = ResourceId::parse(&row.id) else { continue };
            let document = crate::stored::json(&row.document);
            if parts.resource_type.eq_ignore_ascii_case(LOCK_TYPE) {
                let level = document.pointer("/properties/level").and_then(Json::as_str).unwrap_or_default();
                if lock_forbids(level, &key(&parts.scope), &wanted, change) {
                    return Err(messages::locked(id, change.verb(), &parts.scope));
                }
                continue;
            }
            let deny = DenySettings::read(&document);
            let is_own = stack.is_some_and(|stack| key(stack) == key(&deny.stack));
            if !is_own && deny.forbids(&resource_type, &wanted, change) {
                return Err(messages::denied(id, &format!("{resource_type}/{}", change.verb()), &deny.stack));
            }
        }
        Ok(())
    }

    /// Keeps the deny settings of a stack for what it manages now; without any, forgets them.
    pub async fn put_deny_settings(
        &self,
        stack: &str,
        settings: &Json,
        managed: &[String],
    ) -> Result<(), ArmError> {
        let mode = settings.get("mode").and_then(Json::as_str).unwrap_or("none");
        let managed = if mode.eq_ignore_ascii_case("none") { &[] } else { managed };
        let name = Uuid::new_v5(&Uuid::NAMESPACE_OID, key(stack).as_bytes()).to_string();
        let mut subscriptions: Vec<String> = managed.iter().map(|id| subscription_key(&key(id))).collect();
        subscriptions.sort();
        subscriptions.dedup();
        for row in self.store.resources_of_type("", DENY_TYPE).await? {
            let Some(parts) = ResourceId::parse(&row.id).filter(|parts| parts.name() == name) else {
                continue;
            };
            if !subscriptions.contains(&key(&parts.scope)) {
                self.store.delete_resource(ResourceWriter::default(), &row.id, None).await?;
            }
        }
        for subscription in &subscriptions {
            let below: Vec<&String> =
                managed.iter().filter(|id| subscription_key(&key(id)) == *subscription).collect();
            let id = format!("{subscription}/providers/{DENY_TYPE}/{name}");
            let document = json!({
                "id": id, "name": name, "type": DENY_TYPE,
                "properties": {
                    "denyAssignmentName": format!("Deny settings of the deployment stack '{stack}'"),
                    "stackId": stack, "denySettings": settings, "managedResources": below,
                    "isSystemProtected": true,
                },
            });
            let new = NewResource { id: &id, resource_type: DENY_TYPE };
            let write = |_: Option<&_>| Ok::<_, ArmError>((document.to_string(), ()));
            self.store.change_resource(ResourceWriter::default(), new, write, |()| None).await?;
        }
        Ok(())
    }
}

/// What a stack denies others to do with what it manages.
struct DenySettings {
    stack: String,
    /// Whether writes are denied, not only removal.
    has_writes: bool,
    /// Whether it is denied below what is managed too.
    has_children: bool,
    /// Actions that stay allowed, such as `Microsoft.Storage/*/write`.
    excluded: Vec<String>,
    /// The keys of what is managed.
    managed: Vec<String>,
}

impl DenySettings {
    fn read(document: &Json) -> Self {
        let part = |path: &str| document.pointer(&format!("/properties/{path}"));
        let texts = |path: &str| {
            let list = part(path).and_then(Json::as_array).into_iter().flatten();
            list.filter_map(|it| it.as_str().map(str::to_lowercase)).collect()
        };
        let mode = part("denySettings/mode").and_then(Json::as_str).unwrap_or_default();
        Self {
            stack: part("stackId").and_then(Json::as_str).unwrap_or_default().to_owned(),
            has_writes: mode.eq_ignore_ascii_case("denyWriteAndDelete"),
            has_children: part("denySettings/applyToChildScopes").and_then(Json::as_bool).unwrap_or(false),
            excluded: texts("denySettings/excludedActions"),
            managed: texts("managedResources"),
        }
    }

    fn forbids(&self, resource_type: &str, id: &str, change: Change) -> bool {
        let action = format!("{}/{}", resource_type.to_lowercase(), change.verb());
        if self.excluded.iter().any(|pattern| is_match(pattern, &action)) {
            return false;
        }
        let is_covered = |managed: &String| id == managed || self.has_children && is_below(id, managed);
        match change {
            Change::Write => self.has_writes && self.managed.iter().any(is_covered),
            // What is above something that must stay must stay as well.
            Change::Delete => self.managed.iter().any(|managed| is_covered(managed) || is_below(managed, id)),
        }
    }
}

/// Whether an action fits a pattern in which `*` stands for any text.
fn is_match(pattern: &str, action: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = action.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// Whether a lock of this level at a scope forbids a change. What is above a lock cannot be removed either.
fn lock_forbids(level: &str, scope: &str, id: &str, change: Change) -> bool {
    match change {
        Change::Write => level.eq_ignore_ascii_case("ReadOnly") && is_below(id, scope),
        Change::Delete => is_below(id, scope) || is_below(scope, id),
    }
}

/// Whether a key is another one or lies below it.
pub(super) fn is_below(key: &str, above: &str) -> bool {
    key.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Change::{Delete, Write};

    #[test]
    fn what_locks_forbid() {
        for (level, scope, id, change, expected) in [
            ("ReadOnly", "/s/g", "/s/g/a", Write, true),
            ("CanNotDelete", "/s/g", "/s/g/a", Write, false),
            ("CanNotDelete", "/s/g", "/s/g/a", Delete, true),
            ("CanNotDelete", "/s/g/a", "/s/g", Delete, true),
            ("ReadOnly", "/s/g/a", "/s/g", Write, false),
            ("ReadOnly", "/s/g", "/s/gg/a", Delete, false),
        ] {
            assert_eq!(
                lock_forbids(level, scope, id, change),
                expected,
                "{level} at {scope}: {change:?} {id}"
            );
        }
    }

    #[test]
    fn what_stacks_deny() {
        let check = |settings: Json, id: &str, change: Change, expected: bool| {
            let deny = DenySettings::read(&json!({ "properties": {
                "stackId": "/s", "denySettings": settings, "managedResources": ["/g/A"],
            } }));
            assert_eq!(
                deny.forbids("Microsoft.Web/sites", id, change),
                expected,
                "{settings}: {change:?} {id}"
            );
        };
        let deletes = || json!({ "mode": "denyDelete" });
        let all = || json!({ "mode": "denyWriteAndDelete", "applyToChildScopes": true });
        check(deletes(), "/g/a", Delete, true);
        check(deletes(), "/g/a", Write, false);
        check(deletes(), "/g/a/b", Delete, false);
        check(deletes(), "/g", Delete, true);
        check(deletes(), "/g/b", Delete, false);
        check(all(), "/g/a", Write, true);
        check(all(), "/g/a/b", Write, true);
        let excluded = json!({ "mode": "denyWriteAndDelete", "excludedActions": ["Microsoft.Web/*/write"] });
        check(excluded.clone(), "/g/a", Write, false);
        check(excluded, "/g/a", Delete, true);
    }

    #[test]
    fn patterns_of_actions() {
        for (pattern, action, expected) in [
            ("*", "a/b/write", true),
            ("a/*/write", "a/b/c/write", true),
            ("a/*", "b/write", false),
            ("a/b/write", "a/b/write", true),
            ("a/b", "a/b/write", false),
            ("*/b/*/write", "a/b/c/write", true),
        ] {
            assert_eq!(is_match(pattern, action), expected, "{pattern} {action}");
        }
    }
}
