//! Words with typing errors: where nothing starts with what is typed, items that nearly do are found by it all the same.

use base::TextSize;

use super::item::CompletionItem;
use crate::FileContext;

/// Shorter words are near too many others.
const MIN_LENGTH: usize = 3;

/// Lets items be found by a word that is nearly theirs. Editors compare what is typed with the filter text of items.
pub(super) fn forgive(context: &FileContext<'_>, offset: TextSize, items: &mut [CompletionItem]) {
    let Some(first) = items.first() else { return };
    let start = first.edit.range.start().min(offset);
    let typed =
        context.bicep.source.slice(base::TextRange::new(start, offset)).trim_matches('\'').to_lowercase();
    let is_word = typed.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if typed.len() < MIN_LENGTH || !is_word {
        return;
    }
    let found_by = |item: &CompletionItem| item.filter_text.as_deref().unwrap_or(&item.label).to_lowercase();
    if items.iter().any(|item| has_letters(&found_by(item), &typed)) {
        return;
    }
    for item in items {
        let label = item.label.trim_matches('\'').to_lowercase();
        let same_length: String = label.chars().take(typed.chars().count() + 1).collect();
        let candidates = [label.as_str(), same_length.as_str()];
        if base::spelling::suggest(&typed, candidates).is_some() {
            item.filter_text = Some(typed.clone());
        }
    }
}

/// Whether a text has the letters of a word in their order, as editors look for them.
fn has_letters(text: &str, word: &str) -> bool {
    let mut letters = text.chars();
    word.chars().all(|wanted| letters.any(|letter| letter == wanted))
}
