//! Texts of cards: the code that they name, templates, drafts, and how they changed.

use base::ProblemCode;
use serde_json::json;
use testkit::{TestRepo, check};

const CARDS: &str = "
//- .cairn/cards/auth/login.card.md
---
key: spec::auth/login
type: spec
summary: Login
status: accepted
---
See [the code](../../../src/login.ts#signIn), `src/login.ts#gone` and [the file](../../../src/login.ts).
//- .cairn/templates/spec.md
## Why

## How it is checked
//- src/login.ts
/** Signs a user in. Nothing else. */
export function signIn(): void {}
//- test/login.test.ts
import { signIn } from '../src/login';
function signsIn(): void { signIn(); }
";

#[test]
fn code_that_a_text_names_is_an_edge_and_dead_names_are_reported() {
    let repo = TestRepo::new(CARDS);
    let text = repo.text("impact src/login.ts#signIn --edges card.mentions");
    assert!(text.contains("spec::auth/login"), "{text}");
    let data = repo.data("verify", json!({"rules": ["card_mention_dead"]}));
    assert_eq!(
        data["findings"][0]["message"],
        "the text names src/login.ts#gone, which does not exist"
    );
    assert_eq!(data["findings"][0]["line"], 7);
    assert_eq!(data["findings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_new_card_starts_with_the_template_of_its_type() {
    let repo = TestRepo::new(CARDS);
    repo.data("card.create", json!({"key": "spec::pay", "summary": "Pay"}));
    let text = repo.read(".cairn/cards/pay.card.md").unwrap();
    assert!(text.ends_with("---\n\n## Why\n\n## How it is checked\n"), "{text}");
    repo.data("card.create", json!({"key": "spec::own", "summary": "Own", "body": "Mine."}));
    assert!(repo.read(".cairn/cards/own.card.md").unwrap().ends_with("---\n\nMine.\n"));
}

#[test]
fn a_card_says_how_it_changed() {
    let repo = TestRepo::new(CARDS);
    repo.data("card.update", json!({"key": "auth/login", "summary": "Sign in", "body": "Once."}));
    check(
        &repo,
        "card diff auth/login",
        "
        spec::auth/login: 1 field and its text changed since HEAD
          summary  Login → Sign in
        @@ -1 +1 @@
        -See [the code](../../../src/login.ts#signIn), `src/login.ts#gone` and [the file](../../../src/login.ts).
        +Once.
        basis: fresh · main @ COMMIT + 1 edited file
        ",
    );
    repo.commit("sign in");
    assert!(
        repo.text("card diff auth/login").starts_with("spec::auth/login is unchanged since HEAD")
    );
    assert!(repo.text("card diff auth/login --since HEAD~1").contains("Login → Sign in"));
    assert_eq!(
        repo.code("card.diff", json!({"key": "auth/login", "since": "nowhere"})),
        ProblemCode::NotFound
    );
}

#[test]
fn a_draft_is_found_and_never_accepted_by_itself() {
    let repo = TestRepo::new(CARDS);
    repo.data("card.draft", json!({"path": "src/login.ts"}));
    let text = repo.read(".cairn/cards/login.card.md").unwrap();
    assert!(text.contains("status: draft\nunreviewed: true\n"), "{text}");
    assert!(text.contains("- `signIn`: Signs a user in\n"), "{text}");
    assert!(text.contains("- symbol:test/login.test.ts#signsIn\n"), "{text}");
    let accept = json!({"key": "spec::login", "status": "accepted"});
    assert_eq!(repo.code("card.status", accept.clone()), ProblemCode::InvalidOperation);
    repo.write(".cairn/cards/login.card.md", text.replace("status: draft", "status: accepted"));
    let found = repo.data("verify", json!({"rules": ["card_unreviewed"]}));
    assert_eq!(found["errors"], 1);
    repo.write(".cairn/cards/login.card.md", text);
    repo.data("card.update", json!({"key": "spec::login", "fields": {"unreviewed": null}}));
    repo.data("card.status", accept);
}

#[test]
fn two_cards_with_one_key_are_an_error_for_readers_too() {
    let repo = TestRepo::new(CARDS);
    let text = repo.read(".cairn/cards/auth/login.card.md").unwrap();
    repo.write(".cairn/cards/copy.card.md", text);
    for (name, args) in [
        ("card.show", json!({"key": "auth/login"})),
        ("card.diff", json!({"key": "spec::auth/login"})),
        ("card.coverage", json!({"key": "auth/login"})),
        ("card.relations", json!({"key": "auth/login"})),
    ] {
        assert_eq!(repo.code(name, args), ProblemCode::Ambiguous, "{name}");
    }
    repo.data("card.show", json!({"key": ".cairn/cards/copy.card.md"}));
}
