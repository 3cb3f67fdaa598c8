//! Fuzzes every parser of untrusted text.
//!
//! It is ordinary code on stable Rust: a target is a function of bytes that must return soon,
//! whatever the bytes are. Inputs are mutated seeds; the same number always gives the same input.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use base::{EntityRef, RepoPath};
use testkit::soak::SeededRng;

use crate::run::{self, XtaskResult};

/// One parser, with valid texts as seeds.
pub(crate) struct FuzzTarget {
    name: &'static str,
    parse: fn(&[u8]),
    seeds: &'static [&'static str],
}

/// Every parser of untrusted text.
pub(crate) const TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "config", parse: |b| drop(config::parse(b)), seeds: CONFIGS },
    FuzzTarget { name: "references", parse: references, seeds: REFERENCES },
    FuzzTarget { name: "frontmatter", parse: frontmatter, seeds: DOCUMENTS },
    FuzzTarget { name: "cards", parse: |b| drop(cards::parse_card(b)), seeds: DOCUMENTS },
    FuzzTarget { name: "documents", parse: documents, seeds: DOCUMENTS },
    FuzzTarget { name: "changesets", parse: changesets, seeds: CHANGESETS },
    FuzzTarget { name: "reports", parse: reports, seeds: REPORTS },
    FuzzTarget { name: "git", parse: git::fuzzing::parse_with_all, seeds: GIT },
    FuzzTarget { name: "commits", parse: commits, seeds: COMMITS },
    FuzzTarget { name: "frames", parse: frames, seeds: FRAMES },
    FuzzTarget { name: "arguments", parse: arguments, seeds: ARGUMENTS },
    FuzzTarget { name: "code.ts", parse: code::<0>, seeds: CODE },
    FuzzTarget { name: "code.tsx", parse: code::<1>, seeds: CODE },
    FuzzTarget { name: "code.js", parse: code::<2>, seeds: CODE },
    FuzzTarget { name: "code.rs", parse: code::<3>, seeds: CODE },
    FuzzTarget { name: "code.py", parse: code::<4>, seeds: CODE },
    FuzzTarget { name: "code.go", parse: code::<5>, seeds: CODE },
    FuzzTarget { name: "code.java", parse: code::<6>, seeds: CODE },
    FuzzTarget { name: "code.c", parse: code::<7>, seeds: CODE },
    FuzzTarget { name: "code.cpp", parse: code::<8>, seeds: CODE },
    FuzzTarget { name: "code.cs", parse: code::<9>, seeds: CODE },
    FuzzTarget { name: "code.rb", parse: code::<10>, seeds: CODE },
    FuzzTarget { name: "code.php", parse: code::<11>, seeds: CODE },
    FuzzTarget { name: "code.kt", parse: code::<12>, seeds: CODE },
    FuzzTarget { name: "code.swift", parse: code::<13>, seeds: CODE },
    FuzzTarget { name: "code.sh", parse: code::<14>, seeds: CODE },
    FuzzTarget { name: "code.md", parse: code::<15>, seeds: CODE },
    FuzzTarget { name: "code.json", parse: code::<16>, seeds: CODE },
    FuzzTarget { name: "code.toml", parse: code::<17>, seeds: CODE },
];

/// No text may take longer than this, in a build without optimisation on a busy machine. The
/// grammars of Swift, Kotlin and Ruby take seconds for 64 KB of nonsense.
const MAX_PARSE_TIME: Duration = Duration::from_secs(30);

/// No input is longer than this, in bytes.
const MAX_INPUT_BYTES: usize = 64 * 1024;

/// `cargo xtask fuzz [TARGET] [MINUTES]`: by default all targets in turn, for one minute.
pub(crate) fn run(args: &[&str]) -> XtaskResult<()> {
    let (names, numbers): (Vec<&str>, Vec<&str>) =
        args.iter().partition(|arg| arg.parse::<f64>().is_err());
    let minutes = numbers.first().map_or(1.0, |minutes| minutes.parse().unwrap_or(1.0));
    let chosen: Vec<&FuzzTarget> =
        TARGETS.iter().filter(|t| names.is_empty() || names.contains(&t.name)).collect();
    if chosen.is_empty() {
        let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        return Err(format!("no target is called {}; there are {}", names[0], all.join(", ")));
    }
    let targets = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
    let share = Duration::from_secs_f64(minutes * 60.0) / targets;
    for target in chosen {
        let begin = Instant::now();
        let mut number = 0;
        while begin.elapsed() < share {
            target.try_input(number)?;
            number += 1;
        }
        run::print(&format!("{}: {number} inputs\n", target.name));
    }
    Ok(())
}

