//! `verify`, `baseline` and the gate before a commit.

use serde_json::{Value, json};
use testkit::TestRepo;

const BROKEN: &str = "//- cairn.jsonc\n{ \"exlude\": [\"x\"] }\n//- a.md\n# A\n";

fn verify(repo: &TestRepo, args: Value) -> engine::OpAnswer {
    repo.call_op("verify", args).unwrap()
}

fn text(answer: &engine::OpAnswer) -> String {
    let tail = format!("basis: {}\n", answer.basis);
    let words = |call: &base::NextCall| operations::CallFormat::CommandLine.call(call);
    let text = answer.page.to_text(engine::ColorMode::Plain, &words);
    if answer.page.is_document() { text } else { text + &tail }
}

#[test]
fn a_problem_has_its_rule_place_and_fix() {
    let repo = TestRepo::new(BROKEN);
    let answer = verify(&repo, json!({}));
    assert!(answer.has_findings);
    let found = &answer.data["findings"][0];
    assert_eq!(found["code"], "CONFIG_INVALID");
    assert_eq!((&found["path"], &found["line"]), (&json!("cairn.jsonc"), &json!(1)));
    assert!(!found["fix"].as_str().unwrap().is_empty());
    let text = text(&answer);
    assert!(text.starts_with("1 error in "), "{text}");
    assert!(!verify(&repo, json!({"path": "a.md"})).has_findings);
    assert!(verify(&repo, json!({"rules": "config-invalid"})).has_findings);
    let unknown = repo.call_op("verify", json!({"rules": "config_invalyd"})).unwrap_err();
    assert_eq!(unknown.hints[0], "did you mean `CONFIG_INVALID`?");
}

#[test]
fn a_rule_can_be_turned_off_or_down() {
    let with = |level: &str| {
        let config =
            format!("{{ \"exlude\": [], \"kb\": {{\"rules\": {{\"config_invalid\": {level}}}}} }}");
        let answer = verify(&TestRepo::new(&format!("//- cairn.jsonc\n{config}\n")), json!({}));
        (answer.data["errors"].clone(), answer.data["warnings"].clone())
    };
    assert_eq!(with("true"), (json!(1), json!(0)));
    assert_eq!(with("\"warning\""), (json!(0), json!(1)));
    assert_eq!(with("\"off\""), (json!(0), json!(0)));
}

#[test]
fn what_the_baseline_knows_stops_nobody() {
    let repo = TestRepo::new(BROKEN);
    assert_eq!(repo.call_op("baseline", json!({})).unwrap().data["result"]["problems"], 1);
    let answer = verify(&repo, json!({}));
    assert!(!answer.has_findings);
    assert_eq!((&answer.data["in_baseline"], &answer.data["errors"]), (&json!(1), &json!(0)));
    assert!(verify(&repo, json!({"baseline": "none"})).has_findings);
    repo.write("cairn.jsonc", "\n\n{ \"exlude\": [\"x\"], \"entires\": [] }\n");
    assert_eq!(verify(&repo, json!({})).data["errors"], 1, "only the new one");
    repo.write("cairn.jsonc", "{}\n");
    repo.call_op("baseline", json!({})).unwrap();
    assert!(!repo.root().join(".cairn/baseline.jsonl").exists(), "nothing to accept");
    assert!(repo.call_op("verify", json!({"baseline": "no/such.jsonl"})).is_err());
}

#[test]
fn only_what_is_staged_is_the_commits_business() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    repo.commit("first");
    repo.write("cairn.jsonc", "{ \"exlude\": [] }\n");
    let staged = || verify(&repo, json!({"staged": true})).has_findings;
    assert!(!staged(), "not staged yet");
    repo.git(&["add", "cairn.jsonc"]);
    assert!(staged());
    let stopped = repo.call_op("hook", json!({"name": "pre-commit"})).unwrap();
    assert!(stopped.has_findings);
    let text = text(&stopped);
    assert!(text.starts_with("cairn stopped this commit"), "{text}");
    assert!(text.contains("git commit --no-verify"), "{text}");
    repo.git(&["rm", "-q", "--cached", "cairn.jsonc"]);
    assert!(!staged());
    assert!(!repo.call_op("hook", json!({"name": "pre-commit"})).unwrap().has_findings);
}

