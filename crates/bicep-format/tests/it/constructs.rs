//! What each construct looks like.

use bicep_format::{Indent, Newline, Options};
use bicep_syntax::{Dialect, parse};

/// Formats statements, one pair of lines each, and expects what is given. The final line end is left out.
#[track_caller]
fn check(input: &str, expected: &str) {
    check_with(&Options::default(), input, expected);
}

#[track_caller]
fn check_at(width: usize, input: &str, expected: &str) {
    check_with(&Options { width, ..Options::default() }, input, expected);
}

#[track_caller]
fn check_with(options: &Options, input: &str, expected: &str) {
    check_text(options, Dialect::Bicep, input, &format!("{expected}{}", options.newline.text()));
}

/// As in the reference once is not always enough.
#[track_caller]
fn check_twice(width: usize, input: &str, once: &str, twice: &str) {
    let options = Options { width, ..Options::default() };
    let actual = bicep_format::format(&parse(input, Dialect::Bicep), &options);
    assert_eq!(actual, format!("{once}\n"), "\n--- got\n{actual}\n--- expected\n{once}");
    check_at(width, once, twice);
}

#[track_caller]
fn check_params(input: &str, expected: &str) {
    check_text(&Options::default(), Dialect::Params, input, &format!("{expected}\n"));
}

#[track_caller]
fn check_text(options: &Options, dialect: Dialect, input: &str, expected: &str) {
    let actual = bicep_format::format(&parse(input, dialect), options);
    assert_eq!(actual, expected, "\n--- got\n{actual}\n--- expected\n{expected}");
    let again = bicep_format::format(&parse(actual.as_str(), dialect), options);
    assert_eq!(again, expected, "\n--- formatted again\n{again}");
}

/// Broken text is laid out once: where the reference puts it, it may mean something else.
#[track_caller]
fn check_broken(input: &str, expected: &str) {
    let actual = bicep_format::format(&parse(input, Dialect::Bicep), &Options::default());
    assert_eq!(actual, format!("{expected}\n"), "\n--- got\n{actual}\n--- expected\n{expected}");
}

#[test]
fn broken_statements_and_their_comments() {
    check_broken("var a = // b", "var a =\n// b");
    check_broken("var a = 'b  \nvar c=1", "var a = 'b\nvar c = 1");
    check_broken("/ a // b\nvar c=1", "/ a // b\nvar c = 1");
    check_broken("/ = // b\nvar c=1", "/ =\n// b\nvar c = 1");
}

#[test]
fn statements() {
    check("targetScope  ='tenant'", "targetScope = 'tenant'");
    check("metadata  a=1", "metadata a = 1");
    check("param  a  string", "param a string");
    check("param a string='x'", "param a string = 'x'");
    check("var  a  int=1", "var a int = 1");
    check("type  a=string", "type a = string");
    check("output a   string='x'", "output a string = 'x'");
    check("assert a=true", "assert a = true");
    check("test a  'x.bicep'={}", "test a 'x.bicep' = {}");
    check("resource a  'b@c'  existing={}", "resource a 'b@c' existing = {}");
    check("module a  'b.bicep'=if(c){}", "module a 'b.bicep' = if (c) {}");
    check("resource a 'b@c' =\n\n  if (d) {}", "resource a 'b@c' = if (d) {}");
    check("resource a 'b@c' = // why\n  if (d) {}", "resource a 'b@c' =\n  // why\n  if (d) {}");
    check("func  f( a  int,b string )  int=>a", "func f(a int, b string) int => a");
    check("import  {a,b  as c}  from 'd'", "import { a, b as c } from 'd'");
    check("import *  as  a  from 'd'", "import * as a from 'd'");
    check("extension  a", "extension a");
    check("extension a with {b:1} as c", "extension a with { b: 1 } as c");
    check("extension a as b", "extension a  as b");
}

