// Tests the page in a real browser.
//
//     run.mjs --cairn PATH --chromium PATH [--repo DIR,DIR] [--shots DIR] [--times]
//
// A small repository with everything in it is made. For each clone that is named, the same is added
// to a copy of it, and all tests run there too. `--shots` writes a picture of every view instead, and
// `--times` measures them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

import { startBrowser } from "./browser.mjs";
import { finish, inRepository } from "./checks.mjs";
import { makeCopy, makeFixture } from "./fixture.mjs";
import { testSecurity } from "./security.mjs";
import { takeShots } from "./shots.mjs";
import { measureTimes } from "./times.mjs";
import { testEmpty, testViews } from "./views.mjs";
import { testWrites } from "./writes.mjs";

const { values: options } = parseArgs({
  options: {
    cairn: { type: "string" },
    chromium: { type: "string", default: "chromium" },
    repo: { type: "string", default: "" },
    shots: { type: "string" },
    times: { type: "boolean", default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), "cairn-browser-"));
const browser = await startBrowser(options.chromium);
try {
  if (options.times) {
    await measureTimes(browser, options, folder);
  } else if (options.shots) {
    await takeShots(browser, options, makeFixture(join(folder, "till"), options.cairn));
  } else {
    await testAll(makeFixture(join(folder, "till"), options.cairn));
    await testEmpty(browser, options, folder);
    for (const clone of options.repo.split(",").filter(Boolean)) {
      await testAll(makeCopy(clone, join(folder, basename(clone)), options.cairn));
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(options.shots || options.times ? 0 : finish());

/** Every view, every change, and who may see them, of one repository. */
async function testAll(fixture) {
  inRepository(basename(fixture.folder));
  await testViews(browser, options, fixture);
  await testWrites(browser, options, fixture);
  await testSecurity(browser, options, fixture);
}
