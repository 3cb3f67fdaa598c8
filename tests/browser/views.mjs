// Every view in both themes: no error, no foreign request, accessible, valid HTML, no sideways
// scrolling on a narrow screen, and usable without a script.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { open, serve } from "./browser.mjs";
import { check, expect } from "./checks.mjs";
import { accessible, accessibleInBothThemes, fitsNarrow, valid } from "./standards.mjs";

/** The addresses of all views of a repository that has what the fixture has. */
function views(fixture) {
  return ["/", "/search?q=add", "/search", "/search?q=zzzznothing", "/file/", "/cards", "/cards?status=draft", "/matrix", "/matrix?show=gaps",
    "/review", "/board", "/knowledge", "/decisions", "/hotspots", "/hotspots?colour=tests",
    "/cochange?path=.", "/graph", "/checks", "/review?base=HEAD~2", "/file/src", "/file/src/cart.ts", "/symbol/src/money.ts%23add",
    "/card/spec::money/add", `/task/${fixture.first.id}`, `/feature/${fixture.feature.id}`,
    `/project/${fixture.project.id}`, `/atom/${fixture.atom.id}`, `/molecule/${fixture.molecule.id}`, `/board?project=${fixture.project.id}&lane=NEW`,
    "/kb/DEC-0001", "/kb/REQ-001", "/matrix?kind=requirement", "/history/src/cart.ts", `/commit/${fixture.commit}`,
    "/graph?around=src/money.ts%23add", "/graph?around=src/cart.ts&direction=deps", "/cochange?path=src", "/hotspots?path=src"];
}

export async function testViews(browser, options, fixture) {
  const server = await serve(options.cairn, fixture.folder);
  for (const colorScheme of ["light", "dark"]) {
    const tab = await open(browser, server, { colorScheme });
    const seen = new Set([...views(fixture), ...await busiest(tab)]);
    for (const path of seen) {
      await check(`${path} in ${colorScheme}`, async () => {
        const response = await tab.show(path);
        tab.clean(path);
        expect(await tab.page.locator("h1").count() === 1, "not one h1");
        expect(/Basis \w/.test(await tab.page.locator("footer.basis").innerText()), "no basis");
        await pictured(tab.page);
        await accessible(tab.page);
        if (colorScheme === "light") {
          valid(await response.text());
          await fitsNarrow(tab.page);
        }
      });
    }
    await tab.context.close();
  }
  await withoutScript(browser, server);
  await keys(browser, server, fixture);
  await growing(browser, server);
  await live(browser, server, options, fixture);
  await liveEdges(browser, options, fixture);
  await printed(browser, server, fixture);
  await connected(browser, server, fixture);
  await exports(browser, server, options, fixture);
  await longFiles(browser, server, fixture);
  await largeGraphs(browser, server, fixture);
  await themes(browser, server);
  await problems(browser, server);
  await timeline(browser, server);
  await server.stop();
}

/** The file that changes most, its first symbol, history and graph, by the links on its pages. */
async function busiest(tab) {
  await tab.show("/hotspots");
  const links = await tab.page.locator("main tbody a.path").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
  const file = links[0];
  if (!file) return [];
  await tab.show(file);
  const symbols = await tab.page.locator('aside a[href^="/symbol/"]').evaluateAll((all) => all.map((each) => each.getAttribute("href")));
  const path = file.slice("/file/".length);
  return [file, symbols[0], `/history/${path}`, `/graph?around=${path}`, `/graph?around=${path}&direction=deps`].filter(Boolean);
}

/** A file of many lines is shown page by page, and a line has one address. */
async function longFiles(browser, server, fixture) {
  const tab = await open(browser, server);
  await check("a long file is shown in pages, and each line can be found", async () => {
    const lines = Array.from({ length: 2000 }, (_, at) => `export const line${at + 1} = ${at + 1};`);
    writeFileSync(join(fixture.folder, "src/long.ts"), `${lines.join("\n")}\n`);
    await tab.show("/file/src/long.ts");
    expect(await tab.page.locator(".source .line").count() === 800, "not 800 lines");
    expect(await tab.page.locator("#L801").count() === 0, "line 801 is on the first page");
    await accessible(tab.page);
    await tab.page.locator('nav.lines a[rel="next"]').first().click();
    await tab.page.waitForURL(/line=801/);
    await tab.show("/file/src/long.ts?line=1999#L1999");
    expect((await tab.page.locator("#L1999").innerText()).includes("line1999 = 1999"), "line 1999 is not there");
    expect(await tab.page.evaluate(() => document.querySelector(":target")?.id) === "L1999", "line 1999 is not marked");
    await tab.show("/symbol/src/long.ts%23line1500");
    await tab.page.click("text=In its file");
    expect(await tab.page.locator("#L1500").isVisible(), "the symbol does not lead to its line");
    await tab.show("/file/src/long.ts?line=99999", 404);
    // The browser itself says that a page was not found.
    await tab.page.goto("about:blank");
    rmSync(join(fixture.folder, "src/long.ts"));
  });
  await tab.context.close();
}