#[test]
fn parameter_files() {
    check_params("using  'main.bicep'", "using 'main.bicep'");
    check_params("using  none", "using none");
    check_params("using 'a' with {b:1}", "using 'a' with { b: 1 }");
    check_params("extends  'a'", "extends 'a'");
    check_params("param  a=1", "param a = 1");
    check_params("extensionConfig  a  with  {b:1}", "extensionConfig a with { b: 1 }");
}

#[test]
fn expressions() {
    check("var a=b+c*-d", "var a = b + c * -d");
    check("var a=! b", "var a = !b");
    check("var a=( b )", "var a = (b)");
    check("var a=b . c [ 0 ] !", "var a = b.c[0]!");
    check("var a=b . ? c [ ? 0 ]", "var a = b.?c[?0]");
    check("var a=b[ ^ 1]", "var a = b[^1]");
    check("var a=b :: c", "var a = b::c");
    check("var a=b( c,d ) . e( )", "var a = b(c, d).e()");
    check("var a=b?c:d", "var a = b ? c : d");
    check("var a='x${  y+1 }z'", "var a = 'x${y+1 }z'");
    check("var a='x${ y }-${  z }'", "var a = 'x${y }-${z }'");
    check("var a='x${ '${ y }' }'", "var a = 'x${'${ y }' }'");
    check("var a='x${ /* c */ y}'", "var a = 'x${/* c */ y}'");
    check("var a='''x\n  y\n'''", "var a = '''x\n  y\n'''");
    check("var a=map(b,c=>d)", "var a = map(b, c => d)");
    check("var a=map(b,(c,d)=>e)", "var a = map(b, (c, d) => e)");
    check("var a=[for b in c:d]", "var a = [for b in c: d]");
    check("var a=[for (b,i) in c:d]", "var a = [for (b, i) in c: d]");
}

#[test]
fn types() {
    check("type a='b'|1|true|null", "type a = 'b' | 1 | true | null");
    check("type a=|'b'", "type a = 'b'");
    check("type a=b [ ] ?", "type a = b[]?");
    check("type a=( b|c ) !", "type a = (b | c)!");
    check("type a=[b,c]", "type a = [b, c]");
    check("type a=[\n  b\n  c\n]", "type a = [b, c]");
    check("type a={b:c,*:d}", "type a = { b: c, *: d }");
    check("type a=b . c [ * ] . *", "type a = b.c[*].*");
    check("type a=resourceInput< 'b' >.c", "type a = resourceInput<'b'>.c");
    check(
        "type a = {\n @d( )\n\n b : c }",
        "type a = {
  @d()
  b: c
}",
    );
    check(
        "type a = { @d( )\n b : c }",
        "type a = {
  @d()
  b: c
}",
    );
}

#[test]
fn lists_break_as_their_author_wants() {
    check("var a=[1,2]", "var a = [1, 2]");
    check("var a=[ ]", "var a = []");
    check("var a={\n\n}", "var a = {}");
    check("var a={b:1,c:2}", "var a = { b: 1, c: 2 }");
    check("var a={b:1\n c:2}", "var a = { b: 1, c: 2 }");
    check("var a={\n b:1, c:2}", "var a = {\n  b: 1\n  c: 2\n}");
    check("var a=[\n1\n\n\n2\n\n]", "var a = [\n  1\n\n  2\n]");
    check("var a=[1\n\n2]", "var a = [\n  1\n\n  2\n]");
    check("var a=[\n...b\n]", "var a = [...b]");
    check("var a=[{\nb:1\n}]", "var a = [\n  {\n    b: 1\n  }\n]");
    check("var a=[for b in c:{\nd:b\n}]", "var a = [\n  for b in c: {\n    d: b\n  }\n]");
}

