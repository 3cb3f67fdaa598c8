//! Tests of the facts of Lua files.

use crate::Language::Lua;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"#!/usr/bin/env lua
--- Sessions of users.
-- @see spec::auth/session

local json = require("dkjson")
local ok, store = pcall(require, "shop.store")

local M = {}
local LIMIT = 10

--- A session.
-- @see spec::auth/login
local Session = {}
Session.__index = Session

function Session.new(name)
  return setmetatable({ name = name }, Session)
end

-- Opens it.
function Session:open(flags)
  self:check(flags)
  store.put(self.name)
end

function Session:check(flags)
  if flags then
    print(json.encode(flags))
  end
end

local function helper(a, ...)
  return a
end

M.start = function(name)
  local one = Session.new(name)
  one:open(helper(LIMIT))
  for _, each in ipairs(one.all) do
    each:close()
  end
  return one
end

M.version = "1.0"

return M
"##;

#[test]
fn declarations_docs_imports_and_exports() {
    check(
        Lua,
        TEXT,
        r##"
        module "Sessions of users.\n@see spec::auth/session"
        variable M pub exported :8 `local M = {}`
        variable LIMIT :9 `local LIMIT = 10`
        variable Session :13 `local Session = {}` "A session.\n@see spec::auth/login"
        function Session.new pub :16 `function Session.new(name)`
        method Session.open pub :21 `function Session:open(flags)` "Opens it."
        method Session.check pub :26 `function Session:check(flags)`
        function helper :32 `local function helper(a, ...)`
        function M.start pub exported :36 `M.start = function(name)`
        field M.version pub exported :45 `M.version = "1.0"`
        require dkjson *=json
        require shop.store *=store
        export commonjs default is M
        export commonjs start is M.start
        export commonjs version is M.version
        see spec::auth/session on module :3
        see spec::auth/login on Session :12
"##,
    );
}

#[test]
fn calls_and_values() {
    check_flow(
        Lua,
        TEXT,
        r##"
        param Session.new#0 name
        param Session.open#0 flags
        param Session.check#0 flags
        param helper#0 a
        param M.start#0 name
        module: M = {}
        module: Session = {}
        module: Session.__index = Session
        module: Session.new = &Session.new
        Session.new: #0 ~setmetatable({"name": %name}, Session)
        Session.new: return Session
        module: Session.open = &Session.open
        Session.open: #1 Session.check(%flags)
        Session.open: #2 ^store.put(Session.name)
        module: Session.check = &Session.check
        Session.check?: #3 ^json.encode(%flags)
        Session.check?: #4 ~print(#3)
        helper: return %a
        module: M.start = &M.start
        M.start: #5 Session.new(%name)
        M.start: one = #5
        M.start: #6 $helper(LIMIT)
        M.start: #7 one.open(#6)
        M.start?: #8 ~ipairs(one.all)
        M.start?: each = each one.all
        M.start?: #9 each.close()
        M.start: return one
        module: M.version = "1.0"
"##,
    );
}

#[test]
fn tables_that_are_returned_list_their_functions() {
    check(
        Lua,
        "local M = {\n  --- Adds.\n  add = function(a, b) return a + b end,\n  name = 'x',\n}\nlocal function sub() end\nreturn { add = M.add, sub = sub }\n",
        r##"
        variable M :1 `local M = { add = function(a, b) return a + b end, name = 'x', }`
        function M.add pub exported :3 `add = function(a, b)` "Adds."
        function sub pub exported :6 `local function sub()`
        export commonjs default
        export commonjs add is M.add
        export commonjs sub is sub
"##,
    );
}
