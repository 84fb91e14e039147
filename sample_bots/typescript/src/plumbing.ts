/** Everything between a bot and the referee; you can write a bot without reading it. */

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process, { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { credentials, status, type ClientDuplexStream, type ServiceError } from "@grpc/grpc-js";

import {
  Join,
  PlayServiceClient,
  type Decision,
  type MatchEnded,
  type MatchStarted,
  type Move,
  type PlayRequest,
  type PlayResponse,
  type SubmitMove,
} from "./gen/highstreet/v1/play.js";

/** Plays one match. A subclass overrides what it needs. */
export abstract class Bot {
  asked?: Decision; // the last decision, to answer it again if the move was rejected
  submitted?: SubmitMove; // the last answer, to repeat it if the connection broke

  /** Learn the game, its options and your seat. */
  matchStarted(_message: MatchStarted): void {}

  /** Return one of `decision.legalMoves`. */
  abstract choose(decision: Decision): Move;

  /** Learn the result. */
  matchEnded(_message: MatchEnded): void {}
}

/** How often to dial again where no referee was ever reached: for 12 seconds. */
const FIRST_TRIES = 6;
/** How often to dial again once one was reached, by default: for about an hour. */
const TRIES = 300;
/** What a cut connection looks like. */
const CUT = [status.UNAVAILABLE, status.INTERNAL];

/**
 * Play these games, or all if none is named, over gRPC, with the referee that HIGHSTREET_TARGET
 * names, until it says goodbye. On SIGINT or SIGTERM the bot leaves: it plays its matches to their
 * end and waits for the goodbye. A second signal ends it at once.
 */
export async function run(makeBot: () => Bot, maxMatches = 1, games: string[] = []): Promise<void> {
  const { HIGHSTREET_TARGET: target, HIGHSTREET_CA: ca } = env;
  if (!target) {
    throw new UsageError("HIGHSTREET_TARGET is not set: say where the referee is, as host:port.");
  }
  const tries = Number(env["HIGHSTREET_TRIES"] || TRIES);
  if (!Number.isInteger(tries)) {
    throw new UsageError("HIGHSTREET_TRIES is not a whole number.");
  }
  const tls = ca ? credentials.createSsl(readFileSync(ca)) : credentials.createInsecure();
  const client = new PlayServiceClient(target, tls, {
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 5000,
  });
  const token = env["HIGHSTREET_TOKEN"] ?? "";
  const botVersion = version();
  const joining = Join.create({ token, protocolVersion: 1, botVersion, games, maxMatches });
  const session = new Session(client, new Bots(makeBot), joining);
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  await session.play(tries);
  process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  client.close();

  function onSignal(): void {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal); // a second signal ends the program
    session.leave();
  }
}

/** Return HIGHSTREET_BOT_VERSION, or a hash of the files of the program. */
function version(): string {
  const { HIGHSTREET_BOT_VERSION: given } = env;
  if (given) {
    return given;
  }
  const hash = createHash("sha256");
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of names.filter((name) => name.endsWith(".js")).sort()) {
    hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex").slice(0, 12);
}

/** Says what is wrong with how the program was started. */
export class UsageError extends Error {}

/** Say why the program cannot go on, and end it. */
export function giveUp(error: unknown): never {
  if (error instanceof UsageError) {
    console.error(error.message);
  } else if (isServiceError(error)) {
    console.error(`${status[error.code]}: ${error.details}`);
  } else {
    console.error(error);
  }
  process.exit(error instanceof UsageError ? 2 : 1);
}

/** A bot for each match. */
class Bots {
  readonly #bots = new Map<string, Bot>();
  readonly #makeBot: () => Bot;

  constructor(makeBot: () => Bot) {
    this.#makeBot = makeBot;
  }

  of(match: string): Bot {
    const bot = this.#bots.get(match) ?? this.#makeBot();
    this.#bots.set(match, bot);
    return bot;
  }

  drop(match: string): void {
    this.#bots.delete(match);
  }

  get playing(): number {
    return this.#bots.size;
  }
}

/** The conversation with the referee, over one connection after the other. */
class Session {
  readonly #client: PlayServiceClient;
  readonly #bots: Bots;
  readonly #join: Join;
  readonly #leaving = new AbortController();
  #call?: ClientDuplexStream<PlayRequest, PlayResponse>;

  constructor(client: PlayServiceClient, bots: Bots, join: Join) {
    this.#client = client;
    this.#bots = bots;
    this.#join = join;
  }

  /** Ask the referee for no more matches; do not wait for one that is away. */
  leave(): void {
    this.#leaving.abort();
    this.#call?.write({ message: { $case: "leave", value: {} } });
  }

  /** Play until the referee says goodbye; dial again after a cut connection. */
  async play(tries: number): Promise<void> {
    let failures = 0;
    let most = FIRST_TRIES;
    for (;;) {
      try {
        for await (const said of this.#begin()) {
          failures = 0;
          most = tries;
          if (said.message?.$case === "goodbye") {
            return;
          }
          this.#hear(said);
        }
        return;
      } catch (error) {
        failures += 1;
        if (!isServiceError(error) || !CUT.includes(error.code) || failures > most) {
          throw error;
        }
      }
      this.#call = undefined;
      await this.#pause(100 * 2 ** Math.min(failures, 7));
      if (this.#leaving.signal.aborted) {
        if (this.#bots.playing === 0) {
          return; // there is no match to come back for
        }
        most = Math.min(most, FIRST_TRIES);
      }
    }
  }

  /** Join, and return what the referee says. */
  #begin(): AsyncIterable<PlayResponse> {
    this.#call = this.#client.play();
    this.#call.write({ message: { $case: "join", value: this.#join } });
    if (this.#leaving.signal.aborted) {
      this.#call.write({ message: { $case: "leave", value: {} } });
    }
    return this.#call;
  }

  #hear(said: PlayResponse): void {
    if (said.message?.$case === "welcome") {
      this.#join.resumeId = said.message.value.resumeId;
    }
    const request = answer(said, this.#bots);
    if (request) {
      this.#call?.write(request);
    }
  }

  /** Wait before the next dial; not if the bot leaves and has no match under way. */
  async #pause(milliseconds: number): Promise<void> {
    const leaving = this.#leaving.signal;
    const signal = leaving.aborted && this.#bots.playing > 0 ? undefined : leaving;
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  }
}

function answer({ message }: PlayResponse, bots: Bots): PlayRequest | undefined {
  switch (message?.$case) {
    case "matchStarted":
      // After a cut it may come again, and then all events do: begin anew.
      bots.drop(message.value.match);
      bots.of(message.value.match).matchStarted(message.value);
      break;
    case "decision": {
      const { match, decisionId } = message.value;
      const bot = bots.of(match);
      if (bot.submitted?.decisionId !== decisionId) {
        bot.asked = message.value;
        bot.submitted = { match, decisionId, move: bot.choose(message.value) };
      }
      return { message: { $case: "submitMove", value: bot.submitted } };
    }
    case "moveRejected": {
      const { match, decisionId } = message.value;
      console.error("rejected:", message.value.message);
      const bot = bots.of(match);
      if (bot.asked?.decisionId === decisionId) {
        bot.submitted = { match, decisionId, move: bot.asked.legalMoves[0] };
        return { message: { $case: "submitMove", value: bot.submitted } };
      }
      break;
    }
    case "matchEnded":
      bots.of(message.value.match).matchEnded(message.value);
      bots.drop(message.value.match);
      break;
  }
  return undefined;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error;
}
