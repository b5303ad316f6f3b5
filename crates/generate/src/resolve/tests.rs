//! Imports as people write them, and the files that they mean.

use std::rc::Rc;

use super::*;
use crate::host::MemoryHost;

fn host(files: &[(&str, &str)]) -> MemoryHost {
    files.iter().fold(MemoryHost::new(), |host, (path, text)| host.with_file(*path, text))
}

#[track_caller]
fn check(files: &[(&str, &str)], folder: &str, specifier: &str, expected: &str) {
    check_kind(files, folder, ImportKind::Import, specifier, expected);
}

#[track_caller]
fn check_kind(files: &[(&str, &str)], folder: &str, kind: ImportKind, specifier: &str, expected: &str) {
    let roots = Roots { main: "/w".into(), libraries: vec!["/lib".into()] };
    let referrer = Referrer { folder: folder.into(), is_std: false, kind };
    let resolver = ModuleResolver::new(Rc::new(host(files)), roots);
    let found = match resolver.resolve(referrer, specifier) {
        Ok(Module::Unavailable(name)) => format!("unavailable {name}"),
        Ok(Module::File(path, _)) => path.into_string(),
        Ok(Module::Std(name)) => format!("std {name}"),
        Ok(Module::Resource(folder)) => format!("resource {folder}"),
        Err(_) => "not found".to_owned(),
    };
    assert_eq!(found, expected, "{specifier} from {folder}");
}

#[test]
fn relative_specifiers_try_suffixes_and_indexes() {
    let files =
        [("/w/a.js", ""), ("/w/b.mjs", ""), ("/w/c/index.js", ""), ("/w/t.ts", ""), ("/w/d.json", "1")];
    check(&files, "/w", "./a", "/w/a.js");
    check(&files, "/w/c", "../b", "/w/b.mjs");
    check(&files, "/w", "./c", "/w/c/index.js");
    check(&files, "/w", "./t", "/w/t.ts");
    check(&files, "/w", "./t.js", "/w/t.ts");
    check(&files, "/w", "./d.json", "/w/d.json");
    check(&files, "/w", "../../../a.js", "not found");
    check(&files, "/w", "./missing", "not found");
    check(&files, "/w", "/w/a.js", "not found");
}

