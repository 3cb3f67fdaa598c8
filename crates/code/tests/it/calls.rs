//! Calls, language by language.

use code::SymbolRelation;

use crate::program::{Program, check_calls as check, check_of};

#[test]
fn python_values_reach_calls() {
    check(
        r#"//- main.py
from lib import apply, Base, make
import lib as l

def one(): pass
def two(): pass

table = {"a": one}
table["a"] = two
table["a"]()
apply(one)
l.helper()
make().run()

class Own(Base):
    def hook(self): one()

own = Own()
own.run()
own.hook()

def unused(x: Base, y):
    x.run()
    y.run()
//- lib.py
def helper(): pass
def apply(f): f()
class Base:
    def __init__(self): helper()
    def run(self): self.hook()
    def hook(self): pass
def make() -> "Base":
    return Base()
"#,
        "
        lib.py#Base.__init__ calls lib.py#helper
        lib.py#Base.run calls lib.py#Base.hook
        lib.py#apply calls? main.py#one
        lib.py#make calls lib.py#Base.__init__
        main.py# calls lib.py#Base.__init__
        main.py# calls lib.py#apply
        main.py# calls lib.py#helper
        main.py# calls lib.py#make
        main.py# calls main.py#Own
        main.py# calls? lib.py#Base.run
        main.py# calls? main.py#Own.hook
        main.py# calls? main.py#two
        main.py#Own.hook calls main.py#one
        main.py#unused calls lib.py#Base.run
        ",
    );
}

/// @see spec::code/calls
#[test]
fn typescript_receivers_and_barrels() {
    check(
        r#"//- src/index.ts
export * from "./gateway";
export { Shop as default } from "./shop";
//- src/gateway.ts
export interface Gateway { charge(n: number): void; }
export class Stripe implements Gateway {
  charge(n: number) { log(n); }
}
function log(n: number) {}
export const gateway = new Stripe();
//- src/shop.ts
import { Gateway } from "./index";
export class Shop {
  constructor(private readonly gateway: Gateway) {}
  sell() { this.gateway.charge(1); [1].forEach((n) => this.note(n)); }
  note(n: number) {}
}
//- src/main.ts
import Shop, { gateway, Stripe } from ".";
const shop = new Shop(gateway);
shop.sell();
gateway.charge(2);
function any(x) { x.charge(); }
"#,
        "
        src/gateway.ts#Stripe.charge calls src/gateway.ts#log
        src/main.ts# calls src/gateway.ts#Stripe.charge
        src/gateway.ts#gateway calls src/gateway.ts#Stripe
        src/main.ts#shop calls src/shop.ts#Shop.constructor
        src/main.ts# calls? src/shop.ts#Shop.sell
        src/shop.ts#Shop.sell calls src/gateway.ts#Gateway.charge
        src/shop.ts#Shop.sell calls? src/shop.ts#Shop.sell.<arrow1>
        src/shop.ts#Shop.sell.<arrow1> calls src/shop.ts#Shop.note
        ",
    );
}

