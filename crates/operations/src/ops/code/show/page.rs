//! Renders the answer of `code.show`.

use std::collections::BTreeMap;

use base::NextCall;
use base::words::counted;

use super::{CodeShowAnswer, CodeShowPart, CodeUse};
use crate::answers::source::omitted_lines_text;
use crate::answers::test_finder::SEARCH_METHODS;
use engine::contract::page::{Page, PageCell, Render};

/// How many callers one line names.
const MAX_NAMED_CALLERS: usize = 3;

/// How many callers, callees and tests are listed.
const MAX_LISTED: usize = 20;

impl Render for CodeShowAnswer {
    fn render(&self, page: &mut Page) {
        let mut path = None;
        for part in &self.parts {
            if path != Some(&part.path) {
                page.heading(&part.path);
                path = Some(&part.path);
            }
            let first = part.source.first_line;
            render_fold(page, first.saturating_sub(part.folded_before), part.folded_before);
            page.source(&part.source.text, first);
            render_fold(page, part.source.last_line + 1, part.folded_after);
            part.render_rest(page);
        }
        let folded: u32 =
            self.parts.iter().map(|part| part.folded_before + part.folded_after).sum();
        if folded > 0 {
            let text =
                format!("{} folded; name a range as path:10-40, or", counted(folded, "line"));
            page.say_call(text, page.answered_call().with("whole", true).without("about"));
        }
    }
}

/// The numbers of lines that are not shown.
fn render_fold(page: &mut Page, first: u32, lines: u32) {
    match lines {
        0 => {}
        1 => page.say(format!("  … {first}")),
        lines => page.say(format!("  … {first}-{}", first + lines - 1)),
    }
}

impl CodeShowPart {
    fn render_rest(&self, page: &mut Page) {
        if self.lines_cut > 0 {
            let first = self.source.last_line + 1;
            let rest = format!("{}:{first}-{}", self.path, self.source.last_line + self.lines_cut);
            let next = NextCall::new("code.show").with("targets", vec![rest]);
            page.say_call(omitted_lines_text(self.lines_cut), next);
        }
        if let Some(callers) = &self.callers {
            self.render_callers(callers, page);
        }
        if let Some(callees) = &self.callees {
            render_uses(page, "calls", callees);
        }
        if let Some(tests) = &self.tests {
            match tests.is_empty() {
                true => page.say(format!("No test found ({SEARCH_METHODS})")),
                false => page.say("tests"),
            }
            let row = |test: &crate::answers::test_finder::TestFile| {
                vec![PageCell::handle(&test.path), PageCell::faint(test.found_by_text())]
            };
            page.table(2, tests.iter().take(MAX_LISTED).map(row).collect());
        }
        if let Some(history) = &self.history {
            match history.is_empty() {
                true => page.say("No commit found that changed it"),
                false => page.say("history"),
            }
            let row = |commit: &super::SymbolCommit| {
                let cells = [&commit.commit, &commit.date, &commit.subject];
                cells.map(PageCell::text).into_iter().collect()
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
            render_by_file(page, code.into_iter().chain(tests));
            return;
        }
        let code: Vec<&CodeUse> = callers.iter().filter(|one| !one.is_test).collect();
        let tests = callers.len() - code.len();
        let place = |one: &&CodeUse| {
            let name = if one.symbol.is_empty() { "top level" } else { &one.symbol };
            match one.path == self.path {
                true => format!("{name} {}", one.line),
                false => format!("{name} ({}:{})", one.path, one.line),
            }
        };
        let mut named: Vec<String> = code.iter().take(MAX_NAMED_CALLERS).map(place).collect();
        if code.len() > MAX_NAMED_CALLERS {
            named.push(format!("{} more", code.len() - MAX_NAMED_CALLERS));
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

/// Rows under a heading; a note if there are none.
fn render_uses(page: &mut Page, title: &str, all: &[CodeUse]) {
    if all.is_empty() {
        page.say(format!("{title}: none known in this repository"));
        return;
    }
    page.say(title);
    render_by_file(page, all.iter());
}

/// Uses grouped under their files, in the order in which the files first appear.
fn render_by_file<'a>(page: &mut Page, all: impl Iterator<Item = &'a CodeUse>) {
    let all: Vec<&CodeUse> = all.collect();
    let mut order: BTreeMap<&base::RepoPath, usize> = BTreeMap::new();
    for one in &all {
        let next = order.len();
        order.entry(&one.path).or_insert(next);
    }
    let mut shown: Vec<&&CodeUse> = all.iter().take(MAX_LISTED).collect();
    shown.sort_by_key(|one| (order[&one.path], one.line));
    let mut path = None;
    for one in shown {
        if path != Some(&one.path) {
            page.say(format!("  {}", one.path));
            path = Some(&one.path);
        }
        let name = if one.symbol.is_empty() { "top level" } else { &one.symbol };
        let row = vec![PageCell::faint(one.line), PageCell::text(name), PageCell::faint(&one.text)];
        page.table(4, vec![row]);
    }
    if let Some(more) = all.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        page.say(format!("  … {more} more"));
    }
}
