//! What a file is for: production code, test, example, document, generated or vendored.
//!
//! This is the only place that decides it. Conventions of a language come from its descriptor;
//! those that hold in every language are listed here.

use base::RepoPath;

use crate::Language;
use crate::descriptor::LanguageDescriptor;

/// What a file is for, most useful to a reader first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileRole {
    /// Code or configuration of the product itself
    Production,
    /// Tests, their helpers and their data
    Test,
    /// Examples, benchmarks, demos, scripts: code beside the product
    Example,
    /// Text for readers
    Document,
    /// Written by a program
    Generated,
    /// Copied from another project
    Vendored,
}

/// How the test files of a language are recognized, besides what holds in every language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestFileNames {
    /// Whether `test_parser` is a test; in other languages it may be any module
    pub has_prefix: bool,
    /// Whether `ParserTest` is a test
    pub is_camel_case: bool,
    /// Further parts of a name that mark a test: `.e2e.`
    pub markers: &'static [&'static str],
    /// Further folders that hold only tests
    pub folders: &'static [&'static str],
    /// Whether a folder `test` below the top may be a package that helps others test
    pub may_be_package: bool,
    /// The end of the names of files that only the tests of their own package see
    pub package_private_suffix: Option<&'static str>,
    /// Functions whose calls declare tests: `it("…", …)`. Empty where tests are declared otherwise
    pub declaring_calls: &'static [&'static str],
}

impl TestFileNames {
    /// Only what holds in every language.
    pub const NONE: Self = Self {
        has_prefix: false,
        is_camel_case: false,
        markers: &[],
        folders: &[],
        may_be_package: false,
        package_private_suffix: None,
        declaring_calls: &[],
    };
}

/// A convention by which a tool or framework starts a file that nothing imports.
#[derive(Debug, Clone, Copy)]
pub struct EntryFile {
    /// How the file is recognized
    pub pattern: EntryPattern,
    /// What starts it, as answers name it
    pub started_by: &'static str,
}

/// How an [`EntryFile`] is recognized.
#[derive(Debug, Clone, Copy)]
pub enum EntryPattern {
    /// The name up to the first dot is one of these
    Stems(&'static [&'static str]),
    /// The name contains one of these
    Contains(&'static [&'static str]),
    /// The name starts with this
    Prefix(&'static str),
    /// The name ends with one of these
    Suffixes(&'static [&'static str]),
    /// It is below a folder with one of these paths, which end in `/`
    Folders(&'static [&'static str]),
}

impl EntryFile {
    /// Whether a file follows this convention.
    pub fn matches(&self, path: &RepoPath) -> bool {
        let (name, text) = (path.name(), path.to_string());
        let stem = name.split('.').next().unwrap_or_default();
        match self.pattern {
            EntryPattern::Stems(all) => all.contains(&stem),
            EntryPattern::Contains(all) => all.iter().any(|part| name.contains(part)),
            EntryPattern::Prefix(start) => name.starts_with(start),
            EntryPattern::Suffixes(all) => all.iter().any(|end| name.ends_with(end)),
            EntryPattern::Folders(all) => all
                .iter()
                .any(|folder| text.starts_with(folder) || text.contains(&format!("/{folder}"))),
        }
    }
}

/// Folders that hold only tests, whatever the language.
const TEST_FOLDERS: &[&str] = &[
    "tests",
    "testing",
    "__tests__",
    "__test__",
    "__mocks__",
    "spec",
    "specs",
    "testdata",
    "e2e",
    "test-data",
    "test_data",
    "dts-test",
    "test-d",
    "test-utils",
    "testutils",
    "test_utils",
    "testutil",
    "test-helpers",
    "test_helpers",
    "unittests",
    "integrationtests",
    "integration-tests",
    "integration_tests",
    "fixtures",
    "__fixtures__",
    "__snapshots__",
];

/// Parts of a name, in lower case, that mark a test whatever the language.
const TEST_MARKERS: [&str; 8] =
    [".test.", ".spec.", "_test.", "_spec.", "-test.", "-spec.", ".test-d.", ".cy."];

/// Stems of tests and their helpers, whatever the language.
const TEST_STEMS: [&str; 8] = [
    "testutil",
    "testutils",
    "test_util",
    "test_utils",
    "test_helpers",
    "testlib",
    "tests",
    "conftest",
];

/// Folders beside the product.
const EXAMPLE_FOLDERS: &[&str] = &[
    "examples",
    "example",
    "_examples",
    "demo",
    "demos",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "samples",
    "sample",
    "playground",
    "playgrounds",
    "sandbox",
    "scripts",
    "fuzz",
    "fuzzing",
    "tutorials",
];

/// Folders of documents and of the site that shows them.
const DOCUMENT_FOLDERS: &[&str] = &["docs", "doc", "www", "website", "documentation", "man"];

