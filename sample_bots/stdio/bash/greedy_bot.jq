# Plays Glastonbury greedily; the same bot exists in other languages and chooses the same moves.
#
# Its steps are specified at the top of sample_bots/python/greedy_glastonbury.py. Cards, colours,
# tasks and cells are the numbers of the protocol; ingredients count from 0 (Ya) to 17 (Sb). What
# things are worth is counted in half points and always whole. The input of most functions is the
# bot; jq wants each function above those that use it, so they stand in another order.

def IMMUTO: 73;
def DECLINATIO: 75;
def VANESCO: 77;

# What Immuto, Accio, Declinatio and Perluceo gain.
def GAINS: [12, 2, 8, 0];

# The cells that each stop faces; none at a corner.
def LINES:
  [range(1; 5) | [range(.; 36; 6)]] as $columns
  | [range(1; 5) | [range(6 * .; 6 * . + 6)]] as $rows
  | [[]] + $columns + [[]] + $rows + [[]] + ($columns | reverse) + [[]] + ($rows | reverse);

# The numbers of the names in the protocol.
def NUMBERS:
  def numbered($prefix): . as $names | [range(length) | {($prefix + $names[.]): (. + 1)}];
  [("Y", "G", "R", "B", "O", "P", "W", "N", "S") | (. + "A", . + "B")] as $ingredients
  | ([$ingredients[] | (. + "1", . + "2", . + "3", . + "4")]
      + ["IMMUTO", "ACCIO", "DECLINATIO", "PERLUCEO", "VANESCO"] | numbered("CARD_"))
    + ($ingredients | numbered("INGREDIENT_"))
    + (["YELLOW", "GREEN", "RED", "BLUE", "ORANGE", "PURPLE", "WHITE", "BROWN", "GREY"]
      | numbered("COLOUR_"))
    + [{CARD_UNSPECIFIED: 0, COLOUR_UNSPECIFIED: 0}]
  | add;

# Return the ingredient of a card.
def ingredient: (. - 1) / 4 | floor;

# Return the number on an ingredient card or on Immuto.
def number: if . < IMMUTO then (. - 1) % 4 + 1 else 0 end;

# Return the colour of an ingredient card.
def colour: (. - 1) / 8 | floor + 1;

# Return what the cards of one ingredient are worth (step 3).
def set_worth($count; $total; $left):
  if $count == 0 then 0
  elif $count == 1 then (if $left >= 2 then -$total else -2 * $total end)
  elif $count == 2 then (if $left >= 1 then $total else 0 end)
  elif $count == 3 then 2 * $total
  else 2 * $total + 10
  end;

# Return twice the points of a cauldron, its Immuto assigned as they bring most.
def best_points($counts; $totals; $immuto):
  if $immuto == 0 then
    reduce range(18) as $i (0; . + set_worth($counts[$i]; $totals[$i]; 0))
  else
    [range(18) as $i | best_points($counts | .[$i] += 1; $totals; $immuto - 1)] | max
  end;

# Begin with empty cauldrons.
def match_started:
  if .game == "glastonbury" then
    {seat, cauldrons: [.seats[] | []], lines: LINES, numbers: NUMBERS}
  else
    "greedy plays glastonbury, but not \(.game)\n" | halt_error(1)
  end;

# Keep the cauldrons up to date (step 1).
def remember($event):
  .numbers as $numbers
  | if $event.kind == "EVENT_KIND_TOOK" or $event.kind == "EVENT_KIND_KEPT" then
      $numbers[$event.card] as $card
      | if $card <= IMMUTO then .cauldrons[$event.seat] += [$card] else . end
    elif $event.kind == "EVENT_KIND_LOST" then
      .cauldrons[$event.seat] |= .[:-1]
    elif $event.kind == "EVENT_KIND_CAULDRON_OPENED" then
      .cauldrons[$event.seat] = [$numbers[$event.cards[]]]
    else
      .
    end;

# Return the value of a card for a seat.
def value($card; $seat):
  if ($card | colour) == .view.colours[$seat] then 2 * ($card | number) else $card | number end;

# Count cards, sums of values and cards left (step 2).
def count:
  [range(18) | 0] as $zeros
  | .left = [range(18) | 4]
  | .counts = [.cauldrons[] | $zeros]
  | .totals = .counts
  | reduce range(.cauldrons | length) as $seat (.;
      reduce (.cauldrons[$seat][] | select(. < IMMUTO)) as $card (.;
        ($card | ingredient) as $i
        | value($card; $seat) as $value
        | .left[$i] -= 1
        | .counts[$seat][$i] += 1
        | .totals[$seat][$i] += $value))
  | reduce (.view.out[] | select(. < IMMUTO) | ingredient) as $i (.; .left[$i] -= 1);

