//! Limits for work whose size the input decides: evaluation, validators, rules, scripts.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Time since some start. The rim hands it in; pure code has no clock of its own.
pub trait Clock: Send + Sync {
    /// Time since the clock was made.
    fn elapsed(&self) -> Duration;
}

/// How much a piece of work may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Steps of evaluation.
    pub steps: u64,
    /// Bytes of values alive or produced.
    pub memory: u64,
    /// Nesting of calls.
    pub depth: u32,
    /// Time by the clock, where there is one.
    pub time: Duration,
}

impl Default for Limits {
    /// What a validator gets: one second, 64 MB.
    fn default() -> Self {
        Self { steps: 10_000_000, memory: 64 << 20, depth: 512, time: Duration::from_secs(1) }
    }
}

/// Which limit was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overrun {
    /// Too many steps.
    Steps(u64),
    /// Too many bytes.
    Memory(u64),
    /// Nested too deeply.
    Depth(u32),
    /// Took too long.
    Time(Duration),
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(limit) => write!(f, "more than {limit} evaluation steps"),
            Self::Memory(limit) => write!(f, "more than {} MB of values", limit >> 20),
            Self::Depth(limit) => write!(f, "nested deeper than {limit} levels"),
            Self::Time(limit) => write!(f, "longer than {} ms", limit.as_millis()),
        }
    }
}

impl std::error::Error for Overrun {}

/// What is left of the [`Limits`]. Shared by reference along one evaluation; not across threads.
pub struct Budget {
    limits: Limits,
    steps: Cell<u64>,
    memory: Cell<u64>,
    depth: Cell<u32>,
    clock: Option<Arc<dyn Clock>>,
}

/// Every how many steps the clock is read.
const STEPS_PER_TICK: u64 = 1024;

impl Budget {
    /// A fresh budget without a clock: the time limit does not apply.
    pub fn new(limits: Limits) -> Self {
        Self { limits, steps: Cell::new(0), memory: Cell::new(0), depth: Cell::new(0), clock: None }
    }

    /// The same with a clock, so that the time limit applies.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Counts one step.
    pub fn step(&self) -> Result<(), Overrun> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > self.limits.steps {
            return Err(Overrun::Steps(self.limits.steps));
        }
        match &self.clock {
            Some(clock) if steps.is_multiple_of(STEPS_PER_TICK) && clock.elapsed() > self.limits.time => {
                Err(Overrun::Time(self.limits.time))
            }
            _ => Ok(()),
        }
    }

    /// Counts bytes that a step produced.
    pub fn allocate(&self, bytes: usize) -> Result<(), Overrun> {
        let memory = self.memory.get().saturating_add(bytes as u64);
        self.memory.set(memory);
        if memory > self.limits.memory { Err(Overrun::Memory(self.limits.memory)) } else { Ok(()) }
    }

    /// Runs one level deeper.
    pub fn nested<T, E: From<Overrun>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let depth = self.depth.get() + 1;
        if depth > self.limits.depth {
            return Err(Overrun::Depth(self.limits.depth).into());
        }
        self.depth.set(depth);
        let result = work();
        self.depth.set(depth - 1);
        result
    }

    /// The limits it was made with.
    pub fn limits(&self) -> Limits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stopped(Duration);

    impl Clock for Stopped {
        fn elapsed(&self) -> Duration {
            self.0
        }
    }

    #[test]
    fn each_limit_ends_the_work() {
        let limits = Limits { steps: 2_000, memory: 10, depth: 1, time: Duration::from_millis(5) };
        let budget = Budget::new(limits);
        assert_eq!((0..2_001).find_map(|_| budget.step().err()), Some(Overrun::Steps(2_000)));
        assert_eq!(budget.allocate(4).and_then(|()| budget.allocate(7)), Err(Overrun::Memory(10)));
        let deep: Result<(), Overrun> = budget.nested(|| budget.nested(|| Ok(())));
        assert_eq!(deep, Err(Overrun::Depth(1)));
        assert_eq!(budget.nested(|| Ok::<_, Overrun>(1)), Ok(1));
    }

    #[test]
    fn time_counts_only_with_a_clock() {
        let limits = Limits { time: Duration::from_millis(5), ..Limits::default() };
        let late = Budget::new(limits).with_clock(Arc::new(Stopped(Duration::from_secs(1))));
        assert_eq!((0..5_000).find_map(|_| late.step().err()), Some(Overrun::Time(limits.time)));
        let without = Budget::new(limits);
        assert_eq!((0..5_000).find_map(|_| without.step().err()), None);
    }
}
