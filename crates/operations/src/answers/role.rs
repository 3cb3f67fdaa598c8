//! How much a file counts in a ranking, by what it is for: production code first, then tests,
//! examples, documents, and generated or vendored files last. `syntax::FileRole` decides the role.

pub(crate) use syntax::{FileRole, has_generated_marker, is_test_file};

/// The weight of a role in rankings; production code has 1.
pub(crate) const fn role_weight(role: FileRole) -> f64 {
    match role {
        FileRole::Production => 1.0,
        FileRole::Test => 0.25,
        FileRole::Example | FileRole::Document => 0.5,
        FileRole::Generated | FileRole::Vendored => 0.2,
    }
}

/// Whether a document records the past, such as a changelog. It does not have to change when code
/// changes.
pub(crate) fn is_log(path: &base::RepoPath) -> bool {
    let name = path.name().to_ascii_lowercase();
    ["changelog", "changes", "history", "news", "release"].iter().any(|word| name.starts_with(word))
}