# Return the bonus of a card for the own recipes (step 5).
def bonus($card):
  if .view.recipe_tasks == [] then
    0
  else
    .view.recipe_tasks[.seat] as $task
    | (if $card < IMMUTO and ($card | colour) == .view.recipe_colours[.seat] then
        (if (.cauldrons | length) == 4 then 4 else 2 end)
      else 0 end)
    - (if $task == "TASK_FEWEST_FOURS" and ($card | number) == 4 then 4 else 0 end)
    + (if $task == "TASK_MOST_ONES" and ($card | number) == 1 then 4 else 0 end)
    - (if $task == "TASK_FEWEST_SPELLS" and $card > IMMUTO then 4 else 0 end)
  end;

# Return what a card changes for a seat that puts it (1) or has it and loses it (0).
def difference($card; $seat; $put):
  if $card >= IMMUTO then
    GAINS[$card - IMMUTO]
  else
    ($card | ingredient) as $i
    | value($card; $seat) as $value
    | (.counts[$seat][$i] + $put) as $count
    | (.totals[$seat][$i] + $put * $value) as $total
    | (.left[$i] - $put) as $left
    | set_worth($count; $total; $left) - set_worth($count - 1; $total - $value; $left + 1)
  end;

# Return what a card gains (steps 4 and 5).
def gain($card):
  if $card == VANESCO then
    . as $bot
    | reduce (range(.cauldrons | length) | select(. != $bot.seat)) as $seat (0;
        $bot.cauldrons[$seat][-1] as $top
        | if $top then . + ($bot | difference($top; $seat; 0)) else . end)
    | . + ($bot | bonus($card))
  else
    difference($card; .seat; 1) + bonus($card)
  end;

# Return the highest gain in the line that a stop faces (step 6).
def prospect($stop; $highest_card; $taken):
  . as $bot
  | [-8, (.lines[$stop][] | select(. != $taken) | $bot.view.board[.]
      | select(0 < . and . <= $highest_card) as $card | $bot | gain($card))]
  | max;

# Return what it is worth to take the card of a cell (step 7).
def take_worth($cell):
  .view.board[$cell] as $card
  | .view.stops[.seat] as $stop
  | (if .lines[$stop] | index($cell) then 0 else 10 end) as $cost
  | (if $card <= IMMUTO then $card | number
     else .cauldrons[.seat][-1] | if . then number else 2 end
     end) as $steps
  | (($stop + $steps) % 20) as $next
  | (if .lines[$next] == [] and .view.declinatio[.seat] > 0 then ($next + $steps) % 20
     else $next
     end) as $next
  | gain($card) - $cost + prospect($next; VANESCO; $cell);

# Return what the cauldron is worth with the last card, or without it for 0 (step 9).
def last_card_worth($card):
  (.cauldrons[.seat] | map(select(. == IMMUTO)) | length) as $immuto
  | .counts[.seat] as $counts
  | .totals[.seat] as $totals
  | if 0 < $card and $card < IMMUTO then
      ($card | ingredient) as $i
      | value($card; .seat) as $value
      | best_points($counts | .[$i] += 1; $totals | .[$i] += $value; $immuto)
    else
      best_points($counts; $totals; $immuto + if $card == IMMUTO then 1 else 0 end)
    end;

# Return what an assignment of Immuto is worth (step 10).
def assignment_worth($assigned):
  .seat as $seat
  | (2 * .view.recipe_colours[$seat] - 2) as $first
  | .totals[$seat] as $totals
  | reduce $assigned[] as $i (.counts; .[$seat][$i] += 1)
  | best_points(.[$seat]; $totals; 0) as $points
  | map(.[$first] + .[$first + 1]) as $held
  | if all(range(length) | select(. != $seat); $held[$seat] > $held[.]) then
      $points + $held[$seat] * (if length == 4 then 4 else 2 end)
    else
      $points
    end;

# Return what a move is worth (steps 7 to 10).
def worth($move):
  ($move | keys[0]) as $action
  | .numbers as $numbers
  | if $action == "take" then
      take_worth($move.take)
    elif $action == "declinatio" then
      prospect((.view.stops[.seat] + .view.steps) % 20; DECLINATIO; -1)
    elif $action == "pass" then
      -4
    elif $action == "keep" then
      last_card_worth(.view.last_card) + bonus(.view.last_card)
    elif $action == "discard" then
      last_card_worth(0)
    else
      assignment_worth([$numbers[$move.immuto.ingredients[]] - 1])
    end;

# Read the view, with numbers for the names of cards and colours.
def read_view:
  .numbers as $numbers
  | .view = .decision.glastonbury.view
  | reduce ("board", "out", "colours", "recipe_colours") as $list (.;
      .view[$list] |= [$numbers[.[]]])
  | .view.last_card |= $numbers[.];

# Choose the first of the moves that are worth most (step 11).
def choose:
  read_view
  | reduce .decision.glastonbury.events[] as $event (.; remember($event))
  | .view.heights as $heights
  | reduce range(.cauldrons | length) as $seat (.; .cauldrons[$seat] |= .[:$heights[$seat]])
  | count
  | . as $bot
  | reduce .decision.legal_moves[] as $move (.worth = null;
      ($bot | worth($move.glastonbury)) as $worth
      | if .worth == null or $worth > .worth then .worth = $worth | .move = $move else . end);
