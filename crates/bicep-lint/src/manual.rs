//! The manual of all rules, as one page.

use std::fmt::Write as _;

use config::rules::Rule as Setting;

use crate::RULES;

const INTRODUCTION: &str = "\
# Lint rules

Set the level of a rule, and its options, in `bicepconfig.json`:

```json
{
  \"analyzers\": {
    \"core\": {
      \"rules\": {
        \"no-unused-params\": { \"level\": \"error\" }
      }
    }
  }
}
```

Levels are `off`, `info`, `warning` and `error`. `#disable-next-line CODE` suppresses findings on the next line. In the examples
below, `// <-` marks lines with a finding.
";

/// All rules with their levels and documentation, in Markdown.
pub fn manual() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str("\n| Rule | Default level | Description |\n|---|---|---|\n");
    for rule in RULES {
        let summary = rule.documentation.lines().next().unwrap_or_default();
        let _ = writeln!(page, "| [{0}](#{0}) | {1} | {summary} |", rule.code, level(rule.code));
    }
    for rule in RULES {
        let _ = write!(page, "\n## {}\n\n{}", rule.code, rule.documentation);
    }
    page
}

fn level(code: &str) -> &'static str {
    Setting::find(code).map_or("off", |rule| rule.level.name())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_up_to_date() {
        expect_test::expect_file!["../../../docs/lint-rules.md"].assert_eq(&super::manual());
    }
}
