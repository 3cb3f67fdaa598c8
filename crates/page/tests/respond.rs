//! Requests and responses without a server: views, changes, and what is refused.

use std::sync::Arc;

use page::{Site, SiteRequest, SiteResponse, respond};
use serde_json::json;
use testkit::{TestRepo, call};

const FIXTURE: &str = "
//- /src/a.ts
/**
 * Opens <it> & \"more\".
 *
 * @see spec::a/open
 */
export function open(): number { return helper(); }
function helper(): number { return 1; }
//- /.cairn/cards/a/open.card.md
---
key: spec::a/open
type: spec
summary: It <opens>
status: accepted
---
Text with <script>alert(1)</script>.
";

struct PageTest {
    repo: TestRepo,
    site: Site,
}

impl PageTest {
    fn new(read_only: bool) -> Self {
        let repo = TestRepo::new(FIXTURE.trim_start());
        repo.commit("first");
        let site = Site { workspace: Arc::new(repo.workspace()), read_only };
        Self { repo, site }
    }

    fn get(&self, address: &str) -> (u16, String) {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let request = SiteRequest {
            path: path.into(),
            query: query.into(),
            form_token: "right".into(),
            ..SiteRequest::default()
        };
        page_of(respond(&self.site, call(), &request))
    }

    fn post(&self, path: &str, form: &str) -> SiteResponse {
        let request = SiteRequest {
            path: path.into(),
            form: Some(form.into()),
            form_token: "right".into(),
            ..SiteRequest::default()
        };
        respond(&self.site, call(), &request)
    }

    fn card(&self) -> String {
        self.repo.read(".cairn/cards/a/open.card.md").expect("a card")
    }
}

fn page_of(response: SiteResponse) -> (u16, String) {
    match response {
        SiteResponse::Html { status, body } => (status, body),
        other => panic!("not a page: {other:?}"),
    }
}

const CHANGE: &str =
    "operation=card.status&key=spec::a/open&status=implemented&back=/card/spec::a/open";

#[test]
fn every_view_answers_with_its_basis() {
    let test = PageTest::new(false);
    for address in [
        "/",
        "/part/attention",
        "/part/activity",
        "/part/about",
        "/part/tasks",
        "/checks",
        "/search",
        "/search?q=open",
        "/file/",
        "/file/src/a.ts",
        "/symbol/src/a.ts%23open",
        "/cards",
        "/card/spec::a/open",
        "/matrix",
        "/matrix?show=gaps",
        "/matrix?kind=card&path=src",
        "/review",
        "/board",
        "/hotspots",
        "/hotspots?colour=tests",
        "/cochange",
        "/graph",
        "/graph?around=src/a.ts%23helper",
        "/knowledge",
        "/decisions",
        "/history/src/a.ts",
    ] {
        let (status, body) = test.get(address);
        assert_eq!(status, 200, "{address}: {body}");
        let needs_basis = !address.starts_with("/part/");
        assert!(!needs_basis || body.contains("<strong>Basis </strong>fresh"), "{address}: {body}");
    }
}

#[test]
fn the_matrix_follows_confirmations_and_code() {
    let test = PageTest::new(false);
    let links = |suspect: usize, unconfirmed: usize| {
        let (_, body) = test.get("/matrix");
        for (count, label) in [(suspect, "suspect links"), (unconfirmed, "unconfirmed links")] {
            let tile = format!("<strong>{count}</strong><span>{label}</span>");
            assert!(body.contains(&tile), "{tile}: {body}");
        }
    };
    links(0, 1);
    test.repo.data("confirm", json!({"targets": ["spec::a/open"], "why": "read both"}));
    links(0, 0);
    links(0, 0);
    let before = test.repo.read("src/a.ts").expect("a file");
    test.repo.write("src/a.ts", before.replace("return helper()", "return helper() + 1"));
    links(1, 0);
    test.repo.write("src/a.ts", before);
    links(0, 0);
}

