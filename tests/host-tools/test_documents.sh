#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The manual page, the completion and the reference know the verbs and options that the program has, and no others; a new verb
# is one file and one line.
# needs: build/libcli.a build/libpostroad.a build/libsim.a build/libfirmware.a build/write_documents
# needs: build/postroad.1 build/postroad.bash build/doc/reference.md build/doc/registers.md build/tests/libraries
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
source tests/tools.bash

postroad=build/postroad
page=build/postroad.1
faults=0

fault() {
    echo "FAULT: $1"
    faults=$((faults + 1))
}

verbs() {
    $postroad --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

options() {
    $postroad "$1" --help | grep -oE -- '^ {2,6}(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

# Help is for terminals of 80 columns.
check_help() {
    local verb
    for verb in '' $(verbs); do
        # shellcheck disable=SC2086  # no verb is no word
        $postroad $verb --help | grep -E '.{81}' && fault "help of '$verb' has longer lines than 80 columns"
    done
}

# The page as plain text with plain hyphens.
page_text=$(sed 's/\\f[BIR]//g; s/\\-/-/g' $page)

check_page() {
    local verb option known=' '
    for verb in $(verbs); do
        grep -q "^postroad $verb" <<<"$page_text" || fault "$page has no synopsis of $verb"
        for option in $(options "$verb"); do
            known+="$option "
            grep -qE -- "$option( |=|\$)" <<<"$page_text" || fault "$page does not have $verb $option"
        done
    done
    while read -r option; do
        [[ $known == *" $option "* ]] || fault "$page has $option, the program does not"
    done < <(grep -oE -- '(^| )--[a-z][a-z-]+' <<<"$page_text")
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww $page 2>&1 >/dev/null | grep . && fault "$page has errors"
    fi
}

# complete WORD...: what the completion offers for the last word.
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _postroad 2>/dev/null
    echo " ${COMPREPLY[*]} "
}

offers() {
    local wanted=$1 offered
    shift
    offered=$(complete_words "$@")
    [[ $offered == *" $wanted "* ]] || fault "completion of '$*' offers $offered, not $wanted"
}

check_completion() {
    # shellcheck source=/dev/null
    source build/postroad.bash
    local verb option
    for verb in $(verbs); do
        offers "$verb" $postroad "${verb:0:2}"
        for option in $(options "$verb"); do offers "$option" $postroad "$verb" "$option"; done
    done
    offers native $postroad up x.mesh --nodes n
    offers native $postroad up x.mesh --nodes = n
    offers 0 $postroad up x.mesh --reliable = ''
    offers reset: $postroad sim x.mesh --fault r
    offers all $postroad send a
    offers unix: $postroad map -g u
    offers file: $postroad send 3 --data f
    for verb in listen ping stats console; do offers all $postroad $verb a; done
    offers all $postroad load a
    offers build/firmware/node.elf $postroad load 3 build/firmware/node.e
    offers hw/mesh/grid-4x4.mesh $postroad up hw/mesh/grid-4
}

check_completion_shell() {
    command -v shellcheck >/dev/null &&
        { shellcheck --shell=bash --severity=warning build/postroad.bash || fault "build/postroad.bash"; }
}

# A verb that is planted in one new file and one line is in all documents.
check_new_verb() {
    local work program
    work=$(mktemp -d "${TMPDIR:-/tmp}/documents.XXXXXX")
    mkdir "$work/postroad"
    { cat host-tools/postroad/verbs.def; echo 'VERB(greet)'; } >"$work/postroad/verbs.def"
    cat >"$work/greet.c" <<'END'
#include "postroad/verbs.h"
#include <stdio.h>
struct greet_options {
    struct options common;
    const char *whom;
};
static int run(const struct options *options)
{
    return printf("hello %s\n", ((const struct greet_options *)(const void *)options)->whom) < 0;
}
static const struct option_row rows[] = {
    {.name = "whom", .kind = OPTION_TEXT, .argument = "NAME", OPTION_FIELD(struct greet_options, whom),
     .words = "world moon", .help = "who is greeted"},
    {.name = NULL},
};
static const struct json_key keys[] = {{"greeting", "text", "what was said"}, {NULL, NULL, NULL}};
const struct verb verb_greet = {.name = "greet", .operands = "", .summary = "Greets.", .manual = "Greets politely.",
    .common = COMMON_JSON, .rows = rows, .keys = keys, .size = sizeof(struct greet_options), .run = run};
END
    for program in postroad/main documents/write_documents; do
        ${CC:-gcc} -std=c11 -I"$work" -Ihw/protocol -Ifirmware -Ibuild/firmware/include \
            -Isim -Ihost-tools -o "$work/${program#*/}" "$work/greet.c" \
            host-tools/postroad/verbs.c "build/objects/host-tools/$program.o" build/lib{cli,postroad,sim,firmware}.a \
            @build/tests/libraries || fault "a new verb: $program is not built"
    done
    "$work/main" --help | grep '^  greet  *Greets' >/dev/null || fault "a new verb is not in the help"
    "$work/main" greet --whom=world | grep -x 'hello world' >/dev/null || fault "a new verb does not run"
    "$work/main" greet --help | grep -- '--whom=NAME  *who is greeted' >/dev/null ||
        fault "the option of a new verb is not in its help"
    "$work/write_documents" fill host-tools/postroad.1.in | sed 's/\\f[BIR]//g; s/\\-/-/g' >"$work/page"
    grep -q '^postroad greet \[--whom=NAME\]' "$work/page" || fault "a new verb has no synopsis"
    grep -q '^Greets politely' "$work/page" || fault "a new verb is not in the manual page"
    grep -q '^--whom=NAME' "$work/page" || fault "the option of a new verb is not in the manual page"
    "$work/write_documents" fill host-tools/postroad.bash.in >"$work/completion"
    # shellcheck source=/dev/null
    source "$work/completion"
    offers greet postroad gr
    offers --whom postroad greet --w
    offers moon postroad greet --whom m
    "$work/write_documents" reference | grep '^| `greeting` | text | what was said |' >/dev/null ||
        fault "a new verb is not in the reference"
    rm -rf "$work"
}

# The keys that the verbs print are those of the reference, with a mesh of native operators.
check_json_keys() {
    local listener tries
    XDG_RUNTIME_DIR=$(mktemp -d "${TMPDIR:-/tmp}/documents.XXXXXX")
    export XDG_RUNTIME_DIR
    {
        $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --json
        $postroad listen all --events --json --timeout 5 >"$XDG_RUNTIME_DIR/heard" 2>"$XDG_RUNTIME_DIR/listening" &
        listener=$!
        for ((tries = 0; tries < 600; tries++)); do
            if grep -q 'listening at' "$XDG_RUNTIME_DIR/listening"; then break; fi
            sleep 0.1
        done
        $postroad list --json
        $postroad map --mesh hw/mesh/grid-4x4.mesh --json
        $postroad send all --data text:hello --json
        $postroad send 3 --no-wait --json
        $postroad ping 1-3 --json
        $postroad stats --json
        $postroad sim hw/mesh/grid-4x4.mesh --packets 50 --json --quiet
        wait $listener
        cat "$XDG_RUNTIME_DIR/heard"
        $postroad down --json
    } >"$XDG_RUNTIME_DIR/json" 2>"$XDG_RUNTIME_DIR/said"
    python3 - "$XDG_RUNTIME_DIR/json" <<'END' || fault "JSON: $(tail -n 3 "$XDG_RUNTIME_DIR/said")"
import json, re, sys
documented, verb = {}, None
for line in open("build/doc/reference.md"):
    if found := re.match(r"\| key of `postroad\.(\w+)`", line):
        verb = found[1]
    elif verb and (found := re.match(r"\| `([^`]+)` \|", line)):
        names = re.match(r"(.*)\{(.*)\}$", found[1])
        for key in [names[1] + name for name in names[2].split(",")] if names else [found[1]]:
            documented.setdefault(verb, set()).add(key)
    elif not line.startswith("|"):
        verb = None
counters = re.findall(r"^\| *\d+ \| (\w+) \|", open("build/doc/registers.md").read(), re.M)
documented["stats"] |= {"sites[]." + name for name in counters}

def keys(value, path):
    if isinstance(value, dict):
        return set().union(*[keys(inner, path + "." * bool(path) + key) for key, inner in value.items()])
    if isinstance(value, list):
        return set().union(*[keys(inner, path + "[]") for inner in value])
    return {path}

text, at, seen, wrong = open(sys.argv[1]).read(), 0, set(), 0
while text[at:].strip():
    value, length = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at = len(text) - len(text[at:].lstrip()) + length
    verb = value.pop("schema").removeprefix("postroad.")
    del value["version"]
    seen.add(verb)
    for key in sorted(keys(value, "") - documented[verb]):
        print(f"{verb} prints the key {key}, reference.md does not have it")
        wrong = 1
missing = {"up", "list", "map", "send", "ping", "stats", "listen", "sim", "down"} - seen
if missing:
    print("no JSON of", *missing)
sys.exit(wrong or bool(missing))
END
    rm -rf "$XDG_RUNTIME_DIR"
}

check_help
check_page
check_completion
check_completion_shell
check_json_keys
check_new_verb
exit $((faults > 0))
