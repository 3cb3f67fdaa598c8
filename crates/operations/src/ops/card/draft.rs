//! `card.draft`: a card proposed from what code, tests, documents and history say already.

use std::collections::BTreeSet;

use base::entity::CardKey;
use base::{EntityRef, Hint, Problem, RepoPath, Result};
use cards::{CardStatus, NewCard};
use clap::Args;
use document::DocumentEdit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use super::{
    CardChangeAnswer, UNREVIEWED, link_call, path_for_new_card, refuse_taken_key,
    refuse_unregistered,
};
use engine::areas::code::{first_sentence, named_node};
use engine::areas::files::file_summary;
use engine::areas::history::HistoryReader;
use engine::contract::args::{NodeTarget, Words};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::graph;
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::tests_of;
use engine::view::View;

/// How many items of each kind a draft quotes.
const MAX_ITEMS: usize = 12;

/// How many commits a draft quotes.
const MAX_COMMITS: usize = 5;

/// Propose a card for a file or symbol from its docs, tests, documents and history
///
/// The draft is marked `unreviewed` and cannot be accepted before the mark is taken out.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// File, or symbol as `path#name`
    pub path: NodeTarget,
    /// Key of the card; made from the path if left out
    #[arg(long)]
    #[serde(default)]
    pub key: Option<Words>,
}

impl Mutation for Draft {
    const NAME: &'static str = "card.draft";
    const EFFECT: Effect = Effect::ADDS;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "src/auth/session.ts --dry-run",
        shows: "what is already written about a file",
    }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let node = graph::resolve(view, &self.path)?;
        let (EntityRef::Module(path) | EntityRef::Symbol(path, _)) = &node else {
            return Err(Problem::invalid(format!("{node} is not code, so nothing can be drafted"))
                .hint("name a file of code, or a symbol as `path#name`"));
        };
        let key = match &self.key {
            Some(key) => cards::parse_new_key(key.as_str(), None).map_err(Problem::invalid)?,
            None => key_for(view, &node, path)?,
        };
        refuse_unregistered(view, &key)?;
        refuse_taken_key(view, &key, None)?;
        let card_path = path_for_new_card(view, &key)?;
        let sources = DraftSources::read(view, &node, path)?;
        let text = sources.card(&key)?;
        let edit = FileEdit { path: card_path.clone(), expected: None, content: Some(text.into()) };
        let said = format!("drafted from {node}");
        let notes = vec![Hint::call(
            format!("edit it and remove the field `{UNREVIEWED}`; to link its code:"),
            link_call(&key, &node.short_handle()),
        )];
        let summary = format!("{key}: {said}");
        let answer = CardChangeAnswer { key, path: card_path, said, notes };
        let change = PlannedChange::Files(vec![edit]);
        Ok(Plan { summary, change, answer, retry_on_conflict: true })
    }
}

/// A key from the path, without the folders that every path has and without the extension.
fn key_for(view: &View, node: &EntityRef, path: &RepoPath) -> Result<CardKey> {
    let kind = view.config().card_types.first().map_or_else(|| "spec".into(), ToString::to_string);
    let path = path.to_string();
    let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
    let parts =
        stem.split('/').filter(|part| !matches!(*part, "src" | "lib" | "crates" | "packages"));
    let mut slug: Vec<String> = parts.map(plain).filter(|part| !part.is_empty()).collect();
    if let EntityRef::Symbol(_, name) = node {
        slug.push(plain(name.as_str()));
    }
    let text = format!("{kind}::{}", slug.join("/"));
    cards::parse_new_key(&text, None).map_err(|why| Problem::invalid(why).hint("name a `key`"))
}

fn plain(part: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let text: String = part.chars().map(plain).collect();
    text.trim_matches('-').to_owned()
}

/// Existing texts about a piece of code, for a draft.
struct DraftSources {
    node: EntityRef,
    summary: String,
    docs: Vec<String>,
    tests: Vec<String>,
    documents: Vec<String>,
    commits: Vec<String>,
}

