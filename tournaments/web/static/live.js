// Live matches: draws each as a spectator sees it, after every move.

import { refresher, stream } from "./refresh.js";

const list = document.getElementById("tables");
const state = document.getElementById("state");
const only = list.dataset.match || null;
const tables = new Map();
const games = new Map();

for (const card of list.children) tables.set(card.dataset.match, { card });

const refresh = only ? () => {} : refresher("refreshed");

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function linked(className, href, ...children) {
  const made = element("a", className, ...children);
  made.href = href;
  return made;
}

function makeCard(table) {
  const card = element("li", "card table-card");
  card.dataset.match = table.match;
  const about = element("p", "about", linked("", `/matches/${encodeURIComponent(table.match)}/live`, table.title));
  if (table.variant !== "plain") about.append(" ", element("span", "soft", table.variant));
  about.append(" ", element("span", "soft small at", element("span", "decisions", String(table.decisions)), " decisions"));
  const sitting = element("p", "sitting");
  for (const seat of table.seats) {
    const path = `/leagues/${encodeURIComponent(table.league)}/bots/${encodeURIComponent(seat.entrant)}`;
    sitting.append(element("span", "sits", linked("bot", path, element("bdi", "", seat.entrant))));
  }
  card.append(about, sitting);
  list.append(card);
  return card;
}

async function drawingOf(game) {
  if (!games.has(game)) games.set(game, import(`./games/${game}.js`));
  return games.get(game);
}

async function show(table) {
  let known = tables.get(table.match);
  if (!known) {
    known = { card: makeCard(table) };
    tables.set(table.match, known);
    document.querySelector("#refreshed .none")?.remove();
  }
  known.card.querySelector(".decisions").textContent = table.decisions;
  if (table.drawn === undefined) return;
  const before = known.table && known.table.decisions === table.decisions - 1 ? known.table.view : null;
  known.table = table;
  known.board ??= known.card.appendChild(element("div", "board"));
  if (!table.drawn) {
    const text = known.board.querySelector("pre") || known.board.appendChild(element("pre", "drawing"));
    text.textContent = table.text;
    return;
  }
  const game = await drawingOf(table.game);
  if (known.table !== table) return;
  draw(known, game, before);
}

function draw(known, game, before) {
  const { table, board } = known;
  let svg = board.querySelector("svg.drawing");
  if (!svg) {
    svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "drawing");
    svg.setAttribute("role", "img");
    board.append(svg);
    let width = board.clientWidth;
    new ResizeObserver(() => {
      if (board.clientWidth === width) return;
      width = board.clientWidth;
      draw(known, game, null);
    }).observe(board);
  }
  const names = table.seats.map((seat) => seat.entrant);
  const frame = { n: table.decisions, seat: null, move: null, view: table.view, before, scores: null };
  game.draw(svg, frame, { width: Math.max(300, Math.round(board.clientWidth)), animate: before !== null, entrants: names });
  svg.setAttribute("aria-label", `Position after ${table.decisions} decisions`);
}

function remove(match) {
  const known = tables.get(match);
  if (!known) return;
  if (only) {
    over();
    return;
  }
  known.card.remove();
  tables.delete(match);
}

function over() {
  state.textContent = "The match is over.";
  document.getElementById("over").hidden = false;
  events.close();
}

function showState(sentence, lost) {
  if (state.textContent === sentence) return;
  state.textContent = sentence;
  state.classList.toggle("lost", lost);
}

const events = stream(list.dataset.events, {
  open: () => showState("What a spectator may see, as it happens.", false),
  error: () => showState("The connection is cut; connecting again …", true),
  table: (event) => show(JSON.parse(event.data)),
  tables: (event) => {
    const there = new Set(JSON.parse(event.data));
    for (const match of [...tables.keys()]) if (!there.has(match)) remove(match);
  },
  began: refresh,
  ended: (event) => {
    const { match } = JSON.parse(event.data);
    if (only && match === only) over();
    else remove(match);
    refresh();
  },
});