#[test]
fn source_is_coloured_and_long_files_have_pages() {
    let test = PageTest::new(false);
    let (_, body) = test.get("/file/src/a.ts");
    assert!(body.contains(r#"<span class="k">export</span> <span class="k">function</span> open"#));
    assert!(!body.contains("rel=\"next\""));
    let lines: String = (1..=1000).map(|line| format!("const line{line} = {line};\n")).collect();
    test.repo.write("src/long.ts", lines);
    let (_, first) = test.get("/file/src/long.ts");
    assert!(first.contains("id=\"L800\"") && !first.contains("id=\"L801\""));
    assert!(first.contains("href=\"/file/src/long.ts?line=801\""), "{first}");
    let (_, second) = test.get("/file/src/long.ts?line=1000");
    assert!(second.contains("Lines 801–1000 of 1000") && second.contains("id=\"L1000\""));
    assert_eq!(test.get("/file/src/long.ts?line=99999").0, 404);
    assert_eq!(test.get("/file/src/long.ts?line=4294967295").0, 404);
}

#[test]
fn the_matrix_can_be_saved_as_a_table_and_as_a_document() {
    let test = PageTest::new(false);
    for (format, start) in [("csv", "id,title,"), ("html", "<!DOCTYPE html>")] {
        let request = SiteRequest {
            path: "/matrix".into(),
            query: format!("format={format}&kind=card"),
            ..SiteRequest::default()
        };
        let SiteResponse::Download(file) = respond(&test.site, call(), &request) else {
            panic!("no file")
        };
        assert_eq!(file.name, format!("matrix.{format}"));
        assert!(
            file.body.starts_with(start) && file.body.contains("spec::a/open"),
            "{}",
            file.body
        );
    }
}

#[test]
fn text_of_the_repository_stays_text() {
    let test = PageTest::new(false);
    for address in ["/card/spec::a/open", "/cards", "/file/src/a.ts", "/search?q=%3Cscript%3Ealert"]
    {
        let (_, body) = test.get(address);
        assert!(!body.contains("<script>alert"), "{address}");
        assert!(!body.contains("<opens>") && !body.contains("<it>"), "{address}");
    }
}

#[test]
fn what_does_not_exist_is_said_with_its_status() {
    let test = PageTest::new(false);
    for (address, status) in
        [("/nothing", 404), ("/card/spec::none", 404), ("/file/none.ts", 404), ("/file/../x", 403)]
    {
        assert_eq!(test.get(address).0, status, "{address}");
    }
}

#[test]
fn a_change_is_planned_then_applied_then_undone() {
    let test = PageTest::new(false);
    let before = test.card();
    let (status, plan) = page_of(test.post("/plan", &format!("{CHANGE}&form_token=right")));
    assert_eq!(status, 200);
    assert!(plan.contains("+status: implemented"), "{plan}");
    assert_eq!(test.card(), before);
    let shown = plan.split_once("name=\"shown\" value=\"").unwrap().1;
    let shown = shown.split_once('"').unwrap().0;
    let applied = test.post("/apply", &format!("{CHANGE}&form_token=right&shown={shown}"));
    let SiteResponse::Redirect(address) = applied else { panic!("{applied:?}") };
    assert!(test.card().contains("status: implemented"));
    let change = address.split_once("?done=").unwrap().1.to_owned();
    assert!(test.get(&address).1.contains(&format!("Change {change} is made.")));
    let undone = test.post("/undo", &format!("change={change}&form_token=right"));
    let SiteResponse::Redirect(address) = undone else { panic!("no redirect: {undone:?}") };
    let body = test.get(&address).1;
    assert!(body.contains(&format!("Change {change} is undone.")), "{body}");
    assert!(body.contains(">Redo</button>"), "{body}");
    assert_eq!(test.card(), before);
}

#[test]
fn nothing_is_applied_that_was_not_shown() {
    let test = PageTest::new(false);
    let before = test.card();
    let (_, again) = page_of(test.post("/apply", &format!("{CHANGE}&form_token=right&shown=0123")));
    assert!(again.contains("changed after the plan was shown"), "{again}");
    assert_eq!(test.card(), before);
}

#[test]
fn a_forged_form_an_unknown_operation_and_a_read_only_page_change_nothing() {
    let test = PageTest::new(false);
    let before = test.card();
    for form in [
        CHANGE.to_owned(),
        format!("{CHANGE}&form_token=wrong"),
        "operation=card.delete&key=spec::a/open&form_token=right".to_owned(),
    ] {
        assert_eq!(page_of(test.post("/apply", &form)).0, 403, "{form}");
    }
    let read_only = PageTest::new(true);
    assert_eq!(page_of(read_only.post("/apply", &format!("{CHANGE}&form_token=right"))).0, 403);
    assert!(
        !read_only.get("/card/spec::a/open").1.contains("<form class=\"inline\" method=\"post\"")
    );
    assert_eq!(test.card(), before);
}

#[test]
fn the_state_changes_with_the_repository() {
    let test = PageTest::new(false);
    let state = || page::repository_state(&test.site.workspace, &call()).unwrap();
    let first = state();
    assert_eq!(first, state());
    test.repo.write("src/b.ts", "export const b = 1;\n");
    assert_ne!(first, state());
}

#[test]
fn a_view_names_the_state_that_it_shows() {
    let test = PageTest::new(false);
    let state = page::repository_state(&test.site.workspace, &call()).unwrap();
    let (_, body) = test.get("/file/");
    assert!(body.contains(&format!("<body data-state=\"{state}\">")), "{state}: {body}");
}

#[test]
fn a_part_says_its_basis_unless_it_is_fresh() {
    let test = PageTest::new(false);
    assert!(!test.get("/part/about").1.contains("Basis of this part"));
    test.repo.write(".cairn/cards/broken.card.md", "no frontmatter\n");
    let (_, body) = test.get("/part/about");
    assert!(body.contains("Basis of this part: partial"), "{body}");
}

#[test]
fn only_moves_that_are_possible_are_offered() {
    let test = PageTest::new(false);
    let create = |args| test.repo.data("work.create", args)["result"].clone();
    let project = create(json!({"kind": "project", "name": "P"}))["project"]["id"].clone();
    let task = |name: &str| {
        let made = create(json!({"kind": "task", "name": name, "project": project}));
        made["task"]["id"].as_str().unwrap().to_owned()
    };
    let (free, blocked, ended) = (task("Free"), task("Blocked"), task("Ended"));
    test.repo.data("work.block", json!({"id": blocked, "blocked_by": "NO_OP", "reason": "why"}));
    test.repo.data("work.terminate", json!({"id": ended, "reason": "not needed"}));
    for address in ["/board".to_owned(), format!("/task/{free}")] {
        let (_, body) = test.get(&address);
        let moves = select(&body, &free).expect("a select");
        assert!(moves.contains("value=\"work.advance\" data-to=\"ACTIVE\">to Active<"), "{moves}");
        assert!(moves.contains("work.terminate") && !moves.contains("work.revert"), "{moves}");
    }
    for address in ["/board".to_owned(), format!("/task/{blocked}")] {
        let (_, body) = test.get(&address);
        let moves = select(&body, &blocked).expect("a select");
        assert!(!moves.contains("work.advance") && moves.contains("work.terminate"), "{moves}");
    }
    for address in ["/board".to_owned(), format!("/task/{ended}")] {
        assert_eq!(select(&test.get(&address).1, &ended), None, "{address}");
    }
}

/// The select that moves a task.
fn select<'b>(body: &'b str, id: &str) -> Option<&'b str> {
    let (_, rest) = body.split_once(&format!("<select id=\"move-{id}\""))?;
    rest.split_once("</select>").map(|(options, _)| options)
}