/// @see spec::code/calls
#[test]
fn rust_paths_and_types() {
    check(
        r#"//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
mod store;
pub mod util;
pub use store::Store;
use crate::util::show;
pub fn open() -> Option<Store> {
    let store = Store::new();
    store.save();
    show(&store);
    util::deep::inner();
    Some(store)
}
pub fn run(store: &Store, other: &Unknown) {
    store.save();
    other.save();
    if let Some(found) = open() { found.find("x").unwrap().touch(); }
    let f = |s: &Store| s.save();
    f(store);
}
//- src/store.rs
use super::util::Keeper;
pub struct Store { inner: Inner }
pub struct Inner;
impl Store {
    pub fn new() -> Self { Self::with(Inner) }
    fn with(inner: Inner) -> Self { Self { inner } }
    pub fn save(&self) { self.inner.write(); self.keep(); }
    pub fn find(&self, name: &str) -> Option<Inner> { None }
}
impl Inner { fn write(&self) {} pub fn touch(&self) {} }
impl Keeper for Store { fn keep(&self) { helper() } }
fn helper() {}
//- src/util.rs
use crate::Store;
pub trait Keeper { fn keep(&self); }
pub fn show(store: &Store) { store.save() }
pub mod deep { pub fn inner() { super::top() } }
fn top() {}
//- tests/it.rs
use shop::{open, Store};
fn works() { open(); shop::run(&Store::new(), 1); }
"#,
        "
        src/lib.rs#open calls src/store.rs#Store.new
        src/lib.rs#open calls src/util.rs#deep.inner
        src/lib.rs#open calls src/util.rs#show
        src/lib.rs#open calls? src/store.rs#Store.save
        src/lib.rs#run calls src/lib.rs#open
        src/lib.rs#run calls src/store.rs#Store.save
        src/lib.rs#run calls? src/lib.rs#run.<closure1>
        src/lib.rs#run calls? src/store.rs#Inner.touch
        src/lib.rs#run calls? src/store.rs#Store.find
        src/lib.rs#run.<closure1> calls src/store.rs#Store.save
        src/store.rs#Store.keep@Keeper calls src/store.rs#helper
        src/store.rs#Store.new calls src/store.rs#Store.with
        src/store.rs#Store.save calls src/store.rs#Inner.write
        src/store.rs#Store.save calls src/store.rs#Store.keep@Keeper
        src/util.rs#deep.inner calls src/util.rs#top
        src/util.rs#show calls src/store.rs#Store.save
        tests/it.rs#works calls src/lib.rs#open
        tests/it.rs#works calls src/lib.rs#run
        tests/it.rs#works calls src/store.rs#Store.new
        ",
    );
}

#[test]
fn a_module_and_a_function_of_one_name() {
    check(
        "//- src/main.rs\nmod flags;\nfn main() { flags::parse(); }\n\
         //- src/flags/mod.rs\nmod parse;\npub use crate::flags::parse::parse;\n\
         //- src/flags/parse.rs\npub fn parse() {}\n",
        "src/main.rs#main calls src/flags/parse.rs#parse",
    );
}

#[test]
fn a_module_stays_itself_when_something_is_taken_through_it() {
    check(
        "//- src/lib.rs\nmod flags;\nmod user;\npub use flags::Table;\n\
         //- src/flags/mod.rs\nmod table;\npub mod tests;\npub use table::Table;\n\
         //- src/flags/table.rs\npub struct Table;\n\
         //- src/flags/tests.rs\npub fn make() {}\n\
         //- src/user.rs\nuse crate::flags::tests::make;\nfn go() { make(); }\n",
        "src/user.rs#go calls src/flags/tests.rs#make",
    );
}

#[test]
fn a_module_is_not_the_function_beside_it() {
    check_of(
        &[SymbolRelation::Calls, SymbolRelation::Uses],
        "//- src/lib.rs\nmod search;\nmod user;\npub fn search() {}\npub fn all() { search(); let f = search; }\n\
         //- src/search.rs\npub struct Hit;\nimpl Hit { pub fn new() -> Hit { Hit } }\n\
         //- src/user.rs\nuse crate::search::Hit;\nfn find() { crate::search::Hit::new(); }\nfn call() { crate::search(); }\n",
        "
        src/lib.rs#all calls src/lib.rs#search~7e6c
        src/search.rs# uses src/search.rs#Hit
        src/search.rs#Hit.new uses src/search.rs#Hit
        src/search.rs#impl Hit uses src/search.rs#Hit
        src/user.rs#call calls src/lib.rs#search~7e6c
        src/user.rs#find calls src/search.rs#Hit.new
        src/user.rs#find uses src/search.rs#Hit
        ",
    );
}

#[test]
fn heritage_and_mentions() {
    check_of(
        &[
            SymbolRelation::Extends,
            SymbolRelation::Implements,
            SymbolRelation::Uses,
            SymbolRelation::Injects,
        ],
        r#"//- a.ts
import { Base, LIMIT, type Shape } from "./b";
@Injectable()
export class A extends Base implements Shape {
  constructor(private b: Base) { super(); }
  area() { return LIMIT; }
}
//- b.ts
export class Base { area() { return 0; } }
export const LIMIT = 3;
export interface Shape { area(): number; }
"#,
        "
        a.ts#A extends b.ts#Base
        a.ts#A implements b.ts#Shape
        a.ts#A injects b.ts#Base
        a.ts# uses b.ts#Base
        a.ts# uses b.ts#Shape
        a.ts#A.area extends b.ts#Base.area
        a.ts#A.area implements b.ts#Shape.area
        a.ts#A.area uses b.ts#LIMIT
        ",
    );
}

