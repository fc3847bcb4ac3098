// Makes elements. Text only ever enters as text, never as markup: labels are other people's words.

export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  return filled(made, attributes, children);
}

export function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return filled(made, attributes, children);
}

// Attributes are set one by one; "on..." are listeners, true is an attribute without a value, null and false none.
function filled(made, attributes, children) {
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

// Changes text only if it differs: a live region would read it out again.
export function say(holder, text) {
  if (holder.textContent !== text) holder.textContent = text;
}

let numbers = 0;
export function freshId(prefix) {
  numbers += 1;
  return `${prefix}-${numbers}`;
}

// Calls `draw` with the width of the holder, now and whenever it or the theme changes; returns how to end that.
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