#[test]
fn reports_for_programs_are_whole_documents() {
    let repo = TestRepo::new(BROKEN);
    let sarif = text(&verify(&repo, json!({"format": "sarif"})));
    let log: Value = serde_json::from_str(&sarif).expect("nothing but the report");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "CONFIG_INVALID");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "cairn.jsonc");
    let github = text(&verify(&repo, json!({"format": "github"})));
    assert!(github.starts_with("::error file=cairn.jsonc,line=1,title=CONFIG_INVALID::"));
    assert_eq!(github.lines().count(), 1);
}

#[test]
fn every_report_tells_what_is_wrong_with_a_card() {
    let card = "---\nkey: spec::a\nsummary: A\ntype: spec\nstatus: implemented\n---\n";
    let repo = TestRepo::new(&format!("//- .cairn/cards/a.card.md\n{card}"));
    repo.write("src/a.ts", "\n/** @see spec::gone */\nexport const a = 1;\n");
    let report = |format: &str| {
        let answer = verify(&repo, json!({"format": format}));
        assert!(answer.has_findings, "{format}");
        answer
    };
    let rows = report("text").data["findings"].clone();
    let places = [
        ("IMPLEMENTED_WITHOUT_LINK", ".cairn/cards/a.card.md", 5),
        ("SEE_TARGET_MISSING", "src/a.ts", 2),
    ];
    let told = text(&report("text"));
    let log: Value = serde_json::from_str(&text(&report("sarif"))).unwrap();
    let github = text(&report("github"));
    for (at, (code, path, line)) in places.into_iter().enumerate() {
        assert_eq!(
            (&rows[at]["code"], &rows[at]["path"], &rows[at]["line"]),
            (&json!(code), &json!(path), &json!(line))
        );
        let row = format!("\n{path}\n  error  {code}  line {line}  ");
        assert!(told.contains(&row), "{told}");
        let result = &log["runs"][0]["results"][at];
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(result["ruleId"], code);
        assert_eq!(place["artifactLocation"]["uri"], path);
        assert_eq!(place["region"]["startLine"], line);
        let annotation = format!("::error file={path},line={line},title={code}::");
        assert!(github.lines().nth(at).unwrap().starts_with(&annotation), "{github}");
    }
}

#[test]
fn links_that_lead_nowhere_are_told() {
    let repo = TestRepo::new(
        "//- docs/a.md
# A
[gone](gone.md) and [here](b.md#part), [code](../src/a.ts), ![picture](../pictures/x.png)
[site](https://example.org/gone.md) [mail](mailto:a@b.c) [part](#nowhere) [root](/guide/gone)
[page](b) [folder](../src) [built](../dist/out.js) [filled](../{{lang}}/c.md) [up](../../x.md)

```md
[quoted](never.md)
```

`[inline](never.md)`, and by [name].

[name]: ../lost.md
//- docs/b.md
# B
//- src/a.ts
export const a = 1;
//- .gitignore
dist
//- .cairn/cards/one.card.md
---
key: spec::one
summary: One
---
See [the code](../../src/a.ts) and [what was there](../../src/gone.ts).
",
    );
    repo.write("dist/out.js", "1\n");
    let found = |args: Value| -> Vec<String> {
        let data = verify(&repo, args).data.clone();
        let rows = data["findings"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["code"] == "LINK_DEAD" && row["severity"] == "warning");
        let row = |row: &Value| format!("{}:{} {}", row["path"], row["line"], row["message"]);
        rows.map(|one| row(one).replace('"', "")).collect()
    };
    let expected = [
        ".cairn/cards/one.card.md:5 the link to src/gone.ts is broken",
        "docs/a.md:2 the link to docs/gone.md is broken",
        "docs/a.md:2 the link to pictures/x.png is broken",
        "docs/a.md:10 the link to lost.md is broken",
    ];
    assert_eq!(found(json!({})), expected);
    repo.write("cairn.jsonc", r#"{"kb": {"rules": {"link_dead": "off"}}}"#);
    assert!(found(json!({})).is_empty());
    assert_eq!(found(json!({"rules": "link-dead"})).len(), 4);
}
