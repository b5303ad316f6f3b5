//! The text forms of .NET's invariant culture, which expressions show through: composite formatting, numbers, dates.

mod composite;
pub(crate) mod date;
mod number;

pub(crate) use self::composite::{Failure, compose};
pub(crate) use self::number::{format_float, format_int};

/// A float as Newtonsoft writes it into JSON: shortest form that reads back, always with a point or an exponent.
pub(crate) fn json_float(value: f64) -> String {
    let text = round_trip(value);
    if text.contains(['.', 'E', 'N', 'I']) { text } else { format!("{text}.0") }
}

/// A float as `ToString()` gives it: shortest form that reads back, an exponent from 1E+15 on and from 1E-05 down.
pub fn round_trip(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        return format!("{value}");
    }
    format!("{mantissa}E{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// The text with its first UTF-16 units, from `start` and `length` of them. A cut through a surrogate pair leaves the
/// replacement character, since half a pair cannot be written.
pub(crate) fn utf16_slice(text: &str, start: usize, length: usize) -> String {
    if text.is_ascii() {
        let end = start.saturating_add(length).min(text.len());
        return text.get(start.min(end)..end).unwrap_or_default().into();
    }
    let units: Vec<u16> = text.encode_utf16().skip(start).take(length).collect();
    String::from_utf16_lossy(&units)
}

/// The length of a text as .NET counts it.
pub(crate) fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// Upper case, character by character as `ToUpperInvariant` does: what would become longer stays.
pub(crate) fn to_upper(text: &str) -> String {
    // Most texts are plain, and templates that are hashed are large.
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    text.chars().map(|c| single(c.to_uppercase(), c)).collect()
}

/// Lower case, character by character as `ToLowerInvariant` does.
pub(crate) fn to_lower(text: &str) -> String {
    text.chars().map(|c| single(c.to_lowercase(), c)).collect()
}

fn single(mut mapped: impl Iterator<Item = char>, original: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(c), None) => c,
        _ => original,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        for (value, expected) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (1e14, "100000000000000.0"),
            (1e15, "1E+15"),
            (1.5e20, "1.5E+20"),
            (0.0001, "0.0001"),
            (0.00001, "1E-05"),
        ] {
            assert_eq!(json_float(value), expected);
        }
    }

    #[test]
    fn case_is_mapped_one_to_one() {
        assert_eq!(to_upper("straße ŉ i"), "STRAßE ŉ I");
        assert_eq!(to_lower("ÀÉ İ"), "àé İ");
    }

    #[test]
    fn texts_are_cut_by_utf16_units() {
        assert_eq!(utf16_slice("a💪b", 1, 2), "💪");
        assert_eq!(utf16_slice("abc", 1, 99), "bc");
        assert_eq!(utf16_slice("é", 5, 1), "");
        assert_eq!(utf16_len("a💪b"), 4);
    }
}
