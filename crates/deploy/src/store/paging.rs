//! Lists page by page: rows come in as the database gives them; as many as fit on a page go out, with where to go on.

use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use serde_json::Value as Json;
use sqlx::any::AnyRow;

use super::StoreError;

/// Which part of a list.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paging<'p> {
    /// How many entries at most; as many as there may be if nothing is said.
    pub top: Option<usize>,
    /// Where the page before ended: what it gave as `next`.
    pub after: Option<&'p str>,
}

/// A part of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The entries.
    pub items: Vec<Json>,
    /// Where to go on, if there is more.
    pub next: Option<String>,
}

/// How many entries a page has at most.
const MOST: usize = 1000;

/// How many bytes of documents a page has at most, unless one entry alone has more.
const MOST_BYTES: usize = 4 << 20;

/// Fills a page. Each row gives its place in the order, its size and its entry, or is passed over.
pub(super) async fn page(
    mut rows: BoxStream<'_, Result<AnyRow, sqlx::Error>>,
    paging: &Paging<'_>,
    item: impl Fn(&AnyRow) -> Result<Option<(String, usize, Json)>, StoreError>,
) -> Result<Page, StoreError> {
    let top = paging.top.unwrap_or(MOST).min(MOST);
    let (mut page, mut last, mut bytes) = (Page::default(), None, 0);
    while let Some(row) = rows.try_next().await? {
        let Some((place, size, entry)) = item(&row)? else { continue };
        if page.items.len() >= top || bytes + size > MOST_BYTES && !page.items.is_empty() {
            page.next = last;
            break;
        }
        bytes += size;
        last = Some(place);
        page.items.push(entry);
    }
    Ok(page)
}
