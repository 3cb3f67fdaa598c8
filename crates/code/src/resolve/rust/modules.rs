//! Modules: the file of a `mod` declaration, and the parent module of a file.

use base::RepoPath;
use syntax::ImportKind;

use super::crates;
use crate::outline::ImportRequest;
use crate::resolve::{ResolutionContext, folder_prefix, normalised_below};

/// A module: a file, or an inline module of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RustModule {
    pub file: RepoPath,
    /// The names of the inline modules, joined with `.`; empty for the file itself
    pub scope: String,
}

impl RustModule {
    pub(super) const fn file_root(file: RepoPath) -> Self {
        Self { file, scope: String::new() }
    }

    /// The parent module.
    pub(super) fn parent(&self, context: &ResolutionContext<'_>) -> Option<Self> {
        match self.scope.rsplit_once('.') {
            Some((around, _)) => Some(Self { file: self.file.clone(), scope: around.to_owned() }),
            None if !self.scope.is_empty() => Some(Self::file_root(self.file.clone())),
            None => (*context
                .memoise("rust parent", &self.file, "", || declaring_module(context, &self.file)))
            .clone(),
        }
    }

    /// An inline module of this one.
    pub(super) fn inner(&self, name: &str) -> Self {
        let scope = match self.scope.as_str() {
            "" => name.to_owned(),
            scope => format!("{scope}.{name}"),
        };
        Self { file: self.file.clone(), scope }
    }
}

/// The file of a `mod` declaration.
pub(super) fn child_file(
    context: &ResolutionContext<'_>,
    module: &RustModule,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    let name = asked.names.first().map_or(asked.specifier.as_str(), |(name, _)| name.as_str());
    let own = child_folder(context, &module.file);
    let inner: String =
        module.scope.split('.').filter(|p| !p.is_empty()).map(|p| format!("{p}/")).collect();
    if asked.is_path {
        // Inside an inline module the path is relative to the folder of its files.
        let start =
            if inner.is_empty() { folder_prefix(&module.file) } else { format!("{own}{inner}") };
        return normalised_below(&start, &asked.specifier).filter(|path| context.has(path));
    }
    let name = name.trim_start_matches("r#");
    context.first_existing([format!("{own}{inner}{name}.rs"), format!("{own}{inner}{name}/mod.rs")])
}

/// The folder of the submodules of a file.
fn child_folder(context: &ResolutionContext<'_>, file: &RepoPath) -> String {
    let (around, name) = (folder_prefix(file), file.name());
    let stem = name.strip_suffix(".rs").unwrap_or(&name);
    let is_flat =
        stem == "mod" || crates::is_root(context, file) || has_path_attribute(context, file);
    if is_flat { around } else { format!("{around}{stem}/") }
}

/// Whether a `#[path]` attribute names this file. Then its submodules are beside it.
fn has_path_attribute(context: &ResolutionContext<'_>, file: &RepoPath) -> bool {
    path_declaring_module(context, file).is_some()
}

/// The module that declares this file with `#[path]`.
fn path_declaring_module(context: &ResolutionContext<'_>, file: &RepoPath) -> Option<RustModule> {
    context.files_with_path_modules().iter().filter(|by| *by != file).find_map(|by| {
        let offers = context.interface(by)?;
        let mods =
            offers.imports.iter().filter(|asked| asked.kind == ImportKind::Mod && asked.is_path);
        mods.into_iter().find_map(|asked| {
            let placed = asked
                .scope
                .is_empty()
                .then(|| normalised_below(&folder_prefix(by), &asked.specifier))??;
            (placed == *file).then(|| RustModule::file_root(by.clone()))
        })
    })
}

/// The module that declares a file, if the file is not the root of a crate.
fn declaring_module(context: &ResolutionContext<'_>, file: &RepoPath) -> Option<RustModule> {
    if crates::is_root(context, file) {
        return None;
    }
    if let Some(module) = path_declaring_module(context, file) {
        return Some(module);
    }
    let (name, lies_in) = match file.name().as_str() {
        "mod.rs" => {
            let own = file.parent()?;
            (own.name(), own.parent()?)
        }
        other => (other.strip_suffix(".rs")?.to_owned(), file.parent()?),
    };
    let candidates = candidate_parent_files(context, &lies_in);
    let declares = |by: &&RepoPath| {
        let offers = context.interface(by);
        offers.is_some_and(|offers| {
            let mut mods = offers.imports.iter().filter(|asked| asked.kind == ImportKind::Mod);
            mods.any(|asked| asked.scope.is_empty() && asked.specifier == name)
        })
    };
    let declared = candidates.iter().find(declares).map(|by| RustModule::file_root(by.clone()));
    declared.or_else(|| inline_module_at(context, &lies_in, &name)).or_else(|| {
        // A macro may declare it.
        candidates.first().map(|by| RustModule::file_root(by.clone()))
    })
}

/// Files whose submodules may be in a folder, the most likely first.
fn candidate_parent_files(context: &ResolutionContext<'_>, lies_in: &RepoPath) -> Vec<RepoPath> {
    let prefix = crate::resolve::path_prefix(lies_in);
    let plain = prefix.trim_end_matches('/');
    let names = ["mod.rs", "lib.rs", "main.rs"].map(|name| format!("{prefix}{name}"));
    let named = [format!("{plain}.rs")].into_iter().chain(names);
    let mut all: Vec<RepoPath> = named
        .filter_map(|path| context.first_existing([path]))
        .filter(|path| *path != *lies_in)
        .collect();
    let roots = context.in_folder(lies_in).into_iter().filter(|file| {
        file.extension().as_deref() == Some("rs")
            && !all.contains(file)
            && crates::is_root(context, file)
    });
    let roots: Vec<RepoPath> = roots.collect();
    all.extend(roots);
    all
}

/// The inline module whose files are in this folder: `mod a { mod b; }` is `a/b.rs`.
fn inline_module_at(
    context: &ResolutionContext<'_>,
    lies_in: &RepoPath,
    name: &str,
) -> Option<RustModule> {
    let above = lies_in.parent()?;
    let scope = lies_in.name();
    candidate_parent_files(context, &above).into_iter().find_map(|by| {
        let offers = context.interface(&by)?;
        let mut mods = offers.imports.iter().filter(|asked| asked.kind == ImportKind::Mod);
        let declares = mods.any(|asked| asked.scope == scope && asked.specifier == name);
        declares.then(|| RustModule { file: by, scope: scope.clone() })
    })
}