impl DraftSources {
    fn read(view: &View, node: &EntityRef, path: &RepoPath) -> Result<Self> {
        let conn = view.index()?.conn();
        let symbols = code::symbols_in_file(conn, path)?;
        let is_own = |row: &&code::SymbolRow| match node {
            EntityRef::Symbol(_, name) => {
                let rest = row.full.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            _ => row.exported && !row.is_test,
        };
        let own: Vec<&code::SymbolRow> = symbols.iter().filter(is_own).collect();
        let said = |row: &&code::SymbolRow| {
            let doc = row.doc.as_deref().map(first_sentence).filter(|doc| !doc.is_empty())?;
            Some(format!("`{}`: {doc}", row.full))
        };
        let docs: Vec<String> = own.iter().filter_map(said).take(MAX_ITEMS).collect();
        let title = match node {
            EntityRef::Symbol(..) => {
                own.first().and_then(|row| row.doc.as_deref()).map(first_sentence)
            }
            _ => file_summary(view, path)?.and_then(|file| file.title),
        };
        let fallback =
            format!("What {} does", node.to_string().rsplit(['/', ':']).next().unwrap_or_default());
        let mut tests = BTreeSet::new();
        tests.extend(tests_of(view, node)?);
        for row in own.iter().take(MAX_ITEMS) {
            tests.extend(tests_of(view, &named_node(path, &row.full))?);
        }
        Ok(Self {
            node: node.clone(),
            summary: title.filter(|title| !title.trim().is_empty()).unwrap_or(fallback),
            docs,
            tests: tests.iter().take(MAX_ITEMS).map(ToString::to_string).collect(),
            documents: documents(view, path)?,
            commits: commits(view, path)?,
        })
    }

    fn card(&self, key: &CardKey) -> Result<String> {
        let body = self.body();
        let text = cards::render_new_card(&NewCard {
            key,
            summary: self.summary.trim(),
            status: CardStatus::Draft,
            lists: [("tags", &[]), ("subjects", &[]), ("constraints", &[])],
            relations: &[],
            body: &body,
        });
        let mark = DocumentEdit::Set {
            path: vec![UNREVIEWED.into()],
            value: document::NewValue::Bool(true),
        };
        text.and_then(|text| document::edit(&text, &[mark]))
            .map_err(|fault| Problem::invalid(fault.message))
    }

    fn body(&self) -> String {
        let start =
            format!("Drafted from `{}`. What follows was found and is not reviewed.\n", self.node);
        let sections = [
            ("What the code says", &self.docs),
            ("Tests that reach it", &self.tests),
            ("Documents that link it", &self.documents),
            ("Latest commits", &self.commits),
        ];
        let told = sections.into_iter().filter(|(_, items)| !items.is_empty());
        let section = |(title, items): (&str, &Vec<String>)| {
            let items: Vec<String> = items.iter().map(|item| format!("- {item}\n")).collect();
            format!("\n## {title}\n\n{}", items.concat())
        };
        [start].into_iter().chain(told.map(section)).collect()
    }
}

/// Documents that link a file.
fn documents(view: &View, path: &RepoPath) -> Result<Vec<String>> {
    let links = engine::areas::files::links_to(view, path)?;
    let files: BTreeSet<String> = links.into_iter().map(|(from, _)| from.to_string()).collect();
    Ok(files.into_iter().take(MAX_ITEMS).map(|file| format!("`{file}`")).collect())
}

/// The subjects of the latest commits of a file.
fn commits(view: &View, path: &RepoPath) -> Result<Vec<String>> {
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
    let Some(artifact) = history.artifact_at(path)? else { return Ok(Vec::new()) };
    let mut subjects = Vec::new();
    for touch in history.touches(artifact.id)?.iter().rev().take(MAX_COMMITS) {
        let commit = history.commit_position(touch.pos)?;
        let message = history.message(&commit)?;
        subjects.push(message.lines().next().unwrap_or_default().to_owned());
    }
    Ok(subjects)
}
