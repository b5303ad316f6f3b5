//! Words that may follow what is written: `existing`, `=`, `as`, `from`, `with`, and the forms of an import.

use bicep_syntax::SyntaxKind;

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};

/// A word that may follow what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follower {
    /// `existing`
    Existing,
    /// `=`
    Assign,
    /// `with`
    With,
    /// `as`
    As,
    /// `from`
    From,
}

pub(super) fn offer(place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    match place.kind {
        PlaceKind::Follower(followers) => {
            let is_there =
                |it: &&Follower| **it == Follower::Assign && place.next == Some(SyntaxKind::Assign);
            items.extend(followers.iter().filter(|it| !is_there(it)).map(|it| item(place, *it)));
        }
        PlaceKind::ImportForm => import_forms(place, items),
        _ => {}
    }
}

fn item(place: &CompletionPlace<'_>, follower: Follower) -> CompletionItem {
    let keyword =
        |word: &str| CompletionItem::new(CompletionKind::Keyword, word, place.replaced).detail(word);
    match follower {
        Follower::Existing => keyword("existing"),
        Follower::With => keyword("with"),
        Follower::As => keyword("as"),
        Follower::From => keyword("from"),
        Follower::Assign => {
            let item = CompletionItem::new(CompletionKind::Operator, "=", place.replaced);
            item.priority(Priority::High).preselected()
        }
    }
}

/// A list of names, or everything under one.
fn import_forms(place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let list =
        CompletionItem::new(CompletionKind::Value, "{}", place.replaced).detail("Import symbols by name");
    items.push(list.snippet("{ $2 } from '$1'").preselected().then(FollowUp::Suggest));
    let all =
        CompletionItem::new(CompletionKind::Value, "* as", place.replaced).detail("Import all under a name");
    items.push(all.snippet("* as ${2:name} from '$1'").then(FollowUp::Suggest));
}
