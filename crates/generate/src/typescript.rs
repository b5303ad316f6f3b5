//! TypeScript to JavaScript: types are stripped, enums and parameter properties become code. Text comes in, text goes
//! out; positions in the output can be traced back.

#[cfg(feature = "typescript")]
pub(crate) use with_oxc::{has_module_syntax, original_position, to_javascript};

/// What `tsconfig.json` decides about the translation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// Decorators are those of `experimentalDecorators`.
    pub(crate) has_legacy_decorators: bool,
    /// Decorators are given the types of what they decorate.
    pub(crate) emits_metadata: bool,
    /// Fields are assigned in the constructor instead of being defined.
    pub(crate) assigns_fields: bool,
}

#[cfg(feature = "typescript")]
mod with_oxc {
    use std::path::Path;

    use oxc::allocator::Allocator;
    use oxc::ast::AstKind;
    use oxc::codegen::{Codegen, CodegenOptions, CodegenReturn};
    use oxc::diagnostics::{LabeledSpan, OxcDiagnostic};
    use oxc::parser::Parser;
    use oxc::semantic::{Semantic, SemanticBuilder};
    use oxc::span::SourceType;
    use oxc::transformer::{TransformOptions, Transformer};

    use super::Options;
    use crate::messages;

    /// The JavaScript of a TypeScript module, or what is wrong with it and at which byte.
    pub(crate) fn to_javascript(
        path: &str,
        source: &str,
        options: &Options,
    ) -> Result<String, (String, usize)> {
        transform(&Input { path, source, options, with_map: false }, |output| output.code)
    }

    /// Whether a script has imports or exports of its own. What cannot be read has none.
    pub(crate) fn has_module_syntax(_path: &str, source: &str) -> bool {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, source, SourceType::unambiguous()).parse();
        parsed.module_record.has_module_syntax
    }

    struct Input<'a> {
        path: &'a str,
        source: &'a str,
        options: &'a Options,
        with_map: bool,
    }

    /// The line and column of the source, both from one, that a line and column of the output stem from. The module
    /// is translated once more for this: errors are rare, and running without a map is faster.
    pub(crate) fn original_position(
        path: &str,
        source: &str,
        options: &Options,
        (line, column): (u32, u32),
    ) -> Option<(u32, u32)> {
        let (line, column) = (line.checked_sub(1)?, column.checked_sub(1)?);
        let found = transform(&Input { path, source, options, with_map: true }, |output| {
            let map = output.map?;
            let token = map.lookup_token(&map.generate_lookup_table(), line, column)?;
            Some((token.get_src_line() + 1, token.get_src_col() + 1))
        });
        found.ok().flatten()
    }

    fn transform<T>(
        input: &Input<'_>,
        take: impl FnOnce(CodegenReturn<'_>) -> T,
    ) -> Result<T, (String, usize)> {
        let &Input { path, source, options: wanted, with_map } = input;
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, source, SourceType::ts().with_module(true)).parse();
        if let Some(error) = parsed.diagnostics.first() {
            return Err(described(error));
        }
        let mut program = parsed.program;
        let may_be_unsupported = source.contains('@') || source.contains("accessor ");
        let semantic = SemanticBuilder::new()
            .with_enum_eval(true)
            .with_build_nodes(may_be_unsupported)
            .build(&program)
            .semantic;
        if let Some(refused) = unsupported(&semantic, wanted) {
            return Err(refused);
        }
        let scoping = semantic.into_scoping();
        let mut options = TransformOptions::default();
        options.decorator.legacy = wanted.has_legacy_decorators;
        options.decorator.emit_decorator_metadata = wanted.emits_metadata;
        options.assumptions.set_public_class_fields = wanted.assigns_fields;
        options.typescript.remove_class_fields_without_initializer = wanted.assigns_fields;
        let result =
            Transformer::new(&allocator, Path::new(path), &options).build_with_scoping(scoping, &mut program);
        if let Some(error) = result.diagnostics.first() {
            return Err(described(error));
        }
        let source_map_path = with_map.then(|| Path::new(path).to_path_buf());
        let options = CodegenOptions { source_map_path, ..CodegenOptions::default() };
        Ok(take(Codegen::new().with_options(options).build(&program)))
    }

    /// What the engine does not know and the transformer does not translate. Without this, the engine would complain
    /// about a character.
    fn unsupported(semantic: &Semantic<'_>, options: &Options) -> Option<(String, usize)> {
        semantic.nodes().iter().find_map(|node| match node.kind() {
            AstKind::Decorator(decorator) if !options.has_legacy_decorators => {
                Some((messages::STANDARD_DECORATORS.to_owned(), decorator.span.start as usize))
            }
            AstKind::AccessorProperty(property) => {
                Some((messages::ACCESSORS.to_owned(), property.span.start as usize))
            }
            _ => None,
        })
    }

    fn described(error: &OxcDiagnostic) -> (String, usize) {
        let offset = error.labels.first().map_or(0, LabeledSpan::offset);
        (error.message.to_string(), offset as usize)
    }
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn to_javascript(
    _path: &str,
    _source: &str,
    _options: &Options,
) -> Result<String, (String, usize)> {
    Err((crate::messages::NO_TYPESCRIPT.to_owned(), 0))
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn original_position(
    _path: &str,
    _source: &str,
    _options: &Options,
    _position: (u32, u32),
) -> Option<(u32, u32)> {
    None
}

/// Without a parser, a line that starts with the keyword decides.
#[cfg(not(feature = "typescript"))]
pub(crate) fn has_module_syntax(_path: &str, source: &str) -> bool {
    source.lines().any(|line| ["import ", "import{", "export "].iter().any(|word| line.starts_with(word)))
}
