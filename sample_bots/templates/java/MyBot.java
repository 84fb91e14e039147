import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Plays any game at random, one match each: change {@code choose}. */
final class MyBot implements Bot {
  /** Learn the game, its options and your seat. */
  @Override
  public void matchStarted(Json message) {}

  /** Return one of the legal moves; the decision has the view of your seat and events too. */
  @Override
  public Json choose(Json decision) {
    List<Json> moves = decision.get("legal_moves").items();
    return moves.get(ThreadLocalRandom.current().nextInt(moves.size()));
  }

  /** Learn the result. */
  @Override
  public void matchEnded(Json message) {}

  public static void main(String[] arguments) throws java.io.IOException {
    Plumbing.run(MyBot::new);
  }
}
