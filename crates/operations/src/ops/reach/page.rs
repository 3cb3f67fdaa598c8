//! Renders the answer of `impact` and `deps`: callers under their files, then what is further away.

use std::collections::BTreeMap;

use base::words::{counted, plural};
use base::{EntityRef, RepoPath};

use super::{ReachAnswer, ReachRow};
use crate::answers::test_finder::{SEARCH_METHODS, TestFile};
use engine::contract::answer::Paging;
use engine::contract::page::{Page, PageCell, Render};
use engine::graph::Confidence;
use engine::graph::walk::WalkKind;

/// How many nodes with a high fan-out a page names.
const MAX_HIGH_FAN_OUT: usize = 3;

/// How many test files and documents a page names.
const MAX_NAMED: usize = 5;

impl Render for ReachAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(self.first_line());
        let near: Vec<&ReachRow> = self.rows.iter().filter(|row| row.distance == 1).collect();
        let (code, other): (Vec<&ReachRow>, Vec<&ReachRow>) =
            near.into_iter().partition(|row| is_code(row));
        self.render_near(page, &code);
        for row in other {
            let how = format!("{}{}", row.edge, confidence_note(row));
            page.table(0, vec![vec![PageCell::handle(&row.node), PageCell::faint(how)]]);
        }
        self.render_far(page);
        self.paging.render_rest(page, self.rows.len());
        self.render_rest(page);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

impl ReachAnswer {
    fn is_impact(&self) -> bool {
        self.walk_kind == Some(WalkKind::Impact)
    }

    fn first_line(&self) -> String {
        let name = self.target.short_handle();
        let Some(direct) = &self.direct else { return self.counted_line(&name) };
        let packages = match direct.in_other_packages {
            0 => String::new(),
            count => {
                let packages = counted(direct.other_packages.len(), "other package");
                format!(", {count} of them in {packages}")
            }
        };
        let mut parts = match direct.symbols {
            0 => vec![format!("No caller of {name} found")],
            symbols => {
                let callers = counted(symbols, "caller");
                vec![format!("{name}: {callers} in {}{packages}", counted(direct.files, "file"))]
            }
        };
        parts.push(match self.tests.len() {
            0 => "no test found".to_owned(),
            1 => "1 test file reaches it".to_owned(),
            count => format!("{count} test files reach it"),
        });
        if self.only_importing > 0 {
            let files = counted(self.only_importing, "file");
            let verb = if self.only_importing == 1 { "imports" } else { "import" };
            parts.push(format!("{files} only {verb} its file"));
        }
        parts.join("; ")
    }

    /// The first line for nodes without callers, such as files: what was reached, by kind.
    fn counted_line(&self, name: &str) -> String {
        let verb = if self.is_impact() { "reaches" } else { "depends on" };
        if self.reached.is_empty() {
            let importing = match self.only_importing {
                0 => String::new(),
                count => format!("; {} import it", counted(count, "file")),
            };
            return format!("{name} {verb} nothing known (depth {}){importing}", self.depth);
        }
        let part = |(kind, count): (&String, &usize)| match *count {
            1 => format!("1 {}", kind_noun(kind)),
            count => format!("{count} {}", plural(kind_noun(kind))),
        };
        let parts: Vec<String> = self.reached.iter().map(part).collect();
        let least = if self.is_cut { "at least " } else { "" };
        format!("{name} {verb} {least}{} (depth {})", parts.join(", "), self.depth)
    }

    /// Direct uses under their files, each with its line and the nodes of the next hop.
    fn render_near(&self, page: &mut Page, rows: &[&ReachRow]) {
        for (path, rows) in by_file(rows) {
            page.say(path);
            for row in rows {
                let line = row.line.map(|line| line.to_string()).unwrap_or_default();
                let mut cells = vec![PageCell::text(short_name(&row.node)), PageCell::faint(line)];
                let how = match row.edge {
                    "calls" => confidence_note(row).trim_start_matches(", ").to_owned(),
                    edge => format!("{edge}{}", confidence_note(row)),
                };
                let next = match (row.next.as_slice(), self.is_impact()) {
                    ([], _) => String::new(),
                    (next, true) => format!("<- {}{}", next.join(", "), more_text(row)),
                    (next, false) => format!("-> {}{}", next.join(", "), more_text(row)),
                };
                let rest = [how, next].into_iter().filter(|part| !part.is_empty());
                let rest: Vec<String> = rest.collect();
                cells.push(PageCell::faint(rest.join("  ")));
                page.table(2, vec![cells]);
            }
        }
    }

