// Package auth keeps sessions.
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

const (
	memory  = 32 << 20 // 32 MB
	escaped = "\\:"
	bits    = 6 // to represent an index
)

func inside() int {
	type local struct {
		a int // first
		b int
	}
	return local{a: 1}.a
}
