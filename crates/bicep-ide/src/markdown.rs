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
    text.map(|text| format!("{}{LINE_BREAK}", without_indentation(text))).unwrap_or_default()
}

/// A text whose lines behind the first are moved to the left as far as all of them can be: in a multi-line string they are
/// indented as the code around them is, which Markdown would take for code.
fn without_indentation(text: &str) -> String {
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let behind = text.split('\n').skip(1).filter(|line| !line.trim().is_empty());
    let Some(common) = behind.map(depth).min().filter(|common| *common > 0) else { return text.to_owned() };
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |joined, line| joined + "\n" + line.get(common.min(depth(line))..).unwrap_or_default())
}

/// Paragraphs in one.
pub(crate) fn joined(paragraphs: &[String]) -> String {
    paragraphs.join(LINE_BREAK)
}

/// A link to documentation.
pub(crate) fn documentation_link(uri: &str) -> String {
    format!("[View Documentation]({uri})")
}
