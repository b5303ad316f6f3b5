//! Many files at once, with results in the order of the files.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// From this many files on, a person may want to see that something happens.
const WORTH_A_BAR: usize = 64;

/// Trees of generated files are deep; the stack of a thread is only reserved, not used.
const STACK_BYTES: usize = 16 << 20;

/// Does the work for every item, on all cores. The result does not depend on how many there are. Work that is itself
/// divided in this way shares the cores.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.iter().map(work).collect();
    }
    if rayon::current_thread_index().is_some() {
        return items.par_iter().map(&work).collect();
    }
    let Some(pool) = pool() else { return items.iter().map(work).collect() };
    let bar = progress_bar(items.len());
    let mut results = Vec::with_capacity(items.len());
    pool.install(|| {
        let done = items.par_iter().map(|item| {
            let result = work(item);
            bar.inc(1);
            result
        });
        done.collect_into_vec(&mut results);
    });
    bar.finish_and_clear();
    results
}

/// Work on parts of which each takes much memory, or much longer than others.
pub(crate) struct Portions<'t, T> {
    pub(crate) all: &'t [T],
    /// At most so many are in work at a time.
    pub(crate) at_once: usize,
    /// How many files a part stands for.
    pub(crate) files: fn(&T) -> usize,
}

impl<T: Sync> Portions<'_, T> {
    /// Does the work for every part, in their order as far as it goes. A part stays on one core from beginning to end, so
    /// that its memory is given back to where it came from; cores without one help where the work itself is divided.
    pub(crate) fn map<R: Send>(&self, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
        let Some(pool) = pool().filter(|_| self.all.len() > 1) else {
            return self.all.iter().map(work).collect();
        };
        let bar = progress_bar(self.all.iter().map(self.files).sum());
        let next = AtomicUsize::new(0);
        let lane = |_| {
            let mut done = Vec::new();
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = self.all.get(position) else { return done };
                done.push((position, work(part)));
                bar.inc((self.files)(part) as u64);
            }
        };
        let lanes = self.at_once.min(pool.current_num_threads());
        let done = pool.install(|| (0..lanes).into_par_iter().with_max_len(1).flat_map_iter(lane).collect());
        bar.finish_and_clear();
        in_order(done)
    }
}

fn in_order<R>(mut done: Vec<(usize, R)>) -> Vec<R> {
    done.sort_by_key(|(position, _)| *position);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The threads of this process. They are kept: what a thread has allocated is expensive to free once it is gone.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| ThreadPoolBuilder::new().stack_size(STACK_BYTES).build().ok()).as_ref()
}

/// A bar on standard error; it draws nothing when that is not a terminal.
fn progress_bar(len: usize) -> ProgressBar {
    if len < WORTH_A_BAR {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(len as u64), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:40} {pos}/{len} files") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        let doubled = map(&items, |item| {
            std::thread::sleep(std::time::Duration::from_micros(item % 7));
            item * 2
        });
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn only_so_many_portions_are_in_work_at_a_time() {
        let items: Vec<usize> = (0..100).collect();
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let portions = Portions { all: &items, at_once: 2, files: |_| 1 };
        let sums = portions.map(|item| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let sum: usize = map(&[1, 2, 3], |part| part * item).into_iter().sum();
            running.fetch_sub(1, Ordering::SeqCst);
            sum
        });
        assert_eq!(sums, items.iter().map(|item| item * 6).collect::<Vec<_>>());
        assert!(most.into_inner() <= 2);
    }
}
