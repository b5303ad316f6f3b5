//! "Did you mean": the known word that is closest to an unknown one.

/// The word that a typing mistake would have made of `word`, if one is close enough. The first of equals wins.
pub(crate) fn closest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_LEN {
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
const MAX_LEN: usize = 128;

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn finds_typing_mistakes_only() {
        let known = || ["indentSize", "indentKind", "width"].into_iter();
        assert_eq!(closest("indentsize", known()), Some("indentSize"));
        assert_eq!(closest("widht", known()), Some("width"));
        assert_eq!(closest("colour", known()), None);
        assert_eq!(closest(&"x".repeat(1 << 20), known()), None);
    }
}
