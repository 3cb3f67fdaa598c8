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
    let lead = |expected: &str| {
        let (_, body) = test.get("/matrix");
        assert!(body.contains(expected), "{expected}: {body}");
    };
    lead("0 links suspect, 1 unconfirmed");
    test.repo.data("confirm", json!({"targets": ["spec::a/open"], "why": "read both"}));
    lead("0 links suspect, 0 unconfirmed");
    lead("0 links suspect, 0 unconfirmed");
    let before = test.repo.read("src/a.ts").expect("a file");
    test.repo.write("src/a.ts", before.replace("return helper()", "return helper() + 1"));
    lead("1 link suspect, 0 unconfirmed");
    test.repo.write("src/a.ts", before);
    lead("0 links suspect, 0 unconfirmed");
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
    assert!(matches!(undone, SiteResponse::Redirect(_)), "{undone:?}");
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
