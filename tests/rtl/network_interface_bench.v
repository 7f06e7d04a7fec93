// Everything network_interface_tb.v needs around one network_interface: RAM behind the arbiter, a source and a sink
// with random stalls, a core that hammers RAM, firmware that owns the rings, and a scoreboard over all of it.
//
// Checked in every clock: what the sink takes is what firmware queued, word for word; a held word stays; nothing is
// written but posted buffers and stamps; a quiet network_interface stays quiet. Checked per packet received: counts, kind,
// info, stamps, every word. Checked at the end: the counters.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module network_interface_bench #(
    parameter WORD_WIDTH = 16,
    parameter SALT = 0           // tells the random sequences of two benches apart
) (
    output reg done,
    output reg failed
);
    `include "tags.vh"
    localparam LINK = WORD_WIDTH + 3;
    localparam BUFFERS = 8;
    localparam PLACE = 700;              // words between two buffers
    localparam RECEIVE_RING = 0, SEND_RING = 512, RECEIVE_BUFFERS = 1024, SEND_BUFFERS = 6700, CORE_AREA = 13000;
    localparam HISTORY = 64;             // packets the scoreboard keeps

    function is_end(input [2:0] tag);
        is_end = tag == END_OF_PACKET || tag == ABORT_PACKET;
    endfunction

    reg clk, reset;
    integer seed;

    initial {clk, reset} = 2'b01;
    always #5 clk = !clk;

    reg [63:0] now;
    always @(posedge clk) now <= reset ? 64'hffff_ff00 : now + 64'd1;

    function [31:0] uniform(input integer below);
        uniform = $unsigned($random(seed)) % below;
    endfunction

    function percent(input integer chance);
        percent = $unsigned($random(seed)) % 100 < chance;
    endfunction

    task fail(input [8*60-1:0] what);
        begin
            if (!failed)
                $display("%0d bits, clock %0d: %0s", WORD_WIDTH, now, what);
            failed = 1'b1;
        end
    endtask

    // Design under test, with the arbiter and the counters it lives with.
    reg         bus_cyc, bus_stb, bus_we;
    reg [11:2]  bus_adr;
    reg [31:0]  bus_dat_w;
    reg [3:0]   bus_sel;
    wire [31:0] bus_dat_r;
    wire        bus_ack;
    wire        receive_req, receive_we, receive_soon, receive_gnt, send_req, send_we, send_soon, send_gnt, ram_req, ram_we;
    wire [31:2] receive_addr, send_addr, ram_addr;
    wire [31:0] receive_wdata, send_wdata, ram_wdata;
    wire [3:0]  ram_sel;
    reg [31:0]  ram_rdata;
    reg         core_req, core_we;
    reg [31:2]  core_addr;
    reg [31:0]  core_wdata;
    wire        core_gnt;
    wire [LINK-1:0] send;
    reg             send_wait;
    reg [LINK:0]    receive;
    wire            receive_wait;
    reg             uart_has_byte, timer_expired;
    wire [5:0]      counter_select;
    wire [31:0]     counter_value;
    wire            counter_ready;
    wire event_received, event_received_aborted, event_received_oversize, event_receive_wait, event_sent, event_send_wait;
    wire event_received_discarded, relief, wait_pending, idle;
    reg [15:0] receive_patience = 16'd0;

    network_interface #(.WORD_WIDTH(WORD_WIDTH)) dut (
        .clk(clk), .reset(reset), .bus_cyc(bus_cyc), .bus_stb(bus_stb), .bus_we(bus_we), .bus_adr(bus_adr),
        .bus_dat_w(bus_dat_w), .bus_sel(bus_sel), .bus_dat_r(bus_dat_r), .bus_ack(bus_ack),
        .receive_req(receive_req), .receive_we(receive_we), .receive_addr(receive_addr),
        .receive_wdata(receive_wdata), .receive_soon(receive_soon), .receive_gnt(receive_gnt), .send_req(send_req),
        .send_we(send_we),
        .send_addr(send_addr), .send_wdata(send_wdata), .send_soon(send_soon), .send_gnt(send_gnt), .ram_rdata(ram_rdata),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait), .receive_patience(receive_patience),
        .relief(relief), .now(now[31:0]),
        .uart_has_byte(uart_has_byte), .timer_expired(timer_expired), .counter_select(counter_select),
        .counter_value(counter_value), .counter_ready(counter_ready), .event_received(event_received),
        .event_received_aborted(event_received_aborted), .event_received_oversize(event_received_oversize),
        .event_received_discarded(event_received_discarded), .event_receive_wait(event_receive_wait),
        .event_sent(event_sent), .event_send_wait(event_send_wait), .wait_pending(wait_pending), .idle(idle)
    );

    ram_arbiter arbiter (
        .clk(clk), .reset(reset), .core_req(core_req), .core_we(core_we), .core_addr(core_addr),
        .core_wdata(core_wdata), .core_sel(4'hf), .core_gnt(core_gnt), .receive_req(receive_req),
        .receive_we(receive_we), .receive_addr(receive_addr), .receive_wdata(receive_wdata), .receive_sel(4'hf),
        .receive_soon(receive_soon), .receive_gnt(receive_gnt), .send_req(send_req), .send_we(send_we), .send_addr(send_addr),
        .send_wdata(send_wdata), .send_sel(4'hf), .send_soon(send_soon), .send_gnt(send_gnt), .ram_req(ram_req),
        .ram_we(ram_we),
        .ram_addr(ram_addr), .ram_wdata(ram_wdata), .ram_sel(ram_sel)
    );

    event_counters #(.LINKS(4), .SWEPT_READ(WORD_WIDTH == 32)) counters (
        .clk(clk), .reset(reset), .fabric_events(64'd0),
        .event_received(event_received), .event_received_aborted(event_received_aborted),
        .event_received_oversize(event_received_oversize), .event_received_discarded(event_received_discarded),
        .event_receive_wait(event_receive_wait), .event_sent(event_sent), .event_send_wait(event_send_wait),
        .select(counter_select), .value(counter_value), .ready(counter_ready)
    );

    // RAM: what was read is there for one clock only, then it is garbage.
    reg [31:0] memory [0:16383];
    reg        postable [0:16383];       // words of posted buffers that the receive side may write
    reg        stampable [0:16383];
    always @(posedge clk) begin
        ram_rdata <= ram_req && !ram_we ? memory[ram_addr[15:2]] : $random(seed);
        if (ram_req && ram_we) memory[ram_addr[15:2]] <= ram_wdata;
        if (!reset && ^{receive_req, send_req, receive_wait} === 1'bx) fail("unknown bits on RAM requests or wait");
        if (ram_req && ^ram_addr === 1'bx) fail("unknown address");
        if (ram_req && ram_addr[31:16] != 16'h8000) fail("access outside RAM");
        if (ram_req && ram_we && ram_sel != 4'hf) fail("byte lanes");
        if (receive_gnt && receive_we && !postable[receive_addr[15:2]]) fail("receive wrote outside the posted buffers");
        if (send_gnt && send_we && !stampable[send_addr[15:2]]) fail("send wrote something else than a stamp");
    end

    // Core: `hammer` percent of the clocks it may ask in; never in two clocks running unless `greedy`.
    integer    hammer;
    reg        greedy, core_read_due;
    reg [31:0] core_expected, core_words;
    integer    core_waits;
    always @(posedge clk) begin
        if (core_read_due && ram_rdata !== core_expected) fail("core read something else than it wrote");
        core_read_due <= core_req && core_gnt && !core_we;
        core_expected <= memory[core_addr[15:2]];
        if (core_req && core_gnt) core_words <= core_words + 32'd1;
        core_waits <= reset || !core_req || core_gnt ? 0 : core_waits + 1;
        if (core_waits > 2) fail("the core waited more than two clocks for RAM");
        if (reset)
            core_req <= 1'b0;
        else if (!core_req || core_gnt) begin
            core_req <= percent(hammer) && (greedy || !core_req);
            core_we <= percent(30);
            core_addr <= {16'h8000, 14'd0} + CORE_AREA + uniform(3000);
            core_wdata <= $random(seed);
        end
    end

    // Source: shows the words of source_words as a fifo_buffer would.
    reg [LINK:0] source_words [0:65535];
    reg [31:0]   source_end, source_next, moved_in;
    integer      source_gaps;            // percent of clocks without a word
    integer      null_targets;           // percent of site words with one behind, and of packets with one ahead
    reg          source_open;
    reg [31:0]   packets_in;
    reg [31:0]   first_in [0:HISTORY-1], last_in [0:HISTORY-1];
    wire [2:0]   tag_in = receive[WORD_WIDTH +: 3];
    wire         shown_in = tag_in != 3'd0;
    wire         moves_in = shown_in && !receive_wait;
    wire         ends_in = is_end(tag_in);
    always @(posedge clk)
        if (reset) begin
            receive <= {(LINK+1){1'b0}};
            source_next <= 32'd0;
            source_open <= 1'b0;
            packets_in <= 32'd0;
        end else begin
            if (moves_in && tag_in != NULL_TARGET) begin
                moved_in <= moved_in + 32'd1;
                if (!source_open) first_in[packets_in % HISTORY] <= now[31:0];
                if (ends_in) begin
                    last_in[packets_in % HISTORY] <= now[31:0];
                    if (tag_in == END_OF_PACKET) packets_in <= packets_in + 32'd1;
                end
                source_open <= !ends_in;
            end
            if (moves_in || !shown_in) begin
                if (source_next != source_end && !percent(source_gaps)) begin
                    receive <= source_words[source_next[15:0]];
                    source_next <= source_next + 32'd1;
                end else
                    receive <= {(LINK+1){1'b0}};
            end
        end

    // Sink: compares with what firmware queued.
    reg [LINK-1:0] sink_words [0:65535];
    reg [31:0]     sink_end, sink_next, packets_out;
    integer        sink_stalls;          // percent of clocks with wait
    reg            sink_open, held;
    reg [LINK-1:0] send_before;
    reg [31:0]     first_out [0:HISTORY-1], last_out [0:HISTORY-1];
    reg [31:0]     waits_out;
    wire           shown_out = send[WORD_WIDTH +: 3] != 3'd0;
    wire           moves_out = shown_out && !send_wait;
    wire           ends_out = send[WORD_WIDTH +: 3] == END_OF_PACKET;
    always @(posedge clk)
        if (reset) begin
            send_wait <= 1'b1;
            sink_next <= 32'd0;
            sink_open <= 1'b0;
            packets_out <= 32'd0;
            held <= 1'b0;
            waits_out <= 32'd0;
        end else begin
            send_wait <= percent(sink_stalls);
            held <= shown_out && send_wait;
            send_before <= send;
            if (^send === 1'bx) fail("unknown bits on send");
            if (!shown_out && send != {LINK{1'b0}}) fail("null_transmission is not all zeroes");
            if (held && send !== send_before) fail("a word changed while it was held");
            if (shown_out && send_wait) waits_out <= waits_out + 32'd1;
            if (moves_out) begin
                if (sink_next == sink_end) fail("a word too many was sent");
                else if (send !== sink_words[sink_next[15:0]]) fail("wrong word sent");
                sink_next <= sink_next + 32'd1;
                if (!sink_open) first_out[packets_out % HISTORY] <= now[31:0];
                if (ends_out) begin
                    last_out[packets_out % HISTORY] <= now[31:0];
                    packets_out <= packets_out + 32'd1;
                end
                sink_open <= !ends_out;
            end
        end

    // Clocks in which a word waits because no buffer is posted (O4).
    reg [31:0] waits_in;
    always @(posedge clk)
        if (reset) waits_in <= 32'd0;
        else if (shown_in && dut.receive_enable && dut.receive_producer == dut.receive_consumer) begin
            waits_in <= waits_in + 32'd1;
            if (!receive_wait) fail("a word was taken without a buffer");
        end

    // Rings as hardware has used them: takes away the right to write as soon as a packet is complete.
    reg [31:0] received_events, sent_events;
    integer    posted_buffer [0:HISTORY-1], queued_buffer [0:HISTORY-1];
    task permit_receive(input integer buffer, input permitted);
        integer k;
        for (k = 0; k < 16 + capacity; k = k + 1)
            postable[buffer + k] = permitted && (k < 12 || k > 15);
    endtask
    task permit_stamps(input integer buffer, input permitted);
        {stampable[buffer + 2], stampable[buffer + 3]} = {2{permitted}};
    endtask
    always @(posedge clk)
        if (reset) begin
            received_events = 0;
            sent_events = 0;
        end else begin
            #1;
            if (received_events[7:0] != dut.receive_consumer && !reset) begin
                permit_receive(posted_buffer[received_events % HISTORY], 1'b0);
                received_events = received_events + 1;
            end
            if (sent_events[7:0] != dut.send_consumer && !reset) begin
                permit_stamps(queued_buffer[sent_events % HISTORY], 1'b0);
                sent_events = sent_events + 1;
            end
        end

    // Quiet is a state nothing but an input ends.
    reg quiet_before, served, ticks, byte_comes, time_is_up;     // ticks: UART and timer end reads of NI_WAIT too
    always @(posedge clk) begin
        if (quiet_before && !(wait_pending && idle) && !shown_in && !uart_has_byte && !timer_expired && bus_cyc && !reset)
            fail("quiet ended by itself");
        quiet_before <= wait_pending && idle && !reset;
        if (dut.receive_read && dut.receive_take) fail("a stamp is read while it is taken");
        if (wait_pending && idle && (receive_req || send_req)) fail("quiet, yet using RAM");
        timer_expired <= time_is_up || !served && (timer_expired || (ticks && wait_pending && uniform(40) == 0));
        uart_has_byte <= byte_comes || !served && (uart_has_byte || (ticks && wait_pending && uniform(80) == 0));
    end

    // Firmware's bus.
    reg [31:0] result;
    task bus_write(input [11:0] offset, input [31:0] value);
        begin
            {bus_cyc, bus_stb, bus_we, bus_sel} <= 7'b1111111;
            bus_adr <= offset[11:2];
            bus_dat_w <= value;
            @(posedge clk);
            while (!bus_ack) @(posedge clk);
            {bus_cyc, bus_stb, bus_we} <= 3'b000;
        end
    endtask
    task bus_read(input [11:0] offset);
        begin
            {bus_cyc, bus_stb, bus_we, bus_sel} <= 7'b1101111;
            bus_adr <= offset[11:2];
            @(posedge clk);
            while (!bus_ack) @(posedge clk);
            result = bus_dat_r;
            {bus_cyc, bus_stb, bus_we} <= 3'b000;
        end
    endtask

    // Firmware's state, and what the scoreboard expects.
    integer    capacity, receive_log2, send_log2;
    reg [31:0] posted, handled_receive, queued, handled_send, packets_made, sends_made;
    reg [31:0] aborted_expected, oversize_expected;
    reg        receive_used [0:BUFFERS-1], send_used [0:BUFFERS-1];
    integer    place_of [0:BUFFERS-1], send_place_of [0:BUFFERS-1];
    reg [31:0] expected_words [0:HISTORY*1024-1];
    reg [255:0] expected_info [0:HISTORY-1];
    reg [31:0] expected_counts [0:HISTORY-1], expected_kind [0:HISTORY-1];
    integer    model_targets, model_words;
    reg        model_data, model_over, model_multicast, model_any;
    reg [255:0] model_info;

    function [WORD_WIDTH-1:0] any_word(input integer dummy);
        any_word = percent(20) ? {WORD_WIDTH{1'b0}} : $random(seed);
    endfunction

    // One word of a packet to receive, and its effect on the buffer as registers.ini and packet.ini describe it.
    task source_word(input [2:0] tag);
        reg [WORD_WIDTH-1:0] word;
        begin
            word = any_word(0);
            if (tag == NULL_TARGET || is_end(tag)) word = {WORD_WIDTH{1'b0}};
            source_words[source_end[15:0]] = {1'b0, tag, word};
            source_end = source_end + 1;
            if (tag != NULL_TARGET && !is_end(tag)) begin
                if (!model_any) model_multicast = tag == MULTICAST;
                model_any = 1'b1;
                if (tag == DATA) model_data = 1'b1;
                if (model_words >= capacity || (!model_data && model_targets == 256))
                    model_over = 1'b1;
                else begin
                    expected_words[(packets_made % HISTORY) * 1024 + model_words] = word;
                    model_words = model_words + 1;
                    if (!model_data) begin
                        model_info[model_targets] = tag == INFO;
                        model_targets = model_targets + 1;
                    end
                end
            end
        end
    endtask

    task source_targets(input integer count, input integer infos, input multicast);
        integer k;
        for (k = 0; k < count; k = k + 1) begin
            source_word(k != 0 && percent(infos) ? INFO : multicast ? MULTICAST : UNICAST);
            if (percent(null_targets)) source_word(NULL_TARGET);
        end
    endtask

    task model_start;
        begin
            {model_data, model_over, model_multicast, model_any} = 4'd0;
            model_info = 256'd0;
            model_targets = 0;
            model_words = 0;
        end
    endtask

    task source_terminator(input [3:0] tag);
        begin
            source_words[source_end[15:0]] = {tag, {WORD_WIDTH{1'b0}}};
            source_end = source_end + 1;
            if (tag == ABORT_PACKET)
                aborted_expected = aborted_expected + 1;
            else begin
                expected_info[packets_made % HISTORY] = model_info;
                expected_counts[packets_made % HISTORY] = {model_targets[15:0], model_words[15:0] - model_targets[15:0]};
                expected_kind[packets_made % HISTORY] = {22'd0, model_over, model_multicast, 4'd0, tag};
                if (model_over) oversize_expected = oversize_expected + 1;
                packets_made = packets_made + 1;
            end
        end
    endtask

    task make_packet(input integer targets, input integer infos, input integer words, input integer aborts);
        integer k;
        begin
            model_start;
            if (percent(null_targets)) source_word(NULL_TARGET);
            source_targets(targets, infos, percent(50));
            for (k = 0; k < words; k = k + 1) source_word(DATA);
            source_terminator(percent(aborts) ? ABORT_PACKET : percent(50) ? END_OF_PACKET : LOCAL_END);
        end
    endtask

    task make_random_packet;
        case (uniform(20))
            0:       make_packet(0, 0, 0, 30);
            1:       make_packet(250 + uniform(12), 30, uniform(20), 10);
            2, 3:    make_packet(28 + uniform(9), 50, uniform(9), 20);
            4:       make_packet(60 + uniform(9), 20, 0, 20);
            5, 6:    make_packet(1 + uniform(4), 30, capacity, 20);
            7:       make_packet(2, 50, capacity - 2, 0);
            8:       make_packet(1, 0, 0, 20);
            default: make_packet(1 + uniform(8), 30, uniform(30), 20);
        endcase
    endtask

    task check_packet;
        integer    buffer, k, slot, words;
        reg [31:0] info_word;
        begin
            slot = handled_receive % HISTORY;
            buffer = posted_buffer[slot];
            words = expected_counts[slot][31:16] + expected_counts[slot][15:0];
            if (memory[buffer] !== expected_counts[slot]) fail("counts");
            if (memory[buffer + 1] !== expected_kind[slot]) fail("kind");
            if (memory[buffer + 2] !== first_in[slot]) fail("stamp_first");
            if (memory[buffer + 3] !== last_in[slot]) fail("stamp_last");
            for (k = 0; k < words; k = k + 1)
                if (memory[buffer + 16 + k] !== expected_words[slot * 1024 + k]) fail("wrong word received");
            for (k = 0; k < expected_counts[slot][31:16]; k = k + 1) begin
                info_word = memory[buffer + 4 + k / 32];
                if (info_word[k % 32] !== expected_info[slot][k]) fail("info");
            end
            handled_receive = handled_receive + 1;
            for (k = 0; k < BUFFERS; k = k + 1)
                if (place_of[k] == buffer) receive_used[k] = 1'b0;
        end
    endtask

    task check_sent;
        integer buffer, k, slot;
        begin
            slot = handled_send % HISTORY;
            buffer = queued_buffer[slot];
            if (memory[buffer + 2] !== first_out[slot]) fail("stamp_first of a sent packet");
            if (memory[buffer + 3] !== last_out[slot]) fail("stamp_last of a sent packet");
            handled_send = handled_send + 1;
            for (k = 0; k < BUFFERS; k = k + 1)
                if (send_place_of[k] == buffer) send_used[k] = 1'b0;
        end
    endtask

    // Posts a free buffer, if there is one and the ring has room.
    task post;
        integer k, n;
        begin
            k = uniform(BUFFERS);
            for (n = 0; n < BUFFERS && receive_used[k]; n = n + 1) k = (k + 1) % BUFFERS;
            if (!receive_used[k] && posted - handled_receive < (1 << receive_log2)) begin
                receive_used[k] = 1'b1;
                place_of[k] = RECEIVE_BUFFERS + k * PLACE + uniform(16);
                for (n = 0; n < 16; n = n + 1) memory[place_of[k] + n] = $random(seed);
                permit_receive(place_of[k], 1'b1);
                posted_buffer[posted % HISTORY] = place_of[k];
                memory[RECEIVE_RING + posted % (1 << receive_log2)] = 32'h8000_0000 + 4 * place_of[k] + uniform(4);
                posted = posted + 1;
                bus_write(`POSTROAD_NI_RECEIVE_PRODUCER, posted);
            end
        end
    endtask

    // The target words of a packet that go: all of them, or some, as a field of 8 bits can say it.
    integer first_target, end_target;
    task draw_targets(input integer targets);
        integer most;
        begin
            most = targets < 256 ? targets : 255;
            {first_target, end_target} = {32'd0, targets};
            if (percent(30)) first_target = uniform(most);
            if (percent(30)) end_target = first_target + 1 + uniform(most - first_target);
        end
    endtask

    // Fills a buffer with a packet to send; what must appear on the stream goes to the sink.
    task fill(input integer buffer, input integer targets, input integer words);
        integer    k;
        reg        multicast, is_info;
        reg [31:0] word;
        begin
            multicast = percent(50);
            draw_targets(targets);
            memory[buffer] = {targets[15:0], words[15:0]};
            memory[buffer + 1] = ($random(seed) & 32'h0000_fe00) | {23'd0, multicast, 8'd0} |
                                 first_target << `POSTROAD_KIND_FIRST_SHIFT |
                                 (end_target == targets && percent(50) ? 0 : end_target) << `POSTROAD_KIND_END_SHIFT;
            for (k = 4; k < 12; k = k + 1) memory[buffer + k] = $random(seed);
            memory[buffer + 4] = memory[buffer + 4] & 32'hffff_fffe;
            for (k = 0; k < targets + words; k = k + 1) begin
                word = percent(20) ? 32'd0 : $random(seed);
                memory[buffer + 16 + k] = word;
                is_info = memory[buffer + 4 + k / 32] >> (k % 32);
                if (k >= targets || k >= first_target && k < end_target) begin
                    sink_words[sink_end[15:0]] = {k >= targets ? DATA : is_info ? INFO : multicast ? MULTICAST : UNICAST,
                                                  word[WORD_WIDTH-1:0]};
                    sink_end = sink_end + 1;
                end
            end
            sink_words[sink_end[15:0]] = {END_OF_PACKET, {WORD_WIDTH{1'b0}}};
            sink_end = sink_end + 1;
        end
    endtask

    task queue_packet(input integer targets, input integer words);
        integer k, n;
        begin
            k = uniform(BUFFERS);
            for (n = 0; n < BUFFERS && send_used[k]; n = n + 1) k = (k + 1) % BUFFERS;
            if (!send_used[k] && queued - handled_send < (1 << send_log2)) begin
                send_used[k] = 1'b1;
                send_place_of[k] = SEND_BUFFERS + k * PLACE + uniform(16);
                fill(send_place_of[k], targets, words);
                permit_stamps(send_place_of[k], 1'b1);
                queued_buffer[queued % HISTORY] = send_place_of[k];
                memory[SEND_RING + queued % (1 << send_log2)] = 32'h8000_0000 + 4 * send_place_of[k];
                queued = queued + 1;
                bus_write(`POSTROAD_NI_SEND_PRODUCER, queued);
            end
        end
    endtask

    task queue_random_packet;
        case (uniform(12))
            0:       queue_packet(250 + uniform(7), uniform(20));
            1:       queue_packet(30 + uniform(5), uniform(5));
            2:       queue_packet(64, 0);
            3:       queue_packet(1, 0);
            4:       queue_packet(1, 300);
            default: queue_packet(1 + uniform(8), uniform(30));
        endcase
    endtask

    // Reads what is complete; with `stand` after a read of NI_WAIT.
    task collect(input stand);
        begin
            if (stand) begin
                bus_write(`POSTROAD_NI_SEEN, {handled_send[7:0], handled_receive[7:0]});
                bus_read(`POSTROAD_NI_WAIT);
                if (result == 0 || result > 15) fail("NI_WAIT ended without a reason");
                if (result[0] && dut.receive_consumer == handled_receive[7:0]) fail("NI_WAIT: no packet received");
                if (result[1] && dut.send_consumer == handled_send[7:0]) fail("NI_WAIT: no packet sent");
                if (result[2] && !uart_has_byte) fail("NI_WAIT: no byte");
                if (result[3] && !timer_expired) fail("NI_WAIT: no timer");
                served <= 1'b1;
                @(posedge clk);
                served <= 1'b0;
            end
            bus_read(`POSTROAD_NI_RECEIVE_CONSUMER);
            while (handled_receive[7:0] != result[7:0] && !failed) check_packet;
            bus_read(`POSTROAD_NI_SEND_CONSUMER);
            while (handled_send[7:0] != result[7:0] && !failed) check_sent;
        end
    endtask

    task expect_counter(input [5:0] index, input [31:0] value, input [8*20-1:0] name);
        begin
            bus_read(`POSTROAD_NI_COUNTER + {4'd0, index, 2'd0});
            if (result !== value) begin
                fail("counter");
                $display("counter %0s is %0d, expected %0d", name, result, value);
            end
        end
    endtask

    task start(input integer words, input integer log2_receive, input integer log2_send);
        integer k;
        begin
            reset <= 1'b1;
            {source_end, sink_end, posted, handled_receive, queued, handled_send} = 192'd0;
            {packets_made, sends_made, aborted_expected, oversize_expected, moved_in, core_words} = 192'd0;
            for (k = 0; k < BUFFERS; k = k + 1) {receive_used[k], send_used[k]} = 2'b00;
            for (k = 0; k < 16384; k = k + 1) {postable[k], stampable[k]} = 2'b00;
            capacity = words;
            receive_log2 = log2_receive;
            send_log2 = log2_send;
            repeat (3) @(posedge clk);
            reset <= 1'b0;
            @(posedge clk);
            bus_write(`POSTROAD_NI_RECEIVE_RING, 32'h8000_0000 + 4 * RECEIVE_RING);
            bus_write(`POSTROAD_NI_RECEIVE_RING_LOG2, receive_log2);
            bus_write(`POSTROAD_NI_RECEIVE_WORDS, capacity);
            bus_write(`POSTROAD_NI_SEND_RING, 32'h8000_0000 + 4 * SEND_RING);
            bus_write(`POSTROAD_NI_SEND_RING_LOG2, send_log2);
            bus_write(`POSTROAD_NI_CONTROL, 32'd3);
        end
    endtask

    task finish_counts;
        begin
            expect_counter(`POSTROAD_COUNTER_RECEIVED_PACKETS, packets_made, "received_packets");
            expect_counter(`POSTROAD_COUNTER_RECEIVED_ABORTED, aborted_expected, "received_aborted");
            expect_counter(`POSTROAD_COUNTER_RECEIVED_OVERSIZE, oversize_expected, "received_oversize");
            expect_counter(`POSTROAD_COUNTER_RECEIVE_WAITS, waits_in, "receive_waits");
            expect_counter(`POSTROAD_COUNTER_SENT_PACKETS, queued, "sent_packets");
            expect_counter(`POSTROAD_COUNTER_SENT_WAITS, waits_out, "sent_waits");
            if (sink_next != sink_end) fail("words were not sent");
        end
    endtask

    // Random traffic both ways until `packets` went each way.
    task traffic(input integer packets, input integer eagerness);
        integer    patience;
        reg [31:0] progress;
        begin
            patience = 0;
            progress = 0;
            while (!failed && (packets_made + aborted_expected < packets || sends_made < packets ||
                               handled_receive != packets_made || handled_send != queued || source_next != source_end ||
                               shown_in)) begin
                if (packets_made + aborted_expected < packets && source_end - source_next < 800 &&
                    packets_made - handled_receive < HISTORY - 4) make_random_packet;
                if (percent(eagerness)) post;
                if (sends_made < packets && percent(eagerness)) begin
                    queue_random_packet;
                    sends_made = queued;
                end
                if (percent(50)) collect(percent(50));
                patience = source_next + sink_next == progress ? patience + 1 : 0;
                progress = source_next + sink_next;
                if (patience > 3000) fail("no progress");
            end
            repeat (20) @(posedge clk);
            if (!idle && !failed) fail("not idle at the end");
        end
    endtask

    // Words and terminators moved in `clocks`, long packets both ways as asked.
    integer    measured_in, measured_out, measured_core, start_clock, long_words;
    task measure(input go_in, input go_out, input integer core_percent, input core_greedy, input integer words);
        integer k;
        begin
            start(600, 3, 3);
            {source_gaps, sink_stalls} = 64'd0;
            hammer = core_percent;
            greedy = core_greedy;
            for (k = 0; k < BUFFERS; k = k + 1) begin
                if (go_in) post;
                if (go_out) queue_packet(1, words);
            end
            if (go_in) for (k = 0; k < BUFFERS; k = k + 1) make_packet(1, 0, words, 0);
            while (!failed && (handled_receive != packets_made || handled_send != queued)) collect(1'b0);
            measured_in = 0;
            measured_out = 0;
            if (go_in) measured_in = 1000 * (BUFFERS * (words + 2) - 1) / (last_in[BUFFERS-1] - first_in[0]);
            if (go_out) measured_out = 1000 * (BUFFERS * (words + 2) - 1) / (last_out[BUFFERS-1] - first_out[0]);
            if (go_in) long_words = last_in[2] - first_in[2]; else long_words = last_out[2] - first_out[2];
            hammer = 0;
        end
    endtask

    task show(input [8*40-1:0] what);
        $display("%0d bits, %0s: receive %0d.%03d, send %0d.%03d words a clock", WORD_WIDTH, what, measured_in / 1000,
                 measured_in % 1000, measured_out / 1000, measured_out % 1000);
    endtask

    task gap_check(input [31:0] first, input [31:0] last_before, input [8*10-1:0] side);
        if (first - last_before != 8) begin
            fail("clocks between packets");
            $display("%0s: %0d clocks from a terminator to the next word, expected 8", side, first - last_before);
        end
    endtask

    // Latencies of an idle network_interface: doorbell to first word, terminator to NI_RECEIVE_CONSUMER.
    reg [31:0] rang;
    task latencies;
        begin
            start(64, 2, 2);
            {source_gaps, sink_stalls, hammer} = 96'd0;
            queue_packet(1, 1);
            rang = now;
            repeat (30) @(posedge clk);
            post;
            make_packet(1, 0, 1, 0);
            while (!event_received) @(posedge clk);
            $display("%0d bits: first word %0d clocks after NI_SEND_PRODUCER, counted %0d after its terminator",
                     WORD_WIDTH, first_out[0] - rang, now[31:0] - last_in[0] + 1);
            if (first_out[0] - rang != 8 || now[31:0] - last_in[0] != 6) fail("latency");
        end
    endtask

    task measure_all;
        begin
            latencies;
            measure(1'b1, 1'b0, 0, 1'b0, 500); show("receive alone");
            if (long_words != 501) fail("receive is not at one word a clock");
            gap_check(first_in[2], last_in[1], "receive");
            measure(1'b0, 1'b1, 0, 1'b0, 500); show("send alone");
            if (long_words != 501) fail("send is not at one word a clock");
            gap_check(first_out[2], last_out[1], "send");
            measure(1'b1, 1'b1, 0, 1'b0, 500); show("both");
            measure(1'b1, 1'b0, 100, 1'b0, 500); show("receive, core in every second clock");
            measure(1'b0, 1'b1, 100, 1'b0, 500); show("send, core in every second clock");
            measure(1'b1, 1'b1, 100, 1'b0, 500); show("both, core in every second clock");
            measure(1'b1, 1'b1, 100, 1'b1, 500); show("both, core in every clock");
            measure(1'b1, 1'b1, 0, 1'b0, 10); show("both, packets of 12 words");
            measure(1'b1, 1'b0, 0, 1'b0, 10); show("receive alone, packets of 12 words");
            measure(1'b0, 1'b1, 0, 1'b0, 10); show("send alone, packets of 12 words");
        end
    endtask

    // A packet comes at each distance before and after the read of NI_WAIT: none may be slept through.
    task wait_races;
        integer    distance;
        reg [63:0] started;
        begin
            start(64, 2, 2);
            {source_gaps, sink_stalls, hammer} = 96'd0;
            for (distance = 0; distance < 40 && !failed; distance = distance + 1) begin
                post;
                bus_write(`POSTROAD_NI_SEEN, {handled_send[7:0], handled_receive[7:0]});
                make_packet(1, 0, 3, 0);
                repeat (distance) @(posedge clk);
                bus_write(`POSTROAD_NI_SEND_RING, 32'h8000_0000 + 4 * SEND_RING);
                started = now;
                result = 0;
                while (!result[0] && !failed) begin
                    bus_read(`POSTROAD_NI_WAIT);
                    if (now - started > 60) fail("NI_WAIT slept through a packet");
                end
                collect(1'b0);
            end
        end
    endtask

    // A read of NI_WAIT that timer, UART or both end.
    task wait_for_level(input [1:0] levels, input [31:0] reasons);
        begin
            {time_is_up, byte_comes} <= levels;
            bus_read(`POSTROAD_NI_WAIT);
            if (result != reasons) fail("NI_WAIT: wrong reasons");
            {time_is_up, byte_comes, served} <= 3'b001;
            repeat (2) @(posedge clk);
            served <= 1'b0;
            @(posedge clk);
        end
    endtask

    // Registers that a walk over the map cannot judge.
    task register_cases;
        begin
            start(64, 2, 2);
            bus_write(`POSTROAD_NI_SEEN, 32'h0000_0100);
            {bus_cyc, bus_stb, bus_we, bus_sel, bus_dat_w} <= {7'b1110011, 32'd0};
            bus_adr <= `POSTROAD_NI_SEEN >> 2;
            repeat (2) @(posedge clk);
            {bus_cyc, bus_stb, bus_we} <= 3'b000;
            @(posedge clk);
            bus_read(`POSTROAD_NI_WAIT);
            if (result != 32'h2) fail("a write of half a word changed NI_SEEN");
            bus_write(`POSTROAD_NI_SEEN, 32'd0);
            {bus_cyc, bus_stb, bus_we} <= 3'b110;
            bus_adr <= `POSTROAD_NI_WAIT >> 2;
            repeat (30) @(posedge clk);
            if (bus_ack || !wait_pending || !idle) fail("NI_WAIT with nothing to do");
            {bus_cyc, bus_stb} <= 2'b00;
            repeat (2) @(posedge clk);
            if (bus_ack || wait_pending) fail("NI_WAIT after its master gave up");
            wait_for_level(2'b01, 32'h4);
            wait_for_level(2'b10, 32'h8);
            wait_for_level(2'b11, 32'hc);
        end
    endtask

    // enable counts between packets only: a packet that is open is completed, a buffer that was fetched is forgotten.
    task enable_cases;
        integer other;
        begin
            start(64, 2, 2);
            post;
            repeat (20) @(posedge clk);
            bus_write(`POSTROAD_NI_CONTROL, 32'd0);
            repeat (5) @(posedge clk);
            if (!idle) fail("disabled, yet not idle");
            permit_receive(posted_buffer[0], 1'b0);
            other = posted_buffer[0] + 1;
            place_of[0] = other;
            posted_buffer[0] = other;
            permit_receive(other, 1'b1);
            memory[RECEIVE_RING + 256] = 32'h8000_0000 + 4 * other;
            bus_write(`POSTROAD_NI_RECEIVE_RING, 32'h8000_0000 + 4 * (RECEIVE_RING + 256));
            queue_packet(2, 40);
            make_packet(2, 0, 40, 0);
            repeat (60) @(posedge clk);
            if (moved_in != 0 || sink_next != 0) fail("a word moved while disabled");
            {source_gaps, sink_stalls} = {32'd50, 32'd50};
            bus_write(`POSTROAD_NI_CONTROL, 32'd3);
            repeat (30) @(posedge clk);
            bus_write(`POSTROAD_NI_CONTROL, 32'd0);
            queue_packet(1, 1);
            make_packet(1, 0, 1, 0);
            posted_buffer[1] = other < RECEIVE_BUFFERS + 4 * PLACE ? other + 2 * PLACE : other - 2 * PLACE;
            memory[RECEIVE_RING + 257] = 32'h8000_0000 + 4 * posted_buffer[1];
            permit_receive(posted_buffer[1], 1'b1);
            posted = 2;
            bus_write(`POSTROAD_NI_RECEIVE_PRODUCER, posted);
            repeat (400) @(posedge clk);
            collect(1'b0);
            if (handled_receive != 1 || handled_send != 1) fail("disabled in a packet: it was not completed");
            if (packets_out != 1 || moved_in != 43) fail("disabled in a packet: the next one began");
            bus_write(`POSTROAD_NI_CONTROL, 32'd3);
            repeat (60) @(posedge clk);
            collect(1'b0);
            if (handled_receive != 2 || handled_send != 2) fail("enabled again, the next packet did not move");
            if (!failed) finish_counts;
        end
    endtask

    // enable is cleared at each distance before and after the first word of a packet: never is a packet left open.
    task enable_races;
        integer distance;
        begin
            start(64, 2, 2);
            {source_gaps, sink_stalls, hammer} = 96'd0;
            for (distance = 0; distance < 30 && !failed; distance = distance + 1) begin
                post;
                repeat (10) @(posedge clk);
                make_packet(1, 0, 20, 0);
                repeat (distance) @(posedge clk);
                bus_write(`POSTROAD_NI_CONTROL, 32'd0);
                repeat (80) @(posedge clk);
                if (source_open) fail("disabled, and a packet is left open");
                bus_write(`POSTROAD_NI_CONTROL, 32'd3);
                repeat (60) @(posedge clk);
                collect(1'b0);
                if (handled_receive != packets_made) fail("disabled and enabled, a packet is missing");
            end
        end
    endtask

    integer round, rounds;
    initial begin
        done = 1'b0;
        failed = 1'b0;
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("rounds=%d", rounds)) rounds = $test$plusargs("long") ? 5 : 2;
        seed = seed * 2 + SALT;
        {bus_cyc, bus_stb, bus_we, uart_has_byte, timer_expired, greedy} = 6'd0;
        {quiet_before, served, ticks, byte_comes, time_is_up} = 5'd0;
        {source_gaps, sink_stalls, hammer} = 96'd0;
        capacity = 0;
        @(posedge clk);
        repeat (3) @(posedge clk);
        null_targets = 0;                // they would be counted as lost clocks
        register_cases;
        measure_all;
        null_targets = 1;
        enable_cases;
        enable_races;
        wait_races;
        ticks = 1'b1;
        for (round = 0; round < rounds && !failed; round = round + 1) begin
            start(round == 0 ? 600 : 4 + uniform(round[0] ? 40 : 500), uniform(4), uniform(4));
            source_gaps = uniform(3) * 40;
            sink_stalls = uniform(3) * 45;
            hammer = uniform(3) * 50;
            greedy = uniform(2);
            traffic(60, round % 3 == 2 ? 5 : 60);
            if (!failed) finish_counts;
        end
        $display("%0d bits: %0d rounds, %0d clocks in the last", WORD_WIDTH, round, now - 64'hffff_ff00);
        done = 1'b1;
    end

    // Without this a design that hangs would end in the runner's time limit, nameless.
    integer still;
    always @(posedge clk) begin
        still <= reset || moves_in || moves_out ? 0 : still + 1;
        if (still > 20000 && !done) begin
            fail("nothing moved for 20000 clocks");
            done = 1'b1;
        end
    end
endmodule

`default_nettype wire
