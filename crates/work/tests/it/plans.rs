//! Plans: read, written, applied and exported without loss; and the files of other trackers.

use std::collections::BTreeMap;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use store::Connection;
use work::pipeline::WorkPipelines;
use work::plan::backlog::backlog_files;
use work::plan::export::{all_plans, beads_lines, plan_of};
use work::plan::import::{ImportFile, ImportFormat, detect, read};
use work::plan::markdown::{parse, render};
use work::plan::{
    AppliedPlan, PlanDocument, PlanOptions, PlannedItem, PlannedRelation, PlannedRelationKind,
    PlannedSection, apply,
};
use work::record::{Feature, Task};
use work::words::{ContentFormat, WorkKind, WorkPriority, WorkStatus};
use work::{WorkDraft, WorkItem, check, tables};

/// A store of its own.
pub(crate) fn store() -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    for step in tables::MIGRATIONS {
        conn.execute_batch(step.sql).unwrap();
    }
    conn
}

fn pipelines() -> WorkPipelines {
    let states = vec![WorkStatus::New, WorkStatus::Active, WorkStatus::Closed];
    WorkPipelines { feature: states.clone(), task: states, evidence: Vec::new() }
}

/// Applies a plan and commits it.
pub(crate) fn apply_to(
    conn: &Connection,
    plan: &PlanDocument,
    seed: u8,
) -> base::Result<AppliedPlan> {
    let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
    let mut draft = WorkDraft::new(conn, now, "ada", [seed; 32]);
    let options = PlanOptions { project: None, new_project_name: "Shop", is_lenient: true };
    let applied = apply(&mut draft, &pipelines(), plan, options)?;
    draft.record_events().unwrap();
    work::draft::apply_changes(conn, &draft.into_changes()).unwrap();
    let broken = check::integrity_violations(conn).unwrap();
    assert!(broken.is_empty(), "{broken:?}");
    Ok(applied)
}

fn read_draft(conn: &Connection) -> WorkDraft<'_> {
    WorkDraft::new(conn, Timestamp::UNIX_EPOCH, "ada", [0; 32])
}

pub(crate) fn whole_plan(conn: &Connection) -> PlanDocument {
    all_plans(&read_draft(conn)).unwrap().remove(0)
}

const PLAN: &str = "\
# Feature: Proxies

- priority: HIGH

Requests go through proxies.

## Section: Goal

Users behind a proxy can work.

## Task: Parse proxy URLs

- files: src/url.py, src/proxy.py
- estimate: 2h

### Implementation Plan

1. read the scheme

```sh
# not a heading
```

## Task: Accept SOCKS proxies

- blocked by: Parse proxy URLs
- tags: net, socks
- assignee: bob

Summary of it.

The description has

several paragraphs.
";

#[test]
fn a_plan_is_made_and_made_again_without_a_change() {
    let conn = store();
    let plan = parse(PLAN).unwrap();
    let made = apply_to(&conn, &plan, 1).unwrap();
    assert_eq!((made.created, made.changed, made.unchanged), (3, 0, 0));
    let again = apply_to(&conn, &plan, 2).unwrap();
    assert_eq!((again.created, again.changed, again.unchanged), (0, 0, 3));
    let text = PLAN.replace("- priority: HIGH", "- priority: LOW").replace("2h", "3h");
    let changed = apply_to(&conn, &parse(&text).unwrap(), 3).unwrap();
    let rows: Vec<String> =
        changed.rows.iter().map(|row| format!("{}: {}", row.what.name, row.change)).collect();
    assert_eq!(rows, ["Proxies: priority HIGH → LOW", "Parse proxy URLs: estimate 120 → 180"]);
    let draft = read_draft(&conn);
    let socks: Task = draft.find(&"Accept SOCKS proxies".parse().unwrap()).unwrap();
    assert_eq!(socks.summary, "Summary of it.");
    assert_eq!(socks.description, "The description has\n\nseveral paragraphs.");
    let blocks = work::container::blockers(&draft, &socks.id).unwrap();
    assert_eq!(blocks[0].1.as_ref().unwrap().name, "Parse proxy URLs");
    let parsing: Task = draft.find(&"Parse proxy URLs".parse().unwrap()).unwrap();
    let sections = work::sections::of(&draft, &WorkItem::Task(parsing)).unwrap();
    let titles: Vec<&str> = sections.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Context Files", "Implementation Plan"]);
    assert!(sections[1].content.ends_with("# not a heading\n```"), "{}", sections[1].content);
}

