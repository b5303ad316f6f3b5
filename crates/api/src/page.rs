//! The web page: three files that are part of the program. It shows what the API gives, and nothing else.

use axum::http::{HeaderName, StatusCode, header};

use crate::reply::{Content, Reply};
use crate::route::Asset;

/// Nothing from elsewhere, nothing inline: what a deployment holds can never become part of the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page.
pub(crate) fn file(asset: Asset) -> Reply {
    let (kind, bytes): (_, &'static [u8]) = match asset {
        Asset::Document => ("text/html; charset=utf-8", include_bytes!("page/index.html")),
        Asset::Script => ("text/javascript; charset=utf-8", include_bytes!("page/page.js")),
        Asset::Style => ("text/css; charset=utf-8", include_bytes!("page/page.css")),
        Asset::Icon => ("image/svg+xml", include_bytes!("page/page.svg")),
    };
    Reply::new(StatusCode::OK, Content::Static(kind, bytes))
        .with(header::CONTENT_SECURITY_POLICY, POLICY)
        .with(HeaderName::from_static("referrer-policy"), "no-referrer")
        .with(header::CACHE_CONTROL, "no-cache")
}
