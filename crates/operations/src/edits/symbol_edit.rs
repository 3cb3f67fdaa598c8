//! Symbol edits as plans: from the symbol that a caller named to a file's new text, or the reason
//! why it cannot be edited.

use std::time::Duration;

use base::similarity::did_you_mean_one_of;
use base::{EntityRef, Hash, NextCall, Problem, ProblemCode, RepoPath, Result, text_type};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use similar::TextDiff;
use syntax::Language;
use syntax::edit::{self, EditRefusal, SymbolEdit};
use tree::{FileContent, FileEdit};

use crate::language_server::{
    CheckRequest, Diagnostic, FormatOutcome, by_linter, check_writable, format,
};
use engine::contract::args::NodeTarget;
use engine::contract::page::{Page, Render};
use engine::graph;
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// How long an edit waits for the linter; `code diagnostics` waits longer.
const LINT_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest text that is put into a file at once, in bytes.
const MAX_CONTENT_BYTES: usize = 1024 * 1024;

text_type!(
    /// Source text.
    EditContent, |text| match text.len() {
        _ if text.trim().is_empty() => Err("it is empty".into()),
        long if long > MAX_CONTENT_BYTES => Err(format!("{long} bytes are more than {MAX_CONTENT_BYTES}")),
        _ => Ok(()),
    }
);

/// Whether the project's formatter is run on an edit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormatMode {
    /// If there is one, and it changes nothing else in the file
    #[default]
    Auto,
    /// Not at all
    Off,
}

impl<'de> Deserialize<'de> for FormatMode {
    /// Takes true and false too, which the older tools had.
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        match Value::deserialize(input)? {
            Value::Bool(true) => Ok(Self::Auto),
            Value::Bool(false) => Ok(Self::Off),
            Value::String(text) if text == "auto" => Ok(Self::Auto),
            Value::String(text) if text == "off" => Ok(Self::Off),
            other => Err(D::Error::custom(format!("{other} is neither `auto` nor `off`"))),
        }
    }
}

/// A symbol in the file that declares it, as the file is now.
pub(crate) struct DeclaredSymbol {
    /// The symbol
    pub node: EntityRef,
    /// The file
    pub path: RepoPath,
    /// The symbol's path in it
    pub name: String,
    /// The file's language
    pub language: Language,
    /// The file's text
    pub text: String,
    hash: Hash,
}

/// What an edit did
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolEditAnswer {
    /// The symbol that was named
    pub node: EntityRef,
    /// What was done to it
    pub did: &'static str,
    /// The file
    pub path: RepoPath,
    /// The file's hash from now on, for `if_hash`
    pub hash: Hash,
    /// What changed
    pub diff: String,
    /// How the result was checked
    pub checked: &'static str,
    /// Which formatter was run, or why none was
    pub format: String,
    /// Which linter was run, or why none was
    pub lint: String,
    /// What the linter says about the file
    pub diagnostics: Vec<Diagnostic>,
    /// Where the symbol is still named, although the caller said to ignore it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
}

