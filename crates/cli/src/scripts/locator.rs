//! Finds where a script calls the built-in function that it does not come back from. The engine cannot be asked while it
//! is inside, so the command is repeated in a process that announces such calls, prints the place it has got to when its
//! time is over, and does nothing else.

use std::io::{self, Write};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use generate::{Watchdog, Watched};

use super::restart;

/// The variable that tells a process to look for the place, and how long in milliseconds.
const LOCATE: &str = "SINEW_LOCATE_BUILT_IN";

/// What the line with the place starts with; the command may print others.
const MARK: &str = "built-in function called at ";

/// Which part of the time of a process is left for starting and ending it.
const RESERVE: u32 = 8;

/// How long this process looks for the place; none if it is here for something else.
pub(super) fn time_of_this_process() -> Option<Duration> {
    std::env::var(LOCATE).ok()?.parse().ok().map(Duration::from_millis)
}

/// Starts a process that looks for the place. The place can be received when the time is over, if there is one.
pub(super) fn start(time: Duration) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let Ok(mut command) = restart::command() else { return };
        command.env(LOCATE, (time - time / RESERVE).as_millis().to_string());
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let Ok(output) = command.output() else { return };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some(place) = text.lines().rev().find_map(|line| line.strip_prefix(MARK)) {
            let _ = sender.send(place.to_owned());
        }
    });
    receiver
}

/// Keeps the places of the built-in functions that a script is in, the innermost last.
#[derive(Default)]
pub(super) struct Locator {
    places: Arc<Mutex<Vec<String>>>,
}

impl Locator {
    /// Prints the place and ends this process when the time is over.
    pub(super) fn ending_after(time: Duration) -> Self {
        let locator = Self::default();
        let places = Arc::clone(&locator.places);
        thread::spawn(move || {
            thread::sleep(time);
            let places = places.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(place) = places.iter().rev().find(|place| !place.is_empty()) {
                let _ = writeln!(io::stdout(), "{MARK}{place}");
            }
            std::process::exit(0);
        });
        locator
    }
}

impl Watchdog for Locator {
    fn start(&self, _time: Duration, _watched: Watched) {}

    fn stop(&self) {}

    fn enter_built_in(&self, place: String) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).push(place);
    }

    fn leave_built_in(&self) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).pop();
    }
}
