//! Finds where a script is that does not come back from a built-in function. The engine cannot be asked while it is
//! inside, so the command is repeated in a process whose scripts announce every place they come to. That process prints
//! the places where it is slow, and does nothing else.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use generate::{Place, Watchdog, Watched};

use super::restart::{self, Input};

/// The variable that tells a process to look for the place: how long in milliseconds, and, behind a colon, in which call of
/// a validation function.
const LOCATE: &str = "SINEW_LOCATE_BUILT_IN";

/// What a line with a place starts with; the command may print others. Without a place: the script is fast again.
const MARK: &str = "slow at ";

/// How often a process looks whether its script is slow.
const SAMPLE: Duration = Duration::from_millis(20);

/// How much processor time says something.
const ENOUGH: Duration = Duration::from_millis(5);

/// A script that needs more than this for the way from one place to the next is inside of built-in functions for most of
/// the time; everything else takes a tenth of it at most.
const SLOW: Duration = Duration::from_micros(5);

/// What this process looks for, if it is here for that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    time: Duration,
    validator_call: Option<usize>,
}

impl Search {
    /// What the process that started this one wants to know.
    pub(super) fn of_this_process() -> Option<Self> {
        let text = std::env::var(LOCATE).ok()?;
        let (time, call) = text.split_once(':').unwrap_or((&text, ""));
        let time = Duration::from_millis(time.parse().ok()?);
        Some(Self { time, validator_call: call.parse().ok() })
    }
}

/// A process that looks for the place. It ends when this is dropped.
pub(super) struct Locating {
    shared: Arc<Mutex<Progress>>,
}

#[derive(Default)]
struct Progress {
    child: Option<Child>,
    is_over: bool,
    place: Option<String>,
}

impl Locating {
    /// Starts the process. It ends by itself when the time is over.
    pub(super) fn start(time: Duration, validator_call: Option<usize>, input: Input) -> Self {
        let shared: Arc<Mutex<Progress>> = Arc::default();
        let progress = Arc::clone(&shared);
        thread::spawn(move || {
            let Ok(mut command) = restart::command() else { return };
            let call = validator_call.map(|call| format!(":{call}")).unwrap_or_default();
            command.env(LOCATE, format!("{}{call}", time.as_millis()));
            command.stdout(Stdio::piped()).stderr(Stdio::null());
            let mut locked = lock(&progress);
            if locked.is_over {
                return;
            }
            let Ok(mut child) = input.spawn(&mut command, Stdio::null()) else { return };
            let output = child.stdout.take();
            locked.child = Some(child);
            drop(locked);
            for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
                let Ok(line) = line else { return };
                if let Some(place) = line.strip_prefix(MARK) {
                    lock(&progress).place = Some(place.to_owned()).filter(|place| !place.is_empty());
                }
            }
        });
        Self { shared }
    }

    /// The place where the process is slow.
    pub(super) fn place(&self) -> Option<String> {
        lock(&self.shared).place.clone()
    }
}

impl Drop for Locating {
    fn drop(&mut self) {
        let mut progress = lock(&self.shared);
        progress.is_over = true;
        // To give back its memory may take it a while, which nobody needs to wait for.
        if let Some(child) = &mut progress.child {
            let _ = child.kill();
        }
    }
}

/// The watchdog of a process that looks for the place.
pub(super) struct Locator {
    whereabouts: Arc<Whereabouts>,
}

/// Where the script is.
#[derive(Default)]
struct Whereabouts {
    place: Mutex<Option<Arc<Place>>>,
    /// How many places it has come to.
    count: AtomicU64,
    /// The calls that are being watched, the innermost last.
    calls: Mutex<Vec<Option<usize>>>,
}

impl Locator {
    /// Prints the places where the script is slow, and ends this process when the time is over.
    pub(super) fn new(search: Search) -> Self {
        let whereabouts: Arc<Whereabouts> = Arc::default();
        let script = Arc::clone(&whereabouts);
        let end = Instant::now() + search.time;
        thread::spawn(move || {
            let (mut count, mut time) = (0, Duration::ZERO);
            let mut printed = String::new();
            while Instant::now() < end {
                thread::sleep(SAMPLE.min(end.saturating_duration_since(Instant::now())));
                let (count_now, time_now) = (script.count.load(Ordering::Relaxed), time_of_main_thread());
                let (places, spent) = (count_now - count, time_now.saturating_sub(time));
                // On a busy machine the script may not have run at all.
                if spent < ENOUGH {
                    continue;
                }
                (count, time) = (count_now, time_now);
                let is_slow = spent > SLOW * u32::try_from(places).unwrap_or(u32::MAX);
                let place = lock(&script.place).clone();
                let place = place.filter(|_| is_slow && script.is_in(search.validator_call));
                let line = place.map(|place| place.to_string()).unwrap_or_default();
                if line != printed {
                    let _ = writeln!(io::stdout(), "{MARK}{line}");
                    printed = line;
                }
            }
            std::process::exit(0);
        });
        Self { whereabouts }
    }
}

/// How long the thread has run that runs scripts: its processor time where the system tells it.
fn time_of_main_thread() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| STARTED.elapsed(), Duration::from_nanos)
}

/// For systems that do not tell.
static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Whereabouts {
    /// Whether the script is where the search is about: in a call of a validation function, or anywhere.
    fn is_in(&self, validator_call: Option<usize>) -> bool {
        validator_call.is_none() || lock(&self.calls).last() == Some(&validator_call)
    }
}

impl Watchdog for Locator {
    fn start(&self, _time: Duration, watched: Watched) {
        lock(&self.whereabouts.calls).push(watched.validator_call);
    }

    fn stop(&self) {
        lock(&self.whereabouts.calls).pop();
    }

    fn reach(&self, place: &Arc<Place>) {
        self.whereabouts.count.fetch_add(1, Ordering::Relaxed);
        *lock(&self.whereabouts.place) = Some(Arc::clone(place));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
