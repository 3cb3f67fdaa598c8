//! `help`: what can be asked, from the table itself.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ALL, called};
use crate::contract::alias::Alias;
use crate::contract::op::{Door, Example, Query, Toolset};
use crate::contract::page::{Cell, Page, Render};
use crate::contract::schema::Object;
use crate::contract::spec::OpSpec;
use crate::view::View;

/// List all operations, or explain one with its arguments
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Help {
    /// Operation to explain, such as `impact`
    #[serde(default)]
    pub operation: Option<String>,
}

/// Operations, with the input schema where one was asked for
#[derive(Debug, Serialize, JsonSchema)]
pub struct Helped {
    /// The operations
    pub operations: Vec<Known>,
}

/// One operation
#[derive(Debug, Serialize, JsonSchema)]
pub struct Known {
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
    pub input: Option<Object>,
    /// Command lines that show it at work
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The older tool names that were asked for and lead to it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub older_names: Vec<String>,
}

impl Query for Help {
    const NAME: &'static str = "help";
    const TOOLSET: Toolset = Toolset::Everyday;
    const EXAMPLES: &'static [Example] =
        &[Example { args: "impact", shows: "one operation with its arguments" }];
    type Answer = Helped;

    fn run(self, _: &View) -> Result<Helped> {
        Ok(match self.operation {
            None => Helped { operations: ALL.iter().map(|op| known(op, op.summary())).collect() },
            Some(name) => Helped {
                operations: called(&name)?.into_iter().map(|op| whole(op, &name)).collect(),
            },
        })
    }
}

/// An operation with its arguments and examples, and how an older name leads to it.
fn whole(op: &OpSpec, name: &str) -> Known {
    let example = |e: &Example| format!("cairn {} {}", op.words(), e.args);
    let examples = op.examples.iter().map(example).collect();
    let older = op.aliases.iter().filter(|alias| alias.name == name.trim());
    let selected = |alias: &Alias| match alias.selector {
        Some((key, value)) => format!("{} with {key}: \"{value}\"", alias.name),
        None => alias.name.to_owned(),
    };
    let older_names = older.map(selected).collect();
    let input = Some((op.input_schema)());
    Known { input, examples, older_names, ..known(op, op.description()) }
}

fn known(op: &OpSpec, description: String) -> Known {
    let cli_only = !op.opens(Door::Mcp);
    let (examples, older_names) = (Vec::new(), Vec::new());
    let (name, reads_only) = (op.name, op.reads());
    Known { name, reads_only, cli_only, description, input: None, examples, older_names }
}

impl Render for Helped {
    fn render(&self, page: &mut Page) {
        if self.operations.iter().all(|op| op.input.is_some()) {
            return self.operations.iter().for_each(|op| op.explain(page));
        }
        page.answer(format!("{} operations; `help NAME` explains one", self.operations.len()));
        let cells = |op: &Known| {
            vec![Cell::handle(op.name), Cell::faint(op.way_in()), Cell::text(&op.description)]
        };
        page.table(0, self.operations.iter().map(cells).collect());
    }
}

impl Known {
    fn way_in(&self) -> &'static str {
        match (self.cli_only, self.reads_only) {
            (true, _) => "cli",
            (false, true) => "ask",
            (false, false) => "run",
        }
    }

    fn explain(&self, page: &mut Page) {
        page.heading(format!("{} ({})", self.name, self.way_in()));
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
        let rows = fields.iter().map(|(name, field)| {
            let text = |key: &str| field.get(key).map(words);
            let needed = required.iter().any(|field| field == name);
            let default = text("default").map(|value| format!("default {value}"));
            let state = if needed { Some("required".into()) } else { default };
            vec![
                Cell::strong(name),
                Cell::text(choices(field).or_else(|| text("type")).unwrap_or_default()),
                Cell::faint(state.unwrap_or_default()),
                Cell::text(text("description").unwrap_or_default()),
            ]
        });
        page.table(2, rows.collect());
        if !self.examples.is_empty() {
            page.heading("Examples");
            self.examples.iter().for_each(|example| page.say(format!("  {example}")));
        }
    }
}

/// The values that a field takes, or its items do, if these are all known.
fn choices(field: &serde_json::Value) -> Option<String> {
    let own = field.get("enum").map(words);
    own.or_else(|| field.get("items")?.get("enum").map(|items| format!("list of {}", words(items))))
}

/// A value of a schema as a person says it.
fn words(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(choices) => {
            choices.iter().map(words).collect::<Vec<_>>().join(" | ")
        }
        other => other.to_string(),
    }
}
