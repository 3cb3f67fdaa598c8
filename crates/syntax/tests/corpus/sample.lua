--- A shop.
local json = require("json")
local util = require "shop.util"

local M = {}

-- How many orders fit.
local LIMIT = 10

--- An order.
local Order = {}
Order.__index = Order

--- Makes an order.
-- @param id its number
function Order.new(id)
  return setmetatable({ id = id, lines = {} }, Order)
end

function Order:add(line)
  if #self.lines >= LIMIT then
    return nil, "full"
  end
  table.insert(self.lines, line)
end

function Order:total()
  local sum = 0
  for _, line in ipairs(self.lines) do
    sum = sum + line.price
  end
  return sum
end

local function round(value)
  return math.floor(value * 100 + 0.5) / 100
end

M.version = "1.2"

M.pay = function(order)
  return util.charge(round(order:total()), json.encode(order))
end

M.text = [[
a text
  of lines
]]

return M
