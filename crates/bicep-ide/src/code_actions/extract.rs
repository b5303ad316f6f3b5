//! A value that becomes a variable or a parameter of its own, or whose type gets a name.

use std::borrow::Cow;

use base::source::utf16_len;
use base::{Edit, LineCol, TextRange, TextSize};
use bicep_syntax::ast::{self, Expr, Statement};
use bicep_syntax::{Dialect, Node, SyntaxKind};
use bicep_types::ty::{Kind, Property, Type};

use super::type_text::{Strictness, type_text, writable_properties};
use super::{ActionCommand, ActionKind, CodeAction, newline};
use crate::FileContext;
use crate::declared::declared_type;

pub(super) fn offer(context: &FileContext<'_>, nodes: &[Node<'_>], actions: &mut Vec<CodeAction>) {
    let Some(target) = Target::of(context, nodes) else { return };
    let known = |ty: &Type| !ty.is_error() && !ty.is_any();
    let declared = declared_type(context, target.value).filter(known);
    let ty = declared.or_else(|| Some(context.type_of(target.value)).filter(known));
    // A parameter with a default value is never null.
    let text = |strictness| type_text(ty.as_ref(), target.property.as_ref(), strictness, false);
    let (loose, medium) = (text(Strictness::Loose), text(Strictness::Medium));
    let mut add = |kind, title: String, text| actions.push(extraction(context, &target, kind, title, text));
    add(ExtractionKind::Variable, "Extract variable".to_owned(), None);
    let parameter = |text: &str| format!("Extract parameter of type {}", quoted(text));
    add(ExtractionKind::Parameter, parameter(&loose), Some(loose.as_str()));
    let has_own_type = loose != medium;
    if has_own_type {
        add(ExtractionKind::Parameter, parameter(&medium), Some(medium.as_str()));
    }
    let derived = target.holder.and_then(|holder| resource_derived(context, holder));
    if let Some(derived) = &derived {
        add(ExtractionKind::Parameter, parameter(derived), Some(derived.as_str()));
    }
    if has_own_type {
        let title = format!("Create user-defined type for {}", quoted(&medium));
        add(ExtractionKind::Type, title, Some(medium.as_str()));
    }
}

/// Titles longer than this are cut.
const MAX_TITLE: usize = 45;

fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let short = if text.chars().count() > MAX_TITLE {
        let start: String = text.chars().take(MAX_TITLE - 3).collect();
        format!("{start}...")
    } else {
        text
    };
    format!("\"{}\"", short.trim())
}

/// What is extracted.
struct Target<'a> {
    statement: Node<'a>,
    value: Node<'a>,
    /// The property of an object literal that has the value.
    holder: Option<ast::Property<'a>>,
    /// What its type says about that property.
    property: Option<Property>,
    /// A name that fits.
    name: Option<String>,
}

impl<'a> Target<'a> {
    fn of(context: &FileContext<'a>, nodes: &[Node<'_>]) -> Option<Self> {
        let node = nodes.iter().rev().copied().find(|node| is_expression(*node))?;
        let node = context.tree().node(node.id());
        let mut target = Self { statement: node, value: node, holder: None, property: None, name: None };
        if let Some(holder) = node.parent().and_then(ast::Property::cast).filter(|it| it.key_text().is_some())
        {
            target.name = holder.key_text().map(Cow::into_owned);
            target.holder = Some(holder);
        } else if let Some(holder) = ast::Property::cast(node).filter(|it| it.key_text().is_some()) {
            target.name = holder.key_text().map(Cow::into_owned);
            target.value = Some(holder.value().syntax()).filter(|it| is_expression(*it))?;
            target.holder = Some(holder);
        } else if let Some(access) = ast::PropertyAccess::cast(node) {
            target.name = Some(access_name(access));
        }
        target.property = target.holder.and_then(|holder| declared_property(context, holder));
        target.statement = target.value.ancestors().find(|it| Statement::cast(*it).is_some())?;
        Some(target)
    }
}

