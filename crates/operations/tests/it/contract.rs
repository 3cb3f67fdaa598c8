//! Requirements on every operation, checked for each row of the table.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use base::ProblemCode;
use base::call::CallStopReason;
use engine::contract::alias::parse_preset;
use engine::{JsonObject, OpSpec};
use operations::ops::ALL;
use serde_json::{Value, json};
use testkit::TestRepo;

fn properties(op: &OpSpec) -> JsonObject {
    serde_json::from_value((op.input_schema)()["properties"].clone()).unwrap()
}

#[test]
fn cli_and_json_declare_the_same_fields() {
    for op in ALL {
        let (command, props) = ((op.command)(), properties(op));
        let flags: BTreeSet<&str> = command.get_arguments().map(|a| a.get_id().as_str()).collect();
        assert_eq!(flags, props.keys().map(String::as_str).collect(), "{}: fields", op.name);
        let schema = (op.input_schema)();
        let required = schema.get("required").cloned().unwrap_or(json!([]));
        for arg in command.get_arguments() {
            let (id, field) = (arg.get_id().as_str(), &props[arg.get_id().as_str()]);
            let needed = required.as_array().unwrap().contains(&json!(id));
            assert_eq!(arg.is_required_set(), needed, "{} {id}: required", op.name);
            let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
            assert_eq!(help.as_deref(), field["description"].as_str(), "{} {id}: docs", op.name);
            let shown = arg.get_default_values().first().map(|v| v.to_str().unwrap().to_owned());
            let default = field.get("default").filter(|value| !value.is_boolean());
            let default = default.map(|value| value.to_string().trim_matches('"').to_owned());
            assert_eq!(shown.filter(|text| text != "false"), default, "{} {id}: default", op.name);
        }
        assert!(!op.summary().is_empty() && !op.summary().ends_with('.'), "{}: summary", op.name);
    }
}

/// Help of at least three words that is not the field's name.
fn says_something(field: &str, help: &str) -> bool {
    let words: Vec<String> = help.split_whitespace().map(str::to_lowercase).collect();
    words.len() >= 3 && words.join("_") != field
}

#[test]
fn every_argument_has_help_that_says_something() {
    let mut poor = Vec::new();
    for op in ALL {
        for (name, field) in properties(op) {
            let help = field["description"].as_str().unwrap_or_default();
            if !says_something(&name, help) {
                poor.push(format!("{} {name}: {help}", op.name));
            }
        }
    }
    assert!(poor.is_empty(), "help that says too little: {poor:#?}");
    assert!(!says_something("seen", "Seen") && !says_something("old_tag_name", "Old tag name"));
}

/// Arguments that take words from a closed list say which, and refuse others.
#[test]
fn words_of_a_closed_list_are_in_the_schema_and_others_are_refused() {
    let repo = TestRepo::new("//- a.ts\nexport const a = 1;\n//- b.ts\nimport { a } from './a';\n");
    for (operation, argument, args) in [
        ("trace", "edges", json!({"from": "a.ts", "to": "b.ts", "edges": ["bogus"]})),
        ("subgraph", "edges", json!({"center": "a.ts", "edges": "bogus"})),
        ("code.symbols", "language", json!({"query": "a", "language": "bogus"})),
        ("code.grep", "types", json!({"pattern": "a", "types": "bogus"})),
        ("kb.import", "format", json!({"path": "a.ts", "format": "bogus"})),
        ("init", "agents", json!({"agents": ["bogus"]})),
        ("hook", "name", json!({"name": "bogus"})),
        ("work.depend", "relation", json!({"from": "a", "to": "b", "relation": "bogus"})),
        ("work.section_edit", "action", json!({"action": "bogus"})),
        ("work.template_edit", "action", json!({"action": "bogus"})),
        ("kb.query", "type", json!({"type": "bogus"})),
        ("kb.query", "status", json!({"status": "bogus"})),
        ("kb.query", "relation", json!({"relation": "bogus"})),
    ] {
        let op = ALL.iter().find(|op| op.name == operation).unwrap();
        let field = &properties(op)[argument];
        let words = field.get("enum").or_else(|| field["items"].get("enum"));
        let words = words.unwrap_or_else(|| panic!("{operation} {argument}: {field}"));
        let refused = repo.call_op(operation, args).unwrap_err();
        assert_eq!(
            refused.code,
            ProblemCode::ValidationError,
            "{operation} {argument}: {refused:?}"
        );
        let told = format!("{} {:?}", refused.message, refused.hints);
        let first = words[0].as_str().unwrap();
        assert!(told.contains(first), "{operation} {argument}: {told}");
    }
}

