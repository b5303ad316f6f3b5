//! The translation, with the parser, transformer and printer of oxc.

use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_codegen::{Codegen, CodegenOptions, CodegenReturn};
use oxc_diagnostics::{LabeledSpan, OxcDiagnostic};
use oxc_parser::Parser;
use oxc_semantic::{Semantic, SemanticBuilder};
use oxc_span::SourceType;
use oxc_transformer::{TransformOptions, Transformer};

use super::decorators::{self, Lowered};
use super::{Options, Position};
use crate::messages;

/// The JavaScript of a TypeScript module, or what is wrong with it and at which byte.
pub(crate) fn to_javascript(path: &str, source: &str, options: &Options) -> Result<String, (String, usize)> {
    transform(&Input { path, source, options, with_map: false }, |output, needs_lowering| {
        if !needs_lowering {
            return Ok(output.code);
        }
        lower(path, output.code).map(|lowered| lowered.text)
    })?
}

/// Whether a script has imports or exports of its own. What cannot be read has none.
pub(crate) fn has_module_syntax(_path: &str, source: &str) -> bool {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::unambiguous()).parse();
    parsed.module_record.has_module_syntax
}

/// The position in the source that a position in the output stems from. The module is translated once more for this:
/// errors are rare, and running without a map is faster.
pub(crate) fn original_position(
    path: &str,
    source: &str,
    options: &Options,
    position: Position,
) -> Option<Position> {
    let found = transform(&Input { path, source, options, with_map: true }, |output, needs_lowering| {
        let printed = if needs_lowering {
            let lowered = lower(path, output.code.clone()).ok()?;
            position_of(&output.code, lowered.original(offset_of(&lowered.text, position)?))
        } else {
            position
        };
        let map = output.map?;
        let (line, column) = (printed.line.checked_sub(1)?, printed.column.checked_sub(1)?);
        let token = map.lookup_token(&map.generate_lookup_table(), line, column)?;
        Some(Position { line: token.get_src_line() + 1, column: token.get_src_col() + 1 })
    });
    found.ok().flatten()
}

/// JavaScript without decorators and accessors, which the engine does not know; nothing if there are none. What cannot be
/// parsed is left to the engine, which says what is wrong with it.
pub(crate) fn without_decorators(text: &str, is_module: bool) -> Option<String> {
    lowered(text, is_module).map(|lowered| lowered.text)
}

/// The position in JavaScript that a position in [`without_decorators`] stems from.
pub(crate) fn position_before_lowering(text: &str, is_module: bool, position: Position) -> Option<Position> {
    let lowered = lowered(text, is_module)?;
    Some(position_of(text, lowered.original(offset_of(&lowered.text, position)?)))
}

fn lowered(text: &str, is_module: bool) -> Option<Lowered> {
    // Most files have no sign of it, and need not be parsed a second time.
    let may_need_it = text.contains("class") && text.lines().any(has_sign_of_decorators);
    if !may_need_it {
        return None;
    }
    decorators::lower(text.to_owned(), is_module).ok().filter(Lowered::is_changed)
}

/// Whether a line may hold a decorator or an accessor: `@name` behind nothing, a blank or an opening bracket, outside of a
/// line that is only a comment.
fn has_sign_of_decorators(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with('*') || line.starts_with("/*") || line.starts_with("//") {
        return false;
    }
    let is_sign = |(at, _): (usize, &str)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + 1..).and_then(|after| after.chars().next());
        before.is_none_or(|c| c.is_whitespace() || "({[;,}".contains(c))
            && after.is_some_and(|c| c.is_alphabetic() || "_$(".contains(c))
    };
    line.contains("accessor ") || line.match_indices('@').any(is_sign)
}

fn lower(path: &str, text: String) -> Result<Lowered, (String, usize)> {
    decorators::lower(text, !is_commonjs(path)).map_err(|message| (message, 0))
}

fn is_commonjs(path: &str) -> bool {
    path.ends_with(".cts")
}

fn offset_of(text: &str, position: Position) -> Option<usize> {
    let start: usize =
        text.split_inclusive('\n').take(position.line.checked_sub(1)? as usize).map(str::len).sum();
    let line = text.get(start..)?.lines().next()?;
    let column = line.char_indices().nth(position.column.checked_sub(1)? as usize);
    Some(start + column.map_or(line.len(), |(at, _)| at))
}

fn position_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Position { line: number(line), column: number(column) }
}

struct Input<'a> {
    path: &'a str,
    source: &'a str,
    options: &'a Options,
    with_map: bool,
}

/// Translates, and says whether the result still has decorators or accessors.
fn transform<T>(
    input: &Input<'_>,
    take: impl FnOnce(CodegenReturn<'_>, bool) -> T,
) -> Result<T, (String, usize)> {
    let &Input { path, source, options: wanted, with_map } = input;
    let allocator = Allocator::default();
    // The helpers of legacy decorators are imported or required.
    let kind = if is_commonjs(path) {
        SourceType::ts().with_commonjs(true)
    } else {
        SourceType::ts().with_module(true)
    };
    let parsed = Parser::new(&allocator, source, kind).parse();
    if let Some(error) = parsed.diagnostics.first() {
        return Err(described(error));
    }
    let mut program = parsed.program;
    let may_be_decorated = source.contains('@') || source.contains("accessor");
    let semantic = SemanticBuilder::new()
        .with_enum_eval(true)
        .with_build_nodes(may_be_decorated)
        .build(&program)
        .semantic;
    if !wanted.has_legacy_decorators
        && let Some(refused) = decorated_parameter(&semantic)
    {
        return Err(refused);
    }
    let has_decorators = has(&semantic, |kind| matches!(kind, AstKind::Decorator(_)));
    let has_accessors = has(&semantic, |kind| matches!(kind, AstKind::AccessorProperty(_)));
    let has_standard_decorators = has_decorators && !wanted.has_legacy_decorators;
    let scoping = semantic.into_scoping();
    let mut options = TransformOptions::default();
    options.decorator.legacy = wanted.has_legacy_decorators;
    options.decorator.emit_decorator_metadata = wanted.emits_metadata;
    // A field that became an assignment has lost its decorators.
    let assigns_fields = wanted.assigns_fields && !has_standard_decorators;
    options.assumptions.set_public_class_fields = assigns_fields;
    options.typescript.remove_class_fields_without_initializer = assigns_fields;
    let result =
        Transformer::new(&allocator, Path::new(path), &options).build_with_scoping(scoping, &mut program);
    if let Some(error) = result.diagnostics.first() {
        return Err(described(error));
    }
    let source_map_path = with_map.then(|| Path::new(path).to_path_buf());
    let options = CodegenOptions { source_map_path, ..CodegenOptions::default() };
    Ok(take(Codegen::new().with_options(options).build(&program), has_standard_decorators || has_accessors))
}

fn has(semantic: &Semantic<'_>, matches: impl Fn(AstKind<'_>) -> bool) -> bool {
    semantic.nodes().iter().any(|node| matches(node.kind()))
}

/// The language has no decorators of parameters.
fn decorated_parameter(semantic: &Semantic<'_>) -> Option<(String, usize)> {
    semantic.nodes().iter().find_map(|node| match node.kind() {
        AstKind::FormalParameter(parameter) => {
            let decorator = parameter.decorators.first()?;
            Some((messages::PARAMETER_DECORATORS.to_owned(), decorator.span.start as usize))
        }
        _ => None,
    })
}

fn described(error: &OxcDiagnostic) -> (String, usize) {
    let offset = error.labels.first().map_or(0, LabeledSpan::offset);
    (error.message.to_string(), offset as usize)
}
