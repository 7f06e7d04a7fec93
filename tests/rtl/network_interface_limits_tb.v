// network_interface at the ends of its ranges: rings of 1 and of 32768 entries, counts that pass 65536, word areas of
// 0, 1 and 65535 words, 255 to 257 target words, packets without words, nothing but aborts, both streams standing still.
// Random stalls; the traffic between the ends is network_interface_tb's.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module network_interface_limits_tb;
    `include "bench.vh"
    `include "tags.vh"

    localparam RAM_WORDS = 262144;
    localparam [31:0] RAM = 32'h8000_0000;
    localparam RECEIVE_RING = 0, SEND_RING = 32768, RECEIVE_BUFFER = 65536, SEND_BUFFER = 140000;
    localparam INFO_PERIOD = 5;          // every fifth target word of a packet is target_info

    reg clk = 1'b0, reset = 1'b1;
    always #5 clk = !clk;

    reg         bus_stb = 1'b0, bus_we = 1'b0;
    reg [11:2]  bus_adr = 10'd0;
    reg [31:0]  bus_dat_w = 32'd0;
    wire [31:0] bus_dat_r;
    wire        bus_ack;
    wire        receive_req, receive_we, receive_soon, receive_gnt, send_req, send_we, send_soon, send_gnt, ram_req,
    ram_we, core_gnt;
    wire [31:2] receive_addr, send_addr, ram_addr;
    wire [31:0] receive_wdata, send_wdata, ram_wdata;
    wire [3:0]  ram_sel;
    reg [31:0]  ram_rdata;
    wire [18:0] send;
    reg         send_wait = 1'b1;
    reg [19:0]  receive = 20'd0;
    wire        receive_wait;
    wire        event_received, event_received_aborted, event_received_oversize, event_receive_wait;
    wire        event_sent, event_send_wait, wait_pending, idle, event_received_discarded, relief, relief_next;
    wire [15:0] receive_patience = 16'd0;
    wire [5:0]  counter_select;
    reg [31:0]  now = 32'd0;
    always @(posedge clk) now <= now + 32'd1;

    network_interface #(.WORD_WIDTH(16)) dut (
        .clk(clk), .reset(reset), .bus_cyc(bus_stb), .bus_stb(bus_stb), .bus_we(bus_we), .bus_adr(bus_adr),
        .bus_dat_w(bus_dat_w), .bus_sel(4'hf), .bus_dat_r(bus_dat_r), .bus_ack(bus_ack),
        .receive_req(receive_req), .receive_we(receive_we), .receive_addr(receive_addr),
        .receive_wdata(receive_wdata), .receive_soon(receive_soon), .receive_gnt(receive_gnt), .send_req(send_req),
        .send_we(send_we),
        .send_addr(send_addr), .send_wdata(send_wdata), .send_soon(send_soon), .send_gnt(send_gnt), .ram_rdata(ram_rdata),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait), .receive_patience(receive_patience),
        .relief(relief), .relief_next(relief_next), .now(now),
        .uart_has_byte(1'b0), .timer_expired(1'b0), .counter_select(counter_select), .counter_value(32'd0),
        .counter_ready(1'b1),
        .event_received(event_received), .event_received_aborted(event_received_aborted),
        .event_received_oversize(event_received_oversize), .event_received_discarded(event_received_discarded),
        .event_receive_wait(event_receive_wait), .event_sent(event_sent), .event_send_wait(event_send_wait),
        .wait_pending(wait_pending), .idle(idle)
    );

    ram_arbiter arbiter (
        .clk(clk), .reset(reset), .core_req(core_busy), .core_we(1'b0), .core_addr(RAM[31:2]), .core_wdata(32'd0),
        .core_sel(4'hf), .core_gnt(core_gnt), .receive_req(receive_req), .receive_we(receive_we),
        .receive_addr(receive_addr), .receive_wdata(receive_wdata), .receive_sel(4'hf), .receive_soon(receive_soon),
        .receive_gnt(receive_gnt),
        .send_req(send_req), .send_we(send_we), .send_addr(send_addr), .send_wdata(send_wdata), .send_sel(4'hf),
        .send_soon(send_soon), .send_gnt(send_gnt), .ram_req(ram_req), .ram_we(ram_we), .ram_addr(ram_addr),
        .ram_wdata(ram_wdata),
        .ram_sel(ram_sel)
    );

    // The fabric's copy of `relief` comes from relief_next: only a write to CONTROL may change either.
    reg relief_expected = 1'b0;
    always @(posedge clk) begin
        relief_expected <= relief_next;
        if (!reset) check(relief == relief_expected, "relief_next is relief a clock before");
    end

    // RAM, and what the receive side may write of it: one buffer at a time is posted here.
    reg [31:0] memory [0:RAM_WORDS-1];
    integer    capacity = 0, stalls = 0, offset;
    reg        core_busy = 1'b0, posted_now = 1'b0;
    always @(posedge clk) begin
        core_busy <= percent(stalls);
        ram_rdata <= ram_req && !ram_we ? memory[ram_addr[19:2]] : 32'hdead_dead;
        if (ram_req && ram_we) memory[ram_addr[19:2]] <= ram_wdata;
        offset = receive_addr[19:2] - RECEIVE_BUFFER;
        if (receive_gnt && receive_we)
            check(posted_now && offset >= 0 && offset < 16 + capacity && (offset < 12 || offset > 15),
                  "nothing is written outside the posted buffer");
        if (send_gnt && send_we)
            check(send_addr[19:2] == SEND_BUFFER + 2 || send_addr[19:2] == SEND_BUFFER + 3, "send writes two stamps only");
    end

    // Counts of what happened.
    integer aborted = 0, received = 0, oversize = 0;
    always @(posedge clk)
        if (!reset) begin
            aborted <= aborted + event_received_aborted;
            received <= received + event_received;
            oversize <= oversize + event_received_oversize;
            if (event_received) posted_now <= 1'b0;
        end

    // Word k of a packet, the same in both directions.
    function [15:0] word_of(input integer k);
        word_of = k * 40503 + 7;
    endfunction
    function [2:0] tag_of(input integer k, input integer targets);
        tag_of = k >= targets ? DATA : k % INFO_PERIOD == INFO_PERIOD - 1 ? INFO : MULTICAST;
    endfunction

    reg [31:0] result;
    task bus(input write, input [11:0] register, input [31:0] value);
        begin
            bus_stb <= 1'b1;
            bus_we <= write;
            bus_adr <= register[11:2];
            bus_dat_w <= value;
            @(posedge clk);
            while (!bus_ack) @(posedge clk);
            result = bus_dat_r;
            bus_stb <= 1'b0;
        end
    endtask

    task show(input [3:0] tag, input [15:0] word);
        integer patience;
        begin
            patience = 0;
            receive <= {tag, word};
            @(posedge clk);
            while (receive_wait && patience < 200) begin
                @(posedge clk);
                patience = patience + 1;
            end
            check(patience < 200, "a posted buffer takes words");
            receive <= 20'd0;
            while (percent(stalls)) @(posedge clk);
        end
    endtask

    task show_packet(input integer targets, input integer words, input [3:0] terminator);
        integer k;
        begin
            for (k = 0; k < targets + words; k = k + 1) show({1'b0, tag_of(k, targets)}, word_of(k));
            show(terminator, 16'd0);
        end
    endtask

    reg [7:0]  posted, queued;
    integer    receive_log2, send_log2;
    task post;
        begin
            memory[RECEIVE_RING + (posted & ((1 << receive_log2) - 1))] = RAM + 4 * RECEIVE_BUFFER;
            posted = posted + 8'd1;
            posted_now = 1'b1;
            bus(1'b1, `POSTROAD_NI_RECEIVE_PRODUCER, posted);
        end
    endtask

    task completes;
        integer patience;
        begin
            patience = 0;
            while (dut.receive_consumer != posted && patience < 200) begin
                @(posedge clk);
                patience = patience + 1;
            end
            bus(1'b0, `POSTROAD_NI_RECEIVE_CONSUMER, 32'd0);
            check(result == posted, "the packet is complete");
        end
    endtask

    // What must be in the buffer: `targets` and `words` as far as they fit.
    task expect_buffer(input integer targets, input integer words, input reg [31:0] kind);
        integer    k;
        reg [31:0] info;
        begin
            check(memory[RECEIVE_BUFFER] === {targets[15:0], words[15:0]}, "counts");
            check(memory[RECEIVE_BUFFER+1] === kind, "kind");
            for (k = 0; k < targets; k = k + 1) begin
                info = memory[RECEIVE_BUFFER + 4 + k / 32];
                check(info[k % 32] === (tag_of(k, targets) == INFO), "info");
                check(memory[RECEIVE_BUFFER + 16 + k] === word_of(k), "target words");
            end
        end
    endtask

    task start(input integer words, input integer log2, input [7:0] first);
        begin
            reset <= 1'b1;
            repeat (3) @(posedge clk);
            #1 reset = 1'b0;
            // As if `first` packets had gone each way.
            dut.receiver.consumer = first;
            dut.sender.consumer = first;
            dut.sender.fetched = first;
            {posted, queued} = {first, first};
            {aborted, received, oversize} = 96'd0;
            capacity = words;
            receive_log2 = log2;
            send_log2 = log2;
            bus(1'b1, `POSTROAD_NI_RECEIVE_PRODUCER, first);
            bus(1'b1, `POSTROAD_NI_SEND_PRODUCER, first);
            bus(1'b1, `POSTROAD_NI_RECEIVE_RING, RAM + 4 * RECEIVE_RING);
            bus(1'b1, `POSTROAD_NI_SEND_RING, RAM + 4 * SEND_RING);
            bus(1'b1, `POSTROAD_NI_RECEIVE_RING_LOG2, log2);
            bus(1'b1, `POSTROAD_NI_SEND_RING_LOG2, log2);
            bus(1'b1, `POSTROAD_NI_RECEIVE_WORDS, words);
            bus(1'b0, `POSTROAD_NI_CONTROL, 32'd0);
            check(result == 32'd0, "nothing is enabled after a reset");
            bus(1'b1, `POSTROAD_NI_CONTROL, 32'd3 | below(2) << 2);  // relief, or not
        end
    endtask

    // Receives one packet into a word area of `capacity`.
    task receive_one(input integer targets, input integer words, input [3:0] terminator);
        integer    stored, stored_targets, before;
        reg        over;
        begin
            before = oversize;
            stored_targets = targets < capacity ? targets : capacity;
            if (stored_targets > 256) stored_targets = 256;
            stored = stored_targets + words < capacity ? stored_targets + words : capacity;
            over = targets > stored_targets || words > stored - stored_targets;
            post;
            show_packet(targets, words, terminator);
            completes;
            expect_buffer(stored_targets, stored - stored_targets, {22'd0, over, targets != 0, 4'd0, terminator});
            check(oversize == before + over, "oversize is counted");
        end
    endtask

    // Sends one packet and compares the stream.
    task send_one(input integer targets, input integer words);
        integer k, patience;
        begin
            memory[SEND_BUFFER] = {targets[15:0], words[15:0]};
            memory[SEND_BUFFER+1] = 32'h100;
            for (k = 0; k < 256; k = k + 1)
                memory[SEND_BUFFER + 4 + k / 32][k % 32] = k % INFO_PERIOD == INFO_PERIOD - 1;
            for (k = 0; k < targets + words; k = k + 1) memory[SEND_BUFFER + 16 + k] = word_of(k);
            memory[SEND_RING + (queued & ((1 << send_log2) - 1))] = RAM + 4 * SEND_BUFFER;
            queued = queued + 8'd1;
            bus(1'b1, `POSTROAD_NI_SEND_PRODUCER, queued);
            k = 0;
            patience = 0;
            while (k <= targets + words && patience < 200) begin
                @(posedge clk);
                patience = patience + 1;
                if (send[18:16] != 3'd0 && !send_wait) begin
                    patience = 0;
                    if (k < targets + words)
                        check(send === {tag_of(k, targets < 256 ? targets : 256), word_of(k)}, "the words sent");
                    else check(send === {END_OF_PACKET, 16'd0}, "the terminator sent");
                    k = k + 1;
                end
                send_wait <= percent(stalls);
            end
            check(patience < 200, "the packet is sent");
            repeat (12) @(posedge clk);
            check(send[18:16] == 3'd0, "nothing behind the terminator");
            bus(1'b0, `POSTROAD_NI_SEND_CONSUMER, 32'd0);
            check(result == queued, "the packet is counted");
            check(memory[SEND_BUFFER+3] - memory[SEND_BUFFER+2] >= targets + words, "stamps are in order");
        end
    endtask

    task rings(input integer log2);
        integer k;
        begin
            start(8, log2, 8'hfd);
            for (k = 0; k < 6; k = k + 1) begin
                receive_one(2, k, END_OF_PACKET);
                send_one(1, k);
            end
            check(posted == 8'd3 && queued == 8'd3, "counts pass 256");
            start(8, log2, 8'h7e);
            for (k = 0; k < 4; k = k + 1) begin
                receive_one(2, k, LOCAL_END);
                send_one(1, k);
            end
        end
    endtask

    task areas;
        begin
            start(0, 2, 8'd0);
            receive_one(1, 0, END_OF_PACKET);
            receive_one(300, 20, LOCAL_END);
            receive_one(0, 0, END_OF_PACKET);
            start(1, 2, 8'd0);
            receive_one(1, 0, END_OF_PACKET);
            receive_one(1, 1, END_OF_PACKET);
            receive_one(2, 0, END_OF_PACKET);
            receive_one(0, 0, LOCAL_END);
            start(257, 2, 8'd0);
            receive_one(255, 2, END_OF_PACKET);
            receive_one(256, 0, END_OF_PACKET);
            receive_one(256, 1, END_OF_PACKET);
            receive_one(257, 0, END_OF_PACKET);
            receive_one(257, 1, END_OF_PACKET);
            receive_one(256, 2, END_OF_PACKET);
        end
    endtask

    task aborts;
        integer k;
        begin
            start(4, 0, 8'd0);
            post;
            for (k = 0; k < 50; k = k + 1) show_packet(below(3), below(6), ABORT_PACKET);
            show_packet(0, 0, ABORT_PACKET);
            show_packet(0, 0, ABORT_PACKET);
            repeat (30) @(posedge clk);
            check(aborted == 52 && received == 0 && posted_now, "O3: aborted packets are counted and leave the buffer");
            show_packet(1, 2, END_OF_PACKET);
            completes;
            expect_buffer(1, 2, {22'd0, 1'b0, 1'b1, 5'd0, END_OF_PACKET});
        end
    endtask

    // Against P1: targets behind data are stored as data, and null_target is nothing.
    task misplaced;
        begin
            start(8, 2, 8'd0);
            post;
            show(NULL_TARGET, 16'd0);
            show(MULTICAST, word_of(0));
            show(DATA, word_of(1));
            show(NULL_TARGET, 16'd0);
            show(MULTICAST, word_of(2));
            show(INFO, word_of(3));
            show(END_OF_PACKET, 16'd0);
            completes;
            expect_buffer(1, 3, {22'd0, 1'b0, 1'b1, 5'd0, END_OF_PACKET});
            check(memory[RECEIVE_BUFFER + 19] === word_of(3), "misplaced words");
        end
    endtask

    // A long wait on either side holds everything, and nothing of it is lost.
    task still;
        begin
            start(8, 1, 8'd0);
            receive <= {1'b0, MULTICAST, word_of(0)};
            repeat (500) @(posedge clk);
            check(receive_wait && !idle, "O4: no buffer, so the stream waits");
            receive <= 20'd0;
            receive_one(1, 3, END_OF_PACKET);
        end
    endtask

    integer pass;
    initial begin
        begin_bench;
        repeat (2) @(posedge clk);
        for (pass = 0; pass < 3; pass = pass + 1) begin
            stalls = pass * 30;
            rings(0);
            rings(7);
            areas;
            aborts;
            misplaced;
            still;
            start(8, 2, 8'd0);
            send_one(255, 1);
            send_one(256, 0);
            send_one(257, 1);
            send_one(515, 2);
            send_one(0, 0);
            send_one(0, 3);
        end
        stalls = 0;
        start(8191, 2, 8'd0);
        receive_one(3, 8188, END_OF_PACKET);
        receive_one(3, 8196, END_OF_PACKET);
        check(memory[RECEIVE_BUFFER + 16 + 8190] === word_of(8190), "the last word that fits");
        send_one(1, 8190);
        check(idle, "idle at the end");
        verdict;
    end
endmodule

`default_nettype wire
