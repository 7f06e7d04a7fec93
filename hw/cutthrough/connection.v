// connection: what one net_input is connected to, and what it does with the word it shows (August paper 4.5; rules
// U1-U5, M1-M9, P3, P6). The router holds one for each net_input; together they are its connection table.
//
//   none  --unicast head, or multicast head without local (M2)--> plain: one branch, words pass as they are
//   none  --multicast head that gets local (M1)---------------->  split: local and remote branches
//   split --M9 (single remote branch, first data word), or abort (M7)--> plain
//   plain, split --terminator moves (U4)--> none
//
// Everything is decided in the clock in which the word is shown: a head costs one clock on a free output, turn or split
// included. State changes only when a word moves, an abort is taken, or a head fails (`tries`).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module connection #(
    parameter WORD_WIDTH  = 16,
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter PORTS       = LINKS + 1,
    parameter FROM_LOCAL  = 0   // 1 on the local net_input, whose packets never divert (U3) and are not held back (R2)
) (
    input  wire                     clk,
    input  wire                     reset,

    // Straps, constant out of reset.
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire [1:0]               topology,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,
    input  wire [7:0]               unicast_lists,
    input  wire [7:0]               multicast_lists,
    input  wire                     never_diverts,     // U3 does not apply
    input  wire                     release_single,    // M9

    // Levels, may change at any time. tries_limit: a head that has failed more often may divert (U3), or split in spite of
    // relief (R1-R3). down: outputs that lead nowhere (R4).
    input  wire [15:0]              tries_limit,
    input  wire                     relieved,
    input  wire [PORTS-1:0]         down,

    // net_input: taken depends on word combinationally.
    input  wire [WORD_WIDTH+2:0]    word,
    output wire                     taken,

    // net_outputs. `ready`: the latch can load. `available`: ready and owned by no connection. A request is made only for
    // available outputs, and only when its word can move at once if granted; grants are decided in the same clock.
    input  wire [PORTS-1:0]         ready,
    input  wire [PORTS-1:0]         available,
    output wire [PORTS-1:0]         request,
    input  wire [PORTS-1:0]         grant,
    output reg  [PORTS-1:0]         branches,          // outputs owned

    // What the outputs load in this clock: the word itself, or null_target in its place. The last two change what the
    // local output loads: a terminator becomes local_end_of_packet, any word becomes abort_packet (M8, M9).
    output wire [PORTS-1:0]         send_word,
    output wire [PORTS-1:0]         send_null_target,
    output wire                     local_ends,
    output wire                     local_discards,
    output wire                     blocked,           // M4: null_transmission to the local output

    // fifo_buffer, by way of the local net_output; and the branches it kills.
    input  wire                     abort_request,
    output wire [PORTS-1:0]         abort_branches,

    // One-clock pulses.
    output wire                     event_drop,
    output wire                     event_divert,
    output wire                     event_abort,
    output wire                     event_split,
    output wire                     event_pass,
    output wire                     event_single,

    output wire [PORTS-1:0]         wanted  // for observers: the outputs for which the head, or the target, shown waits
);
    localparam [PORTS-1:0] LOCAL = {{(PORTS-1){1'b0}}, 1'b1};

    reg             split;           // `branches` includes local, and the packet is copied
    reg             some_local;      // a target was this site
    reg             local_has_word;  // M1: local got the head before its remote branch could open
    reg [PORTS-1:0] entry;           // remote branch of the current target entry, for its target_info words
    reg [15:0]      tries;

    // The word.
    wire [2:0] tag        = word[WORD_WIDTH +: 3];
    wire       present    = |tag;
    wire       unicast    = tag == `POSTROAD_TAG_UNICAST_SITE;
    wire       multicast  = tag == `POSTROAD_TAG_MULTICAST_SITE;
    wire       site_word  = unicast || multicast;
    wire       data       = tag == `POSTROAD_TAG_DATA;
    wire       aborted    = tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       terminator = aborted || tag == `POSTROAD_TAG_END_OF_PACKET;
    wire       strict     = word[WORD_WIDTH-1];

    wire connected = |branches;
    wire head      = site_word && !connected;
    wire copied    = split || multicast;  // multicast rules apply to this word

    // Where the target lies.
    wire             is_local, prefer_highest;
    wire [PORTS-1:0] listed;
    direction #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS)) lookup (
        .target(word[2*COORD_WIDTH-1:0]), .site_address(site_address), .topology(topology), .size_x(size_x),
        .size_y(size_y), .lists(strict ? 8'h00 : copied ? multicast_lists : unicast_lists),
        .is_local(is_local), .candidates(listed), .prefer_highest(prefer_highest));

    // R4: what is down only serves a list that has nothing else.
    wire [PORTS-1:0] up         = listed & ~down;
    wire [PORTS-1:0] candidates = |up ? up : listed;

    // Which outputs to ask for.
    wire [PORTS-1:0] remote_branches = branches & ~LOCAL;
    wire [PORTS-1:0] waiting_for     = local_has_word ? remote_branches : branches;  // outputs this word must enter
    wire             branches_ready  = (waiting_for & ~ready) == {PORTS{1'b0}};
    wire [PORTS-1:0] reused          = candidates & remote_branches;                 // M3
    wire             aborts          = split && abort_request && !(terminator && branches_ready);

    // U3, U5. Strict packets do not divert, unless they are stuck: behind one, packets that chose their way may hold what it
    // waits for, and then nothing moves ever again. On a torus they divert at once, as dimension order leaves a cycle in
    // every ring.
    wire patient    = tries <= tries_limit;
    wire stuck      = |tries[15:10];                   // 1024 tries
    wire stays_out  = strict && !stuck && topology != `POSTROAD_TOPOLOGY_TORUS;
    wire may_divert = head && unicast && !stays_out && !FROM_LOCAL && !never_diverts && !patient;
    wire may_split  = head && multicast && !(relieved && !FROM_LOCAL && patient);  // M1, R2
    wire opens      = head || (split && site_word && !is_local && reused == {PORTS{1'b0}} && branches_ready && !aborts);

    wire [PORTS-1:0] remote_choice, reused_choice;
    first_set #(.N(PORTS)) choose_remote (.bits(candidates & available), .highest(prefer_highest), .first(remote_choice));
    first_set #(.N(PORTS)) choose_reused (.bits(reused), .highest(prefer_highest), .first(reused_choice));

    wire want_remote = opens && !is_local;
    wire want_local  = (head && is_local) || may_split || (may_divert && remote_choice == {PORTS{1'b0}});
    assign request   = ({PORTS{want_remote}} & remote_choice) | (LOCAL & {PORTS{want_local && available[0]}});

    wire [PORTS-1:0] remote_grant = grant & ~LOCAL;
    wire             local_grant  = grant[0];

    // What moves.
    wire head_moves  = head && (unicast || is_local ? |grant : |remote_grant);
    wire plain_moves = connected && !split && present && branches_ready;
    wire remote_open = |remote_grant || |reused || is_local;
    wire split_moves = split && !aborts && present && branches_ready && (!site_word || remote_open);
    wire moves       = head_moves || plain_moves || split_moves;
    wire splits      = head && multicast && local_grant;
    wire drops       = present && !connected && !site_word;                          // P6
    wire ends        = moves && terminator;
    wire one_remote  = |remote_branches && (remote_branches & (remote_branches - 1'b1)) == {PORTS{1'b0}};
    wire singles     = split_moves && data && release_single && !some_local && one_remote;  // M9

    assign taken = moves || drops || (aborts && local_has_word);                     // M7: local alone, once

    // Which form of the word each branch gets: target words go to their own branch only.
    wire [PORTS-1:0] entry_now = !site_word ? entry : is_local ? {PORTS{1'b0}} : reused_choice | remote_grant;
    wire             addresses = site_word || tag == `POSTROAD_TAG_TARGET_INFO;
    wire [PORTS-1:0] copies    = LOCAL & {PORTS{!local_has_word}}
                               | (addresses ? entry_now : remote_branches);

    assign send_word        = head ? grant
                            : plain_moves ? branches
                            : split_moves ? copies
                            : {PORTS{1'b0}};
    assign send_null_target = split_moves && addresses ? remote_branches & ~entry_now : {PORTS{1'b0}};
    assign local_ends       = split && terminator && !aborted && some_local;
    assign local_discards   = (split && terminator && !some_local) || singles;
    assign blocked          = split && !aborts && present && !split_moves;           // M4
    assign abort_branches   = aborts ? remote_branches : {PORTS{1'b0}};

    assign wanted = ({PORTS{want_remote}} & candidates) | (LOCAL & {PORTS{want_local}});

    assign event_drop   = drops;
    assign event_divert = head && unicast && !is_local && local_grant;
    assign event_abort  = aborts;
    assign event_split  = splits;
    assign event_pass   = head && multicast && !local_grant && head_moves;
    assign event_single = singles;

    always @(posedge clk)
        if (reset) begin
            branches       <= {PORTS{1'b0}};
            split          <= 1'b0;
            some_local     <= 1'b0;
            local_has_word <= 1'b0;
            entry          <= {PORTS{1'b0}};
            tries          <= 16'd0;
        end else begin
            if (ends) branches <= {PORTS{1'b0}};
            else if (aborts) branches <= LOCAL;
            else if (singles) branches <= remote_branches;
            else branches <= branches | grant;

            if (ends || aborts || singles) split <= 1'b0;
            else if (splits) split <= 1'b1;

            if (splits) some_local <= is_local;
            else if (split_moves && site_word && is_local) some_local <= 1'b1;

            if (splits && !head_moves) local_has_word <= 1'b1;
            else if (moves || aborts) local_has_word <= 1'b0;

            if (moves && site_word) entry <= entry_now;

            if (head && !head_moves) tries <= &tries ? tries : tries + 16'd1;
            else tries <= 16'd0;
        end
endmodule

`default_nettype wire
