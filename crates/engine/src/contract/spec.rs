//! An operation with its types erased: everything a door may know about it.
//!
//! @see spec::answers/doors

use std::sync::Arc;

use base::call::CallRequest;
use base::{Call, NextCall, Problem, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::alias::{OpAlias, snake_case};
use super::answer::{AnswerEnvelope, Basis, LazyJson, OpAnswer, Outcome};
use super::op::{
    Action, Door, Effect, FieldPrompt, Mutation, OpExample, OpInput, OpOutput, Query,
    ToolVisibility,
};
use super::page::Page;
use super::schema::{self, JsonObject};
use super::synonyms;
use crate::plan::MutationAnswer;
use crate::view::View;
use crate::workspace::Workspace;

/// The argument that every mutation has and none declares.
const DRY_RUN: (&str, &str) = ("dry_run", "Show what would change, write nothing");

/// The object in which the older tools took filters.
const FILTERS: &str = "filters";

/// One row of the table of operations.
#[derive(Debug, Clone, Copy)]
pub struct OpSpec {
    /// `group.verb`, or one word
    pub name: &'static str,
    /// The doors that reach it
    pub doors: &'static [Door],
    /// When agents see it listed
    pub visibility: ToolVisibility,
    /// What it changes
    pub effect: Effect,
    /// Older names and shapes
    pub aliases: &'static [OpAlias],
    /// Command lines that show its use
    pub examples: &'static [OpExample],
    /// What a person is asked for when a required field was left out
    pub prompts: &'static [FieldPrompt],
    /// Whether the answer depends on who asks
    pub needs_actor: bool,
    /// What it accepts
    pub input_schema: fn() -> JsonObject,
    /// What it answers
    pub output_schema: fn() -> JsonObject,
    /// Its arguments on the command line
    pub command: fn() -> Command,
    /// Arguments from the command line, as JSON
    pub from_cli: fn(&ArgMatches) -> Result<JsonObject, clap::Error>,
    accepts: fn(&JsonObject) -> bool,
    run: fn(&Workspace, Arc<Call>, JsonObject) -> Outcome,
}

impl OpSpec {
    /// An operation that only reads.
    pub const fn query<Q: Query>() -> Self {
        Self {
            name: Q::NAME,
            doors: Q::DOORS,
            visibility: Q::VISIBILITY,
            effect: Effect::Read,
            aliases: Q::ALIASES,
            examples: Q::EXAMPLES,
            prompts: &[],
            needs_actor: Q::NEEDS_ACTOR,
            input_schema: schema::input::<Q>,
            output_schema: schema::output::<AnswerEnvelope<Q::Answer>>,
            command: command::<Q>,
            from_cli: from_cli::<Q>,
            accepts: accepts::<Q>,
            run: |workspace, call, args| {
                let read = |view: &View<'_>| {
                    let question = parse::<Q>(args.clone())?;
                    view.name_targets(&question.named_targets());
                    question.run(view)
                };
                let (answer, basis) = workspace.read(&call, read)?;
                Ok(to_answer(answer, basis, next_call(Q::NAME, args)))
            },
        }
    }

    /// An operation that plans a change.
    pub const fn mutation<M: Mutation>() -> Self {
        Self {
            name: M::NAME,
            doors: M::DOORS,
            visibility: M::VISIBILITY,
            effect: M::EFFECT,
            aliases: M::ALIASES,
            examples: M::EXAMPLES,
            prompts: M::PROMPTS,
            needs_actor: true,
            input_schema: || with_dry_run(schema::input::<M>()),
            output_schema: schema::output::<AnswerEnvelope<MutationAnswer<M::Answer>>>,
            command: || command::<M>().arg(dry_run_flag()),
            from_cli: |matches| {
                let mut args = from_cli::<M>(matches)?;
                args.insert(DRY_RUN.0.into(), matches.get_flag(DRY_RUN.0).into());
                Ok(args)
            },
            accepts: |args| {
                let mut args = args.clone();
                args.remove(DRY_RUN.0);
                accepts::<M>(&args)
            },
            run: |workspace, call, mut args| {
                let dry_run = take_dry_run(&mut args)?;
                let call = with_request(&call, M::NAME, &args)?;
                let plan = |view: &View<'_>| parse::<M>(args.clone())?.plan(view);
                let written = if dry_run {
                    let planned = plan(&workspace.view(call.clone())?)?;
                    workspace.preview(planned)?
                } else {
                    let mut written = workspace.write(&call, plan)?;
                    if let Ok(view) = workspace.view(call.clone()) {
                        M::committed(&view, &mut written.result);
                    }
                    written
                };
                Ok(to_answer(written, workspace.basis_afterwards(&call), next_call(M::NAME, args)))
            },
        }
    }

    /// An operation on the workspace itself.
    pub const fn action<A: Action>() -> Self {
        Self {
            name: A::NAME,
            doors: A::DOORS,
            visibility: A::VISIBILITY,
            effect: A::EFFECT,
            aliases: A::ALIASES,
            examples: A::EXAMPLES,
            prompts: &[],
            needs_actor: true,
            input_schema: schema::input::<A>,
            output_schema: schema::output::<AnswerEnvelope<A::Answer>>,
            command: command::<A>,
            from_cli: from_cli::<A>,
            accepts: accepts::<A>,
            run: |workspace, call, args| {
                let answer = parse::<A>(args.clone())?.run(workspace, &call)?;
                Ok(to_answer(answer, workspace.basis_afterwards(&call), next_call(A::NAME, args)))
            },
        }
    }

    /// Runs the operation.
    pub fn call(&self, workspace: &Workspace, call: Call, args: JsonObject) -> Outcome {
        let args = self.with_declared_names(args);
        if !self.is_read_only() {
            workspace.data_folders.check()?;
        }
        let asked = next_call(self.name, args.clone());
        (self.run)(workspace, call.into(), args)
            .map_err(|problem| self.with_argument_hints(problem, &asked))
    }

    /// The name as a tool: clients refuse dots.
    pub fn tool_name(&self) -> String {
        self.name.replace('.', "_")
    }

    /// The name as words on the command line.
    pub fn words(&self) -> String {
        self.name.replace('.', " ").replace('_', "-")
    }

    /// The command group that the operation is in, which is the first word of its name: `code` for
    /// `code.zoom`, `impact` for `impact`. Most groups are named after an area; `relation`,
    /// `changelog` and `team` are not.
    pub fn group(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }

    /// Whether it only reads.
    pub fn is_read_only(&self) -> bool {
        self.effect == Effect::Read
    }

    /// Whether a door reaches it.
    pub fn is_reachable_from(&self, door: Door) -> bool {
        self.doors.contains(&door)
    }

    /// The whole doc comment of the input type.
    pub fn description(&self) -> String {
        let command = (self.command)();
        let about = command.get_long_about().or(command.get_about());
        about.map(ToString::to_string).unwrap_or_default()
    }

    /// The first line of the doc comment.
    pub fn summary(&self) -> String {
        self.description().lines().next().unwrap_or_default().into()
    }

    /// The names of its arguments.
    pub fn fields(&self) -> Vec<String> {
        let schema = (self.input_schema)();
        let fields = schema.get("properties").and_then(Value::as_object);
        fields.map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
    }

    /// Arguments under the declared names. Accepts `camelCase`, and other usual names that the
    /// operation does not declare itself.
    fn with_declared_names(&self, args: JsonObject) -> JsonObject {
        let args = self.without_filters(args);
        let schema = (self.input_schema)();
        let has = |name: &str| schema["properties"].get(name).is_some();
        if args.keys().all(|key| has(key)) {
            return args;
        }
        let ours = |key: String| {
            let snake = snake_case(&key);
            if has(&snake) { snake } else { key }
        };
        let args: JsonObject = args.into_iter().map(|(key, value)| (ours(key), value)).collect();
        if (self.accepts)(&args) { args } else { synonyms::with_declared_names(args, &schema) }
    }

    /// Moves arguments out of an object `filters`, as the older tools wrote them.
    fn without_filters(&self, mut args: JsonObject) -> JsonObject {
        if !args.contains_key(FILTERS) || self.fields().iter().any(|field| field == FILTERS) {
            return args;
        }
        match args.remove(FILTERS) {
            Some(Value::Object(filters)) => args.extend(filters),
            Some(Value::Null) | None => {}
            Some(other) => drop(args.insert(FILTERS.into(), other)),
        }
        args
    }

    /// Adds the argument that was probably meant, and where the arguments are listed.
    fn with_argument_hints(&self, mut problem: Problem, asked: &NextCall) -> Problem {
        for hint in &mut problem.hints {
            hint.call = hint.call.take().map(|call| call.resolve_repeat(asked));
        }
        if problem.code != base::ProblemCode::ValidationError || !problem.hints.is_empty() {
            return problem;
        }
        let unknown = problem.message.strip_prefix("unknown field `");
        let unknown = unknown.and_then(|rest| rest.split('`').next()).map(ToOwned::to_owned);
        let fields = self.fields();
        if let Some(name) = unknown {
            problem = problem.hint_near(&name, fields.iter().map(String::as_str));
        }
        let help = NextCall::new("help").with("operation", self.name);
        problem.hint_call("the arguments are listed by", help)
    }
}

