//! Commands about `bicepconfig.json`: where a new one goes, writing one, setting the level of a rule.

use base::SourceFile;
use bicep_ide::config_edit;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::build::no_path;
use super::write::write;
use super::{Request, argument, path_of, refuse};
use crate::convert;
use crate::rpc::Answer;
use crate::uri;

const FILE: &str = "bicepconfig.json";

/// The rule that a new configuration shows as an example.
const FIRST_RULE: &str = "no-unused-params";

/// `createConfigFile`: a configuration with one rule, opened at its level.
pub(super) fn create(request: &Request) -> Answer {
    let target = argument(request, 0).get("destinationPath").and_then(path_of).ok_or_else(no_path)?;
    let text = config_edit::new_config(&config_edit::rule_level_path(FIRST_RULE), "\"warning\"");
    if let Err(message) = write(&target, &text) {
        return refuse(request, message);
    }
    show(request, &target, &text, FIRST_RULE);
    Ok(json!(true))
}

/// `bicep.EditLinterRule`: the level of a rule, written if it is not there, opened in the editor.
pub(super) fn edit_rule(request: &Request) -> Answer {
    let document = path_of(argument(request, 0)).ok_or_else(no_path)?;
    let code = argument(request, 1).as_str().unwrap_or_default();
    let path = config_edit::rule_level_path(code);
    let (target, text) = match path_of(argument(request, 2)) {
        Some(target) => {
            let existing = request.source(&target).map(|file| file.text().to_string()).unwrap_or_default();
            let text = match config_edit::insert(&existing, &path, "\"warning\"") {
                Some(edit) => {
                    let mut text = existing.clone();
                    text.replace_range(
                        usize::from(edit.range.start())..usize::from(edit.range.end()),
                        &edit.text,
                    );
                    text
                }
                None => existing,
            };
            (target, text)
        }
        None => {
            let folder = recommended(&request.abilities.folders, Some(&document));
            (folder.join(FILE), config_edit::new_config(&path, "\"warning\""))
        }
    };
    if let Err(message) = write(&target, &text) {
        return refuse(request, message);
    }
    show(request, &target, &text, code);
    Ok(Value::Null)
}

/// Opens a configuration with the level of a rule selected, and the list of levels.
fn show(request: &Request, target: &Utf8Path, text: &str, code: &str) {
    if !request.abilities.show_document {
        return;
    }
    let source = SourceFile::new(target, text);
    let range = config_edit::find(text, &config_edit::rule_level_path(code)).unwrap_or_default();
    let params = json!({
        "uri": uri::of_path(target),
        "external": false,
        "takeFocus": true,
        "selection": convert::range(&source, range),
    });
    request.client.request("window/showDocument", &params);
    request.client.notify("bicep/triggerEditorCompletion", &Value::Null);
}

/// `bicep/getRecommendedConfigLocation`
pub(super) fn recommended_location(request: &Request) -> Answer {
    let file = request.params.get("bicepFilePath").and_then(path_of);
    Ok(
        json!({ "recommendedFolder": recommended(&request.abilities.folders, file.as_deref()).as_str(), "error": null }),
    )
}

/// The workspace folder that holds a file, else the file's own; without a file the first workspace folder.
fn recommended(folders: &[String], file: Option<&Utf8Path>) -> Utf8PathBuf {
    let folders: Vec<Utf8PathBuf> = folders.iter().filter_map(|uri| uri::file_path(uri)).collect();
    let home = || std::env::var("HOME").map(Utf8PathBuf::from).unwrap_or_default();
    match file {
        None => folders.into_iter().next().unwrap_or_else(home),
        Some(file) => {
            let holding = folders.into_iter().filter(|folder| file.starts_with(folder));
            let innermost = holding.max_by_key(|folder| folder.as_str().len());
            innermost.or_else(|| file.parent().map(Utf8Path::to_owned)).unwrap_or_else(home)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_workspace_folder_is_recommended() {
        let of = |folders: &[&str], file: &str| {
            let folders: Vec<String> = folders.iter().map(|folder| format!("file://{folder}")).collect();
            recommended(&folders, Some(Utf8Path::new(file)))
        };
        assert_eq!(of(&["/a"], "/a/b/c/main.bicep"), "/a");
        assert_eq!(of(&["/a", "/a/b"], "/a/b/c/main.bicep"), "/a/b");
        assert_eq!(of(&["/a/b"], "/a/main.bicep"), "/a");
        assert_eq!(of(&["/work"], "/workspace/main.bicep"), "/workspace");
    }
}
