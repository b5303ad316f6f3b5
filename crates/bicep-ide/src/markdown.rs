//! The form of documentation: a block of code, then paragraphs, each ended by a line break that Markdown keeps.

const LINE_BREAK: &str = "  \n";

/// Editors cut documentation at 100,000 characters; a block that is cut must still be closed.
const MAX_CODE: usize = 90_000;

/// A block of Bicep.
pub(crate) fn code_block(code: &str) -> String {
    let end = code.char_indices().nth(MAX_CODE).map_or(code.len(), |(at, _)| at);
    format!("```bicep\n{}\n```{LINE_BREAK}", code.get(..end).unwrap_or(code))
}

/// A block of Bicep with a description below, where there is one.
pub(crate) fn described_code(code: &str, description: Option<&str>) -> String {
    code_block(code) + &paragraph(description)
}

/// A paragraph; nothing where there is none.
pub(crate) fn paragraph(text: Option<&str>) -> String {
    text.map(|text| format!("{text}{LINE_BREAK}")).unwrap_or_default()
}

/// Paragraphs in one.
pub(crate) fn joined(paragraphs: &[String]) -> String {
    paragraphs.join(LINE_BREAK)
}

/// A link to documentation.
pub(crate) fn documentation_link(uri: &str) -> String {
    format!("[View Documentation]({uri})")
}
