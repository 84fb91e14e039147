# Answers every decision of any game with a random legal move.
#
# The environment variable BOT_SEED makes it repeatable: bot.sh makes the number RANDOM_SEED of it.

# Begin with the seed.
def match_started:
  {random: ((env.RANDOM_SEED | tonumber) % 2147483646 + 1)};

# Choose any legal move.
def choose:
  .random = .random * 16807 % 2147483647
  | .move = .decision.legal_moves[.random % (.decision.legal_moves | length)];
