//! The processor time of processes, as the system tells it: on a machine that is shared with other work it says more than the
//! wall clock.

use crate::Outcome;

/// Ticks of the clock that processor time is counted in, per second.
const TICKS: f64 = 100.0;

/// The processor time of a process so far, in seconds, in user and system mode together.
pub(crate) fn time_of(process: u32) -> Outcome<f64> {
    let (_, own, _) = read(process)?;
    Ok(own / TICKS)
}

/// The same for a process and its children, those that have ended included.
pub(crate) fn time_below(process: u32) -> Outcome<f64> {
    let (_, own, ended) = read(process)?;
    let mut sum = own + ended;
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Some(other) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // One that ends meanwhile is counted by its parent the next time.
        if let Ok((parent, own, _)) = read(other)
            && parent == process
        {
            sum += own;
        }
    }
    Ok(sum / TICKS)
}

/// The parent of a process, its own ticks, and those of its children that have ended.
fn read(process: u32) -> Outcome<(u32, f64, f64)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may have anything in it.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    Ok((number(1) as u32, number(11) + number(12), number(13) + number(14)))
}
