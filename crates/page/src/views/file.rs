//! The page of a file or folder: its source, its symbols, and everything that is known about it.

use base::words::counted;
use base::{EntityRef, Problem, ProblemCode, RepoPath, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{
    Cochange, CodeList, CodeListAnswer, CodeShow, CodeShowPart, CodeZoom, Explain, Impact,
    ZoomedFile, ZoomedSymbol,
};
use serde_json::json;

use super::reasons;
use crate::components::{self, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::routes::{ViewContext, ViewResult};

/// How many rows of each list beside the source are shown.
const MAX_ROWS: usize = 12;

/// A file with its source, or a folder with its content.
pub(crate) fn file(context: &ViewContext<'_>) -> Result<ViewResult> {
    let path = match context.name.trim_end_matches('/') {
        "" => ".",
        path => path,
    };
    let as_folder = context.asker.ask_optional::<CodeList>(json!({
        "path": format!("dir:{path}"),
        "limit": 500,
        "offset": context.request.number("offset").unwrap_or(0),
    }))?;
    match as_folder {
        Some(folder) => folder_screen(context, &folder),
        None => file_screen(context, path),
    }
    .map(ViewResult::from)
}

/// The way to a file, folder by folder.
pub(crate) fn path_crumbs(path: &RepoPath) -> Vec<Crumb> {
    let mut crumbs =
        vec![Crumb::here(if path.is_root() { "Files".to_owned() } else { path.name() })];
    let mut above = path.parent().filter(|_| !path.is_root());
    while let Some(folder) = above {
        let name = if folder.is_root() { "Files".to_owned() } else { folder.name() };
        crumbs.push(Crumb::to(name, links::file(&folder)));
        above = folder.parent().filter(|_| !folder.is_root());
    }
    crumbs.reverse();
    crumbs
}

fn folder_screen(context: &ViewContext<'_>, folder: &CodeListAnswer) -> Result<Screen> {
    let path = &folder.path;
    let name = if path.is_root() { "Files".to_owned() } else { path.to_string() };
    let reasons = match path.is_root() {
        true => None,
        false => context.asker.ask_optional::<Explain>(json!({"target": format!("dir:{path}")}))?,
    };
    let total = folder.paging().map_or(0, |paging| paging.total);
    let (folders, files): (Vec<_>, Vec<_>) =
        folder.entries.iter().partition(|entry| matches!(entry.node, EntityRef::Dir(_)));
    let body = html! {
        (heading(html! { (name) }, &counted(total, "entry")))
        (folder_tools(path))
        @if folder.entries.is_empty() { (components::empty("This folder has no file that git would show.", None)) }
        @else {
            div.scroll {
                table.stack.flow {
                    thead { tr { th.name { "Name" } th { "About" } } }
                    tbody {
                        @for entry in folders.into_iter().chain(files) {
                            tr {
                                td.main { (entry_link(&entry.node)) }
                                td { span.muted { (components::with_code(&entry.about)) } }
                            }
                        }
                    }
                }
            }
        }
        (components::pager(context.request, folder.paging(), folder.entries.len()))
        @if let Some(reasons) = &reasons { (reasons::part(reasons)) }
    };
    Ok(Screen::new(NavSection::Files, name, body).at(path_crumbs(path)))
}

fn folder_tools(path: &RepoPath) -> Markup {
    let at = links::encode(&path.to_string());
    html! {
        div.toolbar {
            a.button href={ "/hotspots?path=" (at) } { "Hotspots here" }
            a.button href={ "/cochange?path=" (at) } { "What changes together" }
        }
    }
}

fn entry_link(node: &EntityRef) -> Markup {
    let name = node.path().map(RepoPath::name).unwrap_or_default();
    let is_folder = matches!(node, EntityRef::Dir(_));
    html! { a.node href=(links::node(node)) { (components::breakable(&name)) @if is_folder { "/" } } }
}

fn file_screen(context: &ViewContext<'_>, path: &str) -> Result<Screen> {
    let asker = &context.asker;
    let line = context.request.number("line").and_then(|line| u32::try_from(line).ok());
    let first = links::page_start(line.unwrap_or(1));
    let range = format!("{path}:{first}-{}", first.saturating_add(links::PAGE_LINES - 1));
    let shown = match asker.ask::<CodeShow>(json!({"targets": [range]})) {
        Ok(shown) => shown,
        // The problem of the range names lines that nobody asked for.
        Err(problem) if line.is_none() && problem.code == ProblemCode::NotFound => {
            return asker.ask::<CodeShow>(json!({"targets": [path]})).and(Err(problem));
        }
        Err(problem) => return Err(problem),
    };
    let part =
        shown.parts.first().ok_or_else(|| Problem::not_found(format!("no file `{path}`")))?;
    let path = &part.path;
    let outline = asker.ask_optional::<CodeZoom>(json!({"path": path, "level": 1}))?;
    let outline = outline.as_ref().and_then(|answer| answer.files.first());
    let reasons = asker.ask_optional::<Explain>(json!({"target": path}))?;
    let users = asker.ask_optional::<Impact>(
        json!({"target": path, "depth": 1, "imports": true, "limit": MAX_ROWS}),
    )?;
    let together = asker.ask_optional::<Cochange>(json!({"paths": [path], "limit": MAX_ROWS}))?;
    let lead = outline.and_then(|file| file.title.clone()).unwrap_or_default();
    let body = html! {
        (heading(html! { (path.name()) }, &lead))
        div.toolbar {
            span.muted { (counted(part.file_lines, "line")) }
            a.button href=(links::address("history", &path.to_string())) { "History" }
            a.button href=(links::graph(&path.to_string())) { "Graph" }
            a.button.narrow-only href="#about" { "What is known about it" }
        }
        div.columns {
            div {
                (line_pager(part, "Lines"))
                @if part.source.text.is_empty() { (components::empty("This file is empty.", None)) }
                @else { (components::source(path, &part.source.text, part.source.first_line)) }
                @if part.lines_cut > 0 { p.muted { (counted(part.lines_cut, "line")) " left out: too long." } }
                (line_pager(part, "Lines, below the source"))
            }
            aside #about {
                @if let Some(file) = outline { (symbols(part, file)) }
                @if let Some(users) = &users { (reasons::users(users)) }
                @if let Some(users) = &users { (reasons::tests(&users.tests)) }
                @if let Some(together) = &together { (reasons::partners("Changes together with", &together.partners)) }
                @if let Some(reasons) = &reasons { (reasons::part(reasons)) }
            }
        }
    };
    Ok(Screen::new(NavSection::Files, path.to_string(), body).at(path_crumbs(path)))
}

/// Links to the previous and next lines of a long file; `label` distinguishes the two that a view
/// has.
fn line_pager(part: &CodeShowPart, label: &str) -> Markup {
    let (first, last, total) = (part.source.first_line, part.source.last_line, part.file_lines);
    if total <= links::PAGE_LINES {
        return html! {};
    }
    let at = |line: u32| format!("{}?line={line}", links::file(&part.path));
    html! {
        nav.pager.lines aria-label=(label) {
            @if first > 1 {
                a rel="prev" href=(at(first.saturating_sub(links::PAGE_LINES).max(1))) { "← Previous" }
            }
            span { "Lines " (first) "–" (last) " of " (total) }
            @if last < total { a rel="next" href=(at(last + 1)) { "Next →" } }
        }
    }
}

/// The symbols that are declared in the lines shown.
fn symbols(part: &CodeShowPart, file: &ZoomedFile) -> Markup {
    if file.symbols.is_empty() {
        return html! {};
    }
    let is_shown = |symbol: &&ZoomedSymbol| {
        (part.source.first_line..=part.source.last_line).contains(&symbol.line)
    };
    let shown: Vec<&ZoomedSymbol> = file.symbols.iter().filter(is_shown).collect();
    let list = html! {
        @if shown.len() < file.symbols.len() {
            p.muted { (shown.len()) " of them in the lines shown" }
        }
        ul.list.tight.long {
            @for symbol in shown {
                li class={ "depth-" (symbol.depth.min(4)) } {
                    a.node href=(links::symbol(&part.path, &symbol.name)) { code { (short_name(symbol)) } }
                    " " a.place href={ "#L" (symbol.line) } { (symbol.line) }
                }
            }
        }
    };
    section("Symbols", Some(file.symbols.len()), list)
}

fn short_name(symbol: &ZoomedSymbol) -> &str {
    base::entity::own_name(&symbol.name)
}
