//! Manifests of packages: the name that other packages import them by.

use crate::model::FileFacts;
use crate::plain;

/// The facts of a `Cargo.toml`; its namespace is the name of the crate as code writes it.
pub(crate) fn extract(text: &str) -> FileFacts {
    let (mut section, mut package, mut library) = ("", None, None);
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').trim();
        } else if let Some(name) = name_of(line) {
            match section {
                "package" => package = package.or(Some(name)),
                "lib" => library = library.or(Some(name)),
                _ => {}
            }
        }
    }
    let namespace = library.or(package).map(|name| name.replace('-', "_"));
    FileFacts { namespace, ..plain::extract(text) }
}

/// The value of a line `name = "value"`.
fn name_of(line: &str) -> Option<&str> {
    let value = line.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_its_crate_as_code_writes_it() {
        let name = |text: &str| extract(text).namespace;
        assert_eq!(name("[package]\nname = \"grep-searcher\" # x\n"), Some("grep_searcher".into()));
        assert_eq!(name("[package]\nname='a'\n[lib]\nname = \"b\"\n"), Some("b".into()));
        assert_eq!(name("[workspace]\nmembers = []\n[[bin]]\nname = \"c\"\n"), None);
        assert_eq!(name("name = "), None);
    }
}
