// The real binary and a real browser: starts both, and notes everything a page should not do.

import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

import { expect } from "./checks.mjs";

/** Starts `cairn ui` and resolves with its address. */
export function serve(cairn, repository, ...flags) {
  const server = spawn(cairn, ["ui", "--port", "0", "-C", repository, ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: repository, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });
  const lines = [];
  let said = "";
  const ready = new Promise((resolve, reject) => {
    server.stderr.on("data", (data) => {
      said += data;
      lines.splice(0, lines.length, ...said.split("\n"));
      if (address()) resolve();
    });
    server.on("exit", (code) => reject(new Error(`cairn ui ended with ${code}: ${said}`)));
  });
  /** The newest address that opens the page once. */
  const address = () => lines.map((line) => line.match(/http:\S+token=\S+/)?.[0]).filter(Boolean).at(-1);
  const stop = () => new Promise((resolve) => { server.on("exit", resolve); server.kill("SIGINT"); });
  return ready.then(() => ({ address, stop, origin: new URL(address()).origin }));
}

/** Starts the browser. It may reach this machine only; the name of another site leads here too, as
 * a hostile name server would have it. */
export function startBrowser(program) {
  return chromium.launch({
    executablePath: program,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update",
      "--host-resolver-rules=MAP evil.example 127.0.0.1"],
  });
}

/** Opens the page in a window of its own, and notes console errors and foreign requests. */
export async function open(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.origin)) faults.push(`foreign request: ${request.url()}`);
  });
  page.setDefaultNavigationTimeout(120_000);
  await page.goto(server.address());
  // The first view of a large repository waits for its index.
  await page.waitForURL(`${server.origin}/`, { timeout: 300_000 });
  /** Shows a view and waits until its late parts are there. */
  const show = async (path, status = 200) => {
    const response = await page.goto(server.origin + path);
    expect(response.status() === status, `${path} answers ${response.status()}, not ${status}`);
    await settled();
    return response;
  };
  const settled = () => page.waitForFunction(() => !document.querySelector("[aria-busy], [data-late]"));
  /** Fails if the page did what it should not. */
  const clean = (where) => {
    const found = faults.splice(0);
    expect(!found.length, `${where}: ${found.join("; ")}`);
  };
  return { page, context, show, settled, clean, origin: server.origin };
}
