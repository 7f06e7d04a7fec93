// heading: where the word at one net_input wants to go (August paper 4.5.1, 4.5.2; rules U1-U5, M1-M3, P6, R1-R4).
//
//   none --its head is taken (unicast, M2), or split off (M1)--> connected --its terminator is taken--> none
//
// A unicast head that goes straight on asks in the clock in which it is shown. Every other site word is looked up while it
// is shown and asks from the next clock on, from flops.
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

    // net_input: `word` stays until taken.
    input  wire [LINK_WIDTH-1:0]    word,
    input  wire                     taken,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire                     passes,      // EAGER: it goes straight on in this clock
    /* verilator lint_on UNUSEDSIGNAL */

    // Router. master: this input's packet is the one that the site splits. local_free: a multicast may ask for local.
    // tick, slow_tick: pulses that age a waiting head.
    input  wire                     master,
    input  wire                     splits,      // in this clock its head becomes that packet
    input  wire                     local_free,
    input  wire [PORTS-1:0]         available,
    input  wire                     tick,
    input  wire                     slow_tick,

    output wire [PORTS-1:0]         wants,       // from flops: the net_outputs asked for
    output wire                     straight,    // the head shown goes on in its own dimension; EAGER: may do so

    // EAGER, flops: what the comparison says about the head of the last clock, which the net_input has kept.
    output wire                     right,       // it went straight on, and should have: it is connected
    output wire                     wrong,       // it should not have: what went on is a dead word
    output wire                     dead,        // it is itself a dead word

    output wire                     stray,       // P6: a word that belongs to no packet
    output wire                     waits,       // a site word that asks
    output wire                     multicast    // and is a multicast's
);
    wire [2:0] tag        = word[WORD_WIDTH +: 3];
    wire       site_word  = tag == `POSTROAD_TAG_UNICAST_SITE || tag == `POSTROAD_TAG_MULTICAST_SITE;
    wire       terminator = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       unicast    = tag == `POSTROAD_TAG_UNICAST_SITE;
    wire       strict     = word[WORD_WIDTH-1];

    reg        connected;

    // Look-up.
    wire             is_local, prefer_highest, adaptive;
    wire [PORTS-1:0] listed, preferred;
    /* verilator lint_off UNUSEDSIGNAL */  // EAGER alone
    wire [PORTS-1:0] minimal;
    /* verilator lint_on UNUSEDSIGNAL */
    direction #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS)) lookup (
        .target(word[2*COORD_WIDTH-1:0]), .site_address(site_address), .topology(topology), .size_x(size_x),
        .size_y(size_y), .lists(strict ? 8'h00 : unicast ? unicast_lists : multicast_lists),
        .is_local(is_local), .minimal(minimal), .candidates(listed), .prefer_highest(prefer_highest), .adaptive(adaptive));

    // R4: what is down only serves a list that has nothing else.
    wire [PORTS-1:0] up         = listed & ~down;
    wire [PORTS-1:0] candidates = |up ? up : listed;
    first_set #(.N(PORTS)) choose (.bits(candidates), .highest(prefer_highest), .first(preferred));

    // Held: the word was shown in the last clock, and what was looked up is its own.
    reg              held, to_local, to_one;
    reg [PORTS-1:0]  first, others;
    wire [PORTS-1:0] other;

    // U3, R3: age 0 and 1 wait, then local (2) and the list (3) are asked in turn.
    reg  [1:0] age;
    wire       overdue   = age[1] && PORT != 0;
    wire       diverts   = overdue && !age[0] && !never_diverts;
    wire       held_back = relieved && !overdue && PORT != 0;                       // R2
    wire       ask_local = to_local || (to_one ? diverts : local_free && !held_back);  // M1, M2

    wire       first_available = |(first & available);
    first_set #(.N(PORTS)) fall_back (.bits(others & available & {PORTS{!first_available}}), .highest(1'b0), .first(other));

    assign multicast = !to_one;
    assign waits = held && (!connected || master);
    assign wants = {PORTS{waits}} &
                   (master ? first | {{LINKS{1'b0}}, to_local}
                    : ask_local ? {{LINKS{1'b0}}, 1'b1} : |other ? other : first);

    // The fast way. EAGER: the clock in which a head is shown does not compare, the next one has the verdict. Right and dead
    // ones have nothing to ask for: they are connected at once, the dead one until it is dropped.
    wire settled;
    generate
        if (PORT == 0 || LINKS != 4) begin : turning
            assign straight = 1'b0;
            assign {settled, right, wrong, dead} = 4'b0000;
        end else begin : straight_on
            localparam AXIS = (PORT - 1) / 2, OPPOSITE = ((PORT - 1) ^ 1) + 1;
            wire [COORD_WIDTH-1:0] here = site_address[AXIS*COORD_WIDTH +: COORD_WIDTH];
            wire fresh = unicast && !connected && !held && !down[OPPOSITE] && topology != `POSTROAD_TOPOLOGY_HYPERCUBE;
            if (EAGER == 0) begin : compared
                assign straight = fresh && !(word[AXIS*COORD_WIDTH +: COORD_WIDTH] == here);
                assign {settled, right, wrong, dead} = 4'b0000;
            end else begin : guessed
                // On a grid alone: in a ring nothing lies behind, so nothing would tell dead words apart.
                localparam GROWS = PORT % 2 == 0;
                wire grid = topology == `POSTROAD_TOPOLOGY_GRID;
                reg  at_edge;
                reg  [2:0] verdict;
                assign straight = fresh && (grid ? !at_edge : minimal[OPPOSITE]);
                wire goes  = passes && minimal[OPPOSITE];
                wire drops = grid && unicast && !connected && !held && minimal[PORT];
                assign settled = goes || drops;
                assign {right, wrong, dead} = verdict;
                always @(posedge clk) begin
                    at_edge <= here == (GROWS ? (AXIS == 0 ? size_x : size_y) - 1'b1 : {COORD_WIDTH{1'b0}});
                    verdict <= {goes, passes && !goes, drops} & {3{!reset}};
                end
            end
        end
    endgenerate

    assign stray = !connected && |tag && !site_word;

    // U5: a strict head ages a hundred times slower, except where its order leaves a cycle.
    wire slow = strict && topology != `POSTROAD_TOPOLOGY_TORUS;

    always @(posedge clk)
        if (reset) begin
            connected <= 1'b0;
            held      <= 1'b0;
            age       <= 2'd0;
        end else begin
            connected <= splits || settled || (taken ? (connected ? !terminator && !dead : site_word) : connected);
            held      <= site_word && !taken;
            if (!held) age <= 2'd0;
            else if (slow ? slow_tick : tick) age <= age == 2'd3 ? 2'd2 : age + 2'd1;
        end

    // Looked up once: a branch that was opened is the one that the word asks for until it moves, whatever link goes down.
    always @(posedge clk)
        if (!held) begin
            to_local <= is_local;
            to_one   <= unicast;
            first    <= preferred;
            others   <= candidates & ~preferred & {PORTS{adaptive && unicast}};
        end
endmodule

`default_nettype wire
