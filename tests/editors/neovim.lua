-- Drives `cairn lsp` from Neovim 0.7 or newer:
--
--   CAIRN=… ROOT=… FILE=… LINE=… COLUMN=… nvim --headless --clean -c 'luafile neovim.lua' -c 'qa!'
--
-- Writes what the editor was told as JSON into the file that OUTPUT names. LINE and COLUMN are counted from 1 and name a
-- place in an `@see`.
local env = vim.env
local limit = 120000 -- milliseconds

local function drive()
  vim.cmd("edit " .. vim.fn.fnameescape(env.ROOT .. "/" .. env.FILE))
  local buffer = vim.api.nvim_get_current_buf()
  local client
  local id = vim.lsp.start_client({
    name = "cairn",
    cmd = { env.CAIRN, "lsp" },
    root_dir = env.ROOT,
    on_init = function(started) client = started end,
  })
  assert(id, "the server did not start")
  assert(vim.wait(limit, function() return client ~= nil end, 10), "no reply to initialize")
  vim.lsp.buf_attach_client(buffer, id)

  local function ask(method, params)
    local reply, problem = client.request_sync(method, params, limit, buffer)
    assert(reply, problem)
    assert(not reply.err, vim.inspect(reply.err))
    return reply.result ~= vim.NIL and reply.result or nil
  end

  local document = { uri = vim.uri_from_bufnr(buffer) }
  local place = { line = tonumber(env.LINE) - 1, character = tonumber(env.COLUMN) - 1 }
  local at = { textDocument = document, position = place }
  local hover = ask("textDocument/hover", at)
  local definition = ask("textDocument/definition", at)
  local lenses, actions = {}, {}
  for _, lens in ipairs(ask("textDocument/codeLens", { textDocument = document }) or {}) do
    table.insert(lenses, lens.command.title)
  end
  local range = { start = place, ["end"] = place }
  local context = { diagnostics = {} }
  local offered = ask("textDocument/codeAction", { textDocument = document, range = range, context = context })
  for _, action in ipairs(offered or {}) do
    table.insert(actions, action.title)
  end

  -- An edit that breaks the link, saved in the editor, becomes a diagnostic in the editor.
  vim.api.nvim_buf_set_lines(buffer, place.line, place.line + 1, false, { env.BROKEN_LINE })
  vim.cmd("silent write")
  local found = {}
  vim.wait(limit, function()
    found = vim.diagnostic.get(buffer)
    return #found > 0
  end, 20)
  client.stop()
  return {
    hover = hover and hover.contents.value,
    definition = definition and definition.uri,
    lenses = lenses,
    actions = actions,
    diagnostics = vim.tbl_map(function(one) return { line = one.lnum + 1, code = one.code, source = one.source } end, found),
  }
end

local fine, answer = pcall(drive)
local output = assert(io.open(env.OUTPUT, "w"))
output:write(vim.json.encode(fine and answer or { failure = tostring(answer) }))
output:close()
