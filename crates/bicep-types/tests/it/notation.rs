//! Reads types as they are written in the language, so that tests can say `ty("('a' | 'b')[]")`.

use std::iter::Peekable;
use std::str::Chars;

use bicep_types::ty::{IntRange, LengthRange, ObjectType, Property, PropertyFlags, StringShape, TypeFlags};
use bicep_types::{Type, ty};

/// The type that a text stands for. Beyond the language: `int(1..9)`, `string(1..9)`, `array(1..9)` have bounds,
/// `~string` is loose, `!string` is secret.
pub fn ty(text: &str) -> Type {
    let mut reader = Reader { chars: text.chars().peekable() };
    let ty = reader.union();
    assert_eq!(reader.chars.next(), None, "rest of `{text}`");
    ty
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn union(&mut self) -> Type {
        let mut members = vec![self.postfix()];
        while self.eat('|') {
            members.push(self.postfix());
        }
        ty::union(members)
    }

    fn postfix(&mut self) -> Type {
        let mut ty = self.primary();
        loop {
            if self.eat('[') {
                assert!(self.eat(']'));
                ty = Type::array_of(ty);
            } else if self.eat('?') {
                ty = ty.make_nullable();
            } else {
                return ty;
            }
        }
    }

    fn primary(&mut self) -> Type {
        self.space();
        match *self.chars.peek().expect("a type") {
            '\'' => Type::string_literal(self.quoted()),
            '~' => self.flagged(TypeFlags::ALLOW_LOOSE_ASSIGNMENT),
            '!' => self.flagged(TypeFlags::SECURE),
            '(' => {
                self.chars.next();
                let inner = self.union();
                assert!(self.eat(')'));
                inner
            }
            '[' => {
                self.chars.next();
                let mut items = Vec::new();
                while !self.eat(']') {
                    items.push(self.union());
                    self.eat(',');
                }
                Type::tuple(items)
            }
            '{' => self.object(),
            c if c == '-' || c.is_ascii_digit() => Type::int_literal(self.word().parse().unwrap()),
            _ => self.named(),
        }
    }

    fn flagged(&mut self, flags: TypeFlags) -> Type {
        self.chars.next();
        self.postfix().with_more_flags(flags)
    }

    fn named(&mut self) -> Type {
        let word = self.word();
        let bounds = self.bounds();
        match (word.as_str(), bounds) {
            ("int", bounds) => Type::int_between(bounds.unwrap_or_default(), TypeFlags::empty()),
            ("string", bounds) => {
                let IntRange { min, max } = bounds.unwrap_or_default();
                let shape = StringShape { min_length: min, max_length: max, pattern: None };
                Type::string_shaped(shape, TypeFlags::empty())
            }
            ("array", Some(length)) => Type::array_between(Type::any(), length, TypeFlags::empty()),
            ("array", None) => Type::array(),
            ("object", _) => Type::object(),
            ("bool", _) => Type::bool(),
            ("any", _) => Type::any(),
            ("never", _) => Type::never(),
            ("null", _) => Type::null(),
            ("error", _) => Type::error(),
            ("true", _) => Type::bool_literal(true),
            ("false", _) => Type::bool_literal(false),
            (word, _) => panic!("`{word}` is not a type"),
        }
    }

    fn bounds(&mut self) -> Option<LengthRange> {
        if !self.eat('(') {
            return None;
        }
        let text: String = self.chars.by_ref().take_while(|c| *c != ')').collect();
        let (min, max) = text.split_once("..").expect("bounds");
        Some(IntRange { min: min.parse().ok(), max: max.parse().ok() })
    }

    fn object(&mut self) -> Type {
        self.chars.next();
        let mut object = ObjectType::structural();
        while !self.eat('}') {
            self.space();
            let name = match self.chars.peek() {
                Some('\'') => self.quoted(),
                Some('*') => self.chars.next().unwrap().to_string(),
                _ => self.word(),
            };
            assert!(self.eat(':'), "colon after `{name}`");
            let ty = self.union();
            if name == "*" {
                object = object.with_additional(Property::new(ty, PropertyFlags::empty()));
            } else {
                let flags = if ty.is_nullable() { PropertyFlags::empty() } else { PropertyFlags::REQUIRED };
                object = object.with_property(name, ty, flags);
            }
            self.eat(',');
        }
        object.into()
    }

    fn quoted(&mut self) -> String {
        self.chars.next();
        self.chars.by_ref().take_while(|c| *c != '\'').collect()
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.chars.next_if(|c| c.is_alphanumeric() || *c == '-' || *c == '_') {
            word.push(c);
        }
        word
    }

    fn space(&mut self) {
        while self.chars.next_if_eq(&' ').is_some() {}
    }

    fn eat(&mut self, c: char) -> bool {
        self.space();
        self.chars.next_if_eq(&c).is_some()
    }
}
