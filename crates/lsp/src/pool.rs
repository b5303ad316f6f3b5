//! A thread pool, so that no request waits for a slow one. Requests go before background jobs.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

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
    /// Jobs that wait for their time.
    delayed: Vec<(Instant, Job)>,
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

    /// Adds a job that nobody waits for and that is not worth beginning before some time has passed. What has not begun when the
    /// pool is dropped is not done.
    pub(crate) fn run_after(&self, delay: Duration, job: impl FnOnce() + Send + 'static) {
        let due = Instant::now() + delay;
        self.add(|queue| queue.delayed.push((due, Box::new(job))));
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
            let now = Instant::now();
            let next = (0..queue.delayed.len()).min_by_key(|at| queue.delayed.get(*at).map(|(due, _)| *due));
            let due = next.and_then(|at| queue.delayed.get(at)).map(|(due, _)| *due);
            match (next, due) {
                (Some(at), Some(due)) if due <= now => return Some(queue.delayed.swap_remove(at).1),
                (_, Some(due)) => {
                    let waited = self.arrived.wait_timeout(queue, due - now);
                    queue = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                (_, None) => queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
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
