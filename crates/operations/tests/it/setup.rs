//! `init` and `uninstall` on real repositories.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use testkit::{TestRepo, check};

const FIXTURE: &str = "//- AGENTS.md
# Ours

Be kind.
//- .mcp.json
{
  // servers of our own
  \"mcpServers\": { \"other\": { \"command\": \"other\" } }
}
//- src/a.ts
// A
";

fn agents() -> Value {
    json!({"agents": ["claude", "codex", "cursor", "vscode", "gemini", "opencode"]})
}

fn hooks(repo: &TestRepo) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(repo.root().join(".git/hooks")).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    let named = files.filter(|path| path.extension().is_none());
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut hooks: Vec<_> = named.map(|path| (name(&path), fs::read(&path).unwrap())).collect();
    hooks.sort();
    hooks
}

#[test]
fn init_is_idempotent_and_uninstall_gives_the_bytes_back() {
    let repo = TestRepo::new(FIXTURE);
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nnpm test\n");
    let runs = fs::Permissions::from_mode(0o755);
    fs::set_permissions(repo.root().join(".git/hooks/pre-commit"), runs).unwrap();
    let before = (repo.snapshot(), hooks(&repo));
    let written = repo.data("init", agents());
    assert_eq!(written["left"], json!([]), "{written:#}");
    let after = (repo.snapshot(), hooks(&repo));
    assert_ne!(before, after);
    let again = repo.data("init", agents());
    assert_eq!((&again["files"]["rows"], &again["hooks"]), (&json!([]), &json!([])));
    assert_eq!((repo.snapshot(), hooks(&repo)), after);
    let ignored = repo.git(&["status", "--porcelain", "--ignored", ".cairn/cache"]);
    assert!(ignored.starts_with("!! ") || ignored.is_empty(), "{ignored}");
    repo.data("uninstall", json!({}));
    assert_eq!((repo.snapshot(), hooks(&repo)), before);
    assert!(!repo.root().join(".cairn").exists());
}

#[test]
fn a_purge_leaves_no_byte() {
    let repo = TestRepo::new(FIXTURE);
    let before = (repo.snapshot(), hooks(&repo));
    repo.data("init", agents());
    let shown = repo.data("uninstall", json!({"purge": true, "dry_run": true}));
    assert!(shown["purged"][0]["files"].as_u64().unwrap() > 0, "{shown:#}");
    assert!(repo.root().join(".git/cairn").is_dir());
    let done = repo.data("uninstall", json!({"purge": true}));
    assert!(done["files"]["change"].is_null(), "there is no journal to undo it with: {done:#}");
    assert_eq!((repo.snapshot(), hooks(&repo)), before);
    assert!(!repo.root().join(".git/cairn").exists() && !repo.root().join(".cairn").exists());
}

#[test]
fn init_is_one_change_that_undo_takes_back() {
    let repo = TestRepo::new(FIXTURE);
    let before = repo.snapshot();
    repo.data("init", json!({"agents": "claude", "no_hooks": true}));
    assert!(hooks(&repo).is_empty());
    repo.data("undo", json!({}));
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn a_dry_run_of_init_writes_nothing() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let before = repo.snapshot();
    let shown = repo.data("init", json!({"dry_run": true, "agents": ["claude"]}));
    let diff = shown["files"]["diff"].as_str().unwrap();
    assert!(diff.contains("+++ b/cairn.jsonc") && diff.contains("+++ b/.mcp.json"), "{diff}");
    assert_eq!(repo.snapshot(), before);
    assert!(hooks(&repo).is_empty() && !repo.root().join(".cairn").exists());
}

#[test]
fn a_malformed_file_is_reported_with_its_line_and_left_alone() {
    let repo = TestRepo::new("//- .mcp.json\n{\n  \"mcpServers\": {\n//- a.md\n# A\n");
    let written = repo.data("init", json!({"agents": ["claude"]}));
    let left = written["left"][0]["why"].as_str().unwrap();
    assert!(left.contains("line "), "{left}");
    assert_eq!(repo.read(".mcp.json").unwrap(), "{\n  \"mcpServers\": {\n");
}

