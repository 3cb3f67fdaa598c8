//! `version`: which cairn this is.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::op::Query;
use engine::contract::page::{Page, Render};
use engine::view::View;

/// Tell which cairn this is, and what it stores
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Version {}

/// Versions that matter when two copies of cairn meet
#[derive(Debug, Serialize, JsonSchema)]
pub struct VersionAnswer {
    /// The program's
    pub cairn: &'static str,
    /// The one of the files it writes into a repository
    pub layout: u32,
    /// The one of its reading of source text
    pub extractor: u32,
    /// SQLite's
    pub sqlite: String,
}

impl Query for Version {
    const NAME: &'static str = "version";
    type Answer = VersionAnswer;

    fn run(self, _: &View) -> Result<VersionAnswer> {
        Ok(VersionAnswer {
            cairn: env!("CARGO_PKG_VERSION"),
            layout: setup::FORMAT_VERSION,
            extractor: syntax::EXTRACTOR_VERSION,
            sqlite: store::sqlite_version(),
        })
    }
}

impl Render for VersionAnswer {
    fn render(&self, page: &mut Page) {
        let Self { cairn, layout, extractor, sqlite } = self;
        page.answer(format!(
            "cairn {cairn} (layout {layout}, extractor {extractor}, SQLite {sqlite})"
        ));
    }
}
