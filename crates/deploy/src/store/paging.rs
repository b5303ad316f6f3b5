//! Keyset pagination: the rows after a key come in, a page and the continuation token of the next one go out.

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

/// How many rows are read at once at most: documents may be large.
const CHUNK: usize = 128;

/// A row that may go on a page.
pub(super) struct PageRow {
    /// Its key in the order of the list: the continuation token of what follows.
    pub place: String,
    /// Its size in bytes and its document; none if the filter leaves it out.
    pub shown: Option<(usize, Json)>,
}

/// Fills a page from chunks of rows.
pub(super) struct PageBuilder {
    page: Page,
    top: usize,
    /// How many rows are read at once.
    chunk: usize,
    bytes: usize,
    /// Where the rows that were looked at end.
    seen: Option<String>,
    /// Where those end that are on the page.
    last: Option<String>,
    is_done: bool,
}

/// The next chunk of a keyset query: the rows after a key, and how many.
pub(super) struct KeysetRange {
    pub after: Option<String>,
    pub limit: i64,
}

impl PageBuilder {
    pub fn new(paging: &Paging<'_>) -> Self {
        let top = paging.top.unwrap_or(MOST).min(MOST);
        Self {
            page: Page::default(),
            top,
            // One more than is wanted tells whether there is more.
            chunk: (top + 1).min(CHUNK),
            bytes: 0,
            seen: paging.after.map(str::to_owned),
            last: None,
            is_done: false,
        }
    }

    /// Which rows to read next; none when the page is full or the list has ended.
    pub fn wanted(&self) -> Option<KeysetRange> {
        let limit = i64::try_from(self.chunk).unwrap_or(1);
        (!self.is_done).then(|| KeysetRange { after: self.seen.clone(), limit })
    }

    /// Puts the rows that were read on the page.
    pub fn take(
        &mut self,
        rows: &[AnyRow],
        entry: impl Fn(&AnyRow) -> Result<PageRow, StoreError>,
    ) -> Result<(), StoreError> {
        self.is_done = rows.len() < self.chunk;
        for row in rows {
            let PageRow { place, shown } = entry(row)?;
            if let Some((size, item)) = shown {
                let is_full = self.page.items.len() >= self.top
                    || self.bytes + size > MOST_BYTES && !self.page.items.is_empty();
                if is_full {
                    self.page.next = self.last.take();
                    self.is_done = true;
                    return Ok(());
                }
                self.bytes += size;
                self.page.items.push(item);
                self.last = Some(place.clone());
            }
            self.seen = Some(place);
        }
        Ok(())
    }

    /// The page as far as it is filled.
    pub fn into_page(self) -> Page {
        self.page
    }
}
