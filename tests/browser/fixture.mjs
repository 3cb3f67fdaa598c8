// A small repository with something for every view to show: code, tests, commits, cards, decisions,
// requirements, work and knowledge.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES = {
  "README.md": "# Till\n\nTakes payments. See [the decision](docs/decisions/0001-integers.md).\n",
  "cairn.jsonc": "{}\n",
  "src/money.ts": [
    "/** Sums of money. */",
    "",
    "/**",
    " * Adds two sums of the same currency.",
    " *",
    " * @see spec::money/add",
    " */",
    "export function add(a: Sum, b: Sum): Sum {",
    "  if (a.currency !== b.currency) throw new Error(`cannot add ${b.currency} to ${a.currency}`);",
    "  return { currency: a.currency, cents: a.cents + b.cents };",
    "}",
    "",
    "export interface Sum {",
    "  currency: string;",
    "  cents: number;",
    "}",
    "",
  ].join("\n"),
  "src/cart.ts": [
    "/** A cart and what it costs. */",
    'import { add, type Sum } from "./money";',
    "",
    "export class Cart {",
    "  private readonly prices: Sum[] = [];",
    "",
    "  put(price: Sum): void {",
    "    this.prices.push(price);",
    "  }",
    "",
    "  /** What everything costs together. */",
    "  total(): Sum {",
    '    return this.prices.reduce(add, { currency: "EUR", cents: 0 });',
    "  }",
    "}",
    "",
  ].join("\n"),
  "src/checkout.ts": [
    'import { Cart } from "./cart";',
    "",
    "/** Pays for a cart. <b>Not</b> markup: & < > \" ' */",
    "export function checkout(cart: Cart): string {",
    "  const { cents, currency } = cart.total();",
    "  return `${(cents / 100).toFixed(2)} ${currency}`;",
    "}",
    "",
  ].join("\n"),
  "tests/cart.test.ts": [
    'import { Cart } from "../src/cart";',
    'import { checkout } from "../src/checkout";',
    "",
    'test("a cart costs what its prices add up to", () => {',
    "  const cart = new Cart();",
    '  cart.put({ currency: "EUR", cents: 250 });',
    '  expect(checkout(cart)).toBe("2.50 EUR");',
    "});",
    "",
  ].join("\n"),
  "docs/decisions/0001-integers.md": [
    "---", "id: DEC-0001", "title: Money is whole cents", "status: accepted", "date: 2026-01-10",
    'affects: ["module:src/money.ts", "module:src/cart.ts"]', "---", "", "# Money is whole cents", "",
    "Fractions of a cent round differently on every machine.", "",
  ].join("\n"),
  "docs/requirements/REQ-001.md": [
    "---", "id: REQ-001", "title: A customer sees the total before paying", "status: in_progress", "priority: must",
    "specified_by: [SCEN-001]", "verified_by: [TEST-001]", "---", "", "The total has a currency.", "",
  ].join("\n"),
  "docs/requirements/REQ-002.md": [
    "---", "id: REQ-002", "title: A receipt can be printed", "status: open", "priority: should", "---", "",
    "On paper that every printer has.", "",
  ].join("\n"),
  "docs/requirements/symbols.yaml": [
    "symbols:", "  - id: SYM-001", "    title: Sums up a cart", "    code: src/cart.ts#Cart.total",
    "    implements: [REQ-001]", "    covered_by: [TEST-001]", "",
  ].join("\n"),
  "docs/scenarios/SCEN-001.md": [
    "---", "id: SCEN-001", "title: Two prices are added", "status: active", "---", "", "1.00 and 1.50 make 2.50 EUR.", "",
  ].join("\n"),
  "docs/tests/TEST-001.md": [
    "---", "id: TEST-001", "title: A cart costs what its prices add up to", "status: passing", "kind: unit",
    'links: ["module:tests/cart.test.ts"]', "---", "", "Run before every release.", "",
  ].join("\n"),
  "docs/decisions/0002-one-currency.md": [
    "---", "id: DEC-0002", "title: A cart has one currency", "status: superseded", "date: 2026-03-02",
    "---", "", "# A cart has one currency", "", "We do not exchange money.", "",
  ].join("\n"),
};

