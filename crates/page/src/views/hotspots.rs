//! Hotspots: files by size and churn, coloured by what they lack.

use base::words::counted;
use base::{RepoPath, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{HotspotRow, Hotspots};
use serde_json::json;

use crate::components::{self, Tone, badge, heading};
use crate::layout::{NavSection, Screen};
use crate::links;
use crate::pictures::treemap::{self, TreemapArea};
use crate::routes::{ViewContext, ViewResult};

/// Files in the picture and the table.
const MAX_FILES: usize = 40;

/// What the colours show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overlay {
    Specs,
    Tests,
}

impl Overlay {
    /// What was chosen; otherwise missing specs, or missing tests where no file has a spec.
    fn chosen(colour: Option<&str>, files: &[HotspotRow]) -> Self {
        match colour {
            Some("tests") => Self::Tests,
            Some(_) => Self::Specs,
            None if files.iter().any(|row| Self::Specs.has(row)) => Self::Specs,
            None => Self::Tests,
        }
    }

    /// Whether a file has what the overlay shows.
    fn has(self, row: &HotspotRow) -> bool {
        let known = match self {
            Self::Specs => row.has_spec,
            Self::Tests => row.has_test,
        };
        known.unwrap_or_default()
    }

    /// The colour of the files that lack it. If no file has it, they are not highlighted: the
    /// repository does not use it.
    fn missing_tone(self, files: &[HotspotRow]) -> Tone {
        if files.iter().any(|row| self.has(row)) { Tone::Warn } else { Tone::Neutral }
    }
}

/// The files that change most, as a picture and a table.
pub(crate) fn hotspots(context: &ViewContext<'_>) -> Result<ViewResult> {
    let (asker, request) = (&context.asker, context.request);
    let path = request.param("path").filter(|path| path != ".");
    let args = json!({"path": path, "limit": MAX_FILES, "gaps": true});
    let Some(answer) = asker.ask_optional::<Hotspots>(args)? else {
        let text = "There is no git history here, so nothing is known of what changes. Commit something first.";
        let body = html! { (heading(html! { "Hotspots" }, "")) (components::empty(text, None)) };
        return Ok(Screen::new(NavSection::Hotspots, "Hotspots", body).into());
    };
    let overlay = Overlay::chosen(request.param("colour").as_deref(), &answer.files);
    let total = answer.paging().map_or(0, |paging| paging.total);
    let below = path.as_ref().map_or_else(String::new, |path| format!(" below {path}"));
    let lead = format!(
        "{} of code{below}, ordered by commits × √lines: large and often changed ones first",
        counted(total, "file")
    );
    let body = html! {
        (heading(html! { "Hotspots" }, &lead))
        (tools(path.as_deref(), overlay))
        @if answer.files.is_empty() { (components::empty("No code has changed here in the history that was read.", None)) } @else {
            (legend(&answer.files, overlay))
            (picture(&answer.files, overlay))
            @if total > answer.files.len() as u64 {
                p.muted { (total - answer.files.len() as u64) " files that change less are left out." }
            }
            div.part {}
            (table(&answer.files))
        }
    };
    Ok(Screen::new(NavSection::Hotspots, "Hotspots", body).into())
}

fn tools(path: Option<&str>, overlay: Overlay) -> Markup {
    let here = path.map_or_else(String::new, |path| format!("&path={}", links::encode(path)));
    let options = [
        ("missing specs", format!("/hotspots?colour=specs{here}")),
        ("missing tests", format!("/hotspots?colour=tests{here}")),
    ];
    let chosen = if overlay == Overlay::Specs { "missing specs" } else { "missing tests" };
    html! {
        div.toolbar {
            (components::choice("Colour by", &options, chosen))
            a.button href={ "/cochange?path=" (links::encode(path.unwrap_or("."))) } { "What changes together" }
        }
    }
}

fn picture(files: &[HotspotRow], overlay: Overlay) -> Markup {
    let missing = overlay.missing_tone(files);
    let area = |row: &HotspotRow| {
        let commits = counted(row.commits, "commit");
        TreemapArea {
            size: row.score.max(0.01),
            name: row.path.name(),
            note: folder_name(&row.path),
            count: commits.clone(),
            title: format!("{}: {commits}, {}", row.path, counted(row.lines, "line")),
            address: links::file(&row.path),
            tone: if overlay.has(row) { Tone::Accent } else { missing },
        }
    };
    let areas: Vec<TreemapArea> = files.iter().map(area).collect();
    treemap::treemap(&areas, "Files, larger the more they change and the longer they are")
}

/// The folder of a file: many files are called `mod.rs` or `index.ts`. A folder that every package
/// has is named with the one above it.
fn folder_name(path: &RepoPath) -> String {
    let named = |path: &RepoPath| path.parent().filter(|parent| !parent.is_root());
    let Some(folder) = named(path) else { return String::new() };
    match named(&folder) {
        Some(above) if matches!(folder.name().as_str(), "src" | "lib") => {
            format!("{}/{}", above.name(), folder.name())
        }
        _ => folder.name(),
    }
}

fn legend(files: &[HotspotRow], overlay: Overlay) -> Markup {
    let (has, lacks) = match overlay {
        Overlay::Specs => ("linked with a card, requirement or decision", "no spec"),
        Overlay::Tests => ("reached by a test", "no test found"),
    };
    let has_any = files.iter().any(|row| overlay.has(row));
    html! {
        ul.legend {
            @if has_any {
                li { span.swatch.accent {} (has) }
                li { span class={ "swatch " (overlay.missing_tone(files).class()) } {} (lacks) }
            } @else { li { span.swatch {} (lacks) ": none of these files is " (has) } }
            li { "The larger a file is drawn, the more commits and lines it has; commits of many files do not count" }
        }
    }
}

fn table(files: &[HotspotRow]) -> Markup {
    html! {
        div.scroll {
            table.stack.flow {
                thead {
                    tr {
                        th scope="col" { "File" }
                        th.number scope="col" { "Commits" }
                        th.number scope="col" { "Lines" }
                        th.fit scope="col" { "Last" }
                        th.fit scope="col" { "Spec" }
                        th.fit scope="col" { "Test" }
                    }
                }
                tbody {
                    @for row in files {
                        tr {
                            th.main scope="row" { (components::path_link(&row.path)) }
                            td.number data-label="Commits" { a href=(links::address("history", &row.path.to_string())) { (row.commits) } }
                            td.number data-label="Lines" { (components::grouped(row.lines.into())) }
                            td.fit data-label="Last" { (components::day(&row.last)) }
                            @for (overlay, label) in [(Overlay::Specs, "Spec"), (Overlay::Tests, "Test")] {
                                td.fit data-label=(label) {
                                    @if overlay.has(row) { (badge("yes", Tone::Good)) }
                                    @else { (badge("none", overlay.missing_tone(files))) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_every_package_has_is_named_with_its_package() {
        let named = |path: &str| folder_name(&path.parse().unwrap());
        assert_eq!(named("crates/globset/src/lib.rs"), "globset/src");
        assert_eq!(named("crates/core/flags/defs.rs"), "flags");
        assert_eq!((named("src/main.rs"), named("build.rs")), ("src".into(), String::new()));
    }
}
