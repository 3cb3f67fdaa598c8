//! What the list of tools costs an agent in tokens. There is one golden file per tool.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::{McpClient, TestRepo};

/// Tokens (o200k) of name, description and input schema: of the tools that are listed by default,
/// of any tool, and of all tools as a mean, so that the bound does not depend on their number.
const MAX_DEFAULT_TOKENS: usize = 2_500;
const MAX_TOOL_TOKENS: usize = 250;
const MAX_MEAN_TOKENS: usize = 135;

fn tools(flags: &[&str]) -> Vec<Value> {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let binary = Path::new(env!("CARGO_BIN_EXE_cairn"));
    let mut client = McpClient::start(binary, &repo.root(), flags);
    let list = client.request("tools/list", json!({}));
    let again = client.request("tools/list", json!({}));
    assert_eq!(list["result"], again["result"]);
    list["result"]["tools"].as_array().unwrap().clone()
}

fn text(tool: &Value) -> String {
    let shown = json!({"name": tool["name"], "description": tool["description"],
        "inputSchema": tool["inputSchema"]});
    shown.to_string()
}

fn token_count(tool: &Value) -> usize {
    bpe_openai::o200k_base().count(&text(tool))
}

#[test]
fn the_list_of_tools_stays_within_its_budget() {
    let (default, all) = (tools(&[]), tools(&["--toolsets", "all"]));
    let total = |tools: &[Value]| tools.iter().map(token_count).sum::<usize>();
    let costly = all.iter().filter(|tool| token_count(tool) > MAX_TOOL_TOKENS);
    let costly: Vec<String> =
        costly.map(|tool| format!("{} {}", tool["name"], token_count(tool))).collect();
    assert!(costly.is_empty(), "too many tokens: {costly:?}");
    println!("{} tools cost {} tokens by default", default.len(), total(&default));
    println!("{} tools cost {} tokens in all", all.len(), total(&all));
    assert!(total(&default) <= MAX_DEFAULT_TOKENS, "{}", total(&default));
    assert!(total(&all) <= MAX_MEAN_TOKENS * all.len(), "{}", total(&all));
}

#[test]
fn every_tool_is_as_its_golden_file_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let file = |tool: &Value| folder.join(format!("{}.json", tool["name"].as_str().unwrap()));
    let page = |tool: &Value| {
        let pretty = serde_json::to_string_pretty(tool).unwrap();
        format!("{pretty}\n")
    };
    let all = tools(&["--toolsets", "all"]);
    let wrong: Vec<PathBuf> = all
        .iter()
        .filter(|tool| fs::read_to_string(file(tool)).ok() != Some(page(tool)))
        .map(|tool| {
            // The new text is written next to the old one. Review it, then replace the old one with
            // it.
            let new = file(tool).with_extension("json.new");
            fs::create_dir_all(&folder).unwrap();
            fs::write(&new, page(tool)).unwrap();
            new
        })
        .collect();
    assert!(wrong.is_empty(), "other than the golden files: {wrong:#?}");
    let known = fs::read_dir(&folder).unwrap().flatten().map(|e| e.path());
    let golden = known.filter(|path| path.extension().is_some_and(|end| end == "json")).count();
    assert_eq!(golden, all.len(), "a golden file has no tool");
}
