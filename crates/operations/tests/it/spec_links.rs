//! Links between specs and code: what makes them suspect, what does not, and how they are confirmed.
//!
//! @see spec::cards/suspect-links

use serde_json::{Value, json};
use testkit::{TestRepo, check};

const SHOP: &str = "
//- .cairn/cards/pay/capture.card.md
---
key: spec::pay/capture
type: spec
summary: A payment is captured once
status: implemented
---
Never twice.
//- .cairn/cards/pay/refund.card.md
---
key: spec::pay/refund
type: spec
summary: A refund is at most the payment
status: accepted
---
//- docs/requirements/pay.md
---
id: REQ-1
title: Money moves once
status: closed
specified_by: [SCEN-1]
---
It must.
//- docs/scenarios/once.md
---
id: SCEN-1
title: Pay twice
status: active
---
Given a payment.
//- src/gateway.ts
/**
 * Takes money.
 * implements REQ-1
 * @see spec::pay/capture
 */
export function charge(amount: number): boolean {
  return amount > 0;
}

export function refund(amount: number): boolean {
  return amount > 0;
}
";

const CHARGE: &str = "symbol:src/gateway.ts#charge";

pub(crate) fn shop() -> TestRepo {
    let repo = TestRepo::new(SHOP);
    repo.data("confirm", json!({"all": true, "why": "read all of it"}));
    repo.commit("confirm");
    repo
}

/// The codes of rules about links that `verify` reports, with the messages.
fn findings(repo: &TestRepo) -> Vec<String> {
    let rules = json!([
        "LINK_SUSPECT",
        "LINK_SUSPECT_UNFINISHED",
        "LINK_NOT_CHECKED",
        "CONFIRMATION_UNREADABLE",
        "CONFIRMATION_ABANDONED",
    ]);
    let data = repo.data("verify", json!({"rules": rules}));
    let found = data["findings"].as_array().unwrap().iter();
    found
        .map(|f| format!("{} {}", f["code"].as_str().unwrap(), f["message"].as_str().unwrap()))
        .collect()
}

pub(crate) fn edit(repo: &TestRepo, path: &str, from: &str, to: &str) {
    let text = repo.read(path).unwrap();
    assert!(text.contains(from), "{path} has no {from}");
    repo.write(path, text.replace(from, to));
}

fn links(repo: &TestRepo) -> Vec<String> {
    let all = repo.snapshot().into_iter().map(|(path, _)| path);
    all.filter(|path| path.starts_with(".cairn/links/")).collect()
}

#[test]
fn links_are_confirmed_and_become_suspect() {
    let repo = TestRepo::new(SHOP);
    assert_eq!(findings(&repo), Vec::<String>::new(), "an unconfirmed link is no error");
    let dry = repo.text("confirm --all --why first --dry-run");
    assert!(
        dry.starts_with(
            "3 links confirmed for the first time\nunconfirmed  symbol:src/gateway.ts#charge"
        ),
        "{dry}"
    );
    assert_eq!(links(&repo), Vec::<String>::new());
    repo.data("confirm", json!({"targets": ["pay/capture"], "why": "read both"}));
    assert_eq!(links(&repo).len(), 1);
    repo.data("confirm", json!({"all": true, "why": "the rest"}));
    assert_eq!(links(&repo).len(), 3);
    assert_eq!(findings(&repo), Vec::<String>::new());
    repo.commit("confirm");
    edit(
        &repo,
        "src/gateway.ts",
        "return amount > 0;\n}\n\nexport",
        "return amount >= 0;\n}\n\nexport",
    );
    let day = "2026-01-02 by tester";
    assert_eq!(
        findings(&repo),
        [
            format!(
                "LINK_SUSPECT {CHARGE} changed since its link to kb:REQ-1 was confirmed on {day}"
            ),
            format!(
                "LINK_SUSPECT {CHARGE} changed since its link to spec::pay/capture was confirmed on {day}"
            ),
        ]
    );
}

/// A change of a repository.
type RepoChange<'c> = &'c dyn Fn(&TestRepo);

