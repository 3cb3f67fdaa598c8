//! Tests of the facts of JavaScript and TypeScript modules.

use crate::Language::{JavaScript, Tsx, TypeScript};
use crate::outline::{check, check_flow};

#[test]
fn declarations_with_their_docs() {
    check(
        TypeScript,
        r#"/**
 * Sessions of users.
 * @see spec::auth/session
 */
import { a as b, type T } from "./a";
import d, * as ns from 'pkg';

/** Logs in.
 * @see spec::auth/login
 * @see {@link Foo}
 */
export async function login<U extends T>(
  user: string, // who
  key = "@see spec::no",
): Promise<void> {}

/** A session. */
@Injectable()
export abstract class Session extends Base<T> implements Store, ns.Other {
  /** How old */
  private readonly age: number = 1;
  static count = 0;
  #secret = b();
  constructor(private readonly repo: Repo, name?: string) { super(); }
  /** @see spec::auth/refresh */
  @Log("x") async refresh(): Promise<T> { return this.repo.find(); }
  get id(): string { return ""; }
  set id(v: string) {}
  handler = (e: Event) => { b(e); };
  abstract close(): void;
}
export interface Store extends Reader { /** n */ readonly name?: string; get(key: string): T; }
export type Id = string | number;
export enum Color { Red = "r", Green }
export const LIMIT = 10, other=2;
const api = { get() {}, post: async () => {} };
let counter;
namespace N { export function inner() {} }
function over(a: string): void;
function over(a: number): void;
function over(a: any) {}
"#,
        r#"
        module "Sessions of users.\n@see spec::auth/session"
        function login pub exported async :12 `export async function login<U extends T>(user: string, key = "@see spec::no"): Promise<void>` "Logs in.\n@see spec::auth/login\n@see {@link Foo}"
        class Session pub exported abstract @Injectable :19 `export abstract class Session extends Base<T> implements Store, ns.Other` "A session."
        field Session.age :21 `private readonly age: number = 1` "How old"
        field Session.count pub exported static :22 `static count = 0`
        field Session.#secret :23 `#secret = b()`
        constructor Session.constructor pub exported :24 `constructor(private readonly repo: Repo, name?: string)`
        field Session.repo :24 `repo`
        method Session.refresh pub exported async @Log :26 `async refresh(): Promise<T>` "@see spec::auth/refresh"
        getter Session.id pub exported :27 `get id(): string`
        setter Session.id~a747 pub exported :28 `set id(v: string)`
        method Session.handler pub exported :29 `handler = (e: Event)`
        method Session.close pub exported abstract :30 `abstract close(): void`
        interface Store pub exported :32 `export interface Store extends Reader`
        property Store.name pub exported :32 `readonly name?: string` "n"
        method Store.get pub exported abstract :32 `get(key: string): T`
        type Id pub exported :33 `export type Id = string | number`
        enum Color pub exported :34 `export enum Color`
        variant Color.Red pub exported :34 `Red = "r"`
        variant Color.Green pub exported :34 `Green`
        constant LIMIT pub exported :35 `export const LIMIT = 10`
        constant other pub exported :35 `export const other = 2`
        constant api :36 `const api = { get() {}, post: async () => {} }`
        method api.get :36 `get()`
        method api.post async :36 `post: async ()`
        variable counter :37 `let counter`
        namespace N :38 `namespace N`
        function N.inner pub :38 `export function inner()`
        function over :39 `function over(a: string): void`
        function over :40 `function over(a: number): void`
        function over :41 `function over(a: any)`
        import ./a a=b type T
        import pkg default=d *=ns
        export named login is login
        export named Session is Session
        export named type Store is Store
        export named type Id is Id
        export named Color is Color
        export named LIMIT is LIMIT
        export named other is other
        Session extends Base<T>
        Session implements Store
        Session implements ns.Other
        Store extends Reader
        see spec::auth/session on module :3
        see spec::auth/login on login :9
        see {@link Foo} on login :10
        see spec::auth/refresh on Session.refresh :25
        "#,
    );
}

