// line_access: who may drive the data wires of a board's cables. A pin that sends is an input until its cable has proved to be
// right, so that two outputs which a wrong cable joins meet for two bit times at most.
//
// Of the two ends of a right cable one calls and the other answers (`calls`):
//
//   answers   drives while it hears the far end (`hears`), and never else.
//   calls     drives while it hears the far end; else it calls in the first quarter of each cycle, unless it has met another
//             output in the cycle before. Every 16th cycle it calls all the same, so that noise cannot keep a good cable down.
//
//   quarter        2        3    |    0        1        2        3    |    0        1        2    ...
//   caller       listens         |  calls    rests    listens         |  calls    rests    ...       (behind reset: quarter 2)
//   answering end                      '-- hears the caller's frames: drives, and the caller hears it and goes on
//
// Met: a pin that drives has another level than it is given, or a pin that listens changes its level. Then it is an input until
// the cycle ends. A pin rests behind its last drive until the wire has the level of its pull resistors.
//
// Two callers (east to east, north to east): the later one hears the earlier one's call. If both begin at once, the first bit in
// which they differ silences at least one. Two answering ends (south to west): neither ever drives.
//
// A wire is looked at once a bit time, two clocks behind the edge at which `line` changes: the counter keeps in step with
// link_schedule and eager_links, which the same reset starts. Frames that eager links forward come at any clock, on links that
// are up.
//
//   clock of the bit     0         1         2         3
//   pin                  settles   sampled -> flop ->  compared; drives changes with the edge behind
//
// SPDX-License-Identifier: ISC
`default_nettype none

module line_access #(
    parameter LINKS = 4
) (
    input  wire             clk,     // of the links: four times the bit rate
    input  wire             reset,   // of the links: no pin drives

    input  wire [LINKS-1:0] calls,   // of two ends of a right cable one does; constant behind reset
    input  wire [LINKS-1:0] hears,   // good frames come in, from the port that lies opposite
    input  wire [LINKS-1:0] up,      // the far end hears this one, too: the cable is right, and its pin is not looked at
    input  wire [LINKS-1:0] line,    // the level to be driven, from the link
    input  wire [LINKS-1:0] pin,     // the level of the pin that sends, whatever drives it; asynchronous
    output reg  [LINKS-1:0] drives,  // from flops: the pin is an output

    output reg  [LINKS-1:0] meets    // the pin has met another output: until a cycle in which it may call passes without
);
    localparam CYCLE_BITS = 15;  // 8192 bit times of four clocks: a call is long enough for a training, README.md
    localparam RETRY_BITS = 4;

    reg  [RETRY_BITS+CYCLE_BITS-1:0] clocks;

    wire looks      = &clocks[1:0];
    wire ends_half  = &clocks[CYCLE_BITS-2:0];
    wire ends_cycle = &clocks[CYCLE_BITS-1:0];
    wire call_time  = clocks[CYCLE_BITS-1 -: 2] == 2'd0;
    wire retries    = &clocks[CYCLE_BITS +: RETRY_BITS];

    always @(posedge clk) clocks <= reset ? {{RETRY_BITS{1'b0}}, 2'd2, {CYCLE_BITS-2{1'b0}}} : clocks + 1'b1;

    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : links
            reg [1:0] samples;  // the newest is samples[0], which may be metastable
            reg       level;    // of the pin, a bit time ago
            reg       met;      // in this cycle
            reg       blocked;  // met in the cycle before
            reg       rests;

            wire calling = calls[l] && call_time && (!blocked || retries);
            wire strange = drives[l] ? !up[l] && samples[1] != line[l] : calls[l] && !calling && !rests && samples[1] != level;

            always @(posedge clk) begin
                samples <= {samples[0], pin[l]};
                if (reset) begin
                    {level, met, blocked} <= 3'b000;
                    {drives[l], meets[l]} <= 2'b00;
                    rests <= 1'b1;
                end else if (looks) begin
                    level     <= samples[1];
                    drives[l] <= !met && !strange && (calling || hears[l]);
                    rests     <= drives[l] || (rests && !ends_half);
                    met       <= (met || strange) && !ends_cycle;
                    if (ends_cycle) begin
                        blocked  <= met || strange;
                        meets[l] <= met || strange || (meets[l] && blocked);
                    end
                end
            end

`ifdef FORMAL
            reg started = 1'b0, looked, reset_before, heard, may_call, drove, met_before;
            always @(posedge clk) begin
                {started, looked, reset_before} <= {1'b1, looks, reset};
                {heard, may_call, drove, met_before} <= {hears[l], calling, drives[l], met};
                if (started) begin
                    if (reset_before) assert (!drives[l]);
                    else if (!looked) assert (drives[l] == drove);
                    else if (drives[l]) assert ((heard || may_call) && !met_before);
                    if (met) assert (!drives[l]);
                end
            end
`endif
        end
    endgenerate
endmodule

`default_nettype wire
