//! From a requirement to the code that implements it: five projects with trace links.
//!
//! `CAIRN_TRACE_DATA` is the folder `datasets` of the public repository
//! `tobhey/finegrained-traceability`.

#![expect(clippy::disallowed_methods, reason = "a measurement takes its data from outside")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use testkit::McpClient;

use super::bm25::{Bm25, words};
use crate::run::{self, XtaskResult};

const TITLE: &str = "requirement to code (trace links)";

/// A project: its folder, its file of links, and its folders of code and requirements.
const PROJECTS: [(&str, &str, &str, &str); 5] = [
    ("iTrust", "itrust_solution_links.txt", "code", "req"),
    ("eTour", "etour_solution_links_english.txt", "code", "req"),
    ("smos", "smos_solution_links_italian.txt", "trans_code", "trans_req"),
    ("eANCI", "eanci_solution_links.txt", "trans_code", "trans_req"),
    ("LibEST", "req_to_code_ground.txt", "code", "req"),
];

type TraceLinks = BTreeMap<String, BTreeSet<String>>;

/// Prints the mean average precision of both rankings, for each project.
pub(super) fn run(cairn: &Path) -> XtaskResult<()> {
    let Some(data) = std::env::var_os("CAIRN_TRACE_DATA").map(PathBuf::from) else {
        run::print(&format!("{TITLE}: NOT RUN, CAIRN_TRACE_DATA is not set\n"));
        return Ok(());
    };
    run::print(&format!("\n{TITLE}, mean average precision\n"));
    run::print("| project | `search` | plain BM25 |\n|---|---|---|\n");
    for (name, links, code, requirements) in PROJECTS {
        let folder = data.join(name);
        let links = read_links(&folder.join(links))?;
        let (ours, plain) =
            evaluate_project(cairn, &folder.join(code), &folder.join(requirements), &links)?;
        run::print(&format!("| {name} | {ours:.3} | {plain:.3} |\n"));
    }
    Ok(())
}

fn evaluate_project(
    cairn: &Path,
    code: &Path,
    requirements: &Path,
    links: &TraceLinks,
) -> XtaskResult<(f64, f64)> {
    let checkout = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sources = sources(code)?;
    for (name, text) in &sources {
        std::fs::write(checkout.path().join(name), text).map_err(|error| error.to_string())?;
    }
    let init = Command::new("git").current_dir(checkout.path()).args(["init", "-q"]).status();
    init.map_err(|error| error.to_string())?;
    let plain = Bm25::new(sources.iter().map(|(name, text)| (name.clone(), words(text))));
    let mut client = McpClient::start(cairn, checkout.path(), &["--structured"]);
    let (mut sum_ours, mut sum_plain) = (0.0, 0.0);
    for (requirement, gold) in links {
        let text = read(&requirements.join(requirement))?;
        let question = json!({"query": text, "kinds": ["module"], "limit": 1000});
        let asked = json!({"name": "search", "arguments": question});
        let answer = client.request("tools/call", asked);
        let hits = &answer["result"]["structuredContent"]["data"]["hits"];
        let names: Vec<&str> =
            hits.as_array().into_iter().flatten().filter_map(|hit| hit["name"].as_str()).collect();
        sum_ours += average_precision(&names, gold);
        sum_plain += average_precision(&plain.rank(&text), gold);
    }
    #[expect(clippy::cast_precision_loss, reason = "a hundred requirements")]
    let all = links.len() as f64;
    Ok((sum_ours / all, sum_plain / all))
}

fn average_precision(ranked: &[&str], gold: &BTreeSet<String>) -> f64 {
    let (mut found, mut sum) = (0.0, 0.0);
    for (rank, name) in (1..).zip(ranked) {
        if gold.contains(&name.to_lowercase()) {
            found += 1.0;
            sum += found / f64::from(rank);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few files")]
    let all = gold.len() as f64;
    sum / all
}

/// Reads lines such as `UC1.txt: A.java` or `RQ1.txt:a.c b.c`.
fn read_links(file: &Path) -> XtaskResult<TraceLinks> {
    let mut links = TraceLinks::new();
    for line in read(file)?.lines() {
        let Some((requirement, code)) = line.split_once(':') else { continue };
        let known = links.entry(requirement.trim().to_owned()).or_default();
        known.extend(code.split_whitespace().map(str::to_lowercase));
    }
    links.retain(|_, code| !code.is_empty());
    Ok(links)
}

/// Every source file below a folder, by its name alone, as the links have it.
fn sources(folder: &Path) -> XtaskResult<BTreeMap<String, String>> {
    let mut sources = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).map_err(|error| error.to_string())? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(name) = path.file_name() {
                sources.insert(name.to_string_lossy().into_owned(), read(&path)?);
            }
        }
    }
    Ok(sources)
}

fn read(file: &Path) -> XtaskResult<String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
