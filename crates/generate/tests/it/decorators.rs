//! Decorators of the language, and `accessor` fields.
#![cfg(feature = "typescript")]

use std::rc::Rc;

use expect_test::{Expect, expect};
use generate::Script;

use crate::support::{host, settings};

/// What a script says; `trace(label)` makes a decorator that says when it is evaluated, called and asked for values.
#[track_caller]
fn check(script: &str, expected: &Expect) {
    let script = format!("import {{ log, trace }} from './trace.ts'; {script}");
    let host = Rc::new(host(&[("main.ts", &script), ("trace.ts", TRACE)]));
    let outcome = generate::run(host.clone(), settings(), &Script::File("main.ts".into()));
    expected.assert_eq(&format!("{}{}", host.logged(), outcome.error_lines().join("\n")));
}

const TRACE: &str = r"
import { log as write } from 'sinew:std';
export const log = (...parts: unknown[]) => write(parts.map((part) => typeof part === 'function' ? `fn ${part.name}` : String(part)).join(' '));
export const trace = (label: string): any => {
  log('evaluate', label);
  return (value: any, context: any) => {
    const { kind, name, static: isStatic, private: isPrivate, access = {} } = context;
    log('call', label, kind, name, isStatic, isPrivate, Object.keys(access), typeof value === 'object' ? Object.keys(value) : value);
    context.addInitializer(function (this: any) { log('init', label, typeof this === 'function' ? this.name : Object.keys(this)); });
    if (kind === 'field') return (first: any) => { log('value', label, first); return first; };
    if (kind === 'accessor') return { get(this: any) { return `${label}(${value.get.call(this)})`; } };
    if (kind === 'method') return function (this: any) { return `${label}<${value.call(this)}>`; };
    if (kind === 'getter') return function (this: any) { return `${label}{${value.call(this)}}`; };
  };
};
";

