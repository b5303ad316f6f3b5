//! `sinew explain`: what a diagnostic code means: of the compiler, of a lint rule or of a best-practice rule.

use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew explain BCP036
  sinew explain no-unused-params
  sinew explain TA-000004";

/// Explain a diagnostic code
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The codes
    #[arg(value_name = "CODE", required = true)]
    codes: Vec<String>,
}

/// The codes of the compiler, a line each: the code and what it says.
const COMPILER: &str = include_str!("explain/codes.txt");

/// The codes of everything else, a line each: JSON, configuration, parameters, types, rules, scripts, deployments.
const TOOLS: &str = include_str!("explain/tools.txt");

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let texts: Result<Vec<String>, Failure> = args.codes.iter().map(|code| explanation(code)).collect();
    session.output.data(&texts?.join("\n"))?;
    Ok(Status::Clean)
}

fn explanation(code: &str) -> Result<String, Failure> {
    let is_it = |known: &str| known.eq_ignore_ascii_case(code);
    if let Some((code, meaning)) = compiler().find(|(known, _)| is_it(known)) {
        return Ok(of_compiler(code, meaning));
    }
    if let Some((code, meaning)) = tools().find(|(known, _)| is_it(known)) {
        return Ok(format!("{code}: {meaning}.\n\nReported by {}.\n", reporter(code)));
    }
    if let Some(rule) = config::rules::RULES.iter().find(|rule| is_it(rule.code))
        && let Some(text) = bicep_lint::explain(rule.code)
    {
        return Ok(format!("{}: {}\n", rule.code, text.trim_end()));
    }
    if let Some(rule) = rules::builtin().iter().find(|rule| is_it(&rule.id)) {
        return Ok(rules::explain(rule, rules::BUILTIN_TEXT));
    }
    Err(Failure::no_such_code(code, base::spelling::suggest(code, known())))
}

fn of_compiler(code: &str, meaning: &str) -> String {
    format!(
        "{code}: {meaning}.\n\n\
         Reported by the compiler. Where it is a warning or less, `#disable-next-line {code}` in the line before silences it.\n"
    )
}

fn compiler() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMPILER.lines().filter_map(|line| line.split_once(' '))
}

fn tools() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOOLS.lines().filter_map(|line| line.split_once(' '))
}

/// Who reports a code, by its beginning.
fn reporter(code: &str) -> &'static str {
    const REPORTERS: &[(&str, &str)] = &[
        ("JSON", "everything that reads JSON"),
        ("SINEW", "the parser"),
        ("RULE", "`sinew rules` and `sinew analyze`, about rule files"),
        ("ANALYZE", "`sinew analyze` and `sinew check`, about what rules look at"),
        ("INPUTS", "`sinew inputs` and `sinew build-params`, about external inputs"),
        ("PARAMS", "`sinew decompile-params`, about parameter files in JSON"),
        ("config-", "everything that reads `bicepconfig.json` or `sinew.toml`"),
        ("types-", "`sinew types` and `sinew publish-extension`, about packages of types"),
        ("generate-", "`sinew generate` and the other commands that run scripts"),
        ("validat", "the compiler, about values that validators check"),
        ("no-resource-types", "the compiler, once a run"),
        ("template-too-large", "the compiler"),
        ("not-formatted", "`sinew check`"),
    ];
    let found = REPORTERS.iter().find(|(start, _)| code.starts_with(start));
    found.map_or("deployments: `sinew deploy`, `what-if` and `serve`", |(_, who)| who)
}