    /// What is further away, one line per file.
    fn render_far(&self, page: &mut Page) {
        let far: Vec<&ReachRow> = self.rows.iter().filter(|row| row.distance > 1).collect();
        let mut distances: Vec<usize> = far.iter().map(|row| row.distance).collect();
        distances.dedup();
        for distance in distances {
            page.heading(format!("{distance} hops away"));
            let rows: Vec<&ReachRow> =
                far.iter().filter(|row| row.distance == distance).copied().collect();
            let (code, other): (Vec<&ReachRow>, Vec<&ReachRow>) =
                rows.into_iter().partition(|row| is_code(row));
            for (path, rows) in by_file(&code) {
                let names: Vec<String> = rows.iter().map(|row| short_name(&row.node)).collect();
                page.table(2, vec![vec![PageCell::text(path), PageCell::faint(names.join(", "))]]);
            }
            for row in other {
                page.table(2, vec![vec![PageCell::handle(&row.node), PageCell::faint(row.edge)]]);
            }
        }
    }

    fn render_rest(&self, page: &mut Page) {
        if self.direct.is_some() {
            page.blank();
            self.render_tests(page);
        }
        if !self.documents.is_empty() {
            let names = self.documents.iter().take(MAX_NAMED).map(ToString::to_string);
            let names: Vec<String> = names.collect();
            page.item(
                "Named in",
                format!("{}{}", names.join(", "), and_more(self.documents.len())),
            );
        }
        if self.only_importing > 0 {
            let all = page.answered_call().with("imports", true).without("offset");
            let files = counted(self.only_importing, "file");
            page.say_call(format!("Not followed: imports in {files}"), all);
        }
        for crowded in self.high_fan_out.iter().take(MAX_HIGH_FAN_OUT) {
            let text = format!("High fan-out: {} connections", crowded.connections);
            page.say_handle(text, crowded.node.short_handle());
        }
        if self.not_followed > 0 {
            let wider = page.answered_call().with("confidence", "name").without("offset");
            page.say_call(not_followed_text(self.not_followed, self.is_cut), wider);
        }
        match self.by.as_ref().map(|by| (by, by.name())) {
            Some((_, Some(name))) => page.item("Calls from", name),
            Some((by, None)) => by.render_as(page, "Calls from the index"),
            None => {}
        }
        self.notes.iter().for_each(|note| page.say(note));
    }

    fn render_tests(&self, page: &mut Page) {
        if self.tests.is_empty() {
            page.item("Tests to run", format!("none found ({SEARCH_METHODS})"));
            return;
        }
        page.say(format!("Tests to run{}", and_more(self.tests.len())));
        let row = |test: &TestFile| {
            vec![PageCell::handle(&test.path), PageCell::faint(test.found_by_text())]
        };
        page.table(2, self.tests.iter().take(MAX_NAMED).map(row).collect());
    }
}

fn is_code(row: &ReachRow) -> bool {
    matches!(row.node, EntityRef::Symbol(..) | EntityRef::Module(_))
}

/// Rows by their file, in the order in which the files first appear.
fn by_file<'a>(rows: &[&'a ReachRow]) -> Vec<(&'a RepoPath, Vec<&'a ReachRow>)> {
    let mut order: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    let mut files: Vec<(&RepoPath, Vec<&ReachRow>)> = Vec::new();
    for row in rows {
        let Some(path) = row.node.path() else { continue };
        let at = *order.entry(path).or_insert(files.len());
        if at == files.len() {
            files.push((path, Vec::new()));
        }
        files[at].1.push(row);
    }
    for (_, rows) in &mut files {
        rows.sort_by_key(|row| row.line);
    }
    files
}

/// How many more there are than the page names.
fn and_more(count: usize) -> String {
    count
        .checked_sub(MAX_NAMED)
        .filter(|more| *more > 0)
        .map_or(String::new(), |more| format!(" (+{more})"))
}

fn more_text(row: &ReachRow) -> String {
    match row.leads_on - row.next.len().min(row.leads_on) {
        0 => String::new(),
        more => format!(" (+{more})"),
    }
}

fn confidence_note(row: &ReachRow) -> &'static str {
    match row.confidence {
        Confidence::Exact => "",
        Confidence::Inferred => ", inferred",
        Confidence::Name => ", by name only",
    }
}

/// A node under its file: its nested name, or what it is.
pub(super) fn short_name(node: &EntityRef) -> String {
    match node {
        EntityRef::Symbol(_, name) => name.to_string(),
        EntityRef::Module(_) => "top level".into(),
        node => node.to_string(),
    }
}

/// The noun for nodes of a kind in a sentence.
fn kind_noun(kind: &str) -> &str {
    match kind {
        "dir" => "folder",
        "kb" => "knowledge entity",
        kind => kind,
    }
}

fn not_followed_text(count: usize, is_cut: bool) -> String {
    let least = if is_cut { "at least " } else { "" };
    let calls = counted(count, "call");
    format!("Not followed: {least}{calls} by name only, on values of unknown type")
}
