//! A repository on a disk that is read-only or full: reads are still answered.

use std::path::Path;
use std::process::{Command, Output};

use testkit::TestRepo;

/// Mounts `$1` over itself with the options `$2`, in a namespace of its own, and runs the rest.
const MOUNT_SCRIPT: &str = r#"
root=$1; how=$2; shift 2
case $how in
    ro) mount --bind "$root" "$root" && mount -o remount,ro,bind "$root" ;;
    full) mount -t tmpfs -o size=96k none "$root/.cairn" ;;
esac || exit 99
cd / && exec "$@"
"#;

/// Runs the binary where the repository is read-only or has no room for a cache. `None` if the
/// system does not allow mounting; a folder without write permission is tested instead.
#[expect(clippy::disallowed_methods, reason = "the binary under test, and its surroundings")]
fn run(repo: &TestRepo, how: &str, words: &[&str]) -> Option<Output> {
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", MOUNT_SCRIPT, "sh"]).arg(repo.root()).arg(how);
    command.arg(env!("CARGO_BIN_EXE_cairn")).arg("-C").arg(repo.root()).args(words);
    let output = command.output().ok()?;
    let refused = String::from_utf8_lossy(&output.stderr).starts_with("unshare:");
    (output.status.code() != Some(99) && !refused).then_some(output)
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const FIXTURE: &str = "//- a.md\n# A\n[b](src/b.ts)\n//- src/b.ts\nexport function f() {}\n";

#[test]
fn reads_on_a_read_only_disk_are_answered_from_memory() {
    let repo = TestRepo::new(FIXTURE);
    let Some(first) = run(&repo, "ro", &["impact", "src/b.ts"]) else {
        return without_permission(&repo);
    };
    let first = text(&first);
    assert!(first.contains("file:a.md") && first.contains("index in memory only"), "{first}");
    assert!(!repo.root().join(".cairn").exists());
    // An existing index that is up to date is read in place.
    repo.text("status");
    let second = text(&run(&repo, "ro", &["impact", "src/b.ts"]).unwrap());
    assert!(second.contains("file:a.md") && !second.contains("in memory"), "{second}");
    // An index that is out of date is updated in memory.
    repo.write("c.md", "# C\n[b](src/b.ts)\n");
    let third = text(&run(&repo, "ro", &["impact", "src/b.ts"]).unwrap());
    assert!(third.contains("file:c.md") && third.contains("in memory only"), "{third}");
    let refused = run(&repo, "ro", &["init"]).unwrap();
    assert_eq!(refused.status.code(), Some(3));
}

/// The same with write permissions removed, where mounting is not possible.
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn without_permission(repo: &TestRepo) {
    use std::os::unix::fs::PermissionsExt;
    let set = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(repo.root(), permissions).unwrap();
    };
    set(0o555);
    if std::fs::write(repo.root().join("probe"), "").is_ok() {
        testskip::not_run("the superuser may write everywhere, and may not mount here");
        return set(0o755);
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_cairn"));
    let mut command = Command::new(binary);
    command.arg("-C").arg(repo.root()).args(["impact", "src/b.ts"]);
    let output = text(&command.output().unwrap());
    set(0o755);
    assert!(output.contains("file:a.md") && output.contains("index in memory only"), "{output}");
}

#[test]
fn a_full_disk_does_not_keep_anybody_from_reading() {
    let repo = TestRepo::new(FIXTURE);
    (0..200).for_each(|n| repo.write(&format!("many/{n}.md"), format!("# Title {n}\n")));
    std::fs::create_dir_all(repo.root().join(".cairn")).unwrap();
    let Some(output) = run(&repo, "full", &["status"]) else {
        return testskip::not_run("`unshare` is missing, or may not mount");
    };
    let output = text(&output);
    assert!(output.starts_with("202 files indexed"), "{output}");
    assert!(output.contains("index in memory only"), "{output}");
}
