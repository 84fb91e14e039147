package highstreet.bot;

import highstreet.v1.Play.Decision;
import highstreet.v1.Play.Move;
import java.util.Random;

/**
 * Answers every decision of any game with a random legal move.
 *
 * <p>The environment variable BOT_SEED makes it repeatable.
 */
final class RandomBot implements Bot {
  private final Random random;

  RandomBot() {
    String seed = System.getenv("BOT_SEED");
    random = seed == null ? new Random() : new Random(seed.hashCode());
  }

  /** Return any legal move. */
  @Override
  public Move choose(Decision decision) {
    return decision.getLegalMoves(random.nextInt(decision.getLegalMovesCount()));
  }
}
