// Selects the page for the address, and asks for a key when the service needs one.

import { useKey } from "./api.js";
import { element, replace } from "./dom.js";

const main = document.getElementById("main");
let leave = () => {};

const PAGES = [
  [/^#\/sessions\/([\w-]+)$/, () => import("./session_page.js")],
  [/^#\/new$/, () => import("./create_page.js")],
  [/^#?\/?$/, () => import("./list_page.js")],
];

async function show() {
  if (location.hash === "#main") return; // the link that skips to the content
  const [pattern, load] = PAGES.find(([known]) => known.test(location.hash)) || PAGES.at(-1);
  const [, id] = pattern.exec(location.hash) || [];
  leave();
  leave = () => {};
  const requested = location.hash;
  const { open } = await load();
  if (location.hash !== requested) return; // the address has changed meanwhile
  const holder = element("div");
  replace(main, holder);
  leave = open(holder, id) || (() => {});
  window.scrollTo(0, 0);
}

// Opens one dialog, even if several calls were refused.
function askForKey() {
  if (document.querySelector("dialog[open]")) return;
  const field = element("input", { id: "key", name: "key", type: "password", autocomplete: "off", required: true });
  const dialog = element(
    "dialog",
    { "aria-labelledby": "key-title" },
    element("h2", { id: "key-title" }, "This service asks for a key"),
    element("p", { class: "soft small" }, "Make one with: ", element("code", {}, "bestpair keys create --name me --scope read")),
    element(
      "form",
      { method: "dialog", onsubmit: () => useKey(field.value) },
      element("div", { class: "field" }, element("label", { for: "key" }, "API key"), field),
      element("button", { class: "main-action" }, "Use it"),
    ),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    show();
  });
  document.body.append(dialog);
  dialog.showModal();
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener("keyneeded", askForKey);
window.addEventListener("hashchange", async () => {
  await show();
  main.focus(); // keyboard navigation starts at the top of the new page
});
show();
