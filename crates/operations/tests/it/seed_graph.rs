//! Arguments and answers of the older knowledge tools, names in place of ids, and bounded answers.

use std::fmt::Write as _;

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/auth/login.ts
export function login() {}
//- src/pay/stripe.ts
export const a = 1;
";

#[expect(clippy::needless_pass_by_value, reason = "callers write `json!({…})` in place")]
fn make(repo: &TestRepo, kind: &str, name: &str, more: Value) -> String {
    let mut args = json!({"kind": kind, "name": name});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let tool =
        if ["atom", "molecule"].contains(&kind) { "knowledge.create" } else { "work.create" };
    result(repo, tool, args)[kind]["id"].as_str().unwrap().to_owned()
}

fn result(repo: &TestRepo, name: &str, args: Value) -> Value {
    repo.data(name, args)["result"].clone()
}

#[test]
fn an_atom_says_where_it_belongs_and_what_made_it() {
    let repo = TestRepo::new(FIXTURE);
    make(&repo, "project", "Shop", json!({}));
    let first = make(&repo, "task", "Find out", json!({}));
    let last = make(&repo, "task", "Correct it", json!({}));
    let molecule = make(&repo, "molecule", "Auth", json!({"task": first}));
    let atom = make(
        &repo,
        "atom",
        "Login",
        json!({"paths": ["src/auth/**"], "molecule": molecule, "task": first}),
    );
    result(
        &repo,
        "manage_graph",
        json!({"operation": "update", "entityType": "atom", "id": atom, "version": 1,
            "knowledge": "x", "lastTaskId": last}),
    );
    result(
        &repo,
        "manage_changelog",
        json!({"operation": "append", "parentType": "atom", "parentId": atom, "taskId": last,
            "summary": "why"}),
    );
    let text = repo.text(&format!("knowledge show {atom}"));
    for part in [
        "project: \"Shop\"    project:",
        "molecule: \"Auth\"    molecule:",
        "created in: \"Find out\"    task:",
        "last changed in: \"Correct it\"    task:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains(&format!("why    task:{}", &last[..18])), "{text}");
    let history = repo.data(
        "manage_changelog",
        json!({"operation": "search", "parentType": "atom", "parentId": atom}),
    );
    let entry = &history["entries"][0];
    assert_eq!(
        (&entry["task_id"], &entry["parent_type"], &entry["parent_id"]),
        (&json!(last), &json!("atom"), &json!(atom))
    );
    let text = repo.text(&format!("changelog search {atom}"));
    assert!(text.starts_with("1 changelog entry about atom \"Login\""), "{text}");
    assert!(text.contains(&format!("why  task:{}", &last[..18])), "{text}");
}

#[test]
fn paths_are_a_list_of_texts() {
    let repo = TestRepo::new(FIXTURE);
    make(&repo, "project", "Shop", json!({}));
    for paths in ["[5]", "{\"a\":1}", "[[\"src/**\"]]", "[null]"] {
        let args =
            json!({"operation": "create", "entityType": "atom", "name": "A", "paths": paths});
        assert_eq!(repo.code("manage_graph", args), ProblemCode::ValidationError, "{paths}");
    }
    for paths in ["[\"src/**\"]", "src/{a,b}/**, [ab]*.rs", "{src,lib}/**"] {
        let args =
            json!({"operation": "create", "entityType": "atom", "name": "A", "paths": paths});
        result(&repo, "manage_graph", args);
    }
}

#[test]
fn knowledge_of_one_project_is_asked_for_by_name_and_by_kind() {
    let repo = TestRepo::new(FIXTURE);
    let context = |more: Value| {
        let mut args = json!({"operation": "context", "paths": "src/auth/login.ts"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        repo.call_op("query_graph", args)
    };
    assert!(context(json!({})).is_ok(), "a store without a project knows nothing");
    let shop = make(&repo, "project", "Shop", json!({}));
    let molecule = make(&repo, "molecule", "Auth", json!({"knowledge": "all"}));
    make(
        &repo,
        "atom",
        "In",
        json!({"paths": ["src/**"], "knowledge": "in", "molecule": molecule}),
    );
    make(&repo, "atom", "Out", json!({"paths": ["src/**"], "knowledge": "out"}));
    let known = |more: Value| context(more).unwrap().data.clone();
    let both = known(json!({"limit": 20}));
    assert_eq!(
        (&both["total_atoms"], &both["orphan_atoms"][0]["name"]),
        (&json!(2), &json!("Out"))
    );
    let atoms = known(json!({"entityType": "atom"}));
    assert_eq!(atoms["molecules"][0]["knowledge"], "");
    assert_eq!(atoms["molecules"][0]["atoms"][0]["knowledge"], "in");
    let molecules = known(json!({"entityType": "molecule"}));
    assert_eq!(molecules["molecules"][0]["knowledge"], "all");
    assert_eq!(
        (&molecules["molecules"][0]["atoms"], &molecules["orphan_atoms"]),
        (&json!([]), &json!([]))
    );
    let one = known(json!({"limit": 1, "offset": 1}));
    assert_eq!((&one["molecules"], &one["orphan_atoms"][0]["name"]), (&json!([]), &json!("Out")));
    make(&repo, "project", "Other", json!({}));
    make(&repo, "atom", "Far", json!({"paths": ["src/**"], "project": "Other"}));
    let problem = context(json!({})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Ambiguous);
    assert_eq!(problem.details["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(known(json!({"projectId": shop}))["total_atoms"], 2);
    assert_eq!(known(json!({"projectId": "other"}))["orphan_atoms"][0]["name"], "Far");
}

#[test]
fn a_name_is_taken_where_an_id_is() {
    let repo = TestRepo::new(FIXTURE);
    make(&repo, "project", "CLI", json!({}));
    make(&repo, "project", "Shop", json!({}));
    let task = make(&repo, "task", "Renew the lease", json!({"project": "cli"}));
    let shown = repo.data("work.show", json!({"id": "lease"}));
    assert_eq!(shown["task"]["id"], json!(task));
    assert_eq!(
        repo.data("work.search", json!({"project": "CLI", "kind": "task"}))["items"][0]["id"],
        json!(task)
    );
    make(&repo, "task", "Lease", json!({"project": "CLI"}));
    let shown = repo.data("work.show", json!({"id": "lease"}));
    assert_eq!(shown["task"]["title"], "Lease", "the whole name comes first");
    make(&repo, "feature", "lease", json!({"project": "CLI"}));
    let problem = repo.call_op("work.show", json!({"id": "lease"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Ambiguous);
    assert_eq!(problem.details["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(repo.data("work.show", json!({"id": "feature:lease"}))["feature"]["name"], "lease");
    assert_eq!(
        repo.data("work.show", json!({"id": "Lease", "kind": "task"}))["task"]["title"],
        "Lease"
    );
    let problem = repo.call_op("work.show", json!({"id": "leese"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::NotFound);
    assert!(problem.hints[0].contains("ease"), "{problem:?}");
    make(&repo, "atom", "Clock", json!({"paths": ["src/**"], "project": "CLI"}));
    assert_eq!(repo.data("knowledge.show", json!({"id": "clock"}))["atom"]["name"], "Clock");
    let text = repo.text("context \"task:renew the lease\"");
    assert!(text.contains("Renew the lease"), "{text}");
    // A name that could be the start of an id, since it has only hexadecimal digits.
    make(&repo, "task", "Cafe", json!({"project": "CLI"}));
    assert_eq!(repo.data("work.show", json!({"id": "cafe"}))["task"]["title"], "Cafe");
}

#[test]
fn knowledge_about_a_folder_is_told_in_parts() {
    let repo = TestRepo::new(FIXTURE);
    make(&repo, "project", "Shop", json!({}));
    let knowledge = "x".repeat(20 * 1024);
    for number in 0..60 {
        let paths = json!({"paths": ["src/**"], "knowledge": knowledge});
        make(&repo, "atom", &format!("Atom {number:02}"), paths);
    }
    let answer = repo.call_op("knowledge.context", json!({"paths": "src"})).unwrap();
    let told = answer.data["orphan_atoms"].as_array().unwrap().len();
    assert_eq!((told, &answer.data["total_atoms"]), (6, &json!(60)), "by their size");
    assert_eq!(answer.paging.unwrap().total, 60);
    let text = repo.text("knowledge context src");
    assert!(text.len() < 200 * 1024, "{}", text.len());
    assert!(text.contains("…  54 more"), "{}", &text[text.len() - 300..]);
    let rest = repo.data("knowledge.context", json!({"paths": "src", "offset": 58}));
    assert_eq!(rest["orphan_atoms"][1]["name"], "Atom 59");
}

#[test]
fn around_a_hub_the_walk_stops_and_says_so() {
    let mut fixture = "//- src/hub.ts\nexport function hub() {}\n".to_owned();
    for number in 0..400 {
        let _ = write!(
            fixture,
            "//- src/{:02}/user{number}.ts\nimport {{ hub }} from \"../hub\";\nexport function use{number}() {{ hub(); }}\n",
            number % 20
        );
    }
    let repo = TestRepo::new(&fixture);
    let around = repo.data("subgraph", json!({"center": "src/hub.ts", "hops": 9}));
    assert_eq!(around["is_cut"], true);
    assert!(around["nodes"].as_u64().unwrap() < 2_000, "{}", around["nodes"]);
    assert_eq!(around["edges"].as_array().unwrap().len(), 50);
    let notes = around["notes"].to_string();
    assert!(notes.contains("9 hops were asked for; at most 5 are followed"), "{notes}");
    assert!(notes.contains("The walk stopped at"), "{notes}");
    let small = repo.text("subgraph src/00 --hops 1");
    assert!(small.contains("within 1 hop of"), "{small}");
}

#[test]
fn hints_name_what_is_near_and_nothing_else() {
    let repo = TestRepo::new("//- src/a.ts\nexport function t() {}\nexport function login() {}\n");
    let nothing = repo.call_op("context", json!({"targets": ["nope/nope.ts"]})).unwrap_err();
    assert!(!nothing.details.contains_key("nearest"), "{nothing:?}");
    let typo = repo.call_op("context", json!({"targets": ["src/a.ts#lgoin"]})).unwrap_err();
    assert!(typo.hints[0].contains("login"), "{typo:?}");
}

#[test]
fn one_is_told_as_one() {
    let repo = TestRepo::new(
        "//- src/a.py\ndef f():\n    return 1\n//- docs/requirements/REQ-1.md\n---\nid: REQ-1\ntitle: One\nstatus: open\n---\n",
    );
    repo.data("sync", json!({}));
    repo.data("card.create", json!({"key": "spec::a", "summary": "A"}));
    repo.data("link.add", json!({"targets": ["src/a.py#f"], "card": "spec::a"}));
    let first = |line: &str| repo.text(line).lines().next().unwrap_or_default().to_owned();
    assert_eq!(first("card unlinked"), "The only card is linked from code");
    assert!(first("kb adopt").starts_with("1 of 1 entity is read,"), "{}", first("kb adopt"));
    assert!(first("history hotspots").starts_with("1 of 1 changed file accounts for 100 %"));
    assert_eq!(first("code symbols f"), "1 symbol matches f");
    repo.data("work.create", json!({"kind": "project", "name": "P"}));
    assert_eq!(first("work tags"), "No tags");
    assert_eq!(first("work tags x"), "0 records with the tag x");
}

#[test]
fn what_cairn_keeps_is_no_gap_in_knowledge() {
    let repo = TestRepo::new("//- src/a.py\nx = 1\n//- src/deep/b.py\ny = 1\n");
    repo.data("work.create", json!({"kind": "project", "name": "P"}));
    repo.data(
        "knowledge.create",
        json!({"kind": "atom", "name": "K", "paths": ["lib/**"], "knowledge": "k"}),
    );
    let fact = json!({"entities": [{"id": "ADR-1", "type": "adr", "title": "x"}]});
    repo.data("kb.upsert", fact);
    repo.data("share", json!({}));
    let uncovered = repo.data("knowledge.drift", json!({}))["uncovered"].clone();
    let expected = json!([{"path": "src", "files": 1}, {"path": "src/deep", "files": 1}]);
    assert_eq!(uncovered, expected, "folders are counted by their files");
    let left_out = repo.data("kb.adopt", json!({}))["left_out"].clone();
    assert!(!left_out.to_string().contains(".cairn/"), "{left_out}");
}

#[test]
fn words_that_are_meant_as_a_question_are_told_so() {
    let repo = TestRepo::new("//- src/a.py\nx = 1\n");
    let asked = json!({"targets": ["how", "does", "refresh", "work"]});
    let refused = repo.call_op("context", asked).unwrap_err();
    let call = refused.hints.last().unwrap().call.clone().unwrap();
    assert_eq!(call.args["targets"], json!(["how does refresh work"]));
}

#[test]
fn help_knows_the_names_of_older_tools() {
    let repo = TestRepo::new(FIXTURE);
    let context = repo.data("help", json!({"operation": "get_context"}));
    assert_eq!(context["operations"][0]["name"], "context");
    let graph = repo.data("help", json!({"operation": "query_graph"}));
    let names: Vec<&Value> =
        graph["operations"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["knowledge.context", "knowledge.show", "knowledge.search"]);
    let text = repo.text("help query_graph");
    assert!(text.contains("called by: query_graph with operation: \"context\""), "{text}");
    assert_eq!(repo.code("help", json!({"operation": "get_contxt"})), ProblemCode::NotFound);
}

#[test]
fn provenance_can_be_turned_round() {
    let repo = TestRepo::new("//- a.md\none\n");
    for text in ["two", "three"] {
        repo.write("a.md", text);
        repo.commit(text);
    }
    let subjects = |args: Value| {
        let told = repo.data("get_provenance", args)["commits"].clone();
        let row = |row: &Value| row["message"].as_str().unwrap().trim().to_owned();
        told.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(subjects(json!({"path": "a.md"})), ["start", "two", "three"]);
    assert_eq!(subjects(json!({"path": "a.md", "newest": true, "limit": 2})), ["three", "two"]);
    let text = repo.text("history provenance a.md --newest --limit 1");
    assert!(text.contains("3 commits, newest first"), "{text}");
    assert!(text.contains("--newest --limit 1 --offset 1"), "{text}");
}

#[test]
fn a_symbol_is_followed_through_commits_that_leave_it_alone() {
    let body = "  return compute(1, 2, 3) + compute(4, 5, 6);";
    let class = |name: &str, body: &str, more: &str| {
        format!("export class {name} {{\n  run() {{\n  {body}\n  }}\n}}\n{more}")
    };
    let repo = TestRepo::new(&format!("//- a.ts\n{}", class("First", "  return 0;", "")));
    for (text, message) in [
        (class("First", body, ""), "change it"),
        (class("First", body, "export const x = 1;\n"), "something else"),
        (class("Second", body, "export const x = 1;\n"), "rename the class"),
        (class("Second", body, "export const x = 2;\n"), "something else again"),
    ] {
        repo.write("a.ts", text);
        repo.commit(message);
    }
    let told = repo.data("history.provenance", json!({"path": "a.ts#Second.run"}));
    let row = |row: &Value| {
        format!("{} {}", row["change"].as_str().unwrap(), row["message"].as_str().unwrap().trim())
    };
    let rows: Vec<String> = told["commits"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(rows, ["added start", "modified change it", "renamed rename the class"]);
}

#[test]
fn the_older_name_of_the_area_reaches_the_same_operations() {
    let of_area = operations::ops::ALL.iter().filter(|op| op.group() == "knowledge");
    let names: Vec<&str> = of_area.map(|op| op.name).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    for name in names {
        let (_, verb) = name.split_once('.').unwrap();
        for older in [format!("graph.{verb}"), format!("graph_{verb}"), format!("graph {verb}")] {
            assert_eq!(operations::ops::find(&older).unwrap().name, name, "{older}");
        }
    }
    assert!(operations::ops::find("graphs.context").is_err());
}
