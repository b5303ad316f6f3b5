//! `sinew explain`: what a code in a report means: of the compiler, of a lint rule or of a best-practice rule.

use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew explain BCP036
  sinew explain no-unused-params
  sinew explain TA-000004";

/// Say what a code in a report means
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The codes, as reports have them
    #[arg(value_name = "CODE", required = true)]
    codes: Vec<String>,
}

/// The codes of the compiler, a line each: the code and what it says.
const COMPILER: &str = include_str!("explain/codes.txt");

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

/// Every code that can be explained.
fn known() -> Vec<&'static str> {
    let of_compiler = compiler().map(|(code, _)| code);
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
        let mut used = BTreeSet::new();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for name in ["bicep-syntax", "bicep-sema", "bicep-emit", "config", "registry"] {
            collect(&crates.join(name).join("src"), &mut used);
        }
        let explained: BTreeSet<String> = compiler().map(|(code, _)| code.to_owned()).collect();
        let differ: Vec<_> = used.symmetric_difference(&explained).collect();
        assert!(
            differ.is_empty(),
            "explain/codes.txt has a line for each code of the compiler, and for no other: {differ:?}"
        );
    }

    #[test]
    fn every_lint_rule_is_explained() {
        let silent: Vec<_> =
            config::rules::RULES.iter().filter(|rule| explanation(rule.code).is_err()).collect();
        assert!(silent.is_empty(), "{silent:?}");
    }

    /// The codes in the sources of a crate.
    fn collect(folder: &Path, codes: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, codes);
                continue;
            }
            let text = fs::read_to_string(path).unwrap_or_default();
            let quoted = text.split('"').filter(|part| {
                part.strip_prefix("BCP")
                    .is_some_and(|number| number.len() == 3 && number.parse::<u16>().is_ok())
            });
            codes.extend(quoted.map(str::to_owned));
        }
    }
}
