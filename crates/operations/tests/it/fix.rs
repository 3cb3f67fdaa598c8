//! `fix`: references to an old path are changed to the new one, where that is certain.

use serde_json::{Value, json};
use testkit::TestRepo;

const SHOP: &str = "
//- src/pay.ts
/**
 * @see spec::pay/capture
 */
export function charge(amount: number): boolean {
  return amount > 0 && amount < 1000;
}
//- src/other.ts
export function unrelated(): string {
  return 'unrelated';
}
//- docs/symbols.yaml
symbols:
  - id: SYM-1
    title: charge
    code: src/pay.ts#charge # the one place
//- docs/adr/ADR-1.md
---
id: ADR-1
title: Once
status: accepted
affects: [\"symbol:src/pay.ts#charge\"]
---
See [the code](../../src/pay.ts) and [nothing](../none.md).
//- .cairn/cards/pay/capture.card.md
---
key: spec::pay/capture
type: spec
summary: A payment is captured once
status: implemented
---
Once.
";

fn shop() -> TestRepo {
    let repo = TestRepo::new(SHOP);
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "p"}));
    let atom = json!({"kind": "atom", "name": "Pay", "paths": ["src/pay.ts"], "knowledge": "k"});
    repo.data("knowledge.create", atom);
    let fact = json!({"id": "FLAG-1", "type": "flag", "title": "f", "status": "active"});
    let tie = json!({"type": "guards", "from": "FLAG-1", "to": "symbol:src/pay.ts#charge"});
    repo.data("kb.upsert", json!({"entities": [fact], "relations": [tie]}));
    repo
}

fn olds(rows: &Value) -> Vec<(String, String)> {
    let rows = rows.as_array().unwrap().iter();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.map(|row| (text(row, "old"), text(row, "new"))).collect()
}

#[test]
fn where_all_is_well_nothing_happens() {
    let repo = shop();
    let before = repo.snapshot();
    let text = repo.text("fix");
    assert!(text.starts_with("Nothing to repair"), "{text}");
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn a_moved_file_is_followed_by_all_that_name_it() {
    for committed in [false, true] {
        let repo = shop();
        repo.rename("src/pay.ts", "src/money/pay.ts");
        if committed {
            repo.commit("move");
        }
        let before = repo.snapshot();
        let shown = repo.data("fix", json!({"dry_run": true}));
        assert_eq!(repo.snapshot(), before, "a dry run writes nothing");
        assert!(
            shown["diff"].as_str().unwrap().contains("+    code: src/money/pay.ts#charge # the")
        );
        let fixed = repo.data("fix", json!({}));
        let expected = [
            ("src/pay.ts", "src/money/pay.ts"),
            ("src/pay.ts#charge", "src/money/pay.ts#charge"),
            ("symbol:src/pay.ts#charge", "symbol:src/money/pay.ts#charge"),
        ];
        let mut found = olds(&fixed["repaired"]);
        found.sort();
        found.dedup();
        assert_eq!(found, expected.map(|(old, new)| (old.to_owned(), new.to_owned())), "{fixed:#}");
        assert_eq!(fixed["changes"].as_array().unwrap().len(), 3, "files, facts, atoms");
        let adr = repo.read("docs/adr/ADR-1.md").unwrap();
        assert!(
            adr.contains("[the code](../../src/money/pay.ts) and [nothing](../none.md)"),
            "{adr}"
        );
        assert!(adr.contains("affects: [\"symbol:src/money/pay.ts#charge\"]"), "{adr}");
        let again = repo.data("fix", json!({}));
        assert_eq!(again["repaired"], json!([]), "{again:#}");
        for change in fixed["changes"].as_array().unwrap() {
            repo.data("undo", json!({"change": change}));
        }
        assert_eq!(repo.snapshot(), before);
    }
}

#[test]
fn a_symbol_is_followed_through_commits() {
    let repo = shop();
    let text = repo.read("src/pay.ts").unwrap();
    repo.write("src/pay.ts", "export const nothing = 1;\n");
    repo.write("src/gateway.ts", text.replace("charge", "capture"));
    repo.commit("another file, another name");
    repo.write("src/gateway.ts", "export const nothing = 2;\n");
    repo.write("src/late.ts", text.replace("charge", "capture"));
    let fixed = repo.data("fix", json!({}));
    let found = olds(&fixed["repaired"]);
    let wanted = ("src/pay.ts#charge".to_owned(), "src/late.ts#capture".to_owned());
    assert!(found.contains(&wanted), "{fixed:#}");
    assert!(
        repo.read("docs/symbols.yaml").unwrap().contains("src/late.ts#capture # the one place")
    );
}

#[test]
fn what_is_not_certain_is_listed_and_left() {
    let repo = shop();
    let text = repo.read("src/pay.ts").unwrap();
    repo.remove("src/pay.ts");
    for copy in ["src/a.ts", "src/b.ts"] {
        repo.write(copy, text.replace("return", "const x = 1;\n  return").replace("1000", "9 + x"));
    }
    let before = repo.snapshot();
    let fixed = repo.data("fix", json!({}));
    assert_eq!(repo.snapshot(), before, "{fixed:#}");
    let unsure = &fixed["unsure"][0];
    assert_eq!(unsure["candidates"], json!(["src/a.ts#charge", "src/b.ts#charge"]), "{fixed:#}");
}

#[test]
fn a_card_that_got_another_key_by_hand_is_found() {
    let repo = shop();
    let card = repo.read(".cairn/cards/pay/capture.card.md").unwrap();
    repo.remove(".cairn/cards/pay/capture.card.md");
    repo.write(".cairn/cards/pay/take.card.md", card.replace("pay/capture", "pay/take"));
    let fixed = repo.data("fix", json!({}));
    assert_eq!(olds(&fixed["repaired"]), [("spec::pay/capture".into(), "spec::pay/take".into())]);
    assert!(repo.read("src/pay.ts").unwrap().contains("@see spec::pay/take"));
    assert_eq!(repo.data("verify", json!({"rules": "see_target_missing"}))["errors"], 0);
}

#[test]
fn a_folder_that_moved_takes_its_patterns_along() {
    let repo = TestRepo::new(
        "//- src/old/a.ts\nexport const a = 1;\n//- src/old/b.ts\nexport const b = 2;\n",
    );
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "p"}));
    let atom = json!({"kind": "atom", "name": "Old", "paths": ["src/old/**"], "knowledge": "k"});
    repo.data("knowledge.create", atom);
    repo.rename("src/old", "src/new/place");
    let fixed = repo.data("fix", json!({}));
    assert_eq!(olds(&fixed["repaired"]), [("src/old/**".into(), "src/new/place/**".into())]);
}