fn is_expression(node: Node<'_>) -> bool {
    let is_part = matches!(
        node.kind(),
        SyntaxKind::Property
            | SyntaxKind::ArrayItem
            | SyntaxKind::Argument
            | SyntaxKind::Spread
            | SyntaxKind::TypedLambda
    );
    let is_other = matches!(node.kind(), SyntaxKind::For | SyntaxKind::If | SyntaxKind::StringType);
    is_part || (Expr::cast(node).is_some() && !is_other)
}

/// What the type of the object around it says about a property.
fn declared_property(context: &FileContext<'_>, holder: ast::Property<'_>) -> Option<Property> {
    let object = declared_type(context, holder.syntax().parent()?)?;
    let key = holder.key_text()?;
    match object.kind() {
        Kind::Object(object) => object.properties.get(&*key).cloned(),
        Kind::Discriminated(kinds) if kinds.discriminator == *key => Some(kinds.discriminator_property()),
        _ => None,
    }
}

/// The last two names of an access: `a.b.c` gives `bC`.
fn access_name(access: ast::PropertyAccess<'_>) -> String {
    let last = access.name().map_or("", ast::Name::display);
    let first = match access.base() {
        Expr::PropertyAccess(base) => base.name(),
        Expr::VarAccess(base) => base.name(),
        Expr::Call(base) => base.name(),
        _ => None,
    };
    match first {
        Some(first) => {
            let mut letters = last.chars();
            let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            format!("{}{capital}{}", first.display(), letters.as_str())
        }
        None => last.to_owned(),
    }
}

