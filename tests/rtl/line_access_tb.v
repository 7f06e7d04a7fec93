// line_access_tb: two boards and a cable between two of their links, with clocks of their own and any order of power-on. A right
// cable comes up whatever the order, also if a link has lost its far end, and with noise on pins that nothing drives. On a wrong
// one, which joins two pins that send, these drive different levels for two bit times at most, and one of them names it.
// SPDX-License-Identifier: ISC
`default_nettype none

// One end: what board_link does, with one link, frames of its own, and a training of four good frames.
module line_access_end (
    input  wire       clk,
    input  wire       reset,
    input  wire [1:0] port,
    input  wire [7:0] site,
    input  wire       line_in,
    input  wire       pin,
    output wire       line,
    output wire       drives,
    output wire       meets,
    output reg        hears,
    output wire       up
);
    localparam PLACE = 72, PERIOD = 1152;  // bit times: from frame to frame, without a good frame

    reg  [1:0]  phase, proof, before;
    reg  [6:0]  place;
    reg  [10:0] quiet;
    reg  [23:0] frame;
    reg         far_hears;
    wire [7:0]  value;
    wire [1:0]  progress;
    wire        bit_time = phase == 2'd3;
    wire [7:0]  header = {5'd0, hears, port};
    wire [7:0]  part = place[4:3] == 2'd0 ? header : place[4:3] == 2'd3 ? ~(header ^ site) : place[3] ? site : 8'h00;
    wire        ended = progress != before && progress == 2'd0;
    wire        good = ended && ~(frame[23:16] ^ frame[15:8]) == value && frame[7:0] == 8'h00 &&
                       frame[23:19] == 5'd0 && frame[17:16] == (port ^ 2'd1);

    line_sender sender (
        .clk(clk), .reset(reset), .step(bit_time), .load(place < 7'd32 && place[2:0] == 3'd0), .start(place == 7'd0),
        .value(part), .line(line));
    line_receiver receiver (.clk(clk), .line(line_in), .value(value), .progress(progress));
    line_access #(.LINKS(1)) dut (
        .clk(clk), .reset(reset), .calls(!port[0]), .hears(hears), .up(up), .line(line), .pin(pin), .drives(drives),
        .meets(meets));

    assign up = hears && far_hears;

    always @(posedge clk)
        if (reset) begin
            {phase, proof, place, hears, far_hears} <= 13'd0;
            quiet <= PERIOD;
            before <= progress;
        end else begin
            phase <= phase + 2'd1;
            if (bit_time) begin
                place <= place == PLACE - 1 ? 7'd0 : place + 7'd1;
                if (quiet == PERIOD) hears <= 1'b0;
                else quiet <= quiet + 11'd1;
            end
            before <= progress;
            if (progress != before) frame <= {frame[15:0], value};
            if (ended && !good) proof <= 2'd0;
            if (good) begin
                {hears, far_hears} <= {hears || proof == 2'd3, frame[18]};
                if (proof != 2'd3) proof <= proof + 2'd1;
                quiet <= 11'd0;
            end
        end
endmodule

module line_access_tb;
    `include "bench.vh"

    localparam HALF = 5000, CLOCK = 2 * HALF, BIT = 4 * CLOCK, CYCLE = 8192;  // a cycle: bit times
    localparam ZERO_WINS = 0, ONE_WINS = 1, OWN_WINS = 2;

    integer    halves [0:1];
    reg  [1:0] clk = 2'b00, reset = 2'b11, pull = 2'b00;
    reg        right = 1'b1, plugged = 1'b1, noisy = 1'b0, noise = 1'b0;
    integer    wins = ZERO_WINS;
    reg  [1:0] ports [0:1];
    wire [1:0] line, drives, meets, hears, up, line_in, pin;

    always #(halves[0]) clk[0] = !clk[0];
    always #(halves[1]) clk[1] = !clk[1];
    always begin
        wait (noisy);
        #(3 * CLOCK) noise = $random(seed);
    end

    // What is where on the cable: a pin that sends and one that listens, or both pins that send.
    wire wrong  = plugged && !right;
    wire fights = wrong && &drives && line[0] != line[1];

    genvar e;
    generate
        for (e = 0; e < 2; e = e + 1) begin : ends
            localparam FAR = 1 - e;
            wire open = noisy ? noise : pull[e];
            assign pin[e] = fights ? (wins == OWN_WINS ? line[e] : wins == ONE_WINS) :
                            drives[e] ? line[e] : wrong && drives[FAR] ? line[FAR] : open;
            assign line_in[e] = plugged && right && drives[FAR] ? line[FAR] : open;
            line_access_end board (
                .clk(clk[e]), .reset(reset[e]), .port(ports[e]), .site(8'd40 + 8'd3 * e[7:0]), .line_in(line_in[e]), .pin(pin[e]),
                .line(line[e]), .drives(drives[e]), .meets(meets[e]), .hears(hears[e]), .up(up[e]));
        end
    endgenerate

    time    since, fought = 0, longest = 0;
    always @(fights)
        if (fights) since = $time;
        else if (since != 0) begin
            fought = fought + $time - since;
            if ($time - since > longest) longest = $time - since;
        end

    task bits(input integer count);
        repeat (count) #BIT;
    endtask

    // Both ends without power; then one after the other, some bit times apart, or as good as at once.
    task power_on(input integer apart);
        integer first;
        begin
            reset = 2'b11;
            bits(4);
            first = below(2);
            reset[first] = 1'b0;
            if (apart != 0) bits(apart);
            else #(below(40) * HALF);
            reset[1 - first] = 1'b0;
        end
    endtask

    task draw(input is_right);
        begin
            right = is_right;
            halves[0] = HALF;
            halves[1] = HALF + below(3) - 1;   // 200 ppm
            pull = below(4);
            wins = below(3);
            ports[0] = below(4);
            ports[1] = is_right ? ports[0] ^ 2'd1 : below(4);
        end
    endtask

    // A training takes less than 1000 bit times, and a call comes once a cycle.
    task comes_up(input integer cycles);
        integer waited;
        begin
            for (waited = 0; waited < cycles * CYCLE + 1000 && up != 2'b11; waited = waited + 1) bits(1);
            check(up == 2'b11, "a right cable comes up");
            bits(below(CYCLE));
            check(up == 2'b11 && drives == 2'b11, "a link that is up stays up");
        end
    endtask

    task right_cable;
        begin
            draw(1'b1);
            power_on(percent(50) ? 0 : below(3 * CYCLE));
            comes_up(2);
            if (percent(50)) begin
                reset[below(2)] = 1'b1;
                bits(below(2 * CYCLE));
                reset = 2'b00;
            end else begin
                plugged = 1'b0;
                bits(2000 + below(CYCLE));
                check(hears == 2'b00, "an open cable is silent");
                plugged = 1'b1;
            end
            comes_up(2);
        end
    endtask

    task wrong_cable;
        time    before;
        integer n, both;
        begin
            draw(1'b0);
            power_on(percent(50) ? 0 : below(2 * CYCLE));
            before = fought;
            longest = 0;
            bits(2 * CYCLE);
            both = 0;
            for (n = 0; n < 2 * CYCLE; n = n + 1) begin
                bits(1);
                if (drives == 2'b11) both = both + 1;
            end
            check(up == 2'b00, "a wrong cable does not come up");
            if (wins == OWN_WINS) check(both <= CYCLE / 2 + 64, "two callers drive together a quarter of the time at most");
            else begin
                check(longest <= 2 * BIT, "two outputs meet for two bit times at most");
                check(fought - before <= 16 * BIT, "two outputs meet a few times at most");
                check(both <= 8, "at most one pin drives a wrong cable");
            end
            if (ports[0][0] || ports[1][0]) check(fought == before && meets == 2'b00, "one end answers: they do not meet");
            else if (wins != OWN_WINS) check(meets != 2'b00, "two callers: a wrong cable is named");
            if (ports[0][0] && ports[1][0]) check(both == 0 && drives == 2'b00, "two ends that answer never drive");
            right = 1'b1;
            ports[1] = ports[0] ^ 2'd1;
            reset[1] = percent(50);  // another board
            bits(2);
            reset[1] = 1'b0;
            comes_up(3);
            bits(2 * CYCLE);
            check(meets == 2'b00, "a cable that was changed is not named any more");
        end
    endtask

    task noisy_cable;
        begin
            draw(1'b1);
            noisy = 1'b1;
            power_on(below(CYCLE));
            ends[0].board.dut.clocks[18:15] = 4'd13;
            ends[1].board.dut.clocks[18:15] = 4'd13;
            comes_up(4);
            noisy = 1'b0;
        end
    endtask

    integer k;
    initial begin
        begin_bench;
        halves[0] = HALF;
        halves[1] = HALF;
        ports[0] = 2'd0;
        ports[1] = 2'd1;
        for (k = 0; k < ($test$plusargs("long") ? 20 : 2); k = k + 1) begin
            right_cable;
            wrong_cable;
        end
        noisy_cable;
        verdict;
    end
    initial #(64'd3000 * CYCLE * BIT) $finish;
endmodule

`default_nettype wire
