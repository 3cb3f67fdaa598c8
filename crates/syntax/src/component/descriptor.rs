//! What is particular to single-file components, as data.

use super::ComponentFormat;
use crate::descriptor::{LanguageDescriptor, LanguageParser, LanguageSemantics};
use crate::javascript;
use crate::tools::LanguageTools;

/// Vue.
pub(crate) static VUE: LanguageDescriptor = LanguageDescriptor {
    name: "Vue",
    extensions: &["vue"],
    lsp_id: "vue",
    parser: LanguageParser::Component(ComponentFormat::Vue),
    ..SHARED
};

/// Svelte.
pub(crate) static SVELTE: LanguageDescriptor = LanguageDescriptor {
    name: "Svelte",
    extensions: &["svelte"],
    lsp_id: "svelte",
    parser: LanguageParser::Component(ComponentFormat::Svelte),
    ..SHARED
};

/// Astro.
pub(crate) static ASTRO: LanguageDescriptor = LanguageDescriptor {
    name: "Astro",
    extensions: &["astro"],
    lsp_id: "astro",
    parser: LanguageParser::Component(ComponentFormat::Astro),
    ..SHARED
};

/// Components are modules of JavaScript, which tools for JavaScript do not read.
const SHARED: LanguageDescriptor = LanguageDescriptor {
    tools: LanguageTools::NONE,
    // Frameworks import components by their folder.
    semantics: LanguageSemantics {
        reports_unused_exports: false,
        follows_all_scopes: false,
        ..javascript::SHARED.semantics
    },
    ..javascript::SHARED
};
