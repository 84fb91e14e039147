/** Everything between a bot and the referee; you can write a bot without reading it. */

import { readFileSync } from "node:fs";
import process, { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

import { credentials, status, type ServiceError } from "@grpc/grpc-js";

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

/**
 * Play these games, or all if none is named, over gRPC, with the referee that HIGHSTREET_TARGET
 * names, until it says goodbye.
 */
export async function run(makeBot: () => Bot, maxMatches = 1, games: string[] = []): Promise<void> {
  const { HIGHSTREET_TARGET: target, HIGHSTREET_CA: ca } = env;
  if (!target) {
    throw new UsageError("HIGHSTREET_TARGET is not set: say where the referee is, as host:port.");
  }
  const tls = ca ? credentials.createSsl(readFileSync(ca)) : credentials.createInsecure();
  const client = new PlayServiceClient(target, tls, { "grpc.initial_reconnect_backoff_ms": 100 });
  const token = env["HIGHSTREET_TOKEN"] ?? "";
  const join = Join.create({ token, protocolVersion: 1, games, maxMatches });
  await playOverGrpc(client, new Bots(makeBot), join);
  client.close();
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
}

async function playOverGrpc(client: PlayServiceClient, bots: Bots, join: Join): Promise<void> {
  let failures = 0;
  let goodbye = false;
  for (;;) {
    const call = client.play();
    call.write({ message: { $case: "join", value: join } });
    try {
      for await (const said of call as AsyncIterable<PlayResponse>) {
        failures = 0;
        if (said.message?.$case === "welcome") {
          join.resumeId = said.message.value.resumeId;
        } else if (said.message?.$case === "goodbye") {
          goodbye = true;
          call.end();
        }
        const request = answer(said, bots);
        if (request) {
          call.write(request);
        }
      }
      return;
    } catch (error) {
      if (goodbye) {
        return;
      }
      failures += 1;
      if (!isServiceError(error) || error.code !== status.UNAVAILABLE || failures > 6) {
        throw error;
      }
    }
    await sleep(100 * 2 ** failures);
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
