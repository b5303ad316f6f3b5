//! Functions: what their overloads take and give. How a call is checked or evaluated is not known here.

use std::fmt;

use base::SmolStr;

use super::{FunctionFlags, ParameterFlags, Type, assignable};

/// One way to call a function.
#[derive(Debug, Clone)]
pub struct Overload {
    /// How it is called.
    pub name: FunctionName,
    /// Words for the editor.
    pub description: SmolStr,
    /// The parameters in order; required ones come first.
    pub parameters: Vec<Parameter>,
    /// What further arguments are.
    pub variadic: Option<VariadicParameter>,
    /// What the call gives.
    pub result: Type,
    /// Where it may be used.
    pub flags: FunctionFlags,
    /// The row of the table of its namespace that it was read from.
    pub row: Option<usize>,
}

/// The name of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionName {
    /// Exactly this.
    Exact(SmolStr),
    /// Anything made of this word and letters, as in `list*`.
    Prefix(SmolStr),
}

impl FunctionName {
    /// Whether a call with this name is meant.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::Prefix(prefix) => name
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphabetic())),
        }
    }
}

impl fmt::Display for FunctionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(name) => f.write_str(name),
            Self::Prefix(prefix) => write!(f, "{prefix}*"),
        }
    }
}

/// A parameter of a function.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: SmolStr,
    /// What it takes.
    pub ty: Type,
    /// What else holds for it.
    pub flags: ParameterFlags,
    /// Words for the editor.
    pub description: SmolStr,
}

/// What stands for all arguments after the last parameter.
#[derive(Debug, Clone)]
pub struct VariadicParameter {
    /// Its name, to which a number is added.
    pub prefix: SmolStr,
    /// What it takes.
    pub ty: Type,
    /// How many there have to be.
    pub min_count: usize,
    /// What else holds for it.
    pub flags: ParameterFlags,
    /// Words for the editor.
    pub description: SmolStr,
}

/// How many arguments a call may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arity {
    /// At least.
    pub min: usize,
    /// At most; `None` for any number.
    pub max: Option<usize>,
}

impl Arity {
    /// Whether a call may have this many arguments.
    pub fn allows(self, count: usize) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }
}

impl Overload {
    /// An overload without parameters.
    pub fn new(name: impl Into<SmolStr>, result: Type) -> Self {
        Self {
            name: FunctionName::Exact(name.into()),
            description: SmolStr::default(),
            parameters: Vec::new(),
            variadic: None,
            result,
            flags: FunctionFlags::empty(),
            row: None,
        }
    }

    /// With one more parameter that must be given.
    #[must_use]
    pub fn required(self, name: &str, ty: Type, description: &str) -> Self {
        self.parameter(Parameter {
            name: name.into(),
            ty,
            flags: ParameterFlags::REQUIRED,
            description: description.into(),
        })
    }

    /// With one more parameter that need not be given.
    #[must_use]
    pub fn optional(self, name: &str, ty: Type, description: &str) -> Self {
        self.parameter(Parameter {
            name: name.into(),
            ty,
            flags: ParameterFlags::empty(),
            description: description.into(),
        })
    }

    /// With one more parameter.
    #[must_use]
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// With any number of further arguments.
    #[must_use]
    pub fn rest(mut self, variadic: VariadicParameter) -> Self {
        self.variadic = Some(variadic);
        self
    }

    /// With words for the editor.
    #[must_use]
    pub fn described(mut self, description: &str) -> Self {
        self.description = description.into();
        self
    }

    /// With more flags.
    #[must_use]
    pub fn flagged(mut self, flags: FunctionFlags) -> Self {
        self.flags |= flags;
        self
    }

    /// How many arguments a call may have.
    pub fn arity(&self) -> Arity {
        let required = self.parameters.iter().filter(|p| p.flags.contains(ParameterFlags::REQUIRED)).count();
        let more = self.variadic.as_ref().map_or(0, |variadic| variadic.min_count);
        Arity { min: required + more, max: self.variadic.is_none().then_some(self.parameters.len()) }
    }

    /// What the argument at this place has to be.
    pub fn argument_type(&self, index: usize) -> Option<&Type> {
        match self.parameters.get(index) {
            Some(parameter) => Some(&parameter.ty),
            None => self.variadic.as_ref().map(|variadic| &variadic.ty),
        }
    }

    /// The first argument that does not fit, when the number of arguments does.
    pub fn first_mismatch(&self, arguments: &[Type]) -> Option<usize> {
        arguments.iter().enumerate().position(|(index, argument)| {
            self.argument_type(index).is_none_or(|expected| !assignable(argument, expected))
        })
    }

    /// Parameters and result as one line: `(name: string, [count: int]): array`.
    pub fn signature(&self) -> String {
        let parameters = self.parameters.iter().map(|p| {
            let text = format!("{}: {}", p.name, p.ty);
            if p.flags.contains(ParameterFlags::REQUIRED) { text } else { format!("[{text}]") }
        });
        let rest = self.variadic.iter().map(|variadic| format!("... : {}", variadic.ty));
        let all: Vec<_> = parameters.chain(rest).collect();
        format!("({}): {}", all.join(", "), self.result)
    }
}

/// A function given as an argument: `(item, [index]) => result`.
#[derive(Debug, Clone)]
pub struct LambdaType {
    /// The arguments it must take.
    pub arguments: Vec<Type>,
    /// The arguments it may take after those.
    pub optional: Vec<Type>,
    /// What it gives.
    pub result: Type,
}

impl LambdaType {
    /// How many arguments it takes.
    pub fn arity(&self) -> Arity {
        Arity { min: self.arguments.len(), max: Some(self.arguments.len() + self.optional.len()) }
    }

    /// Required and optional arguments in order.
    pub fn all_arguments(&self) -> impl Iterator<Item = &Type> {
        self.arguments.iter().chain(&self.optional)
    }
}
