//! `code.show`: the source of symbols, ranges and files, with their callers.

mod fold;
mod page;

use std::str::FromStr;

use base::{EntityRef, NextCall, Problem, RepoPath, Result};
use clap::{Args, ValueEnum};
use code::{SymbolEndpoint, SymbolRelation, SymbolRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::callers::{self, SymbolCaller};
use crate::answers::line_target::line_target;
use crate::answers::source::{Excerpt, LineRange, SourceText};
use crate::answers::test_finder::{TestFile, tests_for};
use engine::areas::code::named_node;
use engine::areas::history::{HistoryReader, SymbolHistory, short_commit_id, trace_symbol};
use engine::contract::args::{NodeTarget, Words, comma_list, one_or_many};
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::graph;
use engine::view::View;

/// Maximum source in one answer, in bytes; the rest is cut after a whole line.
const MAX_TEXT_BYTES: usize = 100 * 1024;

/// How many commits are shown beside a symbol.
const MAX_COMMITS: usize = 5;

/// Show the source of symbols, line ranges or files
///
/// Several at once, with line numbers and callers. Function bodies of files and types over 300 lines are folded.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Symbols as path#name or a name, ranges as path:10-40, or files
    #[arg(required = true)]
    #[serde(alias = "target", alias = "path", alias = "paths", deserialize_with = "one_or_many")]
    pub targets: Vec<NodeTarget>,
    /// Sections to add for each symbol
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(extend("x-rare" = true))]
    pub with: Vec<ShowExtra>,
    /// Words of the task: long source is cut to the lines about them
    #[arg(long)]
    #[serde(default)]
    pub about: Option<Words>,
    /// Fold nothing: show long files with all function bodies
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub whole: bool,
}

/// A section that is shown with a symbol.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    ValueEnum,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ShowExtra {
    /// Who uses it directly
    Callers,
    /// What it calls
    Callees,
    /// Tests to run for it
    Tests,
    /// The newest commits that changed it
    History,
}

impl FromStr for ShowExtra {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        <Self as ValueEnum>::from_str(text, true)
    }
}

/// Source, in the order it was asked for
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeShowAnswer {
    /// One part for each target
    pub parts: Vec<CodeShowPart>,
    /// Whether the rest was cut: the text is over 100 KB
    pub is_cut: bool,
}

/// The source of one target
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeShowPart {
    /// The file
    pub path: RepoPath,
    /// The symbol, nested with `.`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Its source
    #[serde(flatten)]
    pub source: Excerpt,
    /// How many lines the file has
    pub file_lines: u32,
    /// How many lines were cut off at the end
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_cut: u32,
    /// How many lines of the target are folded before these
    #[serde(skip_serializing_if = "is_zero")]
    pub folded_before: u32,
    /// How many lines of the target are folded after these
    #[serde(skip_serializing_if = "is_zero")]
    pub folded_after: u32,
    /// Who uses the symbol directly, best first
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callers: Option<Vec<CodeUse>>,
    /// What the symbol calls
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callees: Option<Vec<CodeUse>>,
    /// Tests for the symbol, best first
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<TestFile>>,
    /// The newest commits that changed it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<SymbolCommit>>,
    /// Whether callers were asked for with their source lines
    #[serde(skip)]
    lists_callers: bool,
}

/// A symbol that uses another, or is used by it
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeUse {
    /// The file
    pub path: RepoPath,
    /// The symbol; empty for a file's own code
    pub symbol: String,
    /// The line of the use, or of the declaration for what is called
    pub line: u32,
    /// The text of the line, if it was asked for
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Type of the use, such as calls or uses
    pub relation: &'static str,
    /// Whether the use is a test
    pub is_test: bool,
}

