//! Operations as MCP tools: which ones are listed, and which operation a tool call means.

use base::{Problem, ProblemCode, Result};
use engine::{Door, Effect, JsonObject, OpSpec, ToolVisibility, current_area, schema};
use operations::ops;
use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;

use super::ServerOptions;
use crate::perform::check_allowed;

/// A tool that calls operations by name, including those that are not listed.
struct IndirectTool {
    name: &'static str,
    description: &'static str,
    effect: Effect,
}

const ASK: IndirectTool = IndirectTool {
    name: "ask",
    description: "Call any operation that only reads, by its name in `help`",
    effect: Effect::Read,
};

const RUN: IndirectTool = IndirectTool {
    name: "run",
    description: "Call any operation that writes, by its name in `help`",
    effect: Effect::OVERWRITES,
};

/// A call of an operation that is not listed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct IndirectCall {
    /// Operation, as `help` lists it
    operation: String,
    /// Its arguments
    #[serde(default)]
    arguments: JsonObject,
}

/// The tools that a server with these options lists, always in the same order.
pub(super) fn list(options: &ServerOptions) -> Vec<Tool> {
    let listed = ops::ALL.iter().filter(|op| is_listed(op, options));
    let mut tools: Vec<Tool> = listed.map(|op| tool(op, options.structured)).collect();
    tools.push(indirect_tool(&ASK));
    if !options.read_only {
        tools.push(indirect_tool(&RUN));
    }
    tools
}

/// Which operation a tool call means, if this server may run it.
pub(super) fn resolve_call(
    tool: &str,
    args: JsonObject,
    read_only: bool,
) -> Result<(&'static OpSpec, JsonObject)> {
    let (op, args) = match tool {
        name if name == ASK.name || name == RUN.name => resolve_indirect(name, args)?,
        name => ops::resolve(name, args)?,
    };
    check_allowed(op, Door::Mcp, read_only)?;
    Ok((op, args))
}

fn is_listed(op: &OpSpec, options: &ServerOptions) -> bool {
    let asked = |name: &String| name == "all" || current_area(name) == op.group();
    let wanted = op.visibility == ToolVisibility::Everyday || options.toolsets.iter().any(asked);
    wanted && check_allowed(op, Door::Mcp, options.read_only).is_ok()
}

fn resolve_indirect(tool: &str, args: JsonObject) -> Result<(&'static OpSpec, JsonObject)> {
    let call: IndirectCall = serde_json::from_value(args.into()).map_err(|error| {
        Problem::invalid(error.to_string())
            .hint(format!("for example  {tool} {{\"operation\": \"status\", \"arguments\": {{}}}}"))
    })?;
    let (op, args) = ops::resolve(&call.operation, call.arguments)?;
    let (right, message) = match op.is_read_only() {
        true => {
            (ASK.name, format!("`{}` reads; `{tool}` runs only operations that write", op.name))
        }
        false => {
            (RUN.name, format!("`{}` writes; `{tool}` runs only operations that read", op.name))
        }
    };
    if right == tool {
        return Ok((op, args));
    }
    Err(Problem::new(ProblemCode::InvalidOperation, message).hint(format!("use `{right}`")))
}

fn tool(op: &OpSpec, structured: bool) -> Tool {
    let (whole, input) = ((op.input_schema)(), schema::listed_input((op.input_schema)()));
    let fields = |schema: &JsonObject| schema["properties"].as_object().map_or(0, JsonObject::len);
    let description = match fields(&input) < fields(&whole) {
        true => {
            let text = op.description().trim_end().trim_end_matches('.').to_owned();
            format!("{text}. More arguments: `help`.")
        }
        false => op.description(),
    };
    let tool =
        Tool::new(op.tool_name(), description, input).with_annotations(annotations(op.effect));
    if structured { tool.with_raw_output_schema((op.output_schema)().into()) } else { tool }
}

fn indirect_tool(tool: &IndirectTool) -> Tool {
    Tool::new(tool.name, tool.description, schema::input::<IndirectCall>())
        .with_annotations(annotations(tool.effect))
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let closed = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Read => closed.read_only(true),
        Effect::Write { destructive, idempotent } => {
            closed.read_only(false).destructive(destructive).idempotent(idempotent)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};
    use serde_json::{Value, json};

    use super::*;

    fn options(flags: &[&str]) -> ServerOptions {
        let command = ServerOptions::augment_args(Command::new("mcp").no_binary_name(true));
        ServerOptions::from_arg_matches(&command.get_matches_from(flags)).unwrap()
    }

    fn names(flags: &[&str]) -> Vec<String> {
        list(&options(flags)).iter().map(|tool| tool.name.to_string()).collect()
    }

    fn called(tool: &str, args: Value, read_only: bool) -> Result<&'static str, ProblemCode> {
        let args = serde_json::from_value(args).unwrap();
        resolve_call(tool, args, read_only).map(|(op, _)| op.name).map_err(|problem| problem.code)
    }

    #[test]
    fn the_list_follows_the_launch() {
        let everyday = [
            "context",
            "search",
            "impact",
            "review",
            "explain",
            "verify",
            "code_show",
            "code_zoom",
            "code_find",
            "code_grep",
            "code_edit",
            "work_start",
            "work_done",
            "help",
            "ask",
            "run",
        ];
        assert_eq!(names(&[]), everyday);
        let all = names(&["--toolsets", "all"]);
        assert!(all.contains(&"undo".into()) && !all.contains(&"init".into()));
        let reads = names(&["--toolsets", "undo,sync", "--read-only"]);
        let is_read =
            |name: &&str| !matches!(*name, "run" | "code_edit" | "work_start" | "work_done");
        let expected: Vec<&str> = everyday.into_iter().filter(is_read).collect();
        assert_eq!(reads, expected, "all but what writes");
    }

    #[test]
    fn reads_and_writes_have_their_own_way_in() {
        assert_eq!(called("run", json!({"operation": "undo"}), false), Ok("undo"));
        let refused = Err(ProblemCode::InvalidOperation);
        assert_eq!(called("ask", json!({"operation": "undo"}), false), refused);
        assert_eq!(called("run", json!({"operation": "help"}), false), refused);
        assert_eq!(called("run", json!({"operation": "init"}), false), refused);
        assert_eq!(called("init", json!({}), false), refused);
        assert_eq!(called("get_context", json!({"target": "a"}), false), Ok("context"));
        assert_eq!(called("nonsense", json!({}), false), Err(ProblemCode::NotFound));
        for (tool, args) in [("undo", json!({})), ("run", json!({"operation": "undo"}))] {
            assert_eq!(called(tool, args, true), refused);
        }
    }
}
