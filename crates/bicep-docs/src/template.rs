//! Templates of the user in the language Scriban: text with pieces of code between `{{` and `}}`. Source and values come
//! in, text goes out.
//!
//! `lexer` cuts the source into text and tokens and takes away the white space that `~` and `-` ask for; `parser` makes
//! statements of them; `evaluate` carries these out, with the functions of `functions`. What the language has beyond that
//! (`wrap`, `tablerow`, `readonly`, dates) is refused by name. Loops, calls and output are limited, so that every
//! template ends.

mod ast;
mod error;
mod evaluate;
mod functions;
mod lexer;
mod operators;
mod parser;
mod value;

pub use error::Error;
pub use value::{Object, Value};

/// Gets the templates that others include.
pub trait Loader {
    /// The name for messages and the text of a part, or why there is none.
    fn load(&self, name: &str) -> Result<(String, String), String>;
}

/// The text that a template makes with these values.
pub fn render(name: &str, source: &str, globals: Object, loader: &dyn Loader) -> Result<String, Error> {
    let template = parser::parse(name, source)?;
    evaluate::run(&template, globals, loader)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Parts(&'static [(&'static str, &'static str)]);

    impl Loader for Parts {
        fn load(&self, name: &str) -> Result<(String, String), String> {
            let found = self.0.iter().find(|(part, _)| *part == name);
            let (name, text) = found.ok_or_else(|| format!("no {name}"))?;
            Ok(((*name).to_owned(), (*text).to_owned()))
        }
    }

    fn globals() -> Object {
        let data = serde_json::json!({
            "name": "Web", "empty": "", "zero": 0, "lines": "a\nb\n",
            "list": ["b", "a", "c"], "nested": { "deep": { "value": 5 } },
            "items": [{ "n": "x", "ok": true }, { "n": "y", "ok": false }],
        });
        match Value::of(&data) {
            Value::Object(object) => (*object).clone(),
            _ => Object::default(),
        }
    }

    fn check(source: &str, expected: &str) {
        let parts = Parts(&[("part", "[{{ name }}{{ $0 }}]"), ("self", "{{ include 'self' }}")]);
        let text = render("t", source, globals(), &parts).unwrap_or_else(|error| format!("error: {error}"));
        assert_eq!(text, expected, "{source}");
    }

    #[test]
    fn values_are_printed() {
        check("Hello {{ name }}!", "Hello Web!");
        check("{{ missing }}{{ null }}{{ true }}{{ 1 + 2 * 3 }}", "true7");
        check("{{ nested.deep.value }}{{ list[0] }}{{ list.size }}{{ nested.none }}", "5b3");
        check("{{ list }} {{ nested.deep }}", "[\"b\", \"a\", \"c\"] {value: 5}");
        check("{{ 'it''s' }}", "error: t(1,8): an operator or the end of the statement is expected");
        check("{{ 1.0 }} {{ 7 / 2 }} {{ 7 // 2 }} {{ -3 }} {{ 'a' * 3 }}", "1.0 3.5 3 -3 aaa");
    }

    #[test]
    fn white_space_is_taken_away() {
        check("a\n  {{~ 'x' ~}}  \n  b", "a\nx  b");
        check("a \n {{- 'x' -}} \n b", "axb");
        check("a\n{{ if true }}\nb\n{{ end }}\nc", "a\n\nb\n\nc");
        check("{{~ for i in 1..2 ~}}\n- {{ i }}\n{{~ end ~}}\nend", "- 1\n- 2\nend");
        check("  {{ lines }}c", "  a\n  b\nc");
        check("{%{ {{ raw }} }%}", " {{ raw }} ");
    }

    #[test]
    fn conditions_and_loops() {
        check("{{ if empty }}t{{ end }}{{ if zero }}t{{ end }}{{ if missing }}x{{ else }}f{{ end }}", "ttf");
        check("{{ if zero == 1 }}1{{ else if zero == 0 }}0{{ end }}", "0");
        check(
            "{{ for x in list }}{{ for.index }}{{ x }}{{ if !for.last }}, {{ end }}{{ end }}",
            "0b, 1a, 2c",
        );
        check(
            "{{ for x in 1..<4 reversed }}{{ x }}{{ end }}{{ for x in list limit:1 offset:1 }}{{ x }}{{ end }}",
            "321a",
        );
        check("{{ for x in 1..9\n if x == 2; continue; end\n if x > 3; break; end\n x\n end }}", "13");
        check("{{ x = 0\n while x < 3\n x = x + 1\n x\n end }}", "123");
        check("{{ for x in missing }}x{{ else }}none{{ end }}", "none");
        check("{{ case name }}{{ when 'A', 'Web' }}yes{{ else }}no{{ end }}", "yes");
    }

    #[test]
    fn functions_pipes_and_calls() {
        check(
            "{{ func twice(x) }}{{ x }}{{ x }}{{ end }}{{ twice 'a' }}{{ 'b' | twice }}{{ twice ('c' + 1) }}",
            "aabbc1c1",
        );
        check("{{ func sub; ret $0 - $1; end }}{{ sub 5 1 }} {{ 5 | sub 2 }}", "4 3");
        check("{{ func f(n); if n == 0; ret 'end'; end; ret n + (f (n - 1)); end; f 3 }}", "321end");
        check("{{ name | string.replace 'W' 'w' | string.upcase }}", "WEB");
        check(
            "{{ list | array.sort | array.join ', ' }} {{ items | array.map 'n' | array.join '' }}",
            "a, b, c xy",
        );
        check("{{ func keep(x); ret x.ok; end; (items | array.filter @keep).size }}", "1");
        check(
            "{{ string.contains name 'e' }}{{ string.size name }}{{ object.has_key nested 'deep' }}",
            "true3true",
        );
        check("{{ capture it }}<{{ name }}>{{ end }}{{ it + it }}", "<Web><Web>");
        check(
            "{{ with nested }}{{ deep.value }}{{ end }}{{ true ? 1 : 2 }}{{ missing ?? 'x' }}{{ missing?.a?.b }}",
            "51x",
        );
        check("{{ include 'part' }}{{ include 'part' 1 | string.size }}", "[Web]6");
        check("{{ x = { a: 1, 'b': [1, 2] }; x.a = 7; x.a + x.b[1] }} {{ $\"a{1 + 1}b\" }}", "9 a2b");
        check("{{ 'a-b c' | regex.replace `[- ]` '_' }} {{ \"a\\tb\" | html.escape }}", "a_b_c a\tb");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        check("x\n{{ if name }}", "error: t(2,4): `if` has no `end`");
        check("{{ end }}", "error: t(1,4): `end` ends nothing");
        check("{{ name ", "error: t(1,1): `{{` is not closed by `}}`");
        check("{{ missing.more }}", "error: t(1,12): `more` cannot be read: the value before it is null");
        check("{{ nothing 1 }}", "error: t(1,4): there is no function `nothing`");
        check("{{ include 'x' }}", "error: t(1,4): no x");
        check("{{ include 'self' }}", "error: self(1,4): calls and includes are nested more than 100 deep");
        check("{{ func f; f; end; f }}", "error: t(1,12): calls and includes are nested more than 100 deep");
        check("{{ for x in 1..1000000 }}{{ end }}", "error: t(1,4): the loop takes more than 100000 steps");
        check("{{ while true }}{{ end }}", "error: t(1,4): the loop takes more than 100000 steps");
        check("{{ tablerow x in list }}", "error: t(1,4): `tablerow` is not supported");
        check("{{ date.now }}", "error: t(1,9): `date.now` is not supported");
        check("{{ 'a' | string.pad_left 999999999999 }}", "error: t(1,17): the text is too long");
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{{{{ {}1{} }}}}", "(".repeat(100_000), ")".repeat(100_000));
        check(&deep, "error: t(1,103): the code is nested too deeply");
        let minus = format!("{{{{ {}1 }}}}", "!".repeat(100_000));
        check(&minus, "error: t(1,103): the code is nested too deeply");
    }
}
