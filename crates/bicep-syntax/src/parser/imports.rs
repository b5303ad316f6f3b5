//! Imports and extensions.

use base::TextRange;

use super::{ALOUD, Allowed, CompletedNode, Parsed, Parser};
use crate::SyntaxKind::{self, *};
use crate::keywords;
use crate::messages::{self, Message};

impl Parser<'_> {
    /// `import 'spec'` is an extension under an older name; everything else after `import` names what to import.
    pub(super) fn import_or_extension(&mut self) -> Parsed<SyntaxKind> {
        match self.ahead(1).kind {
            StringLeft | StringComplete => self.extension(),
            _ => self.import(),
        }
    }

    /// `import { a, b as c } from 'path'`, `import * as name from 'path'`.
    pub(super) fn import(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        match self.kind() {
            EndOfFile | NewLine | Identifier => {
                self.missing(Some(&messages::EXPECTED_IMPORTS));
            }
            LeftBrace => self.import_list()?,
            Star => {
                self.recover(ALOUD, &[NewLine], Self::wildcard_import);
            }
            _ => {
                self.diagnostics.push(messages::EXPECTED_IMPORTS.at(self.range_of(self.current())));
                self.single(Skipped);
            }
        }
        self.recover(ALOUD, &[NewLine], Self::source_clause);
        Ok(Import)
    }

    fn source_clause(&mut self) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect_keyword(keywords::FROM)?;
        self.recover(ALOUD, &[NewLine], |p| p.string_or(&messages::EXPECTED_MODULE_PATH));
        Ok(self.finish(node, FromClause))
    }

    fn wildcard_import(&mut self) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect(Star)?;
        let clause = self.start();
        self.expect_keyword(keywords::AS)?;
        self.name(&messages::EXPECTED_NAMESPACE_NAME)?;
        self.finish(clause, AsClause);
        Ok(self.finish(node, WildcardImport))
    }

    fn import_list(&mut self) -> Parsed<()> {
        let node = self.start();
        self.expect(LeftBrace)?;
        self.elements(RightBrace, |p| {
            p.import_item();
        });
        self.expect(RightBrace)?;
        self.finish(node, ImportList);
        Ok(())
    }

    fn import_item(&mut self) {
        let node = self.start();
        let range = self.range_of(self.current());
        let is_string = match self.kind() {
            Identifier => {
                self.single(Name);
                false
            }
            StringComplete => !self.string().is_skipped(),
            StringLeft => {
                let string = self.string();
                let whole = TextRange::new(range.start(), self.previous_end());
                self.diagnostics.push(messages::EXPECTED_CONSTANT.at(whole));
                let skipped = self.start_around(string);
                self.finish(skipped, Skipped);
                false
            }
            _ => {
                self.diagnostics.push(messages::EXPECTED_IMPORTED_NAME.at(range));
                self.single(Skipped);
                false
            }
        };
        let has_alias = self.check_keyword(keywords::AS);
        if has_alias {
            let clause = self.start();
            self.bump();
            self.name_with_recovery(&messages::EXPECTED_TYPE_NAME, &[Comma, NewLine]);
            self.finish(clause, AsClause);
        }
        if is_string && !has_alias {
            self.diagnostics.push(messages::EXPECTED_IMPORT_ALIAS.at(range));
            self.finish(node, Skipped);
            return;
        }
        self.finish(node, ImportItem);
    }

    /// `extension name`, `extension 'spec'`, each with an optional configuration and alias.
    pub(super) fn extension(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let spec = match self.kind() {
            Identifier => self.single(Name),
            _ => self.recover(ALOUD, &[NewLine], |p| p.string_or(&messages::EXPECTED_EXTENSION)),
        };
        let mut before = CompletedNode { is_missing: true, ..spec };
        let is_end = |p: &Self| p.check_any(&[EndOfFile, NewLine]);
        if !is_end(self) && !self.check_keyword(keywords::AS) {
            let message = &messages::EXPECTED_WITH_OR_AS;
            before = self.recover(spec.quiet(), &[NewLine], |p| p.with_clause(message));
        }
        if !is_end(self) {
            self.recover(before.quiet(), &[NewLine], Self::extension_alias);
        }
        Ok(Extension)
    }

    fn extension_alias(&mut self) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect_keyword_or(keywords::AS, &messages::EXPECTED_WITH_OR_AS)?;
        self.name_with_recovery(&messages::EXPECTED_EXTENSION_ALIAS, &[NewLine]);
        Ok(self.finish(node, AsClause))
    }

    /// `extensionConfig alias with { … }`.
    pub(super) fn extension_config(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let alias = self.name_with_recovery(&messages::EXPECTED_EXTENSION_ALIAS, &[Identifier, NewLine]);
        let message = messages::expected_keyword(keywords::WITH);
        self.recover(alias.quiet(), &[NewLine], |p| p.with_clause(&message));
        Ok(ExtensionConfig)
    }

    /// `with { … }`.
    pub(super) fn with_clause(&mut self, message: &Message) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect_keyword_or(keywords::WITH, message)?;
        self.recover(ALOUD, &[NewLine], |p| p.object(Allowed::LITERALS));
        Ok(self.finish(node, WithClause))
    }
}
