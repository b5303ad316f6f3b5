//! What a file shows to other files: parameters, outputs, exports, target scope, extensions. The same for Bicep files,
//! parameter files and templates in JSON.

mod template;

use std::sync::{Arc, OnceLock};

use base::SmolStr;
use bicep_syntax::Dialect;
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{Kind, ObjectType, Overload, PropertyFlags, Scopes, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decorator;
use crate::model::Model;
use crate::program::{BicepFile, FileId, Program, Unit};
use crate::symbol::{Symbol, SymbolKind};

/// What a file shows to other files.
#[derive(Debug, Clone)]
pub struct Interface {
    /// Where it is deployed to.
    pub target: Scopes,
    /// What it takes, in the order of declaration.
    pub parameters: Vec<ParameterInfo>,
    /// What it gives.
    pub outputs: Vec<OutputInfo>,
    /// What can be imported from it.
    pub exports: Vec<Export>,
    /// The extensions that it uses.
    pub extensions: Vec<ExtensionInfo>,
    /// For a parameter file: what it assigns, inherited assignments included.
    pub assignments: Vec<(SmolStr, Type)>,
    /// Whether it cannot be used because something is wrong with it.
    pub has_errors: bool,
    /// Whether it is a template in JSON.
    pub is_template: bool,
    /// Whether it is a parameter file.
    pub is_params: bool,
    /// Whether extensions are configured from outside.
    pub has_extension_configs: bool,
    /// For a template: the resource types that types of parameters and outputs are taken from, as written.
    pub derived_types: Vec<SmolStr>,
    /// Where things are.
    pub(crate) positions: Positions,
}

/// The positions of parameters and exports by name; found when first asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Positions {
    parameters: OnceLock<FxHashMap<SmolStr, usize>>,
    exports: OnceLock<FxHashMap<SmolStr, usize>>,
}

/// The first position of each name.
fn positions<'n>(names: impl Iterator<Item = &'n SmolStr>) -> FxHashMap<SmolStr, usize> {
    let mut positions = FxHashMap::default();
    for (position, name) in names.enumerate() {
        positions.entry(name.clone()).or_insert(position);
    }
    positions
}

/// A parameter of a file.
#[derive(Debug, Clone)]
pub struct ParameterInfo {
    pub name: SmolStr,
    /// What it takes.
    pub ty: Type,
    /// Whether it must be given.
    pub is_required: bool,
    /// Whether its value is a secret.
    pub is_secure: bool,
    /// Words for the reader.
    pub description: Option<SmolStr>,
}

/// An output of a file.
#[derive(Debug, Clone)]
pub struct OutputInfo {
    pub name: SmolStr,
    /// What it gives.
    pub ty: Type,
    /// Whether its value is a secret or contains one.
    pub is_secure: bool,
    /// Words for the reader.
    pub description: Option<SmolStr>,
}

/// Something that can be imported.
#[derive(Debug, Clone)]
pub struct Export {
    pub name: SmolStr,
    pub kind: ExportKind,
    /// Words for the reader.
    pub description: Option<SmolStr>,
}

/// What an export is.
#[derive(Debug, Clone)]
pub enum ExportKind {
    Type(Type),
    /// A variable of this type.
    Variable(Type),
    Function(Arc<Overload>),
    /// Several things of one name, as templates may have them.
    Ambiguous,
}

/// An extension that a file uses.
#[derive(Debug, Clone)]
pub struct ExtensionInfo {
    /// Its name in the file.
    pub alias: SmolStr,
    /// Its own name.
    pub name: SmolStr,
    pub version: SmolStr,
    /// What can be configured from outside; what the file gives itself is optional.
    pub configuration: Option<Type>,
    /// Whether it has to be configured from outside.
    pub is_required: bool,
}

