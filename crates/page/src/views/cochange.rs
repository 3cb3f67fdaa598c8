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
            (legend())
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
        .map(|path| {
            let whole = below(path);
            let (folder, name) = whole.rsplit_once('/').unwrap_or(("", whole.as_str()));
            HeatName {
                name: name.to_owned(),
                folder: folder.to_owned(),
                address: links::file(path),
            }
        })
        .collect();
    let position = |wanted: &RepoPath| files.iter().position(|path| path == wanted);
    let cells: Vec<HeatCell> = pairs
        .iter()
        .filter_map(|pair| Some((pair, position(&pair.first)?, position(&pair.second)?)))
        .flat_map(|(pair, first, second)| {
            let commits = counted(pair.count, "commit");
            let both = format!("{} and {}", below(&pair.first), below(&pair.second));
            let title = format!("{both}: {commits}, {}", percent(pair.jaccard));
            let cell = |row, column| HeatCell {
                row,
                column,
                strength: strength(pair.jaccard),
                title: title.clone(),
            };
            [cell(first, second), cell(second, first)]
        })
        .collect();
    heat::heat_map(&names, &cells, "Files by files; a dark cell means that the two change together")
}

/// The shares, in percent, from which a cell is drawn darker.
const STRENGTHS: [u32; heat::STRENGTHS - 1] = [5, 10, 20, 40];

/// How dark the cell of a share is, from 0.
fn strength(share: f64) -> usize {
    STRENGTHS.iter().filter(|percent| share * 100.0 >= f64::from(**percent)).count()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn legend() -> Markup {
    let last = STRENGTHS.len();
    let range = |step: usize| match step {
        0 => format!("less than {} %", STRENGTHS[0]),
        step if step == last => format!("{} % or more", STRENGTHS[step - 1]),
        step => format!("from {} %", STRENGTHS[step - 1]),
    };
    html! {
        p.muted { "Share of the commits of either file that changed both. The numbers of the columns are those of the rows." }
        ul.legend {
            @for step in 0..=last { li { span class={ "swatch step-" (step) } {} (range(step)) } }
        }
    }
}

fn table(pairs: &[CochangePair]) -> Markup {
    html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th { "File" } th { "Changes with" } th.number { "Commits" } th.number { "Share" } } }
                tbody {
                    @for pair in pairs.iter().take(MAX_PAIRS) {
                        tr {
                            td.main { (components::path_link(&pair.first)) }
                            td.main data-label="with" { (components::path_link(&pair.second)) }
                            td.number data-label="Commits" { (pair.count) }
                            td.number data-label="Share" { (percent(pair.jaccard)) }
                        }
                    }
                }
            }
        }
        @if pairs.len() > MAX_PAIRS { p.muted { (pairs.len() - MAX_PAIRS) " pairs with smaller shares are not listed." } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_share_is_darker_and_every_step_has_a_colour() {
        let steps: Vec<usize> = [0.0, 0.049, 0.05, 0.12, 0.25, 1.0].map(strength).to_vec();
        assert_eq!(steps, [0, 0, 1, 2, 3, 4]);
        assert!(steps.iter().all(|step| *step < heat::STRENGTHS));
        assert_eq!(percent(0.21), "21 %");
    }
}
