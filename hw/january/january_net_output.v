// january_net_output: the states of the transmission through one net_output (January paper 4.7, Table H, Figure 9; rules J1, J3,
// J11).
//
//   FREE --a word is loaded--> FIRST --it leaves--> OPEN <--wait / open--> WAIT
//    ^                           |                   |                      |
//    |                           |        a terminator is loaded, or the connection is aborted
//    |                           '------------------>|<---------------------'
//    |                                               v
//    '<------------ the terminator leaves -------- DONE <--wait / open--> LAST
//
// The register itself is net_output of hw/common. It sends an owed abort_packet behind the word that it holds (J11).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_net_output (
    input  wire       clk,
    input  wire       reset,

    // Router. tag: of the word that it loads in this clock; it loads one while the status is not `wait`. abort is 1 for one
    // clock, without a word, when the connection is aborted.
    input  wire [2:0] tag,
    input  wire       abort,
    output reg  [1:0] status,

    // Register. ready: it loads in this clock. breaks: it owes an abort_packet from now on.
    input  wire       ready,
    output wire       breaks,

    // Downstream net_input or fifo_buffer. abort_request: of the fifo_buffer alone.
    input  wire       link_wait,
    input  wire       abort_request,

    output wire       free
);
    localparam [2:0] FREE = 3'd0, FIRST = 3'd1, OPEN = 3'd2, WAIT = 3'd3, DONE = 3'd4, LAST = 3'd5;
    reg  [2:0] state, next;

    wire ends = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    assign free   = state == FREE;
    assign breaks = abort && !free;   // a branch that has carried nothing owes nothing

    always @* begin
        next = state;
        case (state)
            FREE: if (|tag) next = ends ? DONE : FIRST;
            FIRST, OPEN, WAIT:
                if (breaks || ends) next = link_wait ? LAST : DONE;
                else if (link_wait) next = state == FIRST ? FIRST : WAIT;
                else next = OPEN;
            default:  // DONE, LAST: the terminator leaves, unless an owed abort_packet is still to be loaded
                if (link_wait) next = LAST;
                else next = ready ? FREE : DONE;
        endcase
    end

    always @*
        case (state)
            FREE:       status = link_wait ? `POSTROAD_JANUARY_STATUS_WAIT : `POSTROAD_JANUARY_STATUS_FREE;
            DONE, LAST: status = `POSTROAD_JANUARY_STATUS_WAIT;
            default:    status = link_wait ? `POSTROAD_JANUARY_STATUS_WAIT
                               : abort_request ? `POSTROAD_JANUARY_STATUS_ABORT_REQUEST : `POSTROAD_JANUARY_STATUS_OPEN;
        endcase

    always @(posedge clk) state <= reset ? FREE : next;

`ifdef FORMAL
    // The arcs of Figure 9 from each state, as a row of states to stay in or to go to: last, done, wait, open, first, free.
    function [5:0] arcs(input [2:0] from);
        case (from)
            FREE:       arcs = 6'b010011;
            FIRST:      arcs = 6'b110110;
            OPEN, WAIT: arcs = 6'b111100;
            DONE:       arcs = 6'b100001;
            LAST:       arcs = 6'b110001;
            default:    arcs = 6'b000000;
        endcase
    endfunction

    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        if (past_valid && !reset) assert (arcs(state) >> next & 1'b1);
    end

    genvar from, to;
    generate
        for (from = 0; from < 6; from = from + 1) begin : arcs_from
            for (to = 0; to < 6; to = to + 1) begin : arcs_to
                if (arcs(from) >> to & 1'b1) always @(posedge clk) if (!reset) cover (state == from && next == to);
            end
        end
    endgenerate
`endif
endmodule

`default_nettype wire
