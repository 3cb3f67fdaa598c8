//! What Kotlin files say.

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
object Single { fun go() {} }
enum class Color { RED, GREEN }
typealias Id = String
internal fun helper(x: Int) = journal("@see spec::in/string")
"##;

#[test]
fn declarations() {
    check(
        Kotlin,
        TEXT,
        r##"
        in com.acme.auth
        property repo :12 `private val repo: Repo`
        property name pub exported :14 `val name: String = "x"` "Name."
        property count :15 `private var count = 0`
        function open pub exported async :18 `override suspend fun open(name: String, n: Int = 0): List<User>` "Opens."
        function open.<lambda1> :21 `{ u -> u.run(helper(1)) }`
        constant LIMIT pub exported :25 `const val LIMIT = 10`
        import com.acme Base
        import com.acme.util *
        import com.acme log=journal
        error 11:1 cannot read `@Service`
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Kotlin,
        TEXT,
        r##"
        param open#0 name: String
        param open#1 n: Int
        param open.<lambda1>#0 u
        open: #0 ~repo.find(%name)
        open: user:User = #0
        open: #1 user:User.save()
        open.<lambda1>: #2 ~helper()
        open.<lambda1>: #3 %u.run(#2)
        open: #4 ~users.forEach(&open.<lambda1>)
        open: #5 this.close()
        open: #6 ~Made(%name)
        open: #7 #6.list()
        open: return #7
        "##,
    );
}
