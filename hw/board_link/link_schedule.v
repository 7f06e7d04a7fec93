// link_schedule: the time table of the engine that serves four links.
//
// An operation takes a bit time, four clocks. A turn has nine operations: four send a byte each, five ask a receiver each. Four
// turns make a round of 36 bit times, in which each link sends a frame of four bytes and is asked five times. With
// link = turn + operation + (1 while sending), modulo 4, the bytes of a link's frame leave 8 bit times apart, and no receiver
// waits longer than 8 bit times, which is how long it holds a byte:
//
//   operation     0    1    2    3    4    5    6    7    8
//   turn 0      1.3  2.2  3.1  0.0    0    1    2    3    0       l.b: byte b of link l is sent
//   turn 1      2.3  3.2  0.1  1.0    1    2    3    0    1       l:   the receiver of link l is asked
//   turn 2      3.3  0.2  1.1  2.0    2    3    0    1    2
//   turn 3      0.3  1.2  2.1  3.0    3    0    1    2    3
//
// The fabric moves a word of a multicast on all its links in one clock (M5): behind the last byte 2 of the word before, and in
// time for the first link that leads. Three links lead within 18 bit times of each other, and byte 2 is 16 behind: less than a
// round, so that none misses its place. Of four links, which lead within 27, one always does. It must not lose another place to
// a status frame, or the links miss each other's word for ever.
//
// Sixteen rounds are a period. In it a link that is up has heard its far end, or goes down.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_schedule (
    input  wire       clk,
    input  wire       reset,

    output reg  [1:0] phase,      // clock of the operation; 0 in the clock behind reset
    output reg        sends,      // the operation sends, else it receives
    output reg  [1:0] link,
    output wire [1:0] byte_sent,  // with `sends`: 0 to 3
    output wire       checks,     // once a period for each link, while receiving
    output wire       round_ends, // the last clock of a round
    output wire       new_period, // throughout its first round
    output reg        starting    // the first round behind reset
);
    localparam ROUND_BITS = 4;

    reg [3:0]            operation;
    reg [1:0]            turn;
    reg [ROUND_BITS-1:0] round;

    assign round_ends = phase == 2'd3 && last && turn == 2'd3;
    assign byte_sent = ~operation[1:0];
    assign new_period = round == {ROUND_BITS{1'b0}};
    assign checks    = new_period && turn == 2'd0 && !sends && !operation[3];

    wire       last           = operation[3];
    wire [3:0] operation_next = last ? 4'd0 : operation + 4'd1;
    wire [1:0] turn_next      = turn + {1'b0, last};
    wire       turns_over     = operation == 4'd3;
    wire       sends_next     = operation_next[3:2] == 2'd0;

    always @(posedge clk)
        if (reset) begin
            phase     <= 2'd0;
            operation <= 4'd0;
            turn      <= 2'd0;
            round     <= {ROUND_BITS{1'b0}};
            sends     <= 1'b1;
            link      <= 2'd1;
            starting  <= 1'b1;
        end else begin
            phase <= phase + 2'd1;
            if (phase == 2'd3) begin
                operation <= operation_next;
                turn      <= turn_next;
                sends     <= sends_next;
                link      <= link + {last, !last && !turns_over};  // see the table: +1, but +0 and +2 where the kind changes
            end
            if (round_ends) begin
                round    <= round + 1'b1;
                starting <= 1'b0;
            end
        end
endmodule

`default_nettype wire
