//! `work.board`: the tasks of a project in columns, by status.

use base::words::counted;
use base::{NextCall, Result};
use clap::Args;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::board::{BoardCard, BoardColumn, BoardScope, WorkBoard, board};
use work::text::PersonName;
use work::words::WorkStatus;

use super::record::{people_words, progress_bar};
use engine::areas::work::{pipelines, read_store};
use engine::contract::args::number_type;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// The longest title in a column, in characters.
const MAX_TITLE_CHARS: usize = 30;

number_type!(
    /// How many tasks each column shows.
    BoardLimit, 1..=200, default 12
);

/// Show the tasks as a board: a column for each status, with who holds what and what is blocked
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Only tasks of this feature
    #[serde(default, alias = "feature_id")]
    pub feature: Option<WorkRecordRef>,
    /// Project to show; needed only if there are several
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only tasks that are assigned to this person
    #[arg(long)]
    #[serde(default)]
    pub assignee: Option<PersonName>,
    /// Tasks to show in each column
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub most: BoardLimit,
    /// Also show how many tasks were created and finished in each of the last twelve weeks
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub flow: bool,
}

/// A board of tasks
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoardAnswer {
    /// The board
    #[serde(flatten)]
    pub board: WorkBoard,
    #[serde(skip)]
    is_of_feature: bool,
    #[serde(skip)]
    now: Timestamp,
}

impl Query for Board {
    const NAME: &'static str = "work.board";
    const NEEDS_ACTOR: bool = true;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "all tasks of the project" },
        OpExample { args: "Login", shows: "the tasks of one feature" },
        OpExample { args: "--flow", shows: "also what was created and finished each week" },
    ];
    type Answer = BoardAnswer;

    fn run(self, view: &View) -> Result<BoardAnswer> {
        let pipelines = pipelines(view)?;
        read_store(view, |draft| {
            let scope = BoardScope {
                project: self.project.as_ref(),
                feature: self.feature.as_ref(),
                assignee: self.assignee.as_ref().map(PersonName::as_str),
                limit: self.most.get(),
                with_flow: self.flow,
            };
            let board = board(draft, &pipelines, scope)?;
            let is_of_feature = self.feature.is_some();
            Ok(BoardAnswer { board, is_of_feature, now: view.call().now })
        })
    }
}

impl Render for BoardAnswer {
    fn render(&self, page: &mut Page) {
        let WorkBoard { project, columns, features, .. } = &self.board;
        let counts: Vec<String> =
            columns.iter().map(|column| format!("{} {}", column.total, column.status)).collect();
        let asked = features.first().filter(|_| self.is_of_feature);
        let (kind, name) =
            asked.map_or(("Project", &project.name), |feature| ("Feature", &feature.what.name));
        page.answer(format!("{kind} \"{name}\": {}", counts.join(", ")));
        let bars = features.iter().map(|feature| {
            vec![
                PageCell::text(progress_bar(feature.finished, feature.tasks)),
                PageCell::text(format!("\"{}\"", feature.what.name)),
                PageCell::text(feature.what.status.map_or("", WorkStatus::word)),
                PageCell::handle(feature.what.handle()),
            ]
        });
        page.table(2, bars.collect());
        page.blank();
        page.table(0, self.rows());
        let hidden: usize = columns.iter().map(|column| column.total - column.cards.len()).sum();
        if hidden > 0 {
            // The same tasks: those that the board was asked for.
            let mut search = NextCall::new("work.search").with("kind", "task");
            for name in ["project", "feature", "assignee"] {
                if let Some(value) = page.answered_call().args.remove(name) {
                    search = search.with(name, value);
                }
            }
            page.say_call(format!("…  {} more in", counted(hidden, "task")), search);
        }
        self.render_flow(page);
        let Some(first) = self.board.questions.first() else { return };
        page.heading("Waiting for an answer");
        for question in &self.board.questions {
            page.quoted(&question.reason, question.what.handle());
        }
        let answer = NextCall::new("work.unblock").with("id", first.what.key.as_str());
        page.say_call("To answer:", answer.with("comment", "…"));
    }
}

impl BoardAnswer {
    fn render_flow(&self, page: &mut Page) {
        let Some(flow) = &self.board.flow else { return };
        page.heading("Tasks per week");
        let head = ["week of", "made", "finished", "open at the end"].map(PageCell::faint);
        let rows = flow.weeks.iter().map(|week| {
            let counts = [week.made, week.finished, week.open];
            let cells = counts.map(|count| PageCell::text(count.to_string()));
            std::iter::once(PageCell::text(&week.starts)).chain(cells).collect()
        });
        page.table(2, std::iter::once(head.into()).chain(rows).collect());
        if let Some(days) = flow.median_days {
            let days = usize::try_from(days).unwrap_or_default();
            page.say(match days {
                0 => "Half of the finished tasks took less than a day".to_owned(),
                _ => format!("Half of the finished tasks took at most {}", counted(days, "day")),
            });
        }
    }

    /// The columns side by side: two lines for each card.
    fn rows(&self) -> Vec<Vec<PageCell>> {
        let shown: Vec<&BoardColumn> =
            self.board.columns.iter().filter(|column| column.total > 0).collect();
        let head = shown.iter().map(|column| PageCell::strong(column.status)).collect();
        let height = shown.iter().map(|column| column.cards.len()).max().unwrap_or_default();
        let mut rows: Vec<Vec<PageCell>> = vec![head];
        for at in 0..height {
            let cards: Vec<Option<&BoardCard>> =
                shown.iter().map(|column| column.cards.get(at)).collect();
            let title = |card: Option<&BoardCard>| card.map_or(String::new(), title);
            rows.push(cards.iter().map(|card| PageCell::text(title(*card))).collect());
            let note = |card: Option<&BoardCard>| card.map_or(String::new(), |one| self.note(one));
            rows.push(cards.iter().map(|card| PageCell::faint(note(*card))).collect());
        }
        rows
    }

    fn note(&self, card: &BoardCard) -> String {
        let blocked = (card.blocked_by > 0).then(|| format!("⊘ {}", card.blocked_by));
        let words = people_words(&card.people, self.now);
        let key = card.what.key.as_str();
        let digits = key.rsplit('-').next().unwrap_or(key).to_owned();
        let parts: Vec<String> = std::iter::once(digits).chain(blocked).chain([words]).collect();
        format!("  {}", cut(&parts.join(" ")))
    }
}

/// The title of a card, with a mark for its priority.
fn title(card: &BoardCard) -> String {
    use work::words::WorkPriority;
    let mark = match card.priority {
        WorkPriority::High => "!",
        WorkPriority::Medium => "·",
        WorkPriority::Low => " ",
    };
    format!("{mark} {}", cut(&card.what.name))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
