// Festo!: the spots with their markets and tokens, the buffet, and the board of each seat.

import { at, deck, disc, el, fade, fitted, mayMove, rows, rowsHigh, words } from "../svg.js";

const SPOTS = ["troll", "pixies", "orc", "magician", "elf", "dwarf", "grocer"];
const GROCER = 6;
const LETTERS = "MHSUFPN";
// Each ingredient with its name and the colour that it is drawn in.
const INGREDIENTS = {
  M: ["meat", "R"], H: ["honey", "Y"], S: ["spice", "O"], U: ["mushroom", "S"], F: ["fruit", "G"],
  P: ["potato", "N"], N: ["salt", "W"],
};
const CATEGORIES = ["drink", "starter", "side", "dessert"];
const ROUNDS = 4;
const CUBE = { width: 18, height: 18 };
const TOKEN = { width: 18, height: 18 };
const DISH = { width: 56, height: 44 };
const SMALL_DISH = { width: 46, height: 36 };
const WIDE = 620;
const GAP = 10;

export function draw(svg, frame, options) {
  const { width } = options;
  svg.replaceChildren();
  let y = drawHead(svg, frame.view, width);
  y = drawSpots(svg, frame, width, y);
  y = drawBuffet(svg, frame.view, width, y);
  const columns = width >= WIDE ? 2 : 1;
  const each = (width - GAP * (columns - 1)) / columns;
  const seats = frame.view.cubes.map((_, seat) => seat);
  for (let first = 0; first < seats.length; first += columns) {
    const row = seats.slice(first, first + columns);
    const high = Math.max(...row.map((seat) => panelHigh(frame.view, seat, each)));
    row.forEach((seat, i) => drawSeat(svg, frame, options, seat, { x: i * (each + GAP), y, width: each, high }));
    y += high + GAP;
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(y) + 2}`);
}

function cube(letter, width, height) {
  const [name, colour] = INGREDIENTS[letter];
  return el("g", { class: `creature c-${colour} cube`, "data-cube": letter },
    el("rect", { width, height, rx: 3 }),
    words(width / 2, height * 0.72, width * 0.62, letter, { "text-anchor": "middle" }),
    el("title", {}, name));
}

// "MMH" as the letters of cubes in the order of the ingredients.
function sorted(cubes) {
  return [...cubes].sort((a, b) => LETTERS.indexOf(a) - LETTERS.indexOf(b));
}

// A helper is a disc, a special disc a square; one that counts from the next round has a dashed edge.
function token({ kind, seat, count }, size) {
  const r = size / 2;
  const titles = { helper: "helpers", disc: "special discs", laid: "special discs from the next round on" };
  const group = el("g", { class: `token ${kind} seat-${seat}`, "data-seat": seat },
    kind === "helper" ? el("circle", { cx: r, cy: r, r }) : el("rect", { width: size, height: size, rx: 2 }),
    words(r, r * 1.42, size * 0.62, count, { "text-anchor": "middle" }));
  group.append(el("title", {}, `${count} ${titles[kind]} of seat ${seat}`));
  return group;
}

function tokensAt(view, spot) {
  const found = [];
  view.cubes.forEach((_, seat) => {
    const numbers = { helper: view.helpers_at[spot][seat], disc: view.discs_at[spot][seat], laid: view.laid[spot][seat] };
    for (const [kind, count] of Object.entries(numbers)) if (count) found.push({ kind, seat, count });
  });
  return found;
}

function die(value, size) {
  return el("g", { class: "die" }, el("rect", { width: size, height: size, rx: size / 5 }),
    words(size / 2, size * 0.72, size * 0.62, value, { "text-anchor": "middle" }));
}

function drawHead(svg, view, width) {
  const phase = view.phase === "over" ? "the game is over" : view.phase;
  const group = el("g", { class: "head" });
  group.append(words(2, 18, 15, `Round ${view.round} of ${ROUNDS} · ${phase}`, { class: "name" }));
  view.dice.forEach((value, i) => group.append(at(width - (view.dice.length - i) * 28, 2, die(value, 23))));
  svg.append(group);
  if (!view.events.length) return 32;
  svg.append(fitted(2, 40, 13, width - 4, `events: ${view.events.join(", ")}`, { class: "soft" }));
  return 52;
}

function spotCubes(view, spot) {
  return spot === GROCER ? [...LETTERS].flatMap((letter, i) => Array(view.shelves[i] || 0).fill(letter)) : sorted(view.markets[spot]);
}

function drawSpots(svg, frame, width, top) {
  const { view } = frame;
  const columns = width >= WIDE ? 7 : width >= 420 ? 4 : 3;
  const each = (width - 6 * (columns - 1)) / columns;
  const inner = each - 12;
  const cubesHigh = Math.max(...SPOTS.map((_, spot) => rowsHigh(spotCubes(view, spot).length, inner, CUBE)), CUBE.height);
  const tokensHigh = Math.max(...SPOTS.map((_, spot) => rowsHigh(tokensAt(view, spot).length, inner, TOKEN)), TOKEN.height);
  const high = 28 + cubesHigh + 8 + tokensHigh + 6;
  SPOTS.forEach((name, spot) => {
    const x = (spot % columns) * (each + 6);
    const y = top + Math.floor(spot / columns) * (high + 6);
    svg.append(drawSpot(frame, spot, name, { x, y, width: each, high, inner, cubesHigh }));
  });
  return top + Math.ceil(SPOTS.length / columns) * (high + 6) + GAP;
}

function drawSpot(frame, spot, name, place) {
  const { view, before } = frame;
  const { x, y, width, high, inner, cubesHigh } = place;
  const blocked = view.blocked.includes(name);
  const group = el("g", { class: `spot${blocked ? " blocked" : ""}`, "data-spot": name });
  group.append(el("rect", { class: `box${view.spot === name ? " to-act" : ""}`, x: x + 1, y: y + 1, width: width - 2, height: high - 2, rx: 8 }));
  group.append(fitted(x + 6, y + 18, 13, width - 26, name[0].toUpperCase() + name.slice(1), { class: "name" }));
  if (spot !== GROCER) group.append(words(x + width - 8, y + 18, 12, spot + 1, { class: "soft", "text-anchor": "end" }));
  rows(group, spotCubes(view, spot), x + 6, y + 28, inner, CUBE, cube);
  const fresh = before && mayMove() && String(before.helpers_at[spot]) !== String(view.helpers_at[spot]);
  const tokens = tokensAt(view, spot);
  rows(group, tokens, x + 6, y + 28 + cubesHigh + 8, inner, TOKEN, (which, size) => {
    const made = token(which, size);
    if (fresh) fade(made, 350);
    return made;
  });
  if (blocked) {
    group.append(el("path", { class: "cross", d: `M${x + 8} ${y + 26}L${x + width - 8} ${y + high - 8}M${x + width - 8} ${y + 26}L${x + 8} ${y + high - 8}` }));
    group.append(el("title", {}, `${name} is blocked`));
  }
  return group;
}

function dish(name, width, height) {
  const [category, letter] = name.split("-");
  const colour = letter ? INGREDIENTS[letter][1] : "K";
  const r = height * 0.28;
  const group = el("g", { class: `face c-${colour} dish`, "data-dish": name }, el("rect", { class: "paper", width, height, rx: 6 }),
    el("circle", { class: "shape", cx: width / 2, cy: height * 0.38, r }),
    words(width / 2, height * 0.38 + r * 0.42, r * 1.15, letter || category[0].toUpperCase(), { class: "value", "text-anchor": "middle" }),
    words(width / 2, height - 4, Math.min(11, width / 4.6), category, { class: "label", "text-anchor": "middle" }));
  group.append(el("title", {}, letter ? `${category}, mostly ${INGREDIENTS[letter][0]}` : category));
  return group;
}

// Rows of three dishes with what is left of their piles, then the stock of roasts and main courses.
function drawBuffet(svg, view, width, top) {
  const across = width >= WIDE ? 2 : 1;
  const label = 72;
  const each = (width - GAP * (across - 1)) / across;
  view.buffet.forEach((row, category) => {
    const x = (category % across) * (each + GAP);
    const y = top + Math.floor(category / across) * (DISH.height + 8);
    const group = el("g", { class: "buffet", "data-category": CATEGORIES[category] });
    group.append(words(x + 2, y + 18, 13, `${CATEGORIES[category]}s`, { class: "name" }));
    group.append(words(x + 2, y + 35, 12, `${view.pile_counts[category]} more`, { class: "soft" }));
    row.forEach((name, column) => {
      const left = x + label + column * (DISH.width + 8);
      group.append(at(left, y, name ? dish(name, DISH.width, DISH.height) : el("rect", { class: "empty", ...DISH, rx: 6 })));
      const reserved = view.tokens[category * 3 + column];
      if (reserved) {
        const [kind, seat] = reserved.split(" ");
        group.append(at(left + DISH.width - 12, y - 4, token({ kind, seat, count: "" }, 16)));
      }
    });
    svg.append(group);
  });
  const y = top + Math.ceil(view.buffet.length / across) * (DISH.height + 8) + 6;
  const stock = el("g", { class: "stock" });
  ["roast", "main"].forEach((name, i) => {
    stock.append(deck(2 + i * 120, y + 6, 30, 34, view.stock[i]));
    stock.append(words(44 + i * 120, y + 28, 13, name === "roast" ? "roasts" : "main courses", { class: "soft" }));
  });
  svg.append(stock);
  return y + 50;
}

function seatCubes(view, seat) {
  return sorted(view.cubes[seat]);
}

function panelHigh(view, seat, width) {
  const cubes = Math.max(CUBE.height, rowsHigh(seatCubes(view, seat).length, width - 24, CUBE));
  const dishes = rowsHigh(view.dishes[seat].length, width - 24, SMALL_DISH);
  return 64 + cubes + (dishes ? dishes + 6 : 0) + 10;
}

function drawSeat(svg, frame, options, seat, place) {
  const { view } = frame;
  const { x, y, width, high } = place;
  const acts = seat === view.turn && view.phase !== "over" ? " to-act" : "";
  const panel = el("g", { class: "panel", "data-seat": seat });
  panel.append(el("rect", { class: `box${acts}`, x: x + 1, y: y + 1, width: width - 2, height: high - 2, rx: 10 }));
  panel.append(disc(x + 22, y + 22, 10, `seat-${seat}`, seat));
  const first = seat === view.first ? " · first player" : "";
  panel.append(fitted(x + 40, y + 27, 15, width - 110, options.entrants[seat] + first, { class: "name" }));
  if (frame.scores) panel.append(words(x + width - 14, y + 28, 17, frame.scores[seat], { class: "score", "text-anchor": "end" }));
  const passed = view.passed[seat] ? " · passed" : "";
  const home = `helpers ${view.helpers[seat]} · discs ${view.discs[seat]} · points ${view.points[seat]}${passed}`;
  panel.append(fitted(x + 12, y + 50, 12, width - 24, home, { class: "soft" }));
  const cubes = seatCubes(view, seat);
  rows(panel, cubes, x + 12, y + 62, width - 24, CUBE, cube);
  const below = y + 62 + Math.max(CUBE.height, rowsHigh(cubes.length, width - 24, CUBE)) + 6;
  rows(panel, view.dishes[seat], x + 12, below, width - 24, SMALL_DISH, dish);
  svg.append(panel);
}
