//! Views of statements.

use base::TextRange;

use super::{
    AsClause, Assert, Decorator, Expr, Extends, Extension, ExtensionConfig, FromClause, Func, Import,
    ImportItem, ImportList, Metadata, MissingDeclaration, Module, Name, Object, Output, Param,
    ParamAssignment, ParamDefault, Resource, Statement, Str, TargetScope, Test, TypeDeclaration, TypeExpr,
    TypedLambda, Using, Var, WildcardImport, WithClause, decorators, name_of, node_at,
};
use crate::SyntaxKind;
use crate::tree::{Element, Node, Token};

impl<'t> Statement<'t> {
    /// The decorators before it.
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        decorators(self.syntax())
    }

    /// The keyword it starts with.
    pub fn keyword(self) -> Option<Token<'t>> {
        keyword(self.syntax())
    }

    /// The name it declares or assigns, where its kind has one.
    pub fn name(self) -> Option<Name<'t>> {
        name_of(self.syntax())
    }
}

fn keyword(node: Node<'_>) -> Option<Token<'_>> {
    node.token(SyntaxKind::Identifier)
}

/// The parts behind the keyword, by position.
fn tail(node: Node<'_>) -> impl Iterator<Item = Element<'_>> {
    super::parts(node).skip_while(|part| part.kind() != SyntaxKind::Identifier).skip(1)
}

fn tail_node(node: Node<'_>, position: usize) -> Option<Node<'_>> {
    tail(node).nth(position).and_then(Element::node)
}

fn tail_type(node: Node<'_>, position: usize) -> TypeExpr<'_> {
    tail_node(node, position).map_or(TypeExpr::Skipped(node), TypeExpr::of)
}

fn last_expr(node: Node<'_>) -> Expr<'_> {
    node.children().next_back().map_or(Expr::Skipped(node), Expr::of)
}

macro_rules! declares_name {
    ($($name:ident)*) => {
        $(impl<'t> $name<'t> {
            /// Its name. Without text where it is missing.
            pub fn name(self) -> Option<Name<'t>> {
                name_of(self.0)
            }

            /// The decorators before it.
            pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
                decorators(self.0)
            }
        })*
    };
}

declares_name! { Metadata Param ParamAssignment Var TypeDeclaration Func Resource Module Test Output Assert }

macro_rules! has_value {
    ($($name:ident)*) => {
        $(impl<'t> $name<'t> {
            /// The value behind the `=`.
            pub fn value(self) -> Expr<'t> {
                last_expr(self.0)
            }
        })*
    };
}

has_value! { TargetScope Metadata ParamAssignment Var Resource Module Test Output Assert ParamDefault }

impl<'t> Param<'t> {
    /// Its type.
    pub fn ty(self) -> TypeExpr<'t> {
        tail_type(self.0, 1)
    }

    pub fn default(self) -> Option<ParamDefault<'t>> {
        tail_node(self.0, 2).and_then(ParamDefault::cast)
    }
}

impl<'t> Var<'t> {
    /// Its type, where one is written.
    pub fn ty(self) -> Option<TypeExpr<'t>> {
        // name, type, assignment, value: one part more than without a type.
        (tail(self.0).count() == 4).then(|| tail_type(self.0, 1))
    }
}

impl<'t> TypeDeclaration<'t> {
    /// The type behind the `=`.
    pub fn value(self) -> TypeExpr<'t> {
        tail_type(self.0, 2)
    }
}

impl<'t> Func<'t> {
    /// Its parameters, result and body.
    pub fn lambda(self) -> Option<TypedLambda<'t>> {
        tail_node(self.0, 1).and_then(TypedLambda::cast)
    }
}

impl<'t> Output<'t> {
    /// Its type.
    pub fn ty(self) -> TypeExpr<'t> {
        tail_type(self.0, 1)
    }
}

macro_rules! has_path {
    ($($name:ident)*) => {
        $(impl<'t> $name<'t> {
            /// The string behind the name: a resource type or a path.
            pub fn path(self) -> Option<Str<'t>> {
                tail_node(self.0, 1).and_then(Str::cast)
            }

            /// What stands where the string should be.
            pub fn path_syntax(self) -> Node<'t> {
                tail_node(self.0, 1).unwrap_or(self.0)
            }

            /// The object, wherever a condition or a loop has put it.
            pub fn body(self) -> Option<Object<'t>> {
                self.value().body_object()
            }
        })*
    };
}

has_path! { Resource Module Test }

impl<'t> Resource<'t> {
    /// The word `existing`, where it stands.
    pub fn existing(self) -> Option<Token<'t>> {
        tail(self.0).nth(2).and_then(Element::token).filter(|token| token.kind() == SyntaxKind::Identifier)
    }

    /// The resource around it, if it is declared in the body of one.
    pub fn parent_resource(self) -> Option<Self> {
        self.0.ancestors().find_map(Self::cast)
    }
}

