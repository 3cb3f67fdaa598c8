//! `code.expand_macro`: what a Rust macro becomes.

use base::words::counted;
use base::{Code, EntityRef, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::{Decorator, Language};

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
/// Name the call as path:line:column, or a symbol to expand its derives and attributes.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandMacro {
    /// Place as path:line:column, or symbol as path#name
    pub target: Target,
    /// Line of that file where the macro is used, from 1
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
        let mut spot = Spot::of(view, &self.target, self.line)?;
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
        let (mut names, mut expansion) = (Vec::new(), String::new());
        for offset in self.places(&spot) {
            spot.offset = offset;
            let answer = server.ask(method, &server.at(&spot))?.map_err(Absent::problem)?;
            let Some(text) = answer["expansion"].as_str() else { continue };
            let name = answer["name"].as_str().unwrap_or_default().trim_end_matches('!');
            names.push(name.to_owned());
            if !expansion.is_empty() {
                expansion.push_str("\n\n");
            }
            expansion.push_str(text);
        }
        if names.is_empty() {
            return Err(Problem::not_found(format!("no macro is called at {}", spot.named()))
                .hint("name the macro's own name as path:line:column"));
        }
        let shown = &expansion[..expansion.floor_char_boundary(LONGEST)];
        Ok(Expanded {
            target: spot.named(),
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
    fn places(&self, spot: &Spot) -> Vec<usize> {
        let EntityRef::Symbol(_, name) = &spot.node else { return vec![spot.offset] };
        let own = spot.facts.symbols.iter().filter(|symbol| symbol.path == name.as_str());
        let attributes = own.filter(|_| self.line.is_none()).flat_map(|symbol| &symbol.decorators);
        let inside = attributes.flat_map(|attribute| attribute_names(&spot.text, attribute));
        inside.chain([spot.offset]).collect()
    }
}

/// Where the names stand that an attribute expands: its own, or those that it derives.
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

impl Render for Expanded {
    fn render(&self, page: &mut Page) {
        let lines = self.expansion.lines().count();
        let by = self.by.name().unwrap_or("nobody");
        let lines = counted(lines, "line");
        page.answer(format!("{} at {} becomes {lines}, by {by}", self.name, self.target));
        page.quoted(&self.expansion, &self.target);
        if self.is_cut {
            page.say(format!("Cut off after {LONGEST} bytes"));
        }
    }
}
