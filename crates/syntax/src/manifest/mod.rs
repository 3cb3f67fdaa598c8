//! Package manifests: what they say about where imports lead. One file per format.
//!
//! A manifest that cannot be parsed has no facts; its own tools report what is wrong with it.

mod cargo;
mod descriptors;
mod go;
mod json;
mod npm;
mod python;
mod toml;
mod tsconfig;

pub(crate) use descriptors::{CARGO, GO, NPM, PNPM, PYTHON, TSCONFIG};

use crate::model::{FileFacts, Manifest};
use crate::plain_text;

/// The facts of a manifest that a format's reader parses.
pub(crate) fn extract(read: fn(&str) -> Option<Manifest>, text: &str) -> FileFacts {
    FileFacts { manifest: read(text), ..plain_text::extract(text) }
}
