//! Imports: types, variables and functions of other files.

use std::sync::Arc;

use base::SmolStr;
use bicep_syntax::ast::{self, Name};
use bicep_syntax::{Dialect, Node};
use bicep_types::ty::{Kind, NamespaceType, ObjectType, Overload, Property, PropertyFlags, Type};

use super::Checker;
use super::deployment_functions::deployment_functions;
use crate::interface::{Export, ExportKind, Interface};
use crate::messages::{declarations as messages, types};
use crate::symbol::SymbolId;

/// What is imported, and where its name stands.
struct Named<'n> {
    range: base::TextRange,
    name: &'n str,
}

impl<'a> Checker<'a> {
    pub(super) fn import(&mut self, import: ast::Import<'a>) -> Type {
        let node = import.syntax();
        self.check_import_decorators(node);
        let names = import.list().into_iter().flat_map(ast::ImportList::items);
        if import.wildcard().is_none() && names.filter_map(ast::ImportItem::original_name).next().is_none() {
            // What is wrong with the file is reported for what is imported from it.
            return Type::error();
        }
        if self.bound.bicep.reference(node).is_none() {
            let range = import.source_syntax().map_or(node.range(), Node::range);
            return self.fail(crate::messages::files::path_missing(range, "BCP358"));
        }
        let Some(interface) = self.follow_reference(node) else { return Type::error() };
        if interface.has_errors {
            let range = import.source().map_or(node.range(), ast::FromClause::range);
            self.report(messages::reference_has_errors(range, interface.is_template));
            return Type::error();
        }
        if let Some(wildcard) = import.wildcard() {
            let ambiguous: Vec<SmolStr> = interface
                .exports
                .iter()
                .filter(|export| matches!(export.kind, ExportKind::Ambiguous))
                .map(|export| export.name.clone())
                .collect();
            if !ambiguous.is_empty() {
                self.report(messages::ambiguous_exports(wildcard.range(), &ambiguous));
            }
            let names = interface.exports.iter().map(|export| export.name.as_str());
            let name = wildcard.name().map_or("", Name::display);
            let named = Named { range: wildcard.range(), name };
            self.check_deployment_functions(node, &named, &names.collect::<Vec<_>>());
        }
        for item in import.list().into_iter().flat_map(ast::ImportList::items) {
            self.check_import_item(node, item, interface);
        }
        Type::never()
    }

    fn check_import_decorators(&mut self, node: Node<'a>) {
        if self.bound.bicep.dialect == Dialect::Params {
            self.no_decorators(node);
        }
    }

    fn check_import_item(&mut self, import: Node<'a>, item: ast::ImportItem<'a>, interface: &'a Interface) {
        let (Some(original), Some(name)) = (item.original(), item.original_name()) else { return };
        match interface.export(&name).map(|export| &export.kind) {
            None => self.report(messages::not_exported(original.range(), &name)),
            Some(ExportKind::Ambiguous) => {
                let reason = "the file exports several things under this name";
                self.report(messages::import_failed(original.range(), &name, reason));
            }
            Some(ExportKind::Type(_)) => {}
            Some(ExportKind::Variable(_) | ExportKind::Function(_)) => {
                let named = Named { range: original.range(), name: &name };
                self.check_deployment_functions(import, &named, &[&name]);
            }
        }
    }

    /// A parameter file is evaluated before anything is deployed: what it imports must not ask about the deployment.
    fn check_deployment_functions(&mut self, import: Node<'a>, name: &Named<'_>, names: &[&str]) {
        let Named { range, name } = *name;
        if self.bound.bicep.dialect != Dialect::Params {
            return;
        }
        let Some(Ok(target)) = self.bound.bicep.reference(import) else { return };
        let found = deployment_functions(self.bound.program, target.file, names);
        if !found.is_empty() {
            self.report(messages::needs_deployment(range, name, found.iter().map(SmolStr::as_str)));
        }
    }

    /// What an item of an import list stands for.
    fn exported(&self, id: SymbolId) -> Option<&'a Export> {
        let symbol = self.symbol(id)?;
        let item = ast::ImportItem::cast(self.declaration(symbol))?;
        let import = item.syntax().ancestors().find_map(ast::Import::cast)?;
        let interface = self.referenced_interface(import.syntax()).filter(|it| !it.has_errors)?;
        interface.export(&item.original_name()?)
    }

    pub(super) fn imported_value(&mut self, id: SymbolId, name: Name<'a>) -> Type {
        match self.exported(id).map(|export| &export.kind) {
            Some(ExportKind::Variable(ty)) => ty.clone(),
            Some(ExportKind::Type(_)) => self.fail(types::type_used_as_value(name.range(), name.display())),
            _ => self.fail(types::not_a_variable(name.range(), name.display())),
        }
    }

    pub(super) fn imported_type(&self, id: SymbolId) -> Option<Type> {
        match &self.exported(id)?.kind {
            ExportKind::Type(ty) => Some(ty.clone()),
            _ => None,
        }
    }

    pub(super) fn imported_function(&self, id: SymbolId) -> Option<Arc<Overload>> {
        match &self.exported(id)?.kind {
            ExportKind::Function(overload) => Some(Arc::clone(overload)),
            _ => None,
        }
    }

    /// The namespace that `* as name` declares.
    pub(super) fn wildcard_type(&mut self, declaration: Node<'a>) -> Type {
        if let Some(known) = self.wildcards.get(&declaration.id()) {
            return known.clone();
        }
        let ty = self.exported_members(declaration);
        self.wildcards.insert(declaration.id(), ty.clone());
        ty
    }

    fn exported_members(&mut self, declaration: Node<'a>) -> Type {
        let import = declaration.ancestors().find_map(ast::Import::cast);
        let interface = import.and_then(|import| self.referenced_interface(import.syntax()));
        let Some(interface) = interface.filter(|interface| !interface.has_errors) else {
            return Type::error();
        };
        let name = ast::WildcardImport::cast(declaration).and_then(ast::WildcardImport::name);
        let alias = SmolStr::new(name.map_or("", Name::display));
        let mut members = ObjectType::named(alias.clone());
        let flags = PropertyFlags::READ_ONLY | PropertyFlags::REQUIRED;
        for export in &interface.exports {
            let mut add = |ty: Type| {
                let property = Property { ty, flags, description: export.description.clone() };
                members.properties.insert(export.name.clone(), property);
            };
            match &export.kind {
                ExportKind::Type(ty) => add(Type::new(Kind::TypeOf(ty.clone()))),
                ExportKind::Variable(ty) => add(ty.clone()),
                ExportKind::Function(overload) => members.methods.push(overload.as_ref().clone()),
                ExportKind::Ambiguous => {}
            }
        }
        Type::from(NamespaceType {
            alias: alias.clone(),
            extension: alias,
            version: "1.0.0".into(),
            members,
            configuration: None,
        })
    }
}
