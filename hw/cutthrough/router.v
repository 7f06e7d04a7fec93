// router: connects net_inputs and net_outputs (August paper 4.5). One connection a net_input, one arbiter a net_output,
// and the crossbar. A word crosses it in the clock in which its net_input shows it.
//
//   net_input --word--> connection --request--> round_robin (one a net_output)
//                         |   ^---------grant--------'
//                         '--which branches, in which form--> crossbar --> net_output
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router #(
    parameter WORD_WIDTH  = 16,
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter LINK_WIDTH  = WORD_WIDTH + 3,
    parameter PORTS       = LINKS + 1
) (
    input  wire                          clk,
    input  wire                          reset,

    // Straps, constant out of reset.
    input  wire [2*COORD_WIDTH-1:0]      site_address,
    input  wire [1:0]                    topology,
    input  wire [COORD_WIDTH-1:0]        size_x,
    input  wire [COORD_WIDTH-1:0]        size_y,
    input  wire [7:0]                    unicast_lists,
    input  wire [7:0]                    multicast_lists,
    input  wire [15:0]                   divert_threshold,
    input  wire                          release_single,
    input  wire [15:0]                   relief_limit,

    // Levels, may change at any time.
    input  wire                          relief,
    input  wire [LINKS-1:0]              link_down,

    // net_inputs, port p at [p*LINK_WIDTH +: LINK_WIDTH]; a word stays until taken.
    input  wire [PORTS*LINK_WIDTH-1:0]   words,
    output wire [PORTS-1:0]              taken,

    // net_outputs load in the clocks in which they are ready. The local one has a fourth tag bit: local_end_of_packet, and
    // the null_transmission that M4 makes, have it set.
    output wire [LINKS*LINK_WIDTH-1:0]   remote_words,
    output wire [LINK_WIDTH:0]           local_word,
    output wire [PORTS-1:0]              abort,
    input  wire [PORTS-1:0]              ready,
    input  wire                          abort_request,  // local fifo_buffer's status

    // One-clock pulses.
    output wire [PORTS-1:0]              event_drop,
    output wire                          event_divert,
    output wire                          event_abort,
    output wire                          event_split,
    output wire                          event_pass,
    output wire                          event_single,
    output wire [PORTS*PORTS-1:0]        connections,    // i*PORTS + o: connected, or wanted by the word shown
    output wire                          quiet           // no connection
);
    // Index i*PORTS + o: net_input i, net_output o.
    wire [PORTS*PORTS-1:0] request, grant, branches, send_word, send_null_target, abort_branches, wanted;
    wire [PORTS-1:0] owned, local_ends, local_discards, blocked, diverts, aborts, splits, passes, singles;

    // U3, R3. parameter_check.v keeps the sum below 65535, where tries stop counting.
    wire        never_diverts = &divert_threshold;
    wire        relieved      = relief && |relief_limit;
    wire [15:0] tries_limit   = (never_diverts ? 16'd0 : divert_threshold) + (relieved ? relief_limit : 16'd0);

    genvar i, o;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : net_input
            connection #(
                .WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .FROM_LOCAL(i == 0)
            ) connection (
                .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x),
                .size_y(size_y), .unicast_lists(unicast_lists), .multicast_lists(multicast_lists),
                .never_diverts(never_diverts), .release_single(release_single),
                .tries_limit(tries_limit), .relieved(relieved), .down({link_down, 1'b0}),
                .word(words[i*LINK_WIDTH +: LINK_WIDTH]), .taken(taken[i]),
                .ready(ready), .available(ready & ~owned),
                .request(request[i*PORTS +: PORTS]), .grant(grant[i*PORTS +: PORTS]),
                .branches(branches[i*PORTS +: PORTS]), .send_word(send_word[i*PORTS +: PORTS]),
                .send_null_target(send_null_target[i*PORTS +: PORTS]),
                .local_ends(local_ends[i]), .local_discards(local_discards[i]), .blocked(blocked[i]),
                .abort_request(abort_request), .abort_branches(abort_branches[i*PORTS +: PORTS]),
                .wanted(wanted[i*PORTS +: PORTS]),
                .event_drop(event_drop[i]), .event_divert(diverts[i]), .event_abort(aborts[i]),
                .event_split(splits[i]), .event_pass(passes[i]), .event_single(singles[i]));
        end

        for (o = 0; o < PORTS; o = o + 1) begin : net_output
            wire [PORTS-1:0] requests, grants, owners, senders, nulls, aborters;
            wire [LINK_WIDTH-1:0] word;
            for (i = 0; i < PORTS; i = i + 1) begin : column
                assign requests[i] = request[i*PORTS + o];
                assign grant[i*PORTS + o] = grants[i];
                assign owners[i]   = branches[i*PORTS + o];
                assign senders[i]  = send_word[i*PORTS + o];
                assign nulls[i]    = send_null_target[i*PORTS + o];
                assign aborters[i] = abort_branches[i*PORTS + o];
            end
            round_robin #(.N(PORTS)) arbiter (.clk(clk), .reset(reset), .request(requests), .grant(grants));
            crossbar_column #(.LINK_WIDTH(LINK_WIDTH), .PORTS(PORTS)) column_mux (
                .words(words), .select(senders), .null_target(|nulls), .word(word));
            assign owned[o] = |owners;
            assign abort[o] = |aborters;
            if (o > 0) assign remote_words[(o-1)*LINK_WIDTH +: LINK_WIDTH] = word;
        end
    endgenerate

    // The local net_output: at most one connection drives it, so the rewriting of M4, M8 and M9 needs no selection.
    wire [LINK_WIDTH-1:0] full_copy = net_output[0].word;
    wire sends_local = |net_output[0].senders;
    assign local_word = |blocked                       ? {1'b1, {LINK_WIDTH{1'b0}}}
                      : sends_local && |local_discards ? {1'b0, `POSTROAD_TAG_ABORT_PACKET, {WORD_WIDTH{1'b0}}}
                      : {sends_local && |local_ends, full_copy};

    assign connections  = branches | wanted;
    assign event_divert = |diverts;
    assign event_abort  = |aborts;
    assign event_split  = |splits;
    assign event_pass   = |passes;
    assign event_single = |singles;
    assign quiet        = owned == {PORTS{1'b0}};
endmodule

`default_nettype wire
