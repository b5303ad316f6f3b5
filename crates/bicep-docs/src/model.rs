//! What is known about a module, as plain data. Lists are sorted by name unless something else is said; a text that is
//! not there is `None`.

use std::cmp::Ordering;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// What `metadata name` says, else the name of its folder.
    pub name: String,
    /// What `metadata description` says.
    pub description: Option<String>,
    /// The full path of the file.
    pub path: String,
    /// Where it is deployed to, as `targetScope` spells it.
    pub target_scope: &'static str,
    /// The types of all resources it declares.
    pub resource_types: Vec<ResourceTypeUse>,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// The types that other files may import.
    pub exported_types: Vec<Parameter>,
    /// The variables that other files may import.
    pub exported_variables: Vec<Parameter>,
    /// The functions that other files may import.
    pub exported_functions: Vec<Function>,
    /// What it gives.
    pub outputs: Vec<Output>,
    /// The modules it uses.
    pub references: Vec<ModuleReference>,
    /// How it is used, sorted by path.
    pub usage_examples: Vec<UsageExample>,
}

/// A resource type that a module uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTypeUse {
    /// `Type/names@version`
    pub name: String,
    /// Whether the resource is only referred to.
    pub is_existing: bool,
}

/// A parameter, a property inside of one, or something exported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameter {
    pub name: String,
    /// `string`, `object` and the like.
    pub type_name: String,
    /// Whether it has to be given.
    pub is_required: bool,
    /// Whether it is a secret.
    pub is_secure: bool,
    /// Words for the reader.
    pub description: Option<String>,
    /// The default as it is written; only parameters have one.
    pub default_value: Option<String>,
    /// What its type says beyond its name.
    pub details: TypeDetails,
}

/// What a type says beyond its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeDetails {
    /// The only values it takes, where they are few.
    pub allowed_values: Vec<String>,
    /// The smallest number.
    pub min_value: Option<i64>,
    /// The largest number.
    pub max_value: Option<i64>,
    /// The smallest length of a text or a list.
    pub min_length: Option<i64>,
    /// The largest length of a text or a list.
    pub max_length: Option<i64>,
    /// A regular expression that a text fulfils.
    pub pattern: Option<String>,
    /// Whether there is more that is not shown.
    pub is_truncated: bool,
    /// The properties of an object, or of the objects in a list.
    pub properties: Vec<Parameter>,
    /// The alternatives of a tagged union.
    pub discriminator: Option<Discriminator>,
}

/// The alternatives of a tagged union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discriminator {
    /// The property that tells them apart.
    pub property_name: String,
    /// Each of them, sorted by value.
    pub cases: Vec<DiscriminatorCase>,
}

/// One alternative of a tagged union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscriminatorCase {
    /// The value of the property that tells.
    pub value: String,
    /// What the object has then.
    pub properties: Vec<Parameter>,
}

/// A function that other files may import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// What it takes, in order.
    pub parameters: Vec<FunctionParameter>,
    /// What it gives.
    pub return_type: String,
    /// Words for the reader.
    pub description: Option<String>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionParameter {
    pub name: String,
    /// What it takes.
    pub type_name: String,
    /// Words for the reader.
    pub description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub name: String,
    /// What it gives.
    pub type_name: String,
    /// Whether it is a secret.
    pub is_secure: bool,
    /// Words for the reader.
    pub description: Option<String>,
}

/// A module that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleReference {
    /// What it is called in the file.
    pub symbolic_name: String,
    /// Its reference as it is written, where that is one text.
    pub path: Option<String>,
    /// What it says about itself.
    pub description: Option<String>,
}

/// How a module is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageExample {
    pub name: String,
    /// From the folder of the module, with `/`.
    pub path: String,
    /// Words for the reader.
    pub description: Option<String>,
    /// Its text without white space at the end.
    pub contents: String,
}

impl TypeDetails {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Parameter {
    /// The fence that a default is shown in.
    pub fn default_value_fence(&self) -> Option<String> {
        self.default_value.as_deref().map(fence)
    }
}

/// Backticks that end nothing in a text: at least three, and more than it has in a row.
pub fn fence(text: &str) -> String {
    let mut longest = 0;
    let mut current = 0;
    for c in text.chars() {
        current = if c == '`' { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    "`".repeat((longest + 1).max(3))
}

/// The order of names: letter case counts only between names that are else equal.
pub(crate) fn compare_names(a: &str, b: &str) -> Ordering {
    let upper = |text: &str| text.chars().flat_map(char::to_uppercase).collect::<String>();
    upper(a).encode_utf16().cmp(upper(b).encode_utf16()).then_with(|| a.encode_utf16().cmp(b.encode_utf16()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_longer_than_what_they_enclose() {
        for (text, expected) in [("", "```"), ("`a` ``", "```"), ("```", "````"), ("x ````` y", "``````")] {
            assert_eq!(fence(text), expected);
        }
    }

    #[test]
    fn names_are_ordered_without_regard_to_letter_case() {
        let mut names = ["b", "B", "a", "C", ">Any_other_property<", "_x"];
        names.sort_by(|a, b| compare_names(a, b));
        assert_eq!(names, [">Any_other_property<", "a", "B", "b", "C", "_x"]);
    }
}
