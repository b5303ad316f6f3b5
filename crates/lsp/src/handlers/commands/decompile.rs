//! `decompile`, `decompileSave`, `decompileParams` and `decompileForPaste`: templates as Bicep, in the editor.

use std::collections::BTreeSet;

use base::{TextRange, TextSize};
use bicep_emit::parameters::decompile_parameters;
use bicep_ide::paste::{PasteKind, PasteRequest, paste};
use bicep_sema::Setup;
use bicep_syntax::Dialect;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::build::no_path;
use super::write::write;
use super::{Request, argument, path_of};
use crate::decompile::{DISCLAIMER, FROM_BICEP, decompiled};
use crate::rpc::{Answer, RpcError};
use crate::uri;

/// `decompile`: the files of a template, not yet written.
pub(super) fn decompile(request: &Request) -> Answer {
    let path = argument(request, 0).get("jsonUri").and_then(path_of).ok_or_else(no_path)?;
    let mut output = vec![format!("Decompiling {path} into Bicep."), DISCLAIMER.to_owned()];
    let made = match request.source(&path) {
        None => Err(format!("{path} cannot be read.")),
        Some(source) => decompiled(&request.snapshot, &source),
    };
    let made = match made {
        Ok(made) => made,
        Err(reason) => {
            let message = format!("{path} cannot be decompiled. {reason}");
            request.client.show_error(&message);
            output.push(message.clone());
            return Ok(json!({
                "output": lines(&output),
                "errorMessage": message,
                "mainBicepPath": null,
                "outputFiles": [],
                "conflictingOutputPaths": [],
            }));
        }
    };
    if made.is_from_bicep {
        output.push(FROM_BICEP.to_owned());
    }
    let main = path.with_extension("bicep");
    let folder = main.parent().unwrap_or(Utf8Path::new("/"));
    let files = made.files.iter().map(|(path, text)| {
        json!({
            "absolutePath": path.as_str(),
            "clonableRelativePath": clonable(folder, path),
            "bicepContents": text,
        })
    });
    let conflicts: Vec<&str> =
        made.files.iter().filter(|(path, _)| path.exists()).map(|(path, _)| path.as_str()).collect();
    Ok(json!({
        "output": lines(&output),
        "errorMessage": null,
        "mainBicepPath": main.as_str(),
        "outputFiles": files.collect::<Vec<_>>(),
        "conflictingOutputPaths": conflicts,
    }))
}

/// The path of a file below a folder. One that lies elsewhere gets the name of its folder before its own.
fn clonable(folder: &Utf8Path, path: &Utf8Path) -> String {
    match path.strip_prefix(folder) {
        Ok(relative) => relative.as_str().to_owned(),
        Err(_) => {
            let above = path.parent().and_then(Utf8Path::file_name).unwrap_or_default();
            format!("{above}_{}", path.file_name().unwrap_or_default())
        }
    }
}

fn lines(output: &[String]) -> String {
    output.join("\n") + "\n"
}

/// `decompileSave`: writes the files, over what is there or beside it.
pub(super) fn save(request: &Request) -> Answer {
    let given = argument(request, 0);
    let overwrite = given.get("overwrite").and_then(Value::as_bool).unwrap_or(false);
    let files: Vec<OutputFile> = given
        .get("outputFiles")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(OutputFile::read)
        .collect();
    let Some(main) = files.first() else {
        return Err(RpcError::invalid_params("The files to write are missing."));
    };
    let targets = targets(&files, main, overwrite);
    let mut saved = Vec::new();
    let mut output = String::new();
    for (file, target) in files.iter().zip(&targets) {
        if let Err(message) = write(target, &file.contents) {
            request.client.show_error(&message);
            return Ok(json!({
                "output": output + &message + "\n",
                "errorMessage": message,
                "mainSavedBicepPath": null,
                "savedPaths": saved,
            }));
        }
        output.push_str(&format!("Wrote {target}\n"));
        saved.push(target.as_str());
    }
    let main = targets.first().map(|path| path.as_str());
    if let Some(main) = main.filter(|_| request.abilities.show_document) {
        let params =
            json!({ "uri": uri::of_path(Utf8Path::new(main)), "external": false, "takeFocus": true });
        request.client.request("window/showDocument", &params);
    }
    Ok(json!({
        "output": output,
        "errorMessage": null,
        "mainSavedBicepPath": main,
        "savedPaths": saved,
    }))
}

/// A file that was decompiled before.
struct OutputFile {
    path: Utf8PathBuf,
    relative: Utf8PathBuf,
    contents: String,
}

impl OutputFile {
    fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let path = Utf8PathBuf::from(text("absolutePath")?);
        let relative = text("clonableRelativePath")
            .map_or_else(|| path.file_name().unwrap_or_default().into(), Utf8PathBuf::from);
        Some(Self { path, relative, contents: text("bicepContents")?.to_owned() })
    }
}

