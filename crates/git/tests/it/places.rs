//! Finding repositories, worktrees and hooks.

use std::fs;

use base::ProblemCode;
use git::{HooksDir, Repo, RepoLocation, WorktreeKind, discover, version};

use crate::fixture::{Fixture, call};

#[test]
fn a_folder_belongs_to_the_repository_above_it() {
    let fixture = Fixture::new();
    fixture.write("r", "src/deep/b.txt", b"");
    let layout = fixture.layout("r/src/deep");
    assert_eq!(layout.root, fixture.root.join("r"));
    assert_eq!(layout.git_dir, fixture.root.join("r/.git"));
    assert_eq!((layout.common_dir, layout.kind), (layout.git_dir, WorktreeKind::Main));
    let from_file = discover(&fixture.root.join("r/src/deep/b.txt")).unwrap();
    assert_eq!(from_file, RepoLocation::Worktree(fixture.layout("r")));
}

#[test]
fn no_repository_and_a_bare_one_are_told_apart() {
    let fixture = Fixture::new();
    fixture.git("", &["init", "-q", "--bare", "b.git"]);
    assert_eq!(discover(&fixture.root).unwrap(), RepoLocation::NoRepository);
    let bare = fixture.root.join("b.git");
    assert_eq!(discover(&bare.join("refs")).unwrap(), RepoLocation::Bare(bare));
}

#[test]
fn linked_worktrees_know_each_other() {
    let fixture = Fixture::new();
    fixture.git("r", &["worktree", "add", "-q", "-b", "side", "../w"]);
    fixture.git("r", &["worktree", "add", "-q", "-b", "gone", "../gone"]);
    fs::remove_dir_all(fixture.root.join("gone")).unwrap();
    let linked = fixture.layout("w");
    assert_eq!(linked.kind, WorktreeKind::Linked);
    assert_eq!(linked.git_dir, fixture.root.join("r/.git/worktrees/w"));
    assert_eq!(linked.common_dir, fixture.root.join("r/.git"));
    let all = vec![fixture.layout("r"), linked.clone()];
    assert_eq!(linked.worktrees().unwrap(), all);
    assert_eq!(fixture.layout("r").worktrees().unwrap(), all);
    assert_eq!(fixture.repo("w").head(&call()).unwrap().branch.as_deref(), Some("side"));
}

#[test]
fn worktrees_of_a_bare_repository_work() {
    let fixture = Fixture::new();
    fixture.git("", &["clone", "-q", "--bare", "r", "b.git"]);
    fixture.git("b.git", &["worktree", "add", "-q", "../w", "main"]);
    let layout = fixture.layout("w");
    assert_eq!(layout.kind, WorktreeKind::Linked);
    assert_eq!(layout.worktrees().unwrap(), [layout]);
    let repo = fixture.repo("w");
    let head = repo.head(&call()).unwrap().commit.unwrap();
    assert_eq!(repo.tree(&call(), &head).unwrap().items.len(), 1);
}

#[test]
fn a_submodule_is_its_own_place() {
    let fixture = Fixture::new();
    fixture.git("", &["init", "-q", "-b", "main", "s"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../r", "lib/r"];
    fixture.git("s", &add);
    let layout = fixture.layout("s/lib/r");
    assert_eq!(
        (layout.kind, &layout.root),
        (WorktreeKind::Submodule, &fixture.root.join("s/lib/r"))
    );
    assert_eq!(layout.git_dir, fixture.root.join("s/.git/modules/lib/r"));
    assert_eq!(layout.worktrees().unwrap(), [layout]);
    let submodules = fixture.repo("s").submodules(&call()).unwrap();
    assert_eq!(submodules.items, ["lib/r".parse().unwrap()]);
    assert_eq!(fixture.repo("s/lib/r").branches(&call()).unwrap().len(), 1);
    fixture.git("s/lib/r", &["worktree", "add", "-q", "-b", "side", "../../../w"]);
    let all = fixture.layout("w").worktrees().unwrap();
    assert_eq!(all, [fixture.layout("s/lib/r"), fixture.layout("w")]);
}

#[test]
fn hooks_are_where_git_says() {
    let fixture = Fixture::new();
    let hooks = |folder: &str| fixture.repo(folder).hooks_dir(&call()).unwrap();
    let own = HooksDir::Inside(fixture.root.join("r/.git/hooks"));
    assert_eq!(hooks("r"), own);
    fixture.git("r", &["worktree", "add", "-q", "-b", "side", "../w"]);
    assert_eq!(hooks("w"), own);
    fixture.git("r", &["config", "core.hooksPath", ".husky/_"]);
    assert_eq!(hooks("r"), HooksDir::Inside(fixture.root.join("r/.husky/_")));
    fixture.git("r", &["config", "core.hooksPath", "../shared"]);
    assert_eq!(hooks("r"), HooksDir::Outside(fixture.root.join("r/../shared")));
    fixture.git("r", &["config", "core.hooksPath", "~/hooks"]);
    assert_eq!(hooks("r"), HooksDir::Outside(fixture.root.join("home/hooks")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&fixture.root, fixture.root.join("r/out")).unwrap();
        fixture.git("r", &["config", "core.hooksPath", "out/hooks"]);
        assert_eq!(hooks("r"), HooksDir::Outside(fixture.root.join("r/out/hooks")));
    }
}

#[test]
fn another_worktree_setting_does_not_lead_us_away() {
    let fixture = Fixture::new();
    fixture.write("elsewhere", ".gitignore", b"a.txt\n");
    fixture.git("r", &["config", "core.worktree", "../../elsewhere"]);
    let repo = fixture.repo("r");
    assert_eq!(repo.tracked(&call()).unwrap().items.len(), 1);
}

#[test]
fn this_git_is_new_enough() {
    let fixture = Fixture::empty();
    version(&fixture.host(), &call()).unwrap().check().unwrap();
}

#[test]
fn a_git_that_is_not_there_is_told() {
    let fixture = Fixture::new();
    let mut host = fixture.host();
    host.program = fixture.root.join("no/git");
    let repo = Repo::open(host, fixture.layout("r")).unwrap();
    let problem = repo.branches(&call()).unwrap_err();
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ProblemCode::Unavailable, "git was not found")
    );
}
