//! Comparison of names without regard to case: character by character, never across a change of length, and never
//! between ASCII and the rest (`ı` is not `I`). This is how templates match section and property names.

use std::cmp::Ordering;

/// Whether two texts are equal but for the case of their letters.
#[inline]
pub fn eq_ignore_case(a: &str, b: &str) -> bool {
    match (a.as_bytes(), b.as_bytes()) {
        // Most names that are compared differ in their first letter, or in length.
        ([x, ..], [y, ..]) if x.is_ascii() && y.is_ascii() && !x.eq_ignore_ascii_case(y) => false,
        (a, b) if a.len() == b.len() && a.eq_ignore_ascii_case(b) => true,
        _ => eq_beyond_ascii(a, b),
    }
}

/// For texts that are not equal by their ASCII letters alone. A text of ASCII equals no other.
fn eq_beyond_ascii(a: &str, b: &str) -> bool {
    !a.is_ascii() && !b.is_ascii() && cmp_ignore_case(a, b) == Ordering::Equal
}

/// An order in which texts that differ only in case are equal.
pub(crate) fn cmp_ignore_case(a: &str, b: &str) -> Ordering {
    a.chars().map(upper).cmp(b.chars().map(upper))
}

fn upper(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(single), None) if !single.is_ascii() => single,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_match_one_to_one() {
        assert!(eq_ignore_case("Resources", "rESOURCES"));
        assert!(eq_ignore_case("Größe", "GRÖßE"));
        for (a, b) in [("straße", "STRASSE"), ("ı", "I"), ("ſ", "s"), ("a", "ab"), ("", "a")] {
            assert!(!eq_ignore_case(a, b), "{a} and {b}");
        }
    }
}
