//! `code move`: symbols and files at another place, with their imports, or nothing.

use base::ProblemCode;
use serde_json::json;
use testkit::TestRepo;

const SHOP: &str = "
//- src/pay/gate.ts
import { log } from '../log';
import { format } from '../text';

/** Charges once. */
export function charge(amount: number): string {
  log('charge');
  return format(amount);
}

export function refund(amount: number): string {
  log('refund');
  return charge(-amount);
}

function secret() {}

export function open() {
  secret();
}
//- src/log.ts
export function log(text: string) {}
//- src/text.ts
export function format(amount: number): string { return ''; }
//- src/app.ts
import { charge, refund as giveBack } from './pay/gate';

charge(1);
giveBack(2);
//- src/index.ts
export { charge } from './pay/gate';
//- src/all.ts
export * as gate from './pay/gate';
";

fn read(repo: &TestRepo, path: &str) -> String {
    repo.read(path).unwrap_or_default()
}

#[test]
fn a_file_moves_with_its_imports_and_undo_brings_it_back() {
    let repo = TestRepo::new(SHOP);
    let before = read(&repo, "src/app.ts");
    let moved =
        repo.data("code.move", json!({"target": "src/pay/gate.ts", "to": "src/gateway.ts"}));
    assert_eq!(moved["result"]["importers"], json!(["src/all.ts", "src/app.ts", "src/index.ts"]));
    assert!(read(&repo, "src/gateway.ts").starts_with("import { log } from './log';\n"));
    assert!(read(&repo, "src/app.ts").contains("giveBack } from './gateway';"));
    assert!(read(&repo, "src/index.ts").contains("from './gateway'"));
    assert!(!repo.root().join("src/pay/gate.ts").exists());
    repo.data("undo", json!({}));
    assert_eq!(read(&repo, "src/app.ts"), before);
    assert!(repo.root().join("src/pay/gate.ts").exists());
    assert!(!repo.root().join("src/gateway.ts").exists());
}

#[test]
fn a_symbol_moves_to_a_new_file_and_is_imported_from_there() {
    let repo = TestRepo::new(SHOP);
    repo.write("src/all.ts", "");
    repo.data("code.move", json!({"target": "src/pay/gate.ts#charge", "to": "src/charge.ts"}));
    assert_eq!(
        read(&repo, "src/charge.ts"),
        "import { log } from './log';\nimport { format } from './text';\n\n/** Charges once. */\n\
         export function charge(amount: number): string {\n  log('charge');\n  return format(amount);\n}\n"
    );
    let source = read(&repo, "src/pay/gate.ts");
    assert!(
        source.starts_with("import { log } from '../log';\nimport { charge } from '../charge';\n")
    );
    assert!(!source.contains("format"), "{source}");
    let app = read(&repo, "src/app.ts");
    assert!(app.contains("import { refund as giveBack } from './pay/gate';"), "{app}");
    assert!(app.contains("import { charge } from './charge';"), "{app}");
    assert_eq!(read(&repo, "src/index.ts"), "export { charge } from './charge';\n");
}

#[test]
fn a_name_that_has_its_own_line_in_an_import_takes_the_line_with_it() {
    let repo = TestRepo::new(SHOP);
    let names = "import {\n  charge,\n  refund as giveBack,\n} from './pay/gate';\n";
    repo.write("src/app.ts", format!("{names}\ncharge(1);\ngiveBack(2);\n"));
    repo.write("src/all.ts", "");
    repo.data("code.move", json!({"target": "src/pay/gate.ts#charge", "to": "src/charge.ts"}));
    let app = read(&repo, "src/app.ts");
    assert!(app.contains("import {\n  refund as giveBack,\n} from './pay/gate';\n"), "{app}");
}

#[test]
fn a_symbol_that_would_lose_something_stays() {
    let repo = TestRepo::new(SHOP);
    let code = |target: &str, to: &str| repo.code("code.move", json!({"target": target, "to": to}));
    // The symbol uses something that its file does not export.
    assert_eq!(code("src/pay/gate.ts#open", "src/open.ts"), ProblemCode::Blocked);
    // The two files would import each other.
    repo.write("src/pay/gate.ts", "export const a = 1;\nexport function b() { return a; }\nb();\n");
    assert_eq!(code("src/pay/gate.ts#b", "src/b.ts"), ProblemCode::Blocked);
    assert_eq!(code("src/pay/gate.ts", "src/app.ts"), ProblemCode::Conflict);
    assert_eq!(code("src/pay/gate.ts", "src/app.py"), ProblemCode::ValidationError);
    assert_eq!(code("src/pay/gate.ts", "../out.ts"), ProblemCode::OutsideRepository);
}

