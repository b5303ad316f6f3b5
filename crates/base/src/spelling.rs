//! Names: whether a text can be one, and which known one a misspelt one was meant to be.

/// Whether a text can be a name in Bicep, and stand behind a dot in a template expression.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The word that a typing mistake would have made of `word`, if one is close enough: for words of our own (settings, keys,
/// options), where swapped letters count as one mistake. The first of equals wins.
pub fn closest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let distance = strsim::osa_distance(&lower, &candidate.to_lowercase());
        let allowed = (candidate.chars().count() / 3).clamp(1, 4);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Longer words are nobody's typing mistake; comparing them would only cost time.
const LONGEST: usize = 128;

/// The candidate that is most like a misspelt name, if one is like it enough, by the measure of the reference: whether
/// there is a suggestion decides which code a diagnostic has. Case does not count. Among equals the
/// first wins, so the order of the candidates matters.
pub fn suggest<S: AsRef<str>>(name: &str, candidates: impl IntoIterator<Item = S>) -> Option<S> {
    let upper: Vec<char> = name.chars().flat_map(char::to_uppercase).collect();
    // One edit for every three letters.
    let edits = name.chars().count() * 34 / 100;
    let mut best: Option<S> = None;
    let mut limit = edits;
    let mut wants_same = false;
    for candidate in candidates {
        let text = candidate.as_ref();
        // Most candidates are too long or too short, which is known without writing them down.
        if text.is_empty() || text.is_ascii() && upper.len().abs_diff(text.len()) > edits.min(2) {
            continue;
        }
        let other: Vec<char> = text.chars().flat_map(char::to_uppercase).collect();
        if upper.len().abs_diff(other.len()) > edits.min(2) {
            continue;
        }
        if upper == other {
            return Some(candidate);
        }
        if wants_same || other.len() < 3 {
            continue;
        }
        let Some(distance) = edit_distance(&upper, &other, limit) else { continue };
        // Nothing but the same name is nearer than one edit; otherwise only nearer candidates are of interest.
        wants_same = distance < 2;
        limit = distance.saturating_sub(1);
        best = Some(candidate);
    }
    best
}

/// Levenshtein's distance, if it is not above a limit.
fn edit_distance(from: &[char], to: &[char], limit: usize) -> Option<usize> {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut least = left;
        for (b, above) in to.iter().zip(row.iter_mut().skip(1)) {
            let change = diagonal + usize::from(a != b);
            diagonal = *above;
            left = change.min(*above + 1).min(left + 1);
            least = least.min(left);
            *above = left;
        }
        // From row to row it does not get less.
        if least > limit {
            return None;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_found() {
        let known = || ["indentSize", "indentKind", "width"].into_iter();
        assert_eq!(closest("indentsize", known()), Some("indentSize"));
        assert_eq!(closest("widht", known()), Some("width"));
        assert_eq!(closest("colour", known()), None);
        assert_eq!(closest(&"x".repeat(1 << 20), known()), None);
    }

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
