//! The language servers that cairn knows without being told.

/// A language server: which program it is, and how to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Server {
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
    pub reads: &'static [&'static str],
}

const SCRIPTS: &[&str] = &["TypeScript", "TSX", "JavaScript"];

/// The built-in servers; of several for one language the preferred comes first.
pub const SERVERS: &[Server] = &[
    // Only TypeScript 7 and newer is its own server: an older `tsc` does not know the option.
    Server {
        languages: SCRIPTS,
        program: "tsc",
        args: &["--lsp", "--stdio"],
        install: "npm install --save-dev typescript@7",
        reads: &[],
    },
    Server {
        languages: SCRIPTS,
        program: "typescript-language-server",
        args: &["--stdio"],
        install: "npm install --save-dev typescript-language-server typescript@5",
        reads: &[],
    },
    Server {
        languages: &["Rust"],
        program: "rust-analyzer",
        args: &[],
        install: "rustup component add rust-analyzer",
        reads: &[],
    },
    Server {
        languages: &["Python"],
        program: "pyright-langserver",
        args: &["--stdio"],
        install: "npm install --save-dev pyright",
        reads: &[],
    },
    Server {
        languages: &["Python"],
        program: "basedpyright-langserver",
        args: &["--stdio"],
        install: "pip install basedpyright",
        reads: &[],
    },
    Server {
        languages: &["Go"],
        program: "gopls",
        args: &[],
        install: "go install golang.org/x/tools/gopls@latest",
        reads: &[],
    },
    Server {
        languages: &["C", "C++"],
        program: "clangd",
        args: &[],
        install: "install the package `clangd` of your system",
        reads: &["compile_commands.json", "build/compile_commands.json", "compile_flags.txt"],
    },
];

/// The servers of a language, the preferred first.
pub fn servers(language: &str) -> impl Iterator<Item = &'static Server> {
    SERVERS.iter().filter(move |server| server.languages.contains(&language))
}

/// The built-in server that calls itself this.
pub fn named(name: &str) -> Option<&'static Server> {
    SERVERS.iter().find(|server| server.program == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_server_is_preferred() {
        let programs =
            |language| servers(language).map(|server| server.program).collect::<Vec<_>>();
        assert_eq!(programs("TSX"), ["tsc", "typescript-language-server"]);
        assert_eq!(programs("Python"), ["pyright-langserver", "basedpyright-langserver"]);
        assert_eq!(programs("C++"), ["clangd"]);
        assert_eq!(programs("Markdown"), [""; 0]);
        assert_eq!(named("clangd").map(|server| server.reads.len()), Some(3));
        assert_eq!(named("no such"), None);
    }
}
