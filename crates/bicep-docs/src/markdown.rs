//! The standard layout in Markdown: one function for each section, in the order of the document.

use std::fmt::Write as _;

use crate::model::{Discriminator, Module, Output, Parameter, TypeDetails, fence};

/// The whole document. What stands at its end is put right by the caller.
pub(crate) fn render(module: &Module) -> String {
    let mut page = Page { text: format!("# {}\n", module.name) };
    if let Some(description) = &module.description {
        page.block(description);
    }
    navigation(module, &mut page);
    resource_types(module, &mut page);
    usage_examples(module, &mut page);
    parameters(module, &mut page);
    exports("Exported Types", &module.exported_types, &mut page);
    exports("Exported Variables", &module.exported_variables, &mut page);
    functions(module, &mut page);
    outputs(module, &mut page);
    references(module, &mut page);
    page.text
}

const TRUNCATED: &str =
    "- Nested properties omitted because the type is recursive or exceeds the expansion limit.";

struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Lines with an empty one before them.
    fn block(&mut self, lines: &str) {
        self.text.push('\n');
        self.line(lines);
    }

    fn table(&mut self, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        self.block(&format!("| {} |", columns.join(" | ")));
        self.line(&format!("|{}", " :-- |".repeat(columns.len())));
        for row in rows {
            self.line(&format!("| {} |", row.join(" | ")));
        }
    }
}

fn navigation(module: &Module, page: &mut Page) {
    page.block("## Navigation");
    let sections = [
        ("Resource Types", true),
        ("Usage Examples", !module.usage_examples.is_empty()),
        ("Parameters", true),
        ("Exported Types", !module.exported_types.is_empty()),
        ("Exported Variables", !module.exported_variables.is_empty()),
        ("Exported Functions", !module.exported_functions.is_empty()),
        ("Outputs", true),
        ("Cross-referenced Modules", !module.references.is_empty()),
    ];
    page.text.push('\n');
    for (name, _) in sections.iter().filter(|(_, is_there)| *is_there) {
        page.line(&format!("- [{name}](#{})", name.to_lowercase().replace(' ', "-")));
    }
}

fn resource_types(module: &Module, page: &mut Page) {
    page.block("## Resource Types");
    if module.resource_types.is_empty() {
        return page.block("_No resources are declared in this module._");
    }
    let rows = module.resource_types.iter().map(|it| vec![code(&it.name), yes_or_no(it.is_existing)]);
    page.table(&["Resource Type", "Existing"], rows);
}

fn usage_examples(module: &Module, page: &mut Page) {
    if module.usage_examples.is_empty() {
        return;
    }
    page.block("## Usage Examples");
    for (index, example) in module.usage_examples.iter().enumerate() {
        page.block(&format!("### Example {}: _{}_", index + 1, example.name));
        if let Some(description) = &example.description {
            page.block(description);
        }
        let fence = fence(&example.contents);
        page.block(&format!("{fence}bicep\n{}\n{fence}", example.contents));
    }
}

fn parameters(module: &Module, page: &mut Page) {
    page.block("## Parameters");
    if module.parameters.is_empty() {
        return page.block("_No parameters are declared in this module._");
    }
    let rows = module.parameters.iter().map(|it| {
        let ty = code(&cell(shown_type(&it.type_name, it.is_secure)));
        vec![code(&it.name), ty, yes_or_no(it.is_required), optional_cell(it.description.as_deref())]
    });
    page.table(&["Name", "Type", "Required", "Description"], rows);
    module.parameters.iter().for_each(|parameter| details(parameter, page));
}

fn exports(title: &str, exports: &[Parameter], page: &mut Page) {
    if exports.is_empty() {
        return;
    }
    page.block(&format!("## {title}"));
    let rows = exports.iter().map(|it| {
        let ty = code(&cell(shown_type(&it.type_name, it.is_secure)));
        vec![code(&it.name), ty, optional_cell(it.description.as_deref())]
    });
    page.table(&["Name", "Type", "Description"], rows);
    exports.iter().for_each(|export| details(export, page));
}

fn functions(module: &Module, page: &mut Page) {
    if module.exported_functions.is_empty() {
        return;
    }
    page.block("## Exported Functions");
    for function in &module.exported_functions {
        page.block(&format!("### {}", code(&function.name)));
        if let Some(description) = &function.description {
            page.block(description);
        }
        page.block(&format!("Returns: {}", code(&function.return_type)));
        if !function.parameters.is_empty() {
            let rows = function.parameters.iter().map(|it| {
                vec![code(&it.name), code(&cell(&it.type_name)), optional_cell(it.description.as_deref())]
            });
            page.table(&["Name", "Type", "Description"], rows);
        }
    }
}

