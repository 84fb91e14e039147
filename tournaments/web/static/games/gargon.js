// Gargon: two fanned piles, and for each seat its hand by colour, what it laid, what it captured.

import { COLOURS, at, disc, el, fade, fitted, mayMove, rows, rowsHigh, words } from "../svg.js";

const CHIP = { width: 24, height: 30 };
const LAID = { width: 40, height: 50 };
const SMALL = { width: 20, height: 24 };
const ORDER = "WBVYRG";
const WIDE = 700;
const GAP = 10;

export function draw(svg, frame, options) {
  const { width } = options;
  svg.replaceChildren();
  let y = drawPiles(svg, frame.view, width);
  const columns = width >= WIDE ? 2 : 1;
  const each = (width - GAP * (columns - 1)) / columns;
  const seats = frame.view.hands.map((_, seat) => seat);
  for (let first = 0; first < seats.length; first += columns) {
    const row = seats.slice(first, first + columns);
    const high = Math.max(...row.map((seat) => panelHigh(frame.view, seat, each)));
    row.forEach((seat, i) => drawSeat(svg, frame, options, seat, { x: i * (each + GAP), y, width: each, high }));
    y += high + GAP;
  }
  y = drawDiscards(svg, frame.view, width, y);
  svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(y) + 2}`);
}

function card(name, width, height) {
  const [, colour, value] = /^([A-Z])(\d+|\?)$/.exec(name);
  const back = value === "?";
  const group = el("g", { class: `creature c-${colour}${back ? " back" : ""}` }, el("rect", { width, height, rx: width / 7 }));
  if (back) {
    group.append(el("path", { class: "mark", d: `M${width / 2} ${height * 0.28}L${width * 0.72} ${height / 2}L${width / 2} ${height * 0.72}L${width * 0.28} ${height / 2}Z` }));
  } else {
    group.append(words(width / 2, height * 0.5 + width * 0.18, width * 0.52, value, { "text-anchor": "middle" }));
  }
  group.append(el("title", {}, back ? `${COLOURS[colour]}, value not known` : `${COLOURS[colour]} ${value}`));
  return group;
}

function byColour(a, b) {
  return ORDER.indexOf(a[0]) - ORDER.indexOf(b[0]) || Number(a.slice(1)) - Number(b.slice(1)) || 0;
}

function drawPiles(svg, view, width) {
  let y = 4;
  view.piles.forEach((pile, i) => {
    const group = el("g", { class: "pile", "data-pile": "AB"[i] });
    group.append(words(2, y + 17, 14, "AB"[i], { class: "name" }));
    group.append(words(18, y + 17, 13, `${pile.length} left`, { class: "soft" }));
    // The top card is the first.
    const high = rows(group, pile, 70, y, width - 72, SMALL, card);
    if (!pile.length) group.append(at(70, y, el("rect", { class: "empty", ...SMALL, rx: 4 })));
    svg.append(group);
    y += Math.max(high, SMALL.height) + 6;
  });
  return y + 6;
}

function captured(view, seat) {
  return view.captured ? [...view.captured[seat]].sort(byColour) : [];
}

// How much room the hand has beside the cards on the table, for which there is always room.
function handRoom(width) {
  return width - 24 - 3 * (LAID.width + 4) - 10;
}

function panelHigh(view, seat, width) {
  const hand = Math.max(LAID.height + 4, rowsHigh(view.hands[seat].length, handRoom(width), CHIP));
  return 44 + hand + 24 + rowsHigh(captured(view, seat).length, width - 24, SMALL) + 8;
}

function drawSeat(svg, frame, options, seat, place) {
  const { view } = frame;
  const { x, y, width, high } = place;
  const acts = seat === view.turn && view.phase !== "over" ? " to-act" : "";
  const panel = el("g", { class: "panel", "data-seat": seat });
  panel.append(el("rect", { class: `box${acts}`, x: x + 1, y: y + 1, width: width - 2, height: high - 2, rx: 10 }));
  panel.append(disc(x + 22, y + 22, 10, `seat-${seat}`, seat));
  const leads = seat === view.leader && view.phase !== "over" ? " · leads" : "";
  panel.append(fitted(x + 40, y + 27, 15, width - 110, options.entrants[seat] + leads, { class: "name" }));
  if (frame.scores) panel.append(words(x + width - 14, y + 28, 17, frame.scores[seat], { class: "score", "text-anchor": "end" }));
  const top = y + 42;
  const hand = [...view.hands[seat]].sort(byColour);
  rows(panel, hand, x + 12, top, handRoom(width), CHIP, card);
  drawLaid(panel, frame, seat, x + width - 12, top);
  const deep = Math.max(LAID.height + 4, rowsHigh(hand.length, handRoom(width), CHIP));
  const below = top + deep + 14;
  panel.append(words(x + 12, below, 13, `captured ${view.captured_counts[seat]}`, { class: "soft" }));
  rows(panel, captured(view, seat), x + 12, below + 8, width - 24, SMALL, card);
  svg.append(panel);
}

// What a seat has on the table; what it has picked but not laid yet is outlined.
function drawLaid(panel, frame, seat, right, y) {
  const { view, before } = frame;
  const picking = seat === view.turn && view.phase === "pick" && !view.laid[seat].length;
  const cards = picking ? view.picked : view.laid[seat];
  const fresh = before && mayMove() && String(before.laid[seat]) !== String(view.laid[seat]);
  cards.forEach((name, i) => {
    const made = card(name, LAID.width, LAID.height);
    made.classList.add(picking ? "picked" : "laid");
    panel.append(at(right - (cards.length - i) * (LAID.width + 4) + 4, y, made));
    if (fresh) fade(made, 350);
  });
}

function drawDiscards(svg, view, width, y) {
  const names = [...view.discards].sort(byColour);
  const group = el("g", { class: "discards" });
  group.append(words(2, y + 14, 13, `discarded ${names.length}`, { class: "soft" }));
  const high = rows(group, names, 2, y + 22, width - 4, SMALL, card);
  svg.append(group);
  return y + 26 + high;
}
