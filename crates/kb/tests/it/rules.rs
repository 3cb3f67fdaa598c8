//! What each rule reports: documents in, violations out.

use base::{EntityRef, RepoPath};
use kb::rules::{self, KbRuleViolation, RuleContext};
use kb::{FactOrigin, KnowledgeModel, KnownEntity, code_node};

type Rule = fn(&KnowledgeModel, &RuleContext<'_>) -> Vec<KbRuleViolation>;

/// The model of some files. `//- PATH` starts a file.
fn model(fixture: &str) -> KnowledgeModel {
    let (mut facts, mut relations) = (Vec::new(), Vec::new());
    for file in fixture.split("//- ").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        let path: RepoPath = path.parse().unwrap();
        let found = kb::extractor(&path).unwrap().extract(&path, text);
        assert_eq!(found.faults, [], "{path}");
        relations.extend(found.relations);
        facts.extend(found.entities.into_iter().map(|(entity, line)| {
            let code = entity.more.code.as_deref().and_then(code_node).filter(exists);
            KnownEntity { entity, origin: FactOrigin::File(path.clone(), line), code }
        }));
    }
    KnowledgeModel::new(facts, Vec::new(), relations)
}

/// The code that exists in the examples.
fn exists(node: &EntityRef) -> bool {
    node.to_string().contains("src/there")
}

#[track_caller]
fn check(rule: Rule, fixture: &str, expected: &[&str]) {
    let context = RuleContext { stale_before: "2026-01-01", has_code: &exists };
    let violations = rule(&model(fixture), &context);
    let found: Vec<String> = violations
        .iter()
        .map(|one| format!("{}: {} | {}", one.subject, one.message, one.fix))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn must_coverage() {
    check(
        rules::must_coverage,
        "//- docs/reqs/a.md
---
id: REQ-1
title: Both
status: open
priority: must
specified_by: [SCEN-1]
verified_by: [TEST-1]
---
//- docs/reqs/b.md
---
id: REQ-2
title: Neither
status: open
priority: must
---
//- docs/reqs/c.md
---
id: REQ-3
title: Optional
status: open
priority: could
---
//- docs/scenarios/a.md
---
id: SCEN-1
title: A
status: active
---
//- docs/tests/a.md
---
id: TEST-1
title: A
status: passing
---
",
        &[
            "REQ-2: REQ-2 has priority must: no scenario specifies it and no test verifies it | add \
           specified_by: [SCEN-…] and verified_by: [TEST-…] in docs/reqs/b.md",
        ],
    );
}

#[test]
fn no_cycles() {
    let cycle = |extra: &str| {
        format!(
            "//- docs/reqs/a.md
---
id: REQ-1
title: A
status: open
depends_on: [REQ-2]
---
//- docs/reqs/b.md
---
id: REQ-2
title: B
status: open
depends_on: [REQ-1]
{extra}---
"
        )
    };
    check(
        rules::no_cycles,
        &cycle(""),
        &[
            "REQ-1: dependency cycle: REQ-1 → REQ-2 → REQ-1 | remove one dependency, or mark it with \
           `allow_cycle: true`",
        ],
    );
    check(rules::no_cycles, &cycle("allow_cycle: true\n"), &[]);
}

#[test]
fn references_exist_and_have_the_right_types() {
    let fixture = "//- docs/reqs/a.md
---
id: REQ-1
title: A
status: open
depends_on: [REQ-2]
verified_by: [REQ-3]
---
//- docs/reqs/c.md
---
id: REQ-3
title: C
status: open
---
//- docs/symbols.yaml
symbols:
  - id: SYM-1
    title: f
    code: src/there.ts#f
    implements: [REQ-9]
";
    check(
        rules::dangling_references,
        fixture,
        &[
            "REQ-1: `REQ-1 depends_on REQ-2` refers to REQ-2, which does not exist | refer to REQ-1 \
             instead in docs/reqs/a.md, or create REQ-2",
            "REQ-1: `REQ-1 verified_by REQ-3`: `verified_by` relates (req) to (test), not (req) to \
             (req) | refer to an entity of the right type",
        ],
    );
    check(
        rules::missing_requirements,
        fixture,
        &["SYM-1: SYM-1 implements REQ-9, which does not exist | refer to REQ-1 instead in \
           docs/symbols.yaml, or create REQ-9"],
    );
}

#[test]
fn duplicates_fields_and_decisions() {
    let fixture = "//- docs/adr/a.md
---
id: ADR-1
title: Old
status: superseded
---
//- docs/adr/b.md
---
id: ADR-1
title: Again
status: accepted
---
//- docs/flags/a.md
---
id: FLAG-1
title: ''
status: on
---
";
    check(
        rules::duplicate_ids,
        fixture,
        &["ADR-1: ADR-1 is defined in both docs/adr/a.md and docs/adr/b.md | give one of them \
           another id"],
    );
    check(
        rules::required_fields,
        fixture,
        &[
            "FLAG-1: FLAG-1 has no title | add `title` in docs/flags/a.md",
            "FLAG-1: `on` is not a status of a flag | set `status` to one of active, inactive, \
             deprecated in docs/flags/a.md",
        ],
    );
    check(
        rules::deprecated_decisions,
        fixture,
        &[
            "ADR-1: ADR-1 is superseded and nothing supersedes it | write the decision that replaces \
           it, with supersedes: [ADR-1]",
        ],
    );
}

#[test]
fn stale_and_untested() {
    let fixture = "//- docs/reqs/a.md
---
id: REQ-1
title: A
status: open
updated_at: 2025-06-01
text_ref: docs/gone.md
---
//- docs/symbols.yaml
symbols:
  - id: SYM-1
    title: f
    status: active
    code: src/gone.ts#f
    implements: [REQ-1]
";
    check(
        rules::stale_entities,
        fixture,
        &[
            "REQ-1: REQ-1 is open and was last changed on 2025-06-01 | update it in docs/reqs/a.md",
            "REQ-1: `text_ref` of REQ-1 refers to docs/gone.md, which does not exist | set \
             `text_ref` in docs/reqs/a.md",
            "SYM-1: SYM-1 refers to the code src/gone.ts#f, which does not exist | set `code` to its \
             new place in docs/symbols.yaml",
        ],
    );
    check(
        rules::untested_symbols,
        fixture,
        &[
            "SYM-1: kb:SYM-1 implements REQ-1 and no test covers it | add `covered_by`, or import test \
           results with `kb.import`",
        ],
    );
}
