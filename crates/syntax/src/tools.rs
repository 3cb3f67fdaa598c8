//! Language servers, formatters and linters that are known without configuration.
//!
//! Only data: which program serves a language and how it is called. The crate `toolchain` finds
//! and runs them.

use crate::Language;

/// The placeholder for the file's path among a tool's arguments.
pub const FILE_PLACEHOLDER: &str = "{file}";

/// The tools of a language; if there are several, the preferred one comes first.
#[derive(Debug, Clone, Copy)]
pub struct LanguageTools {
    /// Language servers
    pub servers: &'static [ServerSpec],
    /// Formatters
    pub formatters: &'static [Formatter],
    /// Linters
    pub linters: &'static [Linter],
}

impl LanguageTools {
    /// No tools are known.
    pub const NONE: Self = Self { servers: &[], formatters: &[], linters: &[] };
}

/// A language server: which program it is, and how to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSpec {
    /// The name of its program file
    pub program: &'static str,
    /// The arguments that make it speak the protocol on its standard streams
    pub args: &'static [&'static str],
    /// The command or package that installs it
    pub install: &'static str,
    /// Project files, one of which has to be in a folder above a source file for the server to know
    /// all files; without one it knows only the files that were opened. Empty if it needs none
    pub project_files: &'static [&'static str],
}

/// A formatter: it reads a text on its input and writes the formatted text to its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formatter {
    /// The name of its program file
    pub program: &'static str,
    /// Its arguments; [`FILE_PLACEHOLDER`] is replaced by the path
    pub args: &'static [&'static str],
    /// Files that only it reads: where one is in a folder above a source file, it is used
    pub settings: &'static [&'static str],
}

/// What a linter can be asked to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LintScope {
    /// The paths it is given
    Paths,
    /// A whole package, from its folder
    Package,
}

/// The format of a linter's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LintReportFormat {
    /// JSON of oxlint
    Oxlint,
    /// JSON of eslint
    Eslint,
    /// JSON lines of cargo
    Cargo,
    /// JSON of ruff
    Ruff,
}

/// A second program with which a linter can check more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion {
    /// The name of its program file
    pub program: &'static str,
    /// The command that installs it
    pub install: &'static str,
    /// The linter's further arguments where it is installed
    pub args: &'static [&'static str],
    /// The linter's further arguments to find type errors; older linters do not know them
    pub type_check_args: &'static [&'static str],
}

/// A linter, and how its output is read.
#[derive(Debug, Clone, Copy)]
pub struct Linter {
    /// Its display name
    pub name: &'static str,
    /// The name of its program file
    pub program: &'static str,
    /// Its arguments, before the paths
    pub args: &'static [&'static str],
    /// A second program that lets it check more
    pub companion: Option<Companion>,
    /// Whether it finds type errors by itself
    pub checks_types: bool,
    /// What it can be asked to check
    pub scope: LintScope,
    /// The command that installs it
    pub install: &'static str,
    /// The format of its report
    pub report_format: LintReportFormat,
}

/// Every known server, each once.
pub fn all_servers() -> impl Iterator<Item = &'static ServerSpec> {
    once_each(|language| language.descriptor().tools.servers, |server| server.program)
}

/// Every known formatter, each once.
pub fn all_formatters() -> impl Iterator<Item = &'static Formatter> {
    once_each(|language| language.descriptor().tools.formatters, |tool| tool.program)
}

/// Every known linter, each once.
pub fn all_linters() -> impl Iterator<Item = &'static Linter> {
    once_each(|language| language.descriptor().tools.linters, |tool| tool.program)
}

/// The known server whose program has this name.
pub fn server_by_program(name: &str) -> Option<&'static ServerSpec> {
    all_servers().find(|server| server.program == name)
}

/// The tools of all languages without those that an earlier one has too.
fn once_each<T: 'static>(
    tools: fn(Language) -> &'static [T],
    program: fn(&T) -> &'static str,
) -> impl Iterator<Item = &'static T> {
    let mut seen = Vec::new();
    Language::ALL.iter().flat_map(move |language| tools(*language)).filter(move |tool| {
        let is_new = !seen.contains(&program(tool));
        if is_new {
            seen.push(program(tool));
        }
        is_new
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_server_is_preferred() {
        let programs = |name: &str| -> Vec<&str> {
            let language = Language::from_name(name).unwrap();
            language.descriptor().tools.servers.iter().map(|server| server.program).collect()
        };
        assert_eq!(programs("TSX"), ["tsc", "typescript-language-server"]);
        assert_eq!(programs("Python"), ["pyright-langserver", "basedpyright-langserver"]);
        assert_eq!(programs("C++"), ["clangd"]);
        assert_eq!(programs("Markdown"), [""; 0]);
        assert_eq!(server_by_program("clangd").map(|server| server.project_files.len()), Some(3));
        assert_eq!(server_by_program("no such"), None);
        assert_eq!(all_servers().filter(|server| server.program == "tsc").count(), 1);
    }
}
