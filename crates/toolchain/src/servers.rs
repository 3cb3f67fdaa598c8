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
    },
    Server {
        languages: SCRIPTS,
        program: "typescript-language-server",
        args: &["--stdio"],
        install: "npm install --save-dev typescript-language-server typescript@5",
    },
    Server {
        languages: &["Rust"],
        program: "rust-analyzer",
        args: &[],
        install: "rustup component add rust-analyzer",
    },
    Server {
        languages: &["Python"],
        program: "pyright-langserver",
        args: &["--stdio"],
        install: "npm install --save-dev pyright",
    },
    Server {
        languages: &["Python"],
        program: "basedpyright-langserver",
        args: &["--stdio"],
        install: "pip install basedpyright",
    },
    Server {
        languages: &["Go"],
        program: "gopls",
        args: &[],
        install: "go install golang.org/x/tools/gopls@latest",
    },
    Server {
        languages: &["C", "C++"],
        program: "clangd",
        args: &[],
        install: "install the package `clangd` of your system",
    },
];

/// The servers of a language, the preferred first.
pub fn servers(language: &str) -> impl Iterator<Item = &'static Server> {
    SERVERS.iter().filter(move |server| server.languages.contains(&language))
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
    }
}
