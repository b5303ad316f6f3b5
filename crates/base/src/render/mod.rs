//! One report, many renderers: each a small file that takes `&[FileReport]` and gives text.