#[test]
fn a_review_file_has_every_finding() {
    const COUNT: usize = 120;
    let test = PageTest::new(false);
    let function =
        |number| format!("/** @see spec::none/n{number} */\nexport function f{number}() {{}}\n");
    test.repo.write("src/many.ts", (0..COUNT).map(function).collect::<String>());
    let report = page::HTML_REPORTS.iter().find(|report| report.operation == "review").unwrap();
    let args = json!({"fail_on": "never"}).as_object().unwrap().clone();
    let body = (report.document)(&test.site.workspace, call(), args).unwrap();
    let body = body.replace("<wbr>", "");
    for number in 0..COUNT {
        let name = format!("spec::none/n{number}");
        let is_named = body.match_indices(&name).any(|(at, _)| {
            !body[at + name.len()..].starts_with(|next: char| next.is_ascii_digit())
        });
        assert!(is_named, "{name} is left out");
    }
}

#[test]
fn a_file_that_is_not_there_is_named_as_it_was_asked_for() {
    let test = PageTest::new(false);
    let (status, body) = test.get("/file/src/none.ts");
    assert_eq!(status, 404);
    assert!(body.contains("src/<wbr>none.ts") && !body.contains("none.ts:1-"), "{body}");
    assert!(body.contains("href=\"/search?q=none.ts\""), "{body}");
}

