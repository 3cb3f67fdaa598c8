//! A repository in which every writing operation has something to do, and the command line that has
//! each of them do it.

use serde_json::{Value, json};

use crate::TestRepo;

/// A command line of a writing operation that succeeds in the seeded repository.
pub(super) struct KillCase {
    /// The operation's name in the table
    pub(super) operation: &'static str,
    /// Command lines that run before it and are not killed
    pub(super) before: Vec<Vec<String>>,
    /// The command line that is killed
    pub(super) words: Vec<String>,
}

/// The repository that every run starts from, with the ids of its records.
pub(super) struct SeedRepo {
    pub(super) repo: TestRepo,
    ids: Vec<(&'static str, String)>,
}

const FIXTURE: &str = "
//- src/a.ts
import { shared } from './b';
/** @see spec::f */
export function alpha() { return shared(); }

export function unused() { return 3; }
//- src/b.ts
export function shared() { return 1; }
//- src/old.ts
export function moved(amount: number): boolean {
  return amount > 0 && amount < 1000;
}
//- docs/e.md
# E
[old](../src/old.ts)
//- docs/g.md
# G
[old](../src/old.ts)
//- junit.xml
<testsuite name=\"s\"><testcase classname=\"c\" name=\"t\"/></testsuite>
//- .cairn/cards/f.card.md
---
key: spec::f
type: spec
summary: F
status: draft
relations:
  - type: depends_on
    target: spec::other
---
Text
//- .cairn/cards/other.card.md
---
key: spec::other
type: spec
summary: Other
status: draft
---
//- .cairn/cards/lonely.card.md
---
key: spec::lonely
type: spec
summary: Lonely
status: draft
---
";

impl SeedRepo {
    pub(super) fn make() -> Self {
        let repo = TestRepo::new(FIXTURE);
        repo.git(&["config", "user.email", "tester"]);
        repo.git(&["mv", "src/old.ts", "src/new.ts"]);
        repo.commit("move");
        let mut seed = Self { repo, ids: Vec::new() };
        seed.add_work();
        seed.add_knowledge();
        seed.add_branches();
        seed.repo.data("history.snapshot", json!({}));
        seed.repo.data("backup", json!({}));
        seed
    }

    fn add_work(&mut self) {
        self.create("work.create", "Shop", json!({"kind": "project"}));
        self.create("work.create", "Pay", json!({"kind": "feature"}));
        for name in ["one", "two", "three"] {
            self.create("work.create", name, json!({"kind": "task", "tags": ["old"]}));
        }
        let (one, two, three) = (self.id("one"), self.id("two"), self.id("three"));
        self.repo.data("work.depend", json!({"from": one, "to": two}));
        self.repo.data("work.advance", json!({"id": one}));
        let reason = json!({"id": three, "blocked_by": "NO_OP", "reason": "waits"});
        self.repo.data("work.block", reason);
    }

    fn add_knowledge(&mut self) {
        let atom = json!({"kind": "atom", "paths": ["src/a.ts"], "knowledge": "k"});
        self.create("knowledge.create", "Rule", atom);
        for number in 1..=3 {
            let fact = json!({"id": format!("FACT-{number}"), "type": "fact", "title": "t"});
            self.repo.data("kb.upsert", json!({"entities": [fact]}));
        }
        let log = self.repo.data("kb.log", json!({}));
        let entry = log["entries"][0]["entry"].as_i64();
        let entry = entry.unwrap_or_else(|| panic!("no number of an entry in {log:#}"));
        self.ids.push(("entry", entry.to_string()));
    }

    /// A branch with facts of its own, and a store whose branch is gone.
    fn add_branches(&self) {
        for branch in ["topic", "gone"] {
            self.repo.git(&["switch", "-qc", branch]);
            let fact = json!({"id": format!("FACT-{branch}"), "type": "fact", "title": "t"});
            self.repo.data("kb.upsert", json!({"entities": [fact]}));
            self.repo.git(&["switch", "-q", "main"]);
        }
        self.repo.git(&["branch", "-q", "-D", "gone"]);
    }

    fn create(&mut self, operation: &str, name: &'static str, mut args: Value) {
        args["name"] = name.into();
        let kind = args["kind"].as_str().unwrap_or_default().to_owned();
        let made = self.repo.data(operation, args);
        let id = made["result"][&kind]["id"].as_str();
        let id = id.unwrap_or_else(|| panic!("no id in {made:#}")).to_owned();
        self.ids.push((name, id));
    }

    fn id(&self, name: &str) -> String {
        let found = self.ids.iter().find(|(known, _)| *known == name);
        found.map_or_else(|| panic!("nothing is called {name}"), |(_, id)| id.clone())
    }

