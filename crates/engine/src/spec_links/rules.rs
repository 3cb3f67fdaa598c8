//! Rules: confirmed links are still valid.

use base::{EntityRef, Hint, NextCall, RepoPath, Result};
use cards::CardStatus;
use serde_json::json;

use super::content::EndReader;
use super::graph::SpecLink;
use super::matrix::trace_matrix;
use super::state::{LinkState, LinkStatus, spec_links};
use crate::areas::kb::kb_state;
use crate::rules::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::view::View;

/// The rules of links. A spec that is in force makes a suspect link an error; one that is still
/// being written or built makes it a warning; links of one that is no longer in force are not
/// checked.
pub(crate) static RULES: &[VerifyRule] = &[
    VerifyRule {
        code: "LINK_SUSPECT",
        severity: RuleSeverity::Error,
        statement: "code and a spec in force agree as they did when somebody confirmed it",
        check: |view, _| suspects(view, SpecForce::InForce),
    },
    VerifyRule {
        code: "LINK_SUSPECT_UNFINISHED",
        severity: RuleSeverity::Warning,
        statement: "code and an unfinished spec agree as they did when somebody confirmed it",
        check: |view, _| suspects(view, SpecForce::Unfinished),
    },
    VerifyRule {
        code: "LINK_NOT_CHECKED",
        severity: RuleSeverity::Warning,
        statement: "the confirmed state of a link can be compared with the present one",
        check: |view, _| not_checked(view),
    },
    VerifyRule {
        code: "CONFIRMATION_UNREADABLE",
        severity: RuleSeverity::Error,
        statement: "every file in .cairn/links is a confirmation",
        check: |view, _: &RuleScope| unreadable(view),
    },
    VerifyRule {
        code: "CONFIRMATION_ABANDONED",
        severity: RuleSeverity::Warning,
        statement: "every confirmation is of a link that exists",
        check: |view, _| abandoned(view),
    },
    VerifyRule {
        code: GAP_RULE,
        severity: RuleSeverity::Note,
        statement: "finished requirements and cards have the code and tests that their status requires",
        check: |view, _| gaps(view),
    },
];

/// The rule that fails if the traceability matrix has gaps.
pub const GAP_RULE: &str = "TRACE_GAP";

fn gaps(view: &View) -> Result<Vec<RuleViolation>> {
    let mut found = Vec::new();
    for row in trace_matrix(view)? {
        if row.gaps.is_empty() {
            continue;
        }
        let gaps: Vec<&str> = row.gaps.iter().map(|gap| gap.word()).collect();
        found.push(RuleViolation {
            path: row.path,
            line: Some(row.line),
            message: format!("{} ({}) has {}", row.node, row.status, gaps.join(" and ")),
            fix: gap_fix(&row.node),
            node: Some(row.node),
        });
    }
    Ok(found)
}

/// How to link what is missing.
fn gap_fix(node: &EntityRef) -> Hint {
    match node {
        EntityRef::Kb(id) => Hint::from(format!(
            "say `implements {id}` in the doc comment of its code, name scenarios and tests in its `specified_by` and \
             `verified_by`, or change the status"
        )),
        _ => Hint::call(
            "write a test, or change the status; link the code that does it with",
            NextCall::new("link.add").with("targets", json!(["…"])).with("card", short(node)),
        ),
    }
}

/// Whether a spec is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpecForce {
    InForce,
    Unfinished,
    Past,
}

fn suspects(view: &View, wanted: SpecForce) -> Result<Vec<RuleViolation>> {
    let known = spec_links(view)?;
    if known.has_no_confirmations() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for status in known.all_statuses(view)? {
        if status.state == LinkState::Suspect && force_of(view, &status.link)? == wanted {
            found.push(suspect(view, status)?);
        }
    }
    Ok(found)
}

fn suspect(view: &View, status: &LinkStatus) -> Result<RuleViolation> {
    let record = status.confirmation.as_ref().map(|stored| &stored.record);
    let when = record.map(|record| {
        let day = record.at.get(..10).unwrap_or(&record.at).to_owned();
        format!("{} by {}", day, record.by)
    });
    let SpecLink { from, to, .. } = &status.link;
    let (what, changed) = match status.changed.as_slice() {
        [_, _] => (format!("{from} and {to} changed"), from),
        [one] => (format!("{one} changed"), one),
        _ => ("the ends changed".into(), from),
    };
    let other = if changed == from { to } else { from };
    let message = match status.changed.len() {
        2 => format!("{what} since their link was confirmed on {}", when.unwrap_or_default()),
        _ => format!(
            "{what} since its link to {other} was confirmed on {}",
            when.unwrap_or_default()
        ),
    };
    let (path, line) = place(view, changed)?;
    let fix = Hint::call("check that they still agree, then", confirm_call(changed, other));
    Ok(RuleViolation { path, line, node: Some(changed.clone()), message, fix })
}

