package highstreet.bot;

import highstreet.v1.GlastonburyOuterClass.Glastonbury;
import highstreet.v1.Play.Decision;
import highstreet.v1.Play.MatchStarted;
import highstreet.v1.Play.Move;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Plays Glastonbury greedily; the same bot exists in other languages and chooses the same moves.
 *
 * <p>The steps in the comments are those of sample_bots/python/greedy_glastonbury.py. Cards,
 * colours, tasks and cells are the numbers of the protocol; ingredients count from 0 (Ya) to 17
 * (Sb). What things are worth is counted in half points and always whole.
 *
 * <p>It remembers every cauldron, and plays the move that is worth most.
 */
final class GreedyBot implements Bot {
  private static final int IMMUTO = 73;
  private static final int ACCIO = 74;
  private static final int DECLINATIO = 75;
  private static final int PERLUCEO = 76;
  private static final int VANESCO = 77;
  private static final int INGREDIENTS = 18;
  private static final int STOPS = 20;

  /** The cells that each stop faces; none at a corner. */
  private static final List<List<Integer>> LINES = lines();

  private int seat;
  private List<List<Integer>> cauldrons = List.of();
  private Glastonbury.View view = Glastonbury.View.getDefaultInstance();
  private int[] left = {};
  private int[][] counts = {};
  private int[][] totals = {};

  private static List<List<Integer>> lines() {
    var lines = new ArrayList<List<Integer>>(Collections.nCopies(STOPS, List.of()));
    for (int i = 1; i <= 4; i++) {
      List<Integer> column = line(i, 6);
      List<Integer> row = line(6 * i, 1);
      lines.set(i, column);
      lines.set(5 + i, row);
      lines.set(15 - i, column);
      lines.set(20 - i, row);
    }
    return List.copyOf(lines);
  }

  private static List<Integer> line(int first, int step) {
    return IntStream.range(0, 6).map(i -> first + i * step).boxed().toList();
  }

  /** Return the ingredient of a card. */
  private static int ingredient(int card) {
    return (card - 1) / 4;
  }

  /** Return the number on an ingredient card or on Immuto. */
  private static int number(int card) {
    return card < IMMUTO ? (card - 1) % 4 + 1 : 0;
  }

  /** Return what the cards of one ingredient are worth (step 3). */
  private static int setWorth(int count, int total, int left) {
    return switch (count) {
      case 0 -> 0;
      case 1 -> left >= 2 ? -total : -2 * total;
      case 2 -> left >= 1 ? total : 0;
      case 3 -> 2 * total;
      default -> 2 * total + 10;
    };
  }

  /** Return twice the points of a cauldron, its Immuto assigned as they bring most. */
  private static int bestPoints(int[] counts, int[] totals, int immuto) {
    if (immuto == 0) {
      return IntStream.range(0, INGREDIENTS).map(i -> setWorth(counts[i], totals[i], 0)).sum();
    }
    int best = Integer.MIN_VALUE;
    for (int i = 0; i < INGREDIENTS; i++) {
      counts[i]++;
      best = Math.max(best, bestPoints(counts, totals, immuto - 1));
      counts[i]--;
    }
    return best;
  }

  /** Begin with empty cauldrons. */
  @Override
  public void matchStarted(MatchStarted message) {
    seat = message.getSeat();
    cauldrons = new ArrayList<>();
    message.getSeatsList().forEach(info -> cauldrons.add(new ArrayList<>()));
  }

  /** Return the first of the moves that are worth most (step 11). */
  @Override
  public Move choose(Decision decision) {
    view = decision.getGlastonbury().getView();
    decision.getGlastonbury().getEventsList().forEach(this::remember);
    for (int i = 0; i < cauldrons.size(); i++) {
      List<Integer> cauldron = cauldrons.get(i);
      int height = Math.min(view.getHeights(i), cauldron.size());
      cauldron.subList(height, cauldron.size()).clear();
    }
    count();
    Move best = decision.getLegalMoves(0);
    int most = Integer.MIN_VALUE;
    for (Move move : decision.getLegalMovesList()) {
      int worth = worth(move.getGlastonbury());
      if (worth > most) {
        best = move;
        most = worth;
      }
    }
    return best;
  }

  /** Keep the cauldrons up to date (step 1). */
  private void remember(Glastonbury.Event event) {
    switch (event.getKind()) {
      case EVENT_KIND_TOOK, EVENT_KIND_KEPT -> {
        if (event.getCardValue() <= IMMUTO) {
          cauldrons.get(event.getSeat()).add(event.getCardValue());
        }
      }
      case EVENT_KIND_LOST -> {
        List<Integer> cauldron = cauldrons.get(event.getSeat());
        cauldron.remove(cauldron.size() - 1);
      }
      case EVENT_KIND_CAULDRON_OPENED ->
          cauldrons.set(event.getSeat(), new ArrayList<>(event.getCardsValueList()));
      default -> {}
    }
  }

  /** Count cards, sums of values and cards left (step 2). */
  private void count() {
    left = new int[INGREDIENTS];
    Arrays.fill(left, 4);
    counts = new int[cauldrons.size()][INGREDIENTS];
    totals = new int[cauldrons.size()][INGREDIENTS];
    for (int owner = 0; owner < cauldrons.size(); owner++) {
      for (int card : cauldrons.get(owner)) {
        if (card < IMMUTO) {
          left[ingredient(card)]--;
          counts[owner][ingredient(card)]++;
          totals[owner][ingredient(card)] += value(card, owner);
        }
      }
    }
    for (int card : view.getOutValueList()) {
      if (card < IMMUTO) {
        left[ingredient(card)]--;
      }
    }
  }

