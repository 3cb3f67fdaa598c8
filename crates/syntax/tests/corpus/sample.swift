import Foundation

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
    func remarked() -> Int {
//        print("off")
        return 2
    }
}
protocol Store { func call(x: Int) -> User; var id: String { get } }
struct Point { var x: Int }
enum Color { case red, green }
extension Session: Closeable { func close() {} }
fileprivate func helper() -> Int { return 1 }
typealias Id = String
