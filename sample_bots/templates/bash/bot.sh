# Plays any game at random: change choose.
# shellcheck shell=bash

cd -- "$(dirname -- "${BASH_SOURCE[0]}")" || exit 1
source ./plumbing.sh

# Learn the game, its options and your seat.
match_started() {
    : "$1"
}

# Set move to one of the legal moves; the decision has the view of your seat and events too.
choose() {
    local moves
    items "$1" legal_moves
    move=${moves[RANDOM % ${#moves[@]}]}
}

# Learn the result.
match_ended() {
    : "$1"
}

run
