// Every view in both themes: no error, no foreign request, accessible, valid HTML, no sideways
// scrolling on a narrow screen, and usable without a script.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { AxeBuilder } from "@axe-core/playwright";
import { HtmlValidate } from "html-validate";

import { open, serve } from "./browser.mjs";
import { check, expect } from "./checks.mjs";

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: {
    // Our templates write void elements and attributes the short way, as HTML allows.
    "void-style": "off",
    "attribute-boolean-style": "off",
    "doctype-style": "off",
    "no-trailing-whitespace": "off",
    "long-title": "off",
    // Names in a repository can be of any length and contain anything.
    "valid-id": "off",
    "tel-non-breaking": "off",
    // A region that scrolls has to be reachable by keyboard.
    "no-redundant-role": "error",
    "prefer-native-element": "off",
  },
});

/** The addresses of all views of the fixture; those of another repository begin at what it has. */
function views(fixture) {
  const general = ["/", "/search?q=add", "/search", "/file/", "/cards", "/matrix", "/matrix?show=gaps",
    "/review", "/board", "/knowledge", "/decisions", "/hotspots", "/hotspots?colour=tests",
    "/cochange?path=.", "/graph", "/checks"];
  if (!fixture.first) return general;
  return [...general, "/review?base=HEAD~2", "/file/src", "/file/src/cart.ts", "/symbol/src/money.ts%23add",
    "/card/spec::money/add", `/task/${fixture.first.id}`, `/feature/${fixture.feature.id}`,
    `/project/${fixture.project.id}`, `/atom/${fixture.atom.id}`, "/kb/DEC-0001", "/history/src/cart.ts",
    "/graph?around=src/money.ts%23add", "/cochange?path=src"];
}

export async function testViews(browser, options, fixture) {
  const server = await serve(options.cairn, fixture.folder);
  const name = fixture.folder.split("/").at(-1);
  for (const colorScheme of ["light", "dark"]) {
    const tab = await open(browser, server, { colorScheme });
    const seen = new Set(views(fixture));
    if (!fixture.first) for (const path of await someLinks(tab)) seen.add(path);
    for (const path of seen) {
      await check(`${name}: ${path} in ${colorScheme}`, async () => {
        const response = await tab.show(path);
        tab.clean(path);
        expect(await tab.page.locator("h1").count() === 1, "not one h1");
        expect(await tab.page.locator("footer.basis").innerText() !== "", "no basis");
        // What is right in one theme can only differ in its colours in the other.
        await accessible(tab.page, colorScheme === "dark" ? COLOUR_RULES : undefined);
        if (colorScheme === "light") {
          valid(await response.text());
          await fitsNarrow(tab.page);
        }
      });
    }
    await tab.context.close();
  }
  if (fixture.first) {
    await withoutScript(browser, server);
    await keys(browser, server);
    await growing(browser, server);
    await live(browser, server, fixture);
    await exports(browser, server, options, fixture);
  }
  await server.stop();
}

/** Some files and symbols of a repository, by the links on its own pages. */
async function someLinks(tab) {
  await tab.show("/hotspots");
  const links = await tab.page.locator("main tbody a.path").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
  const file = links[0];
  if (!file) return [];
  await tab.show(file);
  const symbol = await tab.page.locator('aside a[href^="/symbol/"]').first().getAttribute("href").catch(() => null);
  const path = file.slice("/file/".length);
  return [file, symbol, `/history/${path}`, `/graph?around=${path}`].filter(Boolean);
}

/** The rules that look at colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

async function accessible(page, rules) {
  const builder = new AxeBuilder({ page });
  const { violations } = await (rules ? builder.withRules(rules) : builder).analyze();
  const found = violations.map((each) => `${each.id} at ${each.nodes.slice(0, 3).map((node) => node.target).join(", ")}`);
  expect(!found.length, found.join("; "));
}

function valid(text) {
  const report = validator.validateStringSync(text);
  const messages = report.results.flatMap((result) => result.messages);
  const found = messages.map((each) => `${each.line}:${each.column} ${each.ruleId} ${each.message}`);
  expect(!found.length, found.slice(0, 5).join("; "));
}

/** Nothing but tables, source and pictures, which scroll by themselves, is wider than a phone. */
async function fitsNarrow(page) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.setViewportSize(size);
  expect(wide <= 0, `on a narrow screen it is ${wide} pixels too wide`);
}

async function withoutScript(browser, server) {
  const tab = await open(browser, server, { javaScriptEnabled: false });
  const { page, origin } = tab;
  await check("search, a link and the graph work without a script", async () => {
    await page.fill("#q", "checkout");
    await page.press("#q", "Enter");
    await page.waitForURL(/\/search\?q=checkout/);
    await page.click('main a[href*="checkout.ts%23checkout"]');
    expect(page.url().includes("/symbol/"), page.url());
    await page.goto(`${origin}/graph?around=src/money.ts%23add`);
    const before = await page.locator("svg .shape").count();
    await page.locator("svg a[data-swap]").first().click();
    const after = await page.locator("svg .shape").count();
    expect(page.url().includes("open="), page.url());
    expect(after > before, `${before} nodes became ${after}`);
  });
  await check("the overview leads on without a script", async () => {
    await page.goto(`${origin}/`);
    expect(await page.locator('a[href="/checks"]').count() > 0, "no link to the checks");
  });
  await tab.context.close();
}

