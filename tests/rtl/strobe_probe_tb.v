// strobe_probe_tb: random words, waits and choices against a model of the ports that keeps a list of what has happened: each pin
// changes in the clock behind each event of its strobe, and in no other; a choice takes effect only as the README says.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module strobe_probe_tb #(parameter PINS = 5);
    `include "bench.vh"

    localparam PORTS = 5;

    reg                clk = 1'b0, reset = 1'b1, choose = 1'b0;
    reg  [14:0]        tags = 15'd0;
    reg  [4:0]         waits = 5'd0;
    reg  [7:0]         row = 8'd0;
    wire               shown;
    wire [15:0]        value;
    wire [PINS-1:0]    pins;

    strobe_probe #(.PINS(PINS)) dut (
        .clk(clk), .reset(reset), .tags(tags), .waits(waits), .choose(choose), .row(row), .shown(shown), .value(value),
        .pins(pins));

    always #5 clk = !clk;

    // The model: of each port the last word that left, of each pin its strobe and level.
    reg  [2:0]  last_tag [0:PORTS-1];   // 0: none, or that of a terminator
    reg  [4:0]  waited;
    reg  [3:0]  strobe [0:7];
    reg  [7:0]  level;
    reg  [2:0]  pin;
    reg         pin_is_last, expect_shown;
    integer     events [0:15];
    integer     p, n, changes;

    function is_end(input [2:0] tag);
        is_end = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    // What the number of a strobe means: the only place of the bench that takes it apart.
    function happens(input [3:0] which);
        integer port;
        reg [2:0] tag;
        begin
            port = which % PORTS;
            tag = tags[3*port +: 3];
            case (which / PORTS)
                0: happens = tag != 3'd0 && !waits[port] && !is_end(tag) && last_tag[port] == 3'd0;
                1: happens = is_end(tag) && !waits[port];
                2: happens = (tag != 3'd0 && waits[port]) != waited[port];
                default: happens = 1'b0;
            endcase
        end
    endfunction

    // Words that wait may go away or change, as those of a fifo_buffer.
    task new_words;
        for (p = 0; p < PORTS; p = p + 1) begin
            if (!waits[p] || percent(10)) tags[3*p +: 3] = percent(40) ? 3'd0 : below(8);
            waits[p] = percent(30);
        end
    endtask

    task new_choice;
        begin
            choose = percent(30);
            case (below(4))
                0: row = below(256);
                1: row = `POSTROAD_PROBE_ROW_STROBE + below(16);
                default: row = `POSTROAD_PROBE_ROW_PIN + below(8);
            endcase
        end
    endtask

    task model_choice;
        reg to_pin, to_strobe;
        begin
            to_pin = row >= `POSTROAD_PROBE_ROW_PIN && row < `POSTROAD_PROBE_ROW_PIN + 8;
            to_strobe = row >= `POSTROAD_PROBE_ROW_STROBE && row < `POSTROAD_PROBE_ROW_STROBE + 16 && pin_is_last;
            if (to_pin) pin = row[2:0];
            if (to_strobe && pin < PINS) strobe[pin] = row[3:0];
            expect_shown = to_pin || to_strobe;
            pin_is_last = to_pin;
        end
    endtask

    task one_clock;
        reg [7:0] before;
        begin
            before = level;
            new_words;
            new_choice;
            #1;
            for (n = 0; n < PINS; n = n + 1)
                if (happens(strobe[n])) begin
                    level[n] = !level[n];
                    events[strobe[n]] = events[strobe[n]] + 1;
                end
            for (p = 0; p < PORTS; p = p + 1) begin
                waited[p] = tags[3*p +: 3] != 3'd0 && waits[p];
                if (tags[3*p +: 3] != 3'd0 && !waits[p]) last_tag[p] = is_end(tags[3*p +: 3]) ? 3'd0 : tags[3*p +: 3];
            end
            if (choose) model_choice;
            check(pins === before[PINS-1:0], "no pin changes within a clock");
            @(posedge clk) #1;
            check(pins === level[PINS-1:0], "a pin changes in the clock behind an event of its strobe, and only then");
            check(shown === expect_shown, "a row of a pin, or of a strobe straight behind it, is shown");
            if (shown) check(value === {`POSTROAD_PROBE_MARK, PINS[3:0], strobe[pin]}, "the pin's strobe is shown");
        end
    endtask

    task begin_again;
        begin
            reset = 1'b1;
            @(posedge clk) #1 reset = 1'b0;
            for (p = 0; p < PORTS; p = p + 1) last_tag[p] = 3'd0;
            for (n = 0; n < 8; n = n + 1) strobe[n] = `POSTROAD_STROBE_NONE;
            {waited, level, pin_is_last, expect_shown} = 15'd0;
            check(pins === {PINS{1'b0}} && !shown, "reset: pins are 0, no row of a pin is shown");
        end
    endtask

    initial begin
        begin_bench;
        for (n = 0; n < 16; n = n + 1) events[n] = 0;
        repeat (20) begin
            begin_again;
            repeat (2000) one_clock;
        end
        for (n = 0; n < 15; n = n + 1) check(events[n] > 100, "every strobe has changed a pin");
        check(events[`POSTROAD_STROBE_NONE] == 0, "a pin without a strobe stays");
        verdict;
    end
endmodule

`default_nettype wire
