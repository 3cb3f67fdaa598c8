//! `review`: what a change may break, what it forgot, and which rules apply to it.
//!
//! @see spec::cross/review

use serde_json::{Value, json};
use testkit::{TestRepo, check};

const SHOP: &str = "
//- src/gateway.ts
/**
 * Takes money.
 * @see spec::pay/capture
 */
export function charge(amount: number): boolean {
  return amount > 0;
}

export function refund(amount: number): boolean {
  return amount > 0;
}
//- src/settle.ts
import { charge, refund } from './gateway';

export function settle(): boolean {
  return charge(3) && refund(1);
}
//- test/settle.test.ts
import { settle } from '../src/settle';

function settles(): void {
  if (!settle()) throw new Error();
}
//- .cairn/cards/pay/capture.card.md
---
key: spec::pay/capture
type: spec
summary: A payment is captured once
status: implemented
---
Once.
";

const OTHER_SIGNATURE: &str = "\
/**
 * Takes money.
 * @see spec::pay/capture
 */
export function charge(amount: number, currency: string): boolean {
  return amount > 0 && currency !== '';
}

export function refund(amount: number): boolean {
  return amount > 0;
}
";

fn codes(data: &Value) -> Vec<String> {
    let findings = data["findings"].as_array().unwrap().iter();
    findings.map(|found| found["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn nothing_changed_is_said_in_a_line() {
    check(
        &TestRepo::new(SHOP),
        "review",
        "
        Nothing changed since HEAD
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn a_change_is_told_from_every_side() {
    let repo = TestRepo::new(SHOP);
    repo.write("src/gateway.ts", OTHER_SIGNATURE);
    check(
        &repo,
        "review",
        "
        1 file changed since HEAD: 1 symbol. 2 things to look at, 1 test file to run, types not checked.
          src/gateway.ts  charge (signature changed)

        Findings
          src/gateway.ts
            warning  CALLER_AT_RISK  line 1  the signature of charge changed; 1 caller did not change (1 exact): src/settle.ts#settle
            note     SPEC_TO_CHECK   line 1  spec::pay/capture (implemented) says \"A payment is captured once\"; you changed charge (lines 1–7)

        Tests to run
          test/settle.test.ts  reaches it in 2 calls  settles

        Checked: syntax, callers of changed signatures, imports of new names, exported names, documents, rules, co-change, files that name what changed, cards, requirements, tests
        Not checked: types of TypeScript (the repository is not trusted)
        basis: fresh · main @ COMMIT + 1 edited file
        ",
    );
}

#[test]
fn what_is_gone_and_still_imported_stops_a_gate() {
    let repo = TestRepo::new(SHOP);
    repo.write("src/gateway.ts", "/** @see spec::pay/capture */\nexport const x = 1;\n");
    let answer = repo.call_op("review", json!({})).unwrap();
    assert!(answer.has_findings);
    assert!(codes(&answer.data).contains(&"STILL_USED".to_owned()), "{:#}", *answer.data);
    assert!(!repo.call_op("review", json!({"fail_on": "never"})).unwrap().has_findings);
    repo.write("src/gateway.ts", "export const x = (;\n");
    assert_eq!(codes(&repo.data("review", json!({})))[0], "SYNTAX_BROKEN");
}

#[test]
fn the_index_and_ranges_are_looked_at_too() {
    let repo = TestRepo::new(SHOP);
    repo.write("src/gateway.ts", OTHER_SIGNATURE);
    let changed = |args: Value| repo.data("review", args)["symbols"].as_array().unwrap().len();
    assert_eq!(changed(json!({"staged": true})), 0, "not staged yet");
    repo.git(&["add", "-A"]);
    assert_eq!(changed(json!({"staged": true})), 1);
    repo.commit("second");
    assert_eq!(changed(json!({})), 0);
    assert_eq!(changed(json!({"range": "HEAD~1"})), 1);
    assert_eq!(changed(json!({"range": "HEAD~1.."})), 1);
    assert_eq!(changed(json!({"range": "HEAD~1...HEAD"})), 1);
    assert_eq!(changed(json!({"range": "HEAD..HEAD~1"})), 1, "backwards too");
    let unknown = repo.call_op("review", json!({"range": "mian..HEAD"})).unwrap_err();
    assert!(unknown.hints[0].contains("main"), "{:?}", unknown.hints);
}

#[test]
fn a_move_is_one_change_and_not_two() {
    let repo = TestRepo::new(SHOP);
    repo.rename("src/gateway.ts", "src/money/gateway.ts");
    let data = repo.data("review", json!({}));
    assert_eq!(
        data["files"],
        json!([
            {"path": "src/money/gateway.ts", "how": "renamed", "old": "src/gateway.ts"}
        ])
    );
    assert_eq!(codes(&data), ["STILL_USED"], "an import leads nowhere: {data:#}");
    repo.git(&["checkout", "-q", "--", "."]);
    repo.remove("src/money");
    let text = repo.read("src/gateway.ts").unwrap();
    let (kept, moved) = text.split_once("\n\n").unwrap();
    repo.write("src/gateway.ts", format!("{kept}\n"));
    repo.write("src/back.ts", moved);
    let data = repo.data("review", json!({}));
    assert_eq!(
        data["symbols"],
        json!([{
            "node": "symbol:src/back.ts#refund", "how": "moved", "was": "src/gateway.ts#refund"
        }])
    );
    assert_eq!(codes(&data)[0], "STILL_USED", "{data:#}");
}

#[test]
fn a_habit_that_was_broken_comes_with_its_evidence() {
    let repo = TestRepo::new("//- a.ts\nexport const a = 0;\n//- b.md\n0\n//- c.md\n0\n");
    for round in 1..=4 {
        repo.write("a.ts", format!("export const a = {round};\n"));
        repo.write("b.md", format!("{round}\n"));
        repo.commit("both");
    }
    repo.write("a.ts", "export const a = 9;\n");
    let data = repo.data("review", json!({}));
    let found = &data["findings"][0];
    assert_eq!(found["code"], "MAYBE_FORGOTTEN");
    assert_eq!(found["node"], "file:b.md");
    let message = "b.md did not change; it changed with a.ts in 5 of 5 commits, last just now";
    assert_eq!(found["message"], message);
    repo.write("b.md", "9\n");
    assert_eq!(codes(&repo.data("review", json!({}))), Vec::<String>::new());
}

#[test]
fn a_test_that_names_what_changed_is_missed_without_a_common_past() {
    let repo = TestRepo::new("//- README.md\nText\n");
    for number in 0..120 {
        repo.write(
            &format!("lib/part{number}.ts"),
            format!("export const part{number} = {number};\n"),
        );
    }
    let source = "export function throttle(burstAllowance: number, refillInterval: number) {\n  \
                  return burstAllowance / refillInterval;\n}\n";
    repo.write("src/throttle.ts", source);
    repo.commit("the code");
    repo.write(
        "test/throttle.test.ts",
        "import { throttle } from \"../src/throttle\";\nconst burstAllowance = 2;\nconst refillInterval = 1;\n\
         test(\"throttle\", () => expect(throttle(burstAllowance, refillInterval)).toBe(2));\n",
    );
    repo.commit("its test");
    repo.write("src/throttle.ts", source.replace("number)", "number, tokenCount: number)"));
    let data = repo.data("review", json!({}));
    let found: Vec<&Value> = data["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["code"] == "MAYBE_FORGOTTEN")
        .collect();
    assert_eq!(found.len(), 1, "{data:#}");
    assert_eq!(found[0]["node"], "module:test/throttle.test.ts");
    assert_eq!(
        found[0]["message"],
        "test/throttle.test.ts did not change; it names `burstAllowance`, `refillInterval`, `throttle`"
    );
}

#[test]
fn only_new_violations_are_the_changes_business() {
    let repo = TestRepo::new(SHOP);
    repo.write("old.ts", "/** @see spec::no/such */\nexport const old = 1;\n");
    repo.commit("an old problem");
    assert_eq!(codes(&repo.data("review", json!({}))), Vec::<String>::new());
    repo.write("new.ts", "/** @see spec::nor/this */\nexport const fresh = 1;\n");
    assert_eq!(codes(&repo.data("review", json!({}))), ["SEE_TARGET_MISSING"]);
    repo.remove("new.ts");
    repo.remove(".cairn/cards/pay/capture.card.md");
    let data = repo.data("review", json!({}));
    assert_eq!(codes(&data), ["SEE_TARGET_MISSING"], "in a file that did not change: {data:#}");
}

#[test]
fn knowledge_and_requirements_are_told() {
    let repo = TestRepo::new(&format!(
        "{SHOP}//- docs/requirements/REQ-1.md\n---\nid: REQ-1\ntitle: Never twice\nstatus: open\n\
         priority: should\n---\nText.\n//- src/twice.ts\n/** implements REQ-1 */\n\
         export function once(): void {{}}\n"
    ));
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "p"}));
    repo.data(
        "knowledge.create",
        json!({"kind": "atom", "name": "Money", "paths": ["src/**"], "knowledge": "Never twice."}),
    );
    repo.write(
        "src/twice.ts",
        "/** implements REQ-1 */\nexport function once(): void { settle(); }\n",
    );
    let data = repo.data("review", json!({}));
    let found = codes(&data);
    assert!(found.contains(&"KB_TO_CHECK".to_owned()), "{data:#}");
    assert!(found.contains(&"KNOWLEDGE_STALE".to_owned()), "{data:#}");
    assert!(found.contains(&"NO_TEST_REACHES".to_owned()), "{data:#}");
}

#[test]
fn programs_get_whole_documents() {
    let repo = TestRepo::new(SHOP);
    repo.write("src/gateway.ts", OTHER_SIGNATURE);
    let text = |format: &str| repo.text(&format!("review --format {format}"));
    let github = text("github");
    assert!(github.starts_with("::warning file=src/gateway.ts,line=1,title=CALLER_AT_RISK::"));
    assert!(
        github.lines().last().unwrap().starts_with("::notice file=src/gateway.ts,"),
        "{github}"
    );
    let sarif: Value = serde_json::from_str(&text("sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "CALLER_AT_RISK");
}

#[test]
fn without_git_there_is_nothing_to_compare() {
    let problem = TestRepo::without_git("//- a.ts\n1;\n").call_op("review", json!({})).unwrap_err();
    assert_eq!(problem.code, base::ProblemCode::Unavailable);
}

#[test]
fn tests_that_name_a_symbol_or_have_its_file_name_are_found_without_a_call() {
    let repo = TestRepo::new(
        "
//- lib/reply.js
function Reply () {}
Reply.prototype.hijack = function () {
  this.sent = true
  return this
}
module.exports = { Reply }
//- test/hooks.test.js
test('a hook', (t) => {
  app.get('/', (req, reply) => { reply.hijack() })
})
//- test/reply.test.js
test('something else', () => {})
//- test/other.test.js
test('other', () => {})
",
    );
    let text = repo.read("lib/reply.js").unwrap();
    repo.write("lib/reply.js", text.replace("this.sent = true", "this.sent = 1"));
    let data = repo.data("review", json!({}));
    let tests: Vec<&str> = data["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| test["node"].as_str().unwrap())
        .collect();
    assert_eq!(tests, ["module:test/hooks.test.js", "module:test/reply.test.js"]);
    assert!(!codes(&data).contains(&"NO_TEST_REACHES".to_owned()));
}

#[test]
fn a_test_in_the_same_file_counts() {
    let repo = TestRepo::new(
        "
//- Cargo.toml
[package]
name = \"a\"
//- src/part.rs
pub struct Part;
impl Part {
    pub fn serialize(&self) -> String {
        \"a\".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_as_expected() {
        assert_eq!(Part.serialize(), \"a\");
    }
}
",
    );
    let text = repo.read("src/part.rs").unwrap();
    repo.write("src/part.rs", text.replacen("\"a\".to_owned()", "\"b\".to_owned()", 1));
    let data = repo.data("review", json!({}));
    assert_eq!(data["tests"][0]["node"], "module:src/part.rs");
    assert!(!codes(&data).contains(&"NO_TEST_REACHES".to_owned()));
}

#[test]
fn what_was_not_checked_is_said() {
    let repo = TestRepo::new(SHOP);
    repo.write("src/gateway.ts", OTHER_SIGNATURE);
    repo.write("src/view.pug", "h1 View\n");
    let data = repo.data("review", json!({}));
    assert!(data["checked"].as_array().unwrap().contains(&json!("callers of changed signatures")));
    let not: Vec<&str> =
        data["not_checked"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(
        not,
        [".pug files (not parsed)", "types of TypeScript (the repository is not trusted)"]
    );
}

/// The messages of all findings with a code.
fn messages(data: &Value, code: &str) -> Vec<String> {
    let findings = data["findings"].as_array().unwrap().iter();
    let of_code = findings.filter(|found| found["code"] == code);
    of_code.map(|found| found["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_name_that_was_not_imported_is_told() {
    let repo = TestRepo::new(
        "
//- go.mod
module example.org/shop

go 1.22
//- shop/pay.go
package shop

import \"errors\"

var ErrPaid = errors.New(\"paid\")
//- shop/cart.go
package shop

func Total(prices []int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum
}
//- web/errors.ts
export class PaymentError extends Error {}
//- web/pay.ts
import { PaymentError } from './errors';

export function pay(sum: number): void {
  if (sum < 0) throw new PaymentError();
}
//- web/cart.ts
export function total(prices: number[]): number {
  return prices.reduce((a, b) => a + b, 0);
}
//- tools/report.py
import json


def report(rows):
    print(json.dumps(rows))
//- tools/rows.py
def rows(count):
    return list(range(count))
",
    );
    repo.write(
        "shop/cart.go",
        "package shop\n\nfunc Total(prices []int) (int, error) {\n\tif len(prices) == 0 {\n\t\treturn 0, \
         errors.New(\"empty\")\n\t}\n\treturn prices[0], ErrPaid\n}\n",
    );
    repo.write(
        "web/cart.ts",
        "export function total(prices: number[]): number {\n  if (Number.isNaN(prices[0])) throw new \
         PaymentError();\n  setTimeout(() => {}, 1);\n  return prices.length;\n}\n",
    );
    repo.write(
        "tools/rows.py",
        "def rows(count):\n    return json.loads(open('rows').read()) + sorted(range(count))\n",
    );
    let told = messages(&repo.data("review", json!({})), "NAME_NOT_IMPORTED");
    assert_eq!(
        told,
        [
            "shop/cart.go:5 uses errors, which the file neither declares nor imports; 1 other file \
             imports it from errors",
            "tools/rows.py:2 uses json, which the file neither declares nor imports; 1 other file \
             imports it from json",
            "web/cart.ts:2 uses PaymentError, which the file neither declares nor imports; 1 other file \
             imports it from ./errors",
        ]
    );
}

#[test]
fn names_of_the_language_and_of_the_same_package_are_no_news() {
    let repo = TestRepo::new(
        "
//- go.mod
module example.org/shop
//- shop/pay.go
package shop

func Pay() int { return 1 }
//- shop/cart.go
package shop
//- tools/a.py
from tools.b import *
//- tools/b.py
def helper():
    pass
",
    );
    repo.write(
        "shop/cart.go",
        "package shop\n\nimport \"fmt\"\n\nfunc Cart() int { fmt.Println(1); return Pay() + max(1, 2) }\n",
    );
    repo.write("tools/a.py", "from tools.b import *\n\n\ndef run():\n    helper()\n");
    assert!(messages(&repo.data("review", json!({})), "NAME_NOT_IMPORTED").is_empty());
}

#[test]
fn a_test_that_changed_beside_the_code_is_one_and_a_program_exports_nothing() {
    let repo = TestRepo::new(
        "
//- Cargo.toml
[package]
name = \"find\"
version = \"0.1.0\"
//- src/main.rs
mod owner;

#[arg(value_parser = owner::parse_owner)]
struct Opts;

fn main() {}
//- src/owner.rs
pub fn parse_owner(text: &str) -> Option<u32> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    macro_rules! cases {
        ($text:literal) => {
            assert!(super::parse_owner($text).is_some());
        };
    }

    #[test]
    fn owner_parsing() {
        cases!(\"1\");
    }
}
",
    );
    let changed = repo.read("src/owner.rs").unwrap();
    let changed =
        changed.replace("-> Option<u32>", "-> Result<u32, ()>").replace(".ok()", ".map_err(drop)");
    repo.write("src/owner.rs", changed.replace("cases!(\"1\")", "cases!(\"2\")"));
    let data = repo.data("review", json!({}));
    assert!(!codes(&data).contains(&"NO_TEST_REACHES".to_owned()), "{data:#}");
    assert!(messages(&data, "EXPORT_CHANGED").is_empty(), "{data:#}");
}

#[test]
fn documents_that_name_what_changed_are_told() {
    let repo = TestRepo::new(
        "
//- src/gateway.ts
export function chargeCard(amount: number): boolean {
  return amount > 0;
}
//- docs/payments.md
# Payments

Call `chargeCard` once.
//- CHANGELOG.md
- `chargeCard` was added
",
    );
    repo.write(
        "src/gateway.ts",
        "export function chargeCard(amount: number): boolean {\n  return amount >= 0;\n}\n",
    );
    let data = repo.data("review", json!({}));
    assert_eq!(messages(&data, "DOCUMENT_NAMES_IT"), ["chargeCard is named in docs/payments.md:3"]);
    repo.write("src/gateway.ts", "export function chargeCard(): boolean {\n  return true;\n}\n");
    let data = repo.data("review", json!({}));
    let told = messages(&data, "EXPORT_CHANGED");
    assert_eq!(told, ["exported names changed: other signature: chargeCard"]);
    repo.write("src/gateway.ts", "export const other = 1;\n");
    let data = repo.data("review", json!({}));
    assert_eq!(messages(&data, "EXPORT_CHANGED"), ["exported names changed: removed chargeCard"]);
}

#[test]
fn knowledge_about_a_file_that_was_renamed_is_told() {
    let repo = TestRepo::new(SHOP);
    repo.data("work.create", json!({"kind": "project", "name": "Shop"}));
    repo.data(
        "knowledge.create",
        json!({"kind": "atom", "name": "Money", "paths": ["src/gate*.ts"], "knowledge": "Never twice."}),
    );
    repo.git(&["mv", "src/gateway.ts", "src/other.ts"]);
    repo.commit("rename");
    let data = repo.data("review", json!({"range": "HEAD~1..HEAD"}));
    let found = data["findings"].as_array().unwrap().iter();
    let stale = found.filter(|found| found["code"] == "KNOWLEDGE_STALE").collect::<Vec<_>>();
    assert_eq!(stale.len(), 1, "{data:#}");
    let message = stale[0]["message"].as_str().unwrap();
    assert!(message.contains("1 removed"), "{message}");
}

#[test]
fn another_implementation_that_changed_with_it_before_is_missed() {
    let repo = TestRepo::new(
        "
//- src/exporter.ts
export interface Exporter {
  write(rows: string[]): string;
}
//- src/csv.ts
import { Exporter } from './exporter';
export class Csv implements Exporter {
  write(rows: string[]): string { return rows.join(','); }
}
//- src/json.ts
import { Exporter } from './exporter';
export class Json implements Exporter {
  write(rows: string[]): string { return JSON.stringify(rows); }
}
//- src/xml.ts
import { Exporter } from './exporter';
export class Xml implements Exporter {
  write(rows: string[]): string { return rows.join(''); }
}
",
    );
    for round in 1..=3 {
        for name in ["csv", "json"] {
            let path = format!("src/{name}.ts");
            let text = repo.read(&path).unwrap();
            repo.write(&path, format!("{text}export const {name}{round} = {round};\n"));
        }
        repo.write("src/other.ts", format!("export const other = {round};\n"));
        repo.commit("both");
    }
    let csv = repo.read("src/csv.ts").unwrap();
    repo.write("src/csv.ts", csv.replace("join(',')", "join(';')"));
    let data = repo.data("review", json!({}));
    let found: Vec<&Value> = data["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["node"] == "module:src/json.ts")
        .collect();
    assert_eq!(found.len(), 1, "{data:#}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.contains("implements the method of Csv.write too, as Json.write in line 3"),
        "{message}"
    );
    let xml = |found: &Value| found["node"] == "module:src/xml.ts";
    assert!(!data["findings"].as_array().unwrap().iter().any(xml), "never changed with it");
}

/// The files that `review` says to run.
fn run_files(repo: &TestRepo) -> Vec<String> {
    let data = repo.data("review", json!({}));
    let tests = data["tests"].as_array().unwrap().iter();
    tests.map(|test| test["node"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_rename_and_a_removal_have_tests_to_run() {
    let repo = TestRepo::new(
        "//- src/__init__.py\nfrom ._auth import Basic, digest\n//- src/_auth.py\nclass Basic:\n    def flow(self):\n        return 1\n\n\ndef digest():\n    return 2\n//- tests/test_flow.py\nfrom src import Basic\n\n\ndef test_flow():\n    assert Basic().flow() == 1\n//- tests/test_digest.py\nfrom src import digest\n\n\ndef test_digest():\n    assert digest() == 2\n",
    );
    repo.rename("src/_auth.py", "src/_credentials.py");
    repo.write("src/__init__.py", "from ._credentials import Basic, digest\n");
    let run = run_files(&repo);
    assert!(run.contains(&"module:tests/test_flow.py".to_owned()), "{run:?}");
    repo.commit("renamed");
    repo.write("src/_credentials.py", "class Basic:\n    def flow(self):\n        return 1\n");
    let run = run_files(&repo);
    assert!(run.contains(&"module:tests/test_digest.py".to_owned()), "{run:?}");
}

#[test]
fn a_helper_of_tests_is_no_test_to_run() {
    let repo = TestRepo::new(
        "//- src/compile.ts\nexport function compile() { return 1 }\n//- src/__tests__/utils.ts\nimport { compile } from '../compile'\nexport function built() { return compile() }\n//- src/__tests__/all.spec.ts\nimport { built } from './utils'\nit('builds', () => { built() })\n//- src/__tests__/other.ts\nimport { compile } from '../compile'\ntest('other', () => { compile() })\n",
    );
    repo.write("src/compile.ts", "export function compile() { return 2 }\n");
    let run = run_files(&repo);
    // A file that declares tests is one, whatever its name.
    assert_eq!(run.len(), 2, "{run:?}");
    assert!(!run.contains(&"module:src/__tests__/utils.ts".to_owned()), "{run:?}");
}

#[test]
fn a_schema_beside_tests_is_no_test_to_run() {
    let repo = TestRepo::new(
        "
//- src/pay.ts
export function chargeCard(cents: number) { return cents > 0; }
//- test/pay.test.ts
import { chargeCard } from '../src/pay';
chargeCard(1);
//- test/fixtures/rows.sql
-- chargeCard wrote these
CREATE TABLE chargeCard (id INTEGER);
",
    );
    let text = repo.text("impact src/pay.ts#chargeCard");
    assert!(text.contains("test/pay.test.ts"), "{text}");
    assert!(!text.contains("rows.sql"), "{text}");
}
