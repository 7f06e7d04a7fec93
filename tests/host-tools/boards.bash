# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154   # verbs.bash assigns what is not assigned here
# Boards, imitated, for the tests of verbs: `source tests/host-tools/boards.bash`, behind verbs.bash.

# boards_of NAME SIZE [SETTINGS]: a mesh whose consoles are $directory/NAME/tty-N; order NAME gives them commands.
boards_of() {
    printf '[mesh]\ntopology=grid\nsize=%s\nword_width=16\n%b' "$2" "${3:-}" >"$directory/$1.mesh"
    mkdir "$directory/$1"
    mkfifo "$directory/$1.commands"
    build/tests/host-tools/imitate boards "$directory/$1.mesh" "$directory/$1" <"$directory/$1.commands" >"$directory/$1.log" 2>&1 &
    helpers+=($!)
    exec {descriptor}>"$directory/$1.commands"
    commands[$1]=$descriptor
    await "$directory/$1.log" ready
}
declare -A commands done_before

is_done() {
    [ "$(grep -c '^done$' "$directory/$1.log")" -gt "${done_before[$1]}" ]
}

# order NAME WORDS: gives a command, and wait until it is done.
order() {
    done_before[$1]=$(grep -c '^done$' "$directory/$1.log")
    echo "$2" >&"${commands[$1]}"
    within_time is_done "$1" || fault "$1 does not do '$2': $(cat "$directory/$1.log")"
}

# answer NAME COMMAND: what a mesh of boards prints for a command, before `done`.
answer() {
    order "$1" "$2"
    tail -n 2 "$directory/$1.log" | head -n 1
}

line() { echo "tty:$directory/$1/tty-$2"; }
