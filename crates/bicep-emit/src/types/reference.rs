//! Types that refer to other types: by name, by a path into another type, or to a part of a resource type.

use std::borrow::Cow;
use std::rc::Rc;

use bicep_sema::imports::{Origin, TemplateSymbol};
use bicep_sema::{SymbolKind, Unit};
use bicep_syntax::ast::{self, Expr, TypeExpr};
use bicep_types::ty::{Kind, Type};

use super::TemplateName;
use crate::context::Context;
use crate::translate::Translator;
use crate::value::{Member, Members, Value};

/// How many references a path into a type may lead through.
const DEEPEST: usize = 256;

/// A reference that was followed to what declares it.
pub(super) struct Resolved<'p> {
    /// The way to it from the root of the template, or of the resource type.
    pointer: Vec<String>,
    pub(super) declared: Declared<'p>,
}

/// What declares a type.
#[derive(Clone)]
pub(super) enum Declared<'p> {
    /// A type expression of a Bicep file.
    Type { cx: Rc<Context<'p>>, ty: TypeExpr<'p> },
    /// A schema of a template in JSON.
    Template { schema: json::Node },
    /// A part of a resource type.
    Resource { source: String, variant: Variant, ty: Type },
}

/// Which side of a resource type is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    Input,
    Output,
    /// The former `resource<…>`, which does not say.
    Unsaid,
}

/// The schema of a reference.
pub(super) fn schema<'p>(translator: &Translator<'_, 'p>, ty: TypeExpr<'p>) -> Members {
    resolve(translator, ty).map(|resolved| resolved.schema()).unwrap_or_default()
}

impl<'p> Resolved<'p> {
    /// Where the type leads that this one only refers to.
    pub(super) fn further(&self) -> Option<Self> {
        let Declared::Type { cx, ty } = &self.declared else { return None };
        // An alias that needs itself has been reported; it would have no end.
        let mut outer = ty.syntax().ancestors();
        let declaration = outer.find_map(|node| cx.model.declared(node.id()));
        let is_circle = declaration.is_some_and(|symbol| cx.model.cycle(symbol).is_some());
        if is_circle { None } else { Resolver { here: Rc::clone(cx) }.resolve(*ty, DEEPEST) }
    }

    /// One of the alternatives of a part of a resource type.
    pub(super) fn variant(&self, value: &str) -> Self {
        let steps = ["discriminator", "mapping", value].map(str::to_owned);
        let pointer = self.pointer.iter().cloned().chain(steps).collect();
        let declared = match &self.declared {
            Declared::Resource { source, variant, ty } => {
                let of_choice = match ty.kind() {
                    Kind::Discriminated(choice) => choice.members.get(value),
                    _ => None,
                };
                let ty = of_choice.unwrap_or(ty).clone();
                Declared::Resource { source: source.clone(), variant: *variant, ty }
            }
            other => other.clone(),
        };
        Self { pointer, declared }
    }

    pub(super) fn schema(&self) -> Members {
        let Declared::Resource { source, variant, ty } = &self.declared else {
            let pointer: Vec<_> = self.pointer.iter().map(|step| json::path::escape_fragment(step)).collect();
            let pointer = format!("#/{}", pointer.join("/"));
            return vec![Member::new("$ref", Value::Text(pointer))];
        };
        let pointer: Vec<_> = self.pointer.iter().map(|step| json::path::escape_fragment(step)).collect();
        let separator = if pointer.is_empty() { "" } else { "#" };
        let source = Value::Text(format!("{source}{separator}{}", pointer.join("/")));
        let derived = match variant {
            Variant::Input => Value::object([("source", source)]),
            Variant::Output => Value::object([("source", source), ("output", Value::Bool(true))]),
            Variant::Unsaid => source,
        };
        let metadata = Value::object([("__bicep_resource_derived_type!", derived)]);
        let name = ty.template_name().map(|name| Member::new("type", Value::text(name)));
        name.into_iter().chain([Member::new("metadata", metadata)]).collect()
    }
}

/// Follows a reference.
pub(super) fn resolve<'p>(translator: &Translator<'_, 'p>, ty: TypeExpr<'p>) -> Option<Resolved<'p>> {
    Resolver { here: translator.cx.this()? }.resolve(ty, DEEPEST)
}

