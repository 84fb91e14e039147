# The documented shuffle: the same seed gives the same order in every language.
# shellcheck shell=bash

# Print the numbers 0 … length - 1 in the order that the seed gives for this purpose.
shuffled() {
    local seed=$1 length=$2 purpose=${3-glastonbury/deck}
    [[ $seed =~ ^[[:xdigit:]]{64}$ ]] || fail "a seed has 64 hexadecimal digits: $seed"
    [[ $length =~ ^(0|[1-9][0-9]{0,5})$ ]] || fail "a length is a whole number: $length"
    local i j swapped counter=0 word
    local -a result=() words=()
    for ((i = 0; i < length; i++)); do result[i]=$i; done
    for ((i = length - 1; i > 0; i--)); do
        below $((i + 1))
        j=$((word % (i + 1)))
        swapped=${result[i]} result[i]=${result[j]} result[j]=$swapped
    done
    echo "${result[*]}"
}

# Set word to the next word of the stream whose remainder is uniform over 0 … bound - 1.
below() {
    local limit=$(((1 << 32) - (1 << 32) % $1))
    next_word
    while ((word >= limit)); do next_word; done
}

# Set word to the next word of the stream, and take it away.
next_word() {
    if ((${#words[@]} == 0)); then
        local block counted start
        printf -v counted %016x "$((counter++))"
        block=$({ bytes "$seed" && printf '%s\0' "$purpose" && bytes "$counted"; } | sha256sum)
        for start in 0 8 16 24 32 40 48 56; do words+=("$((16#${block:start:8}))"); done
    fi
    word=${words[0]} words=("${words[@]:1}")
}

# Print the bytes of hexadecimal digits.
bytes() {
    local digits=$1 escaped=
    while [[ $digits ]]; do
        escaped+="\\x${digits:0:2}" digits=${digits:2}
    done
    printf %b "$escaped"
}

# End with a message.
fail() {
    echo "$1" >&2
    exit 1
}
