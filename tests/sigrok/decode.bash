# SPDX-License-Identifier: ISC
# To be sourced by tests that run the protocol decoders. sigrok-cli ends with 0 even when a decoder has failed: what it prints is all
# that tells.
# shellcheck shell=bash
source tests/tools.bash
export SIGROKDECODE_DIR=${SIGROKDECODE_DIR:-build/sigrok}
captures=build/tests/sigrok
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAIL $*"
    failed=1
}

# decode INPUT... DECODERS ROWS: annotations on stdout, without the decoder's name.
decode() {
    if ! sigrok-cli "${@:1:$#-2}" --protocol-decoders "${@: -2:1}" --protocol-decoder-annotations "${@: -1}" \
        --protocol-decoder-samplenum >"$work/out" 2>"$work/err"; then
        fail "${*}: sigrok-cli ends with an error"
    fi
    if [ -s "$work/err" ]; then
        fail "$*: it complains"
        head -n 20 "$work/err"
    fi
    sed 's/ postroad_[a-z]*-[0-9]*: / /' "$work/out"
}

# The input options for a capture of the bench, with a sample each N ns.
vcd() {
    echo "-I vcd:downsample=$2 -i $captures/$1.vcd"
}

# The decoder of a line, by the name of its channel.
line() {
    echo "postroad_line:line=\\$1"
}

finish() {
    [ $failed = 0 ] && echo PASS
    exit $failed
}