#[test]
fn layout_comments_renames_and_moves_keep_a_link() {
    let quiet: [(&str, RepoChange<'_>); 8] = [
        ("layout", &|repo| {
            edit(
                repo,
                "src/gateway.ts",
                "charge(amount: number): boolean {\n  return amount > 0;",
                "charge(\n  amount: number,\n): boolean {\n  return (\n    amount > 0\n  )",
            );
        }),
        ("comments", &|repo| {
            edit(repo, "src/gateway.ts", "Takes money.", "Takes money, once.");
            edit(repo, "src/gateway.ts", "  return", "  // why\n  return");
        }),
        ("another symbol", &|repo| {
            edit(repo, "src/gateway.ts", "refund(amount: number)", "refund(amount: bigint)");
        }),
        ("a renamed symbol", &|repo| {
            edit(repo, "src/gateway.ts", "function charge", "function capture");
        }),
        ("a moved file", &|repo| {
            repo.rename("src/gateway.ts", "lib/pay.ts");
        }),
        ("a moved card", &|repo| {
            repo.rename(".cairn/cards/pay/capture.card.md", ".cairn/cards/capture.card.md");
        }),
        ("the status, tags and layout of a card", &|repo| {
            edit(
                repo,
                ".cairn/cards/pay/capture.card.md",
                "status: implemented\n",
                "status: implemented\ntags: [pay]\n",
            );
            edit(repo, ".cairn/cards/pay/capture.card.md", "Never twice.", "*Never*\ntwice.");
        }),
        ("a renamed card", &|repo| {
            edit(repo, ".cairn/cards/pay/capture.card.md", "spec::pay/capture", "spec::pay/once");
            edit(repo, "src/gateway.ts", "spec::pay/capture", "spec::pay/once");
        }),
    ];
    for (what, change) in quiet {
        let repo = shop();
        change(&repo);
        assert_eq!(findings(&repo), Vec::<String>::new(), "{what}");
    }
}

#[test]
fn literals_operators_and_words_make_a_link_suspect() {
    let loud: [(&str, &str, &str, usize); 6] = [
        ("src/gateway.ts", "return amount > 0;\n}\n\nexport", "return amount > 1;\n}\n\nexport", 2),
        ("src/gateway.ts", "return amount > 0;\n}\n\nexport", "return amount < 0;\n}\n\nexport", 2),
        ("src/gateway.ts", "charge(amount: number)", "charge(amount: bigint)", 2),
        (".cairn/cards/pay/capture.card.md", "Never twice.", "Never thrice.", 1),
        (".cairn/cards/pay/capture.card.md", "captured once", "captured at once", 1),
        ("docs/requirements/pay.md", "It must.", "It should.", 2),
    ];
    for (path, from, to, count) in loud {
        let repo = shop();
        edit(&repo, path, from, to);
        let found = findings(&repo);
        assert_eq!(found.len(), count, "{path}: {to}: {found:?}");
        assert!(found.iter().all(|f| f.starts_with("LINK_SUSPECT ")), "{found:?}");
    }
}

#[test]
fn a_symbol_that_is_renamed_and_changed_is_suspect() {
    let repo = shop();
    edit(&repo, "src/gateway.ts", "function charge", "function capture");
    edit(
        &repo,
        "src/gateway.ts",
        "return amount > 0;\n}\n\nexport",
        "return amount > 9;\n}\n\nexport",
    );
    let found = findings(&repo);
    assert_eq!(found.len(), 2, "{found:?}");
    repo.data("confirm", json!({"targets": ["src/gateway.ts#capture"], "why": "still once"}));
    assert_eq!(findings(&repo), Vec::<String>::new());
    assert_eq!(links(&repo).len(), 3, "the old files are gone");
}

#[test]
fn a_confirmed_link_is_confirmed_again() {
    let repo = shop();
    let again = json!({"targets": ["pay/capture"], "why": "read again", "only": "all"});
    let data = repo.data("confirm", again);
    let link = &data["result"]["confirmed"][0];
    assert_eq!((link["was"].as_str(), link["is_moved"].as_bool()), (Some("confirmed"), None));
    let path =
        links(&repo).into_iter().find(|path| path.starts_with(".cairn/links/spec-")).unwrap();
    let text = repo.read(&path).unwrap();
    assert!(text.contains("version: 2") && text.ends_with("---\nread again\n"), "{text}");
    assert_eq!(findings(&repo), Vec::<String>::new());
}

#[test]
fn renames_carry_confirmations_along() {
    let repo = shop();
    repo.data("card.rename", json!({"old_key": "pay/capture", "new_key": "spec::pay/once"}));
    repo.data("code.rename", json!({"target": "src/gateway.ts#charge", "new_name": "take"}));
    assert_eq!(findings(&repo), Vec::<String>::new());
    let all = links(&repo);
    assert_eq!(all.len(), 3, "{all:?}");
    let see = all.iter().find(|path| path.contains("once--src-gateway.ts-take")).unwrap();
    let text = repo.read(see).unwrap();
    assert!(
        text.contains("\"symbol:src/gateway.ts#take\"") && text.contains("read all of it"),
        "{text}"
    );
    repo.data("undo", json!({}));
    repo.data("undo", json!({}));
    assert_eq!(findings(&repo), Vec::<String>::new());
    repo.data("card.delete", json!({"key": "pay/capture", "unlink": true}));
    assert_eq!(links(&repo).len(), 2);
    assert_eq!(findings(&repo), Vec::<String>::new());
}

#[test]
fn renames_and_moves_are_written_into_documents() {
    let repo = shop();
    let decision = "---\nid: ADR-1\ntitle: One gateway\nstatus: accepted\naffects: [\"symbol:src/gateway.ts#refund\"]\n---\nOne.\n";
    repo.write("docs/adr/one.md", decision);
    let manifest = "symbols:\n  - {id: SYM-1, title: Refund, code: src/gateway.ts#refund, implements: [REQ-1]}\n";
    repo.write("docs/symbols.yaml", manifest);
    edit(
        &repo,
        ".cairn/cards/pay/refund.card.md",
        "accepted\n---\n",
        "accepted\n---\nSee `src/gateway.ts#refund`.\n",
    );
    repo.data("confirm", json!({"all": true, "why": "read"}));
    repo.commit("documents");
    let all = links(&repo).len();
    repo.data("code.rename", json!({"target": "src/gateway.ts#refund", "new_name": "give"}));
    let names = |repo: &TestRepo, name: &str| {
        ["docs/adr/one.md", "docs/symbols.yaml", ".cairn/cards/pay/refund.card.md"]
            .iter()
            .all(|path| repo.read(path).unwrap().contains(name))
    };
    assert!(names(&repo, "src/gateway.ts#give"));
    assert_eq!(findings(&repo), Vec::<String>::new());
    repo.commit("rename");
    repo.data("code.move", json!({"target": "src/gateway.ts#give", "to": "src/give.ts"}));
    assert!(names(&repo, "src/give.ts#give"));
    assert_eq!(findings(&repo), Vec::<String>::new());
    assert_eq!(links(&repo).len(), all);
}

#[test]
fn a_card_with_a_conflict_keeps_its_confirmations() {
    let repo = shop();
    let all = links(&repo).len();
    edit(
        &repo,
        ".cairn/cards/pay/capture.card.md",
        "summary:",
        "<<<<<<< ours\nsummary: x\n=======\nsummary:",
    );
    assert_eq!(findings(&repo), Vec::<String>::new());
    repo.data("confirm", json!({"all": true, "why": "in the middle of a merge"}));
    assert_eq!(links(&repo).len(), all);
}

#[test]
fn moves_carry_confirmations_along() {
    let repo = shop();
    let moved = json!({"target": "src/gateway.ts#charge", "to": "src/charge.ts"});
    repo.data("code.move", moved);
    repo.commit("move the symbol");
    repo.data("code.rename", json!({"target": "src/charge.ts#charge", "new_name": "take"}));
    repo.commit("rename it");
    repo.data("code.move", json!({"target": "src/charge.ts", "to": "src/pay/charge.ts"}));
    repo.commit("move the file");
    assert_eq!(findings(&repo), Vec::<String>::new());
    let all = links(&repo);
    assert_eq!(all.len(), 3, "{all:?}");
    let see = all.iter().find(|path| path.contains("pay-capture--src-pay-charge.ts-take")).unwrap();
    assert!(repo.read(see).unwrap().contains("read all of it"));
    // The confirmed state is still compared.
    edit(&repo, "src/pay/charge.ts", "amount > 0", "amount > 1");
    assert_eq!(findings(&repo).len(), 2, "the card and the requirement");
}

#[test]
fn a_card_has_a_provenance() {
    let repo = shop();
    repo.data("card.update", json!({"key": "pay/capture", "body": "Never ever twice."}));
    repo.data("confirm", json!({"targets": ["pay/capture"], "why": "the words changed"}));
    repo.commit("say it twice");
    let data = repo.data("history.provenance", json!({"path": "spec::pay/capture"}));
    let rows: Vec<String> = data["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {}", row["change"].as_str().unwrap(), row["path"].as_str().unwrap()))
        .collect();
    let card = ".cairn/cards/pay/capture.card.md";
    let expected = [
        format!("added {card}"),
        format!("confirmed {CHARGE}"),
        format!("modified {card}"),
        format!("confirmed {CHARGE}"),
    ];
    let mut sorted = (rows.clone(), expected.to_vec());
    sorted.0.sort();
    sorted.1.sort();
    assert_eq!(sorted.0, sorted.1, "{rows:?}");
    assert_eq!(data["confirmations"][0]["node"], CHARGE);
    assert_eq!(data["confirmations"][0]["why"], "the words changed");
}

