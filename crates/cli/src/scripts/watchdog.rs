//! Ends the program when a script does not come back from a built-in function of the engine.
//!
//! The engine looks at the clock between the steps of a script; that ends nearly everything in time. What is left are
//! single calls that take very long, such as a search through a gigabyte of text. Nothing has been written by then. When
//! the engine has not been heard of for a while, or the limit is overrun, [`locator`](super::locator) begins to look for the
//! line; some time after the limit the program ends. If it was a validation function, the command starts again without that
//! call, so that the other checks are made.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use generate::{EndedCall, Watchdog, Watched};
use serde_json::json;

use super::locator::Locating;
use super::restart::{self, Input};

/// A thread that watches the clock while another one runs scripts.
pub(crate) struct WatchdogThread {
    shared: Arc<Shared>,
}

/// How a command goes on in a new process when a validation function had to be ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Continuation {
    /// The calls that had to be ended so far, in ascending order.
    pub(crate) ended: Vec<EndedCall>,
    /// How long the command may still be started again.
    pub(crate) time_left: Option<Duration>,
}

/// The variable that hands a [`Continuation`] to the next process.
const CONTINUATION: &str = "SINEW_CONTINUATION";

impl Continuation {
    /// What the process before this one has left to do; nothing usually.
    pub(crate) fn of_this_process() -> Self {
        let parsed = std::env::var(CONTINUATION).ok().and_then(|text| {
            let mut parsed: serde_json::Value = serde_json::from_str(&text).ok()?;
            let time_left = parsed.get("milliseconds")?.as_u64().map(Duration::from_millis);
            let calls: Vec<(usize, Option<String>)> =
                serde_json::from_value(parsed.get_mut("ended")?.take()).ok()?;
            let ended = calls.into_iter().map(|(number, place)| EndedCall { number, place });
            Some(Self { ended: ended.collect(), time_left })
        });
        parsed.unwrap_or_default()
    }

    /// The same command without one more call, if there is time for it.
    fn next(&self, call: EndedCall, spent: Duration) -> Option<Command> {
        let left = self.time_left?.checked_sub(spent)?;
        let mut ended = self.ended.clone();
        ended.push(call);
        ended.sort_by_key(|call| call.number);
        let calls: Vec<_> = ended.iter().map(|call| json!([call.number, call.place])).collect();
        let milliseconds = u64::try_from(left.as_millis()).ok()?;
        let mut command = restart::command().ok()?;
        command.env(CONTINUATION, json!({ "ended": calls, "milliseconds": milliseconds }).to_string());
        Some(command)
    }
}

struct Shared {
    watches: Mutex<Watches>,
    changed: Condvar,
    /// How often the engine has been heard of.
    ticks: AtomicU64,
    input: Mutex<Input>,
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
    /// When the engine is to be heard of next.
    next_look: Instant,
    /// How long it may be silent.
    patience: Duration,
    /// How often it had been heard of when somebody looked last.
    ticks: u64,
    /// When the time is over; the engine ends most scripts then.
    overrun: Instant,
    /// When the process ends.
    deadline: Instant,
    watched: Watched,
    /// Looks for the place where the script is.
    locating: Option<Locating>,
}

/// The engine is silent for too long when it is for this part of the time.
const PATIENCE: u32 = 8;

impl Watch {
    fn new(time: Duration, ticks: u64, watched: Watched) -> Self {
        let time = time.min(LONGEST);
        let (now, patience) = (Instant::now(), time / PATIENCE);
        // The engine's own look at the clock goes first: it knows the line.
        let overrun = now + time + time / 50;
        // The system needs a while to take back the memory of a process.
        let deadline = overrun + time / 10 * 3;
        // Starting takes a while, and loads most files.
        let next_look = now + patience;
        Self { next_look, patience, ticks, overrun, deadline, watched, locating: None }
    }

    /// When there is something to do about it.
    fn next(&self) -> Instant {
        if self.locating.is_some() { self.deadline } else { self.next_look.min(self.overrun) }
    }
}

impl WatchdogThread {
    /// A watchdog with nothing to watch; its thread starts with the first watch.
    pub(crate) fn new(continuation: Continuation) -> Self {
        let shared = Shared {
            watches: Mutex::default(),
            changed: Condvar::default(),
            ticks: AtomicU64::default(),
            input: Mutex::default(),
            started: Instant::now(),
            continuation,
        };
        Self { shared: Arc::new(shared) }
    }
}

impl Watchdog for WatchdogThread {
    fn start(&self, time: Duration, watched: Watched) {
        let watch = Watch::new(time, self.shared.ticks.load(Ordering::Relaxed), watched);
        let next = watch.next();
        let mut watches = self.shared.lock();
        watches.open.push(watch);
        if !watches.has_thread {
            watches.has_thread = true;
            let shared = Arc::clone(&self.shared);
            thread::spawn(move || shared.watch());
        } else if watches.asleep_until.is_none_or(|until| next < until) {
            self.shared.changed.notify_one();
        }
    }

    fn stop(&self) {
        let ended = self.shared.lock().open.pop();
        drop(ended);
    }

    fn tick(&self) {
        self.shared.ticks.fetch_add(1, Ordering::Relaxed);
    }

    fn keep_input(&self, input: &[u8]) {
        self.shared.input.lock().unwrap_or_else(PoisonError::into_inner).keep(input);
    }
}

/// A clock cannot be set later than this.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watches> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn input(&self) -> Input {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends this process, which holds the script that cannot be interrupted.
    fn end(&self, watch: &mut Watch) -> ! {
        let place = watch.locating.take().and_then(|locating| locating.place());
        let next = watch.watched.validator_call.and_then(|number| {
            let call = EndedCall { number, place: place.clone() };
            self.continuation.next(call, self.started.elapsed())
        });
        let status = next.map(|mut command| self.input().spawn(&mut command, Stdio::inherit())?.wait());
        if let Some(Ok(status)) = status {
            std::process::exit(status.code().unwrap_or(1));
        }
        let _ = writeln!(std::io::stderr(), "Error: {}", watch.watched.ended_message(place.as_deref()));
        std::process::exit(1);
    }

    /// Looks after the watch whose time has come.
    fn look(&self, watch: &mut Watch, now: Instant) {
        if watch.locating.is_some() {
            self.end(watch);
        }
        let ticks = self.ticks.load(Ordering::Relaxed);
        let is_silent = ticks == watch.ticks;
        watch.ticks = ticks;
        watch.next_look = now + watch.patience;
        if is_silent || now >= watch.overrun {
            let time = watch.deadline.saturating_duration_since(now);
            watch.locating = Some(Locating::start(time, watch.watched.validator_call, self.input()));
        }
    }

    fn watch(&self) {
        let mut watches = self.lock();
        loop {
            let now = Instant::now();
            let first = watches.open.iter_mut().min_by_key(|watch| watch.next());
            let until = first.as_ref().map(|watch| watch.next());
            if let Some(due) = first.filter(|watch| watch.next() <= now) {
                self.look(due, now);
                continue;
            }
            // Without a watch there is nothing to do until one starts.
            watches.asleep_until = until;
            let timeout = until.map_or(LONGEST, |until| until - now);
            watches = match self.changed.wait_timeout(watches, timeout) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}
