//! Where something is declared: a file and an offset come in; a place in this file or another goes out.

use base::{TextRange, TextSize};
use bicep_sema::{FileId, SymbolId, SymbolKind, Target, Unit};
use bicep_syntax::ast::{self, Object};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::TypeFlags;
use camino::Utf8PathBuf;

use crate::FileContext;
use crate::declared::declared_type;
use crate::entity::{Entity, Named, entity_at};
use crate::lookup::{Path, is_named_declaration, name_range};

/// Where something is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What is marked at the offset that was asked about.
    pub origin: TextRange,
    pub file: DefinitionFile,
    /// The whole declaration.
    pub range: TextRange,
    /// Its name.
    pub name_range: TextRange,
}

/// The file of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionFile {
    /// A file of the program.
    Loaded(FileId),
    /// A file that is only named.
    Path(Utf8PathBuf),
}

/// Where what stands at an offset is declared.
pub fn definition(context: &FileContext<'_>, offset: TextSize) -> Option<Definition> {
    let Some(named) = entity_at(context, offset) else { return of_path(context, offset) };
    match &named.entity {
        Entity::Symbol(symbol) => of_symbol(context, &named, *symbol),
        Entity::ImportedFunction(_) => {
            let call = ast::MethodCall::cast(named.node)?;
            let symbol = context.model.bindings().symbol(call.base().syntax())?;
            exported(context, symbol, call.name()?.text()?, named.node.range())
        }
        Entity::Property(..) if named.node.kind() == SyntaxKind::Property => {
            module_parameter(context, offset)
        }
        Entity::Property(..) => of_property(context, &named),
        _ => None,
    }
}

fn of_symbol(context: &FileContext<'_>, named: &Named<'_>, id: SymbolId) -> Option<Definition> {
    let symbol = context.model.symbol(id);
    match symbol.kind {
        SymbolKind::ParamAssignment => assigned_parameter(context, id),
        SymbolKind::WildcardImport if named.node.kind() == SyntaxKind::WildcardImport => {
            let import = named.node.ancestors().find(|node| node.kind() == SyntaxKind::Import)?;
            whole_file(context.bicep.reference(import)?.as_ref().ok()?, named.node.range())
        }
        SymbolKind::ImportItem => {
            let item = ast::ImportItem::cast(context.tree().node(symbol.declaration))?;
            exported(context, id, &item.original_name()?, named.node.range())
        }
        SymbolKind::This => {
            let body = context.tree().node(context.model.scope(symbol.scope)?.node);
            let keyword = ast::Statement::cast(context.tree().node(symbol.declaration))?.keyword()?;
            Some(Definition {
                origin: named.node.range(),
                file: DefinitionFile::Loaded(context.file),
                range: body.range(),
                name_range: keyword.range(),
            })
        }
        SymbolKind::InheritedAssignment(_) | SymbolKind::Base => None,
        _ => {
            let is_statement = is_named_declaration(named.node) && ast::Statement::cast(named.node).is_some();
            Some(Definition {
                origin: if is_statement { name_range(named.node) } else { named.node.range() },
                file: DefinitionFile::Loaded(context.file),
                range: context.tree().node(symbol.declaration).range(),
                name_range: symbol.name_range,
            })
        }
    }
}

/// `param name = …` of a parameter file leads to the parameter of the file that is used.
fn assigned_parameter(context: &FileContext<'_>, id: SymbolId) -> Option<Definition> {
    let symbol = context.model.symbol(id);
    let mut statements = context.tree().file().statements();
    let using = statements.find(|statement| matches!(statement, ast::Statement::Using(_)))?;
    let target = context.bicep.reference(using.syntax())?.as_ref().ok()?;
    let range = parameter_name(context, target.file, symbol.name.as_deref()?, SymbolKind::Param)?;
    let file = DefinitionFile::Loaded(target.file);
    Some(Definition { origin: symbol.name_range, file, range, name_range: range })
}

