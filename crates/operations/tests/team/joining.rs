//! What a clone finds when it joins with records of its own, and what the team sees of it afterwards.

use base::ProblemCode;
use serde_json::json;

use crate::sharing::{Member, Team, create_project, export, kb_titles, upsert};

#[test]
fn joining_shows_both_sides_of_what_differs() {
    let Some(team) = Team::start() else { return };
    let own = Member::of(&team.origin);
    team.join_first();
    upsert(&team.origin, "REQ-1", "of the team");
    upsert(&own.repo, "REQ-1", "of the clone");
    own.repo.git(&["pull", "-q", "origin", "main"]);
    let text = own.repo.text(&format!("team join {}", team.database.url()));
    for part in ["1 conflict", "REQ-1", "mine", "of the clone", "theirs", "of the team"] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
    let refused = own.repo.text("team push");
    for part in ["REQ-1", "of the clone", "of the team", "--prefer mine", "--prefer theirs"] {
        assert!(refused.contains(part), "`{part}` is missing:\n{refused}");
    }
    assert_eq!(kb_titles(&team.origin), ["REQ-1 of the team"], "nothing was written");
}

#[test]
fn a_side_that_was_preferred_has_a_version_of_its_own() {
    let Some(team) = Team::start() else { return };
    let own = Member::of(&team.origin);
    team.join_first();
    upsert(&team.origin, "REQ-1", "of the team");
    upsert(&own.repo, "REQ-1", "of the clone");
    own.repo.git(&["pull", "-q", "origin", "main"]);
    team.join(&own.repo);
    own.repo.data("team.push", json!({"prefer": "mine"}));
    assert_eq!(kb_titles(&team.origin), ["REQ-1 of the clone"]);
    // Version 1 is the replaced side, so a write based on it is refused.
    let entity = json!({"id": "REQ-1", "type": "req", "title": "late", "if_version": 1});
    let late = json!({"changeset": {"entities": [entity]}});
    assert_eq!(team.origin.code("kb.upsert", late), ProblemCode::Conflict);
    assert_eq!(export(&team.origin), export(&own.repo));
}

#[test]
fn joining_and_pushing_count_the_same_records() {
    let Some(team) = Team::start() else { return };
    create_project(&team.origin, "P");
    let joined = team.join_first();
    let pushed = team.origin.data("team.push", json!({}));
    assert_eq!(joined["stores"][0]["only_here"], pushed["stores"][0]["records"], "{pushed:#}");
}
