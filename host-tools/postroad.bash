# SPDX-License-Identifier: ISC
# Completion of postroad for bash. Source it, or install it as
# /usr/share/bash-completion/completions/postroad. The options come from --help, so that they are those of the program.

# Words of the help text of a verb (or of none) that a pattern finds.
_postroad_help() {
    "$1" "${@:3}" --help 2>/dev/null | grep -oE -- "$2"
}

_postroad_meshes() {
    local directory
    for directory in "${XDG_RUNTIME_DIR:-/tmp}/postroad-$(id -u)"/*/; do
        if [ -e "$directory/pid" ]; then basename "$directory"; fi
    done
}

# What may follow `--option=` or stand in the place of its argument.
_postroad_argument() {
    case $1 in
        --level) echo site fabric ;;
        --nodes) echo core native qemu ;;
        --fabric) echo rtl ;;
        --reliable) echo 0 1 ;;
        --fault) echo corrupt: link: reset: stop: ;;
        --traffic) echo uniform transpose bit-complement tornado neighbour hot-spot ;;
        --process) echo bernoulli bursty ;;
        --gateway | -g)
            local mesh
            for mesh in $(_postroad_meshes); do echo "sim:$mesh"; done
            echo unix: tty: tcp:
            ;;
        --data | -d) echo text: hex: words: file: - ;;
    esac
}

_postroad() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb words
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$(_postroad_help "$program" '^  [a-z]+ ') --help --version"
    else
        verb=${COMP_WORDS[1]}
        if [ "$word" = = ]; then word= ; fi
        if [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
        words=$(_postroad_argument "$before")
        case $before in
            --mesh | -m | --firmware | --log)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                return
                ;;
        esac
        if [[ $word == -* ]]; then
            words=$(_postroad_help "$program" '--[a-z][a-z-]+' "$verb" | sort -u)
        elif [ -z "$words" ]; then
            case $verb in
                up | sim)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -X '!*.mesh' -- "$word"; compgen -d -- "$word")
                    return
                    ;;
                load)
                    if [ "$COMP_CWORD" -gt 2 ]; then
                        compopt -o filenames 2>/dev/null
                        mapfile -t COMPREPLY < <(compgen -f -X '!*.elf' -- "$word"; compgen -d -- "$word")
                        return
                    fi
                    words=all
                    ;;
                down) words=$(_postroad_meshes) ;;
                send | listen | ping | stats | console) words=all ;;
            esac
        fi
    fi
    if declare -F __ltrim_colon_completions >/dev/null; then
        local current=$word
        if declare -F _get_comp_words_by_ref >/dev/null; then _get_comp_words_by_ref -n : -c current; fi
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        __ltrim_colon_completions "$current"
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    fi
}

complete -F _postroad postroad
