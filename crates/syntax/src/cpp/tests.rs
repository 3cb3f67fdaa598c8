//! Tests of the facts of C++ files.

use crate::Language::Cpp;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"#include <vector>
using namespace std;
using acme::Base;

namespace acme::io {

/// A session.
/// @see spec::auth/session
template <typename T>
class Session : public Base, private Other<T> {
 public:
  explicit Session(int n) : n_(n) {}
  ~Session();
  virtual void open(const std::string& name, int flags = 0) const = 0;
  static Session* make() { return new Session(1); }
 private:
  int n_;
};

template <typename T>
void Session<T>::open(const std::string& name, int flags) {
  auto other = Session::make();
  other->open(name);
  this->close();
  std::vector<User> users;
  for (auto& u : users) u.run([&](int x) { helper(x); });
  acme::io::log<int>("x");
}

using Alias = std::vector<int>;
struct Plain { int a; void m(); };
}
"##;

#[test]
fn declarations() {
    check(
        Cpp,
        TEXT,
        r##"
        namespace acme.io pub exported :5 `namespace acme::io`
        class acme.io.Session pub exported :10 `template <typename T> class Session : public Base, private Other<T>` "A session.\n@see spec::auth/session"
        constructor acme.io.Session.Session pub exported :12 `explicit Session(int n) : n_(n)`
        method acme.io.Session.~Session pub exported :13 `~Session()`
        method acme.io.Session.open pub exported abstract :14 `virtual void open(const std::string& name, int flags = 0) const = 0`
        method acme.io.Session.make pub exported static :15 `static Session* make()`
        field acme.io.Session.n_ :17 `int n_`
        method acme.io.Session.open pub exported :21 `template <typename T> void Session<T>::open(const std::string& name, int flags)`
        function acme.io.Session.open.<lambda1> :26 `[&](int x)`
        type acme.io.Alias pub exported :30 `using Alias = std::vector<int>`
        struct acme.io.Plain pub exported :31 `struct Plain`
        field acme.io.Plain.a pub exported :31 `int a`
        method acme.io.Plain.m pub exported :31 `void m()`
        include vector
        use std *
        use acme Base
        acme.io.Session extends Base
        acme.io.Session extends Other<T>
        see spec::auth/session on acme.io.Session :8
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Cpp,
        TEXT,
        r##"
        param acme.io.Session.Session#0 n: int
        param acme.io.Session.open#0 name: std::string
        param acme.io.Session.open#1 flags: int
        param acme.io.Session.open#0 name: std::string
        param acme.io.Session.open#1 flags: int
        param acme.io.Session.open.<lambda1>#0 x: int
        acme.io.Session.make: #0 new ~Session()
        acme.io.Session.make: return #0
        acme.io.Session.open: #1 ~Session::make()
        acme.io.Session.open: other = #1
        acme.io.Session.open: #2 other.open(%name)
        acme.io.Session.open: #3 this.close()
        acme.io.Session.open: u = each users:std::vector<User>
        acme.io.Session.open.<lambda1>: #4 ~helper(%x)
        acme.io.Session.open: #5 u.run(&acme.io.Session.open.<lambda1>)
        acme.io.Session.open: #6 ~acme::io::log("x")
        "##,
    );
}