#[test]
fn an_exported_plan_gives_the_same_records_elsewhere() {
    let (here, there) = (store(), store());
    apply_to(&here, &parse(PLAN).unwrap(), 1).unwrap();
    let exported = render(&whole_plan(&here));
    apply_to(&there, &parse(&exported).unwrap(), 7).unwrap();
    assert_eq!(render(&whole_plan(&there)), exported, "keys included");
    let feature: Feature = read_draft(&here).find(&"Proxies".parse().unwrap()).unwrap();
    let only = plan_of(&read_draft(&here), &WorkItem::Feature(feature)).unwrap();
    let back = apply_to(&here, &parse(&render(&only)).unwrap(), 9).unwrap();
    assert_eq!((back.created, back.changed, back.unchanged), (0, 0, 3));
}

#[test]
fn a_bad_plan_says_where() {
    for (text, expected) in [
        ("nothing", "the plan has no feature and no task"),
        ("### Section\n", "line 1: section `Section` comes before any feature or task"),
        ("## Task:\n", "line 1: the task has no name"),
        ("## Task: a\n- priority: SOON\n", "`priority`: `SOON` is not one of HIGH, MEDIUM, LOW"),
        (
            "## Task: a\n- due: soon\n# b\n",
            "before line 3: `due`: `soon` is not a day such as 2026-03-31",
        ),
        (
            "## Task: a\n- priority: LOW\n- owner: ann\n",
            "`owner` is not a field; fields are status, reason, priority, complexity, tags, labels, assignee, due, \
             milestone, estimate, source, summary, description, feature, files, blocked by, blocks, part of, \
             duplicate of, discovered from, related to. A blank line ends the list of fields",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err().message, expected, "{text}");
    }
    let plan = parse("## Task: a\n- blocked by: nobody\n").unwrap();
    let conn = store();
    let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
    let mut draft = WorkDraft::new(&conn, now, "ada", [1; 32]);
    let options = PlanOptions { project: None, new_project_name: "Shop", is_lenient: false };
    let refused = apply(&mut draft, &pipelines(), &plan, options).unwrap_err();
    assert_eq!(refused.message, "task \"a\": no feature or task nobody");
}

#[test]
fn fields_are_read_below_the_text_too() {
    let text = "# Feature: F\n\nWhat users want.\n\n- priority: HIGH\n- due: 2026-03-01\n\nMore of it.\n\n\
        ## Task: t\n\n- files:\n  - src/a.ts\n  - src/b.ts\n- depends_on: F\n- a point of the text: or two\n";
    let refused = parse(text).unwrap_err().message;
    assert!(refused.starts_with("`a point of the text` is not a field"), "{refused}");
    let plan = parse(&text.replace("\n- a point", "\n\n- a point")).unwrap();
    let feature = &plan.items[0];
    assert_eq!(
        (feature.priority, feature.due.as_deref()),
        (Some(WorkPriority::High), Some("2026-03-01"))
    );
    assert_eq!(feature.summary.as_deref(), Some("What users want."));
    assert_eq!(feature.description.as_deref(), Some("More of it."));
    let task = &plan.items[1];
    assert_eq!(task.sections[0].content, "- src/a.ts\n- src/b.ts");
    assert_eq!(task.relations[0].kind, PlannedRelationKind::BlockedBy);
    assert_eq!(task.summary.as_deref(), Some("- a point of the text: or two"));
    let prose = parse("# F\n\nSome.\n\n- priority: HIGH\n- of course: not\n").unwrap();
    assert_eq!(prose.items[0].priority, None, "a list that has other points is text");
}