struct Resolver<'p> {
    here: Rc<Context<'p>>,
}

/// A step into a type.
enum TypeStep {
    Property(String),
    Additional,
    Index(usize),
    Items,
}

impl<'p> Resolver<'p> {
    fn resolve(&self, ty: TypeExpr<'p>, depth: usize) -> Option<Resolved<'p>> {
        let depth = depth.checked_sub(1)?;
        match ty {
            TypeExpr::TypeVar(name) => self.named(name, depth),
            TypeExpr::ParenType(paren) => self.resolve(paren.inner(), depth),
            TypeExpr::GenericType(generic) => {
                self.derived(generic.name()?.text()?, generic.arguments().next(), ty)
            }
            TypeExpr::MemberGenericType(generic) => {
                self.derived(generic.name()?.text()?, generic.arguments().next(), ty)
            }
            TypeExpr::TypePropertyAccess(access) => {
                let name = access.name()?.text()?;
                if let Some(member) = self.imported_member(access.inner(), name) {
                    return member;
                }
                self.step(access.inner(), &TypeStep::Property(name.to_owned()), ty, depth)
            }
            TypeExpr::TypeIndex(access) => match access.index() {
                Expr::Str(name) => self.step(access.inner(), &TypeStep::Property(name.value()?), ty, depth),
                Expr::IntLiteral(index) => {
                    let index = usize::try_from(index.value()).ok()?;
                    self.step(access.inner(), &TypeStep::Index(index), ty, depth)
                }
                _ => None,
            },
            TypeExpr::TypeItemsAccess(access) => self.step(access.inner(), &TypeStep::Items, ty, depth),
            TypeExpr::TypeAdditionalAccess(access) => {
                self.step(access.inner(), &TypeStep::Additional, ty, depth)
            }
            _ => None,
        }
    }

    fn named(&self, name: ast::TypeVar<'p>, depth: usize) -> Option<Resolved<'p>> {
        let model = self.here.model;
        let id = model.bindings().symbol(name.syntax())?;
        match model.symbol(id).kind {
            SymbolKind::Type => {
                let ty =
                    ast::TypeDeclaration::cast(self.here.tree().node(model.symbol(id).declaration))?.value();
                let declared = Declared::Type { cx: Rc::clone(&self.here), ty: unwrapped(ty) };
                Some(Resolved { pointer: definition(self.here.emitted_name(id)), declared })
            }
            SymbolKind::ImportItem => {
                let imported = self.here.imports().symbol(self.here.file, id)?;
                self.imported(&imported.origin, imported.name.clone())
            }
            _ => None,
        }
        .filter(|_| depth > 0)
    }

    /// `namespace.name` of a wildcard import.
    #[expect(clippy::option_option, reason = "whether it is an import, and whether that has such a member")]
    fn imported_member(&self, base: TypeExpr<'p>, name: &str) -> Option<Option<Resolved<'p>>> {
        let id = self.here.model.bindings().symbol(base.syntax())?;
        if self.here.model.symbol(id).kind != SymbolKind::WildcardImport {
            return None;
        }
        let imports = self.here.imports();
        let imported = imports.member(self.here.file, id, name);
        Some(imported.and_then(|imported| self.imported(&imported.origin, imported.name.clone())))
    }

    fn imported(&self, origin: &Origin, name: String) -> Option<Resolved<'p>> {
        let pointer = definition(name);
        let declared = match origin {
            Origin::Symbol(file, symbol) => {
                let cx = self.here.of_file(*file)?;
                let declaration = cx.tree().node(cx.model.symbol(*symbol).declaration);
                let ty = unwrapped(ast::TypeDeclaration::cast(declaration)?.value());
                Declared::Type { cx, ty }
            }
            Origin::Template(file, TemplateSymbol::Type(pointer)) => {
                let Unit::Template(template) = self.here.program.unit(*file) else { return None };
                let schema = template.parsed.root.as_ref()?.pointer(pointer.strip_prefix('#')?)?;
                Declared::Template { schema: schema.clone() }
            }
            _ => return None,
        };
        Some(Resolved { pointer, declared })
    }

    /// `resourceInput<'Type@version'>`
    fn derived(
        &self,
        name: &str,
        argument: Option<ast::TypeArgument<'p>>,
        whole: TypeExpr<'p>,
    ) -> Option<Resolved<'p>> {
        let variant = match name {
            "resourceInput" => Variant::Input,
            "resourceOutput" => Variant::Output,
            "resource" => Variant::Unsaid,
            _ => return None,
        };
        let TypeExpr::StringType(source) = argument?.inner() else { return None };
        let source = source.value()?;
        let source = source.split_once(':').map_or(source.as_str(), |(_, plain)| plain).to_owned();
        let declared = Declared::Resource { source, variant, ty: self.here.type_of(whole) };
        Some(Resolved { pointer: Vec::new(), declared })
    }

    fn step(
        &self,
        base: TypeExpr<'p>,
        step: &TypeStep,
        whole: TypeExpr<'p>,
        depth: usize,
    ) -> Option<Resolved<'p>> {
        let mut at = self.resolve(base, depth)?;
        for _ in 0..DEEPEST {
            let Resolved { mut pointer, declared } = at;
            match declared {
                Declared::Resource { source, variant, .. } => {
                    pointer.extend(step.segments());
                    let ty = self.here.type_of(whole);
                    return Some(Resolved { pointer, declared: Declared::Resource { source, variant, ty } });
                }
                Declared::Template { schema } => {
                    pointer.extend(step.segments());
                    let path: String =
                        step.segments().map(|it| format!("/{}", json::path::escape(&it))).collect();
                    let schema = schema.pointer(&path)?.clone();
                    return Some(Resolved { pointer, declared: Declared::Template { schema } });
                }
                Declared::Type { cx, ty } => match inner_type(ty, step) {
                    Some(inner) => {
                        pointer.extend(step.segments());
                        let declared = Declared::Type { cx, ty: unwrapped(inner) };
                        return Some(Resolved { pointer, declared });
                    }
                    // The type is itself only a reference: the step is taken where it leads.
                    None => at = Resolver { here: cx }.resolve(ty, depth)?,
                },
            }
        }
        None
    }
}

