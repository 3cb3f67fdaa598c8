//! Precision and recall on public benchmarks of call graphs.
//!
//! The data is not in this repository: `CAIRN_PYCG` and `CAIRN_SWARM_JS` name the folders of its
//! categories. Every second category is held out: its results are counted and never shown.

#![expect(clippy::print_stdout, reason = "figures are what it is run for")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use base::RepoPath;
use code::SymbolRelation;
use syntax::{FileFacts, SymbolFlags, SymbolKind};

use crate::program::Program;

type Edges = BTreeSet<(String, String)>;

#[derive(Default)]
struct Score {
    programs: usize,
    right: usize,
    wrong: usize,
    missed: usize,
}

#[test]
fn pycg_micro_benchmark() {
    measure("CAIRN_PYCG", "py", (0.95, 0.75));
}

#[test]
fn swarm_js() {
    measure("CAIRN_SWARM_JS", "js", (0.90, 0.70));
}

#[expect(clippy::disallowed_methods, reason = "a benchmark says where its data is")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn measure(name: &str, ending: &str, limits: (f64, f64)) {
    let Some(folder) = variable(name) else {
        testskip::not_run(&format!("{name} names no folder"));
        return;
    };
    let mut halves = [Score::default(), Score::default()];
    for (at, category) in folders(Path::new(&folder)).iter().enumerate() {
        let half = at % 2;
        for program in folders(category) {
            let is_shown = half == 0 && variable("CAIRN_TRUTH_SHOW").is_some();
            score(&program, ending, &mut halves[half], is_shown);
        }
    }
    let mut all = Score::default();
    for (half, title) in halves.iter().zip(["looked at", "held back"]) {
        println!("{name} {title}: {}", half.told());
        all.add(half);
    }
    println!("{name} all: {}", all.told());
    assert!(all.precision() >= limits.0 && all.recall() >= limits.1, "{name}: {}", all.told());
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    all.sort();
    all
}

fn score(folder: &Path, ending: &str, score: &mut Score, is_shown: bool) {
    let Ok(gold) = fs::read(folder.join("callgraph.json")) else { return };
    let mut texts = Vec::new();
    collect(folder, folder, ending, &mut texts);
    let program = Program::of(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let modules: BTreeSet<String> = program.facts.keys().map(module).collect();
    let gold = gold_edges(&gold, &modules);
    let found = found_edges(&program);
    score.programs += 1;
    score.right += gold.intersection(&found).count();
    score.wrong += found.difference(&gold).count();
    score.missed += gold.difference(&found).count();
    if is_shown {
        for (from, to) in found.difference(&gold) {
            println!("{}: wrong {from} -> {to}", folder.display());
        }
        for (from, to) in gold.difference(&found) {
            println!("{}: missed {from} -> {to}", folder.display());
        }
    }
}

fn collect(root: &Path, folder: &Path, ending: &str, into: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, ending, into);
        } else if path.extension().is_some_and(|one| one == ending) {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            into.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The edges between symbols of the program, without those to the standard library or to other
/// packages.
fn gold_edges(text: &[u8], modules: &BTreeSet<String>) -> Edges {
    let gold: std::collections::BTreeMap<String, Vec<String>> =
        serde_json::from_slice(text).unwrap();
    let is_own = |name: &String| {
        let mut part = name.as_str();
        loop {
            if modules.contains(part) {
                return true;
            }
            match part.rsplit_once('.') {
                Some((before, _)) => part = before,
                None => return false,
            }
        }
    };
    let edges =
        gold.into_iter().flat_map(|(from, to)| to.into_iter().map(move |to| (from.clone(), to)));
    edges.filter(|(from, to)| is_own(from) && is_own(to)).collect()
}

fn found_edges(program: &Program) -> Edges {
    // PyCG counts constructors, and has no calls of classes without one.
    let is_class = |(path, symbol): &(RepoPath, String)| {
        let mut symbols = program.facts[path].symbols.iter();
        let found = symbols.find(|one| one.path == *symbol);
        path.extension().is_some_and(|ending| ending == "py")
            && found.is_some_and(|one| one.kind == SymbolKind::Class)
    };
    let edges = program
        .edges()
        .into_iter()
        .filter(|edge| edge.relation == SymbolRelation::Calls && !is_class(&edge.to));
    let name = |(path, symbol): &(RepoPath, String)| {
        let module = module(path);
        match symbol.as_str() {
            "" => module,
            symbol => format!("{module}.{}", spelled(&program.facts[path], symbol)),
        }
    };
    let edges = edges.map(|edge| (name(&edge.from), name(&edge.to)));
    // The benchmark has no name for `function () {}`, or uses that of a variable that holds it.
    edges.filter(|(from, to)| !from.contains("<function") && !to.contains("<function")).collect()
}

fn module(path: &RepoPath) -> String {
    let text = path.to_string();
    let stem = text.rsplit_once('.').map_or(text.as_str(), |(stem, _)| stem);
    let stem = ["__init__", "index"]
        .iter()
        .find_map(|name| stem.strip_suffix(&format!("/{name}")))
        .unwrap_or(stem);
    stem.replace('/', ".")
}

/// The function or class around a symbol; the benchmarks do not name the variables between.
fn parent(facts: &FileFacts, symbol: &syntax::Symbol) -> Option<u32> {
    let around = symbol.parent?;
    let kind = facts.symbols[around as usize].kind;
    match kind {
        SymbolKind::Constant | SymbolKind::Variable if symbol.is_anonymous() => {
            parent(facts, &facts.symbols[around as usize])
        }
        _ => Some(around),
    }
}

/// A symbol's path as the benchmarks spell it: arrow functions are counted, whatever holds them.
fn spelled(facts: &FileFacts, path: &str) -> String {
    let Some(at) = facts.symbols.iter().position(|symbol| symbol.path == path) else {
        return path.to_owned();
    };
    let symbol = &facts.symbols[at];
    let is_arrow = |one: &syntax::Symbol| {
        one.flags.contains(SymbolFlags::ARROW) && one.flags.contains(SymbolFlags::FUNCTION_VALUE)
    };
    let name = if is_arrow(symbol) && !symbol.name.starts_with("<lambda") {
        let before = facts.symbols[..=at].iter();
        let count = before
            .filter(|one| parent(facts, one) == parent(facts, symbol) && is_arrow(one))
            .count();
        format!("<arrow{count}>")
    } else {
        symbol.name.clone()
    };
    match parent(facts, symbol) {
        Some(parent) => format!("{}.{name}", spelled(facts, &facts.symbols[parent as usize].path)),
        None => name,
    }
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.programs += other.programs;
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    fn precision(&self) -> f64 {
        ratio(self.right, self.right + self.wrong)
    }

    fn recall(&self) -> f64 {
        ratio(self.right, self.right + self.missed)
    }

    fn told(&self) -> String {
        format!(
            "{} programs, precision {:.3}, recall {:.3} ({} right, {} wrong, {} missed)",
            self.programs,
            self.precision(),
            self.recall(),
            self.right,
            self.wrong,
            self.missed
        )
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 1.0 } else { number(part) / number(whole) }
}
