//! The paths of rules: `properties.siteConfig.*`, `resources[*].name`, `rules[0]`. Text comes in, steps go out; what
//! they select is found by [`crate::scope`].

/// A path, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePath {
    text: String,
    steps: Vec<PathStep>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// Into the member of this name, in any letter case.
    Member(String),
    /// Into the item at this position.
    Item(usize),
    /// Into every member; members that are arrays are replaced by their items.
    EveryMember,
    /// Into every item.
    EveryItem,
}

impl RulePath {
    /// Reads a path; the error says in a clause what is wrong with it. An empty path is the scope itself.
    pub fn new(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        if !text.is_empty() {
            for segment in text.split('.') {
                read_segment(segment, &mut steps)?;
            }
        }
        Ok(Self { text: text.into(), steps })
    }

    /// The steps in order.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it may select several places, or none.
    pub fn has_wildcard(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PathStep::EveryMember | PathStep::EveryItem))
    }
}

fn read_segment(segment: &str, steps: &mut Vec<PathStep>) -> Result<(), String> {
    if segment == "*" {
        steps.push(PathStep::EveryMember);
        return Ok(());
    }
    let (name, mut indexes) = segment.split_at(segment.find('[').unwrap_or(segment.len()));
    if name.contains(']') {
        return Err(format!("`{segment}` has a closing bracket without an opening one"));
    }
    if name == "*" {
        return Err(format!("`{segment}` puts an index behind a wildcard"));
    }
    // `[0]` at the start of a path, or behind a dot, is an index into the place itself.
    if !name.is_empty() || indexes.is_empty() {
        steps.push(PathStep::Member(name.into()));
    }
    while let Some(rest) = indexes.strip_prefix('[') {
        let (index, rest) =
            rest.split_once(']').ok_or_else(|| format!("`{segment}` has no closing bracket"))?;
        steps.push(match index {
            "*" => PathStep::EveryItem,
            index => PathStep::Item(
                index.parse().map_err(|_| format!("`[{index}]` is neither a position nor `[*]`"))?,
            ),
        });
        indexes = rest;
    }
    if indexes.is_empty() { Ok(()) } else { Err(format!("`{segment}` goes on behind its index")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_step_by_step() {
        use PathStep::{EveryItem, EveryMember, Item, Member};
        let member = |name: &str| Member(name.into());
        for (text, expected) in [
            ("", vec![]),
            ("$schema", vec![member("$schema")]),
            ("a..b", vec![member("a"), member(""), member("b")]),
            ("a.*.b[*]", vec![member("a"), EveryMember, member("b"), EveryItem]),
            ("ip-rules[0][1]", vec![member("ip-rules"), Item(0), Item(1)]),
        ] {
            assert_eq!(RulePath::new(text).expect(text).steps(), expected, "{text}");
        }
        for text in ["a[", "a]", "a[x]", "a[0]b", "*[0]", "a[-1]"] {
            assert!(RulePath::new(text).is_err(), "{text}");
        }
    }
}