/// The call that confirms one link.
fn confirm_call(target: &EntityRef, other: &EntityRef) -> NextCall {
    NextCall::new("confirm")
        .with("targets", json!([short(target)]))
        .with("with", short(other))
        .with("why", "…")
}

/// A handle as people write it.
fn short(node: &EntityRef) -> String {
    let text = node.to_string();
    match node {
        EntityRef::Symbol(..) | EntityRef::Module(_) | EntityRef::File(_) => {
            text.split_once(':').map_or(text.clone(), |(_, rest)| rest.to_owned())
        }
        _ => text,
    }
}

fn not_checked(view: &View) -> Result<Vec<RuleViolation>> {
    let known = spec_links(view)?;
    if known.has_no_confirmations() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for status in known.all_statuses(view)? {
        if status.state != LinkState::NotChecked {
            continue;
        }
        let SpecLink { from, to, .. } = &status.link;
        let reason = status.reason.clone().unwrap_or_default();
        let path = status.confirmation.as_ref().map(|stored| stored.path.clone());
        found.push(RuleViolation {
            path,
            line: Some(1),
            node: Some(from.clone()),
            message: format!("the link of {from} to {to} cannot be compared: {reason}"),
            fix: Hint::call("check that they agree, then", confirm_call(from, to)),
        });
    }
    Ok(found)
}

fn unreadable(view: &View) -> Result<Vec<RuleViolation>> {
    let known = spec_links(view)?;
    let violation = |(path, why): &(RepoPath, String)| RuleViolation {
        path: Some(path.clone()),
        line: Some(1),
        node: None,
        message: format!("not a confirmation: {why}"),
        fix: "correct it by hand, or delete the file and confirm the link again".into(),
    };
    Ok(known.unreadable.iter().map(violation).collect())
}

fn abandoned(view: &View) -> Result<Vec<RuleViolation>> {
    let known = spec_links(view)?;
    let violation = |stored: &&super::StoredConfirmation| RuleViolation {
        path: Some(stored.path.clone()),
        line: Some(1),
        node: None,
        message: format!(
            "{} no longer has the link `{}` to {}",
            stored.record.link.from, stored.record.link.kind, stored.record.link.to
        ),
        fix: "delete the file".into(),
    };
    Ok(known.abandoned(view)?.iter().map(violation).collect())
}

/// Whether the spec of a link is in force.
fn force_of(view: &View, link: &SpecLink) -> Result<SpecForce> {
    Ok(match link.spec_end() {
        EntityRef::Card(key) => {
            match cards::card_by_key(view.index()?.conn(), key.as_str())?.map(|card| card.status) {
                Some(CardStatus::Implemented) => SpecForce::InForce,
                Some(CardStatus::Deprecated) => SpecForce::Past,
                _ => SpecForce::Unfinished,
            }
        }
        EntityRef::Kb(id) => {
            let known = kb_state(view)?;
            let status = known.model.get(id.as_str()).map(|fact| fact.entity.status.clone());
            match status.as_deref().unwrap_or_default() {
                "closed" | "active" | "accepted" | "passing" | "failing" => SpecForce::InForce,
                "deprecated" | "superseded" | "removed" | "inactive" => SpecForce::Past,
                _ => SpecForce::Unfinished,
            }
        }
        _ => SpecForce::Unfinished,
    })
}

/// The file and line of an end.
fn place(view: &View, node: &EntityRef) -> Result<(Option<RepoPath>, Option<u32>)> {
    let path = EndReader::new(view).path_of(node)?.ok();
    let conn = view.index()?.conn();
    let line = match node {
        EntityRef::Symbol(path, name) => code::symbol(conn, path, name.as_str())?.map(|s| s.line),
        EntityRef::Card(key) => cards::card_by_key(conn, key.as_str())?.map(|card| card.lines[0]),
        EntityRef::Kb(id) => {
            let known = kb_state(view)?;
            let origin = known.model.get(id.as_str()).map(|fact| fact.origin.clone());
            origin.and_then(|origin| origin.file().map(|(_, line)| line))
        }
        _ => Some(1),
    };
    Ok((path, line))
}
