//! Tests of the facts of Swift files.

use crate::Language::Swift;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"import Foundation

/// A session.
/// - See: nothing
/// @see spec::auth/session
public final class Session: Base, Store {
    /// Name
    public let name: String = "x"
    private var repo: Repo
    var computed: Int { return helper() }

    init(repo: Repo) { self.repo = repo; super.init() }

    /// Opens.
    public static func open(_ name: String, with n: Int) async throws -> [User] {
        let user: User = repo.find(name)
        user.save()
        users.forEach { u in u.run(helper(1)) }
        self.close()
        return Made(name).list()
    }
    func testIt() {}
}
protocol Store { func call(x: Int) -> User; var id: String { get } }
struct Point { var x: Int }
enum Color { case red, green }
extension Session: Closeable { func close() {} }
fileprivate func helper() -> Int { return 1 }
typealias Id = String
"##;

#[test]
fn declarations() {
    check(
        Swift,
        TEXT,
        r##"
        class Session pub exported :6 `public final class Session: Base, Store` "A session.\n- See: nothing\n@see spec::auth/session"
        property Session.name pub exported :8 `public let name: String = "x"` "Name"
        property Session.repo :9 `private var repo: Repo`
        property Session.computed internal exported :10 `var computed: Int`
        constructor Session.init internal exported :12 `init(repo: Repo)`
        method Session.open pub exported async static :15 `public static func open(_ name: String, with n: Int) async throws -> [User]` "Opens."
        function Session.open.<closure1> :18 `{ u in u.run(helper(1)) }`
        method Session.testIt internal exported test :22 `func testIt()`
        interface Store internal exported :24 `protocol Store`
        method Store.call pub exported abstract :24 `func call(x: Int) -> User`
        property Store.id pub exported :24 `var id: String { get }`
        struct Point internal exported :25 `struct Point`
        property Point.x internal exported :25 `var x: Int`
        enum Color internal exported :26 `enum Color`
        variant Color.red pub exported :26 `case red, green`
        variant Color.green pub exported :26 `case red, green`
        impl extension Session internal exported :27 `extension Session: Closeable`
        method Session.close internal exported :27 `func close()`
        function helper :28 `fileprivate func helper() -> Int`
        type Id internal exported :29 `typealias Id = String`
        import Foundation *
        Session extends Base
        Session extends Store
        extension Session extends Closeable
        see spec::auth/session on Session :5
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Swift,
        TEXT,
        r##"
        param Session.init#0 repo: Repo
        param Session.open#0 name: String
        param Session.open#1 n: Int
        param Session.open.<closure1>#0 u
        param Store.call#0 x: Int
        Session.computed: #0 ~helper()
        Session.computed: return #0
        Session.init: this.repo = %repo
        Session.init: #1 super.init()
        Session.open: #2 ~repo.find(%name)
        Session.open: user:User = #2
        Session.open: #3 user:User.save()
        Session.open.<closure1>: #4 ~helper()
        Session.open.<closure1>: #5 %u.run(#4)
        Session.open: #6 ~users.forEach(&Session.open.<closure1>)
        Session.open: #7 this.close()
        Session.open: #8 ~Made(%name)
        Session.open: #9 #8.list()
        Session.open: return #9
        "##,
    );
}
