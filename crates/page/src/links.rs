//! The permanent address of everything that has one.

use base::{EntityRef, RepoPath};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stays readable in a path.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b':')
    .remove(b'@');

/// What stays readable in a query.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'/');

/// A value of a query, encoded.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// An address from its first part and a name.
pub(crate) fn address(first: &str, name: &str) -> String {
    format!("/{first}/{}", utf8_percent_encode(name, PATH))
}

/// The page of a node.
pub(crate) fn node(node: &EntityRef) -> String {
    match node {
        EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Dir(path) => file(path),
        EntityRef::Symbol(path, name) => address("symbol", &format!("{path}#{name}")),
        EntityRef::Card(key) => address("card", key.as_str()),
        EntityRef::Commit(id) => address("commit", id.as_str()),
        EntityRef::Kb(id) => address("kb", id.as_str()),
        EntityRef::Record(kind, id) => address(kind.as_str(), id.as_str()),
    }
}

/// The page of a file or folder.
pub(crate) fn file(path: &RepoPath) -> String {
    if path.is_root() { "/file/".to_owned() } else { address("file", &path.to_string()) }
}

/// How many lines of a file are on one page.
pub(crate) const PAGE_LINES: u32 = 800;

/// The first line of the page that a line is on.
pub(crate) const fn page_start(line: u32) -> u32 {
    let before = if line == 0 { 0 } else { line - 1 };
    before / PAGE_LINES * PAGE_LINES + 1
}

/// The page of a file, at a line.
pub(crate) fn line(path: &RepoPath, line: u32) -> String {
    match page_start(line) {
        1 => format!("{}#L{line}", file(path)),
        _ => format!("{}?line={line}#L{line}", file(path)),
    }
}

/// The page of a symbol.
pub(crate) fn symbol(path: &RepoPath, name: &str) -> String {
    address("symbol", &format!("{path}#{name}"))
}

/// The graph around a node.
pub(crate) fn graph(handle: &str) -> String {
    format!("/graph?around={}", encode(handle))
}

/// The page of a handle; none if it is not one.
pub(crate) fn handle(text: &str) -> Option<String> {
    text.parse::<EntityRef>().ok().map(|parsed| node(&parsed))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_is_on_one_page() {
        let path = "src/a.rs".parse().unwrap();
        for (line, start, address) in [
            (1, 1, "/file/src/a.rs#L1"),
            (800, 1, "/file/src/a.rs#L800"),
            (801, 801, "/file/src/a.rs?line=801#L801"),
            (1700, 1601, "/file/src/a.rs?line=1700#L1700"),
        ] {
            assert_eq!(super::page_start(line), start);
            assert_eq!(super::line(&path, line), address);
        }
    }

    #[test]
    fn an_address_names_its_node() {
        for (handle, address) in [
            ("module:src/a b.rs", "/file/src/a%20b.rs"),
            ("dir:.", "/file/"),
            ("symbol:src/a.rs#Session.open", "/symbol/src/a.rs%23Session.open"),
            ("spec::auth/login", "/card/spec::auth/login"),
            ("kb:REQ-1", "/kb/REQ-1"),
            ("task:019b7d2f", "/task/019b7d2f"),
        ] {
            assert_eq!(super::handle(handle).as_deref(), Some(address));
        }
    }
}
