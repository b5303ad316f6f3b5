//! How large a template may be, and what makes it large.

use std::collections::BTreeMap;
use std::str::FromStr;

use bicep_sema::module::modules;
use bicep_sema::{FileId, Program};

use crate::batch::Entry;
use crate::failure::Failure;

/// How many of the largest modules are named.
const NAMED: usize = 10;

/// A number of bytes, as people write it: `4MB`, `512 KB`, `100`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MaxSize(usize);

impl FromStr for MaxSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.trim().to_ascii_lowercase();
        let number = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
        let factor = match lower.get(number.len()..).unwrap_or_default().trim() {
            "" | "b" => 1,
            "k" | "kb" | "kib" => 1 << 10,
            "m" | "mb" | "mib" => 1 << 20,
            _ => return Err("a size is a number with `KB` or `MB` behind it, such as `4MB`".to_owned()),
        };
        let number: usize = number.parse().map_err(|_| format!("`{number}` is not a whole number"))?;
        number.checked_mul(factor).map(Self).ok_or_else(|| "the size is too large".to_owned())
    }
}

/// Refuses a template that is too large, with the modules that take the space. What counts is the template without
/// white space: that is what the service measures.
pub(super) fn check(entry: &Entry<'_>, max: Option<MaxSize>) -> Result<(), Failure> {
    let Entry { compilation, file, .. } = *entry;
    let (program, emitter) = (compilation.program(), compilation.emitter());
    let Some(MaxSize(max)) = max else { return Ok(()) };
    let size_of = |file: FileId| json::to_compact(&emitter.template(file).template).len();
    let size = size_of(file);
    if size <= max {
        return Ok(());
    }
    let mut counts = BTreeMap::new();
    count(program, file, 1, &mut counts);
    let mut parts: Vec<(usize, usize, String)> = counts
        .into_iter()
        .map(|(module, times)| {
            (size_of(module).saturating_mul(times), times, program.unit(module).source().path().to_string())
        })
        .collect();
    parts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    parts.truncate(NAMED);
    Err(Failure::too_large(program.unit(file).source().path(), size, max, &parts))
}

/// How often each module is in the template of a file, through other modules too.
fn count(program: &Program<'_>, file: FileId, times: usize, counts: &mut BTreeMap<FileId, usize>) {
    let (Some(bicep), Some(model)) = (program.bicep(file), program.model(file)) else { return };
    let mut own: BTreeMap<FileId, usize> = BTreeMap::new();
    for target in modules(bicep, model).into_iter().filter_map(|module| module.target) {
        *own.entry(target).or_default() += times;
    }
    for (target, times) in own {
        *counts.entry(target).or_default() += times;
        count(program, target, times, counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, expected) in [
            ("4MB", Some(4 << 20)),
            ("512 kb", Some(512 << 10)),
            ("100", Some(100)),
            ("7b", Some(7)),
            ("1.5MB", None),
            ("4GB", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(text.parse().ok(), expected.map(MaxSize), "{text}");
        }
    }
}
