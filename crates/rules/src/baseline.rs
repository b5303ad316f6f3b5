//! The findings of today, accepted: a file of them, so that only new ones count.
//!
//! An entry names the file, the rule, and the value by type and name of its resource, not by line: it stays true when
//! things move. The same entry may stand there several times and then accepts as many findings.

use std::collections::BTreeMap;

use json::Node;
use serde_json::{Value, json};

/// Accepted findings with how many there may be of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    counts: BTreeMap<Entry, usize>,
}

/// A finding, in words that survive editing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The file, with forward slashes, relative to the baseline.
    pub file: String,
    /// The id of the rule.
    pub rule: String,
    /// See [`crate::FindingLocation::place`].
    pub place: String,
}

impl Baseline {
    /// A baseline of these findings.
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut baseline = Self::default();
        for entry in entries {
            *baseline.counts.entry(entry).or_default() += 1;
        }
        baseline
    }

    /// Reads a baseline file; the error says what is wrong, and where.
    pub fn read(text: &str) -> Result<Self, (String, base::TextRange)> {
        let parsed = json::parse(text, json::Options::jsonc());
        if let Some(diagnostic) = parsed.diagnostics.first() {
            return Err((diagnostic.message.clone(), diagnostic.range));
        }
        let wrong =
            |node: &Node| (String::from("A baseline is an object with an array `findings`."), node.range);
        let root =
            parsed.root.ok_or_else(|| ("There is no baseline here.".into(), base::TextRange::default()))?;
        let findings = root.get("findings").and_then(Node::as_array).ok_or_else(|| wrong(&root))?;
        let entries = findings.iter().map(|node| {
            let text = |name: &str| node.get(name).and_then(Node::as_str).map(str::to_owned);
            let entry = || Some(Entry { file: text("file")?, rule: text("rule")?, place: text("place")? });
            entry().ok_or_else(|| ("A finding has `file`, `rule` and `place`.".into(), node.range))
        });
        Ok(Self::of(entries.collect::<Result<Vec<_>, _>>()?))
    }

    /// Whether a finding is accepted; it then counts as used up.
    pub fn accept(&mut self, entry: &Entry) -> bool {
        match self.counts.get_mut(entry) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }

    /// Accepted findings that no longer occur, after all findings were asked about.
    pub fn left_over(&self) -> impl Iterator<Item = &Entry> {
        self.counts.iter().filter(|(_, left)| **left > 0).map(|(entry, _)| entry)
    }

    /// The file, in stable order.
    pub fn to_text(&self) -> String {
        let findings = self.counts.iter().flat_map(|(entry, count)| {
            let entry = json!({ "file": entry.file, "rule": entry.rule, "place": entry.place });
            std::iter::repeat_n(entry, *count)
        });
        format!("{}\n", json::to_pretty(&json!({ "findings": findings.collect::<Vec<Value>>() })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_accepts_what_it_lists_and_no_more() {
        let entry = Entry { file: "a.json".into(), rule: "R1".into(), place: "T 'x': p".into() };
        let text = Baseline::of([entry.clone(), entry.clone()]).to_text();
        let mut baseline = Baseline::read(&text).expect("its own text");
        let other = Entry { rule: "R2".into(), ..entry.clone() };
        assert!(!baseline.accept(&other));
        assert!(baseline.accept(&entry));
        assert_eq!(baseline.left_over().count(), 1);
        assert!(baseline.accept(&entry));
        assert!(!baseline.accept(&entry), "a third one is new");
        assert!(Baseline::read("[]").is_err());
    }
}
