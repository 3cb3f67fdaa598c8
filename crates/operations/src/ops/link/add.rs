//! `link.add`: links code to the card that it implements.

use base::{EntityRef, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use syntax::edit::add_doc_link;
use tree::FileEdit;

use super::{CardLinkTarget, link_target, refused, spec_link};
use crate::ops::card::{CardChangeAnswer, CurrentText, key_for_write, read_current};
use base::entity::CardKey;
use engine::contract::args::{NodeTarget, Words, one_or_many};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::{EndReader, confirmation_path, new_confirmation, spec_links};
use engine::view::View;

/// The reason in the confirmation of a new link, if none is given.
const LINKED: &str = "linked";

/// Link code to a card that it implements, with `@see` in its doc comment
///
/// A file gets the link in its header comment, a symbol in its own. A missing comment is created.
/// The link counts as confirmed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// Files, or symbols as `path#name`
    #[arg(required = true)]
    #[serde(
        alias = "target",
        alias = "file_path",
        alias = "filePath",
        deserialize_with = "one_or_many"
    )]
    pub targets: Vec<NodeTarget>,
    /// Key, slug or file of the card
    #[arg(required = true)]
    #[serde(alias = "card_key", alias = "cardKey")]
    pub card: NodeTarget,
    /// Symbol in the file, if the target names only the file
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub symbol: Option<NodeTarget>,
    /// Why the code does what the card says
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub why: Option<Words>,
}

impl Mutation for Add {
    const NAME: &'static str = "link.add";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "src/auth.ts#handleCallback spec::auth/login",
            shows: "a function that implements a card",
        },
        OpExample {
            args: "src/auth.ts src/session.ts spec::auth/login",
            shows: "two files in one change",
        },
        OpExample {
            args: "src/auth.ts spec::auth/login --symbol handleCallback",
            shows: "a function by its name alone",
        },
    ];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let key = key_for_write(view, &self.card)?;
        let link_targets = self.link_targets(view)?;
        let mut texts = NewTexts { view, texts: BTreeMap::new() };
        let (mut linked, mut already) = (Vec::new(), Vec::new());
        for target in &link_targets {
            let is_new = texts.link(target, &key)?;
            let places = if is_new { &mut linked } else { &mut already };
            places.push(&target.node);
        }
        let mut edits = texts.edits();
        let why = self.why.as_ref().map_or(LINKED, Words::as_str);
        edits.extend(confirmations(view, &edits, &linked, &key, why)?);
        let said = match (linked.as_slice(), already.as_slice()) {
            ([], _) => format!("unchanged: already so at {}", names(&already)),
            (_, []) => format!("linked at {}", names(&linked)),
            _ => format!("linked at {}; already so at {}", names(&linked), names(&already)),
        };
        let path = link_targets.first().map(|target| target.path.clone());
        let path = path.ok_or_else(|| Problem::invalid("name a file or symbol to link"))?;
        let answer = CardChangeAnswer { key: key.clone(), path, said, notes: Vec::new() };
        if edits.is_empty() {
            return Ok(Plan::nothing(answer));
        }
        let summary = format!("{key}: {}", answer.said);
        Ok(Plan { summary, change: PlannedChange::Files(edits), answer, retry_on_conflict: true })
    }
}

impl Add {
    fn link_targets(&self, view: &View) -> Result<Vec<CardLinkTarget>> {
        let Some(symbol) = &self.symbol else {
            return self.targets.iter().map(|target| link_target(view, target)).collect();
        };
        let [file] = self.targets.as_slice() else {
            return Err(Problem::invalid("`symbol` needs exactly one file"));
        };
        let whole = format!("{}#{symbol}", file.as_str().trim_end_matches('#'));
        let target = whole.parse::<NodeTarget>().map_err(Problem::invalid)?;
        Ok(vec![link_target(view, &target)?])
    }
}

/// The texts of files with new links, several in one file.
struct NewTexts<'v> {
    view: &'v View<'v>,
    texts: BTreeMap<RepoPath, LinkedText>,
}

struct LinkedText {
    now: CurrentText,
    new: String,
}

impl NewTexts<'_> {
    /// Adds a link. Returns whether it is new.
    fn link(&mut self, target: &CardLinkTarget, key: &CardKey) -> Result<bool> {
        if !self.texts.contains_key(&target.path) {
            let now = read_current(self.view, &target.path)?;
            let new = now.text.clone();
            self.texts.insert(target.path.clone(), LinkedText { now, new });
        }
        let Some(file) = self.texts.get_mut(&target.path) else { return Ok(false) };
        let text = add_doc_link(target.language, &file.new, target.place(), key.as_str())
            .map_err(|refusal| refused(target, refusal))?;
        let is_new = text != file.new;
        file.new = text;
        Ok(is_new)
    }

    fn edits(self) -> Vec<FileEdit> {
        let changed = self.texts.into_iter().filter(|(_, file)| file.new != file.now.text);
        let edit = |(path, file): (RepoPath, LinkedText)| FileEdit {
            path,
            expected: Some(file.now.hash),
            content: Some(file.new.into()),
        };
        changed.map(edit).collect()
    }
}

/// The confirmations of new links: a person who links two things has looked at both.
fn confirmations(
    view: &View,
    edits: &[FileEdit],
    linked: &[&EntityRef],
    key: &CardKey,
    why: &str,
) -> Result<Vec<FileEdit>> {
    let known = spec_links(view)?;
    let reader = EndReader::with_edits(view, edits);
    let mut files = Vec::new();
    for node in linked {
        let link = spec_link(node, key);
        let mut older = known.all_confirmations().filter(|stored| stored.record.link == link);
        let older = older.next();
        let version = older.map_or(1, |stored| stored.record.version + 1);
        // A link whose ends cannot be compared is not confirmed.
        let Ok(record) = new_confirmation(view, &reader, &link, why, version)? else { continue };
        files.push(FileEdit {
            path: confirmation_path(&link)?,
            expected: older.map(|stored| stored.hash),
            content: Some(record.to_text().into_bytes()),
        });
    }
    Ok(files)
}

fn names(nodes: &[&EntityRef]) -> String {
    nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
