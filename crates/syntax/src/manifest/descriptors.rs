//! The kinds of manifests, as data.

use base::RepoPath;

use super::{cargo, go, npm, python, tsconfig};
use crate::descriptor::{LanguageDescriptor, LanguageParser};
use crate::model::Manifest;

/// The manifest of a Rust package.
pub(crate) static CARGO: LanguageDescriptor = LanguageDescriptor {
    name: "Cargo manifest",
    file_names: &["Cargo.toml"],
    parser: LanguageParser::Manifest(|text| {
        cargo::read(text).map(|manifest| Manifest::Cargo(Box::new(manifest)))
    }),
    ..LanguageDescriptor::MANIFEST
};

/// The manifest of an npm package.
pub(crate) static NPM: LanguageDescriptor = LanguageDescriptor {
    name: "npm manifest",
    file_names: &["package.json"],
    parser: LanguageParser::Manifest(|text| {
        npm::read(text).map(|manifest| Manifest::Npm(Box::new(manifest)))
    }),
    ..LanguageDescriptor::MANIFEST
};

/// Options of the TypeScript compiler.
pub(crate) static TSCONFIG: LanguageDescriptor = LanguageDescriptor {
    name: "TypeScript config",
    file_names: &["tsconfig.json", "jsconfig.json"],
    matches_path: is_tsconfig,
    parser: LanguageParser::Manifest(|text| {
        tsconfig::read(text).map(|manifest| Manifest::TsConfig(Box::new(manifest)))
    }),
    ..LanguageDescriptor::MANIFEST
};

/// The packages of a pnpm workspace.
pub(crate) static PNPM: LanguageDescriptor = LanguageDescriptor {
    name: "pnpm workspace",
    file_names: &["pnpm-workspace.yaml", "pnpm-workspace.yml"],
    parser: LanguageParser::Manifest(|text| Some(Manifest::Pnpm(npm::pnpm_packages(text)))),
    ..LanguageDescriptor::MANIFEST
};

/// The manifest of a Go module, or of a workspace of them.
pub(crate) static GO: LanguageDescriptor = LanguageDescriptor {
    name: "Go module",
    file_names: &["go.mod", "go.work"],
    parser: LanguageParser::Manifest(|text| Some(Manifest::Go(go::read(text)))),
    ..LanguageDescriptor::MANIFEST
};

/// The manifest of a Python project.
pub(crate) static PYTHON: LanguageDescriptor = LanguageDescriptor {
    name: "Python project",
    file_names: &["pyproject.toml", "setup.cfg"],
    parser: LanguageParser::Manifest(|text| python::read(text).map(Manifest::Python)),
    ..LanguageDescriptor::MANIFEST
};

/// Whether a JSON file is a TypeScript configuration, judged by its name or its folder's name.
fn is_tsconfig(path: &RepoPath) -> bool {
    let name = path.name();
    let folder = path.parent().map(|folder| folder.name()).unwrap_or_default();
    let marks = ["tsconfig", "jsconfig", "typescript-config"];
    name.to_ascii_lowercase().ends_with(".json")
        && [&name, &folder].iter().any(|name| marks.iter().any(|mark| name.contains(mark)))
}
