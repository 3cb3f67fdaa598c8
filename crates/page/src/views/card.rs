//! Cards: all of them by their fields, and one with its text, relations, links and status.

use base::words::counted;
use base::{NextCall, Result};
use cards::CardStatus;
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{CardList, CardListRow, CardShow, CardShowAnswer, RelatedCard};
use serde_json::json;

use super::confirm::link_state;
use crate::changes;
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::markdown::prose;
use crate::routes::{ViewContext, ViewResult};

/// The colour of a status.
pub(crate) const fn status_tone(status: CardStatus) -> Tone {
    match status {
        CardStatus::Implemented => Tone::Good,
        CardStatus::Accepted | CardStatus::Implementing => Tone::Accent,
        CardStatus::Draft => Tone::Neutral,
        CardStatus::Deprecated => Tone::Warn,
    }
}

/// All cards.
pub(crate) fn cards(context: &ViewContext<'_>) -> Result<ViewResult> {
    let request = context.request;
    let status: Vec<String> = request.params("status");
    let offset = request.number("offset").unwrap_or(0);
    let args = json!({"status": status, "limit": 100, "offset": offset});
    let answer = context.asker.ask::<CardList>(args)?;
    let chosen = status.first().map_or("all", String::as_str);
    let mut options = vec![("all", "/cards".to_owned())];
    options.extend(
        CardStatus::ALL.iter().map(|one| (one.word(), format!("/cards?status={}", one.word()))),
    );
    let total = answer.paging().map_or(0, |paging| paging.total);
    let body = html! {
        (heading(html! { "Cards" }, &counted(total, "card")))
        div.toolbar { (components::choice("Status", &options, chosen)) a.button href="/matrix" { "As a matrix" } }
        @if !answer.cards.is_empty() { (table(&answer.cards)) }
        @else if status.is_empty() { (no_cards()) }
        @else { (components::empty(&format!("No card has the status `{chosen}`."), None)) }
        (components::pager(request, answer.paging(), answer.cards.len()))
    };
    let crumbs = vec![Crumb::to("Matrix", "/matrix"), Crumb::here("Cards")];
    Ok(Screen::new(NavSection::Matrix, "Cards", body).at(crumbs).into())
}

/// Shown where there are no cards.
pub(crate) fn no_cards() -> Markup {
    let create = NextCall::new("card.create")
        .with("key", "spec::area/name")
        .with("summary", "What must hold");
    components::empty(
        "There is no card yet. A card is a file in git that says what the code must do; code links it with a comment. The first one is written by",
        Some(&create),
    )
}

fn table(cards: &[CardListRow]) -> Markup {
    html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th.fit { "Status" } th { "Card" } th.number { "Links" } th.fit { "Updated" } } }
                tbody {
                    @for card in cards {
                        tr {
                            td.fit { (badge(card.status.word(), status_tone(card.status))) }
                            td.main {
                                a.node href=(links::address("card", card.key.as_str())) { (card.summary) }
                                span.why { (card.key.as_str()) }
                            }
                            td.number data-label="Links" { (card.links) }
                            td.fit { @if let Some(at) = &card.updated_at { (components::day(at)) } }
                        }
                    }
                }
            }
        }
    }
}

/// One card.
pub(crate) fn card(context: &ViewContext<'_>) -> Result<ViewResult> {
    let answer = context.asker.ask::<CardShow>(json!({"key": context.name, "full": true}))?;
    let key = answer.key.as_str();
    let body = html! {
        (heading(html! { (answer.summary) }, key))
        div.toolbar {
            (badge(answer.status.word(), status_tone(answer.status)))
            (status_form(context, &answer))
            a.button href=(links::graph(key)) { "Graph" }
            a.button href=(links::file(&answer.path)) { "Its file" }
        }
        div.columns {
            div {
                @if !answer.constraints.is_empty() {
                    (section("Constraints", Some(answer.constraints.len()),
                        html! { ul.list { @for one in &answer.constraints { li { (one) } } } }))
                }
                @if !answer.body.trim().is_empty() {
                    (section("Text", None, html! { div.prose.card { (prose(&answer.body)) } }))
                }
                (code_links(context, &answer))
            }
            aside {
                (section("Details", None, fields(&answer)))
                (related("Relations", &answer.relations))
                (related("Named by", &answer.related_by))
            }
        }
    };
    let crumbs =
        vec![Crumb::to("Matrix", "/matrix"), Crumb::to("Cards", "/cards"), Crumb::here(key)];
    Ok(Screen::new(NavSection::Matrix, answer.summary.clone(), body).at(crumbs).into())
}

fn status_form(context: &ViewContext<'_>, answer: &CardShowAnswer) -> Markup {
    let select = html! {
        label.hidden for="status" { "New status" }
        select #status name="status" {
            @for status in CardStatus::ALL {
                option value=(status.word()) selected[*status == answer.status] { (status.word()) }
            }
        }
    };
    changes::inline_form(
        context,
        "card.status",
        &[("key", answer.key.as_str())],
        select,
        "Change status",
    )
}

fn code_links(context: &ViewContext<'_>, answer: &CardShowAnswer) -> Markup {
    let body = html! {
        @if answer.links.is_empty() {
            (components::empty(
                "No code links this card. A link is a comment above the code that implements it, written by",
                Some(&NextCall::new("link.add").with("target", "path#symbol").with("card", answer.key.as_str())),
            ))
        } @else {
            ul.list {
                @for (number, link) in answer.links.iter().enumerate() {
                    li {
                        (components::node_link(&link.node))
                        @if let Some(path) = link.node.path() {
                            " " a.place href=(links::line(path, link.line)) { "line " (link.line) }
                        }
                        (link_state(context, answer.key.as_str(), &link.node.to_string(), link.state, number))
                    }
                }
            }
        }
    };
    section("Linked from code", Some(answer.links.len()), body)
}

fn fields(answer: &CardShowAnswer) -> Markup {
    html! {
        dl.facts {
            dt { "Type" } dd { (answer.r#type) }
            @if !answer.tags.is_empty() { dt { "Tags" } dd { (answer.tags.join(", ")) } }
            @if !answer.subjects.is_empty() { dt { "Subjects" } dd { (answer.subjects.join(", ")) } }
            @if let Some(at) = &answer.updated_at { dt { "Updated" } dd { (components::day(at)) } }
            @for (name, value) in &answer.extra {
                dt { (name) } dd { (value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)) }
            }
        }
    }
}

fn related(title: &str, cards: &[RelatedCard]) -> Markup {
    if cards.is_empty() {
        return html! {};
    }
    let list = html! {
        ul.list {
            @for one in cards {
                li {
                    span.muted { (one.r#type.word()) " " }
                    a.node href=(links::address("card", &one.card)) { (one.card) }
                    @match &one.summary {
                        Some(summary) => span.excerpt { (summary) },
                        None => { " " (badge("missing", Tone::Bad)) },
                    }
                }
            }
        }
    };
    section(title, Some(cards.len()), list)
}
