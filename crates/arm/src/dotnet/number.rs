//! Standard and custom numeric format strings, invariant culture.

use super::round_trip;

/// A whole number under a format string; `None` if the format is not one.
pub(crate) fn format_int(value: i64, format: Option<&str>) -> Option<String> {
    let Some(format) = format else { return Some(value.to_string()) };
    let Some((letter, precision)) = standard(format) else { return Some(custom(&value.to_string(), format)) };
    let digits = value.unsigned_abs().to_string();
    let negative = value < 0;
    Some(match letter.to_ascii_uppercase() {
        'D' => sign(negative, zeros(&digits, precision.unwrap_or(0))),
        'X' => {
            let text = if letter == 'X' { format!("{value:X}") } else { format!("{value:x}") };
            zeros(&text, precision.unwrap_or(0))
        }
        'B' => zeros(&format!("{value:b}"), precision.unwrap_or(0)),
        'G' => match precision {
            Some(p @ 1..) if p < digits.len() => general(&value.to_string(), p, letter),
            _ => value.to_string(),
        },
        'R' => value.to_string(),
        _ => {
            return decimal(letter, precision, &Decimal { negative, whole: digits, fraction: String::new() });
        }
    })
}

/// A float under a format string; `None` if the format is not one.
pub(crate) fn format_float(value: f64, format: Option<&str>) -> Option<String> {
    let Some(format) = format else { return Some(round_trip(value)) };
    let plain = format!("{value}");
    let Some((letter, precision)) = standard(format) else { return Some(custom(&plain, format)) };
    match letter.to_ascii_uppercase() {
        'G' => match precision {
            Some(p @ 1..) => Some(general(&plain, p, letter)),
            _ => Some(round_trip(value)),
        },
        'R' => Some(round_trip(value)),
        'D' | 'X' | 'B' => None,
        _ => decimal(letter, precision, &Decimal::parse(&plain)),
    }
}

/// A letter and up to nine digits; anything else is a custom format.
fn standard(format: &str) -> Option<(char, Option<usize>)> {
    let mut chars = format.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let digits = chars.as_str();
    if digits.is_empty() {
        return Some((letter, None));
    }
    let valid = digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit());
    valid.then(|| (letter, digits.parse().ok()))
}

/// Decimal digits on both sides of the point.
struct Decimal {
    negative: bool,
    whole: String,
    fraction: String,
}

impl Decimal {
    /// Reads what `{}` writes: digits, perhaps a sign and a point, never an exponent.
    fn parse(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        Self { negative, whole: whole.into(), fraction: fraction.into() }
    }

    /// The same value with this many digits after the point, rounded half away from zero.
    fn rounded(&self, digits: usize) -> Self {
        let mut all: Vec<u8> = self.whole.bytes().chain(self.fraction.bytes()).collect();
        let keep = self.whole.len() + digits;
        let up = all.get(keep).is_some_and(|digit| *digit >= b'5');
        all.resize(keep, b'0');
        let mut carry = up;
        for digit in all.iter_mut().rev() {
            if !carry {
                break;
            }
            carry = *digit == b'9';
            *digit = if carry { b'0' } else { *digit + 1 };
        }
        if carry {
            all.insert(0, b'1');
        }
        let text = String::from_utf8(all).unwrap_or_default();
        let (whole, fraction) = text.split_at_checked(text.len() - digits).unwrap_or((&text, ""));
        let zero = text.bytes().all(|b| b == b'0');
        Self { negative: self.negative && !zero, whole: whole.into(), fraction: fraction.into() }
    }

    fn shifted(&self, places: usize) -> Self {
        let mut fraction = self.fraction.clone();
        while fraction.len() < places {
            fraction.push('0');
        }
        let (moved, rest) = fraction.split_at_checked(places).unwrap_or((&fraction, ""));
        let whole = format!("{}{moved}", self.whole);
        let trimmed = whole.trim_start_matches('0');
        let whole = if trimmed.is_empty() { "0" } else { trimmed };
        Self { negative: self.negative, whole: whole.into(), fraction: rest.into() }
    }

