//! The quota of deployments of a scope: the oldest ones are forgotten before there are too many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Inner;

/// How many deployments of a scope are kept.
const QUOTA: i64 = 800;

/// How much room is made when there is none left.
const ROOM: i64 = 16;

/// Of so many scopes it is known how much room they have.
const MOST_SCOPES: usize = 10_000;

/// How many deployments each scope may take in before somebody has to look.
#[derive(Default)]
pub(crate) struct Quota {
    until_look: Mutex<HashMap<String, i64>>,
}

impl Quota {
    /// Counts a deployment. Says whether it is time to look.
    fn is_due(&self, scope_key: &str) -> bool {
        let mut all = self.until_look.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(scope_key) {
            Some(left) if *left > 1 => {
                *left -= 1;
                false
            }
            _ => {
                if all.len() >= MOST_SCOPES {
                    all.clear();
                }
                // Until somebody has looked.
                all.insert(scope_key.to_owned(), ROOM);
                true
            }
        }
    }

    /// A scope has so many now. Other servers take in deployments as well: a quarter of the room is used without looking.
    fn counted(&self, scope_key: &str, count: i64) {
        let mut all = self.until_look.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(scope_key.to_owned(), ((QUOTA - count) / 4).max(ROOM));
    }
}

/// Now and then, forgets the oldest deployments of a scope that has taken one in, so that the next ones have room.
pub(super) fn forget_oldest(inner: &Arc<Inner>, scope_key: &str) {
    if !inner.work.quota.is_due(scope_key) {
        return;
    }
    let (forgetting, scope_key) = (Arc::clone(inner), scope_key.to_owned());
    inner.work.spawn(async move {
        match forgetting.store.forget_oldest(&scope_key, QUOTA - ROOM).await {
            Ok(forgotten) => {
                forgetting.work.quota.counted(&scope_key, forgotten.left);
                if forgotten.count > 0 {
                    let count = forgotten.count;
                    tracing::info!(scope = scope_key, count, "oldest deployments forgotten");
                }
            }
            Err(error) => tracing::warn!(scope = scope_key, %error, "oldest deployments not forgotten"),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_before_the_room_is_used_up() {
        let quota = Quota::default();
        assert!(quota.is_due("a"), "nothing is known of it");
        quota.counted("a", 700);
        assert_eq!((0..25).filter(|_| quota.is_due("a")).count(), 1);
        quota.counted("a", QUOTA - ROOM);
        assert_eq!((0..ROOM).filter(|_| quota.is_due("a")).count(), 1);
        assert!(quota.is_due("b"));
    }
}
