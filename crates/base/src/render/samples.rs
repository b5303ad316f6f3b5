//! The reports that all renderers are tested on.

use std::sync::Arc;

use text_size::{TextRange, TextSize};

use crate::{Check, Diagnostic, Edit, FileReport, Fix, SourceFile};

/// Three files: one with everything that a diagnostic can have, one with awkward characters, one without findings.
pub(super) fn reports() -> Vec<FileReport> {
    vec![with_everything(), with_awkward_characters(), FileReport::new(file("clean.bicep", "\n"), vec![])]
}

fn with_everything() -> FileReport {
    let text = "param count int\nparam name string\n\nmodule m 'modules/m.bicep' = {\n  name: 'm'\n  params: {\n    size: name\n  }\n}\n\nvar unused = 1\n";
    let main = file("src/main.bicep", text);
    let module = file("src/modules/m.bicep", "param size int\n");
    let mismatch = Check::Compiler
        .error(
            "BCP033",
            find(&main, "name\n  }"),
            "Expected a value of type \"int\" but the provided value is of type \"string\".",
        )
        .with_label(find(&main, "name string"), "declared as string")
        .with_note("The parameter `size` of the module is an int.")
        .with_link("https://aka.ms/bicep/core-diagnostics#BCP033")
        .with_related(module.clone(), find(&module, "size"), "the parameter is declared here");
    let mismatch = Diagnostic { range: TextRange::at(mismatch.range.start(), 4.into()), ..mismatch };
    let unused = Diagnostic {
        fixes: vec![Fix {
            title: "Remove the variable".to_owned(),
            edits: vec![Edit { range: find(&main, "var unused = 1\n"), text: String::new() }],
        }],
        ..Check::Compiler.warning(
            "no-unused-vars",
            find(&main, "unused"),
            "Variable \"unused\" is declared but never used.",
        )
    };
    FileReport::new(main, vec![unused, mismatch])
}

fn with_awkward_characters() -> FileReport {
    let awkward = file("my files/größe, 100%.bicep", "var 💪 = 'é'\r\nvar y = {\r\n  a: 1\r\n}\r\n");
    let strength =
        Check::Compiler.info("sample-info", find(&awkward, "= 'é'"), "After two units & \"one\" letter.");
    let object = Check::Compiler
        .error("BCP018", find(&awkward, "{\r\n  a: 1\r\n}"), "Line one\r\nline <two>: 50%\u{1b}[31m")
        .with_fix("Insert a comma", TextRange::empty(find(&awkward, "1").end()), ",");
    FileReport::new(awkward, vec![strength, object])
}

/// How many diagnostics [`misplaced`] holds.
pub(super) const MISPLACED: usize = 4;

/// Ranges behind the end, across it, and inside a character.
pub(super) fn misplaced() -> Vec<FileReport> {
    let range = |start: u32, end: u32| TextRange::new(start.into(), end.into());
    let short = file("short.bicep", "💪\n");
    let ranges = [range(1, 3), range(2, 900), range(700, 900), range(u32::MAX, u32::MAX)];
    let diagnostics = ranges.map(|at| {
        Check::Compiler
            .warning("code", at, "misplaced")
            .with_label(at, "label")
            .with_fix("fix", at, "x")
            .with_related(short.clone(), at, "related")
    });
    vec![FileReport::new(short.clone(), diagnostics.into())]
}

/// A line of 20,000 characters with marks in it, and a range over 500 lines.
pub(super) fn endless() -> Vec<FileReport> {
    let minified = file("min.json", &format!("{{\"a\":[{}{{\"bad\":true}}]}}", "{\"x\":1},".repeat(2500)));
    let bad = find(&minified, "\"bad\"");
    let first = Check::Compiler
        .error("long-line", bad, "in the middle")
        .with_label(TextRange::new(0.into(), 1.into()), "the beginning");
    let tall = file("tall.bicep", &"x\n".repeat(500));
    let second = Check::Compiler
        .info("tall", TextRange::new(2.into(), 900.into()), "over many lines")
        .with_label(TextRange::new(990.into(), 991.into()), "far away");
    vec![FileReport::new(minified, vec![first]), FileReport::new(tall, vec![second])]
}

fn file(path: &str, text: &str) -> Arc<SourceFile> {
    SourceFile::new(path, text)
}

fn find(file: &SourceFile, needle: &str) -> TextRange {
    let at = file.text().find(needle).unwrap_or_else(|| panic!("{needle} in {}", file.path()));
    TextRange::at(TextSize::try_from(at).unwrap(), TextSize::of(needle))
}
