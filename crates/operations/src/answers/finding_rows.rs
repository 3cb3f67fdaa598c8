//! Findings of rules and reviews as rows under their files: a path is printed once.

use base::{Hint, RepoPath};
use engine::contract::page::{Page, PageCell};
use engine::rules::{RuleFinding, RuleSeverity};

/// Which part of a finding its row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FindingDetail {
    /// What is wrong, and for errors what to do about it
    Brief,
    /// What is wrong, and what to do about it
    Full,
}

/// Renders findings under the files they are in, in the order in which the files first appear.
pub(crate) fn render_findings(
    page: &mut Page,
    indent: usize,
    findings: &[&RuleFinding],
    detail: FindingDetail,
) {
    let mut groups: Vec<(String, Vec<&RuleFinding>)> = Vec::new();
    for finding in findings {
        let place = group_of(finding);
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, group)) => group.push(finding),
            None => groups.push((place, vec![finding])),
        }
    }
    for (place, group) in groups {
        page.table(indent, vec![vec![PageCell::handle(place)]]);
        page.table(indent + 2, group.into_iter().map(|one| cells(one, detail)).collect());
    }
}

/// The file that a finding is in, or the node that it is about.
fn group_of(finding: &RuleFinding) -> String {
    match (&finding.path, &finding.node) {
        (Some(path), _) => path.to_string(),
        (None, Some(node)) => node.to_string(),
        (None, None) => "(repository)".to_owned(),
    }
}

fn cells(finding: &RuleFinding, detail: FindingDetail) -> Vec<PageCell> {
    let severity = match finding.severity {
        RuleSeverity::Error => PageCell::bad("error"),
        other => PageCell::faint(other.as_str()),
    };
    let is_full = detail == FindingDetail::Full || finding.severity == RuleSeverity::Error;
    let (text, call) = match is_full {
        true => (format!("{}; {}", finding.message, finding.fix.text), finding.fix.call.clone()),
        false => (finding.message.clone(), None),
    };
    let text = match &finding.path {
        Some(path) => without_own_path(&text, path),
        None => text,
    };
    let mut row = vec![severity, PageCell::text(finding.code)];
    row.extend(finding.line.map(|line| PageCell::faint(format!("line {line}"))));
    row.extend(PageCell::hint_cells(&Hint { text, call }));
    row
}

/// A text under the heading of a file, without the name of that file: `src/a.ts#run` becomes `run`, and `src/a.ts:7`
/// becomes `line 7`. Calls between back-ticks stay as they are: a bare name may mean several symbols.
pub(crate) fn without_own_path(text: &str, path: &RepoPath) -> String {
    let shorten = |(at, part): (usize, &str)| match at % 2 {
        0 => prose_without_path(part, path),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(shorten).collect::<Vec<String>>().join("`")
}

fn prose_without_path(text: &str, path: &RepoPath) -> String {
    let path = path.to_string();
    let is_part_of_path = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(path.as_str()) {
        let (before, after) = (&rest[..at], &rest[at + path.len()..]);
        let is_whole =
            !before.ends_with(is_part_of_path) && (at > 0 || !shown.ends_with(is_part_of_path));
        let is_line = after
            .strip_prefix(':')
            .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
        let ends = after.is_empty() || after.starts_with([';', ',']);
        if is_whole && after.starts_with('#') {
            shown.push_str(before.strip_suffix("symbol:").unwrap_or(before));
            rest = &after[1..];
        } else if is_whole && is_line {
            shown.push_str(before);
            shown.push_str("line ");
            rest = &after[1..];
        } else if is_whole && ends && before.ends_with(" in ") {
            shown.push_str(before.trim_end_matches(" in "));
            rest = after;
        } else {
            shown.push_str(before);
            shown.push_str(&path);
            rest = after;
        }
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_own_path_is_left_out() {
        let path: RepoPath = "a.ts".parse().unwrap();
        let shown = |text: &str| without_own_path(text, &path);
        assert_eq!(shown("a.ts#run and src/a.ts#run"), "run and src/a.ts#run");
        assert_eq!(
            shown("a.ts#run changed; `confirm a.ts#run`"),
            "run changed; `confirm a.ts#run`"
        );
        assert_eq!(shown("the link of symbol:a.ts#run"), "the link of run");
        assert_eq!(shown("a.ts:7 uses x"), "line 7 uses x");
        assert_eq!(shown("remove it in a.ts; a.ts changed"), "remove it; a.ts changed");
        assert_eq!(shown("a.tsx#run"), "a.tsx#run");
    }
}