impl TypeStep {
    fn segments(&self) -> impl Iterator<Item = String> {
        let (first, second) = match self {
            Self::Property(name) => ("properties", Some(name.clone())),
            Self::Additional => ("additionalProperties", None),
            Self::Index(index) => ("prefixItems", Some(index.to_string())),
            Self::Items => ("items", None),
        };
        std::iter::once(first.to_owned()).chain(second)
    }
}

/// What a step into a type expression leads to.
fn inner_type<'p>(ty: TypeExpr<'p>, step: &TypeStep) -> Option<TypeExpr<'p>> {
    match (ty, step) {
        (TypeExpr::ObjectType(object), TypeStep::Property(name)) => {
            let is_it = |key: Cow<'_, str>| json::eq_ignore_case(&key, name);
            object
                .properties()
                .find(|property| property.key_text().is_some_and(is_it))
                .map(ast::ObjectTypeProperty::value)
        }
        (TypeExpr::ObjectType(object), TypeStep::Additional) => {
            object.additional().next().map(ast::ObjectTypeAdditional::value)
        }
        (TypeExpr::TupleType(tuple), TypeStep::Index(index)) => {
            tuple.items().nth(*index).map(ast::TupleTypeItem::value)
        }
        (TypeExpr::ArrayType(array), TypeStep::Items) => Some(array.item()),
        _ => None,
    }
}

fn unwrapped(mut ty: TypeExpr<'_>) -> TypeExpr<'_> {
    while let TypeExpr::ParenType(paren) = ty {
        ty = paren.inner();
    }
    ty
}

fn definition(name: String) -> Vec<String> {
    vec!["definitions".to_owned(), name]
}

/// The entries of a choice whose member is a schema of a template.
pub(super) fn template_mapping(schema: &json::Node, resolved: &Resolved<'_>, property: &str) -> Members {
    let values = schema.pointer(&format!("/properties/{}/allowedValues/0", json::path::escape(property)));
    match values.and_then(json::Node::as_str) {
        Some(value) => vec![Member::new(value, Value::Object(resolved.schema()))],
        None => Members::new(),
    }
}