#[test]
fn hooks_outside_of_the_repository_are_not_touched() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let outside = tempfile::tempdir().unwrap();
    repo.git(&["config", "core.hooksPath", outside.path().to_str().unwrap()]);
    let written = repo.data("init", json!({}));
    assert_eq!(written["hooks"], json!([]));
    let why = written["left"][0]["why"].as_str().unwrap();
    assert!(why.contains("outside the repository") && why.contains("cairn hook"), "{why}");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn reads_in_a_repository_that_was_never_initialised_write_only_the_cache() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let before = repo.snapshot();
    repo.text("context a.md");
    repo.data("sync", json!({}));
    assert_eq!(repo.snapshot(), before);
    let made: Vec<_> =
        fs::read_dir(repo.root().join(".cairn")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(made, ["cache"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(hooks(&repo).is_empty());
}

#[test]
fn a_typo_in_the_configuration_is_told_with_its_place() {
    let repo = TestRepo::new("//- cairn.jsonc\n{\n  // ours\n  \"exclud\": [\"docs/**\"]\n}\n");
    let doctor = repo.call_op("doctor", json!({})).unwrap();
    assert!(doctor.has_findings);
    let found = doctor.data["findings"].as_array().unwrap().iter();
    let config = found.into_iter().find(|finding| finding["check"] == "config").unwrap();
    assert_eq!(config["level"], "error");
    let message = config["message"].as_str().unwrap();
    assert!(message.starts_with("cairn.jsonc:3:3: "), "{message}");
    assert!(config["fix"].as_str().unwrap().contains("exclude"), "{config}");
    check(
        &repo,
        "search docs",
        "
        No hits for \"docs\" in names, titles, headings and docs
        To search every line of text    cairn code grep docs
        basis: fresh (cairn.jsonc:3:3: no key `exclud`) · main @ COMMIT
        ",
    );
}

#[test]
fn the_configuration_takes_effect_at_once() {
    let repo = TestRepo::new("//- a.md\n# A\n//- docs/b.md\n# B\n");
    assert_eq!(repo.data("status", json!({}))["files"], 2);
    repo.write("cairn.jsonc", "{ \"exclude\": [\"docs/\"] }");
    assert_eq!(repo.data("status", json!({}))["files"], 2); // a.md and cairn.jsonc itself
}

#[test]
fn a_hook_that_cannot_run_is_not_installed() {
    let repo = TestRepo::new(FIXTURE);
    repo.data("init", json!({}));
    let hooks = |repo: &TestRepo| {
        let found = repo.data("doctor", json!({}))["findings"].as_array().unwrap().clone();
        let own = found.into_iter().filter(|one| one["check"] == "hooks");
        own.collect::<Vec<Value>>()
    };
    assert_eq!(hooks(&repo)[0]["level"], "fine");
    let hook = repo.root().join(".git/hooks/post-checkout");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
    let found = hooks(&repo);
    assert_eq!((found.len(), &found[0]["level"]), (1, &json!("warning")));
    assert!(found[0]["message"].as_str().unwrap().contains("post-checkout"), "{found:?}");
    assert!(found[0]["fix"].as_str().unwrap().starts_with("chmod +x "), "{found:?}");
}

#[test]
fn init_makes_the_store_of_the_branch() {
    let repo = TestRepo::new(FIXTURE);
    repo.data("init", json!({}));
    let file = repo.root().join(".git/cairn/branches/main/kb.sqlite");
    let before = fs::read(&file).unwrap();
    let found = repo.data("kb.branches", json!({})).to_string();
    assert!(found.contains("main"), "{found}");
    repo.data("init", json!({}));
    assert_eq!(fs::read(&file).unwrap(), before, "a second run changes no byte");
    repo.data("kb.upsert", json!({"entities": [{"id": "REQ-1", "type": "req", "title": "x"}]}));
    assert_eq!(repo.data("kb.query", json!({}))["entities"].as_array().unwrap().len(), 1);
}

#[test]
fn claude_is_told_the_state_of_the_repository_when_a_session_starts() {
    let repo = TestRepo::new(FIXTURE);
    let path = ".claude/settings.json";
    repo.data("init", json!({"agents": "codex"}));
    assert!(repo.read(path).is_none(), "only with the agent");
    repo.write(path, "{\n  \"model\": \"opus\"\n}\n");
    repo.data("init", json!({"agents": "claude", "agent_hooks": true}));
    let written: Value = serde_json::from_str(&repo.read(path).unwrap()).unwrap();
    assert_eq!(written["model"], "opus");
    let hook = &written["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(hook["type"], "command");
    // The hook runs an existing command.
    let command = hook["command"].as_str().unwrap();
    assert!(command.contains("; cairn hook session-start --event - "), "{command}");
    assert!(repo.text("hook session-start").contains("cairn knows this repository"));
    repo.data("uninstall", json!({}));
    assert_eq!(repo.read(path).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    // The user's own hooks are kept, and the answer says so.
    let own = "{\"hooks\": {\"SessionStart\": []}}\n";
    repo.write(path, own);
    let asked = json!({"agents": "claude", "agent_hooks": true});
    let left = repo.data("init", asked)["left"].to_string();
    assert!(left.contains(path), "{left}");
    let written: Value = serde_json::from_str(&repo.read(path).unwrap()).unwrap();
    assert_eq!(written["hooks"]["SessionStart"], json!([]));
    repo.data("uninstall", json!({}));
    assert_eq!(repo.read(path).unwrap(), own);
}

/// A repository with the files of one agent's program.
fn repo_with_agent() -> TestRepo {
    let repo = TestRepo::new("//- .cursor/rules.md\nours\n//- src/a.ts\n// A\n");
    repo.with_programs(&["git"])
}

#[test]
fn agents_that_are_here_are_found_and_offered() {
    let repo = repo_with_agent();
    let answer = repo.text("init --no-hooks");
    let offer = answer.lines().find(|line| line.starts_with("found, but not set up yet")).unwrap();
    assert!(offer.contains("cursor (.cursor)"), "{offer}");
    let doctor = repo.text("doctor");
    assert!(doctor.contains("found, but not set up: cursor (.cursor)"), "{doctor}");
    repo.data("init", json!({"agents": ["found"], "no_hooks": true}));
    assert!(repo.read(".cursor/mcp.json").unwrap().contains("cairn"));
    assert!(!repo.text("init --no-hooks").contains("not set up yet: cursor"));
}

#[test]
fn hooks_of_agents_are_opt_in_and_removed_byte_for_byte() {
    let repo = TestRepo::new("//- .claude/settings.json\n{ \"model\": \"x\" }\n//- a.md\n# A\n");
    let before = repo.snapshot();
    repo.data("init", json!({"agents": ["claude", "codex"], "no_hooks": true}));
    assert_eq!(repo.read(".claude/settings.json").unwrap(), "{ \"model\": \"x\" }\n");
    let asked = json!({"agents": ["claude", "codex"], "agent_hooks": true, "no_hooks": true});
    repo.data("init", asked.clone());
    let settings = repo.read(".claude/settings.json").unwrap();
    for hook in ["session-start", "before-edit", "after-edit"] {
        assert!(settings.contains(hook), "{settings}");
        assert!(repo.read(".codex/hooks.json").unwrap().contains(hook));
    }
    let after = repo.snapshot();
    repo.data("init", asked);
    assert_eq!(repo.snapshot(), after);
    repo.data("uninstall", json!({}));
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn agents_without_hooks_are_named() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let asked = json!({"agents": ["claude", "cursor"], "agent_hooks": true, "no_hooks": true});
    assert_eq!(repo.data("init", asked)["without_hooks"], json!(["cursor"]));
    let asked = "init --agents claude,cursor --no-hooks";
    assert!(!repo.text(asked).contains("no hooks for"));
    let text = repo.text(&format!("{asked} --agent-hooks"));
    assert!(text.contains("no hooks for cursor"), "{text}");
}

const SPECIFIED: &str = "//- cairn.jsonc
{}
//- .cairn/cards/auth/login.card.md
---
key: spec::auth/login
type: spec
summary: A user signs in
status: implemented
---
//- src/login.ts
/** @see spec::auth/login */
export function login(name: string): boolean { return name.length > 0; }
//- src/run.ts
import { login } from './login';
export const run = () => login('a');
";

/// The text that a hook gives to an agent; `None` if it prints nothing.
fn told(repo: &TestRepo, hook: &str, file: &str) -> Option<String> {
    let event = json!({
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_input": {"file_path": repo.root().join(file)},
    });
    let answer = repo.data("hook", json!({"name": hook, "event": event}));
    let reply: Value = serde_json::from_str(answer["told"].as_str()?).unwrap();
    Some(reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned())
}

#[test]
fn before_an_edit_an_agent_is_told_once_what_must_hold() {
    let repo = TestRepo::new(SPECIFIED);
    let text = told(&repo, "before-edit", "src/login.ts").unwrap();
    assert!(text.contains("\"A user signs in\"") && text.contains("spec::auth/login"), "{text}");
    assert_eq!(told(&repo, "before-edit", "src/login.ts"), None);
    assert_eq!(told(&repo, "before-edit", "src/run.ts"), None);
    assert_eq!(told(&repo, "before-edit", "../outside.ts"), None);
    // After the agent's context was cleared, the text is given again.
    let overview = told(&repo, "session-start", "").unwrap();
    assert!(!overview.contains("cairn init"), "{overview}");
    assert!(overview.lines().last().unwrap().starts_with("basis: fresh · main @ "), "{overview}");
    assert!(told(&repo, "before-edit", "src/login.ts").is_some());
}

#[test]
fn a_file_is_known_by_every_path_that_leads_to_it() {
    let repo = TestRepo::new(SPECIFIED);
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(repo.root(), &link).unwrap();
    let told = |folder: &Path, path: &Path| {
        let event = json!({"cwd": folder, "tool_input": {"file_path": path}});
        let answer = repo.data("hook", json!({"name": "before-edit", "event": event}));
        answer["told"].as_str().map(str::to_owned)
    };
    for (folder, path) in [
        (repo.root(), repo.root().join("src/login.ts")),
        (link.clone(), link.join("src/login.ts")),
        (link.join("src"), "login.ts".into()),
        (repo.root().join("src"), "login.ts".into()),
        (repo.root().join("src"), "src/login.ts".into()),
    ] {
        let text = told(&folder, &path).unwrap_or_default();
        assert!(text.contains("spec::auth/login"), "{} from {}", path.display(), folder.display());
    }
    assert_eq!(told(&link, &link.join("src/new.ts")), None);
    assert_eq!(told(elsewhere.path(), &elsewhere.path().join("login.ts")), None);
}

#[test]
fn after_an_edit_an_agent_is_told_what_it_broke() {
    let repo = TestRepo::new(SPECIFIED);
    told(&repo, "session-start", "").unwrap();
    assert_eq!(told(&repo, "after-edit", "src/login.ts"), None);
    let text = repo.read("src/login.ts").unwrap();
    repo.write("src/login.ts", text.replace("(name: string)", "(name: string, device: string)"));
    let text = told(&repo, "after-edit", "src/login.ts").unwrap();
    assert!(text.contains("CALLER_AT_RISK") && text.contains("src/run.ts#run"), "{text}");
    assert_eq!(told(&repo, "after-edit", "src/login.ts"), None);
}

#[test]
fn knowledge_that_an_edit_outdates_is_left_to_review() {
    let repo = TestRepo::new(SPECIFIED);
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "p"}));
    repo.data(
        "knowledge.create",
        json!({"kind": "atom", "name": "Logins", "paths": ["src/login.ts"], "knowledge": "Once."}),
    );
    told(&repo, "session-start", "").unwrap();
    let text = repo.read("src/login.ts").unwrap();
    repo.write("src/login.ts", format!("{text}export const kept = 1;\n"));
    let review = repo.data("review", json!({}))["findings"].to_string();
    assert!(review.contains("KNOWLEDGE_STALE"), "{review}");
    assert_eq!(told(&repo, "after-edit", "src/login.ts"), None);
}

#[test]
fn damage_with_fewer_callers_left_is_not_told_again() {
    let repo = TestRepo::new(SPECIFIED);
    repo.write(
        "src/two.ts",
        "import { login } from './login';\nexport const two = () => login('b');\n",
    );
    repo.commit("a second caller");
    told(&repo, "session-start", "").unwrap();
    let text = repo.read("src/login.ts").unwrap();
    repo.write("src/login.ts", text.replace("(name: string)", "(name: string, device: string)"));
    let text = told(&repo, "after-edit", "src/login.ts").unwrap();
    assert!(text.contains("2 callers did not change"), "{text}");
    let text = repo.read("src/run.ts").unwrap();
    repo.write("src/run.ts", text.replace("login('a')", "login('a', 'b')"));
    assert_eq!(told(&repo, "after-edit", "src/run.ts"), None);
}

#[test]
fn a_hook_of_an_agent_never_fails() {
    let repo = TestRepo::without_git("//- a.md\n# A\n");
    for event in [json!(null), json!([]), json!({"tool_input": 3}), json!({"session_id": 7})] {
        for hook in ["session-start", "before-edit", "after-edit"] {
            assert!(repo.call_op("hook", json!({"name": hook, "event": event})).is_ok());
        }
    }
}
