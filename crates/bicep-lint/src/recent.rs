//! Which versions of a resource type are recent: the rule `use-recent-api-versions` and the commands `outdated` and `upgrade` judge by the
//! same standard.

use bicep_types::catalogue::{Catalogue, Versioned};

use crate::api_version::{ApiVersion, Date};

/// The age in days from which a version is old.
pub const MAX_AGE: i64 = 730;
/// The age in days from which a version is recommended.
pub const GRACE_PERIOD: i64 = 90;

/// What a version is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Standard {
    /// The day of the judgement.
    pub today: Date,
    /// From this age in days on, a version is old.
    pub max_age: i64,
    /// Up to this age in days, a version is not recommended.
    pub grace_period: i64,
}

impl Standard {
    fn is_recent(self, version: &ApiVersion) -> bool {
        self.today.days_since(version.date) <= self.max_age
    }

    fn is_too_new(self, version: &ApiVersion) -> bool {
        self.grace_period > 0 && self.today.days_since(version.date) < self.grace_period
    }
}

/// The versions of a type that a catalogue describes.
pub fn defined_versions(catalogue: &Catalogue, ty: &str) -> Vec<ApiVersion> {
    let entry = catalogue.find_type(ty).ok().flatten();
    let versions = entry.into_iter().flat_map(|entry| entry.versions);
    versions.filter(Versioned::is_defined).filter_map(|it| ApiVersion::parse(it.version)).collect()
}

/// How a version stands to the others of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It may be used.
    Fine,
    /// There is no such type.
    UnknownType,
    /// The type has no such version.
    UnknownVersion,
    /// There are better ones.
    Old {
        /// What is wrong with it.
        reason: String,
        /// The ones that are fine, the best first.
        acceptable: Vec<ApiVersion>,
    },
}

/// Judges a version of a type by all versions of it.
pub fn judge(all: &[ApiVersion], version: &ApiVersion, standard: Standard) -> Judgement {
    let acceptable = acceptable(all, standard);
    if acceptable.contains(version) {
        return Judgement::Fine;
    }
    if all.is_empty() {
        return Judgement::UnknownType;
    }
    if !all.contains(version) {
        return Judgement::UnknownVersion;
    }
    if standard.is_too_new(version) {
        return Judgement::Fine;
    }
    let newest_stable = all.iter().filter(|it| it.is_stable()).map(|it| it.date).max();
    let is_overtaken = newest_stable.is_some_and(|newest| version.date <= newest);
    let reason = if !version.is_stable() && standard.is_recent(version) && is_overtaken {
        format!("is a preview, {version}, and there is a stable one")
    } else {
        format!("is {version}, {} days old", standard.today.days_since(version.date))
    };
    Judgement::Old { reason, acceptable }
}

/// The versions that are fine, the best first.
pub fn acceptable(all: &[ApiVersion], standard: Standard) -> Vec<ApiVersion> {
    let old_enough: Vec<&ApiVersion> = all.iter().filter(|it| !standard.is_too_new(it)).collect();
    let candidates = if old_enough.is_empty() { all.iter().collect() } else { old_enough };
    let (stable, previews): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|it| it.is_stable());
    let mut fine = recent_or_newest(&stable, standard);
    match stable.iter().map(|it| it.date).max() {
        Some(newest) => {
            let newer = previews.into_iter().filter(|it| standard.is_recent(it) && it.date > newest);
            fine.extend(newer.cloned());
        }
        None => fine = recent_or_newest(&previews, standard),
    }
    fine.sort_by(ApiVersion::newest_first);
    fine
}

/// The recent ones of some versions, or those of the newest day if none is recent.
fn recent_or_newest(versions: &[&ApiVersion], standard: Standard) -> Vec<ApiVersion> {
    let newest = versions.iter().map(|it| it.date).max();
    let has_recent = versions.iter().any(|it| standard.is_recent(it));
    let counts =
        |it: &&&ApiVersion| if has_recent { standard.is_recent(it) } else { Some(it.date) == newest };
    versions.iter().filter(counts).map(|it| (*it).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_acceptable(all: &[&str], expected: &[&str]) {
        let all: Vec<_> = all.iter().map(|text| ApiVersion::parse(text).unwrap()).collect();
        let standard = Standard {
            today: Date::new(2025, 12, 31).unwrap(),
            max_age: MAX_AGE,
            grace_period: GRACE_PERIOD,
        };
        let shown: Vec<String> = acceptable(&all, standard).iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn recent_stable_versions_are_fine() {
        check_acceptable(&["2020-01-01", "2024-05-01", "2025-01-01"], &["2025-01-01", "2024-05-01"]);
        check_acceptable(&["2019-01-01", "2020-01-01"], &["2020-01-01"]);
    }

    #[test]
    fn previews_must_be_newer_than_everything_stable() {
        check_acceptable(
            &["2024-01-01-preview", "2024-05-01", "2025-01-01-preview", "2020-01-01-preview"],
            &["2025-01-01-preview", "2024-05-01"],
        );
        check_acceptable(
            &["2019-01-01-preview", "2019-01-01-alpha"],
            &["2019-01-01-alpha", "2019-01-01-preview"],
        );
    }

    #[test]
    fn what_is_very_new_is_not_recommended() {
        check_acceptable(&["2024-05-01", "2025-12-01"], &["2024-05-01"]);
        check_acceptable(&["2025-12-01"], &["2025-12-01"]);
    }
}
