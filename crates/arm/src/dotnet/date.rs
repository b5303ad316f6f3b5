//! Dates as text: .NET's standard and custom format strings, and reading the forms that templates use.

use jiff::Span;
use jiff::civil::{Date, DateTime, Time};

/// A date and time with its distance from UTC, if it was given with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    local: DateTime,
    /// Seconds east of UTC.
    offset: Option<i32>,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Moment {
    /// Seconds since 1970, UTC.
    pub(crate) fn from_epoch(seconds: i64) -> Option<Self> {
        let local = DateTime::new(1970, 1, 1, 0, 0, 0, 0).ok()?;
        let span = Span::new().try_seconds(seconds).ok()?;
        Self { local, offset: Some(0) }.bounded(local.checked_add(span).ok()?)
    }

    /// Seconds since 1970; a time without an offset is taken as UTC.
    pub(crate) fn to_epoch(self) -> Option<i64> {
        let start = DateTime::new(1970, 1, 1, 0, 0, 0, 0).ok()?;
        let seconds = start.duration_until(self.local).as_secs();
        Some(seconds - i64::from(self.offset.unwrap_or(0)))
    }

    /// The moment later by an ISO 8601 duration such as `P1Y2M` or `-PT3H`. Months and years follow the calendar.
    pub(crate) fn add(self, duration: &str) -> Option<Self> {
        let span: Span = iso_duration(duration)?;
        self.bounded(self.local.checked_add(span).ok()?)
    }

    /// .NET knows the years 1 to 9999.
    fn bounded(self, local: DateTime) -> Option<Self> {
        (1..=9999).contains(&local.year()).then_some(Self { local, ..self })
    }

    /// The moment under a format string; `None` if the format is not one.
    pub(crate) fn format(self, format: &str) -> Option<String> {
        let mut chars = format.chars();
        let custom = match (chars.next(), chars.next()) {
            (None, _) => "MM/dd/yyyy HH:mm:ss",
            (Some(letter), None) => standard(letter)?,
            _ => format,
        };
        let universal = matches!(format, "R" | "r" | "u" | "U");
        (if universal { self.to_utc()? } else { self }).custom(custom)
    }

    fn to_utc(self) -> Option<Self> {
        let back = Span::new().try_seconds(-i64::from(self.offset.unwrap_or(0))).ok()?;
        Some(Self { local: self.local.checked_add(back).ok()?, offset: Some(0) })
    }

    fn custom(self, format: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = format;
        while let Some(c) = rest.chars().next() {
            let run = rest.chars().take_while(|x| *x == c).count();
            let mut used = run * c.len_utf8();
            match c {
                '\'' | '"' => {
                    let (text, _) = rest.get(1..)?.split_once(c)?;
                    out.push_str(text);
                    used = text.len() + 2;
                }
                '\\' => {
                    let escaped = rest.chars().nth(1)?;
                    out.push(escaped);
                    used = 1 + escaped.len_utf8();
                }
                '%' => used = 1,
                _ => self.specifier(c, run, &mut out),
            }
            rest = rest.get(used..)?;
        }
        Some(out)
    }

    /// One run of the same letter; letters that are no specifiers are literal text.
    fn specifier(self, c: char, run: usize, out: &mut String) {
        let local = self.local;
        let twelve = (i16::from(local.hour()) + 11) % 12 + 1;
        let text = match (c, run) {
            ('d', 1 | 2) => padded(local.day(), run),
            ('d', _) => name(&DAYS, usize::from(local.weekday().to_sunday_zero_offset().unsigned_abs()), run),
            ('M', 1 | 2) => padded(local.month(), run),
            ('M', _) => name(&MONTHS, usize::from((local.month() - 1).unsigned_abs()), run),
            ('y', 1 | 2) => padded(local.year() % 100, run),
            ('y', _) => padded(local.year(), run),
            ('H', _) => padded(local.hour(), run.min(2)),
            ('h', _) => padded(twelve, run.min(2)),
            ('m', _) => padded(local.minute(), run.min(2)),
            ('s', _) => padded(local.second(), run.min(2)),
            ('f', 1..=7) => self.fraction(run),
            ('F', 1..=7) => {
                let digits = self.fraction(run);
                let digits = digits.trim_end_matches('0');
                if digits.is_empty() && out.ends_with('.') {
                    out.pop();
                }
                digits.into()
            }
            ('t', 1) => if local.hour() < 12 { "A" } else { "P" }.into(),
            ('t', _) => if local.hour() < 12 { "AM" } else { "PM" }.into(),
            ('g', _) => "A.D.".into(),
            ('z', _) => self.zone(run),
            ('K', 1) => match self.offset {
                None => String::new(),
                Some(0) => "Z".into(),
                Some(_) => self.zone(3),
            },
            _ => c.to_string().repeat(run),
        };
        out.push_str(&text);
    }

    fn fraction(self, digits: usize) -> String {
        let nanos = format!("{:09}", self.local.subsec_nanosecond());
        nanos.get(..digits).unwrap_or_default().into()
    }

    fn zone(self, run: usize) -> String {
        let seconds = self.offset.unwrap_or(0);
        let sign = if seconds < 0 { '-' } else { '+' };
        let (hours, minutes) = (seconds.abs() / 3600, seconds.abs() / 60 % 60);
        match run {
            1 => format!("{sign}{hours}"),
            2 => format!("{sign}{hours:02}"),
            _ => format!("{sign}{hours:02}:{minutes:02}"),
        }
    }
}