  /** Return the value of a card for a seat. */
  private int value(int card, int owner) {
    boolean own = ingredient(card) / 2 + 1 == view.getColoursValue(owner);
    return own ? 2 * number(card) : number(card);
  }

  /** Return what a move is worth (steps 7 to 10). */
  private int worth(Glastonbury.Move move) {
    return switch (move.getActionCase()) {
      case TAKE -> takeWorth(move.getTake());
      case DECLINATIO -> prospect((view.getStops(seat) + view.getSteps()) % STOPS, DECLINATIO, -1);
      case PASS -> -4;
      case KEEP -> lastCardWorth(view.getLastCardValue()) + bonus(view.getLastCardValue());
      case DISCARD -> lastCardWorth(0);
      case IMMUTO -> assignmentWorth(move.getImmuto().getIngredientsValueList());
      case ACTION_NOT_SET -> throw new IllegalArgumentException("a move of a later version");
    };
  }

  /** Return what it is worth to take the card of a cell (step 7). */
  private int takeWorth(int cell) {
    int card = view.getBoardValue(cell);
    int stop = view.getStops(seat);
    List<Integer> cauldron = cauldrons.get(seat);
    int cost = LINES.get(stop).contains(cell) ? 0 : 10;
    int steps = cauldron.isEmpty() ? 2 : number(cauldron.get(cauldron.size() - 1));
    if (card <= IMMUTO) {
      steps = number(card);
    }
    stop = (stop + steps) % STOPS;
    if (LINES.get(stop).isEmpty() && view.getDeclinatio(seat) > 0) {
      stop = (stop + steps) % STOPS;
    }
    return gain(card) - cost + prospect(stop, VANESCO, cell);
  }

  /** Return the highest gain in the line that a stop faces (step 6). */
  private int prospect(int stop, int highestCard, int taken) {
    int best = -8;
    for (int cell : LINES.get(stop)) {
      int card = view.getBoardValue(cell);
      if (cell != taken && 0 < card && card <= highestCard) {
        best = Math.max(best, gain(card));
      }
    }
    return best;
  }

  /** Return what a card gains (steps 4 and 5). */
  private int gain(int card) {
    if (card == VANESCO) {
      int loss = 0;
      for (int other = 0; other < cauldrons.size(); other++) {
        List<Integer> cauldron = cauldrons.get(other);
        if (other != seat && !cauldron.isEmpty()) {
          loss += difference(cauldron.get(cauldron.size() - 1), other, 0);
        }
      }
      return loss + bonus(card);
    }
    return difference(card, seat, 1) + bonus(card);
  }

  /** Return what a card changes for a seat that puts it (1) or has it and loses it (0). */
  private int difference(int card, int owner, int put) {
    return switch (card) {
      case IMMUTO -> 12;
      case ACCIO -> 2;
      case DECLINATIO -> 8;
      case PERLUCEO -> 0;
      default -> {
        int i = ingredient(card);
        int value = value(card, owner);
        int count = counts[owner][i] + put;
        int total = totals[owner][i] + put * value;
        int rest = left[i] - put;
        yield setWorth(count, total, rest) - setWorth(count - 1, total - value, rest + 1);
      }
    };
  }

  /** Return the bonus of a card for the own recipes (step 5). */
  private int bonus(int card) {
    if (view.getRecipeTasksCount() == 0) {
      return 0;
    }
    int bonus = 0;
    if (card < IMMUTO && ingredient(card) / 2 + 1 == view.getRecipeColoursValue(seat)) {
      bonus += cauldrons.size() == 4 ? 4 : 2;
    }
    return bonus
        + switch (view.getRecipeTasks(seat)) {
          case TASK_FEWEST_FOURS -> number(card) == 4 ? -4 : 0;
          case TASK_MOST_ONES -> number(card) == 1 ? 4 : 0;
          case TASK_FEWEST_SPELLS -> card > IMMUTO ? -4 : 0;
          default -> 0;
        };
  }

  /** Return what the cauldron is worth with the last card, or without it for 0 (step 9). */
  private int lastCardWorth(int card) {
    int[] ownCounts = counts[seat].clone();
    int[] ownTotals = totals[seat].clone();
    int immuto = Collections.frequency(cauldrons.get(seat), IMMUTO);
    if (0 < card && card < IMMUTO) {
      ownCounts[ingredient(card)]++;
      ownTotals[ingredient(card)] += value(card, seat);
    } else if (card == IMMUTO) {
      immuto++;
    }
    return bestPoints(ownCounts, ownTotals, immuto);
  }

  /** Return what an assignment of Immuto is worth (step 10). */
  private int assignmentWorth(List<Integer> assigned) {
    int[] ownCounts = counts[seat].clone();
    for (int named : assigned) {
      ownCounts[named - 1]++;
    }
    int first = 2 * view.getRecipeColoursValue(seat) - 2;
    int held = ownCounts[first] + ownCounts[first + 1];
    boolean most =
        IntStream.range(0, counts.length)
            .filter(other -> other != seat)
            .allMatch(other -> held > counts[other][first] + counts[other][first + 1]);
    int points = bestPoints(ownCounts, totals[seat], 0);
    if (most) {
      points += held * (counts.length == 4 ? 4 : 2);
    }
    return points;
  }
}
