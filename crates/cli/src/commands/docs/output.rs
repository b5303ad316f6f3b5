//! Where documents go: beside their modules, into a folder, to one file or to standard output; or nowhere, when only
//! looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{FileReport, SourceFile, World as _};
use camino::{Utf8Path, Utf8PathBuf};

use crate::failure::Failure;
use crate::inputs::Input;
use crate::session::Session;
use crate::{interrupt, messages, write};

/// The arguments that say where documents go.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct OutputArgs {
    /// Write to standard output
    #[arg(long)]
    stdout: bool,

    /// Write to this folder, keeping the folder structure of the input
    #[arg(long, value_name = "DIR")]
    outdir: Option<Utf8PathBuf>,

    /// Write to this file
    #[arg(long, value_name = "FILE")]
    outfile: Option<Utf8PathBuf>,

    /// Write nothing; fail if a file is out of date
    #[arg(long)]
    check: bool,
}

/// The documentation of a module.
pub(crate) struct Document {
    /// The full path of the module.
    pub(crate) entry: Utf8PathBuf,
    pub(crate) file: Arc<SourceFile>,
    /// The name that the configuration gives to the document.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl OutputArgs {
    /// Refuses arguments that exclude each other.
    pub(super) fn check(&self, has_pattern: bool) -> Result<(), Failure> {
        let given = [
            ("--stdout", self.stdout),
            ("--outdir", self.outdir.is_some()),
            ("--outfile", self.outfile.is_some()),
        ];
        let mut chosen = given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name);
        if let (Some(first), Some(second)) = (chosen.next(), chosen.next()) {
            return Err(Failure::conflict(first, second));
        }
        let is_single = |name: &&(&str, bool)| name.0 != "--outdir" && name.1;
        match given.iter().find(is_single) {
            Some((name, _)) if has_pattern => Err(Failure::conflict(name, "--pattern")),
            _ if self.check && self.stdout => Err(Failure::conflict("--check", "--stdout")),
            _ => Ok(()),
        }
    }

    /// Refuses one place for several documents.
    pub(super) fn check_count(&self, count: usize) -> Result<(), Failure> {
        match (count > 1, self.stdout, &self.outfile) {
            (true, true, _) => Err(Failure::needs_one_file("--stdout")),
            (true, _, Some(_)) => Err(Failure::needs_one_file("--outfile")),
            _ => Ok(()),
        }
    }

    /// Puts every document where it belongs; gives what went wrong. Nothing is written when two belong to one place.
    pub(super) fn deliver(
        &self,
        inputs: &[Input],
        entries: &[Utf8PathBuf],
        documents: Vec<Document>,
        session: &Session,
    ) -> Result<Vec<FileReport>, Failure> {
        if self.stdout {
            documents.iter().try_for_each(|document| session.output.data(&document.text))?;
            return Ok(Vec::new());
        }
        let mut targets = Vec::with_capacity(documents.len());
        let mut known: BTreeMap<Utf8PathBuf, Utf8PathBuf> = BTreeMap::new();
        for document in documents {
            let input =
                entries.iter().position(|entry| *entry == document.entry).and_then(|at| inputs.get(at));
            let Some(input) = input else { continue };
            let target = self.target(input, &document.name);
            let full = session.absolute(&target)?;
            if full == document.entry || matches!(target.extension(), Some("bicep" | "bicepparam")) {
                return Err(Failure::documentation_over_source(&target));
            }
            if let Some(other) = known.insert(full, input.path.clone()) {
                return Err(Failure::two_documents(&target, &other, &input.path));
            }
            targets.push((target, document));
        }
        interrupt::spare_files();
        let put = |(target, document): (Utf8PathBuf, Document)| self.put(&target, &document, session);
        Ok(targets.into_iter().filter_map(put).collect())
    }

    fn target(&self, input: &Input, name: &str) -> Utf8PathBuf {
        match (&self.outfile, &self.outdir) {
            (Some(file), _) => file.clone(),
            (None, Some(folder)) => folder.join(input.relative.with_file_name(name)),
            (None, None) => input.path.with_file_name(name),
        }
    }

    /// Writes a document, or holds it against what is there.
    fn put(&self, target: &Utf8Path, document: &Document, session: &Session) -> Option<FileReport> {
        let diagnostic = if self.check {
            let there = session.world.read_source(target);
            let is_current = there.is_ok_and(|there| there.text().replace("\r\n", "\n") == document.text);
            (!is_current).then(|| messages::documentation_outdated(target))
        } else {
            let written = write::write(target, &document.text);
            written.err().map(|failure| messages::documentation_not_written(&failure.to_string()))
        };
        diagnostic.map(|it| FileReport::new(Arc::clone(&document.file), vec![it]))
    }
}
