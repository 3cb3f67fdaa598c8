//! What several answers show, decided in one place each: which kind of file comes first, the
//! source of a place, who calls a symbol, and which tests reach it.

pub(crate) mod callers;
pub(crate) mod line_target;
pub(crate) mod package;
pub(crate) mod role;
pub(crate) mod source;
pub(crate) mod test_finder;
