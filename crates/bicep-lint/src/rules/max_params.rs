//! `max-params`

use bicep_sema::SymbolKind;

use crate::{Context, Rule};

/// How many a template may have.
const LIMIT: usize = 256;

pub(super) const RULE: Rule = Rule {
    code: "max-params",
    documentation: "A template has at most 256 parameters.\n\nThe deployment service refuses templates with more. Split the file into modules.",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let symbols: Vec<_> = ctx.symbols(SymbolKind::Param).map(|(_, symbol, _)| symbol.name_range).collect();
    if let (true, Some(first)) = (symbols.len() > LIMIT, symbols.first()) {
        ctx.report(*first, format!("There are {} parameters; a template has at most {LIMIT}", symbols.len()));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_first_one_is_marked_when_there_are_too_many() {
        let declare = |count: usize| (0..count).map(|n| format!("param p{n} int\n")).collect::<String>();
        check("max-params", &declare(super::LIMIT));
        check("max-params", &declare(super::LIMIT + 1).replacen('\n', " // <-\n", 1));
    }
}