/// Reads a date, and gives the format string that would write it back.
pub(crate) fn parse(text: &str) -> Option<(Moment, String)> {
    let text = text.trim();
    compact(text).or_else(|| rfc1123(text)).or_else(|| iso(text)).or_else(|| american(text))
}

fn standard(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "MM/dd/yyyy",
        'D' => "dddd, dd MMMM yyyy",
        'f' => "dddd, dd MMMM yyyy HH:mm",
        'F' | 'U' => "dddd, dd MMMM yyyy HH:mm:ss",
        'g' => "MM/dd/yyyy HH:mm",
        'G' => "MM/dd/yyyy HH:mm:ss",
        'M' | 'm' => "MMMM dd",
        'O' | 'o' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffffK",
        'R' | 'r' => "ddd, dd MMM yyyy HH':'mm':'ss 'GMT'",
        's' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss",
        't' => "HH:mm",
        'T' => "HH:mm:ss",
        'u' => "yyyy'-'MM'-'dd HH':'mm':'ss'Z'",
        'Y' | 'y' => "yyyy MMMM",
        _ => return None,
    })
}

/// jiff reads more than ISO 8601 has (such as `1 year`), and a sign is allowed only in front.
fn iso_duration(text: &str) -> Option<Span> {
    let body = text.strip_prefix('-').unwrap_or(text);
    let plain =
        body.starts_with('P') && body.bytes().all(|b| b.is_ascii_digit() || b".,PYMWDTHS".contains(&b));
    if plain { text.parse().ok() } else { None }
}

/// `20200407T145314Z`
fn compact(text: &str) -> Option<(Moment, String)> {
    let digits = |range: std::ops::Range<usize>| number(text.get(range)?);
    if text.len() != 16 || text.get(8..9) != Some("T") || !text.ends_with('Z') {
        return None;
    }
    let date = date(digits(0..4)?, digits(4..6)?, digits(6..8)?)?;
    let time = time(digits(9..11)?, digits(11..13)?, digits(13..15)?, 0)?;
    Some((Moment { local: date.to_datetime(time), offset: Some(0) }, "yyyyMMddTHHmmssZ".into()))
}

/// `Tue, 07 Apr 2020 14:53:14 GMT`
fn rfc1123(text: &str) -> Option<(Moment, String)> {
    let body = text.strip_suffix(" GMT")?;
    let (_, body) = body.split_once(", ")?;
    let mut parts = body.split(' ');
    let (day, month, year, clock) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|name| name.get(..3) == Some(month))? + 1;
    let date = date(number(year)?, i64::try_from(month).ok()?, number(day)?)?;
    let (time, _) = clock_time(clock)?;
    Some((Moment { local: date.to_datetime(time), offset: Some(0) }, "R".into()))
}

