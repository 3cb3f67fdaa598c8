//! Views as files of their own, for the artefacts of a build: style included, no script, no links
//! to a server.

use std::sync::Arc;

use base::{Call, Result};
use engine::contract::page::Render;
use engine::{JsonObject, Workspace};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use operations::ops::typed::{Matrix, Review};
use serde_json::{Value, json};

use crate::asker::Asker;
use crate::assets::STYLE;
use crate::components;
use crate::views;

/// How many rows are asked for at once; no operation gives more.
const ROWS_AT_ONCE: u64 = 1000;

/// An operation whose answer can be written as an HTML file.
#[derive(Clone, Copy)]
pub struct HtmlReport {
    /// The operation
    pub operation: &'static str,
    /// Makes the document from its arguments
    pub document: fn(&Workspace, Arc<Call>, JsonObject) -> Result<String>,
}

/// Every operation whose answer can be written as an HTML file.
pub const HTML_REPORTS: &[HtmlReport] = &[
    HtmlReport { operation: "review", document: review },
    HtmlReport { operation: "matrix", document: matrix },
];

fn review(workspace: &Workspace, call: Arc<Call>, mut args: JsonObject) -> Result<String> {
    let asker = Asker::new(workspace, call);
    args.insert("limit".into(), json!(ROWS_AT_ONCE));
    args.insert("offset".into(), json!(0));
    let mut answer = asker.ask::<Review>(Value::Object(args.clone()))?;
    // A file has no next page, so it has all findings.
    while answer.paging().is_some_and(|all| (answer.findings.len() as u64) < all.total) {
        args.insert("offset".into(), json!(answer.findings.len()));
        let more = asker.ask::<Review>(Value::Object(args.clone()))?.findings;
        if more.is_empty() {
            break;
        }
        answer.findings.extend(more);
    }
    let names = views::checks::names(&asker, &answer.findings)?;
    let lead = views::review::summary(&answer);
    let body = html! {
        (components::heading(html! { "Review of " (asker.repository_name()) }, &lead))
        (views::review::report(&answer, &names))
    };
    Ok(document(&asker, "Review", body))
}

fn matrix(workspace: &Workspace, call: Arc<Call>, args: JsonObject) -> Result<String> {
    matrix_document(&Asker::new(workspace, call), args)
}

/// The whole matrix as a document of its own.
pub(crate) fn matrix_document(asker: &Asker<'_>, mut args: JsonObject) -> Result<String> {
    args.insert("format".into(), json!("text"));
    args.insert("limit".into(), json!(ROWS_AT_ONCE));
    let mut rows = Vec::new();
    // A file has no next page, so it has all of them.
    loop {
        args.insert("offset".into(), json!(rows.len()));
        let answer = asker.ask::<Matrix>(Value::Object(args.clone()))?;
        let total = answer.paging().map_or(0, |paging| paging.total);
        let is_last = answer.rows.is_empty();
        rows.extend(answer.rows);
        if is_last || rows.len() as u64 >= total {
            let body = views::matrix::report(&asker.repository_name(), &answer.summary, &rows);
            return Ok(document(asker, "Traceability matrix", body));
        }
    }
}

fn document(asker: &Asker<'_>, title: &str, body: Markup) -> String {
    let made = asker.call().now.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (title) " · " (asker.repository_name()) }
                style { (PreEscaped(STYLE.body)) }
            }
            body {
                main #main { (PreEscaped(without_links(&body.into_string()))) }
                footer.basis {
                    @if let Some(basis) = asker.basis() { p { strong { "Basis " } (basis.to_string()) } }
                    p { "Made " (made) }
                }
            }
        }
    }
    .into_string()
}

/// The same markup without links to the server, which a file does not have. Our own templates
/// write every address in double quotes, and text cannot contain one unescaped.
fn without_links(markup: &str) -> String {
    const START: &str = " href=\"/";
    let mut parts = markup.split(START);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once('"').map_or("", |(_, rest)| rest));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_server_are_taken_out_of_a_file() {
        let markup = r#"<a class="path" href="/file/a.rs">a</a><a href="https://x.example">b</a>"#;
        let kept = r#"<a class="path">a</a><a href="https://x.example">b</a>"#;
        assert_eq!(without_links(markup), kept);
    }
}