/// Where files go: where they belong, or where nothing is yet. One file gets a free name, several a new folder.
fn targets(files: &[OutputFile], main: &OutputFile, overwrite: bool) -> Vec<Utf8PathBuf> {
    if overwrite || !files.iter().any(|file| file.path.exists()) {
        return files.iter().map(|file| file.path.clone()).collect();
    }
    let folder = main.path.parent().unwrap_or(Utf8Path::new("/"));
    let stem = main.path.file_stem().unwrap_or_default();
    let free = |start: &str, end: &str| {
        let names = std::iter::once(format!("{start}{end}")).chain((2..).map(|n| format!("{start}{n}{end}")));
        names.map(|name| folder.join(name)).find(|path| !path.exists()).unwrap_or_default()
    };
    if files.len() == 1 {
        return vec![free(stem, ".bicep")];
    }
    let copy = free(&format!("{stem}_decompiled"), "");
    files.iter().map(|file| copy.join(&file.relative)).collect()
}

/// `decompileParams`: a parameters file in JSON as a parameter file, not yet written.
pub(super) fn params(request: &Request) -> Answer {
    let given = argument(request, 0);
    let path = given.get("jsonUri").and_then(path_of).ok_or_else(no_path)?;
    let target = path.with_extension("bicepparam");
    let folder = target.parent().unwrap_or(Utf8Path::new("/"));
    let template = given.get("bicepUri").and_then(path_of);
    let template = template.map(|file| match file.is_absolute() {
        true => config::paths::relative(folder, &file),
        false => file.into_string(),
    });
    let failed = |message: String| {
        request.client.show_error(&message);
        Ok(json!({ "decompiledBicepparamFile": null, "errorMessage": message }))
    };
    let Some(source) = request.source(&path) else { return failed(format!("{path} cannot be read.")) };
    let parsed = json::parse(source.text(), json::Options::lenient());
    let (text, mut problems) = match &parsed.root {
        Some(root) => decompile_parameters(root, template.as_deref()),
        None => (String::new(), Vec::new()),
    };
    problems.extend(parsed.diagnostics);
    let errors: BTreeSet<&str> = problems
        .iter()
        .filter(|it| it.severity == base::Severity::Error)
        .map(|it| it.message.as_str())
        .collect();
    if !errors.is_empty() {
        let reasons: Vec<&str> = errors.into_iter().collect();
        return failed(format!("{path} cannot be decompiled. {}", reasons.join(" ")));
    }
    let parsed = bicep_syntax::parse(text, Dialect::Params);
    let text = bicep_ide::formatting::formatted(&parsed, request.snapshot.config(&target).formatting);
    let file = json!({ "contents": text, "uri": uri::of_path(&target) });
    Ok(json!({ "decompiledBicepparamFile": file, "errorMessage": null }))
}

/// `decompileForPaste`: pasted JSON as Bicep.
pub(super) fn for_paste(request: &Request) -> Answer {
    let given = argument(request, 0);
    let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| given.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (document, json) = (text("bicepContent"), text("jsonContent"));
    let start = offset_of_unit(document, number("rangeOffset"));
    let end = offset_of_unit(document, number("rangeOffset").saturating_add(number("rangeLength")));
    let dialect = if text("languageId") == "bicep-params" { Dialect::Params } else { Dialect::Bicep };
    // The result refers to files beside itself at most.
    let path = Utf8Path::new("/.unsaved/pasted.bicep");
    let asked = PasteRequest { document, range: TextRange::new(start, end), json, dialect, path };
    let setup = Setup::new(request.snapshot.world()).with_types(&**request.snapshot.types());
    let pasted = paste(asked, &setup, request.snapshot.config(path).formatting);
    let (bicep, error) = match pasted.bicep {
        Some(Ok(bicep)) => (Some(bicep), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let kind = pasted.kind.map(|kind| match kind {
        PasteKind::FullTemplate => "fullTemplate",
        PasteKind::Resource => "resource",
        PasteKind::ResourceList => "resourceList",
        PasteKind::FullParams => "fullParams",
        PasteKind::JsonValue => "jsonValue",
        PasteKind::BicepValue => "bicepValue",
    });
    let is_value = matches!(pasted.kind, Some(PasteKind::JsonValue | PasteKind::BicepValue));
    let disclaimer = pasted.kind.filter(|_| !is_value && bicep.is_some()).map(|_| DISCLAIMER);
    let output = match (&error, kind) {
        (Some(error), _) => format!("The pasted JSON could not be turned into Bicep. {error}\n"),
        (None, Some(kind)) => format!("Pasted JSON as Bicep: {kind}.\n"),
        (None, None) => String::new(),
    };
    Ok(json!({
        "output": output,
        "pasteContext": if pasted.is_in_string { "string" } else { "none" },
        "pasteType": kind,
        "errorMessage": error,
        "bicep": bicep,
        "disclaimer": disclaimer,
    }))
}

/// The offset behind so many UTF-16 units; past the end, the end.
fn offset_of_unit(text: &str, units: u64) -> TextSize {
    let mut left = units;
    let offset = text.char_indices().find(|(_, c)| {
        let is_there = left == 0;
        left = left.saturating_sub(c.len_utf16() as u64);
        is_there
    });
    TextSize::try_from(offset.map_or(text.len(), |(at, _)| at)).unwrap_or_default()
}
