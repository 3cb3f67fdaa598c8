//! Calls in Go, construct by construct.

use code::SymbolRelation;

use crate::program::check_of;

/// Compares the calls of some files of a module `m`, given as text with `//- path` lines.
#[track_caller]
fn check(text: &str, expected: &str) {
    check_of(&[SymbolRelation::Calls], &format!("//- go.mod\nmodule m.io/m\n{text}"), expected);
}

#[test]
fn a_qualifier_is_a_package() {
    check(
        r#"//- main.go
package main
import (
	"fmt"
	"m.io/m/internal/store"
	kv "m.io/m/kv"
	. "m.io/m/dotted"
	"m.io/m/go-odd"
)
func main() {
	fmt.Println(store.Open(), kv.Get())
	Bare()
	strange.Call()
}
var first = store.Open()
//- internal/store/open.go
package store
func Open() int { return shut() }
//- internal/store/shut.go
package store
func shut() int { return 1 }
//- internal/store/open_test.go
package store
func Open() int { return 2 }
//- kv/kv.go
package kv
func Get() int { return 0 }
//- kv/gen.go
package main
func Get() int { return 0 }
//- dotted/dotted.go
package dotted
func Bare() {}
//- go-odd/odd.go
package strange
func Call() {}
"#,
        "
        internal/store/open.go#Open calls internal/store/shut.go#shut
        main.go#first calls internal/store/open.go#Open
        main.go#main calls dotted/dotted.go#Bare
        main.go#main calls go-odd/odd.go#Call
        main.go#main calls internal/store/open.go#Open
        main.go#main calls kv/kv.go#Get
        ",
    );
}

#[test]
fn a_bare_name_is_never_a_method() {
    check(
        r"//- a.go
package a
type T struct{}
func (t T) run() { run(); t.stop() }
func (t T) stop() { stop() }
func stop() {}
//- b.go
package a
func run() {}
func (t T) other() { other() }
",
        "
        a.go#T.run calls a.go#T.stop
        a.go#T.run calls b.go#run
        a.go#T.stop calls a.go#stop
        ",
    );
}

#[test]
fn methods_by_the_type_of_the_receiver() {
    check(
        r"//- use.go
package use
import (
	st `m.io/m/store`
)
type holder struct { store *st.Store; byName map[string]*st.Item; all []st.Item }
func param(s *st.Store) { s.Save() }
func (h *holder) field() { h.store.Save() }
func local() { s := st.New(); s.Save(); var t st.Store; t.Save() }
func several() { item, err := st.New().Find(1); item.Touch(); err.Error() }
func literals() { s := &st.Store{}; s.Save(); (&st.Item{}).Touch() }
func (h holder) ranges() {
	for _, one := range h.all { one.Touch() }
	for _, one := range h.byName { one.Touch() }
	h.byName[`a`].Touch()
	if one, ok := h.byName[`b`]; ok { one.Touch() }
}
func made() { many := make([]*st.Item, 3); many[0].Touch(); new(st.Store).Save() }
func chained() { st.New().With(1).With(2).With(3).With(4).With(5).With(6).Save() }
func named() (s *st.Store, err error) { s.Save(); return }
func rest(all ...st.Item) { all[0].Touch() }
func channel(c chan st.Item) { one := <-c; one.Touch(); for two := range c { two.Touch() } }
//- store/store.go
package store
type Store struct{}
type Item struct{}
func New() *Store { return nil }
func (s *Store) Save() {}
func (s *Store) With(n int) *Store { return s }
//- store/item.go
package store
func (s *Store) Find(n int) (*Item, error) { return nil, nil }
func (i *Item) Touch() {}
",
        "
        use.go#chained calls store/store.go#New
        use.go#chained calls store/store.go#Store.Save
        use.go#chained calls store/store.go#Store.With
        use.go#channel calls store/item.go#Item.Touch
        use.go#holder.field calls store/store.go#Store.Save
        use.go#holder.ranges calls store/item.go#Item.Touch
        use.go#literals calls store/item.go#Item.Touch
        use.go#literals calls store/store.go#Store.Save
        use.go#local calls store/store.go#New
        use.go#local calls store/store.go#Store.Save
        use.go#made calls store/item.go#Item.Touch
        use.go#made calls store/store.go#Store.Save
        use.go#named calls store/store.go#Store.Save
        use.go#param calls store/store.go#Store.Save
        use.go#rest calls store/item.go#Item.Touch
        use.go#several calls store/item.go#Item.Touch
        use.go#several calls store/item.go#Store.Find
        use.go#several calls store/store.go#New
        ",
    );
}

