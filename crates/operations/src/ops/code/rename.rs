//! `code.rename`: renames a symbol and all its uses, or nothing.

use base::words::counted;
use base::{EntityRef, Hash, Problem, RepoPath, Result, text_type};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use similar::TextDiff;

use crate::edits::SymbolPath;
use crate::edits::index_rename::rename_by_index;
use crate::edits::missed_uses::{UnsureUses, complete_rename};
use crate::edits::rewrite_plan::{diff_of, planned_rewrites};
use crate::fix::renamed_references;
use crate::language_server::{
    AnswerSource, FileRewrite, LanguageServer, LspRequest, MissingServer, TargetPosition, rewrites,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::carry_confirmations;
use engine::view::View;

text_type!(
    /// A valid identifier.
    NewName, |text| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '\'');
        match text.chars().next() {
            None => Err("it is empty".into()),
            Some(first) if first.is_numeric() => Err("a name must not start with a digit".into()),
            _ if text.len() > 256 => Err("a name must have at most 256 bytes".into()),
            _ if !text.chars().all(is_part) => Err(format!("`{text}` is not one name")),
            _ => Ok(()),
        }
    }
);

/// Rename a symbol and every use of it, in all files or none
///
/// By the language server; without one by the index, only if every use is certain.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// Symbol, as path#name
    pub target: NodeTarget,
    /// New name, without the names that it is nested in
    pub new_name: NewName,
    /// What to do with uses that the server misses and the index is not certain of
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub unsure: UnsureUses,
    /// Only if the symbol's file still has this hash
    #[arg(long)]
    #[serde(default)]
    pub if_hash: Option<Hash>,
}

/// What a rename did
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeRenameAnswer {
    /// What was renamed
    pub target: String,
    /// Its new name
    pub new_name: String,
    /// What found the uses: a server or the index
    pub by: AnswerSource,
    /// Places that the language server missed and the index renamed
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Possible uses that were not renamed
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// How many files changed
    pub files: usize,
    /// How many places changed
    pub places: usize,
    /// Documents, manifests and cards that named it and have the new name now
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<RepoPath>,
    /// What changed
    pub diff: String,
}

impl Mutation for Rename {
    const NAME: &'static str = "code.rename";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_rename").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "src/session.ts#refresh renew --dry-run",
        shows: "what a rename would change",
    }];
    type Answer = CodeRenameAnswer;

    fn plan(self, view: &View) -> Result<Plan<CodeRenameAnswer>> {
        let target_position = TargetPosition::of_symbol(view, &self.target, None)?;
        self.check_hash(&target_position)?;
        let new = self.new_name.as_str();
        let (mut added, mut left) = (Vec::new(), Vec::new());
        let (by, files) = match by_server(view, &target_position, new)? {
            Ok((by, files)) => match SymbolPath::of(&target_position.node) {
                Some(symbol) => {
                    let done = complete_rename(view, symbol, new, files, self.unsure)?;
                    (added, left) = (done.added, done.left);
                    (by, done.files)
                }
                None => (by, files),
            },
            Err(absent) if absent.code == base::ProblemCode::InvalidOperation => {
                return Err(absent.into_problem().hint("nothing was written"));
            }
            Err(absent) => {
                let symbol = SymbolPath::of(&target_position.node);
                let Some(symbol) = symbol else { return Err(absent.into_problem()) };
                let files = rename_by_index(view, symbol, new)
                    .map_err(|problem| with_server_reason(problem, &absent))?;
                (absent.by(), files)
            }
        };
        files.iter().try_for_each(crate::language_server::refuse_new_syntax_errors)?;
        let mut plan = plan(&target_position, new, by, files);
        (plan.answer.added, plan.answer.left) = (added, left);
        if let PlannedChange::Files(mut edits) = plan.change {
            let rename = |node: &EntityRef| renamed_node(node, &target_position.node, new);
            let documents = renamed_references(view, &edits, rename)?;
            plan.answer.documents = documents.iter().map(|edit| edit.path.clone()).collect();
            edits.extend(documents);
            plan.change = PlannedChange::Files(carry_confirmations(view, edits, rename)?);
        }
        Ok(plan)
    }
}

impl Rename {
    fn check_hash(&self, target_position: &TargetPosition) -> Result<()> {
        let now = Hash::of(target_position.text.as_bytes());
        let Some(wanted) = self.if_hash.filter(|wanted| *wanted != now) else { return Ok(()) };
        let message = format!("`{}` changed since it was read", target_position.path);
        Err(Problem::new(base::ProblemCode::Conflict, message)
            .detail("expected", wanted.to_string())
            .detail("current", now.to_string())
            .hint("read the file again and repeat the request"))
    }
}

