package com.acme.auth

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

/** Says. */
@Throws(IOException::class)
internal fun annotated(path: Path): Int {
  return 1
}

@Throws(IOException::class)
internal fun another(path: Path): Int {
  return 2
}
