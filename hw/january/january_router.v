// january_router: connects net_inputs and net_outputs (January paper 4.6, Table G; rules J3 to J12).
//
//   net_input --> heading --requests--> access --offer--> net_input
//       |                                  |
//       '--word, type of its connection--> owner --> crossbar_column --word--> net_output
//       ^                                                                          |
//       '--------------------------- status of all its net_outputs <--------------'
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_router #(
    parameter WORD_WIDTH = 16,
    parameter PORTS      = 5,
    parameter LINK_WIDTH = WORD_WIDTH + 3  // follows
) (
    input  wire                        clk,
    input  wire                        reset,

    // Straps and the level of the headings.
    input  wire [15:0]                 divert_threshold,
    input  wire [15:0]                 relief_limit,
    input  wire                        relief,

    // Tags on the links, and where a site word on one of them leads to; net_input p at [p*WIDTH +: WIDTH].
    input  wire [3*PORTS-1:0]          tags,
    input  wire [PORTS*PORTS-1:0]      ways,

    // net_inputs.
    input  wire [PORTS-1:0]            arrives,
    input  wire [PORTS-1:0]            full,
    input  wire [PORTS-1:0]            free,
    input  wire [PORTS-1:0]            seeks,
    output wire [3*PORTS-1:0]          offer,
    output wire [2*PORTS-1:0]          status_in,
    input  wire [PORTS*LINK_WIDTH-1:0] words,
    input  wire [PORTS*PORTS-1:0]      word_ways,
    input  wire [3*PORTS-1:0]          connection,
    input  wire [PORTS-1:0]            moves,
    input  wire [PORTS-1:0]            aborts,
    input  wire [PORTS-1:0]            aborting,
    input  wire [PORTS-1:0]            stands,

    // net_outputs. The local word has the fourth tag bit, for local_end_of_packet.
    output wire [(PORTS-1)*LINK_WIDTH-1:0] remote_words,
    output wire [LINK_WIDTH:0]         local_word,
    output wire [PORTS-1:0]            abort,
    input  wire [2*PORTS-1:0]          status_out,

    // Time-out.
    output wire                        split_stands,

    output wire                        event_divert,
    output wire                        event_abort,
    output wire                        event_split,
    output wire [PORTS*PORTS-1:0]      connections,   // i*PORTS + o: connected, or requested
    output wire                        quiet          // no connection
);
    localparam SELECT = $clog2(PORTS);

    // A connection that splits a packet: local has a full copy (J7).
    function splits(input [2:0] type_of);
        splits = type_of == `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE || type_of == `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL;
    endfunction

    wire [PORTS*PORTS-1:0] whole, split, owns;          // i*PORTS + o
    wire [3*PORTS-1:0]     whole_type, split_type;
    wire [PORTS-1:0]       grants, outputs, diverts, available, owned, ends;
    wire [PORTS*LINK_WIDTH-1:0] columns;
    wire [PORTS*SELECT-1:0] selects;

    january_access #(.PORTS(PORTS)) access (
        .clk(clk), .reset(reset), .whole(whole), .split(split), .whole_type(whole_type), .split_type(split_type),
        .available(available), .offer(offer), .grants(grants), .outputs(outputs));

    genvar i, o;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : of_input
            january_heading #(.PORTS(PORTS), .FOREIGN(i != 0)) heading (
                .clk(clk), .reset(reset), .divert_threshold(divert_threshold), .relief_limit(relief_limit), .relief(relief),
                .tag(tags[3*i +: 3]), .way(ways[i*PORTS +: PORTS]), .arrives(arrives[i]), .full(full[i]),
                .free(free[i]), .seeks(seeks[i]), .whole(whole[i*PORTS +: PORTS]), .split(split[i*PORTS +: PORTS]),
                .whole_type(whole_type[3*i +: 3]), .split_type(split_type[3*i +: 3]), .diverts(diverts[i]));

            // The status of a connection: an abort_request before a wait before open.
            wire [PORTS-1:0] waiting, requesting;
            for (o = 0; o < PORTS; o = o + 1) begin : of_output
                assign owns[i*PORTS + o] = owned[o] && selects[o*SELECT +: SELECT] == i;
                assign waiting[o]    = owns[i*PORTS + o] && status_out[2*o +: 2] == `POSTROAD_JANUARY_STATUS_WAIT;
                assign requesting[o] = owns[i*PORTS + o] && status_out[2*o +: 2] == `POSTROAD_JANUARY_STATUS_ABORT_REQUEST;
            end
            assign status_in[2*i +: 2] = |requesting ? `POSTROAD_JANUARY_STATUS_ABORT_REQUEST
                                       : |waiting    ? `POSTROAD_JANUARY_STATUS_WAIT : `POSTROAD_JANUARY_STATUS_OPEN;
            wire [2:0] tag = words[i*LINK_WIDTH + WORD_WIDTH +: 3];
            assign ends[i] = moves[i] && (tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET);
            assign connections[i*PORTS +: PORTS] = owns[i*PORTS +: PORTS] | whole[i*PORTS +: PORTS] | split[i*PORTS +: PORTS];
        end

        for (o = 0; o < PORTS; o = o + 1) begin : of_output
            reg              is_owned;
            reg [SELECT-1:0] owner;
            assign owned[o] = is_owned;
            assign selects[o*SELECT +: SELECT] = owner;
            assign available[o] = !is_owned && status_out[2*o +: 2] == `POSTROAD_JANUARY_STATUS_FREE;

            integer n;
            always @(posedge clk)
                if (reset) begin
                    is_owned <= 1'b0;
                    owner    <= {SELECT{1'b0}};
                end else if (is_owned) is_owned <= !ends[owner] && !abort[o];
                else if (outputs[o]) begin
                    is_owned <= 1'b1;
                    for (n = 0; n < PORTS; n = n + 1) if (grants[n]) owner <= n[SELECT-1:0];
                end

            crossbar_column #(.LINK_WIDTH(LINK_WIDTH), .SOURCES(PORTS)) column (
                .words(words), .select(owner), .word(columns[o*LINK_WIDTH +: LINK_WIDTH]));
            wire [2:0] tag        = columns[o*LINK_WIDTH + WORD_WIDTH +: 3];
            wire [2:0] type_of    = connection[3*owner +: 3];
            wire       copies     = splits(type_of) && !aborting[owner];
            wire       own_target = word_ways[owner*PORTS + o];
            wire       loads      = is_owned && moves[owner];
            if (o == 0) begin : to_operator
                // The mark of a target that is here tells the operator that no other site needs the packet for its sake (J12).
                wire is_target = copies && tag == `POSTROAD_TAG_MULTICAST_SITE;
                wire is_end    = copies && tag == `POSTROAD_TAG_END_OF_PACKET;
                wire discarded = is_end && type_of == `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE;
                wire local_end = is_end && type_of == `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL;
                wire [2:0] sends = discarded ? `POSTROAD_TAG_ABORT_PACKET : tag;
                assign local_word = {local_end && loads, sends & {3{loads}},
                                     is_target ? own_target : columns[WORD_WIDTH-1], columns[WORD_WIDTH-2:0]};
                assign abort[0] = 1'b0;
            end else begin : to_link
                wire in_list = tag[2] && tag != `POSTROAD_TAG_UNICAST_SITE;
                wire foreign = copies && in_list && !own_target;
                wire begun   = status_out[2*o +: 2] != `POSTROAD_JANUARY_STATUS_FREE;   // the branch has carried a word
                wire [2:0] sends = foreign ? `POSTROAD_TAG_NULL_TARGET & {3{begun}} : tag;
                assign remote_words[(o-1)*LINK_WIDTH +: LINK_WIDTH] = {
                    sends & {3{loads}}, columns[o*LINK_WIDTH +: WORD_WIDTH]};
                assign abort[o] = is_owned && aborts[owner];
            end
        end
    endgenerate

    wire local_splits   = owned[0] && splits(connection[3*selects[0 +: SELECT] +: 3]) && !aborting[selects[0 +: SELECT]];
    assign split_stands = local_splits && stands[selects[0 +: SELECT]] && status_out[1:0] != `POSTROAD_JANUARY_STATUS_WAIT;

    wire [PORTS-1:0] grants_split, grants_diverted;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : granted
            assign grants_split[i]    = grants[i] && splits(offer[3*i +: 3]);
            assign grants_diverted[i] = grants[i] && diverts[i];
        end
    endgenerate
    assign event_split  = |grants_split;
    assign event_divert = |grants_diverted;
    assign event_abort  = |aborts;
    assign quiet        = owned == {PORTS{1'b0}};

`ifdef FORMAL
    reg                    past_valid = 1'b0;
    reg  [PORTS*PORTS-1:0] taken;      // of each net_input: what its connection was made of
    reg  [PORTS-1:0]       ended;      // net_outputs whose packet has ended, and has not left
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
    end

    generate
        for (i = 0; i < PORTS; i = i + 1) begin : proof_of_input
            wire [PORTS-1:0] mine      = owns[i*PORTS +: PORTS];
            wire             connected = !free[i] && !seeks[i];
            wire [PORTS-1:0] waiting   = of_input[i].waiting;
            always @(posedge clk) begin
                if (grants[i]) taken[i*PORTS +: PORTS] <= outputs;
                if (past_valid && !reset) begin
                    // J7, note 10: a connection has all the net_outputs that it was made of, until it ends or is aborted (J10).
                    if (!connected) assert (mine == {PORTS{1'b0}});
                    if (connected && !aborting[i]) assert (mine == taken[i*PORTS +: PORTS] && |mine);
                    if (connected && aborting[i]) assert (mine == {{(PORTS-1){1'b0}}, 1'b1});
                    if (connected && splits(connection[3*i +: 3])) assert (mine[0]);
                    // J4: a word moves where no net_output waits.
                    if (moves[i]) assert (waiting == {PORTS{1'b0}} && connected);
                end
            end
        end

        for (o = 0; o < PORTS; o = o + 1) begin : proof_of_output
            wire [2:0] sent = o == 0 ? local_word[WORD_WIDTH +: 3]
                                     : remote_words[(o == 0 ? 0 : o-1)*LINK_WIDTH + WORD_WIDTH +: 3];
            wire       ends_here = sent == `POSTROAD_TAG_END_OF_PACKET || sent == `POSTROAD_TAG_ABORT_PACKET;
            wire [SELECT-1:0] from = selects[o*SELECT +: SELECT];
            wire [2:0] received = words[from*LINK_WIDTH + WORD_WIDTH +: 3];
            wire [2:0] type_of  = connection[3*from +: 3];
            wire       commits  = !aborting[from] && received == `POSTROAD_TAG_END_OF_PACKET;
            wire       discards = o == 0 && commits && type_of == `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE;
            wire       foreign  = o != 0 && splits(type_of) && !aborting[from];
            wire       begun    = status_out[2*o +: 2] != `POSTROAD_JANUARY_STATUS_FREE;
            always @(posedge clk) begin
                if (reset || outputs[o]) ended[o] <= 1'b0;
                else if (ends_here || abort[o]) ended[o] <= 1'b1;
                if (past_valid && !reset) begin
                    // A net_output has one owner: only a free one is taken. X1: its owner has a connection.
                    if (outputs[o]) assert (!owned[o] && status_out[2*o +: 2] == `POSTROAD_JANUARY_STATUS_FREE);
                    if (owned[o]) assert (!free[from] && !seeks[from]);
                    // J4, J12: what moves goes to all net_outputs in that clock; local gets a terminator of its own.
                    if (owned[o] && moves[from]) begin
                        if (!received[2]) assert (sent == (discards ? `POSTROAD_TAG_ABORT_PACKET : received));
                        else assert (sent == received || (foreign && sent == (`POSTROAD_TAG_NULL_TARGET & {3{begun}})));
                        if (o == 0)
                            assert (local_word[LINK_WIDTH] == (commits && type_of == `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL));
                    end
                    if (abort[o]) assert (o != 0);
                    // What january_net_output_proof assumes.
                    if (|sent) assert (owned[o] && status_out[2*o +: 2] != `POSTROAD_JANUARY_STATUS_WAIT && !abort[o]);
                    if (abort[o]) assert (owned[o] && !ended[o]);
                    if (owned[o]) assert (!ended[o]);
                end
            end
        end
    endgenerate

    always @(posedge clk) if (past_valid && !reset) begin
        cover (|aborts && |(owned & ~{{(PORTS-1){1'b0}}, 1'b1}));
        cover (&owned && |moves);
    end
`endif
endmodule

`default_nettype wire