#[test]
fn lines_break_when_they_are_too_long() {
    check_at(17, "var a = [1, 2, 3]", "var a = [1, 2, 3]");
    check_at(16, "var a = [1, 2, 3]", "var a = [\n  1\n  2\n  3\n]");
    check_at(20, "var a = f(bbbbb, ccccc)", "var a = f(\n  bbbbb,\n  ccccc\n)");
    check_at(10, "var a = ff(bbbbbbbbb)", "var a = ff(bbbbbbbbb)");
    check_at(16, "var a = b ? cccc : dddd", "var a = b\n  ? cccc\n  : dddd");
    check_at(16, "type a = 'bbb' | 'ccc'", "type a =\n  | 'bbb'\n  | 'ccc'");
    check_at(16, "var a bbbbb | ccccc = 1", "var a bbbbb\n  | ccccc = 1");
    check_at(12, "type a = [b, ccc | ddd]", "type a = [\n  b\n  ccc | ddd\n]");
    check_at(10, "type a = [b, ccc | ddd]", "type a = [\n  b\n  ccc\n    | ddd\n]");
    check_at(20, "var a = map(b, c => ddddd)", "var a = map(\n  b,\n  c => ddddd\n)");
    check_at(9, "var a = map(b, c => ddd)", "var a = map(\n  b,\n  c =>\n    ddd\n)");
    check_at(10, "var a = map(b, c => type)", "var a = map(\n  b,\n  c => type\n)");
    check_at(20, "func f(a int) int => aaaa", "func f(a int) int =>\n  aaaa");
    check_at(20, "type a = resourceInput<'bbbbbbbbbb'>", "type a = resourceInput<'bbbbbbbbbb'>");
}

#[test]
fn the_width_counts_utf16_and_leaves_out_line_comments() {
    check_at(15, "var a = ['é', 1] // long comment", "var a = [\n  'é'\n  1\n] // long comment");
    check_at(16, "var a = ['é', 1] // long comment", "var a = ['é', 1] // long comment");
    check_at(16, "var a = ['😀', 1]", "var a = [\n  '😀'\n  1\n]");
}

#[test]
fn the_last_argument_may_break_alone() {
    check("var a = f(b, {\nc: 1 })", "var a = f(b, {\n  c: 1\n})");
    check("var a = f(b, [\nc ])", "var a = f(b, [\n  c\n])");
    check("var a = f({\nc: 1 })", "var a = f({\n  c: 1\n})");
    check("var a = f(b, c => {\nd: 1 })", "var a = f(b, c => {\n  d: 1\n})");
    check("var a = f({\nb: 1 }, {\nc: 1 })", "var a = f(\n  {\n    b: 1\n  },\n  {\n    c: 1\n  }\n)");
    check("var a = f(b, {\nc: 1 } // d\n)", "var a = f(\n  b,\n  {\n    c: 1\n  } // d\n)");
    check("var a = [f(b, {\nc: 1 })]", "var a = [\n  f(b, {\n    c: 1\n  })\n]");
    check_at(20, "var a = f(bbbb, { ccc: 1 })", "var a = f(\n  bbbb,\n  { ccc: 1 }\n)");
    check_twice(
        18,
        "var a = f(bbbb, { ccc: 1, ddd: 2 })",
        "var a = f(\n  bbbb,\n  {\n    ccc: 1\n    ddd: 2\n  }\n)",
        "var a = f(bbbb, {\n  ccc: 1\n  ddd: 2\n})",
    );
    check_at(
        16,
        "var a = f(bbbb, { ccc: 1, ddd: 2 })",
        "var a = f(\n  bbbb,\n  {\n    ccc: 1\n    ddd: 2\n  }\n)",
    );
    check(
        "var a = f(b, c => // d\n{\ne: 1 })",
        "var a = f(b, c =>
  // d
  {
    e: 1
  })",
    );
}

#[test]
fn decorators_stand_above_without_empty_lines() {
    check("@a( )\n\n  \n@b()\nparam c string", "@a()\n@b()\nparam c string");
    check("@a() // x\n// y\nparam c string", "@a() // x\n// y\nparam c string");
    check("@a()", "@a()");
    check("resource a 'b' = {\n@c()\n\n}", "resource a 'b' = {\n  @c()\n}");
    check(
        "resource a 'b' = {\nc: 1\n@d()\n\nresource e 'f'={}\n}",
        "resource a 'b' = {
  c: 1
  @d()
  resource e 'f' = {}
}",
    );
}