    /// A word of a command line. `{name}` is replaced with the id of the record of this name.
    fn word(&self, word: &str) -> String {
        self.ids
            .iter()
            .fold(word.to_owned(), |word, (name, id)| word.replace(&format!("{{{name}}}"), id))
    }
}

/// The arguments with which a writing operation succeeds in the seeded repository; `None` if there
/// is no case for it yet.
fn arguments(operation: &str) -> Option<&'static [&'static str]> {
    Some(match operation {
        "fix" | "code.restart" | "kb.compact" | "history.snapshot" | "history.restore"
        | "backup" | "share" | "baseline" | "undo" | "redo" | "trust" | "untrust" | "uninstall" => {
            &[]
        }
        "code.replace" => {
            &["src/a.ts#unused", "--content", "export function unused() { return 4; }"]
        }
        "code.insert_before" | "code.insert_after" => {
            &["src/a.ts#unused", "--content", "export const one = 1;"]
        }
        "code.edit" => &["src/new.ts", "--new", "export const fresh = 1;"],
        "code.delete" => &["src/a.ts#unused"],
        "code.rename" => &["src/b.ts#shared", "common"],
        "code.move" => &["src/b.ts", "src/far/b.ts"],
        "card.create" => &["spec::new/card", "--summary", "New"],
        "card.update" => &["spec::f", "--summary", "Another"],
        "card.status" => &["spec::f", "accepted"],
        "card.rename" => &["spec::f", "spec::renamed"],
        "card.delete" => &["spec::lonely"],
        "link.add" => &["src/b.ts#shared", "spec::other"],
        "merge_file" => &["src/a.ts", "src/b.ts", "src/b.ts"],
        "kb.adopt" => &["--write-ids"],
        "card.draft" => &["src/a.ts"],
        "confirm" => &["--all", "--why", "read"],
        "link.remove" => &["src/a.ts#alpha", "spec::f"],
        "relation.add" => &["spec::other", "spec::lonely", "related"],
        "relation.remove" => &["spec::f", "spec::other", "depends_on"],
        "kb.upsert" => &[r#"{"entities": [{"id": "FACT-9", "type": "fact", "title": "n"}]}"#],
        "kb.delete" => &["FACT-2"],
        "kb.rollback" => &["{entry}"],
        "kb.promote" => &["FACT-1"],
        "kb.import" => &["junit.xml"],
        "kb.merge" => &["topic"],
        "kb.gc" => &["--force"],
        "work.create" => &["task", "four"],
        "work.update" => &["{three}", "--version", "1", "--priority", "LOW"],
        "work.delete" => &["{two}", "--version", "1"],
        "work.plan" => &["--text", "# Feature: Planned\n\n## Task: First\n\n## Task: Second\n"],
        "work.import" => &["--text", "# Later\n\n- [ ] Do this\n- [x] Did that\n"],
        "work.comment" => &["{one}", "a remark"],
        "work.start" | "work.done" | "work.claim" | "work.advance" | "work.revert"
        | "work.terminate" => &["{one}"],
        "work.block" => &["{one}", "--blocked-by", "NO_OP", "--reason", "waits"],
        "work.unblock" => &["{three}"],
        "work.depend" => &["{two}", "{three}"],
        "work.undepend" => &["--from", "{one}", "--to", "{two}"],
        "work.section_edit" => {
            &["add", "--owner", "{one}", "--title", "Context Files", "--content", "src/a.ts"]
        }
        "work.template_edit" => &["create", "--name", "Bug", "--kind", "task"],
        "work.template_apply" => &["Task", "{one}"],
        "work.tag_rename" => &["old", "new"],
        "knowledge.create" => &["atom", "More", "--paths", "src/b.ts", "--knowledge", "k"],
        "knowledge.update" => &["{Rule}", "--version", "1", "--knowledge", "other"],
        "knowledge.delete" => &["{Rule}", "--version", "1"],
        "changelog.append" => &["{Rule}", "something changed"],
        "sync" => &["--full"],
        "init" => &["--agents", "all"],
        "restore" => &["work"],
        "hook" => &["post-commit"],
        _ => return None,
    })
}

/// The command lines that prepare the repository for an operation.
fn preparation(operation: &str) -> &'static [&'static [&'static str]] {
    match operation {
        "redo" => &[&["card", "create", "spec::new", "--summary", "New"], &["undo"]],
        "undo" => &[&["code", "rename", "src/b.ts#shared", "common"]],
        "untrust" => &[&["trust"]],
        "uninstall" => &[&["init", "--agents", "all"]],
        "restore" => &[&["work", "create", "task", "five"]],
        _ => &[],
    }
}

/// A case for every writing operation. The error is the name of an operation without one.
pub(super) fn all(seed: &SeedRepo) -> Result<Vec<KillCase>, &'static str> {
    let line = |words: &[&str]| words.iter().map(|word| seed.word(word)).collect();
    let case = |op: &engine::OpSpec| {
        let args = arguments(op.name).ok_or(op.name)?;
        let name = op.words();
        let words: Vec<&str> = name.split(' ').chain(args.iter().copied()).collect();
        let before = preparation(op.name).iter().map(|words| line(words)).collect();
        Ok(KillCase { operation: op.name, before, words: line(&words) })
    };
    // Operations of a team need a server; `team_proof` kills their processes.
    // `code.apply` needs a language server; it writes files as `code.edit` does.
    let is_local = |op: &&engine::OpSpec| op.group() != "team" && op.name != "code.apply";
    operations::ops::ALL.iter().filter(|op| !op.is_read_only()).filter(is_local).map(case).collect()
}
