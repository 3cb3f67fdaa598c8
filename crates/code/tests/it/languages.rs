//! Calls, imports and heritage in the languages that share one set of rules.

use code::SymbolRelation;

use crate::program::check_of;

const ALL: [SymbolRelation; 3] =
    [SymbolRelation::Calls, SymbolRelation::Extends, SymbolRelation::Implements];

#[test]
fn c_functions_and_headers() {
    check_of(
        &ALL,
        r#"//- src/main.c
#include "store.h"
#include <stdio.h>
static void show(struct store *s) { printf("%d", store_size(s)); }
int main(void) {
    struct store *s = store_open();
    show(s);
    return 0;
}
//- src/store.h
struct store { int size; };
struct store *store_open(void);
int store_size(struct store *s);
//- src/store.c
#include "store.h"
static int clamp(int n) { return n; }
struct store *store_open(void) { return 0; }
int store_size(struct store *s) { return clamp(s->size); }
"#,
        "
        src/main.c#main calls src/main.c#show
        src/main.c#main calls? src/store.c#store_open
        src/main.c#main calls? src/store.h#store_open
        src/main.c#show calls? src/store.c#store_size
        src/main.c#show calls? src/store.h#store_size
        src/store.c#store_size calls src/store.c#clamp
        ",
    );
}

#[test]
fn cpp_classes_and_namespaces() {
    check_of(
        &ALL,
        r#"//- shop.cpp
#include "repo.hpp"
namespace shop {
class Shop : public Base {
public:
  explicit Shop(Repo repo) : repo_(repo) {}
  void sell() { repo_.save(); note(); shop::log(1); }
  void hook() override { note(); }
private:
  void note() {}
  Repo repo_;
};
}
int main() { shop::Shop s(shop::Repo{}); s.sell(); }
//- repo.hpp
#pragma once
namespace shop {
class Base { public: virtual void hook() {} };
class Repo { public: void save() { write(); } private: void write() {} };
inline void log(int n) {}
}
"#,
        "
        repo.hpp#shop.Repo.save calls repo.hpp#shop.Repo.write
        shop.cpp#main calls shop.cpp#shop.Shop.sell
        shop.cpp#shop.Shop extends repo.hpp#shop.Base
        shop.cpp#shop.Shop.hook calls shop.cpp#shop.Shop.note
        shop.cpp#shop.Shop.hook extends repo.hpp#shop.Base.hook
        shop.cpp#shop.Shop.sell calls repo.hpp#shop.Repo.save
        shop.cpp#shop.Shop.sell calls repo.hpp#shop.log
        shop.cpp#shop.Shop.sell calls shop.cpp#shop.Shop.note
        ",
    );
}

#[test]
fn csharp_interfaces_and_properties() {
    check_of(
        &ALL,
        r#"//- Shop.cs
namespace Shop;
public class Shop : Base, ISeller {
    private readonly Repo repo;
    public Shop(Repo repo) { this.repo = repo; }
    public void Sell() { repo.Save(); Note(); Open(); }
    private void Note() { Helper.Log("x"); }
}
//- Base.cs
namespace Shop;
public class Base { protected void Open() {} }
public interface ISeller { void Sell(); }
//- Repo.cs
namespace Shop;
public class Repo { public void Save() {} public static Repo Of() => new Repo(); }
public static class Helper { public static void Log(string s) {} }
"#,
        "
        Shop.cs#Shop extends Base.cs#Base
        Shop.cs#Shop implements Base.cs#ISeller
        Shop.cs#Shop.Note calls? Repo.cs#Helper.Log
        Shop.cs#Shop.Sell calls Repo.cs#Repo.Save
        Shop.cs#Shop.Sell calls Shop.cs#Shop.Note
        Shop.cs#Shop.Sell calls? Base.cs#Base.Open
        Shop.cs#Shop.Sell implements Base.cs#ISeller.Sell
        ",
    );
}

#[test]
fn ruby_modules_and_mixins() {
    check_of(
        &ALL,
        r#"//- shop.rb
require_relative "repo"
class Shop < Base
  include Logging
  def initialize(repo)
    @repo = Repo.new(1)
  end
  def sell
    @repo.save
    note
    log("x")
    open_up
  end
  def note; end
end
Shop.new(nil).sell
//- repo.rb
class Base
  def open_up; end
end
module Logging
  def log(text); end
end
class Repo
  def initialize(n); end
  def save
    write
  end
  def write; end
end
"#,
        "
        repo.rb#Repo.save calls repo.rb#Repo.write
        shop.rb# calls shop.rb#Shop.initialize
        shop.rb# calls? shop.rb#Shop.sell
        shop.rb#Shop extends repo.rb#Base
        shop.rb#Shop extends repo.rb#Logging
        shop.rb#Shop.initialize calls repo.rb#Repo.initialize
        shop.rb#Shop.sell calls shop.rb#Shop.note
        shop.rb#Shop.sell calls? repo.rb#Base.open_up
        shop.rb#Shop.sell calls? repo.rb#Logging.log
        shop.rb#Shop.sell calls? repo.rb#Repo.save
        ",
    );
}

