#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The manual page and the completion know the verbs and options that the program has, and no others.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

postroad=build/postroad
page=host-tools/postroad.1
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
            [ "$verb" = sim ] && continue # the page leaves those to --help
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
    source host-tools/postroad.bash
    local verb option
    for verb in $(verbs); do
        offers "$verb" $postroad "${verb:0:2}"
        for option in $(options "$verb"); do offers "$option" $postroad "$verb" "$option"; done
    done
    offers fabric $postroad up x.mesh --level f
    offers fabric $postroad up x.mesh --level = f
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

check_help
check_page
check_completion
exit $((faults > 0))
