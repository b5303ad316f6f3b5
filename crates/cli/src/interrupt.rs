//! Ctrl-C while files are written. The process ends between two files, never inside of one, so that neither half a file nor a temporary
//! file is left.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// From here on an interruption waits for files that are being written. For commands that write files one after the other; those that serve
/// or deploy end in their own way.
pub(crate) fn spare_files() {
    INTERRUPTION.get_or_init(|| Interruption::listen().ok());
}

/// While this is held, the process is not interrupted.
pub(crate) struct Writing(Option<&'static Interruption>);

/// A file is going to be written. Does not come back after an interruption.
pub(crate) fn writing() -> Writing {
    let interruption = INTERRUPTION.get().and_then(Option::as_ref);
    interruption.inspect(|it| it.begin());
    Writing(interruption)
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.inspect(|it| it.end());
    }
}

static INTERRUPTION: OnceLock<Option<Interruption>> = OnceLock::new();

struct Interruption {
    /// Whether a signal ends the process at once.
    is_idle: Arc<AtomicBool>,
    /// Whether a signal has come.
    is_asked: Arc<AtomicBool>,
    writers: Mutex<usize>,
}

impl Interruption {
    fn listen() -> std::io::Result<Self> {
        let (is_idle, is_asked) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::clone(&is_idle))?;
            flag::register(signal, Arc::clone(&is_asked))?;
        }
        Ok(Self { is_idle, is_asked, writers: Mutex::new(0) })
    }

    fn begin(&self) {
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_idle.store(false, Ordering::SeqCst);
        if self.is_asked.load(Ordering::SeqCst) {
            self.leave(&mut writers);
            drop(writers);
            // The last of those that are still writing ends the process.
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        *writers += 1;
    }

    fn end(&self) {
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        *writers = writers.saturating_sub(1);
        self.leave(&mut writers);
    }

    /// Ends the process if it was asked to and nobody writes. A signal that comes later ends it by itself.
    fn leave(&self, writers: &mut usize) {
        if *writers > 0 {
            return;
        }
        self.is_idle.store(true, Ordering::SeqCst);
        if self.is_asked.load(Ordering::SeqCst) {
            // If even that fails, the process goes on, as if nobody had asked.
            let _ = low_level::emulate_default_handler(SIGINT);
        }
    }
}