#[test]
fn files_of_the_field_and_of_the_section_are_one_list() {
    let text = "## Task: t\n\n- files: src/a.ts, src/b.ts\n\n### Notes\n\nn\n\n### Context Files\n\n- src/b.ts\n- src/c.ts: see login\n";
    let sections = &parse(text).unwrap().items[0].sections;
    let titles: Vec<&str> = sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["Notes", "Context Files"]);
    assert_eq!(sections[1].content, "- src/a.ts\n- src/b.ts\n- src/c.ts: see login");
}

/// Reads a file of another tracker, whose format is detected.
pub(crate) fn import(path: &str, text: &str) -> (ImportFormat, PlanDocument) {
    let files = [ImportFile { path: path.into(), text: text.into() }];
    let format = detect(&files).unwrap();
    (format, read(format, &files).unwrap())
}

/// One line for each item of a plan.
fn outline(plan: &PlanDocument) -> Vec<String> {
    let line = |item: &PlannedItem| {
        let ties: Vec<String> = item
            .relations
            .iter()
            .map(|one| format!(" {} {}", one.kind.words(), one.other))
            .collect();
        let feature = item.feature.map_or(String::new(), |at| format!(" in {at}"));
        let status = item.status.map_or("", |status| status.word());
        format!("{} {status} {}{feature}{}", item.kind, item.name, ties.concat())
    };
    plan.items.iter().map(line).collect()
}

#[test]
fn checklists_are_read() {
    let (format, plan) = import(
        "TODO.md",
        "# Notes\n\nprose\n\n# Beta\n\n- [ ] Write docs #docs\n  more about it\n  - [x] Draft\n* [X] Ship\n",
    );
    assert_eq!(format, ImportFormat::Checklist);
    assert_eq!(
        outline(&plan),
        [
            "feature  Beta",
            "task NEW Write docs in 0",
            "task CLOSED Draft in 0 part of Write docs",
            "task CLOSED Ship in 0",
        ]
    );
    assert_eq!(plan.items[1].tags, Some(vec!["docs".to_owned()]));
    assert_eq!(plan.items[1].description.as_deref(), Some("more about it"));
}

#[test]
fn boxes_of_numbered_lists_belong_to_the_box_above_them() {
    let text =
        "# Beta\n\n1. [ ] Tests\n   - [ ] Unit\n\n# Final\n\n1) [ ] Tests\n   - [x] Browser\n";
    let (_, plan) = import("TODO.md", text);
    let conn = store();
    apply_to(&conn, &plan, 1).unwrap();
    let draft = read_draft(&conn);
    let parents = |feature: &str| -> Vec<String> {
        let feature: Feature = draft.find(&feature.parse().unwrap()).unwrap();
        let tasks: Vec<Task> = draft.list("feature_id", &feature.id).unwrap();
        let parent = |task: &Task| work::dependencies::parent_of(&draft, &task.id).unwrap();
        let of = |id| tasks.iter().find(|task| task.id == id).unwrap().title.clone();
        let mut found: Vec<String> = tasks
            .iter()
            .filter_map(|task| Some(format!("{} of {}", task.title, of(parent(task)?))))
            .collect();
        found.sort();
        found
    };
    assert_eq!(parents("Beta"), ["Unit of Tests"]);
    assert_eq!(parents("Final"), ["Browser of Tests"]);
}

#[test]
fn issues_of_github_are_read() {
    let (format, plan) = import(
        "issues.json",
        r#"[{"number": 3, "title": "Crash", "body": "Blocked by #2.\r\nmore", "state": "OPEN",
             "labels": [{"name": "bug"}, {"name": "priority: high"}], "assignees": [{"login": "ann"}],
             "milestone": {"title": "1.0", "dueOn": "2026-05-01T00:00:00Z"}},
            {"number": 2, "title": "Old", "state": "closed", "state_reason": "not_planned", "labels": []},
            {"number": 4, "title": "A pull request", "state": "open", "pull_request": {}}]"#,
    );
    assert_eq!(format, ImportFormat::Github);
    assert_eq!(
        outline(&plan),
        ["task NEW Crash blocked by github:#2", "task WILL_NOT_IMPLEMENT Old"]
    );
    let crash = &plan.items[0];
    assert_eq!(
        (crash.priority, crash.due.as_deref()),
        (Some(WorkPriority::High), Some("2026-05-01"))
    );
    assert_eq!(crash.description.as_deref(), Some("Blocked by #2.\nmore"));
}