#[test]
fn embedded_structures_and_interfaces() {
    check(
        r"//- a.go
package a
import `m.io/m/base`
type Own struct { *base.Base; inner }
type inner struct{}
func (i inner) Deep() {}
type Both interface { base.Runner; Stop() }
func use(o *Own, b Both) {
	o.Start()
	o.Base.Start()
	o.Deep()
	o.Over()
	b.Run()
	b.Stop()
}
//- b.go
package a
func (o *Own) Over() {}
//- base/base.go
package base
type Base struct{}
func (b *Base) Start() {}
func (b *Base) Over() {}
type Runner interface { Run() }
",
        "
        a.go#use calls a.go#Both.Stop
        a.go#use calls a.go#inner.Deep
        a.go#use calls b.go#Own.Over
        a.go#use calls base/base.go#Base.Start
        a.go#use calls base/base.go#Runner.Run
        ",
    );
}

#[test]
fn a_declared_type_counts_and_not_the_value() {
    check(
        r"//- a.go
package a
type Saver interface { Save() }
type disk struct{}
func (d *disk) Save() {}
func open() Saver { return &disk{} }
var kept Saver = &disk{}
func use() {
	open().Save()
	kept.Save()
	var local Saver = &disk{}
	local.Save()
	exact := &disk{}
	exact.Save()
}
",
        "
        a.go#use calls a.go#Saver.Save
        a.go#use calls a.go#disk.Save
        a.go#use calls a.go#open
        ",
    );
}

#[test]
fn type_switches_and_assertions() {
    check(
        r"//- a.go
package a
import `m.io/m/kinds`
func use(v any) {
	switch x := v.(type) {
	case *kinds.A:
		x.OfA()
	case kinds.B, nil:
		x.Nothing()
	}
	v.(kinds.B).OfB()
	if a, ok := v.(*kinds.A); ok { a.OfA() }
	kinds.Name(`x`).Upper()
}
//- kinds/kinds.go
package kinds
type A struct{}
type B struct{}
type Name string
func (a *A) OfA() {}
func (b B) OfB() {}
func (n Name) Upper() {}
",
        "
        a.go#use calls kinds/kinds.go#A.OfA
        a.go#use calls kinds/kinds.go#B.OfB
        a.go#use calls kinds/kinds.go#Name.Upper
        ",
    );
}

#[test]
fn types_that_are_made_like_others() {
    check(
        r"//- a.go
package a
import `m.io/m/set`
type names []name
type name string
type byName map[string]name
type maker func() *name
type again names
func (n names) first() { n[0].up() }
func (n name) up() {}
func use(all names, by byName, make maker, alias set.Alias, more again) {
	for _, one := range all { one.up() }
	by[`x`].up()
	make().up()
	alias.Add()
	more[0].up()
	for key := range set.All() { key.Show() }
}
const (
	one name = `1`
	two
)
func constants() { two.up() }
//- set/set.go
package set
type Set struct{}
type Alias = Set
type Key int
func (s *Set) Add() {}
func (k Key) Show() {}
func All() map[Key]bool { return nil }
",
        "
        a.go#constants calls a.go#name.up
        a.go#names.first calls a.go#name.up
        a.go#use calls a.go#name.up
        a.go#use calls set/set.go#All
        a.go#use calls set/set.go#Key.Show
        a.go#use calls set/set.go#Set.Add
        ",
    );
}

#[test]
fn functions_as_values() {
    check(
        r"//- a.go
package a
import `m.io/m/hook`
type task struct { run func() *hook.Hook; name string }
func start() *hook.Hook { return nil }
func made() task { return task{run: start, name: `x`} }
func use(t task) {
	t.run().Fire()
	f := start
	f()
	func() { start() }()
	defer made().run()
	hook.Each(visit)
	m := t.method
	m()
}
func (t task) method() {}
func visit(n int) {}
var first = start
func variables() { first(); second(); hook.Third() }
//- b.go
package a
var second = start
//- hook/hook.go
package hook
type Hook struct{}
func (h *Hook) Fire() {}
func Each(visit func(int)) { visit(1) }
func third() {}
var Third = third
",
        "
        a.go#use calls a.go#made
        a.go#use calls hook/hook.go#Each
        a.go#use calls hook/hook.go#Hook.Fire
        a.go#use calls? a.go#start
        a.go#use calls? a.go#task.method
        a.go#use.<func1> calls a.go#start
        a.go#use calls a.go#use.<func1>
        a.go#variables calls? a.go#start
        a.go#variables calls? hook/hook.go#third
        hook/hook.go#Each calls? a.go#visit
        ",
    );
}

#[test]
fn structures_without_a_name() {
    check(
        r"//- a_test.go
package a
func TestAll(t *testing.T) {
	tests := []struct { name string; item *item; want struct { inner item } }{{name: `a`}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.item.touch(); tt.want.inner.hold() })
	}
}
//- a.go
package a
type item struct{ sub struct { deep *item } }
func (i *item) touch() { i.sub.deep.hold() }
func (i *item) hold() {}
",
        "
        a.go#item.touch calls a.go#item.hold
        a_test.go#TestAll.<func1> calls a.go#item.hold
        a_test.go#TestAll.<func1> calls a.go#item.touch
        ",
    );
}