impl FuzzTarget {
    /// Gives the parser the input of this number.
    fn try_input(&self, number: u64) -> XtaskResult<()> {
        let input = self.input(number);
        let begin = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| (self.parse)(&input)));
        let told =
            || format!("{} on input {number}: {:?}", self.name, String::from_utf8_lossy(&input));
        match done {
            Err(_) => Err(format!("panic in {}", told())),
            Ok(()) if begin.elapsed() > MAX_PARSE_TIME => {
                Err(format!("{:?} for {}", begin.elapsed(), told()))
            }
            Ok(()) => Ok(()),
        }
    }

    fn input(&self, number: u64) -> Vec<u8> {
        let seed = usize::try_from(number).ok().and_then(|at| self.seeds.get(at));
        if let Some(seed) = seed {
            return seed.as_bytes().to_vec(); // the first inputs are the unchanged seeds
        }
        let mut dice = SeededRng::new(number);
        let mut bytes = self.seeds[dice.below(self.seeds.len())].as_bytes().to_vec();
        for _ in 0..=dice.below(6) {
            mutate(&mut bytes, self.seeds, &mut dice);
        }
        bytes.truncate(MAX_INPUT_BYTES);
        bytes
    }
}

/// Fragments that parsers tend to misread.
const TRICKY_FRAGMENTS: &[&str] = &[
    "\0",
    "\u{feff}",
    "\r\n",
    "---\n",
    "\n---\n",
    "\"",
    "'",
    "`",
    "{",
    "}}",
    "[[[[[[[[",
    "]",
    "((((((((",
    "<<<<",
    "#",
    "::",
    "%",
    "%00",
    "%zz",
    "../",
    "//",
    "/*",
    "*/",
    "\\",
    "\u{202e}",
    "é",
    "&a [*a, *a]",
    "!!binary",
    "? ",
    "- - - -",
    "**",
    "{a,b}",
    "[!",
    "@see spec::",
    "${",
    "1e999",
    "-0",
    "null",
    "\t",
];