/// The call with a record of its request, unless it has one already.
fn with_request(call: &Arc<Call>, operation: &str, args: &JsonObject) -> Result<Arc<Call>> {
    if call.request.is_some() {
        return Ok(call.clone());
    }
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| {
        Problem::internal("no source of randomness").with_source(error.to_string())
    })?;
    let (operation, args) = (operation.to_owned(), args.clone());
    Ok(Arc::new(call.with_request(CallRequest { operation, args, seed, replayed: None })))
}

fn command<I: OpInput>() -> Command {
    I::augment_args(Command::new("operation"))
}

fn from_cli<I: OpInput>(matches: &ArgMatches) -> Result<JsonObject, clap::Error> {
    match json!(I::from_arg_matches(matches)?) {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(JsonObject::new()), // a unit struct: no arguments
        _ => unreachable!("clap only derives structs"),
    }
}

fn parse<I: OpInput>(args: JsonObject) -> Result<I> {
    serde_json::from_value(args.into()).map_err(|error| Problem::invalid(error.to_string()))
}

fn next_call(operation: &str, args: JsonObject) -> NextCall {
    NextCall { operation: operation.into(), args }
}

/// Attaches the basis to an answer. No other code does.
fn to_answer<O: OpOutput>(answer: O, basis: Basis, asked: NextCall) -> OpAnswer {
    let mut page = Page::for_call(asked);
    answer.render(&mut page);
    let (paging, has_findings) = (answer.paging(), answer.has_findings());
    let data = LazyJson::new(Box::new(move || match serde_json::to_value(answer) {
        Ok(data) => data,
        Err(error) => {
            json!({"error": Problem::internal("an answer is not JSON").with_source(error)})
        }
    }));
    OpAnswer { data, page, paging, has_findings, basis }
}

fn accepts<I: OpInput>(args: &JsonObject) -> bool {
    parse::<I>(args.clone()).is_ok()
}

/// A misspelt `dry_run` must never become a write.
fn take_dry_run(args: &mut JsonObject) -> Result<bool> {
    let value = args.remove(DRY_RUN.0).unwrap_or(Value::Bool(false));
    let refused = || Problem::invalid(format!("`dry_run` must be true or false, not {value}"));
    value.as_bool().ok_or_else(refused)
}

fn dry_run_flag() -> Arg {
    Arg::new(DRY_RUN.0).long("dry-run").help(DRY_RUN.1).action(ArgAction::SetTrue)
}

fn with_dry_run(mut schema: JsonObject) -> JsonObject {
    schema["properties"][DRY_RUN.0] =
        json!({"type": "boolean", "default": false, "description": DRY_RUN.1});
    schema
}
