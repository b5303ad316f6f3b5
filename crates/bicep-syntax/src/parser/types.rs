//! Type expressions.

use super::{ALOUD, Allowed, CompletedNode, Parsed, Parser};
use crate::SyntaxKind::{self, *};
use crate::keywords;
use crate::messages;

const OPERAND_ENDS: &[SyntaxKind] = &[StringRight, RightBrace, RightParen, RightSquare, NewLine];

impl Parser<'_> {
    /// A type, or `resource 'type@version'`. Outputs may leave the string out.
    pub(super) fn type_or_resource_type(&mut self, is_string_optional: bool) -> Parsed<CompletedNode> {
        if !self.check_keyword(keywords::RESOURCE) || self.ahead(1).kind == Less {
            return self.type_expression();
        }
        let node = self.start();
        self.bump();
        if !is_string_optional || self.check_any(&[StringComplete, StringLeft]) {
            self.recover(ALOUD, &[Assign, NewLine], |p| p.string_or(&messages::EXPECTED_RESOURCE_TYPE));
        }
        Ok(self.finish(node, ResourceType))
    }

    /// A type, possibly a union. A union may begin with a bar.
    pub(super) fn type_expression(&mut self) -> Parsed<CompletedNode> {
        self.nested(|p| {
            if !p.is_at_bar() {
                let first = p.type_with_markers()?;
                return if p.is_at_bar() { p.union(Some(first)) } else { Ok(first) };
            }
            p.union(None)
        })
    }

    fn is_at_bar(&self) -> bool {
        self.check(Pipe) || (self.check(NewLine) && self.ahead(1).kind == Pipe)
    }

    /// The rest of a union whose first member may have been read already.
    fn union(&mut self, first: Option<CompletedNode>) -> Parsed<CompletedNode> {
        let node = match first {
            Some(first) => {
                let member = self.start_around(first);
                let member = self.finish(member, UnionTypeMember);
                self.start_around(member)
            }
            None => {
                let node = self.start();
                self.bump_lines();
                self.bump();
                let member = self.start();
                self.type_with_markers()?;
                self.finish(member, UnionTypeMember);
                node
            }
        };
        while self.is_at_bar() {
            self.bump_lines();
            self.bump();
            if self.check(NewLine) {
                // Going on with the next line would read the next statement as a type.
                self.missing(Some(&messages::EXPECTED_TYPE_LITERAL));
            } else {
                self.recover(ALOUD, &[], |p| {
                    let member = p.start();
                    p.type_with_markers()?;
                    Ok(p.finish(member, UnionTypeMember))
                });
            }
        }
        Ok(self.finish(node, UnionType))
    }

    /// `T?`, `T!`.
    fn type_with_markers(&mut self) -> Parsed<CompletedNode> {
        let mut current = self.unary_type()?;
        loop {
            let kind = match self.kind() {
                Question => NullableType,
                Bang => NonNullableType,
                _ => return Ok(current),
            };
            let node = self.start_around(current);
            self.bump();
            current = self.finish_around(node, kind)?;
        }
    }

    fn unary_type(&mut self) -> Parsed<CompletedNode> {
        if !self.check_any(&[Bang, Minus]) {
            return self.member_type();
        }
        let node = self.start();
        self.bump();
        self.recover(ALOUD, OPERAND_ENDS, Self::member_type);
        Ok(self.finish(node, UnaryType))
    }

    fn member_type(&mut self) -> Parsed<CompletedNode> {
        let mut current = self.primary_type()?;
        loop {
            current = match self.kind() {
                LeftSquare if self.ahead(1).kind == RightSquare => {
                    let member = self.start_around(current);
                    let member = self.finish(member, ArrayTypeMember);
                    let node = self.start_around(member);
                    self.bump();
                    self.bump();
                    self.finish_around(node, ArrayType)?
                }
                LeftSquare => {
                    let node = self.start_around(current);
                    let kind = self.type_index()?;
                    self.finish_around(node, kind)?
                }
                Dot => {
                    let node = self.start_around(current);
                    let kind = self.type_dot()?;
                    self.finish_around(node, kind)?
                }
                _ => return Ok(current),
            };
        }
    }

    /// `[*]`, `[0]`.
    fn type_index(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let kind = if self.check(Star) {
            self.bump();
            TypeItemsAccess
        } else {
            self.expression(Allowed::SIMPLE)?;
            TypeIndex
        };
        self.expect(RightSquare)?;
        Ok(kind)
    }

    /// `.*`, `.name`, `.name<T>`.
    fn type_dot(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        if self.check(Star) {
            self.bump();
            return Ok(TypeAdditionalAccess);
        }
        self.name_or_missing(&messages::EXPECTED_MEMBER_NAME);
        if self.check(Less) {
            self.type_arguments();
            return Ok(MemberGenericType);
        }
        Ok(TypePropertyAccess)
    }

    /// `<T, U>`.
    fn type_arguments(&mut self) {
        self.bump();
        self.arguments(Greater, |p| {
            let node = p.start();
            p.recover(ALOUD, &[NewLine, Comma, Greater], Self::type_expression);
            p.finish(node, TypeArgument);
        });
        if self.check(Greater) {
            self.bump();
        } else {
            self.missing(Some(&messages::expected_character(">")));
        }
    }

    fn primary_type(&mut self) -> Parsed<CompletedNode> {
        match self.kind() {
            True | False => Ok(self.single(BoolType)),
            Null => Ok(self.single(NullType)),
            Integer => self.integer(IntType),
            StringComplete | StringLeft => Ok(self.string_as(StringType)),
            LeftBrace => self.object_type(),
            LeftSquare => self.tuple_type(),
            LeftParen => {
                let list = self.paren_list(false, Self::type_expression)?;
                Ok(self.finish_paren(&list, ParenType))
            }
            Identifier => {
                let name = self.single(Name);
                let node = self.start_around(name);
                if !self.check(Less) {
                    return Ok(self.finish(node, TypeVar));
                }
                self.type_arguments();
                Ok(self.finish(node, GenericType))
            }
            _ => Err(self.expected_here(&messages::EXPECTED_TYPE)),
        }
    }

    fn object_type(&mut self) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect(LeftBrace)?;
        self.elements(RightBrace, Self::object_type_member);
        self.expect(RightBrace)?;
        Ok(self.finish(node, ObjectType))
    }

    fn object_type_member(&mut self) {
        let node = self.start();
        self.decorators();
        let is_additional = self.check(Star);
        let key = if is_additional {
            self.recover_token(ALOUD, &[], |p| p.expect(Star))
        } else {
            self.recover(ALOUD, &[Colon, NewLine, RightBrace], Self::type_member_key)
        };
        let ends = &[NewLine, RightBrace];
        let colon = self.recover_token(key.quiet(), ends, |p| p.expect(Colon));
        self.recover(colon.quiet(), ends, Self::type_expression);
        self.finish(node, if is_additional { ObjectTypeAdditional } else { ObjectTypeProperty });
    }

    fn type_member_key(&mut self) -> Parsed<CompletedNode> {
        match self.kind() {
            Identifier => Ok(self.single(Name)),
            StringComplete | StringLeft => self.string_or(&messages::EXPECTED_PROPERTY_NAME),
            _ => Err(self.expected_here(&messages::EXPECTED_TYPE_PROPERTY_NAME)),
        }
    }

    fn tuple_type(&mut self) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect(LeftSquare)?;
        self.elements(RightSquare, |p| {
            p.recover(ALOUD, &[NewLine, RightSquare], |p| {
                let item = p.start();
                p.decorators();
                p.type_expression()?;
                Ok(p.finish(item, TupleTypeItem))
            });
        });
        self.expect(RightSquare)?;
        Ok(self.finish(node, TupleType))
    }
}
