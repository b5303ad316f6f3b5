//! Links: a file comes in; the strings that lead to other files or to documentation go out.

use base::TextRange;
use bicep_syntax::ast::{self, Statement};
use camino::Utf8PathBuf;

use crate::FileContext;
use crate::hover::documentation_page;

/// A range that leads somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What can be clicked.
    pub range: TextRange,
    /// Where it leads.
    pub target: LinkTarget,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    File(Utf8PathBuf),
    /// A page of documentation.
    Page(String),
}

/// The links of a file: paths of modules, imports and used files, and the types of resources.
pub fn links(context: &FileContext<'_>) -> Vec<Link> {
    let mut links: Vec<Link> =
        context.tree().nodes().filter_map(|node| of_statement(context, node)).collect();
    links.sort_by_key(|link| link.range.start());
    links
}

fn of_statement(context: &FileContext<'_>, node: bicep_syntax::Node<'_>) -> Option<Link> {
    let path = match Statement::cast(node)? {
        Statement::Resource(resource) => return of_resource(context, resource),
        Statement::Module(module) => module.path(),
        Statement::Test(test) => test.path(),
        Statement::Import(import) => import.path(),
        Statement::Using(using) => using.path(),
        Statement::Extends(extends) => extends.path(),
        _ => None,
    }?;
    let target = context.bicep.reference(node)?.as_ref().ok()?;
    let file = context.program.unit(target.file).source().path().to_owned();
    Some(Link { range: inside(path.range()), target: LinkTarget::File(file) })
}

fn of_resource(context: &FileContext<'_>, resource: ast::Resource<'_>) -> Option<Link> {
    let ty = context.model.declared_type_of(resource.syntax())?;
    let page = documentation_page(context, ty.item().unwrap_or(ty))?;
    Some(Link { range: inside(resource.path()?.range()), target: LinkTarget::Page(page) })
}

/// The range of a string without its quotes.
fn inside(range: TextRange) -> TextRange {
    let quote = base::TextSize::new(1);
    if range.len() < quote + quote {
        range
    } else {
        TextRange::new(range.start() + quote, range.end() - quote)
    }
}
