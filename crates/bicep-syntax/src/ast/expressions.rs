//! Views of expressions.

use std::borrow::Cow;

use base::TextSize;

use super::{
    Argument, Array, ArrayItem, Binary, BoolLiteral, Call, Expr, For, If, Index, IntLiteral, Lambda,
    LocalVar, MethodCall, Name, NonNull, Object, Paren, Property, PropertyAccess, Resource, ResourceAccess,
    Spread, Str, Ternary, TypeExpr, TypedLambda, TypedLocalVar, Unary, VarAccess, VarBlock, expr_at, name_of,
    node_at, type_at,
};
use crate::SyntaxKind;
use crate::string_value::{Delimiters, TokenPosition};
use crate::tree::{Element, Node, Token};

impl<'t> Expr<'t> {
    /// The object of a declaration's body, through a condition or a loop.
    pub fn body_object(self) -> Option<Object<'t>> {
        match self {
            Self::Object(object) => Some(object),
            Self::If(condition) => condition.body(),
            Self::For(each) => each.body().body_object(),
            _ => None,
        }
    }

    /// The expression without parentheses around it.
    pub fn without_parens(self) -> Self {
        let mut inner = self;
        while let Self::Paren(paren) = inner {
            inner = paren.value();
        }
        inner
    }
}

impl BoolLiteral<'_> {
    pub fn value(self) -> bool {
        self.0.token(SyntaxKind::True).is_some()
    }
}

impl IntLiteral<'_> {
    pub fn value(self) -> u64 {
        self.0.text().parse().unwrap_or_default()
    }
}

impl<'t> Str<'t> {
    /// Its tokens, in order.
    pub fn segments(self) -> impl DoubleEndedIterator<Item = Token<'t>> {
        self.0.tokens()
    }

    /// The expressions in its holes.
    pub fn holes(self) -> impl Iterator<Item = Expr<'t>> {
        self.0.children().map(Expr::of)
    }

    /// Whether it has holes.
    pub fn is_interpolated(self) -> bool {
        self.0.children().next().is_some()
    }

    /// Its value, if it has no holes.
    pub fn value(self) -> Option<String> {
        self.plain_value().map(Cow::into_owned)
    }

    /// The same; without escapes it is a part of the text.
    pub fn plain_value(self) -> Option<Cow<'t, str>> {
        plain_value(self.0)
    }

    /// The texts between its holes: one more than holes.
    pub fn segment_values(self) -> Vec<String> {
        segment_values(self.0)
    }

    /// Whether it is written with three quotes.
    pub fn is_multi_line(self) -> bool {
        self.segments().next().is_some_and(|token| Delimiters::of_first_token(token.text()).is_block)
    }
}

/// The value of the only string token of a node; `None` where there are holes.
pub(super) fn plain_value(node: Node<'_>) -> Option<Cow<'_, str>> {
    let mut elements = node.elements();
    let text = elements.next()?.token()?.text();
    let place = TokenPosition { is_first: true, is_last: true };
    elements.next().is_none().then(|| Delimiters::of_first_token(text).value(text, place).unwrap_or_default())
}

/// The values of the string tokens of a node. The parser has checked that they are well-formed.
pub(super) fn segment_values(node: Node<'_>) -> Vec<String> {
    let Some(first) = node.tokens().next() else { return Vec::new() };
    let delimiters = Delimiters::of_first_token(first.text());
    let last = node.tokens().count() - 1;
    let value = |(index, token): (usize, Token<'_>)| {
        delimiters
            .value(token.text(), TokenPosition { is_first: index == 0, is_last: index == last })
            .unwrap_or_default()
            .into_owned()
    };
    node.tokens().enumerate().map(value).collect()
}

impl<'t> Array<'t> {
    /// Its items, spreads included.
    pub fn items(self) -> impl Iterator<Item = Node<'t>> {
        self.0.children().filter(|node| matches!(node.kind(), SyntaxKind::ArrayItem | SyntaxKind::Spread))
    }
}

impl<'t> ArrayItem<'t> {
    pub fn value(self) -> Expr<'t> {
        expr_at(self.0, 0)
    }
}

