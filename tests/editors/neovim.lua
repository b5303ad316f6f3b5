-- Neovim as a client: opens a file, waits for diagnostics, completes, renames, formats, and compares buffers.
-- Started by tests/editors.sh with the program in $SINEW and a folder in $FOLDER. Works from Neovim 0.7 on.

local TIMEOUT = 20000
local failures = {}

local function check(what, expected, found)
  if not vim.deep_equal(expected, found) then
    table.insert(failures, string.format('%s:\n  expected %s\n  found    %s', what, vim.inspect(expected), vim.inspect(found)))
  end
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function write(name, text)
  local path = vim.env.FOLDER .. '/' .. name
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
  return path
end

-- A request of the buffer in front, answered.
local function ask(method, params)
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, TIMEOUT)
  if not answers then
    error(method .. ': ' .. tostring(problem))
  end
  local _, answer = next(answers)
  if not answer or answer.err or answer.error then
    error(method .. ': ' .. vim.inspect(answer))
  end
  return answer.result
end

local function wait_for_diagnostics(accept)
  local function codes()
    local found = {}
    for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
      local lsp = diagnostic.user_data and diagnostic.user_data.lsp or {}
      table.insert(found, diagnostic.code or lsp.code)
    end
    table.sort(found)
    return found
  end
  vim.wait(TIMEOUT, function() return accept(codes()) end, 20)
  return codes()
end

local function position(line, character)
  vim.api.nvim_win_set_cursor(0, { line + 1, character })
  return vim.lsp.util.make_position_params(0, 'utf-16')
end

local function apply(edit)
  vim.lsp.util.apply_workspace_edit(edit, 'utf-16')
end

local function run()
  local main = write('main.bicep', "param  name string\nparam unused int\n\nvar greeting='hello ${name}'\noutput text string = greeting\n")
  vim.cmd('edit ' .. main)
  vim.bo.filetype = 'bicep'
  local client = vim.lsp.start_client({ name = 'sinew', cmd = { vim.env.SINEW, 'lsp' }, root_dir = vim.env.FOLDER })
  assert(client, 'the server does not start')
  assert(vim.lsp.buf_attach_client(0, client), 'the server cannot be attached')

  check('diagnostics', { 'no-unused-params' }, wait_for_diagnostics(function(codes) return #codes == 1 end))

  local completed = ask('textDocument/completion', position(4, 21))
  local labels = {}
  for _, item in ipairs(completed.items or completed) do
    labels[item.label] = true
  end
  for _, label in ipairs({ 'name', 'greeting', 'toLower' }) do
    check('completion of ' .. label, true, labels[label])
  end

  local renamed = position(3, 5)
  renamed.newName = 'welcome'
  apply(ask('textDocument/rename', renamed))
  check('rename', {
    'param  name string', 'param unused int', '', "var welcome='hello ${name}'", 'output text string = welcome',
  }, lines())

  local edits = ask('textDocument/formatting', vim.lsp.util.make_formatting_params({ tabSize = 2, insertSpaces = true }))
  vim.lsp.util.apply_text_edits(edits, vim.api.nvim_get_current_buf(), 'utf-16')
  check('format', {
    'param name string', 'param unused int', '', "var welcome = 'hello ${name}'", 'output text string = welcome',
  }, lines())

  -- The server sees what the buffer has now, although nothing was saved.
  vim.api.nvim_buf_set_lines(0, 1, 2, false, {})
  check('diagnostics after an edit', {}, wait_for_diagnostics(function(codes) return #codes == 0 end))
  local hover = ask('textDocument/hover', position(2, 6))
  check('hover', true, vim.inspect(hover.contents):find('var welcome', 1, true) ~= nil)

  vim.lsp.stop_client(client)
  check('the server ends', true, vim.wait(TIMEOUT, function() return vim.lsp.client_is_stopped(client) end, 20))
end

local ok, problem = xpcall(run, debug.traceback)
if not ok then
  table.insert(failures, problem)
end
if #failures > 0 then
  io.stderr:write(table.concat(failures, '\n') .. '\n')
  vim.cmd('cquit 1')
end
io.stdout:write('neovim: all steps pass\n')
vim.cmd('qall!')
