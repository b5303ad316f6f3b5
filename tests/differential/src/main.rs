//! `cargo xtask differential`: compares the library with a recording and says what differs.
#![expect(clippy::disallowed_methods, reason = "a development tool reads and writes files")]
#![expect(clippy::disallowed_macros, reason = "a development tool talks to the person who started it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use base::disk::DiskWorld;
use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser as _;
use differential::run::{Compared, run};
use differential::{Difference, Kind, Recording, Types};

/// Compare the library with recorded answers of the reference implementation
#[derive(Debug, clap::Parser)]
#[command(name = "cargo xtask differential")]
struct Args {
    /// The recording: a `.json.xz` file
    #[arg(long, value_name = "FILE")]
    corpus: PathBuf,

    /// What to compare; everything, if not said
    #[arg(long, value_enum)]
    kind: Vec<Kind>,

    /// Compare only these cases
    #[arg(long, value_name = "ID")]
    only: Vec<String>,

    /// Show the first differences in full
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    show: usize,

    /// Show only differences in which this code is missing or extra
    #[arg(long, value_name = "CODE")]
    code: Option<String>,

    /// Write the ids of the cases that differ to this file
    #[arg(long, value_name = "FILE")]
    failures: Option<PathBuf>,

    /// The folder that resource types are installed in; that of the program, if not said
    #[arg(long, value_name = "DIR")]
    types: Option<Utf8PathBuf>,
}

fn main() -> ExitCode {
    match compare(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(args: &Args) -> Result<ExitCode, String> {
    let recording = Recording::load(&args.corpus)?;
    let folder = args.types.clone().or_else(|| registry::home::catalogue_folder(&DiskWorld));
    let types = Types::open(folder.as_deref().unwrap_or(Utf8Path::new("")));
    let kinds = if args.kind.is_empty() { Kind::ALL.to_vec() } else { args.kind.clone() };
    let is_wanted = |id: &String| args.only.is_empty() || args.only.contains(id);
    let compared = run(&recording, &types, &kinds, |case| is_wanted(&case.id));
    show(args, &recording, &compared);
    figures(&compared);
    let different: Vec<&Compared> = compared.iter().filter(|it| it.result.is_err()).collect();
    if let Some(path) = &args.failures {
        let lines = different.iter().map(|it| format!("{} {}\n", id(&recording, it), it.kind.name()));
        fs::write(path, lines.collect::<String>()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    println!("{} equal, {} different", compared.len() - different.len(), different.len());
    Ok(if different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn id<'r>(recording: &'r Recording, compared: &Compared) -> &'r str {
    recording.cases.get(compared.case).map_or("", |case| &case.id)
}

/// The first differences in full.
fn show(args: &Args, recording: &Recording, compared: &[Compared]) {
    let differences = compared.iter().filter_map(|it| Some((it, it.result.as_ref().err()?)));
    let has_code = |difference: &Difference| match (&args.code, difference) {
        (None, _) => true,
        (Some(code), Difference::Findings { missing, extra }) => {
            missing.iter().chain(extra).any(|it| it.0 == *code)
        }
        (Some(_), _) => false,
    };
    for (it, difference) in differences.filter(|(_, difference)| has_code(difference)).take(args.show) {
        println!("--- {} {}", id(recording, it), it.kind.name());
        match difference {
            Difference::Text(text) => print!("{text}"),
            Difference::Panic => println!("panicked, or did not find its entry"),
            Difference::Findings { missing, extra } => {
                for (mark, list) in [('-', missing), ('+', extra)] {
                    for finding in list {
                        let differential::recording::Finding(code, level, line, column, last, end) = finding;
                        println!("{mark} {code} {level} {line}:{column}-{last}:{end}");
                    }
                }
            }
        }
    }
}

/// How many are equal, and which codes are not.
fn figures(compared: &[Compared]) {
    let mut kinds: BTreeMap<Kind, (usize, usize)> = BTreeMap::new();
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    for it in compared {
        let (equal, all) = kinds.entry(it.kind).or_default();
        *all += 1;
        *equal += usize::from(it.result.is_ok());
        if let Err(Difference::Findings { missing, extra }) = &it.result {
            for (word, list) in [("missing", missing), ("extra", extra)] {
                for finding in list {
                    *codes.entry(format!("{word} {}", finding.0)).or_default() += 1;
                }
            }
        }
    }
    for (kind, (equal, all)) in kinds {
        println!("{}: {equal}/{all}", kind.name());
    }
    let mut codes: Vec<(String, usize)> = codes.into_iter().collect();
    codes.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    for (code, count) in codes {
        println!("{count:6} {code}");
    }
}
