// The theme: that of the system until the button is pressed. Not a module: it must run before the first paint,
// otherwise a dark page would flash white.
"use strict";

(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    try {
      return localStorage.getItem("bestpair-theme");
    } catch {
      return null; // storage is off: the button still works for this page
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }

  function announce() {
    document.getElementById("theme")?.setAttribute("aria-pressed", String(isDark()));
    document.dispatchEvent(new Event("themechange"));
  }

  const before = stored();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  system.addEventListener("change", announce);
  document.addEventListener("DOMContentLoaded", () => {
    announce();
    document.getElementById("theme").addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem("bestpair-theme", root.dataset.theme);
      } catch {
        // as above
      }
      announce();
    });
  });
})();
