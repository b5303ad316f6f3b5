//! Directives that silence diagnostics. They stand alone at the start of a line.

use super::{Lexer, is_line_end, range};
use crate::directive::KEYWORDS;
use crate::messages;

impl Lexer<'_> {
    /// At `#`: scans a directive if there is one.
    pub(super) fn directive(&mut self) -> bool {
        let rest = &self.text[self.at + 1..];
        let Some((keyword, _)) = KEYWORDS.iter().find(|(keyword, _)| rest.starts_with(keyword)) else {
            return false;
        };
        let line = self.text[..self.at].rsplit(['\n', '\r']).next().unwrap_or_default();
        if !line.chars().all(char::is_whitespace) {
            return false;
        }
        self.at += 1 + keyword.len();
        self.directive_codes();
        true
    }

    /// The codes after the keyword: words of letters, digits, `_` and `-`. Anything else ends the directive.
    fn directive_codes(&mut self) {
        let mut end_of_codes = None;
        loop {
            self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
            let start = self.at;
            self.skip_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            if self.at > start {
                end_of_codes = Some(self.at);
            }
            if !matches!(self.peek(), Some(b' ' | b'\t')) || self.at == start {
                break;
            }
        }
        match end_of_codes {
            // White space behind the last code is not part of the directive.
            Some(end) => self.at = end,
            None => {
                debug_assert!(
                    self.peek().is_none_or(|byte| is_line_end(byte) || !byte.is_ascii_alphanumeric())
                );
                self.diagnostics.push(messages::directive_without_codes(range(self.at, self.at)));
            }
        }
    }
}
