//! `package.json` and `pnpm-workspace.yaml`.

use jsonc_parser::ast::Object;

use super::json;
use crate::model::NpmManifest;

/// Fields that name an entry, the one that is nearest to the source first.
const ENTRY_FIELDS: [&str; 7] =
    ["source", "types", "typings", "module", "main", "browser", "svelte"];

const DEPENDENCIES: [&str; 4] =
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// Endings of files that a script may run.
const SCRIPT_FILE_EXTENSIONS: [&str; 7] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"];

pub(super) fn read(text: &str) -> Option<NpmManifest> {
    json::with_object(text, manifest_from_object)
}

fn manifest_from_object(object: &Object<'_>) -> NpmManifest {
    let dependencies = DEPENDENCIES.iter().map(|field| object.get_object(field));
    NpmManifest {
        name: json::text(object, "name"),
        is_private: object.get_boolean("private").is_some_and(|private| private.value),
        mains: ENTRY_FIELDS.iter().filter_map(|field| json::text(object, field)).collect(),
        bins: bins(object),
        scripts: scripts(object),
        exports: json::value(object, "exports").map(json::conditional),
        imports: json::value(object, "imports").map(json::conditional),
        workspaces: workspaces(object),
        dependencies: dependencies.flat_map(json::text_pairs).collect(),
    }
}

fn bins(object: &Object<'_>) -> Vec<String> {
    let named = json::text_pairs(object.get_object("bin"));
    json::text(object, "bin").into_iter().chain(named.into_iter().map(|(_, file)| file)).collect()
}

/// The words of scripts that are files of code.
fn scripts(object: &Object<'_>) -> Vec<String> {
    let mut files = Vec::new();
    for (_, script) in json::text_pairs(object.get_object("scripts")) {
        let words = script.split(|c: char| c.is_whitespace() || "\"'=;&|()".contains(c));
        let is_program = |word: &&str| SCRIPT_FILE_EXTENSIONS.iter().any(|end| word.ends_with(end));
        files.extend(words.filter(is_program).map(str::to_owned));
    }
    files.sort();
    files.dedup();
    files
}

fn workspaces(object: &Object<'_>) -> Vec<String> {
    match object.get_object("workspaces") {
        Some(yarn) => json::texts(json::value(yarn, "packages")),
        None => json::texts(json::value(object, "workspaces")),
    }
}

/// The globs below `packages:`; the rest of YAML is not needed for a list of texts.
pub(super) fn pnpm_packages(text: &str) -> Vec<String> {
    let mut globs = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let plain = line.split(" #").next().unwrap_or_default().trim();
        if let Some(glob) = plain.strip_prefix("- ").or_else(|| plain.strip_prefix('-')) {
            if inside {
                globs.push(unquoted(glob));
            }
        } else if let Some(rest) = plain.strip_prefix("packages:") {
            inside = true;
            let inline = rest.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let each = inline.into_iter().flat_map(|list| list.split(','));
            globs.extend(each.map(unquoted).filter(|glob| !glob.is_empty()));
        } else if !plain.is_empty() && !plain.starts_with('#') {
            inside = false;
        }
    }
    globs
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ConditionalTarget;

    #[test]
    fn a_package_says_where_its_entries_are() {
        let found = read(
            r#"{
            "name": "@a/b", "main": "./dist/i.js", "types": "dist/i.d.ts", // comment
            "bin": {"b": "./cli.js"}, "workspaces": {"packages": ["packages/*"]},
            "exports": {".": {"types": "./t.d.ts", "default": ["./i.js", null]}, "./x/*": "./x/*.js"},
            "dependencies": {"@a/c": "workspace:*"}, "scripts": {"go": "node ./scripts/go.mjs --x=y"},
        }"#,
        )
        .unwrap();
        assert_eq!(found.name.as_deref(), Some("@a/b"));
        assert_eq!(found.mains, ["dist/i.d.ts", "./dist/i.js"]);
        assert_eq!(
            (found.bins, found.scripts),
            (vec!["./cli.js".into()], vec!["./scripts/go.mjs".into()])
        );
        assert_eq!(found.workspaces, ["packages/*"]);
        assert_eq!(found.dependencies, [("@a/c".into(), "workspace:*".into())]);
        let Some(ConditionalTarget::Keyed(keys)) = found.exports else { panic!() };
        assert_eq!(keys.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), [".", "./x/*"]);
        assert_eq!(read("[]"), None);
        assert_eq!(read(&"[".repeat(100_000)), None);
    }

    #[test]
    fn a_pnpm_workspace_lists_its_packages() {
        let text = "catalog:\n  - no\npackages:\n  - 'packages/*' # all\n\n  - \"!**/test\"\nother:\n  - x\n";
        assert_eq!(pnpm_packages(text), ["packages/*", "!**/test"]);
        assert_eq!(pnpm_packages("packages: ['a', b]"), ["a", "b"]);
    }
}
