//! One report, many renderers: each a small file that takes `&[FileReport]` and gives text.
//!
//! Positions are counted from one, columns in UTF-16 code units, in every format. A range that does not fit its file is
//! moved into it: a report can always be rendered.

mod excerpt;
mod github;
mod html;
mod json_lines;
mod junit;
mod regions;
#[cfg(test)]
mod samples;
mod sarif;
mod summary;
mod text;
mod uri;
mod window;

use std::fmt;
use std::str::FromStr;

pub use html::escape as escape_html;
pub use junit::escape as escape_xml;
pub use summary::{Step, Summary, table};
pub use uri::from_path as path_uri;

use smol_str::SmolStr;

use crate::FileReport;

/// In which form a report is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// One line per diagnostic, as the Bicep CLI writes it.
    #[default]
    Text,
    /// Source excerpts for people.
    Excerpt {
        /// Whether to write terminal colours.
        colour: bool,
    },
    /// SARIF 2.1.0, for code scanning services.
    Sarif,
    /// One JSON object per diagnostic and line.
    Json,
    /// GitHub workflow commands, shown as annotations.
    Github,
    /// JUnit XML, for test reports.
    Junit,
    /// One HTML page with excerpts and a filter, for people.
    Html,
}

/// The program that reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// `sinew`, or the name that the program was started under.
    pub name: String,
    /// Its version; empty when it should not be said.
    pub version: String,
    /// A page about it.
    pub information_uri: Option<String>,
    /// What its codes are about, for the formats that describe them.
    pub codes: Vec<CodeInfo>,
    /// What it did, for the formats that tell; empty when there was but one thing to do.
    pub steps: Vec<Step>,
}

/// What a code of diagnostics is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeInfo {
    pub code: SmolStr,
    /// A name for it.
    pub name: Option<String>,
    /// One sentence.
    pub short: String,
    /// All that is to be said.
    pub full: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Tool {
    /// A program of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            information_uri: None,
            codes: Vec::new(),
            steps: Vec::new(),
        }
    }
}

/// Renders reports. Text formats end with a line end unless there is nothing to say.
pub fn render(reports: &[FileReport], format: Format, tool: &Tool) -> String {
    match format {
        Format::Text => text::render(reports),
        Format::Excerpt { colour } => excerpt::render(reports, colour),
        Format::Sarif => sarif::render(reports, tool),
        Format::Json => json_lines::render(reports),
        Format::Github => github::render(reports),
        Format::Junit => junit::render(reports, tool),
        Format::Html => html::render(reports, tool),
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        match name.to_ascii_lowercase().as_str() {
            "default" | "text" => Ok(Self::Text),
            "excerpt" => Ok(Self::Excerpt { colour: false }),
            "sarif" => Ok(Self::Sarif),
            "json" => Ok(Self::Json),
            "github" => Ok(Self::Github),
            "junit" => Ok(Self::Junit),
            "html" => Ok(Self::Html),
            _ => Err(UnknownFormat { name: name.to_owned() }),
        }
    }
}

/// The name of a format that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat {
    /// As given.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        write!(f, "There is no format `{name}`: use text, excerpt, sarif, json, github, junit or html.")
    }
}

impl std::error::Error for UnknownFormat {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named_in_any_case() {
        for (name, format) in [
            ("default", Format::Text),
            ("Text", Format::Text),
            ("excerpt", Format::Excerpt { colour: false }),
            ("SARIF", Format::Sarif),
            ("Sarif", Format::Sarif),
            ("json", Format::Json),
            ("GitHub", Format::Github),
            ("JUnit", Format::Junit),
            ("HTML", Format::Html),
        ] {
            assert_eq!(name.parse(), Ok(format));
        }
        let error = "xml".parse::<Format>().unwrap_err();
        assert!(error.to_string().starts_with("There is no format `xml`"), "{error}");
    }

    #[test]
    fn every_format_survives_ranges_that_do_not_fit() {
        let tool = Tool::new("sinew", "1.0.0");
        for name in ["text", "excerpt", "sarif", "json", "github", "junit", "html"] {
            let rendered = render(&samples::misplaced(), name.parse().unwrap(), &tool);
            let shown = rendered.matches("misplaced").count();
            assert!(shown >= samples::MISPLACED, "{name}: {rendered}");
        }
    }

    #[test]
    fn every_format_is_silent_or_valid_without_reports() {
        let tool = Tool::new("sinew", "");
        for format in [Format::Text, Format::Excerpt { colour: true }, Format::Json, Format::Github] {
            assert_eq!(render(&[], format, &tool), "");
        }
        assert!(render(&[], Format::Sarif, &tool).contains("\"results\": []"));
        assert!(render(&[], Format::Junit, &tool).contains("tests=\"0\""));
        assert!(render(&[], Format::Html, &tool).contains("No problems found in 0 files."));
    }
}
