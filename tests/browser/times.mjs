// How long each view takes and how large it is, as a table: of the named clones, and of a repository
// with 2,000 requirements and 20,000 tasks.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

import { open, serve } from "./browser.mjs";

const REQUIREMENTS = 2000;
const FEATURES = 200;
const TASKS = 100;

/** How often each view is measured; the middle counts. */
const ROUNDS = 7;

const VIEWS = ["/", "/part/attention", "/part/activity", "/part/about", "/part/tasks", "/file/", "/search?q=parse", "/matrix", "/matrix?show=gaps",
  "/cards", "/review", "/board", "/knowledge", "/decisions", "/hotspots", "/hotspots?colour=tests", "/cochange?path=.", "/checks"];

/** Measures the views of the clones, then those of the large repository. */
export async function measureTimes(browser, options, folder) {
  console.log(`Load at the start: ${loadavg().map((each) => each.toFixed(1)).join(", ")}\n`);
  console.log("| repository | view | answered | shown | HTML | with everything it loads, compressed |\n|---|---|---|---|---|---|");
  for (const repo of options.repo.split(",").filter(Boolean)) {
    await measure(browser, options, repo, async (tab) => [...VIEWS, ...await busiest(tab)]);
  }
  const large = join(folder, "large");
  const project = makeLarge(large, options.cairn);
  const pages = [0, 100, 1000, 1900].map((offset) => `/matrix?offset=${offset}`);
  const lanes = [0, 5000, 13000].map((offset) => `/board?project=${project}&lane=NEW&offset=${offset}`);
  await measure(browser, options, large, () => ["/", "/part/attention", "/part/tasks", ...pages, "/matrix?show=gaps",
    "/matrix?format=csv", "/kb/REQ-1000", "/board", ...lanes, "/search?q=rounding", "/checks"]);
}

/** The file that changes most, its busiest symbol, history and graph. */
async function busiest(tab) {
  await tab.show("/hotspots");
  const file = await tab.page.locator("main tbody a.path").first().getAttribute("href").catch(() => null);
  if (!file) return [];
  const path = file.slice("/file/".length);
  await tab.show(file);
  const symbol = await tab.page.locator('aside a[href^="/symbol/"]').first().getAttribute("href").catch(() => null);
  return [file, symbol, `/history/${path}`, `/graph?around=${path}`].filter(Boolean);
}

async function measure(browser, options, repository, choose) {
  const server = await serve(options.cairn, repository);
  const tab = await open(browser, server);
  for (const path of ["/", "/hotspots", "/matrix"]) await tab.show(path); // whatever is built on first use is built
  const name = repository.split("/").filter(Boolean).at(-1);
  await compareWithCopy(tab, name);
  for (const path of await choose(tab)) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnce(tab, path));
    const middle = (field) => rounds.map((each) => each[field]).sort((a, b) => a - b)[ROUNDS >> 1];
    const shown = rounds[0].shown === null ? "–" : `${middle("shown").toFixed(0)} ms`;
    const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
    console.log(`| ${name} | \`${path}\` | ${middle("answered").toFixed(0)} ms | ${shown} | ${kilobytes(rounds[0].html)} | ${kilobytes(rounds[0].all)} |`);
  }
  console.log(`| ${name} | load now: ${loadavg()[0].toFixed(1)} | | | | |`);
  await tab.context.close();
  await server.stop();
}

/** The overview beside a copy of its bytes that a plain server sends from memory, in turns: what both
 * take is the browser's own time. */
async function compareWithCopy(tab, name) {
  const copy = await serveCopy(tab);
  const [own, copied] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await measureOnce(tab, "/"));
    copied.push(await measureOnce({ ...tab, origin: copy.origin }, "/"));
  }
  const middle = (rounds, field) => rounds.map((each) => each[field]).sort((a, b) => a - b)[ROUNDS >> 1];
  const said = (rounds) => `answered ${middle(rounds, "answered").toFixed(0)} ms, shown ${middle(rounds, "shown").toFixed(0)} ms`;
  const load = loadavg()[0].toFixed(1);
  console.log(`| ${name} | \`/\` (load ${load}): ${said(own)}; static copy: ${said(copied)}; ratio ${(middle(own, "shown") / middle(copied, "shown")).toFixed(2)} | | | | |`);
  await copy.close();
}