#[test]
fn decorators_are_evaluated_called_and_run_in_the_order_of_the_language() {
    check(
        "const key = (name: string) => { log('key', name); return name; };
@trace('outer') @trace('inner')
class C {
  @trace('field') x = 1;
  @trace('method') [key('m')]() { return 'm'; }
  @trace('static field') static y = 2;
  @trace('static method') static s() { return this.name; }
  @trace('getter') get g() { return 'g'; }
  static { log('block', this === C); }
}
const c = new C();
log(c.m(), C.s(), c.g);",
        &expect![[r#"
            evaluate outer
            evaluate inner
            evaluate field
            evaluate method
            key m
            evaluate static field
            evaluate static method
            evaluate getter
            call static method method s true false has,get fn s
            call method method m false false has,get fn m
            call getter getter g false false has,get fn get g
            call static field field y true false has,get,set undefined
            call field field x false false has,get,set undefined
            call inner class C undefined undefined  fn C
            call outer class C undefined undefined  fn C
            init static method C
            value static field 2
            init static field C
            block true
            init inner C
            init outer C
            init method 
            init getter 
            value field 1
            init field x
            method<m> static method<C> getter{g}
        "#]],
    );
}

#[test]
fn private_elements_can_be_decorated() {
    check(
        "class Base { hello() { return 'base'; } }
class C extends Base {
  @trace('method') #m() { return super.hello(); }
  @trace('field') #f = 1;
  @trace('accessor') accessor #a = 2;
  @trace('getter') get #g() { return 3; }
  @trace('static') static #s() { return 4; }
  all() { return [this.#m(), this.#f, this.#a, this.#g, C.#s()]; }
}
log(new C().all());
let get;
class D { @((_: any, { access }: any) => { get = access.get; }) #secret = 7; }
log(get(new D()));",
        &expect![[r#"
            evaluate method
            evaluate field
            evaluate accessor
            evaluate getter
            evaluate static
            call static method #s true true has,get fn #s
            call method method #m false true has,get fn #m
            call accessor accessor #a false true has,get,set get,set
            call getter getter #g false true has,get fn get #g
            call field field #f false true has,get,set undefined
            init static C
            init method 
            init getter 
            value field 1
            init field 
            init accessor 
            method<base>,1,accessor(2),getter{3},static<4>
            7
        "#]],
    );
}

#[test]
fn a_class_decorator_can_replace_the_class() {
    check(
        "const replace = (value: any, context: any): any => class Other extends value { extra = context.name; };
@replace class C { static me = C; static own = this; static made = new C(); is() { return C; } }
log(C, C.me === C, C.own === C, C.made instanceof C, new C().is() === C, (new C() as any).extra);
const named = @replace class {};
log((new named() as any).extra);
export default @replace class D { static me = D; }
export @replace class E {}
log((new E() as any).extra);",
        &expect![[r#"
            fn Other true true true true C
            named
            E
        "#]],
    );
}

#[test]
fn accessors_are_getters_and_setters() {
    check(
        "class C {
  accessor a = 1; accessor 'b c' = 2; accessor 5 = 3; accessor #d = 4; accessor none;
  static accessor s = 6; accessor ['x' + 1] = 7;
  get d() { return this.#d; }
}
const c = new C() as any;
c.a += 1; C.s += 1;
log([c.a, c['b c'], c[5], c.d, c.none, C.s, c.x1], Object.keys(c), Object.keys(Object.getOwnPropertyDescriptors(C.prototype)));
try { Object.getOwnPropertyDescriptor(C.prototype, 'a').get.call({}); } catch (error) { log(error.name); }",
        &expect![[r#"
            2,2,3,4,,7,7  5,constructor,a,b c,none,x1,d
            TypeError
        "#]],
    );
}

#[test]
fn metadata_and_receivers_are_those_of_the_language() {
    check(
        "const meta = (_: any, context: any) => { context.metadata[context.name] = context.kind; };
class A { @meta a = 1; @meta m() {} }
class B extends A { @meta b = 1; }
const of = (target: any) => target[(Symbol as any).metadata];
log(JSON.stringify(of(A)), JSON.stringify(of(B)), of(B).a);
const library = { tag: 'library', mark(this: any, _: any, { name }: any) { log(this?.tag, name); } };
class C { @library.mark a() {} @(library.mark) b() {} }
for (const n of [1, 2]) { class Loop { @meta accessor v = n; } log(new Loop().v); }
class Outer { @trace('outer') make() { @trace('inner') class Inner { @meta v = 1; } return new Inner().v; } }
log(new Outer().make());",
        &expect![[r#"
            {"m":"method","a":"field"} {"b":"field"} field
            library a
            library b
            1
            2
            evaluate outer
            call outer method make false false has,get fn make
            init outer 
            evaluate inner
            call inner class Inner undefined undefined  fn Inner
            init inner Inner
            outer<1>
        "#]],
    );
}

#[test]
fn wrong_decorators_are_errors() {
    check(
        "const attempt = (work: () => void) => { try { work(); } catch (error) { log(`${error}`); } };
attempt(() => { class A { @(5 as any) m() {} } });
attempt(() => { class A { @(() => 5 as any) m() {} } });
attempt(() => { class A { @(() => ({ get: 1 }) as any) accessor a = 1; } });
attempt(() => { @(() => 5 as any) class A {} });
let later: any;
class A { @((_: any, { addInitializer }: any) => { later = addInitializer; }) m() {} }
attempt(() => later(() => {}));",
        &expect![[r#"
            TypeError: a decorator must be a function, not number
            TypeError: the decorator of a method must return undefined or a function
            TypeError: the decorator of an accessor must return undefined or an object whose 'get' is a function
            TypeError: the decorator of a class must return undefined or a function
            TypeError: addInitializer cannot be called after the decorator has returned
        "#]],
    );
}

#[test]
fn errors_in_decorated_classes_point_into_the_source() {
    check(
        "
class A {
  @trace('field')
  handler = () => {
    throw new Error('here');
  };
  @trace('method')
  method(
    a: number,
  ) {
    this.handler();
  }
}
new A().method(1);",
        &expect![[r#"
            evaluate field
            evaluate method
            call method method method false false has,get fn method
            call field field handler false false has,get,set undefined
            init method 
            value field fn handler
            init field handler
            main.ts:5
                throw new Error('here');
                      ^
            Error: here
                at handler (main.ts:5:11)
                at method (main.ts:11:10)
                at trace.ts:12:88
                at main.ts:14:9"#]],
    );
}
