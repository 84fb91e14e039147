/** Runs a bot, or shows a shuffle. */

import { GreedyBot, RandomBot } from "./bot.js";
import { UsageError, giveUp, run } from "./plumbing.js";
import { shuffled } from "./shuffle.js";

const USAGE = "usage: main.js [random | greedy | shuffle SEED_HEX N]";
const DECK = "glastonbury/deck";

async function main([command = "random", ...rest]: string[]): Promise<void> {
  if (command === "random" && rest.length === 0) {
    await run(() => new RandomBot(), 16);
  } else if (command === "greedy" && rest.length === 0) {
    await run(() => new GreedyBot(), 16, ["glastonbury"]);
  } else if (command === "shuffle" && rest.length === 2) {
    shuffle(rest[0], rest[1]);
  } else {
    throw new UsageError(USAGE);
  }
}

/** Print the numbers below a bound in the order of the deck's shuffle. */
function shuffle(seed: string, bound: string): void {
  if (!/^[0-9a-f]{64}$/i.test(seed) || !/^\d+$/.test(bound)) {
    throw new UsageError(`${USAGE}; SEED_HEX has 64 hexadecimal digits, N is a whole number.`);
  }
  const numbers = Array(Number(bound)).keys();
  console.log(shuffled(numbers, Buffer.from(seed, "hex"), DECK).join(" "));
}

main(process.argv.slice(2)).catch(giveUp);
