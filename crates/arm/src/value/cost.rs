//! How much memory new values take, for the budget: rather too much than too little, so that the limit holds for the
//! process and not only for the sum of the parts.

use super::Value;

/// A text: it is built once and copied once.
pub(crate) const fn text(bytes: usize) -> usize {
    bytes.saturating_mul(2).saturating_add(32)
}

/// An array of so many items.
pub(crate) const fn array(items: usize) -> usize {
    items.saturating_mul(size_of::<Value>() + 16).saturating_add(64)
}

/// An object of so many members, with its index.
pub(crate) const fn object(members: usize) -> usize {
    members.saturating_mul(size_of::<Value>() + 96).saturating_add(320)
}

/// A resource of the plan, with what is kept about it.
pub(crate) const RESOURCE: usize = 4096;