#[test]
fn every_form_of_import_and_export() {
    check(
        TypeScript,
        r#"
import "./side";
import type { A } from "./types";
import fs = require("fs");
export { x as y, z } from "./x";
export * from "./all";
export * as star from "./star";
export type { A };
const a = 1, b = 2;
export { a, b as renamed, b as default };
async function load() { const m = await import("./lazy"); m.run(); let t: import("./t").T; }
export const { p, q: [r] } = load();
"#,
        r#"
        constant a pub exported :9 `const a = 1`
        constant b pub exported :9 `const b = 2`
        function load async :11 `async function load()`
        constant p pub exported :12 `p`
        constant r pub exported :12 `r`
        import ./side
        import ./types type A
        require fs *=fs
        reexport ./x x=y z
        reexport ./all *
        reexport ./star *=star
        dynamic ./lazy *=m in load
        typeimport ./t in load
        export named y=x from ./x
        export named z from ./x
        export star * from ./all
        export staras star=* from ./star
        export named type A
        export named a is a
        export named renamed=b is b
        export default default=b is b
        export named p is p
        export named r is r
        "#,
    );
    check(
        JavaScript,
        r#"
const { join } = require("path");
module.exports = { a, b: function () {}, c() {} };
exports.d = () => {};
module.exports.e = join;
// export const not = 1;
const text = "export const nor = 1";
"#,
        r#"
        method b pub exported :3 `b: function ()`
        method c pub exported :3 `c()`
        function d pub exported :4 `exports.d = ()`
        constant text :7 `const text = "export const nor = 1"`
        require path join
        export commonjs default
        export commonjs a
        export commonjs b is b
        export commonjs c is c
        export commonjs d is d
        export commonjs e
        "#,
    );
    check(
        JavaScript,
        "export default () => 1;",
        r#"
        function default pub exported :1 `export default ()`
        export default default is default
        "#,
    );
    check(
        JavaScript,
        "/** Doc. */\nexport default class extends A {}",
        r#"
        class default pub exported :2 `export default class extends A` "Doc."
        export default default is default
        default extends A
        "#,
    );
    check(
        JavaScript,
        "function f() {}\nexport default f;",
        r#"
        function f pub exported :1 `function f()`
        export default default=f is f
        "#,
    );
}

#[test]
fn members_of_a_type_alias_are_symbols() {
    check(
        TypeScript,
        "export type Entry = { remove(): void } & { hook?: () => void };",
        r#"
        type Entry pub exported :1 `export type Entry = { remove(): void } & { hook?: () => void }`
        method Entry.remove pub exported abstract :1 `remove(): void`
        property Entry.hook pub exported :1 `hook?: () => void`
        export named type Entry is Entry
        "#,
    );
}

#[test]
fn values_flow_to_calls() {
    check_flow(
        JavaScript,
        r#"
import { key } from "./ext.js";
function f(a, b = g, ...rest) { a(); b(); return rest[0]; }
function g() {}
const h = (x) => x + 1;
let d = { a: f, 1: g };
d["a"] = h;
d[key]();
const { a: first, ...others } = d;
const [p, [q = g], ...tail] = [f, [h]];
f(first, h)(q);
if (d) { d = g; d(); } else d = null;
for (const each of [f, g]) each();
let pick = p ? f : g || h;
pick?.call(null);
(function () { this.x = f; })();
export const m = dec(function () {});
x => x => x();
"#,
        r#"
        param f#0 a
        param f#1 b = $g
        param f#2 ...rest
        param h#0 x
        param <arrow1>#0 x
        param <arrow1>.<arrow1>#0 x
        f: #0 %a()
        f: #1 %b()
        f: return %rest[0]
        module: d = {"a": $f, "1": $g}
        module: d["a"] = $h
        module: #2 d[^key]()
        module: first = d.a
        module: others = d
        module: _11 = {$f, {$h}}
        module: p = _11[0]
        module: q = (_11[1][0] | $g)
        module: tail = {..._11}
        module: #3 $f(first, $h)
        module: #4 #3(q)
        module?: d = $g
        module?: #5 d()
        module?: each = each {$f, $g}
        module?: #6 each()
        module: pick = ($f | ($g | $h))
        module: #7 pick.call()
        <function1>: this.x = $f
        module: #8 &<function1>()
        module: #9 ~dec(&m.<function1>)
        module: m = #9
        <arrow1>.<arrow1>: #10 %x()
        <arrow1>.<arrow1>: return #10
        <arrow1>: return &<arrow1>.<arrow1>
        "#,
    );
}

