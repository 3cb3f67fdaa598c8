//! Which view answers which address, and the one way from a request to a response.

use std::sync::Arc;

use base::{Call, Problem, ProblemCode, Result};
use engine::{Basis, BasisState, Workspace};
use maud::{Markup, html};
use operations::ops::typed::Status;
use serde_json::json;

use crate::asker::Asker;
use crate::changes;
use crate::components;
use crate::layout::{self, FrameInfo, NavSection, Screen};
use crate::request::{DONE, DownloadFile, SiteRequest, SiteResponse, query_pair};
use crate::views;

/// A repository whose page is served.
pub struct Site {
    /// The repository
    pub workspace: Arc<Workspace>,
    /// Whether the page offers no changes
    pub read_only: bool,
}

/// What a view is given.
pub(crate) struct ViewContext<'a> {
    /// Asks operations
    pub asker: Asker<'a>,
    /// What was asked for
    pub request: &'a SiteRequest,
    /// The part of the address after the view's own
    pub name: String,
    /// Whether the page offers no changes
    pub read_only: bool,
}

/// The result of a view.
pub(crate) enum ViewResult {
    /// A whole view
    Screen(Screen),
    /// A part of a view that is loaded late
    Part(Markup),
    /// A file to save
    Download(DownloadFile),
    /// Another address
    Redirect(String),
}

impl From<Screen> for ViewResult {
    fn from(screen: Screen) -> Self {
        Self::Screen(screen)
    }
}

type ViewFunction = fn(&ViewContext<'_>) -> Result<ViewResult>;

/// The first part of an address, and the view that answers it.
const VIEWS: &[(&str, ViewFunction)] = &[
    ("", views::overview::overview),
    ("part", views::overview::late_part),
    ("checks", views::checks::checks),
    ("search", views::search::search),
    ("file", views::file::file),
    ("symbol", views::symbol::symbol),
    ("card", views::card::card),
    ("cards", views::card::cards),
    ("matrix", views::matrix::matrix),
    ("review", views::review::review),
    ("board", views::board::board),
    ("task", views::work::item),
    ("feature", views::work::item),
    ("project", views::work::item),
    ("hotspots", views::hotspots::hotspots),
    ("cochange", views::cochange::cochange),
    ("graph", views::graph::graph),
    ("knowledge", views::knowledge::knowledge),
    ("atom", views::knowledge::atom),
    ("molecule", views::knowledge::molecule),
    ("decisions", views::decisions::decisions),
    ("kb", views::decisions::entity),
    ("history", views::history::history),
    ("commit", views::history::commit),
];

/// Answers a request: a view, or a change that a form asks for.
pub fn respond(site: &Site, call: Arc<Call>, request: &SiteRequest) -> SiteResponse {
    let (first, name) = request.route();
    let read_only = site.read_only;
    let asker = Asker::new(&site.workspace, call);
    // Read before the view: the browser is then told of a change in between.
    let state = if first == "part" { None } else { asker.state().ok() };
    let context = ViewContext { asker, request, name, read_only };
    let shown = match (request.form.is_some(), first.as_str()) {
        (true, step) => changes::post(&context, step),
        (false, first) => match VIEWS.iter().find(|(name, _)| *name == first) {
            Some((_, view)) => view(&context),
            None => Err(Problem::not_found(format!("no view is called `{first}`"))),
        },
    };
    match shown {
        Ok(ViewResult::Screen(screen)) => framed(&context, &screen, state),
        Ok(ViewResult::Part(part)) => {
            let basis = context.asker.basis().filter(|basis| basis.state != BasisState::Fresh);
            let body = html! {
                div #part {
                    (part)
                    @if let Some(basis) = basis { p.muted { "Basis of this part: " (basis.to_string()) } }
                }
            }
            .into_string();
            SiteResponse::Html { status: 200, body }
        }
        Ok(ViewResult::Download(file)) => SiteResponse::Download(file),
        Ok(ViewResult::Redirect(address)) => SiteResponse::Redirect(address),
        Err(problem) if first == "part" => {
            let body = html! { div #part { (components::problem(&problem)) } }.into_string();
            SiteResponse::Html { status: 200, body }
        }
        Err(problem) => framed(&context, &problem_screen(&context, &problem), state),
    }
}

fn framed(context: &ViewContext<'_>, screen: &Screen, state: Option<String>) -> SiteResponse {
    let basis = context.asker.basis().or_else(|| current_basis(context));
    let repository = context.asker.repository_name();
    let query = context.request.param("q").unwrap_or_default();
    let notice = context.request.param(DONE).map(|change| changes::notice(context, &change));
    let info = FrameInfo {
        repository: &repository,
        query: &query,
        basis: basis.as_ref(),
        read_only: context.read_only,
        notice,
        state,
    };
    SiteResponse::Html { status: screen.status, body: layout::document(&info, screen) }
}

/// The basis of a view that asked nothing, such as a search without words.
fn current_basis(context: &ViewContext<'_>) -> Option<Basis> {
    context.asker.ask::<Status>(json!({})).ok()?;
    context.asker.basis()
}

fn problem_screen(context: &ViewContext<'_>, problem: &Problem) -> Screen {
    let (status, title) = match problem.code {
        ProblemCode::NotFound => (404, "Not found"),
        ProblemCode::Ambiguous => (300, "Ambiguous name"),
        ProblemCode::Conflict | ProblemCode::Blocked | ProblemCode::HasChildren => {
            (409, "Not possible now")
        }
        ProblemCode::InvalidOperation | ProblemCode::OutsideRepository => (403, "Not allowed"),
        ProblemCode::Busy | ProblemCode::Unavailable | ProblemCode::Timeout => {
            (503, "Not available now")
        }
        ProblemCode::ValidationError
        | ProblemCode::SyntaxError
        | ProblemCode::InvariantViolation => (400, "Not valid"),
        _ => (500, "Something failed"),
    };
    // The last part of an address is what somebody looked for.
    let name = context.name.rsplit(['/', '#']).find(|part| !part.is_empty());
    let lost = name.filter(|_| problem.code == ProblemCode::NotFound);
    let body = html! {
        (components::heading(html! { (title) }, ""))
        (components::problem(problem))
        @if let Some(name) = lost {
            p { a.button href={ "/search?" (query_pair("q", name)) } { "Search for " (name) } }
        }
    };
    Screen { status, ..Screen::new(NavSection::Search, title, body) }
}

/// The state of everything that views show, as text: it differs after every change.
pub fn repository_state(workspace: &Workspace, call: &Arc<Call>) -> Result<String> {
    Asker::new(workspace, call.clone()).state()
}
