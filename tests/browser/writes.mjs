// Every change that the page offers: the plan with its difference, the change, and its undoing.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { open, serve } from "./browser.mjs";
import { check, expect } from "./checks.mjs";
import { accessibleInBothThemes, fitsNarrow, valid } from "./standards.mjs";

export async function testWrites(browser, options, fixture) {
  const server = await serve(options.cairn, fixture.folder);
  const tab = await open(browser, server);
  const { page } = tab;
  const task = `/task/${fixture.first.id}`;
  const ask = (...words) => execFileSync(options.cairn, ["-C", fixture.folder, ...words]);
  const changes = [
    {
      name: "the status of a card",
      at: "/card/spec::cart/empty",
      fill: async () => { await page.selectOption("#status", "implementing"); await page.click("text=Change status"); },
      diff: "+status: implementing",
      before: "accepted",
      after: "implementing",
      shown: ".toolbar .badge",
    },
    {
      name: "moving a task on the board",
      at: "/board",
      fill: async () => {
        await page.selectOption(`#move-${fixture.first.id}`, "work.advance");
        await page.locator(".ticket", { hasText: fixture.first.title }).getByRole("button").click();
      },
      diff: "ACTIVE",
      before: "Handle disputed charges",
      after: "None",
      shown: ".lane:first-child li.ticket:first-of-type, .lane:first-child p",
      skipText: true,
    },
    {
      name: "moving a task on its page",
      at: task,
      fill: async () => { await page.selectOption(`#move-${fixture.first.id}`, "work.terminate"); await page.getByRole("button", { name: "Move" }).click(); },
      diff: "WILL_NOT_IMPLEMENT",
      before: "New",
      after: "Will not be done",
      shown: ".toolbar .badge >> nth=1",
    },
    {
      name: "a comment",
      at: task,
      fill: async () => { await page.fill("textarea[name=text]", "Ask <b>the bank</b> first."); await page.click("text=Add comment"); },
      diff: "the bank",
      before: "Nobody has commented.",
      after: "Ask <b>the bank</b> first.",
      shown: "section:has(h2:text('Comments'))",
      // What was said stays in the history; that it was taken back is added to it.
      undone: "undone: Ask <b>the bank</b> first.",
    },
    {
      name: "an edit of knowledge",
      at: `/atom/${fixture.atom.id}`,
      fill: async () => {
        await page.click("summary");
        await page.fill("textarea[name=knowledge]", "Cents are whole.\n\nRound half to even.");
        await page.click("text=Review the edit");
      },
      diff: "Round half to even.",
      before: "Never use a float.",
      after: "Round half to even.",
      shown: ".prose",
    },
  ];
  const confirm = async (why) => {
    await page.locator("main input[name=why]").first().fill(why);
    await page.getByRole("button", { name: "Confirm" }).first().click();
  };
  changes.push(
    {
      name: "confirming a suspect link of a card",
      at: "/card/spec::money/add",
      fill: () => confirm("whole cents stay whole"),
      diff: "whole cents stay whole",
      since: "+  return { currency: a.currency, cents: Math.trunc(a.cents + b.cents) };",
      before: "suspect",
      after: "confirmed",
      shown: "section:has(h2:text('Linked from code')) .badge",
    },
    {
      name: "confirming a link of a requirement",
      at: "/kb/REQ-001",
      fill: () => confirm("the total has a currency"),
      diff: "the total has a currency",
      before: "unconfirmed",
      after: "confirmed",
      shown: "section:has(h2:text('Linked with')) .badge",
    },
    {
      name: "moving a task back",
      at: task,
      prepare: () => ask("work", "advance", fixture.first.id),
      fill: async () => { await page.selectOption(`#move-${fixture.first.id}`, "work.revert"); await page.getByRole("button", { name: "Move" }).click(); },
      diff: "NEW",
      before: "Active",
      after: "New",
      shown: ".toolbar .badge >> nth=1",
    },
  );
  for (const change of changes) {
    await change.prepare?.();
    await check(`${change.name}: plan, change and undo`, () => perform(tab, change));
  }
  await check("dragging a task to the next column shows the same plan, and a column too far is refused", async () => {
    ask("work", "revert", fixture.first.id);
    await tab.show("/board");
    const ticket = page.locator(".ticket", { hasText: fixture.first.title });
    const before = await page.locator(".lane", { has: ticket }).getAttribute("data-status");
    expect(before === "NEW", `it is ${before}`);
    await ticket.dragTo(page.locator('.lane[data-status="CLOSED"]'));
    await page.locator("#live", { hasText: "cannot be moved there" }).waitFor();
    await ticket.dragTo(page.locator('.lane[data-status="ACTIVE"]'));
    await page.waitForURL(/\/plan$/);
    expect((await page.locator(".diff").innerText()).includes("ACTIVE"), "no plan is shown");
    await page.click("text=Cancel");
    await page.waitForURL(/\/board/);
  });
  await check("nothing else is applied than what was shown", () => stalePlan(tab, fixture));
  await check("cancelling changes nothing", async () => {
    const before = card(fixture);
    await tab.show("/card/spec::cart/empty");
    await page.selectOption("#status", "deprecated");
    await page.click("text=Change status");
    await page.click("text=Cancel");
    await page.waitForURL(/\/card\//);
    expect(card(fixture) === before, "the file changed");
  });
  await check("no change made the browser complain", () => tab.clean("writes"));
  await tab.context.close();
  await server.stop();
  await readOnly(browser, options, fixture);
}

const card = (fixture) => readFileSync(join(fixture.folder, fixture.card), "utf8");

async function perform({ page, show }, change) {
  await show(change.at);
  const text = () => page.locator(change.shown).first().innerText();
  if (!change.skipText) expect((await text()).includes(change.before), `before: ${await text()}`);
  const planned = page.waitForResponse((response) => response.url().endsWith("/plan"));
  await change.fill();
  await page.waitForURL(/\/plan$/);
  const plan = await page.locator("main").innerText();
  expect(await page.getByLabel("What changes", { exact: true }).count() === 1 && plan.includes(change.diff), `the plan is ${plan}`);
  if (change.since) expect(plan.includes(change.since), `the plan does not show what the confirmation is about: ${plan}`);
  valid(await (await planned).text());
  await accessibleInBothThemes(page);
  await fitsNarrow(page);
  await page.click("text=Apply");
  await page.waitForURL(/done=/);
  await accessibleInBothThemes(page);
  const lane = () => page.locator(".lane").first().innerText();
  if (change.skipText) expect(!(await lane()).includes(change.before), `after: ${await lane()}`);
  else expect((await text()).includes(change.after), `after: ${await text()}`);
  const made = page.url();
  await page.click(".notice >> text=Undo");
  await page.waitForURL((url) => url.href !== made && url.search.includes("done="));
  if (change.undone) {
    const all = await page.locator("main").innerText();
    expect(all.includes(change.undone), `undone: ${all}`);
    return;
  }
  if (change.skipText) expect((await lane()).includes(change.before), `undone: ${await lane()}`);
  else expect((await text()).includes(change.before), `undone: ${await text()}`);
}

/** Somebody edits the card between the plan and its application. */
async function stalePlan({ page, show }, fixture) {
  const path = join(fixture.folder, fixture.card);
  const before = readFileSync(path, "utf8");
  await show("/card/spec::cart/empty");
  await page.selectOption("#status", "implemented");
  await page.click("text=Change status");
  await page.waitForURL(/\/plan$/);
  writeFileSync(path, before.replace("summary: ", "summary: Really, "));
  await page.click("text=Apply");
  await page.waitForURL(/\/apply$/);
  expect((await page.locator("main").innerText()).includes("changed after the plan was shown"), "it was applied");
  writeFileSync(path, before);
}

async function readOnly(browser, options, fixture) {
  const server = await serve(options.cairn, fixture.folder, "--read-only");
  const tab = await open(browser, server);
  await check("a read-only page offers no change and refuses one", async () => {
    for (const path of ["/", "/board", "/matrix", "/card/spec::cart/empty", "/card/spec::money/add", "/kb/REQ-001", `/task/${fixture.first.id}`,
      `/atom/${fixture.atom.id}`, `/molecule/${fixture.molecule.id}`]) {
      await tab.show(path);
      expect(await tab.page.locator('form[method="post"]').count() === 0, `${path} has a form`);
    }
    const status = await tab.page.evaluate(() => fetch("/plan", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "operation=card.status&key=spec::cart/empty&status=draft",
    }).then((response) => response.status));
    expect(status === 403, `it answers ${status}`);
  });
  await tab.context.close();
  await server.stop();
}