#[test]
fn issues_of_beads_go_in_and_out() {
    let lines = [
        r#"{"id":"bd-1","title":"Epic","status":"open","priority":1,"issue_type":"epic"}"#,
        r#"{"id":"bd-2","title":"Part","status":"in_progress","priority":2,"issue_type":"bug","design":"D","labels":["x"],"estimated_minutes":30,"dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"},{"issue_id":"bd-2","depends_on_id":"bd-3","type":"blocks"}]}"#,
        r#"{"id":"bd-3","title":"First","status":"closed","priority":4,"issue_type":"task","dependencies":[{"issue_id":"bd-3","depends_on_id":"bd-2","type":"discovered-from"}]}"#,
    ];
    let (format, plan) = import(".beads/issues.jsonl", &lines.join("\n"));
    assert_eq!(format, ImportFormat::Beads);
    let expected = [
        "feature NEW Epic",
        "task ACTIVE Part in 0 blocked by beads:bd-3",
        "task CLOSED First discovered from beads:bd-2",
    ];
    assert_eq!(outline(&plan), expected);
    let conn = store();
    let made = apply_to(&conn, &plan, 1).unwrap();
    assert_eq!((made.created, made.skipped.len()), (3, 0));
    let (_, back) = import("x.jsonl", &beads_lines(&whole_plan(&conn)).unwrap());
    let (epic, first, part) = ("feature ACTIVE Epic", expected[2], expected[1]);
    assert_eq!(outline(&back), [epic, first, part], "a feature follows its tasks");
    assert_eq!(back.items[2].sections, plan.items[1].sections);
    assert_eq!(back.items[2].estimate, Some(30));
}

/// The issues of a beads file, by id.
fn issues(lines: &str) -> BTreeMap<String, Value> {
    let issues = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    issues.map(|issue| (issue["id"].as_str().unwrap().to_owned(), issue)).collect()
}

#[test]
fn every_field_of_beads_is_exported_again() {
    let lines = [
        r#"{"id":"bd-1","title":"Epic","status":"hooked","priority":0,"issue_type":"epic","owner":"ann","created_at":"2026-01-01T00:00:00Z"}"#,
        r#"{"id":"bd-2","title":"Other epic","status":"in_progress","priority":2,"issue_type":"epic","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child","created_by":"ann"}]}"#,
        r#"{"id":"bd-3","title":"Gone \n","status":"tombstone","priority":4,"issue_type":"bug","original_type":"bug","description":"ends with a line\n","dependencies":[{"issue_id":"bd-3","depends_on_id":"bd-2","type":"parent-child"},{"issue_id":"bd-3","depends_on_id":"bd-1","type":"parent-child"}]}"#,
        r#"{"id":"bd-4","title":"Told","status":"open","priority":3,"issue_type":"feature","labels":["z","a"],"notes":"N","close_reason":"R","comments":[{"id":7,"issue_id":"bd-4","author":"bob","text":"First.\n\n## Heading\n","created_at":"2026-01-02T00:00:00Z"},{"id":8,"issue_id":"bd-4","author":"ann","text":"Second.","created_at":"2026-01-03T00:00:00Z"}],"dependencies":[{"issue_id":"bd-4","depends_on_id":"bd-3","type":"supersedes"}]}"#,
    ]
    .join("\n");
    let conn = store();
    let made = apply_to(&conn, &import("a.jsonl", &lines).1, 1).unwrap();
    assert_eq!((made.created, made.skipped), (4, vec![]));
    let out = beads_lines(&whole_plan(&conn)).unwrap();
    assert_eq!(issues(&out), issues(&lines));
    // Through Markdown and another store as well.
    let elsewhere = store();
    apply_to(&elsewhere, &parse(&render(&whole_plan(&conn))).unwrap(), 2).unwrap();
    assert_eq!(issues(&beads_lines(&whole_plan(&elsewhere)).unwrap()), issues(&lines));
    // Imported again, nothing changes.
    assert_eq!(apply_to(&conn, &import("a.jsonl", &lines).1, 3).unwrap().changed, 0);
    // What was changed here is written, and the other fields stay as they were.
    let mut changed = whole_plan(&conn);
    let told = changed.items.iter_mut().find(|item| item.name == "Told").unwrap();
    told.priority = Some(WorkPriority::High);
    told.sections.push(PlannedSection::new("Plan", "1. do it"));
    let mut expected = issues(&lines);
    let told = expected.get_mut("bd-4").unwrap();
    told["priority"] = json!(1);
    told["notes"] = json!("N\n\n## Plan\n\n1. do it");
    assert_eq!(issues(&beads_lines(&changed).unwrap()), expected);
}

