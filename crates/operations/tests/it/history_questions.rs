//! Questions to the history about people, hotspots, releases and single lines.

use testkit::{TestRepo, check};

/// Commits everything as somebody else.
fn commit_as(repo: &TestRepo, name: &str, message: &str) -> String {
    repo.git(&["add", "-A"]);
    let author = format!("{name} <{}@example.org>", name.to_lowercase());
    repo.git(&["commit", "-q", "--author", &author, "-m", message]);
    repo.git(&["rev-parse", "HEAD"])
}

fn short(commit: &str) -> &str {
    &commit[..12]
}

const START: &str = "
//- src/hot.ts
export const a = 1;
export const b = 2;
export const c = 3;
//- src/cold.ts
export const d = 4;
//- tests/hot.test.ts
import { a } from '../src/hot';
";

#[test]
fn hotspots_are_production_files_by_commits_and_size() {
    let repo = TestRepo::new(START);
    for n in 0..3 {
        repo.write("src/hot.ts", format!("export const a = {n};\n\n\n\n\n\n\n\n\n"));
        repo.write("tests/hot.test.ts", format!("// {n}\n"));
        repo.commit("change");
    }
    check(
        &repo,
        "history hotspots",
        "
        2 of 2 changed files account for 100 % of 5 changes
        src/hot.ts   4 commits  9 lines  just now
        src/cold.ts  1 commit   1 line   just now
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &repo,
        "history hotspots src --since 2100-01-01",
        "
        No file changed below src since 2100-01-01
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn owners_are_those_who_changed_most_of_it() {
    let repo = TestRepo::new(START);
    for n in 0..3 {
        repo.write("src/hot.ts", format!("export const a = {n};\n"));
        commit_as(&repo, "Grace", "change");
    }
    check(
        &repo,
        "history owners src",
        "
        Grace knows most of src: 60 % of its changes; bus factor 1, 2 authors in 4 commits
        Grace  60 %  3 commits  1 file   last just now
        Ada    40 %  1 commit   2 files  last just now
        1 of 2 files were only ever changed by one person; the busiest are listed by    cairn history hotspots src
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn notes_group_the_commits_of_a_release() {
    let repo = TestRepo::new(START);
    repo.git(&["tag", "v1"]);
    repo.write("a.md", "1\n");
    let fix = repo.commit("fix(parser): accept an empty file");
    repo.write("a.md", "2\n");
    let feature =
        repo.commit("feat!: read two files\n\nBREAKING CHANGE: one file is\nno longer enough");
    repo.write("a.md", "3\n");
    repo.commit("Tidy up");
    let page = "
        3 commits from v1 to HEAD: 1 breaking change, 1 fix, 1 other change

        Breaking changes
          read two files (one file is no longer enough)  Ada  commit:FEATURE

        Fixes
          parser: accept an empty file  Ada  commit:FIX

        Other changes
          Tidy up  Ada  commit:COMMIT
        basis: fresh · main @ COMMIT
        "
    .replace("FEATURE", short(&feature))
    .replace("FIX", short(&fix));
    check(&repo, "history notes", &page);
    let page = "
        1 commit from v1 to HEAD: 1 fix

        Fixes
          parser: accept an empty file  Ada  commit:FIX
        basis: fresh · main @ COMMIT
        ";
    check(&repo, "history notes v1 --type fix", &page.replace("FIX", short(&fix)));
    // A range as git writes it.
    check(&repo, "history notes v1..HEAD --type fix", &page.replace("FIX", short(&fix)));
}

#[test]
fn lines_are_explained_by_the_commits_that_made_them_through_renames() {
    let repo = TestRepo::new(START);
    let start = repo.git(&["rev-parse", "HEAD"]);
    repo.write("src/hot.ts", "export const a = 1;\nexport const b = 22;\nexport const c = 3;\n");
    let edit = repo.commit("widen b\n\nTwo digits are printed on the label.");
    repo.rename("src/hot.ts", "src/moved.ts");
    repo.commit("move");
    repo.write(
        "src/moved.ts",
        "// new\nexport const a = 1;\nexport const b = 22;\nexport const c = 3;\n",
    );
    let page = "
        src/moved.ts:3-3, in b: 2 commits made them
        3  export const b = 22;

        Commits
          changed just now by Ada: widen b    commit:EDIT
          > Two digits are printed on the label.
            (commit:EDIT)
          began just now by Ada: start    commit:START
        basis: fresh · main @ COMMIT + 1 edited file
        "
    .replace("EDIT", short(&edit))
    .replace("START", short(&start));
    check(&repo, "explain src/moved.ts:3-3", &page);
}
