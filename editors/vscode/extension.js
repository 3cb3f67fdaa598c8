// Starts `cairn lsp`, offers `cairn mcp` to agents in the editor, and opens the page.
"use strict";

const vscode = require("vscode");
const { spawn } = require("node:child_process");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;
/** @type {import("node:child_process").ChildProcess | undefined} */
let page;
/** @type {vscode.OutputChannel} */
let log;

function program() {
  return vscode.workspace.getConfiguration("cairn").get("path", "cairn");
}

function folder() {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

async function startClient() {
  const root = folder();
  if (!root) return;
  const server = { command: program(), args: ["lsp"], options: { cwd: root } };
  const options = {
    documentSelector: [{ scheme: "file", pattern: `${root}/**/*` }],
    outputChannel: log,
    initializationOptions: {},
  };
  client = new LanguageClient("cairn", "cairn", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const install = "How to install";
    const chosen = await vscode.window.showErrorMessage(
      `cairn did not start (${program()}): ${error.message ?? error}`,
      install,
    );
    if (chosen === install) {
      vscode.env.openExternal(vscode.Uri.parse("https://www.npmjs.com/package/cairn-code"));
    }
  }
}

async function stopClient() {
  const running = client;
  client = undefined;
  try {
    await running?.stop();
  } catch (error) {
    // A server that is too busy to answer is ended by the client a moment later.
    log.appendLine(`cairn did not stop in time: ${error.message ?? error}`);
  }
}

/** Prints the overview of the repository into the output of the extension. */
function showOverview() {
  const child = spawn(program(), ["overview"], { cwd: folder(), env: { ...process.env, NO_COLOR: "1" } });
  log.clear();
  child.stdout.on("data", (text) => log.append(text.toString()));
  child.stderr.on("data", (text) => log.append(text.toString()));
  child.on("error", (error) => log.appendLine(`cannot start ${program()}: ${error.message}`));
  log.show(true);
}

/** Starts the page and opens it at the address that it prints, in the browser: it forbids to be shown in a frame. */
function openPage() {
  page?.kill();
  const child = spawn(program(), ["ui"], { cwd: folder() });
  page = child;
  let said = "";
  let opened = false;
  const read = (text) => {
    said += text.toString();
    const address = said.match(/http:\/\/(?:127\.0\.0\.1|localhost):\d+\S*/)?.[0];
    if (address && !opened) {
      opened = true;
      vscode.env.openExternal(vscode.Uri.parse(address));
    }
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.on("error", (error) => vscode.window.showErrorMessage(`cannot start ${program()}: ${error.message}`));
  child.on("exit", (code) => {
    if (page === child) page = undefined;
    if (!opened) vscode.window.showErrorMessage(`\`cairn ui\` ended with ${code}: ${said.trim().split("\n")[0]}`);
  });
}

/** Agents in this editor can use the MCP server without a file in the repository. */
function mcpServers() {
  const root = folder();
  const wanted = vscode.workspace.getConfiguration("cairn").get("mcp", true);
  if (!root || !wanted) return [];
  const server = new vscode.McpStdioServerDefinition("cairn", program(), ["mcp"]);
  server.cwd = vscode.Uri.file(root);
  return [server];
}

exports.activate = async (context) => {
  log = vscode.window.createOutputChannel("cairn");
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("cairn.openPage", openPage),
    vscode.commands.registerCommand("cairn.showOverview", showOverview),
    vscode.commands.registerCommand("cairn.restart", async () => {
      await stopClient();
      await startClient();
    }),
    vscode.lm.registerMcpServerDefinitionProvider("cairn", {
      provideMcpServerDefinitions: mcpServers,
    }),
  );
  await startClient();
};

exports.deactivate = async () => {
  page?.kill();
  await stopClient();
};