impl Interface {
    /// Whether nobody could tell two interfaces apart, so that whoever has looked at one need not look at the other.
    pub(crate) fn is_identical(&self, other: &Self) -> bool {
        fn all<T>(a: &[T], b: &[T], is_identical: impl Fn(&T, &T) -> bool) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_identical(a, b))
        }
        let flags = |it: &Self| (it.has_errors, it.is_template, it.is_params, it.has_extension_configs);
        self.target == other.target
            && flags(self) == flags(other)
            && self.derived_types == other.derived_types
            && all(&self.parameters, &other.parameters, ParameterInfo::is_identical)
            && all(&self.outputs, &other.outputs, OutputInfo::is_identical)
            && all(&self.exports, &other.exports, Export::is_identical)
            && all(&self.extensions, &other.extensions, ExtensionInfo::is_identical)
            && all(&self.assignments, &other.assignments, |a, b| a.0 == b.0 && a.1.is_identical(&b.1))
    }

    /// A parameter by name.
    pub fn parameter(&self, name: &str) -> Option<&ParameterInfo> {
        let names = || self.parameters.iter().map(|parameter| &parameter.name);
        self.parameters.get(*self.positions.parameters.get_or_init(|| positions(names())).get(name)?)
    }

    /// Whether an output is secure.
    pub fn is_secure_output(&self, name: &str) -> bool {
        self.outputs.iter().any(|output| output.name == name && output.is_secure)
    }

    /// Whether any output is secure.
    pub fn has_secure_outputs(&self) -> bool {
        self.outputs.iter().any(|output| output.is_secure)
    }

    /// The parameters in the order of their names.
    pub fn sorted_parameters(&self) -> impl Iterator<Item = &ParameterInfo> {
        let mut sorted: Vec<&ParameterInfo> = self.parameters.iter().collect();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        sorted.into_iter()
    }

    /// An export by name.
    pub fn export(&self, name: &str) -> Option<&Export> {
        let names = || self.exports.iter().map(|export| &export.name);
        self.exports.get(*self.positions.exports.get_or_init(|| positions(names())).get(name)?)
    }

    /// An extension by its name in the file.
    pub fn extension(&self, alias: &str) -> Option<&ExtensionInfo> {
        self.extensions.iter().find(|extension| extension.alias == alias)
    }
}

impl ParameterInfo {
    fn is_identical(&self, other: &Self) -> bool {
        self.name == other.name
            && self.is_required == other.is_required
            && self.is_secure == other.is_secure
            && self.description == other.description
            && self.ty.is_identical(&other.ty)
    }
}

impl OutputInfo {
    fn is_identical(&self, other: &Self) -> bool {
        self.name == other.name
            && self.is_secure == other.is_secure
            && self.description == other.description
            && self.ty.is_identical(&other.ty)
    }
}

impl Export {
    fn is_identical(&self, other: &Self) -> bool {
        let is_same_kind = match (&self.kind, &other.kind) {
            (ExportKind::Type(a), ExportKind::Type(b))
            | (ExportKind::Variable(a), ExportKind::Variable(b)) => a.is_identical(b),
            (ExportKind::Function(a), ExportKind::Function(b)) => a.is_identical(b),
            (ExportKind::Ambiguous, ExportKind::Ambiguous) => true,
            _ => false,
        };
        self.name == other.name && self.description == other.description && is_same_kind
    }
}

impl ExtensionInfo {
    fn is_identical(&self, other: &Self) -> bool {
        let is_same_configuration = match (&self.configuration, &other.configuration) {
            (Some(a), Some(b)) => a.is_identical(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.alias == other.alias
            && self.name == other.name
            && self.version == other.version
            && self.is_required == other.is_required
            && is_same_configuration
    }
}

/// The interface of any file.
pub(crate) fn interface(program: &Program<'_>, file: FileId) -> Option<Interface> {
    match program.unit(file) {
        Unit::Template(template) => Some(template::interface(template, program)),
        Unit::Bicep(bicep) => {
            let model = program.model(file)?;
            Some(InterfaceBuilder { program, bicep, model }.interface(file))
        }
    }
}

struct InterfaceBuilder<'a> {
    program: &'a Program<'a>,
    bicep: &'a BicepFile,
    model: &'a Model,
}

impl<'a> InterfaceBuilder<'a> {
    fn interface(&self, file: FileId) -> Interface {
        let mut interface = Interface {
            target: self.model.target_scope(),
            parameters: Vec::new(),
            outputs: Vec::new(),
            exports: Vec::new(),
            extensions: Vec::new(),
            assignments: Vec::new(),
            has_errors: self.program.report(file).has_errors(),
            is_template: false,
            is_params: self.bicep.dialect == Dialect::Params,
            has_extension_configs: self.bicep.config.has(config::Feature::ModuleExtensionConfigs),
            derived_types: Vec::new(),
            positions: Positions::default(),
        };
        let mut known = FxHashSet::default();
        for (_, symbol) in self.model.symbols() {
            let is_first = known.insert((symbol.kind, symbol.name.as_deref()));
            self.add(symbol, is_first, &mut interface);
        }
        if interface.is_params {
            self.inherit(&mut interface);
        }
        interface
    }

