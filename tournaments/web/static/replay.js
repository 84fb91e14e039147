// The player of a recorded match: `start(root, match, game)` builds it inside an element.
// `match` is what replay_document makes; `game` is the module with the drawing, or null.

import { disc, el } from "./svg.js";

const PAUSE = 1300;
const SPEEDS = [["½×", 0.5], ["1×", 1], ["2×", 2], ["4×", 4], ["8×", 8]];
const SETTLED = 200;
const SWIPE = 45;
const KEYS = [
  ["Space", "play or pause"], ["→", "one move forwards"], ["←", "one move back"],
  ["Home", "to the deal"], ["End", "to the last move"], ["?", "this help"],
];
const ICONS = {
  first: "M5 4h2v12H5zM16 4v12l-8-6z", back: "M14 4v12l-8-6z", play: "M6 4l10 6-10 6z",
  pause: "M5 4h4v12H5zM11 4h4v12h-4z", next: "M6 4v12l8-6z", last: "M13 4h2v12h-2zM4 4v12l8-6z",
};

export function start(root, match, game) {
  const player = new Player(root, match, game);
  player.build();
  player.show(player.linked() ?? 0);
  return player;
}

function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// Return fields with their changes: whole values, or of a list the items that changed.
function changed(fields, changes) {
  const result = { ...fields };
  for (const [name, change] of Object.entries(changes || {})) {
    const some = change !== null && typeof change === "object" && !Array.isArray(change);
    result[name] = some ? Object.assign([...fields[name]], change) : change;
  }
  return result;
}

// Put the fields of each position together from what changed.
function unfolded(match) {
  const seats = match.entrants.map((_, seat) => String(seat));
  let everything = {};
  const others = {};
  const texts = {};
  return match.frames.map((frame) => {
    everything = changed(everything, frame.everything);
    Object.assign(others, frame.views);
    Object.assign(texts, frame.texts);
    const spectator = changed(everything, others.spectator);
    const views = { everything, spectator };
    for (const seat of seats) views[seat] = changed(spectator, others[seat]);
    const written = { ...texts, everything: seats.map((seat) => texts[seat]).join("\n\n") };
    return { views, texts: written };
  });
}

class Player {
  constructor(root, match, game) {
    this.root = root;
    this.match = match;
    this.game = match.drawn ? game : null;
    this.positions = unfolded(match);
    this.last = match.frames.length - 1;
    this.n = 0;
    this.shown = null;
    this.viewpoint = "everything";
    this.speed = 1;
    this.timer = 0;
    this.names = match.entrants.map((name, seat) => (match.entrants.indexOf(name) === match.entrants.lastIndexOf(name) ? name : `${name} (seat ${seat})`));
  }

  // Building ------------------------------------------------------------------------------------

  build() {
    this.stage = this.makeStage();
    this.bar = this.makeBar();
    this.caption = html("div", { class: "caption" });
    this.status = html("p", { class: "status", role: "status", "aria-live": "polite" });
    this.happened = html("ul", { class: "happened" });
    this.facts = html("p", { class: "facts soft small" });
    this.caption.append(this.happened, this.facts);
    this.list = this.makeList();
    this.help = this.makeHelp();
    this.chart = el("svg", { class: "chart", role: "img", "aria-label": "Scores from move to move" });
    this.side = html("aside", { class: "side", "aria-label": "Moves" }, html("h2", {}, "Moves"), this.list);
    const table = html("div", { class: "table" }, this.bar, this.status, this.stage, this.caption, this.chart);
    this.root.replaceChildren(this.makeHeader(), html("div", { class: "replay" }, table, this.side), this.help);
    this.listen();
  }

  makeHeader() {
    const { match } = this;
    const ending = match.ending ? match.ending.replaceAll("_", " ") : "not finished";
    const header = html("div", { class: "replay-head" }, html("h1", {}, match.title),
      html("p", { class: "kind" }, `${this.last} moves · ${ending} · `, html("span", { class: "id" }, match.match)),
      this.makeResult());
    if (match.problem) header.append(html("p", { class: "problem" }, `The record is wrong from here on: ${match.problem}`));
    for (const cause of match.causes) header.append(html("p", { class: "problem" }, cause));
    return header;
  }

  makeResult() {
    const { match } = this;
    const result = html("ol", { class: "result", "aria-label": "Result" });
    const seats = this.names.map((name, seat) => ({ name, seat, place: match.places[seat] ?? 0 }));
    for (const { name, seat, place } of seats.sort((a, b) => a.place - b.place || a.seat - b.seat)) {
      const score = place ? [html("b", {}, minus(match.scores[seat]))] : [];
      if (match.forfeits.includes(seat)) score.push(html("span", { class: "badge bad" }, "forfeit"));
      result.append(html("li", { class: place === 1 ? "won" : null },
        html("span", { class: "place" }, place ? `${place}.` : ""), this.dot(seat), html("bdi", {}, name), ...score));
    }
    return result;
  }