impl<'t> Object<'t> {
    pub fn properties(self) -> impl Iterator<Item = Property<'t>> {
        self.0.children().filter_map(Property::cast)
    }

    pub fn spreads(self) -> impl Iterator<Item = Spread<'t>> {
        self.0.children().filter_map(Spread::cast)
    }

    /// The resources declared in it.
    pub fn resources(self) -> impl Iterator<Item = Resource<'t>> {
        self.0.children().filter_map(Resource::cast)
    }

    /// Its property of a name, compared exactly. `None` also where there are several of them.
    pub fn property(self, name: &str) -> Option<Property<'t>> {
        let mut found = self.properties_named(name);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Its last property of a name, compared exactly.
    pub fn last_property(self, name: &str) -> Option<Property<'t>> {
        self.properties_named(name).last()
    }

    fn properties_named(self, name: &str) -> impl Iterator<Item = Property<'t>> {
        self.properties().filter(move |property| property.is_named(name))
    }
}

impl<'t> Property<'t> {
    /// Its key: a [`Name`], a [`Str`] or something skipped.
    #[inline]
    pub fn key(self) -> Node<'t> {
        node_at(self.0, 0).unwrap_or(self.0)
    }

    /// Its key as text, if that is known without evaluating anything.
    pub fn key_text(self) -> Option<Cow<'t, str>> {
        key_text(self.key())
    }

    /// Whether this is its key, compared exactly.
    pub fn is_named(self, name: &str) -> bool {
        let key = self.key();
        match Name::cast(key) {
            // Most names have another length, which is known sooner than their text.
            Some(key) => key.range().len() == TextSize::of(name) && key.text() == Some(name),
            None => Str::cast(key).is_some_and(|key| key.plain_value().as_deref() == Some(name)),
        }
    }

    pub fn value(self) -> Expr<'t> {
        expr_at(self.0, 2)
    }
}

/// A key as text, quoted or not.
#[inline]
pub(super) fn key_text(key: Node<'_>) -> Option<Cow<'_, str>> {
    match Name::cast(key) {
        Some(name) => name.text().map(Cow::Borrowed),
        None => Str::cast(key).and_then(Str::plain_value),
    }
}

impl<'t> Spread<'t> {
    /// What is spread.
    pub fn value(self) -> Expr<'t> {
        expr_at(self.0, 1)
    }
}

impl<'t> Paren<'t> {
    /// The expression inside.
    pub fn value(self) -> Expr<'t> {
        expr_at(self.0, 1)
    }
}

impl<'t> Ternary<'t> {
    /// What is asked.
    pub fn condition(self) -> Expr<'t> {
        expr_at(self.0, 0)
    }

    /// The value if it is so.
    pub fn if_true(self) -> Expr<'t> {
        expr_at(self.0, 2)
    }

    /// The value if it is not.
    pub fn if_false(self) -> Expr<'t> {
        expr_at(self.0, 4)
    }
}

impl<'t> Binary<'t> {
    /// The left side.
    pub fn left(self) -> Expr<'t> {
        expr_at(self.0, 0)
    }

    pub fn operator(self) -> Option<Token<'t>> {
        self.0.tokens().next()
    }

    /// The right side.
    pub fn right(self) -> Expr<'t> {
        expr_at(self.0, 2)
    }
}

impl<'t> Unary<'t> {
    pub fn operator(self) -> Option<Token<'t>> {
        self.0.tokens().next()
    }

    /// What it is applied to.
    pub fn operand(self) -> Expr<'t> {
        expr_at(self.0, 1)
    }
}

macro_rules! has_base {
    ($($name:ident)*) => {
        $(impl<'t> $name<'t> {
            /// What stands before the access.
            pub fn base(self) -> Expr<'t> {
                expr_at(self.0, 0)
            }
        })*
    };
}

has_base! { NonNull Index PropertyAccess ResourceAccess MethodCall }

impl<'t> Index<'t> {
    pub fn index(self) -> Expr<'t> {
        self.0.children().nth(1).map_or(Expr::Skipped(self.0), Expr::of)
    }

    /// Whether it is `a[?b]`.
    pub fn is_safe(self) -> bool {
        self.0.token(SyntaxKind::Question).is_some()
    }

    /// Whether it is `a[^b]`.
    pub fn is_from_end(self) -> bool {
        self.0.token(SyntaxKind::Hat).is_some()
    }
}

impl<'t> PropertyAccess<'t> {
    /// The name of the property.
    pub fn name(self) -> Option<Name<'t>> {
        self.0.children().filter_map(Name::cast).next_back()
    }

    /// Whether it is `a.?b`.
    pub fn is_safe(self) -> bool {
        self.0.token(SyntaxKind::Question).is_some()
    }
}

