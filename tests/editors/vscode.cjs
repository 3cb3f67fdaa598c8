// Activates the extension for Visual Studio Code in node, with a stand-in for the editor's interface, and uses all that
// it offers with a real `cairn`:
//
//   CAIRN=/path/to/cairn EXTENSION=/path/to/editors/vscode node tests/editors/vscode.cjs
//
// EXTENSION has its dependencies installed (`npm ci`). What the stand-in does not know is a function that returns
// something that can be disposed of, so the language client believes that it talks to an editor.
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL, fileURLToPath } = require("node:url");

const LIMIT = 120_000; // milliseconds
const CAIRN = path.resolve(process.env.CAIRN);
const EXTENSION = path.resolve(process.env.EXTENSION);

const CODE = `/**
 * Logs a user in.
 *
 * @see spec::auth/login
 */
export function login(name: string) { return name; }

/**
 * Logs a user out.
 *
 * @see spec::auth/logout
 */
export function logout() {}
`;

/** A repository with one card, one link to it and one link to nothing. */
function repository() {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "cairn-vscode-")));
  const run = (program, ...args) =>
    execFileSync(program, args, { cwd: root, env: { ...process.env, HOME: root, CAIRN_BACKGROUND: "off" } });
  run("git", "init", "-q", "-b", "main");
  run(CAIRN, "init", "--agents", "none");
  run(CAIRN, "card", "create", "spec::auth/login", "--summary", "A user logs in with a name");
  fs.mkdirSync(path.join(root, "src"));
  fs.writeFileSync(path.join(root, "src/auth.ts"), CODE);
  return root;
}

/** Waits until something holds. */
async function until(what, holds) {
  const end = Date.now() + LIMIT;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** What the extension did to the editor. */
const seen = { commands: new Map(), ran: [], errors: [], opened: [], output: "", mcp: [], diagnostics: new Map(), providers: new Map() };

class Disposable {
  constructor(dispose = () => {}) { this.dispose = dispose; }
  static from(...all) { return new Disposable(() => all.forEach((one) => one.dispose())); }
}

class Emitter {
  constructor() {
    this.heard = new Set();
    this.event = (listener) => {
      this.heard.add(listener);
      return new Disposable(() => this.heard.delete(listener));
    };
  }
  fire(value) { this.heard.forEach((listener) => listener(value)); }
  dispose() { this.heard.clear(); }
}

class Uri {
  constructor(fsPath) { Object.assign(this, { fsPath, path: fsPath, scheme: "file", authority: "", query: "", fragment: "" }); }
  static file(name) { return new Uri(name); }
  static parse(text) { return text.startsWith("file:") ? new Uri(fileURLToPath(text)) : { toString: () => text }; }
  toString() { return pathToFileURL(this.fsPath).href; }
  with() { return this; }
}

class Place { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(first, second, line, character) {
    const places = typeof first === "number" ? [new Place(first, second), new Place(line, character)] : [first, second];
    [this.start, this.end] = places;
  }
}
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class TokenSource {
  constructor() { this.token = { isCancellationRequested: false, onCancellationRequested: new Emitter().event }; }
  cancel() {}
  dispose() {}
}
class McpStdioServerDefinition { constructor(label, command, args) { Object.assign(this, { label, command, args }); } }

/** An object that has everything: events, functions, and classes whose members are their own names. */
function anything(known) {
  return new Proxy(known, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || key === "then") return target[key];
      if (/^register.*Provider$/.test(key)) {
        return (_, provider) => {
          seen.providers.set(key, provider);
          return new Disposable();
        };
      }
      if (/^on[A-Z]/.test(key)) return (target[key] = new Emitter().event);
      if (/^[A-Z]/.test(key)) {
        const made = class { constructor(...args) { this.args = args; } };
        return (target[key] = new Proxy(made, { get: (of, member) => (member in of || typeof member === "symbol" ? of[member] : member) }));
      }
      return () => new Disposable();
    },
  });
}