/// A commit that changed a symbol
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolCommit {
    /// Its abbreviated name
    pub commit: String,
    /// When it was made
    pub date: String,
    /// The first line of its message
    pub subject: String,
    /// What it did to the symbol or file, such as modified
    pub how: &'static str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Query for Show {
    const NAME: &'static str = "code.show";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "src/session.ts#Session.refresh", shows: "a method and who calls it" },
        OpExample { args: "src/a.rs:10-40 src/b.rs#run", shows: "a range and a function at once" },
        OpExample {
            args: "src/session.ts --about 'expiry of tokens'",
            shows: "the lines of a long file that are about something",
        },
        OpExample {
            args: "Session --with callers,tests",
            shows: "a class, its callers and its tests",
        },
    ];
    type Answer = CodeShowAnswer;

    fn named_targets(&self) -> Vec<&NodeTarget> {
        self.targets.iter().collect()
    }

    fn run(self, view: &View) -> Result<CodeShowAnswer> {
        if self.targets.is_empty() {
            return Err(Problem::invalid("`targets` is empty").hint("name a symbol or a file"));
        }
        let mut left = MAX_TEXT_BYTES;
        let mut parts = Vec::new();
        for target in &self.targets {
            for mut part in self.parts(view, target)? {
                part.cut_to(left);
                left = left.saturating_sub(part.source.text.len());
                parts.push(part);
            }
        }
        let is_cut = parts.iter().any(|part| part.lines_cut > 0);
        Ok(CodeShowAnswer { parts, is_cut })
    }
}

impl Show {
    /// The source of a target: one part, or the parts of it that are not folded.
    fn parts(&self, view: &View, target: &NodeTarget) -> Result<Vec<CodeShowPart>> {
        if let Some((path, range)) = line_target(view, target.as_str())? {
            return Ok(vec![line_part(view, &path, range)?]);
        }
        let node = graph::resolve(view, target)?;
        match &node {
            EntityRef::Symbol(path, name) => {
                let row = code::symbol(view.index()?.conn(), path, name.as_str())?;
                let row = row.ok_or_else(|| Problem::not_found(format!("no symbol {node}")))?;
                let part = self.symbol_part(view, &node, &row)?;
                self.folded(view, part, row.line)
            }
            EntityRef::Module(path) | EntityRef::File(path) => {
                let text = SourceText::read(view, path)?;
                let all = LineRange { first: 1, last: text.line_count() };
                self.folded(view, CodeShowPart::of(path, None, &text, all), 1)
            }
            EntityRef::Dir(path) => Err(Problem::invalid(format!("`{path}` is a folder"))
                .hint_call("its content is listed by", zoom_call(path))),
            other => Err(Problem::invalid(format!("{other} has no source"))
                .hint("name a symbol, a file, or lines of one as path:10-40")),
        }
    }

    /// A part without the lines that are not wanted; what is shown with a symbol stays with the
    /// last range.
    fn folded(
        &self,
        view: &View,
        mut part: CodeShowPart,
        declared: u32,
    ) -> Result<Vec<CodeShowPart>> {
        if self.whole {
            return Ok(vec![part]);
        }
        let text = SourceText::read(view, &part.path)?;
        let within = LineRange { first: part.source.first_line, last: part.source.last_line };
        let declared = declared.clamp(within.first, within.last.max(within.first));
        let ranges = match (&self.about, &part.symbol) {
            (Some(words), _) => fold::lines_about(view, words.as_str(), &text, within, declared)?,
            (None, _) => fold::lines_outside_bodies(view, &part.path, &text, within, declared)?,
        };
        let Some((last, before)) = ranges.split_last() else { return Ok(vec![part]) };
        let mut next = within.first;
        let mut parts = Vec::new();
        for range in before {
            let mut one = CodeShowPart::of(&part.path, part.symbol.clone(), &text, *range);
            one.folded_before = range.first - next;
            next = range.last + 1;
            parts.push(one);
        }
        part.source = text.excerpt(*last);
        part.folded_before = last.first - next;
        part.folded_after = within.last - last.last;
        parts.push(part);
        Ok(parts)
    }

    fn symbol_part(&self, view: &View, node: &EntityRef, row: &SymbolRow) -> Result<CodeShowPart> {
        let text = SourceText::read(view, &row.path)?;
        let found = text.in_place(view, &row.path, vec![row.clone()])?;
        let row = found.first().ok_or_else(|| Problem::not_found(format!("no symbol {node}")))?;
        let lines = text.lines_with_docs(row);
        let mut part = CodeShowPart::of(&row.path, Some(row.full.clone()), &text, lines);
        let asks = |beside| self.with.contains(&beside);
        part.lists_callers = asks(ShowExtra::Callers);
        let mut whole = vec![node.clone()];
        for area in view.graph_areas() {
            whole.extend(area.parts(view, node)?);
        }
        let callers = callers::direct_callers(view, &whole)?;
        let callers = callers.iter().map(|caller| code_use(view, caller, part.lists_callers));
        part.callers = Some(callers.collect::<Result<_>>()?);
        if asks(ShowExtra::Callees) {
            part.callees = Some(callees(view, row)?);
        }
        if asks(ShowExtra::Tests) {
            part.tests = Some(tests_for(view, std::slice::from_ref(node))?);
        }
        if asks(ShowExtra::History) {
            part.history = commits(view, &row.path, &row.full)?;
        }
        Ok(part)
    }
}

