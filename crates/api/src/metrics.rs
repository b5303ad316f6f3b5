//! Figures of the server in the text form of Prometheus. Labels come from fixed lists, so their number is bounded.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the classes of durations, in seconds.
const CLASSES: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 10.0];

/// What is counted.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<RequestLabels, LatencyHistogram>>,
    /// Requests that are being answered.
    pub(crate) in_flight: AtomicU64,
    /// Open connections.
    pub(crate) connections: AtomicU64,
    /// Requests that were refused for want of a good token.
    pub(crate) refused: AtomicU64,
}

/// The labels of a request: method, route and status.
type RequestLabels = (&'static str, &'static str, u16);

/// How long requests took: count, sum and buckets.
#[derive(Default, Clone)]
struct LatencyHistogram {
    count: u64,
    seconds: f64,
    classes: [u64; CLASSES.len()],
}

impl Metrics {
    /// Counts an answered request.
    pub(crate) fn answered(&self, key: RequestLabels, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let series = requests.entry(key).or_default();
        let seconds = took.as_secs_f64();
        series.count += 1;
        series.seconds += seconds;
        for (class, end) in series.classes.iter_mut().zip(CLASSES) {
            *class += u64::from(seconds <= end);
        }
    }

    /// The figures, with those of others behind them.
    pub(crate) fn render(&self, others: &[(&str, u64)]) -> String {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::new();
        // Writing into a text does not fail.
        let _ = self.write(&requests, &mut text);
        for (name, value) in others {
            let _ = writeln!(text, "# TYPE sinew_{name} gauge\nsinew_{name} {value}");
        }
        text
    }

    fn write(
        &self,
        requests: &BTreeMap<RequestLabels, LatencyHistogram>,
        text: &mut String,
    ) -> std::fmt::Result {
        let name = "sinew_http_request_duration_seconds";
        writeln!(text, "# HELP {name} Time from the head of a request to the head of its answer.")?;
        writeln!(text, "# TYPE {name} histogram")?;
        for ((method, route, status), series) in requests {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            for (end, count) in CLASSES.iter().zip(series.classes) {
                writeln!(text, "{name}_bucket{{{labels},le=\"{end}\"}} {count}")?;
            }
            writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", series.count)?;
            writeln!(text, "{name}_sum{{{labels}}} {}", series.seconds)?;
            writeln!(text, "{name}_count{{{labels}}} {}", series.count)?;
        }
        for (name, help, kind, value) in [
            ("http_requests_in_flight", "Requests that are being answered.", "gauge", &self.in_flight),
            ("http_connections", "Open connections.", "gauge", &self.connections),
            ("http_refused_total", "Requests without a good token.", "counter", &self.refused),
        ] {
            let value = value.load(Ordering::Relaxed);
            writeln!(text, "# HELP sinew_{name} {help}\n# TYPE sinew_{name} {kind}\nsinew_{name} {value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_add_up() {
        let metrics = Metrics::default();
        for millis in [1, 4, 2000, 60_000] {
            metrics.answered(("GET", "deployment", 200), Duration::from_millis(millis));
        }
        let text = metrics.render(&[("deployments", 7)]);
        let labels = "method=\"GET\",route=\"deployment\",status=\"200\"";
        for line in [
            format!("sinew_http_request_duration_seconds_bucket{{{labels},le=\"0.001\"}} 1"),
            format!("sinew_http_request_duration_seconds_bucket{{{labels},le=\"0.005\"}} 2"),
            format!("sinew_http_request_duration_seconds_bucket{{{labels},le=\"10\"}} 3"),
            format!("sinew_http_request_duration_seconds_bucket{{{labels},le=\"+Inf\"}} 4"),
            format!("sinew_http_request_duration_seconds_count{{{labels}}} 4"),
            "sinew_deployments 7".to_owned(),
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
        }
    }
}
