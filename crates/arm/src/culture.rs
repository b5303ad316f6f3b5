//! The order of names in .NET's invariant culture, which shows in `items`, `objectKeys` and in `dependsOn` lists.
//!
//! Texts are compared three times: by base letters, digits and signs; if those agree, by accents; if those agree, by
//! letter case, lower before upper. Signs come before digits and digits before letters, in the order of the Unicode
//! root collation. Scripts other than Latin follow in the order of their characters.

use std::cmp::Ordering;

/// Compares two names as .NET's invariant culture does.
pub fn compare(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    by(a, b, |weight| Some(weight.base))
        .then_with(|| by(a, b, |weight| Some(weight.accent)))
        .then_with(|| by(a, b, |weight| Some(u32::from(weight.upper))))
        .then_with(|| a.cmp(b))
}

fn by(a: &str, b: &str, level: impl Fn(Weight) -> Option<u32>) -> Ordering {
    let weights = |text: &str| text.chars().filter_map(weight).filter_map(&level).collect::<Vec<_>>();
    weights(a).cmp(&weights(b))
}

#[derive(Clone, Copy)]
struct Weight {
    base: u32,
    accent: u32,
    upper: bool,
}

/// Signs of the ASCII range in the order of the root collation; they come before digits.
const SIGNS: &str = "\t\n\u{b}\u{c}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Latin letters with accents: base letters for U+00C0 to U+017F in order. A space marks what has no base letter.
const BASE: &str = "AAAAAAÆCEEEEIIIIÐNOOOOO OUUUUYÞsaaaaaaæceeeeiiiiðnooooo ouuuuyþy\
AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoŒœRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

fn weight(c: char) -> Option<Weight> {
    if let Some(at) = SIGNS.find(c) {
        return Some(Weight { base: 1 + at as u32, accent: 0, upper: false });
    }
    // Control characters do not count.
    if c.is_control() || c == '\u{ad}' || ('\u{300}'..='\u{36f}').contains(&c) {
        return None;
    }
    let (letter, accent) = match c {
        '\u{c0}'..='\u{17f}' => {
            let base = BASE.chars().nth((u32::from(c) - 0xc0) as usize).unwrap_or(c);
            if base == ' ' { (c, 0) } else { (base, u32::from(c)) }
        }
        _ => (c, 0),
    };
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    // Digits from 100 on, letters from 200 on; two characters of one letter differ in the later levels.
    let base = match lower {
        '0'..='9' => 100 + u32::from(lower) - u32::from('0'),
        'a'..='z' => 200 + 2 * (u32::from(lower) - u32::from('a')),
        'æ' => 201,
        'ð' => 200 + 2 * 3 + 1,
        'œ' => 200 + 2 * 14 + 1,
        'þ' => 200 + 2 * 25 + 1,
        other if other.is_alphanumeric() => 1_000 + u32::from(other),
        other => 60 + u32::from(other) % 40,
    };
    Some(Weight { base, accent, upper: letter != lower })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sorted: &[&str]) {
        let mut actual = sorted.to_vec();
        actual.reverse();
        actual.sort_by(|a, b| compare(a, b));
        assert_eq!(actual, sorted);
    }

    #[test]
    fn letters_before_their_case() {
        check(&["123Key", "456Key", "abcKey", "ABCKey", "defKey", "DEFKey", "ghiKey", "GHIKey"]);
        check(&["hubrg", "hubVNET"]);
        check(&["a", "A", "b", "B"]);
        check(&["aB", "Ab", "AB", "aC"]);
    }

    #[test]
    fn signs_before_digits_before_letters() {
        check(&["_a", "-a", "$a", "0a", "a"]);
        check(&["sys_cli_0", "sys_cli_1", "sys_cli_10", "sys_cli_4"]);
        check(&["a_b", "a1", "aa", "ab"]);
        check(&["a", "a_", "a_b", "ab"]);
    }

    #[test]
    fn accents_count_after_letters() {
        check(&["cote", "coté", "côte", "coter"]);
        check(&["Zoe", "Zoé", "zof", "жук"]);
    }

    #[test]
    fn the_order_is_total() {
        for pair in [("a\u{1}", "a"), ("é", "e\u{301}"), ("", "\u{1}")] {
            assert_ne!(compare(pair.0, pair.1), Ordering::Equal);
            assert_eq!(compare(pair.0, pair.1), compare(pair.1, pair.0).reverse());
        }
    }
}
