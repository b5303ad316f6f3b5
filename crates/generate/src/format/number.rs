//! Numbers in the text forms that the formats want. JSON number text comes in; text goes out.

/// A number as YAML documents print it: integers that fit 64 bits as digits, everything else in the shortest
/// `%g` form.
pub fn yaml(text: &str) -> String {
    if is_integer(text) && (text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok()) {
        // `-0` is the integer zero.
        return if text == "-0" { "0".to_owned() } else { text.to_owned() };
    }
    general(text.parse().unwrap_or(f64::NAN))
}

/// A number in Go's shortest `%g` form, in which a million is `1e+06`.
pub fn general(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf".to_owned() } else { "-.inf".to_owned() };
    }
    let (sign, digits, exponent) = shortest_digits(value);
    if !(-4..GENERAL_PRECISION).contains(&exponent) {
        return format!("{sign}{}e{}{:02}", with_point(&digits, 1), plus_or_minus(exponent), exponent.abs());
    }
    format!("{sign}{}", positional(&digits, exponent))
}

/// A number as Go writes it in JSON; JavaScript text is the same already, other texts are brought to that form.
pub fn json(text: &str) -> String {
    let value: f64 = text.parse().unwrap_or(0.0);
    if is_integer(text) && value.abs() < 1e15 {
        return text.to_owned();
    }
    let (sign, digits, exponent) = shortest_digits(value);
    if value != 0.0 && !(-6..21).contains(&exponent) {
        return format!("{sign}{}e{}{}", with_point(&digits, 1), plus_or_minus(exponent), exponent.abs());
    }
    format!("{sign}{}", positional(&digits, exponent))
}

/// From which exponent on the shortest `%g` form uses an exponent.
const GENERAL_PRECISION: i32 = 6;

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn plus_or_minus(exponent: i32) -> char {
    if exponent < 0 { '-' } else { '+' }
}

/// The sign, the shortest digits that read back as the value, and the decimal exponent of the first digit.
fn shortest_digits(value: f64) -> (&'static str, String, i32) {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    (sign, mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

fn with_point(digits: &str, whole: usize) -> String {
    match digits.split_at_checked(whole) {
        Some((whole, fraction)) if !fraction.is_empty() => format!("{whole}.{fraction}"),
        _ => digits.to_owned(),
    }
}

fn positional(digits: &str, exponent: i32) -> String {
    let Ok(whole) = usize::try_from(exponent + 1) else {
        return format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    };
    if whole == 0 {
        return format!("0.{digits}");
    }
    if digits.len() <= whole {
        return format!("{digits}{}", "0".repeat(whole - digits.len()));
    }
    with_point(digits, whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_keeps_integers() {
        let cases = [
            ("1000000", "1000000"),
            ("-0", "0"),
            ("12345678901234567000", "12345678901234567000"),
            ("20000000000000000000", "2e+19"),
            ("1e+21", "1e+21"),
            ("1e-7", "1e-07"),
            ("0.0001", "0.0001"),
            ("1.5", "1.5"),
            ("1234567.5", "1.2345675e+06"),
        ];
        for (text, expected) in cases {
            assert_eq!(yaml(text), expected, "{text}");
        }
    }

    #[test]
    fn streams_use_the_general_form() {
        let cases = [
            (0.0, "0"),
            (100_000.0, "100000"),
            (1e6, "1e+06"),
            (12_345_678_901.0, "1.2345678901e+10"),
            (0.00001, "1e-05"),
            (-0.25, "-0.25"),
        ];
        for (value, expected) in cases {
            assert_eq!(general(value), expected);
        }
    }

    #[test]
    fn json_numbers_are_in_one_form() {
        let cases = [
            ("1E5", "100000"),
            ("1.0", "1"),
            ("1e+21", "1e+21"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("5e-324", "5e-324"),
            ("123456789012345680000", "123456789012345680000"),
        ];
        for (text, expected) in cases {
            assert_eq!(json(text), expected, "{text}");
        }
    }
}
