// Who may not come in: a wrong or used token, no cookie, another Host, another Origin, a forged form.

import { createServer, request } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";

import { open, serve } from "./browser.mjs";
import { check, expect } from "./checks.mjs";

/** A request with any headers, which `fetch` would not send. */
function ask(origin, path, { method = "GET", headers = {}, body = "" } = {}) {
  const { hostname, port, host } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { host, ...headers } }, (response) => {
      let text = "";
      response.on("data", (data) => { text += data; });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };

export async function testSecurity(browser, options, fixture) {
  const server = await serve(options.cairn, fixture.folder, "--allow-host", "forwarded.example");
  const { origin } = server;
  const first = new URL(server.address());
  const secret = (text) => !/money|cart|till/i.test(text);

  await check("without a token nothing is shown", async () => {
    for (const path of ["/", "/file/src/cart.ts", "/events", "/search?q=cart"]) {
      const { status, text } = await ask(origin, path);
      expect(status === 401 && secret(text), `${path} answers ${status}`);
    }
  });
  await check("a wrong token is refused", async () => {
    for (const token of ["", "0".repeat(64), `${first.searchParams.get("token")}0`]) {
      const { status, headers } = await ask(origin, `/open?token=${token}`);
      expect(status === 401 && !headers["set-cookie"], `it answers ${status}`);
    }
  });
  const entered = await ask(origin, first.pathname + first.search);
  const cookie = entered.headers["set-cookie"]?.[0] ?? "";
  const session = { cookie: cookie.split(";")[0] };
  await check("the token is exchanged for a cookie that scripts and other sites do not get", async () => {
    expect(entered.status === 200, `it answers ${entered.status}`);
    expect(/; HttpOnly; SameSite=Strict; Path=\/$/.test(cookie), cookie);
    const { status } = await ask(origin, "/", { headers: session });
    expect(status === 200, `with the cookie it answers ${status}`);
  });
  await check("a token works once", async () => {
    const { status } = await ask(origin, first.pathname + first.search);
    expect(status === 401, `it answers ${status}`);
  });
  await check("another Host is refused, so that no name can be bound to this server", async () => {
    for (const host of ["evil.example", "evil.example:80", `127.0.0.1.evil.example:${first.port}`, "127.0.0.1:1"]) {
      const { status, text } = await ask(origin, "/", { headers: { ...session, host } });
      expect(status === 403 && secret(text), `${host} answers ${status}`);
    }
  });
  await check("a host that was allowed is served", async () => {
    const { status } = await ask(origin, "/", { headers: { ...session, host: "forwarded.example" } });
    expect(status === 200, `it answers ${status}`);
  });
  await check("another Origin is refused", async () => {
    for (const from of ["http://evil.example", "null", "https://127.0.0.1", "http://localhost:1"]) {
      const headers = { ...session, ...FORM, origin: from };
      for (const method of ["GET", "POST"]) {
        const { status } = await ask(origin, method === "GET" ? "/" : "/plan", { method, headers });
        expect(status === 403, `${method} from ${from} answers ${status}`);
      }
    }
  });
  await check("a form needs an Origin and the token of its session", async () => {
    const body = "operation=card.status&key=spec::cart/empty&status=draft";
    const plain = await ask(origin, "/plan", { method: "POST", headers: { ...session, ...FORM }, body });
    expect(plain.status === 403, `without an Origin it answers ${plain.status}`);
    for (const token of ["", "&form_token=0123"]) {
      const forged = await ask(origin, "/plan", { method: "POST", headers: { ...session, ...FORM, origin }, body: body + token });
      expect(forged.status === 403, `with a wrong token it answers ${forged.status}`);
    }
    const cross = await ask(origin, "/plan", { method: "POST", headers: { ...session, ...FORM, origin, "sec-fetch-site": "cross-site" }, body });
    expect(cross.status === 403, `from another site it answers ${cross.status}`);
  });
  await check("a form can only run what forms are for", async () => {
    const { text } = await ask(origin, "/card/spec::cart/empty", { headers: session });
    const token = text.match(/name="form_token" value="(\w+)"/)[1];
    const { status } = await ask(origin, "/plan", {
      method: "POST",
      headers: { ...session, ...FORM, origin },
      body: `operation=card.delete&key=spec::cart/empty&form_token=${token}`,
    });
    expect(status === 403, `it answers ${status}`);
  });
  await check("every response forbids what the page does not need", async () => {
    for (const [path, headers] of [["/", session], ["/", {}], ["/open?token=1", {}]]) {
      const policy = (await ask(origin, path, { headers })).headers["content-security-policy"];
      expect(policy?.startsWith("default-src 'none'; "), `${path}: ${policy}`);
      expect(policy.includes("frame-ancestors 'none'") && !policy.includes("unsafe"), policy);
      const all = (await ask(origin, path, { headers })).headers;
      for (const [name, value] of Object.entries({ "x-content-type-options": "nosniff", "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin", "cache-control": "no-store" })) {
        expect(all[name] === value, `${path}: ${name} is ${all[name]}`);
      }
    }
  });
  await check("other methods are refused", async () => {
    for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const { status } = await ask(origin, "/", { method, headers: { ...session, origin } });
      expect(status === 403 || status === 405, `${method} answers ${status}`);
    }
  });
  await check("a change never leads to another site", async () => {
    const { text } = await ask(origin, "/card/spec::cart/empty", { headers: session });
    const token = text.match(/name="form_token" value="(\w+)"/)[1];
    for (const back of ["//evil.example/", "https://evil.example/", "/\\evil.example"]) {
      const body = `operation=card.status&key=spec::cart/empty&status=draft&form_token=${token}&back=${encodeURIComponent(back)}`;
      const planned = await ask(origin, "/plan", { method: "POST", headers: { ...session, ...FORM, origin }, body });
      expect(planned.status === 200 && !planned.text.includes("evil.example"), `${back} is kept`);
    }
  });
  await inBrowser(browser, server);
  await check("a second browser gets in with the address that is printed after the first", async () => {
    const tab = await open(browser, server);
    await tab.context.close();
  });
  await server.stop();
  await forwarded(browser, options, fixture);
}