/// Every code that can be explained, in the order of the catalogues.
pub(crate) fn known() -> Vec<&'static str> {
    let of_compiler = compiler().chain(tools()).map(|(code, _)| code);
    let of_lint = config::rules::RULES.iter().map(|rule| rule.code);
    let best_practice = rules::builtin().iter().map(|rule| rule.id.as_str());
    of_compiler.chain(of_lint).chain(best_practice).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the catalogues of messages are read from the sources")]

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_code_of_the_compiler_is_explained() {
        let used =
            codes_in(|text| quoted(text).filter(|it| is_numbered(it, "BCP")).map(str::to_owned).collect());
        let explained: BTreeSet<String> = compiler().map(|(code, _)| code.to_owned()).collect();
        let differ: Vec<_> = used.symmetric_difference(&explained).collect();
        assert!(
            differ.is_empty(),
            "explain/codes.txt has a line for each code of the compiler, and for no other: {differ:?}"
        );
    }

    #[test]
    fn every_other_code_is_explained() {
        let used = codes_in(|text| {
            let of_deployments = text.split("ArmError::new(").skip(1);
            let of_deployments =
                of_deployments.filter_map(|call| call.trim_start().strip_prefix('"')?.split('"').next());
            quoted(text).filter(|it| is_of_tools(it)).chain(of_deployments).map(str::to_owned).collect()
        });
        let explained: BTreeSet<String> = tools().map(|(code, _)| code.to_owned()).collect();
        let missing: Vec<_> = used.difference(&explained).collect();
        assert!(missing.is_empty(), "explain/tools.txt has a line for each code: {missing:?}");
        assert!(used.len() > 100, "{used:?}");
        let silent: Vec<_> = known().into_iter().filter(|code| explanation(code).is_err()).collect();
        assert!(silent.is_empty(), "{silent:?}");
    }

    /// The reference of codes in the book.
    #[test]
    fn the_reference_of_codes_is_up_to_date() {
        let mut page = String::from(
            "# Diagnostic codes\n\nGenerated from the program. `sinew explain CODE` prints the same.\n\n\
             ## Compiler\n\n| Code | Meaning |\n|---|---|\n",
        );
        let row = |(code, meaning): (&str, &str)| format!("| `{code}` | {} |\n", meaning.replace('|', "\\|"));
        page.extend(compiler().map(row));
        page.push_str("\n## Other tools\n\n| Code | Meaning |\n|---|---|\n");
        page.extend(tools().map(row));
        page.push_str(
            "\nSee also [lint rules](lint-rules.md) and [built-in best-practice rules](rules.md).\n",
        );
        expect_test::expect_file!["../../../../docs/codes.md"].assert_eq(&page);
    }

    #[test]
    fn every_lint_rule_is_explained() {
        let silent: Vec<_> =
            config::rules::RULES.iter().filter(|rule| explanation(rule.code).is_err()).collect();
        assert!(silent.is_empty(), "{silent:?}");
    }

    /// What a function finds in the sources of all crates, their tests left out.
    fn codes_in(find: impl Fn(&str) -> Vec<String>) -> BTreeSet<String> {
        let mut codes = BTreeSet::new();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for entry in fs::read_dir(crates).into_iter().flatten().flatten() {
            collect(&entry.path().join("src"), &find, &mut codes);
        }
        codes
    }

    fn collect(folder: &Path, find: &impl Fn(&str) -> Vec<String>, codes: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, find, codes);
                continue;
            }
            let text = fs::read_to_string(path).unwrap_or_default();
            codes.extend(find(text.split("#[cfg(test)]\nmod ").next().unwrap_or_default()));
        }
    }

    fn quoted(text: &str) -> impl Iterator<Item = &str> {
        text.split('"')
    }

    fn is_numbered(text: &str, start: &str) -> bool {
        text.strip_prefix(start).is_some_and(|number| number.len() == 3 && number.parse::<u16>().is_ok())
    }

    fn is_of_tools(text: &str) -> bool {
        let is_word = text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        ["JSON", "SINEW", "RULE", "ANALYZE", "INPUTS", "PARAMS"].iter().any(|start| is_numbered(text, start))
            || is_word
                && text != "config-file-path"
                && ["config-", "types-", "generate-", "validation-", "validator-"]
                    .iter()
                    .any(|start| text.starts_with(start) && text.len() > start.len())
    }
}