/// Folders of other people's code.
const VENDOR_FOLDERS: &[&str] =
    &["vendor", "vendored", "third_party", "third-party", "thirdparty", "node_modules", "external"];

/// Folders of what a build writes.
const BUILD_FOLDERS: &[&str] = &["dist", "generated", "__generated__", "gen"];

/// Ends of the names of generated files, whatever the language.
const GENERATED_SUFFIXES: &[&str] =
    &[".min.css", ".g.dart", ".lock", "-lock.json", "-lock.yaml", ".snap"];

/// Ends of the names of documents.
const DOCUMENT_SUFFIXES: [&str; 5] = [".md", ".mdx", ".rst", ".txt", ".adoc"];

/// Words in the first lines of a generated file.
const GENERATED_MARKERS: [&str; 6] = [
    "@generated",
    "do not edit",
    "generated by",
    "autogenerated",
    "auto-generated",
    "made by gnu bison",
];

/// Stems of files that represent their folder, whatever the language.
const INDEX_STEMS: [&str; 3] = ["index", "lib", "main"];

impl FileRole {
    /// What a file is for, judged by its path.
    pub fn of(path: &RepoPath) -> Self {
        let text = path.to_string();
        let lower = text.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let is_below = |list: &[&str]| folders.split('/').any(|folder| list.contains(&folder));
        let language = Language::from_path(path);
        if is_below(VENDOR_FOLDERS) {
            Self::Vendored
        } else if has_generated_name(name) || is_below(BUILD_FOLDERS) {
            Self::Generated
        } else if is_below(TEST_FOLDERS)
            || language.is_some_and(|language| is_below(language.descriptor().files.tests.folders))
            || has_test_name(language, &path.name())
            || is_in_test_folder(language, folders)
        {
            Self::Test
        } else if is_below(EXAMPLE_FOLDERS) {
            Self::Example
        } else if is_below(DOCUMENT_FOLDERS) || is_document(language, name) {
            Self::Document
        } else {
            Self::Production
        }
    }
}

/// Whether a file is a test, a helper of tests, or their data.
pub fn is_test_file(path: &RepoPath) -> bool {
    FileRole::of(path) == FileRole::Test
}

/// Whether a file's own name says that it is a test, and not only its folder.
pub fn is_named_as_test(path: &RepoPath) -> bool {
    has_test_name(Language::from_path(path), &path.name())
}

/// Whether the text of a file in a folder of tests declares none, as that of a helper. `false` where
/// a text alone does not tell.
pub fn declares_no_test(path: &RepoPath, text: &str) -> bool {
    let language = Language::from_path(path);
    let calls = language.map_or(&[][..], |one| one.descriptor().files.tests.declaring_calls);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let is_called = |name: &&str| {
        text.match_indices(*name).any(|(at, _)| {
            let is_whole = !text[..at].ends_with(is_part);
            is_whole && text[at + name.len()..].starts_with(['(', '.', '`'])
        })
    };
    !calls.is_empty() && !calls.iter().any(is_called)
}

/// Whether a file is compiled only with the tests of its own package, as `_test.go` files are.
pub fn is_private_to_package_tests(path: &RepoPath) -> bool {
    let language = Language::from_path(path);
    let suffix =
        language.and_then(|language| language.descriptor().files.tests.package_private_suffix);
    suffix.is_some_and(|suffix| path.name().ends_with(suffix))
}

/// Whether a text says in its first lines that a program wrote it.
pub fn has_generated_marker(text: &str) -> bool {
    let start = &text[..text.floor_char_boundary(600)];
    start.lines().take(12).any(|line| {
        let line = line.to_lowercase();
        GENERATED_MARKERS.iter().any(|marker| line.contains(marker))
    })
}

/// The stem that a file shares with its tests: `Suspense` of `Suspense.spec.ts`, in lower case. A
/// file that represents its folder has the name of the folder.
pub fn tested_stem(path: &RepoPath) -> String {
    let name = path.name().to_lowercase();
    let mut stem = name.split('.').next().unwrap_or_default();
    let own = Language::from_path(path).map(|language| language.descriptor().files.index_stems);
    if INDEX_STEMS.contains(&stem) || own.is_some_and(|own| own.contains(&stem)) {
        return path.parent().map(|parent| parent.name().to_lowercase()).unwrap_or_default();
    }
    for marker in ["test_", "test-", "tests_"] {
        stem = stem.strip_prefix(marker).unwrap_or(stem);
    }
    for marker in ["_test", "-test", "_tests", "_spec", "-spec", "tests", "test", "spec"] {
        if let Some(rest) = stem.strip_suffix(marker).filter(|rest| rest.len() > 1) {
            stem = rest;
            break;
        }
    }
    stem.trim_start_matches('_').to_owned()
}

