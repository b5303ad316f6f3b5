//! The vocabulary in which the format of `bicepconfig.json` is written down once ([`crate::table`]): the reader checks
//! values against it, the JSON schema is printed from it.

/// What a value may look like.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number; values outside the range are brought into it with a warning.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// Text of a kind.
    Text(TextKind),
    /// One of these words, in any letter case.
    Choice(&'static [&'static str]),
    /// A list of equal values.
    List(&'static Shape),
    /// An object with these keys and no others.
    Record(&'static [Field]),
    /// An object with keys of the user's choice.
    Map(&'static Shape),
    /// An object that maps provider names to where they come from.
    Providers,
    /// An object that switches experimental features on: see [`crate::Feature`].
    Features,
    /// An object that configures lint rules: see [`crate::rules::RULES`].
    Rules,
}

/// What kind of text is expected. Only `Any` and `NonEmpty` are checked while reading; the others document the format
/// and are checked where the value is used, as a value that nobody uses breaks nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Any text.
    Any,
    /// At least one character.
    NonEmpty,
    Uuid,
    /// The name of a resource group.
    ResourceGroup,
    /// A host name, with a port if need be.
    RegistryHost,
}

/// A key of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// The key as written.
    pub key: &'static str,
    /// What its value looks like.
    pub shape: Shape,
    /// What it is for, in one sentence.
    pub doc: &'static str,
    /// Whether the object makes no sense without it.
    pub required: bool,
    /// The key that means the same and that settings are kept under.
    pub same_as: Option<&'static str>,
}

impl Field {
    pub(crate) const fn new(key: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self { key, shape, doc, required: false, same_as: None }
    }

    /// The object makes no sense without this key.
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// This key is another name of a second one.
    pub(crate) const fn same_as(mut self, key: &'static str) -> Self {
        self.same_as = Some(key);
        self
    }

    /// The key under which the setting is kept.
    pub(crate) fn canonical(&self) -> &'static str {
        self.same_as.unwrap_or(self.key)
    }
}
