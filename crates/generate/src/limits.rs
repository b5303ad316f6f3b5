//! What scripts and validators may use: time, memory and the size of files.

use std::time::Duration;

use base::Limits;

/// What a script and each validator in it may use.
#[derive(Debug, Clone, Copy)]
pub struct ScriptLimits {
    /// The whole run: time, and bytes of values in the engine. Steps do not count.
    pub script: Limits,
    /// One check, from the call of the validation function until its answer is there: time only, because the memory is
    /// part of the script's.
    pub validator: Limits,
    /// The largest file that is read, in bytes.
    pub file_size: u64,
}

impl Default for ScriptLimits {
    /// A minute and a gigabyte for the script, a second for each validator, 32 MB for each file.
    fn default() -> Self {
        let script = Limits { time: Duration::from_secs(60), memory: 1 << 30, ..Limits::default() };
        Self { script, validator: Limits::default(), file_size: base::world::MAX_SOURCE_BYTES as u64 }
    }
}

/// A duration as people write it: whole seconds as `3 s`, everything else in milliseconds.
pub(crate) fn show_time(time: Duration) -> String {
    if time.subsec_nanos() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

/// A number of bytes as people write it. Rounded up: what is above a limit is shown to be.
pub(crate) fn show_bytes(bytes: u64) -> String {
    let (unit, name) = match bytes {
        ..1024 => return format!("{bytes} bytes"),
        1024..0x10_0000 => (1024, "kB"),
        _ => (0x10_0000, "MB"),
    };
    let tenths = bytes.saturating_mul(10).div_ceil(unit);
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        rest => format!("{}.{rest} {name}", tenths / 10),
    }
}
