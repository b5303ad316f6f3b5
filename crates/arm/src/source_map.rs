//! From places in a template to the places in the source it was made from. Whoever made the template fills it; whoever
//! reports on the template asks it, without knowing the source language.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{SourceFile, TextRange};

/// A place in a source file.
#[derive(Debug, Clone)]
pub struct SourcePosition {
    pub file: Arc<SourceFile>,
    /// Where in it.
    pub range: TextRange,
}

impl PartialEq for SourcePosition {
    fn eq(&self, other: &Self) -> bool {
        (self.file.path(), self.range) == (other.file.path(), other.range)
    }
}

/// JSON pointers into a template, each with the place it came from. The maps of templates inside the template are held,
/// not copied: a module costs the same however often it is used.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    places: BTreeMap<String, SourcePosition>,
    templates: BTreeMap<String, Arc<Self>>,
}

impl SourceMap {
    /// Says where the part of the template at this JSON pointer came from.
    pub fn insert(&mut self, pointer: impl Into<String>, place: SourcePosition) {
        self.places.insert(pointer.into(), place);
    }

    /// Says that the part of the template at this JSON pointer is another template with its own map.
    pub fn insert_template(&mut self, pointer: impl Into<String>, map: Arc<Self>) {
        self.templates.insert(pointer.into(), map);
    }

    /// All pointers with their places, ordered by pointer.
    pub fn to_places(&self) -> BTreeMap<String, &SourcePosition> {
        let own = self.places.iter().map(|(pointer, place)| (pointer.clone(), place));
        let inner = self.templates.iter().flat_map(|(pointer, map)| {
            map.to_places().into_iter().map(move |(inner, place)| (format!("{pointer}{inner}"), place))
        });
        own.chain(inner).collect()
    }

    /// Where the templates begin that a pointer leads into, as lengths of the pointer, outermost first.
    pub fn templates_around(&self, pointer: &str) -> Vec<usize> {
        let ends = pointer.match_indices('/').map(|(at, _)| at).chain(std::iter::once(pointer.len()));
        for end in ends {
            let Some(map) = pointer.get(..end).and_then(|around| self.templates.get(around)) else {
                continue;
            };
            let inner = map.templates_around(pointer.get(end..).unwrap_or_default());
            return std::iter::once(end).chain(inner.into_iter().map(|at| at + end)).collect();
        }
        Vec::new()
    }

    /// The place of the part at this pointer, or of the nearest part around it.
    pub fn find(&self, pointer: &str) -> Option<&SourcePosition> {
        let inside = |around: &str| {
            let rest = pointer.get(around.len()..).unwrap_or_default();
            self.templates.get(around).and_then(|map| map.find(rest))
        };
        let mut around = pointer;
        loop {
            if let Some(place) = inside(around).or_else(|| self.places.get(around)) {
                return Some(place);
            }
            (around, _) = around.rsplit_once('/')?;
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

    #[test]
    fn templates_inside_have_their_own_maps() {
        let place = |name: &str| SourcePosition {
            file: SourceFile::new(name, ""),
            range: TextRange::empty(TextSize::new(0)),
        };
        let mut inner = SourceMap::default();
        inner.insert("/resources/0", place("inner"));
        let mut map = SourceMap::default();
        map.insert("/a", place("outer"));
        map.insert_template("/a/template", Arc::new(inner));
        assert_eq!(map.find("/a/template/resources/0/name"), Some(&place("inner")));
        assert_eq!(map.find("/a/template/outputs/x"), Some(&place("outer")), "around the template");
        assert_eq!(map.templates_around("/a/template/resources/0"), ["/a/template".len()]);
        assert_eq!(map.templates_around("/a/other"), Vec::<usize>::new());
        let all: Vec<_> = map.to_places().into_keys().collect();
        assert_eq!(all, ["/a", "/a/template/resources/0"]);
    }
}