#[test]
fn a_key_of_two_files_is_refused_everywhere() {
    let repo = shop();
    let text = repo.read(".cairn/cards/pay/capture.card.md").unwrap();
    repo.write(".cairn/cards/pay/other.card.md", &text);
    let key = "spec::pay/capture";
    for (operation, args) in [
        ("context", json!({"targets": [key]})),
        ("impact", json!({"target": key})),
        ("deps", json!({"target": key})),
        ("explain", json!({"target": key})),
        ("confirm", json!({"targets": [key], "why": "read"})),
        ("history.provenance", json!({"path": key})),
        ("card.show", json!({"key": key})),
        ("card.diff", json!({"key": key})),
        ("link.add", json!({"targets": ["src/gateway.ts#refund"], "card": key})),
        ("link.remove", json!({"target": "src/gateway.ts#charge", "card": key})),
    ] {
        assert_eq!(repo.code(operation, args), base::ProblemCode::Ambiguous, "{operation}");
    }
}

#[test]
fn a_folder_cannot_be_confirmed_and_stops_nothing() {
    let repo = TestRepo::new(SHOP);
    repo.write(
        "docs/adr/folder.md",
        "---\nid: ADR-1\ntitle: A\nstatus: accepted\naffects: [\"dir:src\"]\n---\n",
    );
    let data = repo.data("confirm", json!({"all": true, "why": "read"}));
    assert_eq!(data["result"]["confirmed"].as_array().map(Vec::len), Some(3), "{data:#}");
    let refused = "kb:ADR-1 and dir:src: a folder has no text of its own";
    assert_eq!(data["result"]["refused"], json!([refused]));
    assert_eq!(findings(&repo), Vec::<String>::new());
}