#[test]
fn php_classes_and_traits() {
    check_of(
        &ALL,
        r#"//- src/Shop.php
<?php
namespace App;
use App\Store\Repo;
class Shop extends Base implements Seller {
    use Logging;
    public function __construct(private Repo $repo) {}
    public function sell(): void { $this->repo->save(); $this->note(); self::log("x"); helper(); }
    private function note(): void { parent::open(); }
}
function helper(): void {}
//- src/Base.php
<?php
namespace App;
class Base { protected function open(): void {} }
interface Seller { public function sell(): void; }
trait Logging { public static function log(string $s): void {} }
//- src/Store/Repo.php
<?php
namespace App\Store;
class Repo { public function save(): void { $this->write(); } private function write(): void {} }
"#,
        "
        src/Shop.php#Shop extends src/Base.php#Base
        src/Shop.php#Shop extends src/Base.php#Logging
        src/Shop.php#Shop implements src/Base.php#Seller
        src/Shop.php#Shop.note calls src/Base.php#Base.open
        src/Shop.php#Shop.sell calls src/Shop.php#Shop.note
        src/Shop.php#Shop.sell calls src/Shop.php#helper
        src/Shop.php#Shop.sell calls? src/Base.php#Logging.log
        src/Shop.php#Shop.sell implements src/Base.php#Seller.sell
        src/Store/Repo.php#Repo.save calls src/Store/Repo.php#Repo.write
        ",
    );
}

#[test]
fn kotlin_classes_and_companions() {
    check_of(
        &ALL,
        r#"//- Shop.kt
package shop

class Shop(private val repo: Repo) : Base(), Seller {
    override fun sell() { repo.save(); note(); begin(); log("x") }
    private fun note() { Repo.of() }
}
fun main() { val shop = Shop(Repo(1)); shop.sell() }
//- Base.kt
package shop

open class Base {
    fun begin() {}
}

interface Seller {
    fun sell()
}

fun log(s: String) {}
//- Repo.kt
package shop

class Repo(val n: Int) {
    fun save() {}
    companion object { fun of(): Repo = Repo(1) }
}
"#,
        "
        Shop.kt#Shop extends Base.kt#Base
        Shop.kt#Shop implements Base.kt#Seller
        Shop.kt#Shop.note calls? Repo.kt#Repo.of
        Shop.kt#Shop.sell calls Repo.kt#Repo.save
        Shop.kt#Shop.sell calls Shop.kt#Shop.note
        Shop.kt#Shop.sell calls? Base.kt#Base.begin
        Shop.kt#Shop.sell calls? Base.kt#log
        Shop.kt#Shop.sell implements Base.kt#Seller.sell
        Shop.kt#main calls? Shop.kt#Shop.sell
        ",
    );
}

#[test]
fn swift_protocols_and_extensions() {
    check_of(
        &ALL,
        r#"//- Shop.swift
class Shop: Base, Seller {
    let repo: Repo
    init(repo: Repo) { self.repo = repo }
    func sell() { repo.save(); note(); open(); log("x") }
    private func note() {}
}
extension Shop { func extra() { sell() } }
let shop = Shop(repo: Repo())
shop.sell()
//- Base.swift
class Base { func open() {} }
protocol Seller { func sell() }
func log(_ s: String) {}
//- Repo.swift
struct Repo { func save() { write() } private func write() {} }
"#,
        "
        Repo.swift#Repo.save calls Repo.swift#Repo.write
        Shop.swift#Shop extends Base.swift#Base
        Shop.swift#Shop extends Base.swift#Seller
        Shop.swift#Shop.extra calls Shop.swift#Shop.sell
        Shop.swift#Shop.sell calls Repo.swift#Repo.save
        Shop.swift#Shop.sell calls Shop.swift#Shop.note
        Shop.swift#Shop.sell calls? Base.swift#Base.open
        Shop.swift#Shop.sell calls? Base.swift#log
        Shop.swift#Shop.sell extends Base.swift#Seller.sell
        Shop.swift#shop calls? Shop.swift#Shop.init
        ",
    );
}

#[test]
fn bash_functions_and_sources() {
    check_of(
        &ALL,
        r#"//- run.sh
#!/usr/bin/env bash
source ./lib.sh
main() { log "start"; local_one; }
local_one() { echo hi | filter; }
main "$@"
//- lib.sh
log() { printf '%s\n' "$1"; }
filter() { grep -v x; }
"#,
        "
        run.sh# calls run.sh#main
        run.sh#local_one calls lib.sh#filter
        run.sh#main calls lib.sh#log
        run.sh#main calls run.sh#local_one
        ",
    );
}

#[test]
fn lua_modules_and_metatables() {
    check_of(
        &ALL,
        r#"//- lua/shop/init.lua
local order = require("shop.order")
local ok, util = pcall(require, "shop.util")
local M = {}
function M.run()
  local one = order.new(1)
  one:add(util.round(2))
  return M.finish(one)
end
M.finish = function(one) return one:total() end
return M
//- lua/shop/order.lua
local Order = {}
Order.__index = Order
local function check(id) return id end
function Order.new(id) return setmetatable({ id = check(id) }, Order) end
function Order:add(line) self:total() end
function Order:total() return 0 end
return Order
//- lua/shop/util.lua
local function round(value) return value end
return { round = round }
"#,
        "
        lua/shop/init.lua#M.run calls lua/shop/order.lua#Order.new
        lua/shop/init.lua#M.run calls lua/shop/util.lua#round
        lua/shop/init.lua#M.run calls? lua/shop/init.lua#M.finish
        lua/shop/order.lua#Order.add calls? lua/shop/order.lua#Order.total
        lua/shop/order.lua#Order.new calls lua/shop/order.lua#check
        ",
    );
}
