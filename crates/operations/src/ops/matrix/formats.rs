//! The matrix as CSV and as one HTML page.

use base::EntityRef;
use engine::spec_links::{LinkState, MatrixEnd, TestEvidence, TraceRow};

use super::MatrixSummary;

const COLUMNS: [&str; 11] = [
    "id",
    "title",
    "kind",
    "status",
    "priority",
    "scenarios",
    "cards",
    "code",
    "tests",
    "suspect",
    "gaps",
];

/// A handle without its prefix, the shortest form that every operation takes.
pub(super) fn short(node: &EntityRef) -> String {
    let text = node.to_string();
    match node {
        EntityRef::Card(_) => text,
        _ => text.split_once(':').map_or(text.clone(), |(_, rest)| rest.to_owned()),
    }
}

/// Comma-separated values with a header; items of a list are separated by spaces.
pub(super) fn csv(rows: &[TraceRow]) -> String {
    let mut out = COLUMNS.join(",");
    out.push('\n');
    for row in rows {
        let line: Vec<String> = values(row).iter().map(|value| csv_value(value)).collect();
        out.push_str(&line.join(","));
        out.push('\n');
    }
    out
}

fn values(row: &TraceRow) -> [String; 11] {
    let list = |ends: &[MatrixEnd]| ends.iter().map(marked).collect::<Vec<_>>().join(" ");
    let gaps: Vec<&str> = row.gaps.iter().map(|gap| gap.word()).collect();
    let cards: Vec<String> = row.cards.iter().map(short).collect();
    [
        short(&row.node),
        row.title.clone(),
        format!("{:?}", row.kind).to_lowercase(),
        row.status.clone(),
        row.priority.unwrap_or_default().to_owned(),
        list(&row.scenarios),
        cards.join(" "),
        list(&row.code),
        list(&row.tests),
        row.suspect.to_string(),
        gaps.join("; "),
    ]
}

/// An end with remarks about it, such as `src/a.ts#f(suspect)`.
fn marked(end: &MatrixEnd) -> String {
    let state = (end.state == Some(LinkState::Suspect)).then_some("suspect");
    let evidence = end.evidence.map(TestEvidence::word);
    let marks: Vec<&str> = evidence.into_iter().chain(state).collect();
    match marks.is_empty() {
        true => short(&end.node),
        false => format!("{}({})", short(&end.node), marks.join(",")),
    }
}

/// A value in quotes. A value that a spreadsheet would read as a formula is marked as text.
fn csv_value(value: &str) -> String {
    let is_formula = value.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guard = if is_formula { "'" } else { "" };
    format!("\"{guard}{}\"", value.replace('"', "\"\""))
}

const STYLE: &str = "body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color:#1b1b1b;background:#fff}\
table{border-collapse:collapse;width:100%}th,td{border:1px solid #c8c8c8;padding:.35rem .5rem;\
text-align:left;vertical-align:top;overflow-wrap:anywhere}th{background:#f0f0f0;position:sticky;top:0}\
.bad{color:#a00000;font-weight:600}.good{color:#0a5c0a}code{font-size:.92em}";

/// One page without scripts or other files.
pub(super) fn html(rows: &[TraceRow], summary: &MatrixSummary) -> String {
    let mut body = String::new();
    for row in rows {
        body.push_str(&html_row(row));
    }
    let head: String = COLUMNS.map(|name| format!("<th scope=\"col\">{name}</th>")).concat();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Traceability matrix</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>Traceability matrix</h1>\n<p>{}</p>\n\
         <table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n</body>\n</html>\n",
        escape(&summary.sentence())
    )
}

fn html_row(row: &TraceRow) -> String {
    let list = |ends: &[MatrixEnd]| {
        let items = ends.iter().map(|end| {
            let class = match (end.state, end.evidence) {
                (Some(LinkState::Suspect), _) => " class=\"bad\"",
                (_, Some(TestEvidence::Verified)) => " class=\"good\"",
                _ => "",
            };
            format!("<code{class}>{}</code>", escape(&marked(end)))
        });
        items.collect::<Vec<_>>().join("<br>")
    };
    let [id, title, kind, status, priority, _, cards, _, _, suspect, gaps] = values(row);
    let bad = |text: &str, is_bad: bool| match is_bad {
        true => format!("<span class=\"bad\">{}</span>", escape(text)),
        false => escape(text),
    };
    let cells = [
        format!("<code>{}</code>", escape(&id)),
        escape(&title),
        escape(&kind),
        escape(&status),
        escape(&priority),
        list(&row.scenarios),
        escape(&cards),
        list(&row.code),
        list(&row.tests),
        bad(&suspect, row.suspect > 0),
        bad(&gaps, !row.gaps.is_empty()),
    ];
    format!("<tr>{}</tr>\n", cells.map(|cell| format!("<td>{cell}</td>")).concat())
}

/// Text as HTML. Control and bidirectional characters are replaced by visible text.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(csv_value("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(csv_value("=1+1"), "\"'=1+1\"");
        assert_eq!(escape("<a href='x'>\u{202e}&"), "&lt;a href=&#39;x&#39;&gt;\u{fffd}&amp;");
    }
}
