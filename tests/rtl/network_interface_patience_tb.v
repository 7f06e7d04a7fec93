// network_interface_patience_tb: the receive side with buffers posted at random, or not at all for long, and enabled or
// not. Every packet must end up whole in a buffer, or be discarded whole and counted (R5): not before its patience is
// over, not later either, and no longer than until there is a buffer again.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module network_interface_patience_tb;
    `include "bench.vh"
    `include "tags.vh"

    localparam CAPACITY = 24, PLACE = 64, RING = 0, BUFFERS = 64, RING_LOG2 = 2, HISTORY = 64;
    localparam SLACK = 60;               // clocks that header and ring may take while others have the RAM

    reg         clk = 1'b0, reset = 1'b1;
    reg         enable = 1'b0, gnt_offered = 1'b0;
    reg  [7:0]  producer = 8'd0;
    reg  [15:0] patience = 16'd0;
    reg  [19:0] receive = 20'd0;
    reg  [31:2] rdata = 30'd0;
    wire [7:0]  consumer;
    wire [7:0]  posted = producer - consumer;
    wire        idle, req, we, receive_wait;
    wire [31:2] addr;
    wire [31:0] wdata;
    wire        event_received, event_received_aborted, event_received_oversize, event_received_discarded;
    wire        event_receive_wait;
    wire        gnt = req && gnt_offered;

    network_interface_receive dut (
        .clk(clk), .reset(reset), .enable(enable), .ring(RING[29:0]), .ring_log2(RING_LOG2[2:0]), .producer(producer),
        .capacity(CAPACITY[12:0]), .patience(patience), .consumer(consumer), .stamp(32'd0), .idle(idle), .req(req), .we(we),
        .addr(addr), .wdata(wdata), .gnt(gnt), .rdata(rdata), .receive(receive), .receive_wait(receive_wait),
        .event_received(event_received), .event_received_aborted(event_received_aborted),
        .event_received_oversize(event_received_oversize), .event_received_discarded(event_received_discarded),
        .event_receive_wait(event_receive_wait));

    // ---- What was sent, in order of its terminators: number and length of each packet, and how long there had been no
    // buffer, or one, when its first word moved.
    integer size_of [0:HISTORY-1], without_of [0:HISTORY-1], with_of [0:HISTORY-1];
    reg     aborted_of [0:HISTORY-1];
    integer begun, ended, settled, stored, discarded, aborted, waited;
    integer without, with, without_before, with_before;  // clocks without and with a posted buffer, now and a clock ago
    integer size, position, rest, gaps, posts, toggles, ram_stalls;    // rest: clocks until a packet may begin
    reg     shown, moves, quiet_before, wait_before;

    reg [31:0] memory [0:1023];

    // Word k of packet n: a target first, then data.
    function [19:0] word_of(input integer n, input integer k);
        word_of = {1'b0, k == 0 ? UNICAST : DATA, n[7:0], k[7:0]};
    endfunction

    task source;
        begin
            if (moves || !shown) begin
                receive = 20'd0;
                if (rest > 0) rest = rest - 1;
                else if (position < 0 && !percent(gaps)) begin
                    size = 1 + below(below(4) ? 6 : 30);
                    position = 0;
                end
                if (position >= 0 && !percent(gaps)) begin
                    if (position < size) receive = word_of(begun, position);
                    else receive = {below(4) == 0 ? {1'b0, ABORT_PACKET} : below(2) ? {1'b0, END_OF_PACKET} : LOCAL_END, 16'd0};
                    position = position < size ? position + 1 : -2;
                end
            end
        end
    endtask

    // Before the edge: what moves in this clock.
    task observe;
        begin
            shown = receive[18:16] != 3'd0;
            moves = shown && !receive_wait;
            // Enabling and posting anew begin the count anew.
            waited = shown && receive_wait && without != 1 && with != 1 ? waited + 1 : 0;
            if (moves && position == 1) begin
                without_of[begun % HISTORY] = without_before;
                with_of[begun % HISTORY] = with_before;
            end
            if (moves && position == -2) begin
                size_of[ended % HISTORY] = size;
                aborted_of[ended % HISTORY] = receive[18:16] == ABORT_PACKET;
                ended = ended + 1;
                begun = begun + 1;
                position = -1;
                rest = below(8) == 0 ? below(300) : 0;
            end
            if (patience != 0) check(waited < patience + SLACK, "R5: nothing waits longer than the patience");
            if (quiet_before && !shown && producer == consumer)
                check(receive_wait === wait_before, "R5: idle while the patience is running");
            judge;
            check(!(event_receive_wait && !receive_wait), "a word that moves does not wait");
            quiet_before = idle && !shown;
            wait_before = receive_wait;
            without_before = without;
            with_before = with;
            without = enable && producer != consumer ? 0 : without + 1;
            with = enable && producer != consumer ? with + 1 : 0;
        end
    endtask

    task judge;
        begin
            check(event_received + event_received_aborted + event_received_discarded <= 1, "one verdict a packet");
            if (event_received || event_received_aborted || event_received_discarded) begin
                check(settled < ended, "R5: a verdict on a packet that has not ended");
                check(event_received_aborted == aborted_of[settled % HISTORY], "O3: what is aborted is counted as aborted");
            end
            if (event_received) begin
                compare;
                stored = stored + 1;
            end
            if (event_received_discarded) begin
                check(patience != 0, "R5: a patience of 0 waits for ever");
                check(without_of[settled % HISTORY] >= patience, "R5: nothing is discarded before its patience is over");
                check(with_of[settled % HISTORY] < 2, "R5: a posted buffer ends the discarding at the next packet");
                discarded = discarded + 1;
            end
            if (event_received_aborted) aborted = aborted + 1;
            if (event_received || event_received_aborted || event_received_discarded) settled = settled + 1;
        end
    endtask

    // The packet at `consumer` is the oldest that has ended, whole.
    task compare;
        integer at, k, kept;
        begin
            at = BUFFERS + (consumer % 4) * PLACE;
            kept = size_of[settled % HISTORY] < CAPACITY ? size_of[settled % HISTORY] : CAPACITY;
            check(memory[at] === {16'd1, kept[15:0] - 16'd1}, "R5: a packet is stored whole");
            for (k = 0; k < kept; k = k + 1)
                check(memory[at + 16 + k] === {16'd0, settled[7:0], k[7:0]}, "R5: a packet is stored whole");
        end
    endtask

    task one_clock;
        integer    slot;
        reg [31:0] read;
        begin
            #1;
            if (!reset) observe;
            if (gnt && we) begin
                slot = addr - BUFFERS;
                check(slot >= 0 && slot % PLACE < 16 + CAPACITY
                      && (slot / PLACE - consumer) % 4 < posted, "a write outside the posted buffers");
                memory[addr] = wdata;
            end
            read = memory[addr];
            #1 clk = 1'b1;
            #1 rdata = read[31:2];
            clk = 1'b0;
            #1;
            if (reset) receive = 20'd0;
            else begin
                source;
                if (posted < 4 && below(1000) < posts) producer = producer + 8'd1;
                if (below(1000) < toggles) enable = !enable;
                gnt_offered = !percent(ram_stalls);
            end
        end
    endtask

    integer round, c, slots;
    initial begin
        begin_bench;
        {stored, discarded, aborted} = 96'd0;
        for (round = 0; round < 60; round = round + 1) begin
            reset = 1'b1;
            enable = 1'b1;
            producer = 8'd0;
            patience = round % 6 == 0 ? 0 : round % 6 == 1 ? 1 + below(3) : 1 + below(200);
            gaps = below(3) * 35;
            ram_stalls = below(3) * 30;
            for (slots = 0; slots < 4; slots = slots + 1) memory[RING + slots] = 4 * (BUFFERS + slots * PLACE);
            repeat (3) one_clock;
            reset = 1'b0;
            {begun, ended, settled, waited, without, with, without_before, with_before} = 256'd0;
            {shown, moves, quiet_before, wait_before} = 4'd0;
            position = -1;
            rest = 0;
            for (c = 0; c < 4000; c = c + 1) begin
                if (c % 500 == 0) begin
                    posts = below(3) == 0 ? 0 : below(2) ? below(20) : 200;
                    toggles = below(3) == 0 ? below(20) : 0;
                    if (toggles == 0) enable = below(8) != 0;
                end
                one_clock;
            end
        end
        $display("%0d stored, %0d discarded, %0d aborted", stored, discarded, aborted);
        check(stored > 1000 && discarded > 1000 && aborted > 500, "everything came about");
        verdict;
    end
endmodule

`default_nettype wire