#[test]
fn names_are_well_formed_and_unique() {
    let mut taken = BTreeSet::new();
    for op in ALL {
        let tool = op.tool_name();
        assert!(tool.starts_with(|c: char| c.is_ascii_lowercase()) && tool.len() <= 30, "{tool}");
        assert!(tool.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_')), "{tool}");
        assert!(op.name.matches('.').count() <= 1, "{tool}");
        assert!(!["ask", "run", "mcp", "man", "completions"].contains(&&*tool), "{tool}: a door's");
        assert!(taken.insert((tool.clone(), None)), "{tool} is taken");
    }
    for (op, alias) in ALL.iter().flat_map(|op| op.aliases.iter().map(move |a| (op, a))) {
        assert!(!taken.contains(&(alias.name.into(), None)), "{} is taken", alias.name);
        assert!(taken.insert((alias.name.into(), Some(alias.selector))), "{} twice", alias.name);
        let renamed = alias.renames.iter().map(|(_, to)| to);
        let joined = alias.join.iter().map(|join| &join[3]);
        let ours = renamed.chain(alias.presets.iter().map(|(k, _)| k)).chain(joined);
        ours.for_each(|field| assert!(properties(op).contains_key(*field), "{field}"));
        alias.presets.iter().for_each(|(_, json)| drop(parse_preset(json)));
    }
}

fn walk(value: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| (visit(k, v), walk(v, visit)).1),
        Value::Array(list) => list.iter().for_each(|v| walk(v, visit)),
        _ => {}
    }
}

#[test]
fn schemas_are_plain() {
    let banned = ["$schema", "$ref", "format", "anyOf", "oneOf"];
    for op in ALL {
        for schema in [(op.input_schema)(), (op.output_schema)()] {
            assert_eq!(schema["type"], "object", "{}", op.name);
            assert!(!schema.contains_key("$defs"), "{}", op.name);
            walk(&schema.into(), &mut |key, value| {
                let is_property = value.is_object(); // `format` may be the name of one
                assert!(!banned.contains(&key) || is_property, "{}: {key}", op.name);
                assert!(key != "type" || value.is_string() || value.is_object(), "{value}");
            });
        }
    }
}

/// Files in `ops/` that contain no operation, but code that several operations share.
const SHARED: [&str; 22] = [
    "kb/vocabulary.rs",
    "tool_entries.rs",
    "access_list.rs",
    "mod.rs",
    "locations.rs",
    "install.rs",
    "reach.rs",
    "mentions.rs",
    "unread.rs",
    "evidence.rs",
    "work/briefing.rs",
    "work/hints.rs",
    "context/choice.rs",
    "context/code.rs",
    "context/located_symbol.rs",
    "context/question.rs",
    "reach/page.rs",
    "transition.rs",
    "details.rs",
    "work/record.rs",
    "matrix/formats.rs",
    "ops/typed.rs",
];

#[test]
fn every_file_is_registered() {
    let ops = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops");
    for op in ALL {
        let file = ops.join(op.name.replace('.', "/")).with_extension("rs");
        assert!(file.is_file(), "{} has no file of its own", op.name);
    }
    let folders = fs::read_dir(&ops).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
    let all = folders.chain([ops.clone()]).flat_map(|dir| fs::read_dir(dir).unwrap());
    let files = all.map(|e| e.unwrap().path()).filter(|path| path.is_file());
    let is_shared = |path: &PathBuf| SHARED.iter().any(|shared| path.ends_with(shared));
    let named = files.filter(|path| !is_shared(path)).count();
    assert_eq!(named, ALL.len(), "a file in ops/ is not in ALL");
}

