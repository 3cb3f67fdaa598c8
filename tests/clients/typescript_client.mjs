// The official TypeScript client, before and since 2026-07-28, over stdio and HTTP.

import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { cairn: { type: "string" }, repo: { type: "string" }, tools: { type: "string" } },
});
for (const name of ["cairn", "repo", "tools"]) {
  if (!options[name]) throw new Error(`--${name} is missing`);
}

const installed = createRequire(join(options.tools, "node", "package.json"));
const { Client, StreamableHTTPClientTransport } = installed("@modelcontextprotocol/client");
const { StdioClientTransport } = installed("@modelcontextprotocol/client/stdio");

const here = dirname(fileURLToPath(import.meta.url));
const known = JSON.parse(execFileSync("python3", [join(here, "surface.py"), options.repo], { encoding: "utf8" }));
const token = "a-token-for-tests-0123456789abcdef";
const modes = ["legacy", "auto", { pin: "2026-07-28" }];

let passed = 0;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok ${name}: ${String(error?.message ?? error).replace(/\s+/g, " ")}`);
  }
}

function expect(condition, otherwise) {
  if (!condition) throw new Error(otherwise);
}

function stdio(...flags) {
  const args = ["-C", options.repo, "mcp", ...flags];
  return new StdioClientTransport({ command: options.cairn, args, stderr: "ignore" });
}

function http(address) {
  const headers = { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL("/mcp", address), { requestInit: { headers } });
}

/// Connects, runs `body`, and hangs up whatever happens.
async function connected(way, mode, transport, body) {
  await check(`${way}: connect`, async () => {
    const client = new Client({ name: "typescript", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(transport);
    try {
      const version = client.getNegotiatedProtocolVersion();
      expect(version >= "2026-07-28" === (mode !== "legacy"), `spoke ${version}`);
      await body(client);
    } finally {
      await client.close();
    }
  });
}

async function everyday(way, client) {
  const list = async () => (await client.listTools(undefined, { cacheMode: "bypass" })).tools;
  const before = await list();
  await check(`${way}: tools/list`, () => {
    const missing = known.listed.filter((name) => !before.some((tool) => tool.name === name));
    expect(missing.length === 0, `${missing} are not listed`);
  });
  await calls(way, client);
  await resources(way, client);
  await prompts(way, client);
  await check(`${way}: the list is the same after the calls`, async () => {
    expect(isDeepStrictEqual(await list(), before), "it changed");
  });
}

async function calls(way, client) {
  for (const [name, args, part] of known.calls) {
    await check(`${way}: ${label(name, args)}`, async () => {
      const result = await client.callTool({ name, arguments: args });
      expect(!result.isError, text(result));
      expect(text(result).includes(part), `no ${part} in ${text(result)}`);
    });
  }
  for (const [name, args, code] of known.refusals) {
    await check(`${way}: ${label(name, args)} is ${code}`, async () => {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError, `not refused: ${text(result)}`);
      expect(text(result).includes(code), `no ${code} in ${text(result)}`);
    });
  }
}

async function resources(way, client) {
  await check(`${way}: resources/list`, () => client.listResources());
  await check(`${way}: resources/templates/list`, async () => {
    const found = (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate);
    expect(found.includes(known.template), `only ${found}`);
  });
  await check(`${way}: resources/read`, async () => {
    const { contents } = await client.readResource({ uri: known.uri });
    expect(contents[0]?.text, "nothing in it");
  });
  await check(`${way}: resources/read of what is not there`, () =>
    refused(client.readResource({ uri: known.missing_uri })),
  );
  await check(`${way}: completion of a path`, async () => {
    const ref = { type: "ref/resource", uri: known.template };
    const argument = { name: "path", value: known.path.slice(0, -3) };
    const { values } = (await client.complete({ ref, argument })).completion;
    expect(values.includes(known.path), `only ${values}`);
  });
}

async function prompts(way, client) {
  await check(`${way}: prompts/list`, async () => {
    const names = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
    expect(names.includes(known.prompt), `only ${names}`);
  });
  await check(`${way}: prompts/get`, async () => {
    const got = await client.getPrompt({ name: known.prompt, arguments: known.prompt_arguments });
    expect(got.messages[0].content.text.includes(known.path), "the path is not in it");
  });
}

async function refused(answer) {
  const error = await answer.then(
    () => undefined,
    (error) => error,
  );
  expect(error, "it was answered");
  expect(Number.isInteger(error.code), `not an error of MCP: ${error}`);
}

async function structured(way, client) {
  // The client itself checks an answer against the schema it has listed.
  await client.listTools();
  for (const [name, args] of known.calls) {
    await check(`${way}: ${label(name, args)} fits its schema`, async () => {
      const result = await client.callTool({ name, arguments: args });
      expect(!result.isError, text(result));
      expect(result.structuredContent, "no structured content");
    });
  }
}

const label = (name, args) => (args.operation ? `${name} ${args.operation}` : name);
const text = (result) => result.content.map((block) => block.text ?? "").join("\n");

/// Starts a server over HTTP and waits until it says where it is.
async function serve() {
  const args = ["-C", options.repo, "mcp", "--http", "127.0.0.1:0"];
  const server = spawn(options.cairn, args, { env: { ...process.env, CAIRN_TOKEN: token } });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    const hear = (bytes) => {
      said += bytes;
      const found = said.match(/http:\/\/[0-9.]+:[0-9]+/);
      if (found) resolve(found[0]);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", () => reject(new Error(`the server ended: ${said}`)));
  });
  return { server, address };
}

const { server, address } = await serve();
try {
  for (const mode of modes) {
    const name = mode.pin ?? mode;
    const ways = { [`typescript ${name} stdio`]: stdio(), [`typescript ${name} http`]: http(address) };
    for (const [way, transport] of Object.entries(ways)) {
      await connected(way, mode, transport, (client) => everyday(way, client));
    }
    const way = `typescript ${name} structured`;
    await connected(way, mode, stdio("--toolsets", "all", "--structured"), (client) => structured(way, client));
  }
} finally {
  server.removeAllListeners("exit");
  server.kill();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed || !passed ? 1 : 0;
