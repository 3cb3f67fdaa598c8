//! Python through pyright.

use serde_json::json;

use crate::place::Place;

const PACKAGE: &str = "//- pkg/__init__.py
//- pkg/a.py
class Base:
  def run(self, x: int):
    return x + 1


class Child(Base):
  def run(self, x: int):
    return 2


def go(b: Base):
    return b.run(1)
//- pkg/b.py
from pkg.a import Child, go


def main():
    return go(Child())
";

#[test]
fn pyright_answers() {
    let place = Place::new(PACKAGE, Some("v5"));
    let uses = place.places("code.references", "pkg/a.py#go");
    assert!(uses.contains(&"pkg/b.py:5:12 in symbol:pkg/b.py#main".to_owned()), "{uses:?}");
    assert_eq!(
        place.places("code.definition", "pkg/b.py:5:12"),
        ["pkg/a.py:11:5 in symbol:pkg/a.py#go"]
    );
    assert!(place.callers("pkg/a.py#Base.run").contains(&"symbol:pkg/a.py#go".to_owned()));
    place.repo.write("pkg/c.py", "from pkg.a import go\n\nx: str = go(3)\n");
    let uses = place.places("code.references", "pkg/a.py#go");
    assert!(uses.iter().any(|one| one.starts_with("pkg/c.py:3")), "{uses:?}");
    let found = place.data("code.diagnostics", json!({"paths": ["pkg/c.py"]}));
    assert!(found["errors"].as_u64().unwrap() >= 1, "{found}");
    let renamed = place.data("code.rename", json!({"target": "pkg/a.py#go", "new_name": "walk"}));
    assert_eq!(renamed["result"]["by"]["source"], "server");
    assert!(place.repo.read("pkg/b.py").unwrap().contains("walk(Child())"));
}
