// link_ports: what each link has for itself: line_receiver, line_sender, its ends of the fabric's links, and the flags `down` and
// `alive`. The engine sees the link whose turn it is.
//
// link_out_wait is 0 while no word is shown: the net_output is available and may load at any time (U1, U4). It follows from the
// word, which comes from a flop, and from the flop `opens`, which lets the word leave.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_ports #(
    parameter LINKS = 4
) (
    input  wire                clk,
    input  wire                reset,
    input  wire                step,         // the edge at the end of this clock is one of the fabric's clock
    input  wire                operation_ends,

    // Lines and fabric: board_link.v.
    input  wire [LINKS-1:0]    line_in,
    output wire [LINKS-1:0]    line_out,
    input  wire [LINKS*19-1:0] link_out,
    output wire [LINKS-1:0]    link_out_wait,
    output wire [LINKS*19-1:0] link_in,
    input  wire [LINKS-1:0]    link_in_wait,
    output reg  [3:0]          down,
    output reg  [LINKS-1:0]    alive,

    // Engine: the link of this operation. Everything in this group but `load` and `shows` is evaluated when the operation ends.
    input  wire [1:0]          link,
    output wire [7:0]          value,        // line_receiver
    output wire [1:0]          progress,
    output wire [18:0]         word,         // from the fabric
    input  wire                accepts,      // the word may leave
    input  wire                load,         // line_sender
    input  wire                start,
    input  wire [7:0]          byte_out,
    input  wire                shows,        // the oldest word of the queue is shown to the fabric for a clock, unless it waits
    input  wire [18:0]         head,         // ... in the clock behind

    // The link of the operation before.
    input  wire [1:0]          link_before,
    output wire                accepted,     // the word that is shown is taken in this clock
    input  wire                down_known,
    input  wire                down_next,
    input  wire                alive_known,
    input  wire                alive_next
);
    wire [7:0]  values    [0:3];
    wire [1:0]  reached   [0:3];
    wire [18:0] offered   [0:3];
    wire [3:0]  input_waits;
    reg  [3:0]  shown;

    assign value    = values[link];
    assign progress = reached[link];
    assign word     = offered[link];
    assign accepted = |(shown & ~input_waits);

    genvar l;
    generate
        for (l = 0; l < 4; l = l + 1) begin : links
            if (l < LINKS) begin : used
                wire mine   = link == l;
                reg  opens;
                wire concluded = link_before == l;

                line_receiver receiver (.clk(clk), .line(line_in[l]), .value(values[l]), .progress(reached[l]));
                line_sender sender (
                    .clk(clk), .reset(reset), .step(operation_ends), .load(load && mine), .start(start), .value(byte_out),
                    .line(line_out[l]));

                assign link_out_wait[l]    = |link_out[19*l + 16 +: 3] && !opens;
                assign offered[l]          = link_out[19*l +: 19];
                assign link_in[19*l +: 19] = {head[18:16] & {3{shown[l]}}, head[15:0]};
                assign input_waits[l]      = link_in_wait[l];

                // A word is shown only behind a clock in which the link did not wait, so that it need not be taken back.
                always @(posedge clk)
                    if (reset) {shown[l], opens, down[l], alive[l]} <= 4'b0010;
                    else begin
                        if (step) begin
                            shown[l] <= operation_ends && shows && mine && !link_in_wait[l];
                            opens <= operation_ends && accepts && mine;
                        end
                        if (down_known && concluded) down[l] <= down_next;
                        if (alive_known && concluded) alive[l] <= alive_next;
                    end
            end else begin : unused
                assign values[l]  = 8'd0;
                assign reached[l] = 2'd0;
                assign offered[l] = 19'd0;
                assign input_waits[l] = 1'b1;
                always @(posedge clk) {shown[l], down[l]} <= 2'b01;
            end
        end
    endgenerate
endmodule

`default_nettype wire
