//! Rule: relative links of documents and cards lead to an existing file or folder.

use std::collections::BTreeMap;

use base::{Hint, NextCall, RepoPath, Result};
use syntax::edit::replace_link_destinations;

use super::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::areas::files::{dead_links, link_target};
use crate::view::View;

pub(crate) const LINK_DEAD: VerifyRule = VerifyRule {
    code: "LINK_DEAD",
    severity: RuleSeverity::Warning,
    statement: "relative links of Markdown documents and cards lead to a file or folder",
    check,
};

/// Suffixes that site generators add to the target of a link.
const PAGE_SUFFIXES: [&str; 4] = [".md", ".mdx", "/index.md", "/README.md"];

fn check(view: &View, _: &RuleScope) -> Result<Vec<RuleViolation>> {
    let mut dead: BTreeMap<RepoPath, BTreeMap<RepoPath, u32>> = BTreeMap::new();
    for (from, to, line) in dead_links(view)? {
        if !target_exists(view, &to) {
            dead.entry(from).or_default().insert(to, line);
        }
    }
    let mut found = Vec::new();
    for (from, links) in dead {
        view.call().check_stopped()?;
        for (to, line) in links.iter().filter(|(to, _)| has_relative_link(view, &from, to)) {
            found.push(RuleViolation {
                path: Some(from.clone()),
                line: Some(*line),
                node: None,
                message: format!("the link to {to} is broken"),
                fix: Hint::call(
                    "correct the link; if its target was moved, run",
                    NextCall::new("fix"),
                ),
            });
        }
    }
    Ok(found)
}

/// Whether a path outside the index exists, as ignored files do, or is the address of an existing
/// page.
fn target_exists(view: &View, to: &RepoPath) -> bool {
    let is_there = |path: &RepoPath| view.tree().stat_if_reachable(path).is_some();
    let name = to.to_string();
    let stem = name.strip_suffix(".html").unwrap_or(&name);
    let page = |ending: &&str| format!("{stem}{ending}").parse().is_ok_and(|page| is_there(&page));
    is_there(to) || PAGE_SUFFIXES.iter().any(page)
}

/// Whether a document has a relative link to a path. Links that start with `/` depend on the site,
/// and links with braces are templates, so neither counts.
fn has_relative_link(view: &View, from: &RepoPath, to: &RepoPath) -> bool {
    let Ok(Some(blob)) = view.tree().read(from) else { return false };
    let Ok(text) = std::str::from_utf8(&blob.bytes) else { return false };
    let mut is_written = false;
    replace_link_destinations(text, |target| {
        let is_plain = !target.starts_with('/') && !target.contains(['{', '}']);
        is_written |= is_plain && link_target(from, target).as_ref() == Some(to);
        None
    });
    is_written
}
