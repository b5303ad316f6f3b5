//! The formats in which values are read and written, with the exact text of jk.
//!
//! Values cross between scripts and formats as JSON text.

pub mod hcl;
pub mod json;
pub mod number;
pub mod yaml11;
pub mod yaml_read;
pub mod yaml_write;

use ::json::borrowed::{self, Value};
use base::Diagnostic;
use yaml_write::Numbers;

/// A format, with the number that scripts know it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// What the suffix of the path says; JSON if it says nothing.
    FromExtension,
    /// One JSON document.
    Json,
    /// One YAML document.
    Yaml,
    /// The text of a value, nothing added.
    Raw,
    /// YAML documents separated by `---`.
    YamlStream,
    /// JSON documents, one a line.
    JsonStream,
    /// HCL 1.
    Hcl,
}

impl Format {
    /// All formats, each at the index that is its number.
    pub const ALL: [Self; 7] = [
        Self::FromExtension,
        Self::Json,
        Self::Yaml,
        Self::Raw,
        Self::YamlStream,
        Self::JsonStream,
        Self::Hcl,
    ];

    /// The format with this number.
    pub fn from_number(number: i32) -> Option<Self> {
        usize::try_from(number).ok().and_then(|index| Self::ALL.get(index).copied())
    }

    /// The name by which scripts know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FromExtension => "FromExtension",
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Raw => "Raw",
            Self::YamlStream => "YAMLStream",
            Self::JsonStream => "JSONStream",
            Self::Hcl => "HCL",
        }
    }

    /// Whether a file of this format holds any number of documents.
    pub const fn is_stream(self) -> bool {
        matches!(self, Self::YamlStream | Self::JsonStream)
    }

    /// The format of a file: what the suffix says where it is to decide, and `None` where that says nothing.
    pub fn resolved(self, path: &str) -> Option<Self> {
        match self {
            Self::FromExtension => Self::of_path(path),
            format => Some(format),
        }
    }

    /// The format that a path asks for.
    fn of_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            "hcl" | "tf" => Some(Self::Hcl),
            _ => None,
        }
    }
}

/// How a value is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub format: Format,
    /// Spaces for each level, where the format leaves a choice.
    pub indent: usize,
    /// How numbers look in YAML streams.
    pub stream_numbers: Numbers,
}

/// The text of a file (or of standard output, for an empty path) that holds a value. The value is JSON text, except
/// for [`Format::Raw`].
pub fn write(value: &str, path: &str, layout: Layout) -> Result<String, String> {
    let format = match layout.format {
        Format::FromExtension => Format::of_path(path),
        Format::Raw => return Ok(value.to_owned()),
        format => Some(format),
    };
    let node = borrowed::parse(value).map_err(|error| error.message)?;
    match (format, &node) {
        // Without a format, text is printed as it is.
        (None, Value::String(text)) => Ok(format!("{text}\n")),
        (None, node) => Ok(pretty(node, layout.indent)),
        (Some(format), node) => write_node(node, Layout { format, ..layout }),
    }
}

/// A value as text, as `stringify` gives it: JSON on one line.
pub fn stringify(value: &str, layout: Layout) -> Result<String, String> {
    let node = borrowed::parse(value).map_err(|error| error.message)?;
    match layout.format {
        Format::Json => {
            let mut out = String::new();
            json::write_compact(&mut out, &node);
            Ok(out)
        }
        Format::FromExtension | Format::Raw => {
            Err(format!("Unsupported format for Unparse: {}", layout.format.name()))
        }
        _ => write_node(&node, layout),
    }
}

fn write_node(node: &Value<'_>, layout: Layout) -> Result<String, String> {
    match layout.format {
        Format::Json | Format::FromExtension | Format::Raw => Ok(pretty(node, layout.indent)),
        Format::Yaml => Ok(yaml_write::write_document(node)),
        Format::Hcl => hcl::write(node, layout.indent),
        Format::YamlStream => {
            let mut stream = yaml_write::Stream::new(layout.stream_numbers);
            documents(node, layout.format)?.iter().for_each(|document| stream.push(document));
            Ok(stream.take())
        }
        Format::JsonStream => {
            let mut out = String::new();
            for document in documents(node, layout.format)? {
                json::write_compact(&mut out, document);
                out.push('\n');
            }
            Ok(out)
        }
    }
}

fn documents<'n, 'a>(node: &'n Value<'a>, format: Format) -> Result<&'n [Value<'a>], String> {
    match node {
        Value::Array(items) => Ok(items),
        Value::Null => Ok(&[]),
        _ => Err(format!("a value of the format {} must be an array", format.name())),
    }
}

fn pretty(node: &Value<'_>, indent: usize) -> String {
    let mut out = String::new();
    json::write_pretty(&mut out, node, indent);
    out.push('\n');
    out
}