#[test]
fn a_folder_lists_its_folders_first() {
    let test = PageTest::new(false);
    for path in ["lib/deep/x.ts", "lib/a.ts", "lib/z.ts"] {
        test.repo.write(path, "export const x = 1;\n");
    }
    let (_, body) = test.get("/file/lib");
    let at = |address: &str| {
        body.find(&format!("<td class=\"main\"><a class=\"node\" href=\"{address}\"")).unwrap()
    };
    assert!(at("/file/lib/deep") < at("/file/lib/a.ts"), "{body}");
    assert!(at("/file/lib/a.ts") < at("/file/lib/z.ts"), "{body}");
}

#[test]
fn what_a_repository_says_of_itself_is_shown_without_marks() {
    let test = PageTest::new(false);
    test.repo.write("README.md", "# Door\n\nOpens **every** door with `one` key.\n");
    let (_, body) = test.get("/part/about");
    assert!(body.contains("Opens every door with one key."), "{body}");
}

#[test]
fn the_plan_of_a_confirmation_shows_what_changed_since_the_last_one() {
    let test = PageTest::new(false);
    test.repo.data("confirm", json!({"targets": ["spec::a/open"], "why": "read both"}));
    let before = test.repo.read("src/a.ts").expect("a file");
    test.repo.write("src/a.ts", before.replace("return helper()", "return helper() + 41"));
    let form = "operation=confirm&targets=spec::a/open&why=still+opens&form_token=right";
    let (status, body) = page_of(test.post("/plan", form));
    assert_eq!(status, 200);
    let (_, since) = body.split_once("What changed since it was last confirmed").expect("a part");
    let (since, written) = since.split_once("What is written").expect("a part");
    assert!(since.contains("return helper() + 41"), "{since}");
    assert!(written.contains("still opens"), "{written}");
}

#[test]
fn blocked_work_says_why_and_a_task_leads_to_its_project() {
    let test = PageTest::new(false);
    let project = test.repo.data("work.create", json!({"kind": "project", "name": "Door"}));
    let project = project["result"]["project"]["id"].as_str().unwrap().to_owned();
    let task = json!({"kind": "task", "name": "Oil it", "project": project});
    let task =
        test.repo.data("work.create", task)["result"]["task"]["id"].as_str().unwrap().to_owned();
    let reason = "the oil is not chosen";
    test.repo.data("work.block", json!({"id": task, "blocked_by": "NO_OP", "reason": reason}));
    let (_, board) = test.get("/board");
    assert!(board.contains(&format!("<span class=\"excerpt\">{reason}</span>")), "{board}");
    let (_, body) = test.get(&format!("/task/{task}"));
    assert!(body.contains(&format!("<li><a href=\"/project/{project}\">Door</a></li>")), "{body}");
    // A reason alone is no dependency of the task on itself.
    assert!(!body.contains("Dependencies"), "{body}");
    let other = json!({"kind": "task", "name": "Buy oil", "project": project});
    let other =
        test.repo.data("work.create", other)["result"]["task"]["id"].as_str().unwrap().to_owned();
    test.repo.data("work.block", json!({"id": task, "blocked_by": format!("task:{other}")}));
    let (_, body) = test.get(&format!("/task/{task}"));
    let (_, ties) = body.split_once("Dependencies").expect("a part");
    assert!(ties.contains("Buy oil</a>") && ties.contains("blocks"), "{ties}");
    assert!(ties.contains(">this<"), "{ties}");
}