#[test]
fn bare_specifiers_start_at_the_root_then_go_to_node_modules() {
    let files = [
        ("/w/lib/foo.js", ""),
        ("/w/node_modules/pkg/package.json", r#"{"module":"es","main":"cjs.js"}"#),
        ("/w/node_modules/pkg/es/index.js", ""),
        ("/w/node_modules/pkg/node_modules/inner/index.mjs", ""),
        ("/w/node_modules/@s/x/sub.js", ""),
        ("/w/sub/node_modules/near/index.js", ""),
        ("/lib/remote/index.js", ""),
    ];
    check(&files, "/w/sub", "lib/foo", "/w/lib/foo.js");
    check(&files, "/w/sub/deep", "pkg", "/w/node_modules/pkg/es/index.js");
    check(&files, "/w/node_modules/pkg/es", "inner", "/w/node_modules/pkg/node_modules/inner/index.mjs");
    check(&files, "/w", "@s/x/sub", "/w/node_modules/@s/x/sub.js");
    check(&files, "/w/sub", "near", "/w/sub/node_modules/near/index.js");
    check(&files, "/w", "near", "not found");
    check(&files, "/w", "remote", "/lib/remote/index.js");
}

#[test]
fn what_was_tried_is_told() {
    let roots = Roots { main: "/w".into(), libraries: Vec::new() };
    let referrer = Referrer { folder: "/w/sub".into(), is_std: false, kind: ImportKind::Import };
    let resolver = ModuleResolver::new(Rc::new(host(&[])), roots);
    let tried = resolver.resolve(referrer, "./x").expect_err("there is nothing");
    let shown: Vec<_> = tried.iter().map(|c| format!("{} ({})", c.path, c.rule)).collect();
    assert_eq!(shown.first().unwrap(), "/w/sub/x (verbatim)");
    assert_eq!(shown.last().unwrap(), "/w/sub/x/index.ts (<path> -> <path>/index.ts)");
}

#[test]
fn packages_may_use_exports() {
    let exports =
        r#"{"exports":{".":{"require":"./c.js","import":"./m.js"},"./f/*":"./src/*.js","./x":"./y.mjs"}}"#;
    let files = [
        ("/w/node_modules/p/package.json", exports),
        ("/w/node_modules/p/m.js", ""),
        ("/w/node_modules/p/src/a.js", ""),
        ("/w/node_modules/p/y.mjs", ""),
    ];
    check(&files, "/w", "p", "/w/node_modules/p/m.js");
    check(&files, "/w", "p/f/a", "/w/node_modules/p/src/a.js");
    check(&files, "/w", "p/x", "/w/node_modules/p/y.mjs");
}

#[test]
fn the_standard_library_has_two_names_and_private_parts() {
    check(&[], "/w", "@jkcfg/std", "std index");
    check(&[], "/w", "sinew:std/param.js", "std param");
    check(&[], "/w/sub", "@jkcfg/std/resource", "resource /w/sub");
    check(&[], "/w", "@jkcfg/stdx", "not found");
    check(&[], "/w", "@jkcfg/std/internal/host", "not found");
    let roots = Roots { main: "/w".into(), libraries: Vec::new() };
    let referrer = Referrer { folder: "/w".into(), is_std: true, kind: ImportKind::Import };
    let found = ModuleResolver::new(Rc::new(host(&[])), roots).resolve(referrer, "@jkcfg/std/internal/host");
    assert_eq!(found, Ok(Module::Std("internal/host")));
}

#[test]
fn conditions_patterns_and_null_are_those_of_node() {
    let package = r##"{"name": "p", "exports": {
        ".": {"node": {"import": "./m.mjs", "require": "./c.cjs"}, "default": "./d.js"},
        "./lib/*": "./src/*.js", "./lib/private/*": null, "./only": {"browser": "./b.js"}},
        "imports": {"#x": "./x.js", "#dep": "q"}}"##;
    let files = [
        ("/w/node_modules/p/package.json", package),
        ("/w/node_modules/p/m.mjs", ""),
        ("/w/node_modules/p/c.cjs", ""),
        ("/w/node_modules/p/x.js", ""),
        ("/w/node_modules/p/src/a.js", ""),
        ("/w/node_modules/p/src/private/a.js", ""),
        ("/w/node_modules/q/index.js", ""),
    ];
    check(&files, "/w", "p", "/w/node_modules/p/m.mjs");
    check_kind(&files, "/w", ImportKind::Require, "p", "/w/node_modules/p/c.cjs");
    check(&files, "/w", "p/lib/a", "/w/node_modules/p/src/a.js");
    check(&files, "/w", "p/lib/private/a", "not found");
    check(&files, "/w", "p/only", "not found");
    check(&files, "/w", "p/x.js", "not found");
    check(&files, "/w/node_modules/p/src", "#x", "/w/node_modules/p/x.js");
    check(&files, "/w/node_modules/p/src", "#dep", "/w/node_modules/q/index.js");
    check(&files, "/w/node_modules/p/src", "p", "/w/node_modules/p/m.mjs");
}

#[test]
fn packages_of_folders_above_the_root_are_found() {
    let files = [
        ("/w/main.js", ""),
        ("/node_modules/up/package.json", r#"{"main": "lib/main"}"#),
        ("/node_modules/up/lib/main.js", ""),
    ];
    check(&files, "/w", "up", "/node_modules/up/lib/main.js");
}

#[test]
fn modules_of_node_are_known_by_both_names() {
    check(&[], "/w", "node:path", "std node/path");
    check(&[], "/w", "fs/promises", "std node/fs_promises");
    check(&[], "/w", "node:http", "unavailable http");
    check(&[("/w/path.js", "")], "/w", "path", "/w/path.js");
}

#[test]
fn the_paths_of_tsconfig_are_followed() {
    let files = [
        (
            "/w/tsconfig.json",
            r#"{"extends": "./base", "compilerOptions": {"paths": {"@lib/*": ["src/lib/*"]}}}"#,
        ),
        ("/w/base.json", r#"{"compilerOptions": {"baseUrl": "."}} // with a comment"#),
        ("/w/src/lib/a.ts", ""),
        ("/w/src/b.ts", ""),
    ];
    check(&files, "/w/src", "@lib/a", "/w/src/lib/a.ts");
    check(&files, "/w/src", "src/b", "/w/src/b.ts");
}
