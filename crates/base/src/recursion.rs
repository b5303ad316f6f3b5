//! Recursion over trees that may be deep: work comes in, and runs on a stack with room for it.
//!
//! Walks over trees ask this at every node, so that it has to cost nothing: where the stack ends is remembered by each thread, and an
//! address is compared with it.

use std::cell::Cell;

/// What one step of a recursion may need before it asks again. Frames of debug builds are large.
const RED_ZONE: usize = 512 << 10;

/// How much is added where a stack ends.
const SEGMENT: usize = 4 << 20;

/// A stack that nobody has asked about is taken to have at least this much left. Threads have more; asking the system is expensive
/// (on Linux it reads a table of the process), and few inputs are so deep that it must be known.
const ASSUMED: usize = 2 * RED_ZONE;

thread_local! {
    static LIMIT: Cell<Limit> = const { Cell::new(Limit::UNKNOWN) };
}

/// How far down the current stack may be used.
#[derive(Clone, Copy)]
struct Limit {
    /// Below this address something has to be done.
    address: usize,
    /// Whether the system has said so.
    is_exact: bool,
}

impl Limit {
    /// Every address is below it.
    const UNKNOWN: Self = Self { address: usize::MAX, is_exact: false };
}

/// Runs a step of a recursion, with more stack if it needs more.
#[inline]
pub fn recurse<R>(step: impl FnOnce() -> R) -> R {
    if here() > LIMIT.get().address { step() } else { at_limit(step) }
}

/// Runs work on a new stack of this many bytes.
pub fn on_new_stack<R>(bytes: usize, work: impl FnOnce() -> R) -> R {
    /// Also when the work panics.
    struct Restore(Limit);
    impl Drop for Restore {
        fn drop(&mut self) {
            LIMIT.set(self.0);
        }
    }
    let _restore = Restore(LIMIT.replace(Limit::UNKNOWN));
    stacker::grow(bytes, work)
}

#[inline(never)]
fn at_limit<R>(step: impl FnOnce() -> R) -> R {
    let Limit { address, is_exact } = LIMIT.get();
    let here = here();
    if address == usize::MAX {
        LIMIT.set(Limit { address: here.saturating_sub(ASSUMED - RED_ZONE), is_exact: false });
        return step();
    }
    let remaining = if is_exact { 0 } else { stacker::remaining_stack().unwrap_or_default() };
    if remaining > RED_ZONE {
        LIMIT.set(Limit { address: here - (remaining - RED_ZONE), is_exact: true });
        return step();
    }
    on_new_stack(SEGMENT, step)
}

/// An address on the current stack.
#[inline(always)]
fn here() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(&local).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses about so many bytes of stack per level.
    fn depth_of(levels: usize) -> usize {
        let frame = std::hint::black_box([1_u8; 4096]);
        if levels == 0 { 0 } else { recurse(|| depth_of(levels - 1)) + usize::from(frame[0]) }
    }

    #[test]
    fn recursion_may_be_deeper_than_the_stack() {
        let on_small_stack = std::thread::Builder::new().stack_size(2 << 20).spawn(|| {
            assert_eq!(depth_of(20_000), 20_000);
            // The limit of the first stack holds again.
            depth_of(20_000)
        });
        assert_eq!(on_small_stack.unwrap().join().unwrap(), 20_000);
    }

    #[test]
    fn a_panic_on_a_new_stack_leaves_the_old_limit() {
        depth_of(1);
        let before = LIMIT.get().address;
        let result = std::panic::catch_unwind(|| on_new_stack(2 << 20, || panic!("on purpose")));
        assert!(result.is_err());
        assert_eq!(LIMIT.get().address, before);
        assert_eq!(depth_of(20_000), 20_000);
    }
}
