//! Ends the program when a script does not come back from a built-in function of the engine.
//!
//! The engine looks at the clock between the steps of a script; that ends nearly everything in time. What is left are
//! single calls that take very long, such as a search through a gigabyte of text. Nothing has been written by then.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use generate::Watchdog;

/// A thread that watches the clock while another one runs scripts.
pub(crate) struct WatchdogThread {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    watches: Mutex<Watches>,
    changed: Condvar,
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
    message: String,
}

impl WatchdogThread {
    /// A watchdog with nothing to watch; its thread starts with the first watch.
    pub(crate) fn new() -> Self {
        Self { shared: Arc::default() }
    }
}

impl Watchdog for WatchdogThread {
    fn start(&self, time: Duration, message: String) {
        // The engine's own look at the clock goes first: it knows the line.
        let deadline = Instant::now() + time.saturating_add(time / 5 * 2).min(LONGEST);
        let mut watches = self.shared.lock();
        watches.open.push(Watch { deadline, message });
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

    fn watch(&self) {
        let mut watches = self.lock();
        loop {
            let now = Instant::now();
            let first = watches.open.iter().min_by_key(|watch| watch.deadline);
            if let Some(late) = first.filter(|watch| watch.deadline <= now) {
                let _ = writeln!(std::io::stderr(), "Error: {}", late.message);
                std::process::exit(1);
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
