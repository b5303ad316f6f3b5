//! Imports, and the errors they can end in.

use expect_test::{Expect, expect};

use crate::support::{run_files, settings};

#[track_caller]
fn check(files: &[(&str, &str)], expected: &Expect) {
    let run = run_files(files, settings());
    expected.assert_eq(&format!("{}{}", run.logged, run.errors()));
}

#[test]
fn javascript_json_and_yaml_can_be_imported() {
    check(
        &[
            (
                "main.js",
                "import { log } from '@jkcfg/std'; import a from './a'; import j from './j.json';
                 import k from './j.json' with { type: 'json' }; import y from './y.yaml'; import p from 'pkg/sub';
                 log([a, j, k.b, y, p]); log(j.__proto__.polluted === 1 && ({}).polluted === undefined);",
            ),
            ("a.js", "export default 'a';"),
            ("j.json", r#"{"b": 1, "__proto__": {"polluted": 1}}"#),
            ("y.yaml", "on: yes\n"),
            ("node_modules/pkg/sub/index.js", "export default 'pkg';"),
        ],
        &expect![[r#"
            ["a",{"b":1,"__proto__":{"polluted":1}},1,{"on":true},"pkg"]
            true
        "#]],
    );
}

#[test]
fn modules_are_evaluated_once_and_may_await() {
    check(
        &[
            (
                "main.js",
                "import { log } from '@jkcfg/std'; import './x'; import './sub/../x.js'; import { v } from './v'; log(v);",
            ),
            ("x.js", "import { log } from '@jkcfg/std'; log('once');"),
            ("v.js", "export const v = await Promise.resolve(5);"),
        ],
        &expect![[r#"
            once
            5
        "#]],
    );
}

#[test]
fn dynamic_imports_work() {
    check(
        &[
            (
                "main.js",
                "import { log } from '@jkcfg/std'; log((await import('./x.js')).default); await import('./nope').catch((e) => log(e.message.split('\\n')[0]));",
            ),
            ("x.js", "export default 1;"),
        ],
        &expect![[r#"
            1
            could not import './nope' from 'main.js'
        "#]],
    );
}

#[test]
fn missing_modules_list_what_was_tried() {
    check(
        &[("main.js", "import x from 'nothing';")],
        &expect![[r#"
            main.js:1
            import x from 'nothing';
                          ^
            Error: could not import 'nothing' from 'main.js'
            candidates considered:
                /w/nothing (verbatim)
                /w/nothing.mjs (<path> -> <path>.mjs)
                /w/nothing.js (<path> -> <path>.js)
                /w/nothing.ts (<path> -> <path>.ts)
                /w/nothing/index.mjs (<path> -> <path>/index.mjs)
                /w/nothing/index.js (<path> -> <path>/index.js)
                /w/nothing/index.ts (<path> -> <path>/index.ts)
                /w/node_modules/nothing (verbatim, via NPM resolution)
                /w/node_modules/nothing.mjs (<path> -> <path>.mjs, via NPM resolution)
                /w/node_modules/nothing.js (<path> -> <path>.js, via NPM resolution)
                /w/node_modules/nothing.ts (<path> -> <path>.ts, via NPM resolution)
                /w/node_modules/nothing/index.mjs (<path> -> <path>/index.mjs, via NPM resolution)
                /w/node_modules/nothing/index.js (<path> -> <path>/index.js, via NPM resolution)
                /w/node_modules/nothing/index.ts (<path> -> <path>/index.ts, via NPM resolution)
                at main.js:1:15"#]],
    );
}

#[test]
fn missing_exports_name_the_module() {
    let run = run_files(
        &[("main.js", "import { no } from './a.js'; no();"), ("a.js", "export const yes = 1;")],
        settings(),
    );
    let message = run.outcome.error.unwrap().headline();
    assert!(
        message.contains("SyntaxError") && message.contains("'no'") && message.contains("a.js"),
        "{message}"
    );
}

#[test]
fn cycles_work_as_long_as_nobody_is_too_early() {
    check(
        &[
            (
                "main.js",
                "import { log } from '@jkcfg/std'; import { isEven } from './even.js'; log(isEven(4));",
            ),
            (
                "even.js",
                "import { isOdd } from './odd.js'; export function isEven(n) { return n === 0 || isOdd(n - 1); }",
            ),
            (
                "odd.js",
                "import { isEven } from './even.js'; export function isOdd(n) { return n !== 0 && isEven(n - 1); }",
            ),
        ],
        &expect![[r#"
            true
        "#]],
    );
    check(
        &[
            ("main.js", "import './a.js';"),
            ("a.js", "import { b } from './b.js'; export const a = b + 1;"),
            ("b.js", "import { a } from './a.js'; export const b = a + 1;"),
        ],
        &expect![[r#"
            b.js:1
            import { a } from './a.js'; export const b = a + 1;
                                                         ^
            ReferenceError: a is not initialized
                at b.js:1:46
            the modules import each other in a cycle: a.js -> b.js -> a.js"#]],
    );
}

#[test]
fn errors_have_places_and_names() {
    check(
        &[("main.js", "import * as std from '@jkcfg/std';\n\nstd.logBlaaaah('foo');")],
        &expect![[r#"
            main.js:3
            std.logBlaaaah('foo');
                ^
            TypeError: std.logBlaaaah is not a function
                at main.js:3:5"#]],
    );
    check(
        &[
            ("main.js", "import { f } from './lib/f.js';\nf();"),
            ("lib/f.js", "export function f() {\n  throw new RangeError('far');\n}"),
        ],
        &expect![[r#"
            lib/f.js:2
              throw new RangeError('far');
                    ^
            RangeError: far
                at f (lib/f.js:2:9)
                at main.js:2:1"#]],
    );
    check(
        &[("main.js", "let a = ;")],
        &expect![[r#"
            main.js:1
            let a = ;
                    ^
            SyntaxError: unexpected token in expression: ';'
                at main.js:1:9"#]],
    );
    check(&[("main.js", "throw { code: 7 };")], &expect![[r#"Uncaught {"code":7}"#]]);
}

#[test]
fn handled_rejections_are_no_errors_and_others_are() {
    check(
        &[(
            "main.js",
            "const p = Promise.reject(new Error('later')); await null; p.catch(() => {});
             try { await (async () => { throw new Error('inner'); })(); } catch {}",
        )],
        &expect![""],
    );
    check(
        &[("main.js", "Promise.resolve().then(() => { throw new Error('lost'); });")],
        &expect![[r#"
            main.js:1
            Promise.resolve().then(() => { throw new Error('lost'); });
                                                 ^
            Error: lost
                at main.js:1:38"#]],
    );
    check(
        &[("main.js", "await new Promise(() => {});")],
        &expect!["Error: the script awaits a promise that never settles"],
    );
}

#[test]
fn scripts_see_nothing_of_the_machine() {
    let names = "require fetch XMLHttpRequest Deno Bun std os performance navigator";
    let script = format!(
        "import {{ log }} from '@jkcfg/std'; log('{names}'.split(' ').filter((n) => typeof globalThis[n] !== 'undefined'));"
    );
    check(
        &[("main.js", &script)],
        &expect![[r#"
            []
        "#]],
    );
    check(
        &[("main.js", "import { host } from '@jkcfg/std/internal/host';")],
        &expect![[r#"
            main.js:1
            import { host } from '@jkcfg/std/internal/host';
                                 ^
            Error: could not import '@jkcfg/std/internal/host' from 'main.js'
            candidates considered:
                /w/@jkcfg/std/internal/host (verbatim)
                /w/@jkcfg/std/internal/host.mjs (<path> -> <path>.mjs)
                /w/@jkcfg/std/internal/host.js (<path> -> <path>.js)
                /w/@jkcfg/std/internal/host.ts (<path> -> <path>.ts)
                /w/@jkcfg/std/internal/host/index.mjs (<path> -> <path>/index.mjs)
                /w/@jkcfg/std/internal/host/index.js (<path> -> <path>/index.js)
                /w/@jkcfg/std/internal/host/index.ts (<path> -> <path>/index.ts)
                /w/node_modules/@jkcfg/std/internal/host (verbatim, via NPM resolution)
                /w/node_modules/@jkcfg/std/internal/host.mjs (<path> -> <path>.mjs, via NPM resolution)
                /w/node_modules/@jkcfg/std/internal/host.js (<path> -> <path>.js, via NPM resolution)
                /w/node_modules/@jkcfg/std/internal/host.ts (<path> -> <path>.ts, via NPM resolution)
                /w/node_modules/@jkcfg/std/internal/host/index.mjs (<path> -> <path>/index.mjs, via NPM resolution)
                /w/node_modules/@jkcfg/std/internal/host/index.js (<path> -> <path>/index.js, via NPM resolution)
                /w/node_modules/@jkcfg/std/internal/host/index.ts (<path> -> <path>/index.ts, via NPM resolution)
                at main.js:1:22"#]],
    );
}
