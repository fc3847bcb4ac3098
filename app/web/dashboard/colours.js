// Colours of the heat map: cividis, which looks the same with any kind of colour vision (Nuñez and others, 2018).

// Without its darkest colours, which would be invisible on a dark page.
const STOPS = ["#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const STEPS = 256;

const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

export const TABLE = Array.from({ length: STEPS }, (_, step) => {
  const position = (step / (STEPS - 1)) * (STOPS.length - 1);
  const [from, to] = [rgb(STOPS[Math.floor(position)]), rgb(STOPS[Math.ceil(position)])];
  return `rgb(${from.map((part, k) => Math.round(part + (to[k] - part) * (position % 1))).join(" ")})`;
});

export const colour = (share) => TABLE[Math.max(0, Math.min(STEPS - 1, Math.round(share * (STEPS - 1))))];