#[test]
fn classes_of_the_other_languages() {
    check(
        "//- Shop.java\nclass Shop extends Base { Repo repo; void sell() { repo.save(); log(); open(); } void log() {} }\n\
         //- Base.java\nclass Base { void open() {} }\n\
         //- Repo.java\nclass Repo { Repo(int n) {} void save() {} static Repo of() { return new Repo(1); } }\n",
        "
        Shop.java#Shop.sell calls Repo.java#Repo.save
        Shop.java#Shop.sell calls Shop.java#Shop.log
        Shop.java#Shop.sell calls? Base.java#Base.open
        Repo.java#Repo.of calls Repo.java#Repo.Repo
        ",
    );
    check(
        "//- a.go\npackage shop\nfunc Open() *Store { return NewStore() }\nfunc (s *Store) Save() { s.write(); Open().write() }\n\
         //- b.go\npackage shop\ntype Store struct{}\nfunc NewStore() *Store { return &Store{} }\nfunc (s *Store) write() {}\n",
        "
        a.go#Open calls b.go#NewStore
        a.go#Store.Save calls a.go#Open
        a.go#Store.Save calls b.go#Store.write
        ",
    );
}

#[test]
fn names_that_lead_to_themselves_end() {
    check(
        r#"//- Banner.java
class Banner {
  Banner Banner;
  Tag Tag;
  void show() { Banner.show(); Tag.print(); }
}
//- a.ts
import { b } from "./b";
export const a = b;
a.go();
//- b.ts
import { a } from "./a";
export const b = a;
"#,
        "", // nobody can tell, and nobody hangs
    );
}

#[test]
fn methods_of_a_type_of_another_file() {
    check(
        "//- src/lib.rs\nmod st;\npub struct Walk<'a> { b: &'a str }\n\
         impl<'a> Walk<'a> { pub fn go(&mut self) { self.block(1) } }\n\
         //- src/st.rs\nuse super::Walk;\nimpl Walk<'_> {\n\
         pub(super) fn block(&mut self, n: u32) { self.part(n) }\n\
         fn part(&mut self, n: u32) {}\n}\n\
         fn start(walk: &Walk) { walk.part(1); walk.go(); }\n",
        "src/lib.rs#Walk.go calls src/st.rs#Walk.block
         src/st.rs#Walk.block calls src/st.rs#Walk.part
         src/st.rs#start calls src/lib.rs#Walk.go
         src/st.rs#start calls src/st.rs#Walk.part",
    );
}

#[test]
fn variants_and_crates_under_another_name() {
    check(
        "//- Cargo.toml\n[workspace]\nmembers = [\"all\", \"one\"]\n\
         //- all/Cargo.toml\n[package]\nname = \"all\"\n[dependencies]\none-part = { path = \"../one\" }\n\
         //- all/src/lib.rs\npub extern crate one_part as part;\n\
         //- all/src/main.rs\nuse all::part::{Builder, Error};\n\
         fn main() { Builder::new().sized(1).build(); }\n\
         fn fail() -> Error { Error::Io(1).with(2) }\n\
         //- one/Cargo.toml\n[package]\nname = \"one-part\"\n\
         //- one/src/lib.rs\npub struct Builder;\nimpl Builder {\n\
         pub fn new() -> Self { Builder }\npub fn sized(&mut self, n: u8) -> &mut Self { self }\n\
         pub fn build(&self) {}\n}\n\
         pub enum Error { Io(u8) }\nimpl Error { pub fn with(self, n: u8) -> Error { self } }\n",
        "all/src/main.rs#fail calls? one/src/lib.rs#Error.with
         all/src/main.rs#main calls? one/src/lib.rs#Builder.build
         all/src/main.rs#main calls one/src/lib.rs#Builder.new
         all/src/main.rs#main calls? one/src/lib.rs#Builder.sized",
    );
}

