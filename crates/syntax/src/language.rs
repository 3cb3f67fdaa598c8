//! Which language a file is written in, by its name.

use std::fmt;

use base::RepoPath;
use serde::{Deserialize, Serialize};

/// The languages that cairn knows by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Language {
    /// TypeScript, with its module flavours and declaration files
    TypeScript,
    /// TypeScript with JSX
    Tsx,
    /// JavaScript, with JSX and its module flavours
    JavaScript,
    /// Rust
    Rust,
    /// Python, with stub files
    Python,
    /// Go
    Go,
    /// Java
    Java,
    /// C
    C,
    /// C++
    Cpp,
    /// C#
    CSharp,
    /// Ruby
    Ruby,
    /// PHP
    Php,
    /// Kotlin
    Kotlin,
    /// Swift
    Swift,
    /// POSIX shell and Bash
    Bash,
    /// Markdown
    Markdown,
    /// The manifest of a Rust package
    CargoManifest,
    /// The manifest of an npm package
    NpmManifest,
    /// Options of the TypeScript compiler
    TsConfig,
    /// The packages of a pnpm workspace
    PnpmWorkspace,
    /// The manifest of a Go module, or of a workspace of them
    GoModule,
    /// The manifest of a Python project
    PythonProject,
}

/// Name, extensions and whole file names of each language.
type LanguageRow = (Language, &'static str, &'static [&'static str], &'static [&'static str]);

const LANGUAGES: &[LanguageRow] = &[
    (Language::TypeScript, "TypeScript", &["ts", "mts", "cts"], &[]),
    (Language::Tsx, "TSX", &["tsx"], &[]),
    (Language::JavaScript, "JavaScript", &["js", "mjs", "cjs", "jsx"], &[]),
    (Language::Rust, "Rust", &["rs"], &[]),
    (Language::Python, "Python", &["py", "pyi"], &[]),
    (Language::Go, "Go", &["go"], &[]),
    (Language::Java, "Java", &["java"], &[]),
    (Language::C, "C", &["c", "h"], &[]),
    (Language::Cpp, "C++", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"], &[]),
    (Language::CSharp, "C#", &["cs"], &[]),
    (Language::Ruby, "Ruby", &["rb", "rake"], &["Gemfile", "Rakefile"]),
    (Language::Php, "PHP", &["php"], &[]),
    (Language::Kotlin, "Kotlin", &["kt", "kts"], &[]),
    (Language::Swift, "Swift", &["swift"], &[]),
    (Language::Bash, "Bash", &["sh", "bash"], &[".bashrc", ".profile"]),
    (Language::Markdown, "Markdown", &["md", "markdown", "mdx"], &[]),
    (Language::CargoManifest, "Cargo manifest", &[], &["Cargo.toml"]),
    (Language::NpmManifest, "npm manifest", &[], &["package.json"]),
    (Language::TsConfig, "TypeScript config", &[], &["tsconfig.json", "jsconfig.json"]),
    (
        Language::PnpmWorkspace,
        "pnpm workspace",
        &[],
        &["pnpm-workspace.yaml", "pnpm-workspace.yml"],
    ),
    (Language::GoModule, "Go module", &[], &["go.mod", "go.work"]),
    (Language::PythonProject, "Python project", &[], &["pyproject.toml", "setup.cfg"]),
];

impl Language {
    /// Every language, in the order of the table.
    pub fn all() -> Vec<Self> {
        LANGUAGES.iter().map(|(language, ..)| *language).collect()
    }

    /// The language of a file with this name, if it is one that cairn knows.
    pub fn from_path(path: &RepoPath) -> Option<Self> {
        let name = path.name_bytes();
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
        let extension = dot.map_or(&[][..], |dot| &name[dot + 1..]);
        let has = |wanted: &&str| extension.eq_ignore_ascii_case(wanted.as_bytes());
        let found = LANGUAGES.iter().find(|(_, _, extensions, names)| {
            extensions.iter().any(has) || names.iter().any(|wanted| wanted.as_bytes() == name)
        });
        let shared = || (has(&"json") && is_tsconfig(path)).then_some(Self::TsConfig);
        found.map(|(language, ..)| *language).or_else(shared)
    }

    /// Whether files in it are programs, which makes them modules.
    pub const fn is_code(self) -> bool {
        !matches!(self, Self::Markdown) && !self.is_manifest()
    }

    /// Whether files in it say where imports lead.
    pub const fn is_manifest(self) -> bool {
        matches!(
            self,
            Self::CargoManifest
                | Self::NpmManifest
                | Self::TsConfig
                | Self::PnpmWorkspace
                | Self::GoModule
                | Self::PythonProject
        )
    }

    /// The name that people use.
    pub fn name(self) -> &'static str {
        let row = LANGUAGES.iter().find(|(language, ..)| *language == self);
        row.map(|(_, name, ..)| *name).expect("every language has a row")
    }

    /// The language with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        LANGUAGES.iter().find(|(_, known, ..)| *known == name).map(|(language, ..)| *language)
    }
}

/// Whether a JSON file is there for others to extend: by its name, or its package's.
fn is_tsconfig(path: &RepoPath) -> bool {
    let names = [path.name(), path.parent().map(|folder| folder.name()).unwrap_or_default()];
    let marks = ["tsconfig", "jsconfig", "typescript-config"];
    names.iter().any(|name| marks.iter().any(|mark| name.contains(mark)))
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language() {
        let of = |name: &str| Language::from_path(&name.parse().unwrap());
        assert_eq!(of("src/a.d.ts"), Some(Language::TypeScript));
        assert_eq!(of("README.MD"), Some(Language::Markdown));
        assert_eq!(of("Rakefile"), Some(Language::Ruby));
        assert_eq!(of("Cargo.lock"), None);
        assert_eq!(of("a/tsconfig.base.json"), Some(Language::TsConfig));
        assert_eq!(of("packages/typescript-config/base.json"), Some(Language::TsConfig));
        assert_eq!(of("a/data.json"), None);
        assert_eq!(Language::from_name("C++"), Some(Language::Cpp));
    }
}
