//! What everything is called in the Bicep file. Names of the template come in, in the order parameters, outputs, resources,
//! functions, variables; identifiers that do not clash go out. Case does not count.

use std::borrow::Cow;
use std::fmt::Write as _;

use arm::expression::{Accessor, Expr, ExprKind};
use rustc_hash::FxHashMap;

use crate::failure::{Failure, Result};
use crate::messages;
use crate::strings;

/// The longest identifier of the language.
const LONGEST: usize = 255;

/// Hardly an expression for a name has more bytes.
const USUAL_NAME: usize = 128;

/// What a name is for. Outputs have names of their own; all others share one space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NameKind {
    Parameter,
    Output,
    Resource,
    Function,
    Variable,
    /// A user-defined type.
    Type,
}

/// The names of one file.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Whether names are those of the reference even where they clash or it gives up.
    is_exact: bool,
    /// Who asked for an identifier, and what they got. The key is in lower case.
    taken: FxHashMap<String, Vec<(NameKind, String)>>,
    /// What was declared, by the names of the template as they are written there, which is how nearly everything refers to them.
    declared: FxHashMap<String, Vec<(NameKind, String)>>,
    /// Type and name of resources → symbol, in the order of the template. The key is in lower case.
    resources: Vec<(String, String)>,
    /// All identifiers that were given.
    given: Vec<(NameKind, String)>,
    /// The variables of loops and the parameters of functions around the current place.
    scopes: Vec<Scope>,
}

/// Names that mean themselves inside of a loop or a function.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) variables: Vec<String>,
    pub(crate) parameters: Vec<String>,
}

impl Names {
    pub(crate) fn new(is_exact: bool) -> Self {
        Self { is_exact, ..Self::default() }
    }

    /// Whether a function of the language cannot be called by its name alone, because something else has it.
    pub(crate) fn hides(&self, function: &str) -> bool {
        let is_hidden = |(kind, name): &(NameKind, String)| *kind != NameKind::Output && name == function;
        !self.is_exact && self.given.iter().any(is_hidden)
    }

    /// Opens a loop or a function.
    pub(crate) fn enter(&mut self, scope: Scope) {
        self.scopes.push(scope);
    }

    /// Closes it.
    pub(crate) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Whether the current place is inside of a loop.
    pub(crate) fn is_inside_loop(&self) -> bool {
        self.scopes.iter().any(|scope| !scope.variables.is_empty())
    }

    /// Whether a name is the variable of a loop around the current place.
    pub(crate) fn is_local(&self, variable: &str) -> bool {
        self.scopes.iter().any(|scope| scope.variables.iter().any(|it| it == variable))
    }

    /// The identifier of something that was declared.
    pub(crate) fn lookup(&self, kind: NameKind, name: &str) -> Option<String> {
        let is_local = |scope: &Scope| match kind {
            NameKind::Variable => scope.variables.iter().any(|it| it == name),
            NameKind::Parameter => scope.parameters.iter().any(|it| it == name),
            _ => false,
        };
        if self.scopes.iter().any(is_local) {
            return Some(name.to_owned());
        }
        let is_it = |(holder, _): &&(NameKind, String)| *holder == kind;
        let declared = self.declared.get(name).and_then(|holders| holders.iter().find(is_it));
        let in_any_case =
            || self.taken.get(&*lowercase(identifier(name, Source::Template)))?.iter().find(is_it);
        declared.or_else(in_any_case).map(|(_, name)| name.clone())
    }

    /// Declares something; nothing where it is declared already.
    pub(crate) fn declare(&mut self, kind: NameKind, name: &str) -> Option<String> {
        let identifier = self.take(kind, &identifier(name, Source::Template))?;
        self.declared.entry(name.to_owned()).or_default().push((kind, identifier.clone()));
        Some(identifier)
    }

