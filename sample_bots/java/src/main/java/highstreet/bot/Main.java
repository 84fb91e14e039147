package highstreet.bot;

import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Starts the bot that the first argument names. */
public final class Main {
  private static final int MAX_MATCHES = 16;
  private static final String USAGE = "usage: java -jar bot.jar [random | greedy | shuffle SEED N]";

  private Main() {}

  /** Play until the referee says goodbye, or print a shuffle. */
  public static void main(String[] args) throws InterruptedException {
    System.exit(
        switch (args.length == 0 ? "random" : args[0]) {
          case "random" -> Plumbing.run(RandomBot::new, MAX_MATCHES);
          case "greedy" -> Plumbing.run(GreedyBot::new, MAX_MATCHES, "glastonbury");
          case "shuffle" -> args.length == 3 ? shuffle(args[1], args[2]) : usage();
          default -> usage();
        });
  }

  /** Print the numbers below a size as the documented shuffle orders a deck. */
  private static int shuffle(String seed, String size) {
    try {
      var numbers = IntStream.range(0, Integer.parseInt(size)).boxed().toList();
      var shuffled = Shuffle.shuffled(numbers, HexFormat.of().parseHex(seed), "glastonbury/deck");
      System.out.println(shuffled.stream().map(String::valueOf).collect(Collectors.joining(" ")));
      return 0;
    } catch (IllegalArgumentException error) {
      return usage();
    }
  }

  private static int usage() {
    System.err.println(USAGE);
    return 2;
  }
}
