//! Tests of the facts of Kotlin files.

use crate::Language::Kotlin;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"package com.acme.auth

import com.acme.Base
import com.acme.util.*
import com.acme.log as journal

/**
 * A session.
 * @see spec::auth/session
 */
@Service
class Session(private val repo: Repo, n: Int) : Base(n), Store, Closeable {
    /** Name. */
    val name: String = "x"
    private var count = 0

    /** Opens. */
    override suspend fun open(name: String, n: Int = 0): List<User> {
        val user: User = repo.find(name)
        user.save()
        users.forEach { u -> u.run(helper(1)) }
        this.close()
        return Made(name).list()
    }
    companion object { const val LIMIT = 10 }
    @Test fun works() {}
}
interface Inner {
    fun call()
}
enum class Color { RED, GREEN }
typealias Id = String
object Single {
    fun go() {}
}
internal fun helper(x: Int) = journal("@see spec::in/string")
"##;

#[test]
fn declarations() {
    check(
        Kotlin,
        TEXT,
        r##"
        in com.acme.auth
        class Session pub exported @Service :12 `class Session(private val repo: Repo, n: Int) : Base(n), Store, Closeable` "A session.\n@see spec::auth/session"
        property Session.repo :12 `private val repo: Repo`
        property Session.name pub exported :14 `val name: String = "x"` "Name."
        property Session.count :15 `private var count = 0`
        method Session.open pub exported async :18 `override suspend fun open(name: String, n: Int = 0): List<User>` "Opens."
        function Session.open.<lambda1> :21 `{ u -> u.run(helper(1)) }`
        constant Session.LIMIT pub exported :25 `const val LIMIT = 10`
        method Session.works pub exported test @Test :26 `fun works()`
        interface Inner pub exported :28 `interface Inner`
        method Inner.call pub exported abstract :29 `fun call()`
        enum Color pub exported :31 `enum class Color`
        variant Color.RED pub exported :31 `RED`
        variant Color.GREEN pub exported :31 `GREEN`
        type Id pub exported :32 `typealias Id = String`
        class Single pub exported :33 `object Single`
        method Single.go pub exported :34 `fun go()`
        function helper internal exported :36 `internal fun helper(x: Int)`
        import com.acme Base
        import com.acme.util *
        import com.acme log=journal
        Session extends Base
        Session implements Store
        Session implements Closeable
        see spec::auth/session on Session :9
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Kotlin,
        TEXT,
        r##"
        param Session.open#0 name: String
        param Session.open#1 n: Int
        param Session.open.<lambda1>#0 u
        param helper#0 x: Int
        Session.open: #0 ~repo.find(%name)
        Session.open: user:User = #0
        Session.open: #1 user:User.save()
        Session.open.<lambda1>: #2 ~helper()
        Session.open.<lambda1>: #3 %u.run(#2)
        Session.open: #4 ~users.forEach(&Session.open.<lambda1>)
        Session.open: #5 this.close()
        Session.open: #6 ~Made(%name)
        Session.open: #7 #6.list()
        Session.open: return #7
        helper: #8 ~journal("@see spec::in/string")
        "##,
    );
}

#[test]
fn an_annotation_that_reads_as_an_expression_belongs_to_what_follows() {
    let text = "/** Says. */\n@Throws(A::class)\ninternal fun a() {}\n\n/** Too. */\n@Throws(A::class)\ninternal fun b() {}\n";
    let facts = crate::extract(Some(Kotlin), text.as_bytes());
    for (symbol, start) in facts.symbols.iter().zip([0, 52]) {
        assert_eq!(symbol.decorators[0].name, "Throws", "{}", symbol.name);
        assert_eq!(symbol.span.start, start, "{}", symbol.name);
    }
}
