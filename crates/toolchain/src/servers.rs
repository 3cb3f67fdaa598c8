//! The language servers that cairn knows without being told.

/// A language server: which program it is, and how to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSpec {
    /// The languages it serves, named as `syntax` names them
    pub languages: &'static [&'static str],
    /// The name of its program file
    pub program: &'static str,
    /// What makes the program speak the protocol on its standard streams
    pub args: &'static [&'static str],
    /// The command or package that installs it
    pub install: &'static str,
    /// What tells it of all files, one of which has to stand in a folder above a file; without one
    /// it knows only what it was shown. Empty where it finds out by itself
    pub project_files: &'static [&'static str],
}

const SCRIPT_LANGUAGES: &[&str] = &["TypeScript", "TSX", "JavaScript"];

/// The built-in servers; of several for one language the preferred comes first.
pub const SERVERS: &[ServerSpec] = &[
    // Only TypeScript 7 and newer is its own server: an older `tsc` does not know the option.
    ServerSpec {
        languages: SCRIPT_LANGUAGES,
        program: "tsc",
        args: &["--lsp", "--stdio"],
        install: "npm install --save-dev typescript@7",
        project_files: &[],
    },
    ServerSpec {
        languages: SCRIPT_LANGUAGES,
        program: "typescript-language-server",
        args: &["--stdio"],
        install: "npm install --save-dev typescript-language-server typescript@5",
        project_files: &[],
    },
    ServerSpec {
        languages: &["Rust"],
        program: "rust-analyzer",
        args: &[],
        install: "rustup component add rust-analyzer",
        project_files: &[],
    },
    ServerSpec {
        languages: &["Python"],
        program: "pyright-langserver",
        args: &["--stdio"],
        install: "npm install --save-dev pyright",
        project_files: &[],
    },
    ServerSpec {
        languages: &["Python"],
        program: "basedpyright-langserver",
        args: &["--stdio"],
        install: "pip install basedpyright",
        project_files: &[],
    },
    ServerSpec {
        languages: &["Go"],
        program: "gopls",
        args: &[],
        install: "go install golang.org/x/tools/gopls@latest",
        project_files: &[],
    },
    ServerSpec {
        languages: &["C", "C++"],
        program: "clangd",
        args: &[],
        install: "install the package `clangd` of your system",
        project_files: &[
            "compile_commands.json",
            "build/compile_commands.json",
            "compile_flags.txt",
        ],
    },
];

/// The servers of a language, the preferred first.
pub fn servers_for(language: &str) -> impl Iterator<Item = &'static ServerSpec> {
    SERVERS.iter().filter(move |server| server.languages.contains(&language))
}

/// The built-in server that calls itself this.
pub fn server_by_program(name: &str) -> Option<&'static ServerSpec> {
    SERVERS.iter().find(|server| server.program == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_server_is_preferred() {
        let programs =
            |language| servers_for(language).map(|server| server.program).collect::<Vec<_>>();
        assert_eq!(programs("TSX"), ["tsc", "typescript-language-server"]);
        assert_eq!(programs("Python"), ["pyright-langserver", "basedpyright-langserver"]);
        assert_eq!(programs("C++"), ["clangd"]);
        assert_eq!(programs("Markdown"), [""; 0]);
        assert_eq!(server_by_program("clangd").map(|server| server.project_files.len()), Some(3));
        assert_eq!(server_by_program("no such"), None);
    }
}