/// A command line in a message is of no use to an agent: each interface formats calls in its own
/// way.
#[test]
fn no_message_holds_a_command_line_of_ours() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // Only people read the texts of the command line's own crate and of the files that `init`
    // writes.
    let speaks_to_all = |path: &Path| !path.ends_with("cairn") && !path.ends_with("setup");
    let crates = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> =
        crates.filter(|path| speaks_to_all(path)).map(|path| path.join("src")).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_message = |line: &&str| !line.trim_start().starts_with("//");
            let is_command = |line: &&str| line.contains("`cairn ") || line.contains("  cairn ");
            let lines = code.lines().filter(is_message).filter(is_command);
            found.extend(lines.map(|line| format!("{}: {}", path.display(), line.trim())));
        }
    }
    assert!(found.is_empty(), "use `hint_call`, `say_call` or `NextCall`: {found:#?}");
}

#[test]
fn json_is_as_strict_as_the_command_line() {
    let repo = TestRepo::new("//- a.md\n[b](b.md)\n//- b.md\nalone\n");
    for args in [
        json!({"target": ""}),
        json!({"target": "b.md", "depth": 0}),
        json!({"target": "b.md", "dept": 1}),
        json!({"target": 7}),
        json!({}),
    ] {
        assert_eq!(repo.code("impact", args), ProblemCode::ValidationError);
    }
    assert_eq!(repo.code("impact", json!({"target": "../b.md"})), ProblemCode::OutsideRepository);
    assert_eq!(
        repo.code("impact", json!({"target": "/etc/passwd"})),
        ProblemCode::OutsideRepository
    );
    assert_eq!(repo.code("undo", json!({"dry_run": "yes"})), ProblemCode::ValidationError);
    let typo = repo.call_op("impact", json!({"target": "b.md", "dept": 1})).unwrap_err();
    assert_eq!(typo.hints[0], "did you mean `depth`?");
    let rows = repo.data("impact", json!({"target": "b.md"}));
    assert_eq!(rows["rows"][0]["node"], "file:a.md");
}

#[test]
fn older_names_and_spellings_reach_their_operations() {
    let repo = TestRepo::new("//- a.md\n[b](b.md)\n//- b.md\nalone\n");
    for (name, args) in [
        ("get_context", json!({"target": "a.md"})),
        ("get_subgraph", json!({"center": "a.md", "hops": 1, "filters": {"kinds": ["file"]}})),
        ("impact_analysis", json!({"card_key": "b.md"})),
        ("trace_chain", json!({"from_key": "a.md", "to_key": "b.md"})),
        ("kart_impact", json!({"path": "b.md", "depth": 2})),
        ("kart_deps", json!({"path": "a.md"})),
        ("kart_references", json!({"path": "a.md", "symbol": "x"})),
        ("kart_definition", json!({"path": "a.md", "symbol": "x"})),
        ("kart_type_definition", json!({"path": "a.md", "symbol": "x"})),
        ("kart_implementation", json!({"path": "a.md", "symbol": "x"})),
        ("kart_code_actions", json!({"path": "a.md", "symbol": "x"})),
        ("kart_expand_macro", json!({"path": "a.md", "symbol": "x"})),
        ("kart_rename", json!({"path": "a.md", "symbol": "x", "newName": "y"})),
        ("kart_workspace_symbol", json!({"query": "x"})),
        ("kart_diagnostics", json!({"paths": ["a.md"]})),
        ("kart_restart", json!({})),
        ("rebuild", json!({})),
        ("index", json!({})),
        (
            "list_artifacts",
            json!({"tags": ["x"], "include_deleted": true, "include_ignored": true,
            "source_only": true, "limit": 5, "offset": 0}),
        ),
        ("kiste_query", json!({"tags": "auth"})),
        ("get_artifact", json!({"path": "a.md", "ref": "HEAD"})),
        ("get_provenance", json!({"path": "a.md"})),
        ("list_tags", json!({})),
        ("get_cochange", json!({"path": "a.md", "limit": 3})),
        ("kart_cochange", json!({"path": "a.md"})),
        ("undo", json!({"dryRun": true, "change": "1"})),
    ] {
        match repo.call_op(name, args) {
            Ok(_) => {}
            Err(problem) => assert_eq!(problem.code, ProblemCode::NotFound, "{name}: {problem}"),
        }
    }
    assert_eq!(repo.code("impact_analysi", json!({})), ProblemCode::NotFound);
}