impl CodeShowPart {
    fn of(path: &RepoPath, symbol: Option<String>, text: &SourceText, lines: LineRange) -> Self {
        Self {
            path: path.clone(),
            symbol,
            source: text.excerpt(lines),
            file_lines: text.line_count(),
            lines_cut: 0,
            folded_before: 0,
            folded_after: 0,
            callers: None,
            callees: None,
            tests: None,
            history: None,
            lists_callers: false,
        }
    }

    /// Keeps as many whole lines as fit.
    fn cut_to(&mut self, most: usize) {
        let Excerpt { text, last_line, .. } = &mut self.source;
        if text.len() <= most {
            return;
        }
        let end = text.floor_char_boundary(most);
        let end = text[..end].rfind('\n').unwrap_or(0);
        let cut = text[end..].matches('\n').count();
        text.truncate(end);
        self.lines_cut = u32::try_from(cut).unwrap_or(u32::MAX);
        *last_line -= self.lines_cut.min(*last_line - 1);
    }
}

fn line_part(view: &View, path: &RepoPath, range: LineRange) -> Result<CodeShowPart> {
    let text = SourceText::read(view, path)?;
    if range.first > text.line_count() {
        let count = base::words::counted(text.line_count(), "line");
        return Err(Problem::not_found(format!("`{path}` has {count}"))
            .hint(format!("the last is {path}:{}", text.line_count())));
    }
    Ok(CodeShowPart::of(path, None, &text, range))
}

fn code_use(view: &View, caller: &SymbolCaller, with_text: bool) -> Result<CodeUse> {
    let text = match with_text {
        true => {
            let text = SourceText::read(view, &caller.path)?;
            let is_known = text.is_as_indexed(view, &caller.path)?;
            if is_known { text.line(caller.line).trim().to_owned() } else { String::new() }
        }
        false => String::new(),
    };
    Ok(CodeUse {
        path: caller.path.clone(),
        symbol: caller.name.clone(),
        line: caller.line,
        text,
        relation: caller.relation.name(),
        is_test: caller.is_test,
    })
}

/// What a symbol calls, in source order.
fn callees(view: &View, row: &SymbolRow) -> Result<Vec<CodeUse>> {
    let conn = view.index()?.conn();
    let mut rows = code::edges_from(
        conn,
        &[SymbolEndpoint::new(&row.path, &row.full)],
        &[SymbolRelation::Calls],
    )?;
    rows.sort_by_key(|edge| edge.line);
    let mut found = Vec::new();
    for edge in rows {
        let EntityRef::Symbol(path, name) = named_node(&edge.to.0, &edge.to.1) else { continue };
        let Some(callee) = code::symbol(conn, &path, name.as_str())? else { continue };
        found.push(CodeUse {
            line: callee.line,
            text: callee.signature,
            relation: SymbolRelation::Calls.name(),
            is_test: callee.is_test,
            symbol: callee.full,
            path,
        });
    }
    Ok(found)
}

/// The newest commits that changed a symbol; none without history.
fn commits(view: &View, path: &RepoPath, symbol: &str) -> Result<Option<Vec<SymbolCommit>>> {
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(None) };
    let Some(artifact) = history.artifact_at(path)? else { return Ok(Some(Vec::new())) };
    let SymbolHistory { touches, is_cut } = trace_symbol(view, &history, &artifact, symbol)?;
    if is_cut && touches.len() < MAX_COMMITS {
        view.mark_partial("only the newest commits of the file were searched");
    }
    let newest = touches.into_iter().rev().take(MAX_COMMITS);
    let row = |one: engine::areas::history::SymbolTouch| {
        let stop = history.commit_position(one.touch.pos)?;
        let subject = history.message(&stop)?.lines().next().unwrap_or_default().to_owned();
        let date = engine::areas::history::time_text(stop.time);
        Ok(SymbolCommit { commit: short_commit_id(&stop.sha), date, subject, how: one.how })
    };
    newest.map(row).collect::<Result<Vec<_>>>().map(Some)
}

fn zoom_call(path: &RepoPath) -> NextCall {
    NextCall::new("code.zoom").with("path", path.to_string())
}