#[test]
fn files_of_backlog_md_are_read() {
    let text = "---\nid: BACK-7\ntitle: 'Link: tasks'\nstatus: In Progress\nassignee:\n  - '@ann'\n\
        labels: [web]\ndependencies:\n  - back-3\nparent_task_id: BACK-1\npriority: high\n---\n\n\
        ## Description\n\nWhat and why.\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 it works\n<!-- AC:END -->\n";
    let (format, plan) = import("backlog/tasks/back-7 - Link.md", text);
    assert_eq!(format, ImportFormat::Backlog);
    let expected = ["task ACTIVE Link: tasks blocked by backlog:3 part of backlog:1"];
    assert_eq!(outline(&plan), expected);
    let item = &plan.items[0];
    assert_eq!(
        (item.assignee.as_deref(), item.description.as_deref()),
        (Some("ann"), Some("What and why."))
    );
    let criteria = PlannedSection::new("Acceptance Criteria", "- [ ] #1 it works");
    assert_eq!(item.sections[0], criteria);
    let kept = r#"{"dependencies":["back-3"],"id":"BACK-7","parent_task_id":"BACK-1","path":"tasks/back-7 - Link.md"}"#;
    assert_eq!(
        (item.sections[1].title.as_str(), item.sections[1].content.as_str()),
        ("Imported Fields", kept)
    );
}

#[test]
fn a_backlog_loses_no_file() {
    let file = |path: &str, text: &str| ImportFile { path: path.into(), text: text.into() };
    let files = [
        file("backlog/archive/tasks/back-3.md", "---\nid: BACK-3\ntitle: Old\n---\nText.\n"),
        file(
            "backlog/tasks/back-3.md",
            "---\nid: BACK-3\ntitle: New\nreporter: @ann\nassignee:\n  - @bob\n---\nBefore.\n\n## Description\n\nAfter.\n",
        ),
        file("backlog/tasks/back-4.md", "---\nid: [\n---\n"),
        file("backlog/tasks/readme.md", "# Tasks\n"),
        file("backlog/tasks/notes.md", "---\nauthor: ann\n---\n"),
    ];
    let plan = read(ImportFormat::Backlog, &files).unwrap();
    assert_eq!(outline(&plan), ["task NEW New", "task NEW Old"]);
    let sources: Vec<Option<&str>> = plan.items.iter().map(|one| one.source.as_deref()).collect();
    assert_eq!(sources, [Some("backlog:3"), Some("backlog:3~2")]);
    let new = &plan.items[0];
    assert_eq!(new.assignee.as_deref(), Some("bob"));
    assert_eq!(new.description.as_deref(), Some("Before.\n\nAfter."));
    let kept = json!({"id": "BACK-3", "path": "tasks/back-3.md", "priority": null, "reporter": "@ann", "status": null});
    assert_eq!(new.sections[0].content, kept.to_string());
    let left_out: Vec<&str> =
        plan.left_out.iter().map(|one| one.split_once(':').unwrap().0).collect();
    assert_eq!(left_out, ["backlog/tasks/back-4.md", "backlog/tasks/notes.md"]);
    assert_eq!(apply_to(&store(), &plan, 1).unwrap().left_out, plan.left_out);
}

