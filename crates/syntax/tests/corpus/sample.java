package com.acme.auth;

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
record Point(int x) {

  /** Says what it is for. */
  // "deprecation" is what the one it takes the place of brings
  @SuppressWarnings("deprecation")
  int afterAComment(int value) {
    return value;
  }
}
