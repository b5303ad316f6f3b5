//! Bicep text to tree.
