//! From places in a template to the places in the source it was made from. Whoever made the template fills it; whoever
//! reports on the template asks it, without knowing the source language.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{SourceFile, TextRange};

/// A place in a source file.
#[derive(Debug, Clone)]
pub struct SourcePosition {
    /// The file.
    pub file: Arc<SourceFile>,
    /// Where in it.
    pub range: TextRange,
}

impl PartialEq for SourcePosition {
    fn eq(&self, other: &Self) -> bool {
        (self.file.path(), self.range) == (other.file.path(), other.range)
    }
}

/// JSON pointers into a template, each with the place it came from.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    places: BTreeMap<String, SourcePosition>,
}

impl SourceMap {
    /// Says where the part of the template at this JSON pointer came from.
    pub fn insert(&mut self, pointer: impl Into<String>, place: SourcePosition) {
        self.places.insert(pointer.into(), place);
    }

    /// All pointers with their places, ordered by pointer.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SourcePosition)> {
        self.places.iter().map(|(pointer, place)| (pointer.as_str(), place))
    }

    /// The place of the part at this pointer, or of the nearest part around it.
    pub fn find(&self, pointer: &str) -> Option<&SourcePosition> {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return Some(place);
            }
            (pointer, _) = pointer.rsplit_once('/')?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TextSize;

    #[test]
    fn the_nearest_part_around_answers() {
        let file = SourceFile::new("main.bicep", "resource a 'b' = {}");
        let place =
            |at: u32| SourcePosition { file: Arc::clone(&file), range: TextRange::empty(TextSize::new(at)) };
        let mut map = SourceMap::default();
        map.insert("/resources/0", place(3));
        map.insert("/resources/0/name", place(9));
        assert_eq!(map.find("/resources/0/name"), Some(&place(9)));
        assert_eq!(map.find("/resources/0/properties/x"), Some(&place(3)));
        assert_eq!(map.find("/outputs/a"), None);
    }
}
