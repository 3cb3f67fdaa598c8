// A picture of every view, for the documentation.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { open, serve } from "./browser.mjs";

const LIGHT = { suffix: "light", colorScheme: "light", viewport: { width: 1200, height: 800 } };
const DARK = { suffix: "dark", colorScheme: "dark", viewport: { width: 1200, height: 800 } };
const NARROW = { suffix: "narrow", colorScheme: "light", viewport: { width: 390, height: 780 } };

/** Writes the pictures: views with much to see of a copy of the named clone, the others of the
 * fixture. */
export async function takeShots(browser, options, fixture) {
  mkdirSync(options.shots, { recursive: true });
  const [large] = options.repo.split(",").filter(Boolean);
  const small = [
    ["board", "/board", DARK],
    ["board", "/board", NARROW],
    ["task", `/task/${fixture.first.id}`, LIGHT],
    ["feature", `/feature/${fixture.feature.id}`, LIGHT],
    ["project", `/project/${fixture.project.id}`, LIGHT],
    ["card", "/card/spec::money/add", LIGHT],
    ["plan", "/card/spec::cart/empty", LIGHT, planStatus],
    ["requirement", "/kb/REQ-001", LIGHT],
    ["decision", "/kb/DEC-0001", LIGHT],
    ["knowledge", "/knowledge", LIGHT],
    ["atom", `/atom/${fixture.atom.id}`, LIGHT],
    ["molecule", `/molecule/${fixture.molecule.id}`, LIGHT],
    ["commit", `/commit/${fixture.commit}`, LIGHT],
    ["graph", "/graph?around=src/money.ts%23add&open=symbol%3Asrc/cart.ts%23Cart.total", LIGHT],
    ["review", "/review", LIGHT],
    ["history", "/history/src/cart.ts", LIGHT],
    ["checks", "/checks", LIGHT],
  ];
  const general = [
    ["overview", "/", LIGHT],
    ["overview", "/", DARK],
    ["search", "/search?q=session", LIGHT],
    ["files", "/file/", LIGHT],
    ["matrix", "/matrix", LIGHT],
    ["cards", "/cards", LIGHT],
    ["decisions", "/decisions", LIGHT],
    ["hotspots", "/hotspots?colour=tests", LIGHT],
    ["cochange", "/cochange?path=.", LIGHT],
  ];
  const source = (file, symbol) => [
    ["file", file, LIGHT],
    ["file", file, NARROW],
    ["symbol", symbol, DARK],
  ];
  const own = source("/file/src/cart.ts", "/symbol/src/money.ts%23add");
  await shoot(browser, options, fixture.folder, large ? small : [...general, ...own, ...small]);
  if (large) {
    // A copy, so that the clone stays as it is; set up, as a repository in use is.
    const copy = join(fixture.folder, "..", "cairn");
    execFileSync("git", ["clone", "--quiet", large, copy]);
    execFileSync(options.cairn, ["-C", copy, "init"], { stdio: "ignore" });
    const { file, symbol } = await busiest(browser, options, copy);
    await shoot(browser, options, copy, [...general, ...source(file, symbol)]);
  }
}

/** Asks for a change, so that its plan is shown. */
async function planStatus({ page }) {
  await page.selectOption("#status", "implementing");
  await page.click("text=Change status");
  await page.waitForURL(/\/plan$/);
}

/** The file that changes most, and the symbol of it that stands first. */
async function busiest(browser, options, repository) {
  const server = await serve(options.cairn, repository);
  const tab = await open(browser, server);
  await tab.show("/hotspots");
  const file = await tab.page.locator("main tbody a.path").first().getAttribute("href");
  await tab.show(file);
  const symbol = await tab.page.locator('aside a[href^="/symbol/"]').first().getAttribute("href");
  await tab.context.close();
  await server.stop();
  return { file, symbol };
}

async function shoot(browser, options, repository, views) {
  const server = await serve(options.cairn, repository);
  for (const { suffix, ...look } of [LIGHT, DARK, NARROW]) {
    const wanted = views.filter(([, , each]) => each.suffix === suffix);
    if (!wanted.length) continue;
    const tab = await open(browser, server, look);
    for (const [name, path, , act] of wanted) {
      await tab.show(path);
      await act?.(tab);
      await tab.page.screenshot({ path: join(options.shots, `${name}-${suffix}.png`) });
    }
    await tab.context.close();
  }
  await server.stop();
}
