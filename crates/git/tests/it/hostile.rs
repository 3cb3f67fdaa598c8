//! A repository that names a program wherever git lets it: none of them runs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use git::hostile::{programs_that_ran, set_traps};
use git::{Blob, GitHost, HooksDir, Repo, discover, version};

use crate::fixture::{Fixture, call};

/// An armed repository with a change that nobody has looked at yet, and an object that is away.
struct Trap {
    fixture: Fixture,
    canaries: PathBuf,
    missing: String,
}

fn trap() -> Trap {
    let fixture = Fixture::new();
    fixture.commit("r", "z.long", b"longing\n");
    fixture.commit("r", "c.cmd", b"command\n");
    let missing = fixture.commit("r", "d.txt", b"away\n");
    let missing = fixture.git("r", &["rev-parse", &format!("{missing}:d.txt")]);
    let object = fixture.root.join("r/.git/objects").join(&missing[..2]).join(&missing[2..]);
    fs::remove_file(object).unwrap();
    sign(&fixture);
    fixture.git("r", &["worktree", "add", "-q", "--no-checkout", "-b", "side", "../w"]);
    let canaries = fixture.root.join("canaries");
    set_traps(&fixture.root.join("r"), &canaries);
    for name in ["a.txt", "z.long", "c.cmd"] {
        fixture.write("r", name, b"changed\n");
    }
    Trap { fixture, canaries, missing }
}

/// Makes a branch whose commit says that it is signed.
fn sign(fixture: &Fixture) {
    let commit = fixture.git("r", &["cat-file", "commit", "HEAD"]);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n";
    fixture.write("", "signed", commit.replacen("\n\n", &format!("\n{signature}"), 1).as_bytes());
    let signed = fixture.git("r", &["hash-object", "-t", "commit", "-w", "../signed"]);
    fixture.git("r", &["branch", "signed", &signed]);
}

impl Trap {
    /// The traps that a plain call springs.
    fn springs(&self, args: &[&str]) -> Vec<String> {
        self.fixture.try_git("r", args);
        let found = programs_that_ran(&self.canaries);
        for name in &found {
            fs::remove_file(self.canaries.join(name)).unwrap();
        }
        found
    }

    /// A machine whose `PATH` begins with the folder git runs in.
    fn careless_host(&self) -> GitHost {
        let mut host = self.fixture.host();
        for (name, value) in &mut host.env {
            if name == "PATH" {
                let mut path = OsString::from(".:");
                path.push(&*value);
                *value = path;
            }
        }
        host.env.push(("GIT_EXTERNAL_DIFF".into(), "r/.git/traps/diff.external".into()));
        host.env.push(("PAGER".into(), "r/.git/traps/core.pager".into()));
        host
    }
}

#[test]
fn the_traps_are_real() {
    let trap = trap();
    let expect = |args: &[&str], names: &[&str]| {
        let found = trap.springs(args);
        for name in names {
            assert!(found.iter().any(|found| found == name), "git {args:?} sprang only {found:?}");
        }
    };
    expect(&["status"], &["core.fsmonitor", "filter.trap.clean", "filter.long.process"]);
    expect(&["diff", "--", "a.txt"], &["core.fsmonitor", "diff.external"]);
    expect(&["diff", "--", "c.cmd"], &["diff.commanded.command"]);
    expect(&["diff", "--no-ext-diff", "--", "a.txt"], &["diff.trap.textconv"]);
    expect(&["log", "-p", "-1", "HEAD~3"], &["diff.trap.textconv"]);
    expect(&["log", "-1", "signed"], &["gpg.program"]);
    expect(&["ls-files", "-m"], &["core.fsmonitor"]);
    expect(&["st"], &["alias.st"]);
    expect(&["cat-file", "-p", &trap.missing], &["remote.trap.url"]);
    expect(&["branch", "new"], &["reference-transaction"]);
}

#[test]
fn none_of_them_springs_for_us() {
    let trap = trap();
    let root = trap.fixture.root.join("r");
    ask_everything(&trap, &root);
    assert_eq!(programs_that_ran(&trap.canaries), Vec::<String>::new());
}

#[test]
fn none_of_them_springs_in_a_linked_worktree() {
    let trap = trap();
    ask_everything(&trap, &trap.fixture.root.join("w"));
    assert_eq!(programs_that_ran(&trap.canaries), Vec::<String>::new());
}

/// Calls every public function that may run git.
fn ask_everything(trap: &Trap, root: &Path) {
    let host = trap.careless_host();
    let git::RepoLocation::Worktree(layout) = discover(root).unwrap() else {
        panic!("no worktree")
    };
    version(&host, &call()).unwrap().check().unwrap();
    layout.worktrees().unwrap();
    let repo = Repo::open(host, layout).unwrap();
    let head = repo.head(&call()).unwrap().commit.unwrap();
    assert_eq!(repo.resolve(&call(), "HEAD").unwrap(), head);
    let first = repo.resolve(&call(), "HEAD~3").unwrap();
    assert_eq!(repo.tree(&call(), &head).unwrap().items.len(), 4);
    assert_eq!(repo.diff_trees(&call(), Some(&first), &head).unwrap().items.len(), 3);
    assert!(repo.merge_base(&call(), &first, &head).unwrap().is_some());
    read_objects(trap, &repo);
    repo.staged(&call()).unwrap();
    repo.submodules(&call()).unwrap();
    repo.tracked(&call()).unwrap();
    repo.user_email(&call()).unwrap();
    repo.branches(&call()).unwrap();
    repo.branch_list(&call()).unwrap();
    repo.former_names("main", &call()).unwrap();
    repo.root_commit(&call()).unwrap();
    repo.default_branch(&call()).unwrap();
    let hooks = trap.fixture.root.join("r/.git/traps/hooks");
    assert_eq!(repo.hooks_dir(&call()).unwrap(), HooksDir::Inside(hooks));
    let index = repo.layout().git_dir.join("index");
    repo.with_index(index).staged(&call()).unwrap();
}

/// Blobs come as they are stored, and one that is away is not fetched.
fn read_objects(trap: &Trap, repo: &Repo) {
    let one = repo.blob_id(b"one\n");
    let missing = trap.missing.parse().unwrap();
    let mut blobs = repo.blobs(1 << 20);
    assert_eq!(blobs.read(&call(), one).unwrap(), Blob::Bytes(b"one\n".to_vec()));
    assert_eq!(blobs.read(&call(), missing).unwrap(), Blob::Missing);
    blobs.read_all(&call(), &[one, missing], |_, _| Ok(())).unwrap();
    let path = |text: &str| text.parse().unwrap();
    assert_eq!(repo.show(&call(), "HEAD", &path("a.txt"), 100).unwrap(), b"one\n");
    assert!(repo.show(&call(), "HEAD", &path("d.txt"), 100).is_err());
    assert!(repo.show(&call(), "trapped://x", &path("d.txt"), 100).is_err());
}
