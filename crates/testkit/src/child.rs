//! Tests that kill processes: such a test starts its own program again, and the copy does the work
//! that is killed.
//!
//! A function of its own for the child would have to be a `#[test]`, and would count as a test that
//! passed in every ordinary run. So the test and its child are the same function: it begins with
//! [`arguments`], which are there only in the child.

use std::process::Command;

/// The variable that carries the arguments of a child, as a JSON list.
const ARGUMENTS: &str = "CAIRN_TEST_CHILD";

/// The arguments that [`command`] gave this process; `None` in the test itself.
#[expect(clippy::disallowed_methods, reason = "a child is told by its environment what to do")]
pub fn arguments() -> Option<Vec<String>> {
    let text = std::env::var(ARGUMENTS).ok()?;
    Some(serde_json::from_str(&text).expect("`command` wrote a list of texts"))
}

/// This test program once more, running only `test` (its full name, such as
/// `killed::a_write_is_kept`). There [`arguments`] returns `arguments`.
#[expect(clippy::disallowed_methods, reason = "what is killed is a process of its own")]
pub fn command(test: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    command.env(ARGUMENTS, serde_json::json!(arguments).to_string());
    command
}
