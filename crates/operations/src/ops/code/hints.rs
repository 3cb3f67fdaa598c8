//! `code.hints`: inlay hints of a language server: inferred types and parameter names.

use base::words::counted;
use base::{EntityRef, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolchain::lsp::{LspPosition, offset_at, position_at};

use crate::language_server::{
    AnswerSource, LanguageServer, LspRequest, MissingServer, TargetPosition,
};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Show inferred types and parameter names of a file or symbol
///
/// Asked of the language server: the index does not infer types.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hints {
    /// File, or symbol as path#name, to show inferred types in
    pub path: NodeTarget,
    /// First line to show, from 1; the start of the file if left out
    #[arg(long)]
    #[serde(default)]
    pub start_line: Option<u32>,
    /// Last line to show; the end of the file if left out
    #[arg(long)]
    #[serde(default)]
    pub end_line: Option<u32>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Hints of a file
#[derive(Debug, Serialize, JsonSchema)]
pub struct HintsAnswer {
    /// The file or symbol
    pub node: EntityRef,
    /// Who answered
    pub by: AnswerSource,
    /// The hints, in order
    pub hints: Vec<InlayHint>,
    #[serde(skip)]
    paging: Paging,
}

/// One hint
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct InlayHint {
    /// The line, from 1
    pub line: u32,
    /// The column, from 1, in characters
    pub column: u32,
    /// `type` or `parameter`
    pub kind: &'static str,
    /// The text of the hint
    pub label: String,
    /// The code before it, on its line
    pub after: String,
}

impl Query for Hints {
    const NAME: &'static str = "code.hints";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_inlay_hints")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "src/app.ts --start-line 1 --end-line 40",
        shows: "types of the first lines",
    }];
    type Answer = HintsAnswer;

    fn run(self, view: &View) -> Result<HintsAnswer> {
        let target_position = TargetPosition::of(view, &self.path, None)?;
        let server = LanguageServer::open(view, &target_position.path, target_position.language)?
            .map_err(MissingServer::into_problem)?;
        let (start, end) = self.range(&target_position);
        let at = |offset| position_at(&target_position.text, offset, server.encoding()).to_json();
        let params = json!({
            "textDocument": {"uri": server.uri(&target_position.path)},
            "range": {"start": at(start), "end": at(end)},
        });
        let method =
            LspRequest { method: "textDocument/inlayHint", capability: "inlayHintProvider" };
        let answer = server.ask(method, &params)?.map_err(MissingServer::into_problem)?;
        let items = answer.as_array().map_or(&[][..], Vec::as_slice);
        let mut all: Vec<InlayHint> = items
            .iter()
            .filter_map(|item| hint(item, &target_position.text, server.encoding()))
            .collect();
        all.sort();
        let (hints, paging) = Paging::cut(all, self.offset, self.limit);
        Ok(HintsAnswer { node: target_position.node, by: server.by(), hints, paging })
    }
}

impl Hints {
    /// The requested byte range: lines, a symbol, or the whole file.
    fn range(&self, target_position: &TargetPosition) -> (usize, usize) {
        if let (EntityRef::Symbol(_, name), None, None) =
            (&target_position.node, self.start_line, self.end_line)
        {
            let named =
                target_position.facts.symbols.iter().filter(|symbol| symbol.path == name.as_str());
            let spans: Vec<base::Span> = named.map(|symbol| symbol.span).collect();
            let start = spans.iter().map(|span| span.range().start).min();
            let end = spans.iter().map(|span| span.range().end).max();
            return (start.unwrap_or(0), end.unwrap_or(target_position.text.len()));
        }
        let line_start = |line: usize| {
            let before = target_position.text.split_inclusive('\n').take(line).map(str::len);
            before.sum::<usize>()
        };
        let start = self.start_line.map_or(0, |line| line_start(line.saturating_sub(1) as usize));
        let end =
            self.end_line.map_or(target_position.text.len(), |line| line_start(line as usize));
        (start, end.max(start))
    }
}

fn hint(item: &Value, text: &str, encoding: toolchain::lsp::PositionEncoding) -> Option<InlayHint> {
    let at = LspPosition::from_json(&item["position"])?;
    let offset = offset_at(text, at, encoding)?;
    let label = match &item["label"] {
        Value::String(label) => label.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["value"].as_str()).collect(),
        _ => return None,
    };
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[start..offset];
    let column = u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX);
    let kind = if item["kind"].as_u64() == Some(2) { "parameter" } else { "type" };
    let label = label.trim().to_owned();
    Some(InlayHint {
        line: at.line + 1,
        column,
        kind,
        label,
        after: before.trim_start().to_owned(),
    })
}

impl Render for HintsAnswer {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        let by = self.by.name().unwrap_or("nobody");
        let count = if total == 0 { "No hints".into() } else { counted(total, "hint") };
        page.answer(format!("{count} in {}, by {by}", self.node));
        let row = |hint: &InlayHint| {
            vec![
                PageCell::text(format!("{}:{}", hint.line, hint.column)),
                PageCell::text(&hint.label),
                PageCell::faint(format!("after  {}", hint.after)),
            ]
        };
        page.table(2, self.hints.iter().map(row).collect());
        self.paging.render_rest(page, self.hints.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