/// The new handle of a node that is the renamed symbol or is nested in it.
fn renamed_node(node: &EntityRef, symbol: &EntityRef, new: &str) -> EntityRef {
    let (EntityRef::Symbol(path, old), EntityRef::Symbol(own, name)) = (symbol, node) else {
        return node.clone();
    };
    let rest = name.as_str().strip_prefix(old.as_str());
    let Some(rest) = rest.filter(|rest| own == path && (rest.is_empty() || rest.starts_with('.')))
    else {
        return node.clone();
    };
    let outer = old.as_str().rsplit_once('.').map(|(outer, _)| format!("{outer}."));
    let full = format!("{}{new}{rest}", outer.unwrap_or_default());
    engine::areas::code::named_node(path, &full)
}

fn by_server(
    view: &View,
    target_position: &TargetPosition,
    new: &str,
) -> Result<Result<(AnswerSource, Vec<FileRewrite>), MissingServer>> {
    let server = match LanguageServer::open_for_all(
        view,
        &target_position.path,
        target_position.language,
    )? {
        Ok(server) => server,
        Err(absent) => return Ok(Err(absent)),
    };
    if let Some(absent) = server.incomplete_project() {
        return Ok(Err(absent));
    }
    server.open_projects_mentioning(target_position)?;
    let mut params = server.at(target_position);
    params["newName"] = json!(new);
    let edit = match server
        .ask(LspRequest { method: "textDocument/rename", capability: "renameProvider" }, &params)?
    {
        Ok(edit) => edit,
        Err(absent) => return Ok(Err(absent)),
    };
    // The server may notice only while answering that it has not loaded the whole project.
    if let Some(absent) = server.incomplete_project() {
        return Ok(Err(absent));
    }
    Ok(Ok((server.by(), rewrites(view, &edit, server.encoding())?)))
}

/// Adds to a refusal of the index why no server was asked.
fn with_server_reason(problem: Problem, absent: &MissingServer) -> Problem {
    let problem = problem.hint(format!("no language server was asked: {}", absent.why));
    absent.hints.iter().fold(problem, |problem, hint| problem.hint(hint.clone()))
}

fn plan(
    target_position: &TargetPosition,
    new: &str,
    by: AnswerSource,
    files: Vec<FileRewrite>,
) -> Plan<CodeRenameAnswer> {
    let mut places = 0;
    for file in &files {
        let changed = TextDiff::from_words(&file.before, &file.after);
        places += changed.ops().iter().filter(|op| op.tag() != similar::DiffTag::Equal).count();
    }
    let diff = diff_of(&files);
    let answer = CodeRenameAnswer {
        target: target_position.display_name(),
        new_name: new.to_owned(),
        by,
        added: Vec::new(),
        left: Vec::new(),
        files: files.len(),
        places,
        documents: Vec::new(),
        diff,
    };
    let summary = format!("Renamed {} to {new}", answer.target);
    Plan { summary, change: planned_rewrites(files), answer, retry_on_conflict: true }
}

impl Render for CodeRenameAnswer {
    fn render(&self, page: &mut Page) {
        let Self { target, new_name, files, places, .. } = self;
        let by = match self.by.name() {
            Some(name) => format!("by {name}"),
            None => "by the index; every use is certain".into(),
        };
        if *files == 0 {
            page.answer(format!("{target} already has the name {new_name}"));
        } else {
            let files = counted(*files, "file");
            let places = counted(*places, "place");
            page.answer(format!("Renamed {target} to {new_name}: {places} in {files}, {by}"));
            if !self.added.is_empty() {
                let places = self.added.join(", ");
                page.say(format!("Renamed by the index, missed by the language server: {places}"));
            }
            if !self.left.is_empty() {
                let uses = counted(self.left.len(), "possible use");
                page.say(format!("{uses} not renamed: {}", self.left.join(", ")));
            }
            if !self.documents.is_empty() {
                let named: Vec<String> = self.documents.iter().map(ToString::to_string).collect();
                page.say(format!("Also rewritten in text that names it: {}", named.join(", ")));
            }
            page.diff(&self.diff);
        }
        self.by.render(page);
    }

    fn shows_change(&self) -> bool {
        true
    }
}
