//! What `verify` finds.

use base::Result;
use engine::contract::page::Render;
use engine::rules::{RuleFinding, RuleSeverity};
use maud::{Markup, html};
use operations::ops::typed::Verify;
use serde_json::json;

use crate::components::{self, Tone, badge, heading};
use crate::layout::{Crumb, Screen, Section};
use crate::links;
use crate::routes::{Shown, ViewContext};

/// Every finding of every check.
pub(crate) fn checks(context: &ViewContext<'_>) -> Result<Shown> {
    let offset = context.request.number("offset").unwrap_or(0);
    let answer = context.asker.ask::<Verify>(json!({"limit": 100, "offset": offset}))?;
    let lead = format!(
        "{} errors and {} warnings of {} checks in {} files",
        answer.errors, answer.warnings, answer.rules, answer.files
    );
    let body = html! {
        (heading(html! { "Checks" }, &lead))
        @if answer.findings.is_empty() {
            (components::empty("Nothing was found: every check passes.", None))
        } @else { (findings(answer.findings.iter())) }
        (components::pager(context.request, answer.paging(), answer.findings.len()))
    };
    let crumbs = vec![Crumb::to("Overview", "/"), Crumb::here("Checks")];
    Ok(Screen::new(Section::Overview, "Checks", body).at(crumbs).into())
}

/// Findings as a table.
pub(crate) fn findings<'a>(found: impl Iterator<Item = &'a RuleFinding>) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th.fit { "Severity" } th { "Finding" } th { "Place" } } }
                tbody {
                    @for finding in found {
                        tr {
                            td.fit { (severity(finding.severity)) }
                            td {
                                (components::with_code(&finding.message))
                                span.why { code { (finding.code) } " · " (components::with_code(&finding.fix)) }
                            }
                            td { (place(finding)) }
                        }
                    }
                }
            }
        }
    }
}

fn severity(severity: RuleSeverity) -> Markup {
    match severity {
        RuleSeverity::Error => badge("error", Tone::Bad),
        RuleSeverity::Warning => badge("warning", Tone::Warn),
        RuleSeverity::Note => badge("note", Tone::Neutral),
    }
}

fn place(finding: &RuleFinding) -> Markup {
    html! {
        @match (&finding.node, &finding.path, finding.line) {
            (Some(node), _, _) => (components::node_link(node)),
            (None, Some(path), Some(line)) => a.path href=(links::line(path, line)) { (path) ":" (line) },
            (None, Some(path), None) => (components::path_link(path)),
            (None, None, _) => {},
        }
    }
}