fn outputs(module: &Module, page: &mut Page) {
    page.block("## Outputs");
    if module.outputs.is_empty() {
        return page.block("_No outputs are declared in this module._");
    }
    let row = |it: &Output| {
        let ty = code(&cell(shown_type(&it.type_name, it.is_secure)));
        vec![code(&it.name), ty, optional_cell(it.description.as_deref())]
    };
    page.table(&["Name", "Type", "Description"], module.outputs.iter().map(row));
}

fn references(module: &Module, page: &mut Page) {
    if module.references.is_empty() {
        return;
    }
    page.block("## Cross-referenced Modules");
    let rows = module.references.iter().map(|it| {
        let path = it.path.as_deref().map(|path| code(&cell(path))).unwrap_or_default();
        vec![code(&it.symbolic_name), path, optional_cell(it.description.as_deref())]
    });
    page.table(&["Symbolic Name", "Path", "Description"], rows);
}

/// What there is to say about a parameter or an export beyond its row.
fn details(parameter: &Parameter, page: &mut Page) {
    let details = &parameter.details;
    if !parameter.is_secure && parameter.default_value.is_none() && details.is_empty() {
        return;
    }
    page.block(&format!("### {}", code(&parameter.name)));
    if parameter.is_secure {
        page.block("- Secure: Yes");
    }
    if let (Some(value), Some(fence)) = (&parameter.default_value, parameter.default_value_fence()) {
        if value.contains('\n') {
            page.block(&format!("- Default value:\n\n{fence}bicep\n{value}\n{fence}"));
        } else {
            page.block(&format!("- Default value: {}", code(value)));
        }
    }
    constraints(details).iter().for_each(|line| page.block(line));
    if !details.properties.is_empty() {
        page.block("- Properties:");
        properties(&details.properties, 2, page);
    }
    if let Some(discriminator) = &details.discriminator {
        page.text.push('\n');
        alternatives(discriminator, 0, page);
    }
}

/// Allowed values, bounds and the like, a line each.
fn constraints(details: &TypeDetails) -> Vec<String> {
    let mut lines = Vec::new();
    if !details.allowed_values.is_empty() {
        let values: Vec<String> = details.allowed_values.iter().map(|value| code(value)).collect();
        lines.push(format!("- Allowed values: {}", values.join(", ")));
    }
    for (name, bound) in [
        ("Min value", details.min_value),
        ("Max value", details.max_value),
        ("Min length", details.min_length),
        ("Max length", details.max_length),
    ] {
        lines.extend(bound.map(|bound| format!("- {name}: {bound}")));
    }
    lines.extend(details.pattern.as_ref().map(|pattern| format!("- Pattern: {}", code(pattern))));
    lines.extend(details.is_truncated.then(|| TRUNCATED.to_owned()));
    lines
}

/// A list of properties, each with what is below it.
fn properties(properties: &[Parameter], indent: usize, page: &mut Page) {
    for property in properties {
        let mut line = format!("{:indent$}- {} ({})", "", code(&property.name), code(&property.type_name));
        line.push_str(if property.is_required { ", required" } else { "" });
        line.push_str(if property.is_secure { ", secure" } else { "" });
        if let Some(description) = &property.description {
            // Writing to a string cannot fail.
            let _ = write!(line, ": {description}");
        }
        page.line(&line);
        let inner = indent + 2;
        for line in constraints(&property.details) {
            page.line(&format!("{:inner$}{line}", ""));
        }
        self::properties(&property.details.properties, inner, page);
        if let Some(discriminator) = &property.details.discriminator {
            alternatives(discriminator, inner, page);
        }
    }
}

fn alternatives(discriminator: &Discriminator, indent: usize, page: &mut Page) {
    page.line(&format!("{:indent$}- Discriminator: {}", "", code(&discriminator.property_name)));
    for case in &discriminator.cases {
        page.line(&format!("{:inner$}- {}:", "", code(&case.value), inner = indent + 2));
        properties(&case.properties, indent + 4, page);
    }
}

/// Secrets have type names of their own, as templates spell them.
fn shown_type(type_name: &str, is_secure: bool) -> &str {
    match type_name {
        "string" if is_secure => "securestring",
        "object" if is_secure => "secureObject",
        _ => type_name,
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn yes_or_no(flag: bool) -> String {
    if flag { "Yes" } else { "No" }.to_owned()
}

/// A text in a cell of a table: one line, without what ends the cell.
fn cell(text: &str) -> String {
    text.replace("\r\n", " ").replace('\n', " ").replace('|', "\\|")
}

fn optional_cell(text: Option<&str>) -> String {
    text.map(cell).unwrap_or_default()
}