#[test]
fn a_verb_alone_names_the_operations_that_have_it() {
    let refused = operations::ops::find("insert-after").unwrap_err();
    assert_eq!(refused.hints[0], "did you mean `code.insert_after`?");
}

#[test]
fn a_deadline_stops_the_work() {
    let repo = TestRepo::new("//- a.md\nx\n");
    for (stop, code) in [
        (CallStopReason::Deadline, ProblemCode::Timeout),
        (CallStopReason::Cancelled, ProblemCode::Cancelled),
    ] {
        let call = testkit::call_by("t").with_stop_check(move || Some(stop));
        let op = operations::ops::find("sync").unwrap();
        let problem = op.call(&repo.workspace(), call, JsonObject::new()).unwrap_err();
        assert_eq!(problem.code, code);
    }
}

/// Lists whose rows belong to no file, that are about one symbol whose file is given with it, or
/// that describe a change as a whole.
const WITHOUT_PATH: [&str; 11] = [
    "review",
    "history.snapshots",
    "kb.branches",
    "work.tags",
    "changelog.search",
    "code.references",
    "code.definition",
    "code.type_definition",
    "code.implementation",
    "history.tags",
    "team.log",
];

#[test]
fn every_list_takes_path_limit_and_offset_and_gives_the_total() {
    let repo = TestRepo::new(
        "//- a.md\n[b](b.md)\n//- b.md\nalone\n//- src/a.ts\nexport function a() {}\n\
         //- .cairn/cards/x.card.md\n---\nkey: spec::x\ntype: spec\nsummary: X\nstatus: draft\n---\n",
    );
    repo.data("work.create", json!({"kind": "project", "name": "P"}));
    repo.data("knowledge.create", json!({"kind": "atom", "name": "A", "paths": ["src/**"]}));
    let mut wrong = Vec::new();
    for op in ALL.iter().filter(|op| op.is_read_only() && properties(op).contains_key("limit")) {
        let fields = properties(op);
        let has_path = fields.contains_key("path") || fields.contains_key("paths");
        if !fields.contains_key("offset") || !(has_path || WITHOUT_PATH.contains(&op.name)) {
            wrong.push(format!("{} lacks `path` or `offset`", op.name));
        }
        let mut args = JsonObject::new();
        let required = (op.input_schema)().get("required").cloned().unwrap_or(json!([]));
        for field in required.as_array().unwrap() {
            let field = field.as_str().unwrap();
            let value = match (op.name, field) {
                ("changelog.search", _) => json!("A"),
                ("card.relations", _) => json!("spec::x"),
                (name, "path") if name.starts_with("code.") => json!("src/a.ts"),
                (name, _) if name.starts_with("code.") => json!("src/a.ts#a"),
                _ if fields[field]["type"] == "array" => json!(["a.md"]),
                _ => json!("a.md"),
            };
            args.insert(field.into(), value);
        }
        if fields.contains_key("path") && !args.contains_key("path") {
            let list = fields["path"]["type"] == "array";
            args.insert("path".into(), if list { json!(["src"]) } else { json!("src") });
        }
        match op.call(&repo.workspace(), testkit::call_by("t"), args) {
            Ok(answer) if answer.paging.is_some() => {}
            Ok(_) => wrong.push(format!("{} gives no total", op.name)),
            Err(problem) => {
                let is_fine =
                    [ProblemCode::NotFound, ProblemCode::Unavailable, ProblemCode::Untrusted];
                if !is_fine.contains(&problem.code) {
                    wrong.push(format!("{}: {problem}", op.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
