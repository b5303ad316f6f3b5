//! JSON with comments.