#[test]
fn linking_is_confirming() {
    let repo = shop();
    let args = json!({"targets": ["src/gateway.ts"], "symbol": "refund", "card": "pay/refund", "why": "new"});
    repo.data("link.add", args);
    let confirmed = links(&repo).into_iter().filter(|path| path.contains("pay-refund--")).count();
    assert_eq!(confirmed, 1);
    edit(
        &repo,
        "src/gateway.ts",
        "refund(amount: number): boolean {\n  return amount > 0",
        "refund(amount: number): boolean {\n  return amount > 5",
    );
    let found = findings(&repo);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("LINK_SUSPECT_UNFINISHED "), "{found:?}");
    repo.data("link.remove", json!({"target": "src/gateway.ts#refund", "card": "pay/refund"}));
    assert_eq!(findings(&repo), Vec::<String>::new());
}

#[test]
fn a_link_that_is_gone_leaves_a_confirmation_to_remove() {
    let repo = shop();
    edit(&repo, "src/gateway.ts", " * @see spec::pay/capture\n", "");
    let found = findings(&repo);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("CONFIRMATION_ABANDONED"), "{found:?}");
    let data = repo.data("confirm", json!({"all": true, "why": "clean up"}));
    assert_eq!(data["result"]["removed"].as_array().map(Vec::len), Some(1));
    assert_eq!(findings(&repo), Vec::<String>::new());
    repo.write(&links(&repo)[0], "odd");
    assert!(findings(&repo)[0].starts_with("CONFIRMATION_UNREADABLE"));
}

