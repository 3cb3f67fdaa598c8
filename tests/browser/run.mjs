// Tests the page in a real browser.
//
//     run.mjs --cairn PATH --chromium PATH [--repo DIR,DIR] [--shots DIR] [--times]
//
// Without `--repo`, a small repository with everything in it is made. Others that are named are
// only looked at. `--shots` writes a picture of every view instead, and `--times` measures them.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { startBrowser } from "./browser.mjs";
import { finish } from "./checks.mjs";
import { makeFixture } from "./fixture.mjs";
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
  const till = join(folder, "till");
  mkdirSync(till);
  const fixture = makeFixture(till, options.cairn);
  if (options.times) {
    await measureTimes(browser, options, folder);
  } else if (options.shots) {
    await takeShots(browser, options, fixture);
  } else {
    await testViews(browser, options, fixture);
    await testEmpty(browser, options, folder);
    await testWrites(browser, options, fixture);
    await testSecurity(browser, options, fixture);
    for (const repo of options.repo.split(",").filter(Boolean)) {
      await testViews(browser, options, { folder: repo });
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(options.shots || options.times ? 0 : finish());