/// Where the name of a declaration stands in a file.
fn parameter_name(
    context: &FileContext<'_>,
    file: FileId,
    name: &str,
    kind: SymbolKind,
) -> Option<TextRange> {
    let other = FileContext::new(context.program, file)?;
    let mut symbols = other.model.symbols().map(|(_, symbol)| symbol);
    let found = symbols.find(|symbol| symbol.kind == kind && symbol.name.as_deref() == Some(name));
    found.map(|symbol| symbol.name_range)
}

/// What an import takes from another file.
fn exported(context: &FileContext<'_>, id: SymbolId, name: &str, origin: TextRange) -> Option<Definition> {
    let declaration = context.tree().node(context.model.symbol(id).declaration);
    let import = declaration.ancestors().find(|node| node.kind() == SyntaxKind::Import)?;
    let target = context.bicep.reference(import)?.as_ref().ok()?;
    let range = match context.program.unit(target.file) {
        Unit::Bicep(_) => {
            let other = FileContext::new(context.program, target.file)?;
            let mut symbols = other.model.symbols().map(|(_, symbol)| symbol);
            let is_wanted = |symbol: &&bicep_sema::Symbol| {
                symbol.scope == bicep_sema::symbol::ScopeId::FILE && symbol.name.as_deref() == Some(name)
            };
            symbols.find(is_wanted)?.name_range
        }
        Unit::Template(template) => in_template(template.parsed.root.as_ref()?, name)?,
    };
    Some(Definition { origin, file: DefinitionFile::Loaded(target.file), range, name_range: range })
}

/// Where a template in JSON declares a type, a variable or a function: the start of its value.
fn in_template(root: &json::Node, name: &str) -> Option<TextRange> {
    let definition = || root.get("definitions")?.get(name);
    let variable = || root.get("variables")?.get(name);
    let copied = || {
        let copies = root.pointer("/variables/copy")?.as_array()?;
        copies.iter().find(|copy| {
            let named = copy.get("name").and_then(json::Node::as_str);
            named.is_some_and(|it| it.eq_ignore_ascii_case(name))
        })
    };
    let function = || {
        let (namespace, name) = name.rsplit_once('.').unwrap_or(("__bicep", name));
        let mut namespaces = root.get("functions")?.as_array()?.iter();
        let is_wanted = |it: &&json::Node| {
            let own = it.get("namespace").and_then(json::Node::as_str);
            own.is_some_and(|own| own.eq_ignore_ascii_case(namespace))
        };
        namespaces.find(is_wanted)?.get("members")?.get(name)
    };
    let node = definition().or_else(variable).or_else(copied).or_else(function)?;
    // The reference knows of a value only where its reader stood when it had seen what it is.
    let is_nested = node.as_object().is_some() || node.as_array().is_some();
    let at = if is_nested { node.range.start() + TextSize::new(1) } else { node.range.end() };
    Some(TextRange::empty(at))
}

/// A key of `params` leads to the parameter of the module, one of `outputs` to the output.
fn module_parameter(context: &FileContext<'_>, offset: TextSize) -> Option<Definition> {
    let path = Path::at(context.tree(), offset);
    let module = path.nodes.get(1).copied().filter(|node| node.kind() == SyntaxKind::Module)?;
    let properties: Vec<_> = path.nodes.iter().filter_map(|node| ast::Property::cast(*node)).collect();
    let [section, property] = properties.as_slice() else { return None };
    of_module(context, module, &section.key_text()?, &property.key_text()?, property.key().range())
}

fn of_module(
    context: &FileContext<'_>,
    module: Node<'_>,
    section: &str,
    name: &str,
    origin: TextRange,
) -> Option<Definition> {
    let kind = match section {
        "params" => SymbolKind::Param,
        "outputs" => SymbolKind::Output,
        _ => return None,
    };
    let target = context.bicep.reference(module)?.as_ref().ok()?;
    let range = parameter_name(context, target.file, name, kind)?;
    Some(Definition { origin, file: DefinitionFile::Loaded(target.file), range, name_range: range })
}

