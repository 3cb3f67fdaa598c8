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
  if (now.innerHTML !== next.innerHTML) {
    now.replaceChildren(...next.childNodes);
    now.querySelectorAll("details").forEach((each, at) => { each.open = open[at] ?? each.open; });
    document.title = loaded.title;
  }
  document.querySelector(".basis")?.replaceWith(loaded.querySelector(".basis"));
  if (focused) {
    const again = document.getElementById(focused) ??
      [...document.querySelectorAll("a[href]")].find((each) => each.getAttribute("href") === focused);
    again?.focus({ preventScroll: true });
  }
  if (keepPlace) scrollTo({ left: place[0], top: place[1], behavior: "instant" });
  loadLate();
  return true;
}

/** Loads the parts of a view that take longer. */
function loadLate() {
  for (const part of document.querySelectorAll("[data-late]")) {
    const address = part.dataset.late;
    delete part.dataset.late;
    part.setAttribute("aria-busy", "true");
    fetch(address).then(async (response) => {
      const loaded = new DOMParser().parseFromString(await response.text(), "text/html");
      part.replaceChildren(...(loaded.getElementById("part")?.childNodes ?? []));
      part.removeAttribute("aria-busy");
    });
  }
}

/** Whether somebody is writing or about to confirm a change, so that nothing may be replaced. */
function isWriting() {
  if (document.querySelector("form.confirm")) return true;
  const edited = [...document.querySelectorAll("main textarea, main input:not([type=hidden])")];
  return edited.some((each) => each.value !== each.defaultValue) ||
    document.activeElement?.matches("main textarea, main input, main select");
}

/** Follows the repository: each event names its state. */
function follow() {
  const events = new EventSource("/events");
  let known = null;
  events.addEventListener("state", (event) => {
    const isNew = known !== null && known !== event.data;
    known = event.data;
    if (!isNew) return;
    if (!isWriting()) return void show(location.href);
    document.getElementById("live").textContent =
      "The repository has changed. Reload to see it; what you are writing is kept until then.";
  });
  addEventListener("pagehide", () => events.close());
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

addEventListener("keydown", onKey);
addEventListener("click", onClick);
addEventListener("popstate", () => {
  // A step to another line of the same page is not another view.
  if (location.pathname + location.search !== shown) show(location.href);
});
loadLate();
follow();
