/**
 * A bot that plays any game at random, and one that plays Glastonbury greedily.
 *
 * The greedy bot exists in other languages too and chooses the same moves. Its specification, to
 * which the steps below refer, is at the top of sample_bots/python/greedy_glastonbury.py.
 */

import { createHash, randomBytes } from "node:crypto";
import { env } from "node:process";

import {
  Glastonbury_Card as Card,
  Glastonbury_EventKind as EventKind,
  Glastonbury_Task as Task,
  Glastonbury_View as View,
  type Glastonbury_Event as Event,
  type Glastonbury_Move as GlastonburyMove,
} from "./gen/highstreet/v1/glastonbury.js";
import type { Decision, MatchStarted, Move } from "./gen/highstreet/v1/play.js";
import { Bot } from "./plumbing.js";
import { Chance } from "./shuffle.js";

/** Plays at random. The environment variable BOT_SEED makes it repeatable. */
export class RandomBot extends Bot {
  private readonly chance = new Chance(
    env["BOT_SEED"] ? createHash("sha256").update(env["BOT_SEED"]).digest() : randomBytes(32),
    "random bot",
  );

  /** Return any legal move. */
  override choose(decision: Decision): Move {
    return decision.legalMoves[this.chance.below(decision.legalMoves.length)];
  }
}

const { IMMUTO, ACCIO, DECLINATIO, PERLUCEO, VANESCO } = Card;
const GAINS: Readonly<Record<number, number>> = {
  [IMMUTO]: 12,
  [ACCIO]: 2,
  [DECLINATIO]: 8,
  [PERLUCEO]: 0,
};

const COLUMNS = [1, 2, 3, 4].map((column) => [0, 1, 2, 3, 4, 5].map((row) => column + 6 * row));
const ROWS = [1, 2, 3, 4].map((row) => [0, 1, 2, 3, 4, 5].map((column) => 6 * row + column));
/** The cells that each stop faces; none at a corner. */
const LINES: readonly (readonly number[])[] = [
  [],
  ...COLUMNS,
  [],
  ...ROWS,
  [],
  ...COLUMNS.toReversed(),
  [],
  ...ROWS.toReversed(),
];

/** Return the ingredient of a card. */
function ingredient(card: number): number {
  return Math.floor((card - 1) / 4);
}

/** Return the number on an ingredient card or on Immuto. */
function number(card: number): number {
  return card < IMMUTO ? ((card - 1) % 4) + 1 : 0;
}

/** Return what the cards of one ingredient are worth (step 3). */
function setWorth(count: number, total: number, left: number): number {
  switch (count) {
    case 0:
      return 0;
    case 1:
      return left >= 2 ? -total : -2 * total;
    case 2:
      return left >= 1 ? total : 0;
    case 3:
      return 2 * total;
    default:
      return 2 * total + 10;
  }
}

/** Return twice the points of a cauldron, its Immuto assigned as they bring most. */
function bestPoints(counts: number[], totals: readonly number[], immuto: number): number {
  if (immuto === 0) {
    return counts.reduce((points, count, i) => points + setWorth(count, totals[i], 0), 0);
  }
  let best = -Infinity;
  for (let i = 0; i < counts.length; i++) {
    counts[i] += 1;
    best = Math.max(best, bestPoints(counts, totals, immuto - 1));
    counts[i] -= 1;
  }
  return best;
}

/** Remembers every cauldron, and plays the move that is worth most. */
export class GreedyBot extends Bot {
  private seat = 0;
  private cauldrons: number[][] = [];
  private view = View.create();
  private left: number[] = [];
  private counts: number[][] = [];
  private totals: number[][] = [];

  /** Begin with empty cauldrons. */
  override matchStarted(message: MatchStarted): void {
    this.seat = message.seat;
    this.cauldrons = message.seats.map(() => []);
  }

  /** Return the first of the moves that are worth most (step 11). */
  override choose(decision: Decision): Move {
    const { situation } = decision;
    if (situation?.$case !== "glastonbury" || !situation.value.view) {
      throw new Error("the greedy bot plays nothing but Glastonbury.");
    }
    this.view = situation.value.view;
    for (const event of situation.value.events) {
      this.remember(event);
    }
    this.cauldrons.forEach((cauldron, seat) => cauldron.splice(this.view.heights[seat]));
    this.count();
    let [best] = decision.legalMoves;
    let most = -Infinity;
    for (const move of decision.legalMoves) {
      const worth = this.worth(move.game?.$case === "glastonbury" ? move.game.value : undefined);
      if (worth > most) {
        [best, most] = [move, worth];
      }
    }
    return best;
  }

  /** Keep the cauldrons up to date (step 1). */
  private remember(event: Event): void {
    switch (event.kind) {
      case EventKind.TOOK:
      case EventKind.KEPT:
        if (event.card <= IMMUTO) {
          this.cauldrons[event.seat].push(event.card);
        }
        break;
      case EventKind.LOST:
        this.cauldrons[event.seat].pop();
        break;
      case EventKind.CAULDRON_OPENED:
        this.cauldrons[event.seat] = [...event.cards];
        break;
    }
  }

