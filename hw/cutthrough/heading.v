// heading: route computation and request of one net_input, and the age of the waiting head (August paper 4.5.1, 4.5.2; rules
// U1-U3, M1, M3, M10, P6, R1, R3, R4).
//
// A site word is looked up once, in the clock in which the link shows it. A head that goes straight on crosses in that clock.
// Any other site word raises a request, which comes from flops from the next clock on.
//
//             clock 0                 clock 1                     clock 2
//   head      looked up               requests its net_output     crosses, if it was granted
//   target    looked up               requests its branch, once   crosses: on its branch, or deferred to local (M11)
//
// A head that waits has one request at a time:
//
//   its net_output --overdue (U3)--> none, for a clock --> local
//
// The clock without a request is there because the old request may be granted in the clock in which it changes.
//
// A multicast as a tree and as paths (M1, M10). `o` is a site that splits the packet, and takes its local output for it:
//
//   tree, one packet                            paths, two packets
//
//     .   N1  .   .   N2                          .   N1  .   .   N2
//         ^           ^                               ^           ^
//     .   |   .   .   |                           .   |   .   .   |
//         |           |                               |           |
//     o-->o-------E-->o                           .-->'           |         N1: a unicast, it turns whole
//     source                                      .-------E-->.-->'         E, N2: whole to E, split there, whole to N2
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module heading #(
    parameter WORD_WIDTH  = 16,
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter HYPERCUBE   = 0,
    parameter ADAPTIVE    = 0,  // 1: unicasts choose among their minimal net_outputs; costs the full crossbar
    parameter PORT        = 0,  // this net_input
    parameter LINK_WIDTH  = WORD_WIDTH + 3,  // follow from the others
    parameter PORTS       = LINKS + 1
) (
    input  wire                     clk,
    input  wire                     reset,

    // Straps, constant out of reset, and the levels of the router.
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire [1:0]               topology,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,
    input  wire [7:0]               unicast_lists,
    input  wire [PORTS-1:0]         down,
    input  wire                     expires,     // pulse that ages a waiting head

    // net_input. link: its word in the clock in which it is shown for the first time. held: the last clock showed it as well;
    // `link` has no meaning then.
    input  wire [LINK_WIDTH-1:0]    link,
    input  wire                     held,

    // Router. connected: this input's packet has a net_output. master: the site splits this input's packet. available: the
    // net_outputs that have no owner and load in this clock.
    input  wire                     connected,
    input  wire                     master,
    input  wire [PORTS-1:0]         available,

    output wire [PORTS-1:0]         asks,        // the requests, from flops
    output wire                     multicast,   // flop: the head that waits is a multicast's

    // Of the master. shows: the word shown is a site word that has been looked up. leads: flops, the link that the last site
    // word leads to, in all clocks behind its look-up; none if it is at home. asks[0]: it counts as at home.
    output wire                     shows,
    output reg  [PORTS-1:1]         leads,
    output wire                     straight,    // the head shown goes on in its own dimension
    output wire                     stray,       // P6: a word that belongs to no packet
    output wire                     diverts      // pulse: the head gives its net_output up for local (U3)
);
    localparam OPPOSITE = HYPERCUBE != 0 || PORT == 0 ? 0 : ((PORT - 1) ^ 1) + 1;

    wire [2:0] tag       = link[WORD_WIDTH +: 3];
    wire       site_word = tag[2] && tag[0];
    wire       unicast   = tag[1];
    wire       marked    = link[WORD_WIDTH-1];  // M10: a path
    wire       torus     = topology == `POSTROAD_TOPOLOGY_TORUS;

    // Every net_output that this input can request has a column in the crossbar (router.v).
    wire [PORTS-1:0] list;
    generate
        if (ADAPTIVE == 0) begin : ordered
            dimension_order #(
                .COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .PORT(PORT)
            ) look_up (
                .target(link[2*COORD_WIDTH-1:0]), .unicast(unicast), .site_address(site_address), .torus(torus),
                .size_x(size_x), .size_y(size_y), .down(down), .list(list));
            wire unused = &{1'b0, unicast_lists, available};
        end else begin : adaptive
            // No packet returns to the link that it came from (U1). One that could only do so goes to local.
            wire [PORTS-1:0] choice, onward;
            wire             is_local;
            direction #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS)) look_up (
                .asked(site_word), .target(link[2*COORD_WIDTH-1:0]), .site_address(site_address), .topology(topology),
                .size_x(size_x), .size_y(size_y), .lists(unicast ? unicast_lists : 8'h00),
                .down(down & {PORTS{unicast}}), .available(available), .is_local(is_local), .choice(choice));
            assign onward = choice & ~({{LINKS{1'b0}}, PORT != 0} << PORT);
            assign list   = {onward[PORTS-1:1], onward[PORTS-1:1] == {LINKS{1'b0}}};
            wire unused = &{1'b0, torus, is_local, choice[0], onward[0]};
        end
    endgenerate

    // M1, M10: without the mark a multicast head that does not go straight on takes local first, and its branch from there.
    wire splits = !unicast && !marked && !connected && !list[0] && !(OPPOSITE != 0 && list[OPPOSITE]);

    reg  asks_link, asks_local;
    reg  tree;                // a head that splits, and has not got local yet
    reg  target;              // a multicast head, or a site word of an open connection
    reg  overdue;
    wire gives_up  = held && !connected && overdue && expires && PORT != 0;
    // A head that waits without a request for a link has local's list, or has given its link up. It stays given up if a grant
    // meets the change and then lapses.
    wire to_local  = !connected && !asks_link && PORT != 0;
    assign diverts = held && to_local && !asks_local;
    // A head whose list has another net_output may have gone straight on in the clock in which it was given that one.
    wire served    = ADAPTIVE != 0 && connected && !master;
    assign asks    = {leads & {LINKS{asks_link}}, asks_local} & {PORTS{!served}};
    assign shows   = held && target && !tree;

    assign multicast = target;

    // A further target requests its branch for one clock (M11). What it was is kept in asks_local alone: it is at home.
    wire requests = site_word && (!connected || master);

    always @(posedge clk)
        if (reset) begin
            leads      <= {LINKS{1'b0}};
            asks_link  <= 1'b1;  // `held` is 1 in the first clock, and no head has given its link up; leads names none
            asks_local <= 1'b0;
            target     <= 1'b0;
            tree       <= 1'b0;
            overdue    <= 1'b0;
        end else begin
            if (!held && site_word) leads <= list[PORTS-1:1];
            if (!held) begin
                asks_link  <= requests && !list[0] && !splits;
                asks_local <= requests && (list[0] || splits);
                tree       <= splits;
                target     <= site_word && (connected || !unicast);
            end else begin
                asks_link  <= (asks_link && !master && !gives_up) || (tree && master);
                asks_local <= (asks_local && !(tree && master)) || to_local;
                tree       <= tree && !master;
            end
            overdue <= held && (overdue || expires);
        end

    // P6. A word that waits without a connection is a head.
    assign stray = !connected && !held && |tag && !site_word;

    generate
        if (OPPOSITE == 0) begin : turning
            assign straight = 1'b0;
        end else begin : straight_on
            localparam AXIS = (PORT - 1) / 2;
            assign straight = site_word && !connected && !held && !down[OPPOSITE] &&
                              link[AXIS*COORD_WIDTH +: COORD_WIDTH] != site_address[AXIS*COORD_WIDTH +: COORD_WIDTH];
        end
    endgenerate

`ifdef FORMAL
    // For ever, in the router (tests/formal/router_proof.v), whatever words come.
    reg             past_valid = 1'b0, reset_before, held_before, connected_before;
    reg [PORTS-1:0] asked_before;
    reg [1:0]       silent;              // clocks in which a waiting head had no request
    wire            waits = held && !connected;
    always @(posedge clk) begin
        past_valid       <= 1'b1;
        reset_before     <= reset;
        held_before      <= held;
        connected_before <= connected;
        asked_before     <= asks;
        silent           <= reset || reset_before || !waits || |asks ? 2'd0 : silent + 2'd1;
        if (past_valid && !reset && !reset_before) begin
            // A head requests one net_output at a time; between two different ones there is a clock without (U2).
            assert ((asks & (asks - 1'b1)) == {PORTS{1'b0}});
            if (waits && held_before && !connected_before && |asks && |asked_before) assert (asks == asked_before);
            // No head is forgotten: one that waits has a request, or gets one within two clocks.
            assert (silent < 2'd3);
            // An operator's own packet does not divert (U3).
            if (PORT == 0) assert (!diverts);
            if (PORT != 0 && (HYPERCUBE == 0 || PORT < LINKS)) cover (silent != 2'd0 && waits && asks[0]);
        end
    end
`endif
endmodule

`default_nettype wire
