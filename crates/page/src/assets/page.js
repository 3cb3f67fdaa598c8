// Adds to pages that work without it: keys, live refresh, parts that are loaded late, and graphs
// that grow without a reload. It asks nothing but this server.

const main = () => document.getElementById("main");
let shown = location.pathname + location.search;

/** Loads an address and puts its content in place of the one that is shown. */
async function show(address, { keepPlace = true, remember = false } = {}) {
  const response = await fetch(address, { headers: { accept: "text/html" } });
  if (!response.ok && response.status !== 404) return false;
  const loaded = new DOMParser().parseFromString(await response.text(), "text/html");
  const [now, next] = [main(), loaded.getElementById("main")];
  if (!next) return false;
  if (remember) history.pushState(null, "", address);
  shown = location.pathname + location.search;
  const place = [scrollX, scrollY];
  const focused = document.activeElement?.id || document.activeElement?.getAttribute("href");
  const open = [...now.querySelectorAll("details")].map((each) => each.open);
  keepLate(now, next);
  if (now.innerHTML !== next.innerHTML) {
    now.replaceChildren(...next.childNodes);
    now.querySelectorAll("details").forEach((each, at) => { each.open = open[at] ?? each.open; });
    document.title = loaded.title;
  }
  document.querySelector(".basis")?.replaceWith(loaded.querySelector(".basis"));
  if (loaded.body.dataset.state) document.body.dataset.state = loaded.body.dataset.state;
  if (focused) {
    const again = document.getElementById(focused) ??
      [...document.querySelectorAll("a[href]")].find((each) => each.getAttribute("href") === focused);
    again?.focus({ preventScroll: true });
  }
  if (keepPlace) scrollTo({ left: place[0], top: place[1], behavior: "instant" });
  loadLate();
  return true;
}

/** Parts that are loaded late keep what they show until the new content is there. */
function keepLate(now, next) {
  for (const part of next.querySelectorAll("[data-late]")) {
    const shown = now.querySelector(`[data-part="${CSS.escape(part.dataset.late)}"]`);
    if (shown) part.replaceChildren(...shown.cloneNode(true).childNodes);
  }
}

/** Loads the parts of a view that take longer. What cannot be loaded keeps its link to the whole. */
function loadLate() {
  for (const part of document.querySelectorAll("[data-late]")) {
    const address = part.dataset.late;
    delete part.dataset.late;
    part.dataset.part = address;
    part.setAttribute("aria-busy", "true");
    loadPart(address).then((content) => { if (content) part.replaceChildren(...content); })
      .catch(() => {}).finally(() => part.removeAttribute("aria-busy"));
  }
}

async function loadPart(address) {
  const response = await fetch(address);
  if (!response.ok) return null;
  const loaded = new DOMParser().parseFromString(await response.text(), "text/html");
  return loaded.getElementById("part")?.childNodes ?? null;
}

/** Whether somebody is writing or about to confirm a change, so that nothing may be replaced. */
function isWriting() {
  if (document.querySelector("form.confirm")) return true;
  const edited = [...document.querySelectorAll("main textarea, main input:not([type=hidden])")];
  const chosen = [...document.querySelectorAll("main form[method=post] option")];
  const isPlain = (option) => option.defaultSelected || !option.parentElement.querySelector("[selected]") && !option.index;
  return edited.some((each) => each.value !== each.defaultValue) ||
    chosen.some((option) => option.selected && !isPlain(option)) ||
    document.activeElement?.matches("main textarea, main input, main select");
}

/** Follows the repository: each event names its state. */
function follow() {
  const events = new EventSource("/events");
  const say = (text) => { document.getElementById("live").textContent = text; };
  let isCut = false;
  events.addEventListener("state", (event) => {
    document.body.dataset.state ??= event.data;
    if (event.data === document.body.dataset.state) return;
    if (!isWriting()) return void show(location.href).catch(() => {});
    say("The repository has changed. Reload to see it; what you are writing is kept until then.");
  });
  events.addEventListener("open", () => { if (isCut) say(""); isCut = false; });
  events.addEventListener("error", () => {
    isCut = true;
    say("Not connected: this view no longer follows the repository. Is its server still running?");
  });
  addEventListener("pagehide", () => events.close());
  // A page that the browser kept in its cache may be out of date.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

/** A task that is dragged to another column is moved there, by the form that its select belongs to. */
function followDragging() {
  let dragged = null;
  const lane = (event) => (dragged ? event.target.closest?.("[data-status]") : null);
  addEventListener("dragstart", (event) => { dragged = event.target.closest?.(".ticket") ?? null; });
  addEventListener("dragend", () => { dragged = null; });
  addEventListener("dragover", (event) => { if (lane(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    const status = lane(event)?.dataset.status;
    const select = dragged?.querySelector("select[name=operation]");
    if (!status || !select) return;
    event.preventDefault();
    const option = [...select.options].find((each) => each.dataset.to === status);
    if (option) {
      select.value = option.value;
      select.form.requestSubmit();
    } else if (dragged.closest("[data-status]").dataset.status !== status) {
      document.getElementById("live").textContent = "This task cannot be moved there in one step.";
    }
  });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches?.("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const wasGo = onKey.isGo;
  onKey.isGo = false;
  if (wasGo) {
    document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`)?.click();
  } else if (event.key === "/") {
    event.preventDefault();
    document.getElementById("q").select();
  } else if (event.key === "g") {
    onKey.isGo = true;
  } else if (event.key === "?") {
    document.getElementById("keys").showModal();
  } else if (event.key === "j" || event.key === "k") {
    const rows = [...document.querySelectorAll("main tbody tr, main .list > li, main .ticket")]
      .map((row) => row.querySelector("a[href]")).filter(Boolean);
    const at = rows.indexOf(document.activeElement);
    rows[Math.max(0, Math.min(rows.length - 1, at + (event.key === "j" ? 1 : -1)))]?.focus();
  }
}

/** A link that only changes the view, such as one that grows a graph, needs no reload. */
function onClick(event) {
  const link = event.target.closest?.("a[data-swap]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const address = link.getAttribute("href");
  show(address, { remember: true }).then((done) => { if (!done) location.href = address; });
}

/** On a narrow screen the navigation scrolls: the view that is shown has to be seen in it. */
function showPlace() {
  const here = document.querySelector(".top nav [aria-current]");
  const nav = here?.closest("nav");
  if (nav) nav.scrollLeft = here.offsetLeft - (nav.clientWidth - here.clientWidth) / 2;
}

addEventListener("keydown", onKey);
addEventListener("click", onClick);
addEventListener("popstate", () => {
  // Going to another line of the same page does not change the view.
  if (location.pathname + location.search !== shown) show(location.href);
});
showPlace();
loadLate();
follow();
followDragging();
