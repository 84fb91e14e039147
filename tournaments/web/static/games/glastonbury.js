// Glastonbury: the square, its pawns, and what each seat has in cauldron, spells and recipes.

import { COLOURS } from "../svg.js";
import { drawTable } from "../square.js";

const CHARGES = { Accio: 2, Declinatio: 3 };

export function draw(svg, frame, options) {
  drawTable(svg, frame, options, seatLines);
}

export function colours(view) {
  return view.colours;
}

function seatLines(view, seat) {
  const lines = [spells(view.spells[seat])];
  if (view.recipes) lines.push(recipes(view.recipes[seat]));
  if (view.assignments && view.assignments[seat].length) lines.push([{ text: `Immuto as ${view.assignments[seat].join(" and ")}` }]);
  if (view.last_card && view.ender === seat) lines.push([{ text: `last card: ${view.last_card}` }]);
  return lines;
}

function spells(own) {
  const left = { Accio: own.accio, Declinatio: own.declinatio };
  const kinds = [...new Set(own.taken)].sort();
  if (!kinds.length) return [{ text: "no spells", soft: true }];
  return kinds.map((kind) => {
    const times = own.taken.filter((taken) => taken === kind).length;
    if (CHARGES[kind]) return { text: kind, dots: left[kind], most: CHARGES[kind] * times };
    return { text: times > 1 ? `${kind} ×${times}` : kind };
  });
}

function recipes(own) {
  if (!own) return [{ text: "recipes hidden", soft: true }];
  return [{ text: `most ${COLOURS[own.colour]}, ${own.task.replaceAll("_", " ")}` }];
}