/// `2020-04-07`, `2020-04-07 14:53`, `2020-04-07T14:53:14.123Z`, `2020-04-07T14:53:14+02:00`
fn iso(text: &str) -> Option<(Moment, String)> {
    let (day, rest) = text.split_at_checked(10)?;
    let mut parts = day.split('-');
    let date = date(number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?)?;
    let mut format = String::from("yyyy-MM-dd");
    if rest.is_empty() {
        return Some((Moment { local: date.at(0, 0, 0, 0), offset: None }, format));
    }
    let (separator, rest) = rest.split_at_checked(1)?;
    if !matches!(separator, "T" | "t" | " ") {
        return None;
    }
    let zone_at = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(zone_at)?;
    let (time, clock_format) = clock_time(clock.trim_end())?;
    format.push_str(&separator.to_uppercase());
    format.push_str(&clock_format);
    let offset = match zone {
        "" => None,
        "Z" | "z" => Some(0),
        _ => Some(zone_offset(zone)?),
    };
    format.push_str(match zone {
        "" => "",
        "Z" | "z" => "'Z'",
        _ => "zzz",
    });
    Some((Moment { local: date.to_datetime(time), offset }, format))
}

/// `4/7/2020 2:53:14 PM`, `04/07/2020 14:53:14`, `04/07/2020`
fn american(text: &str) -> Option<(Moment, String)> {
    let (day, rest) = text.split_once(' ').unwrap_or((text, ""));
    let parts: Vec<&str> = day.split('/').collect();
    let [month, day, year] = parts.as_slice() else { return None };
    let date = date(number(year)?, number(month)?, number(day)?)?;
    let mut format = if month.len() == 2 { "MM/dd/yyyy" } else { "M/d/yyyy" }.to_owned();
    if rest.is_empty() {
        return Some((Moment { local: date.at(0, 0, 0, 0), offset: None }, format));
    }
    let (clock, half) = rest.split_once(' ').map_or((rest, None), |(clock, half)| (clock, Some(half)));
    let (mut time, clock_format) = clock_time(clock)?;
    match half {
        None => format = format!("{format} {clock_format}"),
        Some(half) => {
            let hour = time.hour() % 12 + if half.eq_ignore_ascii_case("pm") { 12 } else { 0 };
            time = Time::new(hour, time.minute(), time.second(), time.subsec_nanosecond()).ok()?;
            format = format!("{format} h:mm:ss tt");
        }
    }
    Some((Moment { local: date.to_datetime(time), offset: None }, format))
}