/** A picture has a table beside it, and a graph is not larger than one can read. */
async function pictured(page) {
  const pictures = await page.locator(".picture svg").count();
  expect(!pictures || await page.locator("main table").count() > 0, "a picture without a table");
  const shapes = await page.locator(".picture svg .shape").count();
  expect(shapes <= 300, `a picture of ${shapes} shapes`);
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

async function keys(browser, server, fixture) {
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
  // The copy of a clone can have thousands of links on a view; there it is those that change something.
  const ways = fixture.isCopy ? ["/board", "/card/spec::money/add", `/task/${fixture.first.id}`, `/atom/${fixture.atom.id}`, "/file/src/cart.ts"] : views(fixture);
  for (const path of ways) {
    await check(`everything on ${path} that can be clicked is reached with the tab key, and shows it`, () => tabThrough(tab, path));
  }
  await check("a change is planned, made and undone with the keyboard alone", async () => {
    await tab.show("/card/spec::cart/empty");
    const press = async (isThere) => {
      for (let step = 0; step < 80; step += 1) {
        if (await page.evaluate(isThere)) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`not reached: ${isThere}`);
    };
    await press(() => document.activeElement.id === "status");
    await page.keyboard.press("ArrowDown");
    await press(() => document.activeElement.textContent === "Change status");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/plan$/);
    await press(() => document.activeElement.textContent === "Apply");
    await page.keyboard.press("Enter");
    await page.waitForURL(/done=/);
    await press(() => document.activeElement.textContent === "Undo");
    const made = page.url();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.href !== made && url.search.includes("done="));
    expect((await page.locator(".toolbar .badge").first().innerText()) === "accepted", "it is not undone");
    tab.clean("keys");
  });
  await tab.context.close();
}

/** Goes through a view with the tab key: what can be used has the focus once, and a visible frame. */
async function tabThrough({ page, show }, path) {
  await show(path);
  const count = await page.evaluate(() => {
    const usable = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    const all = [...document.querySelectorAll(usable)].filter((each) => each.checkVisibility() && !each.closest("dialog:not([open])"));
    window.left = new Set(all);
    return all.length;
  });
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.className) === "skip", "no link to the content first");
  for (let step = 0; step < count + 5; step += 1) {
    const frameless = await page.evaluate(() => {
      const here = document.activeElement;
      window.left.delete(here);
      const style = getComputedStyle(here);
      const shape = here.querySelector?.(".shape");
      const isFramed = style.outlineStyle !== "none" || (shape && parseFloat(getComputedStyle(shape).strokeWidth) > 1);
      return here === document.body || isFramed ? null : here.outerHTML.slice(0, 120);
    });
    expect(!frameless, `no frame around ${frameless}`);
    await page.keyboard.press("Tab");
  }
  const missed = await page.evaluate(() => [...window.left].map((each) => each.outerHTML.slice(0, 120)));
  expect(!missed.length, `${missed.length} of ${count} were not reached: ${missed.slice(0, 3).join(" ")}`);
}