#[test]
fn generic_functions_and_types() {
    check(
        r"//- a.go
package a
import `m.io/m/list`
type shower interface { Show() }
func each[T shower](all []T) { for _, one := range all { one.Show() } }
func use(l *list.List[int]) {
	l.Push(1)
	list.Make[int]().Push(2)
	each[shower](nil)
	list.Map[int, string](nil)
	list.Of(1)
}
//- list/list.go
package list
type List[T any] struct { items []T; next *List[T] }
func (l *List[T]) Push(item T) { l.next.grow() }
func (l *List[E]) grow() {}
func Make[T any]() *List[T] { return nil }
func Map[K, V any](f func(K) V) {}
func Of[T any](item T) *List[T] { return nil }
",
        "
        a.go#each calls a.go#shower.Show
        a.go#use calls a.go#each
        a.go#use calls list/list.go#List.Push
        a.go#use calls list/list.go#Make
        a.go#use calls list/list.go#Map
        a.go#use calls list/list.go#Of
        list/list.go#List.Push calls list/list.go#List.grow
        ",
    );
}

#[test]
fn files_of_other_platforms_and_init() {
    check(
        r"//- a.go
package a
type T struct{}
func (t T) init() {}
func init() { open() }
func init() { open(); T{}.init() }
func use() { t := T{}; _ = T(t) }
func each(t T) { t.shut() }
//- a_linux.go
package a
func open() {}
func (t T) shut() {}
//- a_windows.go
//go:build windows
package a
func open() { help() }
func help() {}
func (t T) shut() { help() }
func (t T) twice() { t.shut() }
//- b_windows.go
package a
import `m.io/m/sub`
func other() { open(); sub.Name() }
//- sub/sub_linux.go
package sub
func Name() {}
//- sub/sub.go
//go:build !linux
package sub
func Name() {}
//- tool.go
//go:build ignore
package main
func open() {}
func main() { open() }
//- a_test.go
package a_test
func open() {}
func TestIt() { open() }
//- b_test.go
package a
func (t T) tested() {}
func TestMore(t T) { t.tested() }
",
        "
        a.go#each calls? a_linux.go#T.shut
        a.go#each calls? a_windows.go#T.shut
        a.go#init calls? a_linux.go#open
        a.go#init calls? a_windows.go#open
        a.go#init~5dc7 calls a.go#T.init
        a.go#init~5dc7 calls? a_linux.go#open
        a.go#init~5dc7 calls? a_windows.go#open
        a_windows.go#T.shut calls a_windows.go#help
        a_windows.go#T.twice calls a_windows.go#T.shut
        a_windows.go#open calls a_windows.go#help
        b_test.go#TestMore calls b_test.go#T.tested
        b_windows.go#other calls a_windows.go#open
        b_windows.go#other calls sub/sub.go#Name
        a_test.go#TestIt calls a_test.go#open
        tool.go#main calls tool.go#open
        ",
    );
}

#[test]
fn a_type_implements_an_interface_by_its_methods() {
    check_of(
        &[SymbolRelation::Implements],
        r"//- go.mod
module m.io/m
//- store/store.go
package store
type Closer interface { Close() error }
type Store interface { Closer; Get(key string) (*Item, error); Each(func(Item)) }
type Item struct{}
type hidden interface { reset() }
type External interface { fmt.Stringer; One() }
type Keyed[K any] interface { Key() K; Has(key K) bool }
//- disk/disk.go
package disk
import `m.io/m/store`
type base struct{}
func (b base) Close() error { return nil }
type Disk struct { base }
func (d *Disk) Get(key string) (*store.Item, error) { return nil, nil }
type table struct{}
func (t table) Key() int { return 0 }
func (t table) Has(key int) bool { return true }
func (t table) One() {}
func (t table) reset() {}
type wrong struct { base }
func (w wrong) Get(key int) (*store.Item, error) { return nil, nil }
func (w wrong) Each(f func(store.Item)) {}
//- disk/each.go
package disk
func (d *Disk) Each(visit func(store.Item)) {}
",
        "
        disk/disk.go#Disk implements? store/store.go#Store
        disk/disk.go#Disk.Get implements? store/store.go#Store.Get
        disk/disk.go#base implements? store/store.go#Closer
        disk/disk.go#base.Close implements? store/store.go#Closer.Close
        disk/disk.go#table implements? store/store.go#Keyed
        disk/disk.go#table.Has implements? store/store.go#Keyed.Has
        disk/disk.go#table.Key implements? store/store.go#Keyed.Key
        disk/each.go#Disk.Each implements? store/store.go#Store.Each
        ",
    );
}
