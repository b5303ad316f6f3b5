//! Headings and fences of a Markdown text, and what each fence is for.

use std::ops::Range;

/// What stands below a heading, up to the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) fences: Vec<Fence>,
    level: usize,
}

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    pub(super) role: Role,
    pub(super) content: String,
    /// The lines of the content, counted from zero.
    pub(super) lines: Range<usize>,
}

/// What a fence is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// A file.
    File(String),
    /// Commands with their output.
    Console,
    /// What `sinew COMMAND FILE --stdout` prints; of a JSON document, what a pointer leads to.
    Output { command: String, file: String, pointer: String, is_json: bool },
    /// For the reader only.
    Prose,
}

/// The sections that can be run, each behind the sections it is in.
pub(super) fn read(text: &str) -> Vec<Vec<Section>> {
    let sections = sections(text);
    let mut open: Vec<Section> = Vec::new();
    let mut runnable = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        open.retain(|outer| outer.level < section.level);
        open.push(section.clone());
        let has_sections_below = sections.get(index + 1).is_some_and(|next| next.level > section.level);
        if section.is_runnable(has_sections_below) {
            runnable.push(open.clone());
        }
    }
    runnable
}

impl Section {
    /// Files in front of further sections are there for those, unless something is said about them.
    fn is_runnable(&self, has_sections_below: bool) -> bool {
        self.fences.iter().any(|fence| match &fence.role {
            Role::Console | Role::Output { .. } => true,
            Role::File(_) => !has_sections_below || !super::expectation::read(&fence.content).is_empty(),
            Role::Prose => false,
        })
    }
}

/// All sections of a text, in their order.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if let Some(heading) = line.get(level..).and_then(|rest| rest.strip_prefix(' '))
            && level > 0
        {
            sections.push(Section { heading: heading.trim().to_owned(), fences: Vec::new(), level });
            continue;
        }
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        if ticks < 3 {
            continue;
        }
        let (mark, info) = line.split_at(ticks);
        let inside: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != mark).collect();
        let content = inside.iter().flat_map(|line| [line, "\n"]).collect();
        let fence = Fence { role: role(info), content, lines: number + 1..number + 1 + inside.len() };
        if let Some(section) = sections.last_mut() {
            section.fences.push(fence);
        }
    }
    sections
}

fn role(info: &str) -> Role {
    let words: Vec<&str> = info.split_whitespace().collect();
    match *words.as_slice() {
        ["console"] => Role::Console,
        ["bicep"] => Role::File("main.bicep".to_owned()),
        ["bicepparam"] => Role::File("main.bicepparam".to_owned()),
        [_, name] if name.contains('.') => Role::File(name.to_owned()),
        [language, command, file, ref rest @ ..] if file.contains('.') => Role::Output {
            command: command.to_owned(),
            file: file.to_owned(),
            pointer: rest.first().copied().unwrap_or_default().to_owned(),
            is_json: language == "json",
        },
        _ => Role::Prose,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# Top

```json bicepconfig.json
{}
```

## First

Words.

```bicep
var a = 1
```

### Deeper

````console
$ sinew --version
```
````

## Second

```text
not run
```
";

    #[test]
    fn sections_know_what_is_above_them() {
        let read: Vec<Vec<String>> = read(TEXT)
            .iter()
            .map(|path| {
                path.iter().map(|section| format!("{} {}", section.heading, section.fences.len())).collect()
            })
            .collect();
        // `Top` and `First` are set-up for what is below them; `Second` has nothing to run.
        assert_eq!(read, [["Top 1", "First 1", "Deeper 1"]]);
    }

    #[test]
    fn fences_know_their_lines_and_end_at_their_own_mark() {
        let fences: Vec<Fence> = sections(TEXT).into_iter().flat_map(|section| section.fences).collect();
        let shown: Vec<_> = fences.iter().map(|f| (f.lines.clone(), f.content.as_str())).collect();
        let expected = [
            (3..4, "{}\n"),
            (11..12, "var a = 1\n"),
            (17..19, "$ sinew --version\n```\n"),
            (24..25, "not run\n"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_words_behind_the_mark_say_what_a_fence_is_for() {
        let output = |command: &str, pointer: &str, is_json| Role::Output {
            command: command.to_owned(),
            file: "main.bicep".to_owned(),
            pointer: pointer.to_owned(),
            is_json,
        };
        for (info, expected) in [
            ("bicep", Role::File("main.bicep".to_owned())),
            ("bicep sub/m.bicep", Role::File("sub/m.bicep".to_owned())),
            ("json bicepconfig.json", Role::File("bicepconfig.json".to_owned())),
            ("bicep format main.bicep", output("format", "", false)),
            ("json build main.bicep /resources", output("build", "/resources", true)),
            ("console", Role::Console),
            ("sh", Role::Prose),
            ("", Role::Prose),
        ] {
            assert_eq!(role(info), expected, "{info}");
        }
    }
}