/// Whether a lower-case file name is that of a generated file.
fn has_generated_name(name: &str) -> bool {
    let of_languages =
        Language::ALL.iter().flat_map(|one| one.descriptor().files.generated_suffixes);
    GENERATED_SUFFIXES.iter().chain(of_languages).any(|end| name.ends_with(end))
        || name.contains(".generated.")
        || name.contains("_generated.")
}

/// Whether a file is below a folder `test`, which holds tests unless it may be a package.
fn is_in_test_folder(language: Option<Language>, folders: &str) -> bool {
    let may_be_package =
        language.is_some_and(|language| language.descriptor().files.tests.may_be_package);
    let mut parts = folders.split('/').enumerate();
    parts.any(|(depth, part)| part == "test" && !(may_be_package && depth > 0))
}

/// Whether a file's own name says that it is a test.
fn has_test_name(language: Option<Language>, name: &str) -> bool {
    let own = language.map(|language| &language.descriptor().files.tests);
    let lower = name.to_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    let mut markers = TEST_MARKERS.iter().chain(own.map_or(&[][..], |own| own.markers));
    // Languages that are not known are mostly of the kind that names tests in capitals.
    own.is_none_or(|own| own.is_camel_case) && has_camel_case_test_name(name)
        || markers.any(|marker| lower.contains(marker))
        || own.is_some_and(|own| own.has_prefix) && stem.starts_with("test_")
        || TEST_STEMS.contains(&stem)
}

/// Whether a name is like `ParserTest.java`; `Contest.java` is not.
fn has_camel_case_test_name(name: &str) -> bool {
    ["Test.", "Tests.", "Spec.", "IT."].iter().any(|end| {
        let before = name.split_once(end).map(|(before, _)| before);
        before.is_some_and(|before| before.ends_with(|c: char| c.is_lowercase() || c.is_numeric()))
    })
}

fn is_document(language: Option<Language>, name: &str) -> bool {
    let is_prose = language.is_none_or(|language| !language.is_code())
        && DOCUMENT_SUFFIXES.iter().any(|end| name.ends_with(end));
    is_prose || matches!(name, "license" | "changelog" | "authors" | "readme" | "notice")
}

impl LanguageDescriptor {
    /// What starts a file from outside by its name or folder, if something does.
    pub fn entry_starter(&self, path: &RepoPath) -> Option<&'static str> {
        let entry = self.files.entry_files.iter().find(|entry| entry.matches(path));
        entry.map(|entry| entry.started_by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_a_file_is_for() {
        let cases = [
            ("src/main.rs", FileRole::Production),
            ("package.json", FileRole::Production),
            ("packages/tests/server/batching.test.ts", FileRole::Test),
            ("src/a.test-d.ts", FileRole::Test),
            ("src/a.e2e.ts", FileRole::Test),
            ("cypress/login.ts", FileRole::Test),
            ("packages/dts-test/ref.ts", FileRole::Test),
            ("crates/core/src/testutil.rs", FileRole::Test),
            ("crates/core/src/test_finder.rs", FileRole::Production),
            ("pkg/server_test.go", FileRole::Test),
            ("test/hooks.js", FileRole::Test),
            ("src/main/java/a/Contest.java", FileRole::Production),
            ("src/java/a/ParserTest.java", FileRole::Test),
            ("src/a/ParserTest.scala", FileRole::Test),
            ("django/test/client.py", FileRole::Production),
            ("django/test/test_client.py", FileRole::Test),
            ("src/latest.ts", FileRole::Production),
            ("examples/hello/main.go", FileRole::Example),
            ("benches/parse.rs", FileRole::Example),
            ("www/docs/client.md", FileRole::Document),
            ("README.md", FileRole::Document),
            ("CHANGELOG", FileRole::Document),
            ("api/types.pb.go", FileRole::Generated),
            ("go.sum", FileRole::Generated),
            ("Cargo.lock", FileRole::Generated),
            ("vendor/github.com/a/b.go", FileRole::Vendored),
        ];
        for (path, role) in cases {
            assert_eq!(FileRole::of(&path.parse().unwrap()), role, "{path}");
        }
    }

    #[test]
    fn a_test_has_the_stem_of_what_it_tests() {
        let same = [
            ("src/components/Suspense.ts", "src/__tests__/Suspense.spec.ts"),
            ("httpx/_client.py", "tests/client/test_client.py"),
            ("cmd/root.go", "cmd/root_test.go"),
            ("src/main/java/a/Gson.java", "src/test/java/a/GsonTest.java"),
            ("src/resolve/mod.rs", "tests/resolve.rs"),
            ("shop/__init__.py", "tests/test_shop.py"),
        ];
        for (code, test) in same {
            let stem = |path: &str| tested_stem(&path.parse().unwrap());
            assert_eq!(stem(code), stem(test), "{code}");
        }
    }
}
