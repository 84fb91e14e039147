/** The chance of the referee, as docs/reference/record-format.md describes it. */

import { createHash } from "node:crypto";

const WORD_RANGE = 2 ** 32;

/** A stream of numbers that a seed and a purpose determine. */
export class Chance {
  readonly #words: Iterator<number, never>;

  constructor(seed: Uint8Array, purpose: string) {
    this.#words = words(Buffer.concat([seed, Buffer.from(`${purpose}\0`, "ascii")]));
  }

  /** Return the next number of the stream, uniform over 0 … bound - 1. */
  below(bound: number): number {
    const limit = WORD_RANGE - (WORD_RANGE % bound);
    let word: number;
    do {
      word = this.#words.next().value;
    } while (word >= limit);
    return word % bound;
  }
}

/** Return the items in the order that the seed gives for this purpose. */
export function shuffled<T>(items: Iterable<T>, seed: Uint8Array, purpose: string): T[] {
  const chance = new Chance(seed, purpose);
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

function* words(key: Uint8Array): Generator<number, never> {
  const counter = Buffer.alloc(8);
  for (let block = 0n; ; block++) {
    counter.writeBigUInt64BE(block);
    const digest = createHash("sha256").update(key).update(counter).digest();
    for (let i = 0; i < digest.length; i += 4) {
      yield digest.readUInt32BE(i);
    }
  }
}
