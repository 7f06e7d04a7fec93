#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planted bugs in hw/soc: each is a change of one module that its bench must find, with SEED or one of the two seeds behind it:
# a seed may hide a bug. time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out=build/tests/faults/soc
seed=${SEED:-1}
survived=0
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
rm -rf "$out" && mkdir -p "$out"

# module | what is broken | sed -E script
bugs() {
    cat <<'TABLE'
uart|a full THR is overwritten|s/sel\[0\] && !tx_valid/sel[0]/
uart|LSR bit 0 shows the other direction|s/rx_valid\};/tx_valid};/
uart|every clock takes a byte|s/assign rx_ready = request/assign rx_ready = 1/
uart|RBR shows what is no byte|s/data && rx_valid \? rx/data ? rx/
uart|any lane writes THR|s/data && sel\[0\] && !tx/data \&\& !tx/
clint|the interrupt comes a clock late|s/now\[31:0\] >= mtimecmp/now[31:0] > mtimecmp/
clint|the high halves are not compared|s/(timer_interrupt =) .*/\1 low_reached;/
clint|equal high halves are enough|s/ && low_reached//
clint|a timer interrupt after reset|s/mtimecmp <= ~64/mtimecmp <= 64/
clint|the halves are swapped|s/mtimecmp\[31:0\] <= wdata/mtimecmp[63:32] <= wdata/
finisher|a read finishes|s/request && we/request/
finisher|any value finishes|s/\(pass .. fail\)/1/
finisher|PASS takes the upper half|s/pass \? 32'd0 : //
ram|data does not hold|s/if \(req && !we\)/if (1)/
ram|two lanes share an enable|s/if \(sel\[2\]\)/if (sel[1])/
bus|UART block too large|s/adr\[31:8\] == UART_BASE\[31:8\]/adr[31:12] == UART_BASE[31:12]/
bus|ID block too large|s/adr\[31:12\] == ID_BASE\[31:12\]/adr[31:13] == ID_BASE[31:13]/
bus|CLINT block too large|s/adr\[31:16\] == CLINT_BASE\[31:16\]/adr[31:17] == CLINT_BASE[31:17]/
bus|RAM is accessed twice|s/stb && ram && !ram_ack/stb \&\& ram/
bus|a small peripheral is accessed twice|s/ && !small_ack &&/ \&\&/
bus|RAM is acknowledged without a grant|s/ram_request && ram_granted;/ram_request;/
bus|off the map shows the ID block|s/(board_rdata :) 32'd0/\1 id_rdata/
bus|the core goes on after its end|s/ && !halt;/;/
TABLE
}

# The registers of the node ID block that show straps: generated.
strap_bugs() {
    cat <<'TABLE'
a strap in the wrong place|s/(ID_MAX_PACKET: rdata = .*)STRAP_MAX_PACKET/\1STRAP_ABORT_THRESHOLD/
the time's rate is missing|s/(ID_TIME_HZ: rdata =) straps.*CLOCK_HZ\]/\1 0/
TABLE
}