function editor(root) {
  const file = Uri.file(path.join(root, "src/auth.ts"));
  const lines = CODE.split("\n");
  const open = {
    uri: file, fileName: file.fsPath, languageId: "typescript", version: 1, isClosed: false, isDirty: false,
    lineCount: lines.length, getText: () => CODE, lineAt: (at) => ({ text: lines[at.line ?? at] }),
  };
  const settings = { path: CAIRN, mcp: true };
  const log = {
    append: (text) => (seen.output += text), appendLine: (text) => (seen.output += `${text}\n`),
    clear: () => (seen.output = ""), show() {}, hide() {}, dispose() {}, replace() {}, name: "cairn",
    trace() {}, debug() {}, info() {}, warn() {}, error() {},
  };
  const collection = {
    set: (uri, found) => seen.diagnostics.set(uri.fsPath, found ?? []), delete: (uri) => seen.diagnostics.delete(uri.fsPath),
    clear() {}, dispose() {}, forEach() {}, get: (uri) => seen.diagnostics.get(uri.fsPath), has: () => false, name: "cairn",
  };
  return anything({
    version: "1.101.0", Disposable, EventEmitter: Emitter, Uri, Position: Place, Range, Diagnostic,
    CancellationTokenSource: TokenSource, McpStdioServerDefinition,
    workspace: anything({
      workspaceFolders: [{ uri: Uri.file(root), name: "repo", index: 0 }],
      textDocuments: [open], notebookDocuments: [],
      getWorkspaceFolder: () => ({ uri: Uri.file(root), name: "repo", index: 0 }),
      getConfiguration: () => ({ get: (key, otherwise) => settings[key] ?? otherwise, inspect: () => undefined }),
    }),
    window: anything({
      createOutputChannel: () => log, visibleTextEditors: [], activeTextEditor: undefined, state: { focused: true },
      tabGroups: { all: [], onDidChangeTabs: new Emitter().event, onDidChangeTabGroups: new Emitter().event },
      showErrorMessage: async (text) => void seen.errors.push(text),
    }),
    languages: anything({
      createDiagnosticCollection: () => collection,
      match: (selector, document) => (document.uri.fsPath.startsWith(root) ? 10 : 0),
    }),
    commands: {
      registerCommand: (name, run) => {
        seen.commands.set(name, run);
        return new Disposable();
      },
      executeCommand: async (name, ...args) => void seen.ran.push([name, ...args]),
      getCommands: async () => [...seen.commands.keys()],
    },
    env: anything({ language: "en", appName: "stand-in", openExternal: async (uri) => seen.opened.push(String(uri)) }),
    lm: {
      registerMcpServerDefinitionProvider: (name, provider) => {
        seen.mcp.push([name, provider]);
        return new Disposable();
      },
    },
    extensions: anything({ all: [] }),
  });
}

async function main() {
  const root = repository();
  const vscode = editor(root);
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  const manifest = JSON.parse(fs.readFileSync(path.join(EXTENSION, "package.json"), "utf8"));
  const extension = require(path.join(EXTENSION, manifest.main));
  const context = { subscriptions: [] };

  await extension.activate(context);
  assert.deepStrictEqual(seen.errors, [], "the language server starts");
  const offered = manifest.contributes.commands.map((one) => one.command).sort();
  assert.deepStrictEqual([...seen.commands.keys()].filter((name) => name.startsWith("cairn.") && offered.includes(name)).sort(), offered);

  const file = path.join(root, "src/auth.ts");
  await until("a problem of the broken link", () => (seen.diagnostics.get(file) ?? []).length > 0);
  const problems = seen.diagnostics.get(file).map((one) => [String(one.code?.value ?? one.code), one.range.start.line]);
  assert.deepStrictEqual(problems, [["SEE_TARGET_MISSING", 10]]);
  for (const needed of ["registerHoverProvider", "registerDefinitionProvider", "registerCodeLensProvider", "registerCodeActionsProvider", "registerReferenceProvider"]) {
    assert.ok(seen.providers.has(needed), `${needed} was not called`);
  }

  const [[id, provider]] = seen.mcp;
  assert.strictEqual(id, manifest.contributes.mcpServerDefinitionProviders[0].id);
  const [server] = provider.provideMcpServerDefinitions();
  assert.deepStrictEqual([server.command, server.args, server.cwd.fsPath], [CAIRN, ["mcp"], root]);

  seen.commands.get("cairn.showOverview")();
  await until("the overview", () => /basis: /.test(seen.output));

  seen.commands.get("cairn.openPage")();
  // Not in a frame of the editor: the page forbids to be shown in one.
  await until("the page", () => seen.opened.length + seen.ran.length + seen.errors.length > 0);
  assert.deepStrictEqual([seen.errors, seen.ran], [[], []]);
  const reply = await fetch(seen.opened[0]);
  assert.strictEqual(reply.status, 200);
  assert.match(reply.headers.get("content-security-policy"), /frame-ancestors 'none'/);
  assert.match(await reply.text(), /<title>/);

  await seen.commands.get("cairn.restart")();
  await extension.deactivate();
  await until("the end of the page", () => {
    try {
      execFileSync("pgrep", ["-f", `${CAIRN} ui`, "-P", String(process.pid)]);
      return false;
    } catch {
      return true;
    }
  });
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 }); // a server may still be ending
  process.stdout.write("activated: problems, hover, definition, lens, actions, references, MCP server, overview, page, restart\n");
  process.exit(0);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n${JSON.stringify({ ...seen, commands: [...seen.commands.keys()] }, null, 1).slice(0, 3000)}\n`);
  process.exit(1);
});
