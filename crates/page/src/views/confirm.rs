//! Links between specs and code: whether somebody confirmed that both ends agree, and a form to do
//! so.

use engine::spec_links::LinkState;
use maud::{Markup, html};

use crate::changes;
use crate::components::{Tone, badge};
use crate::routes::ViewContext;

/// The colour of a link's state.
pub(crate) const fn state_tone(state: LinkState) -> Tone {
    match state {
        LinkState::Confirmed => Tone::Good,
        LinkState::Suspect => Tone::Bad,
        LinkState::NotChecked => Tone::Warn,
        LinkState::Unconfirmed => Tone::Neutral,
    }
}

/// The state of a link, and a form to confirm it unless it is confirmed. `number` distinguishes the
/// forms of a view.
pub(crate) fn link_state(
    context: &ViewContext<'_>,
    spec: &str,
    other: &str,
    state: LinkState,
    number: usize,
) -> Markup {
    html! {
        " " (badge(state.word(), state_tone(state)))
        @if state != LinkState::Confirmed { (confirm_form(context, spec, other, number)) }
    }
}

/// A form that records that both ends of a link agree.
fn confirm_form(context: &ViewContext<'_>, spec: &str, other: &str, number: usize) -> Markup {
    let field = format!("why-{number}");
    let why = html! {
        label.hidden for=(field) { "Why " (spec) " and " (other) " agree" }
        input #(field) type="text" name="why" placeholder="Why they agree: what was checked" required size="44";
    };
    changes::inline_form(context, "confirm", &[("targets", spec), ("with", other)], why, "Confirm")
}