async function growing(browser, server) {
  const tab = await open(browser, server);
  await check("on a narrow screen the navigation shows where one is, and no row hides a column", async () => {
    await tab.page.setViewportSize({ width: 390, height: 780 });
    for (const path of ["/", "/graph", "/decisions", "/matrix", "/review", "/hotspots", "/cochange?path=.", "/file/",
      "/search?q=add", "/graph?around=src/money.ts%23add", "/history/src/cart.ts"]) {
      await tab.show(path);
      const hidden = await tab.page.evaluate(() => {
        // Search has no place in the navigation.
        const link = document.querySelector(".top nav [aria-current]")?.getBoundingClientRect();
        const cut = [...document.querySelectorAll(".stack tbody :is(td, th)")].find((cell) => cell.getBoundingClientRect().right > innerWidth);
        if (link && (link.left < 0 || link.right > innerWidth)) return `the link to it, at ${link.left}`;
        return cut && `the cell ${cut.innerText}`;
      });
      expect(!hidden, `${path} hides ${hidden}`);
    }
    await tab.page.setViewportSize({ width: 1280, height: 900 });
    tab.clean("narrow");
  });
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

/** A graph of hundreds of nodes is cut where one can still read it, and says so. */
async function largeGraphs(browser, server, fixture) {
  const tab = await open(browser, server);
  await check("a graph never has more than 300 nodes, and says what is left out", async () => {
    const path = join(fixture.folder, "src/crowd.ts");
    const callers = 450;
    const lines = ["export function centre(): number { return 1; }"];
    for (let each = 0; each < callers; each += 1) lines.push(`export function caller${each}(): number { return centre(); }`);
    for (let each = 0; each < callers; each += 1) {
      for (let next = 0; next < 14; next += 1) lines.push(`export function behind${each}x${next}(): number { return caller${each}(); }`);
    }
    writeFileSync(path, `${lines.join("\n")}\n`);
    const address = "/graph?around=src/crowd.ts%23centre";
    await tab.show(address);
    const shapes = tab.page.locator("svg .shape");
    const first = await shapes.count();
    expect(first === 25, `${first} nodes at first`);
    const said = await tab.page.locator("main").innerText();
    expect(/At least \d+ nodes next to \S+ left out/.test(said), said.slice(0, 600));
    const open = await tab.page.locator("svg a[data-swap]").evaluateAll((all) => all.map((each) => new URL(each.getAttribute("href"), location.href).searchParams.getAll("open").at(-1)));
    await tab.show(`${address}${open.map((each) => `&open=${encodeURIComponent(each)}`).join("")}`);
    expect(await shapes.count() === 300, `${await shapes.count()} nodes`);
    const cut = await tab.page.locator("main p", { hasText: "left out" }).count();
    expect(cut > 1, `${cut} times something was left out`);
    await accessible(tab.page);
    tab.clean("graph");
    // Nobody looks at it when the file goes.
    await tab.page.goto("about:blank");
    rmSync(path);
  });
  await tab.context.close();
}

/** Light is light and dark is dark. */
async function themes(browser, server) {
  const tab = await open(browser, server);
  await check("the page follows the theme of the system", async () => {
    const brightness = async (colorScheme) => {
      await tab.page.emulateMedia({ colorScheme });
      const colour = await tab.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      return colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
    };
    const [light, dark] = [await brightness("light"), await brightness("dark")];
    expect(light > 200 && dark < 60, `light ${light}, dark ${dark}`);
  });
  await tab.context.close();
}

/** A page that says what is wrong is a page like any other. */
async function problems(browser, server) {
  const tab = await open(browser, server);
  for (const path of ["/nothing", "/file/nothing.ts", "/symbol/src/money.ts%23nothing", "/card/spec::nothing", "/task/nothing",
    "/atom/nothing", "/kb/NONE-1", "/commit/0000000", "/graph?around=zzzznothing", "/review?base=zzzznothing"]) {
    await check(`${path} says what is wrong`, async () => {
      const response = await tab.page.goto(server.origin + path);
      expect([400, 404, 422].includes(response.status()), `it answers ${response.status()}`);
      await tab.settled();
      const text = await tab.page.locator("main").innerText();
      expect(/nothing|NONE-1|0000000/.test(text), text);
      valid(await response.text());
      await accessibleInBothThemes(tab.page);
      await fitsNarrow(tab.page);
    });
  }
  await tab.context.close();
}

/** The commits of a file stand on one line of time with the decisions about it. */
async function timeline(browser, server) {
  const tab = await open(browser, server);
  await check("the timeline of a file shows its commits and its decisions, and a table has them too", async () => {
    await tab.show("/history/src/cart.ts");
    const picture = await tab.page.locator(".picture svg").innerHTML();
    const table = await tab.page.locator("main").innerText();
    for (const wanted of ["Money is whole cents", "rounding, step 4"]) {
      expect(picture.includes(wanted), `the picture lacks ${wanted}`);
      expect(table.includes(wanted), `the table lacks ${wanted}`);
    }
  });
  await tab.context.close();
}

async function live(browser, server, options, fixture) {
  const tab = await open(browser, server);
  await check("a view follows the working tree", async () => {
    await tab.page.goto(`${server.origin}/file/`);
    // The first event has told the state, so that the next one is a change.
    await tab.page.waitForResponse((response) => response.url().endsWith("/events"));
    await tab.page.evaluate(() => { window.wasNotReloaded = true; });
    const seen = tab.page.locator("main", { hasText: "appeared.txt" });
    for (let round = 0; ; round += 1) {
      writeFileSync(join(fixture.folder, "appeared.txt"), `round ${round}\n`);
      if (await seen.waitFor({ timeout: 5000 }).then(() => true, () => false)) break;
      expect(round < 12, "the file does not appear");
    }
    expect(await tab.page.evaluate(() => window.wasNotReloaded), "the page was loaded again");
    tab.clean("live");
  });
  await check("a board follows what others do, and leaves alone what is being written", async () => {
    await tab.page.goto(`${server.origin}/board`);
    await tab.page.waitForResponse((response) => response.url().endsWith("/events"));
    const create = (title) => execFileSync(options.cairn, ["-C", fixture.folder, "work", "create", "task", title,
      "--project", fixture.project.id, "--summary", "s"]);
    const seen = (title) => tab.page.locator("main", { hasText: title }).waitFor({ timeout: 5000 }).then(() => true, () => false);
    for (let round = 0; ; round += 1) {
      create(`Made elsewhere ${round}`);
      if (await seen(`Made elsewhere ${round}`)) break;
      expect(round < 12, "the task does not appear");
    }
    await tab.page.goto(`${server.origin}/task/${fixture.first.id}`);
    await tab.page.waitForResponse((response) => response.url().endsWith("/events"));
    await tab.page.fill("textarea[name=text]", "half a thought");
    const told = tab.page.locator("#live", { hasText: "The repository has changed" });
    for (let round = 0; ; round += 1) {
      create(`Made meanwhile ${round}`);
      if (await told.waitFor({ timeout: 5000 }).then(() => true, () => false)) break;
      expect(round < 12, "nothing is said");
    }
    expect(await tab.page.inputValue("textarea[name=text]") === "half a thought", "the text is gone");
    tab.clean("live");
  });
  await check("a view follows a commit", async () => {
    await tab.page.goto(`${server.origin}/history/src/cart.ts`);
    await tab.page.waitForResponse((response) => response.url().endsWith("/events"));
    const git = (...words) => execFileSync("git", ["-C", fixture.folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words]);
    const seen = (text) => tab.page.locator("main", { hasText: text }).waitFor({ timeout: 5000 }).then(() => true, () => false);
    for (let round = 0; ; round += 1) {
      const before = readFileSync(join(fixture.folder, "src/cart.ts"), "utf8");
      writeFileSync(join(fixture.folder, "src/cart.ts"), `${before}// committed ${round}\n`);
      git("commit", "--quiet", "--message", `fix: followed ${round}`, "src/cart.ts");
      if (await seen(`fix: followed ${round}`)) break;
      expect(round < 12, "the commit does not appear");
    }
    tab.clean("live");
  });
  await tab.context.close();
}

/** What a change must not do to a view, and what a view says when nobody tells it of changes any more. */
async function liveEdges(browser, options, fixture) {
  const server = await serve(options.cairn, fixture.folder);
  const tab = await open(browser, server);
  const { page } = tab;
  const touch = (name) => writeFileSync(join(fixture.folder, name), `${name}\n`);
  await check("a change between the view and the first event is not missed", async () => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    // Nobody else follows this server: its first look at the repository comes after the change.
    await page.goto("about:blank");
    await page.route("**/events", async (route) => { await held; await route.continue(); });
    await page.goto(`${server.origin}/file/`);
    touch("early.txt");
    release();
    await page.locator("main", { hasText: "early.txt" }).waitFor();
    await page.unroute("**/events");
  });
  await check("late parts keep their content while they are loaded again", async () => {
    await tab.show("/");
    await page.evaluate(() => {
      window.wasLost = false;
      new MutationObserver(() => { window.wasLost ||= document.getElementById("main").innerText.includes("Show the hotspots"); })
        .observe(document.getElementById("main"), { childList: true, subtree: true });
    });
    const [again] = await Promise.all([page.waitForResponse((response) => response.url().endsWith("/part/activity")), touch("later.txt")]);
    await again.finished();
    await tab.settled();
    expect(!(await page.evaluate(() => window.wasLost)), "the list was gone for a moment");
  });
  await check("a choice that is not sent yet is kept when others change something", async () => {
    await tab.show(`/task/${fixture.first.id}`);
    await page.selectOption(`#move-${fixture.first.id}`, "work.terminate");
    await page.evaluate(() => document.activeElement.blur());
    touch("meanwhile.txt");
    await page.locator("#live", { hasText: "The repository has changed" }).waitFor();
    expect(await page.inputValue(`#move-${fixture.first.id}`) === "work.terminate", "the choice is gone");
  });
  await check("a plan is not called out of date before anything has changed", async () => {
    await tab.show("/card/spec::cart/empty");
    await page.selectOption("#status", "implementing");
    await page.click("text=Change status");
    await page.waitForURL(/\/plan$/);
    // A second listener that was told the state comes after the page's own.
    await page.evaluate(() => new Promise((resolve) => {
      const events = new EventSource("/events");
      events.addEventListener("state", () => { events.close(); resolve(); });
    }));
    expect(await page.locator("#live").textContent() === "", "it says that the repository has changed");
    touch("after-the-plan.txt");
    await page.locator("#live", { hasText: "The repository has changed" }).waitFor();
  });
  await check("a view says when it no longer follows the repository", async () => {
    await tab.show("/file/");
    await page.waitForFunction(() => document.body.dataset.state);
    await server.stop();
    await page.locator("#live", { hasText: "Not connected" }).waitFor();
    expect(await page.locator("footer.basis").isVisible(), "the basis is gone");
  });
  for (const name of ["early.txt", "later.txt", "meanwhile.txt", "after-the-plan.txt"]) rmSync(join(fixture.folder, name), { force: true });
  await tab.context.close();
}

