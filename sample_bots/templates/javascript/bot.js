// @ts-check
// Plays any game at random: change choose.
//
// The types are comments: Node runs this file as it is, and editors and "tsc --checkJs" check it.

import { run } from "./plumbing.js";

/** @typedef {import("./plumbing.js").Bot} Bot */
/** @typedef {import("./plumbing.js").Decision} Decision */

/** Plays one match. @implements {Bot} */
class MyBot {
  /** Learn the game, its options and your seat. @param {any} message */
  matchStarted(message) {}

  /**
   * Return one of the legal moves; the decision has the view of your seat and events too.
   *
   * @param {Decision} decision
   */
  choose(decision) {
    const moves = decision.legal_moves;
    return moves[Math.floor(Math.random() * moves.length)];
  }

  /** Learn the result. @param {any} message */
  matchEnded(message) {}
}

await run(() => new MyBot());
