#!/usr/bin/env bash
# Plays at random or greedily over a pipe, or shows the documented shuffle.
#
# One jq process plays: plumbing.jq speaks with the referee, random_bot.jq or greedy_bot.jq chooses.

set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
source "$here/shuffle.sh"

# Play over standard input and output with the bot of a jq file, until the referee says goodbye or
# ends the input. On SIGINT or SIGTERM the bot leaves: it asks for no more matches, and plays those
# under way to their end. A second signal ends it at once.
play() {
    RANDOM_SEED=$(cksum <<<"${BOT_SEED-$SRANDOM}" | cut -d ' ' -f 1)
    export RANDOM_SEED
    trap '' INT TERM # jq plays on
    jq -L "$here" --null-input --compact-output --unbuffered \
        "include \"plumbing\"; include \"$1\"; run(match_started; choose)" <&0 &
    player=$! leaving=""
    trap leave INT TERM
    wait "$player" && code=0 || code=$?
    if [[ $leaving ]]; then # the signal has ended the wait
        wait "$player" && code=0 || code=$?
    fi
    exit "$code"
}

leave() {
    trap 'kill -KILL "$player"; exit 143' INT TERM
    leaving=yes
    echo '{"leave":{}}'
}

case "${1-random} $#" in
"random "[01]) play random_bot ;;
"greedy 1") play greedy_bot ;;
"shuffle "[34]) shuffled "${@:2}" ;;
*)
    echo "usage: bot.sh [random | greedy | shuffle SEED_HEX N [PURPOSE]]" >&2
    exit 2
    ;;
esac