/** On paper there is the content and nothing to click. */
async function printed(browser, server, fixture) {
  const tab = await open(browser, server);
  await check("a printed view has its content, its basis and no controls", async () => {
    await tab.page.emulateMedia({ media: "print" });
    for (const path of views(fixture)) {
      await tab.show(path);
      for (const gone of ["header.top", ".toolbar", "form", "dialog"]) {
        for (const each of await tab.page.locator(gone).all()) expect(!(await each.isVisible()), `${path} prints ${gone}`);
      }
      expect(await tab.page.locator("h1").isVisible(), `${path} has no title`);
      expect(await tab.page.locator("footer.basis").isVisible(), `${path} has no basis`);
      // Wider than paper, the whole view would be printed smaller.
      await tab.page.setViewportSize({ width: 690, height: 1000 });
      const wide = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide <= 0, `${path} is ${wide} pixels wider than paper`);
      const high = await tab.page.evaluate(() => Math.max(0, ...[...document.querySelectorAll(".picture svg")].map((each) => each.getBoundingClientRect().height)));
      expect(high < 800, `a picture on ${path} is ${high} pixels high`);
      await tab.page.setViewportSize({ width: 1280, height: 900 });
    }
    await tab.show("/board");
    expect(await tab.page.getByText("Open at its end").isVisible(), "the table of the weeks is folded on paper");
    const colours = async (colorScheme) => {
      await tab.page.emulateMedia({ media: "print", colorScheme });
      return tab.page.evaluate(() => [...document.querySelectorAll("body, main *")].map((each) => {
        const { color, backgroundColor, borderTopColor } = getComputedStyle(each);
        return `${each.tagName}.${each.getAttribute("class")} ${color} ${backgroundColor} ${borderTopColor}`;
      }));
    };
    await tab.show("/matrix");
    const [light, dark] = [await colours("light"), await colours("dark")];
    const other = dark.filter((each, at) => each !== light[at]);
    expect(!other.length, `in a dark system it prints ${other.slice(0, 3).join("; ")}`);
    const pdf = await tab.page.pdf({ format: "A4" });
    expect(pdf.length > 5000, `a file of ${pdf.length} bytes`);
  });
  await tab.context.close();
}

