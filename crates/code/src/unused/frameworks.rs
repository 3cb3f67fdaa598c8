//! Files that a framework, a test runner or a tool starts by their name or folder.

use base::RepoPath;
use syntax::Language;

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

/// File names that tools look for, without extension.
const TOOL_CONFIG_NAMES: [&str; 12] = [
    "gulpfile",
    "Gruntfile",
    "webpackfile",
    "setupTests",
    "setup-tests",
    "karma.conf",
    "service-worker",
    "sw",
    "middleware",
    "instrumentation",
    "conftest",
    "manage",
];

/// Python modules that a framework or tool looks for.
const PYTHON_ENTRY_MODULES: [&str; 17] = [
    "setup", "conftest", "manage", "wsgi", "asgi", "settings", "urls", "admin", "apps", "models",
    "tasks", "noxfile", "tests", "__main__", "conf", "fabfile", "gunicorn",
];

/// The framework or tool that starts a file; `None` if there is none.
pub(super) fn external_starter(path: &RepoPath, public: &PublicSurface) -> Option<&'static str> {
    let text = path.to_string();
    let name = path.name();
    match Language::from_path(path)? {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            javascript_starter(&text, &name).or_else(|| framework_role(path, &text, &name, public))
        }
        Language::Python => python_starter(&text, &name),
        Language::Rust => {
            let kinds = ["tests/", "benches/", "examples/"];
            let inner = |kind: &&str| text.starts_with(*kind) || text.contains(&format!("/{kind}"));
            (kinds.iter().any(inner) || name == "build.rs").then_some("separate Cargo target")
        }
        Language::Go => name.ends_with("_test.go").then_some("test"),
        _ => None,
    }
}

fn javascript_starter(text: &str, name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default();
    let marked = |mark: &str| name.contains(mark);
    if marked(".test.")
        || marked(".spec.")
        || marked(".e2e.")
        || marked(".cy.")
        || marked(".bench.")
    {
        return Some("test");
    }
    let in_tests = ["__tests__/", "__mocks__/", "cypress/", "e2e/", "test/", "tests/"];
    if in_tests.iter().any(|folder| is_in_folder(text, folder)) {
        return Some("test");
    }
    if marked(".stories.") || is_in_folder(text, ".storybook/") {
        return Some("Storybook");
    }
    if marked(".config.")
        || marked(".conf.")
        || name.starts_with('.')
        || TOOL_CONFIG_NAMES.contains(&stem)
    {
        return Some("read by a tool");
    }
    if name.ends_with(".d.ts") || name.ends_with(".d.mts") {
        return Some("declarations");
    }
    None
}

/// Files with a role in a framework that their package depends on.
fn framework_role(
    path: &RepoPath,
    text: &str,
    name: &str,
    public: &PublicSurface,
) -> Option<&'static str> {
    let around = public.dependencies.iter().filter(|(folder, _)| path.is_at_or_below(folder));
    let (folder, depends) = around.max_by_key(|(folder, _)| folder.depth())?;
    let home = if folder.is_root() { String::new() } else { format!("{folder}/") };
    let inner = text.strip_prefix(&home).unwrap_or(text);
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
    if has("gatsby") && (inner.starts_with("pages/") || stem.starts_with("gatsby-")) {
        return Some("Gatsby");
    }
    let is_main = matches!(stem, "main" | "index") && (has("vite") || has("webpack"));
    (is_main && !inner.contains('/')).then_some("bundler's entry")
}

fn python_starter(text: &str, name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default();
    if stem.starts_with("test_") || stem.ends_with("_test") || is_in_folder(text, "tests/") {
        return Some("test");
    }
    if is_in_folder(text, "migrations/") || is_in_folder(text, "management/commands/") {
        return Some("Django");
    }
    PYTHON_ENTRY_MODULES.contains(&stem).then_some("read by a tool")
}

fn is_in_folder(text: &str, folder: &str) -> bool {
    text.starts_with(folder) || text.contains(&format!("/{folder}"))
}