#[test]
fn hotspots_show_missing_tests_where_nothing_has_a_spec() {
    let repo = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    repo.commit("first");
    let site = Site { workspace: Arc::new(repo.workspace()), read_only: false };
    let test = PageTest { repo, site };
    let chosen = |address: &str, name: &str| {
        let (_, body) = test.get(address);
        assert!(body.contains(&format!("aria-current=\"true\">{name}</a>")), "{body}");
        body
    };
    chosen("/hotspots", "missing tests");
    let body = chosen("/hotspots?colour=specs", "missing specs");
    assert!(body.contains("no spec: none of these files is linked"), "{body}");
    let with_spec = PageTest::new(false);
    let (_, body) = with_spec.get("/hotspots");
    assert!(body.contains("aria-current=\"true\">missing specs</a>"), "{body}");
}

#[test]
fn knowledge_is_out_of_date_only_after_its_code_has_changed() {
    let test = PageTest::new(false);
    test.repo.data("work.create", json!({"kind": "project", "name": "Door"}));
    let atom =
        json!({"kind": "atom", "name": "Hinges", "paths": ["src/a.ts"], "knowledge": "Oil them."});
    let atom = test.repo.data("knowledge.create", atom)["result"]["atom"]["id"].clone();
    let address = format!("/atom/{}", atom.as_str().unwrap());
    let (_, body) = test.get(&address);
    assert!(body.contains("up to date") && !body.contains("Since it was written"), "{body}");
    test.repo.write("src/a.ts", "export const a = 1;\n");
    let (_, body) = test.get(&address);
    assert!(body.contains("Since it was written, 1 file changed."), "{body}");
}

#[test]
fn an_empty_list_says_what_it_was_narrowed_to() {
    let test = PageTest::new(false);
    let (_, body) = test.get("/cards?status=draft");
    assert!(body.contains("No card has the status <code>draft</code>."), "{body}");
    assert!(!body.contains("card create"), "{body}");
}

#[test]
fn tests_and_scenarios_belong_to_the_matrix() {
    let test = PageTest::new(false);
    test.repo
        .write("docs/tests/TEST-1.md", "---\nid: TEST-1\ntitle: It opens\nstatus: passing\n---\n");
    test.repo.write("docs/adr/ADR-1.md", "---\nid: ADR-1\ntitle: Doors\nstatus: accepted\n---\n");
    for (id, view) in [("TEST-1", "matrix"), ("ADR-1", "decisions")] {
        let (_, body) = test.get(&format!("/kb/{id}"));
        let (_, rest) = body.split_once(&format!("href=\"/{view}\" data-key")).expect("a link");
        let (link, _) = rest.split_once('>').expect("a tag");
        assert!(link.contains("aria-current=\"page\""), "{id}: {link}");
    }
}

#[test]
fn what_takes_long_on_the_page_of_a_symbol_is_loaded_late() {
    let test = PageTest::new(false);
    let (_, body) = test.get("/symbol/src/a.ts%23open");
    let late = "/part/reasons?of=symbol%3Asrc/a.ts%23open";
    assert!(body.contains(&format!("data-late=\"{late}\"")), "{body}");
    let (status, part) = test.get(late);
    assert_eq!(status, 200);
    assert!(part.contains("Why it exists") && part.contains("Commits"), "{part}");
}
