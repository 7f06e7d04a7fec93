// heading: route computation and request of one net_input, and the age of the waiting head (August paper 4.5.1, 4.5.2; rules
// U1-U5, M1-M3, P6, R1-R3).
//
// A unicast head that goes straight on crosses in the clock in which it is shown. Every other site word raises a request for
// one net_output. The request comes from flops, from the clock after the look-up on.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module heading #(
    parameter WORD_WIDTH  = 16,
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter LINK_WIDTH  = WORD_WIDTH + 3,
    parameter PORTS       = LINKS + 1,
    parameter PORT        = 0,  // this net_input; 0, the local one: its packets never divert (U3) and are not held back (R2)
    parameter EAGER       = 0   // 1: a unicast head goes straight on before it has been compared (eager.md)
) (
    input  wire                     clk,
    input  wire                     reset,

    // Straps, constant out of reset, and the levels of the router.
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire [1:0]               topology,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,
    input  wire [7:0]               unicast_lists,
    input  wire [7:0]               multicast_lists,
    input  wire                     never_diverts,
    input  wire                     relieved,
    input  wire [PORTS-1:0]         down,

    // net_input: `word` stays until taken. held: 1 if the last clock showed it as well; 0 if it comes straight from the link.
    input  wire [LINK_WIDTH-1:0]    word,
    /* verilator lint_off UNUSEDSIGNAL */  // the local net_input has no straight on
    input  wire [LINK_WIDTH-1:0]    link,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire                     held,

    // Router. connected: this input's packet has a net_output. master: the site splits this input's packet. aborting: the
    // split packet makes no further request. local_free: a multicast may request local. available: the net_outputs that have
    // no owner and load in this clock. tick, slow_tick: pulses that age a waiting head.
    input  wire                     connected,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire                     passes,      // EAGER: the head goes straight on in this clock
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire                     master,
    input  wire                     aborting,
    input  wire                     local_free,
    input  wire [PORTS-1:0]         available,
    input  wire                     tick,
    input  wire                     slow_tick,

    output reg  [PORTS-1:0]         asks,        // the request: one-hot, flops; valid while `held`
    output reg                      at_home,     // flop, valid while `held`: the shown target of a multicast is this site
    output reg                      elsewhere,   // flop, valid while `held`: the shown target of a unicast is another site
    output wire                     straight,    // the head shown goes on in its own dimension; EAGER: may do so

    // EAGER, flops: the verdict of the comparison on the head of the last clock, which the net_input has kept.
    output wire                     right,       // the head went straight on correctly
    output wire                     wrong,       // the head went straight on by mistake: the copy that left is a dead word
    output wire                     dead,        // the head is itself a dead word

    output wire                     stray,       // P6: a word that belongs to no packet
    output wire                     multicast    // a multicast's site word is shown
);
    wire [2:0] tag       = word[WORD_WIDTH +: 3];
    wire       unicast   = tag == `POSTROAD_TAG_UNICAST_SITE;
    wire       site_word = unicast || multicast;
    wire       strict    = word[WORD_WIDTH-1];
    assign     multicast = tag == `POSTROAD_TAG_MULTICAST_SITE;

    wire             is_local;
    /* verilator lint_off UNUSEDSIGNAL */  // EAGER alone; local is on no list
    wire [PORTS-1:0] minimal, list;
    /* verilator lint_on UNUSEDSIGNAL */
    direction #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS)) look_up (
        .asked(site_word), .target(word[2*COORD_WIDTH-1:0]), .site_address(site_address), .topology(topology),
        .size_x(size_x), .size_y(size_y), .lists(strict ? 8'h00 : unicast ? unicast_lists : multicast_lists),
        .down(down), .available(available & {PORTS{unicast}}), .is_local(is_local), .minimal(minimal), .choice(list));

    // No packet returns to the link that it came from (U1).
    wire [PORTS-1:0] onward = list & ~({{LINKS{1'b0}}, PORT != 0} << PORT);

    // U3, R3: at age 0 and 1 the head waits for its list. Then it requests local (age 2) and the list (age 3) in turn.
    reg  [1:0] age;
    wire       overdue   = age[1] && PORT != 0;
    wire       diverts   = overdue && !age[0] && !(never_diverts && |onward);  // X1: a head that leads nowhere must go, too
    wire       held_back = relieved && !overdue && PORT != 0;                                  // R2
    wire       ask_local = !connected && (is_local || (unicast ? diverts : local_free && !held_back));  // M1, M2
    wire [PORTS-1:0] choice = {onward[PORTS-1:1] & {LINKS{!ask_local}}, ask_local};

    // The fast path, from the word on the link. EAGER: the clock in which a head is shown does without the comparison; the
    // verdict follows in the next clock.
    wire settled_straight;  // the head will make no request
    generate
        if (PORT == 0 || LINKS != 4) begin : turning
            assign {straight, settled_straight, right, wrong, dead} = 5'b00000;
        end else begin : straight_on
            localparam AXIS = (PORT - 1) / 2, OPPOSITE = ((PORT - 1) ^ 1) + 1;
            wire [COORD_WIDTH-1:0] here = site_address[AXIS*COORD_WIDTH +: COORD_WIDTH];
            wire fresh = link[WORD_WIDTH +: 3] == `POSTROAD_TAG_UNICAST_SITE && !connected && !held && !down[OPPOSITE] &&
                         topology != `POSTROAD_TOPOLOGY_HYPERCUBE;
            if (EAGER == 0) begin : compared
                assign straight = fresh && !(link[AXIS*COORD_WIDTH +: COORD_WIDTH] == here);
                assign settled_straight = straight;
                assign {right, wrong, dead} = 3'b000;
            end else begin : guessed
                // On a grid alone: in a ring no target lies behind, so a dead word could not be recognised.
                localparam GROWS = PORT % 2 == 0;
                wire grid  = topology == `POSTROAD_TOPOLOGY_GRID;
                wire goes  = passes && minimal[OPPOSITE];
                wire drops = grid && unicast && !connected && !held && minimal[PORT];
                reg  at_edge;
                reg  [2:0] verdict;
                assign straight = fresh && (grid ? !at_edge : minimal[OPPOSITE]);
                assign settled_straight = goes || drops;
                assign {right, wrong, dead} = verdict;
                always @(posedge clk) begin
                    at_edge <= here == (GROWS ? (AXIS == 0 ? size_x : size_y) - 1'b1 : {COORD_WIDTH{1'b0}});
                    verdict <= {goes, passes && !goes, drops} & {3{!reset}};
                end
            end
        end
    endgenerate

    wire waits = connected ? master && multicast && !aborting : site_word && !settled_straight && !dead;

    // A request follows `available`, so a head with a choice could miss two outputs that are ready in alternate clocks. This
    // does not occur, because the wait of an idle link stays 0: a link between boards has to guarantee the same.
    // A request may be granted in the clock in which it changes. It is therefore withdrawn for a clock before the next one is
    // made, unless no output can grant it. The request for a branch of a split packet stays until the word moves, even if its
    // link goes down.
    wire settled = !held || asks == {PORTS{1'b0}} || (connected && asks[0]);

    assign stray = !connected && |tag && !site_word;

    // U5: a strict unicast ages 128 times slower, except where dimension order leaves a cycle (a torus).
    wire slow = unicast && strict && topology != `POSTROAD_TOPOLOGY_TORUS;

    always @(posedge clk)
        if (reset) begin
            asks <= {PORTS{1'b0}};
            age  <= 2'd0;
        end else begin
            asks <= (settled ? choice : connected ? asks : asks & choice) & {PORTS{waits}};
            if (!held) age <= 2'd0;
            else if (slow ? slow_tick : tick) age <= age == 2'd3 ? 2'd2 : age + 2'd1;
        end

    always @(posedge clk) begin
        at_home   <= multicast && is_local;
        elsewhere <= unicast && !is_local;
    end
endmodule

`default_nettype wire