#[test]
fn empty_lines_are_kept_but_not_many() {
    check("\n\nvar a=1\n\n\n\nvar b=1\nvar c=1\n\n", "var a = 1\n\nvar b = 1\nvar c = 1");
    check_twice(120, "var a=1\n  \n \t \nvar b=1", "var a = 1\n\n\nvar b = 1", "var a = 1\n\nvar b = 1");
    check_twice(120, "var a=[\n1\n \n \n2]", "var a = [\n  1\n\n\n  2\n]", "var a = [\n  1\n\n  2\n]");
    check_twice(120, "@a()\n \nvar b=1", "@a()\n\nvar b = 1", "@a()\nvar b = 1");
    check("\r\nvar a=1\r\n\r\nvar b=1\r\n", "var a = 1\n\nvar b = 1");
    check("var a=1\rvar b=1", "var a = 1\nvar b = 1");
    check("", "");
    check("  \n ", "");
}

#[test]
fn comments_are_kept() {
    check("//a\n  // b  \n\n/* c */", "//a\n// b  \n\n/* c */");
    check(
        "/* a */var/* b */c/* d */=/* e */1/* f */ // g",
        "/* a */ var /* b */ c /* d */ = /* e */ 1 /* f */ // g",
    );
    check("var a = [ // b\n1 ]", "var a = [\n  // b\n  1\n]");
    check("var a = [1 // b\n]", "var a = [\n  1 // b\n]");
    check("var a = [ /* b */ ]", "var a = [\n  /* b */\n]");
    check("var a = [1\n /* b */ /* c */ ]", "var a = [\n  1\n  /* b */\n  /* c */\n]");
    check("var a = [1 /* b */, 2]", "var a = [1 /* b */, 2]");
    check("var a = { // b\n}", "var a = {\n  // b\n}");
    check("var a = f(/* b */)", "var a = f(/* b */)");
    check("var a = f(// b\n)", "var a = f(\n  // b\n)");
    check("var a = f(b // c\n)", "var a = f(\n  b // c\n)");
    check("var a = f(b, // c\n d)", "var a = f(\n  b,\n  // c\n  d\n)");
    check("var a = f(b ? c : d // e\n)", "var a = f(\n  b ? c : d // e\n)");
    check("var a = b // c\n ? d // e\n : f // g", "var a = b // c\n  ? d // e\n  : f // g");
    check("var a = b\n/* c */\n ? d : e", "var a = b\n  /* c */\n  ? d\n  : e");
    check("var a = b\n/* c */ ? d\n/* e */ : f", "var a = b /* c */ ? d /* e */ : f");
    check("var a = f(b => // c\n d)", "var a = f(b =>\n  // c\n  d)");
    check("var a = b[/* c */ ^1]", "var a = b[/* c */ ^1]");
    check("var a = [/* b */ ...c]", "var a = [/* b */ ...c]");
    check("type a = { /* b */ *: c }", "type a = { /* b */ *: c }");
    check("type a = 'b' // c\n | 'd' // e", "type a =\n  | 'b' // c\n  | 'd' // e");
    check("type a = // b\n | 'c'", "type a = // b\n  | 'c'");
    check("type a = 'b'\n/* c */ | 'd'", "type a = 'b' /* c */ | 'd'");
    check("var a = [for b in c: d // e\n]", "var a = [\n  for b in c: d // e\n]");
    check("var a = 1 /* b\n  c */", "var a = 1 /* b\n  c */");
    check("var a = 1 /* b\n\n", "var a = 1 /* b");
}

