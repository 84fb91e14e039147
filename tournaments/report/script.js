"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const PAGE = 100;
const form = document.getElementById("filter");
const rows = document.getElementById("rows");
const shown = document.getElementById("shown");
const previous = document.getElementById("previous");
const next = document.getElementById("next");
let found = data.matches;
let start = 0;

function element(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function number(value) {
  return value.toLocaleString("en").replace("-", "\u2212");
}

function seat(match, n) {
  const [, , , entrants, places, scores, forfeits] = match;
  const made = element("span", "", "seat");
  const place = element("span", places[n], "place");
  const name = element("bdi", data.names[entrants[n]], "name");
  made.append(place, " ", name, " ", element("span", number(scores[n]), "score"));
  if (forfeits.includes(n)) made.append(" ", element("span", "forfeit", "forfeit"));
  return made;
}

// Words of a shell: whatever is not plain is quoted.
function word(text) {
  return /^[\w.,+=@\/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// A page cannot read a record beside it, but it can show the command that draws one.
function replayCommand(id, link, columns) {
  const made = element("tr", "", "command");
  const cell = element("td", "In the folder of this report: ", "left");
  cell.colSpan = columns;
  const file = `${id}.html`;
  const command = `highstreet replay ${word(decodeURIComponent(link))} --html ${word(file)}`;
  const code = element("code", command);
  code.tabIndex = 0;
  code.title = "Click to select";
  code.addEventListener("click", () => getSelection().selectAllChildren(code));
  cell.append(code, ` writes the replay, ${file}: one page with the board after every move.`);
  made.append(cell);
  return made;
}

function replayButton(id, link, line) {
  const button = element("button", "replay", "small");
  button.type = "button";
  button.setAttribute("aria-label", `replay of ${id}`);
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) line.nextElementSibling.remove();
    else line.after(replayCommand(id, link, line.cells.length));
  });
  return button;
}

function row(match) {
  const [id, game, variant, entrants, places, , , decisions, link] = match;
  const made = document.createElement("tr");
  const head = element("th", id, "left");
  head.scope = "row";
  const result = element("td", "", "left seats");
  const order = entrants.map((_, n) => n).sort((a, b) => places[a] - places[b] || a - b);
  result.append(...order.map((n) => seat(match, n)));
  const record = element("td", link ? "" : "not released", "left");
  if (link) {
    const anchor = element("a", "record");
    anchor.href = link;
    anchor.setAttribute("aria-label", `record of ${id}`);
    record.append(anchor, " ", replayButton(id, link, made));
  }
  const kind = data.games.length > 1 ? [element("td", data.games[game], "left")] : [];
  made.append(head, ...kind, element("td", data.variants[variant], "left"), result,
    element("td", number(decisions)), record);
  return made;
}

function draw() {
  rows.replaceChildren(...found.slice(start, start + PAGE).map(row));
  const end = Math.min(start + PAGE, found.length);
  const all = data.matches.length;
  const range = found.length ? `${number(start + 1)} to ${number(end)} of ${number(found.length)}` : "No";
  const rest = found.length < all ? ` (${number(all)} in all)` : "";
  shown.textContent = `${range} matches${rest}`;
  previous.disabled = start === 0;
  next.disabled = end >= found.length;
}

function filter() {
  const { one, other, game, seats, variant, forfeit } = form.elements;
  const wanted = [one.value, other.value].filter(Boolean).map(Number);
  const rules = game?.value ? data.games.indexOf(game.value) : -1;
  const kind = variant.value ? data.variants.indexOf(variant.value) : -1;
  found = data.matches.filter(([, its, variety, entrants, , , forfeits]) =>
    wanted.every((name) => entrants.includes(name))
    && (!seats.value || entrants.length === Number(seats.value))
    && (rules < 0 || its === rules)
    && (kind < 0 || variety === kind)
    && (!forfeit.checked || forfeits.length > 0));
  start = 0;
  draw();
}

form.addEventListener("change", filter);
form.addEventListener("submit", (event) => event.preventDefault());
previous.addEventListener("click", () => { start -= PAGE; draw(); });
next.addEventListener("click", () => { start += PAGE; draw(); });
form.hidden = false;
document.getElementById("list").hidden = false;
filter();
