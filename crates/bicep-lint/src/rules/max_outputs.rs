//! `max-outputs`

use bicep_sema::SymbolKind;

use crate::{Context, Rule};

/// How many a template may have.
const LIMIT: usize = 64;

pub(super) const RULE: Rule = Rule {
    code: "max-outputs",
    documentation: "A template has at most 64 outputs.\n\nThe deployment service refuses templates with more. Split the file into modules.",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let symbols: Vec<_> = ctx.symbols(SymbolKind::Output).map(|(_, symbol, _)| symbol.name_range).collect();
    if let (true, Some(first)) = (symbols.len() > LIMIT, symbols.first()) {
        ctx.report(*first, format!("There are {} outputs; a template has at most {LIMIT}", symbols.len()));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_first_one_is_marked_when_there_are_too_many() {
        let declare =
            |count: usize| (0..count).map(|n| format!("output o{n} int = {n}\n")).collect::<String>();
        check("max-outputs", &declare(super::LIMIT));
        check("max-outputs", &declare(super::LIMIT + 1).replacen('\n', " // <-\n", 1));
    }
}
