// @ts-check
// Everything between a bot and the referee; you can write a bot without reading it.

import { createInterface } from "node:readline";

/** @typedef {Record<string, any>} Move */
/** @typedef {{match: string, decision_id: number, legal_moves: Move[]} & Record<string, any>} Decision */

/**
 * Plays one match.
 *
 * @typedef {object} Bot
 * @property {(message: any) => void} matchStarted
 * @property {(decision: Decision) => Move} choose
 * @property {(message: any) => void} matchEnded
 */

/** A match under way. */
class Match {
  decisionId = 0;
  /** @type {Move | undefined} The last answer, to repeat it if the same decision comes again. */
  move;
  /** @type {Move | undefined} The first legal move, the answer if a move is rejected. */
  first;

  /** @param {Bot} bot */
  constructor(bot) {
    this.bot = bot;
  }
}

/**
 * Play over standard input and output until the referee says goodbye or ends the input.
 *
 * Each match has a bot of its own. On SIGINT or SIGTERM the bot leaves: it asks for no more
 * matches, and plays those under way to their end. A second signal ends it at once.
 *
 * @param {() => Bot} newBot
 */
export async function run(newBot) {
  console.log = console.error; // so that a bot may print what it thinks
  leaveOnSignal();
  /** @type {Map<string, Match>} */
  const matches = new Map();
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.goodbye) {
      break;
    }
    const request = answer(message, matches, newBot);
    if (request) {
      process.stdout.write(`${JSON.stringify(request)}\n`);
    }
  }
}

/**
 * Let the bot of the match learn a message, and return its answer to a decision.
 *
 * @param {any} message
 * @param {Map<string, any>} matches
 * @param {() => Bot} newBot
 */
function answer(message, matches, newBot) {
  const { match_started: started, decision, move_rejected: rejected, match_ended: ended } = message;
  if (started) {
    const match = new Match(newBot());
    matches.set(started.match, match);
    match.bot.matchStarted(started);
  } else if (decision) {
    const match = matches.get(decision.match);
    if (match.decisionId !== decision.decision_id) {
      match.decisionId = decision.decision_id;
      match.first = decision.legal_moves[0];
      match.move = match.bot.choose(decision);
    }
    return submit(decision, match.move);
  } else if (rejected) {
    console.error("rejected:", rejected.message);
    return submit(rejected, matches.get(rejected.match).first);
  } else if (ended) {
    matches.get(ended.match).bot.matchEnded(ended);
    matches.delete(ended.match);
  }
  return undefined;
}

/**
 * Return the answer to a decision.
 *
 * @param {{match: string, decision_id: number}} asked
 * @param {Move} move
 */
function submit(asked, move) {
  return { submit_move: { match: asked.match, decision_id: asked.decision_id, move } };
}

/** Leave on the first SIGINT or SIGTERM; a second one ends the program at once. */
function leaveOnSignal() {
  const leave = () => {
    process.off("SIGINT", leave).off("SIGTERM", leave);
    process.stdout.write('{"leave":{}}\n');
  };
  process.on("SIGINT", leave).on("SIGTERM", leave);
}
