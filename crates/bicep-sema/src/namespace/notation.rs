//! Signatures as text: `name(first: string, second?: int, ...2 rest: array): bool` comes in, an [`Overload`] goes out.
//!
//! The tables of built-in functions are written in this notation. A parameter is optional with `?`, a compile-time
//! constant with `const`, known when the deployment starts with `early`, and stands for any number of arguments with
//! `...N`, where `N` is how many there must be. Types are primitives, `T[]`, unions `T|U`, lambdas `(T, U, [V]) => W`
//! (arguments in brackets need not be taken), and the names that the table defines for itself.

use std::sync::{Arc, OnceLock};

use base::SmolStr;
use bicep_types::ty::{
    FunctionFlags, FunctionName, IntRange, LambdaType, Overload, Parameter, ParameterFlags, Type, TypeFlags,
    VariadicParameter, union,
};

use super::Audience;

/// Names for types that the notation cannot say.
pub(super) type Names = fn(&str) -> Option<Type>;

/// What a row of a table says: who sees the function, its signature, what is special about calling it, what it does.
pub(super) type Row = (Audience, &'static str, FunctionFlags, &'static str);

/// A function of a table. Its signature is read when somebody calls it: a file calls few of all that it could.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(super) audience: Audience,
    pub(super) name: FunctionName,
    row: &'static Row,
    /// The position that the overload remembers.
    position: Option<usize>,
    names: Names,
    overload: OnceLock<Arc<Overload>>,
}

impl Declared {
    /// The function that a row declares.
    pub(super) fn new(row: &'static Row, names: Names) -> Self {
        let signature = row.1.split('(').next().unwrap_or_default();
        let name = match signature.strip_suffix('*') {
            Some(prefix) => FunctionName::Prefix(SmolStr::new_static(prefix)),
            None => FunctionName::Exact(SmolStr::new_static(signature)),
        };
        Self { audience: row.0, name, row, position: None, names, overload: OnceLock::new() }
    }

    /// The same for a row at a position to which its overload leads back.
    pub(super) fn at(self, position: usize) -> Self {
        Self { position: Some(position), ..self }
    }

    pub(super) fn overload(&self) -> &Arc<Overload> {
        self.overload.get_or_init(|| {
            let (_, signature, flags, description) = self.row;
            let read = overload(signature, self.names).described(description).flagged(*flags);
            Arc::new(Overload { row: self.position, ..read })
        })
    }
}

/// The functions of a table.
pub(super) fn declared(rows: &'static [Row], names: Names) -> Vec<Declared> {
    rows.iter().map(|row| Declared::new(row, names)).collect()
}

/// Reads a signature. What is not understood reads as `any`; the tables are covered by a test that forbids that.
pub(super) fn overload(signature: &str, names: Names) -> Overload {
    let mut reader = SignatureParser { rest: signature, names, misread: false };
    let overload = reader.overload();
    debug_assert!(!reader.misread, "cannot read the signature {signature}");
    overload
}

struct SignatureParser<'s> {
    rest: &'s str,
    names: Names,
    misread: bool,
}

impl<'s> SignatureParser<'s> {
    fn overload(&mut self) -> Overload {
        let name = self.word();
        let mut overload = Overload::new(name, Type::any());
        if self.eat("*") {
            overload.name = FunctionName::Prefix(name.into());
        }
        self.expect("(");
        while !self.eat(")") && !self.rest.is_empty() {
            self.parameter(&mut overload);
            self.eat(",");
        }
        if self.eat(":") {
            overload.result = self.ty();
        }
        overload
    }

    fn parameter(&mut self, overload: &mut Overload) {
        let flags = if self.eat("const ") {
            ParameterFlags::CONSTANT
        } else if self.eat("early ") {
            ParameterFlags::DEPLOY_TIME_CONSTANT
        } else {
            ParameterFlags::empty()
        };
        if self.eat("...") {
            let min_count = self.word().parse().unwrap_or(0);
            let prefix = SmolStr::new(self.word());
            self.expect(":");
            let ty = self.ty();
            let description = SmolStr::default();
            overload.variadic = Some(VariadicParameter { prefix, ty, min_count, flags, description });
            return;
        }
        let name = SmolStr::new(self.word());
        let required = if self.eat("?") { ParameterFlags::empty() } else { ParameterFlags::REQUIRED };
        self.expect(":");
        let (ty, description) = (self.ty(), SmolStr::default());
        overload.parameters.push(Parameter { name, ty, flags: flags | required, description });
    }

    fn ty(&mut self) -> Type {
        let mut members = vec![self.member()];
        while self.eat("|") {
            members.push(self.member());
        }
        if members.len() == 1 { members.swap_remove(0) } else { union(members) }
    }

    fn member(&mut self) -> Type {
        let mut ty = if self.eat("(") { self.lambda() } else { self.named() };
        while self.eat("[]") {
            ty = Type::array_of(ty);
        }
        ty
    }

    fn lambda(&mut self) -> Type {
        let mut lambda = LambdaType { arguments: Vec::new(), optional: Vec::new(), result: Type::any() };
        while !self.eat(")") && !self.rest.is_empty() {
            if self.eat("[") {
                lambda.optional.push(self.ty());
                self.expect("]");
            } else {
                lambda.arguments.push(self.ty());
            }
            self.eat(",");
        }
        self.expect("=>");
        lambda.result = self.ty();
        lambda.into()
    }

    fn named(&mut self) -> Type {
        let name = self.word();
        match name {
            "any" => Type::any(),
            "string" => Type::string(),
            "int" => Type::int(),
            "natural" => Type::int_between(IntRange { min: Some(0), max: None }, TypeFlags::empty()),
            "positive" => Type::int_between(IntRange { min: Some(1), max: None }, TypeFlags::empty()),
            "bool" => Type::bool(),
            "object" => Type::object(),
            "array" => Type::array(),
            "null" => Type::null(),
            "never" => Type::never(),
            name => (self.names)(name).unwrap_or_else(|| {
                self.misread = true;
                Type::any()
            }),
        }
    }

    fn word(&mut self) -> &'s str {
        self.skip_space();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.misread |= word.is_empty();
        self.rest = rest;
        word
    }

    fn eat(&mut self, text: &str) -> bool {
        self.skip_space();
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }

    fn expect(&mut self, text: &str) {
        self.misread |= !self.eat(text);
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}
