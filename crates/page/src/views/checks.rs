//! What `verify` finds.

use base::Result;
use base::words::counted;
use engine::contract::page::Render;
use engine::rules::{RuleFinding, RuleSeverity};
use maud::{Markup, html};
use operations::ops::typed::Verify;
use serde_json::json;

use crate::asker::{Asker, NodeNames};
use crate::components::{self, Tone, badge, heading};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::routes::{ViewContext, ViewResult};

/// Every finding of every check.
pub(crate) fn checks(context: &ViewContext<'_>) -> Result<ViewResult> {
    let offset = context.request.number("offset").unwrap_or(0);
    let answer = context.asker.ask::<Verify>(json!({"limit": 100, "offset": offset}))?;
    let lead = format!(
        "{} and {} of {} in {}",
        counted(answer.errors, "error"),
        counted(answer.warnings, "warning"),
        counted(answer.rules, "check"),
        counted(answer.files, "file")
    );
    let names = names(&context.asker, &answer.findings)?;
    let body = html! {
        (heading(html! { "Checks" }, &lead))
        @if answer.findings.is_empty() {
            (components::calm("Nothing was found: every check passes."))
        } @else { (findings(&answer.findings, &names)) }
        (components::pager(context.request, answer.paging(), answer.findings.len()))
    };
    let crumbs = vec![Crumb::to("Overview", "/"), Crumb::here("Checks")];
    Ok(Screen::new(NavSection::Overview, "Checks", body).at(crumbs).into())
}

/// The names of the nodes that findings are about.
pub(crate) fn names(asker: &Asker<'_>, findings: &[RuleFinding]) -> Result<NodeNames> {
    asker.names(findings.iter().filter_map(|finding| finding.node.as_ref()))
}

/// Findings as a table.
pub(crate) fn findings(found: &[RuleFinding], names: &NodeNames) -> Markup {
    html! {
        div.scroll {
            table.stack {
                thead { tr { th.fit { "Severity" } th { "Finding" } th.wide { "Place" } } }
                tbody {
                    @for finding in found {
                        tr {
                            td.fit { (severity(finding.severity)) }
                            td {
                                (components::with_code(&finding.message))
                                span.why { code { (finding.code) } " · " (components::with_code(&finding.fix.text)) @if let Some(call) = &finding.fix.call { " " (components::command(call)) } }
                            }
                            td { (place(finding, names)) }
                        }
                    }
                }
            }
        }
    }
}

/// Findings as a list, for a narrow part of a view: what and where, without the fix.
pub(crate) fn short_findings(found: &[RuleFinding], names: &NodeNames) -> Markup {
    let found = found.iter().filter(|finding| finding.severity != RuleSeverity::Note);
    html! {
        ul.list {
            @for finding in found {
                li {
                    (severity(finding.severity)) " " (components::with_code(&finding.message))
                    span.excerpt { (place(finding, names)) }
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

fn place(finding: &RuleFinding, names: &NodeNames) -> Markup {
    html! {
        @match (&finding.node, &finding.path, finding.line) {
            (Some(node), _, _) => (components::named_link(node, names)),
            (None, Some(path), Some(line)) => a.path href=(links::line(path, line)) { (components::breakable(&path.to_string())) ":" (line) },
            (None, Some(path), None) => (components::path_link(path)),
            (None, None, _) => {},
        }
    }
}
