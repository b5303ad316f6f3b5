//! From a path to the text: the nearest thing that is really written there.

use arm::document::{Node, NodeKind};
use base::{TextRange, TextSize};
use json::{Path, Segment};

/// A place in the text of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The path that was found: the asked one, or that of the nearest value around it.
    pub path: Path,
    /// What to point at: a plain value, or the opening bracket of an array or object.
    pub range: TextRange,
}

/// Finds a path, its names in any letter case. Of a path that leads nowhere, the last value on the way is found.
pub fn locate(root: &Node, path: &Path) -> Located {
    let mut node = root;
    let mut found = Path::default();
    for segment in &path.0 {
        let next = match (segment, &node.kind) {
            (Segment::Key(key), NodeKind::Object(object)) => {
                let member = object.iter().find(|member| json::eq_ignore_case(&member.key, key));
                member.map(|member| (Segment::Key(member.key.to_string()), &member.value))
            }
            (Segment::Index(index), NodeKind::Array(items)) => {
                items.get(*index).map(|item| (Segment::Index(*index), item))
            }
            _ => None,
        };
        let Some((segment, inner)) = next else { break };
        found.0.push(segment);
        node = inner;
    }
    Located { path: found, range: pointed(node) }
}

/// The path as a JSON pointer.
pub fn pointer(path: &Path) -> String {
    path.0.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Key(key) => json::path::join(&pointer, key),
        Segment::Index(index) => format!("{pointer}/{index}"),
    })
}

fn pointed(node: &Node) -> TextRange {
    match node.kind {
        NodeKind::Array(_) | NodeKind::Object(_) => TextRange::at(node.range.start(), TextSize::new(1)),
        _ => node.range,
    }
}
