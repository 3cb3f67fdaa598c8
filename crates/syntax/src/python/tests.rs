//! Tests of the facts of Python files.

use crate::Language::Python;
use crate::outline::{check, check_flow};

#[test]
fn definitions_with_their_docs() {
    check(
        Python,
        r#"#!/usr/bin/env python
"""Sessions of users.

@see spec::auth/session
"""
from __future__ import annotations
import os, a.b as c
from . import sibling
from ..pkg.mod import x as y, z
from lib import *

LIMIT: int = 10
_private = "@see spec::in/string"

@dec(1)
class User(Base, metaclass=Meta):
    """A user.

    @see spec::auth/user
    """
    count: int = 0

    def __init__(self, name: str, *args, key=None, **kw):
        self.name = name

    @property
    def age(self) -> int: return 1

    @staticmethod
    async def make(x): ...

    def _hidden(self): pass

def load(
    path,  # where
    *, force: bool = False,
) -> Optional[User]:
    """Loads. Implements REQ-001."""
    # @see spec::not/a-docstring
    import json
    def inner(): pass
    return lambda v: v

def test_load(): pass
"#,
        r#"
        module "Sessions of users.\n\n@see spec::auth/session"
        constant LIMIT pub exported :12 `LIMIT: int = 10`
        variable _private :13 `_private = "@see spec::in/string"`
        class User pub exported @dec :16 `class User(Base, metaclass=Meta)` "A user.\n\n@see spec::auth/user"
        field User.count pub exported :21 `count: int = 0`
        constructor User.__init__ pub exported :23 `def __init__(self, name: str, *args, key=None, **kw)`
        getter User.age pub exported @property :27 `def age(self) -> int`
        method User.make pub exported async static @staticmethod :30 `async def make(x)`
        method User._hidden :32 `def _hidden(self)`
        function load pub exported :34 `def load(path, *, force: bool = False) -> Optional[User]` "Loads. Implements REQ-001."
        function load.inner pub :41 `def inner()`
        function load.<lambda1> :42 `lambda v: v`
        function test_load pub exported test :44 `def test_load()`
        from __future__ annotations
        import os
        import a.b *=c
        from . sibling
        from ..pkg.mod x=y z
        from lib *
        import json in load
        User extends Base
        see spec::auth/session on module :4
        see spec::auth/user on User :19
        implements REQ-001 on load :38
        "#,
    );
    check(
        Python,
        "__all__ = ['a']\nfrom m import a\ndef b(): pass\nclass C: pass\n__all__ += ['C']",
        r#"
        variable __all__ pub :1 `__all__ = ['a']`
        function b pub :3 `def b()`
        class C pub exported :4 `class C`
        from m a
        export all a
        export all C is C
        "#,
    );
}

