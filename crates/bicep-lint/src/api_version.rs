//! Dates and the versions of resource types, which are dates.

use std::cmp::Ordering;
use std::fmt;

use jiff::{Span, civil};

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// A day of the calendar; `None` if there is no such day.
    pub fn new(year: i16, month: i8, day: i8) -> Option<Self> {
        civil::Date::new(year, month, day).ok().filter(|date| date.year() > 0).map(Self)
    }

    /// Reads `2024-12-31`.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let is_well_formed = parts.next().is_none()
            && [(year, 4), (month, 2), (day, 2)]
                .iter()
                .all(|(part, len)| part.len() == *len && is_digits(part));
        is_well_formed
            .then(|| Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
            .flatten()
    }

    /// The day that is this many days after the first of January 1970.
    pub fn from_unix_days(days: i64) -> Option<Self> {
        let since = Span::new().try_days(days).ok()?;
        civil::date(1970, 1, 1).checked_add(since).ok().filter(|date| date.year() > 0).map(Self)
    }

    /// How many days have passed from another day to this one.
    pub fn days_since(self, other: Self) -> i64 {
        i64::from((self.0 - other.0).get_days())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The version of a resource type: `2024-01-01`, `2024-01-01-preview`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiVersion {
    /// The day of the version.
    pub date: Date,
    /// `-preview` and the like, in lower case; empty for a stable version.
    suffix: String,
}

impl ApiVersion {
    /// Reads a version.
    pub fn parse(text: &str) -> Option<Self> {
        const SUFFIXES: [&str; 6] = ["", "-preview", "-alpha", "-beta", "-rc", "-privatepreview"];
        let (date, suffix) = text.split_at_checked(10)?;
        let suffix = suffix.to_ascii_lowercase();
        SUFFIXES.contains(&suffix.as_str()).then(|| Some(Self { date: Date::parse(date)?, suffix })).flatten()
    }

    /// Whether it is no preview.
    pub fn is_stable(&self) -> bool {
        self.suffix.is_empty()
    }

    /// The newest first, stable ones before previews of the same day.
    pub fn newest_first(&self, other: &Self) -> Ordering {
        other.date.cmp(&self.date).then_with(|| self.suffix.cmp(&other.suffix))
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.date, self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_by_the_calendar() {
        let days = |a: &str, b: &str| Date::parse(a).unwrap().days_since(Date::parse(b).unwrap());
        assert_eq!(days("2024-03-01", "2024-02-28"), 2);
        assert_eq!(days("2023-03-01", "2023-02-28"), 1);
        assert_eq!(days("2024-01-01", "2023-01-01"), 365);
        assert_eq!(days("2025-01-01", "2024-01-01"), 366);
        assert_eq!(days("2000-03-01", "1900-03-01"), 36525 - 1 + 1);
        for wrong in ["2023-02-29", "2023-13-01", "2023-1-01", "23-01-01", "2023-01-01-", "2023-00-10"] {
            assert_eq!(Date::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        let epoch = Date::new(1970, 1, 1).unwrap();
        for days in (-200_000..200_000).step_by(17) {
            assert_eq!(Date::from_unix_days(days).unwrap().days_since(epoch), days);
        }
        assert_eq!(Date::from_unix_days(0), Some(epoch));
        assert_eq!(Date::from_unix_days(19_782).unwrap().to_string(), "2024-02-29");
        assert_eq!(Date::from_unix_days(i64::MAX), None);
    }

    #[test]
    fn versions_are_dates_with_known_suffixes() {
        let shown = |text: &str| ApiVersion::parse(text).map(|version| version.to_string());
        assert_eq!(shown("2024-01-01-Preview").as_deref(), Some("2024-01-01-preview"));
        assert_eq!(shown("2024-01-01").as_deref(), Some("2024-01-01"));
        assert_eq!(shown("2024-01-01-final"), None);
        assert_eq!(shown("v1"), None);
    }
}
