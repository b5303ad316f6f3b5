//! One JSON object per diagnostic and line, with everything that a diagnostic holds, for programs that read a stream.

use serde_json::{Value, json};
use text_size::TextRange;

use super::regions::{Region, RegionFinder, region};
use crate::{Diagnostic, FileReport, Fix, Severity, SourceFile};

pub(super) fn render(reports: &[FileReport]) -> String {
    let mut out = String::new();
    for report in reports {
        let mut places = RegionFinder::new(&report.file);
        for diagnostic in &report.diagnostics {
            let object = object(&report.file, diagnostic, places.region(diagnostic.range));
            out.push_str(&object.to_string());
            out.push('\n');
        }
    }
    out
}

fn object(file: &SourceFile, diagnostic: &Diagnostic, place: Region) -> Value {
    let labels = diagnostic.labels.iter();
    let related = diagnostic.related.iter();
    let mut object = json!({
        "file": file.path().as_str(),
        "range": range(diagnostic.range, place),
        "severity": severity(diagnostic.severity),
        "code": diagnostic.code.as_str(),
        "message": diagnostic.message,
        "labels": labels.map(|label| json!({
            "range": range(label.range, region(file, label.range)),
            "message": label.message,
        })).collect::<Value>(),
        "notes": diagnostic.notes,
        "link": diagnostic.link,
        "fixes": diagnostic.fixes.iter().map(|found| fix(file, found)).collect::<Value>(),
        "related": related.map(|related| json!({
            "file": related.file.path().as_str(),
            "range": range(related.range, region(&related.file, related.range)),
            "message": related.message,
        })).collect::<Value>(),
    });
    if let (true, Some(members)) = (diagnostic.is_undetermined, object.as_object_mut()) {
        members.insert("undetermined".to_owned(), Value::Bool(true));
    }
    object
}

fn fix(file: &SourceFile, fix: &Fix) -> Value {
    let edits = fix.edits.iter().map(|edit| {
        json!({
            "range": range(edit.range, region(file, edit.range)),
            "text": edit.text,
        })
    });
    json!({ "title": fix.title, "edits": edits.collect::<Value>() })
}

fn range(range: TextRange, place: Region) -> Value {
    json!({
        "line": place.start_line,
        "column": place.start_column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "offset": u32::from(range.start()),
        "length": u32::from(range.len()),
    })
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::render::samples;

    #[test]
    fn every_line_is_an_object() {
        let rendered = render(&samples::reports());
        for line in rendered.lines() {
            let object: Value = serde_json::from_str(line).unwrap();
            assert!(object["range"]["line"].as_u64() > Some(0));
        }
        expect![[r#"
            {"file":"src/main.bicep","range":{"line":7,"column":11,"endLine":7,"endColumn":15,"offset":100,"length":4},"severity":"error","code":"BCP033","message":"Expected a value of type \"int\" but the provided value is of type \"string\".","labels":[{"range":{"line":2,"column":7,"endLine":2,"endColumn":18,"offset":22,"length":11},"message":"declared as string"}],"notes":["The parameter `size` of the module is an int."],"link":"https://aka.ms/bicep/core-diagnostics#BCP033","fixes":[],"related":[{"file":"src/modules/m.bicep","range":{"line":1,"column":7,"endLine":1,"endColumn":11,"offset":6,"length":4},"message":"the parameter is declared here"}]}
            {"file":"src/main.bicep","range":{"line":11,"column":5,"endLine":11,"endColumn":11,"offset":116,"length":6},"severity":"warning","code":"no-unused-vars","message":"Variable \"unused\" is declared but never used.","labels":[],"notes":[],"link":null,"fixes":[{"title":"Remove the variable","edits":[{"range":{"line":11,"column":1,"endLine":12,"endColumn":1,"offset":112,"length":15},"text":""}]}],"related":[]}
            {"file":"my files/größe, 100%.bicep","range":{"line":1,"column":8,"endLine":1,"endColumn":13,"offset":9,"length":6},"severity":"info","code":"sample-info","message":"After two units & \"one\" letter.","labels":[],"notes":[],"link":null,"fixes":[],"related":[]}
            {"file":"my files/größe, 100%.bicep","range":{"line":2,"column":9,"endLine":4,"endColumn":2,"offset":25,"length":12},"severity":"error","code":"BCP018","message":"Line one\r\nline <two>: 50%\u001b[31m","labels":[],"notes":[],"link":null,"fixes":[{"title":"Insert a comma","edits":[{"range":{"line":3,"column":7,"endLine":3,"endColumn":7,"offset":34,"length":0},"text":","}]}],"related":[]}
        "#]].assert_eq(&rendered);
    }
}