/** Makes the repository and returns what tests need to know of it. */
export function makeFixture(folder, cairn) {
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["-C", folder, "init", "--quiet", "--initial-branch=main"], { env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } });
  return addEverything(folder, cairn);
}

/** A copy of a clone, into which the same is added: every view has something to show beside all
 * that the clone has, and every change can be made and undone. The clone itself stays as it is. */
export function makeCopy(clone, folder, cairn) {
  execFileSync("git", ["clone", "--quiet", clone, folder]);
  return { ...addEverything(folder, cairn), isCopy: true };
}

function addEverything(folder, cairn) {
  const env = { ...process.env, HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (day, ...words) => execFileSync("git", ["-C", folder, ...words], {
    env: { ...env, GIT_AUTHOR_DATE: `2026-0${day}-11T10:00:00Z`, GIT_COMMITTER_DATE: `2026-0${day}-11T10:00:00Z` },
  });
  const ask = (...words) => {
    const said = execFileSync(cairn, ["-C", folder, "--json", ...words], { env, encoding: "utf8" });
    return JSON.parse(said).data;
  };
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git(1, "config", "user.name", "Ada");
  git(1, "config", "user.email", "ada@example.org");
  const commit = (day, message) => {
    git(day, "add", "--all");
    git(day, "commit", "--quiet", "--message", message);
  };
  // What a clone has of its own is not replaced.
  for (const [path, text] of Object.entries(FILES)) if (!existsSync(join(folder, path))) write(path, text);
  commit(1, "feat: carts and money");
  for (const day of [2, 3, 4]) {
    write("src/cart.ts", `${FILES["src/cart.ts"]}// revision ${day}\n`);
    write("src/checkout.ts", `${FILES["src/checkout.ts"]}// revision ${day}\n`);
    commit(day, `fix: rounding, step ${day}`);
  }
  ask("card", "create", "spec::money/add", "--summary", "Sums of one currency can be added",
    "--constraints", "Different currencies are refused", "--body", "## Why\n\nA **cart** has a total.");
  const { result: { path: card } } = ask("card", "create", "spec::cart/empty", "--summary", "An empty cart costs nothing");
  ask("card", "status", "spec::money/add", "implemented");
  ask("card", "status", "spec::cart/empty", "accepted");
  ask("confirm", "spec::money/add", "--why", "read both: other currencies are refused");
  commit(5, "docs: what money must do");
  const project = ask("work", "create", "project", "Till", "--summary", "Takes payments");
  const feature = ask("work", "create", "feature", "Refunds", "--project", project.result.project.id);
  const task = (title, ...more) => ask("work", "create", "task", title,
    "--project", project.result.project.id, "--feature", feature.result.feature.id, ...more).result.task;
  const first = task("Handle disputed charges", "--priority", "HIGH", "--summary", "A customer asks the bank");
  const second = task("Print a receipt", "--tags", "paper");
  const moved = (title, steps, ...more) => {
    const { id } = task(title, ...more);
    for (let step = 0; step < steps; step += 1) ask("work", "advance", id);
    return id;
  };
  const claimed = moved("Refund to the same card", 1, "--priority", "HIGH");
  ask("work", "claim", claimed);
  moved("Show the currency beside every sum", 1);
  moved("Keep the cart when the browser closes", 2);
  ask("work", "block", second.id, "--blocked-by", "NO_OP", "--reason", "the printer is not chosen");
  const molecule = ask("graph", "create", "molecule", "Money", "--project", project.result.project.id,
    "--knowledge", "Everything that handles sums.").result.molecule;
  const atom = ask("graph", "create", "atom", "Rounding", "--project", project.result.project.id, "--molecule", molecule.id,
    "--paths", "src/{cart,checkout,money}.ts", "--knowledge", "Cents are whole. Never use a float.").result.atom;
  write("src/cart.ts", FILES["src/cart.ts"].replace("total(): Sum", 'total(currency = "EUR"): Sum').replace('"EUR", cents', "currency, cents"));
  // The code that a confirmed card is about changes, so that its link is suspect.
  write("src/money.ts", FILES["src/money.ts"].replace("a.cents + b.cents", "Math.trunc(a.cents + b.cents)"));
  return { folder, project: project.result.project, feature: feature.result.feature, first, second, atom, molecule, card, commit: git(9, "rev-parse", "HEAD").toString().trim() };
}
