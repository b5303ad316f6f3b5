//! The `format` keyword. A name and a text come in; whether they fit goes out. Unknown names fit everything.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a text has a format; `None` when nobody knows the format.
pub(super) fn fits(format: &str, text: &str) -> Option<bool> {
    Some(match format {
        "date" => is_date(text),
        "time" => is_time(text, true),
        "date-time" => is_date(text) || is_time(text, true) || is_date_time(text),
        "hostname" => is_hostname(text),
        "email" | "idn-email" => is_email(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "uri" | "iri" => has_scheme(text) && is_uri_reference(text),
        "uri-reference" | "iri-reference" => is_uri_reference(text),
        "uri-template" => is_uri_reference(&text.replace(['{', '}'], "")) && has_balanced_braces(text),
        "uuid" => is_uuid(text),
        "regex" => super::compile(text).is_some(),
        "json-pointer" => is_json_pointer(text),
        "relative-json-pointer" => is_relative_json_pointer(text),
        _ => return None,
    })
}

fn digits(text: &str, count: usize, range: std::ops::RangeInclusive<u32>) -> bool {
    text.len() == count
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse().is_ok_and(|value| range.contains(&value))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    if !digits(year, 4, 0..=9999) || !digits(month, 2, 1..=12) {
        return false;
    }
    let year: u32 = year.parse().unwrap_or(0);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match *month {
        "02" => 28 + u32::from(leap),
        "04" | "06" | "09" | "11" => 30,
        _ => 31,
    };
    digits(day, 2, 1..=days)
}

fn is_time(text: &str, zone_is_optional: bool) -> bool {
    let (clock, zone) = match text.find(['Z', '+', '-']) {
        Some(at) => text.split_at(at),
        None if zone_is_optional => (text, "Z"),
        None => return false,
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else { return false };
    let zone_is_good = zone == "Z"
        || zone
            .get(1..)
            .and_then(|zone| zone.split_once(':'))
            .is_some_and(|(hour, minute)| digits(hour, 2, 0..=24) && digits(minute, 2, 0..=60));
    digits(hour, 2, 0..=23)
        && digits(minute, 2, 0..=59)
        && digits(second, 2, 0..=59)
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        && zone_is_good
}

fn is_date_time(text: &str) -> bool {
    text.split_once('T').is_some_and(|(date, time)| is_date(date) && is_time(time, false))
}

fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() < 256 && text.split('.').all(is_label)
}

/// An address, or one in angle brackets behind a name.
fn is_email(text: &str) -> bool {
    let address = match text.split_once('<') {
        Some((_, rest)) => match rest.strip_suffix('>') {
            Some(address) => address,
            None => return false,
        },
        None => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let is_quoted = local.len() >= 2 && local.starts_with('"') && local.ends_with('"');
    let is_atom = |c: char| c.is_alphanumeric() || !c.is_ascii() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    let is_dotted = |text: &str| !text.starts_with('.') && !text.ends_with('.') && !text.contains("..");
    let local_is_good = is_quoted || (!local.is_empty() && local.chars().all(is_atom) && is_dotted(local));
    local_is_good && !domain.is_empty() && domain.chars().all(is_atom) && is_dotted(domain)
}

fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn is_uri_reference(text: &str) -> bool {
    let has_bad_escape = text.match_indices('%').any(|(at, _)| {
        !text.as_bytes().get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    });
    let first_segment_has_colon =
        text.split('/').next().is_some_and(|segment| segment.contains(':')) && !has_scheme(text);
    !text.contains(|c: char| c == '\\' || c.is_ascii_control()) && !has_bad_escape && !first_segment_has_colon
}

fn has_balanced_braces(text: &str) -> bool {
    let mut is_open = false;
    for c in text.chars().filter(|c| matches!(c, '{' | '}')) {
        if (c == '{') == is_open {
            return false;
        }
        is_open = c == '{';
    }
    !is_open
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

fn is_json_pointer(text: &str) -> bool {
    let escapes_are_good =
        text.match_indices('~').all(|(at, _)| matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')));
    (text.is_empty() || text.starts_with('/')) && escapes_are_good
}

fn is_relative_json_pointer(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let number_is_good = number == "0" || (!number.is_empty() && !number.starts_with('0'));
    number_is_good && (rest == "#" || is_json_pointer(rest))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn formats_accept_and_refuse() {
        let cases = [
            ("date", "2024-02-29", "2023-02-29"),
            ("time", "10:00:00Z", "25:00:00"),
            ("date-time", "2024-01-01T10:00:00.5+01:00", "2024-01-01 10:00"),
            ("hostname", "a-b.example", "-a.b"),
            ("email", "a@b.c", "a@"),
            ("ipv4", "1.2.3.4", "1.2.3.256"),
            ("ipv6", "::1", "1.2.3.4"),
            ("uri", "https://x/y?z", "x/y"),
            ("uri-reference", "../a", "a\\b"),
            ("uri-template", "https://x/{y}", "https://x/{y"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123E4567"),
            ("regex", "^a+$", "("),
            ("json-pointer", "/a~1b", "a"),
            ("relative-json-pointer", "1/a", "01"),
        ];
        for (format, good, bad) in cases {
            assert_eq!((fits(format, good), fits(format, bad)), (Some(true), Some(false)), "{format}");
        }
        assert_eq!(fits("int32", "x"), None);
    }
}
