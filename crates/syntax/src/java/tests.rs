//! Tests of the facts of Java files.

use crate::Language::Java;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"package com.acme.auth;

import java.util.List;
import java.util.*;
import static com.acme.Util.max;

/**
 * A session.
 * @see spec::auth/session
 * @see java.util.List
 */
@Service
public class Session extends Base<User> implements Store, AutoCloseable {
    /** Limit. */
    public static final int LIMIT = 10, OTHER = 2;
    private final Repo repo = new Repo("x");

    @Inject
    public Session(Repo repo) { super(repo); this.repo = repo; }

    /** Opens. @see spec::not/at-line-start */
    @Override
    public List<User> open(String name, int... rest) throws IOException {
        var users = repo.find(name);
        User first = users.get(0);
        first.save();
        for (User u : users) { u.run(() -> max(1)); }
        return users.stream().map(User::id).toList();
    }
    abstract void hidden();
    @Test void works() { String s = "@see spec::in/string"; }
    enum Color { RED, GREEN; int n() { return 1; } }
    interface Inner extends A, B { void call(); }
}
record Point(int x) {}
"##;

#[test]
fn declarations() {
    check(
        Java,
        TEXT,
        r##"
        in com.acme.auth
        class Session pub exported @Service :13 `public class Session extends Base<User> implements Store, AutoCloseable` "A session.\n@see spec::auth/session\n@see java.util.List"
        constant Session.LIMIT pub exported static :15 `LIMIT = 10` "Limit."
        constant Session.OTHER pub exported static :15 `OTHER = 2`
        field Session.repo :16 `private final Repo repo = new Repo("x")`
        constructor Session.Session pub exported @Inject :19 `public Session(Repo repo)`
        method Session.open pub exported @Override :23 `public List<User> open(String name, int... rest) throws IOException` "Opens. @see spec::not/at-line-start"
        function Session.open.<lambda1> :27 `()`
        method Session.hidden package abstract :30 `abstract void hidden()`
        method Session.works package test @Test :31 `void works()`
        enum Session.Color package :32 `enum Color`
        variant Session.Color.RED pub :32 `RED`
        variant Session.Color.GREEN pub :32 `GREEN`
        method Session.Color.n package :32 `int n()`
        interface Session.Inner package :33 `interface Inner extends A, B`
        method Session.Inner.call pub abstract :33 `void call()`
        class Point package :35 `record Point(int x)`
        import java.util List
        import java.util *
        import com.acme.Util max
        Session extends Base<User>
        Session implements Store
        Session implements AutoCloseable
        Session.Inner extends A
        Session.Inner extends B
        see spec::auth/session on Session :9
        see java.util.List on Session :10
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Java,
        TEXT,
        r##"
        param Session.Session#0 repo: Repo
        param Session.open#0 name: String
        param Session.open#1 ...rest: int
        param Point#0 x: int
        Session.repo: #0 new ~Repo("x")
        Session.Session: #1 new super(%repo)
        Session.Session: this.repo = %repo
        Session.open: #2 ~repo.find(%name)
        Session.open: users = #2
        Session.open: #3 users.get()
        Session.open: first:User = #3
        Session.open: #4 first:User.save()
        Session.open: u:User = each users
        Session.open.<lambda1>: #5 ~max()
        Session.open: #6 u:User.run(&Session.open.<lambda1>)
        Session.open: #7 users.stream()
        Session.open: #8 #7.map(~User.id)
        Session.open: #9 #8.toList()
        Session.open: return #9
        Session.works: s:String = "@see spec::in/string"
        "##,
    );
}
