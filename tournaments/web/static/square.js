// The square of 6 by 6 cards with its ring of stops, and the seats around it.

import { anyCard, at, deck, disc, el, fade, fitted, mayMove, rows, rowsHigh, walk, words } from "./svg.js";

const CELLS = Array.from({ length: 36 }, (_, i) => "abcdef"[i % 6] + (1 + Math.floor(i / 6)));
const CORNERS = new Set(["a1", "f1", "a6", "f6"]);
const STOPS = 20;
const STEP_TIME = 140;
const WIDE = 700;
const CHIP = { width: 22, height: 26 };

// Draw a position. `seatLines(view, seat)` returns what else there is to say of a seat: lists of
// pieces, each { text } or { text, dots }.
export function drawTable(svg, frame, options, seatLines) {
  const { width } = options;
  const wide = width >= WIDE;
  const square = geometry(wide ? Math.min(600, width * 0.54) : width);
  const column = wide
    ? { x: square.size + 28, y: 0, width: width - square.size - 28 }
    : { x: 0, y: square.size + 92, width };
  const board = el("g", { class: "board" });
  svg.replaceChildren(board);
  drawRing(board, square, frame.view);
  drawCells(board, square, frame);
  const panels = drawSeats(svg, frame, options, column, seatLines);
  const strip = drawPile(svg, square, frame.view);
  const pawns = drawPawns(board, square, frame.view);
  svg.append(board); // above the panels, so that a card on its way is seen
  if (options.animate && frame.before && mayMove()) {
    movePawns(pawns, square, frame);
    moveCard(svg, square, frame, panels);
  }
  const height = Math.max(square.size + strip, panels.bottom);
  svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(height) + 2}`);
}

function geometry(size) {
  const cell = size / 7.7;
  const ring = cell * 0.85;
  return { size, cell, ring, corner: cell * 0.9, card: { width: cell * 0.86, height: cell * 0.94 } };
}

// Where a stop is: clockwise from the top left corner.
function stopAt(square, stop) {
  const { size, cell, ring, corner } = square;
  const near = ring / 2;
  const far = size - near;
  const side = Math.floor(stop / 5);
  const along = stop % 5;
  const inset = near + corner * 0.2929;
  if (!along) return [[inset, inset], [size - inset, inset], [size - inset, size - inset], [inset, size - inset]][side];
  const go = ring + (along + 0.5) * cell;
  return [[go, near], [far, go], [size - go, far], [near, size - go]][side];
}

function cellAt(square, index) {
  const { cell, ring, card } = square;
  return [
    ring + (index % 6) * cell + (cell - card.width) / 2,
    ring + Math.floor(index / 6) * cell + (cell - card.height) / 2,
  ];
}

function drawRing(board, square, view) {
  const { size, ring, corner, cell } = square;
  board.append(el("rect", {
    class: "track", x: ring / 2, y: ring / 2, width: size - ring, height: size - ring, rx: corner, "stroke-width": ring * 0.62,
  }));
  if (view.phase.startsWith("take")) drawLine(board, square, view.stops[view.turn]);
  for (let stop = 0; stop < STOPS; stop++) {
    const [x, y] = stopAt(square, stop);
    const name = stopName(stop);
    board.append(el("circle", { class: name ? "stop" : "stop at-corner", cx: x, cy: y, r: ring * (name ? 0.23 : 0.29) }));
    if (name) board.append(words(x, y + cell * 0.075, cell * 0.21, name, { class: "stop-name", "text-anchor": "middle" }));
  }
}

function stopName(stop) {
  const along = stop % 5;
  if (!along) return "";
  return ["abcdef"[along], 1 + along, "fedcba"[along], 6 - along][Math.floor(stop / 5)];
}

// Mark the line that the pawn to decide faces.
function drawLine(board, square, stop) {
  const { cell, ring } = square;
  const [x, y] = stopAt(square, stop);
  if (stop % 5 === 0) return;
  const upright = Math.floor(stop / 5) % 2 === 0;
  board.append(el("rect", {
    class: "line", rx: cell * 0.15,
    x: upright ? x - cell / 2 : ring, y: upright ? ring : y - cell / 2,
    width: upright ? cell : 6 * cell, height: upright ? 6 * cell : cell,
  }));
}

function drawCells(board, square, frame) {
  const taken = takenCell(frame);
  frame.view.board.forEach((name, i) => {
    if (CORNERS.has(CELLS[i])) return;
    const [x, y] = cellAt(square, i);
    const { width, height } = square.card;
    const place = el("g", { class: "cell", "data-cell": CELLS[i] });
    if (name) place.append(anyCard(name, width, height));
    else place.append(el("rect", { class: "empty", width, height, rx: width / 8 }));
    if (i === taken) place.append(el("rect", { class: "taken", x: -2, y: -2, width: width + 4, height: height + 4, rx: width / 7 }));
    board.append(at(x, y, place));
    if (i === taken && name && frame.before && mayMove()) fade(place, 500);
  });
}

function takenCell(frame) {
  const match = /^take ([a-f][1-6])$/.exec(frame.move || "");
  return match ? CELLS.indexOf(match[1]) : -1;
}

function pawnAt(square, view, seat) {
  const [x, y] = stopAt(square, view.stops[seat]);
  const here = view.stops.map((stop, s) => [stop, s]).filter(([stop]) => stop === view.stops[seat]);
  const shift = (here.findIndex(([, s]) => s === seat) - (here.length - 1) / 2) * square.ring;
  const upright = Math.floor(view.stops[seat] / 5) % 2 === 0;
  return upright ? [x + shift * 0.45, y] : [x, y + shift * 0.6];
}

function drawPawns(board, square, view) {
  const r = square.ring * 0.36;
  return view.colours.map((colour, seat) => {
    const own = seat === view.turn && view.phase !== "over" ? " to-act" : "";
    const pawn = el("g", { class: `pawn c-${colour}${own}`, "data-seat": seat, "data-stop": view.stops[seat] },
      el("path", { d: `M${-r} ${r * 0.9}C${-r} ${-r * 0.1} ${-r * 0.2} ${r * 0.1} ${-r * 0.35} ${-r * 0.35}A${r * 0.55} ${r * 0.55} 0 1 1 ${r * 0.35} ${-r * 0.35}C${r * 0.2} ${r * 0.1} ${r} ${-r * 0.1} ${r} ${r * 0.9}Z` }),
      words(0, r * 0.72, r * 0.85, seat, { "text-anchor": "middle" }));
    const [x, y] = pawnAt(square, view, seat);
    board.append(at(x, y, pawn));
    return pawn;
  });
}

function movePawns(pawns, square, frame) {
  pawns.forEach((pawn, seat) => {
    const from = frame.before.stops[seat];
    const steps = (frame.view.stops[seat] - from + STOPS) % STOPS;
    if (!steps) return;
    const between = Array.from({ length: steps - 1 }, (_, i) => stopAt(square, (from + i + 1) % STOPS));
    const points = [pawnAt(square, frame.before, seat), ...between, pawnAt(square, frame.view, seat)];
    walk(pawn, points, STEP_TIME * (steps + 1));
  });
}

// Show the card that was taken on its way to the cauldron.
function moveCard(svg, square, frame, panels) {
  const taken = takenCell(frame);
  const name = taken < 0 ? "" : frame.before.board[taken];
  if (!name) return;
  const ghost = anyCard(name, square.card.width, square.card.height);
  const [x, y] = panels.cauldrons[frame.seat];
  svg.append(at(x, y, ghost));
  walk(ghost, [cellAt(square, taken), [x, y]], 420);
  window.setTimeout(() => ghost.remove(), 400);
}

function drawPile(svg, square, view) {
  const group = el("g", { class: "pile" });
  const y = square.size + 14;
  group.append(deck(4, y + 6, 38, 46, view.pile_size));
  group.append(words(58, y + 14, 13, "draw pile", { class: "soft" }));
  const room = Math.floor((square.size - 60) / (CHIP.width + 3));
  if (view.pile) {
    rows(group, view.pile.slice(0, room), 58, y + 24, square.size - 58, CHIP, anyCard);
  } else if (view.pile_size) {
    group.append(words(58, y + 36, 13, "its order is not known", { class: "soft" }));
  }
  if (view.out.length) group.append(fitted(square.size, y + 14, 13, square.size - 130, `out: ${view.out.join(" ")}`, { class: "soft", "text-anchor": "end" }));
  svg.append(group);
  return 80;
}

function drawSeats(svg, frame, options, column, seatLines) {
  const { view } = frame;
  const cauldrons = [];
  let y = column.y;
  view.colours.forEach((colour, seat) => {
    const panel = el("g", { class: "panel", "data-seat": seat });
    const lines = seatLines(view, seat);
    const inner = column.width - 24;
    const text = inner - 66;
    const chips = view.cauldrons ? [...view.cauldrons[seat]].sort(bySet) : [];
    const high = Math.max(104, 46 + 19 * lines.length + (view.cauldrons ? 4 + rowsHigh(chips.length, text, CHIP) : 0)) + 6;
    const acts = seat === view.turn && view.phase !== "over" ? " to-act" : "";
    panel.append(el("rect", { class: `box${acts}`, x: column.x + 1, y: y + 1, width: column.width - 2, height: high, rx: 10 }));
    const left = column.x + 12;
    panel.append(disc(left + 10, y + 22, 10, `c-${colour}`, seat));
    panel.append(fitted(left + 28, y + 27, 15, inner - 100, options.entrants[seat], { class: "name" }));
    if (frame.scores) panel.append(words(column.x + column.width - 14, y + 28, 17, String(frame.scores[seat]).replace("-", "−"), { class: "score", "text-anchor": "end" }));
    cauldrons.push([left, y + 42]);
    drawCauldron(panel, view, seat, left, y + 42);
    let down = y + 58;
    for (const line of lines) {
      drawPieces(panel, line, left + 66, down, text);
      down += 19;
    }
    if (view.cauldrons) rows(panel, chips, left + 66, down - 10, text, CHIP, anyCard);
    svg.append(panel);
    y += high + 10;
  });
  return { cauldrons, bottom: y };
}

// Cards of a set beside each other, low values first, and what is in no set last.
function bySet(a, b) {
  const order = (name) => (/^[A-Z][ab]\d/.test(name) ? name : `~${name}`);
  return order(a) < order(b) ? -1 : 1;
}

function drawCauldron(panel, view, seat, x, y) {
  const top = view.tops[seat];
  const height = view.heights[seat];
  if (top) panel.append(at(x, y, anyCard(top, 50, 58)));
  else panel.append(at(x, y, el("rect", { class: "empty", width: 50, height: 58, rx: 6 })));
  const badge = el("g", { class: "height" }, el("circle", { r: 10 }), words(0, 4, 11, height, { "text-anchor": "middle" }),
    el("title", {}, `${height} cards in the cauldron`));
  panel.append(at(x + 49, y + 2, badge));
}

function drawPieces(panel, pieces, x, y, width) {
  let left = x;
  for (const piece of pieces) {
    const room = x + width - left;
    if (room < 30) return;
    const text = fitted(left, y, 13, room, piece.text, { class: piece.soft ? "soft" : "plain" });
    panel.append(text);
    left += Math.min(room, piece.text.length * 7) + 5;
    for (let i = 0; i < (piece.most || 0); i++) {
      panel.append(el("circle", { class: i < piece.dots ? "charge" : "charge used", cx: left + 4, cy: y - 4.5, r: 3.6 }));
      left += 10;
    }
    left += 9;
  }
}