    fn grouped(&self) -> String {
        let whole = group(&self.whole);
        if self.fraction.is_empty() { whole } else { format!("{whole}.{}", self.fraction) }
    }

    fn plain(&self) -> String {
        if self.fraction.is_empty() {
            self.whole.clone()
        } else {
            format!("{}.{}", self.whole, self.fraction)
        }
    }
}

fn decimal(letter: char, precision: Option<usize>, value: &Decimal) -> Option<String> {
    Some(match letter.to_ascii_uppercase() {
        'N' => {
            let rounded = value.rounded(precision.unwrap_or(2));
            sign(rounded.negative, rounded.grouped())
        }
        'F' => {
            let rounded = value.rounded(precision.unwrap_or(2));
            sign(rounded.negative, rounded.plain())
        }
        'P' => {
            let rounded = value.shifted(2).rounded(precision.unwrap_or(2));
            sign(rounded.negative, format!("{} %", rounded.grouped()))
        }
        'C' => {
            let rounded = value.rounded(precision.unwrap_or(2));
            let text = format!("¤{}", rounded.grouped());
            if rounded.negative { format!("({text})") } else { text }
        }
        'E' => sign(value.negative, exponential(value, precision.unwrap_or(6), letter, 3)),
        _ => return None,
    })
}

/// `G` with fewer digits than the value has: rounds, and takes an exponent when the point does not fit.
fn general(plain: &str, precision: usize, letter: char) -> String {
    let value = Decimal::parse(plain);
    let leading = value.whole.trim_start_matches('0').len();
    if leading > precision {
        let exponent = if letter == 'G' { 'E' } else { 'e' };
        let text = exponential(&value, precision.saturating_sub(1), exponent, 2);
        let (mantissa, power) = text.split_once(exponent).unwrap_or((&text, "+00"));
        let mantissa = trim_fraction(mantissa);
        return sign(value.negative, format!("{mantissa}{exponent}{power}"));
    }
    let rounded = value.rounded(precision - leading);
    sign(rounded.negative, trim_fraction(&rounded.plain()).into())
}

fn exponential(value: &Decimal, precision: usize, letter: char, width: usize) -> String {
    let all = format!("{}{}", value.whole, value.fraction);
    let significant = all.trim_start_matches('0');
    if significant.is_empty() {
        let zero = Decimal { negative: false, whole: "0".into(), fraction: String::new() };
        return format!("{}{letter}+{:0width$}", zero.rounded(precision).plain(), 0);
    }
    let skipped = all.len() - significant.len();
    let mut exponent = value.whole.len() as i64 - skipped as i64 - 1;
    let (first, rest) = significant.split_at_checked(1).unwrap_or((significant, ""));
    let mut mantissa =
        Decimal { negative: false, whole: first.into(), fraction: rest.into() }.rounded(precision);
    if mantissa.whole.len() > 1 {
        exponent += 1;
        mantissa = Decimal { whole: "1".into(), fraction: "0".repeat(precision), ..mantissa };
    }
    let power = if exponent < 0 { '-' } else { '+' };
    format!("{}{letter}{power}{:0width$}", mantissa.plain(), exponent.abs())
}

/// A custom format: `0` and `#` digits, one point, thousands with `,`, percent, quoted and other literal text, and up to
/// three sections for positive, negative and zero.
fn custom(plain: &str, format: &str) -> String {
    let value = Decimal::parse(plain);
    let zero = value.whole.bytes().chain(value.fraction.bytes()).all(|b| b == b'0');
    let sections: Vec<&str> = format.split(';').collect();
    let (section, show_sign) = match (sections.as_slice(), value.negative, zero) {
        ([_, _, third, ..], _, true) => (*third, false),
        ([_, second, ..], true, false) if !second.is_empty() => (*second, false),
        ([first, ..], negative, _) => (*first, negative),
        ([], ..) => ("", false),
    };
    let pattern = Pattern::parse(section);
    let value = if pattern.percent { value.shifted(2) } else { value };
    let rounded = value.rounded(pattern.decimals);
    sign(show_sign && rounded.negative, pattern.fill(&rounded))
}

