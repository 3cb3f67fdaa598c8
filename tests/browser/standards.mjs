// What every page has to keep: axe-core finds nothing, html-validate finds nothing, and it fits a phone.

import { AxeBuilder } from "@axe-core/playwright";
import { HtmlValidate } from "html-validate";

import { expect } from "./checks.mjs";

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

/** Fails on what somebody with an assistive tool could not use. */
export async function accessible(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map((each) => `${each.id} at ${each.nodes.slice(0, 3).map((node) => node.target).join(", ")}`);
  expect(!found.length, found.join("; "));
}

/** The same in both themes. */
export async function accessibleInBothThemes(page) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await accessible(page);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** Fails on invalid HTML. */
export function valid(text) {
  const report = validator.validateStringSync(text);
  const messages = report.results.flatMap((result) => result.messages);
  const found = messages.map((each) => `${each.line}:${each.column} ${each.ruleId} ${each.message}`);
  expect(!found.length, found.slice(0, 5).join("; "));
}

/** Nothing but source and pictures, which scroll by themselves, is wider than a phone, and no row of a table hides a cell. */
export async function fitsNarrow(page) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const cut = await page.evaluate(() => {
    const cells = [...document.querySelectorAll("main .scroll tbody :is(td, th)")];
    const right = (each) => each.getBoundingClientRect().right;
    return cells.find((cell) => right(cell) > right(cell.closest(".scroll")) + 1)?.innerText;
  });
  await page.setViewportSize(size);
  expect(cut === undefined, `on a narrow screen the cell "${cut}" is cut`);
  expect(wide <= 0, `on a narrow screen it is ${wide} pixels too wide`);
}
