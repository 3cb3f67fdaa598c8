//! The reference pages, written from the table of operations. `codegen --check` fails if one is out
//! of date.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use engine::{Door, Effect, OpSpec, ToolVisibility};
use operations::ops;
use serde_json::Value;

use crate::run::XtaskResult;

/// Says at the top of each page that it is not to be edited.
const GENERATED_NOTE: &str =
    "<!-- Written by `cargo xtask codegen` from the table of operations. -->\n";

/// Writes the pages.
pub(crate) fn write(root: &Path) -> XtaskResult<()> {
    for (path, text) in pages() {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap_or(root)).map_err(|error| error.to_string())?;
        fs::write(file, text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Fails if a page differs from what would be written.
pub(crate) fn check(root: &Path) -> XtaskResult<()> {
    let is_stale = |(path, text): &(&'static str, String)| {
        fs::read_to_string(root.join(path)).map_or(true, |found| found != *text)
    };
    let stale: Vec<&str> = pages().iter().filter(|page| is_stale(page)).map(|(p, _)| *p).collect();
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("out of date: {}; run  cargo xtask codegen", stale.join(", ")))
}

/// Like [`GENERATED_NOTE`], for the page that is written from the model of the settings.
const CONFIG_NOTE: &str =
    "<!-- Written by `cargo xtask codegen` from the model in crates/config. -->\n";

fn pages() -> [(&'static str, String); 5] {
    [
        ("docs/reference/cli.md", cli()),
        ("docs/reference/mcp.md", mcp()),
        ("docs/reference/aliases.md", format!("{GENERATED_NOTE}{}", crate::alias_page::page())),
        ("docs/reference/cairn-jsonc.md", format!("{CONFIG_NOTE}{}", crate::config_page::page())),
        ("docs/reference/cairn.schema.json", format!("{:#}\n", config::schema())),
    ]
}

fn cli() -> String {
    let mut text = format!("{GENERATED_NOTE}\n# Command line\n\n");
    let mut root = cairn::cli::command().term_width(90);
    let _ = writeln!(
        text,
        "```text\n{}```",
        trim_trailing_blanks(&root.render_long_help().to_string())
    );
    for op in ops::ALL.iter().filter(|op| op.is_reachable_from(Door::Cli)) {
        let words = op.words();
        let mut leaf = cairn::cli::command().term_width(90);
        for word in words.split(' ') {
            leaf = leaf.find_subcommand(word).expect("every operation is a command").clone();
        }
        let mut leaf = leaf.bin_name(format!("cairn {words}")).term_width(90);
        let help = trim_trailing_blanks(&leaf.render_long_help().to_string());
        let _ = writeln!(text, "\n## `cairn {words}`\n\n```text\n{help}```");
    }
    text + EXIT_CODES
}

const EXIT_CODES: &str = "
## Exit codes

| code | meaning |
|---|---|
| 0 | fine |
| 1 | findings: the answer reports something that a gate should stop at |
| 2 | the request was wrong |
| 3 | busy, out of time, an I/O failure or a damaged store |
| 70 | a bug in cairn |
";

fn mcp() -> String {
    let mut text = format!("{GENERATED_NOTE}\n# MCP and HTTP\n\n{DOORS_TEXT}\n");
    for op in ops::ALL.iter().filter(|op| op.is_reachable_from(Door::Mcp)) {
        describe(&mut text, op);
    }
    text
}

const DOORS_TEXT: &str = "\
`cairn mcp` serves on stdin and stdout, `cairn mcp --http` at `/mcp`. Listed by default are the
operations marked *everyday*, and `help`, `ask` and `run`, which reach all others by name:
`ask {\"operation\": \"deps\", \"arguments\": {\"target\": \"README.md\"}}`. `--toolsets GROUP,…` or
`all` lists more, `--read-only` drops every write. The same operations answer
`POST /api/<operation>` with the JSON envelope `{data, basis, page?}` or `{error}`.
";

fn describe(text: &mut String, op: &OpSpec) {
    let listed = if op.visibility == ToolVisibility::Everyday { "everyday" } else { "by group" };
    let effect = match op.effect {
        Effect::Read => "reads",
        Effect::Write { destructive: true, .. } => "writes, may overwrite",
        Effect::Write { .. } => "writes",
    };
    let _ =
        writeln!(text, "## `{}`\n\n{}\n\n*{listed}; {effect}*", op.tool_name(), op.description());
    let names: Vec<String> = op.aliases.iter().map(|alias| format!("`{}`", alias.name)).collect();
    if !names.is_empty() {
        let _ = writeln!(text, "\nAlso called {}.", names.join(", "));
    }
    let schema = (op.input_schema)();
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
    if fields.is_empty() {
        text.push('\n');
        return;
    }
    let _ = writeln!(text, "\n| argument | type | default | meaning |\n|---|---|---|---|");
    for (name, field) in fields {
        let needed = required.iter().any(|field| field == name);
        let default = field.get("default").map(ToString::to_string).unwrap_or_default();
        let default = if needed { "required".into() } else { default };
        let kind = field.get("enum").or_else(|| field.get("type")).map(ToString::to_string);
        let kind = kind.unwrap_or_default().replace('"', "");
        let meaning = field["description"].as_str().unwrap_or_default();
        let _ = writeln!(text, "| `{name}` | {kind} | {default} | {meaning} |");
    }
    text.push('\n');
}

/// The help without trailing blanks, so that editors do not change the page.
fn trim_trailing_blanks(help: &str) -> String {
    help.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