#[test]
fn files_that_are_the_confirmed_objects_are_not_read_again() {
    let repo = shop();
    for path in links(&repo) {
        let text = repo.read(&path).unwrap();
        let other = text.lines().map(|line| match line.split_once("_digest: ") {
            Some((name, _)) => format!("{name}_digest: \"of nothing\"\n"),
            None => format!("{line}\n"),
        });
        repo.write(&path, other.collect::<String>());
    }
    assert_eq!(findings(&repo), Vec::<String>::new());
    repo.write("src/gateway.ts", format!("\n{}", repo.read("src/gateway.ts").unwrap()));
    assert!(findings(&repo).iter().all(|found| found.starts_with("LINK_SUSPECT")));
    assert!(!findings(&repo).is_empty());
}

#[test]
fn another_normaliser_reads_the_confirmed_content_again() {
    let repo = shop();
    let current = format!("normaliser: {}", syntax::SUBSTANCE_VERSION);
    for path in links(&repo) {
        edit(&repo, &path, &current, "normaliser: 0");
        let text = repo.read(&path).unwrap();
        let other = text.lines().map(|line| match line.split_once("_digest: ") {
            Some((name, _)) => format!("{name}_digest: \"old\"\n"),
            None => format!("{line}\n"),
        });
        repo.write(&path, other.collect::<String>());
    }
    assert_eq!(findings(&repo), Vec::<String>::new());
    repo.commit("confirmations of an older version");
    edit(&repo, "src/gateway.ts", "charge(amount: number)", "charge(amount: bigint)");
    assert_eq!(findings(&repo).len(), 2);
    let review = repo.data("review", json!({}))["findings"].to_string();
    assert_eq!(review.matches("MAKES_SUSPECT").count(), 2, "{review}");
    let path = links(&repo).into_iter().find(|path| path.contains("pay-capture")).unwrap();
    let text = repo.read(&path).unwrap();
    let lost = text.lines().map(|line| match line.split_once("_blob: ") {
        Some((name, _)) => format!("{name}_blob: \"{}\"\n", "1".repeat(40)),
        None => format!("{line}\n"),
    });
    repo.write(&path, lost.collect::<String>());
    assert!(findings(&repo).iter().any(|found| found.starts_with("LINK_NOT_CHECKED")));
}

#[test]
fn suspects_are_shown_where_people_look() {
    let repo = shop();
    edit(
        &repo,
        "src/gateway.ts",
        "return amount > 0;\n}\n\nexport",
        "return amount >= 0;\n}\n\nexport",
    );
    let codes = |data: &Value| -> Vec<String> {
        let all = data["findings"].as_array().unwrap().iter();
        all.map(|found| found["code"].as_str().unwrap().to_owned()).collect()
    };
    let review = repo.data("review", json!({}));
    let made = codes(&review).iter().filter(|code| *code == "MAKES_SUSPECT").count();
    assert_eq!(made, 2, "{review:#}");
    assert!(!codes(&review).contains(&"LINK_SUSPECT".to_owned()), "one finding a link");
    for line in
        ["explain src/gateway.ts#charge", "context src/gateway.ts#charge", "card show pay/capture"]
    {
        assert!(repo.text(line).contains("suspect"), "{line}: {}", repo.text(line));
    }
    check(
        &repo,
        "card coverage pay/capture",
        "
        spec::pay/capture: implemented, linked, but changed since it was confirmed (1 place)
          line 4  suspect  symbol:src/gateway.ts#charge
        basis: fresh · main @ COMMIT + 1 edited file
        ",
    );
    repo.commit("a change");
    assert!(!codes(&repo.data("review", json!({}))).contains(&"MAKES_SUSPECT".to_owned()));
    let text = repo.text("confirm src/gateway.ts#charge --with pay/capture --why 'zero is free'");
    assert!(
        text.contains("-  return amount > 0;") && text.contains("+  return amount >= 0;"),
        "{text}"
    );
    assert_eq!(findings(&repo).len(), 1);
    assert_eq!(
        repo.code("confirm", json!({"targets": ["src/gateway.ts#refund"], "why": "x"})),
        base::ProblemCode::NotFound
    );
}

