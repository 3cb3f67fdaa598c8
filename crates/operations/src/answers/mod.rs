//! Parts that several answers share: the order of files by role, the source of a place, the callers
//! of a symbol, and the tests that reach it.

pub(crate) mod accesses;
pub(crate) mod callers;
pub(crate) mod finding_rows;
pub(crate) mod line_choice;
pub(crate) mod line_target;
pub(crate) mod package;
pub(crate) mod role;
pub(crate) mod source;
pub(crate) mod test_finder;
pub(crate) mod tested_files;
