//! Many files at once, with results in the order of the files.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

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
    let Ok(pool) = ThreadPoolBuilder::new().stack_size(STACK_BYTES).build() else {
        return items.iter().map(work).collect();
    };
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
}
