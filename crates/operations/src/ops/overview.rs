//! `overview`: what a repository is, on one page. `cairn` without arguments shows it.

use base::words::counted;
use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::overview::RepositoryOverview;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::rules::RuleFinding;
use engine::view::View;

/// How many languages are named.
const MAX_LANGUAGES: usize = 5;

/// Show what this repository is: its parts, what is in progress and what is wrong
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Overview {}

impl Query for Overview {
    const NAME: &'static str = "overview";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "this repository on one page" }];
    type Answer = RepositoryOverview;

    fn run(self, view: &View) -> Result<RepositoryOverview> {
        RepositoryOverview::collect(view)
    }
}

impl Render for RepositoryOverview {
    fn render(&self, page: &mut Page) {
        page.answer(self.headline());
        if let Some(summary) = &self.summary {
            page.quoted(&summary.text, &summary.source);
        }
        self.render_folders(page);
        self.render_state(page);
        page.heading("Next steps");
        let task = NextCall::new("context").with("targets", "what you want to do, in a sentence");
        let change = NextCall::new("impact").with("target", "path#symbol");
        let mut rows = vec![("before a task", task), ("before a change", change)];
        if !self.initialised {
            rows.push(("to set up agents and git hooks", NextCall::new("init")));
        }
        let cells = |(when, call)| vec![PageCell::text(when), PageCell::call(call)];
        page.table(2, rows.into_iter().map(cells).collect());
    }
}

impl RepositoryOverview {
    fn headline(&self) -> String {
        let named = self.languages.iter().take(MAX_LANGUAGES);
        let named: Vec<String> =
            named.map(|one| format!("{} {}", one.language, one.files)).collect();
        let languages =
            if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
        format!("{}: {}{languages}", self.name, counted(self.files, "file"))
    }

    fn render_folders(&self, page: &mut Page) {
        if self.folders.is_empty() {
            return;
        }
        page.heading("Folders");
        let row = |folder: &crate::overview::OverviewFolder| {
            vec![
                PageCell::handle(format!("{}/", folder.path)),
                PageCell::text(counted(folder.files, "file")),
                PageCell::text(folder.about.as_deref().unwrap_or_default()),
            ]
        };
        page.table(2, self.folders.iter().map(row).collect());
        if self.more_folders > 0 {
            let more = format!("  …  {}", counted(self.more_folders, "smaller folder"));
            page.say_call(more, NextCall::new("context").with("targets", "."));
        }
        if !self.busy_files.is_empty() {
            let files = self.busy_files.iter();
            let files: Vec<String> =
                files.map(|file| format!("{} ({})", file.path, file.commits)).collect();
            page.item("Most frequently changed (commits)", files.join(", "));
        }
    }

    fn render_state(&self, page: &mut Page) {
        page.heading("Current state");
        let more = self.edited_count.saturating_sub(self.edited.len());
        let edited: Vec<String> = self.edited.iter().map(ToString::to_string).collect();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        match self.edited_count {
            0 => page.say("  no edited files"),
            _ => page.say_call(
                format!("  edited: {}{rest}", edited.join(", ")),
                NextCall::new("review"),
            ),
        }
        for work in &self.active_work {
            page.say_handle(format!("  {} \"{}\"", work.status, work.name), &work.handle);
        }
        if self.open_tasks > 0 {
            let open = counted(self.open_tasks, "open task");
            page.say_call(format!("  {open}"), NextCall::new("work.next"));
        }
        if self.cards > 0 || self.facts > 0 {
            let cards = counted(self.cards, "card");
            let facts = counted(self.facts, "fact");
            let open = self.open_cards;
            page.say(format!(
                "  documented: {cards} ({open} not implemented), {facts} in the knowledge base"
            ));
        }
        self.render_problems(page);
    }

    fn render_problems(&self, page: &mut Page) {
        match (self.errors, self.warnings) {
            (0, 0) if self.cards + self.facts == 0 => {}
            (0, 0) => page.say("  no problems in cards, documents and knowledge"),
            (errors, warnings) => {
                let counts =
                    format!("  {}, {}", counted(errors, "error"), counted(warnings, "warning"));
                page.say_call(counts, NextCall::new("verify"));
                let row = |found: &RuleFinding| {
                    vec![
                        PageCell::text(found.severity.as_str()),
                        PageCell::text(&found.message),
                        PageCell::handle(found.place()),
                    ]
                };
                page.table(4, self.problems.iter().map(row).collect());
            }
        }
    }
}
