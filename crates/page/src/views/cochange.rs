//! The files of a folder that change together, as a matrix.

use base::words::counted;
use base::{RepoPath, Result};
use maud::{Markup, html};
use operations::ops::typed::{Cochange, CochangePair};
use serde_json::json;

use crate::components::{self, heading};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::pictures::heat::{self, HeatCell, HeatName};
use crate::routes::{ViewContext, ViewResult};

/// Pairs in the picture; no folder has more, since only its busiest files are compared.
const MAX_CELLS: usize = 500;

/// Pairs in the table.
const MAX_PAIRS: usize = 100;

/// The busiest files of a folder, and which of them change together.
pub(crate) fn cochange(context: &ViewContext<'_>) -> Result<ViewResult> {
    let path = context.request.param("path").filter(|path| path != ".");
    let folder = format!("dir:{}", path.as_deref().unwrap_or("."));
    let answer =
        context.asker.ask_optional::<Cochange>(json!({"paths": [folder], "limit": MAX_CELLS}))?;
    let (files, pairs) = answer.map(|answer| (answer.busiest, answer.pairs)).unwrap_or_default();
    let place = path.clone().unwrap_or_else(|| "the repository".to_owned());
    let lead = format!("The {} of {place} with the most commits", counted(files.len(), "file"));
    let body = html! {
        (heading(html! { "What changes together" }, &lead))
        @if pairs.is_empty() {
            (components::empty("No two files here change together often enough to say so, or there is no history yet.", None))
        } @else {
            p.legend { "The darker a cell, the larger the share of commits of either file that changed both. The numbers of the columns are those of the rows." }
            (picture(path.as_deref(), &files, &pairs))
            div.part {}
            (table(&pairs))
        }
    };
    let crumbs = vec![Crumb::to("Hotspots", "/hotspots"), Crumb::here("What changes together")];
    Ok(Screen::new(NavSection::Hotspots, "What changes together", body).at(crumbs).into())
}

fn picture(folder: Option<&str>, files: &[RepoPath], pairs: &[CochangePair]) -> Markup {
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
    let position = |wanted: &RepoPath| files.iter().position(|path| path == wanted);
    let cells: Vec<HeatCell> = pairs
        .iter()
        .filter_map(|pair| Some((pair, position(&pair.first)?, position(&pair.second)?)))
        .flat_map(|(pair, first, second)| {
            let commits = counted(pair.count, "commit");
            let title = format!("{} and {}: {commits}", below(&pair.first), below(&pair.second));
            let cell = |row, column| HeatCell {
                row,
                column,
                share: pair.jaccard / most,
                title: title.clone(),
            };
            [cell(first, second), cell(second, first)]
        })
        .collect();
    heat::heat_map(&names, &cells, "Files by files; a dark cell means that the two change together")
}

fn table(pairs: &[CochangePair]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "File" } th { "Changes with" } th.number { "Commits" } th.number { "Share" } } }
                tbody {
                    @for pair in pairs.iter().take(MAX_PAIRS) {
                        tr {
                            td { (components::path_link(&pair.first)) }
                            td { (components::path_link(&pair.second)) }
                            td.number { (pair.count) }
                            td.number { (format!("{:.0} %", pair.jaccard * 100.0)) }
                        }
                    }
                }
            }
        }
        @if pairs.len() > MAX_PAIRS { p.muted { (pairs.len() - MAX_PAIRS) " pairs with smaller shares are not listed." } }
    }
}