/// `a.b.c` leads to the key in the literal that gives the value, or to the output of a module.
fn of_property(context: &FileContext<'_>, named: &Named<'_>) -> Option<Definition> {
    let mut names: Vec<ast::Name<'_>> = Vec::new();
    let mut node = named.node;
    loop {
        node = match node.kind() {
            SyntaxKind::PropertyAccess => {
                let access = ast::PropertyAccess::cast(node)?;
                names.insert(0, access.name()?);
                access.base().syntax()
            }
            SyntaxKind::TypePropertyAccess => {
                names.insert(0, node.children().filter_map(ast::Name::cast).next_back()?);
                node.children().next()?
            }
            SyntaxKind::Paren => node.children().next()?,
            _ => break,
        };
    }
    if !matches!(node.kind(), SyntaxKind::VarAccess | SyntaxKind::TypeVar) {
        return None;
    }
    let id = context.model.bindings().symbol(node)?;
    let symbol = context.model.symbol(id);
    let declaration = context.tree().node(symbol.declaration);
    if let ([section, name], SyntaxKind::Module) = (names.as_slice(), declaration.kind()) {
        return of_module(context, declaration, section.text()?, name.text()?, name.range());
    }
    if let ([name], SymbolKind::WildcardImport) = (names.as_slice(), symbol.kind) {
        return exported(context, id, name.text()?, named.node.range());
    }
    let mut object = literal_of(declaration)?;
    let (last, before) = names.split_last()?;
    for name in before {
        object = Object::cast(object.property(name.text()?)?.value().syntax())?;
    }
    let range = object.property(last.text()?)?.range();
    let file = DefinitionFile::Loaded(context.file);
    Some(Definition { origin: last.range(), file, range, name_range: range })
}

/// The object literal that a declaration gives as its value.
fn literal_of(declaration: Node<'_>) -> Option<Object<'_>> {
    match ast::Statement::cast(declaration)? {
        ast::Statement::Var(statement) => Object::cast(statement.value().syntax()),
        ast::Statement::Resource(statement) => statement.body(),
        ast::Statement::Module(statement) => statement.body(),
        ast::Statement::Param(statement) => Object::cast(statement.default()?.syntax().children().next()?),
        _ => None,
    }
}

/// A path in a string leads to the file.
fn of_path(context: &FileContext<'_>, offset: TextSize) -> Option<Definition> {
    let path = Path::at(context.tree(), offset);
    let string = path.complete_string()?;
    let holder = string.parent()?;
    let statement = match holder.kind() {
        SyntaxKind::Module | SyntaxKind::Using => holder,
        SyntaxKind::FromClause => holder.parent()?,
        _ => return loaded_file(context, string),
    };
    if holder.kind() == SyntaxKind::Module && ast::Module::cast(holder)?.path_syntax() != string {
        return loaded_file(context, string);
    }
    whole_file(context.bicep.reference(statement)?.as_ref().ok()?, string.range())
}

fn whole_file(target: &Target, origin: TextRange) -> Option<Definition> {
    let start = TextRange::empty(TextSize::new(0));
    Some(Definition { origin, file: DefinitionFile::Loaded(target.file), range: start, name_range: start })
}

/// A file that a function reads.
fn loaded_file(context: &FileContext<'_>, string: Node<'_>) -> Option<Definition> {
    let ty = declared_type(context, string)?;
    let is_path = TypeFlags::FILE_PATH | TypeFlags::JSON_FILE_PATH | TypeFlags::YAML_FILE_PATH;
    ty.flags().intersects(is_path).then_some(())?;
    let text = ast::Str::cast(string)?.value()?;
    let path = config::paths::normalize(&context.bicep.folder().join(text));
    context.program.world().read(&path).ok()?;
    let start = TextRange::empty(TextSize::new(0));
    Some(Definition {
        origin: string.range(),
        file: DefinitionFile::Path(path),
        range: start,
        name_range: start,
    })
}
