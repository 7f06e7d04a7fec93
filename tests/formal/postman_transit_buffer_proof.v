// postman_transit_buffer behind a machine, whatever its line shows: each packet that it takes in or that is loaded is sent,
// whole, in order, and as long as it was (R8), or with its address flits exchanged (R9). Packets are numbered as they are
// complete and as they have been sent; an arbitrary flit of an arbitrary one is compared.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_transit_buffer_proof #(
    parameter FLIT       = 2,
    parameter DEPTH_LOG2 = 2
) (
    input wire            clk,
    input wire            reset,
    input wire            line,
    input wire            turn_granted,
    input wire            passing,
    input wire            busy,
    input wire            load_request,
    input wire            load_write,
    input wire [FLIT-1:0] load_flit,
    input wire            load_commit,
    input wire            load_across,
    input wire            load_two,
    input wire            own_free,
    input wire            grant_own,
    input wire            grant_other
);
    localparam N = FLIT + 1;

    (* anyconst *) reg [FLIT-2:0] own;
    (* anyconst *) reg adaptive_routing, adaptive_sourcing;
    (* anyconst *) reg [1:0] watched;
    (* anyconst *) reg [DEPTH_LOG2-1:0] watched_flit;

    wire turn_request, transit_free, transit_take, transit_across, transit_two, transit_write, transit_last, transit_overflow;
    wire idle, load_granted, own_request, other_request, bit_out, ends;
    wire [FLIT-1:0] flit;
    postman_machine #(.FLIT(FLIT)) machine (
        .clk(clk), .reset(reset), .advance(1'b1), .own(own), .vct(1'b0), .adaptive_routing(adaptive_routing), .line(line),
        .pass_request(), .pass_bit(), .pass_ends(), .passing(passing), .turn_request(turn_request), .turn_bit(), .turn_ends(),
        .turn_granted(turn_granted), .flit(flit), .transit_free(transit_free), .transit_take(transit_take),
        .transit_across(transit_across), .transit_two(transit_two), .transit_write(transit_write), .transit_last(transit_last),
        .transit_overflow(transit_overflow), .arrival_free(1'b0), .arrival_take(), .arrival_write(), .arrival_last(),
        .arrival_overflow(1'b0), .idle(idle), .adapts_next(), .event_dead(), .event_turn(), .event_adapt(), .event_drop());
    postman_transit_buffer #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2)) transit (
        .clk(clk), .reset(reset), .advance(1'b1), .adaptive_sourcing(adaptive_sourcing), .machine_idle(idle && !line),
        .free(transit_free), .take(transit_take), .take_across(transit_across), .take_two(transit_two), .write(transit_write),
        .flit(flit), .last(transit_last), .overflow(transit_overflow), .busy(busy), .load_request(load_request),
        .load_granted(load_granted), .load_write(load_write), .load_flit(load_flit), .load_commit(load_commit),
        .load_across(load_across), .load_two(load_two), .own_free(own_free), .own_request(own_request),
        .other_request(other_request), .granted(grant_own || grant_other), .bit_out(bit_out), .ends(ends), .full_next(),
        .event_source(), .event_stall());

    reg                  past_valid = 1'b0, known, complete, sending, exchanged;
    reg [1:0]            in, out, place;                  // numbers of packets; bits of the flit that have been sent
    reg [DEPTH_LOG2-1:0] written, sent, watched_length;   // flits of the packet that comes, and of the one that leaves
    reg [FLIT-1:0]       value;                           // of the watched flit
    wire stores  = !transit_overflow && (load_granted ? load_write : transit_write);
    wire commits = load_granted && load_commit;
    wire begins  = grant_own || grant_other;
    wire closes  = commits || transit_last;
    wire [DEPTH_LOG2-1:0] shown = exchanged && sent < 2 ? sent ^ 1 : sent;

    wire [DEPTH_LOG2-1:0] written_next = written + {{(DEPTH_LOG2-1){1'b0}}, stores};

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assume (!grant_own || (own_request && own_free));
        assume (!grant_other || (other_request && !grant_own));
        assume (!turn_granted || turn_request);
        // An operator loads the flits that it says.
        if (commits) assume (written_next != 0 && !(load_two && written_next < 2));
        if (reset) begin
            {in, out, written, sent, sending, exchanged, known, complete, place} <= 0;
        end else begin
            if (stores && in == watched && written == watched_flit) {known, value} <= {1'b1, load_granted ? load_flit : flit};
            if (closes || (load_granted && !load_request)) written <= 0;
            else written <= written_next;
            if (closes) in <= in + 2'd1;
            if (closes && in == watched) {complete, watched_length} <= {1'b1, written_next};
            if (begins) {sending, exchanged, sent, place} <= {1'b1, grant_other && own_request, {DEPTH_LOG2{1'b0}}, 2'd1};
            else if (sending && ends) begin
                sending <= 1'b0;
                out     <= out + 2'd1;
                if (out == watched) {known, complete} <= 2'd0;
            end else if (sending) begin
                place <= place == FLIT ? 2'd0 : place + 2'd1;
                if (place == FLIT) sent <= sent + 1'b1;
            end
        end

        if (past_valid && !reset) begin
            assert (!begins || !sending);
            if (begins) assert (bit_out);
            assert (!ends || (sending && place == 0));
            if (sending && place == 0) assert (bit_out == !ends);
            // In order, whole, as long as it was.
            if (sending && out == watched && place == 0) begin
                if (ends) assert (complete && sent == watched_length);
                else assert (!(complete && sent == watched_length));
            end
            if (sending && out == watched && place != 0 && shown == watched_flit) begin
                assert (known);
                if (place == 1 && exchanged && sent < 2) assert (bit_out == (sent == 0));
                else assert (bit_out == value[FLIT-place]);
            end
            cover (sending && out != in && in != out + 2'd1);
            cover (ends && exchanged && watched_length == 3);
        end
    end
endmodule

`default_nettype wire