#[test]
fn values_flow_to_calls() {
    check_flow(
        Python,
        r#"
import mod
from ext import key

def f(a, b=g, *rest, c, **kw):
    a()
    global total
    total = a
    return rest[0]

d = {"a": f, 1: mod.g}
d["a"] = key
d[key]()
first, (second, *tail) = f, [g, f]
for k, v in d.items():
    v(k)
if d:
    d = f
    d()
elif x: pass
else:
    d = lambda q=f: q()
with open(p) as fh, lock:
    fh.read()
try:
    f(1, c=2, *tail, **d)
except (ValueError, mod.Error) as e:
    e.show()
names = [n() for n in [f, g] if n]
pick = f if d else g or first
a = b = pick
getattr(a, "run")()
m = importlib.import_module("plugins")
m.go()
def gen():
    yield f
    yield from gen()
print(f"{pick()} {a!r}")
"#,
        r#"
        param f#0 a
        param f#1 b = ~g
        param f#2 ...rest
        param f#3 *,c
        param f#4 **kw
        param <lambda1>#0 q = f
        f: #0 %a()
        f: total = %a
        f: return %rest[0]
        module: f = &f
        module: d = {"a": f, 1: ^mod.g}
        module: d["a"] = ^key
        module: #1 d[^key]()
        module: _23 = {f, {~g, f}}
        module: first = _23[0]
        module: _24 = _23[1]
        module: second = _24[0]
        module: tail = {..._24}
        module: #2 d.items()
        module?: _25 = each #2
        module?: k = _25[0]
        module?: v = _25[1]
        module?: #3 v(k)
        module?: d = f
        module?: #4 d()
        <lambda1>: #5 %q()
        <lambda1>: return #5
        module?: d = &<lambda1>
        module: #6 ~open(~p)
        module: #7 #6.__enter__()
        module: fh = (#7 | each #6)
        module: #8 ~lock.__enter__()
        module: #9 fh.read()
        module: #10 f(1, c=2, ...tail, **=...d)
        module?: #11 e.show()
        module?: n = each {f, ~g}
        module?: #12 n()
        module: names = {?: #12}
        module: pick = (f | (~g | first))
        module: b = pick
        module: a = pick
        module: #13 a.run()
        module: m = ^plugins
        module: #14 m.go()
        gen: yield f
        gen: #15 gen()
        gen: yield* #15
        module: gen = &gen
        module: #16 pick()
        module: #17 ~print()
        "#,
    );
}

#[test]
fn classes_and_their_values() {
    check_flow(
        Python,
        r#"
class A(B, mod.C):
    x = f
    y = x
    def __init__(self, repo: Repo):
        super().__init__()
        self.repo = repo
        self.cb: Callback = self.run
    def run(self):
        self.repo.find()
        x()
        return A.make()
    @classmethod
    def make(cls): return cls()
    @wrap
    @log("x")
    def slow(self): pass
A(1).run()
"#,
        r#"
        param A.__init__#0 self
        param A.__init__#1 repo: Repo
        param A.run#0 self
        param A.make#0 cls
        param A.slow#0 self
        A: &A.x = ~f
        A: &A.y = &A.x
        A.__init__: #0 super.__init__()
        A.__init__: %self.repo = %repo
        A.__init__: %self.cb = ?:Callback
        A.__init__: %self.cb = %self.run
        A: &A.__init__ = &A.__init__
        A.run: #1 %self.repo.find()
        A.run: #2 ~x()
        A.run: #3 A.make()
        A.run: return #3
        A: &A.run = &A.run
        A.make: #4 %cls()
        A.make: return #4
        A: &A.make = &A.make
        A: #5 ~log("x")
        A: #6 @#5(&A.slow)
        A: #7 @~wrap(#6)
        A: &A.slow = (&A.slow | #7)
        module: A = &A
        module: #8 A(1)
        module: #9 #8.run()
        "#,
    );
}

#[test]
fn a_name_is_what_its_function_says() {
    check_flow(
        Python,
        "def f(): pass\ndef g():\n    f()\n    f = 1\n    def h():\n        nonlocal f\n        f = g\n        f()\nf()\n",
        r#"
        module: f = &f
        g: #0 f()
        g: f = 1
        g.h: f = g
        g.h: #1 f()
        g: h = &g.h
        module: g = &g
        module: #2 f()
        "#,
    );
}

#[test]
fn broken_code_gives_what_can_be_read() {
    check(
        Python,
        "def ok(): pass\n\ndef broken(:\n    x = \n\nclass Fine:\n    def m(self): pass\n",
        r#"
        function ok pub exported :1 `def ok()`
        class Fine pub exported :6 `class Fine`
        method Fine.m pub exported :7 `def m(self)`
        error 3:1 cannot read `def broken(:`
        "#,
    );
    check(
        Python,
        "\u{feff}\"\"\"Doc.\r\n\r\nMore.\"\"\"\r\nif TYPE_CHECKING:\r\n    from a import T\r\ndef f() -> 'T': pass\r\n",
        r#"
        module "Doc.\n\nMore."
        function f pub exported :6 `def f() -> 'T'`
        from a type T
        "#,
    );
}
