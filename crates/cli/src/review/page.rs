//! Pages of HTML that stand alone: no script, no address of anything else. They follow the colours of the reader's system.

pub(crate) use base::render::escape_html as escaped;

/// A page.
pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>{}</title>\n<style>{STYLE}</style>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --soft: #888; --new: #1a7f37; --old: #cf222e; --mod: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --new: #3fb950; --old: #f85149; --mod: #d29922; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
code, pre, td { font-family: ui-monospace, monospace; font-size: 13px; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
table { border-collapse: collapse; table-layout: fixed; width: 100%; } th { text-align: left; font-weight: normal; color: var(--soft); }
th, td { padding: .15rem .6rem .15rem 0; vertical-align: top; overflow-wrap: anywhere; }
.create { color: var(--new); } .delete { color: var(--old); } .modify { color: var(--mod); } .soft { color: var(--soft); }
pre, .wide { overflow-x: auto; }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_becomes_markup() {
        assert_eq!(escaped("<a b='c'>&\u{7}</a>"), "&lt;a b=&#39;c&#39;&gt;&amp;\u{fffd}&lt;/a&gt;");
        assert!(page("<x>", "").contains("<title>&lt;x&gt;</title>"));
    }
}
