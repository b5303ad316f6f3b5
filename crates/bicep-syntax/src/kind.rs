//! The kinds of tokens and nodes.

/// All kinds of nodes, named once: the macro that is given makes kinds or views of them. A group is an enum of views, and the
/// nodes that are only parts of its variants.
macro_rules! nodes {
    ($make:ident $($first:tt)*) => {
        $make! {
            $($first)*
            viewed {
                /// A whole file.
                File,
                /// A declared or referenced name: an identifier, or [`SyntaxKind::Skipped`] where it is missing.
                Name,
                /// `@expr` before a declaration.
                Decorator,
            }
            unviewed {
                /// Text that could not be understood. Empty where something is missing.
                Skipped,
                /// `none` after `using`.
                NoneLiteral,
            }
            Statement {
                /// Decorators with nothing to decorate.
                MissingDeclaration,
                /// `targetScope = …`
                TargetScope,
                /// `metadata name = …`
                Metadata,
                /// `param name type = default`
                Param,
                /// `param name = value` of a parameter file.
                ParamAssignment,
                /// `var name type = value`
                Var,
                /// `type name = …`
                TypeDeclaration,
                /// `func name(…) type => …`
                Func,
                /// `resource name 'type@version' existing = …`
                Resource,
                /// `module name 'path' = …`
                Module,
                /// `test name 'path' = …`
                Test,
                /// `output name type = …`
                Output,
                /// `assert name = …`
                Assert,
                /// `import … from …`
                Import,
                /// `extension …` and, the same under its older names, `provider …` and `import '…'`.
                Extension,
                /// `extensionConfig alias with …` of a parameter file.
                ExtensionConfig,
                /// `using 'path' with …` of a parameter file.
                Using,
                /// `extends 'path'` of a parameter file.
                Extends,
            } with {
                /// `= default` of a parameter.
                ParamDefault,
                /// `{ a, b as c }` of an import.
                ImportList,
                /// `a as b` of an import list.
                ImportItem,
                /// `* as name`
                WildcardImport,
                /// `from 'path'`
                FromClause,
                /// `with { … }`
                WithClause,
                /// `as name`
                AsClause,
            }
            /// An expression.
            Expr {
                /// `true`, `false`
                BoolLiteral,
                /// `42`
                IntLiteral,
                /// `null`
                NullLiteral,
                /// A string, with its holes.
                Str,
                /// `[ … ]`
                Array,
                /// `{ … }`
                Object,
                /// `(value)`
                Paren,
                /// `condition ? a : b`
                Ternary,
                /// `a + b`
                Binary,
                /// `!a`, `-a`
                Unary,
                /// `a!`
                NonNull,
                /// `a[b]`, `a[?b]`, `a[^b]`
                Index,
                /// `a.b`, `a.?b`
                PropertyAccess,
                /// `a::b`
                ResourceAccess,
                /// `a`
                VarAccess,
                /// `f(…)`
                Call,
                /// `a.f(…)`
                MethodCall,
                /// `x => …`, `(x, y) => …`
                Lambda,
                /// `[for x in xs: …]`
                For,
                /// `if (condition) { … }`
                If,
            } with {
                /// One value of an array.
                ArrayItem,
                /// `key: value`
                Property,
                /// `...value`
                Spread,
                /// One argument of a call.
                Argument,
                /// `(x, y)` of a lambda or a loop.
                VarBlock,
                /// One name that a lambda or a loop binds.
                LocalVar,
                /// `(x type, y type) type => …` of a function.
                TypedLambda,
                /// `(x type, y type)`
                TypedVarBlock,
                /// `x type`
                TypedLocalVar,
            }
            /// A type expression.
            TypeExpr {
                /// A type by name.
                TypeVar,
                /// `true`, `false` as a type.
                BoolType,
                /// `42` as a type.
                IntType,
                /// `null` as a type.
                NullType,
                /// A string as a type.
                StringType,
                /// `-1` as a type.
                UnaryType,
                /// `T[]`
                ArrayType,
                /// `[T, U]`
                TupleType,
                /// `{ a: T }`
                ObjectType,
                /// `T | U`
                UnionType,
                /// `T?`
                NullableType,
                /// `T!`
                NonNullableType,
                /// `(T)`
                ParenType,
                /// `resource 'type@version'`
                ResourceType,
                /// `name<T>`
                GenericType,
                /// `a.name<T>`
                MemberGenericType,
                /// `T.name`
                TypePropertyAccess,
                /// `T[0]`
                TypeIndex,
                /// `T[*]`
                TypeItemsAccess,
                /// `T.*`
                TypeAdditionalAccess,
            } with {
                /// `T` of `T[]`.
                ArrayTypeMember,
                /// One type of a tuple, with its decorators.
                TupleTypeItem,
                /// `a: T`
                ObjectTypeProperty,
                /// `*: T`
                ObjectTypeAdditional,
                /// One side of a union.
                UnionTypeMember,
                /// One argument between `<` and `>`.
                TypeArgument,
            }
        }
    };
}

pub(crate) use nodes;

