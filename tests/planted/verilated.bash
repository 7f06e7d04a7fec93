# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154  # work: of tests/plant
# `verilated BENCH ARGUMENT...`: a bench in C++, of which the verilated model alone is made anew. It has to find an error.
#   verilated board_link suite|states|together   tests/rtl/board_link, with four seeds: some bugs show
#                                                only if a fault comes in one of many states of a link
#   verilated eager_line ARGUMENT...             tests/rtl/eager_line: arguments of the bench
#   verilated postman charts [nl]                tests/rtl/postman: its charts, which are of nodes n, here of nodes nl, or 100 packets
#   verilated postman MESH OPTIONS KIND
#   verilated csr KIND P0 SLOTS                  tests/rtl/csr
verilated_built=build/tests/rtl
verilated_objects='build/sim/verilator/verilated.o build/sim/verilator/verilated_threads.o'
verilated_limit=100  # seconds of processor time a run

verilated_exists() {
    case $1 in
        board_link | eager_line | postman | csr) [ $# -gt 1 ] || { echo "a run of $1 has to be named"; return 1; } ;;
        *) echo "there is no verilated bench $1"; return 1 ;;
    esac
}

verilated_needs() {
    case $1 in
        board_link) echo $verilated_built/board_link/ratio-2/bench ;;
        eager_line) echo eager-line ;;
        postman) printf '%s\n' postman-bench build/libsim.a ;;
        csr) echo csr-bench ;;
    esac
}

# verilated_run PROGRAM BENCH ARGUMENT...: 0 if the program finds no error.
verilated_run() (
    program=$1
    [[ $2 = board_link ]] || ulimit -t $verilated_limit
    case "$2 $3" in
        board_link\ *)
            for number in 0 1 2 3; do
                (ulimit -t $verilated_limit; exec "$program" seed=$((SEED + number)) run="$3") || return 1
            done ;;
        eager_line\ *) "$program" "${@:3}" ;;
        'postman charts') "$program" charts tests/rtl/postman/charts ;;
        postman\ *) "$program" "${@:3}" "$SEED" 100 ;;
        csr\ *) "$program" "${@:3}" "$SEED" ;;
    esac
)

verilated_sound() {
    local program=$verilated_built/$1/bench
    [ "$1" != board_link ] || program=$verilated_built/$1/ratio-2/bench
    verilated_run "$program" "$@"
}

# verilated_model TREE PREFIX ARGUMENT...: a model of what the tree has, in $TMPDIR/model.o; ARGUMENT: of verilator.
verilated_model() (
    prefix=$2 root=$("${VERILATOR:-verilator}" --getenv VERILATOR_ROOT)/include
    cd "$1" || return
    shift 2
    "${VERILATOR:-verilator}" --cc -O3 --noassert -Wno-lint -Wno-style -Ihw/protocol -Ihw/cutthrough --prefix "$prefix" \
        --Mdir "$TMPDIR/model" "$@" &&
        printf '#include "%s"\n' "$TMPDIR"/model/*.cpp >"$TMPDIR/unit" &&
        "${CXX:-g++}" -std=c++17 -O1 -w -isystem "$root" -isystem "$root/vltstd" -c -o "$TMPDIR/model.o" -x c++ "$TMPDIR/unit"
)

# verilated_link OBJECT...: the program $TMPDIR/bench.
verilated_link() {
    "${CXX:-g++}" -o "$TMPDIR/bench" "$TMPDIR/model.o" "$@" -lpthread
}

# The bench needs no more of the design than the ports of its top module.
verilated_board_bench() {
    local root
    root=$("${VERILATOR:-verilator}" --getenv VERILATOR_ROOT)/include
    "${CXX:-g++}" -std=c++17 -O1 -w -DBENCH_RATIO=2 -DBENCH_POLYNOMIAL=0x0389 -isystem "$root" -isystem "$root/vltstd" \
        -I"$TMPDIR/model" -Ihw/protocol -c -o "$work/once/board_bench.o" tests/rtl/board_link/bench.cpp
}

verilated_board_link() {
    verilated_model "$1" Vboard_link_end --x-assign fast --x-initial fast -y hw/common -y hw/board_link \
        -GRATIO=2 --top-module board_link_end tests/rtl/board_link/board_link_end.v &&
        once board_bench verilated_board_bench && verilated_link "$work/once/board_bench.o" $verilated_objects
}

# verilated_others BENCH OBJECT KIND: the objects of the other kinds of models, and what the program has besides.
verilated_others() {
    local objects
    mapfile -t objects < <(printf '%s\n' "$verilated_built/$1"/*/"$2" | grep -v "/$3/$2")
    verilated_link "$verilated_built/$1/bench.o" "${objects[@]}" $verilated_objects "${@:4}"
}

# The first board's kind is the one with the bug.
verilated_eager_line() {
    local kind=eager parameters=()
    case "${*:2}" in
        cube:*) kind=cube parameters=(-GHYPERCUBE=1) ;;
        *' 2'*) kind=half parameters=(-GRATIO=2) ;;
    esac
    verilated_model "$1" Vboard_$kind --x-assign unique "${parameters[@]}" -y hw/common -y hw/cutthrough -y hw/board_link \
        --top-module board tests/rtl/eager_line/board.v hw/mesh/fabric_site.v && verilated_others eager_line board.o $kind
}

# The charts are of narrow nodes.
verilated_postman() {
    local kind=x parameters=()
    case ${3:-n} in
        nl) kind=nl parameters=(-GFLIT=5 -GDEPTH_LOG2=3 -GLATE_PASS=1) ;;
        *n*) kind=n parameters=(-GFLIT=5 -GDEPTH_LOG2=3) ;;
        *h*) kind=h parameters=(-GTHROUGH=1) ;;
        *l*) kind=l parameters=(-GLATE_PASS=1) ;;
    esac
    verilated_model "$1" Vnode_$kind --x-assign unique "${parameters[@]}" -y hw/postman --top-module postman_node \
        hw/postman/postman_node.v && verilated_others postman node.o $kind build/libsim.a
}

verilated_csr() {
    local dimensions=${2%[smx]} serial=0 multicast=0 express=0
    [[ $2 != *s ]] || serial=1
    [[ $2 != *m ]] || multicast=1
    [[ $2 != *x ]] || express=1
    verilated_model "$1" "Vcsr_$2" --x-assign unique -GDIMENSIONS="$dimensions" -GSERIAL=$serial -GMULTICAST=$multicast \
        -GEXPRESS=$express -GSLOT_WORDS=16 -y hw/csr --top-module csr_node hw/csr/csr_node.v && verilated_others csr node.o "$2" build/libcsr.a
}

verilated_judge() {
    local tree=$1 log=$TMPDIR/run
    shift
    "verilated_$1" "$tree" "${@:2}" >&2 || return 2
    ! verilated_run "$TMPDIR/bench" "$@" >"$log" 2>&1 || return 1
    grep -m 1 error "$log" && return
    tail -n 5 "$log" >&2
    return 1
}
