//! Formatters and linters that cairn knows without being told, and how each is asked.

mod lint;

pub use lint::{LintFinding, LintSeverity};

/// What stands for the file's path among a tool's arguments.
pub const FILE_PLACEHOLDER: &str = "{file}";

const SCRIPT_LANGUAGES: &[&str] = &["TypeScript", "TSX", "JavaScript"];

/// A formatter: a text on its input, the formatted text on its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formatter {
    /// The languages it formats, named as `syntax` names them
    pub languages: &'static [&'static str],
    /// The name of its program file
    pub program: &'static str,
    /// Its arguments; [`FILE_PLACEHOLDER`] stands for the path
    pub args: &'static [&'static str],
    /// Files that only it reads: where one stands above a file, it is the one that is meant
    pub settings: &'static [&'static str],
}

/// The built-in formatters; of several for one language the preferred comes first.
pub const FORMATTERS: &[Formatter] = &[
    Formatter {
        languages: SCRIPT_LANGUAGES,
        program: "oxfmt",
        args: &["--stdin-filepath", FILE_PLACEHOLDER],
        settings: &[".oxfmtrc.json", ".oxfmtrc.jsonc"],
    },
    Formatter {
        languages: SCRIPT_LANGUAGES,
        program: "prettier",
        args: &["--stdin-filepath", FILE_PLACEHOLDER],
        settings: &[
            ".prettierrc",
            ".prettierrc.json",
            ".prettierrc.json5",
            ".prettierrc.yaml",
            ".prettierrc.yml",
            ".prettierrc.toml",
            ".prettierrc.js",
            ".prettierrc.cjs",
            ".prettierrc.mjs",
            ".prettierrc.ts",
            "prettier.config.js",
            "prettier.config.cjs",
            "prettier.config.mjs",
            "prettier.config.ts",
        ],
    },
    Formatter {
        languages: SCRIPT_LANGUAGES,
        program: "biome",
        args: &["format", "--stdin-file-path", FILE_PLACEHOLDER],
        settings: &["biome.json", "biome.jsonc"],
    },
    Formatter {
        languages: &["Rust"],
        program: "rustfmt",
        args: &["--emit", "stdout", "--quiet"],
        settings: &[],
    },
    Formatter {
        languages: &["Python"],
        program: "ruff",
        args: &["format", "--stdin-filename", FILE_PLACEHOLDER, "-"],
        settings: &["ruff.toml", ".ruff.toml"],
    },
    Formatter {
        languages: &["Python"],
        program: "black",
        args: &["--quiet", "--stdin-filename", FILE_PLACEHOLDER, "-"],
        settings: &[],
    },
    Formatter { languages: &["Go"], program: "gofmt", args: &[], settings: &[] },
    Formatter {
        languages: &["C", "C++"],
        program: "clang-format",
        args: &["--assume-filename", FILE_PLACEHOLDER],
        settings: &[".clang-format", "_clang-format"],
    },
];

/// How a linter takes what to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LintScope {
    /// The paths it is given
    Paths,
    /// A whole package, from its folder
    Package,
}

/// A program beside a linter, with which the linter can do more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion {
    /// The name of its program file
    pub program: &'static str,
    /// What installs it
    pub install: &'static str,
    /// What the linter is told where it is there
    pub args: &'static [&'static str],
    /// What it is told besides to find type errors; older linters do not know that
    pub type_check_args: &'static [&'static str],
}

/// A linter, and how its output is read.
#[derive(Debug, Clone, Copy)]
pub struct Linter {
    /// The languages it checks, named as `syntax` names them
    pub languages: &'static [&'static str],
    /// What people call it
    pub name: &'static str,
    /// The name of its program file
    pub program: &'static str,
    /// Its arguments, before the paths
    pub args: &'static [&'static str],
    /// Another program that lets it do more
    pub companion: Option<Companion>,
    /// Whether it finds type errors by itself
    pub checks_types: bool,
    /// What it looks at
    pub scope: LintScope,
    /// What installs it
    pub install: &'static str,
    /// Reads its output; nothing if that is no report
    pub parse_report: fn(&str) -> Option<Vec<LintFinding>>,
}

/// The built-in linters; of several for one language the preferred comes first.
pub const LINTERS: &[Linter] = &[
    Linter {
        languages: SCRIPT_LANGUAGES,
        name: "oxlint",
        program: "oxlint",
        args: &["--format", "json"],
        companion: Some(Companion {
            program: "tsgolint",
            install: "npm install --save-dev oxlint-tsgolint",
            args: &["--type-aware"],
            type_check_args: &["--type-check"],
        }),
        checks_types: false,
        scope: LintScope::Paths,
        install: "npm install --save-dev oxlint",
        parse_report: lint::oxlint,
    },
    Linter {
        languages: SCRIPT_LANGUAGES,
        name: "eslint",
        program: "eslint",
        args: &["--format", "json"],
        companion: None,
        checks_types: false,
        scope: LintScope::Paths,
        install: "npm install --save-dev eslint",
        parse_report: lint::eslint,
    },
    Linter {
        languages: &["Rust"],
        name: "clippy",
        program: "cargo",
        args: &["clippy", "--offline", "--quiet", "--message-format", "json"],
        companion: None,
        checks_types: true,
        scope: LintScope::Package,
        install: "rustup component add clippy",
        parse_report: lint::cargo,
    },
    Linter {
        languages: &["Python"],
        name: "ruff",
        program: "ruff",
        args: &["check", "--output-format", "json", "--no-cache"],
        companion: None,
        checks_types: false,
        scope: LintScope::Paths,
        install: "pip install ruff",
        parse_report: lint::ruff,
    },
];

/// The formatters of a language, the preferred first.
pub fn formatters(language: &str) -> impl Iterator<Item = &'static Formatter> {
    FORMATTERS.iter().filter(move |tool| tool.languages.contains(&language))
}

/// The linters of a language, the preferred first.
pub fn linters(language: &str) -> impl Iterator<Item = &'static Linter> {
    LINTERS.iter().filter(move |tool| tool.languages.contains(&language))
}
