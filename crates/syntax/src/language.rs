//! The table of languages: one row each, which names the language's descriptor.

use std::fmt;

use base::RepoPath;
use serde::{Deserialize, Serialize};

use crate::descriptor::{LanguageDescriptor, LanguageKind, LanguageParser, LanguageSemantics};
use crate::{
    bash, c, component, cpp, csharp, go, graphql, java, javascript, kotlin, lua, manifest,
    markdown, notebook, php, protobuf, python, ruby, rust, sql, swift,
};

/// Declares [`Language`] and the table of descriptors from one row per language.
macro_rules! languages {
    ($($(#[$doc:meta])* $variant:ident => $descriptor:expr,)*) => {
        /// The languages that cairn recognizes. The order is part of stored data: new ones go last.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Language {
            $($(#[$doc])* $variant,)*
        }

        impl Language {
            /// Every language, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// What is known about the language.
            pub const fn descriptor(self) -> &'static LanguageDescriptor {
                match self {
                    $(Self::$variant => &$descriptor,)*
                }
            }
        }
    };
}

languages! {
    /// TypeScript, with its module variants and declaration files
    TypeScript => javascript::TYPESCRIPT,
    /// TypeScript with JSX
    Tsx => javascript::TSX,
    /// JavaScript, with JSX and its module variants
    JavaScript => javascript::JAVASCRIPT,
    /// Rust
    Rust => rust::DESCRIPTOR,
    /// Python, with stub files
    Python => python::DESCRIPTOR,
    /// Go
    Go => go::DESCRIPTOR,
    /// Java
    Java => java::DESCRIPTOR,
    /// C
    C => c::DESCRIPTOR,
    /// C++
    Cpp => cpp::DESCRIPTOR,
    /// C#
    CSharp => csharp::DESCRIPTOR,
    /// Ruby
    Ruby => ruby::DESCRIPTOR,
    /// PHP
    Php => php::DESCRIPTOR,
    /// Kotlin
    Kotlin => kotlin::DESCRIPTOR,
    /// Swift
    Swift => swift::DESCRIPTOR,
    /// POSIX shell and Bash
    Bash => bash::DESCRIPTOR,
    /// Markdown
    Markdown => markdown::DESCRIPTOR,
    /// The manifest of a Rust package
    CargoManifest => manifest::CARGO,
    /// The manifest of an npm package
    NpmManifest => manifest::NPM,
    /// Options of the TypeScript compiler
    TsConfig => manifest::TSCONFIG,
    /// The packages of a pnpm workspace
    PnpmWorkspace => manifest::PNPM,
    /// The manifest of a Go module, or of a workspace of them
    GoModule => manifest::GO,
    /// The manifest of a Python project
    PythonProject => manifest::PYTHON,
    /// Lua
    Lua => lua::DESCRIPTOR,
    /// Single-file components of Vue
    Vue => component::VUE,
    /// Components of Svelte
    Svelte => component::SVELTE,
    /// Components of Astro
    Astro => component::ASTRO,
    /// Jupyter notebooks
    Notebook => notebook::DESCRIPTOR,
    /// GraphQL
    GraphQl => graphql::DESCRIPTOR,
    /// Protocol buffers
    Protobuf => protobuf::DESCRIPTOR,
    /// SQL
    Sql => sql::DESCRIPTOR,
}

impl Language {
    /// The language of a file, recognized by its name, if it is known.
    pub fn from_path(path: &RepoPath) -> Option<Self> {
        let name = path.name_bytes();
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
        let extension = dot.map_or(&[][..], |dot| &name[dot + 1..]);
        let has_extension = |wanted: &&str| extension.eq_ignore_ascii_case(wanted.as_bytes());
        let has_name = |wanted: &&str| wanted.as_bytes() == name;
        let by_name = Self::ALL.iter().find(|language| {
            let known = language.descriptor();
            known.extensions.iter().any(has_extension) || known.file_names.iter().any(has_name)
        });
        let by_path = || Self::ALL.iter().find(|one| (one.descriptor().matches_path)(path));
        by_name.or_else(by_path).copied()
    }

    /// What the rows of the table say about which files are read as what. With another table, the
    /// same files give other facts.
    pub fn table_text() -> String {
        let rows = Self::ALL.iter().map(|language| {
            let LanguageDescriptor { name, extensions, file_names, .. } = language.descriptor();
            let is_left_out = language.is_left_out();
            format!("{name} {extensions:?} {file_names:?} left out: {is_left_out}\n")
        });
        rows.collect()
    }

    /// Whether files in this language contain code. Such files are modules.
    pub fn is_code(self) -> bool {
        self.descriptor().kind == LanguageKind::Code
    }

    /// Whether files in this language are documents, whose links to other files are read.
    pub fn is_document(self) -> bool {
        matches!(self.descriptor().parser, LanguageParser::Markdown)
    }

    /// Whether files in this language run as they are written, so that what they import does too.
    pub const fn runs_as_written(self) -> bool {
        matches!(self, Self::JavaScript)
    }

    /// What a path in settings may leave out at the end of a file of code: an extension, or an
    /// index file.
    pub fn omitted_endings() -> Vec<String> {
        let code = Self::ALL.iter().filter(|language| language.is_code());
        let extensions: Vec<&str> =
            code.flat_map(|language| language.descriptor().extensions).copied().collect();
        let plain = extensions.iter().map(|extension| format!(".{extension}"));
        let index = extensions.iter().map(|extension| format!("/index.{extension}"));
        std::iter::once(String::new()).chain(plain).chain(index).collect()
    }

    /// Whether this program was built without the grammar of the language, so that its files are
    /// known by name and text alone.
    pub const fn is_left_out(self) -> bool {
        matches!(self.descriptor().parser, LanguageParser::LeftOut)
    }

    /// The languages that this program was built without.
    pub fn left_out() -> Vec<Self> {
        Self::ALL.iter().copied().filter(|language| language.is_left_out()).collect()
    }

    /// Why files in a language that was left out are not read.
    pub fn left_out_reason(self) -> String {
        format!("this program was built without {self}")
    }

    /// Whether files in this language are package manifests, which import resolution reads.
    pub fn is_manifest(self) -> bool {
        self.descriptor().kind == LanguageKind::Manifest
    }

    /// The display name.
    pub const fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// The language with this display name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|language| language.name() == name).copied()
    }

    /// The language that represents the family of this one: files of one family import and call
    /// each other, and one language server serves them.
    #[must_use]
    pub fn family(self) -> Self {
        self.descriptor().family.unwrap_or(self)
    }

    /// The members of this language's family, itself included.
    pub fn family_members(self) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|one| one.family() == self.family()).collect()
    }

    /// The language whose entry in `cairn.jsonc` and whose linters serve this one.
    #[must_use]
    pub fn tool_language(self) -> Self {
        self.descriptor().shares_tools_of.unwrap_or(self)
    }

    /// How names, imports and calls of the language work.
    pub const fn semantics(self) -> &'static LanguageSemantics {
        &self.descriptor().semantics
    }
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

    #[cfg(feature = "default")]
    #[test]
    fn nothing_is_left_out_by_default() {
        assert_eq!(Language::left_out(), []);
    }

    #[cfg(not(feature = "go"))]
    #[test]
    fn left_out_languages_say_that_they_are_not_read() {
        let facts = crate::extract(
            Some(Language::Go),
            b"// Adds up all prices.\npackage sum\n\nfunc F() {}\n",
        );
        assert!(Language::left_out().contains(&Language::Go));
        assert_eq!(facts.symbols, []);
        assert_eq!(facts.title.as_deref(), Some("Adds up all prices"));
        let said: Vec<&str> = facts.errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(said, ["not read: this program was built without Go"]);
        assert!(!Language::Go.descriptor().tools.servers.is_empty(), "its tools are still known");
    }

    #[test]
    fn extensions_names_and_protocol_ids_are_unique() {
        let mut extensions: Vec<&str> = Vec::new();
        for language in Language::ALL {
            let known = language.descriptor();
            extensions.extend(known.extensions.iter().chain(known.file_names).copied());
            assert_eq!(Language::from_name(known.name), Some(*language));
            assert_eq!(language.family().family(), language.family());
            assert!(!language.is_code() || known.lsp_id != "plaintext", "{language} has no id");
        }
        let count = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), count);
    }
}
