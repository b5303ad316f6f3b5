//! Every message about rule files, filters and templates: one constructor per code. Codes are stable; the words are not.

use base::{Check, Diagnostic, TextRange};

pub(crate) fn not_a_rule_file(at: TextRange, found: &str) -> Diagnostic {
    Check::Rules.error(
        "RULE001",
        at,
        format!("A rule file holds a rule or an array of rules; this is {found}."),
    )
}

pub(crate) fn not_a_rule(at: TextRange, found: &str) -> Diagnostic {
    Check::Rules.error("RULE002", at, format!("A rule is an object; this is {found}."))
}

pub(crate) fn no_identity(at: TextRange) -> Diagnostic {
    Check::Rules.error("RULE003", at, "This rule has neither an `id` nor a `name`.")
}

pub(crate) fn wrong_type(at: TextRange, place: &str, wanted: &str, found: &str) -> Diagnostic {
    Check::Rules.error("RULE004", at, format!("{place} must be {wanted}, but is {found}."))
}

pub(crate) fn missing(at: TextRange, place: &str, property: &str) -> Diagnostic {
    Check::Rules.error("RULE005", at, format!("{place} has no `{property}`."))
}

pub(crate) fn no_operator(at: TextRange, place: &str) -> Diagnostic {
    Check::Rules.error("RULE006", at, format!("{place} has no operator; exactly one is needed: {OPERATORS}."))
}

pub(crate) fn several_operators(at: TextRange, place: &str, names: &[&str]) -> Diagnostic {
    let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Check::Rules.error(
        "RULE007",
        at,
        format!("{place} has several operators: {names}. Combine them with `allOf` or `anyOf`."),
    )
}

pub(crate) fn bad_regex(at: TextRange, place: &str, reason: &str) -> Diagnostic {
    Check::Rules.error("RULE008", at, format!("{place} is not a pattern that can be used: {reason}."))
}

pub(crate) fn bad_path(at: TextRange, place: &str, reason: &str) -> Diagnostic {
    Check::Rules.error("RULE009", at, format!("{place} is not a path: {reason}."))
}

pub(crate) fn bad_severity(at: TextRange, place: &str) -> Diagnostic {
    Check::Rules.error("RULE010", at, format!("{place} must be 1 (High), 2 (Medium) or 3 (Low)."))
}

pub(crate) fn empty_list(at: TextRange, place: &str) -> Diagnostic {
    Check::Rules.error("RULE011", at, format!("{place} must hold at least one evaluation."))
}

pub(crate) fn nested_too_deeply(at: TextRange, place: &str, limit: usize) -> Diagnostic {
    Check::Rules.error("RULE012", at, format!("{place} is nested deeper than {limit} levels."))
}

pub(crate) fn unknown_property(
    at: TextRange,
    place: &str,
    name: &str,
    suggestion: Option<&str>,
) -> Diagnostic {
    let hint = suggestion.map(|name| format!(" Did you mean `{name}`?")).unwrap_or_default();
    let diagnostic = Check::Rules.warning(
        "RULE013",
        at,
        format!("{place} has no property `{name}`; it is ignored.{hint}"),
    );
    match suggestion {
        Some(name) => diagnostic.with_fix(format!("Change to `{name}`"), at, format!("\"{name}\"")),
        None => diagnostic,
    }
}

pub(crate) fn repeated_id(at: TextRange, id: &str) -> Diagnostic {
    Check::Rules.warning("RULE014", at, format!("There is another rule with the id '{id}'; both run."))
}

pub(crate) fn mixed_types(at: TextRange, place: &str) -> Diagnostic {
    Check::Rules.info("RULE015", at, format!("{place} lists values of different types."))
}

const OPERATORS: &str = "`exists`, `hasValue`, `equals`, `notEquals`, `less`, `lessOrEquals`, `greater`, \
                         `greaterOrEquals`, `regex`, `in`, `anyOf`, `allOf` or `not`";

pub(crate) fn template_problem(at: TextRange, message: &str) -> Diagnostic {
    Check::Rules.warning("ANALYZE001", at, message)
}

pub(crate) fn template_error(at: TextRange, message: &str) -> Diagnostic {
    Check::Rules.error("ANALYZE008", at, message)
}

/// A template that is behind a link.
const LINKED_TEMPLATE: &str = "ANALYZE003";

/// A loop whose count is not known.
const OPEN_LOOP: &str = "ANALYZE006";

const EXPRESSION_FAILED: &str = "ANALYZE002";

pub(crate) fn expression_failed(at: TextRange, message: &str) -> Diagnostic {
    Check::Rules.warning(
        EXPRESSION_FAILED,
        at,
        format!("This cannot be evaluated, so rules cannot check it. {message}"),
    )
}

/// Whether diagnostics of a code that say the same are told once a file.
pub(crate) fn is_told_once(code: &str) -> bool {
    matches!(code, EXPRESSION_FAILED | LINKED_TEMPLATE | OPEN_LOOP)
}

/// The same about several places, for one reason.
pub(crate) fn in_several_places(first: Diagnostic, others: usize) -> Diagnostic {
    let places = if others == 1 { "place" } else { "places" };
    Diagnostic { message: format!("{} The same holds for {others} more {places}.", first.message), ..first }
}

pub(crate) fn linked_template(at: TextRange) -> Diagnostic {
    Check::Rules.warning(LINKED_TEMPLATE, at, "The linked template is not analyzed.")
}

pub(crate) fn too_many_levels(at: TextRange, limit: usize) -> Diagnostic {
    Check::Rules.warning(
        "ANALYZE004",
        at,
        format!("Templates nested deeper than {limit} levels are not analyzed."),
    )
}

pub(crate) fn too_many_resources(at: TextRange, limit: usize) -> Diagnostic {
    let message = format!(
        "This resource and those after it are not analyzed: no deployment may have more than {limit} resources."
    );
    Check::Rules.error("ANALYZE005", at, message)
}

pub(crate) fn no_reason(at: TextRange) -> Diagnostic {
    let message = "This suppression has no effect: name the rules and give a reason, as in `sinew-ignore TA-000004: reason`.";
    Check::Rules.warning("ANALYZE007", at, message)
}

pub(crate) fn no_reason_in_metadata(at: TextRange) -> Diagnostic {
    let message = "This suppression has no effect: name the rules and give a reason for each, as in \
                   `\"sinew\": { \"ignore\": { \"TA-000004\": \"reason\" } }`.";
    Check::Rules.warning("ANALYZE007", at, message)
}

pub(crate) fn accepts_nothing(at: TextRange, rule: &str) -> Diagnostic {
    let message = format!("This suppression is unused: {rule} finds nothing here. Remove it.");
    Check::Rules.warning("ANALYZE011", at, message)
}

pub(crate) fn accepts_unknown_rule(at: TextRange, rule: &str, suggestion: Option<&str>) -> Diagnostic {
    let hint = suggestion.map(|name| format!(" Did you mean {name}?")).unwrap_or_default();
    let message = format!("This suppression has no effect: no rule of this run is called {rule}.{hint}");
    Check::Rules.warning("ANALYZE012", at, message)
}

pub(crate) fn open_loop(at: TextRange) -> Diagnostic {
    Check::Rules.info(OPEN_LOOP, at, "The number of copies is not known; rules check one of them.")
}