fn mutate(bytes: &mut Vec<u8>, seeds: &[&str], dice: &mut SeededRng) {
    let at = |dice: &mut SeededRng, bytes: &[u8]| dice.below(bytes.len() + 1);
    let (from, to) = (at(dice, bytes), at(dice, bytes));
    let (from, to) = (from.min(to), from.max(to));
    match dice.below(7) {
        0 if !bytes.is_empty() => {
            let place = dice.below(bytes.len());
            bytes[place] ^= 1 << dice.below(8);
        }
        1 => drop(bytes.drain(from..to)),
        2 => {
            let piece = bytes[from..to].to_vec();
            bytes.splice(from..from, piece);
        }
        3 => {
            let other = seeds[dice.below(seeds.len())].as_bytes();
            let cut = at(dice, other);
            bytes.splice(from.., other[cut..].iter().copied());
        }
        4 => {
            // Deep nesting can overflow the stack of a parser.
            let piece =
                TRICKY_FRAGMENTS[dice.below(TRICKY_FRAGMENTS.len())].repeat(1 + dice.below(4000));
            bytes.splice(from..from, piece.into_bytes());
        }
        _ => {
            let piece = TRICKY_FRAGMENTS[dice.below(TRICKY_FRAGMENTS.len())].bytes();
            bytes.splice(from..from, piece);
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every reference that can be parsed must print and parse to the same one.
fn references(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(reference) = text.parse::<EntityRef>() {
        let again = reference.to_string().parse::<EntityRef>();
        assert_eq!(again.as_ref().ok(), Some(&reference), "{text}");
    }
    if let Ok(path) = RepoPath::from_bytes(bytes.to_vec()) {
        assert_eq!(path.to_string().parse::<RepoPath>().ok(), Some(path), "{text}");
    }
    let _ = RepoPath::normalised(&text);
    let _ = text.parse::<base::Hash>();
}

fn frontmatter(bytes: &[u8]) {
    let text = text(bytes);
    let _ = document::parse_yaml(&text);
    if let Ok(document) = document::Document::parse(&text) {
        assert!(text.ends_with(document.body()));
    }
}

fn documents(bytes: &[u8]) {
    let text = text(bytes);
    for path in
        ["docs/requirements/a.md", "docs/adr/b.md", "docs/symbols.yaml", "docs/symbols.json"]
    {
        let path = path.parse().expect("the path is plain");
        if let Some(extractor) = kb::extractor(&path) {
            extractor.extract(&path, &text);
        }
    }
}

fn changesets(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    let part = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let (changeset, faults) =
        kb::Changeset::parse(&part("entities"), &part("relations"), &part("delete"));
    drop((changeset.endpoints(), kb::faults_problem(&faults)));
}

/// A code base in which nothing of a report exists.
struct EmptyCode;

impl kb::CodeLookup for EmptyCode {
    fn path(&self, text: &str) -> Option<RepoPath> {
        text.parse().ok()
    }

    fn test_file(&self, _: &str) -> Option<RepoPath> {
        None
    }

    fn at(&self, _: &RepoPath, _: u32) -> Option<String> {
        None
    }

    fn executed(&self, _: &RepoPath, _: u32) -> Option<String> {
        None
    }

    fn named(&self, _: &RepoPath, _: &str) -> Option<String> {
        None
    }
}

fn reports(bytes: &[u8]) {
    for importer in kb::IMPORTERS {
        importer.recognizes(bytes);
        let _ = importer.import(bytes, "report", &EmptyCode);
    }
}

/// Messages of commits.
fn commits(bytes: &[u8]) {
    let message = history::commit::decode_text(bytes.to_vec());
    let (subject, body) = (history::commit::subject(&message), history::commit::body(&message));
    assert!(message.len() >= subject.len() && message.len() >= body.len());
    for said in history::tags_said(&message) {
        assert!(!said.tag.is_empty(), "{message:?}");
    }
    history::parse_conventional_subject(&message);
    history::sha_from_hex(&message);
}

/// Lines on the standard input of a server.
fn frames(bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(cairn::mcp::count_messages(bytes));
}

/// Calls of clients: a name and arguments, also older ones.
fn arguments(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    let name = value["name"].as_str().unwrap_or_default();
    if let Ok(args) = serde_json::from_value(value["arguments"].clone()) {
        let _ = operations::ops::resolve(name, args);
    }
}

/// The file extensions of the languages, in the order of the targets.
const ENDINGS: [&str; 18] = [
    "ts", "tsx", "js", "rs", "py", "go", "java", "c", "cpp", "cs", "rb", "php", "kt", "swift",
    "sh", "md", "json", "toml",
];

fn code<const LANGUAGE: usize>(bytes: &[u8]) {
    let path = format!("a.{}", ENDINGS[LANGUAGE]).parse().expect("the path is plain");
    syntax::extract(syntax::Language::from_path(&path), bytes);
}

const CONFIGS: &[&str] = &[
    "{ // a comment\n \"source_dirs\": [\"src\"], \"kb\": {\"default_branch\": \"main\"}, }",
    "{\"exclude\": [\"**/*.{a,b}\", \"!x\"], \"languages\": {\"rust\": {\"server\": \"x\"}}}",
    "{\"work\": {\"pipelines\": {\"task\": [\"NEW\", \"ACTIVE\", \"CLOSED\"]}}, \"mcp\": {\"toolsets\": [\"all\"]}}",
];
const REFERENCES: &[&str] = &[
    "symbol:src/auth/login.ts#Session.refresh~1a2b",
    "spec::auth/login",
    "module:a%20b%23.ts",
    "commit:3fce3b5aa",
    "kb:REQ-001",
    "atom:0190a8c0-0000-7000-8000-000000000000",
    "dir:.",
    "file:-rf",
];
const DOCUMENTS: &[&str] = &[
    "---\nkey: spec::auth/login\ntype: spec\ntitle: \"Log in\"\nstatus: draft\nrelations:\n  - { type: depends_on, target: spec::a }\n---\n# Body\n",
    "---\nid: REQ-001\ntitle: 'It''s'\nstatus: open\npriority: must\nlinks: [SCEN-1, https://example.org]\ntext: |\n  block\n  text\n---\r\nBody\r\n",
    "symbols:\n  - id: SYM-1\n    title: A\n    code: src/a.ts#f\n    implements: [REQ-001]\n",
];
const CHANGESETS: &[&str] = &[
    "{\"entities\": [{\"id\": \"REQ-1\", \"type\": \"req\", \"title\": \"T\", \"status\": \"open\"}], \"relations\": [{\"type\": \"verified_by\", \"from\": \"REQ-1\", \"to\": \"TEST-1\"}], \"delete\": [\"REQ-2\"]}",
    "{\"entities\": [{\"id\": 7, \"type\": [], \"tags\": {\"a\": null}}], \"relations\": [null, 3], \"delete\": [{}]}",
];
const REPORTS: &[&str] = &[
    "<?xml version=\"1.0\"?><testsuites><testsuite name=\"s\"><testcase classname=\"a.b\" name=\"c\" file=\"a.py\" line=\"3\"><failure message=\"x\"/></testcase></testsuite></testsuites>",
    "TN:t\nSF:src/a.ts\nFN:1,f\nFNDA:3,f\nDA:1,3\nLF:1\nLH:1\nend_of_record\n",
    "\n\u{2}\u{8}\u{1}\u{12}\u{10}\n\u{4}test\u{12}\u{8}src/a.rs",
];
const GIT: &[&str] = &[
    ":100644 100755 8baef1b4abc478178b004d62031cf7fe6db6f903 0000000000000000000000000000000000000000 M\0src/a.rs\0",
    "100644 8baef1b4abc478178b004d62031cf7fe6db6f903 0\ta b\u{e9}.md\0",
    "::100644 100644 100644 8baef1b4abc478178b004d62031cf7fe6db6f903 8baef1b4abc478178b004d62031cf7fe6db6f903 \
     8baef1b4abc478178b004d62031cf7fe6db6f903 MM\0a\0",
    "8baef1b4abc478178b004d62031cf7fe6db6f903 blob 12\nhello world\n8baef1b missing\n",
    "8baef1b4abc478178b004d62031cf7fe6db6f903 1767323045 8baef1b4abc478178b004d62031cf7fe6db6f903\n",
    "[core]\n\trepositoryformatversion = 0 ; x\n\tbare=\"yes\"\\\n[extensions \"a\\\"b\"] worktreeConfig\n",
    "git version 2.39.5 (Apple Git-154)\n",
    "ref: refs/heads/feature/x\n",
    "8baef1b4abc478178b004d62031cf7fe6db6f903\0\x30\x31\0\x31767323045\0Ada\x00T-1, T-2\0",
];
const COMMITS: &[&str] = &[
    "feat(pay)!: settle once\n\nBody: with a colon.\n\ntags: +auth -old x\n\nSigned-off-by: A <a@b>\nTask: 7c2e\n",
    "fix: a\r\n\r\nTags: a, b , -c\r\n",
    "Merge branch 'x' into y\n\n# Conflicts:\n#\ta\n",
];
const FRAMES: &[&str] = &[
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
     \"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"arguments\":{\"query\":\"x\"}}}\n",
    "[{\"jsonrpc\":\"2.0\",\"id\":null}]\n\n{}\n{\"id\":7}\nnonsense\n",
];
const ARGUMENTS: &[&str] = &[
    "{\"name\": \"code.zoom\", \"arguments\": {\"path\": \"src\", \"level\": 1}}",
    "{\"name\": \"kart_zoom\", \"arguments\": {\"path\": \"src\", \"resolveTypes\": true}}",
    "{\"name\": \"query_graph\", \"arguments\": {\"operation\": \"context\", \"paths\": \"a,b\"}}",
];
const CODE: &[&str] = &[
    "/** @see spec::a */\nexport class A<T> extends B { async *m(x = `a${1}`) { return <div/>; } }\n",
    "use a::{b::*, c as d};\n/// Doc\npub(crate) fn f<'a>(x: &'a str) -> impl Fn() + 'a { move || { x; } }\n",
    "from .a import (b as c, *)\nclass D(metaclass=E):\n    async def f(self, *a: int, **k) -> None:\n        return await g[0](x for x in y)\n",
    "package a\nimport (\n\t. \"b\"\n)\nfunc (r *T[K]) M(x ...int) (y error) { go func() {}() }\n",
    "# A\n[b](c.md \"t\")\n```rs\nfn x() {}\n```\n| a |\n|---|\n",
    "[package]\nname = \"a\"\n[dependencies]\nb = { path = \"../b\" }\n",
    "#define F(x) ((x)+1)\nstruct s { int (*f)(void); };\ntemplate <class T> T g() { return T{}; }\n",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_parser_panics_on_what_nobody_would_write() {
        for target in TARGETS {
            let inputs = if target.name.starts_with("code.") { 30 } else { 600 };
            for number in 0..inputs {
                target.try_input(number).unwrap();
            }
        }
    }
}
