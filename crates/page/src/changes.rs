//! Changes that forms ask for: first the plan with what would change, then the change itself, then
//! the offer to undo it. All of them are operations; the page only carries their arguments.

use base::{NextCall, Problem, ProblemCode, Result};
use engine::{ColorMode, JsonObject};
use maud::{Markup, html};
use operations::{CallFormat, ops};
use serde_json::{Value, json};

use crate::components::{self, heading};
use crate::layout::{Crumb, NavSection, Screen};
use crate::markdown::prose;
use crate::request::{DONE, query_pair};
use crate::routes::{ViewContext, ViewResult};

/// Operations that forms may run. Everything else is refused, whatever a form says.
const FORM_OPERATIONS: &[&str] = &[
    "card.status",
    "confirm",
    "knowledge.update",
    "work.advance",
    "work.comment",
    "work.revert",
    "work.terminate",
];

/// Fields of a form that are not arguments of its operation.
const OWN_FIELDS: &[&str] = &["operation", "back", "form_token", "shown"];

/// Arguments that are long texts: the plan shows how they will look.
const TEXT_FIELDS: &[&str] = &["knowledge", "text"];

/// Stands in an address for the number of a change that changed nothing.
const NOTHING: &str = "nothing";

/// Stands in an address between the number of a change and that of the change that it undid.
const UNDID: char = '~';

/// Handles a posted form.
pub(crate) fn post(context: &ViewContext<'_>, step: &str) -> Result<ViewResult> {
    let refused = |why: &str| Problem::new(ProblemCode::InvalidOperation, why);
    if context.read_only {
        return Err(refused("this page is read-only").hint("start it without --read-only"));
    }
    let token = context.request.field("form_token").unwrap_or_default();
    let is_ours =
        blake3::hash(token.as_bytes()) == blake3::hash(context.request.form_token.as_bytes());
    if !is_ours {
        return Err(refused("the form is not from this page, or older than the server")
            .hint("load the page again and repeat the change"));
    }
    match step {
        "plan" => plan(context).map(ViewResult::from),
        "apply" => apply(context),
        "undo" => undo(context),
        other => Err(Problem::not_found(format!("no form is sent to `{other}`"))),
    }
}

/// The operation that a form names, and its arguments.
fn requested(context: &ViewContext<'_>) -> Result<(&'static str, JsonObject)> {
    let name = context.request.field("operation").unwrap_or_default();
    let known = FORM_OPERATIONS.iter().find(|known| **known == name);
    let operation = known.ok_or_else(|| {
        Problem::new(ProblemCode::InvalidOperation, format!("a form cannot run `{name}`"))
    })?;
    let schema = (ops::find(operation)?.input_schema)();
    let fields = context.request.fields().into_iter();
    let args = fields.filter(|(name, _)| !OWN_FIELDS.contains(&name.as_str()));
    let args = args.filter(|(name, _)| schema["properties"].get(name).is_some());
    Ok((
        operation,
        args.map(|(name, value)| {
            let typed = typed(&schema["properties"][&name], &value);
            (name, typed)
        })
        .collect(),
    ))
}

/// A field as its operation declares it: forms only know text.
fn typed(declared: &Value, value: &str) -> Value {
    let is = |wanted: &str| match &declared["type"] {
        Value::Array(all) => all.iter().any(|one| one == wanted),
        one => one == wanted,
    };
    if is("integer")
        && let Ok(number) = value.parse::<u64>()
    {
        return json!(number);
    }
    if is("boolean") {
        return json!(value == "true");
    }
    // A browser ends lines with CRLF.
    json!(value.replace("\r\n", "\n"))
}

/// What a change would do: its first line, and the difference.
struct PreviewedChange {
    says: String,
    diff: String,
    /// Of a confirmation: what changed in both ends since the last one, as differences
    since: Vec<String>,
}

impl PreviewedChange {
    /// Plans without writing.
    fn of(context: &ViewContext<'_>, operation: &str, args: &JsonObject) -> Result<Self> {
        let mut dry = args.clone();
        dry.insert("dry_run".into(), json!(true));
        let outcome = context.asker.run(operation, dry)?;
        let diff = match outcome.data["diff"].as_str() {
            None | Some("") => added_text(args),
            Some(diff) => diff.to_owned(),
        };
        let since = since_confirmed(&outcome.data["result"]["confirmed"]);
        let text = CallFormat::CommandLine.text(&Ok(outcome), ColorMode::Plain);
        Ok(Self { says: text.lines().next().unwrap_or_default().to_owned(), diff, since })
    }

