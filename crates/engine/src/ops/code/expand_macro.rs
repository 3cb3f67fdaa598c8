//! `code.expand_macro`: what a Rust macro becomes.

use base::{Code, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use crate::contract::alias::Alias;
use crate::contract::args::Target;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Page, Render};
use crate::precise::{Absent, By, Server, Spot};
use crate::view::View;

/// The longest expansion that is given, in bytes.
const LONGEST: usize = 100 * 1024;

/// Show what a Rust macro call or derive becomes
///
/// Name the call as path:line:column, or a symbol to expand the macro at its name.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandMacro {
    /// Place as path:line:column, or symbol as path#name
    pub target: Target,
    /// A line of the symbol's file that uses the macro
    #[arg(long)]
    #[serde(default)]
    pub line: Option<u32>,
}

/// What a macro becomes
#[derive(Debug, Serialize, JsonSchema)]
pub struct Expanded {
    /// Where it is called
    pub target: String,
    /// The macro's name
    pub name: String,
    /// What it becomes
    pub expansion: String,
    /// Whether the rest was cut off
    pub is_cut: bool,
    /// Who answered
    pub by: By,
}

impl Query for ExpandMacro {
    const NAME: &'static str = "code.expand_macro";
    const ALIASES: &'static [Alias] =
        &[Alias::of("kart_expand_macro").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "src/lib.rs:12:5", shows: "the code behind the macro there" }];
    type Answer = Expanded;

    fn run(self, view: &View) -> Result<Expanded> {
        let spot = Spot::of(view, &self.target, self.line)?;
        if spot.language != Language::Rust {
            let message = format!(
                "`{}` is {}, and only Rust macros are expanded",
                spot.path,
                spot.language.name()
            );
            return Err(Problem::new(Code::InvalidOperation, message));
        }
        let server = Server::open(view, (&spot.path, spot.language))?.map_err(Absent::problem)?;
        // Not a part of the protocol, so no capability names it.
        let method = ("rust-analyzer/expandMacro", "textDocumentSync");
        let answer = server.ask(method, &server.at(&spot))?.map_err(Absent::problem)?;
        let Some(expansion) = answer["expansion"].as_str() else {
            return Err(Problem::not_found(format!("no macro is called at {}", spot.named()))
                .hint("name the macro's own name as path:line:column"));
        };
        let end =
            (0..=expansion.len().min(LONGEST)).rev().find(|at| expansion.is_char_boundary(*at));
        let shown = &expansion[..end.unwrap_or_default()];
        Ok(Expanded {
            target: spot.named(),
            name: answer["name"].as_str().unwrap_or_default().trim_end_matches('!').to_owned(),
            expansion: shown.to_owned(),
            is_cut: shown.len() < expansion.len(),
            by: server.by(),
        })
    }
}

impl Render for Expanded {
    fn render(&self, page: &mut Page) {
        let lines = self.expansion.lines().count();
        let by = self.by.name().unwrap_or("nobody");
        page.answer(format!("{}! at {} becomes {lines} lines, by {by}", self.name, self.target));
        page.quoted(&self.expansion, &self.target);
        if self.is_cut {
            page.say(format!("Cut off after {LONGEST} bytes"));
        }
    }
}
