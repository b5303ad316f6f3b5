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
    delayed: Vec<Delayed>,
    is_closed: bool,
}

struct Delayed {
    /// What it is about: a later one takes its place.
    subject: String,
    due: Instant,
    job: Job,
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

    /// What adds jobs from other threads.
    pub(crate) fn handle(&self) -> PoolHandle {
        PoolHandle(Arc::clone(&self.shared))
    }

    /// Adds a job that somebody waits for.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.add(|queue| queue.requests.push_back(Box::new(job)));
    }

    /// Adds a job that nobody waits for.
    pub(crate) fn run_later(&self, job: impl FnOnce() + Send + 'static) {
        self.add(|queue| queue.background.push_back(Box::new(job)));
    }

    /// Adds a job that nobody waits for and that is not worth beginning before some time has passed without another one about the
    /// same subject. What has not begun when the pool is dropped is not done.
    pub(crate) fn run_after(&self, delay: Duration, subject: &str, job: impl FnOnce() + Send + 'static) {
        self.handle().run_after(delay, subject, job);
    }

    fn add(&self, push: impl FnOnce(&mut Queue)) {
        self.shared.add(push);
    }
}

/// Adds jobs to a pool without keeping it alive: what comes after its end is not done.
pub(crate) struct PoolHandle(Arc<Shared>);

impl PoolHandle {
    /// See [`Pool::run_after`].
    pub(crate) fn run_after(&self, delay: Duration, subject: &str, job: impl FnOnce() + Send + 'static) {
        let delayed =
            Delayed { subject: subject.to_owned(), due: Instant::now() + delay, job: Box::new(job) };
        self.0.add(|queue| match queue.delayed.iter_mut().find(|it| it.subject == delayed.subject) {
            Some(known) => {
                // What an outdated job holds is let go by a thread that nobody waits for.
                let outdated = std::mem::replace(known, delayed);
                queue.background.push_back(Box::new(move || drop(outdated)));
            }
            None => queue.delayed.push(delayed),
        });
    }
}

impl Shared {
    fn add(&self, push: impl FnOnce(&mut Queue)) {
        push(&mut self.queue.lock().unwrap_or_else(PoisonError::into_inner));
        self.arrived.notify_one();
    }

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
            let next =
                queue.delayed.iter().enumerate().min_by_key(|(_, it)| it.due).map(|(at, it)| (at, it.due));
            match next {
                Some((at, due)) if due <= now => return Some(queue.delayed.swap_remove(at).job),
                Some((_, due)) => {
                    let waited = self.arrived.wait_timeout(queue, due - now);
                    queue = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner),
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn of_delayed_jobs_about_one_subject_the_last_is_done() {
        let (pool, sum) = (Pool::new(2), Arc::new(AtomicUsize::new(0)));
        for number in 1..=5 {
            let sum = Arc::clone(&sum);
            pool.run_after(Duration::from_millis(40), "a", move || {
                sum.fetch_add(number, Ordering::AcqRel);
            });
        }
        let other = Arc::clone(&sum);
        pool.run_after(Duration::from_millis(1), "b", move || {
            other.fetch_add(100, Ordering::AcqRel);
        });
        let deadline = Instant::now() + Duration::from_secs(20);
        while sum.load(Ordering::Acquire) < 105 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(sum.load(Ordering::Acquire), 105);
    }
}
