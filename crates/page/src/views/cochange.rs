//! The files of a folder that change together, as a matrix.

use base::words::counted;
use base::{RepoPath, Result};
use maud::{Markup, html};
use operations::ops::typed::{Cochange, CochangeRow, Hotspots};
use serde_json::json;

use crate::components::{self, heading};
use crate::layout::{Crumb, Screen, Section};
use crate::links;
use crate::pictures::heat::{self, HeatCell, HeatName};
use crate::routes::{Shown, ViewContext};

/// Files in the picture.
const MAX_FILES: usize = 24;

/// Two files that change together.
struct FilePair {
    first: usize,
    second: usize,
    count: u64,
    jaccard: f64,
}

/// The busiest files of a folder, and which of them change together.
pub(crate) fn cochange(context: &ViewContext<'_>) -> Result<Shown> {
    let asker = &context.asker;
    let path = context.request.param("path").filter(|path| path != ".");
    let hot =
        asker.ask_optional::<Hotspots>(json!({"path": path, "limit": MAX_FILES, "all": true}))?;
    let files: Vec<RepoPath> =
        hot.map(|hot| hot.files.into_iter().map(|row| row.path).collect()).unwrap_or_default();
    let pairs = pairs(context, &files)?;
    let place = path.clone().unwrap_or_else(|| "the repository".to_owned());
    let lead = format!("The {} of {place} with the most commits", counted(files.len(), "file"));
    let body = html! {
        (heading(html! { "What changes together" }, &lead))
        @if pairs.is_empty() {
            (components::empty("No two files here change together often enough to say so, or there is no history yet.", None))
        } @else {
            (picture(path.as_deref(), &files, &pairs))
            p.legend { "The darker a cell, the larger the share of commits of either file that changed both." }
            div.part {}
            (table(&files, &pairs))
        }
    };
    let crumbs = vec![Crumb::to("Hotspots", "/hotspots"), Crumb::here("What changes together")];
    Ok(Screen::new(Section::Hotspots, "What changes together", body).at(crumbs).into())
}

fn pairs(context: &ViewContext<'_>, files: &[RepoPath]) -> Result<Vec<FilePair>> {
    let mut pairs = Vec::new();
    for (first, path) in files.iter().enumerate() {
        let Some(answer) =
            context.asker.ask_optional::<Cochange>(json!({"paths": [path], "limit": 200}))?
        else {
            continue;
        };
        let position = |row: &CochangeRow| files.iter().position(|file| *file == row.path);
        for row in &answer.partners {
            if let Some(second) = position(row).filter(|second| *second > first) {
                pairs.push(FilePair { first, second, count: row.count, jaccard: row.jaccard });
            }
        }
    }
    pairs.sort_by(|a, b| b.jaccard.total_cmp(&a.jaccard).then(b.count.cmp(&a.count)));
    Ok(pairs)
}

fn picture(folder: Option<&str>, files: &[RepoPath], pairs: &[FilePair]) -> Markup {
    let below = |path: &RepoPath| {
        let whole = path.to_string();
        let rest = folder.and_then(|folder| whole.strip_prefix(folder));
        rest.map_or(whole.clone(), |rest| rest.trim_start_matches('/').to_owned())
    };
    let names: Vec<HeatName> = files
        .iter()
        .map(|path| HeatName { name: below(path), address: links::file(path) })
        .collect();
    let most = pairs.iter().map(|pair| pair.jaccard).fold(0.01, f64::max);
    let cell = |pair: &FilePair, row: usize, column: usize| HeatCell {
        row,
        column,
        share: pair.jaccard / most,
        title: format!(
            "{} and {}: {}",
            files[pair.first],
            files[pair.second],
            counted(pair.count, "commit")
        ),
    };
    let cells: Vec<HeatCell> = pairs
        .iter()
        .flat_map(|pair| [cell(pair, pair.first, pair.second), cell(pair, pair.second, pair.first)])
        .collect();
    heat::heat_map(&names, &cells, "Files by files; a dark cell means that the two change together")
}

fn table(files: &[RepoPath], pairs: &[FilePair]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "File" } th { "Changes with" } th.number { "Commits" } th.number { "Share" } } }
                tbody {
                    @for pair in pairs.iter().take(100) {
                        tr {
                            td { (components::path_link(&files[pair.first])) }
                            td { (components::path_link(&files[pair.second])) }
                            td.number { (pair.count) }
                            td.number { (format!("{:.0} %", pair.jaccard * 100.0)) }
                        }
                    }
                }
            }
        }
        @if pairs.len() > 100 { p.muted { (pairs.len() - 100) " pairs with smaller shares are not listed." } }
    }
}