/** What a browser that was let in does when other pages misuse it. */
async function inBrowser(browser, server) {
  const tab = await open(browser, server);
  const { origin } = server;
  const { port } = new URL(origin);
  const status = async (page, address) => (await page.goto(address)).status();
  await check("a browser with a wrong token sees nothing", async () => {
    const stranger = await browser.newContext();
    const page = await stranger.newPage();
    expect(await status(page, `${origin}/open?token=${"0".repeat(64)}`) === 401, "the token is accepted");
    expect((await page.locator("main").innerText()).includes("does not work any more"), "it does not say why");
    expect(await status(page, `${origin}/`) === 401, "the page is shown");
    await stranger.close();
  });
  await check("a name that was bound to this machine is refused in a browser", async () => {
    const page = await tab.context.newPage();
    expect(await status(page, `http://evil.example:${port}/`) === 403, "it is served");
    expect(!/money|cart|till/i.test(await page.content()), "it tells of the repository");
    await page.close();
  });
  await check("a page of another origin can neither send a form nor read anything", async () => {
    const form = `<form method="post" action="${origin}/plan"><input name="operation" value="card.status">`
      + '<input name="key" value="spec::cart/empty"><input name="status" value="draft"></form>';
    const other = createServer((_, response) => response.setHeader("content-type", "text/html").end(form));
    await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
    // The same address with another port: a browser sends the cookie, so that only the origin tells.
    const page = await tab.context.newPage();
    await page.goto(`http://127.0.0.1:${other.address().port}/`);
    const read = await page.evaluate((address) => fetch(address, { credentials: "include" }).then(() => "read", () => "refused"), `${origin}/`);
    expect(read === "refused", "a script could read it");
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url() === `${origin}/plan`),
      page.evaluate(() => document.querySelector("form").submit()),
    ]);
    expect(answer.status() === 403, `the form is answered with ${answer.status()}`);
    await page.close();
    await new Promise((resolve) => other.close(resolve));
  });
  await tab.context.close();
}

/** A port that is forwarded, as `ssh -L` does: under the name that was allowed views and changes
 * work, and without it nothing does. */
async function forwarded(browser, options, fixture) {
  let target = 0;
  const sockets = new Set();
  const tunnel = createTcpServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [[near, far], [far, near]]) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
    }
  });
  await new Promise((resolve) => tunnel.listen(0, "127.0.0.1", resolve));
  const outside = `http://localhost:${tunnel.address().port}`;
  const through = async (flags, look) => {
    const server = await serve(options.cairn, fixture.folder, ...flags);
    target = Number(new URL(server.origin).port);
    await look({ ...server, origin: outside, address: () => server.address().replace(server.origin, outside) });
    await server.stop();
  };
  await check("a forwarded port is refused unless its name was allowed", () => through([], async (server) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    expect((await page.goto(server.address())).status() === 403, "it is served");
    await context.close();
  }));
  await check("a forwarded port works under the name that was allowed, also for changes", () => through(["--allow-host", new URL(outside).host], async (server) => {
    const tab = await open(browser, server);
    await tab.show("/card/spec::cart/empty");
    await tab.page.selectOption("#status", "deprecated");
    await tab.page.click("text=Change status");
    await tab.page.waitForURL(/\/plan$/);
    expect(await tab.page.locator(".diff").count() === 1, "no plan is shown");
    tab.clean("forwarded");
    await tab.context.close();
  }));
  sockets.forEach((socket) => socket.destroy());
  await new Promise((resolve) => tunnel.close(resolve));
}