#[derive(Default)]
struct Pattern<'f> {
    section: &'f str,
    min_whole: usize,
    min_decimals: usize,
    decimals: usize,
    grouped: bool,
    percent: bool,
}

impl<'f> Pattern<'f> {
    fn parse(section: &'f str) -> Self {
        let mut pattern = Self { section, ..Self::default() };
        let mut after_point = false;
        let mut seen_digit = false;
        for c in section.chars() {
            match c {
                '.' => after_point = true,
                '%' => pattern.percent = true,
                ',' => pattern.grouped |= seen_digit && !after_point,
                '0' | '#' if after_point => {
                    pattern.decimals += 1;
                    if c == '0' {
                        pattern.min_decimals = pattern.decimals;
                    }
                }
                '0' | '#' => {
                    seen_digit = true;
                    // From the first zero on, every place to the point is written.
                    if c == '0' || pattern.min_whole > 0 {
                        pattern.min_whole += 1;
                    }
                }
                _ => {}
            }
        }
        pattern
    }

    fn fill(&self, value: &Decimal) -> String {
        let whole = value.whole.trim_start_matches('0');
        let whole = zeros(whole, self.min_whole);
        let whole = if self.grouped { group(&whole) } else { whole };
        let mut fraction = value.fraction.clone();
        while fraction.len() > self.min_decimals && fraction.ends_with('0') {
            fraction.pop();
        }
        let number = if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") };
        // Literal text before, between and after the digit places; the number stands at the first place.
        let mut out = String::new();
        let mut written = false;
        let mut quote = None;
        let mut chars = self.section.chars();
        while let Some(c) = chars.next() {
            match (quote, c) {
                (Some(q), _) if c == q => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, '\\') => out.extend(chars.next()),
                (None, '0' | '#' | '.' | ',') => {
                    if !written && c != ',' {
                        out.push_str(&number);
                        written = true;
                    }
                }
                _ => out.push(c),
            }
        }
        out
    }
}

fn group(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn zeros(digits: &str, width: usize) -> String {
    format!("{}{digits}", "0".repeat(width.saturating_sub(digits.len())))
}

fn sign(negative: bool, text: String) -> String {
    if negative { format!("-{text}") } else { text }
}

fn trim_fraction(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        for (value, format, expected) in [
            (8_175_133, "N0", "8,175,133"),
            (1234, "N", "1,234.00"),
            (-5, "D3", "-005"),
            (42, "D", "42"),
            (255, "X", "FF"),
            (255, "x4", "00ff"),
            (5, "F1", "5.0"),
            (1234, "G", "1234"),
            (123_456, "G3", "1.23E+05"),
            (1, "P0", "100 %"),
            (-1234, "C", "(¤1,234.00)"),
            (12345, "E2", "1.23E+004"),
            (7, "000", "007"),
            (1_234_567, "#,##0", "1,234,567"),
            (1_234_567, "#,##0.00", "1,234,567.00"),
            (0, "#", ""),
            (5, "v0.0", "v5.0"),
            (-3, "0;(0);zero", "(3)"),
            (0, "0;(0);zero", "zero"),
            (10, "B", "1010"),
        ] {
            assert_eq!(format_int(value, Some(format)).as_deref(), Some(expected), "{value} {format}");
        }
        assert_eq!(format_int(1, Some("Q")), None);
        assert_eq!(format_int(1, None).as_deref(), Some("1"));
    }

    #[test]
    fn floats() {
        for (value, format, expected) in [
            (1.005, "F1", "1.0"),
            (2.5, "F0", "3"),
            (0.999, "N2", "1.00"),
            (0.125, "P1", "12.5 %"),
            (1234.5678, "#,##0.##", "1,234.57"),
            (0.000_123, "E1", "1.2E-004"),
            (1.5, "G", "1.5"),
        ] {
            assert_eq!(format_float(value, Some(format)).as_deref(), Some(expected), "{value} {format}");
        }
        assert_eq!(format_float(1.5, Some("D2")), None);
    }
}