  /** Count cards, sums of values and cards left (step 2). */
  private count(): void {
    this.left = Array<number>(18).fill(4);
    this.counts = this.cauldrons.map(() => Array<number>(18).fill(0));
    this.totals = this.cauldrons.map(() => Array<number>(18).fill(0));
    for (const [seat, cauldron] of this.cauldrons.entries()) {
      for (const card of cauldron.filter((card) => card < IMMUTO)) {
        this.left[ingredient(card)] -= 1;
        this.counts[seat][ingredient(card)] += 1;
        this.totals[seat][ingredient(card)] += this.value(card, seat);
      }
    }
    for (const card of this.view.out.filter((card) => card < IMMUTO)) {
      this.left[ingredient(card)] -= 1;
    }
  }

  /** Return the value of a card for a seat. */
  private value(card: number, seat: number): number {
    const own = Math.floor(ingredient(card) / 2) + 1 === this.view.colours[seat];
    return own ? 2 * number(card) : number(card);
  }

  /** Return what a move is worth (steps 7 to 10). */
  private worth(move: GlastonburyMove | undefined): number {
    const { view, seat } = this;
    const action = move?.action;
    switch (action?.$case) {
      case "take":
        return this.takeWorth(action.value);
      case "declinatio":
        return this.prospect((view.stops[seat] + view.steps) % 20, DECLINATIO);
      case "pass":
        return -4;
      case "keep":
        return this.lastCardWorth(view.lastCard) + this.bonus(view.lastCard);
      case "discard":
        return this.lastCardWorth(0);
      case "immuto":
        return this.assignmentWorth(action.value.ingredients.map((i) => i - 1));
      case undefined:
        return -Infinity;
    }
  }

  /** Return what it is worth to take the card of a cell (step 7). */
  private takeWorth(cell: number): number {
    const card = this.view.board[cell];
    const start = this.view.stops[this.seat];
    const top = this.cauldrons[this.seat].at(-1);
    const cost = LINES[start].includes(cell) ? 0 : 10;
    let steps = top === undefined ? 2 : number(top);
    if (card <= IMMUTO) {
      steps = number(card);
    }
    let stop = (start + steps) % 20;
    if (LINES[stop].length === 0 && this.view.declinatio[this.seat] > 0) {
      stop = (stop + steps) % 20;
    }
    return this.gain(card) - cost + this.prospect(stop, VANESCO, cell);
  }

  /** Return the highest gain in the line that a stop faces (step 6). */
  private prospect(stop: number, highestCard: number, taken?: number): number {
    let best = -8;
    for (const cell of LINES[stop]) {
      const card = this.view.board[cell];
      if (cell !== taken && 0 < card && card <= highestCard) {
        best = Math.max(best, this.gain(card));
      }
    }
    return best;
  }

  /** Return what a card gains (steps 4 and 5). */
  private gain(card: number): number {
    if (card !== VANESCO) {
      return this.difference(card, this.seat, 1) + this.bonus(card);
    }
    let loss = 0;
    for (const [seat, cauldron] of this.cauldrons.entries()) {
      const top = cauldron.at(-1);
      if (seat !== this.seat && top !== undefined) {
        loss += this.difference(top, seat, 0);
      }
    }
    return loss + this.bonus(card);
  }

  /** Return what a card changes for a seat that puts it (1) or has it and loses it (0). */
  private difference(card: number, seat: number, put: 0 | 1): number {
    if (card >= IMMUTO) {
      return GAINS[card];
    }
    const i = ingredient(card);
    const value = this.value(card, seat);
    const count = this.counts[seat][i] + put;
    const total = this.totals[seat][i] + put * value;
    const left = this.left[i] - put;
    return setWorth(count, total, left) - setWorth(count - 1, total - value, left + 1);
  }

  /** Return the bonus of a card for the own recipes (step 5). */
  private bonus(card: number): number {
    if (this.view.recipeTasks.length === 0) {
      return 0;
    }
    const task = this.view.recipeTasks[this.seat];
    const colour = this.view.recipeColours[this.seat];
    let bonus = 0;
    if (card < IMMUTO && Math.floor(ingredient(card) / 2) + 1 === colour) {
      bonus += this.cauldrons.length === 4 ? 4 : 2;
    }
    if (task === Task.FEWEST_FOURS && number(card) === 4) {
      bonus -= 4;
    }
    if (task === Task.MOST_ONES && number(card) === 1) {
      bonus += 4;
    }
    if (task === Task.FEWEST_SPELLS && card > IMMUTO) {
      bonus -= 4;
    }
    return bonus;
  }

  /** Return what the cauldron is worth with the last card, or without it for 0 (step 9). */
  private lastCardWorth(card: number): number {
    const counts = [...this.counts[this.seat]];
    const totals = [...this.totals[this.seat]];
    let immuto = this.cauldrons[this.seat].filter((held) => held === IMMUTO).length;
    if (0 < card && card < IMMUTO) {
      counts[ingredient(card)] += 1;
      totals[ingredient(card)] += this.value(card, this.seat);
    } else if (card === IMMUTO) {
      immuto += 1;
    }
    return bestPoints(counts, totals, immuto);
  }

  /** Return what an assignment of Immuto is worth (step 10). */
  private assignmentWorth(assigned: readonly number[]): number {
    const counts = [...this.counts[this.seat]];
    for (const i of assigned) {
      counts[i] += 1;
    }
    const first = 2 * this.view.recipeColours[this.seat] - 2;
    const held = this.counts.map((own) => own[first] + own[first + 1]);
    const own = counts[first] + counts[first + 1];
    let points = bestPoints(counts, this.totals[this.seat], 0);
    if (held.every((cards, seat) => seat === this.seat || own > cards)) {
      points += own * (held.length === 4 ? 4 : 2);
    }
    return points;
  }
}
