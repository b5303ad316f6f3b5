//! Ends the program when a script does not come back from a built-in function of the engine.
//!
//! The engine looks at the clock between the steps of a script; that ends nearly everything in time. What is left are
//! single calls that take very long, such as a search through a gigabyte of text. Nothing has been written by then. If
//! it was a validation function, the command starts again without that call, so that the other checks are made.

use std::io::Write;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use generate::{Watchdog, Watched};

use super::restart;

/// A thread that watches the clock while another one runs scripts.
pub(crate) struct WatchdogThread {
    shared: Arc<Shared>,
}

/// How a command goes on in a new process when a validation function had to be ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Continuation {
    /// The calls that had to be ended so far, in ascending order.
    pub(crate) ended: Vec<usize>,
    /// How long the command may still be started again; none if it cannot be.
    pub(crate) time_left: Option<Duration>,
}

/// The variable that hands a [`Continuation`] to the next process.
const CONTINUATION: &str = "SINEW_CONTINUATION";

impl Continuation {
    /// What the process before this one has left to do; nothing usually.
    pub(crate) fn of_this_process() -> Self {
        let parsed = std::env::var(CONTINUATION).ok().and_then(|text| {
            let (ended, left) = text.split_once(';')?;
            let ended = ended.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>().ok()?;
            Some(Self { ended, time_left: left.parse().ok().map(Duration::from_millis) })
        });
        parsed.unwrap_or_default()
    }

    /// The same command without one more call, if there is time for it.
    fn next(&self, call: usize, spent: Duration) -> Option<Command> {
        let left = self.time_left?.checked_sub(spent)?;
        let mut ended = self.ended.clone();
        ended.push(call);
        ended.sort_unstable();
        let numbers: Vec<String> = ended.iter().map(usize::to_string).collect();
        let mut command = restart::command().ok()?;
        command.env(CONTINUATION, format!("{};{}", numbers.join(","), left.as_millis()));
        Some(command)
    }
}

struct Shared {
    watches: Mutex<Watches>,
    changed: Condvar,
    started: Instant,
    continuation: Continuation,
}

#[derive(Default)]
struct Watches {
    /// What is being waited for, the innermost last.
    open: Vec<Watch>,
    /// Until when the thread sleeps. It needs to be woken only for something earlier.
    asleep_until: Option<Instant>,
    has_thread: bool,
}

struct Watch {
    deadline: Instant,
    watched: Watched,
}

impl WatchdogThread {
    /// A watchdog with nothing to watch; its thread starts with the first watch.
    pub(crate) fn new(continuation: Continuation) -> Self {
        let (watches, changed) = (Mutex::default(), Condvar::default());
        Self { shared: Arc::new(Shared { watches, changed, started: Instant::now(), continuation }) }
    }
}

impl Watchdog for WatchdogThread {
    fn start(&self, time: Duration, watched: Watched) {
        // The engine's own look at the clock goes first: it knows the line.
        let deadline = Instant::now() + time.saturating_add(time / 5 * 2).min(LONGEST);
        let mut watches = self.shared.lock();
        watches.open.push(Watch { deadline, watched });
        if !watches.has_thread {
            watches.has_thread = true;
            let shared = Arc::clone(&self.shared);
            thread::spawn(move || shared.watch());
        } else if watches.asleep_until.is_none_or(|until| deadline < until) {
            self.shared.changed.notify_one();
        }
    }

    fn stop(&self) {
        self.shared.lock().open.pop();
    }
}

/// A clock cannot be set later than this.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watches> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends this process, which holds the script that cannot be interrupted.
    fn end(&self, watched: &Watched) -> ! {
        let next =
            watched.validator_call.and_then(|call| self.continuation.next(call, self.started.elapsed()));
        if let Some(Ok(status)) = next.map(|mut command| command.status()) {
            std::process::exit(status.code().unwrap_or(1));
        }
        let _ = writeln!(std::io::stderr(), "Error: {}", watched.message);
        std::process::exit(1);
    }

    fn watch(&self) {
        let mut watches = self.lock();
        loop {
            let now = Instant::now();
            let first = watches.open.iter().min_by_key(|watch| watch.deadline);
            if let Some(late) = first.filter(|watch| watch.deadline <= now) {
                self.end(&late.watched);
            }
            // Without a watch there is nothing to do until one starts.
            let until = first.map(|watch| watch.deadline);
            watches.asleep_until = until;
            let timeout = until.map_or(LONGEST, |until| until - now);
            watches = match self.changed.wait_timeout(watches, timeout) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}
