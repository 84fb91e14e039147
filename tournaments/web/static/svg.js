// Small helpers to draw with: elements, texts that fit, and cards.

const SPACE = "http://www.w3.org/2000/svg";

export const COLOURS = {
  Y: "yellow", G: "green", R: "red", B: "blue", O: "orange", P: "purple", V: "violet",
  L: "lilac", W: "white", N: "brown", S: "grey", K: "black",
};

export function el(name, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function words(x, y, size, string, attributes = {}) {
  return el("text", { x, y, "font-size": size, ...attributes }, String(string));
}

// Text that is cut where it would stick out; the whole of it is in its title.
export function fitted(x, y, size, width, string, attributes = {}) {
  const most = Math.max(3, Math.floor(width / (size * 0.56)));
  if (string.length <= most) return words(x, y, size, string, attributes);
  const made = words(x, y, size, `${string.slice(0, most - 1)}…`, attributes);
  made.append(el("title", {}, string));
  return made;
}

// Whether pictures may move: not for people who asked their system that nothing does.
export function mayMove() {
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Move an element along points, from the first to where it already is.
export function walk(element, points, milliseconds) {
  const frames = points.map(([x, y]) => ({ transform: `translate(${x}px, ${y}px)` }));
  element.animate(frames, { duration: milliseconds, easing: "ease-in-out" });
}

export function fade(element, milliseconds) {
  element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: milliseconds, easing: "ease-out" });
}

// A disc with a number: whose something is.
export function disc(x, y, radius, colour, label) {
  return el("g", { class: `disc ${colour}`, transform: `translate(${x} ${y})` },
    el("circle", { r: radius }),
    words(0, radius * 0.38, radius * 1.1, label, { "text-anchor": "middle" }));
}

// A stack of backs, as deep as there are cards.
export function deck(x, y, width, height, count) {
  const group = el("g", { class: "deck" });
  const layers = Math.min(4, Math.ceil(count / 8));
  for (let i = layers - 1; i >= 0; i--) {
    group.append(el("rect", { x: x + 2 * i, y: y - 2 * i, width, height, rx: width / 7 }));
  }
  if (!count) group.append(el("rect", { class: "gone", x, y, width, height, rx: width / 7 }));
  group.append(words(x + width / 2, y + height / 2 + width * 0.14, width * 0.4, count, { "text-anchor": "middle" }));
  return group;
}

// Narrower cards have no label: it would be too small to read.
const LABELLED = 46;
const INGREDIENT = /^([A-Z])([ab])(\d)([!~]?)$/;

// An ingredient is a shape in its colour with its value: a disc for a, a diamond for b.
export function ingredientCard(name, width, height) {
  const [, colour, kind, value, mark] = INGREDIENT.exec(name);
  const group = el("g", { class: `face c-${colour}` }, frameOf(width, height));
  const small = width < LABELLED;
  const middle = height * (small ? 0.5 : 0.44);
  const radius = Math.min(width, height) * (small ? 0.37 : 0.31);
  group.append(kind === "a"
    ? el("circle", { class: "shape", cx: width / 2, cy: middle, r: radius })
    : el("path", { class: "shape", d: diamond(width / 2, middle, radius * 1.22) }));
  group.append(words(width / 2, middle + radius * 0.42, radius * 1.2, value, { class: "value", "text-anchor": "middle" }));
  if (!small) group.append(words(width / 2, height - width * 0.09, width * 0.2, colour + kind, { class: "label", "text-anchor": "middle" }));
  if (mark) group.append(symbol(mark, width * 0.82, height * 0.16, width * (small ? 0.18 : 0.14)));
  const what = { "!": ", explosion", "~": ", wand" }[mark] || "";
  group.append(el("title", {}, `${name.slice(0, 3)}: ${COLOURS[colour]} ${kind}, value ${value}${what}`));
  return group;
}

// Any other card has a name and a large initial.
export function namedCard(name, width, height) {
  const group = el("g", { class: "face named" }, frameOf(width, height));
  const small = width < LABELLED;
  group.append(words(width / 2, height * (small ? 0.68 : 0.56), width * (small ? 0.6 : 0.52), name[0], { class: "initial", "text-anchor": "middle" }));
  if (!small) group.append(words(width / 2, height - width * 0.12, Math.min(width * 0.2, (width * 1.6) / name.length), name, { class: "label", "text-anchor": "middle" }));
  group.append(el("title", {}, name));
  return group;
}

export function anyCard(name, width, height) {
  return INGREDIENT.test(name) ? ingredientCard(name, width, height) : namedCard(name, width, height);
}

export function at(x, y, element) {
  element.setAttribute("transform", `translate(${x} ${y})`);
  return element;
}

// Cards in rows, none beyond the width; returns how high they are.
export function rows(parent, names, x, y, width, card, make) {
  const gap = 3;
  const each = Math.max(1, Math.floor((width + gap) / (card.width + gap)));
  names.forEach((name, i) => {
    const left = x + (i % each) * (card.width + gap);
    const top = y + Math.floor(i / each) * (card.height + gap);
    parent.append(at(left, top, make(name, card.width, card.height)));
  });
  return Math.ceil(names.length / each) * (card.height + gap);
}

export function rowsHigh(count, width, card) {
  const each = Math.max(1, Math.floor((width + 3) / (card.width + 3)));
  return Math.ceil(count / each) * (card.height + 3);
}

function frameOf(width, height) {
  return el("rect", { class: "paper", width, height, rx: width / 8 });
}

function diamond(x, y, r) {
  return `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;
}

function symbol(mark, x, y, r) {
  if (mark === "~") {
    return el("g", { class: "symbol wand", transform: `translate(${x} ${y})` },
      el("path", { d: `M${-r} ${r}L${r * 0.5} ${-r * 0.5}` }), el("circle", { cx: r * 0.6, cy: -r * 0.6, r: r * 0.45 }));
  }
  const points = Array.from({ length: 16 }, (_, i) => {
    const far = i % 2 ? r * 0.5 : r * 1.1;
    return `${far * Math.cos((i * Math.PI) / 8)} ${far * Math.sin((i * Math.PI) / 8)}`;
  });
  return el("path", { class: "symbol explosion", transform: `translate(${x} ${y})`, d: `M${points.join("L")}Z` });
}
