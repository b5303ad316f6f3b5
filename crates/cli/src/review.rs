//! What reviewers ask about a change, offline.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`git`] | a revision | a world with the files of that revision |
//! | [`deployed`] | a file in a world | what it would deploy |
//! | [`comparison`] | two of those | what comes, goes and changes |
//! | [`page`] | a title and content | a page of HTML that stands alone |
//! | [`versions`] | compiled files | versions that could be newer |

pub(crate) mod comparison;
pub(crate) mod deployed;
pub(crate) mod git;
pub(crate) mod page;
pub(crate) mod versions;