#[test]
fn the_matrix_shows_what_belongs_together_and_what_is_missing() {
    let repo = shop();
    let data = repo.data("matrix", json!({}));
    assert_eq!(
        data["summary"],
        json!({"requirements": 1, "cards": 2, "with_code": 2, "with_test": 0, "verified": 0,
               "suspect": 0, "unconfirmed": 0, "with_gaps": 3})
    );
    let gaps: Vec<_> =
        data["rows"].as_array().unwrap().iter().map(|row| row["gaps"].clone()).collect();
    assert_eq!(gaps, [json!(["test"]), json!(["test"]), json!(["code"])]);
    repo.write(
        "test/gateway.test.ts",
        "import { charge } from '../src/gateway';\nfunction pays() { charge(1); }\n",
    );
    let open = repo.data("matrix", json!({"open": true}));
    assert_eq!(open["rows"].as_array().map(Vec::len), Some(1), "{open:#}");
    assert_eq!(open["rows"][0]["node"], "spec::pay/refund");
    let csv = repo.text("matrix --format csv");
    assert!(csv.contains("\"REQ-1\",\"Money moves once\",\"requirement\",\"closed\",\"\",\"SCEN-1\",\"spec::pay/capture\",\"src/gateway.ts#charge\",\"test/gateway.test.ts#pays(present)\",\"0\",\"\""), "{csv}");
    let html = repo.text("matrix --format html --kind card");
    assert!(html.starts_with("<!doctype html>") && !html.contains("<script"), "{html}");
    assert!(repo.run_line("matrix --gate").unwrap().has_findings);
    repo.data("baseline", json!({}));
    assert!(!repo.run_line("matrix --gate").unwrap().has_findings);
    edit(
        &repo,
        "src/gateway.ts",
        "return amount > 0;\n}\n\nexport",
        "return amount >= 0;\n}\n\nexport",
    );
    assert!(repo.run_line("matrix --gate").unwrap().has_findings);
}

#[test]
fn a_file_means_its_own_links_and_the_suspect_ones_inside() {
    let repo = shop();
    let twin = "/** @see spec::pay/refund */\nexport function refund(";
    edit(&repo, "src/gateway.ts", "export function refund(", twin);
    edit(&repo, "src/gateway.ts", "return amount > 0;\n}\n\n/**", "return amount > 1;\n}\n\n/**");
    repo.commit("a link by hand, and a change");
    let args = json!({"targets": ["src/gateway.ts"], "why": "read charge", "dry_run": true});
    let dry = repo.data("confirm", args);
    assert_eq!(dry["result"]["confirmed"].as_array().map(Vec::len), Some(2), "{dry:#}");
    assert_eq!(dry["result"]["left_unconfirmed"], 1);
    let text = repo.text("confirm src/gateway.ts --why 'read charge' --dry-run");
    let left =
        "2 links confirmed\n1 link inside was never confirmed and not changed; to confirm it too  ";
    assert!(text.starts_with(left), "{text}");
    assert!(!text.contains("from_digest"), "the files of confirmations are not shown: {text}");
    repo.data("confirm", json!({"targets": ["src/gateway.ts"], "why": "read charge"}));
    let states = |repo: &TestRepo| {
        let data = repo.data("matrix", json!({}));
        (data["summary"]["suspect"].clone(), data["summary"]["unconfirmed"].clone())
    };
    assert_eq!(states(&repo), (json!(0), json!(1)), "nobody has read the new link");
    let all = json!({"targets": ["src"], "why": "read refund", "only": "open"});
    repo.data("confirm", all);
    assert_eq!(states(&repo), (json!(0), json!(0)));
}

