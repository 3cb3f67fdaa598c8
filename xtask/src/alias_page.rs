//! The reference page of older tool names, written from the table of operations.

use std::fmt::Write as _;

use engine::OpSpec;
use engine::contract::alias::OpAlias;
use operations::ops;

/// What the page says before the table.
const INTRODUCTION: &str = "\
cairn merges the designs of five earlier tools. Agents and scripts that were written for them can keep the names and arguments
that they use: each name below is accepted over MCP, over HTTP and by `ask` and `run`, but not listed. `cairn help NAME` explains
the operation behind it.

| tool | what it was | its names |
|---|---|---|
| cards | specifications as Markdown files, linked from code | `get_context`, `list_cards`, `impact_analysis` … |
| knowledge base | requirements, decisions, tests and facts of a branch | `kb.query`, `kb.upsert` … |
| kiste | git history as an index | `kiste_…`, `get_artifact`, `get_provenance` … |
| kart | code by symbols | `kart_…` |
| task orchestrator | projects, features, tasks; molecules and atoms | `manage_container`, `query_graph`, `advance` … |

Where one older name stands for several operations, an argument decides which one. Arguments that are not in the last column have
the same name, in snake case or camel case. On the command line a name that needs no translation is accepted as words, such as
`cairn card add` or `cairn kb sync`.
";

/// The page: one row for each older name and each operation that it leads to.
pub(crate) fn page() -> String {
    let mut rows: Vec<String> =
        ops::ALL.iter().flat_map(|op| op.aliases.iter().map(|alias| row(op, alias))).collect();
    rows.sort();
    let mut text = format!("\n# Older names of operations\n\n{INTRODUCTION}\n");
    text.push_str("| older name | if | operation | arguments that differ |\n|---|---|---|---|\n");
    text + &rows.concat()
}

fn row(op: &OpSpec, alias: &OpAlias) -> String {
    let condition = alias.selector.map(|(key, value)| format!("`{key}` is `{value}`"));
    let mut changes: Vec<String> =
        alias.renames.iter().map(|(theirs, ours)| format!("`{theirs}` is `{ours}`")).collect();
    if let Some([first, second, between, ours]) = alias.join {
        let first = first.replace('|', "` or `");
        changes.push(format!("`{first}` and `{second}` are `{ours}`, joined by `{between}`"));
    }
    changes.extend(alias.lifts.iter().map(|key| format!("fields of `{key}` are arguments")));
    let preset = |(key, json): &(&str, &str)| {
        let value: Vec<&str> = json.split_whitespace().collect();
        format!("`{key}` is `{}` if left out", value.join(" "))
    };
    changes.extend(alias.presets.iter().map(preset));
    let mut row = String::new();
    let _ = writeln!(
        row,
        "| `{}` | {} | `{}` | {} |",
        alias.name,
        condition.unwrap_or_default(),
        op.name,
        changes.join("; ")
    );
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_how_the_arguments_are_translated() {
        let page = page();
        let next = "| `get_next_task` |  | `work.next` | `kind` is `\"task\"` if left out |\n";
        assert!(page.contains(next), "{page}");
        let zoom = "`path` or `file` and `symbol` are `target`, joined by `#`";
        assert!(page.contains(&format!("| `kart_definition` |  | `code.definition` | {zoom} |\n")));
        let cards = "| `impact_analysis` |  | `impact` | `card_key` is `target` |\n";
        assert!(page.contains(cards), "{page}");
    }
}
