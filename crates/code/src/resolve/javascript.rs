//! JavaScript and TypeScript: relative paths, with the endings and index files that bundlers and
//! the compiler try.

use base::RepoPath;

use super::{Files, folder_of};
use crate::symbols::Imported;

/// Endings in the order the compiler tries them.
const ENDINGS: [&str; 9] = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// A written ending of a compiled file, and what it may have been compiled from.
const SOURCES: [(&str, &[&str]); 4] = [
    (".js", &["ts", "tsx", "d.ts"]),
    (".jsx", &["tsx"]),
    (".mjs", &["mts", "d.mts"]),
    (".cjs", &["cts", "d.cts"]),
];

pub(super) fn resolve(files: &Files<'_>, import: &Imported) -> Option<RepoPath> {
    let specifier = import.specifier.split(['?', '#']).next().unwrap_or_default();
    if !(specifier.starts_with("./")
        || specifier.starts_with("../")
        || matches!(specifier, "." | ".."))
    {
        return None;
    }
    let joined = format!("{}{specifier}", folder_of(&import.path));
    let sources = SOURCES.iter().filter_map(|(compiled, sources)| {
        let stem = joined.strip_suffix(compiled)?;
        Some(sources.iter().map(move |ending| format!("{stem}.{ending}")))
    });
    let plain = ENDINGS.iter().map(|ending| format!("{joined}.{ending}"));
    let index = ENDINGS.iter().map(|ending| format!("{joined}/index.{ending}"));
    files.first(sources.flatten().chain([joined.clone()]).chain(plain).chain(index))
}

#[cfg(test)]
mod tests {
    use super::super::tests::target;

    #[test]
    fn relative_imports_find_their_files() {
        let files = ["src/a.ts", "src/b/index.ts", "src/c.js", "src/d.tsx", "src/e.d.ts", "x.ts"];
        let to = |specifier: &str| target(&files, "src/main.ts", ("Import", specifier, 0, &[]));
        assert_eq!(to("./a").as_deref(), Some("src/a.ts"));
        assert_eq!(to("./a.js").as_deref(), Some("src/a.ts"));
        assert_eq!(to("./b").as_deref(), Some("src/b/index.ts"));
        assert_eq!(to("./c.js").as_deref(), Some("src/c.js"));
        assert_eq!(to("./d").as_deref(), Some("src/d.tsx"));
        assert_eq!(to("./e").as_deref(), Some("src/e.d.ts"));
        assert_eq!(to("../x").as_deref(), Some("x.ts"));
        for specifier in ["react", "./nothing", "../../above"] {
            assert_eq!(to(specifier), None, "{specifier}");
        }
    }
}
