//! `code.expand_macro`: the expansion of a Rust macro.

use base::words::counted;
use base::{EntityRef, Problem, ProblemCode, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Decorator;

use crate::language_server::{
    AnswerSource, LanguageServer, LspRequest, MissingServer, TargetPosition,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::NodeTarget;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// Maximum size of an expansion, in bytes.
const MAX_EXPANSION_BYTES: usize = 100 * 1024;

/// Show the expansion of a Rust macro call or derive
///
/// Name the call as path:line:column, or a symbol to expand its derives and attributes.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandMacro {
    /// Place as path:line:column, or symbol as path#name
    pub target: NodeTarget,
    /// Line of that file where the macro is used, from 1
    #[arg(long)]
    #[serde(default)]
    pub line: Option<u32>,
}

/// The expansion of a macro
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExpandMacroAnswer {
    /// Where it is called
    pub target: String,
    /// The macro's name
    pub name: String,
    /// The expanded code
    pub expansion: String,
    /// Whether the rest was cut off
    pub is_cut: bool,
    /// Who answered
    pub by: AnswerSource,
}

impl Query for ExpandMacro {
    const NAME: &'static str = "code.expand_macro";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_expand_macro").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/lib.rs:12:5", shows: "the expansion of a macro call" }];
    type Answer = ExpandMacroAnswer;

    fn run(self, view: &View) -> Result<ExpandMacroAnswer> {
        let mut target_position = TargetPosition::of(view, &self.target, self.line)?;
        if !target_position.language.semantics().has_macros {
            let message = format!(
                "`{}` is {}; only Rust macros can be expanded",
                target_position.path,
                target_position.language.name()
            );
            return Err(Problem::new(ProblemCode::InvalidOperation, message));
        }
        let server = LanguageServer::open(view, &target_position.path, target_position.language)?
            .map_err(MissingServer::into_problem)?;
        // Not a part of the protocol, so no capability names it.
        let method =
            LspRequest { method: "rust-analyzer/expandMacro", capability: "textDocumentSync" };
        let (mut names, mut expansion) = (Vec::new(), String::new());
        for offset in self.macro_offsets(&target_position) {
            target_position.offset = offset;
            let answer = server
                .ask(method, &server.at(&target_position))?
                .map_err(MissingServer::into_problem)?;
            let Some(text) = answer["expansion"].as_str() else { continue };
            let name = answer["name"].as_str().unwrap_or_default().trim_end_matches('!');
            names.push(name.to_owned());
            if !expansion.is_empty() {
                expansion.push_str("\n\n");
            }
            expansion.push_str(text);
        }
        if names.is_empty() {
            return Err(Problem::not_found(format!(
                "no macro is called at {}",
                target_position.display_name()
            ))
            .hint("give the position of the macro's name as path:line:column"));
        }
        let shown = &expansion[..expansion.floor_char_boundary(MAX_EXPANSION_BYTES)];
        Ok(ExpandMacroAnswer {
            target: target_position.display_name(),
            name: names.join(", "),
            expansion: shown.to_owned(),
            is_cut: shown.len() < expansion.len(),
            by: server.by(),
        })
    }
}

impl ExpandMacro {
    /// Where macros may be called: at the derives and attributes of a symbol and at its name, or at
    /// the place that was named.
    fn macro_offsets(&self, target_position: &TargetPosition) -> Vec<usize> {
        let EntityRef::Symbol(_, name) = &target_position.node else {
            return vec![target_position.offset];
        };
        let own =
            target_position.facts.symbols.iter().filter(|symbol| symbol.path == name.as_str());
        let attributes = own.filter(|_| self.line.is_none()).flat_map(|symbol| &symbol.decorators);
        let inside =
            attributes.flat_map(|attribute| attribute_names(&target_position.text, attribute));
        inside.chain([target_position.offset]).collect()
    }
}

/// Offsets of the names that an attribute expands: its own, or those that it derives.
fn attribute_names(text: &str, attribute: &Decorator) -> Vec<usize> {
    let start = attribute.span.start as usize;
    let Some(whole) = text.get(attribute.span.range()) else { return Vec::new() };
    let Some(at) = whole.find(&attribute.name) else { return Vec::new() };
    let last = |path: &str| path.rfind(':').map_or(0, |colon| colon + 1);
    if attribute.name != "derive" {
        return vec![start + at + last(&attribute.name)];
    }
    let (Some(open), Some(close)) = (whole.find('('), whole.rfind(')')) else { return Vec::new() };
    let mut found = Vec::new();
    let mut from = open + 1;
    for path in whole.get(from..close).unwrap_or_default().split(',') {
        let lead = path.len() - path.trim_start().len();
        if !path.trim().is_empty() {
            found.push(start + from + lead + last(path.trim()));
        }
        from += path.len() + 1;
    }
    found
}

impl Render for ExpandMacroAnswer {
    fn render(&self, page: &mut Page) {
        let lines = self.expansion.lines().count();
        let by = self.by.name().unwrap_or("nobody");
        let lines = counted(lines, "line");
        page.answer(format!("{} at {} expands to {lines}, by {by}", self.name, self.target));
        page.quoted(&self.expansion, &self.target);
        if self.is_cut {
            page.say(format!("Cut off after {MAX_EXPANSION_BYTES} bytes"));
        }
    }
}
