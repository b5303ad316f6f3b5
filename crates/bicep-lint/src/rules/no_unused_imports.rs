//! `no-unused-imports`

use bicep_sema::SymbolKind;

use super::unused::unused;
use crate::edits::{name_with_separator, lines_of, remove};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unused-imports",
    documentation: "\
Imported names should be used.

An import that nothing uses makes the reader look for its use. Of a wildcard import only the alias is looked at, not what
it stands for.

```bicep
import { a, b } from 'types.bicep' // <-
import * as more from 'more.bicep' // <-

param p a
```

```bicep types.bicep
@export()
type a = string
@export()
type b = string
```

```bicep more.bicep
@export()
type c = string
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for kind in [SymbolKind::ImportItem, SymbolKind::WildcardImport] {
        for (symbol, name) in unused(ctx, kind) {
            let node = ctx.declaration(&symbol);
            let range = match node.parent() {
                Some(statement) if kind == SymbolKind::WildcardImport => lines_of(statement),
                _ => name_with_separator(node),
            };
            let fix = remove(format!("Remove unused import {name}"), range);
            ctx.report_with(symbol.name_range, format!("The import \"{name}\" is never used"), [fix]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check_files, check_fix_in};

    const TYPES: (&str, &str) = ("x.bicep", "@export()\ntype a = int\n@export()\ntype b = int\ntype c = int\n");

    #[test]
    fn an_item_goes_with_its_comma() {
        let check_fix = |before: &str, after: &str| {
            let file = |import: &str| format!("import {import} from 'x.bicep'\nparam p a\n");
            check_fix_in("no-unused-imports", &[("main.bicep", &file(before)), TYPES], &file(after));
        };
        check_fix("{a, b}", "{a}");
        check_fix("{b, a}", "{ a}");
        let main = ("main.bicep", "import * as b from 'x.bicep'\nparam p string\n");
        check_fix_in("no-unused-imports", &[main, TYPES], "param p string\n");
    }

    #[test]
    fn what_does_not_exist_is_reported_elsewhere() {
        let main = "import { c, d } from 'x.bicep'\nimport * as e from 'y.bicep'\n";
        check_files("no-unused-imports", &[("main.bicep", main), TYPES]);
    }
}
