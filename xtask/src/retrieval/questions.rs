//! From a question in plain words to the code that answers it: the question set of this repository.
//!
//! Eighty questions over eight public repositories, written without looking at answers; half are
//! held out. `CAIRN_QUESTION_REPOS` is a folder with one checkout per repository, at the commits
//! that `xtask/data/question-repositories.json` names.

#![expect(clippy::disallowed_methods, reason = "a measurement takes its data from outside")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use testkit::McpClient;

use crate::run::{self, XtaskResult};

const DEV: &str = include_str!("../../data/questions-dev.jsonl");
const HELD_OUT: &str = include_str!("../../data/questions-heldout.jsonl");

/// The budgets at which the share of the gold source is measured, in tokens.
const BUDGETS: [u32; 2] = [1200, 4000];

#[derive(Deserialize)]
struct RetrievalQuestion {
    id: String,
    repo: String,
    #[serde(rename = "question")]
    text: String,
    files: Vec<String>,
    symbols: Vec<String>,
    spans: Vec<(String, u32, u32)>,
}

/// The sums of the results over all questions.
#[derive(Default)]
struct QuestionTotals {
    questions: f64,
    /// Files among the first 1, 3 and 5
    files: [f64; 3],
    with_symbols: f64,
    symbols: f64,
    /// The share of the gold lines that the answer shows, for each budget
    source: [f64; 2],
    characters: [f64; 2],
}

/// Prints the figures of one half.
pub(super) fn run(cairn: &Path, held_out: bool, show: bool) -> XtaskResult<()> {
    let Some(repos) = std::env::var_os("CAIRN_QUESTION_REPOS").map(PathBuf::from) else {
        run::print("question to code: NOT RUN, CAIRN_QUESTION_REPOS is not set\n");
        return Ok(());
    };
    let text = if held_out { HELD_OUT } else { DEV };
    let mut totals = QuestionTotals::default();
    for line in text.lines() {
        let question: RetrievalQuestion =
            serde_json::from_str(line).map_err(|error| error.to_string())?;
        let at = repos.join(&question.repo);
        if !at.is_dir() {
            run::print(&format!("{}: NOT RUN, no repository\n", question.id));
            continue;
        }
        totals.add(cairn, &at, &question, show);
    }
    let half = if held_out { "held-out half" } else { "development half" };
    run::print(&format!("\nquestion to code, {half}: {}\n", totals.text()));
    Ok(())
}

impl QuestionTotals {
    fn add(&mut self, cairn: &Path, at: &Path, question: &RetrievalQuestion, show: bool) {
        let mut ranks = (None, None);
        for (number, budget) in BUDGETS.into_iter().enumerate() {
            let mut client = McpClient::start(cairn, at, &["--structured", "--timeout", "600"]);
            let arguments = json!({"targets": [question.text], "budget": budget});
            let asked = json!({"name": "context", "arguments": arguments});
            let answer = client.request("tools/call", asked)["result"].clone();
            let data = &answer["structuredContent"]["data"];
            self.source[number] += shown_share(data, question);
            let page = answer["content"][0]["text"].as_str().unwrap_or_default();
            self.characters[number] += f64::from(u32::try_from(page.len()).unwrap_or(u32::MAX));
            ranks = (file_rank(data, question), symbol_rank(data, question));
        }
        self.questions += 1.0;
        for (at, first) in [1, 3, 5].into_iter().enumerate() {
            self.files[at] += f64::from(u8::from(ranks.0.is_some_and(|rank| rank < first)));
        }
        if !question.symbols.is_empty() {
            self.with_symbols += 1.0;
            self.symbols += f64::from(u8::from(ranks.1.is_some_and(|rank| rank < 5)));
        }
        if show {
            let text = |rank: Option<usize>| rank.map_or("-".into(), |rank| (rank + 1).to_string());
            let (file, symbol) = (text(ranks.0), text(ranks.1));
            run::print(&format!("  {}: file {file}, symbol {symbol}\n", question.id));
        }
    }

    fn text(&self) -> String {
        let share = |sum: f64, of: f64| format!("{:.1}", 100.0 * sum / of.max(1.0));
        let files: Vec<String> = self.files.iter().map(|sum| share(*sum, self.questions)).collect();
        let source: Vec<String> =
            self.source.iter().map(|sum| share(*sum, self.questions)).collect();
        let characters: Vec<String> = self
            .characters
            .iter()
            .map(|sum| format!("{:.0}", sum / self.questions.max(1.0)))
            .collect();
        format!(
            "file at 1 / 3 / 5: {}; symbol at 5: {}; gold source at 1,200 / 4,000 tokens: {}; \
             characters: {}",
            files.join(" / "),
            share(self.symbols, self.with_symbols),
            source.join(" / "),
            characters.join(" / ")
        )
    }
}

fn list<'v>(data: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    data[name].as_array().into_iter().flatten()
}

fn file_rank(data: &Value, question: &RetrievalQuestion) -> Option<usize> {
    let path = |place: &Value| {
        let node = place["node"].as_str().unwrap_or_default();
        node.split_once(':').map_or(node.to_owned(), |(_, path)| path.to_owned())
    };
    list(data, "places").position(|place| question.files.contains(&path(place)))
}

/// A symbol counts as found by its file and its own name: languages nest names differently.
fn symbol_rank(data: &Value, question: &RetrievalQuestion) -> Option<usize> {
    let own =
        |name: &str| name.rsplit('.').next().unwrap_or(name).trim_end_matches("()").to_owned();
    let gold: BTreeSet<(String, String)> = question
        .symbols
        .iter()
        .filter_map(|symbol| symbol.split_once('#'))
        .map(|(path, name)| (path.to_owned(), own(name)))
        .collect();
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    list(&data["answer"], "symbols")
        .position(|one| gold.contains(&(text(one, "path"), own(&text(one, "name")))))
}

/// The share of the gold lines that the answer shows.
fn shown_share(data: &Value, question: &RetrievalQuestion) -> f64 {
    let mut lines: BTreeSet<(&str, u64)> = BTreeSet::new();
    for symbol in list(&data["answer"], "symbols") {
        let path = symbol["path"].as_str().unwrap_or_default();
        for part in list(symbol, "source") {
            let end = |name: &str| part[name].as_u64().unwrap_or_default();
            lines.extend((end("first_line")..=end("last_line")).map(|line| (path, line)));
        }
    }
    let gold: BTreeSet<(&str, u64)> = question
        .spans
        .iter()
        .flat_map(|(path, first, last)| {
            (*first..=*last).map(move |line| (path.as_str(), u64::from(line)))
        })
        .collect();
    let found = gold.intersection(&lines).count();
    let part = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    part(found) / part(gold.len()).max(1.0)
}
