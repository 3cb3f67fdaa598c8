//! How source is shown to a reader.

use std::collections::BTreeMap;

use base::NextCall;
use base::words::counted;

use super::{CodeUse, ShownPart, ShownSource};
use crate::answers::source::more_lines;
use crate::answers::test_finder::HOW_LOOKED;
use crate::contract::page::{Cell, Page, Render};

/// Callers that one line names.
const NAMED: usize = 6;

/// Rows of callers, callees and tests that are listed.
const LISTED: usize = 20;

impl Render for ShownSource {
    fn render(&self, page: &mut Page) {
        let mut path = None;
        for part in &self.parts {
            if path != Some(&part.path) {
                page.heading(&part.path);
                path = Some(&part.path);
            }
            page.source(&part.source.text, part.source.first_line);
            part.render_rest(page);
        }
    }
}

impl ShownPart {
    fn render_rest(&self, page: &mut Page) {
        if self.lines_cut > 0 {
            let first = self.source.last_line + 1;
            let rest = format!("{}:{first}-{}", self.path, self.source.last_line + self.lines_cut);
            let next = NextCall::to("code.show").with("targets", vec![rest]);
            page.say_call(more_lines(self.lines_cut), next);
        }
        if let Some(callers) = &self.callers {
            self.render_callers(callers, page);
        }
        if let Some(callees) = &self.callees {
            uses(page, "calls", callees);
        }
        if let Some(tests) = &self.tests {
            match tests.is_empty() {
                true => page.say(format!("No test found ({HOW_LOOKED})")),
                false => page.say("tests"),
            }
            let row = |test: &crate::answers::test_finder::TestFile| {
                vec![Cell::handle(&test.path), Cell::faint(test.how())]
            };
            page.table(2, tests.iter().take(LISTED).map(row).collect());
        }
        if let Some(history) = &self.history {
            page.say("history");
            let row = |commit: &super::ShownCommit| {
                let cells = [&commit.commit, &commit.date, &commit.subject];
                cells.map(Cell::text).into_iter().collect()
            };
            page.table(2, history.iter().map(row).collect());
        }
    }

    fn render_callers(&self, callers: &[CodeUse], page: &mut Page) {
        if self.lists_callers {
            let (tests, code): (Vec<&CodeUse>, Vec<&CodeUse>) =
                callers.iter().partition(|one| one.is_test);
            page.say(format!(
                "{} and {} use it",
                counted(code.len(), "symbol"),
                counted(tests.len(), "test")
            ));
            grouped(page, code.into_iter().chain(tests));
            return;
        }
        let code: Vec<&CodeUse> = callers.iter().filter(|one| !one.is_test).collect();
        let tests = callers.len() - code.len();
        let place = |one: &&CodeUse| {
            let file = match one.path == self.path {
                true => "this file".to_owned(),
                false => one.path.to_string(),
            };
            let name = if one.symbol.is_empty() { "top level" } else { &one.symbol };
            format!("{name} {} ({file})", one.line)
        };
        let mut named: Vec<String> = code.iter().take(NAMED).map(place).collect();
        if code.len() > NAMED {
            named.push(format!("{} more", code.len() - NAMED));
        }
        let used = match named.is_empty() {
            true => "no caller found".to_owned(),
            false => format!("used by {}", named.join(", ")),
        };
        let tested = match tests {
            0 => "no test calls it directly".to_owned(),
            1 => "1 test calls it".to_owned(),
            tests => format!("{tests} tests call it"),
        };
        page.say(format!("{used} · {tested}"));
    }
}

/// Rows under a heading; nothing where there are none.
fn uses(page: &mut Page, title: &str, all: &[CodeUse]) {
    if all.is_empty() {
        page.say(format!("{title} nothing of this repository that is known"));
        return;
    }
    page.say(title);
    grouped(page, all.iter());
}

/// Uses grouped under their files, in the order in which the files first appear.
fn grouped<'a>(page: &mut Page, all: impl Iterator<Item = &'a CodeUse>) {
    let all: Vec<&CodeUse> = all.collect();
    let mut order: BTreeMap<&base::RepoPath, usize> = BTreeMap::new();
    for one in &all {
        let next = order.len();
        order.entry(&one.path).or_insert(next);
    }
    let mut shown: Vec<&&CodeUse> = all.iter().take(LISTED).collect();
    shown.sort_by_key(|one| (order[&one.path], one.line));
    let mut path = None;
    for one in shown {
        if path != Some(&one.path) {
            page.say(format!("  {}", one.path));
            path = Some(&one.path);
        }
        let name = if one.symbol.is_empty() { "top level" } else { &one.symbol };
        let row = vec![Cell::faint(one.line), Cell::text(name), Cell::faint(&one.text)];
        page.table(4, vec![row]);
    }
    if let Some(more) = all.len().checked_sub(LISTED).filter(|more| *more > 0) {
        page.say(format!("  … {more} more"));
    }
}