# The receive side, and its discarding of packets (R5): the same, with the bench of its patience.
receive_bugs() {
    cat <<'TABLE'
discarding ends within a packet|s/discarding && open_next \|\| unposted/unposted/
discarding does not end with a packet|s/discarding && open_next \|\| unposted/discarding || unposted/
a patience of 0 is none at all|s/unposted && patience != 16'd0/unposted/
no patience|s/&& patience_left == 16'd0;/;/
patience longer than asked|s/patience_left <= patience;/patience_left <= 16'd1000;/
only an enabled side loses its patience|s/(wire +unposted = state == STATE_FETCH)/\1 \&\& enable/
discards what began in a buffer|s/(wire +unposted =) state == STATE_FETCH &&/\1/
idle while the patience is running|s/\(discarding \|\| patience == 16'd0\)/1/
discarded words are stored|s/(enters = taken) && !discarding/\1/
aborted packets count as discarded|s/discarding && taken && completes_in/discarding \&\& taken \&\& terminator_in/
aborted packets are not counted|s/ \|\| discarding && taken && terminator_in && !completes_in//
discarded words wait|s/&& !posted && !discarding;/\&\& !posted;/
TABLE
}

# The send side: target words that are left out.
send_bugs() {
    cat <<'TABLE'
the first target word is always sent|s/words_read\[7:0\] < first_target/words_read[7:0] != 0 \&\& &/
one target word too many|s/words_read\[7:0\] >= end_target/words_read[7:0] > end_target/
an end of 0 leaves all out|s/end_target != 8'd0 && words_read/words_read/
what is left out keeps its info bit|s/ \|\| arrives == ARRIVES_LEFT_OUT\)/)/
data is left out too|s/left_out = more_targets && /left_out = more \&\& /
info words are not read while leaving out|s/if \((more_targets && words_read\[4:0\])/if (granted \&\& \1/
TABLE
}

# The registers of the network_interface.
register_bugs() {
    cat <<'TABLE'
network_interface_registers|a write of half a word is taken|s/ && bus_sel == 4'hf//
network_interface_registers|NI_SEEN compares the other side|s/seen\[15:8\], receive_consumer != seen\[7:0\]/seen[7:0], receive_consumer != seen[15:8]/
TABLE
}

# Sizes of rings and packets.
limit_bugs() {
    cat <<'TABLE'
network_interface_registers|a count of seven bits|s/(RECEIVE_PRODUCER: +receive_producer <=) bus_dat_w\[7:0\]/\1 {1'b0, bus_dat_w[6:0]}/
network_interface_receive|a ring has all its entries at any size|s/ & ring_mask//
network_interface_send|a ring has all its entries at any size|s/ & ring_mask//
network_interface_send|a packet of 4096 words is empty|s/(rdata\[28:16\] \+ )rdata\[12:0\]/\1{1'b0, rdata[11:0]}/
TABLE
}

# module | bench | what is broken | sed -E script
board_bugs() {
    cat <<'TABLE'
serial_receiver|serial_uart_tb|a glitch is a start bit|s/left == START && line \? 4'd0 : //
serial_receiver|serial_uart_tb|a framing error is a byte|s/received <= line;/received <= 1'b1;/
serial_receiver|serial_uart_tb|a break begins bytes|s/low <= !line;/low <= 1'b0;/
serial_receiver|serial_uart_tb|samples at the edges of bits|s/HALF = DIVIDER \/ 2 - 1/HALF = DIVIDER - 1/
serial_transmitter|serial_uart_tb|the stop bit is missing|s/assign ready = bit_ends/assign ready = 1'b1/
serial_transmitter|serial_uart_tb|a bit is a clock too long|s/WHOLE = DIVIDER - 1/WHOLE = DIVIDER/
byte_queue|serial_uart_tb|a full queue begins anew|s/push && !full/push/
byte_queue|serial_uart_tb|a byte that waits is overwritten|s/ && \(!valid \|\| ready\)//
byte_queue|serial_uart_tb|a byte is shown twice|s/valid <= fetch \|\| \(valid && !ready\)/valid <= fetch || valid/
word_shifter|word_shifter_tb|the halves are not swapped|s/word_in = .*;/word_in = shift;/
word_shifter|word_shifter_tb|bits are taken when the clock rises|s/moves    = busy && flash_clock/moves = busy \&\& !flash_clock/
word_shifter|word_shifter_tb|a held shifter goes on|s/ && !hold;/;/
flash_share|flash_share_tb|no pause between two sites|s/PAUSE = 2'd3/PAUSE = 2'd0/
flash_share|flash_share_tb|a site with a lower number takes the flash away|s/(else if \()!used\)/\11'b1)/
flash_share|flash_share_tb|all that wait are granted|s/granted <= first/granted <= wanted/
flash_share|flash_share_tb|a site is selected though it has lifted its select|s/flash_select_n = .*;/flash_select_n = !(|granted);/
flash_share|flash_share_tb|the flash is taken away between two commands|s/\(granted & wanted\)/(granted \& wanted \& ~select_n)/
word_shifter|word_shifter_tb|the CRC begins with 0|s/crc <= 16'hffff/crc <= 16'h0000/
word_shifter|word_shifter_tb|a first byte is a word|s/reset \|\| !first_byte/1'b1/
word_shifter|word_shifter_tb|another polynomial|s/16'h1021/16'h8005/
event_counters|event_counters_tb|a reader waits for the end of a reset|s/ready = reset \|\| /ready = /
board_registers|board_registers_tb|the fabric stops with the next write|s/fabric_runs <= fabric_runs \|\| /fabric_runs <= /
board_registers|board_registers_tb|the watchdog outlives the core|s/watched <= 1'b0;//
board_registers|board_registers_tb|the flash stays selected|s/flash_select_n <= 1'b1;//
board_registers|board_registers_tb|the flash is not kept|s/kept \|\| //
board_registers|board_registers_tb|a restarted core keeps the flash|s/kept <= 1'b0;//
board_registers|board_registers_tb|an expiry is a request|s/loads <= restart;/loads <= 1'b1;/
board_registers|board_registers_tb|a word for the CRC waits for the flash|s/!flash_select_n && !flash_granted/!flash_granted/
board_registers|board_registers_tb|no word waits|s/!flash_select_n && !flash_granted/1'b0/
board_registers|board_registers_tb|links and number exchanged|s/\{links_connected, site_number\} <=/{site_number, links_connected} <=/
board_registers|board_registers_tb|the index is not shown|s/11'd0, INDEX, 11'd0/25'd0/
core_restart|core_restart_tb|no watchdog|s/expires = .*;/expires = 1'b0;/
core_restart|core_restart_tb|the watchdog bites one tick early|s/ticks == 2'd3/ticks == 2'd2/
core_restart|core_restart_tb|a request is an expiry|s/expired <= expires/expired <= 1'b1/
power_on_reset|core_restart_tb|half the time|s/MICROSECONDS = 11/MICROSECONDS = 5/
power_on_reset|core_restart_tb|running does not count|s/if \(!runs\)/if (1'b0)/
restart_guard|restart_guard_tb|no abort_packet|s/owes      <= .*;/owes <= 1'b0;/
restart_guard|restart_guard_tb|a rest is not swallowed|s/swallows  <= .*;/swallows <= 1'b0;/
restart_guard|restart_guard_tb|the next packet does not wait|s/send_wait \|\| owes/send_wait/
restart_guard|restart_guard_tb|words pass while the core is in reset|s/hides    = .*;/hides = swallows;/
strobe_probe|strobe_probe_tb|each word is a head|s/(!ends\[p\]) && !open\[p\]/\1/
strobe_probe|strobe_probe_tb|an abort_packet is no terminator|s/ \|\| tag == `POSTROAD_TAG_ABORT_PACKET;/;/
strobe_probe|strobe_probe_tb|a stall has no end|s/waiting\[p\] != held\[p\]/waiting[p] \&\& !held[p]/
strobe_probe|strobe_probe_tb|the row of a strobe alone chooses|s/ && armed;/;/
strobe_probe|strobe_probe_tb|a choice changes all pins|s/ && pin == n\)/)/
golden_select|golden_select_tb|any bitstream is started|s/ && crc != 32'd0 \?/ \&\& 1'b0 ?/
golden_select|golden_select_tb|none is started|s/ && crc != 32'd0 \?/ \&\& 1'b1 ?/
golden_select|golden_select_tb|another polynomial|s/04c11db7/04c11db5/
golden_select|golden_select_tb|zeroes have a CRC of 0|s/crc <= 32'hffffffff/crc <= 32'd0/
golden_select|golden_select_tb|the last byte is not read|s/\{BYTES\[17:0\], 3'd0\} - 21'd1/{BYTES[17:0], 3'd0} - 21'd9/
golden_select|golden_select_tb|the flash stays in power-down|s/32'hab000000/32'h00000000/
golden_select|golden_select_tb|no rest behind the power-down|s/RESTS:   length = .*;/RESTS:   length = 21'd0;/
golden_select|golden_select_tb|reads elsewhere|s/8'h03, SLOT\[23:0\]/8'h03, SLOT[23:0] ^ 24'd1/
golden_select|golden_select_tb|no silence behind the line|s/left <= \{PAUSE, 8'd0\}/left <= 21'd0/
board_site|board_probes_tb|probes of the links in each other's place|s/(tags\[3\*l \+ 3 \+: 3\] = link_out\[)l/\1(l ^ 1)/
board_site|board_probes_tb|probes see what arrives|s/(\+: 3\] = )link_out(\[l\*LINK_WIDTH \+ WORD_WIDTH \+: 3\];)/\1link_in\2/
board_site|board_probes_tb|probes see no wait|s/assign waits\[l \+ 1\] = link_out_wait\[l\]/assign waits[l + 1] = 1'b0/
board_site|board_probes_tb|no probe of the operator|s/= \{handed_tag, handed_wait\};/= 4'd0;/
board_site|board_probes_tb|strobes of the probes cannot be read|s/\(to_pins \? pin_rdata : link_rdata\)/link_rdata/
TABLE
}

plant() {
    local module=$1 what=$2 script=$3 bench=${4:-${1}_tb} rule=${5:--} log=$out/log number file=hw/soc/$1.v planted
    [ "$module" != node_id_straps ] || file=hw/protocol/node_id_straps.vh
    [ -f "$file" ] || file=hw/common/$1.v
    [ -f "$file" ] || file=hw/mesh/$1.v
    planted=$out/${file##*/}
    local sources=()
    [[ $planted != *.v ]] || sources=("$planted")
    fault_start
    sed -E "$script" "$file" >"$planted"
    if cmp -s "$file" "$planted"; then
        echo "FAIL: $module, $what: the script changes nothing"
    elif ! iverilog -g2005 -s "$bench" -o "$out/bench.vvp" -I"$out" -Ihw/protocol -Itests/rtl -y tests/rtl -y hw/soc \
        -y hw/common -y hw/cutthrough -y hw/board_link -y hw/mesh "tests/rtl/$bench.v" "${sources[@]}" >"$log" 2>&1; then
        echo "FAIL: $module, $what: does not compile"
        cat "$log"
    else
        for number in "$seed" $((seed + 1)) $((seed + 2)); do
            if ! timeout 120 vvp -n "$out/bench.vvp" +seed="$number" >"$log" 2>&1; then
                echo "$module, $what: the bench came to no end in 120 s"
                break
            elif grep -q '^FAIL' "$log"; then
                echo "$module, $what: caught"
                fault_result caught "$rule" "$module: $what" "$bench"
                return
            fi
        done
        echo "FAIL: $module, $what: not caught"
    fi
    fault_result MISSED "$rule" "$module: $what" "$bench"
    survived=$((survived + 1))
}

echo "seed $seed"
while IFS='|' read -r module what script; do
    plant "$module" "$what" "$script"
done < <(bugs)
while IFS='|' read -r what script; do
    plant node_id_straps "$what" "$script" node_id_tb
done < <(strap_bugs)
rm -f "$out/node_id_straps.vh"
while IFS='|' read -r what script; do
    plant network_interface_receive "$what" "$script" network_interface_patience_tb R5
done < <(receive_bugs)
while IFS='|' read -r what script; do
    plant network_interface_send "$what" "$script" network_interface_tb
done < <(send_bugs)
while IFS='|' read -r module what script; do
    plant "$module" "$what" "$script" network_interface_tb
done < <(register_bugs)
while IFS='|' read -r module what script; do
    plant "$module" "$what" "$script" network_interface_limits_tb
done < <(limit_bugs)
while IFS='|' read -r module bench what script; do
    plant "$module" "$what" "$script" "$bench"
done < <(board_bugs)
[ $survived = 0 ] && echo "PASS: $({ bugs; board_bugs; strap_bugs; receive_bugs; send_bugs; register_bugs; limit_bugs; } | wc -l) planted bugs caught"
exit $((survived != 0))
