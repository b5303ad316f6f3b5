//! The sources of a module, as they are published beside its template: files come in with the absolute paths they have
//! here; an archive goes out in which nothing says where they were.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::archive;
use crate::error::Error;

/// A file of a module.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// Its absolute path.
    pub path: &'a Utf8Path,
    /// Its content.
    pub text: &'a str,
    pub kind: SourceKind,
    /// The published module it was restored from, if that has sources itself.
    pub artifact: Option<String>,
    /// The files it refers to.
    pub links: Vec<Link<'a>>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum SourceKind {
    /// A Bicep file.
    Bicep,
    /// A template in JSON.
    ArmTemplate,
}

/// A place in a file that refers to another one.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    /// Lines and columns of its start and its end, counted from zero, columns in UTF-16 code units.
    pub range: [(u32, u32); 2],
    /// The absolute path of the other file.
    pub target: &'a Utf8Path,
}

/// Packs the files of a module. The first one is the module itself; `cache` is the folder of restored modules, and
/// `version` that of the program.
pub fn pack(sources: &[Source<'_>], cache: &Utf8Path, version: &str) -> Result<Vec<u8>, Error> {
    let names = names(sources, cache);
    let paths = archive_paths(&names);
    let name_of: BTreeMap<&Utf8Path, &str> =
        sources.iter().map(|source| source.path).zip(names.iter().map(String::as_str)).collect();
    let mut files: Vec<_> = sources.iter().zip(names.iter().zip(&paths)).collect();
    files.sort_by_key(|(_, (name, path))| (*name, *path));
    let mut document_links = BTreeMap::new();
    for (source, (name, _)) in &files {
        let links = source.links.iter().filter_map(|link| {
            let [(line, column), (end_line, end_column)] = link.range;
            let range = format!("[{line}:{column}]-[{end_line}:{end_column}]");
            Some(ArchivedLink { range, target: name_of.get(link.target)? })
        });
        let links: Vec<_> = links.collect();
        if !links.is_empty() {
            document_links.insert(name.as_str(), links);
        }
    }
    let metadata = Metadata {
        metadata_version: 1,
        bicep_version: version,
        entry_point: names.first().map_or("", String::as_str),
        source_files: files
            .iter()
            .map(|(source, (path, archive_path))| ArchivedFile {
                path,
                archive_path,
                kind: source.kind,
                source_artifact_id: source.artifact.as_deref(),
            })
            .collect(),
        document_links,
    };
    let metadata = serde_json::to_string(&metadata).map_err(|error| Error::Archive(error.to_string()))?;
    let files = files.iter().map(|(source, (_, path))| (path.as_str(), source.text.as_bytes()));
    archive::write([(METADATA, metadata.as_bytes())].into_iter().chain(files))
}

const METADATA: &str = "__metadata.json";

/// What an archive says about itself.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    metadata_version: u32,
    bicep_version: &'a str,
    entry_point: &'a str,
    source_files: Vec<ArchivedFile<'a>>,
    document_links: BTreeMap<&'a str, Vec<ArchivedLink<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArchivedFile<'a> {
    path: &'a str,
    archive_path: &'a str,
    kind: SourceKind,
    source_artifact_id: Option<&'a str>,
}

#[derive(Serialize)]
struct ArchivedLink<'a> {
    range: String,
    target: &'a str,
}

