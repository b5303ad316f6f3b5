//! A thread pool, so that no request waits for a slow one. Requests go before background jobs.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// Deep trees recurse within a bound; this is enough for all of them in debug builds, too.
const STACK: usize = 16 << 20;

/// Threads that do jobs. They end when the pool is dropped and its jobs are done.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    requests: VecDeque<Job>,
    background: VecDeque<Job>,
    is_closed: bool,
}

impl Pool {
    /// A pool of so many threads.
    pub(crate) fn new(size: usize) -> Self {
        let shared = Arc::new(Shared::default());
        let spawn = |index: usize| {
            let shared = Arc::clone(&shared);
            let builder = thread::Builder::new().name(format!("worker {index}")).stack_size(STACK);
            builder.spawn(move || shared.work()).ok()
        };
        let threads = (0..size).filter_map(spawn).collect();
        Self { shared, threads }
    }

    /// Adds a job that somebody waits for.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.add(|queue| queue.requests.push_back(Box::new(job)));
    }

    /// Adds a job that nobody waits for.
    pub(crate) fn run_later(&self, job: impl FnOnce() + Send + 'static) {
        self.add(|queue| queue.background.push_back(Box::new(job)));
    }

    fn add(&self, push: impl FnOnce(&mut Queue)) {
        push(&mut self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner));
        self.shared.arrived.notify_one();
    }
}

impl Shared {
    fn work(&self) {
        while let Some(job) = self.next() {
            // A job answers for itself; here it only must not end the thread.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = queue.requests.pop_front().or_else(|| queue.background.pop_front()) {
                return Some(job);
            }
            if queue.is_closed {
                return None;
            }
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).is_closed = true;
        self.shared.arrived.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
