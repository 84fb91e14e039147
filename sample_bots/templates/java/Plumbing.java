import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** Plays one match. */
interface Bot {
  void matchStarted(Json message);

  Json choose(Json decision);

  void matchEnded(Json message);
}

/** Everything between a bot and the referee; you can write a bot without reading it. */
final class Plumbing {
  /** A match under way. */
  private static final class Match {
    final Bot bot;
    String decisionId = "";
    Json move; // the last answer, to repeat it if the same decision comes again
    Json first; // the first legal move, the answer if a move is rejected

    Match(Bot bot) {
      this.bot = bot;
    }
  }

  private Plumbing() {}

  /**
   * Play over standard input and output until the referee says goodbye or ends the input.
   *
   * <p>Each match has a bot of its own. On SIGINT or SIGTERM the bot leaves: it asks for no more
   * matches, and plays those under way to their end. A second signal ends it at once.
   */
  static void run(Supplier<Bot> newBot) throws IOException {
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    System.setOut(System.err); // so that a bot may print what it thinks
    leaveOnSignal(out);
    Map<String, Match> matches = new HashMap<>();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      Json message = new Json(line.strip());
      if (message.has("goodbye")) {
        return;
      }
      String request = answer(message, matches, newBot);
      if (request != null) {
        out.print(request + "\n");
        out.flush();
      }
    }
  }

  /** Let the bot of the match learn a message, and return its answer to a decision. */
  private static String answer(Json message, Map<String, Match> matches, Supplier<Bot> newBot) {
    if (message.has("match_started")) {
      Json started = message.get("match_started");
      Match match = new Match(newBot.get());
      matches.put(started.get("match").json(), match);
      match.bot.matchStarted(started);
    } else if (message.has("decision")) {
      Json decision = message.get("decision");
      Match match = matches.get(decision.get("match").json());
      String id = decision.get("decision_id").json();
      if (!match.decisionId.equals(id)) {
        match.decisionId = id;
        match.first = decision.get("legal_moves").items().get(0);
        match.move = match.bot.choose(decision);
      }
      return submit(decision, match.move);
    } else if (message.has("move_rejected")) {
      Json rejected = message.get("move_rejected");
      System.err.println("rejected: " + rejected.get("message").json());
      return submit(rejected, matches.get(rejected.get("match").json()).first);
    } else if (message.has("match_ended")) {
      Json ended = message.get("match_ended");
      matches.remove(ended.get("match").json()).bot.matchEnded(ended);
    }
    return null;
  }

  /** Return the answer to a decision. */
  private static String submit(Json asked, Json move) {
    return String.format(
        "{\"submit_move\":{\"match\":%s,\"decision_id\":%s,\"move\":%s}}",
        asked.get("match").json(), asked.get("decision_id").json(), move.json());
  }

  /** Leave on the first SIGINT or SIGTERM; a second one ends the program at once. */
  private static void leaveOnSignal(PrintStream out) {
    Signal[] signals = {new Signal("INT"), new Signal("TERM")};
    for (Signal each : signals) {
      Signal.handle(
          each,
          number -> {
            for (Signal other : signals) {
              Signal.handle(other, SignalHandler.SIG_DFL);
            }
            out.print("{\"leave\":{}}\n");
            out.flush();
          });
    }
  }
}