/// `resourceInput<'type@version'>.path` for a property of a resource whose type is worth it.
fn resource_derived(context: &FileContext<'_>, holder: ast::Property<'_>) -> Option<String> {
    let mut path = String::new();
    let nodes = std::iter::once(holder.syntax()).chain(holder.syntax().ancestors());
    for node in nodes {
        match node.kind() {
            SyntaxKind::Resource => {
                let ty = ast::Resource::cast(node)?.path().and_then(ast::Str::value).unwrap_or_default();
                return Some(format!("resourceInput<'{ty}'>{path}"));
            }
            SyntaxKind::Property => {
                let property = ast::Property::cast(node)?;
                let ty = declared_type(context, node)?;
                let is_worth_it = match ty.kind() {
                    Kind::Object(object) => {
                        ty.to_string() != "object" && writable_properties(object).next().is_some()
                    }
                    Kind::Array(_) | Kind::Tuple(_) => true,
                    _ => false,
                };
                let name =
                    ast::Name::cast(property.key()).and_then(ast::Name::text).filter(|_| is_worth_it)?;
                path = format!(".{name}{path}");
            }
            SyntaxKind::ArrayItem => path = format!("[*]{path}"),
            _ => {}
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExtractionKind {
    Variable,
    Parameter,
    Type,
}

impl ExtractionKind {
    fn keyword(self) -> &'static str {
        match self {
            Self::Variable => "var",
            Self::Parameter => "param",
            Self::Type => "type",
        }
    }

    fn default_name(self) -> &'static str {
        match self {
            Self::Variable => "newVariable",
            Self::Parameter => "newParameter",
            Self::Type => "newType",
        }
    }

    fn statement(self) -> SyntaxKind {
        match self {
            Self::Variable => SyntaxKind::Var,
            Self::Parameter => SyntaxKind::Param,
            Self::Type => SyntaxKind::TypeDeclaration,
        }
    }
}

fn extraction(
    context: &FileContext<'_>,
    target: &Target<'_>,
    kind: ExtractionKind,
    title: String,
    type_text: Option<&str>,
) -> CodeAction {
    let name = free_name(context, target, kind);
    let insertion = insertion(context, target.statement, kind.statement());
    let line_end = newline(context);
    let declaration = declaration(target, kind, &name, type_text);
    let before = if insertion.blank_before { line_end } else { "" };
    let after = if insertion.blank_after { line_end } else { "" };
    let text = format!("{before}{declaration}{line_end}{after}");
    let position = renamed_position(context, insertion.offset, &text, &format!("{} {name}", kind.keyword()));
    let mut edits = vec![Edit { range: TextRange::empty(insertion.offset), text }];
    if kind != ExtractionKind::Type {
        edits.push(Edit { range: target.value.range(), text: name });
    }
    CodeAction {
        title,
        kind: ActionKind::RefactorExtract,
        edits,
        is_preferred: false,
        command: Some(ActionCommand::Rename(position)),
        new_file: None,
    }
}

/// Where the new name stands once the edits are made.
fn renamed_position(context: &FileContext<'_>, at: TextSize, text: &str, words: &str) -> LineCol {
    let start = context.bicep.source.position(at);
    let found = text.find(words).unwrap_or_default() + words.find(' ').map_or(0, |space| space + 1);
    let before = text.get(..found).unwrap_or_default();
    let lines = u32::try_from(before.matches('\n').count()).unwrap_or_default();
    let last_line = before.rsplit('\n').next().unwrap_or_default();
    let col = if lines == 0 { start.col + utf16_len(last_line) } else { utf16_len(last_line) };
    LineCol { line: start.line + lines, col }
}

/// The new declaration in the standard layout.
fn declaration(target: &Target<'_>, kind: ExtractionKind, name: &str, type_text: Option<&str>) -> String {
    // Lines are broken as for a name of this length, which the reference puts in while it lays the declaration out.
    let placeholder = format!("{name}{}", "_".repeat(PLACEHOLDER));
    let value = with_comment(target.value);
    let (short, name) = (name, placeholder.as_str());
    let plain = match (kind, type_text) {
        (ExtractionKind::Variable, _) | (_, None) => format!("var {name} = {value}"),
        (ExtractionKind::Type, Some(ty)) => format!("type {name} = {ty}"),
        (ExtractionKind::Parameter, Some(ty)) => {
            let description = target.property.as_ref().and_then(|property| property.description.as_deref());
            let decorator =
                description.map(|text| format!("@description({})\n", bicep_types::ty::escape_string(text)));
            format!("{}param {name} {ty} = {value}", decorator.unwrap_or_default())
        }
    };
    let laid_out = laid_out(plain, target.value);
    laid_out.replacen(name, short, 1)
}

/// A declaration of a value in the standard layout. The reference prints the value where it stands and reads the result again
/// before it prints the declaration, which shows where the value is broken. It is read as Bicep in parameter files too.
fn laid_out(declaration: String, value: Node<'_>) -> String {
    let options = bicep_format::Options {
        indent: bicep_format::Indent::Spaces(2),
        newline: bicep_format::Newline::Lf,
        width: 120,
        insert_final_newline: false,
    };
    let parsed = bicep_syntax::parse(declaration, Dialect::Bicep);
    let once = bicep_format::format_broken(&parsed, &options);
    // Resources in a body are sound where it stands, so that only the declaration is printed in another way.
    let has_resources = value.children().any(|it| it.kind() == SyntaxKind::Resource);
    if parsed.diagnostics.is_empty() || has_resources {
        return once.trim_end().to_owned();
    }
    let again = bicep_syntax::parse(once, Dialect::Bicep);
    bicep_format::format_broken(&again, &options).trim_end().to_owned()
}

/// How much longer names are while they are laid out.
const PLACEHOLDER: usize = 21;

/// The text of a value with the comment behind it on its line.
fn with_comment(value: Node<'_>) -> String {
    let comments = value.last_token().into_iter().flat_map(bicep_syntax::Token::trailing_trivia);
    let end = comments
        .filter(|it| it.kind().is_comment())
        .last()
        .map_or(value.range().end(), |it| it.range().end());
    let text = value.tree().text();
    text.get(usize::from(value.range().start())..usize::from(end)).unwrap_or_default().to_owned()
}

/// The name that fits, or the usual one, with a number while it is taken.
fn free_name(context: &FileContext<'_>, target: &Target<'_>, kind: ExtractionKind) -> String {
    let wanted = target.name.as_deref().unwrap_or(kind.default_name());
    let letters: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let starts_well = letters.starts_with(|c: char| c.is_ascii_alphabetic());
    let letters = if starts_well { letters } else { format!("_{letters}") };
    let is_taken = |name: &str| {
        context.model.symbols().any(|(_, symbol)| {
            let is_known = symbol.name.as_deref() == Some(name);
            is_known && is_visible(context, symbol, target.value)
        })
    };
    let numbered = (2..).map(|number: u32| format!("{letters}{number}"));
    std::iter::once(letters.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

fn is_visible(context: &FileContext<'_>, symbol: &bicep_sema::Symbol, at: Node<'_>) -> bool {
    let scope = context.model.scope(symbol.scope).map(|scope| context.tree().node(scope.node));
    scope.is_some_and(|scope| scope.range().contains_range(at.range()))
}

/// Where a new declaration goes.
struct Insertion {
    offset: TextSize,
    blank_before: bool,
    blank_after: bool,
}

/// Behind the last declaration of the same kind above, with blank lines as around that one; else above the statement.
fn insertion(context: &FileContext<'_>, statement: Node<'_>, kind: SyntaxKind) -> Insertion {
    let lines = context.bicep.source.lines();
    let start = statement.range().start();
    let mut siblings =
        context.tree().root().children().filter(|it| it.kind() == kind && it.range().start() < start);
    let Some(existing) = siblings.next_back() else {
        let first = first_line(context, statement);
        let blank_after = first == 0 || line_content(context, first - 1) == LineContent::Empty;
        return Insertion { offset: lines.line_start(lines.line(start)), blank_before: false, blank_after };
    };
    let (first, last) = (first_line(context, existing), lines.line(existing.range().end()));
    let is_last_line = last as usize + 1 >= lines.line_count();
    let before = (first > 0).then(|| line_content(context, first - 1) == LineContent::Empty);
    let after = (!is_last_line).then(|| line_content(context, last + 1) == LineContent::Empty);
    let blank_before = before.or(after).unwrap_or(true);
    let has_none_after = is_last_line || line_content(context, last + 1) != LineContent::Empty;
    let blank_after = after.unwrap_or(true) && has_none_after;
    Insertion { offset: lines.line_start(last + 1), blank_before, blank_after }
}

/// The first line of a statement with the comments above it.
fn first_line(context: &FileContext<'_>, statement: Node<'_>) -> u32 {
    let mut line = context.bicep.source.lines().line(statement.range().start());
    while line > 0 && line_content(context, line - 1) == LineContent::Comment {
        line -= 1;
    }
    line
}

#[derive(PartialEq, Eq)]
enum LineContent {
    Empty,
    Comment,
    Code,
}

fn line_content(context: &FileContext<'_>, line: u32) -> LineContent {
    let lines = context.bicep.source.lines();
    let range = TextRange::new(lines.line_start(line), lines.line_start(line + 1));
    let mut content = LineContent::Empty;
    let touching = |token: &bicep_syntax::Token<'_>| {
        token.range().intersect(range).is_some_and(|common| !common.is_empty())
    };
    for token in
        context.tree().tokens().skip_while(|token| token.range().end() <= range.start()).take_while(touching)
    {
        match token.kind() {
            SyntaxKind::Whitespace | SyntaxKind::NewLine | SyntaxKind::EndOfFile | SyntaxKind::Directive => {}
            kind if kind.is_comment() => content = LineContent::Comment,
            _ => return LineContent::Code,
        }
    }
    content
}
