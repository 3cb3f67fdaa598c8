//! `code references --access`: who reads, writes, calls and constructs a symbol.

use base::ProblemCode;
use serde_json::json;
use testkit::TestRepo;

const SHOP: &str = "
//- src/session.ts
export class Session {
  token: string | null = null;

  close() {
    this.token = null;
  }
}

export class Ticket {
  token = 0;
}
//- src/use.ts
import { Session, Ticket } from './session';

export function login(session: Session, ticket: Ticket, other: any) {
  session.token = 'a';
  ticket.token = 1;
  other.token += 1;
  if (session.token) {
    return new Session();
  }
}
//- src/far.ts
export function Session() {}
Session();
//- test/session.test.ts
import { Session } from '../src/session';

test('closes', () => {
  const session = new Session();
  expect(session.token).toBe(null);
});
";

fn places(repo: &TestRepo, target: &str, access: &str) -> Vec<String> {
    let answer = repo.data("code.references", json!({"target": target, "access": access}));
    let places = answer["accesses"]["places"].as_array().unwrap().iter();
    let shown = places.map(|place| {
        let text = |key: &str| place[key].as_str().unwrap().to_owned();
        format!("{} {}:{} {}", text("access"), text("path"), place["line"], text("evidence"))
    });
    shown.collect()
}

#[test]
fn a_field_is_found_by_the_type_of_its_receiver() {
    let repo = TestRepo::new(SHOP);
    let found = places(&repo, "src/session.ts#Session.token", "read,write");
    assert_eq!(
        found,
        [
            "write src/session.ts:5 type",
            "write src/use.ts:4 type",
            "write src/use.ts:6 name",
            "read src/use.ts:7 type",
            "read test/session.test.ts:5 type",
        ]
    );
}

#[test]
fn mentions_that_mean_something_else_are_counted() {
    let repo = TestRepo::new(SHOP);
    let asked = json!({"target": "src/session.ts#Session.token", "access": ["write"]});
    let answer = repo.data("code.references", asked);
    assert_eq!(answer["accesses"]["others"], 1, "{answer:#}");
    assert_eq!(answer["accesses"]["counts"], json!({"write": 3}));
}

#[test]
fn a_class_is_constructed_where_it_is_imported() {
    let repo = TestRepo::new(SHOP);
    let found = places(&repo, "src/session.ts#Session", "construct,type");
    assert_eq!(
        found,
        [
            "construct src/use.ts:8 scope",
            "type src/use.ts:3 scope",
            "construct test/session.test.ts:4 scope",
        ]
    );
}

#[test]
fn a_property_without_a_declaration_is_found_by_name() {
    let repo = TestRepo::new(
        "
//- lib/route.js
function route(socket) {
  socket._meta = { a: 1 };
}
//- lib/reply.js
function hijack(socket) {
  socket._meta = null;
  return socket._meta;
}
",
    );
    let found = places(&repo, "lib/route.js#_meta", "write,read");
    assert_eq!(
        found,
        ["write lib/reply.js:2 name", "write lib/route.js:2 name", "read lib/reply.js:3 name",]
    );
}

#[test]
fn a_member_is_found_by_its_key_and_by_a_text() {
    let repo = TestRepo::new(
        "//- src/reply.js
const kSent = Symbol('sent');
class Reply {
  state = 0;
  constructor() {
    this.state = 1;
    this[kSent] = false;
  }
  send(kept) {
    this['state'] = 2;
    this[kSent] = true;
    kept.kSent = 1;
    return this[kSent];
  }
}
module.exports = { Reply, kSent };
",
    );
    let keys = places(&repo, "src/reply.js#kSent", "read,write");
    let expected = [
        "write src/reply.js:6 scope",
        "write src/reply.js:10 scope",
        "read src/reply.js:12 scope",
        "read src/reply.js:15 scope",
    ];
    assert_eq!(keys, expected);
    let state = places(&repo, "src/reply.js#Reply.state", "write");
    assert_eq!(state, ["write src/reply.js:5 type", "write src/reply.js:9 type"]);
    let page = repo.text("code references 'src/reply.js#kSent' --access write");
    assert!(page.contains("2 of them as the key of a member"), "{page}");
}

#[test]
fn an_unknown_access_is_refused_with_the_known_ones() {
    let repo = TestRepo::new(SHOP);
    let asked = json!({"target": "src/session.ts#Session", "access": "touch"});
    assert_eq!(repo.code("code.references", asked), ProblemCode::ValidationError);
}
