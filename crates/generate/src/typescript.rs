//! TypeScript to JavaScript: types are stripped, enums and parameter properties become code. Text comes in, text goes
//! out; positions in the output can be traced back.

#[cfg(feature = "typescript")]
pub(crate) use with_oxc::{original_position, to_javascript};

#[cfg(feature = "typescript")]
mod with_oxc {
    use std::path::Path;

    use oxc::allocator::Allocator;
    use oxc::codegen::{Codegen, CodegenOptions, CodegenReturn};
    use oxc::diagnostics::{LabeledSpan, OxcDiagnostic};
    use oxc::parser::Parser;
    use oxc::semantic::SemanticBuilder;
    use oxc::span::SourceType;
    use oxc::transformer::{TransformOptions, Transformer};

    /// The JavaScript of a TypeScript module, or what is wrong with it and at which byte.
    pub(crate) fn to_javascript(path: &str, source: &str) -> Result<String, (String, usize)> {
        transform(path, source, false, |output| output.code)
    }

    /// The line and column of the source, both from one, that a line and column of the output stem from. The module
    /// is translated once more for this: errors are rare, and running without a map is faster.
    pub(crate) fn original_position(path: &str, source: &str, line: u32, column: u32) -> Option<(u32, u32)> {
        let (line, column) = (line.checked_sub(1)?, column.checked_sub(1)?);
        let found = transform(path, source, true, |output| {
            let map = output.map?;
            let token = map.lookup_token(&map.generate_lookup_table(), line, column)?;
            Some((token.get_src_line() + 1, token.get_src_col() + 1))
        });
        found.ok().flatten()
    }

    fn transform<T>(
        path: &str,
        source: &str,
        with_map: bool,
        take: impl FnOnce(CodegenReturn<'_>) -> T,
    ) -> Result<T, (String, usize)> {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, source, SourceType::ts().with_module(true)).parse();
        if let Some(error) = parsed.diagnostics.first() {
            return Err(described(error));
        }
        let mut program = parsed.program;
        let scoping = SemanticBuilder::new().with_enum_eval(true).build(&program).semantic.into_scoping();
        let options = TransformOptions::default();
        let result =
            Transformer::new(&allocator, Path::new(path), &options).build_with_scoping(scoping, &mut program);
        if let Some(error) = result.diagnostics.first() {
            return Err(described(error));
        }
        let source_map_path = with_map.then(|| Path::new(path).to_path_buf());
        let options = CodegenOptions { source_map_path, ..CodegenOptions::default() };
        Ok(take(Codegen::new().with_options(options).build(&program)))
    }

    fn described(error: &OxcDiagnostic) -> (String, usize) {
        let offset = error.labels.first().map_or(0, LabeledSpan::offset);
        (error.message.to_string(), offset as usize)
    }
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn to_javascript(_path: &str, _source: &str) -> Result<String, (String, usize)> {
    Err((crate::messages::NO_TYPESCRIPT.to_owned(), 0))
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn original_position(_path: &str, _source: &str, _line: u32, _column: u32) -> Option<(u32, u32)> {
    None
}
