//! A type that is computed on first use.

use std::cell::RefCell;
use std::sync::{Arc, LazyLock, OnceLock};

use base::SmolStr;

use super::{Kind, Node, Repr, Type, TypeFlags};

/// Gives nothing as long as the type is not known yet.
type Compute = Box<dyn Fn() -> Option<Type> + Send + Sync>;

/// A computation and, once it has run, its result.
///
/// The result is computed outside of the cell's lock: two threads may do it at once, and the first result stays. A
/// computation that asks for its own result gets `any` instead of a deadlock.
pub(super) struct Deferred {
    label: Option<SmolStr>,
    compute: Compute,
    result: OnceLock<Arc<Node>>,
}

thread_local! {
    /// The deferred types that this thread is computing, innermost last.
    static RUNNING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// How many computations may be nested before the innermost is answered with `any`.
const MAX_NESTING: usize = 200;

impl Deferred {
    pub(super) fn new(label: Option<SmolStr>, compute: Compute) -> Self {
        Self { label, compute, result: OnceLock::new() }
    }

    /// Its value; `any` as long as it is not known.
    pub(super) fn get(&self) -> &Arc<Node> {
        static UNKNOWN: LazyLock<Arc<Node>> =
            LazyLock::new(|| Arc::new(Node { kind: Kind::Any, flags: TypeFlags::empty(), name: None }));
        self.known().unwrap_or(&UNKNOWN)
    }

    /// Its value, if it can be known.
    fn known(&self) -> Option<&Arc<Node>> {
        if let Some(result) = self.result.get() {
            return Some(result);
        }
        let _running = Running::enter(std::ptr::from_ref(self) as usize)?;
        let node = match (self.compute)()?.0 {
            Repr::Known(node) => node,
            // What goes round in circles is `any` for good; what is only not known yet is asked for again.
            Repr::Deferred(inner) if inner.label.is_some() => Arc::clone(inner.known()?),
            Repr::Deferred(inner) => Arc::clone(inner.get()),
        };
        Some(self.result.get_or_init(|| node))
    }
}

impl Type {
    /// Whether it can be looked into.
    pub fn is_known(&self) -> bool {
        match &self.0 {
            Repr::Known(_) => true,
            Repr::Deferred(deferred) => deferred.known().is_some(),
        }
    }

    /// What stands for it in names as long as it is not known.
    pub(super) fn label(&self) -> Option<&SmolStr> {
        match &self.0 {
            Repr::Deferred(deferred) if deferred.label.is_some() && !self.is_known() => {
                deferred.label.as_ref()
            }
            _ => None,
        }
    }

    /// Whether it is a reference to a type, computed or not.
    pub fn is_deferred(&self) -> bool {
        matches!(&self.0, Repr::Deferred(_))
    }

    /// Whether it has yet to be computed.
    pub(super) fn is_open(&self) -> bool {
        matches!(&self.0, Repr::Deferred(deferred) if deferred.result.get().is_none())
    }
}

/// Marks a computation as running on this thread until it is dropped.
struct Running;

impl Running {
    fn enter(address: usize) -> Option<Self> {
        RUNNING.with_borrow_mut(|stack| {
            if stack.len() >= MAX_NESTING || stack.contains(&address) {
                return None;
            }
            stack.push(address);
            Some(Self)
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(Vec::pop);
    }
}
