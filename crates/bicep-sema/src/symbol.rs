//! What a file declares: global names and the local ones of lambdas, loops and resource bodies.

use base::{SmolStr, TextRange};
use bicep_syntax::NodeId;

/// The number of a symbol in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub(crate) u32);

impl SymbolId {
    /// The number, for indexing into vectors beside the model.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a scope in its file. The file itself is scope zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub(crate) u32);

impl ScopeId {
    /// The scope of the file.
    pub const FILE: Self = Self(0);

    /// The number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A declared name.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// The name; `None` where it is missing in the text.
    pub name: Option<SmolStr>,
    /// What it names.
    pub kind: SymbolKind,
    /// The node that declares it: a statement, an import item, a local variable.
    pub declaration: NodeId,
    /// Where the name stands.
    pub name_range: TextRange,
    /// The scope it is declared in.
    pub scope: ScopeId,
}

/// What a symbol names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// `param`
    Param,
    /// `param name = value` of a parameter file.
    ParamAssignment,
    /// A parameter that a parameter file inherits by `extends`; the number is the position in the inherited list.
    InheritedAssignment(u32),
    /// `base` of a parameter file that extends another.
    Base,
    /// `var`
    Var,
    /// `type`
    Type,
    /// `func`
    Func,
    /// `resource`, global or in the body of another resource.
    Resource,
    /// `module`
    Module,
    /// `test`
    Test,
    /// `output`: cannot be referred to.
    Output,
    /// `metadata`: cannot be referred to.
    Metadata,
    /// `assert`
    Assert,
    /// `extension`
    Extension,
    /// `extensionConfig`
    ExtensionConfig,
    /// An item of an import list.
    ImportItem,
    /// `* as name`
    WildcardImport,
    /// An item of an import list, or `* as name`, whose file cannot be used or does not offer it: it is neither a
    /// value nor a type.
    BrokenImport,
    /// A parameter of a function.
    FuncParam,
    /// A variable of a lambda.
    LambdaVar,
    /// The item of a loop.
    LoopItem,
    /// The index of a loop.
    LoopIndex,
    /// `this` in the body of a resource.
    This,
}

impl SymbolKind {
    /// Whether an expression can refer to it. The others have names of their own.
    pub const fn can_be_referenced(self) -> bool {
        !matches!(self, Self::Output | Self::Metadata)
    }

    /// Whether it is the variable of a lambda, a loop or a function.
    pub const fn is_local_variable(self) -> bool {
        matches!(self, Self::FuncParam | Self::LambdaVar | Self::LoopItem | Self::LoopIndex)
    }
}

/// A region of a file in which further names are known.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The node whose inside is the scope.
    pub node: NodeId,
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// What it sees of the scopes around it.
    pub sees: Sees,
    /// The symbols declared in it, in order.
    pub symbols: Vec<SymbolId>,
}

/// What a scope sees of the scopes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// Everything.
    All,
    /// Functions and variables only: the body of a function.
    FunctionsAndVariables,
}