/// `14:53`, `14:53:14`, `14:53:14.1234567`, with the format that writes it back.
fn clock_time(text: &str) -> Option<(Time, String)> {
    let (text, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = text.split(':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let second = parts.next();
    if parts.next().is_some() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nanos = number(&format!("{fraction:0<9}"))?;
    let mut format = String::from(if second.is_some() { "HH:mm:ss" } else { "HH:mm" });
    if !fraction.is_empty() {
        format.push('.');
        format.push_str(&"f".repeat(fraction.len().min(7)));
    }
    Some((time(hour, minute, second.map_or(Some(0), number)?, nanos)?, format))
}

fn zone_offset(text: &str) -> Option<i32> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let body = text.get(1..)?;
    let (hours, minutes) = match body.split_once(':') {
        Some(parts) => parts,
        None if body.len() == 4 => body.split_at_checked(2)?,
        None => (body, "0"),
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    (hours <= 14 && minutes < 60).then_some(sign * seconds)
}

fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    let year = i16::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn time(hour: i64, minute: i64, second: i64, nanos: i64) -> Option<Time> {
    Time::new(
        i8::try_from(hour).ok()?,
        i8::try_from(minute).ok()?,
        i8::try_from(second).ok()?,
        i32::try_from(nanos).ok()?,
    )
    .ok()
}

fn number(digits: &str) -> Option<i64> {
    let valid = !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|b| b.is_ascii_digit());
    if valid { digits.parse().ok() } else { None }
}

fn padded(value: impl Into<i16>, width: usize) -> String {
    format!("{:0width$}", value.into())
}

fn name(names: &[&str], index: usize, run: usize) -> String {
    let name = names.get(index).copied().unwrap_or_default();
    if run == 3 { name.get(..3).unwrap_or(name) } else { name }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str, format: &str) -> Option<String> {
        parse(text)?.0.format(format)
    }

    #[test]
    fn every_form_is_written_back() {
        for text in [
            "2020-04-07",
            "2020-04-07 14:53:14Z",
            "2020-04-07T14:53:14Z",
            "2020-04-07T14:53:14",
            "2020-04-07T14:53",
            "2020-04-07T14:53:14.1230000Z",
            "2020-04-07T14:53:14+02:00",
            "20200407T145314Z",
            "Tue, 07 Apr 2020 14:53:14 GMT",
            "4/7/2020 2:53:14 PM",
            "04/07/2020 14:53:14",
        ] {
            let (moment, format) = parse(text).unwrap_or_else(|| panic!("{text} is not read"));
            assert_eq!(moment.format(&format).as_deref(), Some(text), "{format}");
        }
        for text in
            ["", "x", "2020-13-01", "2020-02-30", "2020-04-07T25:00:00Z", "0000-01-01", "2020-04-07X1"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn format_strings() {
        let text = "2020-04-07T04:05:06.789Z";
        for (format, expected) in [
            ("d", "04/07/2020"),
            ("D", "Tuesday, 07 April 2020"),
            ("G", "04/07/2020 04:05:06"),
            ("o", "2020-04-07T04:05:06.7890000Z"),
            ("R", "Tue, 07 Apr 2020 04:05:06 GMT"),
            ("s", "2020-04-07T04:05:06"),
            ("u", "2020-04-07 04:05:06Z"),
            ("yyyyMMddTHHmmssZ", "20200407T040506Z"),
            ("yy M d h:m:s tt", "20 4 7 4:5:6 AM"),
            ("ddd dddd MMM MMMM", "Tue Tuesday Apr April"),
            ("'at' HH \\H %h", "at 04 H 4"),
            ("s.FFFF", "6.789"),
            ("zzz K", "+00:00 Z"),
        ] {
            assert_eq!(formatted(text, format).as_deref(), Some(expected), "{format}");
        }
        assert_eq!(formatted(text, "Q"), None);
        assert_eq!(formatted(text, "'open"), None);
    }

    #[test]
    fn durations_follow_the_calendar() {
        for (start, duration, expected) in [
            ("2020-04-07 14:53:14Z", "P3Y", "2023-04-07 14:53:14Z"),
            ("2020-04-07 14:53:14Z", "-P9D", "2020-03-29 14:53:14Z"),
            ("2020-04-07 14:53:14Z", "PT1H", "2020-04-07 15:53:14Z"),
            ("2021-01-31 00:00:00Z", "P1M", "2021-02-28 00:00:00Z"),
            ("2020-04-07", "P1W", "2020-04-14"),
        ] {
            let (moment, format) = parse(start).unwrap();
            let later = moment.add(duration).and_then(|m| m.format(&format));
            assert_eq!(later.as_deref(), Some(expected), "{duration}");
        }
        let (moment, _) = parse("2020-04-07").unwrap();
        for bad in ["", "1Y", "P", "1 year", "P99999Y", "+-P1D"] {
            assert_eq!(moment.add(bad), None, "{bad}");
        }
    }

    #[test]
    fn epochs() {
        let (moment, _) = parse("2023-05-02T15:16:13Z").unwrap();
        assert_eq!(moment.to_epoch(), Some(1_683_040_573));
        assert_eq!(Moment::from_epoch(1_683_040_573), Some(moment));
        assert_eq!(Moment::from_epoch(i64::MAX), None);
        assert_eq!(parse("2023-05-02T17:16:13+02:00").unwrap().0.to_epoch(), Some(1_683_040_573));
    }
}
