#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests of captures must notice bugs: one line of a copy of a source is changed at a time, and a test has to fail.
# usage: test_capture_planted.sh
# needs: build/libcli.a build/libpostroad.a build/libsim.a build/libfirmware.a build/tests/libraries
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash

build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export SEED=1 TMPDIR=$work

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# link TEST SOURCE: the test with this source in place of the one in the library.
link() {
    ${CC:-gcc} -std=c11 -O1 -Ihw/protocol -Ifirmware -Isim -Ihost-tools -Itests -Itests/capture -o "$work/test" "$work/$1.o" \
        "$work/helpers.o" "$work/check.o" "$2" "$build"/lib{cli,postroad,sim}.a "$build/libfirmware.a" \
        "@$build/tests/libraries" -Wl,--allow-multiple-definition
}

compile() {
    ${CC:-gcc} -std=c11 -O1 -Ihw/protocol -Ifirmware -Isim -Ihost-tools -Itests -c -o "$1" "$2"
}

# caught WHAT TEST FILE SCRIPT: with that change of the file the test fails.
caught() {
    local what=$1 test=$2 file=$3 script=$4
    local copy=$work/${file##*/}
    fault_start
    sed -E "$script" "$file" >"$copy"
    if cmp -s "$file" "$copy"; then
        fail "$what: the script changes nothing"
        return
    fi
    link "$test" "$copy" || { fail "$what: does not compile"; return; }
    if timeout 100 "$work/test" >"$work/output" 2>&1; then
        fail "$what: $test passes"
        fault_result MISSED - "capture: $what" "$test"
        return
    fi
    fault_result caught - "capture: $what" "$test"
    printf '%s: %s\n' "$what" "$(grep -a -m 1 FAIL "$work/output" | cut -c 1-100)"
}

for name in write read fuzz; do
    compile "$work/test_capture_$name.o" "tests/capture/test_capture_$name.c"
done
compile "$work/helpers.o" tests/capture/made_captures.c
compile "$work/check.o" tests/check.c
compile "$work/mutate.o" tests/mutate_text.c
ld -r -o "$work/both.o" "$work/check.o" "$work/mutate.o" && mv "$work/both.o" "$work/check.o"
for name in write read; do
    if ! link "test_capture_$name" sim/analyser/capture_rate.c || ! "$work/test" >"$work/output" 2>&1; then
        fail "test_capture_$name does not pass as it is: $(head -n 5 "$work/output")"
    fi
done

analyser=sim/analyser/virtual_analyser.c
caught 'samples one too late' test_capture_write $analyser 's/ceill\(\(long double\)femtoseconds/1 + ceill((long double)femtoseconds/'
caught 'its clock has no deviation' test_capture_write $analyser 's/\* \(1 \+ \(long double\)settings->ppm \* 1e-6L\)//'
caught 'edges are seen late only' test_capture_write $analyser 's/normal\(&analyser->random\) \*/fabs(normal(\&analyser->random)) */'
caught 'changes are written as they come' test_capture_write $analyser 's/list\[at - 1\]\.sample > edge\.sample/false/'
caught 'levels at the start are seen late' test_capture_write $analyser 's/ \|\| femtoseconds == 0\)/)/'
caught 'a late change is not waited for' test_capture_write $analyser 's/settings->disorder_fs \+ //'
caught 'a failed write is no matter' test_capture_write sim/support/output_file.c 's/!ferror\(output->file\) \&\& fflush\(output->file\) == 0/true/;s/fclose\(output->file\) == 0 \&\& good/(fclose(output->file), good)/'
caught 'times are cut off' test_capture_write sim/analyser/vcd_writer.c 's/vcd->rate \+ 0\.5L/vcd->rate/'
caught 'nine channels share a byte' test_capture_write sim/analyser/sr_writer.c 's/sr->levels >> BITS_PER_BYTE \* byte/sr->levels/'
caught 'a chunk begins with its second sample' test_capture_write sim/analyser/sr_writer.c 's/size_t room = most - /size_t room = most - 1 - /;s/sr->written \+= count;/sr->written += count + (count == room);/'
sr=host-tools/capture/capture_sr.c
caught 'a change at the start of a member is lost' test_capture_read $sr 's/memmove\(sr->buffer, sr->end - sr->unit, sr->unit\)/sr->buffer[0] = 0/'
caught 'the sum of a member is not looked at' test_capture_read $sr 's/if \(sr->member && zip_fread/if (false \&\& zip_fread/'
caught 'missing members are the end' test_capture_read $sr 's/count \+= name \&\& .*/count += name \&\& strcmp(name, "logic-1-1") == 0;/'
caught 'a changed byte in eight is not seen' test_capture_write $sr 's/if \(here != before\)/if ((here ^ before) << 8)/'
vcd=host-tools/capture/capture_vcd.c
caught 'times may go back' test_capture_fuzz $vcd 's/vcd->has_time && time < vcd->time\)/false)/'
caught 'an alias is a channel' test_capture_read $vcd 's/if \(find_channel\(vcd, code\) != UNKNOWN\)/if (false)/'
caught 'x is 1' test_capture_read $vcd "s/value == 'h'/value == 'x'/"
caught 'long identifiers are mixed up' test_capture_read $vcd 's/i == CODE_MOST\)/i == CODE_MOST || (i == 2 \&\& (digit = 0)))/'
csv=host-tools/capture/capture_csv.c
caught "sigrok's times are taken for times" test_capture_read $csv 's/time \/ \(int64_t\)csv->sigrok_period/time/'
caught 'a row like the one before takes no time' test_capture_read $csv 's/csv->rows\+\+;/csv->rows += !csv->before || row.length != csv->before_length || memcmp(row.text, csv->before, row.length);/'
caught 'two rows of one time' test_capture_fuzz $csv 's/csv->rows && time <= csv->first/csv->rows \&\& time < csv->first/'
caught 'any rate is on the grid' test_capture_read host-tools/capture/capture_grid.c 's/> grid->tolerance\[i\]/> 1/'
caught 'edges in the order of the file' test_capture_read host-tools/capture/capture_samples.c 's/list\[at - 1\] > value/false/'
[ $failures -eq 0 ] && echo 'test_capture_planted: PASS'
[ $failures -eq 0 ]
