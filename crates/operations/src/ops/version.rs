//! `version`: the version of cairn and of what it stores.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::op::Query;
use engine::contract::page::{Page, Render};
use engine::view::View;

/// Show the version of cairn and of the data that it stores
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Version {}

/// Versions that matter when two copies of cairn share a repository
#[derive(Debug, Serialize, JsonSchema)]
pub struct VersionAnswer {
    /// Version of the program
    pub cairn: &'static str,
    /// Version of the layout of its files in a repository
    pub layout: u32,
    /// Version of the facts that it extracts from source text
    pub extractor: u32,
    /// Version of SQLite
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