#[test]
fn a_symbol_does_not_mean_what_is_around_it() {
    let repo = shop();
    let header = "/** @see spec::pay/refund */\n\n";
    let text = repo.read("src/gateway.ts").unwrap();
    repo.write("src/gateway.ts", format!("{header}{text}"));
    let data = repo.data("confirm", json!({"all": true, "why": "the header too"}));
    assert_eq!(data["result"]["confirmed"][0]["from"], "module:src/gateway.ts", "{data:#}");
    repo.commit("a link of the file");
    edit(&repo, "src/gateway.ts", "amount: number", "amount: bigint");
    repo.data("confirm", json!({"targets": ["src/gateway.ts#charge"], "why": "read charge"}));
    let found = findings(&repo);
    assert_eq!(found.len(), 1, "the whole file was not read: {found:?}");
    repo.data("confirm", json!({"targets": ["src/gateway.ts"], "why": "read all"}));
    assert_eq!(findings(&repo), Vec::<String>::new());
}

#[test]
fn files_that_tell_specs_mean_these() {
    let repo = TestRepo::new(SHOP);
    let files =
        json!([".cairn/cards/pay/capture.card.md", "docs/requirements/pay.md", "cairn.jsonc",]);
    repo.write("cairn.jsonc", "{}");
    let data = repo.data("confirm", json!({"targets": files, "why": "read"}));
    assert_eq!(data["result"]["confirmed"].as_array().map(Vec::len), Some(3), "{data:#}");
    assert_eq!(data["result"]["without_links"], json!(["cairn.jsonc"]));
}

#[test]
fn what_verify_proposes_confirms_one_link() {
    let repo = shop();
    edit(
        &repo,
        "src/gateway.ts",
        "return amount > 0;\n}\n\nexport",
        "return amount >= 0;\n}\n\nexport",
    );
    let data = repo.data("verify", json!({"rules": ["LINK_SUSPECT"]}));
    let call = "confirm 'src/gateway.ts#charge' --why '…' --with spec::pay/capture";
    let as_json = "confirm {\"targets\":[\"src/gateway.ts#charge\"],\"why\":\"…\",\"with\":\"spec::pay/capture\"}";
    let fix = data["findings"][1]["fix"].as_str().unwrap();
    assert_eq!(fix, format!("check that they still agree, then  {as_json}"));
    let text = repo.text("verify --rules LINK_SUSPECT");
    assert!(text.contains(&format!("check that they still agree, then    cairn {call}")), "{text}");
    repo.text(&call.replace('…', "read").replace('\'', ""));
    assert_eq!(findings(&repo).len(), 1);
}

#[test]
fn the_gate_names_its_problems_and_keeps_to_the_rows() {
    let repo = shop();
    let answer = repo.data("matrix", json!({"gate": true}));
    assert_eq!(answer["new_problems"], 3, "{answer:#}");
    assert_eq!(answer["problems"][0]["code"], "TRACE_GAP");
    let text = repo.text("matrix --gate --limit 1");
    assert!(text.contains("spec::pay/refund (accepted) has no code"), "{text}");
    let open = repo.data("matrix", json!({"gate": true, "status": ["accepted"]}));
    assert_eq!(open["new_problems"], 1, "{open:#}");
    repo.data("baseline", json!({}));
    edit(&repo, ".cairn/cards/pay/capture.card.md", "Never twice.", "Never thrice.");
    let card = repo.data("matrix", json!({"gate": true, "kind": "card"}));
    assert_eq!(card["problems"][0]["code"], "LINK_SUSPECT", "{card:#}");
    let requirement = repo.data("matrix", json!({"gate": true, "kind": "requirement"}));
    assert_eq!(requirement["new_problems"], 0, "{requirement:#}");
    let none = repo.text("matrix --tags nothing");
    assert!(none.starts_with("No matching requirement or card (3 in the matrix)\n"), "{none}");
    assert_eq!(
        repo.code("matrix", json!({"status": ["finished"]})),
        base::ProblemCode::ValidationError
    );
}
