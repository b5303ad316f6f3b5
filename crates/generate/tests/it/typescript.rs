//! TypeScript that runs as it is.
#![cfg(feature = "typescript")]

use std::rc::Rc;

use expect_test::{Expect, expect};
use generate::Script;

use crate::support::{host, settings};

#[track_caller]
fn check(files: &[(&str, &str)], expected: &Expect) {
    let host = Rc::new(host(files));
    let outcome = generate::run(host.clone(), settings(), &Script::File("main.ts".into()));
    expected.assert_eq(&format!("{}{}", host.logged(), outcome.error_lines().join("\n")));
}

#[test]
fn types_vanish_and_the_rest_runs() {
    check(
        &[
            (
                "main.ts",
                "import { log } from 'sinew:std';
import type { Named } from './types';
import { greet } from './lib.js';
enum Color { Red = 'red', Blue = 'blue' }
const enum Size { S = 1, L = S + 1 }
namespace Space { export const value = 3; }
abstract class Base<T> { constructor(private readonly x: T, protected y = 2) {} get both(): unknown[] { return [this.x, this.y]; } }
class Point extends Base<number> {}
declare const nothing: number;
function over(a: string): string; function over(a: number): number; function over(a: any) { return a; }
const named = { name: 'n' } satisfies Named;
log([Color.Blue, Size.L, Space.value, new Point(1).both, over(1)!, (named as Named).name, greet<string>('x')]);",
            ),
            ("types.ts", "export interface Named { name: string }"),
            ("lib.ts", "export const greet = <T,>(who: T): string => `hi ${who}`;"),
        ],
        &expect![[r#"
            ["blue",2,3,[1,2],1,"n","hi x"]
        "#]],
    );
}

#[test]
fn errors_point_into_the_typescript() {
    check(
        &[(
            "main.ts",
            "interface A {\n  a: number;\n}\n\nfunction fail(a: A): never {\n  throw new Error(`no ${a.a}`);\n}\n\nfail({ a: 1 });\n",
        )],
        &expect![[r#"
            main.ts:6
              throw new Error(`no ${a.a}`);
                    ^
            Error: no 1
                at fail (main.ts:6:9)
                at main.ts:9:1"#]],
    );
    check(
        &[("main.ts", "const a: number = ;")],
        &expect![[r#"
            main.ts:1
            const a: number = ;
                              ^
            SyntaxError: Unexpected token
                at main.ts:1:19"#]],
    );
}
