//! What variables of loops stand for where a name, an id or a scope is used outside of the loop it was written in.

use std::rc::Rc;

use bicep_sema::SymbolId;

use crate::code::Code;

/// Replacements of local variables. Cloning is cheap; adding leaves other clones as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Locals(Option<Rc<LocalBinding>>);

#[derive(Debug)]
struct LocalBinding {
    symbol: SymbolId,
    code: Code,
    rest: Locals,
}

impl Locals {
    /// What a variable stands for; nothing where it means its own loop's position.
    pub(crate) fn get(&self, symbol: SymbolId) -> Option<&Code> {
        let mut entry = self.0.as_deref();
        while let Some(LocalBinding { symbol: known, code, rest }) = entry {
            if *known == symbol {
                return Some(code);
            }
            entry = rest.0.as_deref();
        }
        None
    }

    /// The same without the last replacement of a variable.
    #[must_use]
    pub(crate) fn without(&self, symbol: SymbolId) -> Self {
        match self.0.as_deref() {
            Some(entry) if entry.symbol == symbol => entry.rest.clone(),
            Some(entry) => entry.rest.without(symbol).with(entry.symbol, entry.code.clone()),
            None => Self::default(),
        }
    }

    #[must_use]
    pub(crate) fn with(&self, symbol: SymbolId, code: Code) -> Self {
        Self(Some(Rc::new(LocalBinding { symbol, code, rest: self.clone() })))
    }
}
