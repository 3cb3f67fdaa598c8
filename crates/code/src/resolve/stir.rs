//! Noting what changed: the questions whose answers are other than they were.

use base::{RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, ImportKind, Language, Manifest};

use super::{Key, tables};
use crate::outline::{Offers, outline};

/// Takes in what resolution needs of a file, and notes which answers that changes.
pub(crate) fn learn(
    conn: &Connection,
    path: &RepoPath,
    facts: &FileFacts,
    is_new: bool,
) -> Result<()> {
    if is_new {
        came_or_went(conn, path)?;
    }
    match Language::of(path) {
        Some(language) if language.is_manifest() => learn_manifest(conn, path, facts),
        Some(language) if language.is_code() => learn_outline(conn, path, (language, facts)),
        _ => Ok(()),
    }
}

/// Drops a file that is gone.
pub(crate) fn forget(conn: &Connection, path: &RepoPath) -> Result<()> {
    came_or_went(conn, path)?;
    if let Some((offers, _)) = tables::outline(conn, path)? {
        stir_offers(conn, path, places_modules(&offers))?;
    }
    if let Some(manifest) = tables::manifest(conn, path)? {
        stir_manifest(conn, path, &manifest)?;
    }
    tables::forget(conn, path)
}

fn came_or_went(conn: &Connection, path: &RepoPath) -> Result<()> {
    let folder = path.parent().unwrap_or(RepoPath::ROOT);
    tables::stir(conn, Key::File(path))?;
    tables::stir(conn, Key::Folder(&folder))
}

fn learn_manifest(conn: &Connection, path: &RepoPath, facts: &FileFacts) -> Result<()> {
    let before = tables::manifest(conn, path)?;
    if before == facts.manifest {
        return Ok(());
    }
    for said in before.iter().chain(&facts.manifest) {
        stir_manifest(conn, path, said)?;
    }
    match &facts.manifest {
        Some(manifest) => tables::put_manifest(conn, path, (package(manifest), manifest)),
        None => tables::forget(conn, path),
    }
}

fn stir_manifest(conn: &Connection, path: &RepoPath, manifest: &Manifest) -> Result<()> {
    tables::stir(conn, Key::Manifest(path))?;
    let name = package(manifest);
    name.map_or(Ok(()), |name| tables::stir(conn, Key::Package(&name)))
}

/// The name that others import a package by.
fn package(manifest: &Manifest) -> Option<String> {
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

fn learn_outline(
    conn: &Connection,
    path: &RepoPath,
    (language, facts): (Language, &FileFacts),
) -> Result<()> {
    let (offers, asks) = outline(language, facts);
    let places = places_modules(&offers);
    match tables::outline(conn, path)? {
        Some((before, _)) if before == offers => {}
        Some((before, _)) => stir_offers(conn, path, places || places_modules(&before))?,
        None => stir_offers(conn, path, places)?,
    }
    tables::put_outline(conn, path, (&offers, &asks), places)
}

fn stir_offers(conn: &Connection, path: &RepoPath, places: bool) -> Result<()> {
    tables::stir(conn, Key::Offers(path))?;
    if places { tables::stir(conn, Key::PathMods) } else { Ok(()) }
}

/// Whether a Rust file says itself where some of its modules are.
fn places_modules(offers: &Offers) -> bool {
    offers.imports.iter().any(|asked| asked.kind == ImportKind::Mod && asked.is_path)
}
