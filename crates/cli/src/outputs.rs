//! Where what is compiled from files is written.

use bicep_emit::SourceMap;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value as Json, json};

use crate::failure::Failure;
use crate::inputs::Input;
use crate::session::Session;

/// The arguments that say where output goes; without them it goes beside the sources.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write to standard output
    #[arg(long)]
    pub(crate) stdout: bool,

    /// Write to this folder, keeping the folder structure of the input
    #[arg(long, value_name = "DIR")]
    outdir: Option<Utf8PathBuf>,

    /// Write to this file
    #[arg(long, value_name = "FILE")]
    outfile: Option<Utf8PathBuf>,
}

impl OutputArgs {
    /// Refuses arguments that exclude each other, and those that make no sense with several files.
    pub(crate) fn check(&self, inputs: &[Input], has_pattern: bool) -> Result<(), Failure> {
        reject_conflicts(self.stdout, self.outdir.as_ref(), self.outfile.as_ref())?;
        for (name, is_given) in [("--stdout", self.stdout), ("--outfile", self.outfile.is_some())] {
            if is_given && has_pattern {
                return Err(Failure::conflict(name, "--pattern"));
            }
            if is_given && inputs.len() > 1 {
                return Err(Failure::needs_one_file(name));
            }
        }
        Ok(())
    }

    /// Where what is compiled from a file goes.
    pub(crate) fn path_for(&self, input: &Input) -> Utf8PathBuf {
        match (&self.outfile, &self.outdir) {
            (Some(file), _) => file.clone(),
            (None, Some(folder)) => folder.join(input.relative.with_extension("json")),
            (None, None) => input.path.with_extension("json"),
        }
    }
}

/// The arguments that say where the one result of one file goes.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SingleOutput {
    /// Write to standard output
    #[arg(long)]
    stdout: bool,

    /// Write to this folder
    #[arg(long, value_name = "DIR")]
    outdir: Option<Utf8PathBuf>,

    /// Write to this file
    #[arg(long, value_name = "FILE")]
    outfile: Option<Utf8PathBuf>,
}

impl SingleOutput {
    /// Refuses arguments that exclude each other.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        reject_conflicts(self.stdout, self.outdir.as_ref(), self.outfile.as_ref())
    }

    /// Refuses a single file as the place of several results.
    pub(crate) fn check_count(&self, inputs: usize) -> Result<(), Failure> {
        match self.outfile {
            Some(_) if inputs > 1 => Err(Failure::needs_one_file("--outfile")),
            _ => Ok(()),
        }
    }

    /// The same for a file that a folder may have found: it keeps its place below the output folder.
    pub(crate) fn path_for_input(&self, input: &Input, extension: &str) -> Option<Utf8PathBuf> {
        match &self.outdir {
            Some(folder) if !self.stdout => Some(folder.join(input.relative.with_extension(extension))),
            _ => self.path_for(&input.path, extension),
        }
    }

    /// Where the result goes, with this extension unless it is named; nothing for standard output.
    pub(crate) fn path_for(&self, input: &Utf8Path, extension: &str) -> Option<Utf8PathBuf> {
        let beside = input.with_extension(extension);
        match (self.stdout, &self.outfile, &self.outdir) {
            (true, ..) => None,
            (_, Some(file), _) => Some(file.clone()),
            (_, None, Some(folder)) => Some(folder.join(beside.file_name().unwrap_or_default())),
            (_, None, None) => Some(beside),
        }
    }
}

fn reject_conflicts(
    stdout: bool,
    outdir: Option<&Utf8PathBuf>,
    outfile: Option<&Utf8PathBuf>,
) -> Result<(), Failure> {
    let given = [("--stdout", stdout), ("--outdir", outdir.is_some()), ("--outfile", outfile.is_some())];
    let mut given = given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
    match (given.next(), given.next()) {
        (Some(first), Some(second)) => Err(Failure::conflict(first, second)),
        _ => Ok(()),
    }
}

/// A source map as JSON: files, and for each pointer the file and the start and end as line and column, from one.
/// Columns count UTF-16 code units, as editors do.
pub(crate) fn source_map(map: &SourceMap, beside: &Utf8Path, session: &Session) -> Result<Json, Failure> {
    let folder = session.absolute(beside)?;
    let folder = folder.parent().unwrap_or(Utf8Path::new("/"));
    let mut files: Vec<String> = Vec::new();
    let mut places = Map::new();
    for (pointer, place) in map.to_places() {
        let path = config::paths::relative(folder, place.file.path());
        let file = files.iter().position(|known| *known == path).unwrap_or_else(|| {
            files.push(path);
            files.len() - 1
        });
        let at = |offset| {
            let position = place.file.position(offset);
            json!([position.line + 1, position.col + 1])
        };
        let place = json!({ "file": file, "start": at(place.range.start()), "end": at(place.range.end()) });
        places.insert(pointer, place);
    }
    Ok(json!({ "version": 1, "files": files, "places": places }))
}