    /// Declares a resource under a short name, else under one with its type.
    pub(crate) fn declare_resource(&mut self, ty: &str, name: &Expr) -> Result<Option<String>> {
        let name = strings::rewrite(name, &mut |expr| strings::flatten(&expr))?;
        let ty = ty.trim_end_matches('/');
        let short = without_name_suffix(&identifier(&literals(&name), Source::Generated));
        let symbol = match self.take(NameKind::Resource, &identifier(&short, Source::Generated)) {
            Some(symbol) => Some(symbol),
            None => self.take(NameKind::Resource, &identifier(&format!("{ty}_{short}"), Source::Generated)),
        };
        let symbol = match symbol {
            Some(long) if !self.is_exact && long.len() > LONGEST => {
                let start: String = long.chars().take(LONGEST - 10).collect();
                let hash =
                    long.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
                self.take(NameKind::Resource, &format!("{start}_{hash:08x}"))
            }
            None if !self.is_exact => {
                let numbered = (2..=1000).map(|number| format!("{ty}_{short}{number}"));
                let mut names = numbered.map(|name| identifier(&name, Source::Generated));
                names.find_map(|name| self.take(NameKind::Resource, &name))
            }
            symbol => symbol,
        };
        if let Some(symbol) = &symbol {
            let key = resource_key(ty, &name);
            match self.resources.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => known.clone_from(symbol),
                None => self.resources.push((key, symbol.clone())),
            }
        }
        Ok(symbol)
    }

    /// Declares a resource that has a symbolic name in the template.
    pub(crate) fn declare_symbolic(&mut self, symbol: &str, ty: &str, name: &Expr) -> Option<String> {
        let symbol = self.declare(NameKind::Resource, symbol)?;
        let name = strings::rewrite(name, &mut |expr| strings::flatten(&expr)).ok()?;
        let key = resource_key(ty.trim_end_matches('/'), &name);
        if !self.resources.iter().any(|(known, _)| *known == key) {
            self.resources.push((key, symbol.clone()));
        }
        Some(symbol)
    }

    /// The symbol of a resource. Without a type it is looked for by its name alone.
    pub(crate) fn resource(&self, ty: Option<&str>, name: &Expr) -> Result<Option<String>> {
        let name = strings::rewrite(name, &mut |expr| strings::flatten(&expr))?;
        let Some(ty) = ty else { return self.resource_by_name(&name) };
        let key = resource_key(ty.trim_end_matches('/'), &name);
        Ok(self.resources.iter().find(|(known, _)| *known == key).map(|(_, symbol)| symbol.clone()))
    }

    fn resource_by_name(&self, name: &Expr) -> Result<Option<String>> {
        let suffix = identifier(&format!("_{name}"), Source::Generated).to_lowercase();
        let mut found = self.resources.iter().filter(|(key, _)| key.ends_with(&suffix));
        match (found.next(), found.next()) {
            (Some(_), Some(_)) if self.is_exact => Err(Failure::new(messages::AMBIGUOUS)),
            (Some(_), Some(_)) => Ok(None),
            (found, _) => Ok(found.map(|(_, symbol)| symbol.clone())),
        }
    }

    fn take(&mut self, kind: NameKind, identifier: &str) -> Option<String> {
        let holders = self.taken.entry(lowercase(identifier).into_owned()).or_default();
        let has = |kind: NameKind| holders.iter().any(|(holder, _)| *holder == kind);
        if has(kind) {
            return None;
        }
        let is_name_of_another = |name: &str| {
            let is_in_same_space =
                |other: NameKind| (other == NameKind::Output) == (kind == NameKind::Output);
            self.given
                .iter()
                .any(|(other, known)| json::eq_ignore_case(known, name) && is_in_same_space(*other))
        };
        let is_clash = kind != NameKind::Output
            && [NameKind::Parameter, NameKind::Variable, NameKind::Resource, NameKind::Type]
                .iter()
                .any(|other| has(*other));
        let name = match is_clash {
            true => format!("{identifier}_{}", suffix(kind)),
            false => identifier.to_owned(),
        };
        let name = match self.is_exact || !is_name_of_another(&name) {
            true => name,
            false => {
                let numbered = (2..).map(|number| format!("{name}{number}"));
                numbered.into_iter().find(|name| !is_name_of_another(name)).unwrap_or_default()
            }
        };
        self.given.push((kind, name.clone()));
        holders.push((kind, name.clone()));
        Some(name)
    }
}

fn suffix(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Parameter => "param",
        NameKind::Output => "output",
        NameKind::Resource => "resource",
        NameKind::Function => "FUNCTION",
        NameKind::Variable => "var",
        NameKind::Type => "type",
    }
}

fn resource_key(ty: &str, name: &Expr) -> String {
    let mut text = String::with_capacity(ty.len() + USUAL_NAME);
    // Writing to a String cannot fail.
    let _ = write!(text, "{ty}_{name}");
    lowercase(identifier(&text, Source::Generated)).into_owned()
}

/// Where a name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The template: outer underscores stay.
    Template,
    /// Put together here: they go.
    Generated,
}

/// A text as an identifier: each run of other characters becomes one underscore.
pub(crate) fn identifier(text: &str, source: Source) -> String {
    let is_other = |c: char| !c.is_alphanumeric();
    let mut rest = match source {
        Source::Template => text,
        Source::Generated => text.trim_matches(is_other),
    };
    let mut out = String::with_capacity(rest.len() + 1);
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        out.push('_');
    }
    while !rest.is_empty() {
        let (word, behind) = rest.split_at(word_length(rest));
        out.push_str(word);
        if !behind.is_empty() {
            out.push('_');
        }
        rest = behind.trim_start_matches(is_other);
    }
    out
}

/// How many bytes of letters and digits a text begins with. Hardly any is beyond ASCII.
fn word_length(text: &str) -> usize {
    let length = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    match text.as_bytes().get(length) {
        Some(byte) if !byte.is_ascii() => text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len()),
        _ => length,
    }
}

/// A name in lower case, in which most are written.
pub(crate) fn lowercase<'n>(name: impl Into<Cow<'n, str>>) -> Cow<'n, str> {
    let mut name = name.into();
    if !name.is_ascii() {
        return Cow::Owned(name.to_lowercase());
    }
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_mut().make_ascii_lowercase();
    }
    name
}

/// `vmName` → `vm`, `vmName2` → `vm2`: the name of a variable with the name of a resource should not become its symbol.
fn without_name_suffix(text: &str) -> String {
    let before_digits = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(before_digits.len()..).unwrap_or_default();
    let Some(rest) = before_digits.strip_suffix("Name") else { return text.to_owned() };
    let is_word = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let has_letter = rest.chars().rev().take_while(is_word).any(|c| c.is_ascii_alphabetic());
    if has_letter { format!("{rest}{digits}") } else { text.to_owned() }
}

/// All literals of an expression, depth first.
fn literals(expr: &Expr) -> String {
    match expr.kind() {
        ExprKind::Call(call) => call.args.iter().map(literals).collect::<Vec<_>>().join("_"),
        ExprKind::Access { base, path } => {
            let mut parts: Vec<String> = match base.kind() {
                ExprKind::Call(call) => call.args.iter().map(literals).collect(),
                _ => vec![literals(base)],
            };
            parts.extend(path.iter().map(|step| match step {
                Accessor::Property(name) => name.to_string(),
                Accessor::Index(index) => literals(index),
            }));
            parts.join("_")
        }
        _ => strings::literal(expr).unwrap_or_default().into_owned(),
    }
}