/// The frontmatter of a file as JSON, without empty values, and its sections without marks.
fn backlog_values(text: &str) -> BTreeMap<String, String> {
    let document = document::Document::parse(text).unwrap();
    let fields =
        document.fields().map(|(name, node)| (name.to_owned(), node.to_json().to_string()));
    let mut values: BTreeMap<String, String> =
        fields.filter(|(_, value)| !matches!(value.as_str(), "null" | "[]")).collect();
    for section in document.body().split("\n## ").skip(1) {
        let (title, content) = section.split_once('\n').unwrap();
        let lines = content.lines().filter(|line| !line.starts_with("<!--"));
        let content = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
        values.insert(format!("## {title}"), content);
    }
    values
}

#[test]
fn files_of_backlog_md_are_exported_again() {
    let file = |path: &str, text: &str| ImportFile { path: path.into(), text: text.into() };
    let files = [
        file(
            "backlog/tasks/back-7 - Link.md",
            "---\nid: BACK-7\ntitle: 'Link: tasks'\nstatus: In Progress\nassignee:\n  - '@ann'\n  - bob\n\
             created_date: '2026-01-02 10:00'\nlabels: [web, api]\ndependencies:\n  - task-99\n\
             parent_task_id: BACK-3\npriority: high\nordinal: 7000\n---\n\n## Description\n\n\
             <!-- SECTION:DESCRIPTION:BEGIN -->\nWhat and why.\n<!-- SECTION:DESCRIPTION:END -->\n\n\
             ## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 it works\n<!-- AC:END -->\n",
        ),
        file(
            "backlog/archive/tasks/back-3 - Old.md",
            "---\nid: BACK-3\ntitle: Old\nstatus: Blocked\nassignee: []\nlabels: []\ndependencies: []\n---\n\n\
             ## Description\n\nOld.\n",
        ),
    ];
    let conn = store();
    let plan = read(ImportFormat::Backlog, &files).unwrap();
    apply_to(&conn, &plan, 1).unwrap();
    let exported = backlog_files(&whole_plan(&conn)).unwrap();
    for file in &files {
        let path = file.path.strip_prefix("backlog/").unwrap();
        let same = exported.iter().find(|one| one.path == path).unwrap();
        assert_eq!(backlog_values(&same.text), backlog_values(&file.text), "{path}");
    }
    // What was changed here is written, and a new item gets a number and a file.
    let mut changed = whole_plan(&conn);
    for item in changed.items.iter_mut().filter(|item| item.name == "Old") {
        item.status = Some(WorkStatus::Closed);
    }
    changed.items.push(PlannedItem {
        key: Some("new-0001".into()),
        ..PlannedItem::new(WorkKind::Task, "A new: one")
    });
    let exported = backlog_files(&changed).unwrap();
    let of =
        |path: &str| backlog_values(&exported.iter().find(|one| one.path == path).unwrap().text);
    assert_eq!(of("archive/tasks/back-3 - Old.md")["status"], "\"Done\"");
    assert_eq!(of("tasks/task-8 - A-new-one.md")["id"], "\"task-8\"");
}

#[test]
fn tasks_of_task_master_are_read() {
    let text = r#"{"master": {"tasks": [
        {"id": 1, "title": "Base", "status": "done", "priority": "high", "dependencies": []},
        {"id": 2, "title": "Top", "status": "pending", "dependencies": [1], "details": "how",
         "testStrategy": "so", "subtasks": [
            {"id": 1, "title": "Half", "status": "pending", "dependencies": []},
            {"id": 2, "title": "Rest", "status": "deferred", "dependencies": [1]}]}]}}"#;
    let (format, plan) = import("tasks.json", text);
    assert_eq!(format, ImportFormat::TaskMaster);
    assert_eq!(
        outline(&plan),
        [
            "task CLOSED Base",
            "task NEW Top blocked by task-master:1",
            "task NEW Half part of task-master:2",
            "task NEW Rest blocked by task-master:2.1 part of task-master:2",
        ]
    );
    let made = apply_to(&store(), &plan, 1).unwrap();
    assert_eq!((made.created, made.skipped), (4, vec![]));
}

