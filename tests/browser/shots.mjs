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
    ["card", "/card/spec::money/add", LIGHT],
    ["knowledge", "/knowledge", LIGHT],
    ["atom", `/atom/${fixture.atom.id}`, LIGHT],
    ["file", "/file/src/cart.ts", LIGHT],
    ["symbol", "/symbol/src/money.ts%23add", DARK],
    ["graph", "/graph?around=src/money.ts%23add&open=symbol%3Asrc/cart.ts%23Cart.total", LIGHT],
    ["review", "/review", LIGHT],
    ["history", "/history/src/cart.ts", LIGHT],
    ["checks", "/checks", LIGHT],
  ];
  const overall = [
    ["overview", "/", LIGHT],
    ["search", "/search?q=session", LIGHT],
    ["files", "/file/", LIGHT],
    ["matrix", "/matrix", LIGHT],
    ["decisions", "/decisions", LIGHT],
    ["hotspots", "/hotspots", LIGHT],
    ["cochange", "/cochange?path=.", LIGHT],
  ];
  await shoot(browser, options, fixture.folder, large ? small : [...overall, ...small]);
  if (large) {
    // A copy, so that the clone stays as it is; set up, as a repository in use is.
    const copy = join(fixture.folder, "..", "cairn");
    execFileSync("git", ["clone", "--quiet", large, copy]);
    execFileSync(options.cairn, ["-C", copy, "init"], { stdio: "ignore" });
    await shoot(browser, options, copy, overall);
  }
}

async function shoot(browser, options, repository, views) {
  const server = await serve(options.cairn, repository);
  for (const { suffix, ...look } of [LIGHT, DARK, NARROW]) {
    const wanted = views.filter(([, , each]) => each.suffix === suffix);
    if (!wanted.length) continue;
    const tab = await open(browser, server, look);
    for (const [name, path] of wanted) {
      await tab.show(path);
      await tab.page.screenshot({ path: join(options.shots, `${name}-${suffix}.png`) });
    }
    await tab.context.close();
  }
  await server.stop();
}
