//! `undo`: the inverse of a change, planned like any other change.

use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::{Entry, FileEdit};

use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Page, Render};
use crate::durable::Durable;
use crate::durable::tables::Made;
use crate::plan::{Change, Plan};
use crate::view::View;

/// Undo a change, the last one unless another is named
///
/// Refused where a file was edited since. An undo is a change too, so undoing it redoes.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// Number of the change, as the answer that made it says
    #[arg(long)]
    #[serde(default)]
    pub change: Option<String>,
}

/// The change that was undone
#[derive(Debug, Serialize, JsonSchema)]
pub struct Undone {
    /// Its number
    pub change: String,
    /// What it had done
    pub summary: String,
    /// Who had made it
    pub actor: String,
}

impl Mutation for Undo {
    const NAME: &'static str = "undo";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [Example] =
        &[Example { args: "--dry-run", shows: "what undoing the last change would do" }];
    type Answer = Undone;

    fn plan(self, view: &View) -> Result<Plan<Undone>> {
        match find(view, self.change.as_deref())? {
            Found::Files(entry) => undo_files(view, entry),
            Found::Store(durable, made) => undo_store(view, &durable, &made),
        }
    }
}

enum Found {
    Files(Entry),
    Store(Durable, Made),
}

/// The change with this number, or the newest of all journals.
fn find(view: &View, wanted: Option<&str>) -> Result<Found> {
    let place = view.place()?;
    let unknown = |text: &str| Problem::not_found(format!("no change {text}"));
    if let Some(wanted) = wanted {
        let Some((store, number)) = wanted.split_once(':') else {
            let id = wanted.parse().map_err(|_| unknown(wanted))?;
            return view.journal().entry(id).map(Found::Files);
        };
        let number: i64 = number.parse().map_err(|_| unknown(wanted))?;
        let durable = view.durables().into_iter().find(|durable| durable.name == store);
        let durable = durable.ok_or_else(|| unknown(wanted))?;
        let made =
            durable.made(&place.seen(&durable), Some(number))?.ok_or_else(|| unknown(wanted))?;
        return Ok(Found::Store(durable, made));
    }
    let mut newest: Option<(String, Found)> = None;
    if view.journal().last() > 0 {
        let entry = view.journal().entry(view.journal().last())?;
        newest = Some((entry.at.to_string(), Found::Files(entry)));
    }
    for durable in view.durables() {
        if let Some(made) = durable.made(&place.seen(&durable), None)?
            && newest.as_ref().is_none_or(|(at, _)| made.at > *at)
        {
            newest = Some((made.at.clone(), Found::Store(durable, made)));
        }
    }
    let nothing = || Problem::not_found("nothing has been changed here yet");
    newest.map(|(_, found)| found).ok_or_else(nothing)
}

fn undo_files(view: &View, entry: Entry) -> Result<Plan<Undone>> {
    let inverse = |index: usize| {
        let logged = &entry.edits[index];
        let content = view.journal().before(&entry, index)?;
        Ok(FileEdit { path: logged.path.clone(), expected: logged.after, content })
    };
    let edits = (0..entry.edits.len()).map(inverse).collect::<Result<_>>()?;
    let summary = format!("undo of {}: {}", entry.id, entry.summary);
    let (change, actor) = (entry.id.to_string(), entry.actor);
    let answer = Undone { change, summary: entry.summary, actor };
    // Made again, the last change would be another one.
    Ok(Plan { summary, change: Change::Files(edits), answer, again: false })
}

fn undo_store(view: &View, durable: &Durable, made: &Made) -> Result<Plan<Undone>> {
    let undoing = durable.undoing(made)?;
    let (at, actor) = (view.call().now.to_string(), &view.call().actor);
    let undoing = undoing.stamped(&at, actor).unwrap_or(undoing);
    let number = format!("{}:{}", durable.name, made.id);
    Ok(Plan {
        summary: format!("undo of {number}: {}", made.summary),
        change: Change::Store(undoing),
        answer: Undone { change: number, summary: made.summary.clone(), actor: made.actor.clone() },
        again: false,
    })
}

impl Render for Undone {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "Undone: change {} ({}, by {})",
            self.change, self.summary, self.actor
        ));
    }
}
