//! Patterns of paths: `*` stands for a part of a name, `**` for any number of folders, everything else for itself. Letter
//! case does not count.

/// Whether a path with `/` fits into any of the patterns that take, and into none of those that leave out.
pub(crate) fn matches<S: AsRef<str>>(path: &str, include: &[S], exclude: &[S]) -> bool {
    let fits = |patterns: &[S]| patterns.iter().any(|pattern| fits(path, pattern.as_ref()));
    fits(include) && !fits(exclude)
}

fn fits(path: &str, pattern: &str) -> bool {
    let pattern = pattern.replace('\\', "/").to_lowercase();
    let path = path.to_lowercase();
    let mut segments: Vec<&str> =
        pattern.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
    if pattern.ends_with('/') {
        segments.push("**");
    }
    let path: Vec<&str> = path.split('/').collect();
    fits_segments(&path, &segments)
}

/// Greedy with one place to come back to, so that it takes no more than the product of both lengths.
fn fits_segments(path: &[&str], pattern: &[&str]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (path.get(at), pattern.get(position)) {
            (None, None) => return true,
            (_, Some(&"**")) => {
                retry = Some((at, position));
                position += 1;
                continue;
            }
            (Some(name), Some(segment)) if fits_name(name.as_bytes(), segment.as_bytes()) => {
                at += 1;
                position += 1;
                continue;
            }
            _ => {}
        }
        let Some((from, star)) = retry.filter(|(from, _)| *from < path.len()) else { return false };
        at = from + 1;
        retry = Some((at, star));
        position = star + 1;
    }
}

fn fits_name(name: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (name.get(at), pattern.get(position)) {
            (None, None) => return true,
            (_, Some(b'*')) => {
                retry = Some((at, position));
                position += 1;
                continue;
            }
            (Some(a), Some(b)) if a == b => {
                at += 1;
                position += 1;
                continue;
            }
            _ => {}
        }
        let Some((from, star)) = retry.filter(|(from, _)| *from < name.len()) else { return false };
        at = from + 1;
        retry = Some((at, star));
        position = star + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_paths() {
        for (pattern, path, expected) in [
            ("*.bicep", "main.bicep", true),
            ("*.bicep", "a/main.bicep", false),
            ("**/main.bicep", "main.bicep", true),
            ("**/main.bicep", "a/b/MAIN.bicep", true),
            ("**/main.bicep", "a/amain.bicep", false),
            ("**/mg.*/**", "e2e/mg.defaults/main.test.bicep", true),
            ("**/mg.*/**", "e2e/other/main.test.bicep", false),
            ("**/dependencies*.bicep", "x/dependencies.two.bicep", true),
            ("a/**/z", "a/b/c/z", true),
            ("a/**/z", "a/b/c", false),
            ("samples/", "samples/x/y", true),
            ("a?[b]", "a?[b]", true),
            ("**", "x/y", true),
        ] {
            assert_eq!(fits(path, pattern), expected, "{pattern} {path}");
        }
    }
}
