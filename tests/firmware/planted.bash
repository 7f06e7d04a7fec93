# SPDX-License-Identifier: ISC
# Plants the bugs that the function `bugs` lists, one after the other, and runs the test beside each. The arguments are
# all the tests that are named. For test_planted_*.sh.
tests=("$@")
# shellcheck source=../faults/result.bash
source tests/faults/result.bash
scratch=$(mktemp -d "${TMPDIR:-/tmp}/planted.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
flags="-std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Ihw/protocol -Ifirmware \
    -Ibuild/firmware/include -Isim -Itests -Itests/firmware"
export SEED=1 SOAK_SECONDS=2

# compile SOURCE OBJECT OPTION...
compile() {
    # shellcheck disable=SC2086  # flags are words
    gcc "${@:3}" $flags -c -o "$2" "$1"
}

# plant SOURCE: $scratch/bug holds it with its bug, at the same place. Sets `sound` to the object that it is in; that is a
# helper's where a helper includes it.
plant() {
    sound=$(basename "${1%.[ch]}").o
    case $1 in
        */virtio_console.c | */ni_records.c)
            sound=fake_virtio.o
            compile tests/firmware/fake_virtio.c "$scratch/bug.object" -I"$scratch/bug/firmware"
            ;;
        */packet_rings.h)
            sound=test_packet_rings.o
            compile tests/firmware/test_packet_rings.c "$scratch/bug.object" -I"$scratch/bug/firmware"
            ;;
        */header.h)
            sound=test_header.o
            compile tests/firmware/test_header.c "$scratch/bug.object" -I"$scratch/bug/firmware"
            ;;
        *) compile "$scratch/bug/$1" "$scratch/bug.object" ;;
    esac
}

sources=(tests/check.c firmware/operator/*.c firmware/console/*.c firmware/wire/*.c sim/network_interface/*.c)
for source in tests/firmware/*.c; do
    case $source in */test_*) ;; *) sources+=("$source") ;; esac
done
for test in "${tests[@]}"; do
    sources+=("tests/firmware/test_$test.c")
done
for source in "${sources[@]}"; do
    compile "$source" "$scratch/$(basename "$source" .c).o" || exit 1
done

# Links test $1 with the object $2 in place of the sound one called $3; no arguments 2 and 3: all sound.
link_test() {
    local objects=() object
    for object in "$scratch"/*.o; do
        case $(basename "$object") in
            "${3-}") ;;
            "test_$1.o") objects+=("$object") ;;
            test_*) ;;
            *) objects+=("$object") ;;
        esac
    done
    # shellcheck disable=SC2086
    gcc $flags -o "$scratch/test" "${objects[@]}" ${2:+"$2"}
}

faults=0
planted=0
for test in "${tests[@]}"; do
    if ! link_test "$test" || ! timeout 60 "$scratch/test" >"$scratch/log" 2>&1; then
        cat "$scratch/log"
        exit 1
    fi
done
while read -r rule test source edit; do
    planted=$((planted + 1))
    verdict=MISSED
    fault_start
    rm -rf "$scratch/bug"
    mkdir -p "$scratch/bug/$(dirname "$source")"
    sed "$edit" "$source" >"$scratch/bug/$source"
    if cmp -s "$scratch/bug/$source" "$source"; then
        echo "$rule: not planted, the source has changed: $source: $edit"
        faults=$((faults + 1))
    elif ! plant "$source" 2>"$scratch/log"; then
        echo "$rule: does not compile: $source: $edit"
        faults=$((faults + 1))
    elif ! link_test "$test" "$scratch/bug.object" "$sound"; then
        echo "$rule: does not link: $source: $edit"
        faults=$((faults + 1))
    elif timeout 20 "$scratch/test" >"$scratch/log" 2>&1; then
        echo "$rule: test_$test passes with the bug: $source: $edit"
        faults=$((faults + 1))
    else
        verdict=caught
    fi
    fault_result $verdict "$rule" "$source: $edit" "test_$test"
done < <(bugs)
echo "$planted bugs planted, $faults not caught"
[ "$faults" -eq 0 ]
