// strobe_probe: one of its pins, whichever, against what a user of it may rely on. The strobe of the pin is the one that was
// last chosen by two writes in a row, and the pin's level changes at an edge exactly if the event of this strobe is in the clock
// before it. A packet is open at a port from its first word to its terminator. Any words, waits and writes at any time.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module strobe_probe_proof #(
    parameter PINS = 8
) (
    input wire        clk,
    input wire        reset,
    input wire [14:0] tags,
    input wire [4:0]  waits,
    input wire        choose,
    input wire [7:0]  row,
    input wire [2:0]  any_pin
);
    wire            shown;
    wire [15:0]     value;
    wire [PINS-1:0] pins;

    strobe_probe #(.PINS(PINS)) probe (
        .clk(clk), .reset(reset), .tags(tags), .waits(waits), .choose(choose), .row(row), .shown(shown), .value(value),
        .pins(pins));

    reg       started = 1'b0;
    reg [2:0] pin;            // the one that is looked at
    reg       named;          // the last write named it
    reg       named_other;    // ... another pin
    reg [3:0] strobe;
    reg [2:0] port;           // of the strobe, 0 to 4; with a strobe of 15: 0
    reg       open, waited;   // at that port
    reg       level;

    // The port and the event of a strobe.
    function [2:0] port_of(input [3:0] of);
        port_of = of == `POSTROAD_STROBE_NONE ? 3'd0 : of % 5;
    endfunction

    // A packet is open at each port, and its word waits.
    reg [4:0] opens, waiteds;
    always @* begin
        open   = opens[port];
        waited = waiteds[port];
    end

    wire [2:0] tag        = tags[3*port +: 3];
    wire       terminator = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       leaves     = tag != 3'd0 && !waits[port];
    wire       holds      = tag != 3'd0 && waits[port];
    wire       is_event   = strobe < 5 ? leaves && !terminator && !open
                          : strobe < 10 ? leaves && terminator
                          : strobe < 15 ? holds != waited : 1'b0;

    wire names_any = choose && row >= `POSTROAD_PROBE_ROW_PIN && row <= `POSTROAD_PROBE_ROW_PIN + 8'd7;
    wire names     = names_any && row - `POSTROAD_PROBE_ROW_PIN == {5'd0, pin};
    wire is_strobe = row >= `POSTROAD_PROBE_ROW_STROBE && row <= `POSTROAD_PROBE_ROW_STROBE + 8'd15;
    wire gives     = choose && is_strobe && named;
    wire [3:0] given = row - `POSTROAD_PROBE_ROW_STROBE;

    integer p;
    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) begin
            assume (reset);
            assume (any_pin < PINS);
            pin <= any_pin;
        end
        level <= pins[pin];
        if (reset) begin
            {opens, waiteds} <= 10'd0;
            {named, named_other} <= 2'b00;
            strobe <= `POSTROAD_STROBE_NONE;
            port   <= 3'd0;
        end else begin
            for (p = 0; p < 5; p = p + 1) begin
                waiteds[p] <= tags[3*p +: 3] != 3'd0 && waits[p];
                if (tags[3*p +: 3] != 3'd0 && !waits[p])
                    opens[p] <= tags[3*p +: 3] != `POSTROAD_TAG_END_OF_PACKET && tags[3*p +: 3] != `POSTROAD_TAG_ABORT_PACKET;
            end
            if (choose) {named, named_other} <= {names, names_any && !names};
            if (gives) {strobe, port} <= {given, port_of(given)};
        end
        if (started) begin
            if (happened) assert (pins[pin] != level);
            else if (was_running) assert (pins[pin] == level);
            if (was_reset) assert (!pins[pin] && !shown);
            // What a read shows: the strobe of the pin that was written last; a row without a meaning here shows nothing.
            if (named) assert (shown && value == {`POSTROAD_PROBE_MARK, PINS[3:0], strobe});
            if (just_given) assert (shown && value[3:0] == strobe);
            if (just_other) assert (!shown);
            if (named_other) assert (shown && value[15:8] == `POSTROAD_PROBE_MARK);
            cover (happened && strobe == 4'd14);
            cover (just_given && pin == PINS - 1);
        end
    end

    // Of the clock before.
    reg happened, was_running, was_reset, just_given, just_other;
    always @(posedge clk) begin
        happened    <= started && !reset && is_event;
        was_running <= started && !reset;
        was_reset   <= reset;
        just_given  <= started && !reset && gives;
        just_other  <= started && !reset && choose && !names_any && !((named || named_other) && is_strobe);
    end
endmodule

`default_nettype wire