  makeStage() {
    const stage = html("div", { class: "stage" });
    if (this.game) {
      this.svg = el("svg", { role: "img", class: "drawing" });
      stage.append(this.svg);
    } else {
      this.text = html("pre", { class: "drawing", tabindex: 0 });
      stage.append(this.text);
    }
    return stage;
  }

  makeBar() {
    const button = (name, label, act, main) => {
      const made = html("button", { type: "button", "aria-label": label, title: label, class: main ? "main" : null, "data-act": name });
      made.append(icon(name));
      made.addEventListener("click", act);
      return made;
    };
    this.buttons = {
      first: button("first", "First", () => this.jump(0)),
      back: button("back", "Back", () => this.step(-1)),
      play: button("play", "Play", () => this.toggle(), true),
      next: button("next", "Forwards", () => this.step(1)),
      last: button("last", "Last", () => this.jump(this.last)),
    };
    this.slider = html("input", { type: "range", min: 0, max: this.last, value: 0, "aria-label": "Move" });
    this.number = html("input", { type: "number", min: 0, max: this.last, value: 0, inputmode: "numeric", "aria-label": "Move number" });
    this.choices = html("select", { "aria-label": "Viewpoint", title: "Whose knowledge is shown" }, ...this.viewpoints());
    this.speeds = html("select", { "aria-label": "Speed" }, ...SPEEDS.map(([name, value]) => html("option", { value, selected: value === 1 }, name)));
    const ask = html("button", { type: "button", "aria-label": "Help", title: "Help" }, "?");
    ask.addEventListener("click", () => this.help.showModal());
    return html("div", { class: "bar", role: "group", "aria-label": "Player" },
      html("div", { class: "buttons" }, ...Object.values(this.buttons)),
      this.slider,
      html("div", { class: "settings" },
        html("span", { class: "at" }, this.number, html("span", { class: "soft" }, ` of ${this.last}`)),
        this.choices, this.speeds, ask));
  }

  viewpoints() {
    const seats = this.match.entrants.map((name, seat) => html("option", { value: seat }, `Seat ${seat}: ${name}`));
    return [html("option", { value: "everything" }, "Everything"), html("option", { value: "spectator" }, "Spectator"), ...seats];
  }

