//! What only a language server can answer, from one with fixed answers.

use serde_json::json;

use crate::shop::shop;
use crate::story::{self, Step, show, show_case};

/// A language server that knows a few fixed answers.
const SERVER: &str = include_str!("../server.py");

pub const STEPS: &[Step] = &[
    show_case("untrusted", "code hints reports/monthly.py"),
    show("trust"),
    show_case("again", "trust"),
    show("code hints reports/monthly.py"),
    show("code actions reports/monthly.py#monthly"),
    show("code apply reports/monthly.py#monthly 'return type' --dry-run"),
    show_case("disabled", "code apply reports/monthly.py#monthly inline"),
    show_case("creates", "code apply reports/monthly.py#monthly 'Move to a new file'"),
    show_case("unknown", "code apply reports/monthly.py#monthly sort"),
    show_case("server", "code definition reports/test_monthly.py:5:12"),
    show("code type-definition reports/monthly.py#monthly"),
    show("code implementation reports/monthly.py#monthly"),
    show("code symbols monthly --language python"),
    show("code expand-macro rates/src/table.rs#Rate"),
    show_case("python", "code expand-macro reports/monthly.py#monthly"),
    show("code restart"),
    show("untrust"),
    show_case("again", "untrust"),
];

#[test]
fn servers() {
    let repo = shop();
    repo.write("server/fake.py", SERVER);
    let script = repo.root().join("server/fake.py");
    let server = json!({"server": "python3", "args": [script]});
    repo.write("cairn.jsonc", json!({"languages": {"python": server, "rust": server}}).to_string());
    story::run_in(&repo, STEPS);
}
