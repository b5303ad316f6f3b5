//! The table of results: what was measured goes down, how it was set up goes across.

use std::fmt::Write as _;

use crate::Outcome;

/// The results of one setup, in the order in which they were measured.
pub(crate) struct Column {
    title: String,
    rows: Vec<(String, String)>,
}

impl Column {
    pub(crate) fn new(title: String) -> Self {
        println!("== {title}");
        Self { title, rows: Vec::new() }
    }

    /// A result. It is printed at once, too: a measurement takes minutes.
    pub(crate) fn add(&mut self, name: &str, value: String) {
        println!("{name}: {value}");
        self.rows.push((name.to_owned(), value));
    }
}

/// The columns as a table in Markdown.
pub(crate) fn markdown(columns: &[Column]) -> String {
    let Some(first) = columns.first() else { return String::new() };
    let mut text = String::from("| |");
    for column in columns {
        let _ = write!(text, " {} |", column.title);
    }
    let _ = write!(text, "\n|---|{}", "---|".repeat(columns.len()));
    for (at, (name, _)) in first.rows.iter().enumerate() {
        let _ = write!(text, "\n| {name} |");
        for column in columns {
            let _ = write!(text, " {} |", column.rows.get(at).map_or("", |(_, value)| value));
        }
    }
    text
}

/// How many processes waited for a processor in the last minute.
pub(crate) fn average_load() -> Outcome<f64> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    let first = text.split_whitespace().next().and_then(|text| text.parse().ok());
    first.ok_or_else(|| "the system does not tell its load".into())
}
