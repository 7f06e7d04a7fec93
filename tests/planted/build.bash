# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Programs with a planted bug, for the checks beside this file. A bug costs the compilation of the sources that have it and a
# link: all else is there already. make leaves the words of each link beside what it has linked (build/NAME.link), and the
# objects of each archive (build/lib*.a.objects).

# Enough to find each planted bug.
export SOAK_SECONDS=2 EXPERIMENTS=3 EXPECT_SECONDS=60 FIRST_FAULT=1

# planted_files TREE: the files that have the bug.
planted_files() {
    find "$1" -path "$1/build" -prune -o -type f -printf '%P\n'
}

# planted_place TREE PATH: makes room for a file of the tree's own.
planted_place() {
    own_folder "$1" "${2%/*}" && rm -rf "${1:?}/$2"
}

# planted_objects TREE OBJECT...: those of the objects that come from a file with the bug.
planted_objects() {
    local tree=$1
    shift
    planted_files "$tree" | sed 's/[.]/\\./g; s/.*/(^|[ :])&( |:|$)/' >"$tree/build/planted_files"
    [ ! -s "$tree/build/planted_files" ] || printf '%s\n' "${@/%.o/.d}" | xargs -r grep -lEs -f "$tree/build/planted_files" |
        sed 's/\.d$/.o/'
}

# planted_compile TREE SOURCE OPTION...: prints where the object is.
planted_compile() {
    local object=build/planted_objects/${2%.c}.o
    mkdir -p "$1/${object%/*}"
    (cd "$1" && ${CC:-gcc} "${@:3}" -Ihw/protocol -Ifirmware -Ibuild/firmware/include -Isim -Ihost-tools -Itests \
        -DPOSTROAD_VERSION='"planted"' -c -o "$object" "$2") >&2 && echo "$1/$object"
}

# planted_program TREE NAME: build/NAME of the tree with the bug. 0: it is there, 1: it does not have the bug, 2: it cannot be built.
planted_program() {
    local tree=$1 name=$2 words word members=() objects=() options=() rest=() planted=() changed libraries
    [ -e "build/$name.link" ] || { echo "no build/$name.link; after rm build/$name make writes it"; return 2; }
    read -ra words <"build/$name.link"
    for word in "${words[@]}"; do
        case $word in
            *.c) planted_unit "$tree" "$name" "${words[@]}"; return ;;
            *.a)
                [ -e "$word.objects" ] || { echo "no $word.objects; after rm $word make writes it"; return 2; }
                read -ra rest <"$word.objects"
                members+=("${rest[@]}") ;;
            build/unit/*.o) ;; # it takes longer to link than all else, and the archives have the same
            *.o) objects+=("$word") ;;
            -f* | -std=*) options+=("$word") ;;
        esac
    done
    mapfile -t changed < <(planted_objects "$tree" "${objects[@]}" "${members[@]}")
    [ ${#changed[@]} -gt 0 ] || return 1
    for word in $(printf '%s\n' "${changed[@]%.o}" | cut -d / -f 3- | sort -u); do
        planted+=("$(planted_compile "$tree" "$word.c" "${options[@]}" -O1 -w)") || return 2
    done
    mapfile -t objects < <(printf '%s\n' "${objects[@]}" | grep -vxF -f <(printf '%s\n' "${changed[@]}"))
    mapfile -t rest < <(printf '%s\n' "${words[@]}" | grep -v '\.o$')
    planted_place "$tree" "build/$name"
    # An object that the program would not take from an archive may need libraries that the program has not.
    mapfile -t libraries < <(grep -oE -- ' -l[^ ]+' build/postroad.link)
    ${CC:-gcc} -o "$tree/build/$name" "${planted[@]}" "${objects[@]}" "${rest[@]}" "${libraries[@]# }" -w -Wl,-S || return 2
}

# planted_unit TREE NAME WORD...: what make links of its sources at once.
planted_unit() {
    local tree=$1 name=$2
    shift 2
    planted_place "$tree" "build/$name"
    (cd "$tree" && ${CC:-gcc} "$@" -O0 -g0 -w -o "build/$name") || return 2
}

# planted_sources SCRIPT: the script, and what it reads with `source`.
planted_sources() {
    local file
    echo "$1"
    sed -nE 's/^ *(source|\.) ([a-z][^ ]*).*/\2/p' "$1" | while read -r file; do
        [ ! -e "$file" ] || planted_sources "$file"
    done
}

# planted_names SCRIPT: what these name of build.
planted_names() {
    planted_sources "$1" | xargs grep -ohE '\bbuild\}?"?/[A-Za-z0-9_/.-]+' | sed -E 's,^build\}?"?/,,' | sort -u
}

# planted_programs TREE NAME...: each program of these names, with the bug, and what else of build has it. Fails if something cannot
# be built.
planted_programs() {
    local tree=$1 name
    while read -r name; do
        case $name in
            hw/* | tests/disciplines/*.v) planted_sites "$tree" ;;
            host-tools/wireshark/*.lua)
                planted_place "$tree" build/postroad.lua
                { build/generate_protocol --print lua && cat "$tree/$name"; } >"$tree/build/postroad.lua"
                ;;
            host-tools/sigrok/*.py)
                name=${name#host-tools/}
                planted_place "$tree" "build/$name"
                cp "$tree/host-tools/$name" "$tree/build/$name"
                # Python would take its own translation of another bug.
                rm -rf "$tree/build/sigrok"/*/__pycache__
                ;;
        esac
    done < <(planted_files "$tree")
    for name in "${@:2}"; do
        [ -e "build/$name.link" ] || continue
        planted_program "$tree" "$name"
        [ $? -ne 2 ] || return 1
    done
}

# planted_sites TREE: the tree has no site yet. Programs that verilate what they need look beside themselves for it.
planted_sites() {
    local name
    own_folder "$1" build/sim && find "$1/build/sim" -type l ! -name verilator -delete
    for name in postroad deadlock_search tests/postroad_wire; do
        [ ! -e "build/$name" ] || { planted_place "$1" "build/$name" && cp "build/$name" "$1/build/$name"; }
    done
}
