//! Tests of the facts of Go files.

use crate::Language::Go;
use crate::outline::{check, check_flow};

const TEXT: &str = r#"// Package auth keeps sessions.
// @see spec::auth/session
package auth

import (
	"fmt"
	str "strings"
	_ "embed"
)

// Session is one.
//
// @see spec::auth/login
type Session struct {
	// Name says who
	Name, nick string
	*Base
	mu sync.Mutex
}

type (
	// Store keeps.
	Store interface { Reader; Get(key string) (*Session, error) }
	ID = string
)

// Limit is the most.
const Limit = 10
var a, b int

// Open opens.
func (s *Session) Open(ctx context.Context, n int) error {
	other := NewSession(n)
	other.Close()
	s.mu.Lock()
	f := func(x int) { fmt.Println(x) }
	f(1)
	for _, v := range s.all() { v.Run() }
	return &Error{Msg: str.Trim("x")}
}

func TestOpen(t *testing.T) {}
"#;

#[test]
fn declarations() {
    check(
        Go,
        TEXT,
        r##"
        module "Package auth keeps sessions.\n@see spec::auth/session"
        in auth
        struct Session pub exported :14 `type Session struct` "Session is one.\n\n@see spec::auth/login"
        field Session.Name pub exported :16 `Name, nick string` "Name says who"
        field Session.nick pub exported :16 `Name, nick string`
        field Session.mu package :18 `mu sync.Mutex`
        interface Store pub exported :23 `Store interface` "Store keeps."
        method Store.Get pub exported abstract :23 `Get(key string) (*Session, error)`
        type ID pub exported :24 `ID = string`
        constant Limit pub exported :28 `const Limit = 10` "Limit is the most."
        variable a package :29 `var a, b int`
        variable b package :29 `var a, b int`
        method Session.Open pub exported :32 `func (s *Session) Open(ctx context.Context, n int) error` "Open opens."
        function Session.Open.<func1> :36 `func(x int)`
        function TestOpen pub exported test :42 `func TestOpen(t *testing.T)`
        import fmt *
        import strings *=str
        import embed
        Session extends Base
        Store extends Reader
        see spec::auth/session on module :2
        see spec::auth/login on Session :13
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Go,
        TEXT,
        r##"
        param Store.Get#0 key: string
        param Session.Open#0 s: Session
        param Session.Open#0 ctx: context.Context
        param Session.Open#1 n: int
        param Session.Open.<func1>#0 x: int
        param TestOpen#0 t: testing.T
        Session.Open: #0 ~NewSession(%n)
        Session.Open: other = #0
        Session.Open: #1 other.Close()
        Session.Open: #2 %s.mu.Lock()
        Session.Open.<func1>: #3 ~fmt.Println(%x)
        Session.Open: f = &Session.Open.<func1>
        Session.Open: #4 f()
        Session.Open?: #5 %s.all()
        Session.Open?: v = each #5
        Session.Open?: #6 v.Run()
        Session.Open: #7 ~str.Trim("x")
        Session.Open: return ?:Error
        "##,
    );
}

#[test]
fn a_comment_at_the_end_of_a_line_is_about_that_line() {
    let text = "package a\n\nconst (\n\tA = 1 // one\n\tB = 2 // two\n)\n\ntype T struct {\n\ta int // first\n\tb int\n}\n";
    let facts = crate::extract(Some(Go), text.as_bytes());
    for name in ["B", "b"] {
        let symbol = facts.symbols.iter().find(|one| one.name == name).unwrap();
        assert_eq!(symbol.doc, None, "{name}");
    }
}
