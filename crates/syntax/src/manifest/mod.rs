//! Manifests of packages: what they say about where imports lead. One file a format.
//!
//! A manifest that cannot be read says nothing; what is wrong with it is for its own tools to say.

mod cargo;
mod go;
mod json;
mod npm;
mod python;
mod toml;
mod tsconfig;

use crate::language::Language;
use crate::model::{FileFacts, Manifest};
use crate::plain_text;

/// The facts of a manifest.
pub(crate) fn extract(language: Language, text: &str) -> FileFacts {
    let manifest = match language {
        Language::CargoManifest => cargo::read(text).map(|m| Manifest::Cargo(Box::new(m))),
        Language::NpmManifest => npm::read(text).map(|m| Manifest::Npm(Box::new(m))),
        Language::TsConfig => tsconfig::read(text).map(|m| Manifest::TsConfig(Box::new(m))),
        Language::PnpmWorkspace => Some(Manifest::Pnpm(npm::pnpm_packages(text))),
        Language::GoModule => Some(Manifest::Go(go::read(text))),
        Language::PythonProject => python::read(text).map(Manifest::Python),
        _ => None,
    };
    FileFacts { manifest, ..plain_text::extract(text) }
}
