//! Points in time as rules compare them: a date alone, or with a time and an offset. Without an offset it is UTC.

use jiff::civil::Date;

/// Nanoseconds since 1970-01-01T00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(i128);

const NANOS: i128 = 1_000_000_000;

/// The point in time that a text means; none when it is not a date. `2019-12-01-preview` is none.
pub fn parse(text: &str) -> Option<Instant> {
    let mut rest = Rest(text.trim());
    let year = rest.digits(4)?;
    rest = rest.after('-')?;
    let month = rest.digits(2)?;
    rest = rest.after('-')?;
    let day = rest.digits(2)?;
    let days = days_since_1970(year, month, day)?;
    let mut nanos = i128::from(days) * 86_400 * NANOS;
    if let Some(mut time) = rest.after('T').or_else(|| rest.after(' ')) {
        nanos += time_of_day(&mut time)?;
        nanos -= offset(&mut time)?;
        rest = time;
    } else {
        nanos -= offset(&mut rest)?;
    }
    rest.0.is_empty().then_some(Instant(nanos))
}

/// `HH:mm`, `HH:mm:ss` or `HH:mm:ss.fffffff`.
fn time_of_day(rest: &mut Rest<'_>) -> Option<i128> {
    let hour = rest.digits(2)?;
    *rest = rest.after(':')?;
    let minute = rest.digits(2)?;
    let mut second = 0;
    let mut fraction = 0i128;
    if let Some(mut tail) = rest.after(':') {
        second = tail.digits(2)?;
        if let Some(digits) = tail.after('.') {
            let count = digits.0.bytes().take_while(u8::is_ascii_digit).count();
            let text = digits.0.get(..count).filter(|_| (1..=9).contains(&count))?;
            fraction = i128::from(text.parse::<u32>().ok()?)
                * 10i128.pow(u32::try_from(9 - count).unwrap_or_default());
            tail = Rest(digits.0.get(count..)?);
        }
        *rest = tail;
    }
    let valid = hour < 24 && minute < 60 && second < 60;
    valid.then(|| i128::from(hour * 3_600 + minute * 60 + second) * NANOS + fraction)
}

/// `Z`, `+01:00`, `-0100`, or nothing.
fn offset(rest: &mut Rest<'_>) -> Option<i128> {
    let tail = Rest(rest.0.trim_start());
    if let Some(after) = tail.after('Z').or_else(|| tail.after('z')) {
        *rest = after;
        return Some(0);
    }
    let (sign, mut tail) = match (tail.after('+'), tail.after('-')) {
        (Some(after), _) => (1, after),
        (_, Some(after)) => (-1, after),
        _ => return Some(0),
    };
    let hours = tail.digits(2)?;
    let mut minutes = tail.after(':').unwrap_or(Rest(tail.0));
    let count = minutes.digits(2)?;
    *rest = minutes;
    (hours <= 14 && count < 60).then(|| sign * i128::from(hours * 3_600 + count * 60) * NANOS)
}

/// Days since 1970-01-01 in the Gregorian calendar, for years 1 to 9999.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    (year > 0).then(|| i64::from((date - jiff::civil::date(1970, 1, 1)).get_days()))
}

/// What is left to read.
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    /// A number of exactly this many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let text = self.0.get(..count)?;
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.0 = self.0.get(count..)?;
        text.parse().ok()
    }

    /// What follows this character, if it stands here.
    fn after(&self, c: char) -> Option<Self> {
        self.0.strip_prefix(c).map(Rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_with_and_without_time_are_points_in_time() {
        let same = |a: &str, b: &str| assert_eq!(parse(a).expect(a), parse(b).expect(b), "{a} and {b}");
        same("2021-02-28", "2021-02-28T00:00Z");
        same("2021-02-28T18:17:16.543Z", "2021-02-28 19:17:16.543+01:00");
        same("2021-02-28T18:17+00:00", "2021-02-28T18:17:00");
        same("1970-01-01", "1969-12-31T23:00:00-01:00");
        assert!(parse("2020-02-29") < parse("2020-03-01"));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "2019-12-01-preview",
            "2021-02-29",
            "2021-13-01",
            "aNonDateString",
            "2021-02-28T25:00",
            "1.5",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