    /// A digest of what was shown, so that nothing else is applied. Ids and times that are made
    /// anew for each plan do not count.
    fn digest(&self) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.');
        let all = std::iter::once(&self.diff).chain(&self.since);
        let words = all.flat_map(|text| text.split(move |c: char| !is_part(c)));
        let text: Vec<&str> = words.filter(|word| !is_generated(word)).collect();
        blake3::hash(text.join(" ").as_bytes()).to_hex()[..16].to_owned()
    }
}

/// What changed in the ends of links since they were confirmed, from the answer of `confirm`.
fn since_confirmed(confirmed: &Value) -> Vec<String> {
    let links = confirmed.as_array().map(Vec::as_slice).unwrap_or_default();
    links.iter().filter_map(|link| link["diff"].as_str().map(ToOwned::to_owned)).collect()
}

/// The lines of a new text. A comment only adds an event, which a store's difference leaves out.
fn added_text(args: &JsonObject) -> String {
    let text = args.get("text").and_then(Value::as_str).unwrap_or_default();
    text.lines().map(|line| format!("+{line}\n")).collect()
}

/// Whether a word is a record's id or a moment.
fn is_generated(word: &str) -> bool {
    let dashes: Vec<usize> = word.match_indices('-').map(|(at, _)| at).collect();
    let is_id = word.len() == 36 && dashes == [8, 13, 18, 23];
    is_id || (word.ends_with('Z') && word.parse::<jiff::Timestamp>().is_ok())
}

fn plan(context: &ViewContext<'_>) -> Result<Screen> {
    let (operation, args) = requested(context)?;
    let planned = PreviewedChange::of(context, operation, &args)?;
    Ok(plan_screen(context, operation, &args, &planned, ""))
}

fn plan_screen(
    context: &ViewContext<'_>,
    operation: &str,
    args: &JsonObject,
    planned: &PreviewedChange,
    warning: &str,
) -> Screen {
    let back = back(context);
    let body = html! {
        (heading(html! { "Confirm the change" }, &planned.says))
        @if !warning.is_empty() { div.notice.warn role="alert" { p { (warning) } } }
        @if planned.diff.is_empty() { (components::empty("Nothing would change.", None)) }
        @else { (planned_difference(planned)) }
        @for name in TEXT_FIELDS {
            @if let Some(text) = args.get(*name).and_then(Value::as_str) {
                (components::section("The text afterwards", None, html! { div.prose.card { (prose(text)) } }))
            }
        }
        form.stack.confirm method="post" action="/apply" {
            (own_fields(context, operation, &back))
            input type="hidden" name="shown" value=(planned.digest());
            @for (name, value) in args {
                input type="hidden" name=(name) value=(value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned));
            }
            div.actions {
                @if !planned.diff.is_empty() { button.primary type="submit" { "Apply" } }
                a.button href=(back) { "Cancel" }
                span.muted { "As a command: " }
                (components::command(&NextCall { operation: operation.into(), args: args.clone() }))
            }
        }
    };
    let crumbs = vec![Crumb::to("Back", back.clone()), Crumb::here("Confirm the change")];
    Screen::new(NavSection::Search, "Confirm the change", body).at(crumbs)
}

/// What would be written; before it, what a confirmation is about.
fn planned_difference(planned: &PreviewedChange) -> Markup {
    let written = components::diff(&planned.diff, "What changes");
    if planned.since.is_empty() {
        return written;
    }
    let since = html! {
        @for (number, diff) in planned.since.iter().enumerate() {
            (components::diff(diff, &format!("What changed since it was last confirmed, part {}", number + 1)))
        }
    };
    html! {
        (components::section("What changed since it was last confirmed", None, since))
        (components::section("What is written", None, written))
    }
}

fn apply(context: &ViewContext<'_>) -> Result<ViewResult> {
    let (operation, args) = requested(context)?;
    let planned = PreviewedChange::of(context, operation, &args)?;
    if context.request.field("shown").as_deref() != Some(planned.digest().as_str()) {
        let warning =
            "The repository changed after the plan was shown. This is what would change now.";
        return Ok(plan_screen(context, operation, &args, &planned, warning).into());
    }
    let outcome = context.asker.run(operation, args)?;
    Ok(redirect(context, outcome.data["change"].as_str()))
}

