// A picture of every view, for the documentation.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { open, serve } from "./browser.mjs";

/** Writes the pictures: the views of the named repositories where there is much to see, the
 * others of the fixture. */
export async function takeShots(browser, options, fixture) {
  mkdirSync(options.shots, { recursive: true });
  const [large] = options.repo.split(",").filter(Boolean);
  const work = [
    ["board", "/board"],
    ["task", `/task/${fixture.first.id}`],
    ["card", "/card/spec::money/add"],
    ["knowledge", "/knowledge"],
    ["atom", `/atom/${fixture.atom.id}`],
    ["symbol", "/symbol/src/money.ts%23add"],
    ["graph", "/graph?around=src/money.ts%23add&open=symbol%3Asrc/cart.ts%23Cart.total"],
    ["review", "/review?base=HEAD~2"],
  ];
  const overall = [
    ["overview", "/"], ["search", "/search?q=session"], ["files", "/file/"], ["matrix", "/matrix"],
    ["decisions", "/decisions"], ["hotspots", "/hotspots"], ["cochange", "/cochange?path=."], ["checks", "/checks"],
  ];
  await shoot(browser, options, fixture.folder, large ? work : [...overall, ...work]);
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
  for (const [theme, width] of [["light", 1200], ["dark", 1200], ["light", 390]]) {
    const tab = await open(browser, server, { colorScheme: theme, viewport: { width, height: width < 500 ? 780 : 800 } });
    for (const [name, path] of views) {
      await tab.show(path);
      const suffix = width < 500 ? "narrow" : theme;
      await tab.page.screenshot({ path: join(options.shots, `${name}-${suffix}.png`) });
    }
    await tab.context.close();
  }
  await server.stop();
}
