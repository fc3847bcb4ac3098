// Creates elements. Text is never parsed as markup: labels come from callers.

export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  return withContent(made, attributes, children);
}

export function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return withContent(made, attributes, children);
}

// Names with "on..." add listeners; true sets an attribute without a value, null and false set none.
function withContent(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function replace(holder, ...children) {
  holder.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

// Changes text only if it differs: otherwise screen readers would read a live region again.
export function setText(holder, text) {
  if (holder.textContent !== text) holder.textContent = text;
}

let lastNumber = 0;
export function uniqueId(prefix) {
  lastNumber += 1;
  return `${prefix}-${lastNumber}`;
}

// Calls `draw` with the width of the holder, now and when the width or the theme changes; returns a function that ends this.
export function onResize(holder, draw) {
  let width = 0;
  const redraw = () => width > 0 && draw(width);
  const observer = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now !== width) {
      width = now;
      redraw();
    }
  });
  observer.observe(holder);
  document.addEventListener("themechange", redraw);
  return () => {
    observer.disconnect();
    document.removeEventListener("themechange", redraw);
  };
}
