//! The catalogue of what the lexer and the parser have to say, one entry per code and situation. All are errors.

use std::borrow::Cow;

use base::{Check, Diagnostic, TextRange};

/// A code with its words, waiting for a place.
pub(crate) struct Message {
    code: &'static str,
    text: Cow<'static, str>,
}

impl Message {
    /// The error at a place.
    pub(crate) fn at(&self, range: TextRange) -> Diagnostic {
        Check::Compiler.error(self.code, range, self.text.clone())
    }
}

macro_rules! messages {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        $(pub(crate) const $name: Message = Message { code: $code, text: Cow::Borrowed($text) };)*
    };
}

messages! {
    EXPECTED_STATEMENT = "BCP007", "This is not a statement. Expected one of: assert, extension, func, import, metadata, module, output, param, resource, targetScope, test, type, var";
    EXPECTED_PARAM_CONTINUATION = "BCP008", "Expected \"=\" and a default value, or the end of the line";
    EXPECTED_EXPRESSION = "BCP009", "Expected a value: a literal, a name, a function call, an array, an object or an expression in parentheses";
    INTEGER_TOO_LARGE = "BCP010", "This integer does not fit into 64 bits";
    EXPECTED_PARAM_NAME = "BCP013", "Expected the name of the parameter";
    EXPECTED_VAR_NAME = "BCP015", "Expected a name";
    EXPECTED_OUTPUT_NAME = "BCP016", "Expected the name of the output";
    EXPECTED_RESOURCE_NAME = "BCP017", "Expected the symbolic name of the resource";
    EXPECTED_LINE_END = "BCP019", "Expected the end of the line";
    EXPECTED_MEMBER_NAME = "BCP020", "Expected the name of a property or a function";
    EXPECTED_PROPERTY_NAME = "BCP022", "Expected the name of a property";
    EXPECTED_CONSTANT = "BCP032", "The value must be a compile-time constant; an interpolated string is not";
    JUNK_IN_HOLE = "BCP064", "Expected the end of the interpolated expression here";
    EXPECTED_RESOURCE_TYPE = "BCP068", "Expected the resource type as a string, such as 'Microsoft.Storage/storageAccounts@2023-01-01'";
    LITERAL_NOT_ALLOWED = "BCP087", "An array or object literal is not allowed here";
    EXPECTED_MODULE_NAME = "BCP096", "Expected the symbolic name of the module";
    EXPECTED_MODULE_PATH = "BCP097", "Expected the path of a file or an artifact reference as a string";
    EMPTY_INDEX = "BCP117", "Expected an index between the brackets";
    EXPECTED_BODY = "BCP118", "Expected \"{\", \"[\" or \"if\"";
    EXPECTED_DECORATOR_NAME = "BCP123", "Expected the name of a decorator or of its namespace";
    EXPECTED_LOOP_VARIABLES = "BCP162", "Expected the name of the loop variable, or \"(\" and the names of item and index";
    EXPECTED_LOOP_BODY = "BCP167", "Expected \"{\" or \"if\"";
    EXPECTED_EXTENSION = "BCP201", "Expected the name of an extension or an artifact reference as a string";
    EXPECTED_EXTENSION_ALIAS = "BCP202", "Expected the alias of the extension";
    EXPECTED_LINE_END_OR_COMMA = "BCP236", "Expected the end of the line or a comma";
    EXPECTED_COMMA = "BCP237", "Expected a comma";
    LINE_END_AFTER_COMMA = "BCP238", "A line break is not allowed after a comma: elements on separate lines need no commas";
    ONE_EXPRESSION_IN_PARENTHESES = "BCP243", "Expected exactly one expression between the parentheses";
    EXPECTED_FILE_PATH = "BCP257", "Expected the path of a file as a string";
    EXPECTED_METADATA_NAME = "BCP266", "Expected the name of the metadata";
    EXPECTED_TYPE = "BCP279", "Expected a type: a name, a literal, an array, an object or a type in parentheses";
    EXPECTED_TYPE_LITERAL = "BCP300", "Expected another type after the bar, on the same line";
    EXPECTED_WITH_OR_AS = "BCP305", "Expected \"with\", \"as\" or the end of the line";
    EXPECTED_TYPE_PROPERTY_NAME = "BCP317", "Expected the name of a property, or \"*\" for all others";
    SAFE_METHOD_CALL = "BCP322", "A function cannot be called with \".?\"";
    EXPECTED_TYPE_NAME = "BCP325", "Expected a name for the type";
    EXPECTED_PARAMS_STATEMENT = "BCP337", "This is not a statement of a parameters file. Expected one of: extends, extension, import, param, type, using, var";
    EXPECTED_ASSERT_NAME = "BCP344", "Expected the name of the assertion";
    EXPECTED_TEST_NAME = "BCP346", "Expected the name of the test";
    EXPECTED_TEST_PATH = "BCP347", "Expected the path of the file under test as a string";
    EXPECTED_IMPORTS = "BCP354", "Expected \"{\" and the names to import, or \"*\" and an alias for all of them";
    EXPECTED_IMPORTED_NAME = "BCP355", "Expected the name of something that the file exports";
    EXPECTED_NAMESPACE_NAME = "BCP356", "Expected a name for the imported namespace";
    EXPECTED_IMPORT_ALIAS = "BCP375", "A quoted name needs an alias: add \"as\" and a name";
    EXPECTED_EXTENDS_PATH = "BCP404", "Expected the path of the parameters file to extend as a string";
    EXPECTED_WITH_OR_LINE_END = "BCP436", "Expected \"with\" or the end of the line";
    NESTED_TOO_DEEPLY = "SINEW001", "This is nested too deeply to be read: at most 512 levels are supported";
    CHAIN_TOO_LONG = "SINEW002", "This expression has too many operators: at most 4096 are supported. Split it with variables";
}