/** Every link of every view of the fixture leads to a view. */
async function connected(browser, server, fixture) {
  const tab = await open(browser, server);
  await check("every link leads somewhere, also when it is opened anew", async () => {
    const known = new Set(views(fixture));
    const broken = [];
    for (const path of known) {
      if (known.size > 250) break;
      const { status, links } = await tab.page.evaluate(async (address) => {
        const response = await fetch(address);
        const loaded = new DOMParser().parseFromString(await response.text(), "text/html");
        const all = [...loaded.querySelectorAll("a[href^='/']")].map((each) => each.getAttribute("href").split("#")[0]);
        return { status: response.status, links: all };
      }, path);
      if (status !== 200) broken.push(`${path} answers ${status}`);
      links.filter((link) => !link.includes("open=")).forEach((link) => known.add(link));
    }
    expect(!broken.length, broken.join("; "));
    expect(known.size > 60, `only ${known.size} addresses`);
  });
  await tab.context.close();
}

async function exports(browser, server, options, fixture) {
  await check("the list of knowledge says how much of its code has changed", async () => {
    const tab = await open(browser, server);
    await tab.show("/knowledge");
    const row = await tab.page.locator("main tbody tr", { hasText: "Rounding" }).innerText();
    expect(/\d+ % changed/.test(row), row);
    await tab.context.close();
  });
  const folder = join(fixture.folder, "..");
  for (const [words, file] of [[["review", "HEAD~2", "--fail-on", "never"], "review.html"], [["matrix"], "matrix.html"]]) {
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
      expect(/Basis \w/.test(await page.locator("footer").innerText()), "no basis");
      valid(readFileSync(path, "utf8"));
      await accessibleInBothThemes(page);
      await fitsNarrow(page);
      await context.close();
    });
  }
  await check("the matrix is a table for other programs", async () => {
    const tab = await open(browser, server);
    const body = await tab.page.evaluate(() => fetch("/matrix?format=csv").then((response) => response.text()));
    expect(body.startsWith("id,title,kind,status,priority,"), body);
    expect(body.includes('"src/money.ts#add(suspect)"'), body);
    expect(body.includes('"REQ-001"') && body.includes('"src/cart.ts#Cart.total"'), body);
    await tab.show("/matrix");
    const [saved] = await Promise.all([tab.page.waitForEvent("download"), tab.page.click("text=Download HTML")]);
    const text = readFileSync(await saved.path(), "utf8");
    expect(saved.suggestedFilename() === "matrix.html" && text.includes("REQ-001"), text.slice(0, 200));
    valid(text);
    await tab.context.close();
  });
}