#[test]
fn classes_and_their_values() {
    check_flow(
        TypeScript,
        r#"
class A extends mixin(B) {
  static s = make();
  f = helper;
  #p: Repo = new Repo();
  constructor(private repo: Repo) { super(repo); this.cb = () => this.run(); }
  run() { this.repo.find(); this.#p.save(); return super.run(); }
  static of(): A { return new A(null as Repo); }
  @log() method(@Inject(TOKEN) x: Service) { x.go(); }
}
function Old() { this.go = function () {}; }
Old.prototype.step = function () { this.go(); };
function* gen() { yield Old; yield* gen(); }
const v: A = A.of(), w = <B>v, t = tag`a${v}b`;
"#,
        r#"
        param A.constructor#0 repo: Repo
        param A.method#0 x: Service
        module: #0 ~mixin(~B)
        A: #1 ~make()
        A: &A.s = #1
        A: this.f = ~helper
        A: #2 new ~Repo()
        A: this.#p = #2
        A.constructor: this.repo = %repo
        A.constructor: #3 super(%repo)
        A.cb: #4 this.run()
        A.cb: return #4
        A.constructor: this.cb = &A.cb
        A.run: #5 this.repo.find()
        A.run: #6 this.#p.save()
        A.run: #7 super.run()
        A.run: return #7
        A.of: #8 new $A(?:Repo)
        A.of: return #8
        A.method: #9 ~Inject(~TOKEN)
        A.method: #10 %x.go()
        A: #11 ~log()
        A: #12 @#11(&A.method)
        Old: this.go = &Old.go
        Old.step: #13 this.go()
        module: $Old.prototype.step = &Old.step
        gen: yield $Old
        gen: #14 $gen()
        gen: yield* #14
        module: #15 $A.of()
        module: v:A = #15
        module: w = v:A:B
        module: #16 `~tag(?, v:A)
        module: t = #16
        "#,
    );
}

#[test]
fn jsx_and_tests() {
    check_flow(
        Tsx,
        r#"
import { Button } from "./b";
export const App = ({ onClick, ...rest }: Props) => <Button on={onClick} {...rest}><ns.Item/>{list.map(i => <li>{i()}</li>)}</Button>;
"#,
        r#"
        param App#0 : Props
        param App.<arrow1>#0 i
        App: onClick = %_1.onClick
        App: rest = %_1
        App: #0 <~ns.Item({})
        App.<arrow1>: #1 %i()
        App: #2 ~list.map(&App.<arrow1>)
        App: #3 <^Button({"on": onClick, ...rest})
        App: return #3
        "#,
    );
    check(
        JavaScript,
        "describe('x', () => { it('y', async () => { f(); }); });",
        r#"
        function <arrow1> test :1 `()`
        function <arrow1>.<arrow1> test async :1 `async ()`
        "#,
    );
}

#[test]
fn a_name_is_what_its_block_says() {
    check_flow(
        JavaScript,
        "const f = a; { const f = b; f(); } f(); function g() { f(); var f = c; }",
        r#"
        module: f = ~a
        module: f = ~b
        module: #0 f()
        module: #1 f()
        g: #2 f()
        g: f = ~c
        "#,
    );
}

#[test]
fn broken_code_gives_what_can_be_read() {
    check(
        TypeScript,
        "export function ok() {}\n\nexport function broken( {\n\nexport class Fine { m() {} }\n",
        r#"
        function ok pub exported :1 `export function ok()`
        class Fine pub exported :5 `export class Fine`
        method Fine.m pub exported :5 `m()`
        export named ok is ok
        export named Fine is Fine
        error 5:8 expected `:` but found `class`
        "#,
    );
    check(
        TypeScript,
        "\u{feff}export const a = 1;\r\n/** Doc\r\n * more */\r\nfunction f() {}\r\n",
        r#"
        constant a pub exported :1 `export const a = 1`
        function f :4 `function f()` "Doc\nmore"
        export named a is a
        "#,
    );
    check(
        JavaScript,
        "const a: number = 1; function f(b?: string) {}",
        r#"
        constant a :1 `const a: number = 1`
        function f :1 `function f(b?: string)`
        "#,
    );
    check(
        TypeScript,
        "export declare const a: number; export const b: string;\nfunction f(): void;",
        r#"
        constant a pub exported :1 `export const a: number`
        constant b pub exported :1 `export const b: string`
        function f :2 `function f(): void`
        export named a is a
        export named b is b
        "#,
    );
}

#[test]
fn docs_belong_to_what_follows_them() {
    check(
        TypeScript,
        r#"
/** Of the module. */

/** Of a. */
const a = 1,
  /** Of b. */
  b = 2;

// @see spec::not/a-doc-comment
/* @see spec::nor/this */
const c = "/** @see spec::in/string */";
/** Of d.
 * ```
 * @see spec::in/fence
 * ```
 * implements REQ-001 */
@Dec()
export class D {}
export
/** Of e. */
function e() {}
function f() { /** @see spec::in/nested */ function g() {} }
"#,
        r#"
        module "Of the module."
        constant a :5 `const a = 1` "Of a."
        constant b :7 `const b = 2` "Of b."
        constant c :11 `const c = "/** @see spec::in/string */"`
        class D pub exported @Dec :18 `export class D` "Of d.\n```\n@see spec::in/fence\n```\nimplements REQ-001"
        function e pub exported :21 `export function e()` "Of e."
        function f :22 `function f()`
        function f.g :22 `function g()` "@see spec::in/nested"
        export named D is D
        export named e is e
        implements REQ-001 on D :16
        see spec::in/nested on f.g :22
        "#,
    );
}
