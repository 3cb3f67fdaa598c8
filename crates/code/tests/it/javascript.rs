//! Calls of JavaScript and TypeScript: what is called by its declaration, whatever it holds.

use crate::program::check_calls as check;

#[test]
fn variables_and_fields_are_callers_and_callees() {
    check(
        "//- a.ts
import { wrap } from './b';
function one() {}
export const made = wrap(() => one());
const alias = one;
alias();
made();
class A { field = wrap(one); run() { this.field(); } }
//- b.ts
import { made } from './a';
export function wrap(f) { return f; }
made();
",
        "
        a.ts# calls a.ts#alias
        a.ts# calls a.ts#made
        a.ts# calls? a.ts#made.<arrow1>
        a.ts# calls? a.ts#one
        a.ts#A.field calls b.ts#wrap
        a.ts#A.run calls a.ts#A.field
        a.ts#A.run calls? a.ts#one
        a.ts#made calls b.ts#wrap
        a.ts#made.<arrow1> calls a.ts#one
        b.ts# calls a.ts#made
        b.ts# calls? a.ts#made.<arrow1>
        ",
    );
}

#[test]
fn members_of_interfaces_and_types_are_callees() {
    check(
        "//- types.ts
export interface Store { get(key: string): Entry; onChange: (e: Entry) => void }
export type Entry = { remove(): void; hook?: () => void } & Base;
export interface Base { touch(): void }
export type Some = Pick<Store, 'get'>;
export type Hook = Store['onChange'];
//- use.ts
import type { Some, Store } from './types';
export function use(store: Store, some: Some) {
  store.onChange(store.get('a'));
  const entry = some.get('b');
  entry.remove();
  entry.hook?.();
  entry.touch();
}
const literal: Store = { get: (key) => lookup(key), onChange() {} };
function lookup(key) {}
literal.get('c');
",
        "
        use.ts# calls? types.ts#Store.get
        use.ts# calls? use.ts#literal.get
        use.ts#literal.get calls use.ts#lookup
        use.ts#use calls? types.ts#Base.touch
        use.ts#use calls? types.ts#Entry.hook
        use.ts#use calls? types.ts#Entry.remove
        use.ts#use calls types.ts#Store.get
        use.ts#use calls types.ts#Store.onChange
        ",
    );
}

#[test]
fn a_type_and_a_value_with_one_name_stay_apart() {
    check(
        "//- schema.ts
export interface Schema { parse(): void }
export const Schema: Factory = make('Schema');
interface Factory { init(): Schema }
declare function make(name: string): Factory;
//- index.ts
export * from './schema';
//- use.ts
import { Schema } from './index';
import * as all from './index';
export function first(schema: Schema) { schema.parse(); }
export function second(schema: all.Schema) { schema.parse(); }
export function third() { Schema.init().parse(); }
",
        "
        schema.ts#Schema~7ae0 calls schema.ts#make
        use.ts#first calls schema.ts#Schema.parse
        use.ts#second calls schema.ts#Schema.parse
        use.ts#third calls schema.ts#Factory.init
        use.ts#third calls? schema.ts#Schema.parse
        ",
    );
}

#[test]
fn classes_without_a_constructor_are_called_themselves() {
    check(
        "//- base.ts
export class Base { constructor() {} }
export class Plain { init() {} }
//- use.ts
import { Base, Plain } from './base';
class Own extends Base {}
new Own();
new Plain();
",
        "
        use.ts# calls base.ts#Base.constructor
        use.ts# calls base.ts#Plain
        use.ts# calls use.ts#Own
        ",
    );
}

#[test]
fn namespaces_have_members_in_other_files() {
    check(
        "//- util.ts
export namespace util {
  export function assert() {}
  export const keys = Object.keys;
  export const join = () => {};
}
export function plugin() {}
export namespace plugin { export function load() {} }
//- use.ts
import { plugin, util } from './util';
util.assert();
util.keys({});
util.join();
plugin();
",
        "
        use.ts# calls util.ts#plugin
        use.ts# calls util.ts#util.assert
        use.ts# calls util.ts#util.join
        use.ts# calls util.ts#util.keys
        ",
    );
}

#[test]
fn a_required_module_is_what_it_exports() {
    check(
        "//- view.js
module.exports = View;
function View() {}
View.prototype.render = function render() { this.lookup(); };
View.prototype.lookup = function lookup() {};
View.all = function () {};
//- app.js
const app = exports = module.exports = {};
app.set = function set() {};
app.enable = function enable() { this.set(); };
//- parser.js
class Parser { static of() { return new Parser(); } run() {} }
module.exports = Parser;
//- factory.js
module.exports = build;
module.exports.version = version;
function build() { return { start() { version(); } }; }
function version() {}
//- main.js
const View = require('./view');
const app = require('./app');
const Parser = require('./parser');
const { version } = require('./factory');
new View().render();
View.all();
app.set();
Parser.of().run();
require('./factory')().start();
version();
",
        "
        app.js#app.enable calls app.js#app.set
        factory.js#build.start calls factory.js#version
        main.js# calls app.js#app.set
        main.js# calls factory.js#build
        main.js# calls? factory.js#build.start
        main.js# calls factory.js#version
        main.js# calls parser.js#Parser.of
        main.js# calls? parser.js#Parser.run
        main.js# calls view.js#View
        main.js# calls view.js#View.all
        main.js# calls? view.js#View.render
        parser.js#Parser.of calls parser.js#Parser
        view.js#View.render calls view.js#View.lookup
        ",
    );
}

#[test]
fn components_call_each_other_and_their_functions() {
    check(
        "//- App.vue
<template><UserCard @save=\"store.save()\" /><Icon /></template>
<script setup lang=\"ts\">
import UserCard from './UserCard.vue';
import Icon from './Icon.svelte';
import { store } from './store';
</script>
//- UserCard.vue
<script>
import { format } from './store';
export default { computed: { title() { return format(); } } };
</script>
//- Icon.svelte
<script>import { format } from './store';</script>
<i>{format()}</i>
//- store.ts
export const store = { save() {} };
export function format() {}
//- main.ts
import App from './App.vue';
App();
",
        "
        App.vue#default calls Icon.svelte#default
        App.vue#default calls UserCard.vue#default
        App.vue#default calls store.ts#store.save
        Icon.svelte#default calls store.ts#format
        UserCard.vue#title calls store.ts#format
        main.ts# calls App.vue#default
        ",
    );
}
