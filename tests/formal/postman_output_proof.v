// postman_output between any four requesters, whatever they request and whenever they end. It has one owner at a time, from the
// clock in which it is granted to the clock in which that owner ends; it is granted only while it is free, to one that requests
// it, in the order of R10; the line shows the owner's bits one clock later, and 0 between two packets. With THROUGH, unless it
// `waits`, what goes straight on is on the line in the clock in which it comes, only behind the 0 that ends the packet before,
// and not in reset.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_output_proof #(
    parameter PRIORITY = 0,
    parameter THROUGH  = 0
) (
    input wire       clk,
    input wire       any_reset,
    input wire       advance,
    input wire       line_busy,
    input wire [3:0] request,
    input wire [3:0] bits,
    input wire [3:0] ends
);
    (* anyconst *) reg waits;
    wire crosses = THROUGH != 0 && !waits;

    reg  started = 1'b0;
    wire reset = !started || any_reset;
    always @(posedge clk) started <= 1'b1;

    wire [3:0] grant, owner;
    wire       free, may_pass, line_next, line;
    postman_output #(.PRIORITY(PRIORITY), .THROUGH(THROUGH)) out (
        .clk(clk), .reset(reset), .advance(advance), .waits(waits), .line_busy(line_busy), .request(request), .grant(grant),
        .bits(bits), .ends(ends), .owner(owner), .free(free), .may_pass(may_pass), .line_next(line_next), .line(line));

    // The requesters: postman_machine_proof and postman_transit_buffer_proof assert this of them.
    always @(*) assume ((owner & bits & ends) == 4'd0);

    wire [3:0] flop_users = {3'b111, !crosses};
    wire [3:0] moves = advance && !reset ? grant : 4'd0;
    reg  [3:0] holder;   // who was granted last, and has not ended
    reg        shows;    // what the flop has to show
    reg        closes;   // it is the 0 behind a packet
    reg  [1:0] missed;   // a source that requests saw the other one served
    // What goes straight on through the output, and who may be granted.
    wire       through = crosses && (holder[0] ? bits[0] : grant[0]);
    wire [3:0] allowed = crosses && closes ? request & flop_users : request;
    wire       turn_first = PRIORITY == 0 && !crosses;
    always @(posedge clk) begin
        if (reset) {holder, shows, closes, missed} <= 8'd0;
        else begin
            if (advance) begin
                holder <= moves | holder & ~ends;
                shows  <= ((moves | holder & bits) & flop_users) != 4'd0;
                closes <= (holder & ends & flop_users) != 4'd0;
            end
            missed <= request[3:2] & ~moves[3:2] & (missed | {moves[2], moves[3]});
        end

        if (started && !reset) begin
            // One owner, as long as its packet lasts.
            assert ((holder & (holder - 4'd1)) == 4'd0);
            assert (owner == holder);
            // A grant: to one that requests it, while nothing else is on the line, which is not busy; to one if there is any.
            assert ((grant & (grant - 4'd1)) == 4'd0);
            assert ((grant & ~allowed) == 4'd0);
            assert (free == (holder == 4'd0 && !line_busy));
            assert (may_pass == (free && !(crosses && closes)));
            assert ((grant != 4'd0) == (free && allowed != 4'd0));
            // The order; a source that requests sees the other one served once at most.
            if (PRIORITY == 0 && grant[1:0] != 2'd0) assert (request[3:2] == 2'd0);
            if (turn_first && grant[0]) assert (!request[1]);
            if (!turn_first && grant[1]) assert (!allowed[0]);
            if (PRIORITY != 0 && grant[3:2] != 2'd0) assert (allowed[1:0] == 2'd0);
            assert (({moves[2], moves[3]} & missed & request[3:2]) == 2'd0);
            // The line: the bits of the owner, and 0 where there is none, so in each clock in which another packet may begin.
            if (!crosses || advance) assert (line == (shows || through));
            if (holder == 4'd0 && !through) assert (!line);
            if (through) assert (!shows && !closes);
            if (!advance) assert (line_next == shows);
        end
        if (reset) assert (!line_next);
        cover (started && !reset && missed[0] && moves[2]);
        cover (started && !reset && missed[1] && moves[3]);
        cover (started && !reset && moves[0] && holder == 4'd0);
        cover (started && !reset && moves[1]);
        cover (started && !reset && free && request != 4'd0 && !advance);
        cover (THROUGH == 0 || (started && !reset && closes && request[0] && free));
    end

    reg was_next, was_reset = 1'b0;
    always @(posedge clk) begin
        was_next  <= line_next;
        was_reset <= reset;
        if (started && (reset || !through)) assert (line == was_next);
        if (reset && was_reset) assert (!line);
    end
endmodule

`default_nettype wire
