//! Symbol edits through the engine: what they write, what they refuse, and that nothing is lost.

use std::fs;

use base::{Hash, ProblemCode};
use serde_json::json;
use testkit::{TestRepo, check};

const SESSION: &str = "/** Keeps a user in. */
export class Session {
  /** Asks again. */
  refresh() {
    return ping();
  }

  close() {}
}

function ping() {
  return 1;
}

export const unused = 1;
";

fn repo() -> TestRepo {
    let user = "import { Session } from './session';\nnew Session().refresh();\n";
    let broken = "export function odd( {\n";
    TestRepo::new(&format!(
        "//- a/session.ts\n{SESSION}//- a/user.ts\n{user}//- a/broken.ts\n{broken}"
    ))
}

#[test]
fn a_symbol_is_replaced_and_the_change_undone() {
    let repo = repo();
    let args = json!({
        "target": "a/session.ts#Session.refresh",
        "content": "/** Asks. */\nrefresh() {\n  return 2;\n}",
    });
    let done = repo.data("code.replace", args);
    let now = repo.read("a/session.ts").unwrap();
    let wanted = "export class Session {\n  /** Asks. */\n  refresh() {\n    return 2;\n  }\n\n  close() {}\n}";
    assert!(now.contains(wanted), "{now}");
    assert_eq!(done["result"]["hash"], Hash::of(now.as_bytes()).to_string());
    repo.data("undo", json!({}));
    assert_eq!(repo.read("a/session.ts").unwrap(), SESSION);
}

#[test]
fn an_edit_says_what_it_did() {
    check(
        &repo(),
        "code insert_after a/session.ts#Session.close --content \"open() {}\" --dry-run",
        "
        Inserted after symbol:a/session.ts#Session.close
        @@ -6,6 +6,8 @@
           }

           close() {}
        +
        +  open() {}
         }

         function ping() {
        parsed: no new syntax errors; not formatted: no formatter is installed; not linted: nothing was written
        if_hash for the next edit: a85d3f1b754894b425f863936219debe6baeb62731dff7145fc92d4d69e41abf

        Dry run: nothing was written
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn what_is_named_is_not_deleted_unless_forced() {
    let repo = repo();
    let blocked = repo.call_op("code.delete", json!({"target": "a/session.ts#Session.refresh"}));
    let blocked = blocked.unwrap_err();
    assert_eq!(blocked.code, ProblemCode::Blocked);
    assert_eq!(blocked.details["mentions"], json!(["a/user.ts:2"]));
    assert_eq!(
        repo.code("code.delete", json!({"target": "a/session.ts#ping"})),
        ProblemCode::Blocked
    );
    repo.data("code.delete", json!({"target": "a/session.ts#unused"}));
    assert!(!repo.read("a/session.ts").unwrap().contains("unused"));
    repo.data("code.delete", json!({"target": "a/session.ts#ping", "force": true}));
    let left = &SESSION[..=SESSION.find("\n\nfunction").unwrap()];
    assert_eq!(repo.read("a/session.ts").unwrap(), left);
}

#[test]
fn what_cannot_be_done_is_refused_and_nothing_written() {
    let repo = repo();
    let before = repo.snapshot();
    let edit = |target: &str, content: &str| {
        repo.call_op("code.replace", json!({"target": target, "content": content})).unwrap_err()
    };
    let broken = edit("a/session.ts#ping", "function ping() {\n  return (;\n}");
    assert_eq!(broken.code, ProblemCode::SyntaxError);
    assert_eq!(broken.details["syntax_error"], json!(true));
    assert_eq!(broken.details["line"], json!(12));
    assert_eq!(edit("a/session.ts", "x").code, ProblemCode::ValidationError);
    assert_eq!(edit("a/session.ts#pong", "x").code, ProblemCode::NotFound);
    assert_eq!(edit("../other.ts#ping", "x").code, ProblemCode::OutsideRepository);
    let stale = json!({
        "target": "a/session.ts#ping",
        "content": "function ping() {}",
        "if_hash": Hash::of(b"another").to_string(),
    });
    assert_eq!(repo.code("code.replace", stale), ProblemCode::Conflict);
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn links_and_read_only_files_are_left_alone() {
    let repo = repo();
    let file = repo.root().join("a/session.ts");
    let mut known = fs::metadata(&file).unwrap().permissions();
    known.set_readonly(true);
    fs::set_permissions(&file, known).unwrap();
    let args = json!({"target": "a/session.ts#ping", "content": "function ping() {}"});
    let refused = repo.call_op("code.replace", args).unwrap_err();
    assert_eq!(refused.code, ProblemCode::InvalidOperation);
    assert_eq!(refused.message, "`a/session.ts` is read-only");
    std::os::unix::fs::symlink("user.ts", repo.root().join("a/link.ts")).unwrap();
    let args = json!({"target": "a/link.ts#x", "content": "let x = 1"});
    assert_eq!(repo.code("code.replace", args), ProblemCode::NotFound);
}

#[test]
fn the_older_names_edit_too() {
    let repo = repo();
    for (name, args) in [
        (
            "kart_insert_before",
            json!({"file": "a/session.ts", "symbol": "ping", "content": "let a = 1;"}),
        ),
        (
            "kart_insert_after",
            json!({"file": "a/session.ts", "symbol": "ping", "content": "let b = 1;"}),
        ),
        (
            "kart_replace",
            json!({"file": "a/session.ts", "symbol": "unused", "content": "let c = 1;"}),
        ),
    ] {
        repo.data(name, args);
    }
    let now = repo.read("a/session.ts").unwrap();
    assert!(
        now.ends_with(
            "let a = 1;\n\nfunction ping() {\n  return 1;\n}\n\nlet b = 1;\n\nlet c = 1;\n"
        ),
        "{now}"
    );
}

#[test]
fn another_worktree_and_what_links_lead_to_are_left_alone() {
    let repo = repo();
    let beside = repo.root().with_extension("beside");
    repo.git(&["worktree", "add", "-q", beside.to_str().unwrap()]);
    let edit = |path: &std::path::Path| {
        let target = format!("{}#ping", path.display());
        repo.call_op("code.replace", json!({"target": target, "content": "function ping() {}"}))
    };
    assert_eq!(edit(&beside.join("a/session.ts")).unwrap_err().code, ProblemCode::WrongWorktree);
    let link = repo.root().join("a/away.ts");
    std::os::unix::fs::symlink(beside.join("a/session.ts"), &link).unwrap();
    assert!(edit(&link).is_err());
    assert!(edit(std::path::Path::new("/etc/passwd")).is_err());
    assert_eq!(fs::read_to_string(beside.join("a/session.ts")).unwrap(), SESSION);
    repo.git(&["worktree", "remove", "--force", beside.to_str().unwrap()]);
}
