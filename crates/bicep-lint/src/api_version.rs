//! Dates and the versions of resource types, which are dates.

use std::cmp::Ordering;
use std::fmt;

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i32,
    month: u32,
    day: u32,
}

impl Date {
    /// A day of the calendar; `None` if there is no such day.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            1..=12 => 31,
            _ => return None,
        };
        ((1..=9999).contains(&year) && (1..=days).contains(&day)).then_some(Self { year, month, day })
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
        // Years start in March here, so that leap days come last; 400 of them have always the same number of days.
        let days = days.checked_add(719_468)?;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + i64::from(month < 3);
        Self::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?)
    }

    /// How many days have passed from another day to this one.
    pub fn days_since(self, other: Self) -> i64 {
        self.number() - other.number()
    }

    /// The number of days since the first of March of the year zero; March comes first so that leap days come last.
    fn number(self) -> i64 {
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month < 3);
        let month_from_march = (month + 9) % 12;
        365 * year + year / 4 - year / 100
            + year / 400
            + (153 * month_from_march + 2) / 5
            + i64::from(self.day)
            - 1
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
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
