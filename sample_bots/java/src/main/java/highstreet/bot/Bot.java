package highstreet.bot;

import highstreet.v1.Play.Decision;
import highstreet.v1.Play.MatchEnded;
import highstreet.v1.Play.MatchStarted;
import highstreet.v1.Play.Move;

/** Plays one match. A class that implements it overrides what it needs. */
interface Bot {
  /** Learn the game, its options and your seat. */
  default void matchStarted(MatchStarted message) {}

  /** Return one of {@code decision.getLegalMovesList()}. */
  Move choose(Decision decision);

  /** Learn the result. */
  default void matchEnded(MatchEnded message) {}
}
