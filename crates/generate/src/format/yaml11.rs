//! What a plain YAML 1.1 scalar means. Text comes in, its [`Meaning`] goes out; reader and writer share it, so that
//! what is written plain reads back as the same string.

/// What a plain scalar stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// `~`, `null` or nothing.
    Null,
    /// `true`, `yes`, `on`, `y` and their opposites.
    Bool(bool),
    /// An integer, in decimal digits.
    Integer(String),
    /// Any other number; may be infinite or not a number.
    Float(f64),
    /// A date or a point in time. It is read as a string and written in quotes.
    Timestamp,
    Text,
}

/// The meaning of a plain scalar.
pub fn meaning(text: &str) -> Meaning {
    match text.as_bytes().first() {
        None => Meaning::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => word(text),
        Some(b'.') => match text {
            ".nan" | ".NaN" | ".NAN" => Meaning::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Meaning::Float(f64::INFINITY),
            _ => go_float(text).map_or(Meaning::Text, Meaning::Float),
        },
        Some(b'+' | b'-' | b'0'..=b'9') => digits(text),
        Some(_) => Meaning::Text,
    }
}

/// Whether a text is in the base 60 notation of YAML 1.1, which other readers take for a number.
pub fn is_base60(text: &str) -> bool {
    let may_be =
        text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-')) && text.contains(':');
    if !may_be {
        return false;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let Some(first) = parts.next() else { return false };
    let starts_well = first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let rest: Vec<&str> = parts.collect();
    let Some((last, middle)) = rest.split_last() else { return false };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    starts_well
        && middle.iter().copied().chain([last]).all(is_sexagesimal)
        && fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

fn is_sexagesimal(part: &str) -> bool {
    match part.as_bytes() {
        [units] => units.is_ascii_digit(),
        [tens, units] => (b'0'..=b'5').contains(tens) && units.is_ascii_digit(),
        _ => false,
    }
}

fn word(text: &str) -> Meaning {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Meaning::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Meaning::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Meaning::Null,
        _ => Meaning::Text,
    }
}

fn digits(text: &str) -> Meaning {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Meaning::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Meaning::Float(f64::NEG_INFINITY),
        _ => {}
    }
    if is_timestamp(text) {
        return Meaning::Timestamp;
    }
    let plain = text.replace('_', "");
    if let Some(value) = integer(&plain) {
        return Meaning::Integer(value);
    }
    if is_float(&plain) {
        return plain
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .map_or(Meaning::Text, Meaning::Float);
    }
    Meaning::Text
}

/// An integer with an optional sign and one of the prefixes `0x`, `0o`, `0b` and `0` (octal), in 64 bits.
fn integer(text: &str) -> Option<String> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, unsigned.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, unsigned.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, unsigned.get(2..)?),
        [b'0', _, ..] => (8, unsigned.get(1..)?),
        _ => (10, unsigned),
    };
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    // A plus sign is for signed integers only.
    let signed = negative || text.starts_with('+');
    let value = if negative { -value } else { value };
    let fits = i64::try_from(value).is_ok() || (!signed && u64::try_from(value).is_ok());
    fits.then(|| value.to_string())
}

fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_is_good = match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
        }
        None => !mantissa.is_empty() && all_digits(mantissa),
    };
    mantissa_is_good && exponent.is_none_or(|digits| !digits.is_empty() && all_digits(digits))
}

/// What Go's float parser takes for a text that starts with a point.
fn go_float(text: &str) -> Option<f64> {
    let digit_follows = text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    (digit_follows && is_float(text)).then(|| text.parse().ok()).flatten()
}

/// `2001-1-2`, `2001-1-2 3:4:5.6` or `2001-1-2T3:4:5.6Z` (or with an offset).
fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = split_date(text) else { return false };
    if !is_date(date) {
        return false;
    }
    match time {
        None => true,
        Some((' ', time)) => is_time(time),
        Some((_, time)) => match time.strip_suffix('Z') {
            Some(time) => is_time(time),
            None => time
                .len()
                .checked_sub(6)
                .and_then(|at| time.split_at_checked(at))
                .is_some_and(|(time, zone)| is_time(time) && is_zone(zone)),
        },
    }
}

fn split_date(text: &str) -> Option<(&str, Option<(char, &str)>)> {
    let at = text.find([' ', 'T', 't']);
    let Some(at) = at else { return Some((text, None)) };
    let (date, rest) = text.split_at_checked(at)?;
    let separator = rest.chars().next()?;
    Some((date, Some((separator, rest.get(1..)?))))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let Some(year) = number(year, 4..=4) else { return false };
    let (Some(month), Some(day)) = (number(month, 1..=2), number(day, 1..=2)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let (clock, fraction) =
        text.split_once('.').map_or((text, None), |(clock, fraction)| (clock, Some(fraction)));
    let parts: Vec<&str> = clock.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else { return false };
    number(hour, 1..=2).is_some_and(|value| value < 24)
        && number(minute, 1..=2).is_some_and(|value| value < 60)
        && number(second, 1..=2).is_some_and(|value| value < 60)
        && fraction
            .is_none_or(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_zone(text: &str) -> bool {
    let Some((hour, minute)) = text.strip_prefix(['+', '-']).and_then(|zone| zone.split_once(':')) else {
        return false;
    };
    number(hour, 2..=2).is_some() && number(minute, 2..=2).is_some()
}

fn number(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let is_number = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_yaml_1_1_says() {
        let integer = |text: &str| Meaning::Integer(text.to_owned());
        let cases = [
            ("", Meaning::Null),
            ("~", Meaning::Null),
            ("yes", Meaning::Bool(true)),
            ("n", Meaning::Bool(false)),
            ("yEs", Meaning::Text),
            ("017", integer("15")),
            ("0o17", integer("15")),
            ("08", Meaning::Float(8.0)),
            ("1_000", integer("1000")),
            ("0x1f", integer("31")),
            ("-0b11", integer("-3")),
            ("+5", integer("5")),
            ("18446744073709551615", integer("18446744073709551615")),
            ("18446744073709551616", Meaning::Float(18_446_744_073_709_551_616.0)),
            ("1e3", Meaning::Float(1000.0)),
            (".5", Meaning::Float(0.5)),
            ("5.", Meaning::Float(5.0)),
            (".", Meaning::Text),
            ("-", Meaning::Text),
            ("1:30", Meaning::Text),
            ("2001-01-01", Meaning::Timestamp),
            ("2001-02-30", Meaning::Text),
            ("2001-1-2T3:4:5.5Z", Meaning::Timestamp),
            ("2001-1-2 3:4:5", Meaning::Timestamp),
            ("2001-1-2T3:4:5+01:00", Meaning::Timestamp),
            ("2001-1-2T3:4:5", Meaning::Text),
            ("a", Meaning::Text),
            ("1.2.3", Meaning::Text),
        ];
        for (text, expected) in cases {
            assert_eq!(meaning(text), expected, "{text}");
        }
    }

    #[test]
    fn base_60_is_recognised() {
        for (text, expected) in
            [("1:30", true), ("12:30:45.5", true), ("1:60", false), ("a:30", false), ("1", false)]
        {
            assert_eq!(is_base60(text), expected, "{text}");
        }
    }
}