/// What files are called in the archive: relative to the module's folder, to the cache, or to a numbered root for each
/// other group of folders.
fn names(sources: &[Source<'_>], cache: &Utf8Path) -> Vec<String> {
    let folder = sources.first().and_then(|entry| entry.path.parent()).unwrap_or(Utf8Path::new(""));
    let near = |path: &Utf8Path| {
        let inside = path.strip_prefix(folder).ok().map(ToString::to_string);
        inside.or_else(|| Some(format!("<cache>/{}", path.strip_prefix(cache).ok()?)))
    };
    let far = sources.iter().filter(|source| near(source.path).is_none());
    let mut roots: Vec<Utf8PathBuf> = Vec::new();
    for folder in far.filter_map(|source| source.path.parent()).collect::<BTreeSet<_>>() {
        if !roots.iter().any(|root| folder.starts_with(root)) {
            roots.push(folder.to_owned());
        }
    }
    let named = |path: &Utf8Path| {
        near(path).unwrap_or_else(|| {
            let mut numbered = roots.iter().zip(1..);
            let inside = numbered
                .find_map(|(root, number)| Some(format!("<root{number}>/{}", path.strip_prefix(root).ok()?)));
            inside.unwrap_or_else(|| path.to_string())
        })
    };
    sources.iter().map(|source| named(source.path).replace('\\', "/")).collect()
}

/// Where files lie in the archive: paths that every system takes, each only once.
fn archive_paths(names: &[String]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut suffix = 0;
    let mut paths = Vec::with_capacity(names.len());
    for name in names {
        let wanted = archive_path(name);
        let mut path = wanted.clone();
        while !taken.insert(path.to_lowercase()) {
            suffix += 1;
            path = format!("{wanted}({suffix})");
        }
        paths.push(path);
    }
    paths
}

/// Leaves room for a suffix below the 260 characters that Windows allows.
const MAX_PATH: usize = 250;

/// Of an extension, so much stays in a shortened path.
const MAX_EXTENSION: usize = 10;

fn archive_path(name: &str) -> String {
    let is_bad = |c: char| "\"*:<>?\\|&+[]#".contains(c) || c.is_control();
    let path: String =
        "files/".chars().chain(name.chars().map(|c| if is_bad(c) { '_' } else { c })).collect();
    if path.chars().count() <= MAX_PATH {
        return path;
    }
    let extension: String = path
        .rfind('.')
        .and_then(|at| path.get(at..))
        .unwrap_or_default()
        .chars()
        .take(MAX_EXTENSION)
        .collect();
    let tail = format!("__path_too_long__{extension}");
    path.chars().take(MAX_PATH - tail.chars().count()).chain(tail.chars()).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn source<'a>(path: &'a str, text: &'a str, links: &[(u32, &'a str)]) -> Source<'a> {
        let links = links
            .iter()
            .map(|(line, target)| Link { range: [(*line, 10), (*line, 20)], target: Utf8Path::new(*target) });
        let kind = if path.ends_with(".json") { SourceKind::ArmTemplate } else { SourceKind::Bicep };
        Source { path: Utf8Path::new(path), text, kind, artifact: None, links: links.collect() }
    }

    fn unpacked(sources: &[Source<'_>]) -> BTreeMap<Utf8PathBuf, Vec<u8>> {
        let bytes = pack(sources, "/home/me/.bicep".into(), "1.2.3").unwrap();
        archive::read(&bytes, archive::Limits::default()).unwrap()
    }

    #[test]
    fn an_archive_says_nothing_about_the_machine() {
        let restored = "/home/me/.bicep/br/example.com/test$one/v1$/main.json";
        let mut module = source(restored, "{}", &[]);
        module.artifact = Some("br:example.com/test/one:v1".to_owned());
        let files = unpacked(&[
            source(
                "/home/me/app/main.bicep",
                "main",
                &[(0, "/home/me/app/parts/a.bicep"), (3, restored), (5, "/gone.bicep")],
            ),
            source("/home/me/app/parts/a.bicep", "a", &[(1, "/home/me/lib/z/b.bicep")]),
            source("/home/me/lib/z/b.bicep", "b", &[]),
            source("/home/me/lib/a/c.bicep", "c", &[]),
            source("/home/me/lib/a/deep/d.json", "{}", &[]),
            module,
        ]);
        let metadata: serde_json::Value = serde_json::from_slice(&files[Utf8Path::new(METADATA)]).unwrap();
        assert!(!metadata.to_string().contains("/home/me"));
        expect![[r#"
            files/_cache_/br/example.com/test$one/v1$/main.json {}
            files/_root1_/c.bicep c
            files/_root1_/deep/d.json {}
            files/_root2_/b.bicep b
            files/main.bicep main
            files/parts/a.bicep a
            {"metadataVersion":1,"bicepVersion":"1.2.3","entryPoint":"main.bicep","sourceFiles":[{"path":"<cache>/br/example.com/test$one/v1$/main.json","archivePath":"files/_cache_/br/example.com/test$one/v1$/main.json","kind":"ArmTemplate","sourceArtifactId":"br:example.com/test/one:v1"},{"path":"<root1>/c.bicep","archivePath":"files/_root1_/c.bicep","kind":"Bicep","sourceArtifactId":null},{"path":"<root1>/deep/d.json","archivePath":"files/_root1_/deep/d.json","kind":"ArmTemplate","sourceArtifactId":null},{"path":"<root2>/b.bicep","archivePath":"files/_root2_/b.bicep","kind":"Bicep","sourceArtifactId":null},{"path":"main.bicep","archivePath":"files/main.bicep","kind":"Bicep","sourceArtifactId":null},{"path":"parts/a.bicep","archivePath":"files/parts/a.bicep","kind":"Bicep","sourceArtifactId":null}],"documentLinks":{"main.bicep":[{"range":"[0:10]-[0:20]","target":"parts/a.bicep"},{"range":"[3:10]-[3:20]","target":"<cache>/br/example.com/test$one/v1$/main.json"}],"parts/a.bicep":[{"range":"[1:10]-[1:20]","target":"<root2>/b.bicep"}]}}"#]]
        .assert_eq(&{
            let mut lines: Vec<_> = files
                .iter()
                .filter(|(path, _)| *path != METADATA)
                .map(|(path, bytes)| format!("{path} {}", String::from_utf8_lossy(bytes)))
                .collect();
            lines.push(metadata.to_string());
            lines.join("\n")
        });
    }

    #[test]
    fn paths_suit_every_system_and_stay_apart() {
        let long = "123456789 ".repeat(25);
        let names = [
            "weirdo&+[]#.bicep".to_owned(),
            format!("{long}/a.bicep"),
            format!("{long}/b.bicep"),
            "é.bicep".to_owned(),
            "A.bicep".to_owned(),
            "a.bicep".to_owned(),
        ];
        let paths = archive_paths(&names);
        assert_eq!(paths[0], "files/weirdo_____.bicep");
        assert_eq!(paths[1].chars().count(), 250);
        assert!(paths[1].ends_with("123456789 1__path_too_long__.bicep"), "{}", paths[1]);
        assert_eq!(paths[2], format!("{}(1)", paths[1]));
        assert_eq!(paths[3..], ["files/é.bicep", "files/A.bicep", "files/a.bicep(2)"]);
    }
}