/** A repository with nothing in it, and a folder without git, say everywhere what to do. */
export async function testEmpty(browser, options, folder) {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  execFileSync("git", ["-C", empty, "init", "--quiet"]);
  await saysWhatToDo(browser, options, empty, { "/matrix": "card create", "/board": "work create", "/knowledge": "knowledge create", "/decisions": "kb adopt",
    "/": "init", "/hotspots": "", "/review": "", "/file/": "no file", "/cards": "card create",
    "/cochange": "no history yet", "/graph": "Start at", "/search": "Type words", "/search?q=nothing": "code grep", "/checks": "" });
  const plain = join(folder, "plain");
  mkdirSync(plain);
  writeFileSync(join(plain, "a.ts"), "export const a = 1;\n");
  await saysWhatToDo(browser, options, plain, { "/": "init", "/file/a.ts": "1 line", "/hotspots": "no git history", "/cochange": "no history yet",
    "/review": "git init", "/history/a.ts": "No commit has this file", "/matrix": "card create", "/board": "work create" });
  await commandsWork(browser, options, folder);
}

/** What an empty view says to run works, in the order in which it says it. */
async function commandsWork(browser, options, folder) {
  for (const path of ["/knowledge", "/matrix", "/decisions", "/board"]) {
    const each = join(folder, `commands${path.replace("/", "-")}`);
    mkdirSync(each);
    execFileSync("git", ["-C", each, "init", "--quiet"]);
    await check(`what ${path} of an empty repository says to run can be run`, async () => {
      const server = await serve(options.cairn, each);
      const tab = await open(browser, server);
      await tab.show(path);
      const commands = await tab.page.locator("main .empty .command").allInnerTexts();
      expect(commands.length > 0, "it says nothing");
      const env = { ...process.env, HOME: each, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", CAIRN: options.cairn };
      for (const command of commands) {
        expect(command.startsWith("cairn "), command);
        execFileSync("sh", ["-c", `"$CAIRN" ${command.slice("cairn ".length)}`], { cwd: each, env, stdio: "pipe" });
      }
      await tab.context.close();
      await server.stop();
    });
  }
}

async function saysWhatToDo(browser, options, folder, views) {
  const server = await serve(options.cairn, folder);
  const tab = await open(browser, server);
  const name = basename(folder);
  for (const [path, command] of Object.entries(views)) {
    await check(`${name}: ${path} says what to do`, async () => {
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
