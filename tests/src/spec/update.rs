//! New contents for fences, written into the Markdown files when all sections have run.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// New contents, by file and by the first line they replace.
#[derive(Debug, Default)]
pub struct Updates(Mutex<BTreeMap<PathBuf, Replacements>>);

/// By the first line: the line behind the last one, and the new content.
type Replacements = BTreeMap<usize, (usize, String)>;

impl Updates {
    /// Takes note of the new content for some lines.
    pub(super) fn replace(&self, file: &Path, lines: &Range<usize>, content: String) {
        let mut updates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        updates.entry(file.to_owned()).or_default().insert(lines.start, (lines.end, content));
    }

    /// Writes the files. Gives back how many contents are new.
    pub fn write(&self) -> io::Result<usize> {
        let updates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (file, replacements) in &*updates {
            fs::write(file, replaced(&fs::read_to_string(file)?, replacements))?;
        }
        Ok(updates.values().map(BTreeMap::len).sum())
    }
}

fn replaced(text: &str, replacements: &Replacements) -> String {
    let mut result = String::new();
    let mut next = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (start, (end, content)) in replacements {
        result.extend(lines.get(next..*start).into_iter().flatten().copied());
        result.push_str(content);
        next = *end;
    }
    result.extend(lines.get(next..).into_iter().flatten().copied());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_replaced_where_they_stand() {
        let replacements = [(1, (2, "B\nB\n".to_owned())), (3, (3, "new\n".to_owned()))].into();
        assert_eq!(replaced("a\nb\nc\nd\n", &replacements), "a\nB\nB\nc\nnew\nd\n");
    }
}
