//! The three kinds of operation. What each kind is given decides what it can do.

use std::sync::Arc;

use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::alias::OpAlias;
use super::args::NodeTarget;
use super::page::Render;
use crate::plan::Plan;
use crate::view::View;
use crate::workspace::Workspace;

/// A door: one way in to cairn. Each operation declares the doors that reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The command line
    Cli,
    /// Agents, over the Model Context Protocol
    Mcp,
    /// Programs, over HTTP
    Http,
}

impl Door {
    /// Every door.
    pub const ALL: &[Self] = &[Self::Cli, Self::Mcp, Self::Http];
    /// Only the command line, for operations that an agent must not be tricked into running.
    pub const PERSON: &[Self] = &[Self::Cli];
}

/// When an agent's tool list shows an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolVisibility {
    /// Always
    Everyday,
    /// When its group is requested by name: the first word of its own name
    Group,
}

/// What an operation changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing
    Read,
    /// It changes authored, durable or derived data
    Write {
        /// Whether existing data may be lost
        destructive: bool,
        /// Whether doing it twice is the same as doing it once
        idempotent: bool,
    },
}

impl Effect {
    /// New data is added.
    pub const ADDS: Self = Self::Write { destructive: false, idempotent: false };
    /// Only derived data is rebuilt.
    pub const REBUILDS: Self = Self::Write { destructive: false, idempotent: true };
    /// Existing data is changed.
    pub const OVERWRITES: Self = Self::Write { destructive: true, idempotent: false };
}

/// A command line that shows an operation at work.
#[derive(Debug, Clone, Copy)]
pub struct OpExample {
    /// The arguments, as typed after the operation's own words
    pub args: &'static str,
    /// What it shows, as a sentence without its full stop
    pub shows: &'static str,
}

/// A field that a person at a terminal is asked for when it was left out.
#[derive(Debug, Clone, Copy)]
pub struct FieldPrompt {
    /// The field
    pub field: &'static str,
    /// What to ask
    pub question: &'static str,
}

/// An operation's input is a group of CLI arguments and a JSON object at once.
pub trait OpInput: Args + DeserializeOwned + Serialize + JsonSchema {}
impl<T: Args + DeserializeOwned + Serialize + JsonSchema> OpInput for T {}

/// An operation's answer is JSON for programs and a page for readers.
pub trait OpOutput: Serialize + JsonSchema + Render + Send + 'static {}
impl<T: Serialize + JsonSchema + Render + Send + 'static> OpOutput for T {}

/// An operation that only reads.
pub trait Query: OpInput {
    /// `group.verb`, or one word
    const NAME: &'static str;
    /// The doors that reach it
    const DOORS: &'static [Door] = Door::ALL;
    /// When agents see it listed
    const VISIBILITY: ToolVisibility = ToolVisibility::Group;
    /// Older names and shapes
    const ALIASES: &'static [OpAlias] = &[];
    /// Command lines that show its use
    const EXAMPLES: &'static [OpExample] = &[];
    /// Whether the answer depends on who asks. To find that out, the command line must run git.
    const NEEDS_ACTOR: bool = false;
    /// What it answers
    type Answer: OpOutput;
    /// The targets that decide what is read. If all of them name files, the question can be
    /// answered from these files while the first index is built. None: it waits for the index.
    fn named_targets(&self) -> Vec<&NodeTarget> {
        Vec::new()
    }
    /// Answers from one consistent view.
    fn run(self, view: &View) -> Result<Self::Answer>;
}

/// An operation that changes authored or durable data. It plans; the engine commits.
pub trait Mutation: OpInput {
    /// `group.verb`, or one word
    const NAME: &'static str;
    /// What committing its plan does
    const EFFECT: Effect;
    /// The doors that reach it
    const DOORS: &'static [Door] = Door::ALL;
    /// When agents see it listed
    const VISIBILITY: ToolVisibility = ToolVisibility::Group;
    /// Older names and shapes
    const ALIASES: &'static [OpAlias] = &[];
    /// Command lines that show its use
    const EXAMPLES: &'static [OpExample] = &[];
    /// What a person is asked for when a required field was left out
    const PROMPTS: &'static [FieldPrompt] = &[];
    /// What it answers once its plan is committed
    type Answer: OpOutput;
    /// Plans the change. It may be called a second time, under the lock.
    fn plan(self, view: &View) -> Result<Plan<Self::Answer>>;
    /// Adds to the answer what is only known after the commit. It cannot fail, because the change is
    /// already committed.
    fn committed(_view: &View, _answer: &mut Self::Answer) {}
}

/// An operation on the workspace itself: its cache, its hooks, its servers.
pub trait Action: OpInput {
    /// `group.verb`, or one word
    const NAME: &'static str;
    /// What it does
    const EFFECT: Effect;
    /// The doors that reach it
    const DOORS: &'static [Door] = Door::ALL;
    /// When agents see it listed
    const VISIBILITY: ToolVisibility = ToolVisibility::Group;
    /// Older names and shapes
    const ALIASES: &'static [OpAlias] = &[];
    /// Command lines that show its use
    const EXAMPLES: &'static [OpExample] = &[];
    /// What it answers
    type Answer: OpOutput;
    /// Does it.
    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<Self::Answer>;
}