#[test]
fn what_a_pattern_takes_out_of_a_field() {
    check(
        "//- src/lib.rs\nmod stats;\nuse stats::Stats;\nstruct S { stats: Option<Stats> }\nimpl S {\n\
         fn a(&mut self) { if let Some(ref mut stats) = self.stats { stats.add(1) } }\n\
         fn b(&mut self) { if let Some(stats) = self.stats.as_mut() { stats.add(1) } }\n\
         fn c(&mut self) { let Some(stats) = &mut self.stats else { return }; stats.add(1) }\n\
         fn d(&mut self) { match self.stats { Some(ref mut stats) => stats.add(1), None => {} } }\n}\n\
         //- src/stats.rs\npub struct Stats;\nimpl Stats { pub fn add(&mut self, n: u64) {} }\n",
        "src/lib.rs#S.a calls? src/stats.rs#Stats.add
         src/lib.rs#S.b calls? src/stats.rs#Stats.add
         src/lib.rs#S.c calls? src/stats.rs#Stats.add
         src/lib.rs#S.d calls? src/stats.rs#Stats.add",
    );
}

#[test]
fn a_field_and_a_method_of_one_name() {
    check(
        "//- src/lib.rs\nmod stats;\nuse stats::Stats;\nstruct S { stats: Stats }\nimpl S {\n\
         pub fn stats(&self) -> &Stats { &self.stats }\n\
         fn a(&mut self) { self.stats.add(1) }\n\
         fn b(&mut self) { self.stats().add(1) }\n}\n\
         //- src/stats.rs\npub struct Stats;\nimpl Stats { pub fn add(&mut self, n: u64) {} }\n",
        "src/lib.rs#S.a calls src/stats.rs#Stats.add
         src/lib.rs#S.b calls src/lib.rs#S.stats()
         src/lib.rs#S.b calls? src/stats.rs#Stats.add",
    );
}

const CONTEXT: &str = "//- src/context.ts
import { Request } from './request';
export class Context { req: Request; json() {} }
//- src/request.ts
export class Request { query() {} }
//- src/types.ts
import type { Context } from './context';
export type Next = () => void;
export type Handler = (c: Context, next: Next) => void;
export type Middle = (c: Context) => string;
export type H = Handler | Middle;
export interface Register {
  (handler: H): void;
  (path: string, ...handlers: [H, H]): void;
}
//- src/app.ts
import type { Register, Handler } from './types';
export class Base { get!: Register }
export class App extends Base {}
export function on(name: string, handler: Handler) {}
";

#[test]
fn a_callback_is_given_what_the_type_beside_it_says() {
    let more = "//- src/use.ts
import { App, on } from './app';
import type { Handler, Middle } from './types';
const app = new App();
export function routes() {
  app.get('/a', (c) => c.req.query());
  app.get((c) => { c.json(); });
}
export const listen = () => on('x', (c) => c.json());
export const named: Handler = (c) => { c.req.query(); };
export const made = (): Middle => {
  return (c) => { c.json(); return ''; };
};
export const other = () => on('x', (c: string) => c.json());
";
    check(
        &format!("{CONTEXT}{more}"),
        "
        src/use.ts#app calls src/app.ts#App
        src/use.ts#listen calls src/app.ts#on
        src/use.ts#listen.<arrow1> calls? src/context.ts#Context.json
        src/use.ts#made.<arrow1> calls? src/context.ts#Context.json
        src/use.ts#named calls? src/request.ts#Request.query
        src/use.ts#other calls src/app.ts#on
        src/use.ts#routes calls? src/app.ts#Base.get
        src/use.ts#routes.<arrow1> calls? src/request.ts#Request.query
        src/use.ts#routes.<arrow2> calls? src/context.ts#Context.json
        ",
    );
}

#[test]
fn a_call_is_followed_through_a_barrel_of_any_width() {
    let modules =
        (0..600).map(|at| (format!("m{at}.ts"), format!("export function f{at}() {{}}\n")));
    let mut files: Vec<(String, String)> = modules.collect();
    let barrel: String = (0..600).map(|at| format!("export * from './m{at}';\n")).collect();
    files.push(("index.ts".into(), barrel));
    let user = "import { f0, f599 } from './index';\nexport function go() { f0(); f599(); }\n";
    files.push(("a.ts".into(), user.into()));
    let program = Program::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let expected = "a.ts#go calls m0.ts#f0\na.ts#go calls m599.ts#f599";
    assert_eq!(program.told(&[SymbolRelation::Calls]), expected);
}
