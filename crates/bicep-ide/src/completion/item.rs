//! Completion items and how they are built.

use base::{Edit, TextRange};

/// Something that can be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    /// What the list shows.
    pub label: String,
    pub kind: CompletionKind,
    /// Shown beside the label.
    pub detail: Option<String>,
    /// Markdown about it.
    pub documentation: Option<String>,
    /// What orders the list.
    pub sort_text: String,
    /// What typed letters are compared with, where it is not the label.
    pub filter_text: Option<String>,
    /// What is replaced and by what.
    pub edit: Edit,
    /// Whether the text of the edit has placeholders.
    pub is_snippet: bool,
    /// Whether it is selected first.
    pub is_preselected: bool,
    /// Characters that choose it when they are typed.
    pub commit_characters: Vec<&'static str>,
    /// What the editor does next.
    pub follow_up: Option<FollowUp>,
    /// Further edits of the file.
    pub additional_edits: Vec<Edit>,
}

/// What an item is, in the protocol's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// Something whose meaning is not known.
    Text,
    Function,
    /// A parameter.
    Field,
    /// A variable or a local.
    Variable,
    /// A type.
    Class,
    /// A resource.
    Interface,
    Module,
    Property,
    /// An output, `[]`.
    Value,
    Keyword,
    /// A text with placeholders.
    Snippet,
    File,
    /// A reference to a module.
    Reference,
    /// A folder or a namespace.
    Folder,
    /// A word that stands for nothing.
    Enum,
    /// A literal.
    EnumMember,
    Operator,
    /// A type among other symbols.
    TypeParameter,
}

/// What the editor does after an item has been chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUp {
    /// Opens the list again.
    Suggest,
    /// Shows how a function is called.
    ParameterHints,
}

/// Where in the list an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// First.
    VeryHigh,
    /// Before most.
    High,
    /// As usual.
    Medium,
    /// Last.
    Low,
}

impl CompletionItem {
    /// An item that replaces a range by its own label.
    pub fn new(kind: CompletionKind, label: impl Into<String>, range: TextRange) -> Self {
        let label = label.into();
        Self {
            kind,
            detail: None,
            documentation: None,
            sort_text: sort_text(Priority::Medium, &label),
            filter_text: None,
            edit: Edit { range, text: label.clone() },
            is_snippet: false,
            is_preselected: false,
            commit_characters: Vec::new(),
            follow_up: None,
            additional_edits: Vec::new(),
            label,
        }
    }

    /// With another text than the label.
    #[must_use]
    pub fn inserting(mut self, text: impl Into<String>) -> Self {
        self.edit.text = text.into();
        self
    }

    /// With a text that has placeholders.
    #[must_use]
    pub fn snippet(mut self, text: impl Into<String>) -> Self {
        self.is_snippet = true;
        self.inserting(text)
    }

    /// With a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// With documentation.
    #[must_use]
    pub fn documented(mut self, documentation: Option<String>) -> Self {
        self.documentation = documentation;
        self
    }

    /// Elsewhere in the list.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.sort_text = sort_text(priority, &self.label);
        self
    }

    /// Selected first.
    #[must_use]
    pub fn preselected(mut self) -> Self {
        self.is_preselected = true;
        self
    }

    /// With something that the editor does next.
    #[must_use]
    pub fn then(mut self, follow_up: FollowUp) -> Self {
        self.follow_up = Some(follow_up);
        self
    }
}

fn sort_text(priority: Priority, label: &str) -> String {
    let rank = match priority {
        Priority::VeryHigh => 0,
        Priority::High => 1,
        Priority::Medium => 2,
        Priority::Low => 3,
    };
    format!("{rank}_{label}")
}
