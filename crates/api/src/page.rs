//! The web page: files that are part of the program. It shows what the API gives, and nothing else.

use axum::http::{HeaderName, StatusCode, header};

use crate::reply::{Content, Reply};

/// Nothing from elsewhere, nothing inline: what a deployment holds can never become part of the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page: its media type and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageAsset {
    media_type: &'static str,
    content: &'static str,
}

const fn file(media_type: &'static str, content: &'static str) -> PageAsset {
    PageAsset { media_type, content }
}

const fn script(content: &'static str) -> PageAsset {
    file("text/javascript; charset=utf-8", content)
}

/// The page itself.
pub(crate) const DOCUMENT: PageAsset = file("text/html; charset=utf-8", include_str!("page/index.html"));
/// Its look.
pub(crate) const STYLE: PageAsset = file("text/css; charset=utf-8", include_str!("page/page.css"));
pub(crate) const ICON: PageAsset = file("image/svg+xml", include_str!("page/page.svg"));

/// The modules of its script, by name.
const MODULES: [(&str, PageAsset); 10] = [
    ("deployment.js", script(include_str!("page/deployment.js"))),
    ("elements.js", script(include_str!("page/elements.js"))),
    ("errors.js", script(include_str!("page/errors.js"))),
    ("graph.js", script(include_str!("page/graph.js"))),
    ("home.js", script(include_str!("page/home.js"))),
    ("list.js", script(include_str!("page/list.js"))),
    ("main.js", script(include_str!("page/main.js"))),
    ("resources.js", script(include_str!("page/resources.js"))),
    ("server.js", script(include_str!("page/server.js"))),
    ("what_if.js", script(include_str!("page/what_if.js"))),
];

/// A module of the page's script.
pub(crate) fn module(name: &str) -> Option<PageAsset> {
    MODULES.iter().find(|(known, _)| *known == name).map(|(_, file)| *file)
}

/// Answers with a file.
pub(crate) fn answer(file: PageAsset) -> Reply {
    Reply::new(StatusCode::OK, Content::Static(file.media_type, file.content.as_bytes()))
        .with(header::CONTENT_SECURITY_POLICY, POLICY)
        .with(HeaderName::from_static("referrer-policy"), "no-referrer")
        .with(header::CACHE_CONTROL, "no-cache")
}