impl<'t> Import<'t> {
    /// What stands between `import` and `from`: an [`ImportList`], a [`WildcardImport`] or something skipped.
    pub fn imported(self) -> Option<Node<'t>> {
        tail_node(self.0, 0)
    }

    /// `{ … }`
    pub fn list(self) -> Option<ImportList<'t>> {
        self.imported().and_then(ImportList::cast)
    }

    /// `* as name`
    pub fn wildcard(self) -> Option<WildcardImport<'t>> {
        self.imported().and_then(WildcardImport::cast)
    }

    /// The path behind `from`.
    pub fn path(self) -> Option<Str<'t>> {
        self.source().and_then(FromClause::path)
    }

    /// `from 'path'`
    pub fn source(self) -> Option<FromClause<'t>> {
        self.0.children().find_map(FromClause::cast)
    }

    /// What stands where the path should be: behind `from`, else where the whole clause should be.
    pub fn source_syntax(self) -> Option<Node<'t>> {
        match self.source() {
            Some(clause) => node_at(clause.0, 1),
            None => tail_node(self.0, 1),
        }
    }

    /// The decorators before it.
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        decorators(self.0)
    }
}

impl<'t> FromClause<'t> {
    pub fn path(self) -> Option<Str<'t>> {
        node_at(self.0, 1).and_then(Str::cast)
    }
}

impl<'t> ImportList<'t> {
    /// What is imported.
    pub fn items(self) -> impl Iterator<Item = ImportItem<'t>> {
        self.0.children().filter_map(ImportItem::cast)
    }
}

impl<'t> ImportItem<'t> {
    /// The name in the other file: a [`Name`] or a [`Str`].
    pub fn original(self) -> Option<Node<'t>> {
        node_at(self.0, 0)
    }

    /// The name in the other file as text, quoted or not.
    pub fn original_name(self) -> Option<String> {
        let original = self.original()?;
        match Name::cast(original) {
            Some(name) => name.text().map(ToOwned::to_owned),
            None => Str::cast(original).and_then(Str::value),
        }
    }

    /// `as name`
    pub fn alias(self) -> Option<AsClause<'t>> {
        self.0.children().find_map(AsClause::cast)
    }

    /// The name in this file.
    pub fn local_name(self) -> Option<Name<'t>> {
        match self.alias() {
            Some(alias) => alias.name(),
            None => self.original().and_then(Name::cast),
        }
    }
}

impl<'t> WildcardImport<'t> {
    /// The name of the namespace.
    pub fn name(self) -> Option<Name<'t>> {
        self.0.children().find_map(AsClause::cast).and_then(AsClause::name)
    }
}

impl<'t> AsClause<'t> {
    /// The name behind `as`.
    pub fn name(self) -> Option<Name<'t>> {
        name_of(self.0)
    }
}

impl<'t> Extension<'t> {
    /// The word it is declared with: `extension`, `provider` or `import`.
    pub fn keyword(self) -> Option<Token<'t>> {
        keyword(self.0)
    }

    /// What stands behind the keyword: a [`Name`], a [`Str`] or something skipped.
    pub fn spec(self) -> Option<Node<'t>> {
        tail_node(self.0, 0)
    }

    /// The name of a configured extension.
    pub fn spec_name(self) -> Option<Name<'t>> {
        self.spec().and_then(Name::cast)
    }

    /// An artifact reference or a path.
    pub fn spec_string(self) -> Option<Str<'t>> {
        self.spec().and_then(Str::cast)
    }

    /// `with { … }`
    pub fn with_clause(self) -> Option<WithClause<'t>> {
        self.0.children().find_map(WithClause::cast)
    }

    /// `as name`
    pub fn alias(self) -> Option<AsClause<'t>> {
        self.0.children().find_map(AsClause::cast)
    }

    /// The decorators before it.
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        decorators(self.0)
    }
}

impl<'t> ExtensionConfig<'t> {
    /// The alias of the extension that is configured.
    pub fn name(self) -> Option<Name<'t>> {
        name_of(self.0)
    }

    /// `with { … }`
    pub fn with_clause(self) -> Option<WithClause<'t>> {
        self.0.children().find_map(WithClause::cast)
    }
}

impl<'t> WithClause<'t> {
    /// The configuration.
    pub fn config(self) -> Option<Object<'t>> {
        node_at(self.0, 1).and_then(Object::cast)
    }
}

impl<'t> Using<'t> {
    /// The path, unless it is `none` or missing.
    pub fn path(self) -> Option<Str<'t>> {
        tail_node(self.0, 0).and_then(Str::cast)
    }

    /// Whether it is `using none`.
    pub fn is_none(self) -> bool {
        self.0.child(SyntaxKind::NoneLiteral).is_some()
    }

    /// `with { … }`
    pub fn with_clause(self) -> Option<WithClause<'t>> {
        self.0.children().find_map(WithClause::cast)
    }

    /// The keyword.
    pub fn keyword_range(self) -> TextRange {
        keyword(self.0).map_or(self.range(), Token::range)
    }
}

impl<'t> Extends<'t> {
    pub fn path(self) -> Option<Str<'t>> {
        tail_node(self.0, 0).and_then(Str::cast)
    }
}

impl<'t> MissingDeclaration<'t> {
    /// The decorators that decorate nothing.
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        decorators(self.0)
    }
}
