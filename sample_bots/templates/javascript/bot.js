// @ts-check
// Plays any game at random: change choose.
//
// The types are comments: node runs this file as it is, and "npx tsc --noEmit" and editors check it.

import { run } from "./plumbing.js";

/** Plays one match. @implements {import("./plumbing.js").Bot} */
class MyBot {
  /** Learn the game, its options and your seat. @param {any} message */
  matchStarted(message) {}

  /**
   * Return one of the legal moves; the decision has the view of your seat and events too.
   *
   * @param {import("./plumbing.js").Decision} decision
   */
  choose(decision) {
    const moves = decision.legal_moves;
    return moves[Math.floor(Math.random() * moves.length)];
  }

  /** Learn the result. @param {any} message */
  matchEnded(message) {}
}

await run(() => new MyBot());
