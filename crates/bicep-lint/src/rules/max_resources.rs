//! `max-resources`

use bicep_sema::SymbolKind;

use crate::{Context, Rule};

/// How many a template may have.
const LIMIT: usize = 800;

pub(super) const RULE: Rule = Rule {
    code: "max-resources",
    documentation: "A template has at most 800 resources.\n\nThe deployment service refuses templates with more. Split the file into modules.",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let symbols: Vec<_> = ctx.symbols(SymbolKind::Resource).map(|(_, symbol, _)| symbol.name_range).collect();
    if let (true, Some(first)) = (symbols.len() > LIMIT, symbols.first()) {
        ctx.report(*first, format!("There are {} resources; a template has at most {LIMIT}", symbols.len()));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_first_one_is_marked_when_there_are_too_many() {
        let declare = |count: usize| {
            (0..count)
                .map(|n| format!("resource r{n} 'A.B/c@2020-01-01' = {{ name: 'r{n}' }}\n"))
                .collect::<String>()
        };
        check("max-resources", &declare(super::LIMIT));
        check("max-resources", &declare(super::LIMIT + 1).replacen('\n', " // <-\n", 1));
    }
}
