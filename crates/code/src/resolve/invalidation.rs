//! Marks resolution keys whose values changed.

use base::{RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, ImportKind, Language, Manifest};

use super::{ResolutionKey, tables};
use crate::outline::{ModuleInterface, outline};

/// Stores what resolution needs from a file, and marks the keys whose values change.
pub(crate) fn index_file(
    conn: &Connection,
    path: &RepoPath,
    facts: &FileFacts,
    is_new: bool,
) -> Result<()> {
    if is_new {
        invalidate_existence(conn, path)?;
    }
    match Language::from_path(path) {
        Some(language) if language.is_manifest() => index_manifest(conn, path, facts),
        Some(language) if language.is_code() => index_outline(conn, path, language, facts),
        _ => Ok(()),
    }
}

/// Removes a deleted file.
pub(crate) fn remove_file(conn: &Connection, path: &RepoPath) -> Result<()> {
    invalidate_existence(conn, path)?;
    if let Some((offers, _)) = tables::outline(conn, path)? {
        invalidate_interface(conn, path, has_path_modules(&offers))?;
    }
    if let Some(manifest) = tables::manifest(conn, path)? {
        invalidate_manifest(conn, path, &manifest)?;
    }
    tables::remove_rows(conn, path)
}

fn invalidate_existence(conn: &Connection, path: &RepoPath) -> Result<()> {
    let folder = path.parent().unwrap_or(RepoPath::ROOT);
    tables::mark_changed(conn, ResolutionKey::File(path))?;
    tables::mark_changed(conn, ResolutionKey::Folder(&folder))
}

fn index_manifest(conn: &Connection, path: &RepoPath, facts: &FileFacts) -> Result<()> {
    let before = tables::manifest(conn, path)?;
    if before == facts.manifest {
        return Ok(());
    }
    for said in before.iter().chain(&facts.manifest) {
        invalidate_manifest(conn, path, said)?;
    }
    match &facts.manifest {
        Some(manifest) => {
            tables::put_manifest(conn, path, package_name(manifest).as_deref(), manifest)
        }
        None => tables::remove_rows(conn, path),
    }
}

fn invalidate_manifest(conn: &Connection, path: &RepoPath, manifest: &Manifest) -> Result<()> {
    tables::mark_changed(conn, ResolutionKey::Manifest(path))?;
    let name = package_name(manifest);
    name.map_or(Ok(()), |name| tables::mark_changed(conn, ResolutionKey::Package(&name)))
}

/// The name that other packages import a package by.
fn package_name(manifest: &Manifest) -> Option<String> {
    match manifest {
        Manifest::Cargo(cargo) => {
            let name = cargo.lib_name.as_ref().or(cargo.name.as_ref())?;
            Some(format!("cargo:{}", name.replace('-', "_")))
        }
        Manifest::Npm(npm) => npm.name.as_ref().map(|name| format!("npm:{name}")),
        Manifest::Go(go) => go.module.as_ref().map(|name| format!("go:{name}")),
        Manifest::TsConfig(_) | Manifest::Pnpm(_) | Manifest::Python(_) => None,
    }
}

fn index_outline(
    conn: &Connection,
    path: &RepoPath,
    language: Language,
    facts: &FileFacts,
) -> Result<()> {
    let (offers, asks) = outline(language, facts);
    let places = has_path_modules(&offers);
    match tables::outline(conn, path)? {
        Some((before, _)) if before == offers => {}
        Some((before, _)) => invalidate_interface(conn, path, places || has_path_modules(&before))?,
        None => invalidate_interface(conn, path, places)?,
    }
    tables::put_outline(conn, path, &offers, &asks, places)
}

fn invalidate_interface(conn: &Connection, path: &RepoPath, places: bool) -> Result<()> {
    tables::mark_changed(conn, ResolutionKey::Interface(path))?;
    if places { tables::mark_changed(conn, ResolutionKey::PathModules) } else { Ok(()) }
}

/// Whether a Rust file has `#[path]` modules.
fn has_path_modules(offers: &ModuleInterface) -> bool {
    offers.imports.iter().any(|asked| asked.kind == ImportKind::Mod && asked.is_path)
}