impl<'t> ResourceAccess<'t> {
    /// The name of the nested resource.
    pub fn name(self) -> Option<Name<'t>> {
        self.0.children().filter_map(Name::cast).next_back()
    }
}

impl<'t> VarAccess<'t> {
    pub fn name(self) -> Option<Name<'t>> {
        name_of(self.0)
    }
}

macro_rules! is_call {
    ($($name:ident)*) => {
        $(impl<'t> $name<'t> {
            /// The name of the function.
            pub fn name(self) -> Option<Name<'t>> {
                name_of(self.0)
            }

            pub fn arguments(self) -> impl DoubleEndedIterator<Item = Argument<'t>> {
                self.0.children().filter_map(Argument::cast)
            }

            /// The opening parenthesis.
            pub fn open_paren(self) -> Option<Token<'t>> {
                self.0.token(SyntaxKind::LeftParen)
            }

            /// The closing parenthesis, where it is not missing.
            pub fn close_paren(self) -> Option<Token<'t>> {
                self.0.token(SyntaxKind::RightParen)
            }
        })*
    };
}

is_call! { Call MethodCall }

impl<'t> Argument<'t> {
    pub fn value(self) -> Expr<'t> {
        expr_at(self.0, 0)
    }
}

impl<'t> Lambda<'t> {
    /// The names it binds.
    pub fn variables(self) -> impl Iterator<Item = LocalVar<'t>> {
        bound_variables(node_at(self.0, 0))
    }

    /// What stands before the arrow.
    pub fn variable_section(self) -> Node<'t> {
        node_at(self.0, 0).unwrap_or(self.0)
    }

    pub fn body(self) -> Expr<'t> {
        expr_at(self.0, 2)
    }
}

/// The variables of a single name or of a block of names.
fn bound_variables(section: Option<Node<'_>>) -> impl Iterator<Item = LocalVar<'_>> {
    let single = section.and_then(LocalVar::cast);
    let block = section.and_then(VarBlock::cast);
    single.into_iter().chain(block.into_iter().flat_map(VarBlock::variables))
}

impl<'t> VarBlock<'t> {
    /// The names in it.
    pub fn variables(self) -> impl Iterator<Item = LocalVar<'t>> {
        self.0.children().filter_map(LocalVar::cast)
    }
}

impl<'t> LocalVar<'t> {
    pub fn name(self) -> Option<Name<'t>> {
        name_of(self.0)
    }
}

impl<'t> TypedLambda<'t> {
    pub fn parameters(self) -> impl Iterator<Item = TypedLocalVar<'t>> {
        self.0
            .child(SyntaxKind::TypedVarBlock)
            .into_iter()
            .flat_map(Node::children)
            .filter_map(TypedLocalVar::cast)
    }

    /// The type of its result.
    pub fn return_type(self) -> TypeExpr<'t> {
        type_at(self.0, 1)
    }

    pub fn body(self) -> Expr<'t> {
        expr_at(self.0, 3)
    }
}

impl<'t> TypedLocalVar<'t> {
    pub fn name(self) -> Option<Name<'t>> {
        name_of(self.0)
    }

    /// Its type.
    pub fn ty(self) -> TypeExpr<'t> {
        type_at(self.0, 1)
    }
}

impl<'t> For<'t> {
    /// What stands between `for` and `in`.
    pub fn variable_section(self) -> Node<'t> {
        node_at(self.0, 2).unwrap_or(self.0)
    }

    /// The names it binds.
    pub fn variables(self) -> impl Iterator<Item = LocalVar<'t>> {
        bound_variables(node_at(self.0, 2))
    }

    /// The name of the item.
    pub fn item(self) -> Option<LocalVar<'t>> {
        self.variables().next()
    }

    /// The name of the index.
    pub fn index(self) -> Option<LocalVar<'t>> {
        self.variables().nth(1)
    }

    /// What is looped over.
    pub fn source(self) -> Expr<'t> {
        expr_at(self.0, 4)
    }

    /// What is made for each item.
    pub fn body(self) -> Expr<'t> {
        expr_at(self.0, 6)
    }

    /// The keyword `for`.
    pub fn keyword(self) -> Option<Token<'t>> {
        super::parts(self.0).nth(1).and_then(Element::token)
    }
}

impl<'t> If<'t> {
    /// The condition, with its parentheses.
    pub fn condition(self) -> Expr<'t> {
        expr_at(self.0, 1)
    }

    /// The object behind it.
    pub fn body(self) -> Option<Object<'t>> {
        node_at(self.0, 2).and_then(Object::cast)
    }
}