/// Texts that Markdown could change: headings, fences, blank lines, comments, escapes.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just("# a".to_owned()),
        Just("### b".to_owned()),
        Just("\\## c".to_owned()),
        Just("```".to_owned()),
        Just("~~~~ sh".to_owned()),
        Just("- status: NEW".to_owned()),
        Just("<!-- {\"usage\":\"x\"} -->".to_owned()),
        Just("  indented".to_owned()),
        Just("win\r".to_owned()),
        "[a-zA-Z#`\\\\\" >{}-]{0,12}",
    ];
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

fn some<T: Clone + std::fmt::Debug + 'static>(
    values: &'static [T],
) -> impl Strategy<Value = Option<T>> {
    prop::option::of(prop::sample::select(values))
}

fn section() -> impl Strategy<Value = PlannedSection> {
    let title = prop::sample::select(vec!["Goal", "Context Files", "A: b"]);
    let format = some(&[ContentFormat::Json, ContentFormat::Code]);
    (title, prop::option::of("[a-z>\"]{1,8}"), text(), format).prop_map(
        |(title, usage, content, format)| PlannedSection {
            usage,
            format,
            ..PlannedSection::new(title, content)
        },
    )
}

fn relation() -> impl Strategy<Value = PlannedRelation> {
    let kind = prop::sample::select(PlannedRelationKind::ALL.to_vec());
    let other = prop_oneof!["[a-z]{1,6}-[0-9a-f]{4}", "[a-z ,\"]{1,3}[a-z]"];
    (kind, other, prop_oneof![Just(String::new()), "[a-z,\" ]{1,8}"]).prop_map(
        |(kind, other, reason)| PlannedRelation { kind, other: other.trim().to_owned(), reason },
    )
}

fn planned_item() -> impl Strategy<Value = PlannedItem> {
    let texts = (
        prop::option::of(text().prop_filter("not empty", |text| !text.trim().is_empty())),
        prop::option::of(text().prop_filter("not empty", |text| !text.trim().is_empty())),
        prop::collection::vec(section(), 0..3),
        prop::collection::vec(relation(), 0..3),
    );
    let fields = (
        prop::sample::select(vec!["Name", "Fix: the {#x} thing", "a \"b\" #c"]),
        prop::option::of("[a-z]{2,5}-[0-9a-f]{4}"),
        some(WorkStatus::ALL),
        some(WorkPriority::ALL),
        prop::option::of(1..10_u32),
        prop::option::of("[a-z\"]{1,5}"),
        prop::option::of(1..5000_u32),
    );
    (any::<bool>(), texts, fields).prop_map(|(is_task, texts, fields)| {
        let (summary, description, sections, mut relations) = texts;
        let (name, key, status, priority, complexity, assignee, estimate) = fields;
        relations.sort_by_key(|one| PlannedRelationKind::ALL.iter().position(|k| *k == one.kind));
        let kind = if is_task { WorkKind::Task } else { WorkKind::Feature };
        PlannedItem {
            key: key.or(Some("key-0000".into())),
            status: status.or(Some(WorkStatus::New)),
            priority,
            complexity,
            assignee: assignee.clone(),
            milestone: assignee,
            estimate,
            tags: Some(vec!["a".into(), "b c".into()]),
            due: Some("2026-03-31".into()),
            summary,
            description,
            sections,
            relations,
            ..PlannedItem::new(kind, name)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(items in prop::collection::vec(planned_item(), 1..5)) {
        let project = Some("Shop".into());
        let mut plan = PlanDocument { project, items, left_out: Vec::new() };
        let mut feature = None;
        for (at, item) in plan.items.iter_mut().enumerate() {
            if item.kind == WorkKind::Feature {
                feature = Some(at);
            } else {
                item.feature = feature;
            }
        }
        let text = render(&plan);
        let back = parse(&text).unwrap();
        prop_assert_eq!(&back, &plan, "{}", text);
    }
}
