//! Times and durations as the API writes them.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base::{Budget, Clock, Limits};
use jiff::Timestamp;

/// What an evaluation may use, its time included.
pub(crate) fn budget(limits: Limits) -> Budget {
    Budget::new(limits).with_clock(Arc::new(MonotonicClock(Instant::now())))
}

struct MonotonicClock(Instant);

impl Clock for MonotonicClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A time as `2026-01-31T12:00:00.123Z`.
pub(crate) fn timestamp(milliseconds: i64) -> String {
    let time = Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}

/// A duration as `PT1M2.345S`.
pub(crate) fn duration(milliseconds: i64) -> String {
    let duration = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
    let (hours, rest) = (duration.as_secs() / 3600, duration.as_secs() % 3600);
    let (minutes, seconds) = (rest / 60, rest % 60);
    let mut text = String::from("PT");
    if hours > 0 {
        text.push_str(&format!("{hours}H"));
    }
    if minutes > 0 {
        text.push_str(&format!("{minutes}M"));
    }
    match duration.subsec_millis() {
        0 => text.push_str(&format!("{seconds}S")),
        part => text.push_str(&format!("{seconds}.{part:03}S")),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_api_writes_them() {
        assert_eq!(timestamp(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        for (milliseconds, expected) in
            [(0, "PT0S"), (1_500, "PT1.500S"), (62_000, "PT1M2S"), (3_600_001, "PT1H0.001S"), (-5, "PT0S")]
        {
            assert_eq!(duration(milliseconds), expected);
        }
    }
}