#[test]
fn python_modules_move_within_their_package() {
    let repo = TestRepo::new(
        "
//- shop/__init__.py
//- shop/pay/__init__.py
//- shop/pay/gate.py
import os
from ..text import format


def charge(amount):
    return format(os.sep, amount)
//- shop/text.py
def format(a, b):
    return a
//- shop/app.py
from shop.pay.gate import charge
from .pay.gate import charge as pay

charge(1)
pay(2)
",
    );
    repo.data("code.move", json!({"target": "shop/pay/gate.py", "to": "shop/gateway.py"}));
    assert!(read(&repo, "shop/gateway.py").contains("from .text import format"));
    let app = read(&repo, "shop/app.py");
    assert!(
        app.starts_with("from shop.gateway import charge\nfrom .gateway import charge as pay\n")
    );
    repo.write("shop/app.py", "from shop.gateway import charge\n\ncharge(1)\n");
    repo.data("code.move", json!({"target": "shop/gateway.py#charge", "to": "shop/text.py"}));
    let text = read(&repo, "shop/text.py");
    assert!(text.starts_with("import os\n") && text.contains("def charge(amount):"), "{text}");
    assert_eq!(read(&repo, "shop/app.py"), "from .text import charge\n\ncharge(1)\n");
}

#[test]
fn a_module_used_by_its_own_name_is_refused_with_the_place() {
    let repo = TestRepo::new(
        "
//- shop/pay.py
def charge():
    pass
//- app.py
import shop.pay

shop.pay.charge()
",
    );
    let asked = json!({"target": "shop/pay.py", "to": "shop/gate.py"});
    assert_eq!(repo.code("code.move", asked), ProblemCode::Blocked);
    assert!(repo.root().join("shop/pay.py").exists());
}

#[test]
fn a_go_file_moves_inside_its_package_only() {
    let repo = TestRepo::new("//- go.mod\nmodule shop\n//- pay/a.go\npackage pay\n\nfunc A() {}\n");
    let asked = |to: &str| json!({"target": "pay/a.go", "to": to});
    assert_eq!(repo.code("code.move", asked("net/a.go")), ProblemCode::Blocked);
    repo.data("code.move", asked("pay/b.go"));
    assert!(read(&repo, "pay/b.go").contains("func A()"));
}

const CRATE: &str = "
//- Cargo.toml
[package]
name = \"shop\"
version = \"0.1.0\"
//- src/lib.rs
mod money;
pub mod pay;
mod text;
//- src/pay.rs
use std::fmt::Write;

use crate::text::pad;

/// What the shop charges.
pub struct Charge {
    pub cents: u32,
}

impl Charge {
    /// The amount as text.
    pub fn label(&self) -> String {
      let mut out = String::new();
      write!(out, \"{}\", pad(self.cents)).ok();
      out
    }
}

pub fn take(charge: &Charge) -> bool {
    charge.cents > limit()
}

fn limit() -> u32 {
    1
}
//- src/money.rs
pub fn zero() -> u32 {
    0
}

#[cfg(test)]
mod tests {}
//- src/text.rs
use crate::pay::Charge;

pub fn pad(cents: u32) -> String {
    format!(\"{cents:5}\")
}

pub fn show(charge: &Charge) -> String {
    charge.label()
}
";

#[test]
fn an_item_of_a_crate_moves_with_its_impl_blocks() {
    let repo = TestRepo::new(CRATE);
    repo.data("code.move", json!({"target": "src/pay.rs#Charge", "to": "src/money.rs"}));
    assert_eq!(
        read(&repo, "src/money.rs"),
        "use crate::text::pad;\nuse std::fmt::Write;\n\npub fn zero() -> u32 {\n    0\n}\n\n\
         /// What the shop charges.\npub struct Charge {\n    pub cents: u32,\n}\n\nimpl Charge {\n    \
         /// The amount as text.\n    pub fn label(&self) -> String {\n      \
         let mut out = String::new();\n      write!(out, \"{}\", pad(self.cents)).ok();\n      \
         out\n    }\n}\n\n#[cfg(test)]\nmod tests {}\n"
    );
    let text = read(&repo, "src/text.rs");
    assert!(text.starts_with("use crate::money::Charge;\n"), "{text}");
    let pay = read(&repo, "src/pay.rs");
    assert!(
        pay.contains("use crate::money::Charge;\n") && !pay.contains("use crate::text::pad"),
        "{pay}"
    );
}

#[test]
fn an_item_that_paths_name_stays_reachable_where_it_was() {
    let repo = TestRepo::new(CRATE);
    repo.write(
        "src/text.rs",
        "pub fn pad(cents: u32) -> String {\n    crate::pay::take;\n    todo!()\n}\n",
    );
    let asked = json!({"target": "src/pay.rs#take", "to": "src/money.rs"});
    assert_eq!(repo.code("code.move", asked), ProblemCode::Blocked, "it uses a private function");
    repo.write("src/pay.rs", "pub fn take() -> bool {\n    true\n}\n");
    repo.data("code.move", json!({"target": "src/pay.rs#take", "to": "src/money.rs"}));
    assert_eq!(read(&repo, "src/pay.rs").trim(), "pub use crate::money::take;");
    assert!(read(&repo, "src/text.rs").contains("crate::pay::take"));
    let asked = json!({"target": "src/money.rs#zero", "to": "src/new.rs"});
    assert_eq!(repo.code("code.move", asked), ProblemCode::Blocked, "the module is not declared");
}
