//! The functions of the standard library.

use expect_test::{Expect, expect};

use crate::support::{run, run_files, settings, with_params};

#[track_caller]
fn check(script: &str, expected: &Expect) {
    let run = run(script);
    expected.assert_eq(&format!("{}{}{}", run.logged, run.printed, run.errors()));
}

#[test]
fn log_and_print() {
    check(
        "import { log, print } from '@jkcfg/std';
         log('text'); log(undefined); log({ b: 1, a: [2] }); log(null); console.log('c', { d: 1 });",
        &expect![[r#"
            text
            undefined
            {"b":1,"a":[2]}
            null
            c { d: 1 }
        "#]],
    );
    check(
        "import { print, write, stdout, Format } from 'sinew:std';
         print('text'); print(); print(undefined); print({ b: 1, a: 2 }); print({ b: 1 }, { format: Format.YAML });
         write('raw', stdout, { format: Format.Raw }); write(new Date(0), ''); print([NaN, new Map()]);",
        &expect![[r#"
            text

            undefined
            {
              "a": 2,
              "b": 1
            }
            b: 1
            raw1970-01-01T00:00:00.000Z
            [
              null,
              {}
            ]
        "#]],
    );
}

#[test]
fn enums_map_both_ways() {
    check(
        "import { Format, Overwrite, Encoding, log } from '@jkcfg/std';
         log([Format.HCL, Format[6], Overwrite.Err, Encoding[1]]);",
        &expect![[r#"
            [6,"HCL",2,"String"]
        "#]],
    );
}

#[test]
fn reading_by_encoding_and_format() {
    let script = "import { read, log, stdin, Encoding, Format } from '@jkcfg/std';
        log(await read('a.yaml'));
        log(await read('a.yaml', { format: Format.YAMLStream }));
        log(await read('a.yaml', { encoding: Encoding.String }));
        log(Array.from(await read('b.bin', { encoding: Encoding.Bytes })));
        log(await read('./sub/../c.json'));
        log(await read('missing.json').catch((e) => e.message));
        log(await read('bad.json').catch((e) => e.message));
        log(await read('/etc/passwd').catch((e) => e.message));
        log(await read('../x').catch((e) => e.message));";
    let files = [
        ("main.js", script),
        ("a.yaml", "z: yes\na: 1\n---\n2\n"),
        ("b.bin", "hi"),
        ("c.json", "[1] x"),
        ("bad.json", "{"),
    ];
    expect![[r#"
        {"a":1,"z":true}
        [{"a":1,"z":true},2]
        z: yes
        a: 1
        ---
        2

        [104,105]
        [1]
        missing.json: the file does not exist
        bad.json: invalid JSON (line 1, column 2): The text ends before the closing `}`.
        reading absolute paths is forbidden
        reading from a parent path is forbidden
    "#]]
    .assert_eq(&run_files(&files, settings()).logged);
}

#[test]
fn what_was_written_can_be_read_back() {
    let run = run(
        "import { read, write, log } from '@jkcfg/std'; write({ a: 1 }, 'x.json'); log(await read('x.json'));",
    );
    assert_eq!((run.logged.as_str(), run.files().as_str()), ("{\"a\":1}\n", "x.json:\n{\n  \"a\": 1\n}\n"));
}

#[test]
fn reads_resolve_in_the_order_they_were_asked_for() {
    let script = "import { read, log } from '@jkcfg/std';
        const order = [];
        await Promise.all([3, 1, 2].map((i) => read(`${i}.json`).then((v) => order.push(v))));
        log(order);";
    let files = [("main.js", script), ("1.json", "1"), ("2.json", "2"), ("3.json", "3")];
    assert_eq!(run_files(&files, settings()).logged, "[3,1,2]\n");
}

#[test]
fn parse_and_stringify() {
    check(
        "import { parse, stringify, Format, log } from '@jkcfg/std';
         log(parse('{\"b\": 1, \"a\": 2}', Format.JSON));
         log(parse('b: 1\\na: [017]', Format.YAML));
         log(parse('1 [2]', Format.JSONStream));
         log(stringify({ b: 1, a: 'x' }, Format.JSON));
         log(stringify([{ b: 1 }, 'x'], Format.YAMLStream));
         for (const bad of [() => parse('1'), () => stringify(1), () => parse('x: [', Format.YAML), () => parse('1', 99)]) {
           try { bad(); } catch (e) { log(e.message); }
         }",
        &expect![[r#"
            {"b":1,"a":2}
            {"a":[15],"b":1}
            [1,[2]]
            {"a":"x","b":1}
            b: 1
            --- x

            Unsupported format for Parse: FromExtension
            Unsupported format for Unparse: FromExtension
            while parsing a node, did not find expected node content (line 2)
            parse: unknown format (99)
        "#]],
    );
}

#[test]
fn parameters() {
    let script = "import * as param from '@jkcfg/std/param';
        import { param as p } from '@jkcfg/std/param';
        import { log } from '@jkcfg/std';
        log([param.String('s'), param.Number('n'), param.Boolean('b'), param.String('missing', 'd'), param.Object('o', { x: 1, y: 2 })]);
        log(param.String('missing') === undefined);
        log(p.all());
        try { param.Number('s'); } catch (e) { log(e.message); }";
    let run = run_files(&[("main.js", script)], with_params(&["s=text", "n=1e3", "b=T", "o.y=3"]));
    expect![[r#"
        ["text",1000,true,"d",{"x":1,"y":"3"}]
        true
        {"s":"text","n":"1e3","b":"T","o":{"y":"3"}}
        invalid type for param 's': cannot convert "text" to float64
    "#]]
    .assert_eq(&run.logged);
}

#[test]
fn folders() {
    let script = "import { info, dir, walk, join, FileInfo, Directory } from '@jkcfg/std/fs';
        import { log } from '@jkcfg/std';
        log(info('d/a.txt')); log(info('d') instanceof FileInfo); log(dir('./d')); log(dir('d') instanceof Directory);
        log([...walk('d')].map((f) => f.path)); log([...walk('d', { pre: () => false })].length); log(join('a', 'b'));
        try { info('nothing'); } catch (e) { log(e.message); }";
    let files = [("main.js", script), ("d/b/c.txt", ""), ("d/a.txt", "")];
    expect![[r#"
        {"name":"a.txt","path":"d/a.txt","isdir":false}
        true
        {"name":"d","path":"./d","files":[{"name":"a.txt","path":"d/a.txt","isdir":false},{"name":"b","path":"d/b","isdir":true}]}
        true
        ["d/a.txt","d/b","d/b/c.txt"]
        2
        a/b
        nothing: the file does not exist
    "#]]
    .assert_eq(&run_files(&files, settings()).logged);
}

#[test]
fn merging() {
    check(
        "import { merge, deep, first, replace, deepWithKey, patch } from '@jkcfg/std/merge';
         import { log } from '@jkcfg/std';
         const pod = { spec: { c: [{ name: 'a', image: 1 }, { name: 'b', image: 1 }] } };
         const change = { spec: { c: [{ name: 'b', image: 2 }, { name: 'x' }] } };
         log(merge(1, 2)); log(merge([1, 2], [3])); log(merge({ f: 1 }, { g: 2 })); log(merge(undefined, 5));
         log(merge(1, 2, (a, b) => a + b));
         log(merge(pod, change, { spec: { c: deepWithKey('name') } }));
         log(merge(pod, change, { spec: deep({ c: first() }) }));
         log(merge(pod, change, { spec: { c: replace() } }));
         log(patch({ a: { b: 1, c: [1] }, d: 1 }, { a: { c: [2] }, d: { e: 1 } }));
         for (const bad of [() => merge('a', 1), () => merge(pod, { spec: [1] }, { spec: deep() }),
                            () => merge(pod, { spec: { c: {} } }, { spec: { c: deepWithKey('n') } })]) {
           try { bad(); } catch (e) { log(e.message); }
         }",
        &expect![[r#"
            2
            [3]
            {"f":1,"g":2}
            5
            3
            {"spec":{"c":[{"name":"a","image":1},{"name":"b","image":2},{"name":"x"}]}}
            {"spec":{"c":[{"name":"a","image":1},{"name":"b","image":1}]}}
            {"spec":{"c":[{"name":"b","image":2},{"name":"x"}]}}
            {"a":{"b":1,"c":[2]},"d":{"e":1}}
            merge cannot combine values of types string and number
            deep: input value is not an object
            deepWithKey: input is not an array
        "#]],
    );
}

#[test]
fn schemas() {
    let script = "import { validateWithObject, validateWithFile } from '@jkcfg/std/schema';
        import fromModule from './mod/check.js';
        import { log } from '@jkcfg/std';
        log(validateWithObject(5, { type: 'number' }));
        log(validateWithObject({ a: 'x' }, { properties: { a: { type: 'number' } } }));
        log(await validateWithFile({ age: -1 }, 's/person.json'));
        log(await fromModule({}));
        log(await validateWithFile(1, '../x.json').catch((e) => e.message));";
    let module = "import { withModuleRef, read, dir, info } from '@jkcfg/std/resource';
        import { validateWithResource } from '@jkcfg/std/schema';
        export default (value) => withModuleRef((ref) => validateWithResource(value, 'own.json', ref));";
    let files = [
        ("main.js", script),
        ("mod/check.js", module),
        ("mod/own.json", r#"{"required":["b"]}"#),
        ("s/person.json", r#"{"properties":{"age":{"$ref":"defs.json#/definitions/age"}}}"#),
        ("s/defs.json", r#"{"definitions":{"age":{"minimum":0}}}"#),
    ];
    let run = run_files(&files, settings());
    expect![[r#"
        ok
        [{"msg":"Invalid type. Expected: number, given: string","path":"a"}]
        [{"msg":"Must be greater than or equal to 0/1","path":"age"}]
        [{"msg":"b is required","path":"(root)"}]
        reading from a parent path is forbidden
    "#]]
    .assert_eq(&format!("{}{}", run.logged, run.errors()));
}

#[test]
fn module_references_cannot_be_forged() {
    check(
        "import { read, log } from '@jkcfg/std';
         log(await read('x.json', { module: '/etc' }).catch((e) => e.message));
         log(await read('x.json', { module: Symbol('/etc') }).catch((e) => e.message));",
        &expect![[r#"
            read from unknown module
            read from unknown module
        "#]],
    );
}

#[test]
fn echo_is_a_round_trip() {
    check(
        "import { echo, echoSync } from '@jkcfg/std/debug';
         import { log } from '@jkcfg/std';
         log(echoSync()); log(await echo(65, new Uint8Array([1, 2]), 's', { o: undefined }));",
        &expect![[r#"
            []
            [65,[1,2],"s",{}]
        "#]],
    );
}

#[test]
fn a_dry_run_prints_nothing_but_depends() {
    let mut settings = settings();
    settings.dry_run = true;
    settings.parameter_files = vec!["/w/p.json".into()];
    let script = "import { print, log, read } from '@jkcfg/std'; import './lib/a'; print(1); log('l'); await read('d.json');";
    let files = [("main.js", script), ("lib/a.js", "export {}"), ("d.json", "1")];
    let run = run_files(&files, settings);
    assert_eq!((run.printed.as_str(), run.logged.as_str()), ("", "l\n"));
    expect![[r#"
        [
          {
            "kind": "parameter-file",
            "path": "/w/p.json"
          },
          {
            "kind": "import-file",
            "path": "/w/main.js",
            "specifier": "main.js"
          },
          {
            "kind": "import-file",
            "path": "/w/lib/a.js",
            "specifier": "./lib/a"
          },
          {
            "kind": "read-file",
            "path": "/w/d.json"
          }
        ]
    "#]]
    .assert_eq(&run.outcome.dependencies_json());
}
