//! Files that a framework, a test runner or a tool starts by their name or folder.

use base::RepoPath;
use syntax::{FileRole, ImportResolver, Language};

use crate::resolve::PublicSurface;

/// Next.js: files of the app folder by their role.
const NEXT_ROLES: [&str; 13] = [
    "page",
    "layout",
    "route",
    "loading",
    "error",
    "global-error",
    "template",
    "default",
    "not-found",
    "sitemap",
    "robots",
    "opengraph-image",
    "manifest",
];

/// Folders whose files Nuxt imports automatically.
const NUXT_FOLDERS: [&str; 8] = [
    "pages/",
    "layouts/",
    "middleware/",
    "plugins/",
    "server/",
    "composables/",
    "components/",
    "utils/",
];

/// What starts a file from outside, if something does.
pub(super) fn external_starter(path: &RepoPath, public: &PublicSurface) -> Option<&'static str> {
    let language = Language::from_path(path)?;
    let by_role = match FileRole::of(path) {
        FileRole::Test => Some("test"),
        FileRole::Generated => Some("generated"),
        FileRole::Vendored => Some("vendored"),
        FileRole::Production | FileRole::Example | FileRole::Document => None,
    };
    let by_name = language.descriptor().entry_starter(path);
    by_role.or(by_name).or_else(|| {
        let is_npm = language.semantics().imports == ImportResolver::JavaScript;
        is_npm.then(|| framework_role(path, public)).flatten()
    })
}

/// Files with a role in the framework that the package around them depends on.
fn framework_role(path: &RepoPath, public: &PublicSurface) -> Option<&'static str> {
    let (text, name) = (path.to_string(), path.name());
    let around = public.dependencies.iter().filter(|(folder, _)| path.is_at_or_below(folder));
    let (folder, depends) = around.max_by_key(|(folder, _)| folder.depth())?;
    let home = if folder.is_root() { String::new() } else { format!("{folder}/") };
    let inner = text.strip_prefix(&home).unwrap_or(&text);
    let inner = inner.strip_prefix("src/").unwrap_or(inner);
    let stem = name.split('.').next().unwrap_or_default();
    let has = |name: &str| depends.contains(name);
    if has("next") {
        let in_app = is_in_folder(inner, "app/") && NEXT_ROLES.contains(&stem);
        if in_app || inner.starts_with("pages/") {
            return Some("Next.js");
        }
    }
    if has("@sveltejs/kit")
        && (name.starts_with('+') || stem == "hooks" || inner.starts_with("params/"))
    {
        return Some("SvelteKit");
    }
    if depends
        .iter()
        .any(|name| name.starts_with("@remix-run/") || name.starts_with("@react-router/"))
    {
        let is_entry = matches!(stem, "root" | "entry" | "routes");
        if inner.starts_with("app/routes/") || (inner.starts_with("app/") && is_entry) {
            return Some("Remix");
        }
    }
    if has("nuxt") && NUXT_FOLDERS.iter().any(|role| is_in_folder(inner, role)) {
        return Some("Nuxt");
    }
    if has("astro") && (inner.starts_with("pages/") || inner.starts_with("content/")) {
        return Some("Astro");
    }
    let is_docusaurus_role = inner.starts_with("pages/") || inner.starts_with("theme/");
    if has("@docusaurus/core") && (is_docusaurus_role || stem.starts_with("sidebars")) {
        return Some("Docusaurus");
    }
    if has("gatsby") && (inner.starts_with("pages/") || stem.starts_with("gatsby-")) {
        return Some("Gatsby");
    }
    let is_main = matches!(stem, "main" | "index") && (has("vite") || has("webpack"));
    (is_main && !inner.contains('/')).then_some("bundler's entry")
}

fn is_in_folder(text: &str, folder: &str) -> bool {
    text.starts_with(folder) || text.contains(&format!("/{folder}"))
}
