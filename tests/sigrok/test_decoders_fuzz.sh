#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# No line makes the protocol decoders fail: random levels, and captures with bit errors and malformed packets, under every option.
# A decoder that fails says so on standard error alone.
# needs: sigrok-captures
# shellcheck disable=SC2046  # options are words
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sigrok/decode.bash
source tests/sigrok/decode.bash
seed=${SEED:-1}
echo "seed $seed"

# Eight lines of random levels: each byte is a sample. Each line is read as fast and as slow as the decoder can.
random_levels() {
    local part channel samples
    for part in 1 2 3; do
        head -c 200000 /dev/zero | openssl enc -aes-128-ctr -pbkdf2 -pass "pass:$seed.$part" -nosalt >"$work/levels" 2>/dev/null
        for channel in 0 3 7; do
            for samples in 9000000 27000000; do
                decode -I binary:numchannels=8:samplerate=$samples -i "$work/levels" \
                    "postroad_line:line=$channel,postroad_packet" \
                    postroad_line=frames:faults,postroad_packet=words:packets:links:faults \
                    >"$work/got"
                [ "$(wc -l <"$work/got")" -gt 500 ] || fail "random levels $part, channel $channel: they show nothing"
            done
        done
    done
}

every_option() {
    local capture service topology
    for capture in fast many_errors glitches; do
        for service in reliable raw; do
            for topology in grid hypercube; do
                decode $(vcd $capture 20) "$(line right.west),postroad_packet:service=$service:topology=$topology" \
                    postroad_packet=words:packets:links:faults >"$work/got"
                [ "$(wc -l <"$work/got")" -gt 50 ] || fail "$capture, $service, $topology: nothing is shown"
            done
        done
    done
}

random_levels
every_option
finish
