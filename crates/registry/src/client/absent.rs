//! The client of a build without the network: there is none, so nothing that needs one is ever run.

use std::time::Duration;

use camino::Utf8PathBuf;

use super::{Patience, RepositoryTarget};
use crate::digest::Digest;
use crate::error::Error;
use crate::manifest::Descriptor;

/// A connection to registries, which cannot be had.
pub(crate) enum Client {}

impl Client {
    pub(crate) fn new(_: Patience, _: Option<Utf8PathBuf>) -> Result<Self, Error> {
        Err(Error::NoNetwork)
    }

    pub(crate) async fn manifest(&self, _: RepositoryTarget<'_>, _: &str) -> Result<Vec<u8>, Error> {
        match *self {}
    }

    pub(crate) async fn image_manifest(&self, _: RepositoryTarget<'_>, _: &str) -> Result<Vec<u8>, Error> {
        match *self {}
    }

    pub(crate) async fn has_manifest(&self, _: RepositoryTarget<'_>, _: &str) -> Result<bool, Error> {
        match *self {}
    }

    pub(crate) async fn tags(&self, _: RepositoryTarget<'_>) -> Result<Vec<String>, Error> {
        match *self {}
    }

    pub(crate) async fn blob(&self, _: RepositoryTarget<'_>, _: &Digest) -> Result<Blob, Error> {
        match *self {}
    }

    pub(crate) async fn whole_blob(
        &self,
        _: RepositoryTarget<'_>,
        _: &Digest,
        _: u64,
    ) -> Result<Vec<u8>, Error> {
        match *self {}
    }

    pub(crate) async fn put_blob(
        &self,
        _: RepositoryTarget<'_>,
        _: &Descriptor,
        _: &[u8],
    ) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) async fn put_manifest(&self, _: RepositoryTarget<'_>, _: &str, _: &[u8]) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) async fn document(
        &self,
        _: &str,
        _: Option<&str>,
        _: Option<&[(&str, &str)]>,
        _: u64,
    ) -> Result<Vec<u8>, Error> {
        match *self {}
    }

    pub(crate) fn wait_after(&self, _: u32) -> Option<Duration> {
        match *self {}
    }
}

/// A blob on its way, which it never is.
pub(crate) enum Blob {}

impl Blob {
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Error> {
        match *self {}
    }
}