impl DeclaredSymbol {
    /// The symbol that a target means.
    pub fn find(view: &View, target: &NodeTarget, if_hash: Option<Hash>) -> Result<Self> {
        let node = graph::resolve(view, target)?;
        let EntityRef::Symbol(path, name) = &node else {
            let message = format!("`{target}` is not a symbol: {node}");
            return Err(Problem::invalid(message).hint_call(
                "name one as path#name; those of a file are listed by",
                NextCall::new("code.zoom"),
            ));
        };
        let (path, name) = (path.clone(), name.as_str().to_owned());
        let blob = view.tree().read(&path)?;
        let FileContent { bytes, hash } =
            blob.ok_or_else(|| Problem::not_found(format!("`{path}` no longer exists")))?;
        if let Some(wanted) = if_hash.filter(|wanted| *wanted != hash) {
            return Err(Problem::new(
                ProblemCode::Conflict,
                format!("`{path}` changed since it was read"),
            )
            .detail("expected", wanted.to_string())
            .detail("current", hash.to_string())
            .hint("read the file again and repeat the request"));
        }
        check_writable(view, &path)?;
        let language = Language::from_path(&path).filter(|language| language.is_code());
        let language =
            language.ok_or_else(|| Problem::invalid(format!("`{path}` is not parsed as code")))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Problem::new(ProblemCode::InvalidOperation, format!("`{path}` is not UTF-8"))
        })?;
        Ok(Self { node, path, name, language, text, hash })
    }

    /// The plan that edits it.
    pub fn plan(
        self,
        view: &View,
        change: SymbolEdit<'_>,
        did: &'static str,
        format: FormatMode,
    ) -> Result<Plan<SymbolEditAnswer>> {
        let new = edit::edit_symbol(self.language, &self.text, &self.name, change)
            .map_err(|refusal| self.refusal_problem(refusal))?;
        let (new, format) = match format == FormatMode::Auto && new != self.text {
            true => self.formatted(view, new)?,
            false => (new, "not formatted".into()),
        };
        let diff = TextDiff::from_lines(&self.text, &new).unified_diff().to_string();
        let summary = format!("{did} {}", self.node);
        let answer = SymbolEditAnswer {
            node: self.node,
            did,
            path: self.path.clone(),
            hash: Hash::of(new.as_bytes()),
            diff,
            checked: "parsed: no new syntax errors",
            format,
            lint: "not linted: nothing was written".into(),
            diagnostics: Vec::new(),
            mentions: Vec::new(),
        };
        if new == self.text {
            return Ok(Plan {
                summary,
                change: PlannedChange::Nothing,
                answer,
                retry_on_conflict: true,
            });
        }
        let content = Some(new.into_bytes());
        let file = FileEdit { path: self.path, expected: Some(self.hash), content };
        Ok(Plan {
            summary,
            change: PlannedChange::Files(vec![file]),
            answer,
            retry_on_conflict: true,
        })
    }

    /// The formatted text, and a note on which formatter was used or why none was.
    fn formatted(&self, view: &View, new: String) -> Result<(String, String)> {
        let errors =
            |text: &str| syntax::extract(Some(self.language), text.as_bytes()).errors.len();
        Ok(match format(view, &self.path, self.language, &self.text, &new)? {
            FormatOutcome::Formatted { by, text } if errors(&text) <= errors(&new) => {
                (text, format!("formatted by {by}"))
            }
            FormatOutcome::Formatted { by, .. } => {
                (new, format!("not formatted: the result of {by} does not parse"))
            }
            FormatOutcome::Skipped(why) => (new, format!("not formatted: {why}")),
        })
    }

    fn refusal_problem(&self, refusal: EditRefusal) -> Problem {
        let (path, name) = (&self.path, &self.name);
        match refusal {
            EditRefusal::NewSyntaxError(error) => {
                let place = format!("{}:{}", error.line, error.column);
                let message = format!("`{path}` would no longer parse: {}", error.message);
                Problem::new(
                    ProblemCode::SyntaxError,
                    format!("{message}, at {place} of the result"),
                )
                .detail("syntax_error", true)
                .detail("line", error.line)
                .detail("column", error.column)
                .hint("nothing was written; send the whole declaration, corrected")
            }
            EditRefusal::NotPossible(why) => {
                Problem::new(ProblemCode::InvalidOperation, format!("`{name}` in {path}: {why}"))
                    .hint("nothing was written; name the enclosing declaration instead")
            }
            EditRefusal::NoSymbol(near) => {
                let problem = Problem::not_found(format!("no symbol `{name}` in {path}"));
                match near.as_slice() {
                    [] => problem,
                    near => {
                        let near: Vec<String> =
                            near.iter().map(|name| format!("{path}#{name}")).collect();
                        problem.hint(did_you_mean_one_of(&near))
                    }
                }
            }
            EditRefusal::UnsupportedLanguage => {
                Problem::invalid(format!("`{path}` is not parsed as code"))
            }
        }
    }
}

/// Runs the linter on the written file, unless it is slow.
pub(crate) fn add_lint_results(view: &View, edited: &mut SymbolEditAnswer) {
    let Some(language) = Language::from_path(&edited.path) else { return };
    let own = std::slice::from_ref(&edited.path);
    let wanted = CheckRequest { language, scopes: own, files: own };
    match by_linter(view, &wanted, LINT_TIMEOUT) {
        Ok(Ok(checked)) => {
            edited.lint = match checked.failures.first() {
                None => format!("linted by {}", checked.by()),
                Some(failure) => format!("linted in part by {}: {failure}", checked.by()),
            };
            edited.diagnostics = checked.diagnostics;
        }
        Ok(Err(absent)) => edited.lint = format!("not linted: {}", absent.why),
        Err(problem) => edited.lint = format!("not linted: {problem}"),
    }
}

impl Render for SymbolEditAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} {}", self.did, self.node));
        if !self.mentions.is_empty() {
            page.say(format!("Still used in {}", self.mentions.join(", ")));
        }
        page.diff(&self.diff);
        page.say(format!("{}; {}; {}", self.checked, self.format, self.lint));
        page.table(2, self.diagnostics.iter().map(Diagnostic::cells).collect());
        page.say(format!("if_hash for the next edit: {}", self.hash));
    }

    fn shows_change(&self) -> bool {
        true
    }
}
