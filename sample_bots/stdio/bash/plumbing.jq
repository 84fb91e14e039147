# Everything between a bot and the referee; you can write a bot without reading it.

# Play over standard input and output. A bot is an object, one for each match: match_started turns a
# message into a bot, choose turns a bot with its .decision into the same bot with a .move.
def run(match_started; choose):
  def answer($said):
    if $said.match_started then
      .bots[$said.match_started.match] = ($said.match_started | match_started)
    elif $said.decision then
      $said.decision as $asked
      | .bots[$asked.match] |=
          if .submitted.decision_id == $asked.decision_id then
            .  # the same decision came again: repeat the answer
          else
            .decision = $asked
            | choose
            | .submitted = {match: $asked.match, decision_id: $asked.decision_id, move: .move}
          end
      | .request = {submit_move: .bots[$asked.match].submitted}
    elif $said.move_rejected then
      . as $state
      | {rejected: $said.move_rejected.message}
      | debug  # to standard error
      | $state
    elif $said.match_ended then
      del(.bots[$said.match_ended.match])
    elif $said.goodbye then
      halt
    else
      .
    end;
  foreach inputs as $said ({bots: {}}; .request = null | answer($said); .request // empty);
