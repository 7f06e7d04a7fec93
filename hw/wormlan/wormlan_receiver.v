// wormlan_receiver: the symbols of a link, its slack buffer, and STOP and GO for the far end (W2 to W5, W8).
//
//   symbol --> kind --> { route word gone: CRC changed } --> slack buffer --> entry
//                |                                             | fill
//                '--> heard_stop, heard_go                     '--> say_stop, say_go
//
// Buffer of the paper's Figure 1: the words behind K_s are for what is still under way. Its last place is for the end of a
// worm whose words found no room.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_receiver #(
    parameter WORD_WIDTH = 16,
    parameter SLACK_LOG2 = 6,   // the buffer has 2**SLACK_LOG2 places
    parameter MULTICAST  = 0,
    parameter FLUSH      = 0,
    parameter INTERRUPT  = 0,
    parameter PORTS      = 5    // with the operator's
) (
    input  wire                  clk,
    input  wire                  reset,

    input  wire [WORD_WIDTH+1:0] symbol,      // {kind, word} of the link
    input  wire                  down,        // it leads nowhere now: it shows nothing, and a begun worm ends
    input  wire [SLACK_LOG2:0]   stop_level,  // K_s in words; K_g is half of it
    input  wire                  tick,        // a STOP is repeated

    // What this symbol says of the other direction. Combinational.
    output wire                  heard_stop,
    output wire                  heard_go,
    output wire                  heard_back,  // a backward reset

    // FLUSH: the worm at the head of the buffer is flushed: its sender is told, if it has more of it.
    input  wire                  tick_slack,  // each time that the buffer could have been filled
    input  wire                  flushed,

    // What is to be said in the other direction: the symbol of the clock after next; a clock ahead; and any of them.
    output reg                   say_stop,
    output reg                   say_go,
    output reg                   say_back,
    output wire                  says_next,

    input  wire [PORTS-1:0]      leads_down,       // INTERRUPT: ports that lead down the tree, and the operator's

    // The word at the head of the buffer, {kind, word}, and whether it is taken. Control is a forward reset. The first word
    // of a worm is info if it names a port below 16, else data. MULTICAST: what the header of a tree has for this switch is
    // control, too. INTERRUPT: the first word has a mark if the worm is for wormlan_fork, and counts in the signature.
    output reg  [WORD_WIDTH+1:0] entry,
    output reg                   shown,
    input  wire                  take,

    output wire                  event_drop,  // a word found no room, or is behind one that did not
    output wire                  quiet
);
    localparam W = WORD_WIDTH, A = SLACK_LOG2;
    localparam [W+1:0] RESET = {`POSTROAD_WORM_CONTROL, {W-6{1'b0}}, `POSTROAD_WORM_CONTROL_RESET};

    wire [1:0]   kind = symbol[W +: 2];
    wire [W-1:0] word = symbol[W-1:0];

    reg  open;   // of a worm the first word has come, and not the end
    reg  skips;  // the rest of it is dropped
    reg  [A:0]   count;      // words in the buffer, without `entry`
    reg  [A-1:0] next, first;
    reg  empty;

    wire control = kind == `POSTROAD_WORM_CONTROL && !down;
    wire carries = (kind == `POSTROAD_WORM_DATA || kind == `POSTROAD_WORM_INFO) && !down;
    wire ends    = kind == `POSTROAD_WORM_END && !down;
    wire broken  = control && (word[5:0] == `POSTROAD_WORM_CONTROL_RESET || word[5:0] == `POSTROAD_WORM_CONTROL_IDLE) || down;
    assign heard_stop = control && word[5:0] == `POSTROAD_WORM_CONTROL_STOP;
    assign heard_go   = control && word[5:0] == `POSTROAD_WORM_CONTROL_GO;
    assign heard_back = FLUSH != 0 && control && word[5:0] == `POSTROAD_WORM_CONTROL_BACK;

    // The last place is for ends. A worm of which no word has found room has none.
    wire full   = count[A] || &count[A-1:0];
    wire parts  = INTERRUPT != 0 && control && word[5:0] == `POSTROAD_WORM_CONTROL_FRAGMENT;
    wire closes = open && (ends || broken || parts);
    wire head   = carries && !open;
    wire turns, wrong, in_header, routes;  // of the header of a tree
    wire forks, rises;
    wire lacks  = carries && (full || wrong) && !skips;
    wire push   = !skips && (carries && !(full && head) || closes);
    assign event_drop = carries && (skips || full || wrong);

    always @(posedge clk)
        if (reset) begin
            open  <= 1'b0;
            skips <= 1'b0;
        end else begin
            open  <= carries || open && !closes;
            skips <= lacks || skips && !closes;
        end

    generate
        if (MULTICAST != 0) begin : tree
            wire names_branch, last;
            wormlan_header header (
                .clk(clk), .reset(reset), .step(carries), .head(head), .info(kind == `POSTROAD_WORM_INFO), .word(word[13:0]),
                .routes(routes), .entry(names_branch), .last(last), .wrong(wrong), .in_header(in_header));
            assign turns = names_branch || last;
        end else begin : single
            assign {turns, wrong, in_header, routes} = 4'b0000;
        end
        if (INTERRUPT != 0) begin : marked
            wormlan_turn #(.PORTS(PORTS)) turn (.word(word[13:0]), .below(leads_down), .forks(forks), .rises(rises));
        end else begin : plain
            assign {forks, rises} = 2'b00;
            wire unused_down = &{1'b0, leads_down};
        end
    endgenerate

    // The signature of a worm changes by `change` when its first word, or the header of a tree, is stripped, whatever it is:
    // damage stays (W3).
    wire [W-1:0] change, unused_change;
    wormlan_change #(.WORD_WIDTH(W)) stripped (
        .clk(clk), .begins(head), .steps(carries), .counts(head && !forks || in_header), .word(word),
        .info(kind == `POSTROAD_WORM_INFO), .change(change), .changed(unused_change));

    wire names_port = kind == `POSTROAD_WORM_INFO && (word[W-1:4] == {W-4{1'b0}} || routes || forks || rises);
    reg  [W+1:0] stored;
    always @* begin
        stored = {kind, word ^ (ends ? change : {W{1'b0}})};
        if (head && !names_port) stored[W +: 2] = `POSTROAD_WORM_DATA;
        if (turns) stored[W +: 2] = `POSTROAD_WORM_CONTROL;
        if (head && rises) stored[5:4] = 2'b00;
        if (broken || carries && (full || wrong) || ends && in_header) stored = RESET;
    end

    reg  [W+1:0] buffer[0:(1<<A)-1];
    wire fetch = !empty && (!shown || take);
    always @(posedge clk) begin
        if (push) buffer[next] <= stored;
        if (fetch) entry <= buffer[first];
    end

    wire [A:0] up = {{A{1'b0}}, push}, down_by = {{A{1'b0}}, fetch};
    always @(posedge clk)
        if (reset) begin
            count <= {A+1{1'b0}};
            next  <= {A{1'b0}};
            first <= {A{1'b0}};
            empty <= 1'b1;
            shown <= 1'b0;
        end else begin
            count <= count + up - down_by;
            empty <= !push && (empty || fetch && count == {{A{1'b0}}, 1'b1});
            shown <= fetch || shown && !take;
            if (push) next <= next + 1'b1;
            if (fetch) first <= first + 1'b1;
        end

    // STOP when the buffer has filled up to K_s, and again at each tick; GO when it has emptied down to K_g.
    reg  above, below, told;
    wire backs;
    wire stops = above && !told || told && tick && !below && !backs;
    wire goes  = told && below && !backs;
    assign says_next = !down && (stops || goes || backs);
    always @(posedge clk)
        if (reset) begin
            {above, below, told, say_stop, say_go, say_back} <= 6'b010000;
        end else begin
            say_back <= backs && !down;
            above    <= count >= stop_level;
            below    <= count <= stop_level >> 1;
            say_stop <= stops && !down;
            say_go   <= goes && !down;
            told     <= !down && (stops || told && !goes);
        end

    // A backward reset is for the worm that the far end stopped in: the last one that came. So it is said if the one that is
    // flushed is that, and the STOP has been in force since before the last tick: nothing else is on its way.
    generate
        if (FLUSH != 0) begin : flush
            reg [A:0] ends_held;  // ends in the buffer and in `entry`
            reg       stopped, settled, due;
            wire      end_in  = push && (closes || carries && (full || wrong));
            wire      end_out = take && shown && (entry[W +: 2] == `POSTROAD_WORM_END
                                                  || entry[W +: 2] == `POSTROAD_WORM_CONTROL && &entry[5:4]);
            assign backs = due;
            always @(posedge clk)
                if (reset) begin
                    ends_held <= {A+1{1'b0}};
                    {stopped, settled, due} <= 3'b000;
                end else begin
                    ends_held <= ends_held + {{A{1'b0}}, end_in} - {{A{1'b0}}, end_out};
                    stopped   <= told && (stopped || tick_slack);
                    settled   <= told && stopped && (settled || tick_slack);
                    due       <= flushed && settled && open && !skips && ends_held == {A+1{1'b0}};
                end
        end else begin : drain
            assign backs = 1'b0;
        end
    endgenerate

    wire unused = &{1'b0, tick_slack, flushed};

    assign quiet = empty && !shown && !above && !told && !say_stop && !say_go && !say_back;
endmodule

`default_nettype wire
