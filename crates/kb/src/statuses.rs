//! Words that other tools use for these statuses.

use crate::model::KbEntityKind;

/// The status of a type that a foreign word means; `None` if the word is unknown.
pub fn known_status(kind: KbEntityKind, word: &str) -> Option<&'static str> {
    let own = kind.statuses().iter().find(|status| **status == word).copied();
    own.or_else(|| {
        let fits =
            |(of, words, _): &&(KbEntityKind, &[&str], &str)| *of == kind && words.contains(&word);
        SYNONYMS.iter().find(fits).map(|(_, _, status)| *status)
    })
}

const SYNONYMS: &[(KbEntityKind, &[&str], &str)] = &[
    (
        KbEntityKind::Adr,
        &[
            "approved",
            "decided",
            "done",
            "implemented",
            "active",
            "final",
            "adopted",
            "agreed",
            "accept",
        ],
        "accepted",
    ),
    (
        KbEntityKind::Adr,
        &[
            "draft",
            "proposal",
            "rfc",
            "pending",
            "open",
            "in_review",
            "wip",
            "discussion",
            "new",
            "under_discussion",
        ],
        "proposed",
    ),
    (
        KbEntityKind::Adr,
        &["rejected", "declined", "withdrawn", "obsolete", "cancelled", "abandoned", "amended"],
        "deprecated",
    ),
    (KbEntityKind::Adr, &["replaced", "superceded"], "superseded"),
    (
        KbEntityKind::Req,
        &["done", "implemented", "verified", "completed", "complete", "released", "accepted"],
        "closed",
    ),
    (
        KbEntityKind::Req,
        &["draft", "new", "proposed", "approved", "todo", "planned", "active", "ready"],
        "open",
    ),
    (KbEntityKind::Req, &["in_work", "wip", "started", "implementing", "doing"], "in_progress"),
    (KbEntityKind::Req, &["rejected", "obsolete", "removed", "cancelled"], "deprecated"),
    (KbEntityKind::Test, &["passed", "pass", "ok", "success", "successful"], "passing"),
    (KbEntityKind::Test, &["failed", "fail", "error"], "failing"),
    (KbEntityKind::Test, &["open", "new", "planned", "draft", "active"], "pending"),
    (KbEntityKind::Scenario, &["accepted", "approved", "done", "open", "implemented"], "active"),
    (KbEntityKind::Scenario, &["proposed", "new", "wip"], "draft"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_synonym_means_a_status_of_its_type() {
        for (kind, words, status) in SYNONYMS {
            assert!(kind.statuses().contains(status), "{kind} {status}");
            for word in *words {
                assert!(!kind.statuses().contains(word), "{word} is a status of its own");
                assert_eq!(known_status(*kind, word), Some(*status));
            }
        }
        assert_eq!(known_status(KbEntityKind::Adr, "accepted"), Some("accepted"));
        assert_eq!(known_status(KbEntityKind::Adr, "odd"), None);
    }
}
