// Kupferkessel Co.: the square, its pawns, and what each seat has in cauldron and recipes.

import { COLOURS } from "../svg.js";
import { drawTable } from "../square.js";

export function draw(svg, frame, options) {
  drawTable(svg, frame, options, seatLines);
}

export function colours(view) {
  return view.colours;
}

function seatLines(view, seat) {
  const lines = [[{ text: `${COLOURS[view.colours[seat]]} counts double`, soft: true }]];
  if (view.recipes) lines.push(recipes(view.recipes[seat]));
  if (view.last_card && view.ender === seat) lines.push([{ text: `last card: ${view.last_card}` }]);
  return lines;
}

function recipes(own) {
  if (!own) return [{ text: "recipes hidden", soft: true }];
  return [{ text: own.map(recipe).join(", ") }];
}

function recipe(name) {
  const [kind, colour] = name.split(":");
  return colour ? `${kind} ${COLOURS[colour]}` : kind.replaceAll("_", " ");
}
