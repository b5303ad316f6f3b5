//! The source map of a template while it is emitted.

use std::sync::Arc;

use base::{SourceFile, TextRange};
use json::{Kind, Node};

use crate::tree::{SourceMapSink, within};
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

impl SourceMapSink for Recorder {
    fn place(&mut self, pointer: &str, range: TextRange) {
        self.map.insert(pointer, SourcePosition { file: Arc::clone(&self.file), range });
    }

    fn template(&mut self, pointer: &str, template: &Emitted) {
        self.map.insert_template(pointer, Arc::clone(&template.source_map));
    }
}

/// The source map of a template that was written in JSON: every value is where it is.
pub(crate) fn of_json(root: &Node, file: &Arc<SourceFile>) -> SourceMap {
    let mut recorder = Recorder::new(Arc::clone(file));
    walk(root, &mut String::new(), &mut recorder);
    recorder.finish()
}

fn walk(node: &Node, pointer: &mut String, places: &mut dyn SourceMapSink) {
    base::recurse(|| {
        places.place(pointer, node.range);
        match &node.value {
            Kind::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    within(pointer, &index.to_string(), |pointer| walk(item, pointer, places));
                }
            }
            Kind::Object(object) => {
                for member in object {
                    within(pointer, &member.key, |pointer| walk(&member.value, pointer, places));
                }
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {}
        }
    });
}
