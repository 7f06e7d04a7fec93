// postman_machine with any bits on its line, between outputs that grant whenever they like and buffers that have room whenever
// they like. What it does follows from the last 2N bits of its line alone: when it is idle, where each packet goes, what the
// outputs get. It asserts what outputs (postman_output_proof) and buffers (postman_store_contract) rely on.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_machine_proof #(
    parameter FLIT = 3,
    parameter LATE_PASS = 0
) (
    input wire clk,
    input wire any_reset,
    input wire advance,
    input wire line,
    input wire any_pass, any_turn,    // would be granted
    input wire any_unclaimed,         // no source requests the own output, and it is free unless a packet passes
    input wire transit_free, transit_overflow, arrival_free, arrival_overflow
);
    localparam N = FLIT + 1, WIDTH = $clog2(2*N + 1);
    localparam [WIDTH-1:0] LONGEST = 2*N;

    (* anyconst *) reg [FLIT-2:0] own;
    (* anyconst *) reg vct, adaptive_routing;

    reg  started = 1'b0;
    wire reset = !started || any_reset;
    always @(posedge clk) started <= 1'b1;

    reg  passing, behind, turning, adapting;   // behind: the packet that passes does so late
    wire pass_request, pass_bit, pass_ends, turn_request, turn_bit, turn_ends;
    wire turn_granted = turn_request && any_turn;
    wire late;
    wire pass_granted = pass_request && (any_pass || late) && !passing;
    wire [FLIT-1:0] flit;
    wire transit_take, transit_across, transit_two, transit_write, transit_last, arrival_take, arrival_write, arrival_last;
    wire idle, adapts_next, event_dead, event_turn, event_adapt, event_drop;
    postman_machine #(.FLIT(FLIT), .LATE_PASS(LATE_PASS)) machine (
        .clk(clk), .reset(reset), .advance(advance), .own(own), .vct(vct), .adaptive_routing(adaptive_routing), .line(line),
        .pass_request(pass_request), .pass_bit(pass_bit), .pass_ends(pass_ends), .passing(passing),
        .unclaimed(any_unclaimed && !passing), .late(late), .turn_request(turn_request),
        .turn_bit(turn_bit), .turn_ends(turn_ends), .turn_granted(turn_granted), .flit(flit), .transit_free(transit_free),
        .transit_take(transit_take), .transit_across(transit_across), .transit_two(transit_two),
        .transit_write(transit_write), .transit_last(transit_last), .transit_overflow(transit_overflow),
        .arrival_free(arrival_free), .arrival_take(arrival_take), .arrival_write(arrival_write), .arrival_last(arrival_last),
        .arrival_overflow(arrival_overflow), .idle(idle), .adapts_next(adapts_next), .event_dead(event_dead),
        .event_turn(event_turn), .event_adapt(event_adapt), .event_drop(event_drop));

    postman_store_contract #(.FLIT(FLIT)) transit (
        .clk(clk), .reset(reset), .advance(advance), .machine_idle(idle && !line), .free(transit_free), .take(transit_take),
        .leading(!transit_across), .two(transit_two), .write(transit_write), .last(transit_last), .overflow(transit_overflow));
    postman_store_contract #(.FLIT(FLIT)) arrival (
        .clk(clk), .reset(reset), .advance(advance), .machine_idle(idle && !line), .free(arrival_free), .take(arrival_take),
        .leading(1'b0), .two(1'b0), .write(arrival_write), .last(arrival_last), .overflow(arrival_overflow));

    // The outputs.
    always @(posedge clk)
        if (reset) {passing, behind, turning, adapting} <= 4'd0;
        else if (advance) begin
            passing  <= pass_granted || (passing && !pass_ends);
            behind   <= late || (behind && !pass_ends);
            turning  <= turn_granted || (turning && !turn_ends);
            adapting <= turn_granted ? !here : adapting && !turn_ends;
        end

    // The line: its last bits, and the packet that it shows. A packet that an adaption holds up lasts N clocks longer.
    reg  [2*N-1:0]   before;         // bit 0 is the newest
    reg              packet, leading;
    reg  [WIDTH-1:0] place;          // in its flit; 0: the header bit
    reg  [WIDTH-1:0] rest;           // clocks that an adaption goes on behind the packet
    reg  [WIDTH-1:0] adapted;        // clocks since the adaption began
    reg  [WIDTH-1:0] quiet;          // clocks without a 1
    wire at_header = packet && place == 0;
    wire begins    = !packet && rest == 0 && line;
    wire here      = before[FLIT-2:0] == own;
    wire flag      = before[FLIT-1];
    wire decides   = at_header && leading && line;
    wire arrives   = here && !flag;
    wire passes_late = LATE_PASS != 0 && !vct && decides && !here && !passing && any_unclaimed;
    wire stays       = decides && !arrives && !(!here && passing) && !turn_granted && !passes_late;  // a transit buffer's packet
    always @(posedge clk)
        if (reset) {before, packet, leading, place, rest, adapted, quiet} <= 0;
        else if (advance) begin
            before  <= {before[2*N-2:0], line};
            packet  <= begins || (packet && (place != 0 || line));
            leading <= begins || (leading && !at_header);
            place   <= begins || (packet && place != 0) || (at_header && line) ? (place == FLIT ? 0 : place + 1'b1) : 0;
            rest    <= at_header && !line && adapting ? N : rest - {{(WIDTH-1){1'b0}}, rest != 0};
            adapted <= turn_granted ? 1 : adapted + {{(WIDTH-1){1'b0}}, adapted != LONGEST};
            quiet   <= line ? 0 : quiet + {{(WIDTH-1){1'b0}}, quiet != LONGEST};
        end

    // What an adaption shows: the second flit with the flag 1, then the first with the flag 0, then the rest.
    wire adapted_bit = adapted < N ? line || adapted == 1 : before[adapted < 2*N ? 2*N-1 : N-1] && adapted != N + 1;

    always @(posedge clk) begin
        if (started && !reset && advance) begin
            // It is idle exactly while the line shows no packet, so at the latest when the line has shown no 1 for 2N clocks.
            assert (idle == !(packet || rest != 0));
            if (quiet == LONGEST) assert (idle && !passing && !turning);
            if (passing) assert (packet || vct || behind);

            // Where a packet goes. Nothing is asked, taken or stored at another time.
            assert (pass_request == (vct ? packet && leading && place == FLIT && {before[FLIT-3:0], line} != own
                                         : begins || passes_late));
            assert (late == passes_late);
            assert (turn_request == (decides && flag && (here || (adaptive_routing && !passing && !passes_late))));
            assert (arrival_take == (decides && arrives && arrival_free));
            assert (transit_take == (stays && transit_free));
            if (transit_take) assert (transit_across == here && transit_two == (flag && !here));
            if (transit_write || arrival_write) assert (flit == before[FLIT-1:0]);
            assert (event_dead == (at_header && leading && !line));
            assert (event_drop == ((decides && arrives && !arrival_free) || (arrival_last && arrival_overflow) ||
                                   (stays && !transit_free) || (transit_last && transit_overflow)));

            // What the outputs get: 1 first, 0 last, between them the bits of the line.
            if (pass_granted) assert (pass_bit);
            if (turn_granted) assert (turn_bit);
            if (passing && !vct && !behind) assert (pass_bit == (line && !(leading && at_header && here)));
            if (passing && vct) assert (pass_bit == before[FLIT-1]);
            if (passing && behind) assert (pass_bit == before[FLIT]);
            if (passing) assert (pass_ends == (!pass_bit && (vct || behind ? pass_place : place) == 0));
            if (turning && !adapting) assert (turn_bit == line && turn_ends == (at_header && !line));
            if (turning && adapting) assert (turn_bit == adapted_bit && turn_ends == (rest == 1));
            if (turning && turn_ends) assert (!turn_bit);
        end
        cover (started && passing && vct && packet && leading);
        cover (started && turning && rest == 1 && turn_ends);
        cover (LATE_PASS == 0 || (started && passing && behind && packet && leading));
        cover (started && transit_last && transit_overflow && advance);
        cover (started && arrival_last && !arrival_overflow && advance);
        cover (started && quiet == LONGEST && begins);
    end

    // vct, late pass: the place of the bit that leaves.
    reg [WIDTH-1:0] pass_place;
    always @(posedge clk)
        if (advance) pass_place <= pass_granted ? 1 : pass_place == FLIT ? 0 : pass_place + 1'b1;

    reg was_adapts, was_started;
    always @(posedge clk) begin
        was_adapts  <= adapts_next;
        was_started <= started && !reset;
        if (was_started && !reset) assert (was_adapts == (adapting && turning));
    end

    wire unused = &{1'b0, event_adapt};
endmodule

`default_nettype wire
