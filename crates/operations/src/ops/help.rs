//! `help`: lists and explains the operations, from their table.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ALL, find_all};
use engine::contract::alias::OpAlias;
use engine::contract::op::{Door, OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, PageCell, Render};
use engine::contract::schema::JsonObject;
use engine::contract::spec::OpSpec;
use engine::view::View;

/// List all operations, or explain one with its arguments
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Help {
    /// Operation to explain, such as `impact`, or a group to list, such as `kb`
    #[serde(default)]
    pub operation: Option<String>,
}

/// Operations; one that was asked for has its input schema
#[derive(Debug, Serialize, JsonSchema)]
pub struct HelpAnswer {
    /// The operations
    pub operations: Vec<OperationHelp>,
}

/// One operation
#[derive(Debug, Serialize, JsonSchema)]
pub struct OperationHelp {
    /// Its name
    pub name: &'static str,
    /// Whether it only reads: then agents reach it by `ask`, otherwise by `run`
    pub reads_only: bool,
    /// Whether only a person at a terminal can call it
    pub cli_only: bool,
    /// What it does
    pub description: String,
    /// Its arguments, as a JSON schema
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<JsonObject>,
    /// Example command lines
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The older tool names that were asked for and lead to it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub older_names: Vec<String>,
}

impl Query for Help {
    const NAME: &'static str = "help";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "impact", shows: "one operation with its arguments" }];
    type Answer = HelpAnswer;

    fn run(self, _: &View) -> Result<HelpAnswer> {
        Ok(match self.operation {
            None => HelpAnswer {
                operations: ALL.iter().map(|op| operation_help(op, op.summary())).collect(),
            },
            Some(name) => {
                let group = in_group(&name);
                let operations = match group.is_empty() {
                    true => find_all(&name)?.into_iter().map(|op| full_help(op, &name)).collect(),
                    false => group.iter().map(|op| operation_help(op, op.summary())).collect(),
                };
                HelpAnswer { operations }
            }
        })
    }
}

/// The operations of a group, such as `kb`; none if the name means an operation.
fn in_group(name: &str) -> Vec<&'static OpSpec> {
    let group = name.trim();
    let is_in = |op: &&OpSpec| op.name.split_once('.').is_some_and(|(own, _)| own == group);
    if ALL.iter().any(|op| op.name == group) {
        return Vec::new();
    }
    ALL.iter().filter(is_in).collect()
}

/// An operation with its arguments and examples, and the older name that it was asked for by.
fn full_help(op: &OpSpec, name: &str) -> OperationHelp {
    let example = |e: &OpExample| format!("cairn {} {}", op.words(), e.args);
    let examples = op.examples.iter().map(example).collect();
    let older = op.aliases.iter().filter(|alias| alias.name == name.trim());
    let selected = |alias: &OpAlias| match alias.selector {
        Some((key, value)) => format!("{} with {key}: \"{value}\"", alias.name),
        None => alias.name.to_owned(),
    };
    let older_names = older.map(selected).collect();
    let input = Some((op.input_schema)());
    OperationHelp { input, examples, older_names, ..operation_help(op, op.description()) }
}

fn operation_help(op: &OpSpec, description: String) -> OperationHelp {
    let cli_only = !op.is_reachable_from(Door::Mcp);
    let (examples, older_names) = (Vec::new(), Vec::new());
    let (name, reads_only) = (op.name, op.is_read_only());
    OperationHelp { name, reads_only, cli_only, description, input: None, examples, older_names }
}

impl Render for HelpAnswer {
    fn render(&self, page: &mut Page) {
        if self.operations.iter().all(|op| op.input.is_some()) {
            return self.operations.iter().for_each(|op| op.render_full(page));
        }
        page.answer(format!("{} operations; `help NAME` explains one", self.operations.len()));
        let cells = |op: &OperationHelp| {
            vec![
                PageCell::handle(op.name),
                PageCell::faint(op.access()),
                PageCell::text(&op.description),
            ]
        };
        page.table(0, self.operations.iter().map(cells).collect());
    }
}

impl OperationHelp {
    fn access(&self) -> &'static str {
        match (self.cli_only, self.reads_only) {
            (true, _) => "cli",
            (false, true) => "ask",
            (false, false) => "run",
        }
    }

    fn render_full(&self, page: &mut Page) {
        page.heading(format!("{} ({})", self.name, self.access()));
        if !self.older_names.is_empty() {
            page.item("called by", self.older_names.join(", "));
        }
        self.description.lines().for_each(|line| page.say(line));
        let Some(input) = &self.input else { return };
        let required = input.get("required").and_then(|list| list.as_array().cloned());
        let required = required.unwrap_or_default();
        let Some(fields) = input.get("properties").and_then(|fields| fields.as_object()) else {
            return;
        };
        page.heading("Arguments");
        let rows = fields.iter().flat_map(|(name, field)| {
            let is_required = required.iter().any(|field| field == name);
            let items = field.get("items");
            let inner = items.and_then(|items| items.get("properties")?.as_object());
            let inner = inner.into_iter().flatten();
            let inner =
                inner.map(|(own, field)| argument_row(&format!("{name}[].{own}"), field, false));
            // The description of the items of a list, such as which statuses belong to which type.
            let detail = items.and_then(|items| items.get("description")).map(value_text);
            let detail = detail.map(|text| [String::new(), String::new(), String::new(), text]);
            let detail = detail.map(|cells| cells.map(PageCell::text).to_vec());
            let own = argument_row(name, field, is_required);
            [own].into_iter().chain(detail).chain(inner).collect::<Vec<_>>()
        });
        page.table(2, rows.collect());
        if !self.examples.is_empty() {
            page.heading("Examples");
            self.examples.iter().for_each(|example| page.say(format!("  {example}")));
        }
    }
}

/// A row about an argument, or about a field of its items.
fn argument_row(name: &str, field: &serde_json::Value, is_required: bool) -> Vec<PageCell> {
    let text = |key: &str| field.get(key).map(value_text);
    let default = text("default").map(|value| format!("default {value}"));
    let state = if is_required { Some("required".into()) } else { default };
    vec![
        PageCell::strong(name),
        PageCell::text(choices(field).or_else(|| text("type")).unwrap_or_default()),
        PageCell::faint(state.unwrap_or_default()),
        PageCell::text(text("description").unwrap_or_default()),
    ]
}

/// The values that a field or its items accept, if they are enumerated.
fn choices(field: &serde_json::Value) -> Option<String> {
    let own = field.get("enum").map(value_text);
    own.or_else(|| {
        field.get("items")?.get("enum").map(|items| format!("list of {}", value_text(items)))
    })
}

/// A value of a schema as text.
fn value_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(choices) => {
            choices.iter().map(value_text).collect::<Vec<_>>().join(" | ")
        }
        other => other.to_string(),
    }
}
