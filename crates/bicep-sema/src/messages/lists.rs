//! Names in messages: the first of them, however many there are. A thousand messages about a thousand names stay readable.

/// So many names are listed in a message.
const MAX_NAMES: usize = 50;

/// The first names in quotes, and how many more there are.
pub(super) fn quoted<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut names = names.into_iter();
    let first = names.by_ref().take(MAX_NAMES);
    let mut quoted: Vec<String> = first.map(|name| format!("\"{}\"", name.as_ref())).collect();
    let more = names.count();
    if more > 0 {
        quoted.push(format!("and {more} more"));
    }
    quoted.join(", ")
}

/// The first names of a way, and whether it goes on.
pub(super) fn way<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names = names.peekable();
    let mut shown: Vec<&str> = names.by_ref().take(MAX_NAMES).collect();
    shown.extend(names.peek().map(|_| "…"));
    shown.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_end_with_a_number() {
        let names: Vec<String> = (0..60).map(|it| format!("n{it}")).collect();
        assert_eq!(quoted(names.iter().take(2)), "\"n0\", \"n1\"");
        assert!(quoted(&names).ends_with("\"n49\", and 10 more"));
        assert_eq!(way(names.iter().take(2).map(String::as_str)), "n0 -> n1");
        assert!(way(names.iter().map(String::as_str)).ends_with("n49 -> …"));
    }
}
