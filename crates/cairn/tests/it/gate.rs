//! The script that the GitHub Action and the GitLab template run, on a shallow clone.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::TestRepo;

const FIXTURE: &str = "//- src/login.ts
export function login(name: string): boolean { return name.length > 0; }
//- src/run.ts
import { login } from './login';
export const run = () => login('a');
";

#[expect(clippy::disallowed_methods, reason = "the script under test")]
fn gate(clone: &Path, base: &str, reports: &Path, fail_on: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/actions/cairn/gate.sh");
    let program = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [program.to_path_buf()].into_iter().chain(std::env::split_paths(&path));
    let mut command = Command::new("bash");
    command.arg(script).arg(base).arg(reports).arg(fail_on).current_dir(clone);
    command.env("PATH", std::env::join_paths(folders).unwrap()).output().unwrap()
}

#[test]
fn a_shallow_clone_is_deepened_and_the_change_reviewed() {
    let origin = TestRepo::new(FIXTURE);
    origin.git(&["checkout", "-q", "-b", "feature"]);
    let code = origin.read("src/login.ts").unwrap();
    origin.write("src/login.ts", code.replace("(name: string)", "(name: string, device: string)"));
    origin.commit("ask for the device");
    origin.git(&["checkout", "-q", "main"]);
    for number in 0..3 {
        origin.write("notes.md", format!("# {number}\n"));
        origin.commit("go on");
    }
    let folder = tempfile::tempdir().unwrap();
    let address = format!("file://{}", origin.root().display());
    let clone = folder.path().join("clone");
    let target = clone.to_string_lossy().into_owned();
    origin.git(&["clone", "-q", "--depth", "1", "--branch", "feature", &address, &target]);
    let reports = folder.path().join("reports");

    let stopped = gate(&clone, "origin/main", &reports, "warning");
    assert_eq!(stopped.status.code(), Some(1), "{stopped:?}");
    let comment = fs::read_to_string(reports.join("comment.md")).unwrap();
    assert!(comment.starts_with("<!-- cairn-review -->\n"), "{comment}");
    assert!(comment.contains("CALLER_AT_RISK") && comment.contains("src/run.ts#run"), "{comment}");
    assert!(!comment.contains("notes.md"), "what others did is not part of the change: {comment}");
    for name in ["verify.sarif", "review.sarif"] {
        let text = fs::read_to_string(reports.join(name)).unwrap();
        let sarif: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(sarif["version"], "2.1.0");
    }

    let html = fs::read_to_string(reports.join("review.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>"), "{html}");
    let review = fs::read_to_string(reports.join("review.txt")).unwrap();
    assert!(review.ends_with('\n') && !review.contains("not indexed yet"), "{review}");

    let passed = gate(&clone, "origin/main", &reports, "error");
    assert_eq!(passed.status.code(), Some(0), "{passed:?}");
    let refused = gate(&clone, "origin/nowhere", &reports, "error");
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
}
