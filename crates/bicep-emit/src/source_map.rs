//! The source map of a template while it is emitted.

use std::sync::Arc;

use base::{SourceFile, TextRange};

use crate::tree::Places;
use crate::{Emitted, SourceMap, SourcePosition};

/// Writes down where the parts of one file's template come from.
pub(crate) struct Recorder {
    file: Arc<SourceFile>,
    map: SourceMap,
}

impl Recorder {
    pub(crate) fn new(file: Arc<SourceFile>) -> Self {
        Self { file, map: SourceMap::default() }
    }

    pub(crate) fn finish(self) -> SourceMap {
        self.map
    }
}

impl Places for Recorder {
    fn place(&mut self, pointer: &str, range: TextRange) {
        self.map.insert(pointer, SourcePosition { file: Arc::clone(&self.file), range });
    }

    fn template(&mut self, pointer: &str, template: &Emitted) {
        for (inner, place) in template.source_map.iter() {
            self.map.insert(format!("{pointer}{inner}"), place.clone());
        }
    }
}
