#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests of the protocol decoders can fail: each bug below is planted in a copy of the decoders, and a check has to object.
# needs: sigrok-captures
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
planted=0

fail() {
    echo "FAIL $*"
    failed=1
}

# caught WHAT FILE SCRIPT CHECK...
caught() {
    local what=$1 file=$2 script=$3 verdict=MISSED
    shift 3
    planted=$((planted + 1))
    rm -rf "$work/sigrok"
    cp -r build/sigrok "$work/sigrok"
    sed -E -i "$script" "$work/sigrok/$file"
    if cmp -s "build/sigrok/$file" "$work/sigrok/$file"; then
        fail "$what: the script changes nothing in $file"
    else
        fault_start
        if SIGROKDECODE_DIR=$work/sigrok tests/sigrok/test_decoders.sh "$@" >"$work/log" 2>&1; then
            fail "$what: $* passes with it"
        elif ! grep -m 1 FAIL "$work/log" >"$work/why"; then
            fail "$what: $* ends without a word"
        else
            verdict=caught
            echo "$what: $(head -c 120 "$work/why")"
        fi
        fault_result $verdict - "decoders: $what" "$*"
    fi
}

tests/sigrok/test_decoders.sh || fail "without a bug"

frame=postroad_line/frame.py line=postroad_line/pd.py packet=postroad_packet/pd.py header=postroad_packet/header.py
caught "another polynomial" $frame 's/0x0389/0x1021/' packets
caught "the sum of a packet begins with 0" $frame 's/BEGINNING = 0xffff/BEGINNING = 0/' packets
caught "the sum does not go on from word to word" $frame 's/^( +alone = ).*/\1True/' packets
caught "a status frame changes the sum of the packet" $frame 's/        if frame.tag:$/        if True:/' errors clean packets
caught "the check byte is not compared" $frame 's/known and frame.check != crc >> 8/False/' errors
caught "the CRC in a terminator is not compared" $frame 's/known and frame.ends and crc \& 0xff/False/' errors
caught "the line behind a frame is not looked at" $frame 's/if not frame.idle:/if False:/' errors
caught "a packet begins behind a damaged frame" $frame 's/frame.first and not frame.ends and good_before/frame.first and not frame.ends/' errors
caught "a packet within a packet does not end it" $frame 's/if self.open and frame.first:/if False:/' errors
caught "words behind a damaged frame go on" $frame 's/was_open, self.open = self.open, False/was_open = self.open/' errors
caught "a capture that begins within a packet fits the beginning" $frame 's/BEGINNING if alone else self.sum/BEGINNING if alone or self.sum is None else self.sum/' middle
caught "bits are taken at their edges" $line 's/place \+ 0\.5/place/' clean clocks
caught "bits are taken late" $line 's/place \+ 0\.5/place + 0.97/' clean clocks glitches
caught "the bit rate is that of the clock" $line 's/= 4 \* self.samplerate/= self.samplerate/' packets
caught "any pulse is a start bit" $line 's/if not level and not bits:/if False:/' glitches errors
caught "a bit that is not idle begins no frame" $line 's/level, edge if level else None/level, None/' errors
caught "report and port are exchanged" $frame 's/(report = value >> )26/\124/; s/(port = value >> )24/\126/' frames
caught "a dead frame is a damaged one" $frame 's/if self.is_dead\(frame\):/if False:/' dead
caught "no error for a low sample rate" $line 's/SAMPLES_OF_A_BIT = 3/SAMPLES_OF_A_BIT = 1/' refusals
caught "x and y are exchanged" $packet 's/\(word \& mask, word >> COORDINATE_BITS \& mask, mark\)/(word >> COORDINATE_BITS \& mask, word \& mask, mark)/' packets
caught "the mark of a site word is part of y" $packet 's/word >> COORDINATE_BITS \& mask, mark/word >> COORDINATE_BITS, mark/' packets
caught "target_info is of the first target" $packet 's/packet.targets\[-1\]/packet.targets[0]/' packets
caught "an aborted packet is shown as whole" $packet "s/self.close\(es, 'by its sender'\)/self.close(es, None)/" packets
caught "status frames are not shown" $packet "s/kind == 'STATUS'/kind == 'STATE'/" packets
caught "the decoder fails at an abort" $packet 's/by its sender.\)/by its sender")/; s/(close\(es, )./\1"/' packets
caught "epochs of acknowledgements have four bits" $header 's/EPOCH_MASK = 0x1f/EPOCH_MASK = 0xf/' packets
caught "bitmaps begin one later" $header 's/sequence - 1 - k/sequence - 2 - k/' packets
caught "acknowledgements are taken for data" $header 's/ or not data\[.*\] \& KIND_BIT/ or True/' packets
caught "halves of the base are exchanged" $header 's/high << 16 \| low/low << 16 | high/' packets
caught "the raw service is read as the reliable one" $header 's/if not reliable or handler/if handler/; s/if not reliable or not data/if not data/' raw

echo "$planted bugs planted"
[ $failed = 0 ] && echo PASS
exit $failed