/// Undoes a change. The undo is a change too and can be undone itself.
fn undo(context: &ViewContext<'_>) -> Result<ViewResult> {
    let change = context.request.field("change");
    let change = change.ok_or_else(|| Problem::invalid("the form names no change"))?;
    let args = JsonObject::from_iter([("change".to_owned(), json!(change))]);
    let outcome = context.asker.run("undo", args)?;
    let done = outcome.data["change"].as_str().map(|new| format!("{new}{UNDID}{change}"));
    Ok(redirect(context, done.as_deref()))
}

/// Back to where the form was, with the number of the change.
fn redirect(context: &ViewContext<'_>, change: Option<&str>) -> ViewResult {
    let back = back(context);
    let sign = if back.contains('?') { '&' } else { '?' };
    ViewResult::Redirect(format!("{back}{sign}{}", query_pair(DONE, change.unwrap_or(NOTHING))))
}

/// The address that a form came from: one of this server.
fn back(context: &ViewContext<'_>) -> String {
    let back = context.request.field("back").unwrap_or_default();
    let is_local =
        back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\n', '\r']);
    if is_local { back } else { "/".to_owned() }
}

/// Says that a change was made, and offers to undo it.
pub(crate) fn notice(context: &ViewContext<'_>, done: &str) -> Markup {
    let (change, undone) = match done.split_once(UNDID) {
        Some((change, undone)) => (change, Some(undone)),
        None => (done, None),
    };
    html! {
        div.notice role="status" {
            @if change == NOTHING { p { "Nothing had to change." } } @else {
                @if let Some(undone) = undone { p { "Change " (undone) " is undone." } }
                @else { p { "Change " (change) " is made." } }
                @if !context.read_only {
                    form.inline method="post" action="/undo" {
                        (own_fields(context, "undo", &context.request.address()))
                        input type="hidden" name="change" value=(change);
                        button type="submit" { @if undone.is_some() { "Redo" } @else { "Undo" } }
                    }
                }
            }
        }
    }
}

/// The hidden fields of every form: its operation, the address to return to, and the token that
/// shows that the form is from this page.
fn own_fields(context: &ViewContext<'_>, operation: &str, back: &str) -> Markup {
    html! {
        input type="hidden" name="form_token" value=(context.request.form_token);
        @if !operation.is_empty() { input type="hidden" name="operation" value=(operation); }
        input type="hidden" name="back" value=(back);
    }
}

/// A form on one line. Without an operation, one of its controls names it.
pub(crate) fn inline_form(
    context: &ViewContext<'_>,
    operation: &str,
    hidden: &[(&str, &str)],
    controls: Markup,
    button: &str,
) -> Markup {
    form(context, "inline", operation, hidden, controls, button)
}

/// A form whose fields stand below each other.
pub(crate) fn stacked_form(
    context: &ViewContext<'_>,
    operation: &str,
    hidden: &[(&str, &str)],
    controls: Markup,
    button: &str,
) -> Markup {
    form(context, "stack", operation, hidden, controls, button)
}

#[expect(clippy::needless_pass_by_value, reason = "markup is made for its one use")]
fn form(
    context: &ViewContext<'_>,
    class: &str,
    operation: &str,
    hidden: &[(&str, &str)],
    controls: Markup,
    button: &str,
) -> Markup {
    let is_known = operation.is_empty() || ops::find(operation).is_ok();
    if context.read_only || !is_known {
        return html! {};
    }
    html! {
        form class=(class) method="post" action="/plan" {
            (own_fields(context, operation, &context.request.address()))
            @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
            (controls)
            div.actions { button type="submit" { (button) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(diff: &str) -> String {
        PreviewedChange { says: String::new(), diff: diff.into(), since: Vec::new() }.digest()
    }

    #[test]
    fn a_plan_is_recognised_by_what_it_changes() {
        let first =
            "+ section 01a1ec12-5a5d-7ab7-a9af-7140a1da4abe \"A\" 2026-11-18T00:33:08.189260Z";
        let again =
            "+ section 01a1ec1d-d389-7514-b229-8eaef7623a4c \"A\" 2026-11-18T00:47:14.525014Z";
        assert_eq!(digest(first), digest(again));
        assert_ne!(digest(first), digest(&first.replace("\"A\"", "\"B\"")));
        assert_ne!(digest("+status: draft"), digest("+status: accepted"));
        assert_ne!(digest("version 1-2"), digest("version 1-3"));
    }
}
