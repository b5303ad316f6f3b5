//! Shared test code.
