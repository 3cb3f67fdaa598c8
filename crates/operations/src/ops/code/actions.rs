//! `code.actions`: the fixes and refactorings that a language server offers at a place.

use base::{Problem, ProblemCode, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolchain::lsp::{LspPosition, offset_at, position_at};

use crate::language_server::{
    AnswerSource, LanguageServer, LspRequest, MissingServer, TargetPosition,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::NodeTarget;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// List the fixes and refactorings that a language server offers at a place
///
/// Only lists them: apply one with `code apply`.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Actions {
    /// Symbol as path#name, or place as path:line:column
    pub target: NodeTarget,
    /// Line of the use in that file, counted from 1, if the target names a symbol
    #[arg(long)]
    #[serde(default)]
    pub line: Option<u32>,
}

/// The actions that are offered
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActionsAnswer {
    /// Where
    pub target: String,
    /// Who offers it
    pub by: AnswerSource,
    /// The actions, as the server ranks them
    pub actions: Vec<CodeAction>,
}

/// One action
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeAction {
    /// What it would do
    pub title: String,
    /// Its kind, such as `quickfix` or `refactor.extract`
    pub kind: String,
    /// Whether the server recommends it
    pub preferred: bool,
    /// Why it is not available here
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
}

impl Query for Actions {
    const NAME: &'static str = "code.actions";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_code_actions").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/app.ts#start", shows: "the actions for a function" }];
    type Answer = ActionsAnswer;

    fn run(self, view: &View) -> Result<ActionsAnswer> {
        let target_position = TargetPosition::of(view, &self.target, self.line)?;
        let offered = OfferedActions::ask(view, &target_position)?;
        let actions = offered.items.iter().filter_map(offer).collect();
        Ok(ActionsAnswer {
            target: target_position.display_name(),
            by: offered.server.by(),
            actions,
        })
    }
}

/// What a server offers at a place.
pub(super) struct OfferedActions<'v> {
    pub server: LanguageServer<'v>,
    /// The actions as the server describes them
    pub items: Vec<Value>,
}

impl<'v> OfferedActions<'v> {
    /// Asks the server for the actions at a place and for what is reported there.
    pub(super) fn ask(view: &'v View<'v>, target_position: &TargetPosition) -> Result<Self> {
        let server = LanguageServer::open(view, &target_position.path, target_position.language)?
            .map_err(MissingServer::into_problem)?;
        let encoding = server.encoding();
        let range = name_range(&target_position.text, target_position.offset);
        let at = |offset| position_at(&target_position.text, offset, encoding).to_json();
        let file = view.tree().root().join(target_position.path.to_relative());
        let reported = server.session().diagnostics_report(&file).unwrap_or_default().diagnostics;
        let touches = |diagnostic: &&Value| {
            let bound = |side: &str| {
                let at = LspPosition::from_json(&diagnostic["range"][side])?;
                offset_at(&target_position.text, at, encoding)
            };
            bound("start").zip(bound("end")).is_some_and(|(a, b)| a <= range.1 && range.0 <= b)
        };
        let diagnostics: Vec<Value> = reported.iter().filter(touches).cloned().collect();
        let params = json!({
            "textDocument": {"uri": server.uri(&target_position.path)},
            "range": {"start": at(range.0), "end": at(range.1)},
            "context": {"diagnostics": diagnostics, "triggerKind": 1},
        });
        let method =
            LspRequest { method: "textDocument/codeAction", capability: "codeActionProvider" };
        let answer = server.ask(method, &params)?.map_err(MissingServer::into_problem)?;
        let items = answer.as_array().cloned().unwrap_or_default();
        Ok(Self { server, items })
    }

    /// The titles of all actions.
    pub(super) fn titles(&self) -> Vec<&str> {
        self.items.iter().filter_map(|item| item["title"].as_str()).collect()
    }

    /// The changes of an action. If the server left them out of the list, it is asked for them. An
    /// action that runs a command of the server is refused, because its effect cannot be shown
    /// before.
    pub(super) fn edit_of(&self, action: &Value) -> Result<Value> {
        let refused = |why: &str| {
            let title = action["title"].as_str().unwrap_or_default();
            Problem::new(ProblemCode::InvalidOperation, format!("`{title}` {why}"))
                .hint("nothing was written")
        };
        let is_command = action["command"].is_string();
        let mut whole = action.clone();
        if !is_command && action["edit"].is_null() {
            let resolve =
                LspRequest { method: "codeAction/resolve", capability: "codeActionProvider" };
            whole = self.server.ask(resolve, action)?.map_err(MissingServer::into_problem)?;
        }
        if is_command || !whole["command"].is_null() && whole["edit"].is_null() {
            return Err(refused("runs a command of the language server, which is not supported"));
        }
        match whole["edit"].clone() {
            Value::Null => Err(refused("has no changes")),
            edit => Ok(edit),
        }
    }
}

/// The range of the name around a byte offset.
fn name_range(text: &str, offset: usize) -> (usize, usize) {
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '$';
    let before: usize = text[..offset].chars().rev().take_while(is_part).map(char::len_utf8).sum();
    let after: usize = text[offset..].chars().take_while(is_part).map(char::len_utf8).sum();
    (offset - before, offset + after)
}

fn offer(item: &Value) -> Option<CodeAction> {
    Some(CodeAction {
        title: item["title"].as_str()?.to_owned(),
        kind: item["kind"].as_str().unwrap_or("command").to_owned(),
        preferred: item["isPreferred"].as_bool().unwrap_or_default(),
        disabled: item["disabled"]["reason"].as_str().map(ToOwned::to_owned),
    })
}

impl Render for ActionsAnswer {
    fn render(&self, page: &mut Page) {
        let by = self.by.name().unwrap_or("nobody");
        let what = match self.actions.len() {
            0 => "No actions are".to_owned(),
            1 => "1 action is".to_owned(),
            count => format!("{count} actions are"),
        };
        page.answer(format!("{what} offered at {}, by {by}", self.target));
        let row = |offer: &CodeAction| {
            let mark = match (&offer.disabled, offer.preferred) {
                (Some(why), _) => format!("not available: {why}"),
                (None, true) => "preferred".into(),
                (None, false) => String::new(),
            };
            vec![PageCell::text(&offer.kind), PageCell::text(&offer.title), PageCell::faint(mark)]
        };
        page.table(2, self.actions.iter().map(row).collect());
    }
}
