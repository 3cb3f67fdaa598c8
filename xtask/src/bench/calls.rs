//! Callers: the answer of the index compared with the call hierarchy of the language server.
//!
//! `CAIRN_BENCH_CALLS` names checkouts with their servers in reach, joined by `:`; this repository
//! comes first, unless `CAIRN_BENCH_OTHERS` is set. A sample of functions and methods is asked about twice, with and without `precise`.
//! A checkout is trusted for the time of the run.

#![expect(clippy::disallowed_methods, reason = "a benchmark runs programs and takes the time")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::McpClient;

use super::{BenchContext, print_not_run};
use crate::run::{XtaskResult, print};

/// How many symbols of a checkout are asked about.
const SAMPLE: usize = 80;

/// How long a server may take to load a checkout.
const LOAD_TIMEOUT: Duration = Duration::from_mins(15);

pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let named = std::env::var_os("CAIRN_BENCH_CALLS");
    let Some(named) = named else {
        print_not_run("calls", "CAIRN_BENCH_CALLS names no checkouts");
        return Ok(());
    };
    let own = std::env::var_os("CAIRN_BENCH_OTHERS").is_none().then(|| site.root.clone());
    let all: Vec<PathBuf> = own.into_iter().chain(std::env::split_paths(&named)).collect();
    for checkout in all {
        let was_trusted = set_trust(site, &checkout, "trust")?;
        let measured = measure(site, &checkout);
        if !was_trusted {
            set_trust(site, &checkout, "untrust")?;
        }
        if let Err(why) = measured {
            let name = checkout.file_name().unwrap_or_default().to_string_lossy().into_owned();
            print_not_run(&format!("calls: {name}"), &why);
        }
    }
    Ok(())
}

/// Gives or withdraws trust. Returns whether it was given before.
fn set_trust(site: &BenchContext, checkout: &Path, verb: &str) -> XtaskResult<bool> {
    let done = Command::new(&site.cairn).args(["--json", verb]).current_dir(checkout).output();
    let done = done.map_err(|error| error.to_string())?;
    let answer: Value = serde_json::from_slice(&done.stdout).map_err(|error| error.to_string())?;
    Ok(answer["data"]["changed"] == false)
}

fn measure(site: &BenchContext, checkout: &Path) -> XtaskResult<()> {
    let flags = ["--toolsets", "all", "--structured", "--timeout", "900"];
    let mut client = McpClient::start(&site.cairn, checkout, &flags);
    ask(&mut client, "sync", &json!({}))?;
    let symbols = sample(&mut client)?;
    let by = wait_until_loaded(&mut client, symbols.first().ok_or("no functions")?)?;
    let (mut ours, mut theirs, mut both) = (0, 0, 0);
    for symbol in &symbols {
        let Some(server) = callers(&mut client, symbol, true)? else { continue };
        let index = callers(&mut client, symbol, false)?.unwrap_or_default();
        if std::env::var_os("CAIRN_BENCH_SHOW").is_some() {
            for one in server.symmetric_difference(&index) {
                let side = if server.contains(one) { "only theirs" } else { "only ours" };
                print(&format!("  {side}: {one} -> {symbol}\n"));
            }
        }
        (ours, theirs) = (ours + index.len(), theirs + server.len());
        both += index.intersection(&server).count();
    }
    #[expect(clippy::cast_precision_loss, reason = "some thousand edges")]
    let share = |of: usize| if of == 0 { 1.0 } else { both as f64 / of as f64 };
    let name = checkout.file_name().unwrap_or_default().to_string_lossy().into_owned();
    print(&format!(
        "| calls: {name}, {} symbols, {theirs} callers by {by} | precision {:.3} | bar 0.95 | |\n",
        symbols.len(),
        share(ours)
    ));
    print(&format!("| calls: {name} | recall {:.3} | bar 0.90 | |\n", share(theirs)));
    Ok(())
}

fn ask(client: &mut McpClient, tool: &str, args: &Value) -> XtaskResult<Value> {
    let response = client.request("tools/call", json!({"name": tool, "arguments": args}));
    let result = &response["result"];
    if result["isError"] == true {
        return Err(result["content"][0]["text"].as_str().unwrap_or_default().to_owned());
    }
    Ok(result["structuredContent"]["data"].clone())
}

/// Functions and methods, spread over the checkout.
fn sample(client: &mut McpClient) -> XtaskResult<Vec<String>> {
    let mut all = BTreeSet::new();
    for kind in ["function", "method"] {
        for letter in ["e", "a"] {
            let args = json!({"name": letter, "kind": kind, "limit": 1000});
            let found = ask(client, "code_find", &args)?;
            let rows = found["symbols"].as_array().cloned().unwrap_or_default();
            all.extend(rows.iter().filter_map(|row| row["node"].as_str().map(str::to_owned)));
        }
    }
    let every = (all.len() / SAMPLE).max(1);
    Ok(all.into_iter().step_by(every).take(SAMPLE).collect())
}

/// Waits until the server answers, and returns its name.
fn wait_until_loaded(client: &mut McpClient, symbol: &str) -> XtaskResult<String> {
    let since = Instant::now();
    loop {
        let args = json!({"target": symbol, "precise": true, "depth": 1, "edges": ["calls"]});
        let found = ask(client, "impact", &args)?;
        let by = &found["by"];
        if by["source"] == "server" {
            return Ok(by["name"].as_str().unwrap_or_default().to_owned());
        }
        let why = by["why"].as_str().unwrap_or_default().to_owned();
        if !why.contains("loading") || since.elapsed() > LOAD_TIMEOUT {
            return Err(why);
        }
    }
}

/// The callers of a symbol; `None` if the server did not answer.
fn callers(
    client: &mut McpClient,
    symbol: &str,
    precise: bool,
) -> XtaskResult<Option<BTreeSet<String>>> {
    let args = json!({"target": symbol, "precise": precise, "depth": 1, "edges": ["calls"],
        "limit": 1000});
    let found = ask(client, "impact", &args)?;
    if precise && found["by"]["source"] != "server" {
        return Ok(None);
    }
    let rows = found["rows"].as_array().cloned().unwrap_or_default();
    let named = rows.iter().filter_map(|row| row["node"].as_str().map(nearest_named_symbol));
    Ok(Some(named.filter(|one| one != symbol).collect()))
}

/// The nearest enclosing symbol with a name, because servers do not distinguish anonymous
/// functions.
fn nearest_named_symbol(node: &str) -> String {
    match (node.split_once("#<"), node.split_once(".<")) {
        (Some((file, _)), _) => file.replacen("symbol:", "module:", 1),
        (None, Some((outer, _))) => outer.to_owned(),
        (None, None) => node.to_owned(),
    }
}