pub(crate) fn expected_character(character: &str) -> Message {
    Message { code: "BCP018", text: format!("Expected \"{character}\" here").into() }
}

pub(crate) fn expected_keyword(keyword: &str) -> Message {
    Message { code: "BCP012", text: format!("Expected \"{keyword}\" here").into() }
}

pub(crate) fn two_loop_variables(count: usize) -> Message {
    let text = format!("Expected two names, for the item and its index, but there are {count}");
    Message { code: "BCP249", text: text.into() }
}

pub(crate) fn unrecognized_token(range: TextRange, text: &str) -> Diagnostic {
    if text == "\"" {
        return Check::Compiler.error(
            "BCP103",
            range,
            "Strings are written in single quotes, not in double quotes",
        );
    }
    Check::Compiler.error("BCP001", range, format!("\"{text}\" is not expected here"))
}

pub(crate) fn unterminated_comment(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP002", range, "This comment has no end: close it with */")
}

pub(crate) fn unterminated_string(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP003", range, "This string has no end: close it with a single quote")
}

pub(crate) fn unterminated_string_at_line_end(range: TextRange) -> Diagnostic {
    let message =
        "This string does not end on its line: close it with a single quote, or write a multi-line string";
    Check::Compiler.error("BCP004", range, message)
}

pub(crate) fn unterminated_escape(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP005", range, "This string ends in the middle of an escape sequence")
}

pub(crate) fn unknown_escape(range: TextRange) -> Diagnostic {
    let message = "Unknown escape sequence. Known are: \\n, \\r, \\t, \\\\, \\', \\$ and \\u{…}";
    Check::Compiler.error("BCP006", range, message)
}

pub(crate) fn identifier_too_long(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP024", range, "A name has at most 255 characters")
}

pub(crate) fn bad_unicode_escape(range: TextRange) -> Diagnostic {
    let message = "A Unicode escape is \\u{ followed by a hexadecimal code point up to 10FFFF and }";
    Check::Compiler.error("BCP133", range, message)
}

pub(crate) fn unterminated_block_string(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP140",
        range,
        "This multi-line string has no end: close it with three single quotes",
    )
}

pub(crate) fn directive_without_codes(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP226", range, "Expected at least one diagnostic code after the directive")
}
