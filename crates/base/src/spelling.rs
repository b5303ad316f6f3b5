//! "Did you mean …?"

/// The candidate that is most like a misspelt name, if one is like it enough. Case does not count. Among equals the
/// first wins, so the order of the candidates matters.
pub fn suggest<S: AsRef<str>>(name: &str, candidates: impl IntoIterator<Item = S>) -> Option<S> {
    let upper: Vec<char> = name.chars().flat_map(char::to_uppercase).collect();
    // One edit for every three letters.
    let edits = name.chars().count() * 34 / 100;
    let mut best: Option<S> = None;
    let mut limit = edits;
    let mut wants_same = false;
    for candidate in candidates {
        let other: Vec<char> = candidate.as_ref().chars().flat_map(char::to_uppercase).collect();
        if other.is_empty() || upper.len().abs_diff(other.len()) > edits.min(2) {
            continue;
        }
        if upper == other {
            return Some(candidate);
        }
        if wants_same || other.len() < 3 {
            continue;
        }
        let distance = edit_distance(&upper, &other);
        if distance > limit {
            continue;
        }
        // Nothing but the same name is nearer than one edit; otherwise only nearer candidates are of interest.
        wants_same = distance < 2;
        limit = distance.saturating_sub(1);
        best = Some(candidate);
    }
    best
}

/// Levenshtein's distance.
fn edit_distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (b, above) in to.iter().zip(row.iter_mut().skip(1)) {
            let change = diagonal + usize::from(a != b);
            diagonal = *above;
            left = change.min(*above + 1).min(left + 1);
            *above = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["location", "name", "properties", "Tags"];
        for (name, expected) in [
            ("locatoin", Some("location")),
            ("tags", Some("Tags")),
            ("nmae", None),
            ("nam", Some("name")),
            ("property", None),
            ("", None),
        ] {
            assert_eq!(suggest(name, names), expected, "{name}");
        }
    }
}
