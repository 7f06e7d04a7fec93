// postman_transit_buffer between a machine (postman_store_contract), an operator that loads, and outputs that grant whenever they
// like. One stored flit, any, is watched: it leaves once, in its packet and in its place, with its bits. Packets leave in the
// order in which they came, with the flits that came, however close behind each other (chaining). With the two address flits
// exchanged it is the same, but for their flags.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_transit_buffer_proof #(
    parameter FLIT       = 2,
    parameter DEPTH_LOG2 = 2
) (
    input wire            clk,
    input wire            any_reset,
    input wire            advance,
    input wire            machine_idle, take, take_across, take_two, write, last,
    input wire [FLIT-1:0] flit,
    input wire            busy,
    input wire            load_request, load_write, load_commit, load_across, load_two,
    input wire [FLIT-1:0] load_flit,
    input wire            own_free, any_own, any_other,  // would be granted
    input wire            watch
);
    localparam N = FLIT + 1, WIDTH = $clog2(N + 3);
    localparam [DEPTH_LOG2-1:0] LONGEST = {DEPTH_LOG2{1'b1}};

    (* anyconst *) reg adaptive_sourcing;

    reg  started = 1'b0;
    wire reset = !started || any_reset;
    always @(posedge clk) started <= 1'b1;

    wire free, overflow, load_granted, own_request, other_request, bit_out, ends, full_next, event_source, event_stall;
    wire own_granted   = own_request && own_free && any_own;
    wire other_granted = other_request && any_other && !own_granted;
    wire granted       = own_granted || other_granted;
    postman_transit_buffer #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2)) buffer (
        .clk(clk), .reset(reset), .advance(advance), .adaptive_sourcing(adaptive_sourcing), .machine_idle(machine_idle),
        .free(free), .take(take), .take_across(take_across), .take_two(take_two), .write(write), .flit(flit), .last(last),
        .overflow(overflow), .busy(busy), .load_request(load_request), .load_granted(load_granted), .load_write(load_write),
        .load_flit(load_flit), .load_commit(load_commit), .load_across(load_across), .load_two(load_two), .own_free(own_free),
        .own_request(own_request), .other_request(other_request), .granted(granted), .bit_out(bit_out), .ends(ends),
        .full_next(full_next), .event_source(event_source), .event_stall(event_stall));

    postman_store_contract #(.FLIT(FLIT), .ASSUME(1)) machine (
        .clk(clk), .reset(reset), .advance(advance), .machine_idle(machine_idle), .free(free), .take(take),
        .leading(!take_across), .two(take_two), .write(write), .last(last), .overflow(overflow));

    // Two packets at most: the one that leaves, and the one behind it.
    reg                  leaves, behind;
    reg                  leaves_open, behind_open;      // more flits of it may come
    reg [DEPTH_LOG2-1:0] leaves_flits, behind_flits;    // that came
    reg                  across, two;                   // of the one behind
    reg                  exchanged;                     // the one that leaves
    reg [DEPTH_LOG2-1:0] left;                          // flits of it whose sending has begun
    reg [WIDTH-1:0]      place;                         // in the flit that leaves; 0: the header bit
    reg [DEPTH_LOG2-1:0] loaded;                        // flits of a load that was not committed

    wire takes      = advance && take;
    wire loads      = load_granted && load_write;
    wire commits    = load_granted && load_commit;
    wire begins     = advance && granted;
    wire is_over    = advance && leaves && place == 0 && !leaves_open && left == leaves_flits;
    wire stores     = (advance && write) || loads;
    wire to_leaves  = !load_granted && !takes && leaves_open;
    wire [DEPTH_LOG2-1:0] index = load_granted ? loaded : takes ? 0 : leaves_open ? leaves_flits : behind_flits;
    wire has_room   = index != LONGEST;
    wire [DEPTH_LOG2-1:0] flits = index + {{(DEPTH_LOG2-1){1'b0}}, stores && has_room};

    // An operator commits what has been written, two address flits and what is behind them, or one.
    always @(*) begin
        assume (!commits || flits != 0);
        assume (!(commits && load_two) || flits > 1);
    end

    always @(posedge clk)
        if (reset) begin
            {leaves, behind, leaves_open, behind_open, across, two, exchanged} <= 0;
            {leaves_flits, behind_flits, left, loaded, place} <= 0;
        end else begin
            loaded <= load_granted && load_request && !load_commit ? flits : 0;
            if (takes || commits) {across, two} <= commits ? {load_across, load_two} : {take_across, take_two};
            if (takes || commits) behind <= 1'b1;
            else if (begins) behind <= 1'b0;
            if (takes || (commits && !begins)) behind_open <= takes;
            else if (begins || (advance && last && behind_open)) behind_open <= 1'b0;
            if (!to_leaves && (stores || takes || commits)) behind_flits <= flits;

            if (begins) begin
                {leaves, leaves_open} <= {1'b1, behind_open && !(advance && last)};
                leaves_flits <= behind_open ? flits : behind_flits;
                {left, place, exchanged} <= {{{(DEPTH_LOG2-1){1'b0}}, 1'b1}, {{(WIDTH-1){1'b0}}, 1'b1},
                                                    other_granted && !across};
            end else begin
                if (is_over) leaves <= 1'b0;
                if (leaves_open && stores && to_leaves) leaves_flits <= flits;
                if (leaves_open && advance && last) leaves_open <= 1'b0;
                if (advance && leaves) place <= place == FLIT ? 0 : place + 1'b1;
                if (advance && leaves && place == 0 && !is_over) left <= left + 1'b1;
            end
        end

    // The flit that is watched.
    reg                  watching, watched_leaves;      // it is watched; in the packet that leaves
    reg                  is_loading;                    // in a load that was not committed
    reg [DEPTH_LOG2-1:0] watched;                       // its place in the packet
    reg [FLIT-1:0]       value;
    wire chosen  = watch && !watching && stores && has_room;
    wire [DEPTH_LOG2-1:0] position = exchanged && watched[DEPTH_LOG2-1:1] == 0 ? watched ^ 1'b1 : watched;
    wire is_shown = watching && watched_leaves && leaves && place != 0 && left == position + 1'b1;
    wire gone     = advance && is_shown && place == FLIT;
    wire is_first = exchanged && place == 1 && left < 3;  // the flag of an address that changes its place
    always @(posedge clk)
        if (reset) {watching, watched_leaves, is_loading} <= 3'd0;
        else begin
            if (chosen) begin
                watched        <= index;
                value          <= load_granted ? load_flit : flit;
                watched_leaves <= to_leaves || begins;
            end else if (begins) watched_leaves <= 1'b1;
            watching   <= chosen || (watching && !gone);
            is_loading <= (chosen || is_loading) && load_granted && !load_commit;
            if ((chosen || is_loading) && load_granted && !load_request && !load_commit) watching <= 1'b0;
        end

    always @(posedge clk) begin
        if (started && !reset) begin
            // Packets: at most one behind the one that leaves. A load has the buffer alone.
            if (free) assert (!behind && !load_granted);
            if (load_granted) assert (!leaves && !behind && (!advance || !take));
            assert (full_next == (takes || commits || (behind && !begins)));
            assert (overflow == (index == LONGEST) || !(load_granted || leaves_open || behind_open));
            if (begins) assert (behind && !leaves && behind_flits != 0 && bit_out);
            assert (!(own_request || other_request) || behind);
            if (own_request) assert (!across);
            if (other_request && !across) assert (adaptive_sourcing && two && behind_flits > 1 && !own_free);
            assert (event_source == begins);
            // Bits: a header bit as long as there is another flit, which has come by then; then 0.
            if (advance && leaves && place == 0) assert (ends == is_over && bit_out == !is_over);
            if (advance && leaves && place == 0 && !is_over) assert (left < leaves_flits);
            if (advance && leaves && place != 0) assert (!ends);
            if (advance && is_shown) assert (bit_out == (is_first ? left == 1 : value[FLIT - place]));
            // Each flit leaves before its packet has left.
            if (watching && watched_leaves) assert (leaves && left <= position + 1'b1 && !is_over);
        end
        cover (started && gone && is_shown && exchanged && advance);
        cover (started && gone && leaves_open);
        cover (started && gone && behind && watched == LONGEST - 1'b1);
        cover (started && commits && loads);
        cover (started && is_over && leaves_flits == LONGEST && behind_flits == LONGEST);
    end

    wire unused = &{1'b0, event_stall};
endmodule

`default_nettype wire