#[test]
fn directives_keep_their_lines() {
    check("#disable-next-line   a \t b\nvar c=1", "#disable-next-line a b\nvar c = 1");
    check("#disable-next-line a // b\nvar c=1", "#disable-next-line a // b\nvar c = 1");
    check("#disable-diagnostics\na", "#disable-diagnostics \na");
    check("var a = [\n#restore-diagnostics b\n1 ]", "var a = [\n  #restore-diagnostics b\n  1\n]");
    check("var a = f(\n#disable-next-line b\n)", "var a = f(\n  #disable-next-line b\n)");
    check("var a=f(\n#disable-next-line b 'c')", "var a=f(\n#disable-next-line b 'c')");
}

#[test]
fn what_is_broken_is_left_alone() {
    check("var a=1\nvar  b = =\nvar c=1", "var a = 1\nvar  b = =\nvar c = 1");
    check("what   is this\n\nvar c=1", "what   is this\n\nvar c = 1");
    check("  var  b = [ 1 2 ]  // c", "var  b = [ 1 2 ]  // c");
    check("var  a  = {\r\n  b: 1 2\r\n}", "var  a  = {\n  b: 1 2\n}");
    check("var a=1 2\n\nvar c=1", "var a = 1\n2\nvar c = 1");
    check_broken("var a=1 var b=2\n\nvar c=1", "var a = 1\nvar b=2\nvar c = 1");
    check_broken("var a=1@b( c )\n\nvar c=1", "var a = 1\n@b( c )\nvar c = 1");
}

#[test]
fn a_broken_decorator_without_declaration_gets_commas() {
    check_broken("@a( )\n@b( c d )", "@a()\n@b(c,  d)");
    check_broken("@a('b'\nparam c string", "@a('b',  param,  c,  string");
    check_broken("@a(1 +)", "@a(1 + )");
    check_broken("@a(b, (c, d)\n", "@a(b, (c, d)");
    check_broken("@a([\n'b'\n'c', d e\n]\n", "@a([\n  'b'\n  'c'\n  d\n\n  e\n]");
    check_broken("@a({ b c })\n@d(e ? f g)", "@a({ bc  })\n@d(e ? f g )");
}

#[test]
fn options() {
    let options = Options { indent: Indent::Tab, ..Options::default() };
    check_with(&options, "var a=[\n[\n1 ]]", "var a = [\n\t[\n\t\t1\n\t]\n]");
    let options = Options { indent: Indent::Spaces(4), ..Options::default() };
    check_with(&options, "var a=[\n1 ]", "var a = [\n    1\n]");
    let options = Options { newline: Newline::CrLf, ..Options::default() };
    check_with(&options, "var a=[\n'''\n'''\n]\n\n// b", "var a = [\r\n  '''\r\n'''\r\n]\r\n\r\n// b");
    let options = Options { newline: Newline::Cr, ..Options::default() };
    check_with(&options, "var a=1\r\nvar b=1", "var a = 1\rvar b = 1");
    let options = Options { insert_final_newline: false, ..Options::default() };
    check_text(&options, Dialect::Bicep, "var a=1\n\n", "var a = 1");
    check_text(&options, Dialect::Bicep, "\n", "");
}

#[test]
fn deep_nesting_is_laid_out() {
    let deep = |open: &str, close: &str| format!("var a = {}1{}", open.repeat(400), close.repeat(400));
    check_at(10_000, &deep("[", "]"), &deep("[", "]"));
    check_at(10_000, &deep("f(", ")"), &deep("f(", ")"));
    let chain = format!("var a = 1{}", " + 1".repeat(4000));
    check_at(100_000, &chain, &chain);
    let body = format!("var a = f(b => 1{})", " + 1".repeat(4000));
    check_at(100_000, &body, &body);
    let unclosed = "[".repeat(100_000);
    check(&format!("var a = {unclosed}"), &format!("var a = {unclosed}"));
}

#[test]
fn a_layout_that_would_fill_the_memory_is_not_made() {
    let options = Options { indent: Indent::Spaces(usize::MAX), ..Options::default() };
    let text = format!("var a = {}\n{}{}", "[".repeat(400), "1\n".repeat(400), "]".repeat(400));
    check_with(&options, &text, &text);
}