macro_rules! kinds {
    (tokens { $($(#[$token_doc:meta])* $token:ident $(= $text:literal)?,)* }
     viewed { $($(#[$viewed_doc:meta])* $viewed:ident,)* }
     unviewed { $($(#[$unviewed_doc:meta])* $unviewed:ident,)* }
     $(
        $(#[$group_doc:meta])* $group:ident { $($(#[$node_doc:meta])* $node:ident,)* }
        with { $($(#[$part_doc:meta])* $part:ident,)* }
     )*) => {
        /// The kind of a token or a node. Tokens come first; trivia (white space, comments, directives) are tokens too.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum SyntaxKind {
            $($(#[$token_doc])* $token,)*
            $($(#[$viewed_doc])* $viewed,)*
            $($(#[$unviewed_doc])* $unviewed,)*
            $($($(#[$node_doc])* $node,)* $($(#[$part_doc])* $part,)*)*
        }

        impl SyntaxKind {
            /// The text of a token whose kind leaves no choice.
            pub const fn text(self) -> Option<&'static str> {
                match self {
                    $($(Self::$token => Some($text),)?)*
                    _ => None,
                }
            }
        }
    };
}

nodes! {
    kinds
    tokens {
        /// Spaces and tabs.
        Whitespace,
        /// `// …`
        LineComment,
        /// `/* … */`
        BlockComment,
        /// `#disable-next-line …`, `#disable-diagnostics …`, `#restore-diagnostics …`
        Directive,
        /// One or more line ends with nothing between them.
        NewLine,
        /// The end of the file; has no text.
        EndOfFile,
        /// A character the language has no use for.
        Unrecognized,
        /// A name or a keyword that is one only in its context.
        Identifier,
        /// A decimal integer.
        Integer,
        /// A string without holes.
        StringComplete,
        /// A string up to its first hole: `'a${`.
        StringLeft,
        /// A string between two holes: `}b${`.
        StringMiddle,
        /// A string after its last hole: `}c'`.
        StringRight,
        /// `true`
        True = "true",
        /// `false`
        False = "false",
        /// `null`
        Null = "null",
        /// `@`
        At = "@",
        /// `{`
        LeftBrace = "{",
        /// `}`
        RightBrace = "}",
        /// `(`
        LeftParen = "(",
        /// `)`
        RightParen = ")",
        /// `[`
        LeftSquare = "[",
        /// `]`
        RightSquare = "]",
        /// `,`
        Comma = ",",
        /// `.`
        Dot = ".",
        /// `...`
        Ellipsis = "...",
        /// `?`
        Question = "?",
        /// `??`
        DoubleQuestion = "??",
        /// `:`
        Colon = ":",
        /// `::`
        DoubleColon = "::",
        /// `;`
        Semicolon = ";",
        /// `=`
        Assign = "=",
        /// `=>`
        Arrow = "=>",
        /// `+`
        Plus = "+",
        /// `-`
        Minus = "-",
        /// `*`
        Star = "*",
        /// `/`
        Slash = "/",
        /// `%`
        Percent = "%",
        /// `^`
        Hat = "^",
        /// `!`
        Bang = "!",
        /// `<`
        Less = "<",
        /// `<=`
        LessOrEqual = "<=",
        /// `>`
        Greater = ">",
        /// `>=`
        GreaterOrEqual = ">=",
        /// `==`
        EqualEqual = "==",
        /// `!=`
        NotEqual = "!=",
        /// `=~`
        EqualIgnoreCase = "=~",
        /// `!~`
        NotEqualIgnoreCase = "!~",
        /// `&&`
        AndAnd = "&&",
        /// `||`
        OrOr = "||",
        /// `|`
        Pipe = "|",
    }
}

impl SyntaxKind {
    /// Whether it is a token that grammar does not see.
    pub const fn is_trivia(self) -> bool {
        matches!(self, Self::Whitespace | Self::LineComment | Self::BlockComment | Self::Directive)
    }

    /// Whether it is a comment.
    pub const fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }

    /// Whether it is a token rather than a node.
    pub const fn is_token(self) -> bool {
        (self as u8) < (Self::File as u8)
    }

    /// Whether such a node is one token and uses no name.
    #[inline]
    pub const fn is_atom(self) -> bool {
        matches!(
            self,
            Self::Name | Self::BoolLiteral | Self::IntLiteral | Self::NullLiteral | Self::NoneLiteral
        )
    }

    /// Whether such a token is a part of a line in ASCII, whatever the text.
    #[inline]
    pub const fn is_plain_word(self) -> bool {
        matches!(self, Self::Identifier | Self::Integer) || self.text().is_some()
    }

    /// Whether comments on the same line after such a token belong to it, rather than to what follows.
    pub const fn keeps_trailing_comments(self) -> bool {
        matches!(
            self,
            Self::RightParen
                | Self::RightSquare
                | Self::RightBrace
                | Self::StringRight
                | Self::Question
                | Self::Bang
                | Self::False
                | Self::True
                | Self::Null
                | Self::StringComplete
                | Self::Integer
                | Self::Identifier
        )
    }

    /// How tightly a binary operator binds; zero for everything else.
    pub(crate) const fn precedence(self) -> u8 {
        match self {
            Self::Percent | Self::Star | Self::Slash => 100,
            Self::Plus | Self::Minus => 90,
            Self::Greater | Self::GreaterOrEqual | Self::Less | Self::LessOrEqual => 80,
            Self::EqualEqual | Self::NotEqual | Self::EqualIgnoreCase | Self::NotEqualIgnoreCase => 70,
            Self::AndAnd => 50,
            Self::OrOr => 40,
            Self::DoubleQuestion => 30,
            _ => 0,
        }
    }
}
