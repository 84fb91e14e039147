# Everything between a bot and the referee; you can write a bot without reading it.
# shellcheck shell=bash

LC_ALL=C # bytes, which are quicker than letters
declare -A decision_ids submitted first

# Play over standard input and output until the referee says goodbye or ends the input.
#
# On SIGINT or SIGTERM the bot leaves: it asks for no more matches, and plays those under way to
# their end. A second signal ends it at once.
run() {
    exec {out}>&1 >&2 # so that a bot may print what it thinks
    trap leave INT TERM
    local message
    while IFS= read -r message; do
        [[ $message =~ ^\{\ *\"([a-z_]+)\" ]] || continue
        case ${BASH_REMATCH[1]} in goodbye) return ;; esac
        answer "${BASH_REMATCH[1]}" "$message"
    done
}

# Let the bot learn a message, and answer a decision.
answer() {
    local match decision_id moves move
    value "$2" match && match=$value
    case $1 in
    match_started) match_started "$2" ;;
    decision)
        value "$2" decision_id && decision_id=$value
        if [[ ${decision_ids[$match]-} != "$decision_id" ]]; then
            items "$2" legal_moves
            decision_ids[$match]=$decision_id first[$match]=${moves[0]}
            choose "$2"
            submitted[$match]=$move
        fi
        submit "$match" "$decision_id" "${submitted[$match]}"
        ;;
    move_rejected)
        value "$2" message && echo "rejected: $value"
        submit "$match" "${decision_ids[$match]}" "${first[$match]}"
        ;;
    match_ended)
        match_ended "$2"
        unset "decision_ids[$match]" "submitted[$match]" "first[$match]"
        ;;
    esac
}

# Answer a decision.
submit() {
    echo "{\"submit_move\":{\"match\":$1,\"decision_id\":$2,\"move\":$3}}" >&"$out"
}

# Leave on the first SIGINT or SIGTERM; a second one ends the program at once.
leave() {
    trap - INT TERM
    echo '{"leave":{}}' >&"$out"
}

# JSON --------------------------------------------------------------------------------------------

# Set value to the first number or string of this key, a string with its quotes.
value() {
    local pattern="\"$2\": *(-?[0-9.]+|\"([^\"\\\\]|\\\\.)*\")"
    [[ $1 =~ $pattern ]] && value=${BASH_REMATCH[1]}
}

# Set moves to the items of the first list of this key, which are objects without { or } in strings.
items() {
    local rest=${1#*\"$2\":*\[} brackets='[]{}]' item="" depth=0 part bracket
    moves=()
    while true; do
        part=${rest%%$brackets*}
        bracket=${rest:${#part}:1} rest=${rest:${#part}+1}
        case $bracket in
        "{") ((++depth)) ;;
        "}") ((--depth)) ;;
        *) ((depth > 0)) || return 0 ;;
        esac
        item+=$part$bracket
        if ((depth == 0)); then
            moves+=("${item#,}") item=""
        fi
    done
}
