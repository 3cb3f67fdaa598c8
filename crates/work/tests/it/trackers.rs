//! Odd files of other trackers: what they hold comes in whole, and goes out as it was.

use work::plan::backlog::backlog_files;
use work::plan::import::{ImportFile, ImportFormat, read};

use crate::plans::{apply_to, import, store, whole_plan};

#[test]
fn a_section_of_backlog_md_may_have_headings() {
    let text = "---\nid: BACK-7\ntitle: Link\nstatus: Done\n---\n\n\
        ## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n## Why\nBecause.\n<!-- SECTION:DESCRIPTION:END -->\n\n\
        ## Implementation Notes\n\n<!-- SECTION:NOTES:BEGIN -->\n## Design\n\nOne lock.\n\n## Audit\n\nNone left.\n\
        <!-- SECTION:NOTES:END -->\n\n\
        ## Comments\n\n<!-- COMMENTS:BEGIN -->\nauthor: @ann\n---\nFine.\n<!-- COMMENTS:END -->\n\n\
        ## Open\n\n<!-- SECTION:PLAN:BEGIN -->\n## Without an end\n\nText.\n";
    let conn = store();
    apply_to(&conn, &import("backlog/tasks/back-7 - Link.md", text).1, 1).unwrap();
    let plan = whole_plan(&conn);
    let titles: Vec<&str> = plan.items[0].sections.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Implementation Notes", "Comments", "Without an end", "Imported Fields"]);
    let exported = backlog_files(&plan).unwrap();
    let body = |text: &str| text.split_once("\n---\n").unwrap().1.to_owned();
    let (whole, open) = text.split_once("## Open").unwrap();
    assert_eq!(body(&exported[0].text).split("## Without").next().unwrap(), body(whole), "{open}");
}

#[test]
fn an_id_that_is_used_twice_is_two_tasks() {
    let text = r#"{"tasks": [{"id": 1, "title": "Base", "subtasks": [
        {"id": "x", "title": "One"}, {"id": "x", "title": "Two"}]}]}"#;
    let files = [ImportFile { path: "tasks.json".into(), text: text.into() }];
    let plan = read(ImportFormat::TaskMaster, &files).unwrap();
    let conn = store();
    assert_eq!(apply_to(&conn, &plan, 1).unwrap().created, 3);
    let again = apply_to(&conn, &plan, 2).unwrap();
    assert_eq!((again.unchanged, again.changed, again.created), (3, 0, 0));
}