async function keys(browser, server) {
  const tab = await open(browser, server);
  const { page } = tab;
  await check("keys lead to search, views and rows", async () => {
    await tab.show("/");
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement.id) === "q", "search has no focus");
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.waitForURL(/\/matrix/);
    await tab.settled();
    await page.keyboard.press("j");
    const row = await page.evaluate(() => document.activeElement.closest("tr") !== null);
    expect(row, "no row has the focus");
    await page.keyboard.press("?");
    expect(await page.locator("dialog[open]").count() === 1, "no list of keys");
    await page.keyboard.press("Escape");
    tab.clean("keys");
  });
  await check("everything is reached with the tab key, beginning with the content", async () => {
    await tab.show("/board");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement.className) === "skip", "no link to the content first");
    const reached = new Set();
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.tagName));
    }
    for (const tag of ["A", "INPUT", "SELECT", "BUTTON"]) expect(reached.has(tag), `no ${tag} was reached`);
  });
  await tab.context.close();
}

async function growing(browser, server) {
  const tab = await open(browser, server);
  await check("a graph grows where one clicks, and its address says so", async () => {
    await tab.show("/graph?around=src/money.ts%23add");
    const shapes = tab.page.locator("svg .shape");
    const before = await shapes.count();
    await tab.page.locator("svg a[data-swap]").first().click();
    await tab.page.waitForURL(/open=/);
    await tab.page.waitForFunction((count) => document.querySelectorAll("svg .shape").length > count, before);
    const grown = await shapes.count();
    await tab.page.goBack();
    await tab.page.waitForFunction((count) => document.querySelectorAll("svg .shape").length < count, grown);
    tab.clean("graph");
  });
  await tab.context.close();
}

async function live(browser, server, fixture) {
  const tab = await open(browser, server);
  await check("a view follows the working tree", async () => {
    await tab.page.goto(`${server.origin}/file/`);
    // The first event has told the state, so that the next one is a change.
    await tab.page.waitForResponse((response) => response.url().endsWith("/events"));
    const seen = tab.page.locator("main", { hasText: "appeared.txt" });
    for (let round = 0; ; round += 1) {
      writeFileSync(join(fixture.folder, "appeared.txt"), `round ${round}\n`);
      if (await seen.waitFor({ timeout: 5000 }).then(() => true, () => false)) break;
      expect(round < 12, "the file does not appear");
    }
    tab.clean("live");
  });
  await tab.context.close();
}

async function exports(browser, server, options, fixture) {
  const folder = join(fixture.folder, "..");
  for (const [words, file] of [[["review", "HEAD~2", "--fail-on", "never"], "review.html"], [["card", "coverage"], "matrix.html"]]) {
    await check(`${words[0]} --html writes a file that needs nothing else`, async () => {
      const path = join(folder, file);
      execFileSync(options.cairn, ["-C", fixture.folder, ...words, "--html", path]);
      const context = await browser.newContext();
      const page = await context.newPage();
      const requests = [];
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(`file://${path}`);
      expect(requests.length === 1, requests.join(" "));
      expect(await page.locator("h1").count() === 1, "not one h1");
      await accessible(page);
      await context.close();
    });
  }
  await check("the matrix is a table for other programs", async () => {
    const tab = await open(browser, server);
    const body = await tab.page.evaluate(() => fetch("/matrix?format=csv").then((response) => response.text()));
    expect(body.startsWith("requirement,status,code,tests,verdict\r\n"), body);
    expect(body.includes('"spec::money/add","implemented","src/money.ts#add"'), body);
    await tab.context.close();
  });
}

/** A repository with nothing in it says everywhere what to do. */
export async function testEmpty(browser, options, folder) {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  execFileSync("git", ["-C", empty, "init", "--quiet"]);
  const server = await serve(options.cairn, empty);
  const tab = await open(browser, server);
  const views = { "/matrix": "card create", "/board": "work create", "/knowledge": "graph create", "/decisions": "kb query",
    "/": "init", "/hotspots": "", "/review": "", "/file/": "", "/cards": "card create" };
  for (const [path, command] of Object.entries(views)) {
    await check(`without data, ${path} says what to do`, async () => {
      await tab.show(path);
      tab.clean(path);
      const text = await tab.page.locator("main").innerText();
      expect(text.includes(command), text);
      await accessible(tab.page);
    });
  }
  await tab.context.close();
  await server.stop();
}
