// strobe_probe: pins for a logic analyser. Each shows one strobe, a port and an event, which is chosen at run time through
// LINK_MEMORY: of words that leave the site through that port, and of those that the fabric hands to the operator (port 0).
//
//   clock            0       1       2       3       4       5
//   word             -      head    data    data   terminator  -
//   wait             0       1       0       0       0       0        the head waits for a clock
//   pin, head        ________________/------------------------        changes in the clock behind the event
//   pin, terminator  ________________________________________/----
//   pin, stall       ________/-------\________________________        changes when the wait begins, and when it ends
//
// An event changes the level of its pin, because a pulse of one clock would be lost between two samples of a slow analyser. A
// change of choice changes no level. The strobes are numbered as protocol.vh has them (STROBE_): event and port, added.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module strobe_probe #(
    parameter PINS = 8  // 1 to 8: as the board has free
) (
    input  wire            clk,
    input  wire            reset,   // all pins 0, and without a strobe

    // What the fabric's ports show, port p at tags[3*p +: 3]. A word leaves in a clock with a tag and without wait.
    input  wire [14:0]     tags,
    input  wire [4:0]      waits,

    // Writes of LINK_MEMORY, by row. The row of a pin shows its strobe. A row of a strobe that is written directly behind that of
    // a pin gives the pin this strobe; otherwise it has no effect. shown: `value` is what LINK_MEMORY reads as.
    input  wire            choose,
    input  wire [7:0]      row,
    output reg             shown,
    output wire [15:0]     value,

    output reg  [PINS-1:0] pins
);
    localparam [7:0] PIN_ROW = `POSTROAD_PROBE_ROW_PIN, STROBE_ROW = `POSTROAD_PROBE_ROW_STROBE;
    localparam [31:0] COUNT  = PINS;

    // Strobes of this clock
    reg  [4:0]  open;  // a packet has begun to leave by this port
    reg  [4:0]  held;  // a word has waited in the clock before
    wire [4:0]  leaves, ends, waiting;
    wire [15:0] strobes;

    genvar p;
    generate
        for (p = 0; p < 5; p = p + 1) begin : port
            wire [2:0] tag = tags[3*p +: 3];

            assign leaves[p]  = tag != `POSTROAD_TAG_NULL_TRANSMISSION && !waits[p];
            assign waiting[p] = tag != `POSTROAD_TAG_NULL_TRANSMISSION && waits[p];
            assign ends[p]    = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
            assign strobes[`POSTROAD_STROBE_HEAD + p]       = leaves[p] && !ends[p] && !open[p];
            assign strobes[`POSTROAD_STROBE_TERMINATOR + p] = leaves[p] && ends[p];
            assign strobes[`POSTROAD_STROBE_STALL + p]      = waiting[p] != held[p];
        end
    endgenerate

    assign strobes[`POSTROAD_STROBE_NONE] = 1'b0;

    always @(posedge clk)
        if (reset)
            {open, held} <= 10'd0;
        else begin
            open <= (leaves & ~ends) | (open & ~leaves);
            held <= waiting;
        end

    // Choice
    wire       to_pin    = row[7:3] == PIN_ROW[7:3];
    wire       to_strobe = row[7:4] == STROBE_ROW[7:4] && armed;
    reg        armed;     // the last row was that of a pin
    reg  [2:0] pin;

    always @(posedge clk)
        if (reset)
            {armed, shown} <= 2'b00;
        else if (choose) begin
            armed <= to_pin;
            shown <= to_pin || to_strobe;
            if (to_pin) pin <= row[2:0];
        end

    // Pins
    wire [31:0] chosen;  // strobe of pin n at [4*n +: 4]

    genvar n;
    generate
        for (n = 0; n < 8; n = n + 1) begin : place
            if (n < PINS) begin : used
                reg [3:0] strobe;

                always @(posedge clk)
                    if (reset) begin
                        strobe  <= `POSTROAD_STROBE_NONE;
                        pins[n] <= 1'b0;
                    end else begin
                        if (choose && to_strobe && pin == n) strobe <= row[3:0];
                        pins[n] <= pins[n] ^ strobes[strobe];
                    end

                assign chosen[4*n +: 4] = strobe;
            end else begin : absent
                assign chosen[4*n +: 4] = `POSTROAD_STROBE_NONE;
            end
        end
    endgenerate

    assign value = {`POSTROAD_PROBE_MARK, COUNT[3:0], chosen[{pin, 2'b00} +: 4]};
endmodule

`default_nettype wire