#[test]
fn a_fact_that_is_mended_keeps_who_wrote_it() {
    let repo =
        TestRepo::new("//- src/a.ts\nexport const a = 1;\n//- notes/long.md\nA long story.\n");
    let fact = json!({"id": "FLAG-1", "type": "flag", "title": "f", "status": "active",
        "source": "review", "author": "ada", "text_ref": "notes/long.md"});
    repo.data("kb.upsert", json!({"entities": [fact]}));
    repo.rename("notes/long.md", "docs/story.md");
    let fixed = repo.data("fix", json!({}));
    assert_eq!(olds(&fixed["repaired"]), [("notes/long.md".into(), "docs/story.md".into())]);
    let entity = repo.data("kb.query", json!({"id": "FLAG-1"}))["entities"][0].clone();
    assert_eq!(entity["text_ref"], "docs/story.md", "{entity:#}");
    assert_eq!((&entity["source"], &entity["author"]), (&json!("review"), &json!("ada")));
}

#[test]
fn the_links_of_a_moved_document_lead_where_they_led() {
    for committed in [false, true] {
        let about = "A document with a text that is long enough to be known again.\n";
        let repo = TestRepo::new("//- README.md\n# Top\n//- docs/b.md\n# B\n");
        // One link leads to the document itself, and one out of the repository after the move.
        repo.write(
            "docs/a.md",
            format!("# A\n\n{about}[self](a.md#x) [up](../README.md) [b](b.md) [out](../../x)\n"),
        );
        repo.commit("before");
        repo.rename("docs/a.md", "guide.md");
        if committed {
            repo.commit("move");
        }
        repo.data("fix", json!({}));
        let text = repo.read("guide.md").unwrap();
        assert!(
            text.ends_with("[self](guide.md#x) [up](README.md) [b](docs/b.md) [out](../../x)\n"),
            "committed {committed}: {text}"
        );
        assert_eq!(repo.data("fix", json!({}))["files"], json!([]), "committed {committed}");
    }
}

#[test]
fn links_follow_a_move_from_everywhere_and_to_everywhere() {
    // Each file links to each other one. Whichever is renamed, and to whatever path, all links lead
    // to it again.
    let places = ["README.md", "a/x.md", "a/b/y.md"];
    let news = ["MOVED.md", "c/moved file.md", "a/moved(1).md", "a/b/c/moved.md"];
    for old in places {
        for new in news {
            for committed in [false, true] {
                let repo = TestRepo::new("");
                for from in places {
                    let up = "../".repeat(from.matches('/').count());
                    let links = places.iter().filter(|to| **to != from);
                    let links: String =
                        links.map(|to| format!("See [it]({up}{to}#why).\n")).collect();
                    let about =
                        format!("# {from}\n\nA document about {from}, long enough to know.\n");
                    repo.write(from, format!("{about}{links}"));
                }
                repo.commit("before");
                repo.rename(old, new);
                if committed {
                    repo.commit("move");
                }
                repo.data("fix", json!({}));
                let said = format!("{old} to {new}, committed: {committed}");
                assert_eq!(repo.data("fix", json!({}))["files"], json!([]), "{said}");
                let linked = repo.data("context", json!({"targets": [new]})).to_string();
                for from in places.iter().filter(|from| **from != old) {
                    assert!(linked.contains(from), "{said}: {from} in {linked}");
                    let text = repo.read(from).unwrap();
                    assert!(
                        text.contains("#why)") && !text.contains("../../../"),
                        "{said}: {text}"
                    );
                    let other = repo.data("context", json!({"targets": [from]})).to_string();
                    assert!(other.contains("moved") || other.contains("MOVED"), "{said}: {other}");
                }
            }
        }
    }
}
