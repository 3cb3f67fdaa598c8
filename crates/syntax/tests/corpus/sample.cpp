#include <vector>
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
