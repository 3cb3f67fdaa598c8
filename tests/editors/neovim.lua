-- Drives `cairn lsp` from Neovim 0.7 or newer:
--
--   CAIRN=… ROOT=… FILE=… LINE=… COLUMN=… nvim --headless --clean -c 'luafile neovim.lua' -c 'qa!'
--
-- Writes what the editor was told as JSON into the file that OUTPUT names. LINE and COLUMN are counted from 1 and name a
-- place in an `@see`. ACTIONS is optional: a JSON list of actions to run, each `{"text": …, "title": …}`, where `text`
-- is a part of the line that the cursor is in, and `title` the beginning of the action's title.
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
  -- From the card back to the code: the cursor is in the key of the card's first lines.
  local back
  local card = definition and definition.uri
  if card then
    local key = { textDocument = { uri = card }, position = { line = 1, character = 8 } }
    local linked = ask("textDocument/definition", key)
    back = linked and linked[1] and linked[1].uri .. ":" .. linked[1].range.start.line + 1
  end
  local function lens_titles()
    local titles = {}
    for _, lens in ipairs(ask("textDocument/codeLens", { textDocument = document }) or {}) do
      table.insert(titles, lens.command.title)
    end
    return titles
  end
  local function offered_at(position)
    local range = { start = position, ["end"] = position }
    local context = { diagnostics = {} }
    return ask("textDocument/codeAction", { textDocument = document, range = range, context = context }) or {}
  end
  local lenses, actions = lens_titles(), {}
  for _, action in ipairs(offered_at(place)) do
    table.insert(actions, action.title)
  end

  local acted = {}
  for _, wanted in ipairs(vim.json.decode(env.ACTIONS or "[]")) do
    local position
    for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      local column = line:find(wanted.text, 1, true)
      if column then
        position = { line = number - 1, character = column - 1 }
        break
      end
    end
    assert(position, "no line contains " .. wanted.text)
    local chosen
    for _, action in ipairs(offered_at(position)) do
      if not chosen and vim.startswith(action.title, wanted.title) then chosen = action end
    end
    assert(chosen, "no action begins with " .. wanted.title)
    ask("workspace/executeCommand", { command = chosen.command.command, arguments = chosen.command.arguments })
    -- The action wrote to disk; the editor reads the file again as it does when a person comes back to it.
    vim.cmd("silent edit!")
    table.insert(acted, chosen.title)
  end
  local lenses_after = lens_titles()

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
    back = back,
    lenses = lenses,
    lenses_after = lenses_after,
    actions = actions,
    acted = acted,
    diagnostics = vim.tbl_map(function(one) return { line = one.lnum + 1, code = one.code, source = one.source } end, found),
  }
end

local fine, answer = pcall(drive)
local output = assert(io.open(env.OUTPUT, "w"))
output:write(vim.json.encode(fine and answer or { failure = tostring(answer) }))
output:close()
