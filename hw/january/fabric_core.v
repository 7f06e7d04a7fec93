// fabric_core: the switch between the links and the two fifo_buffers of a site, after the January 1987 paper (rules.md).
//
//                        .------------- heading <-- look_up
//                        v
//   links, entering --> net_input --> router, access --> net_output --> links, delivered
//                                                            ^
//                                                         time_out
//
// fabric and site_fabric around it are those of hw/common, and so are fifo_buffer, the register of a net_output, and the routing
// function.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_core #(
    parameter WORD_WIDTH       = 16,  // 16 or 32; 32 allows wider data and longer coordinates, thus larger meshes
    parameter LINKS            = 4,   // 4 for a grid or torus, one a dimension for a hypercube
    parameter HYPERCUBE        = 0,   // 1: a hypercube, 0: a grid or torus; their crossbars differ
    /* verilator lint_off UNUSEDPARAM */
    parameter [31:0] OWN       = 0,   // of no use: this discipline has no keys of its own
    /* verilator lint_on UNUSEDPARAM */
    // These parameters follow from the others and are not to be set.
    parameter COORD_WIDTH      = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16,
    parameter LINK_WIDTH       = WORD_WIDTH + 3,
    parameter PORTS            = LINKS + 1
) (
    input  wire                         clk,
    input  wire                         reset,

    // As in hw/cutthrough/fabric_core.v. Thresholds are powers of two.
    input  wire [2*COORD_WIDTH-1:0]     site_address,
    input  wire [1:0]                   topology,
    input  wire [COORD_WIDTH-1:0]       size_x,
    input  wire [COORD_WIDTH-1:0]       size_y,
    input  wire [31:0]                  own,               // not read
    input  wire [15:0]                  divert_threshold,  // J8, tries; 0: at once; 16'hffff: never
    input  wire [15:0]                  abort_threshold,   // J9, clocks
    input  wire [15:0]                  relief_limit,      // J8, tries in relief; 0: no relief
    input  wire                         relief,
    input  wire [LINKS-1:0]             link_down,
    input  wire [LINKS*LINK_WIDTH-1:0]  link_in,
    output wire [LINKS-1:0]             link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0]  link_out,
    input  wire [LINKS-1:0]             link_out_wait,
    input  wire [LINK_WIDTH-1:0]        entering,
    output wire                         entering_wait,
    output wire [LINK_WIDTH:0]          delivered,
    input  wire                         delivered_wait,
    output wire [PORTS-1:0]             event_word_out,
    output wire [PORTS-1:0]             event_stall,
    output wire [PORTS-1:0]             event_drop,
    output wire                         event_divert,
    output wire                         event_abort,
    output wire                         event_split,
    output wire                         event_defer,       // never: a packet that lacks a branch is not connected
    output wire [PORTS*PORTS-1:0]       connections,
    output wire                         quiet
);
    wire [PORTS*LINK_WIDTH-1:0] arriving = {link_in, entering};
    wire [PORTS*LINK_WIDTH-1:0] words;
    wire [LINKS*LINK_WIDTH-1:0] remote_words;
    wire [LINK_WIDTH:0]         local_word;
    wire [PORTS*PORTS-1:0]      ways, word_ways;
    wire [PORTS-1:0]            waits, arrives, full, free, seeks, moves, aborts, aborting, stands, strays;
    wire [PORTS-1:0]            abort, ready, outputs_quiet, outputs_free;
    wire [3*PORTS-1:0]          tags, offer, connection;
    wire [2*PORTS-1:0]          status_in, status_out;
    wire                        split_stands, abort_request, router_quiet;
    assign {link_in_wait, entering_wait} = waits;

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            wire [LINK_WIDTH-1:0] link    = arriving[p*LINK_WIDTH +: LINK_WIDTH];
            wire [2:0]            dropped = words[p*LINK_WIDTH + WORD_WIDTH +: 3];
            assign tags[3*p +: 3] = link[WORD_WIDTH +: 3];
            /* verilator lint_off UNUSEDSIGNAL */  // a simulation looks at it (site_fabric.v)
            wire wait_next;
            /* verilator lint_on UNUSEDSIGNAL */

            // The way from here, whatever link the packet came by: one that passed whole may have to go back (J6).
            dimension_order #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .PORT(0)) look_up (
                .target(link[2*COORD_WIDTH-1:0]), .unicast(tags[3*p +: 3] == `POSTROAD_TAG_UNICAST_SITE),
                .site_address(site_address), .torus(topology == `POSTROAD_TOPOLOGY_TORUS), .size_x(size_x), .size_y(size_y),
                .down({link_down, 1'b0}), .list(ways[p*PORTS +: PORTS]));

            january_net_input #(.WORD_WIDTH(WORD_WIDTH), .PORTS(PORTS)) net_input (
                .clk(clk), .reset(reset), .link(link), .way(ways[p*PORTS +: PORTS]), .link_wait(waits[p]),
                .link_wait_next(wait_next), .arrives(arrives[p]), .full(full[p]), .free(free[p]), .seeks(seeks[p]),
                .offer(offer[3*p +: 3]), .status(status_in[2*p +: 2]), .word(words[p*LINK_WIDTH +: LINK_WIDTH]),
                .word_way(word_ways[p*PORTS +: PORTS]), .connection(connection[3*p +: 3]), .moves(moves[p]),
                .aborts(aborts[p]), .aborting(aborting[p]), .stands(stands[p]), .stray(strays[p]));
            // J12: what is left of a packet that was aborted before its head came this way is no error.
            assign event_drop[p] = strays[p] && dropped != `POSTROAD_TAG_NULL_TARGET && dropped != `POSTROAD_TAG_ABORT_PACKET;
        end

        for (p = 1; p < PORTS; p = p + 1) begin : remote
            wire [LINK_WIDTH-1:0] word = remote_words[(p-1)*LINK_WIDTH +: LINK_WIDTH];
            wire                  breaks;
            january_net_output states (
                .clk(clk), .reset(reset), .tag(word[WORD_WIDTH +: 3]), .abort(abort[p]), .status(status_out[2*p +: 2]),
                .ready(ready[p]), .breaks(breaks), .link_wait(link_out_wait[p-1]), .abort_request(1'b0),
                .free(outputs_free[p]));
            net_output #(.WORD_WIDTH(WORD_WIDTH)) net_output (
                .clk(clk), .reset(reset), .word(word), .abort(breaks), .ready(ready[p]),
                .link(link_out[(p-1)*LINK_WIDTH +: LINK_WIDTH]), .link_wait(link_out_wait[p-1]),
                .event_word(event_word_out[p]), .event_stall(event_stall[p]), .quiet(outputs_quiet[p]));
        end
    endgenerate

    january_router #(.WORD_WIDTH(WORD_WIDTH), .PORTS(PORTS)) router (
        .clk(clk), .reset(reset), .divert_threshold(divert_threshold), .relief_limit(relief_limit), .relief(relief),
        .tags(tags), .ways(ways), .arrives(arrives), .full(full), .free(free), .seeks(seeks), .offer(offer),
        .status_in(status_in), .words(words), .word_ways(word_ways), .connection(connection), .moves(moves), .aborts(aborts),
        .aborting(aborting), .stands(stands), .remote_words(remote_words), .local_word(local_word), .abort(abort),
        .status_out(status_out), .split_stands(split_stands), .event_divert(event_divert),
        .event_abort(event_abort), .event_split(event_split), .connections(connections), .quiet(router_quiet));
    assign event_defer = 1'b0;

    january_time_out time_out (
        .clk(clk), .reset(reset), .seed({site_address[COORD_WIDTH +: 7], site_address[6:0]}),
        .abort_threshold(abort_threshold), .connected(!router_quiet), .stands(split_stands), .abort_request(abort_request));

    wire local_breaks;
    january_net_output local_states (
        .clk(clk), .reset(reset), .tag(local_word[WORD_WIDTH +: 3]), .abort(abort[0]), .status(status_out[1:0]),
        .ready(ready[0]), .breaks(local_breaks), .link_wait(delivered_wait), .abort_request(abort_request),
        .free(outputs_free[0]));
    net_output #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4)) net_output_local (
        .clk(clk), .reset(reset), .word(local_word), .abort(local_breaks), .ready(ready[0]),
        .link(delivered), .link_wait(delivered_wait),
        .event_word(event_word_out[0]), .event_stall(event_stall[0]), .quiet(outputs_quiet[0]));

    assign quiet = router_quiet && &outputs_quiet && &outputs_free && &free && !(|waits) && !abort_request;

    wire unused = &{1'b0, own};
endmodule

`default_nettype wire
