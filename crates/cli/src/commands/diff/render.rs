//! The forms of a difference: lines, Markdown, JSON, HTML.

use std::fmt::Write as _;

use arm::difference::PropertyChange;
use serde_json::{Value as Json, json};

use super::Format;
use crate::commands::snapshot::property_line;
use crate::review::comparison::{FileChange, FileKind, Totals, kind, leaves, title};
use crate::review::page::{escaped, page};

/// All changes in a form.
pub(super) fn render(files: &[FileChange], format: Format) -> String {
    match format {
        Format::Text => text(files),
        Format::Markdown => markdown(files),
        Format::Json => format!("{}\n", json::to_pretty(&data(files))),
        Format::Html => html(files),
    }
}

const NOTHING: &str = "Nothing that would be deployed changes.";

fn mark(kind: &str) -> char {
    match kind {
        "create" => '+',
        "delete" => '-',
        _ => '~',
    }
}

fn note(file: &FileChange) -> String {
    match &file.kind {
        FileKind::Added => " (new)".to_owned(),
        FileKind::Removed => " (removed)".to_owned(),
        FileKind::Changed => String::new(),
        FileKind::Undetermined(reason) => format!(" cannot be compared: {reason}"),
    }
}

// Writing to a string cannot fail, so that results of `writeln!` are not looked at below.

fn text(files: &[FileChange]) -> String {
    let mut out = String::new();
    for file in files {
        let _ = writeln!(out, "{}{}", file.file, note(file));
        for resource in &file.resources {
            let _ = writeln!(out, "  {} {}", mark(kind(resource)), title(resource));
            for (path, leaf) in leaves(&resource.changes) {
                let _ = writeln!(out, "      {}", property_line(&path, &leaf));
            }
        }
        if !file.outputs.is_empty() {
            let _ = writeln!(out, "  outputs");
        }
        for (path, leaf) in leaves(&file.outputs) {
            let _ = writeln!(out, "      {}", property_line(&path, &leaf));
        }
    }
    let summary = if files.is_empty() { NOTHING.to_owned() } else { Totals::of(files).text() };
    let _ = writeln!(out, "{summary}");
    out
}

fn markdown(files: &[FileChange]) -> String {
    let mut out = String::from("## What would be deployed\n\n");
    if files.is_empty() {
        let _ = writeln!(out, "{NOTHING}");
        return out;
    }
    let _ = writeln!(out, "{}", Totals::of(files).text());
    for file in files {
        let _ = writeln!(out, "\n### `{}`{}\n", file.file, note(file).replace(['\r', '\n'], " "));
        for resource in &file.resources {
            let kind = kind(resource);
            let _ = writeln!(
                out,
                "<details><summary>{kind} <code>{}</code></summary>\n",
                escaped(&title(resource))
            );
            let whole = resource.after.as_ref().or(resource.before.as_ref()).filter(|_| kind != "modify");
            match whole {
                Some(whole) => fenced(&mut out, "json", &json::to_pretty(whole)),
                None => fenced(&mut out, "diff", &diff_lines(&leaves(&resource.changes))),
            }
            let _ = writeln!(out, "</details>");
        }
        if !file.outputs.is_empty() {
            let _ = writeln!(out, "\nOutputs:\n");
            fenced(&mut out, "diff", &diff_lines(&leaves(&file.outputs)));
        }
    }
    out
}

/// A fence that nothing inside of it can close.
fn fenced(out: &mut String, language: &str, text: &str) {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let _ = writeln!(out, "{fence}{language}\n{}\n{fence}\n", text.trim_end());
}

fn diff_lines(changes: &[(String, PropertyChange)]) -> String {
    let mut out = String::new();
    for (path, leaf) in changes {
        for (sign, value) in [('-', &leaf.before), ('+', &leaf.after)] {
            if let Some(value) = value {
                let _ = writeln!(out, "{sign} {path}: {}", json::to_compact(value));
            }
        }
    }
    out
}

fn data(files: &[FileChange]) -> Json {
    let properties = |changes: &[PropertyChange]| -> Json {
        let one = |(path, leaf): (String, PropertyChange)| json!({ "path": path, "before": leaf.before, "after": leaf.after });
        leaves(changes).into_iter().map(one).collect()
    };
    let of_file = |file: &FileChange| {
        let (status, reason) = match &file.kind {
            FileKind::Added => ("added", None),
            FileKind::Removed => ("removed", None),
            FileKind::Changed => ("changed", None),
            FileKind::Undetermined(reason) => ("undetermined", Some(reason)),
        };
        let resources: Vec<Json> = file
            .resources
            .iter()
            .map(|it| {
                json!({
                    "change": kind(it), "id": it.id, "before": it.before, "after": it.after,
                    "properties": properties(&it.changes),
                })
            })
            .collect();
        json!({
            "file": file.file, "status": status, "reason": reason, "resources": resources,
            "outputs": properties(&file.outputs),
        })
    };
    let Totals { created, modified, deleted, undetermined } = Totals::of(files);
    json!({
        "summary": { "created": created, "modified": modified, "deleted": deleted, "undetermined": undetermined },
        "files": files.iter().map(of_file).collect::<Vec<_>>(),
    })
}

fn html(files: &[FileChange]) -> String {
    let mut out = String::from("<h1>What would be deployed</h1>\n");
    let summary = if files.is_empty() { NOTHING.to_owned() } else { Totals::of(files).text() };
    let _ = writeln!(out, "<p>{}</p>", escaped(&summary));
    for file in files {
        let _ = writeln!(
            out,
            "<h2>{}<span class=\"soft\">{}</span></h2>",
            escaped(&file.file),
            escaped(&note(file))
        );
        for resource in &file.resources {
            let kind = kind(resource);
            let _ = writeln!(
                out,
                "<details{}><summary><span class=\"{kind}\">{} {kind}</span> <code>{}</code></summary>",
                if kind == "modify" { " open" } else { "" },
                mark(kind),
                escaped(&title(resource))
            );
            let whole = resource.after.as_ref().or(resource.before.as_ref()).filter(|_| kind != "modify");
            match whole {
                Some(whole) => {
                    let _ = writeln!(out, "<pre>{}</pre>", escaped(&json::to_pretty(whole)));
                }
                None => table(&mut out, &resource.changes),
            }
            let _ = writeln!(out, "</details>");
        }
        if !file.outputs.is_empty() {
            let _ = writeln!(out, "<details open><summary>outputs</summary>");
            table(&mut out, &file.outputs);
            let _ = writeln!(out, "</details>");
        }
    }
    page("What would be deployed", &out)
}

fn table(out: &mut String, changes: &[PropertyChange]) {
    // Widths are given, so that the columns of all tables of a page stand under each other.
    let _ = writeln!(
        out,
        "<table><colgroup><col style=\"width:26%\"><col style=\"width:37%\"><col style=\"width:37%\"></colgroup>\n\
         <tr><th>property<th>before<th>after</tr>"
    );
    for (path, leaf) in leaves(changes) {
        let cell = |value: &Option<Json>| escaped(&value.as_ref().map(json::to_compact).unwrap_or_default());
        let _ = writeln!(
            out,
            "<tr><td>{}<td class=\"delete\">{}<td class=\"create\">{}</tr>",
            escaped(&path),
            cell(&leaf.before),
            cell(&leaf.after)
        );
    }
    let _ = writeln!(out, "</table>");
}