  makeList() {
    const list = html("ol", { class: "moves", start: 0 });
    this.match.frames.forEach((frame) => {
      const button = html("button", { type: "button", tabindex: -1, "data-n": frame.n });
      list.append(html("li", {}, button));
    });
    list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.jump(Number(button.dataset.n));
    });
    return list;
  }

  fillList() {
    this.list.querySelectorAll("button").forEach((button, n) => {
      const frame = this.match.frames[n];
      const parts = frame.seat === null ? [html("span", { class: "move" }, "the deal")] : [
        html("span", { class: "n" }, n), this.dot(frame.seat), html("span", { class: "move" }, this.moveOf(frame)),
        html("bdi", { class: "who" }, this.names[frame.seat]),
        frame.verdicts && this.knows(frame.seat) ? html("span", { class: "fault", title: "with a verdict" }, "!") : "",
      ];
      button.replaceChildren(...parts);
    });
  }

  makeHelp() {
    const keys = KEYS.map(([key, what]) => html("tr", {}, html("td", {}, html("kbd", {}, key)), html("td", {}, what)));
    const close = html("button", { type: "submit", class: "main" }, "Close");
    return html("dialog", { class: "help", "aria-label": "Help" },
      html("form", { method: "dialog" }, html("h2", {}, "Keys"), html("table", {}, html("tbody", {}, ...keys)),
        html("p", { class: "soft small" }, "Swipe over the board to step. The address of the page links to the move that is shown."), close));
  }

  dot(seat) {
    const svg = el("svg", { class: "dot", viewBox: "-10 -10 20 20", width: 18, height: 18, "aria-hidden": "true" });
    svg.append(disc(0, 0, 9, this.colourOf(seat), seat));
    return svg;
  }

  colourOf(seat) {
    const own = this.game && this.game.colours ? this.game.colours(this.positions[0].views.everything)[seat] : null;
    return own ? `c-${own}` : `seat-${seat}`;
  }

  // What a viewer may see -------------------------------------------------------------------------

  knows(seat) {
    return this.viewpoint === "everything" || this.viewpoint === String(seat);
  }

  moveOf(frame) {
    return frame.covered && !this.knows(frame.seat) ? `${frame.covered} (covered)` : frame.move;
  }

  eventsOf(frame) {
    return frame.events.filter((event) => !event.only || this.viewpoint === "everything" || event.only.includes(Number(this.viewpoint)));
  }

  // Scores reveal hidden cards, so that before the end only the full view has them.
  scoresAt(n) {
    const open = this.viewpoint === "everything" || (n === this.last && this.match.scores.length);
    return open ? this.match.frames[n].scores : null;
  }

  named(text) {
    return text.replace(/\bseat (\d+)/g, (_, seat) => this.names[Number(seat)] ?? _);
  }

  // Showing --------------------------------------------------------------------------------------

  show(n) {
    const before = this.shown;
    this.n = Math.max(0, Math.min(this.last, n));
    this.shown = { n: this.n, viewpoint: this.viewpoint };
    if (!before || before.viewpoint !== this.viewpoint) this.fillList();
    const follows = before && before.viewpoint === this.viewpoint && before.n === this.n - 1;
    this.drawPosition(Boolean(follows));
    this.writeCaption();
    this.mark();
    this.drawChart();
  }

  drawPosition(animate) {
    const position = this.positions[this.n];
    const frame = this.match.frames[this.n];
    if (!this.game) {
      this.text.textContent = position.texts[this.viewpoint];
      return;
    }
    const width = Math.max(300, Math.round(this.stage.clientWidth));
    const view = position.views[this.viewpoint];
    const before = animate ? this.positions[this.n - 1].views[this.viewpoint] : null;
    const drawn = { n: this.n, seat: frame.seat, move: frame.seat === null ? null : this.moveOf(frame), view, before, scores: this.scoresAt(this.n) };
    this.game.draw(this.svg, drawn, { width, animate, entrants: this.names });
    this.svg.setAttribute("aria-label", `${this.match.title}, position after ${this.n} moves`);
  }

  writeCaption() {
    const frame = this.match.frames[this.n];
    this.status.replaceChildren(...(frame.seat === null ? ["The deal"] : [
      html("span", { class: "unseen" }, `Move ${this.n} of ${this.last}:`), this.dot(frame.seat),
      html("bdi", { class: "who" }, this.names[frame.seat]), html("span", { class: "what" }, this.moveOf(frame)),
    ]));
    this.happened.replaceChildren(...this.eventsOf(frame).map((event) => html("li", {}, this.named(event.text))));
    this.facts.textContent = this.factsOf(frame).join(" · ");
  }

  factsOf(frame) {
    if (frame.seat === null) return [];
    if (!this.knows(frame.seat)) return [`${frame.ms} ms`];
    const how = frame.legal === 1 ? ["forced"] : [`${frame.ms} ms`, `one of ${frame.legal} legal moves`];
    return [...how, ...(frame.verdicts || []).map((verdict) => `verdict: ${verdict}`)];
  }

  mark() {
    const { first, back, next, last, play } = this.buttons;
    first.disabled = back.disabled = this.n === 0;
    next.disabled = last.disabled = this.n === this.last;
    this.slider.value = this.n;
    this.number.value = this.n;
    play.replaceChildren(icon(this.timer ? "pause" : "play"));
    for (const name of ["aria-label", "title"]) play.setAttribute(name, this.timer ? "Pause" : "Play");
    this.status.setAttribute("aria-live", this.timer ? "off" : "polite");
    const old = this.list.querySelector("[aria-current]");
    if (old) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    const button = this.list.children[this.n].firstChild;
    button.setAttribute("aria-current", "true");
    button.tabIndex = 0;
    // Not scrollIntoView, which would move the whole page.
    const top = button.parentElement.offsetTop;
    if (top < this.list.scrollTop + 40 || top > this.list.scrollTop + this.list.clientHeight - 80) {
      this.list.scrollTop = top - this.list.clientHeight / 2;
    }
  }

  drawChart() {
    const scores = this.match.frames.map((frame) => frame.scores);
    const open = this.viewpoint === "everything" && scores[0] && this.last > 1;
    this.chart.toggleAttribute("hidden", !open);
    if (!open) return;
    const width = Math.max(300, Math.round(this.chart.clientWidth || this.stage.clientWidth));
    const high = 120;
    const all = scores.flat();
    const low = Math.min(0, ...all);
    const top = Math.max(1, ...all);
    const x = (n) => 34 + (n / this.last) * (width - 46);
    const y = (score) => 10 + ((top - score) / (top - low)) * (high - 20);
    this.chart.setAttribute("viewBox", `0 0 ${width} ${high}`);
    const zero = el("path", { class: "zero", d: `M34 ${y(0)}H${width - 12}` });
    const now = el("path", { class: "now", d: `M${x(this.n)} 4V${high - 4}` });
    const label = (score) => el("text", { x: 28, y: y(score) + 4, "font-size": 11, "text-anchor": "end", class: "soft" }, minus(score));
    const lines = this.names.flatMap((name, seat) => {
      const d = `M${scores.map((row, n) => `${x(n)} ${y(row[seat])}`).join("L")}`;
      return [el("path", { class: "score-edge", d }), el("path", { class: `score-line ${this.colourOf(seat)}`, d }, el("title", {}, name))];
    });
    const dots = this.names.map((_, seat) => el("circle", { class: `score-dot ${this.colourOf(seat)}`, cx: x(this.n), cy: y(scores[this.n][seat]), r: 4 }));
    this.chart.replaceChildren(zero, now, label(0), label(top), ...(low < 0 ? [label(low)] : []), ...lines, ...dots);
  }

  // Moving ---------------------------------------------------------------------------------------

  step(by) {
    this.pause();
    this.show(this.n + by);
    this.keepAddress(false);
  }

  // Somewhere else: the browser's back button returns.
  jump(n) {
    this.pause();
    this.keepAddress(false, true);
    this.show(n);
    this.keepAddress(true, true);
  }

  toggle() {
    if (this.timer) {
      this.pause();
      this.show(this.n);
      return;
    }
    if (this.n === this.last) this.show(0);
    this.timer = window.setTimeout(() => this.tick(), PAUSE / this.speed / 2);
    this.mark();
  }

  tick() {
    if (this.n === this.last) {
      this.pause();
      this.mark();
      return;
    }
    this.timer = window.setTimeout(() => this.tick(), PAUSE / this.speed);
    this.show(this.n + 1);
  }

  pause() {
    if (!this.timer) return;
    window.clearTimeout(this.timer);
    this.timer = 0;
    this.keepAddress(false);
  }

  // The address --------------------------------------------------------------------------------------

  linked() {
    const match = /^#(\d{1,6})$/.exec(window.location.hash);
    return match ? Math.min(Number(match[1]), this.last) : null;
  }

  // Write where we are into the address: as a new place, or in place of the old one. Steps come
  // quickly one after the other, and browsers object to many changes a second.
  keepAddress(anew, atOnce = false) {
    window.clearTimeout(this.writing);
    const write = () => {
      if (this.linked() === this.n) return;
      window.history[anew ? "pushState" : "replaceState"](null, "", `#${this.n}`);
    };
    if (atOnce) write();
    else this.writing = window.setTimeout(write, SETTLED);
  }

  // Listening ------------------------------------------------------------------------------------

  listen() {
    this.slider.addEventListener("input", () => {
      this.pause();
      this.show(Number(this.slider.value));
      this.keepAddress(false);
    });
    this.number.addEventListener("change", () => {
      if (this.number.value.trim() === "") this.number.value = this.n;
      else this.jump(Math.round(Number(this.number.value)));
    });
    this.choices.addEventListener("change", () => {
      this.viewpoint = this.choices.value;
      this.show(this.n);
    });
    this.speeds.addEventListener("change", () => {
      this.speed = Number(this.speeds.value);
    });
    const moved = () => {
      window.clearTimeout(this.writing);
      this.pause();
      this.show(this.linked() ?? 0);
    };
    window.addEventListener("popstate", moved);
    document.addEventListener("keydown", (event) => this.key(event));
    // Only for another width: the height changes with the position, which would be drawn twice.
    let width = this.stage.clientWidth;
    new ResizeObserver(() => {
      if (this.stage.clientWidth === width) return;
      width = this.stage.clientWidth;
      this.drawPosition(false);
      this.drawChart();
    }).observe(this.stage);
    this.swipes();
    this.chart.addEventListener("click", (event) => {
      const box = this.chart.getBoundingClientRect();
      const scale = box.width / (Number(this.chart.getAttribute("viewBox").split(" ")[2]) || box.width);
      const share = ((event.clientX - box.left) / scale - 34) / (box.width / scale - 46);
      this.jump(Math.round(Math.max(0, Math.min(1, share)) * this.last));
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const { tagName, type } = event.target;
    if (tagName === "SELECT" || (tagName === "INPUT" && type !== "range")) return;
    if (tagName === "INPUT" && event.key !== " " && event.key !== "?") return;
    if (event.key === " " && tagName === "BUTTON") return;
    const acts = {
      " ": () => this.toggle(), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      Home: () => this.jump(0), End: () => this.jump(this.last), "?": () => this.help.showModal(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  swipes() {
    let from = null;
    this.stage.addEventListener("touchstart", (event) => {
      from = event.touches.length === 1 ? event.touches[0] : null;
    }, { passive: true });
    this.stage.addEventListener("touchend", (event) => {
      if (!from) return;
      const to = event.changedTouches[0];
      const across = to.clientX - from.clientX;
      if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(to.clientY - from.clientY)) this.step(across < 0 ? 1 : -1);
      from = null;
    });
  }
}

function icon(name) {
  return el("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, el("path", { d: ICONS[name], fill: "currentColor" }));
}

function minus(number) {
  return String(number).replace("-", "−");
}
