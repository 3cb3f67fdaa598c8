//! The frame around every view: navigation, search, breadcrumbs, and the basis of the view.

use engine::{Basis, BasisState};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets::{ICON, SCRIPT, STYLE};
use crate::components::Tone;

/// A view that the navigation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NavSection {
    Overview,
    Files,
    Review,
    Matrix,
    Board,
    Knowledge,
    Decisions,
    Hotspots,
    Graph,
    Search,
}

/// The navigation: section, address, name, and the key that follows `g`.
const NAVIGATION: &[NavItem] = &[
    NavItem { section: NavSection::Overview, address: "/", name: "Overview", key: 'o' },
    NavItem { section: NavSection::Files, address: "/file/", name: "Files", key: 'f' },
    NavItem { section: NavSection::Review, address: "/review", name: "Review", key: 'r' },
    NavItem { section: NavSection::Matrix, address: "/matrix", name: "Matrix", key: 'm' },
    NavItem { section: NavSection::Board, address: "/board", name: "Board", key: 'b' },
    NavItem { section: NavSection::Knowledge, address: "/knowledge", name: "Knowledge", key: 'k' },
    NavItem { section: NavSection::Decisions, address: "/decisions", name: "Decisions", key: 'd' },
    NavItem { section: NavSection::Hotspots, address: "/hotspots", name: "Hotspots", key: 'h' },
    NavItem { section: NavSection::Graph, address: "/graph", name: "Graph", key: 'a' },
];

struct NavItem {
    section: NavSection,
    address: &'static str,
    name: &'static str,
    key: char,
}

/// A breadcrumb: one step of the way from the overview to a view.
#[derive(Debug, Clone)]
pub(crate) struct Crumb {
    /// What it is called
    pub name: String,
    /// Its address; none for the view itself
    pub address: Option<String>,
}

impl Crumb {
    /// A step that leads somewhere.
    pub(crate) fn to(name: impl Into<String>, address: impl Into<String>) -> Self {
        Self { name: name.into(), address: Some(address.into()) }
    }

    /// The view itself.
    pub(crate) fn here(name: impl Into<String>) -> Self {
        Self { name: name.into(), address: None }
    }
}

/// A view, before it is put into the frame.
pub(crate) struct Screen {
    /// The title of the browser's tab
    pub title: String,
    /// The part of the navigation that it belongs to
    pub section: NavSection,
    /// The way to it
    pub crumbs: Vec<Crumb>,
    /// Its content
    pub body: Markup,
    /// The HTTP status
    pub status: u16,
}

impl Screen {
    /// A view directly below the navigation.
    pub(crate) fn new(section: NavSection, title: impl Into<String>, body: Markup) -> Self {
        Self { title: title.into(), section, crumbs: Vec::new(), body, status: 200 }
    }

    /// The same view with the way to it.
    pub(crate) fn at(mut self, crumbs: Vec<Crumb>) -> Self {
        self.crumbs = crumbs;
        self
    }
}

/// What the frame shows besides the view.
pub(crate) struct FrameInfo<'a> {
    /// The repository
    pub repository: &'a str,
    /// What is searched for now
    pub query: &'a str,
    /// The basis of the view
    pub basis: Option<&'a Basis>,
    /// Whether the page offers no changes
    pub read_only: bool,
    /// The change that was just made
    pub notice: Option<Markup>,
    /// The state of the repository that the view shows; a later one is a reason to load it again
    pub state: Option<String>,
}

/// A view in its frame, as a document.
pub(crate) fn document(info: &FrameInfo<'_>, screen: &Screen) -> String {
    let title = format!("{} · {}", screen.title, info.repository);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" type="image/svg+xml" href=(ICON.address);
                link rel="stylesheet" href=(STYLE.address);
                script type="module" src=(SCRIPT.address) {}
            }
            body data-state=[info.state.as_deref()] {
                a.skip href="#main" { "Skip to the content" }
                (header(info, screen.section))
                main #main tabindex="-1" {
                    (breadcrumbs(&screen.crumbs))
                    @if let Some(notice) = &info.notice { (notice) }
                    (screen.body)
                }
                (footer(info))
                (shortcuts())
            }
        }
    }
    .into_string()
}

fn header(info: &FrameInfo<'_>, here: NavSection) -> Markup {
    html! {
        header.top {
            a.brand href="/" {
                (PreEscaped(include_str!("assets/icon.svg")))
                span { (info.repository) }
            }
            form.search role="search" action="/search" method="get" {
                label.hidden for="q" { "Search everything" }
                input #q type="search" name="q" value=(info.query) placeholder="Search everything"
                    autocomplete="off" spellcheck="false" aria-keyshortcuts="/";
                button type="submit" { "Search" }
            }
            nav aria-label="Views" {
                ul {
                    @for item in NAVIGATION {
                        li {
                            a href=(item.address) data-key=(item.key)
                                aria-current=[(item.section == here).then_some("page")] { (item.name) }
                        }
                    }
                }
            }
        }
    }
}

fn breadcrumbs(crumbs: &[Crumb]) -> Markup {
    html! {
        @if !crumbs.is_empty() {
            nav.crumbs aria-label="Path" {
                ol {
                    @for crumb in crumbs {
                        li {
                            @match &crumb.address {
                                Some(address) => a href=(address) { (crumb.name) },
                                None => span aria-current="page" { (crumb.name) },
                            }
                        }
                    }
                }
            }
        }
    }
}

fn footer(info: &FrameInfo<'_>) -> Markup {
    html! {
        footer.basis {
            p #live role="status" aria-live="polite" {}
            @if let Some(basis) = info.basis {
                p {
                    span class={ "dot " (basis_tone(basis).class()) } {}
                    strong { "Basis " }
                    (basis.to_string())
                }
            }
            @if info.read_only { p { "Read-only: this page offers no changes." } }
            p.keys { "Press " kbd { "?" } " for the keys." }
        }
    }
}

const fn basis_tone(basis: &Basis) -> Tone {
    match basis.state {
        BasisState::Fresh => Tone::Good,
        BasisState::Partial => Tone::Warn,
        BasisState::Stale => Tone::Bad,
    }
}

/// The keys that the script knows. Everything that they do can be done without them.
fn shortcuts() -> Markup {
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl {
                div { dt { kbd { "/" } } dd { "Search" } }
                div { dt { kbd { "j" } " " kbd { "k" } } dd { "Next and previous row" } }
                @for item in NAVIGATION {
                    div { dt { kbd { "g" } " " kbd { (item.key) } } dd { (item.name) } }
                }
                div { dt { kbd { "?" } } dd { "This list" } }
            }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}

/// A page with only a message, for a browser that is not let in or was let in just now. It reveals
/// nothing about the repository.
pub fn message_page(title: &str, text: &str) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="stylesheet" href=(STYLE.address);
                link rel="icon" type="image/svg+xml" href=(ICON.address);
            }
            body.message {
                main #main {
                    h1 { (title) }
                    p { (text) }
                }
            }
        }
    }
    .into_string()
}