/** Keeps everything that the overview loads, and serves it from memory. */
async function serveCopy({ page, origin, settled }) {
  const kept = new Map();
  const keep = (response) => {
    const { pathname } = new URL(response.url());
    if (pathname === "/events") return;
    kept.set(pathname, response.body().then((body) => ({ body, type: response.headers()["content-type"] }), () => null));
  };
  page.on("response", keep);
  await (await page.context().newCDPSession(page)).send("Network.clearBrowserCache");
  await page.goto(`${origin}/`);
  await settled();
  page.off("response", keep);
  const files = new Map();
  for (const [path, file] of kept) files.set(path, await file);
  const server = createServer((request, response) => {
    const file = files.get(new URL(request.url, origin).pathname);
    if (!file) return response.writeHead(204).end(); // live events: there are none
    return response.writeHead(200, { "content-type": file.type, "cache-control": "no-store" }).end(file.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); });
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

/** One look at a view with an empty cache; parts and files are only fetched. */
async function measureOnce({ page, origin, settled }, path) {
  const isPage = !path.startsWith("/part/") && !path.includes("format=");
  if (!isPage) {
    const { answered, text } = await page.evaluate(async (address) => {
      const begin = performance.now();
      const text = await (await fetch(address)).text();
      return { answered: performance.now() - begin, text };
    }, path);
    return { answered, shown: null, html: text.length, all: gzipSync(text).length };
  }
  const bodies = [];
  const keep = (response) => {
    if (!response.url().endsWith("/events")) bodies.push(response.body().catch(() => Buffer.alloc(0)));
  };
  const session = await page.context().newCDPSession(page);
  await session.send("Network.clearBrowserCache");
  page.on("response", keep);
  await page.goto(origin + path, { waitUntil: "load" });
  await session.detach();
  // The first paint can come after the page has loaded.
  const times = await page.evaluate(() => new Promise((resolve) => {
    const [navigation] = performance.getEntriesByType("navigation");
    new PerformanceObserver((seen, observer) => {
      const paint = seen.getEntriesByName("first-contentful-paint")[0];
      if (!paint) return;
      observer.disconnect();
      resolve({ answered: navigation.responseEnd - navigation.startTime, shown: paint.startTime });
    }).observe({ type: "paint", buffered: true });
  }));
  // The late parts belong to what a view loads, and would slow down the next round.
  await settled();
  page.off("response", keep);
  const all = await Promise.all(bodies);
  return { ...times, html: all[0].length, all: all.reduce((sum, body) => sum + gzipSync(body).length, 0) };
}

/** A repository with many requirements, each with a symbol and a test, confirmed, and many tasks. Returns its project's id. */
function makeLarge(folder, cairn) {
  const env = { ...process.env, HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const files = {};
  const symbols = ["symbols:"];
  for (let number = 0; number < REQUIREMENTS; number += 1) {
    const id = String(number).padStart(4, "0");
    const area = `src/area${Math.floor(number / 20)}`;
    files[`${area}.ts`] = `${files[`${area}.ts`] ?? ""}export function rule${id}(cents: number): number {\n  return cents + ${number};\n}\n`;
    const hasCode = number % 10 !== 9;
    write(`docs/requirements/REQ-${id}.md`, ["---", `id: REQ-${id}`, `title: Rule ${number} of the price list holds`,
      `status: ${number % 3 ? "in_progress" : "open"}`, "priority: should", "---", "", `Rule ${number} adds to the price.`, ""].join("\n"));
    if (hasCode) symbols.push(`  - id: SYM-${id}`, `    title: Applies rule ${number}`, `    code: ${area}.ts#rule${id}`, `    implements: [REQ-${id}]`);
  }
  write("docs/requirements/symbols.yaml", `${symbols.join("\n")}\n`);
  for (const [path, text] of Object.entries(files)) {
    write(path, text);
    const names = [...text.matchAll(/function (\w+)/g)].map((found) => found[1]);
    const module = path.slice("src/".length, -".ts".length);
    const tests = names.filter((_, at) => at % 2).map((name) => `test("${name}", () => { expect(${name}(1)).toBeDefined(); });`);
    write(`tests/${module}.test.ts`, `import { ${names.join(", ")} } from "../src/${module}";\n${tests.join("\n")}\n`);
  }
  const git = (...words) => execFileSync("git", ["-C", folder, ...words], { env });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("add", "--all");
  git("commit", "--quiet", "--message", "feat: rules");
  const ask = (...words) => JSON.parse(execFileSync(cairn, ["-C", folder, "--json", ...words], { env, encoding: "utf8", maxBuffer: 1 << 28 })).data;
  ask("confirm", "--all", "--why", "read both");
  for (let first = 0; first < FEATURES; first += 50) {
    write("PLAN.md", plan(first, first + 50));
    ask("work", "plan", "PLAN.md");
  }
  return ask("work", "search", "--kind", "project").items[0].id;
}

function plan(first, end) {
  const lines = ["# Project: Shop", ""];
  for (let feature = first; feature < end; feature += 1) {
    lines.push(`# Feature: Feature ${feature}`, "", "- status: ACTIVE", "");
    for (let task = 0; task < TASKS; task += 1) {
      lines.push(`## Task: Task ${feature}.${task}`, "", `- status: ${task % 3 ? "NEW" : "CLOSED"}`, `- tags: t${task % 10}, area${feature % 7}`);
      if (task % 5 === 4) lines.push(`- blocked by: Task ${feature}.${task - 1}`);
      lines.push("", "Amounts are in cents, and rounding happens once.", "");
    }
  }
  return lines.join("\n");
}