    /// `is_first`: no declaration of the kind before it has its name.
    fn add(&self, symbol: &'a Symbol, is_first: bool, interface: &mut Interface) {
        let Some(name) = symbol.name.clone() else { return };
        let node = self.bicep.tree().node(symbol.declaration);
        let ty = self.model.type_of(node).cloned().unwrap_or_else(Type::error);
        let description = || self.description(node);
        match symbol.kind {
            SymbolKind::Param if is_first => {
                let param = ast::Param::cast(node);
                let has_default = param.is_some_and(|param| param.default().is_some());
                // A type that is wrong is not nullable, but what was written says so.
                let has_question_mark =
                    param.is_some_and(|param| matches!(param.ty(), ast::TypeExpr::NullableType(_)));
                let ty = without_body(ty);
                let is_required = !has_default && !has_question_mark && !ty.is_nullable();
                let is_secure = ty.is_secure();
                let description = description();
                interface.parameters.push(ParameterInfo { name, ty, is_required, is_secure, description });
            }
            SymbolKind::Output if is_first => {
                let ty = without_body(ty);
                let is_secure = !ty.secure_paths().is_empty();
                let description = description();
                interface.outputs.push(OutputInfo { name, ty, is_secure, description });
            }
            SymbolKind::ParamAssignment => interface.assignments.push((name, ty)),
            SymbolKind::Type | SymbolKind::Var | SymbolKind::Func
                if self.model.decorator(node, "export").is_some() =>
            {
                let kind = match symbol.kind {
                    SymbolKind::Type => ExportKind::Type(match ty.kind() {
                        Kind::TypeOf(inner) => inner.clone(),
                        _ => ty,
                    }),
                    SymbolKind::Var => ExportKind::Variable(ty),
                    _ => match self.model.function(node) {
                        Some(overload) => ExportKind::Function(overload),
                        None => return,
                    },
                };
                let description = description();
                interface.exports.push(Export { name, kind, description });
            }
            SymbolKind::Extension => self.add_extension(symbol, interface),
            _ => {}
        }
    }

    fn add_extension(&self, symbol: &Symbol, interface: &mut Interface) {
        let namespaces = self.model.namespaces();
        let index = namespaces.declared_by(symbol.declaration);
        let Some(namespace) = index.and_then(|index| namespaces.get(index)) else { return };
        let node = self.bicep.tree().node(symbol.declaration);
        let given = ast::Extension::cast(node)
            .and_then(ast::Extension::with_clause)
            .and_then(ast::WithClause::config)
            .and_then(|config| self.model.type_of(config.syntax()));
        let configuration = namespace
            .configuration
            .as_ref()
            .map(|config| with_defaults(config, given.and_then(Type::as_object)));
        let is_required = configuration.as_ref().is_some_and(|config| match config.as_object() {
            Some(object) => object.properties.values().any(|it| it.flags.contains(PropertyFlags::REQUIRED)),
            None => true,
        });
        interface.extensions.push(ExtensionInfo {
            alias: namespace.name.clone(),
            name: namespace.extension.clone(),
            version: namespace.template.1.clone(),
            configuration,
            is_required,
        });
    }

    fn inherit(&self, interface: &mut Interface) {
        for statement in self.bicep.tree().file().statements() {
            let ast::Statement::Extends(extends) = statement else { continue };
            let Some(Ok(target)) = self.bicep.reference(extends.syntax()) else { continue };
            let Some(parent) = self.program.interface(target.file) else { continue };
            for (name, ty) in &parent.assignments {
                if !interface.assignments.iter().any(|(known, _)| known == name) {
                    interface.assignments.push((name.clone(), ty.clone()));
                }
            }
        }
    }

    fn description(&self, node: bicep_syntax::Node<'a>) -> Option<SmolStr> {
        let text = |value: Expr<'a>| match value {
            Expr::Str(text) => text.value().map(SmolStr::from),
            _ => None,
        };
        let argument = |name| Some(decorator::arguments(self.model.decorator(node, name)?).next());
        if let Some(argument) = argument("description") {
            return text(argument?);
        }
        match argument("metadata")?? {
            Expr::Object(object) => text(object.property("description")?.value()),
            _ => None,
        }
    }
}

/// What other files see of a type: of a resource only which one it is.
fn without_body(ty: Type) -> Type {
    match ty.kind() {
        Kind::Resource(resource) => Type::new(Kind::UnresolvedResource(resource.reference.clone())),
        _ => ty,
    }
}

/// A configuration of which a part is given already.
fn with_defaults(configuration: &Type, given: Option<&ObjectType>) -> Type {
    let Some(given) = given.filter(|given| !given.properties.is_empty()) else {
        return configuration.clone();
    };
    let optional = |object: &ObjectType, except: Option<&SmolStr>| {
        let mut object = object.clone();
        object.properties.retain(|name, _| Some(name) != except);
        for (name, property) in &mut object.properties {
            if given.properties.contains_key(name) {
                property.flags -= PropertyFlags::REQUIRED;
            }
        }
        Type::with(Kind::Object(object), configuration.flags())
    };
    match configuration.kind() {
        Kind::Object(object) => optional(object, None),
        Kind::Discriminated(tagged) => {
            let chosen = given.properties.get(&tagged.discriminator);
            let member = chosen
                .and_then(|property| property.ty.as_string_literal())
                .and_then(|value| tagged.members.get(value));
            match member.and_then(Type::as_object) {
                Some(object) => optional(object, Some(&tagged.discriminator)),
                None => configuration.clone(),
            }
        }
        _ => configuration.clone(),
    }
}