/// All documents of a file as one JSON array, as a reader of the written file finds them: the suffix decides, then the
/// format it was written in. A file of an unknown kind is one text.
pub fn documents_of(text: &str, path: &str, format: Format) -> Result<String, String> {
    let stream = match Format::of_path(path).or(format.resolved(path)) {
        Some(Format::Yaml | Format::YamlStream) => Format::YamlStream,
        Some(Format::Json | Format::JsonStream) => Format::JsonStream,
        _ => {
            let mut out = "[".to_owned();
            json::write_string(&mut out, text);
            out.push(']');
            return Ok(out);
        }
    };
    Ok(match parse(text, stream)? {
        empty if empty == "null" => "[]".to_owned(),
        documents => documents,
    })
}

/// Reads a file into JSON text. Of formats that hold one value, the first value counts and the rest is not looked at.
pub fn read(text: &str, path: &str, format: Format) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = match format {
        Format::FromExtension => Format::of_path(path).unwrap_or(Format::Json),
        format => format,
    };
    match format {
        Format::Yaml | Format::YamlStream | Format::JsonStream => parse(text, format),
        _ => {
            let (_, end) = borrowed::parse_first(text).map_err(|error| json_message(text, &error))?;
            Ok(text.get(..end).unwrap_or_default().to_owned())
        }
    }
}

/// The value of a YAML text as JSON text; the list of all values if it holds several documents.
pub fn read_yaml_documents(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut nodes = yaml_read::read_stream(text).map_err(|error| error.to_string())?;
    let node = match nodes.len() {
        0 => Value::Null,
        1 => nodes.swap_remove(0),
        _ => Value::Array(nodes),
    };
    let mut out = String::new();
    json::write_in_order(&mut out, &node);
    Ok(out)
}

/// Parses a text that holds nothing but values of a format into JSON text.
pub fn parse(text: &str, format: Format) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = String::new();
    match format {
        Format::Json => {
            borrowed::parse(text).map_err(|error| json_message(text, &error))?;
            out.push_str(text);
        }
        Format::Yaml => {
            let node = yaml_read::read_document(text).map_err(|error| error.to_string())?;
            json::write_in_order(&mut out, &node);
        }
        Format::YamlStream => {
            let nodes = yaml_read::read_stream(text).map_err(|error| error.to_string())?;
            json::write_in_order(&mut out, &Value::Array(nodes));
        }
        Format::JsonStream => {
            let nodes = borrowed::parse_stream(text).map_err(|error| json_message(text, &error))?;
            if nodes.is_empty() {
                return Ok("null".to_owned());
            }
            json::write_compact(&mut out, &Value::Array(nodes));
        }
        Format::FromExtension | Format::Raw | Format::Hcl => {
            return Err(format!("Unsupported format for Parse: {}", format.name()));
        }
    }
    Ok(out)
}

fn json_message(text: &str, error: &Diagnostic) -> String {
    let before = text.get(..error.range.start().into()).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    format!("invalid JSON (line {line}, column {column}): {}", error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(format: Format) -> Layout {
        Layout { format, indent: 2, stream_numbers: Numbers::Exact }
    }

    #[track_caller]
    fn check_write(value: &str, path: &str, format: Format, expected: &str) {
        let found = write(value, path, layout(format)).unwrap_or_else(|error| format!("error: {error}"));
        assert_eq!(found, expected, "{value} to {path}");
    }

    #[test]
    fn the_path_chooses_the_format() {
        use Format::FromExtension as F;
        check_write(r#"{"a":1}"#, "x.yaml", F, "a: 1\n");
        check_write(r#"{"a":1}"#, "x.json", F, "{\n  \"a\": 1\n}\n");
        check_write(r#"{"a":1}"#, "x.tf", F, "\"a\" = 1\n");
        check_write(r#"{"a":1}"#, "x.txt", F, "{\n  \"a\": 1\n}\n");
        check_write(r#""text""#, "x.txt", F, "text\n");
        check_write(r#""text""#, "", F, "text\n");
        check_write(r#""text""#, "x.json", F, "\"text\"\n");
        check_write(r#""text""#, "x.yaml", F, "text\n");
        check_write("no quotes", "x.json", Format::Raw, "no quotes");
        check_write("[1,2]", "x", Format::JsonStream, "1\n2\n");
        check_write("1", "x", Format::YamlStream, "error: a value of the format YAMLStream must be an array");
    }

    #[test]
    fn reading_takes_the_first_value_and_parsing_all_of_the_text() {
        assert_eq!(
            read("{\"b\": 1, \"a\": 2} rest", "x.json", Format::FromExtension),
            Ok("{\"b\": 1, \"a\": 2}".into())
        );
        assert_eq!(read("b: 1\na: 2", "x.yml", Format::FromExtension), Ok(r#"{"a":2,"b":1}"#.into()));
        assert_eq!(
            parse("1\n2", Format::Json),
            Err("invalid JSON (line 2, column 1): The JSON value has ended; nothing but white space may follow.".into())
        );
        assert_eq!(parse("1\n2", Format::JsonStream), Ok("[1,2]".into()));
        assert_eq!(parse("", Format::JsonStream), Ok("null".into()));
        assert_eq!(parse("", Format::YamlStream), Ok("[]".into()));
        assert_eq!(parse("x", Format::Hcl), Err("Unsupported format for Parse: HCL".into()));
    }
}
